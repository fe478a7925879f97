"""Intervals of what is counted from sampled beliefs: GR, and the worst relative risk.

Whether a record is at risk depends on which guess is the best, and where two are nearly as good,
noise decides. So the errors of the *differences* are needed, of all tuples and not only of the
panel. They come from *batches*: consecutive states of a chain, long enough that the means of two
batches are nearly independent. How much these differ is the error of the mean of all (Student's
distribution, with one degree of freedom less than there are batches). If the chains' own means
differ by more than that, the larger error counts.

A guess is *possible* if it may be the best: if it falls short of the best sampled one by less than
its error allows (S. S. Gupta's subset selection, 1965). The error allows for all comparisons at
once (Bonferroni). So in at least 95 % of cases the best guess about every tuple is a possible one,
and what is counted lies between the least and the most that possible guesses lead to. No
assumption is made about how near ties are resolved: where many are, the interval is wide, and
longer chains narrow it. Exact ties would never be resolved; those by symmetry are known
(`_symmetry`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit  # scipy.stats takes half a second to import

from unveil.attacks.estimates import CONFIDENCE
from unveil.attacks.relative_risk._beliefs import (
    ROUNDING,
    Answer,
    Beliefs,
    Learner,
    Ties,
    joint_learner,
    saturated_density,
)
from unveil.attacks.relative_risk._chains import Chains
from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._guesses import Guesses
from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.relative_risk._symmetry import Tied

_CELLS = 2**22  # numbers of all batches that are held in memory
_ENOUGH = 10.0  # effective sample size of a batch
_STILL = 1e-12  # the error of what does not move


@dataclass(frozen=True, eq=False, kw_only=True)
class Errors:
    """Monte Carlo standard errors: sensitive values × watched tuples each.

    Attributes
    ----------
    attacker, learner : array
        Of how far a guess falls short of the best; 0 if that does not move.
    ratio : array
        Of the logarithm of p_A / p_L of each value.
    factor : float
        How many standard errors all of them together stay within; infinite if that is not known.
    """

    attacker: NDArray[np.float64]
    learner: NDArray[np.float64]
    ratio: NDArray[np.float64]
    factor: float


def evened(problem: Problem, answer: Answer, tied: Tied | None, likelihood: Likelihood) -> Answer:
    """An answer in which values that are tied by symmetry are."""
    if tied is None:
        return answer
    rows = tied.evened(answer.rows)
    if likelihood != "saturated":
        return replace(answer, rows=rows)
    return replace(answer, rows=rows, density=saturated_density(problem, rows))


def errors_of(
    problem: Problem, chains: Chains, guesses: Guesses, *, tied: Tied | None,
    likelihood: Likelihood, learner: Learner,
) -> Errors:  # fmt: skip
    """The errors of all beliefs, by how much the batches differ."""
    batches, number = chains.batches, len(chains.infos)
    if len(batches) * number * _ENOUGH > chains.diagnostics.least_ess:
        batches = (chains.infos,)  # the states of a chain depend on each other for too long
    answers = [
        evened(problem, info.answer, tied, likelihood) for batch in batches for info in batch
    ]
    weight = np.array([info.kept for batch in batches for info in batch], dtype=np.float64)
    chain = np.tile(np.arange(number), len(batches))
    error = _Error(weight / weight.sum(), chain)
    shape = problem.values, problem.watched.shape[1]
    attacker, below, ratio = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    step = max(1, _CELLS // (len(answers) * problem.values))
    for first in range(0, shape[1], step):
        some = slice(first, first + step)
        a = _shares([one.rows[:, some] for one in answers], error.weight)
        if learner == "joint":
            joint = [joint_learner(problem, one.density[:, some]) for one in answers]
        else:
            joint = [one.conditional[:, some] for one in answers if one.conditional is not None]
        b = _shares(joint, error.weight)
        attacker[:, some] = error.of_shortfall(guesses.chances(a))
        below[:, some] = error.of_shortfall(guesses.chances(b))
        parts = [(guesses.near_own(one), one.sum(axis=1, keepdims=True)) for one in (a, b)]
        ratio[:, some] = error.of_log_ratio(*parts)
    own = np.zeros(shape, dtype=np.bool_)
    own[guesses.secret, guesses.tuple_of] = True
    compared = sum(int((one > 0).sum()) for one in (attacker, below))
    compared += 2 * int(((ratio > 0) & own).sum())
    return Errors(
        attacker=attacker, learner=below, ratio=ratio,
        factor=_factor(len(answers), compared),
    )  # fmt: skip


def _factor(batches: int, compared: int) -> float:
    """The quantile of Student's distribution for so many comparisons at once.

    >>> [round(_factor(n, 1000), 1) for n in (1, 4, 16, 28)]
    [inf, 28.0, 5.2, 4.6]
    """
    if batches < 2:
        return float("inf")
    return float(-stdtrit(batches - 1, (1 - CONFIDENCE) / max(1, compared)))


def _shares(joint: Sequence[Beliefs], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Batches of a joint belief, in units of the mean belief given the tuple; 0 where it is."""
    found = np.stack(joint)
    total = np.tensordot(weight, found, axes=1).sum(axis=0)
    return np.divide(found, total, out=np.zeros_like(found), where=total > 0)


@dataclass(frozen=True, eq=False)
class _Error:
    """The standard error of a weighted mean of batches (axis 0), of several chains."""

    weight: NDArray[np.float64]
    chain: NDArray[np.int64]

    def __call__(self, batches: NDArray[np.float64]) -> NDArray[np.float64]:
        away = batches - np.tensordot(self.weight, batches, axes=1)
        found = self._root(self.weight, away)
        chains = int(self.chain.max()) + 1
        if 1 < chains < len(self.weight):
            own = np.array([self.weight[self.chain == one].sum() for one in range(chains)])
            means = np.stack([
                np.tensordot(self.weight[self.chain == one], away[self.chain == one], axes=1)
                for one in range(chains)
            ])  # fmt: skip
            means /= own.reshape(-1, *[1] * (means.ndim - 1))
            found = np.maximum(found, self._root(own, means))
        return np.where(found > _STILL, found, 0.0)

    @staticmethod
    def _root(weight: NDArray[np.float64], away: NDArray[np.float64]) -> NDArray[np.float64]:
        n = len(weight)
        if n < 2:
            return np.full(away.shape[1:], np.inf)
        root: NDArray[np.float64] = np.sqrt(np.tensordot(weight**2, away**2, axes=1) * n / (n - 1))
        return root

    def of_shortfall(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the difference to the chance that is best on average."""
        first = np.tensordot(self.weight, chances, axes=1).argmax(axis=0)[None]
        found = self(np.take_along_axis(chances, first[None], axis=1) - chances)
        np.put_along_axis(found, first, 0.0, axis=0)
        return found

    def of_log_ratio(
        self,
        above: tuple[NDArray[np.float64], NDArray[np.float64]],
        below: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Of the logarithm of one share over another, linearized; 0 where either is 0.

        A share is given by its part and by the whole, whose mean is 1.
        """
        means = [np.tensordot(self.weight, part, axes=1) for part, _ in (above, below)]
        there = (means[0] > 0) & (means[1] > 0)
        moves = [
            np.divide(part, mean, out=np.zeros_like(part), where=there) - whole
            for (part, whole), mean in zip((above, below), means, strict=True)
        ]
        return np.where(there, self(moves[0] - moves[1]), 0.0)


# What possible guesses lead to ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Possible:
    """Guesses that may be the best (values × tuples), and those that are surely tied with it."""

    guesses: Guesses
    best: NDArray[np.bool_]
    others: NDArray[np.bool_]

    @classmethod
    def by(cls, guesses: Guesses, beliefs: Beliefs, errors: Beliefs, factor: float) -> Possible:
        """What beliefs with these errors leave possible; nothing where there are none."""
        chance = guesses.chances(beliefs[None])[0]
        short = chance.max(axis=0) - chance
        there = chance.max(axis=0) >= 0
        best = (short <= ROUNDING) & (errors == 0) & there
        others = (short <= _off(errors, factor) + ROUNDING) & (chance >= 0) & ~best & there
        return cls(guesses.placed(beliefs), best, others)

    @property
    def _is_certain(self) -> NDArray[np.bool_]:
        """The tuples whose best guesses are known."""
        return np.asarray(~self.others.any(axis=0))

    def counts(self, ties: Ties) -> tuple[float, float]:
        """The least and the most records that may be at risk."""
        least = most = 0.0
        for some, right, people in self.guesses.right():
            low, high = _bounds(self.best[:, some], self.others[:, some], right, people, ties)
            least, most = least + low, most + high
        return least, most

    def records(self, ties: Ties) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which records are surely at risk, and which may be."""
        best, others = self.guesses.hits(self.best), self.guesses.hits(self.others)
        tied = self.best.sum(axis=0)[self.guesses.tuple_of]
        sure = best == tied if ties == "none" else best > 0
        return sure & (tied > 0) & self._is_certain[self.guesses.tuple_of], (best + others) > 0


def _bounds(
    best: NDArray[np.bool_], others: NDArray[np.bool_], right: NDArray[np.float64],
    people: NDArray[np.int64], ties: Ties,
) -> tuple[float, float]:  # fmt: skip
    """The least and the most records that count.

    For each tuple (columns), each guess is ``right`` about so many records out of ``people``.
    """

    def most(which: NDArray[np.bool_]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.where(which, right, 0.0).max(axis=0, initial=0.0)
        return found

    def fewest(which: NDArray[np.bool_]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.where(which, right, np.inf).min(axis=0, initial=np.inf)
        return np.where(which.any(axis=0), found, 0.0)

    tied, certain = best.sum(axis=0), ~others.any(axis=0)
    if ties == "fraction":
        low = high = np.where(best, right, 0.0).sum(axis=0) / np.maximum(tied, 1)
    elif ties == "full":  # what any of the tied guesses is right about
        every = best | others
        whole = np.minimum(np.where(every, right, 0.0).sum(axis=0), people)
        low, high = most(best), whole
    else:  # what all of them are right about
        low, high = np.where(tied <= 1, most(best), 0.0), fewest(best)
    least = np.zeros_like(low) if ties == "none" else np.minimum(low, fewest(others))
    return (float(np.where(certain, low, least).sum()),
            float(np.where(certain, high, np.maximum(high, most(others))).sum()))  # fmt: skip


def _off(errors: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    """How far beliefs with these errors may be off; what does not move is exact."""
    with np.errstate(invalid="ignore"):  # 0 times infinity
        return np.where(errors > 0, factor * errors, 0.0)


def share_within(
    attacker: Possible, learner: Possible, ties: Ties, people: int
) -> tuple[float, float]:
    """The least and the largest GR."""
    (a, b), (c, d) = attacker.counts(ties), learner.counts(ties)
    return max(0.0, (a - d) / people), min(1.0, max(0.0, (b - c) / people))


def ratio_within(
    attacker: Possible, ratios: NDArray[np.float64], errors: NDArray[np.float64], factor: float,
    ties: Ties,
) -> tuple[float, float]:  # fmt: skip
    """The least and the largest worst relative risk; 0 and 0 if surely nobody is at risk."""
    sure, maybe = attacker.records(ties)
    off = _off(errors, factor)
    with np.errstate(over="ignore"):
        low, high = ratios * np.exp(-off), ratios * np.exp(off)

    def largest(which: NDArray[np.bool_], of: NDArray[np.float64]) -> float:
        return float(np.max(of[which], initial=0.0))

    return largest(sure, low), largest(maybe, high)
