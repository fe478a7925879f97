"""Whose traces are kept: a panel of victims about whom the release leaves something open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._domain import Members
from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._problem import Horizontal, Problem, Vertical

__all__ = ["chosen_panel", "random_tuples"]


def chosen_panel(
    problem: Problem, likelihood: Likelihood, size: int, records: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:  # fmt: skip
    """Some of the watched tuples, drawn as often as records have them.

    Those about whom nothing is left open come last: their traces stand still and would hide that
    others do not.
    """
    keys = rng.exponential(size=len(records)) / np.maximum(records, 1e-9)
    order = np.lexsort([keys, ~_is_open(problem, likelihood)])
    return np.sort(order[:size])


def _is_open(problem: Problem, likelihood: Likelihood) -> NDArray[np.bool_]:
    """Which of the watched tuples have rows that may as well have another."""
    groups = _open_groups(problem, likelihood)
    if groups.all():
        return np.ones(problem.watched.shape[1], dtype=np.bool_)
    start, members = _tuples_of_groups(problem)
    assert problem.domain.codes is not None
    found = np.zeros(problem.domain.codes.shape[1], dtype=np.bool_)
    found[members[np.repeat(groups, np.diff(start))]] = True
    numbers = problem.watched_numbers
    return np.where(numbers >= 0, found[numbers], False)


def _open_groups(problem: Problem, likelihood: Likelihood) -> NDArray[np.bool_]:
    """Which groups have rows that may as well have another tuple than they have."""
    if isinstance(problem, Vertical):
        return (problem.counts > 0).sum(axis=1) > 1
    groups = np.ones(len(problem.counts), dtype=np.bool_)
    if isinstance(problem, Horizontal) and problem.members and likelihood == "saturated":
        groups[:] = False
        groups[problem.lumped.group[~problem.lumped.is_settled]] = True
    return groups


def random_tuples(
    problem: Problem, likelihood: Likelihood, size: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Tuples that rows of the release may have: of random groups, each once.

    Of groups that leave something open, if there are any.
    """
    rows = problem.counts.sum(axis=1)
    is_open = _open_groups(problem, likelihood)
    if is_open.any():
        rows = np.where(is_open, rows, 0)
    groups = rng.choice(len(rows), 4 * size, p=rows / rows.sum())
    found = np.stack([_random_tuple(problem, int(group), rng) for group in groups], axis=1)
    _, first = np.unique(found, axis=1, return_index=True)
    return np.ascontiguousarray(found[:, np.sort(first)[:size]], dtype=np.int32)


def _random_tuple(problem: Problem, group: int, rng: np.random.Generator) -> NDArray[np.int32]:
    if isinstance(problem, Horizontal) and problem.members is None:
        assert problem.boxes is not None
        boxes = problem.boxes
        sets = [boxes.members[boxes.start[x] : boxes.start[x + 1]] for x in boxes.region[group]]
        return np.array([rng.choice(one) for one in sets], dtype=np.int32)
    start, members = _tuples_of_groups(problem)
    assert problem.domain.codes is not None
    return problem.domain.codes[:, rng.choice(members[start[group] : start[group + 1]])]


def _tuples_of_groups(problem: Problem) -> Members:
    if isinstance(problem, Horizontal):
        assert problem.members is not None
        return problem.members
    assert isinstance(problem, Vertical)
    return problem.start, problem.tuples
