# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-untyped-call"
"""Compiled kernels of MDAV: groups of the nearest records, one after the other.

See `_microaggregation` for the method. Where a person may have several rows, a group has rows of at
least k people, and so has the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil._compiled import compiled, inner

# MDAV works on distinct records with weights, stored column by column, so that a distance to all of
# them is a few straight walks through memory. Of several equally far or near, the first is taken.


@inner
def _middle(points, codes, weights, n, counts, place, mode):
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


@inner
def _distances(points, codes, n, place, mode, distance):
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


@inner
def _nearest(distance, weights, n, k, near):
    """The nearest records of total weight k or more: their number and their weight.

    They are kept in order on a walk through all records: one that is nearer than the last one kept
    is inserted, and those no longer needed are dropped.
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


@inner
def _nearest_people(distance, weights, n, k, near, who, begin, person, seen):
    """The nearest records of k or more people: their number and their weight; as `_nearest`.

    ``seen`` has a number for each person, all 0.
    """
    kept, people, total = 0, 0, 0
    for i in range(n):
        if people >= k and distance[i] >= distance[near[kept - 1]]:
            continue
        at = kept
        while at > 0 and distance[near[at - 1]] > distance[i]:
            near[at] = near[at - 1]
            at -= 1
        near[at] = i
        kept += 1
        for p in person[begin[who[i]] : begin[who[i] + 1]]:
            people += seen[p] == 0
            seen[p] += 1
        while True:
            last, alone = who[near[kept - 1]], 0
            for p in person[begin[last] : begin[last + 1]]:
                alone += seen[p] == 1
            if people - alone < k:
                break
            for p in person[begin[last] : begin[last + 1]]:
                seen[p] -= 1
            people, kept = people - alone, kept - 1
    for i in near[:kept]:
        total += weights[i]
        for p in person[begin[who[i]] : begin[who[i] + 1]]:
            seen[p] = 0
    return kept, total


@inner
def _close_gaps(points, codes, weights, who, distance, n):
    """Close the gaps of those who are gone (-1); return how many are left."""
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


@compiled()
def mdav(
    points: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    k: int,
    begin: NDArray[np.int64],
    person: NDArray[np.int64],
) -> tuple[NDArray[np.int32], int]:
    """The group of each distinct record, and the number of groups.

    ``points`` (columns × records) has coordinates, ``codes`` (columns × records) has values from 0
    up that are equal or not, ``weights`` says how many records are alike, together at least k.

    Where people may have several rows, ``person`` lists those who have each record, from its
    ``begin`` on; together at least k people, from 0 up. Otherwise both are empty.
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
    by_person = len(begin) > 0
    distance, near = np.empty(n), np.empty(n + 1 if by_person else k + 1, dtype=np.int64)
    left, pair = weights.sum(), False
    people = person.max() + 1 if by_person else 0
    seen, has = np.zeros(people, dtype=np.int64), np.zeros(people, dtype=np.int64)
    for p in person:
        has[p] += 1
    while left >= 2 * k:
        if not pair:  # else the one farthest from the centre of the last group is taken
            _middle(points, codes, weights, n, counts, place, mode)
            _distances(points, codes, n, place, mode, distance)
        pair = not pair and left >= 3 * k
        first = 0
        for i in range(1, n):
            if distance[i] > distance[first]:
                first = i
        for c in range(len(points)):
            place[c] = points[c, first]
        for c in range(len(codes)):
            mode[c] = codes[c, first]
        _distances(points, codes, n, place, mode, distance)
        if by_person:
            kept, total = _nearest_people(distance, weights, n, k, near, who, begin, person, seen)
            for i in near[:kept]:
                for p in person[begin[who[i]] : begin[who[i] + 1]]:
                    has[p] -= 1
                    people -= has[p] == 0
        else:
            kept, total = _nearest(distance, weights, n, k, near)
            people = left - total
        if people < k:  # those who are left are too few for a group of their own
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
