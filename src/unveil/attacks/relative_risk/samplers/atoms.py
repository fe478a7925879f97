"""Sampling a generalization under the saturated model: collapsed, or Gibbs as published.

Tuples that the release does not distinguish are one atom (`Lumped`).

*Collapsed*: with π integrated out, a row of sensitive value s has tuple r of its group's set with a
probability in proportion to β plus the number of other rows (s, r). The rows of a cell are drawn
jointly, as from a Pólya urn. In a large set a row gets a random tuple or copies another row of its
sensitive value, until one is in the set; so no list has to be scanned. The expected number of rows
(s, r) is recorded, those of each cell given all others.

*Gibbs*: in turns π is drawn given the rows, a Dirichlet vector for every sensitive value, and the
rows given π, independently. The expected number of rows (s, r) given π is recorded
(Rao-Blackwellization).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._lumped import expected_rows
from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers import _kernels as kernels
from unveil.attacks.relative_risk.samplers._info import (
    Algorithm,
    Draws,
    Info,
    Notes,
    Random,
    random_state,
)

__all__ = ["Plan", "State", "Walk", "init", "kernel", "planned"]

_TRY = 100.0  # the cost of an attempt to copy, in entries of a list that is scanned
_BITS = 61  # of weights
_NO_SHARES, _NOWHERE = np.empty(0), np.empty(0, dtype=np.int64)


class Plan(NamedTuple):
    """How collapsed sampling draws the cells.

    Attributes
    ----------
    by_copy : array
        Which cells are drawn by copying instead of scanning their atoms.
    one : int
        The integer weight of a row.
    """

    by_copy: NDArray[np.bool_]
    one: int


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The atom of each row, cell after cell, and the random state.

    ``plan`` is that of collapsed sampling; None for Gibbs sampling.
    """

    of_row: NDArray[np.int32]
    random: Random
    plan: Plan | None


def planned(problem: Horizontal) -> Plan:
    """Choose for each cell by the expected cost, as if rows were scattered evenly."""
    lumps, beta = problem.lumped, problem.beta
    width = (lumps.last - lumps.first).astype(np.float64)
    prior = beta * lumps.volume
    tries = (prior + problem.totals[lumps.value]) / (prior + expected_rows(lumps))
    # A try by β must find an atom with a probability in proportion to its size.
    tries += lumps.largest * width / lumps.volume
    heaviest = float((problem.totals[lumps.value] + prior).max(initial=1.0))
    return Plan(
        by_copy=_TRY * tries * lumps.rows < width,  # one scan serves all rows of a cell
        one=2 ** math.floor(_BITS - math.log2(heaviest + 1)),
    )


def init(
    problem: Horizontal, seed: int | np.random.SeedSequence, algorithm: Algorithm = "collapsed",
    plan: Plan | None = None,
) -> State:  # fmt: skip
    """Rows scattered over their sets."""
    lumps, random = problem.lumped, random_state(seed)
    if algorithm == "collapsed" and plan is None:
        plan = planned(problem)
    of_row = np.empty(lumps.row_start[-1], dtype=np.int32)
    kernels.scatter(random, lumps, of_row)
    return State(of_row=of_row, random=random, plan=plan)


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and record the state after every ``thin`` sweeps."""
    lumps = problem.lumped
    random, of_row = state.random.copy(), state.of_row.copy()
    walk = Walk(problem, state.plan, random, of_row)
    numbers = problem.watched_numbers
    place = np.where(numbers >= 0, lumps.atom_of[:, numbers], -1).astype(np.int64)
    notes = Notes(problem, place, lumps.size, kept, conditional=conditional)
    expected = np.empty(len(lumps.size))
    for _ in range(kept):
        walk.sweep(thin, expected)
        notes.add(random, expected, walk.rows_there)
    return replace(state, of_row=of_row, random=random), notes.finished(kept * thin)


class Walk:
    """A state in progress; ``random`` and ``of_row`` are changed in place."""

    def __init__(
        self, problem: Horizontal, plan: Plan | None, random: Random, of_row: NDArray[np.int32]
    ) -> None:
        self._beta, self._lumps, self._plan = problem.beta, problem.lumped, plan
        self._random, self._of_row = random, of_row
        atoms = len(self._lumps.size)
        if plan is not None:
            self._weights = np.empty(atoms, dtype=np.int64)
            kernels.weigh(self._beta, plan.one, self._lumps.size, of_row, self._weights)
        else:
            self._population = np.empty(atoms)
            self._count = np.bincount(of_row, minlength=atoms).astype(np.int64)

    def sweep(
        self, sweeps: int, expected: NDArray[np.float64], share: NDArray[np.float64] = _NO_SHARES,
        share_start: NDArray[np.int64] = _NOWHERE,
    ) -> None:  # fmt: skip
        """Draw all rows anew, ``sweeps`` times; then write the expected rows in each atom.

        Unless it is empty, ``share`` gets the shares of each cell's atoms from ``share_start`` on.
        """
        if self._plan is not None:
            kernels.sweep_collapsed(
                self._random, self._beta, sweeps, self._lumps, self._plan, self._weights,
                self._of_row, expected, share, share_start,
            )  # fmt: skip
        else:
            kernels.sweep_gibbs(
                self._random, self._beta, sweeps, self._lumps, self._count, self._population,
                self._of_row, expected, share, share_start,
            )  # fmt: skip

    def rows_there(self) -> NDArray[np.float64]:
        """The number of rows in each atom."""
        if self._plan is not None:
            return self._weights / self._plan.one - self._beta * self._lumps.size
        return self._count.astype(np.float64)
