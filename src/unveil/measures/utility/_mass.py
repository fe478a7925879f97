"""How many people of the original have a value that a region covers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Intervals, Regions, Sets

__all__ = ["mass_of"]


def mass_of(regions: Regions, people: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each class, the people whose value its region covers; ``people`` has one a value.

    Examples
    --------
    >>> regions = Intervals(np.array([0, 1], dtype=np.int32), np.array([1, 1], dtype=np.int32))
    >>> mass_of(regions, np.array([5, 2, 1])).tolist()
    [7, 2]
    """
    if isinstance(regions, Sets):
        return np.diff(_before(people[regions.members])[regions.start])
    if isinstance(regions, Intervals):
        return _of_intervals(regions, people)
    mass = np.zeros(len(regions), dtype=np.int64)
    for code in np.flatnonzero(people):
        mass[regions.covers(int(code))] += people[code]
    return mass


def _of_intervals(intervals: Intervals, people: NDArray[np.int64]) -> NDArray[np.int64]:
    domain = len(people)
    there = people if intervals.there is None else np.where(intervals.there, people, 0)
    before = _before(there)
    first = np.clip(intervals.low, 0, domain)
    after = np.clip(intervals.high + 1, 0, domain)
    mass = np.where(first < after, before[after] - before[first], 0)
    # What was not cut at all also covers values that nobody in the sanitized table has.
    whole = (intervals.low <= 0) & (intervals.high >= domain - 1)
    return np.where(whole, people.sum(), mass)


def _before(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of those before each place, and of all of them at the end."""
    return np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)
