"""Anatomy's groups: a value from each of the ℓ largest buckets, as long as there are so many."""

from __future__ import annotations

import heapq
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["value_groups"]

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)


@_jit()
def value_groups(sizes: NDArray[np.int64], l: int) -> tuple[NDArray[np.int32], int]:  # noqa: E741
    """The groups that the records of each bucket get, one bucket after the other.

    Returns the group for each place (-1: left over), and how many groups there are. Of equally
    large buckets the first are taken. The places of a bucket are filled from its first one on.
    """
    start = np.zeros(len(sizes) + 1, dtype=np.int64)
    start[1:] = np.cumsum(sizes)
    group_of = np.full(start[-1], -1, dtype=np.int32)
    filled = np.zeros(len(sizes), dtype=np.int64)
    # The smallest entry is the largest bucket.
    largest: list[Any] = [(-sizes[b], b) for b in range(len(sizes)) if sizes[b] > 0]
    heapq.heapify(largest)
    taken = np.empty(l, dtype=np.int64)
    groups = 0
    while len(largest) >= l:
        for i in range(l):
            taken[i] = heapq.heappop(largest)[1]
        for b in taken:
            group_of[start[b] + filled[b]] = groups
            filled[b] += 1
            if filled[b] < sizes[b]:
                heapq.heappush(largest, (filled[b] - sizes[b], b))
        groups += 1
    return group_of, groups
