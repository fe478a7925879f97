"""Enumeration of all tables that are consistent with a small release.

Rows of the same group and sensitive value are exchangeable, so a state is the number of rows with
each tuple. Groups are added one after the other; ways that lead to the same counts are merged into
one state with their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Latent",
    "Steps",
    "TooManyError",
    "components",
    "horizontal_latent",
    "marginal",
    "vertical_latent",
]

Weigh: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
"""Maps counts (states × values × places) and the places to logarithms of weights."""


class TooManyError(Exception):
    """There are too many states to enumerate."""


_A_STEP = 64  # numbers copied in the time of one step


@dataclass
class Steps:
    """The number of steps that may still be taken."""

    left: int

    def check(self, steps: int) -> None:
        """Give up at once if at least this many will be needed."""
        if steps > self.left:
            raise TooManyError

    def take(self, steps: int = 1, width: int = 1) -> None:
        """Take steps that copy ``width`` numbers each, or give up."""
        self.left -= steps * (1 + width // _A_STEP)
        if self.left < 0:
            raise TooManyError


@dataclass(frozen=True, eq=False)
class Latent:
    """The counts that some sensitive values and tuples (or atoms) may have together.

    Attributes
    ----------
    values, places : arrays
        The sensitive values, and the tuples or atoms.
    counts : array (states × values × places)
    probabilities : array
    """

    values: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    def expected(self) -> NDArray[np.float64]:
        """Expected counts: values × places."""
        return np.tensordot(self.probabilities, self.counts.astype(np.float64), axes=1)


def components(sets: Sequence[NDArray[np.integer]]) -> list[list[int]]:
    """Group sets that share members, directly or through other sets."""
    owner: dict[int, int] = {}
    parent = list(range(len(sets)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, members in enumerate(sets):
        for one in members.tolist():
            first = owner.setdefault(one, i)
            parent[root(i)] = root(first)
    found: dict[int, list[int]] = {}
    for i in range(len(sets)):
        found.setdefault(root(i), []).append(i)
    return list(found.values())


def horizontal_latent(
    value: int, rows: Sequence[int], sets: Sequence[NDArray[np.integer]], weigh: Weigh,
    budget: Steps,
) -> Latent:  # fmt: skip
    """The places that the rows of one sensitive value may have, cell by cell."""
    # The number of ways is known in advance, so that hopeless cases end at once.
    for n, members in zip(rows, sets, strict=True):
        budget.take(math.comb(n + len(members) - 1, n), width=len(members))
    places = np.unique(np.concatenate(sets))
    states = {(0,) * len(places): 1}
    for n, members in zip(rows, sets, strict=True):
        at = np.searchsorted(places, members).tolist()
        ways = [(parts, _multinomial(parts)) for parts in _compositions(n, len(at))]
        budget.take(len(states) * len(ways), width=len(places))
        grown: dict[tuple[int, ...], int] = {}
        for state, so_far in states.items():
            for parts, number in ways:
                new = list(state)
                for place, count in zip(at, parts, strict=True):
                    new[place] += count
                key = tuple(new)
                grown[key] = grown.get(key, 0) + so_far * number
        states = grown
    return _finished(np.array([value]), places, states, weigh)


def vertical_latent(
    values: int, groups: Sequence[tuple[NDArray[np.integer], NDArray[np.int64]]], weigh: Weigh,
    budget: Steps,
) -> Latent:  # fmt: skip
    """The ways to assign the sensitive values of groups (tuples, counts by value) to tuples."""
    places = np.unique(np.concatenate([tuples for tuples, _ in groups]))
    states = {(0,) * (values * len(places)): 1}
    for tuples, counts in groups:
        distinct, times = np.unique(tuples, return_counts=True)
        at = np.asarray(np.searchsorted(places, distinct)).tolist()
        ways = list(_tables(times.tolist(), counts.tolist(), budget))
        budget.take(len(states) * len(ways), width=values * len(places))
        grown: dict[tuple[int, ...], int] = {}
        for state, so_far in states.items():
            for table, number in ways:
                new = list(state)
                for place, row in zip(at, table, strict=True):
                    for s, count in enumerate(row):
                        new[s * len(places) + place] += count
                key = tuple(new)
                grown[key] = grown.get(key, 0) + so_far * number
        states = grown
    return _finished(np.arange(values), places, states, weigh)


def marginal(
    counts: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The distinct rows of counts, and their probabilities."""
    distinct, which = np.unique(counts, axis=0, return_inverse=True)
    return distinct, np.bincount(which.ravel(), weights=probabilities).astype(np.float64)


def _finished(
    values: NDArray[np.int64], places: NDArray[np.int64], states: dict[tuple[int, ...], int],
    weigh: Weigh,
) -> Latent:  # fmt: skip
    shape = (len(states), len(values), len(places))
    counts = np.array(list(states), dtype=np.int64).reshape(shape)
    logs = np.array([math.log(number) for number in states.values()]) + weigh(counts, places)
    weights = np.exp(logs - logs.max())
    return Latent(values, places.astype(np.int64), counts, weights / weights.sum())


def _compositions(n: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ordered ways to write n as a sum of ``parts`` numbers from 0 up."""
    if parts == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in _compositions(n - first, parts - 1):
            yield (first, *rest)


def _multinomial(parts: Sequence[int]) -> int:
    found = math.factorial(sum(parts))
    for part in parts:
        found //= math.factorial(part)
    return found


def _tables(
    times: list[int], counts: list[int], budget: Steps
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """All tables with these row and column sums, and the number of assignments for each."""
    if not times:
        yield (), 1
        return
    for row in _rows_within(times[0], counts):
        budget.take()
        left = [count - taken for count, taken in zip(counts, row, strict=True)]
        for rest, number in _tables(times[1:], left, budget):
            yield (row, *rest), number * _multinomial(row)


def _rows_within(n: int, limits: list[int]) -> Iterator[tuple[int, ...]]:
    if not limits:
        if n == 0:
            yield ()
        return
    if n > sum(limits):
        return
    for first in range(min(n, limits[0]) + 1):
        for rest in _rows_within(n - first, limits[1:]):
            yield (first, *rest)
