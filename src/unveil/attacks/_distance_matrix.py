"""The earth mover's distance with ground distances given as a matrix.

How far belief has to be moved from one sensitive value to another is the user's to say: hours of
travel between places, how differently two diagnoses are treated. The cheapest way to move one
belief onto the other is a linear program, solved by POT (an extra). If the matrix keeps the
triangle inequality, belief that is in both places stays where it is, and only what differs has to
be moved; where that is gained or lost by a single value, there is only one way to do it, and no
program to solve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._distance_formulas import Beliefs
from unveil.errors import InputError, MissingExtraError, UnveilError, did_you_mean
from unveil.microdata import Column, value_text

__all__ = ["GroundMatrix", "find_solver", "keeps_triangle", "metric_transport", "transport"]

_ROUNDING = 1e-9  # relative: what the two halves of a matrix may differ by
_STEPS = 10_000_000  # of the solver; it needs a few hundred


@dataclass(frozen=True, eq=False)
class GroundMatrix:
    """Ground distances between values, which ``labels`` name if they are known by name."""

    costs: NDArray[np.float64]
    labels: tuple[str, ...] | None

    @classmethod
    def read(cls, given: Any) -> GroundMatrix:
        """Check an array, nested lists, or a pandas table labelled by values on both sides."""
        import pandas as pd

        labels = None
        if isinstance(given, pd.DataFrame):
            given, labels = _in_order_of_rows(given)
        try:
            costs = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"ground distances must be numbers in a square table, got {given!r}"
            ) from None
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or costs.size == 0:
            shape = " × ".join(str(length) for length in costs.shape) or "a single number"
            raise InputError(
                f"the ground distances are {shape}; give a square matrix, one row and one column "
                "a sensitive value"
            )
        _check_numbers(costs, labels)
        costs = (costs + costs.T) / 2
        costs.setflags(write=False)
        return cls(costs, labels)

    def of(self, sensitive: Column) -> NDArray[np.float64]:
        """The distances between the values of a column, in their order there."""
        if self.labels is None:
            if len(self.costs) != sensitive.size:
                raise InputError(
                    f"the matrix of ground distances is {len(self.costs)} × {len(self.costs)}, "
                    f"but the sensitive column {sensitive.name!r} has {sensitive.size:,} values "
                    f"({_some(sensitive.texts)}); give one row and one column a value, in this "
                    "order, or a pandas table labelled by them"
                )
            return self.costs
        place = {label: i for i, label in enumerate(self.labels)}
        for text in sensitive.texts:
            if text not in place:
                raise InputError(
                    f"the table of ground distances has no row for {text!r}, a value of the "
                    f"sensitive column {sensitive.name!r}{did_you_mean(text, self.labels)} "
                    f"(it has {_some(self.labels)})"
                )
        order = [place[text] for text in sensitive.texts]
        return self.costs[np.ix_(order, order)]


def _in_order_of_rows(table: Any) -> tuple[Any, tuple[str, ...]]:
    """A labelled table with its columns in the order of its rows, and the labels."""
    rows, columns = ([value_text(v) for v in axis] for axis in (table.index, table.columns))
    for labels, side in ((rows, "row"), (columns, "column")):
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise InputError(f"the table of ground distances has the {side} {twice!r} twice")
    for label in (*rows, *columns):
        if label not in columns or label not in rows:
            has, lacks = ("row", "column") if label in rows else ("column", "row")
            near = did_you_mean(label, columns if label in rows else rows)
            raise InputError(
                f"the table of ground distances has a {has} {label!r} but no such {lacks}{near}"
            )
    return table.iloc[:, [columns.index(label) for label in rows]], tuple(rows)


def _check_numbers(costs: NDArray[np.float64], labels: tuple[str, ...] | None) -> None:
    def refuse(wrong: NDArray[np.bool_], why: str) -> None:
        if wrong.any():
            i, j = (int(k) for k in np.argwhere(wrong)[0])
            here, there = (repr(labels[k]) if labels else f"value {k}" for k in (i, j))
            raise InputError(
                f"the ground distance from {here} to {there} is {costs[i, j]:g}, and back "
                f"{costs[j, i]:g}; {why}"
            )

    refuse(~np.isfinite(costs), "every ground distance must be a finite number")
    refuse(costs < 0, "no ground distance may be negative")
    refuse(np.diag(np.diag(costs) != 0), "a value must be at distance 0 from itself")
    uneven = np.abs(costs - costs.T) > _ROUNDING * costs
    refuse(uneven, "the matrix must be symmetric: the same both ways")


def _some(texts: tuple[str, ...], shown: int = 5) -> str:
    return ", ".join(texts[:shown]) + (", …" if len(texts) > shown else "")


def keeps_triangle(costs: NDArray[np.float64]) -> bool:
    """Whether no way round is shorter than the direct one."""
    slack = 1e-12 * costs.max()
    return all((costs <= costs[:, [via]] + costs[via] + slack).all() for via in range(len(costs)))


def find_solver() -> Callable[..., Any]:
    """POT's solver of transport problems."""
    try:
        import ot
    except ImportError as error:
        raise MissingExtraError(
            "the earth mover's distance with a matrix of ground distances needs POT; install it "
            "with: pip install 'unveil[transport]'"
        ) from error
    return ot.emd2


def metric_transport(p: Beliefs, q: Beliefs, *, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least cost of turning q into p where the costs keep the triangle inequality.

    >>> line = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    >>> metric_transport(np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 0.5, 0.5]]), costs=line)
    array([1.])
    """
    gained, lost = np.maximum(p - q, 0), np.maximum(q - p, 0)
    winners, losers = (gained > 0).sum(axis=1), (lost > 0).sum(axis=1)
    cost = np.zeros(len(p))
    one = (winners == 1) & (losers > 0)
    cost[one] = (lost[one] * costs[gained[one].argmax(axis=1)]).sum(axis=1)
    one = (losers == 1) & (winners > 1)
    cost[one] = (gained[one] * costs[lost[one].argmax(axis=1)]).sum(axis=1)
    for person in np.flatnonzero((winners > 1) & (losers > 1)):
        cost[person] = _solved(gained[person], lost[person], costs)
    return cost


def transport(p: Beliefs, q: Beliefs, *, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least cost of turning q into p, whatever the costs (0 from a value to itself).

    Where a way round is shorter than the direct one, belief that is in both places may be worth
    moving, too.
    """
    cost = np.zeros(len(p))
    for person in np.flatnonzero((p != q).any(axis=1)):
        cost[person] = _solved(p[person], q[person], costs)
    return cost


def _solved(
    here: NDArray[np.float64], there: NDArray[np.float64], costs: NDArray[np.float64]
) -> float:
    """The least cost of carrying what is here to what is there.

    Both are brought to a mass of exactly 1, which the solver counts on, and what is empty is left
    out: rounding may have left the two sums a little apart.
    """
    a, b = here[here > 0], there[there > 0]
    least, report = find_solver()(
        a / a.sum(), b / b.sum(), costs[np.ix_(here > 0, there > 0)],
        numItermax=_STEPS, center_dual=False, log=True,
    )  # fmt: skip
    if report["warning"] is not None:
        raise UnveilError(f"POT could not solve a transport problem: {report['warning']}")
    return max(0.0, float(least)) * float(a.sum() + b.sum()) / 2
