"""MDAV's groups: around the record farthest from the middle, then around the one farthest from it.

Works on distinct records with weights, stored column by column, so that a distance to all of them
is a few straight walks through memory. Where several are equally far or near, the first is taken.
"""

from __future__ import annotations

from functools import partial

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["mdav"]

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)


@_inner
def _middle(points, codes, weights, n, counts, place, mode):  # type: ignore[no-untyped-def]
    """The means of the columns of numbers, and the most frequent codes of the others."""
    total = 0
    for i in range(n):
        total += weights[i]
    for c in range(len(points)):
        place[c] = 0.0
        for i in range(n):
            place[c] += points[c, i] * weights[i]
        place[c] /= total
    for c in range(len(codes)):
        mode[c] = 0
        for value in range(1, counts.shape[1]):
            if counts[c, value] > counts[c, mode[c]]:
                mode[c] = value


@_inner
def _distances(points, codes, n, place, mode, distance):  # type: ignore[no-untyped-def]
    """Squared distances of all records from a place; another code counts 1."""
    for i in range(n):
        distance[i] = 0.0
    for c in range(len(points)):
        column, here = points[c], place[c]
        for i in range(n):
            off = column[i] - here
            distance[i] += off * off
    for c in range(len(codes)):
        values, one = codes[c], mode[c]
        for i in range(n):
            distance[i] += values[i] != one


@_inner
def _nearest(distance, weights, n, k, near):  # type: ignore[no-untyped-def]
    """The nearest records that are k or more by weight: how many they are, and what they weigh.

    Kept in order while walking through all of them: whoever is nearer than the last one kept
    comes in at their place, and those who are no longer needed go.
    """
    kept, total = 0, 0
    for i in range(n):
        if total >= k and distance[i] >= distance[near[kept - 1]]:
            continue
        at = kept
        while at > 0 and distance[near[at - 1]] > distance[i]:
            near[at] = near[at - 1]
            at -= 1
        near[at] = i
        kept += 1
        total += weights[i]
        while total - weights[near[kept - 1]] >= k:
            kept -= 1
            total -= weights[near[kept]]
    return kept, total


@_inner
def _farthest(distance, n):  # type: ignore[no-untyped-def]
    first = 0
    for i in range(1, n):
        if distance[i] > distance[first]:
            first = i
    return first


@_inner
def _close_gaps(points, codes, weights, who, distance, n):  # type: ignore[no-untyped-def]
    """Move up after those who are gone (-1 in their place); return how many are left."""
    to = 0
    for i in range(n):
        if who[i] >= 0:
            if to < i:
                for c in range(len(points)):
                    points[c, to] = points[c, i]
                for c in range(len(codes)):
                    codes[c, to] = codes[c, i]
                weights[to], who[to], distance[to] = weights[i], who[i], distance[i]
            to += 1
    return to


@_jit()
def mdav(
    points: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    k: int,
) -> tuple[NDArray[np.int32], int]:
    """The group of each distinct record, and how many groups there are.

    Parameters
    ----------
    points : array of shape (columns, records)
        Where the records lie, in columns whose differences are distances.
    codes : array of shape (columns, records)
        Values, from 0 up, that are the same or not.
    weights : array
        How many records are alike. Together at least k.
    k : int
        The smallest group.
    """
    n = len(weights)
    points, codes, weights = points.copy(), codes.copy(), weights.copy()
    who, group_of, groups = np.arange(n), np.empty(n, dtype=np.int32), 0
    place, mode = np.empty(len(points)), np.empty(len(codes), dtype=np.int32)
    values = 0
    for c in range(len(codes)):
        for i in range(n):
            values = max(values, codes[c, i] + 1)
    counts = np.zeros((len(codes), values), dtype=np.int64)
    for c in range(len(codes)):
        for i in range(n):
            counts[c, codes[c, i]] += weights[i]
    distance, near = np.empty(n), np.empty(k + 1, dtype=np.int64)
    left, pair = weights.sum(), False
    while left >= 2 * k:
        if pair:  # the one farthest from the record around whom the last group is
            first = _farthest(distance, n)
            pair = False
        else:
            _middle(points, codes, weights, n, counts, place, mode)
            _distances(points, codes, n, place, mode, distance)
            first = _farthest(distance, n)
            pair = left >= 3 * k
        for c in range(len(points)):
            place[c] = points[c, first]
        for c in range(len(codes)):
            mode[c] = codes[c, first]
        _distances(points, codes, n, place, mode, distance)
        kept, total = _nearest(distance, weights, n, k, near)
        if left - total < k:  # too few for a group of their own, or nobody
            break
        for i in near[:kept]:
            group_of[who[i]] = groups
            who[i] = -1
            for c in range(len(codes)):
                counts[c, codes[c, i]] -= weights[i]
        n = _close_gaps(points, codes, weights, who, distance, n)
        left, groups = left - total, groups + 1
    for i in range(n):
        group_of[who[i]] = groups
    return group_of, groups + 1
