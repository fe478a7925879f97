"""The classes of a release, and what they would be with coarser cells in some columns.

A class is a cell in every column and a histogram of sensitive values. With coarser cells classes
are merged as they are: their cells are numbered anew, and their histograms are added up. Where a
person may have several rows, the people of merged classes are counted anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.measures.trials._coarser import Cells, Codes, Crowd
from unveil.microdata import Persons, Release, refuse_unknown_persons, silence

_LARGEST = 2**62


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """What the classes of a release say about its people; each record is one, or one has several.

    Attributes
    ----------
    k, classes : int
        People in the smallest class, and number of classes.
    alone, below, one_value : int
        People who are alone in the class of one of their records, in a class of fewer than is asked
        for, and in a class with a single sensitive value (all that a single person has count as
        one).
    short : float
        How far people are from a class of the size asked for, each from 0 to 1, in all.
    l : int
        Fewest different sensitive values in a class.
    suppressed : int
        Records whose cells say nothing any more: they form no class.
    loss : float
        Information loss: see `information_loss`.
    """

    k: int
    classes: int
    alone: int
    below: int
    one_value: int
    short: float
    l: int  # noqa: E741  (it is called l everywhere in this field)
    suppressed: int
    loss: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Grouped:
    """Which merged class each class is in, and what is true of the merged ones."""

    class_of: Codes
    sizes: Codes
    values: Codes
    """Different sensitive values in each."""
    suppressed: NDArray[np.bool_]

    def small(self, least: int) -> NDArray[np.bool_]:
        """Which have fewer people than that."""
        return ~self.suppressed & (self.sizes < least)

    @property
    def of_one_value(self) -> NDArray[np.bool_]:
        """Which have a single sensitive value."""
        return ~self.suppressed & ((self.values == 1) | (self.sizes == 1))


class Classes:
    """The classes of a release by the columns that an attacker knows.

    Parameters
    ----------
    release : Release
    known : sequence of str
        These columns.
    least : int
        The size that classes should have.
    """

    def __init__(self, release: Release, known: Sequence[str], least: int) -> None:
        self.least, self._release = least, release
        there = np.flatnonzero(release.sizes)
        self.cells = {
            column.name: Cells.of(column, regions.take(there))
            for column, regions in zip(release.quasi, release.regions, strict=True)
        }
        self.known = tuple(known)
        self.rows = release.sizes[there]
        number = np.cumsum(release.sizes > 0) - 1
        width = release.sensitive.size
        class_of = number[release.class_of]
        self._whose = None if release.several is None else _Whose.of(release.several, class_of)
        flat = class_of * width + release.sensitive.codes
        self._of_value, self._value = np.divmod(np.unique(flat), width)
        self._everybody = len(release) + release.dropped
        self._loss = {name: self._lost(cells) for name, cells in self.cells.items()}

    @property
    def records(self) -> int:
        """Number of published records."""
        return len(self._release)

    @property
    def people(self) -> int:
        """Number of people whose they are."""
        return self.records if self._whose is None else self._whose.people

    def people_of(self, group_of: Codes, number: int, some: NDArray[np.bool_]) -> Codes:
        """How many people are in each group of some of the classes; -1 is no group."""
        some = some & (group_of >= 0)
        if self._whose is not None:
            return self._whose.people_of(np.where(some, group_of, -1), number)
        found = np.bincount(group_of[some], weights=self.rows[some], minlength=number)
        return found.astype(np.int64)

    def people_in(self, some: NDArray[np.bool_]) -> int:
        """How many people are in some of the classes."""
        return int(self.people_of(np.zeros(len(some), dtype=np.int64), 1, some)[0])

    def crowd_of(self, name: str) -> Crowd:
        """How many are in each cell of a column."""
        cells = self.cells[name]
        every = np.ones(len(self.rows), dtype=bool)
        each = self.people_of(cells.code_of, len(cells), every)
        if self._whose is None:
            return Crowd(each, each)
        first = cells.code_of[self._whose.first]
        return Crowd(each, np.bincount(first, minlength=len(cells)), "people")

    def _lost(self, cells: Cells) -> float:
        return float((cells.penalty[cells.code_of] * self.rows).sum()) + self._release.dropped

    @cached_property
    def now(self) -> Numbers:
        """As it is published."""
        return self.numbers({})

    def grouped(self, changed: Mapping[str, Cells]) -> Grouped:
        """The classes with other cells in some columns."""
        some = [changed.get(name, self.cells[name]) for name in self.known]
        class_of, first = _alike(some)
        width = self._release.sensitive.size
        held = pd.unique(class_of[self._of_value] * width + self._value)
        return Grouped(
            class_of=class_of,
            sizes=self.people_of(class_of, len(first), np.ones(len(class_of), dtype=bool)),
            values=np.bincount(held // width, minlength=len(first)),
            suppressed=_suppressed(some, first),
        )

    def numbers(self, changed: Mapping[str, Cells]) -> Numbers:
        """What these would say."""
        found = self.grouped(changed)
        small, one = found.small(self.least), found.of_one_value
        sizes, counted, of = found.sizes, ~found.suppressed, found.class_of
        lost = self._loss | {name: self._lost(cells) for name, cells in changed.items()}
        return Numbers(
            k=int(sizes[counted].min()), classes=int(counted.sum()),
            alone=self.people_in(found.small(2)[of]), below=self.people_in(small[of]),
            one_value=self.people_in(one[of]), short=self._short(found),
            l=int(np.where(sizes == 1, 1, found.values)[counted].min()),
            suppressed=int(self.rows[~counted[of]].sum()),
            loss=sum(lost.values()) / self._everybody / len(lost),
        )  # fmt: skip

    def _short(self, found: Grouped) -> float:
        """How far people are from a class of the size asked for, by the worst of their records."""
        small, lacking = found.small(self.least), self.least - found.sizes
        if self._whose is None:
            return float((found.sizes * lacking)[small].sum()) / (self.least - 1)
        each = np.where(small, lacking, 0)[found.class_of]
        return float(self._whose.largest(each).sum()) / (self.least - 1)

    def release(self, changed: Mapping[str, Cells], made_by: str) -> Release:
        """The release with other cells in some columns; classes that are alike are one."""
        old = self._release
        some = {name: changed.get(name, cells) for name, cells in self.cells.items()}
        merged, first = _alike(list(some.values()))
        number = np.cumsum(old.sizes > 0) - 1
        return replace(
            old, class_of=merged[number[old.class_of]].astype(np.int32), made_by=made_by,
            regions=tuple(cells.regions.take(cells.code_of[first]) for cells in some.values()),
            notations={name: how for name, how in old.notations.items() if name not in changed},
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Whose:
    """Whose the records of each class are: each person once in each class.

    Attributes
    ----------
    classes, persons : array
        A class and a person who has a record there, each pair once, by person.
    first : array
        A class of each person.
    """

    classes: Codes
    persons: Codes
    first: Codes

    @classmethod
    def of(cls, persons: Persons, class_of: Codes) -> _Whose:
        """From whose each record is, and its class."""
        if persons.of is None:
            refuse_unknown_persons(persons)
        whose = np.unique(persons.of, return_inverse=True)[1]
        number = int(class_of.max()) + 1
        people, classes = np.divmod(np.unique(whose * number + class_of), number)
        return cls(classes, people, classes[np.unique(people, return_index=True)[1]])

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(self.first)

    def people_of(self, group_of: Codes, number: int) -> Codes:
        """How many people are in each group of classes; -1 is no group."""
        group = group_of[self.classes]
        there = group >= 0
        pairs = pd.unique(group[there] * self.people + self.persons[there])
        return np.bincount(pairs // self.people, minlength=number)

    def largest(self, numbers: Codes) -> Codes:
        """The largest number of each person's classes."""
        found = np.zeros(self.people, dtype=np.int64)
        np.maximum.at(found, self.persons, numbers[self.classes])
        return found


def _alike(columns: Sequence[Cells]) -> tuple[Codes, NDArray[np.intp]]:
    """Which classes have the same cells, and the first of each kind."""
    number, size = np.zeros(len(columns[0].code_of), dtype=np.int64), 1
    for cells in columns:
        if size * len(cells) > _LARGEST:  # numbered anew, the numbers stay small
            number, found = pd.factorize(number)
            size = len(found)
        number, size = number * len(cells) + cells.code_of, size * len(cells)
    number, found = pd.factorize(number)
    first = np.empty(len(found), dtype=np.intp)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return number.astype(np.int64), first


def _suppressed(columns: Sequence[Cells], first: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of some classes are suppressed, by the rule for releases."""
    if not any(cells.hidden.any() for cells in columns):
        return np.zeros(len(first), dtype=bool)
    codes = [cells.code_of[first] for cells in columns]
    return silence(
        [cells.hidden[code] for cells, code in zip(columns, codes, strict=True)],
        [bool((code == code[0]).all()) for code in codes],
        [cells.starred[code] for cells, code in zip(columns, codes, strict=True)],
    ).suppressed
