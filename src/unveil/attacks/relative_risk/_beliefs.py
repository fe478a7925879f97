"""Beliefs about tuples and records: one form for exact and for sampled answers.

A record is *at risk* if its own sensitive value is the most likely one. In small groups several
values are often equally likely, and how such ties are counted moves the result by percentage
points. They count fully (an attacker who may name all of them would be right), by their share (an
attacker who picks one at random), or not at all. Sampled beliefs are equal only where symmetry
makes them so (`_symmetry`); a tolerance for others that grows with their Monte Carlo errors would
make what is counted depend on the length of the chains.

A number need only be near (`unveil.attacks.tolerance`): a record is then at risk if the guess that
is most likely to be near enough is within the tolerance of its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.tolerance import Guessed, Near

Beliefs: TypeAlias = NDArray[np.float64]
"""Sensitive values × watched tuples."""

Learner: TypeAlias = Literal["joint", "conditional"]
Ties: TypeAlias = Literal["full", "fraction", "none"]

ROUNDING = 1e-9
"""Exact beliefs that differ by less are equal."""

_AT_A_TIME = 2048  # tuples whose beliefs are looked at together


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """Expectations given the release: sensitive values × watched tuples each.

    Attributes
    ----------
    rows : array
        A(s, r): the expected number of rows (s, r).
    density : array
        E[f(r | s, π)], which the learner of eq. 4 is made of.
    conditional : array, optional
        E[f(s | r, π)], the learner of eq. 5, if it was requested.
    """

    rows: Beliefs
    density: Beliefs
    conditional: Beliefs | None = None

    def about(self, place: int | slice) -> Answer:
        """The answer about one of the watched tuples, or some."""
        one, drawn = place if isinstance(place, slice) else [place], self.conditional
        return Answer(
            rows=self.rows[:, one], density=self.density[:, one],
            conditional=None if drawn is None else drawn[:, one],
        )  # fmt: skip


def mean_answer(answers: Sequence[Answer], weights: Sequence[float]) -> Answer:
    """The weighted mean of several answers about the same tuples."""
    whole = sum(weights)

    def mean(tables: Sequence[Beliefs]) -> Beliefs:
        total = tables[0] * (weights[0] / whole)
        for table, weight in zip(tables[1:], weights[1:], strict=True):
            total += table * (weight / whole)
        return total

    drawn = [answer.conditional for answer in answers if answer.conditional is not None]
    return Answer(
        rows=mean([answer.rows for answer in answers]),
        density=mean([answer.density for answer in answers]),
        conditional=mean(drawn) if drawn else None,
    )


def attacker(rows: Beliefs) -> Beliefs:
    """p_A(s | r): the shares of the expected rows; nan if no row can have the tuple."""
    return given_tuple(rows)


def joint_learner(problem: Problem, density: Beliefs) -> Beliefs:
    """p_L(s, r), eq. 4."""
    weights = problem.alpha + problem.totals
    return (weights / weights.sum())[:, None] * density


def learner_of(problem: Problem, answer: Answer, learner: Learner) -> Beliefs:
    """p_L(s | r) of eq. 4 ("joint") or of eq. 5 ("conditional")."""
    if learner == "joint":
        return given_tuple(joint_learner(problem, answer.density))
    assert answer.conditional is not None
    return answer.conditional


def given_tuple(joint: NDArray[np.float64], axis: int = 0) -> NDArray[np.float64]:
    """The shares of the sensitive values (along an axis) for each tuple; nan if they sum to 0."""
    total = joint.sum(axis=axis, keepdims=True)
    return np.divide(joint, total, out=np.full_like(joint, np.nan), where=total > 0)


def saturated_density(problem: Problem, rows: Beliefs) -> Beliefs:
    """E[f(r | s, π)] of the saturated model, which follows from the expected rows."""
    whole = problem.beta * problem.domain.size + problem.totals
    density = problem.beta + rows
    density /= whole[:, None]
    return density


@dataclass(frozen=True, eq=False, kw_only=True)
class AtRisk:
    """The beliefs of one party about records.

    Attributes
    ----------
    beliefs : array (sensitive values × tuples), or function
        nan where there is none. A function gives those about a slice of the tuples: all of many
        people would need gigabytes.
    tuple_of, secret : array
        The tuple and the sensitive value of each record.
    within : float
        Beliefs that differ by less are tied.
    near : Near, optional
        How near a guess must be. Default: it must be the value itself.
    """

    beliefs: Beliefs | Callable[[slice], Beliefs]
    tuple_of: NDArray[np.integer]
    secret: NDArray[np.integer]
    within: float
    near: Near | None = None

    @cached_property
    def _guessed(self) -> Guessed | None:
        """Guesses of numbers; None if guesses must be exact."""
        if self.near is None or self.near.is_exact:
            return None
        return self.near.guess(self._about(slice(None)).T, self.tuple_of, self.secret, self.within)

    def _about(self, some: slice) -> Beliefs:
        return self.beliefs(some) if callable(self.beliefs) else self.beliefs[:, some]

    @property
    def of_truth(self) -> NDArray[np.float64]:
        """The belief in each record's own sensitive value, or near it; nan if there is none."""
        return self._guessed.own if self._guessed is not None else self._looked_at[0]

    @property
    def _first_and_tied(self) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """How many of the best guesses are right about each record, and how many there are."""
        if self._guessed is not None:
            return self._guessed.hits, self._guessed.tied[self.tuple_of]
        return self._looked_at[1:]

    @cached_property
    def _looked_at(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """The belief in each record's own value, whether it is a best guess, and how many are."""
        own = np.full(len(self.tuple_of), np.nan)
        first, several = np.zeros((2, len(own)), dtype=np.int64)
        order = np.argsort(self.tuple_of, kind="stable")
        ordered = self.tuple_of[order]
        last = int(ordered[-1]) + 1 if len(ordered) else 0
        for begin in range(0, last, _AT_A_TIME):
            beliefs = self._about(slice(begin, begin + _AT_A_TIME))
            records = order[slice(*np.searchsorted(ordered, [begin, begin + _AT_A_TIME]))]
            at, secret = self.tuple_of[records] - begin, self.secret[records]
            near = beliefs >= beliefs.max(axis=0) - self.within  # False for nan
            own[records] = beliefs[secret, at]
            first[records] = near[secret, at]
            several[records] = near.sum(axis=0)[at]
        return own, first, several

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Which records' values are among several most likely ones."""
        first, several = self._first_and_tied
        return (first > 0) & (first < several)

    def counted(self, ties: Ties) -> NDArray[np.float64]:
        """1 for each record at risk, 0 for others, and what ``ties`` says for tied ones."""
        first, several = self._first_and_tied
        if ties == "full":
            return (first > 0).astype(np.float64)
        if ties == "none":
            return ((first > 0) & (first == several)).astype(np.float64)
        return np.where(first > 0, first / np.maximum(several, 1), 0.0)
