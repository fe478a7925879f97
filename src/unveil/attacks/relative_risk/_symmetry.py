"""Sensitive values that are equally likely by symmetry, so that no sampling has to tell.

Sampled beliefs are never equal, and however long a chain is, it cannot prove that two are. Symmetry
can. Take two sensitive values and the groups that have rows of either, and link groups that may
have the same tuple. If all groups of a linked part have as many rows of the one value as of the
other, then exchanging the two values in this part turns every table behind the release into another
one of the same probability. So the attacker expects as many rows of either with any tuple that only
these groups may have. Under naive Bayes all groups depend on each other, and are one part.

After Anatomy most ties are of this kind. Ties that are not found are only less well known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import Beliefs
from unveil.attacks.relative_risk._domain import Members
from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._problem import Horizontal, Problem, Vertical

_STEPS = 50_000_000  # tuples of groups that are looked at: about a second


@dataclass(frozen=True, eq=False)
class Tied:
    """Values that are tied by symmetry: those with the same label (values × watched tuples)."""

    label: NDArray[np.int32]

    def evened(self, expected: Beliefs) -> Beliefs:
        """Expected rows, in which tied values share what they have together."""
        tuples = np.broadcast_to(np.arange(expected.shape[1]), expected.shape)
        sums, members = np.zeros_like(expected), np.zeros_like(expected)
        np.add.at(sums, (self.label, tuples), expected)
        np.add.at(members, (self.label, tuples), 1.0)
        return (sums / np.maximum(members, 1.0))[self.label, tuples]


def tied_by_symmetry(
    problem: Problem, likelihood: Likelihood, *, steps: int = _STEPS
) -> Tied | None:
    """What is tied; None if nothing is, or nothing was found in so many steps.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.attacks.relative_risk import vertical_problem
    >>> survey = uv.read_table({"age": [30, 34, 30, 41], "vote": ["a", "b", "c", "c"]},
    ...                        quasi="age", sensitive="vote")
    >>> problem = vertical_problem(uv.Permuted.from_groups(survey, [1, 1, 2, 2]), survey)
    >>> tied_by_symmetry(problem, "saturated").label.tolist()  # a and b, of those in group 1
    [[0, 0, 0], [0, 0, 1], [2, 2, 2]]
    >>> problem = vertical_problem(uv.Permuted.from_groups(survey, [1, 2, 2, 1]), survey)
    >>> tied_by_symmetry(problem, "saturated")  # both groups have c, and may have 30
    """
    groups = _groups(problem, likelihood)
    if groups is None:
        return None
    pairs = _candidates(problem.counts)
    finder = _Parts(problem.counts, groups, steps)
    found = [(a, b, finder.tied(a, b)) for a, b in pairs]
    numbers = problem.watched_numbers
    if likelihood != "saturated":
        numbers = np.zeros(problem.watched.shape[1], dtype=np.int64)
    at = [(a, b, (numbers >= 0) & tied[numbers]) for a, b, tied in found if tied.any()]
    if not at:
        return None
    label = np.repeat(np.arange(problem.values, dtype=np.int32)[:, None], len(numbers), axis=1)
    changed = True
    while changed:
        changed = False
        for a, b, tied in at:
            least = np.minimum(label[a], label[b])
            if (tied & ((label[a] != least) | (label[b] != least))).any():
                label[a], label[b] = (np.where(tied, least, label[s]) for s in (a, b))
                changed = True
    return Tied(label)


def _groups(problem: Problem, likelihood: Likelihood) -> Members | None:
    """The tuples that each group may have; None if they are too many to number."""
    if likelihood == "naive-bayes":  # all groups have something in common
        n = len(problem.counts)
        return np.arange(n + 1, dtype=np.int64), np.zeros(n, dtype=np.int32)
    if isinstance(problem, Vertical):
        return problem.start, problem.tuples
    assert isinstance(problem, Horizontal)
    return problem.members


def _candidates(counts: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Pairs of values of which some group has equally many rows, and not none."""
    found: set[tuple[int, int]] = set()
    for row in counts:
        there = np.flatnonzero(row)
        by_number: dict[int, list[int]] = {}
        for value, number in zip(there.tolist(), row[there].tolist(), strict=True):
            by_number.setdefault(number, []).append(value)
        for values in by_number.values():
            found.update((a, b) for i, b in enumerate(values) for a in values[:i])
    return sorted(found)


class _Parts:
    """Linked groups, for one pair of values after the other."""

    def __init__(self, counts: NDArray[np.int64], groups: Members, steps: int) -> None:
        self._counts, (self._start, self._tuples), self._left = counts, groups, steps
        self._with = [np.flatnonzero(column) for column in counts.T]
        self._size = int(self._tuples.max(initial=-1)) + 1

    def tied(self, a: int, b: int) -> NDArray[np.bool_]:
        """The tuples of parts in which all groups have as many rows of the one as of the other."""
        nowhere = np.zeros(self._size, dtype=np.bool_)
        groups = np.union1d(self._with[a], self._with[b])
        even = self._counts[groups, a] == self._counts[groups, b]
        lengths = np.diff(self._start)[groups]
        self._left -= int(lengths.sum())
        if self._left < 0 or not even.any():
            return nowhere
        owner = np.repeat(np.arange(len(groups)), lengths)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        tuples = self._tuples[self._start[groups[owner]] + within]
        # An uneven group spoils its tuples, and a spoilt tuple the groups that may have it.
        while even.any():
            spoilt = nowhere.copy()
            spoilt[tuples[~even[owner]]] = True
            now = np.bincount(owner[spoilt[tuples]], minlength=len(groups)) == 0
            self._left -= len(owner)
            if (now >= even).all():
                fine = nowhere.copy()
                fine[tuples[even[owner]]] = True
                return fine
            even = even & now
        return nowhere
