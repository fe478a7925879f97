"""Collapsed sampling of a generalization with too many tuples to enumerate, saturated model.

The domain is the product of the columns' values, and a group's set is a box in it. A row gets a
random tuple of its box, with weight β for each tuple, or copies another row of its sensitive value
that is in the box, with weight 1 for each. Tuples have no numbers and no counts are kept, so that
memory grows with the rows and not with the domain.

If the cells whose boxes meet are listed, their rows are scanned, and the rows of a cell are drawn
jointly, as from a Pólya urn. If β outweighs the rows anyway, any row of the sensitive value is
tried. The expected number of rows (s, r) is recorded, those of a cell given all others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._boxes import boxes_that_meet, packed_tuples
from unveil.attacks.relative_risk._lumped import Cells, cells_of
from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers import _kernels as kernels
from unveil.attacks.relative_risk.samplers._walk import Algorithm, Random, Saturated, Seed

_OUTWEIGHED = 4.0  # rows per unit of β in a box, above which the cells that meet it are listed
_LISTED = 64  # the most entries of all lists, per row


class _Watched(NamedTuple):
    """The watched tuples as words, their hash table, and those in each box."""

    known: NDArray[np.uint64]
    slots: NDArray[np.int64]
    begins: NDArray[np.int64]
    inside: NDArray[np.int32]


class Plan(NamedTuple):
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
    def planned(problem: Horizontal, algorithm: Algorithm = "collapsed") -> Plan:
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
        return Plan(
            cells=cells, volume=volume, near=near, most=int(rows.max()),
            near_start=np.searchsorted(owner, np.arange(len(group) + 1)).astype(np.int64),
        )  # fmt: skip

    @staticmethod
    def scattered(
        problem: Horizontal, plan: Plan, random: Random, seed: Seed
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
