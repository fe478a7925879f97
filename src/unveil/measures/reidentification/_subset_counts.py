"""Who is alone with each subset of the keys.

Counts in memory are walked from few keys to many. Whoever is alone with some keys is alone with
any more, and is a class of one whatever is added; so those are set aside and counted once, and
each step only looks at the records that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Held

__all__ = ["SubsetCount", "subset_counts"]


@dataclass(frozen=True, kw_only=True)
class SubsetCount:
    """How the records fall into classes by some of the keys.

    Attributes
    ----------
    keys : tuple of str
    unique : int
        Records alone in their class.
    classes : int
    smallest_class : int
    records : int
        In the whole table.
    """

    keys: tuple[str, ...]
    unique: int
    classes: int
    smallest_class: int
    records: int

    @property
    def share(self) -> float:
        """The share of records that are alone."""
        return self.unique / self.records


def subset_counts(counts: Contingency, at_most: int) -> list[SubsetCount]:
    """One for each subset of up to so many keys: first the single keys, then the pairs, …"""
    counts = counts.in_memory()
    if isinstance(counts, Held):
        found = list(_Walk(counts, at_most).from_here())
    else:
        found = [
            _asked(counts, keys)
            for size in range(1, at_most + 1)
            for keys in combinations(counts.keys, size)
        ]
    place = {key: j for j, key in enumerate(counts.keys)}
    return sorted(found, key=lambda one: (len(one.keys), [place[key] for key in one.keys]))


def _asked(counts: Contingency, keys: Sequence[str]) -> SubsetCount:
    over = counts.over(keys)
    unique = classes = 0
    smallest = over.rows
    for block in over.blocks():
        if len(block):
            unique += int(block.weights[block.sizes == 1].sum())
            classes += int(block.weights.sum())
            smallest = min(smallest, int(block.sizes.min()))
    return SubsetCount(
        keys=tuple(keys), unique=unique, classes=classes, smallest_class=smallest,
        records=over.rows,
    )  # fmt: skip


class _Walk:
    """Adds key after key to the classes of all keys, which stand for their records."""

    def __init__(self, held: Held, at_most: int) -> None:
        self._names, self._at_most = held.keys, at_most
        self._codes = [column.codes for column in held.columns.values()]
        self._widths = [len(column.values) for column in held.columns.values()]
        self._sizes = held.histograms.sizes
        self._records = held.rows

    def from_here(self) -> Iterator[SubsetCount]:
        """All subsets."""
        everybody = np.arange(len(self._sizes))
        yield from self._add((), np.zeros(len(everybody), dtype=np.int64), everybody, 0)

    def _add(
        self,
        keys: tuple[int, ...],
        group: NDArray[np.int64],
        left: NDArray[np.intp],
        alone: int,
    ) -> Iterator[SubsetCount]:
        """Every key that comes after those given, and so on.

        ``group`` numbers the combinations of those keys among the classes that are ``left``;
        ``alone`` records have been set aside.
        """
        for j in range(keys[-1] + 1 if keys else 0, len(self._names)):
            finer, sizes = _numbered(
                group * self._widths[j] + self._codes[j][left], self._sizes[left]
            )
            by_itself = sizes == 1
            unique = alone + int(by_itself.sum())
            found = (*keys, j)
            yield SubsetCount(
                keys=tuple(self._names[i] for i in found),
                unique=unique,
                classes=alone + len(sizes),
                smallest_class=1 if unique else int(sizes.min()),
                records=self._records,
            )
            if len(found) < self._at_most and j + 1 < len(self._names):
                remains = ~by_itself[finer]
                yield from self._add(found, finer[remains], left[remains], unique)


def _numbered(
    group: NDArray[np.int64], records: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the groups that occur from 0 on, and add up the records in each."""
    highest = int(group.max(initial=0))
    if highest <= 4 * len(group):  # then counting is faster than sorting
        there = np.zeros(highest + 1, dtype=bool)
        there[group] = True
        group = (np.cumsum(there) - 1)[group]
    else:
        _, group = np.unique(group, return_inverse=True)
        group = group.ravel()
    # Whole numbers below 2⁵³ are exact as floats.
    return group, np.bincount(group, weights=records).astype(np.int64)
