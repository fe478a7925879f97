"""The area under the ROC curve, and its interval.

The variance is that of E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), computed from
ranks, and for people who were asked about together that of N. A. Obuchowski (1997). Where one of
the two sides is of few, it is itself uncertain: the interval is Student's, with the degrees of
freedom of F. E. Satterthwaite (1946), on the scale of log odds, which have no ends.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from unveil.attacks.membership._estimates import (
    TAIL,
    Estimate,
    away_from_mean,
    variance_of_mean,
)

__all__ = ["area_under_curve"]

_FEWEST = 2  # one alone does not show by how much they vary


def area_under_curve(
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    together: NDArray[np.intp] | None,
) -> Estimate:
    """How often a member has a higher score than somebody held out; ties are one half.

    Examples
    --------
    >>> print(area_under_curve(np.array([2.0, 3.0, 5.0]), np.array([1.0, 2.0, 4.0]), None))
    0.722 (0.069 to 0.989)
    """
    m, n = len(members), len(held_out)
    ranks = _midranks(np.concatenate([members, held_out]))
    # For each member the share of those held out with lower scores, and the other way round.
    over = (ranks[:m] - _midranks(members)) / n
    under = 1 - (ranks[m:] - _midranks(held_out)) / m
    area = float(over.mean())
    sides = (away_from_mean(over, None), m), (away_from_mean(under, together), n)
    fewest = min(len(sums) for sums, _ in sides)
    if fewest < _FEWEST:
        return Estimate(area, 0.0, 1.0)
    low, high = _student(area, [variance_of_mean(*side) for side in sides],
                         [len(sums) - 1 for sums, _ in sides])  # fmt: skip
    # So many pairs that share nobody could all be as they are, with chance enough, if among all
    # people this share of pairs were like them; the others may be the one way or the other.
    seen = TAIL ** (1 / fewest)
    return Estimate(area, min(low, area * seen), max(high, 1 - (1 - area) * seen))


def _midranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1 up; equal values share the mean of theirs."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = np.cumsum(counts) - (counts - 1) / 2
    return ranks[where.ravel()]


def _student(area: float, variances: list[float], degrees: list[int]) -> tuple[float, float]:
    """Student's interval of the log odds, as areas."""
    variance = sum(variances)
    if variance == 0 or area in (0, 1):
        return area, area
    freedom = variance**2 / sum(v**2 / d for v, d in zip(variances, degrees, strict=True))
    half = -stdtrit(freedom, TAIL) * math.sqrt(variance) / (area * (1 - area))
    middle = logit(area)
    return float(expit(middle - half)), float(expit(middle + half))
