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

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._boxes import Boxes, boxes_that_meet, packed_tuples
from unveil.attacks.relative_risk._domain import Domain, members_of
from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers import _kernels as kernels
from unveil.attacks.relative_risk.samplers._info import (
    Cells,
    Draws,
    Info,
    Notes,
    Random,
    cells_of,
    random_state,
)

__all__ = ["Plan", "State", "init", "kernel", "planned"]

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

    volume: NDArray[np.float64]
    near_start: NDArray[np.int64]
    near: NDArray[np.int32]
    most: int


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The tuple of each row (rows × words), cell after cell, and the random state.

    ``codes`` are the watched tuples that ``watched`` was made for.
    """

    words: NDArray[np.uint64]
    random: Random
    cells: Cells
    plan: Plan
    codes: NDArray[np.int32]
    watched: _Watched


def planned(problem: Horizontal, cells: Cells) -> Plan:
    """List the cells that meet if most attempts to copy any row would fail."""
    boxes = _boxes(problem)
    volume = boxes.volumes[cells.group]
    rare = problem.totals[cells.value] > _OUTWEIGHED * problem.beta * volume
    wanted = np.zeros(len(boxes), dtype=np.bool_)
    wanted[cells.group[rare]] = True
    most = _LISTED * int(problem.totals.sum())
    start, others = boxes_that_meet(boxes, problem.counts, wanted, most)
    cell_of = np.full(problem.counts.shape, -1, dtype=np.int32)
    cell_of[cells.group, cells.value] = np.arange(len(cells.group))
    # Of the boxes that meet a cell's, those with rows of its sensitive value.
    lengths = np.where(rare, np.diff(start)[cells.group], 0)
    owner = np.repeat(np.arange(len(cells.group), dtype=np.int32), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    near = cell_of[others[start[cells.group[owner]] + within], cells.value[owner]]
    owner, near = owner[near >= 0], near[near >= 0]
    rows = np.bincount(owner, weights=cells.rows[near], minlength=1)
    return Plan(
        volume=volume, near=near, most=int(rows.max()),
        near_start=np.searchsorted(owner, np.arange(len(cells.group) + 1)).astype(np.int64),
    )  # fmt: skip


def _watched(problem: Horizontal) -> _Watched:
    boxes, codes = _boxes(problem), problem.watched
    known = packed_tuples(boxes.packed, codes)
    slots = np.empty(2 ** (2 * len(known) + 1).bit_length(), dtype=np.int64)
    kernels.fill_slots(known, slots)
    listed = Domain(name="covered", sizes=problem.domain.sizes, size=len(known), codes=codes)
    begins, inside = members_of(boxes, listed)
    return _Watched(known=known, slots=slots, begins=begins, inside=inside)


def init(
    problem: Horizontal, seed: int | np.random.SeedSequence, plan: Plan | None = None
) -> State:
    """Rows scattered over their boxes."""
    packed, random, cells = _boxes(problem).packed, random_state(seed), cells_of(problem)
    words = np.empty((cells.row_start[-1], len(packed.guard)), dtype=np.uint64)
    kernels.scatter_in_boxes(random, cells, packed, words)
    return State(
        words=words, random=random, cells=cells, plan=plan or planned(problem, cells),
        codes=problem.watched, watched=_watched(problem),
    )  # fmt: skip


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and record the state after every ``thin`` sweeps."""
    packed = _boxes(problem).packed
    watched = state.watched if state.codes is problem.watched else _watched(problem)
    random, words = state.random.copy(), state.words.copy()
    tuples = problem.watched.shape[1]
    place = np.arange(problem.values * tuples, dtype=np.int64).reshape(problem.values, tuples)
    size = np.ones(place.size, dtype=np.int64)
    notes = Notes(problem, place, size, kept, conditional=conditional)
    count, expected = np.empty(place.shape), np.empty(place.shape)
    number = np.empty(len(words), dtype=np.int32)
    kernels.number_rows(words, watched, number)
    for _ in range(kept):
        kernels.sweep_boxes(
            random, problem.beta, thin, state.cells, state.plan, packed, watched, words, number,
            count, expected,
        )  # fmt: skip
        notes.add(random, expected.ravel(), count.ravel)
    return replace(state, words=words, random=random), notes.finished(kept * thin)


def _boxes(problem: Horizontal) -> Boxes:
    assert problem.boxes is not None
    return problem.boxes
