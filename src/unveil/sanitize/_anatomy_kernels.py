"""Anatomy's groups: a value from each of the ℓ largest buckets, as long as there are so many."""

from __future__ import annotations

from functools import partial

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["value_groups"]

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)


@_inner
def _goes_before(a, b, left):  # type: ignore[no-untyped-def]
    """Whether bucket a is larger than bucket b, or as large and named before it."""
    return left[a] > left[b] or (left[a] == left[b] and a < b)


@_inner
def _sift_down(heap, size, at, left):  # type: ignore[no-untyped-def]
    """Let the bucket at a place of the heap sink to where both below it go after it."""
    bucket = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _goes_before(heap[child + 1], heap[child], left):
            child += 1
        if not _goes_before(heap[child], bucket, left):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = bucket


@_inner
def _sift_up(heap, at, left):  # type: ignore[no-untyped-def]
    """Let the bucket at a place of the heap rise to where the one above it goes before it."""
    bucket = heap[at]
    while at > 0 and _goes_before(bucket, heap[(at - 1) // 2], left):
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = bucket


@_jit()
def value_groups(sizes: NDArray[np.int64], l: int) -> tuple[NDArray[np.int32], int]:  # noqa: E741
    """The groups that the records of each bucket get, one bucket after the other.

    Returns the group for each place (-1: left over), and how many groups there are. Of equally
    large buckets the first are taken. The places of a bucket are filled from its last one on.
    """
    left = sizes.copy()
    start, heap, waiting, total = np.empty_like(sizes), np.empty_like(sizes), 0, 0
    for b in range(len(sizes)):
        start[b] = total
        total += sizes[b]
        if sizes[b] > 0:
            heap[waiting] = b
            waiting += 1
    for at in range(waiting // 2 - 1, -1, -1):
        _sift_down(heap, waiting, at, left)
    group_of = np.full(total, -1, dtype=np.int32)
    taken, groups = np.empty(l, dtype=np.int64), 0
    while waiting >= l:
        for i in range(l):
            taken[i] = heap[0]
            waiting -= 1
            heap[0] = heap[waiting]
            _sift_down(heap, waiting, 0, left)
        for bucket in taken:
            left[bucket] -= 1
            group_of[start[bucket] + left[bucket]] = groups
            if left[bucket] > 0:
                heap[waiting] = bucket
                _sift_up(heap, waiting, left)
                waiting += 1
        groups += 1
    return group_of, groups
