"""Collapsed sampling of a generalization whose sets are too large to be written out.

The domain is the product of the columns' values, and a group's set is a box of it. A row gets a
random tuple of its box, with weight β for each tuple there is, or copies that of another row of
its sensitive value, with weight 1 for each that lies in the box. No tuple has a number and no
count is kept, so that memory grows with the rows and not with the domain.

Rows are copied from the cells whose boxes meet, where these are listed; from all rows of the
sensitive value where β outweighs them anyway. What is noted down is how many rows (s, r) are
expected, each row given all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.risk._boxes import Boxes, boxes_that_meet
from unveil.attacks.risk._domain import Domain, members_of
from unveil.attacks.risk._problem import Horizontal
from unveil.attacks.risk.samplers._cells import Cells, cells_of
from unveil.attacks.risk.samplers._info import Draws, Info, Notes, Random, random_state
from unveil.attacks.risk.samplers._kernels import (
    fill_slots,
    look_boxes,
    scatter_in_boxes,
    sweep_boxes,
)

__all__ = ["Plan", "State", "init", "kernel", "planned"]

_OUTWEIGHED = 4.0  # rows for each unit of β in a box, above which those that meet it are listed
_LISTED = 64  # entries of all lists for each row there is


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """All that does not change: cells, and from which of them the rows of each may copy.

    Those of cell i are ``near[near_start[i]:near_start[i + 1]]``, with ``near_rows`` rows up to
    each of them; if there are none, all cells of its sensitive value.
    """

    cells: Cells
    volume: NDArray[np.float64]
    near_start: NDArray[np.int64]
    near: NDArray[np.int64]
    near_rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The tuple of each row (rows × columns), cell after cell, and the random numbers to come."""

    codes: NDArray[np.int32]
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
    cell_of = np.full(problem.counts.shape, -1, dtype=np.int64)
    cell_of[cells.group, cells.value] = np.arange(len(cells.group))
    # Of the boxes that meet a cell's, those that have rows of its sensitive value.
    lengths = np.where(rare, np.diff(start)[cells.group], 0)
    owner = np.repeat(np.arange(len(cells.group)), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    near = cell_of[others[start[cells.group[owner]] + within], cells.value[owner]]
    owner, near = owner[near >= 0], near[near >= 0]
    near_start = np.searchsorted(owner, np.arange(len(cells.group) + 1)).astype(np.int64)
    upto = np.cumsum(cells.rows[near])
    before = np.concatenate([[0], upto])[near_start[:-1]]
    return Plan(
        cells=cells, volume=volume, near_start=near_start, near=near,
        near_rows=(upto - before[owner]).astype(np.int64),
    )  # fmt: skip


def init(
    problem: Horizontal, seed: int | np.random.SeedSequence, plan: Plan | None = None
) -> State:
    """Rows scattered over their boxes."""
    boxes, random = _boxes(problem), random_state(seed)
    plan = planned(problem) if plan is None else plan
    codes = np.empty((plan.cells.row_start[-1], boxes.region.shape[1]), dtype=np.int32)
    scatter_in_boxes(
        random, plan.cells.group, plan.cells.row_start, boxes.region, boxes.start, boxes.members,
        codes,
    )  # fmt: skip
    return State(codes=codes, random=random, plan=plan)


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    boxes, plan, cells = _boxes(problem), state.plan, state.plan.cells
    random, codes = state.random.copy(), state.codes.copy()
    tuples = problem.watched.shape[1]
    place = np.arange(problem.values * tuples, dtype=np.int64).reshape(problem.values, tuples)
    notes = Notes(
        problem, place, np.ones(place.size, dtype=np.int64), kept, conditional=conditional
    )
    known = np.ascontiguousarray(problem.watched.T)
    slots = np.empty(2 ** (2 * tuples + 1).bit_length(), dtype=np.int64)
    fill_slots(known, slots)
    listed = Domain(name="covered", sizes=problem.domain.sizes, size=tuples, codes=problem.watched)
    begins, inside = members_of(boxes, listed)
    count, expected = np.empty(place.shape), np.empty(place.shape)
    each, watched = np.empty(len(codes)), np.empty(len(codes), dtype=np.int64)
    which = (cells.value, cells.value_start, cells.group, cells.row_start, plan.volume,
             plan.near_start, plan.near, plan.near_rows, boxes.region)  # fmt: skip
    shape = (boxes.low, boxes.high, boxes.mask_at, boxes.mask)
    for _ in range(kept):
        sweep_boxes(random, problem.beta, thin, *which, boxes.start, boxes.members, *shape, codes)
        look_boxes(
            random, problem.beta, *which, *shape, codes, known, slots, begins, inside, count,
            each, watched, expected,
        )  # fmt: skip
        notes.add(random, expected.ravel(), count.ravel)
    return replace(state, codes=codes, random=random), notes.finished(kept * thin)


def _boxes(problem: Horizontal) -> Boxes:
    assert problem.boxes is not None
    return problem.boxes
