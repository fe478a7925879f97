"""Distances from samples: what is published, and the correction of its bias."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from scipy.stats import binomtest, wasserstein_distance

from unveil.attacks.differential._sampling import (
    Sampling,
    _clopper_pearson,
    _most_variance,
    at_least,
    between_samples,
    certain_tail,
    estimate,
)


@examples(50)
@given(st.integers(2, 30), st.integers(1, 4), st.integers(0, 10_000))
def test_order_statistics_are_the_earth_movers_distance(n, values, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, values)), rng.random((n, values)).round(1)
    plain = sum(wasserstein_distance(x[:, j], y[:, j]) for j in range(values))
    assert between_samples(x, y) == pytest.approx(plain, abs=1e-12)


def repeated(draw_x, draw_y, times=300, n=60):
    found = [estimate(draw_x(n), draw_y(n)) for _ in range(times)]
    return {name: np.array([getattr(one, name) for one in found]) for name in found[0]._fields}


def test_same_distribution_is_at_distance_nought_but_for_chance():
    rng = np.random.default_rng(1)
    found = repeated(lambda n: rng.random((n, 2)), lambda n: rng.random((n, 2)))
    # Published: two samples of the same are apart. The cross-fitted distance is cut off at 0, so
    # half of what is left is chance in one direction. The estimate is the middle of the two.
    assert found["as_published"].mean() > 0.05
    low = found["distance"] - found["bias"]
    assert low.mean() < 0.4 * found["as_published"].mean()
    np.testing.assert_allclose(found["distance"], (low + found["as_published"]) / 2)
    assert (low - 1.96 * found["standard_error"] > 0).mean() < 0.025
    assert found["floor"].mean() == pytest.approx(found["as_published"].mean(), rel=0.1)


def test_distributions_apart_are_not_corrected_away():
    rng = np.random.default_rng(2)
    found = repeated(lambda n: rng.random((n, 1)) / 2, lambda n: 0.4 + rng.random((n, 1)) / 2)
    error = found["distance"].std() / np.sqrt(len(found["distance"]))
    assert abs(found["distance"].mean() - 0.4) < 4 * error
    assert found["standard_error"].mean() == pytest.approx(found["distance"].std(), rel=0.15)


def test_truth_is_between_the_two_on_average_and_in_the_interval():
    """Overlapping distributions whose distribution functions cross: W = 1/8."""
    rng = np.random.default_rng(3)
    found = repeated(
        lambda n: rng.random((n, 1)), lambda n: 0.25 + rng.random((n, 1)) / 2, times=300, n=100
    )
    truth = 0.125
    low = found["distance"] - found["bias"]
    assert low.mean() <= truth <= found["as_published"].mean()
    assert found["distance"].mean() == pytest.approx(truth, abs=0.005)
    low -= 1.96 * found["standard_error"]
    high = found["distance"] + found["bias"] + 1.96 * found["standard_error"]
    assert ((low <= truth) & (truth <= high)).mean() > 0.95


def test_no_function_with_slopes_up_to_1_varies_more():
    rng = np.random.default_rng(4)
    x = rng.dirichlet((0.5, 1, 2), 2000)
    at = np.linspace(0, 1, 50)
    most = _most_variance(x)
    for _ in range(100):
        heights = [np.cumsum(rng.choice([-1, 1], 50)) / 49 for _ in range(3)]
        scores = sum(np.interp(x[:, j], at, heights[j]) for j in range(3))
        assert scores.var() <= most
    monotone = x[:, 0] - x[:, 1] - x[:, 2]
    assert monotone.var() <= most
    two = np.stack([x[:, 0], 1 - x[:, 0]], axis=1)  # here it is reached
    assert _most_variance(two) == pytest.approx((two[:, 0] - two[:, 1]).var(), rel=0.05)


def test_variance_of_few_by_all_pairs():
    x = np.random.default_rng(5).random((4, 3))
    pairs = [np.abs(a - b).sum() ** 2 for i, a in enumerate(x) for b in x[:i]]
    assert _most_variance(x) == pytest.approx(np.mean(pairs) / 2)


def test_two_samples_are_enough_for_a_number():
    found = estimate(np.array([[0.1], [0.2]]), np.array([[0.4], [0.5]]))
    assert found.as_published == pytest.approx(0.3)
    assert found.standard_error > 0


def test_nothing_random_gives_no_error():
    found = estimate(np.full((10, 2), 0.5), np.full((10, 2), 0.25))
    assert found.distance == pytest.approx(0.5)
    assert found.standard_error == 0
    assert found.bias == pytest.approx(0, abs=1e-15)


def test_counts_those_at_epsilon_too():
    d = np.array([0.1, 0.2, 0.3 - 1e-17, 0.3])
    assert at_least(d, np.array([0.1, 0.25, 0.3, 0.31])).tolist() == [4, 2, 2, 0]


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10), (999, 25_000)])
def test_bounds_are_exact(hits, n):
    low, high = _clopper_pearson(np.array([hits]), np.array([n]), 0.95)
    exact = binomtest(hits, n).proportion_ci(0.95, "exact")
    assert (low[0], high[0]) == pytest.approx((exact.low, exact.high), abs=1e-12)


def test_bound_for_all_holds_for_all():
    """In at most 5 % of the tests is somebody's probability above the bound for all."""
    rng, n, people = np.random.default_rng(5), 50, 40
    truth = rng.random(people)
    wrong = 0
    for _ in range(200):
        found = Sampling.none(people, [0.1], None)
        found.samples[:] = n
        found.over[:, 0] = rng.binomial(n, truth)
        wrong += found.tail(0.1).everybody < truth.max()
    assert wrong <= 20


def test_where_nothing_is_random_the_tail_is_yes_or_no():
    tail = certain_tail(np.array([0.1, 0.3, np.nan]), 0.2)
    assert tail.probability[:2].tolist() == [0, 1]
    assert np.isnan(tail.probability[2])
    assert tail.delta == tail.everybody == 1
