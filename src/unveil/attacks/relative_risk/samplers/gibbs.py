"""Gibbs sampling of a generalization as it was published, saturated model.

By turns π is drawn given the rows, which is a Dirichlet vector for every sensitive value, and the
rows given π, which are then independent. What is noted down is how many rows (s, r) are expected
given π (Rao and Blackwell), not those that were drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers._info import Draws, Info, Notes, Random, random_state
from unveil.attacks.relative_risk.samplers._kernels import scatter, sweep_gibbs
from unveil.attacks.relative_risk.samplers.collapsed import NO_SHARES, NOWHERE

__all__ = ["State", "Walk", "init", "kernel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The atom of each row, cell after cell, and the random numbers to come."""

    of_row: NDArray[np.int32]
    random: Random


def init(problem: Horizontal, seed: int | np.random.SeedSequence) -> State:
    """Rows scattered over their sets."""
    lumps, random = problem.lumped, random_state(seed)
    of_row = np.empty(lumps.row_start[-1], dtype=np.int32)
    scatter(
        random, lumps.value, lumps.rows, lumps.row_start, lumps.first, lumps.last, lumps.atoms,
        lumps.atom_start, lumps.size, _longest(problem), of_row,
    )  # fmt: skip
    return State(of_row=of_row, random=random)


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    lumps = problem.lumped
    random, of_row = state.random.copy(), state.of_row.copy()
    walk = Walk(problem, random, of_row)
    tuples = problem.watched_numbers
    place = np.where(tuples >= 0, lumps.atom_of[:, tuples], -1).astype(np.int64)
    notes = Notes(problem, place, lumps.size, kept, conditional=conditional)
    expected = np.empty(len(lumps.size))
    for _ in range(kept):
        walk.sweep(thin, expected)
        notes.add(random, expected, walk.rows_there)
    return replace(state, of_row=of_row, random=random), notes.finished(kept * thin)


def _longest(problem: Horizontal) -> int:
    return int((problem.lumped.last - problem.lumped.first).max(initial=1))


class Walk:
    """A state on its way; arrays are changed in place."""

    def __init__(self, problem: Horizontal, random: Random, of_row: NDArray[np.int32]) -> None:
        self._beta, self._lumps, self._longest = problem.beta, problem.lumped, _longest(problem)
        self._random, self._of_row = random, of_row
        self._weight = np.empty(len(problem.lumped.size))
        self._count = np.bincount(of_row, minlength=len(self._weight)).astype(np.int64)

    def sweep(
        self, sweeps: int, expected: NDArray[np.float64], share: NDArray[np.float64] = NO_SHARES,
        share_start: NDArray[np.int64] = NOWHERE,
    ) -> None:  # fmt: skip
        """Draw π and all rows anew, so many times; then write how many are expected in each atom.

        ``share`` gets the shares of each cell's atoms, from ``share_start`` on, unless it is empty.
        """
        lumps = self._lumps
        sweep_gibbs(
            self._random, self._beta, sweeps, lumps.value, lumps.row_start, lumps.first,
            lumps.last, lumps.atoms, lumps.atom_start, lumps.size, self._longest, self._count,
            self._weight, self._of_row, expected, share, share_start,
        )  # fmt: skip

    def rows_there(self) -> NDArray[np.float64]:
        """How many rows are in each atom."""
        return self._count.astype(np.float64)
