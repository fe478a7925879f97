"""Unique subsets: how many people each small subset of the keys singles out.

Counts in memory are walked from few keys to many. A record that is alone with some keys stays
alone with any more. So it is set aside and counted once, and each step looks only at the records
that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np
import pandas as pd
from annotated_types import Ge
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Held
from unveil.errors import InputError, Option, Text
from unveil.findings import Finding, Follows, Story, Table, cell
from unveil.measures._classes import ClassSizes, check_records, notes_of
from unveil.measures._counted import Counting, count_people
from unveil.measures._texts import bar_chart, percent
from unveil.options import Share, by_row, check, checked

_SHOWN, _DRAWN = 10, 12  # subsets that are listed, and drawn


@dataclass(frozen=True, kw_only=True)
class SubsetCount:
    """The classes by some of the keys.

    Attributes
    ----------
    keys : tuple of str
    unique : int
        Number of records that are alone in their class.
    classes, smallest_class : int
    records : int
        Number of records; those that are suppressed, by all keys, are not counted.
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

    @property
    def numbers(self) -> dict[str, float]:
        """What was counted, by name."""
        return {"unique": self.unique, "share": self.share, "classes": self.classes,
                "smallest_class": self.smallest_class}  # fmt: skip


def _subset_counts(counts: Contingency, at_most: int) -> list[SubsetCount]:
    """One per subset of up to ``at_most`` keys: first the single keys, then the pairs, …"""
    counts = counts.in_memory().shown
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
    over, sizes = counts.over(keys), ClassSizes()
    for block in over.blocks():
        sizes.look(block.sizes, block.weights)
    return SubsetCount(
        keys=tuple(keys), unique=sizes.alone, classes=sizes.classes,
        smallest_class=sizes.smallest, records=over.rows,
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
        everybody = np.arange(len(self._sizes))
        yield from self._add((), np.zeros_like(everybody), everybody, 0)

    def _add(
        self,
        keys: tuple[int, ...],
        group: NDArray[np.int64],
        left: NDArray[np.intp],
        alone: int,
    ) -> Iterator[SubsetCount]:
        """Add each key that comes after those given, and so on.

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
    """Number the groups that occur from 0, and add up the records in each."""
    highest = int(group.max(initial=0))
    if highest <= 4 * len(group):  # counting is faster than sorting
        there = np.zeros(highest + 1, dtype=bool)
        there[group] = True
        group = (np.cumsum(there) - 1)[group]
    else:
        _, group = np.unique(group, return_inverse=True)
        group = group.ravel()
    # Whole numbers below 2⁵³ are exact as floats.
    return group, np.bincount(group, weights=records).astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UniqueSubsets(Finding):
    """How many records each small subset of the keys singles out.

    Attributes
    ----------
    subsets : tuple of SubsetCount
        The one that singles out most people first; among equals, the one with fewer keys.
    keys : tuple of str
    at_most : int
        Largest number of keys in a subset.
    records : int
    suppressed : int
        Number of records that are suppressed by all keys; they are in no class.
    source : str
    notes : tuple of str or Message
    """

    entry: ClassVar[str] = "unique subsets"
    follows_from: ClassVar[Follows] = Follows.QUASI

    subsets: tuple[SubsetCount, ...]
    keys: tuple[str, ...]
    at_most: int
    records: int
    suppressed: int = 0
    source: str
    notes: tuple[Text, ...] = ()

    def best(self, size: int | None = None) -> SubsetCount:
        """The subset that singles out most people, of ``size`` keys if given."""
        of_size = [one for one in self.subsets if size is None or len(one.keys) == size]
        if not of_size:
            raise InputError(
                "{option} must be from 1 to {most}, the keys of a subset, but got {size}",
                option=Option("size"), most=self.at_most, size=repr(size),
            )  # fmt: skip
        return of_size[0]

    def minimal(self, share: float = 0.0) -> tuple[SubsetCount, ...]:
        """Subsets that single out somebody, or a share of records, while no part of them does."""
        check("share", Share, share)
        enough = [one for one in self.subsets if one.unique > 0 and one.share >= share]
        found: list[SubsetCount] = []
        for one in sorted(enough, key=lambda one: len(one.keys)):
            if not any(set(smaller.keys) < set(one.keys) for smaller in found):
                found.append(one)
        return tuple(found)

    @property
    def added(self) -> dict[str, float]:
        """What each key adds on average to the share that a subset without it singles out."""
        share = {frozenset(one.keys): one.share for one in self.subsets}
        nothing = frozenset[str]()
        share[nothing] = 1.0 if self.records == 1 else 0.0
        found = {
            key: float(np.mean([share[with_it] - share[with_it - {key}]
                                for with_it in share if key in with_it]))
            for key in self.keys
        }  # fmt: skip
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def to_frame(self) -> pd.DataFrame:
        """One row per subset."""
        rows = [
            {"keys": ", ".join(one.keys), "size": len(one.keys), **one.numbers}
            for one in self.subsets
        ]
        return pd.DataFrame(rows)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "record_count": self.records,
            "suppressed": self.suppressed,
            "subsets": [{"keys": one.keys, **one.numbers} for one in self.subsets],
            "minimal": [one.keys for one in self.minimal()],
            **self.attributes("source keys at_most added"),
        }

    def story(self, release: Text | None = None) -> Story:
        more = len(self.subsets) - _SHOWN
        added = ", ".join(f"{key} {percent(share)}" for key, share in self.added.items())
        drawn = self.subsets[:_DRAWN]
        return Story(
            title=f"Unique subsets of {self.source}: {self.records:,} records, up to "
            f"{self.at_most} of {len(self.keys)} keys",
            about=[
                *([f"{more:,} more subsets are not listed"] if more > 0 else []),
                f"fewest keys that single somebody out: {self._fewest()}",
                f"a key adds on average: {added}",
            ],
            tables=[
                Table(
                    title="Unique subsets: whom few keys single out",
                    columns=["keys", "alone", "share", "smallest class", "classes"],
                    rows=[
                        [", ".join(one.keys), one.unique, cell(one.share, "%"),
                         one.smallest_class, one.classes]
                        for one in self.subsets[:_SHOWN]
                    ],
                )
            ],
            charts=[
                bar_chart(
                    f"Who is singled out in {self.source}",
                    [f"{' + '.join(one.keys)} ({one.unique:,} records)" for one in drawn],
                    {"alone": [one.share for one in drawn]},
                    label="share of records that are alone", share=True,
                )
            ],
        )  # fmt: skip

    def _fewest(self) -> str:
        minimal = self.minimal()
        if not minimal:
            return "none of these subsets does"
        alike = [one for one in minimal if len(one.keys) == len(minimal[0].keys)]
        named = "; ".join(", ".join(one.keys) for one in alike[:3])
        return named + (f"; and {len(alike) - 3:,} more" if len(alike) > 3 else "")


@checked
@by_row("it merges classes of rows", instead="k_anonymity")
def unique_subsets(
    table: Any, *, at_most: Annotated[int, Ge(1)] = 3, **counting: Unpack[Counting]
) -> UniqueSubsets:
    """Unique subsets: how many people each small subset of the keys singles out.

    Parameters
    ----------
    table : Release, Microdata, table in memory, path, Ibis table or counts
    at_most : int
        Largest number of keys in a subset.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> people = uv.read_table(
    ...     {"age": [28, 28, 36, 36, 47], "gender": list("MMFMF"), "disease": list("abcab")},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.unique_subsets(people)
    Unique subsets of table: 5 records, up to 2 of 2 keys
      fewest keys that single somebody out: age
      a key adds on average: age 40%, gender 20%
    <BLANKLINE>
      Unique subsets: whom few keys single out
      keys          alone   share   smallest class   classes
      age, gender       3     60%                1         4
      age               1     20%                1         3
      gender            0      0%                2         2
    """
    counts = count_people(table, **counting)
    check_records(counts)
    most = min(at_most, len(counts.keys))
    found = _subset_counts(counts, most)
    return UniqueSubsets(
        subsets=tuple(sorted(found, key=lambda one: (-one.unique, len(one.keys)))),
        keys=counts.keys,
        at_most=most,
        records=counts.rows,
        suppressed=counts.suppressed,
        source=counts.source,
        notes=notes_of(counts),
    )
