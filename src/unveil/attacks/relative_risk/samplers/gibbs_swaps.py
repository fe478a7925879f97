"""Gibbs sampling of a permuted release as it was published.

By turns π is drawn given the rows, and pairs of rows of a group exchange their sensitive values
given π.
"""

from __future__ import annotations

from unveil.attacks.relative_risk._problem import Vertical
from unveil.attacks.relative_risk.samplers._info import Draws, Info
from unveil.attacks.relative_risk.samplers.swaps import State, init, swapped

__all__ = ["State", "init", "kernel"]


def kernel(
    problem: Vertical, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    return swapped(problem, state, kept=kept, thin=thin, conditional=conditional, collapsed=False)
