"""A case of noisy counts, sampled by the kernel and by plain means."""

import numpy as np
import pytest

from unveil.attacks.differential import _kernels as kernels
from unveil.attacks.differential._sampling import at_least


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
