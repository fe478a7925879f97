"""Anatomy, microaggregation and randomized response on the public tables."""

import numpy as np
import pytest

import unveil as uv
from unveil.errors import GoalError
from unveil.microdata import check_permuted

pytestmark = pytest.mark.real


@pytest.mark.parametrize("l", [2, 4, 6])
def test_anatomy_of_adult(adult, tmp_path, l):  # noqa: E741
    microdata = adult()
    release = uv.Anatomy(l=l, seed=1).sanitize(microdata)
    check_permuted(release, microdata)
    assert len(release) == len(microdata) == 45_222
    assert release.n_groups == len(microdata) // l
    assert release.sizes.min() == l
    assert release.counts.max() == 1
    diversity = uv.l_diversity(
        release.to_frame(), quasi="group", sensitive=microdata.sensitive.name
    )
    assert diversity.distinct == l
    release.write(tmp_path)
    back = uv.read_anatomy(tmp_path, microdata=microdata)
    assert np.array_equal(back.counts, release.counts)
    assert np.array_equal(back.codes, release.codes)


def test_the_largest_l_of_internet_usage(internet_usage):
    microdata = internet_usage()
    largest = len(microdata) // int(microdata.sensitive_counts.max())
    release = uv.Anatomy(l=largest, seed=1).sanitize(microdata)
    assert release.sizes.min() == largest
    with pytest.raises(GoalError, match=f"the largest possible l is {largest}"):
        uv.Anatomy(l=largest + 1).sanitize(microdata)


def test_who_is_alone_is_given_away_by_anatomy_as_far_as_the_group_allows(internet_usage):
    """Somebody whose quasi-identifiers nobody else has: belief in their value is 1/ℓ or less with
    their record, and that of everybody without it."""
    microdata = internet_usage()
    alone = np.flatnonzero(np.bincount(microdata.cells.cell_of)[microdata.cells.cell_of] == 1)[:5]
    finding = uv.differential_inference(
        microdata, uv.Anatomy(l=3), adversary="conditional-frequency", targets=alone, samples=20,
        predictions=True,
    )  # fmt: skip
    own = microdata.sensitive.codes[alone]
    believed = finding.present[np.arange(len(alone)), own]
    assert (believed <= 1 / 3 + 1e-12).all()
    assert (believed > 0.25).all()  # groups of four are rare
    shares = microdata.sensitive_counts / len(microdata)
    assert finding.absent[np.arange(len(alone)), own] == pytest.approx(shares[own], abs=1e-3)


@pytest.mark.parametrize("k", [3, 10])
def test_microaggregation_of_adult(adult, k):
    microdata = adult()
    release = uv.Microaggregation(k=k).sanitize(microdata)
    found = uv.k_anonymity(release)
    assert found.k >= k
    assert len(release) == found.records == 45_222
    whole = uv.Microaggregation(k=k, block=10**6).sanitize(microdata)
    assert uv.k_anonymity(whole).k >= k
    # Both publish ages that are much nearer to the truth than everybody's mean.
    age = microdata.quasi[0]
    assert age.name == "age"
    off = [
        np.abs(age.positions[one.regions[0].low[one.class_of]] - age.decode()).mean()
        for one in (release, whole)
    ]
    everybody = np.abs(age.decode() - age.decode().mean()).mean()
    assert max(off) < everybody / 2


def test_randomized_response_of_adult(adult):
    microdata = adult()
    f = uv.RandomizedResponse(epsilon=1, seed=2)
    release = f.sanitize(microdata)
    kept = (release.sensitive.codes == microdata.sensitive.codes).mean()
    expected = f.keeps(microdata.sensitive.size)
    assert kept == pytest.approx(expected, abs=5 * np.sqrt(expected / len(microdata)))
