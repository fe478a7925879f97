"""Samplers of a generalization.

`Atoms` samples the saturated model. Tuples that the release does not distinguish are one atom
(`Lumped`). *Collapsed*: with π integrated out, a row of sensitive value s has tuple r of its
group's set with a probability in proportion to β plus the number of other rows (s, r). The rows of
a cell are drawn jointly, as from a Pólya urn. In a large set a row gets a random tuple or copies
another row of its sensitive value, until one is in the set; so no list has to be scanned. The
expected number of rows (s, r) is recorded, those of each cell given all others. *Gibbs*, as
published: in turns π is drawn given the rows, a Dirichlet vector for every sensitive value, and the
rows given π, independently. The expected number of rows (s, r) given π is recorded
(Rao-Blackwellization).

`InBoxes` samples the saturated model, collapsed, if there are too many tuples to enumerate. The
domain is the product of the columns' values, and a group's set is a box in it. A row gets a random
tuple of its box, with weight β for each tuple, or copies another row of its sensitive value that is
in the box, with weight 1 for each. Tuples have no numbers and no counts are kept, so that memory
grows with the rows and not with the domain. If the cells whose boxes meet are listed, their rows
are scanned, and the rows of a cell are drawn jointly, as from a Pólya urn. If β outweighs the rows
anyway, any row of the sensitive value is tried.

`Tuples` samples naive Bayes if sets are lists of tuples. *Collapsed*: with π of every column
integrated out, a row of sensitive value s has tuple r of its group's set with a probability in
proportion to the product over the columns of β plus the number of other rows of s with the value of
r. Rows are drawn one by one, and the probabilities from which they were drawn are recorded.
*Gibbs*: in turns π of every column is drawn given the rows, and the rows given π.

`Columns` samples naive Bayes on boxes. Given the sensitive values, neither the population nor a box
makes columns depend on each other. So each column is a small problem of the saturated kind. The
expected number of rows with a tuple is a product over the columns: for each group, the shares of
the tuple's values among its rows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import Beliefs
from unveil.attacks.relative_risk._boxes import boxes_that_meet, packed_tuples, starts
from unveil.attacks.relative_risk._lumped import Cells, Lumped, cells_of, expected_rows
from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers import _kernels as kernels
from unveil.attacks.relative_risk.samplers._walk import (
    Algorithm,
    NaiveBayes,
    Random,
    Saturated,
    Seed,
    begin,
    seed_sequence,
)

_TRY = 100.0  # the cost of an attempt to copy, in entries of a list that is scanned
_BITS = 61  # of weights
_NO_SHARES, _NOWHERE = np.empty(0), np.empty(0, dtype=np.int64)

_OUTWEIGHED = 4.0  # rows per unit of β in a box, above which the cells that meet it are listed
_LISTED = 64  # the most entries of all lists, per row


class Plan(NamedTuple):
    """How the cells are drawn.

    Attributes
    ----------
    by_copy : array
        Which cells are drawn by copying instead of scanning their atoms.
    one : int
        The integer weight of a row; 0 for Gibbs sampling.
    """

    by_copy: NDArray[np.bool_]
    one: int


class Atoms(Saturated):
    """The atom of each row, cell after cell."""

    @staticmethod
    def planned(problem: Horizontal, algorithm: Algorithm = "collapsed") -> Plan:
        """Choose for each cell by the expected cost, as if rows were scattered evenly."""
        lumps, totals = problem.lumped, problem.totals[problem.lumped.cells.value]
        if algorithm == "gibbs":
            return Plan(by_copy=np.zeros(len(totals), dtype=np.bool_), one=0)
        width = (lumps.last - lumps.first).astype(np.float64)
        prior = problem.beta * lumps.volume
        tries = (prior + totals) / (prior + expected_rows(lumps))
        # A try by β must find an atom with a probability in proportion to its size.
        tries += lumps.largest * width / lumps.volume
        heaviest = float((totals + prior).max(initial=1.0))
        return Plan(
            by_copy=_TRY * tries * lumps.cells.rows < width,  # one scan serves all rows of a cell
            one=2 ** math.floor(_BITS - math.log2(heaviest + 1)),
        )

    @staticmethod
    def scattered(
        problem: Horizontal, plan: Plan, random: Random, seed: Seed
    ) -> tuple[NDArray[np.int32]]:
        of_row = np.empty(problem.lumped.cells.row_start[-1], dtype=np.int32)
        kernels.scatter(random, problem.lumped, of_row)
        return (of_row,)

    def prepare(self) -> None:
        lumps, numbers = self.problem.lumped, self.problem.watched_numbers
        self.at(np.where(numbers >= 0, lumps.atom_of[:, numbers], -1), lumps.size)
        if self.plan.one:
            prior = np.rint(self.problem.beta * lumps.size * self.plan.one).astype(np.int64)
            self._weight = prior + self.plan.one * self._rows_in_atoms
        else:
            self._weight = np.empty(len(lumps.size))

    @property
    def _rows_in_atoms(self) -> NDArray[np.int64]:
        return np.bincount(self.latent[0], minlength=len(self.size)).astype(np.int64)

    def sweep(
        self, sweeps: int, share: NDArray[np.float64] = _NO_SHARES,
        share_start: NDArray[np.int64] = _NOWHERE,
    ) -> None:  # fmt: skip
        """Draw all rows anew, ``sweeps`` times; then write the expected rows in each atom.

        Unless it is empty, ``share`` gets the shares of each cell's atoms from ``share_start`` on.
        """
        kernels.sweep_atoms(
            self.random, self.problem.beta, sweeps, self.problem.lumped, self.plan, self._weight,
            self.latent[0], self.expected, share, share_start,
        )  # fmt: skip

    def rows_there(self) -> NDArray[np.float64]:
        if self.plan.one:
            return self._weight / self.plan.one - self.problem.beta * self.size
        return self._rows_in_atoms.astype(np.float64)


# Saturated, on boxes that are not enumerated -----------------------------------------------------


class _Watched(NamedTuple):
    """The watched tuples as words, their hash table, and those in each box."""

    known: NDArray[np.uint64]
    slots: NDArray[np.int64]
    begins: NDArray[np.int64]
    inside: NDArray[np.int32]


class BoxesPlan(NamedTuple):
    """From which cells the rows of each cell may copy.

    Those of cell i are ``near[near_start[i]:near_start[i + 1]]``, with at most ``most`` rows; if
    there are none, all cells of its sensitive value. ``volume`` is the number of tuples of a cell.
    """

    cells: Cells
    volume: NDArray[np.float64]
    near_start: NDArray[np.int64]
    near: NDArray[np.int32]
    most: int


class InBoxes(Saturated):
    """The tuple of each row (rows × words), cell after cell."""

    @staticmethod
    def planned(problem: Horizontal, algorithm: Algorithm = "collapsed") -> BoxesPlan:
        """List the cells that meet if most attempts to copy any row would fail."""
        assert problem.boxes is not None
        cells = cells_of(problem.counts)
        group, value = cells.group, cells.value
        volume = problem.boxes.volumes[group]
        rare = problem.totals[value] > _OUTWEIGHED * problem.beta * volume
        wanted = np.zeros(len(problem.counts), dtype=np.bool_)
        wanted[group[rare]] = True
        most = _LISTED * int(problem.totals.sum())
        start, others = boxes_that_meet(problem.packed, problem.counts, wanted, most)
        cell_of = np.full(problem.counts.shape, -1, dtype=np.int32)
        cell_of[group, value] = np.arange(len(group))
        # Of the boxes that meet a cell's, those with rows of its sensitive value.
        lengths = np.where(rare, np.diff(start)[group], 0)
        owner = np.repeat(np.arange(len(group), dtype=np.int32), lengths)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        near = cell_of[others[start[group[owner]] + within], value[owner]]
        owner, near = owner[near >= 0], near[near >= 0]
        rows = np.bincount(owner, weights=cells.rows[near], minlength=1)
        return BoxesPlan(
            cells=cells, volume=volume, near=near, most=int(rows.max()),
            near_start=np.searchsorted(owner, np.arange(len(group) + 1)).astype(np.int64),
        )  # fmt: skip

    @staticmethod
    def scattered(
        problem: Horizontal, plan: BoxesPlan, random: Random, seed: Seed
    ) -> tuple[NDArray[np.uint64]]:
        shape = (plan.cells.row_start[-1], len(problem.packed.guard))
        words = np.empty(shape, dtype=np.uint64)
        kernels.scatter_in_boxes(random, plan.cells, problem.packed, words)
        return (words,)

    def prepare(self) -> None:
        problem, words = self.problem, self.latent[0]
        known = packed_tuples(problem.packed, problem.watched)
        slots = np.empty(2 ** (2 * len(known) + 1).bit_length(), dtype=np.int64)
        kernels.fill_slots(known, slots)
        self._watched = _Watched(known, slots, *problem.watched_in_boxes)
        shape = (problem.values, len(known))
        size = problem.values * len(known)
        self.at(np.arange(size).reshape(shape), np.ones(size))
        self._there, self._number = np.empty(shape), np.empty(len(words), dtype=np.int32)
        kernels.number_rows(words, self._watched, self._number)

    def sweep(self, sweeps: int) -> None:
        kernels.sweep_boxes(
            self.random, self.problem.beta, sweeps, self.plan, self.problem.packed, self._watched,
            self.latent[0], self._number, self._there, self.expected.reshape(self._there.shape),
        )  # fmt: skip

    def rows_there(self) -> NDArray[np.float64]:
        return self._there


# Naive Bayes, on lists of tuples ----------------------------------------------------------------


class _TuplesPlan(NamedTuple):
    algorithm: Algorithm
    lumps: Lumped


class Tuples(NaiveBayes):
    """The tuple of each row, cell after cell."""

    @staticmethod
    def planned(problem: Horizontal, algorithm: Algorithm = "collapsed") -> _TuplesPlan:
        return _TuplesPlan(algorithm, replace(problem, apart=True).lumped)

    @staticmethod
    def scattered(
        problem: Horizontal, plan: _TuplesPlan, random: Random, seed: Seed
    ) -> tuple[NDArray[np.int32]]:
        of_row = np.empty(plan.lumps.cells.row_start[-1], dtype=np.int32)
        kernels.scatter(random, plan.lumps, of_row)
        # Atoms are numbered apart for each sensitive value, tuples are not.
        return (of_row % np.int32(plan.lumps.atom_of.shape[1]),)

    def prepare(self) -> None:
        super().prepare()
        cells, self._codes = self.plan.lumps.cells, self.coded(self.problem.domain.codes)
        secrets, width = np.repeat(cells.value, cells.rows), int(self.population.offset[-1])
        self.count_rows(secrets, self._codes[self.latent[0]], width)
        self.expected = np.empty((self.problem.values, len(self._codes)))

    def sweep(self, sweeps: int) -> None:
        collapsed = self.plan.algorithm == "collapsed"
        kernel = kernels.sweep_collapsed_columns if collapsed else kernels.sweep_gibbs_columns
        kernel(self.random, self.problem.beta, sweeps, self.plan.lumps, self._codes, self.count,
               self.latent[0], self.expected)  # fmt: skip


# Naive Bayes on boxes: each column separately ---------------------------------------------------


class _Lists(NamedTuple):
    """The codes of all columns' cells.

    ``cell_of`` (columns × boxes × sensitive values) is the cell of a column, whose rows have the
    codes ``atoms[first:last]``; their shares are written from ``share_start`` on.
    """

    cell_of: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    atoms: NDArray[np.int32]
    share_start: NDArray[np.int64]


class _Inside(NamedTuple):
    """The tuples (``codes``: tuples × columns) in box g: ``inside[begins[g]:begins[g + 1]]``."""

    begins: NDArray[np.int64]
    inside: NDArray[np.int32]
    codes: NDArray[np.int64]


class _ColumnsPlan(NamedTuple):
    """The problem of each column, how it is sampled, its first cell, and the cells of all."""

    parts: tuple[Horizontal, ...]
    plans: tuple[Plan, ...]
    cell_start: NDArray[np.int64]
    lists: _Lists


class Columns(NaiveBayes):
    """The value of each row in each column's problem; ``expected`` is sensitive values × values."""

    @staticmethod
    def planned(problem: Horizontal, algorithm: Algorithm = "collapsed") -> _ColumnsPlan:
        parts = tuple(problem.column(c) for c in range(len(problem.domain.sizes)))
        lumps = [part.lumped for part in parts]
        cell_start = starts([len(one.first) for one in lumps])
        entry_start = starts([len(one.atoms) for one in lumps])
        cell_of = np.full((len(parts), *problem.counts.shape), -1, dtype=np.int64)
        for c, (part, one) in enumerate(zip(parts, lumps, strict=True)):
            of_region = np.full(part.counts.shape, -1, dtype=np.int64)
            of_region[one.cells.group, one.cells.value] = np.arange(*cell_start[c : c + 2])
            cell_of[c] = of_region[part.group_of_class]
        moved = np.repeat(entry_start[:-1], np.diff(cell_start))
        first = np.concatenate([one.first for one in lumps]) + moved
        last = np.concatenate([one.last for one in lumps]) + moved
        atoms = np.concatenate([one.atoms for one in lumps])
        # Cells of one region share its list of codes, but not their shares of these.
        lists = _Lists(cell_of, first, last, atoms, starts(last - first))
        plans = tuple(Atoms.planned(part, algorithm) for part in parts)
        return _ColumnsPlan(parts, plans, cell_start, lists)

    @staticmethod
    def scattered(
        problem: Horizontal, plan: _ColumnsPlan, random: Random, seed: Seed
    ) -> tuple[NDArray[np.int32], ...]:
        root = seed_sequence(seed)
        own = np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, 0))
        each = zip(plan.parts, own.spawn(len(plan.parts)), strict=True)
        return tuple(begin(Atoms, "gibbs", part, one).latent[0] for part, one in each)

    def prepare(self) -> None:
        super().prepare()
        problem, plan = self.problem, self.plan
        each = zip(plan.parts, plan.plans, self.latent, strict=True)
        self._columns = [Atoms(part, how, (row,), self.random) for part, how, row in each]
        self._inside = _inside(problem)
        self._panel = _inside(problem.watching(problem.watched[:, problem.panel]))
        entries = plan.lists.share_start[-1]
        self._share, self._shares = np.empty(entries), np.zeros(entries)
        self._sums = np.zeros((problem.values, self.population.offset[-1]))

    def sweep(self, sweeps: int) -> None:
        for column, (a, b) in zip(self._columns, pairwise(self.plan.cell_start), strict=True):
            column.sweep(sweeps, self._share, self.plan.lists.share_start[a:b])
        self.expected = self._side_by_side([column.expected for column in self._columns])
        self._shares += self._share
        self._sums += self.expected

    def rows_there(self) -> NDArray[np.float64]:
        return self._side_by_side([column.rows_there() for column in self._columns])

    def _side_by_side(self, tables: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.hstack([table.reshape(self.problem.values, -1) for table in tables])

    def look(self) -> tuple[Beliefs, Beliefs]:
        places = self.watched[self.problem.panel]
        return self._joined(self._panel, self._share, places, self.expected)

    def means(self, kept: int) -> tuple[Beliefs, Beliefs]:
        shares, with_value = self._shares / kept, self._sums / kept
        return self._joined(self._inside, shares, self.watched, with_value)

    def _joined(
        self, some: _Inside, share: NDArray[np.float64], places: NDArray[np.int64],
        with_value: NDArray[np.float64],
    ) -> tuple[Beliefs, Beliefs]:  # fmt: skip
        """Expected rows and E[f(r | s, π)] of some tuples, from those of each column."""
        rows, density = np.empty((2, self.problem.values, len(places)))
        kernels.join_columns(self.plan.lists, share, self.problem.counts, some, rows)
        kernels.look_columns(self.population, places, with_value, density)
        return rows, density


def _inside(problem: Horizontal) -> _Inside:
    codes = np.ascontiguousarray(problem.watched.T, dtype=np.int64)
    return _Inside(*problem.watched_in_boxes, codes)
