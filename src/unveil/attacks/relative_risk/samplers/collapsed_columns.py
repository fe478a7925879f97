"""Collapsed Gibbs sampling of a generalization, naive Bayes.

With π of every column integrated out, a row of sensitive value s has tuple r of its group's set
with a probability in proportion to the product over the columns of β and the number of other
rows with s that have the value of r there. Rows are drawn one by one, and what they were drawn
from is noted down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers._cells import Cells, cells_of
from unveil.attacks.relative_risk.samplers._info import (
    ColumnNotes,
    Draws,
    Info,
    Random,
    random_state,
)
from unveil.attacks.relative_risk.samplers._kernels import (
    count_columns,
    scatter_tuples,
    sweep_collapsed_columns,
)

__all__ = ["State", "init", "kernel", "walked"]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The tuple of each row, cell after cell, and the random numbers to come."""

    of_row: NDArray[np.int32]
    random: Random
    cells: Cells


def init(problem: Horizontal, seed: int | np.random.SeedSequence) -> State:
    """Rows scattered over their sets."""
    assert problem.members is not None
    cells, random = cells_of(problem), random_state(seed)
    of_row = np.empty(cells.row_start[-1], dtype=np.int32)
    scatter_tuples(random, cells.row_start, cells.first, cells.last, problem.members[1], of_row)
    return State(of_row=of_row, random=random, cells=cells)


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    assert problem.members is not None
    cells, members = state.cells, problem.members[1]

    def sweep(random: Random, *rows: NDArray[Any]) -> None:
        sweep_collapsed_columns(
            random, problem.beta, thin, cells.value, cells.row_start, cells.first, cells.last,
            members, cells.codes, cells.longest, *rows,
        )  # fmt: skip

    return walked(problem, state, sweep, kept=kept, thin=thin, conditional=conditional)


def walked(
    problem: Horizontal, state: State, sweep: Callable[..., None], *, kept: int, thin: int,
    conditional: Draws,
) -> tuple[State, Info]:  # fmt: skip
    """The same for any way to sweep.

    ``sweep(random, count, of_row, expected)`` goes over all rows ``thin`` times, and adds up in
    the last of them how many rows (s, r) are expected.
    """
    cells = state.cells
    random, of_row = state.random.copy(), state.of_row.copy()
    notes = ColumnNotes(problem, kept, conditional=conditional)
    count = np.empty((problem.values, notes.offset[-1]), dtype=np.int64)
    count_columns(cells.value, cells.row_start, of_row, cells.codes, count)
    expected, tuples = np.empty((problem.values, len(cells.codes))), problem.watched_numbers
    for _ in range(kept):
        expected[:] = 0
        sweep(random, count, of_row, expected)
        notes.add(random, np.where(tuples >= 0, expected[:, tuples], 0.0), count)
    return replace(state, of_row=of_row, random=random), notes.finished(kept * thin)
