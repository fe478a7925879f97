"""Noisy counts: expected shares against plain distributions, and the kernel against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from scipy.stats import laplace

from unveil.attacks.differential import _kernels as kernels
from unveil.attacks.differential._noisy_counts import expected_shares
from unveil.attacks.differential._sampling import at_least

EPSILONS = st.floats(0.01, 20)
CELLS = st.lists(st.integers(0, 40), min_size=2, max_size=6)


def shares_of(counts, epsilon):
    shares, error = expected_shares(np.array([counts]), epsilon)
    return shares[0], error


def lattice(count, epsilon, step, size):
    """P(C = 1 + i·step), the noise rounded to the lattice, as plainly as can be."""
    noise = laplace(scale=1 / epsilon)
    edges = (np.arange(size + 1) - 0.5) * step
    mass = np.diff(noise.cdf(edges - count))
    mass[0] = noise.cdf(0.5 * step - count)
    mass[-1] += noise.sf(edges[-1] - count)
    return mass


def distribution_of_share(counts, j, epsilon, grid, step=0.02, size=3000):
    """P(p_j ≤ x) for the x of a grid: by convolution of the others' lattices."""
    own = lattice(counts[j], epsilon, step, size)
    others = [lattice(c, epsilon, step, size) for i, c in enumerate(counts) if i != j]
    rest = others[0]
    for other in others[1:]:
        rest = np.convolve(rest, other)
    below = np.concatenate([[0], np.cumsum(own)])
    sums = len(others) + step * np.arange(len(rest))
    found = []
    for x in grid:
        limit = x / (1 - x) * sums  # C_j ≤ x (C_j + R)
        at_most = np.clip(np.floor((limit - 1) / step + 1e-9) + 1, 0, size).astype(int)
        found.append(float(rest @ below[at_most]))
    return np.array(found)


@examples(60)
@given(CELLS, EPSILONS)
def test_epsilon_bounds_the_ratio_of_expected_beliefs(counts, epsilon):
    """ε-differential privacy bounds the ratio of E[b(f(D))] to E[b(f(D'))] by e^ε."""
    present, error = shares_of([counts[0] + 1, *counts[1:]], epsilon)
    absent, other = shares_of(counts, epsilon)
    slack = (error + other) / min(present.min(), absent.min())
    assert np.abs(np.log(present / absent)).max() <= epsilon + slack


def test_a_sampled_ratio_of_expected_beliefs():
    rng, epsilon = np.random.default_rng(4), 0.7
    present, absent = (shares_of(counts, epsilon)[0] for counts in ([1, 0, 3], [0, 0, 3]))
    means = []
    for counts in ([1, 0, 3], [0, 0, 3]):
        noisy = 1 + np.maximum(0, counts + rng.laplace(0, 1 / epsilon, (400_000, 3)))
        means.append((noisy / noisy.sum(axis=1, keepdims=True)).mean(axis=0))
    np.testing.assert_allclose(np.log(present / absent), np.log(means[0] / means[1]), atol=0.01)


@examples(60)
@given(CELLS, EPSILONS)
def test_shares_sum_to_one_and_follow_the_counts(counts, epsilon):
    shares, error = shares_of(counts, epsilon)
    assert error < 1e-9
    assert shares.sum() == pytest.approx(1, abs=1e-9)
    for a, share_a in zip(counts, shares, strict=True):
        for b, share_b in zip(counts, shares, strict=True):
            assert share_a == share_b if a == b else (share_a > share_b) == (a > b)


@examples(15)
@given(CELLS, EPSILONS, st.integers(0, 1000))
def test_agrees_with_sampling(counts, epsilon, seed):
    shares, _ = shares_of(counts, epsilon)
    rng, n = np.random.default_rng(seed), 40_000
    noisy = 1 + np.maximum(0, counts + rng.laplace(0, 1 / epsilon, (n, len(counts))))
    sampled = noisy / noisy.sum(axis=1, keepdims=True)
    error = sampled.std(axis=0) / np.sqrt(n) + 1e-12
    assert np.abs((sampled.mean(axis=0) - shares) / error).max() < 5.5


@pytest.mark.parametrize(("counts", "epsilon"), [([1, 0, 0], 1.0), ([3, 1], 0.5), ([2, 2, 1], 2.0)])
def test_difference_of_means_is_the_area_between_the_distributions(counts, epsilon):
    """The distance as it is defined: the distribution of each share, and the area between."""
    fewer = [counts[0] - 1, *counts[1:]]
    x = (np.arange(2000) + 0.5) / 2000
    area = 0.0
    for j in range(len(counts)):
        between = distribution_of_share(counts, j, epsilon, x) - distribution_of_share(
            fewer, j, epsilon, x
        )
        # They never cross: one record more raises its own share and lowers the others.
        assert (between <= 1e-9).all() if j == 0 else (between >= -1e-9).all()
        area += np.abs(between).mean()
    direct = shares_of(counts, epsilon)[0][0] - shares_of(fewer, epsilon)[0][0]
    assert area / 2 == pytest.approx(direct, abs=1e-4)


def test_without_noise():
    assert shares_of([3, 1], np.inf)[0].tolist() == [4 / 6, 2 / 6]
    almost = shares_of([3, 1], 1e4)[0]
    assert almost == pytest.approx([4 / 6, 2 / 6], abs=1e-4)


def test_large_counts_do_not_underflow():
    shares, error = shares_of([100_000, 3, 0], 5.0)
    assert error < 1e-9
    assert shares[0] == pytest.approx(100_001 / 100_006, rel=1e-6)


def test_published_example_of_the_bias():
    """Nine values, counts (1, 0, …): the method's page has the distance at about 0.0089."""
    one, none = [1] + [0] * 8, [0] * 9
    assert shares_of(one, 0.1)[0][0] - shares_of(none, 0.1)[0][0] == pytest.approx(
        0.00880, abs=5e-6
    )


@pytest.mark.parametrize("added", [0.0, 1.0])
@pytest.mark.parametrize("n", [2, 400, 3000])  # less than a block, and several of them
def test_a_case_is_what_it_is_by_plain_means(added, n):
    rng = np.random.default_rng(1)
    counts, kept = np.array([3.0, 0, 0, 2]), np.array([0, 1, 3])
    noise = rng.laplace(0, 2, (2, 4, n))
    epsilons = np.array([0.05, 0.2, 0.5])
    samples, means, tails = kernels.sample_case(
        noise, counts, kept, added, 0.5, epsilons * (1 - 1e-12)
    )
    sides = []
    for side, own in ((0, 3), (1, 2)):
        noisy = np.maximum(0, np.array([own, 0, 0, 2]) + noise[side].T) + added
        noisy[noisy.sum(axis=1) == 0] = 1
        sides.append(noisy / noisy.sum(axis=1, keepdims=True))
    x, y = sides
    assert samples[0] == pytest.approx(x[:, kept].T)
    assert samples[1] == pytest.approx(y[:, kept].T)
    assert means == pytest.approx(np.stack([x.mean(axis=0), y.mean(axis=0)]))
    for tail, other in ((tails[0], y), (tails[1], np.roll(x, 1, axis=0))):
        d = np.abs(x - other).sum(axis=1) / 2
        assert tail.tolist() == at_least(d, epsilons).tolist()


def test_nothing_at_all_is_believed_alike():
    noise = np.full((2, 3, 5), -10.0)
    samples, *_ = kernels.sample_case(
        noise, np.array([1.0, 0, 2]), np.arange(3), 0.0, 1.0, np.array([0.1])
    )
    assert samples == pytest.approx(1 / 3)
