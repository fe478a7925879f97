"""The classes of a release, and what they would be with coarser cells in some columns.

A class is a cell in every column and a histogram of sensitive values. With coarser cells classes
are merged as they are: their cells are numbered anew, and their histograms are added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.measures.trials._coarser import Cells, Codes
from unveil.microdata import Release, silence

_LARGEST = 2**62


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """What the classes of a release say about its records.

    Attributes
    ----------
    k, classes : int
        Records in the smallest class, and number of classes.
    alone, below, one_value : int
        Records that are alone in their class, in a class of fewer than is asked for, and in a class
        with a single sensitive value.
    short : float
        How far records are from a class of the size asked for, each from 0 to 1, in all.
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
        """Which have fewer records than that."""
        return ~self.suppressed & (self.sizes < least)

    @property
    def of_one_value(self) -> NDArray[np.bool_]:
        """Which have a single sensitive value."""
        return ~self.suppressed & (self.values == 1)


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
        self.sizes = release.sizes[there]
        number = np.cumsum(release.sizes > 0) - 1
        width = release.sensitive.size
        flat = number[release.class_of] * width + release.sensitive.codes
        self._of_value, self._value = np.divmod(np.unique(flat), width)
        self._everybody = len(release) + release.dropped
        self._loss = {name: self._lost(cells) for name, cells in self.cells.items()}

    @property
    def records(self) -> int:
        """Number of published records."""
        return len(self._release)

    def records_of(self, name: str) -> Codes:
        """Number of records of each cell of a column."""
        cells = self.cells[name]
        return np.bincount(cells.code_of, weights=self.sizes, minlength=len(cells)).astype(np.int64)

    def _lost(self, cells: Cells) -> float:
        return float((cells.penalty[cells.code_of] * self.sizes).sum()) + self._release.dropped

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
            sizes=np.bincount(class_of, weights=self.sizes).astype(np.int64),
            values=np.bincount(held // width, minlength=len(first)),
            suppressed=_suppressed(some, first),
        )

    def numbers(self, changed: Mapping[str, Cells]) -> Numbers:
        """What these would say."""
        found = self.grouped(changed)
        small, one = found.small(self.least), found.of_one_value
        sizes, counted = found.sizes, ~found.suppressed
        lost = self._loss | {name: self._lost(cells) for name, cells in changed.items()}
        return Numbers(
            k=int(sizes[counted].min()), classes=int(counted.sum()),
            alone=int(sizes[found.small(2)].sum()), below=int(sizes[small].sum()),
            one_value=int(sizes[one].sum()),
            short=float((sizes * (self.least - sizes))[small].sum()) / (self.least - 1),
            l=int(found.values[counted].min()), suppressed=int(sizes[~counted].sum()),
            loss=sum(lost.values()) / self._everybody / len(lost),
        )  # fmt: skip

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
