"""The compiled kernel of sampling noisy counts."""

from __future__ import annotations

import numpy as np

from unveil._compiled import compiled, inner

_BLOCK = 1024  # samples worked on together, while they are in the processor's cache


@inner
def _believe(noise, first, last, counts, added, shares, total):
    """Write the shares of the samples ``[first, last)`` of noisy counts: values × samples.

    Loops over samples are the inner ones, and without branches, so that they are vectorized.
    """
    values, n = len(counts), last - first
    for i in range(n):
        total[i] = 0.0
    for j in range(values):
        for i in range(n):
            count = counts[j] + noise[j, first + i]
            shares[j, i] = 0.5 * (count + abs(count)) + added  # the larger of it and 0
            total[i] += shares[j, i]
    if added == 0:  # where there is nothing at all, all are alike
        for i in range(n):
            if total[i] == 0:
                total[i] = values
                for j in range(values):
                    shares[j, i] = 1.0
    for i in range(n):
        total[i] = 1 / total[i]
    for j in range(values):
        for i in range(n):
            shares[j, i] *= total[i]


@inner
def _tail(distances, epsilons):
    """How many distances are ε or more, for each ε."""
    counts = np.zeros(len(epsilons), np.int64)
    for e in range(len(epsilons)):
        epsilon, count = epsilons[e], np.int32(0)
        for i in range(len(distances)):
            count += np.int32(distances[i] >= epsilon)
        counts[e] = count
    return counts


@compiled()
def sample_case(noise, counts, kept, added, factor, epsilons):
    """Sample one case: its own count is the first, and is one less on the second side.

    Parameters: ``noise`` (2 sides × values × samples); ``kept``, the values whose samples are
    wanted; ``added`` to every count before shares are taken; ``factor`` of the sum over the values.

    Returns the samples (2 × kept × samples), the mean of every share (2 × values), and the tails
    with against without, and with against with.
    """
    n, values = noise.shape[2], len(counts)
    samples = np.empty((2, len(kept), n))
    fewer = counts.copy()
    fewer[0] -= 1
    total, before = np.empty(_BLOCK), np.empty((values, 1))
    present, absent = np.empty((values, _BLOCK)), np.empty((values, _BLOCK))
    means, distances = np.zeros((2, values)), np.zeros((2, n))
    _believe(noise[0], n - 1, n, counts, added, before, total)
    for first in range(0, n, _BLOCK):
        last = min(first + _BLOCK, n)
        _believe(noise[0], first, last, counts, added, present, total)
        _believe(noise[1], first, last, fewer, added, absent, total)
        for j in range(values):
            distances[1, first] += abs(present[j, 0] - before[j, 0])
            for i in range(last - first):
                distances[0, first + i] += abs(present[j, i] - absent[j, i])
            for i in range(1, last - first):
                distances[1, first + i] += abs(present[j, i] - present[j, i - 1])
            before[j, 0] = present[j, last - first - 1]
            means[0, j] += present[j, : last - first].sum()
            means[1, j] += absent[j, : last - first].sum()
        for k in range(len(kept)):
            samples[0, k, first:last] = present[kept[k], : last - first]
            samples[1, k, first:last] = absent[kept[k], : last - first]
    means /= n
    distances *= factor
    tails = np.stack((_tail(distances[0], epsilons), _tail(distances[1], epsilons)))
    return samples, means, tails
