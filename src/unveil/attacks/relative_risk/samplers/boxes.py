"""Collapsed Gibbs sampling of a generalization whose tuples are too many to be written out.

The domain is the product of the columns' values, and a group's set is a box of it. A row gets a
random tuple of its box, with weight β for each tuple there is, or copies that of another row of
its sensitive value, with weight 1 for each that lies in the box. No tuple has a number and no
count is kept, so that memory grows with the rows and not with the domain.

Where the cells whose boxes meet are listed, their rows are gone through, and those of a group that
have the same sensitive value are drawn together, as from an urn. Where β outweighs the rows
anyway, any row of the sensitive value is tried. What is noted down is how many rows (s, r) are
expected, those of a cell given all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._boxes import Boxes, boxes_that_meet
from unveil.attacks.relative_risk._domain import Domain, members_of
from unveil.attacks.relative_risk._packed import packed_tuples
from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers._cells import Cells, cells_of
from unveil.attacks.relative_risk.samplers._info import Draws, Info, Notes, Random, random_state
from unveil.attacks.relative_risk.samplers._kernels import (
    fill_slots,
    number_rows,
    scatter_in_boxes,
    sweep_boxes,
)

__all__ = ["Plan", "State", "init", "kernel", "planned"]

_OUTWEIGHED = 4.0  # rows for each unit of β in a box, above which those that meet it are listed
_LISTED = 64  # entries of all lists for each row there is


@dataclass(frozen=True, eq=False, kw_only=True)
class Watched:
    """The tuples that are asked about, as words; how to find them, and which are in each box."""

    codes: NDArray[np.int32]
    known: NDArray[np.uint64]
    slots: NDArray[np.int64]
    begins: NDArray[np.int64]
    inside: NDArray[np.int32]


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """All that does not change: cells, and from which of them the rows of each may copy.

    Those of cell i are ``near[near_start[i]:near_start[i + 1]]``, with ``most`` rows at most; if
    there are none, all cells of its sensitive value.
    """

    cells: Cells
    volume: NDArray[np.float64]
    near_start: NDArray[np.int64]
    near: NDArray[np.int32]
    most: int
    watched: Watched


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The tuple of each row (rows × words), cell after cell, and the random numbers to come."""

    words: NDArray[np.uint64]
    random: Random
    plan: Plan


def planned(problem: Horizontal) -> Plan:
    """List the cells that meet, where copying from all rows would often be in vain."""
    boxes = _boxes(problem)
    cells = cells_of(problem)
    volume = boxes.volumes[cells.group]
    rare = problem.totals[cells.value] > _OUTWEIGHED * problem.beta * volume
    wanted = np.zeros(len(boxes), dtype=np.bool_)
    wanted[cells.group[rare]] = True
    most = _LISTED * int(problem.totals.sum())
    start, others = boxes_that_meet(boxes, problem.counts, wanted, most)
    cell_of = np.full(problem.counts.shape, -1, dtype=np.int32)
    cell_of[cells.group, cells.value] = np.arange(len(cells.group))
    # Of the boxes that meet a cell's, those that have rows of its sensitive value.
    lengths = np.where(rare, np.diff(start)[cells.group], 0)
    owner = np.repeat(np.arange(len(cells.group), dtype=np.int32), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    near = cell_of[others[start[cells.group[owner]] + within], cells.value[owner]]
    owner, near = owner[near >= 0], near[near >= 0]
    rows = np.bincount(owner, weights=cells.rows[near], minlength=1)
    return Plan(
        cells=cells, volume=volume, near=near, most=int(rows.max()),
        near_start=np.searchsorted(owner, np.arange(len(cells.group) + 1)).astype(np.int64),
        watched=_watched(problem),
    )  # fmt: skip


def _watched(problem: Horizontal) -> Watched:
    boxes, codes = _boxes(problem), problem.watched
    known = packed_tuples(boxes.packed, codes)
    slots = np.empty(2 ** (2 * len(known) + 1).bit_length(), dtype=np.int64)
    fill_slots(known, slots)
    listed = Domain(name="covered", sizes=problem.domain.sizes, size=len(known), codes=codes)
    begins, inside = members_of(boxes, listed)
    return Watched(codes=codes, known=known, slots=slots, begins=begins, inside=inside)


def init(
    problem: Horizontal, seed: int | np.random.SeedSequence, plan: Plan | None = None
) -> State:
    """Rows scattered over their boxes."""
    packed, random = _boxes(problem).packed, random_state(seed)
    plan = planned(problem) if plan is None else plan
    words = np.empty((plan.cells.row_start[-1], len(packed.guard)), dtype=np.uint64)
    scatter_in_boxes(
        random, plan.cells.group, plan.cells.row_start, packed.region, packed.start,
        packed.members, packed.word, packed.shift, words,
    )  # fmt: skip
    return State(words=words, random=random, plan=plan)


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    packed, plan, cells = _boxes(problem).packed, state.plan, state.plan.cells
    watched = plan.watched
    if watched.codes is not problem.watched:
        watched = _watched(problem)
    random, words = state.random.copy(), state.words.copy()
    tuples = problem.watched.shape[1]
    place = np.arange(problem.values * tuples, dtype=np.int64).reshape(problem.values, tuples)
    notes = Notes(
        problem, place, np.ones(place.size, dtype=np.int64), kept, conditional=conditional
    )
    count, expected = np.empty(place.shape), np.empty(place.shape)
    number = np.empty(len(words), dtype=np.int32)
    number_rows(words, watched.known, watched.slots, number)
    for _ in range(kept):
        sweep_boxes(
            random, problem.beta, thin, cells.value, cells.value_start, cells.group,
            cells.row_start, plan.volume, plan.near_start, plan.near, packed, watched.known,
            watched.slots, watched.begins, watched.inside, plan.most, words, number, count,
            expected,
        )  # fmt: skip
        notes.add(random, expected.ravel(), count.ravel)
    return replace(state, words=words, random=random), notes.finished(kept * thin)


def _boxes(problem: Horizontal) -> Boxes:
    assert problem.boxes is not None
    return problem.boxes
