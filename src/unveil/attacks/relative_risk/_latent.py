"""Everything that may be behind a release, where that is little enough to write down.

Rows of the same group and sensitive value are alike, so what is written down is how many rows
have each tuple. Groups are added one after the other, and what comes to the same counts is put
together, with the number of ways to get there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Budget", "Latent", "TooManyError", "components", "horizontal_latent", "vertical_latent"]

Weigh: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
"""From counts (states × values × places) and the places to the logarithms of their weights."""


class TooManyError(Exception):
    """More may be behind the release than was to be written down."""


_A_STEP = 64  # numbers that are copied in the time of a step


@dataclass
class Budget:
    """How many steps may still be taken."""

    left: int

    def check(self, steps: int) -> None:
        """Give up at once where at least so many would be needed."""
        if steps > self.left:
            raise TooManyError

    def take(self, steps: int = 1, width: int = 1) -> None:
        """Take some, each of which copies so many numbers, or give up."""
        self.left -= steps * (1 + width // _A_STEP)
        if self.left < 0:
            raise TooManyError


@dataclass(frozen=True, eq=False)
class Latent:
    """The counts that some tuples (or atoms) and sensitive values may have together.

    Attributes
    ----------
    values, places : arrays
        The sensitive values and the tuples or atoms this is about.
    counts : array (states × values × places)
    probabilities : array
    """

    values: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    def expected(self) -> NDArray[np.float64]:
        """Values × places."""
        return np.tensordot(self.probabilities, self.counts.astype(np.float64), axes=1)


def components(sets: Sequence[NDArray[np.integer]]) -> list[list[int]]:
    """Sets that hang together by what they share, directly or through others."""
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
    budget: Budget,
) -> Latent:  # fmt: skip
    """Where the rows of one sensitive value may be, cell by cell."""
    # How many ways there are is known beforehand: nobody waits for a list that is too long.
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
    budget: Budget,
) -> Latent:  # fmt: skip
    """How the sensitive values of groups (their tuples, and counts a value) may be dealt out."""
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
    """All ways to write n as a sum of so many numbers, the order counting."""
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
    times: list[int], counts: list[int], budget: Budget
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """All tables with these sums of rows and of columns, and how many dealings come to each."""
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
