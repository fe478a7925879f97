"""Hardening of the public tables, and both paths side by side on what merging makes of them."""

import numpy as np
import pytest

import unveil as uv

pytestmark = pytest.mark.real


def test_removing_hardens_internet_usage(internet_usage):
    microdata = internet_usage()
    hardening = uv.harden(microdata, uv.Mondrian(k=5), adversary="naive-bayes")
    assert hardening.holds
    assert len(hardening.removed) < 0.06 * len(microdata)
    deltas = [one.delta for one in hardening.rounds]
    assert (np.diff(deltas) > 0).any()  # without the outliers others stand out
    again = uv.differential_inference(
        hardening.microdata, uv.Mondrian(k=5), adversary="naive-bayes"
    )
    assert again.delta == hardening.best.delta <= 0.05


def test_merging_hardens_internet_usage_with_the_regions_of_the_cuts(internet_usage):
    hardening = uv.harden(
        internet_usage(), uv.Mondrian(k=5, regions="cut"), strategy="merge", adversary="naive-bayes"
    )
    assert hardening.holds
    assert len(hardening.release) == 9_799
    assert len(hardening.rounds) == 2


@pytest.mark.parametrize("regions", ["tight", "cut"])
def test_paths_agree_where_some_ask_for_crowds(internet_usage, regions):
    microdata = internet_usage()
    f = uv.Mondrian(k=5, regions=regions)
    hardening = uv.harden(microdata, f, delta=0.02, strategy="merge", rounds=2)
    asked = hardening.course.attempt.sanitizer
    assert asked.crowds
    fast = uv.differential_inference(microdata, asked)
    rng = np.random.default_rng(1)
    some = np.union1d(fast.worst_places(20), rng.choice(len(microdata), 40, replace=False))
    general = uv.differential_inference(microdata, asked, targets=some, path="general")
    np.testing.assert_allclose(general.distances, fast.distances[some], rtol=0, atol=1e-12)
