"""What is found about the watched tuples: one form for exact answers and for sampled ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Problem

__all__ = ["Answer", "Table", "attacker", "given_tuple", "joint_learner", "saturated_density"]

Table: TypeAlias = NDArray[np.float64]
"""Sensitive values × watched tuples."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """Expectations given the release: sensitive values × watched tuples each.

    Attributes
    ----------
    rows : array
        A(s, r): how many rows are (s, r).
    density : array
        E[f(r | s, π)], of which the learner's eq. 4 is made.
    conditional : array, optional
        E[f(s | r, π)], the learner's eq. 5, where it was asked for.
    """

    rows: Table
    density: Table
    conditional: Table | None = None

    def about(self, place: int) -> Answer:
        """What it says about one of the watched tuples."""
        one, drawn = [place], self.conditional
        return Answer(
            rows=self.rows[:, one], density=self.density[:, one],
            conditional=None if drawn is None else drawn[:, one],
        )  # fmt: skip


def attacker(rows: Table) -> Table:
    """p_A(s | r): the shares of the expected rows; nan where no row can have the tuple."""
    return given_tuple(rows)


def joint_learner(problem: Problem, density: Table) -> Table:
    """p_L(s, r), eq. 4."""
    weights = problem.alpha + problem.totals
    return (weights / weights.sum())[:, None] * density


def given_tuple(joint: Table) -> Table:
    """Shares of the sensitive values for each tuple; nan where there is nothing to share."""
    total = joint.sum(axis=0)
    return np.divide(joint, total, out=np.full_like(joint, np.nan), where=total > 0)


def saturated_density(problem: Problem, rows: Table) -> Table:
    """E[f(r | s, π)] of the saturated model, which the expected rows determine."""
    whole = problem.beta * problem.domain.size + problem.totals
    return (problem.beta + rows) / whole[:, None]
