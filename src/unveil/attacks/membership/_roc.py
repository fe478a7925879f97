"""ROC analysis: how well scores tell members from people held out, with 95 % intervals.

*The area under the curve.* Its variance is that of E. R. DeLong, D. M. DeLong and D. L.
Clarke-Pearson (1988), computed from ranks; for people who were asked about together, that of N. A.
Obuchowski (1997). If one side is small, the variance is itself uncertain: the interval is
Student's, with the degrees of freedom of F. E. Satterthwaite (1946), on the scale of log odds. Of
several attackers, the interval of the largest area allows for the choice (`largest_area`).

*The share of members found at a low rate of false alarms* says more about an attack (N. Carlini et
al., 2022). Two things are uncertain: the threshold that this share of *all* non-members exceed is
known only from those held out, and only some of all members are there. Of n people held out, a
binomial number r exceed the true threshold, so it lies between the r-th and the next of their
scores. Given a threshold, the share of members above it has the interval of C. J. Clopper and E. S.
Pearson (1934). Both are combined by averaging over r. A bootstrap would not do: few people held out
are above the threshold, and resampling them does not show that there might have been none. People
who were asked about together may all exceed the threshold or none of them. Nothing is assumed about
that, so a group counts as one person: the number of groups above the threshold is binomial.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.estimates import FEWEST, TAIL, Estimate, away_from_mean, half_of_both

RATES = (0.01, 0.001)
"""Rates of false alarms at which the share of members found is reported."""

Sides: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp] | None]
"""Scores of members and of those held out, and the groups of the latter."""

_ROUNDING = 1e-9  # 0.001 · 3000 people are three people, whatever floating point says
_NEGLIGIBLE = 1e-13  # a probability that changes nothing


@dataclass(frozen=True, kw_only=True)
class Separation:
    """How well an attacker's scores tell members from people held out.

    Attributes
    ----------
    auc : Estimate
        The share of all pairs of a member and a person held out in which the member has the higher
        score; equal scores count one half. Guessing gives 0.5.
    tpr : dict of float to (Estimate or None)
        For each rate of false alarms, the share of the members found: the threshold is the smallest
        that at most this share of those held out reach. None if there are too few of them.
    advantage : float
        The largest difference between the share of the members and the share of those held out
        that reach a threshold.
    members, held_out : int
        Number of people with a score.
    groups : int
        Number of groups of people held out who were asked about together.
    """

    auc: Estimate
    tpr: dict[float, Estimate | None]
    advantage: float
    members: int
    held_out: int
    groups: int


def separation(
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    *,
    together: NDArray[np.intp] | None = None,
) -> Separation:
    """Compare the scores of members with those of people held out.

    Parameters
    ----------
    members, held_out : arrays
        Scores, at least one each; they may be infinite.
    together : array of int, optional
        For each person held out, the number of their group: people who were asked about together,
        whose scores are not independent.

    Examples
    --------
    >>> found = separation(np.array([0.3, 0.9, 0.9]), np.array([0.1, 0.3]))
    >>> round(found.auc.value, 3), found.tpr[0.01]
    (0.917, None)
    """
    _, fpr, tpr = roc_points(members, held_out)
    return Separation(
        auc=area_under_curve(members, held_out, together),
        tpr={rate: found_at(rate, members, held_out, together) for rate in RATES},
        advantage=float((tpr - fpr).max()),
        members=len(members),
        held_out=len(held_out),
        groups=len(_group_sizes(len(held_out), together)),
    )


def roc_points(
    members: NDArray[np.float64], held_out: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Thresholds from high to low, and the shares of both groups that reach them (FPR, TPR).

    The first threshold is above all scores.
    """
    thresholds = np.unique(np.concatenate([members, held_out]))[::-1]
    fpr, tpr = (_share_reaching(group, thresholds) for group in (held_out, members))
    return (
        np.concatenate([[np.inf], thresholds]),
        np.concatenate([[0.0], fpr]),
        np.concatenate([[0.0], tpr]),
    )


def _share_reaching(
    scores: NDArray[np.float64], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    below = np.searchsorted(np.sort(scores), thresholds, side="left")
    return 1 - below / len(scores)


def _group_sizes(people: int, together: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """The sizes of groups of people who were asked about together; None: each alone.

    >>> _group_sizes(4, np.array([7, 3, 7, 7])).tolist(), _group_sizes(2, None).tolist()
    ([1, 3], [1, 1])
    """
    if together is None:
        return np.ones(people, dtype=np.intp)
    return np.unique(together, return_counts=True)[1]


def area_under_curve(
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    together: NDArray[np.intp] | None,
    tail: float = TAIL,
) -> Estimate:
    """How often a member has a higher score than a person held out; ties count one half.

    >>> print(area_under_curve(np.array([2.0, 3.0, 5.0]), np.array([1.0, 2.0, 4.0]), None))
    0.722 (0.069 to 0.989)
    """
    from scipy.stats import rankdata

    m, n = len(members), len(held_out)
    ranks = rankdata(np.concatenate([members, held_out]))
    # For each member the share of those held out with lower scores, and the other way round.
    over = (ranks[:m] - rankdata(members)) / n
    under = 1 - (ranks[m:] - rankdata(held_out)) / m
    area = float(over.mean())
    sides = (away_from_mean(over, None), m), (away_from_mean(under, together), n)
    fewest = min(len(sums) for sums, _ in sides)
    if fewest < FEWEST:
        return Estimate(area, 0.0, 1.0)
    low, high = _on_log_odds(area, half_of_both(sides, tail))
    # So many pairs without a person in common may all be as they are, with enough probability, if
    # this share of all pairs is like them; the others may go either way.
    seen = tail ** (1 / fewest)
    return Estimate(area, min(low, area * seen), max(high, 1 - (1 - area) * seen))


def largest_area(attackers: Sequence[Sides]) -> Estimate:
    """The largest area under the curve of several attackers, who score the same people.

    The truth is the area of the attacker who is truly the best, and this attacker's own interval
    reaches below the largest high end. But the more attackers there are, the likelier one of them
    is lucky: each has only a share of the probability that a low end is too high.

    >>> one = np.array([2.0, 3.0, 5.0]), np.array([1.0, 2.0, 4.0]), None
    >>> print(largest_area([one]), largest_area([one, one]))
    0.722 (0.069 to 0.989) 0.722 (0.027 to 0.989)
    """
    areas = [area_under_curve(*one) for one in attackers]
    surer = [area_under_curve(*one, tail=TAIL / len(attackers)) for one in attackers]
    return Estimate(
        max(one.value for one in areas),
        max(one.low for one in surer),
        max(one.high for one in areas),
    )


def _on_log_odds(area: float, half: float) -> tuple[float, float]:
    """An interval of that half width, laid around the log odds and read as areas."""
    from scipy.special import expit, logit

    if half == 0 or area in (0, 1):
        return area, area
    middle, half = logit(area), half / (area * (1 - area))
    return float(expit(middle - half)), float(expit(middle + half))


def found_at(
    rate: float,
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    together: NDArray[np.intp] | None,
) -> Estimate | None:
    """The share of members found at a rate of false alarms; None: too few people to show it.

    >>> print(found_at(0.01, np.arange(50.0, 150), np.arange(100.0), None))
    0.510 (0.000 to 0.613)
    """
    m, n = len(members), len(held_out)
    if n * rate < 1 - _ROUNDING:
        return None
    limits, ascending = np.sort(held_out)[::-1], np.sort(members)
    above = m - np.searchsorted(ascending, limits, side="right")
    # The highest score that would be one false alarm too many: members must be above it.
    value = float(above[math.floor(rate * n + _ROUNDING)] / m)
    chances = _false_alarms(rate, _group_sizes(n, together))
    # With r above the true threshold, it is below the r-th score and not below the next.
    surely = np.concatenate([[0], above])[: len(chances)]
    perhaps = np.concatenate([above, [m]])[: len(chances)]
    low, high = _low_end(surely, m, chances), 1 - _low_end(m - perhaps, m, chances)
    return Estimate(value, min(low, value), max(high, value))


def enough_for_a_low_end(rate: float) -> int:
    """How many people must be held out for the interval to begin above 0.

    With fewer it is too likely that none of them is above the true threshold, which then may be
    above all scores.

    >>> enough_for_a_low_end(0.01), enough_for_a_low_end(0.001)
    (368, 3688)
    """
    return math.ceil(math.log(TAIL) / math.log1p(-rate))


def _false_alarms(rate: float, sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """The probabilities of 0, 1, 2, … people above a threshold that each group exceeds at a rate.

    They come from their Fourier transform, which is a product over the groups.

    >>> _false_alarms(0.1, np.array([2, 1, 2])).round(3).tolist()
    [0.729, 0.081, 0.162, 0.018, 0.009, 0.001]
    """
    from scipy.stats import binom

    groups = int(binom.isf(_NEGLIGIBLE, len(sizes), rate))
    numbers = 1 + min(int(sizes.sum()), int(sizes.max()) * groups)
    turn = -2j * np.pi * np.arange(numbers // 2 + 1) / numbers
    transformed = np.ones(len(turn), dtype=np.complex128)
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        transformed *= (1 - rate + rate * np.exp(turn * size)) ** count
    return np.fft.irfft(transformed, numbers).clip(0)


def _low_end(found: NDArray[np.intp], people: int, chances: NDArray[np.float64]) -> float:
    """The lower end of the interval of a share, if ``found`` of ``people`` were counted."""
    from scipy.optimize import brentq
    from scipy.special import betainc

    counts, where = np.unique(found, return_inverse=True)
    weights = np.bincount(where.ravel(), weights=chances)
    nothing = float(weights[counts == 0].sum())
    if nothing >= TAIL:
        return 0.0
    counts, weights = counts[counts > 0], weights[counts > 0]

    def too_large(share: float) -> float:
        below = betainc(counts, people - counts + 1, share)
        return nothing + float(weights @ below) - TAIL

    return float(brentq(too_large, 0, 1))
