"""Sampling a generalization under naive Bayes, whose sets are lists of tuples.

*Collapsed*: with π of every column integrated out, a row of sensitive value s has tuple r of its
group's set with a probability in proportion to the product over the columns of β plus the number
of other rows of s with the value of r. Rows are drawn one by one, and the probabilities from which
they were drawn are recorded.

*Gibbs*: in turns π of every column is drawn given the rows, and the rows given π. The expected
number of rows (s, r) given π is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers import _kernels as kernels
from unveil.attacks.relative_risk.samplers._info import (
    Algorithm,
    Cells,
    ColumnNotes,
    Draws,
    Info,
    Random,
    cells_of,
    random_state,
)

__all__ = ["State", "init", "kernel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The tuple of each row, cell after cell, and the random state."""

    of_row: NDArray[np.int32]
    random: Random
    cells: Cells
    algorithm: Algorithm


def init(
    problem: Horizontal, seed: int | np.random.SeedSequence, algorithm: Algorithm = "collapsed"
) -> State:
    """Rows scattered over their sets."""
    cells, random = cells_of(problem), random_state(seed)
    of_row = np.empty(cells.row_start[-1], dtype=np.int32)
    kernels.scatter_tuples(random, cells, of_row)
    return State(of_row=of_row, random=random, cells=cells, algorithm=algorithm)


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and record the state after every ``thin`` sweeps."""
    cells, collapsed = state.cells, state.algorithm == "collapsed"
    sweep = kernels.sweep_collapsed_columns if collapsed else kernels.sweep_gibbs_columns
    random, of_row = state.random.copy(), state.of_row.copy()
    notes = ColumnNotes(problem, kept, conditional=conditional)
    count = np.empty((problem.values, notes.offset[-1]), dtype=np.int64)
    kernels.count_columns(cells, of_row, count)
    expected, numbers = np.empty((problem.values, len(cells.codes))), problem.watched_numbers
    for _ in range(kept):
        expected[:] = 0
        sweep(random, problem.beta, thin, cells, count, of_row, expected)
        notes.add(random, np.where(numbers >= 0, expected[:, numbers], 0.0), count)
    return replace(state, of_row=of_row, random=random), notes.finished(kept * thin)
