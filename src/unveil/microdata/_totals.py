"""Tables of totals: how many people there are of each combination of a few columns.

Statistics offices and research environments publish tables and no records. A number is given, or
hidden because it is small (``<5``), or rounded; so a cell is an interval of whole numbers. What an
attacker knows is every table of people that has its counts in all intervals (see
`unveil.attacks.tables`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.errors import Call, InputError
from unveil.microdata._fitting import fitted
from unveil.microdata._microdata import Column
from unveil.microdata._release import AnyRelease, Statistic

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_COMBINATIONS = 2_000_000
"""Of the columns of all tables: what is published is fitted to all of them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossTable:
    """One table: a count for each combination of groups of some columns.

    Attributes
    ----------
    by : tuple of str
        The columns; none for a grand total.
    groups : tuple of arrays
        For each column, the group that each of its codes belongs to, from 0.
    labels : tuple of tuples of str
        For each column, what its groups are called.
    low, high : arrays
        The least and the largest number that each cell may stand for, in the shape of the groups;
        infinite where nothing is said.
    shown : array of str
        What is published, in the same shape.
    hidden : bool array
        Which cells show no number.
    where : mapping of str to bool array
        Who is counted, by the codes of further columns; everybody, if empty.
    """

    by: tuple[str, ...]
    groups: tuple[NDArray[np.int32], ...]
    labels: tuple[tuple[str, ...], ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    shown: NDArray[np.object_]
    hidden: NDArray[np.bool_]
    where: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def says(self) -> str:
        """What it is a table of, in words."""
        return " × ".join(self.by) or "all people"

    def cell_of(self, codes: Mapping[str, NDArray[np.int32]], n: int) -> NDArray[np.int64]:
        """The number of the cell of each of ``n`` people, by column; -1: they are not counted."""
        places = np.zeros(n, dtype=np.int64)
        for name, groups, labels in zip(self.by, self.groups, self.labels, strict=True):
            places = places * len(labels) + groups[codes[name]]
        for name, counted in self.where.items():
            places[~counted[codes[name]]] = -1
        return places


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Totals(AnyRelease):
    """A release of tables of totals.

    Attributes
    ----------
    quasi, sensitive, made_by, notes
        As in every release. The tables are about some of these columns.
    tables : tuple of CrossTable
    """

    statistics: ClassVar[frozenset[Statistic]] = frozenset(Statistic)
    instead: ClassVar[str] = "only tables of totals"

    tables: tuple[CrossTable, ...]

    def __post_init__(self) -> None:
        cells = math.prod(column.size for column in self.columns)
        if cells > MOST_COMBINATIONS:
            raise InputError(
                "the columns of the tables ({columns}) have {cells} combinations, more than {most}"
                "; put numbers into fewer groups, or test fewer tables at a time",
                columns=", ".join(column.name for column in self.columns), cells=cells,
                most=MOST_COMBINATIONS,
            )  # fmt: skip

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns that some table is about, the sensitive one last."""
        used = {name for table in self.tables for name in (*table.by, *table.where)}
        return tuple(one for one in (*self.quasi, self.sensitive) if one.name in used)

    @property
    def sizes_of_columns(self) -> tuple[int, ...]:
        """How many values each of them has."""
        return tuple(column.size for column in self.columns)

    @cached_property
    def low(self) -> NDArray[np.float64]:
        """The least count of each cell of each table, one after the other."""
        return np.concatenate([table.low.ravel() for table in self.tables])

    @cached_property
    def high(self) -> NDArray[np.float64]:
        """The largest count of each cell."""
        return np.concatenate([table.high.ravel() for table in self.tables])

    @cached_property
    def is_hidden(self) -> NDArray[np.bool_]:
        """Which cells of all tables show no number."""
        return np.concatenate([table.hidden.ravel() for table in self.tables])

    @property
    def shape(self) -> tuple[int, int]:
        """How many combinations of quasi-identifiers and of sensitive values there are."""
        sizes = self.sizes_of_columns
        if not self._has_secret:
            return math.prod(sizes), 1
        return math.prod(sizes[:-1]), sizes[-1]

    @property
    def _has_secret(self) -> bool:
        return bool(self.columns) and self.columns[-1].name == self.sensitive.name

    def combination_of_quasi(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """The combination of the quasi-identifiers of people (quasi-identifiers × people)."""
        used = self._used()
        if not used:
            return np.zeros(codes.shape[1], dtype=np.int64)
        sizes = tuple(self.quasi[place].size for place in used)
        return np.asarray(np.ravel_multi_index(tuple(codes[used]), sizes), dtype=np.int64)

    @cached_property
    def cells_of(self) -> list[NDArray[np.int64]]:
        """For each table, the cell that each combination of the columns' values is counted in.

        Cells are numbered through all tables; -1: it is not counted.
        """
        grid = np.unravel_index(np.arange(math.prod(self.sizes_of_columns)), self.sizes_of_columns)
        codes = {
            column.name: axis.astype(np.int32)
            for column, axis in zip(self.columns, grid, strict=True)
        }
        found, first = [], 0
        for table in self.tables:
            places = table.cell_of(codes, len(grid[0]) if grid else 1)
            found.append(np.where(places < 0, -1, places + first))
            first += table.low.size
        return found

    @cached_property
    def incidence(self) -> csr_array:
        """Which combinations each cell counts: cells × combinations, of 0 and 1."""
        from scipy.sparse import csr_array

        n = math.prod(self.sizes_of_columns)
        rows = np.concatenate(self.cells_of)
        columns = np.tile(np.arange(n), len(self.tables))
        there = rows >= 0
        return csr_array(
            (np.ones(int(there.sum())), (rows[there], columns[there])), shape=(len(self.low), n)
        )

    @cached_property
    def beliefs(self) -> NDArray[np.float64]:
        """How many people an attacker expects of each combination, in the shape of the columns.

        Of all tables that have the published counts the one of maximum entropy.
        """
        counts = fitted(self.incidence, self.cells_of, self.low, self.high)
        if counts is None:
            raise InputError(
                "no expected counts come near enough to all counts of the tables by {maker}: they "
                "contradict each other, or are too many to be fitted together; {tables} says "
                "which, and fewer tables at a time may be fitted",
                maker=self.maker, tables=Call("tables"),
            )  # fmt: skip
        return counts.reshape(self.sizes_of_columns)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """How many people are expected of each sensitive value, rounded."""
        return np.maximum(np.rint(self._by_secret(())), 0).astype(np.int64)

    def _by_secret(self, kept: tuple[int, ...]) -> NDArray[np.float64]:
        """Beliefs summed over all but some quasi-identifiers, with the sensitive values last."""
        has_secret = self._has_secret
        beliefs = self.beliefs if has_secret else self.beliefs[..., None]
        dropped = tuple(axis for axis in range(beliefs.ndim - 1) if axis not in kept)
        summed = beliefs.sum(axis=dropped)
        if has_secret:
            return summed
        return np.repeat(summed / self.sensitive.size, self.sensitive.size, axis=-1)

    def _used(self) -> list[int]:
        """The places of the quasi-identifiers that some table is about."""
        names = [column.name for column in self.columns]
        return [place for place, one in enumerate(self.quasi) if one.name in names]

    def cover_counts(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        found = np.empty((codes.shape[1], len(self.quasi), self.sensitive.size))
        used = self._used()
        for place in range(len(self.quasi)):
            if place in used:
                found[:, place] = self._by_secret((used.index(place),))[codes[place]]
            else:
                found[:, place] = self._by_secret(())
        return found

    def joint_counts(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        used = self._used()
        every = self._by_secret(tuple(range(len(used))))
        found: NDArray[np.float64] = every[tuple(codes[used])]
        return np.broadcast_to(found, (codes.shape[1], self.sensitive.size)).copy()

    def to_frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """All tables below each other: a row for each cell, with what it is of and what is shown.

        ``by_class`` has no effect: tables have no order that could link.
        """
        names = [column.name for column in self.columns]
        rows: list[dict[str, Any]] = []
        for table in self.tables:
            for labels, shown in zip(product(*table.labels), table.shown.ravel(), strict=True):
                rows.append({"table": table.says, **dict(zip(table.by, labels, strict=True)),
                             "count": shown})  # fmt: skip
        return pd.DataFrame(rows, columns=["table", *names, "count"]).fillna("")

    @property
    def in_short(self) -> str:
        cells, hidden = len(self.low), int((self.low < self.high).sum())
        return (
            f"{len(self.tables):,} tables of totals by {self.made_by} with {cells:,} cells, of "
            f"which {hidden:,} are hidden or rounded"
        )

    def __repr__(self) -> str:
        return "\n".join([f"Release: {self.in_short}", *(f"  {note}" for note in self.notes)])
