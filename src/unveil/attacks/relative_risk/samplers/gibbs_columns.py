"""Gibbs sampling of a generalization as it was published, with naive Bayes for the likelihood.

By turns π of every column is drawn given the rows, and the rows given π. What is noted down is how
many rows (s, r) are expected given π.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers._info import Draws, Info, Random
from unveil.attacks.relative_risk.samplers._kernels import sweep_gibbs_columns
from unveil.attacks.relative_risk.samplers.collapsed_columns import State, init, walked

__all__ = ["State", "init", "kernel"]


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    assert problem.members is not None
    cells, members = state.cells, problem.members[1]

    def sweep(random: Random, *rows: NDArray[Any]) -> None:
        sweep_gibbs_columns(
            random, problem.beta, thin, cells.value, cells.value_start, cells.row_start,
            cells.first, cells.last, members, cells.codes, cells.longest, *rows,
        )  # fmt: skip

    return walked(problem, state, sweep, kept=kept, thin=thin, conditional=conditional)
