"""How well scores tell two groups of people apart, with intervals.

The area under the ROC curve has the interval of E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson
(1988), computed from ranks, and for people who were asked about together that of N. A. Obuchowski
(1997). The share of members found at a low rate of false alarms, which says more about an attack
than the area does (N. Carlini et al., 2022), has one by the bootstrap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONFIDENCE", "RATES", "Estimate", "Separation", "percent", "roc_points", "separation"]

CONFIDENCE = 0.95
RATES = (0.01, 0.001)
"""Rates of false alarms at which the share of members found is reported."""

_Z = 1.959963984540054  # of the standard normal distribution, 97.5 % lie below
_TAILS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
_REPLICATES = 2000
_FIRST_LOOK = 64  # people among whom the first false alarm too many is looked for
_ENTRIES = 2**22  # weights of resampled people held at a time
_NEARLY_ALL, _HARDLY_ANY = 0.999, 0.0001
_ROUNDING = 1e-9  # 0.001 · 3000 people are three of them, whatever floating point says


def percent(share: float) -> str:
    """A share with as many digits as tell it from nothing and from everything.

    >>> percent(0.9731), percent(0.0123), percent(0.00042), percent(0.9968)
    ('97%', '1.2%', '0.042%', '99.7%')
    >>> percent(1.0), percent(0.0), percent(0.99995), percent(0.000001)
    ('100%', '0%', 'over 99.9%', 'under 0.01%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if share > _NEARLY_ALL or share < _HARDLY_ANY:
        return "over 99.9%" if share > _NEARLY_ALL else "under 0.01%"
    small = 1 - math.floor(math.log10(100 * share))
    large = -math.floor(math.log10(100 * (1 - share)))
    return f"{share:.{max(0, small, large)}%}"


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval.

    >>> print(Estimate(0.73, 0.712, 0.75))
    0.730 (0.712 to 0.750)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    def in_percent(self) -> str:
        """The same, of shares.

        >>> Estimate(0.0123, 0.0078, 0.0224).in_percent()
        '1.2% (0.78% to 2.2%)'
        """
        return f"{percent(self.value)} ({percent(self.low)} to {percent(self.high)})"


@dataclass(frozen=True, kw_only=True)
class Separation:
    """How well an attacker's scores tell members from people who were held out.

    Attributes
    ----------
    auc : Estimate
        The share of all pairs of a member and somebody held out in which the member has the
        higher score; equal scores count one half. Guessing gives 0.5.
    tpr : dict of float to (Estimate or None)
        For rates of false alarms, the share of the members found: the threshold is the smallest
        that at most this share of those held out reach. None where they are too few to tell.
    advantage : float
        The largest difference between the share of the members and the share of those held out
        that reach a threshold.
    members, held_out : int
        How many of each have a score.
    """

    auc: Estimate
    tpr: dict[float, Estimate | None]
    advantage: float
    members: int
    held_out: int


def separation(
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    *,
    together: NDArray[np.intp] | None = None,
    seed: int = 0,
) -> Separation:
    """Compare the scores of members with those of people who were held out.

    Parameters
    ----------
    members, held_out : arrays
        Scores, at least one each; infinite ones are fine.
    together : array of int, optional
        For each of those held out, a number that they share with those asked about together, and
        whose scores therefore are not independent.
    seed : int
        Of the bootstrap.

    Examples
    --------
    >>> found = separation(np.array([0.3, 0.9, 0.9]), np.array([0.1, 0.3]))
    >>> round(found.auc.value, 3), found.tpr[0.01]
    (0.917, None)
    """
    rng = np.random.default_rng([seed, 3])
    return Separation(
        auc=_area(members, held_out, together),
        tpr={rate: _found(members, held_out, rate, together, rng) for rate in RATES},
        advantage=_advantage(members, held_out),
        members=len(members),
        held_out=len(held_out),
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


def _advantage(members: NDArray[np.float64], held_out: NDArray[np.float64]) -> float:
    _, fpr, tpr = roc_points(members, held_out)
    return float((tpr - fpr).max())


def _area(
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    together: NDArray[np.intp] | None,
) -> Estimate:
    """The area under the curve, and its interval."""
    m, n = len(members), len(held_out)
    ranks = _midranks(np.concatenate([members, held_out]))
    # For each member the share of those held out with lower scores, and the other way round.
    over = (ranks[:m] - _midranks(members)) / n
    under = 1 - (ranks[m:] - _midranks(held_out)) / m
    area = float(over.mean())
    variance = _variance_of_mean(over, None) + _variance_of_mean(under, together)
    half = _Z * math.sqrt(variance)
    return Estimate(area, max(0.0, area - half), min(1.0, area + half))


def _midranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1 up; equal values share the mean of theirs."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = np.cumsum(counts) - (counts - 1) / 2
    return ranks[where.ravel()]


def _variance_of_mean(values: NDArray[np.float64], together: NDArray[np.intp] | None) -> float:
    """Of independent values, or of values that are independent between groups only."""
    away = values - values.mean()
    if together is not None:
        _, group = np.unique(together, return_inverse=True)
        away = np.bincount(group.ravel(), weights=away)
    groups = len(away)
    if groups < 2:  # nothing to see how much they vary by
        return math.inf
    return float((away**2).sum() * groups / (groups - 1) / len(values) ** 2)


def _found(
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    rate: float,
    together: NDArray[np.intp] | None,
    rng: np.random.Generator,
) -> Estimate | None:
    """The share of members found at a rate of false alarms; None: too few to show such a rate."""
    m, n = len(members), len(held_out)
    if n * rate < 1 - _ROUNDING:
        return None
    order = np.argsort(-held_out, kind="stable")
    # The highest score that would be one false alarm too many: members must be above it.
    limits, ascending = held_out[order], np.sort(members)
    k = _above(ascending, limits[[_allowed(rate, n)]])[0]
    if together is None or len(np.unique(together)) == n:
        ranks = _ranks_alone(rate, n, rng)
    else:
        ranks = _ranks_together(rate, together[order], rng)
    # Given the limit, how many of m members drawn anew are above it is a binomial number.
    again = rng.binomial(m, _above(ascending, limits[ranks]) / m) / m
    low, high = (float(q) for q in np.quantile(again, _TAILS))
    # Drawing from none, or from nothing else, says nothing about what was not drawn.
    high = max(high, 1 - _TAILS[0] ** (1 / m)) if k == 0 else high
    low = min(low, _TAILS[0] ** (1 / m)) if k == m else low
    value = float(k / m)
    return Estimate(value, min(low, value), max(high, value))


def _allowed(rate: float, people: float) -> int:
    return math.floor(rate * people + _ROUNDING)


def _above(ascending: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.intp]:
    """How many scores are above each limit."""
    return len(ascending) - np.searchsorted(ascending, limits, side="right")


def _ranks_alone(rate: float, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Where the first score that is one too many stands among n people, if n are drawn of them.

    The places drawn are ⌊n·U⌋ for n uniform numbers U; the one that counts is an order statistic
    of them, whose distribution is known: nobody needs to be drawn.
    """
    allowed = _allowed(rate, n)
    drawn = rng.beta(allowed + 1, n - allowed, _REPLICATES)
    return np.minimum(np.floor(n * drawn), n - 1).astype(np.intp)


def _ranks_together(
    rate: float, together: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """The same, if whole groups of people are drawn; they are given from high scores to low."""
    _, group = np.unique(together, return_inverse=True)
    group, groups = group.ravel(), int(group.max()) + 1
    sizes, even = np.bincount(group), np.full(groups, 1 / groups)
    step = max(1, _ENTRIES // len(group))
    ranks = []
    for first in range(0, _REPLICATES, step):
        drawn = rng.multinomial(groups, even, size=min(step, _REPLICATES - first))
        allowed = np.floor(rate * (drawn @ sizes) + _ROUNDING)
        ranks.append(_one_too_many(drawn, group, allowed))
    return np.concatenate(ranks)


def _one_too_many(
    drawn: NDArray[np.int64], group: NDArray[np.intp], allowed: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Where more people have been counted than allowed, if groups count as often as drawn."""
    width = _FIRST_LOOK
    while True:  # low rates are exceeded early, and all that follows need not be counted
        counted = np.cumsum(drawn[:, group[:width]], axis=1)
        if width >= len(group) or (counted[:, -1] > allowed).all():
            return (counted <= allowed[:, None]).sum(axis=1)
        width *= 2
