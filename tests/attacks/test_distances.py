"""Distances between beliefs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

import unveil as uv
from unveil.attacks._distances import distance_named, l1, total_variation
from unveil.errors import InputError

beliefs = st.lists(st.floats(0.01, 1), min_size=2, max_size=2).map(
    lambda p: np.array([p]) / np.sum(p)
)


@given(beliefs, beliefs)
def test_total_variation_is_the_earth_movers_distance_with_ground_distance_1(p, q):
    expected = wasserstein_distance([0, 1], [0, 1], p[0], q[0])
    assert total_variation(p, q)[0] == pytest.approx(expected, abs=1e-9)
    assert l1(p, q)[0] == pytest.approx(2 * expected, abs=1e-9)


@given(beliefs, beliefs)
def test_they_are_distances(p, q):
    assert total_variation(p, p)[0] == 0
    assert total_variation(p, q)[0] == total_variation(q, p)[0]
    assert 0 <= total_variation(p, q)[0] <= 1


def test_a_distance_of_ones_own():
    def hellinger_squared(p, q):
        return ((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=1) / 2

    table = uv.read_table({"q": [1, 2, 2], "s": list("aba")}, quasi="q", sensitive="s")
    finding = uv.differential_inference(
        table, uv.Identity(), distance=hellinger_squared, predictions=True
    )
    assert finding.distance == "hellinger squared"
    np.testing.assert_allclose(
        finding.distances, hellinger_squared(finding.present, finding.absent)
    )


def test_a_distance_nobody_knows():
    known = "(known: total-variation, l1; or a function of two tables of beliefs)"
    with pytest.raises(InputError) as error:
        distance_named("total-variaton")
    assert str(error.value) == (
        f"no distance 'total-variaton'; did you mean 'total-variation'? {known}"
    )
    with pytest.raises(InputError) as error:
        distance_named(3)
    assert str(error.value) == f"no distance 3 {known}"
