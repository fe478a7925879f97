"""Collapsed Gibbs sampling of a generalization, saturated model.

With π integrated out, a row of sensitive value s has tuple r of its group's set with a probability
in proportion to β and the number of other rows (s, r). The rows of a group that have the same
sensitive value are drawn together, as from an urn. Tuples that the release does not tell apart
are one (`Lumped`). In a large set a row gets a random tuple or copies that of another row with its
sensitive value, until one lies in the set: no list has to be gone through.

What is noted down is how many rows (s, r) are expected, those of each group given all others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._kernels import scattered
from unveil.attacks.relative_risk._lumped import Lumped
from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers._info import Draws, Info, Notes, Random, random_state
from unveil.attacks.relative_risk.samplers._kernels import scatter, sweep_collapsed, weigh

__all__ = ["NOWHERE", "NO_SHARES", "Plan", "State", "Walk", "init", "kernel", "planned"]

# What copying costs for each try, in entries of a list that is gone through.
_TRY = 100.0
_BITS = 61  # of weights

NO_SHARES, NOWHERE = np.empty(0), np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """How the cells are drawn: all that does not change.

    Attributes
    ----------
    by_copy : array
        Which cells are drawn by copying, not by going through their atoms.
    longest : int
        The most atoms of a cell.
    one : int
        The weight of a row; β has its part of that.
    """

    by_copy: NDArray[np.bool_]
    longest: int
    one: int


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The atom of each row, cell after cell, and the random numbers to come."""

    of_row: NDArray[np.int32]
    random: Random
    plan: Plan


def planned(problem: Horizontal) -> Plan:
    """Choose for each cell by what is to be expected of rows scattered evenly."""
    lumps, beta = problem.lumped, problem.beta
    width = (lumps.last - lumps.first).astype(np.float64)
    near = _rows_to_be_expected(lumps)
    prior = beta * lumps.volume
    tries = (prior + problem.totals[lumps.value]) / (prior + near)
    # A try by β must find an atom as likely as it is large.
    tries += lumps.largest * width / lumps.volume
    heaviest = float((problem.totals[lumps.value] + prior).max(initial=1.0))
    return Plan(
        # All rows of a cell are drawn by going once through its list.
        by_copy=_TRY * tries * lumps.rows < width, longest=int(width.max(initial=1)),
        one=2 ** math.floor(_BITS - math.log2(heaviest + 1)),
    )  # fmt: skip


def _rows_to_be_expected(lumps: Lumped) -> NDArray[np.float64]:
    """How many rows of its sensitive value are in each cell's set, if all are scattered evenly."""
    each = np.zeros(len(lumps.size))
    found = np.empty(len(lumps.rows))
    scattered(
        lumps.value, lumps.first, lumps.last, lumps.atoms, lumps.atom_start, lumps.size,
        lumps.rows / lumps.volume, each, found,
    )  # fmt: skip
    return found


def init(
    problem: Horizontal, seed: int | np.random.SeedSequence, plan: Plan | None = None
) -> State:
    """Rows scattered over their sets."""
    lumps, random = problem.lumped, random_state(seed)
    plan = planned(problem) if plan is None else plan
    of_row = np.empty(lumps.row_start[-1], dtype=np.int32)
    scatter(
        random, lumps.value, lumps.rows, lumps.row_start, lumps.first, lumps.last, lumps.atoms,
        lumps.atom_start, lumps.size, plan.longest, of_row,
    )  # fmt: skip
    return State(of_row=of_row, random=random, plan=plan)


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    lumps = problem.lumped
    random, of_row = state.random.copy(), state.of_row.copy()
    walk = Walk(problem, state.plan, random, of_row)
    tuples = problem.watched_numbers
    place = np.where(tuples >= 0, lumps.atom_of[:, tuples], -1).astype(np.int64)
    notes = Notes(problem, place, lumps.size, kept, conditional=conditional)
    expected = np.empty(len(lumps.size))
    for _ in range(kept):
        walk.sweep(thin, expected)
        notes.add(random, expected, walk.rows_there)
    return replace(state, of_row=of_row, random=random), notes.finished(kept * thin)


class Walk:
    """A state on its way; arrays are changed in place."""

    def __init__(self, problem: Horizontal, plan: Plan, random: Random, of_row: NDArray[np.int32]):
        self._beta, self._lumps, self._plan = problem.beta, problem.lumped, plan
        self._random, self._of_row = random, of_row
        self.weight = np.empty(len(problem.lumped.size), dtype=np.int64)
        weigh(self._beta, plan.one, problem.lumped.size, of_row, self.weight)

    def sweep(
        self, sweeps: int, expected: NDArray[np.float64], share: NDArray[np.float64] = NO_SHARES,
        share_start: NDArray[np.int64] = NOWHERE,
    ) -> None:  # fmt: skip
        """Draw all rows anew, so many times; then write how many are expected in each atom.

        ``share`` gets the shares of each cell's atoms, from ``share_start`` on, unless it is empty.
        """
        lumps, plan = self._lumps, self._plan
        sweep_collapsed(
            self._random, self._beta, plan.one, sweeps, lumps.value, lumps.value_start,
            lumps.row_start, lumps.first, lumps.last, lumps.atoms, lumps.atom_start, lumps.size,
            lumps.volume, plan.by_copy, lumps.largest, plan.longest, self.weight, self._of_row,
            expected, share, share_start,
        )  # fmt: skip

    def rows_there(self) -> NDArray[np.float64]:
        """How many rows are in each atom."""
        return self.weight / self._plan.one - self._beta * self._lumps.size
