"""Readings of published columns that need no rows, and what they say of a correspondence of rows.

Equal values, the year of a date, bands as they are written: each is compared with what rows drawn
at random would give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.aligning._detection import PairOfColumns
from unveil.aligning._evidence import Match
from unveil.aligning._names import SAME, likeness
from unveil.aligning._sheets import Cells, Sheet, View
from unveil.errors import Column, Message

_BITS = 13.0  # one chance in eight thousand
SPREAD = 6.0
"""Standard deviations that are no chance."""
USELESS = 0.9
"""Columns in which chance alone lets so many rows agree say nothing."""
_COMMON = 0.5
_BY_CHANCE = 3.0  # standard deviations
_UNREAD = 0.05


@dataclass(frozen=True, eq=False)
class Relation:
    """A reading of a published column that needs no rows."""

    o: Cells
    p: Cells
    match: Match
    usable: NDArray[np.bool_]

    @cached_property
    def chance(self) -> float:
        """The share of rows that agree by chance."""
        shares = self.match.shares(self.o)
        counts = np.where(self.usable, self.p.counts, 0)
        return float((shares * counts).sum() / max(counts.sum(), 1))

    @cached_property
    def is_counter(self) -> bool:
        """Whether both columns are numbers that only rise: then they say nothing of the order."""
        both = [cells.view("number") for cells in (self.o, self.p)]
        if str(self.match.how) != "unchanged" or None in both:
            return False
        return all(_rises(view, cells) for view, cells in zip(both, (self.o, self.p), strict=True))

    @property
    def is_by_keys(self) -> bool:
        """Whether cells do not overlap."""
        return self.match.spans is None and len(self.match.ways) == 1

    @cached_property
    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number of rows with each key, in the original and in the published file."""
        way, key = self.match.ways[0], np.where(self.usable, self.match.key, -1)
        size = int(max(way.max(initial=-1), key.max(initial=-1))) + 1
        ours = np.bincount(way[way >= 0], self.o.counts[way >= 0], size).astype(np.int64)
        theirs = np.bincount(key[key >= 0], self.p.counts[key >= 0], size).astype(np.int64)
        return ours, theirs

    @cached_property
    def unread(self) -> int:
        """Published cells that say something and are no cell of this reading."""
        if self.match.spans is not None:
            told = np.array([bool(one) for one in self.match.spans], dtype=bool)
        else:
            told = self.match.key >= 0
        return int(self.p.counts[self.usable & ~told].sum())

    @cached_property
    def excess(self) -> int:
        """Published cells beyond those that the original's rows can have."""
        if not self.is_by_keys:
            return self.unread
        ours, theirs = self.counts
        return int(np.maximum(theirs - ours, 0).sum()) + self.unread

    def keys_of_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The key of each row on both sides; -1 for none, -2 where the published cell is hidden."""
        way = np.append(self.match.ways[0], -1)[self.o.codes]
        key = np.append(np.where(self.usable, self.match.key, -2), -2)[self.p.codes]
        return way, key

    def agreement(self, of: NDArray[np.int64]) -> tuple[int, int]:
        """Rows that agree under a correspondence, and rows that can be compared."""
        rows = np.flatnonzero(of >= 0)
        here, there = self.p.codes[rows].astype(np.int64), self.o.codes[of[rows]].astype(np.int64)
        told = (here >= 0) & (there >= 0)
        told &= np.append(self.usable, False)[here]
        pairs, n = np.unique(there[told] * (len(self.p.texts) + 1) + here[told], return_counts=True)
        width = len(self.p.texts) + 1
        fits = self.match.fits(pairs // width, pairs % width)
        return int(n[fits].sum()), int(n.sum())

    def evidence(self, of: NDArray[np.int64], tried: int) -> Evidence | None:
        """What speaks for a correspondence, if it is more than chance."""
        agree, rows = self.agreement(of)
        if rows < 5 or self.chance >= USELESS or self.is_counter:
            return None
        chance = max(self.chance, 1 / max(len(of), 2))
        # In sorted files neighbours are alike: what counts is how often the value changes. And
        # there are no more bits than orders.
        free = min(rows, self.runs)
        bits = min(-math.log2(chance) * free, math.lgamma(free + 1) / math.log(2))
        spread = math.sqrt(rows * chance * (1 - chance))
        beyond = (agree - rows * chance) / spread * math.sqrt(free / rows)
        certain = agree == rows and bits - math.log2(tried) >= _BITS
        if certain or (beyond >= SPREAD and 2 * agree >= rows and free >= 20):
            return Evidence(self, agree, rows, chance, beyond)
        return None

    @cached_property
    def runs(self) -> int:
        """How often the published value changes from row to row."""
        return int(np.count_nonzero(np.diff(self.p.codes))) + 1

    def speaks_against(self, of: NDArray[np.int64]) -> bool:
        """Whether rows agree no more often than by chance, though the values are the same."""
        if self.excess or self.chance >= _COMMON or self.is_counter:
            return False
        agree, rows = self.agreement(of)
        free = min(rows, self.runs)
        spread = math.sqrt(max(rows * self.chance * (1 - self.chance), 1e-9))
        beyond = (agree - rows * self.chance) / spread * math.sqrt(free / max(rows, 1))
        return free >= 20 and beyond < _BY_CHANCE


@dataclass(frozen=True, eq=False)
class Evidence:
    """How many rows agree in a column, and how many would by chance."""

    relation: Relation
    agree: int
    rows: int
    chance: float
    beyond: float

    @property
    def said(self) -> Message:
        """In words."""
        return Message(
            "{agree} of {rows} rows agree in {column} ({chance} would by chance)",
            agree=self.agree, rows=self.rows, column=Column(self.relation.p.name),
            chance=round(self.rows * self.chance),
        )  # fmt: skip


def _rises(view: View | None, cells: Cells) -> bool:
    """Whether a column's numbers rise from row to row."""
    assert view is not None
    numbers = view.place[cells.codes[cells.codes >= 0]]
    return len(numbers) > 1 and bool((np.diff(numbers) > 0).all())


def relations(original: Sheet, published: Sheet) -> list[Relation]:
    """Readings of published columns that need no rows: the first that nearly fits each pair."""
    pairs = [(o, p) for p in published.columns.values() for o in original.columns.values()]
    return [one for o, p in pairs if (one := _relation(o, p)) is not None]


def named_relations(original: Sheet, published: Sheet) -> list[Relation]:
    """Those of columns whose names are the same: enough to see whether rows are in order."""
    pairs = [(o, p) for p in published.columns.values() for o in original.columns.values()
             if likeness(o.name, p.name) >= SAME]  # fmt: skip
    return [one for o, p in pairs if (one := _relation(o, p)) is not None]


def _relation(o: Cells, p: Cells) -> Relation | None:
    pair = PairOfColumns(o, p)
    usable = pair.usable
    filled = int(p.counts[usable].sum())
    for match in pair.matches() if filled else ():
        one = Relation(o, p, match, usable)
        if one.unread <= _UNREAD * filled and _meets(one, filled):
            return one
    return None


def _meets(one: Relation, filled: int) -> bool:
    """Whether nearly all published cells stand for some value of the original."""
    shares = one.match.shares(one.o)
    counts = np.where(one.usable, one.p.counts, 0)
    return float(counts[shares > 0].sum()) >= 0.8 * filled
