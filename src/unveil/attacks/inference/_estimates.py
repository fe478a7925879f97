"""Means of numbers between two ends and their differences, each with a 95 % interval.

*What is independent.* People are taken as drawn independently of each other. Those who were asked
about with one and the same release are so only given that release: whatever is odd about it, it
is for all of them. So if there were several releases, one without each fold, variances are worked
out in several ways, and the widest interval counts:

- of people;
- of folds, whose people share the release that they are held out from: Student's, with one degree
  of freedom less than there are folds;
- for differences between people inside and the same people outside: of the pairs, and of those
  outside alone. If the releases are taken as given, what is guessed about people inside is a fact,
  and only those outside are a sample of people.

It is not the last word about *other tables*: the releases of two folds have most of their records
in common, and no estimate without bias is possible of what that does to the variance (Y. Bengio
and Y. Grandvalet, *No Unbiased Estimator of the Variance of K-Fold Cross-Validation*, JMLR 5,
2004). If there was one release, it is taken as given altogether.

*Nobody seen is not nobody there.* If n people all behave alike, a share of 1 - 0.025^(1/n) who
behave otherwise may have been missed by chance. All intervals have at least that much room.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.membership._estimates import TAIL, Estimate, away_from_mean, variance_of_mean

__all__ = ["difference_of", "mean_of", "paired_difference", "share_of"]

_FEWEST = 2  # one alone does not show by how much they vary

Folds: TypeAlias = NDArray[np.integer] | None
"""The fold of each person, if there were several releases."""


def share_of(values: NDArray[np.float64], folds: Folds = None) -> Estimate:
    """The mean over people of yes and no, or of chances; its interval is that of a binomial share.

    That is the interval of C. J. Clopper and E. S. Pearson (1934): chances vary less than yes and
    no do that have the same mean.

    Examples
    --------
    >>> values = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    >>> print(share_of(values))
    0.667 (0.223 to 0.957)
    >>> print(share_of(values, np.array([0, 0, 1, 1, 2, 2])))
    0.667 (0.000 to 1.000)
    """
    from scipy.special import betaincinv

    n, mean = len(values), _mean(values)
    yes = n * mean
    low = float(betaincinv(yes, n - yes + 1, TAIL)) if yes > 0 else 0.0
    high = float(betaincinv(yes + 1, n - yes, 1 - TAIL)) if yes < n else 1.0
    half = _half_of_folds(values, folds)
    return Estimate(mean, max(0.0, min(low, mean - half)), min(1.0, max(high, mean + half)))


def mean_of(values: NDArray[np.float64], folds: Folds = None) -> Estimate:
    """The mean over people of numbers from 0 to 1, and its interval, Student's.

    Examples
    --------
    >>> print(mean_of(np.array([0.2, 0.3, 0.4, 0.3, 0.2, 0.4])))
    0.300 (0.162 to 0.621)
    """
    return _with_room(_mean(values), _half_of_people(values, folds), len(values), 0, 1)


def paired_difference(
    inside: NDArray[np.float64], outside: NDArray[np.float64], folds: Folds = None
) -> Estimate:
    """By how much the mean of people's numbers inside exceeds that of the same people outside.

    Examples
    --------
    >>> inside, outside = np.tile([1.0, 1.0, 0.5, 1.0], 25), np.tile([0.0, 1.0, 0.5, 0.0], 25)
    >>> print(paired_difference(inside, outside))
    0.500 (0.400 to 0.600)
    """
    differences = inside - outside
    half = max(_half_of_people(differences, folds), _half_of_people(outside, None))
    return _with_room(_mean(differences), half, len(differences), -1, 1)


def difference_of(first: NDArray[np.float64], second: NDArray[np.float64]) -> Estimate:
    """By how much the mean of some people's numbers exceeds that of other people's.

    Both are from 0 to 1. The interval is Welch's.

    Examples
    --------
    >>> first, second = np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    >>> print(difference_of(first, second))
    0.550 (-0.384 to 1.000)
    """
    sides = [(values, len(values)) for values in (first, second)]
    fewest = min(n for _, n in sides)
    half = math.inf
    if fewest >= _FEWEST:
        variances = [variance_of_mean(away_from_mean(values, None), n) for values, n in sides]
        half, total = 0.0, sum(variances)
        if total > 0:
            each = zip(variances, (n - 1 for _, n in sides), strict=True)
            half = _student(total**2 / sum(v**2 / d for v, d in each)) * math.sqrt(total)
    return _with_room(_mean(first) - _mean(second), half, fewest, -1, 1)


def _mean(values: NDArray[np.float64]) -> float:
    return math.fsum(values.tolist()) / len(values)


def _half_of_people(values: NDArray[np.float64], folds: Folds) -> float:
    if len(values) < _FEWEST:
        return math.inf
    return max(_half(away_from_mean(values, None), len(values)), _half_of_folds(values, folds))


def _half_of_folds(values: NDArray[np.float64], folds: Folds) -> float:
    """Half an interval if folds are what is independent; 0 if there are none to compare."""
    if folds is None or len(np.unique(folds)) < _FEWEST:
        return 0.0
    return _half(away_from_mean(values, folds), len(values))


def _half(sums: NDArray[np.float64], people: int) -> float:
    return _student(len(sums) - 1) * math.sqrt(variance_of_mean(sums, people))


def _student(freedom: float) -> float:
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, TAIL))


def _with_room(value: float, half: float, people: int, least: float, most: float) -> Estimate:
    """An interval of that half, wider if so few people would not show that others differ."""
    seen = TAIL ** (1 / people)
    low = min(value - half, least + (value - least) * seen)
    high = max(value + half, most - (most - value) * seen)
    return Estimate(value, max(float(least), low), min(float(most), high))
