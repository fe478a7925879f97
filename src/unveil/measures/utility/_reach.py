"""How far the regions of a column reach: their first and last value, and how many there are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Intervals, Regions, Sets

__all__ = ["Reach", "reach_of"]


class Reach(NamedTuple):
    """For each class, the codes its region covers; where it covers none, ends mean nothing."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    number: NDArray[np.int64]


def reach_of(regions: Regions, domain: int) -> Reach:
    """How far each class's region reaches in a domain of so many values."""
    if isinstance(regions, Sets):
        return _of_sets(regions)
    if isinstance(regions, Intervals):
        return _of_intervals(regions, domain)
    covered = np.stack([regions.covers(code) for code in range(domain)], axis=1)
    last = domain - 1 - covered[:, ::-1].argmax(axis=1)
    return Reach(covered.argmax(axis=1), last, covered.sum(axis=1))


def _of_sets(sets: Sets) -> Reach:
    number = np.diff(sets.start)
    first, last = np.zeros(len(sets), dtype=np.int64), np.zeros(len(sets), dtype=np.int64)
    some = number > 0
    first[some] = sets.members[sets.start[:-1][some]]
    last[some] = sets.members[sets.start[1:][some] - 1]
    return Reach(first, last, number)


def _of_intervals(intervals: Intervals, domain: int) -> Reach:
    first = np.maximum(intervals.low, 0).astype(np.int64)
    last = np.minimum(intervals.high, domain - 1).astype(np.int64)
    there = np.ones(domain, dtype=bool) if intervals.there is None else intervals.there
    before = np.concatenate([[0], np.cumsum(there)])
    inside = first <= last
    first[~inside] = last[~inside] = 0
    number = np.zeros(len(intervals), dtype=np.int64)
    number[inside] = before[last[inside] + 1] - before[first[inside]]
    whole = (intervals.low <= 0) & (intervals.high >= domain - 1)
    number[whole] = domain  # also of values that nobody has
    present = np.flatnonzero(there)
    some = inside & ~whole & (number > 0)
    first[some] = present[before[first[some]]]
    last[some] = present[before[last[some] + 1] - 1]
    return Reach(first, last, number)
