"""Estimates of means, shares and differences, each with a 95 % interval.

*What is independent.* People are assumed to be drawn independently. People who were asked about
with the same release share whatever is unusual about that release. If there were several releases,
one without each fold, the variance is computed in several ways, and the widest interval counts:

- over people;
- over folds, whose people share the release that they are held out from: Student's interval, with
  one degree of freedom fewer than there are folds;
- for differences between people inside and the same people outside: over the pairs, and over those
  outside alone. Given the releases, what is guessed about people inside is fixed, and only those
  outside are a sample.

The intervals do not cover *other tables*: the releases of two folds have most of their records in
common, and no unbiased estimate of the resulting variance exists (Y. Bengio and Y. Grandvalet, *No
Unbiased Estimator of the Variance of K-Fold Cross-Validation*, JMLR 5, 2004). A single release is
taken as given.

*Nobody seen is not nobody there.* If n people all behave alike, a share of 1 - 0.025^(1/n) who
behave differently may have been missed by chance. Every interval has at least that much room.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil._text import percent
from unveil.errors import Text
from unveil.findings import Axis, Chart, Figure, Series, Value

CONFIDENCE = 0.95
TAIL = (1 - CONFIDENCE) / 2
"""Probability that the truth lies below an interval; as much lies above."""

FEWEST = 2
"""Fewer do not show how much they vary."""

Folds: TypeAlias = NDArray[np.integer] | None
"""The fold of each person, if there were several releases."""


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


def away_from_mean(
    values: NDArray[np.float64], together: NDArray[np.integer] | None
) -> NDArray[np.float64]:
    """Deviations from the mean, summed over each group of values that depend on each other.

    >>> away_from_mean(np.array([1.0, 2.0, 6.0]), np.array([7, 7, 3])).tolist()
    [3.0, -3.0]
    """
    away: NDArray[np.float64] = values - values.mean()
    if together is None:
        return away
    _, group = np.unique(together, return_inverse=True)
    return np.bincount(group.ravel(), weights=away).astype(np.float64)


def variance_of_mean(sums: NDArray[np.float64], people: int) -> float:
    """The variance of a mean over so many people, from two or more sums of `away_from_mean`.

    >>> variance_of_mean(away_from_mean(np.array([1.0, 2.0, 6.0]), None), 3).__round__(3)
    2.333
    """
    groups = len(sums)
    return float((sums**2).sum() * groups / (groups - 1) / people**2)


def share_of(values: NDArray[np.float64], folds: Folds = None, tail: float = TAIL) -> Estimate:
    """The mean over people of yes and no, or of probabilities, with a binomial interval.

    The interval is that of C. J. Clopper and E. S. Pearson (1934). Probabilities vary less than
    yes and no with the same mean.

    >>> values = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    >>> print(share_of(values))
    0.667 (0.223 to 0.957)
    >>> print(share_of(values, np.array([0, 0, 1, 1, 2, 2])))
    0.667 (0.000 to 1.000)
    """
    from scipy.special import betaincinv

    n, mean = len(values), _mean(values)
    yes = n * mean
    low = float(betaincinv(yes, n - yes + 1, tail)) if yes > 0 else 0.0
    high = float(betaincinv(yes + 1, n - yes, 1 - tail)) if yes < n else 1.0
    half = _half_of_folds(values, folds, tail)
    return Estimate(mean, max(0.0, min(low, mean - half)), min(1.0, max(high, mean + half)))


def mean_of(values: NDArray[np.float64], folds: Folds = None) -> Estimate:
    """The mean over people of numbers from 0 to 1, with Student's interval.

    >>> print(mean_of(np.array([0.2, 0.3, 0.4, 0.3, 0.2, 0.4])))
    0.300 (0.162 to 0.621)
    """
    return _with_room(_mean(values), _half_of_people(values, folds), len(values), 0, 1)


def paired_difference(
    inside: NDArray[np.float64],
    outside: NDArray[np.float64],
    folds: Folds = None,
    tail: float = TAIL,
) -> Estimate:
    """The mean of people's numbers inside minus that of the same people outside.

    >>> inside, outside = np.tile([1.0, 1.0, 0.5, 1.0], 25), np.tile([0.0, 1.0, 0.5, 0.0], 25)
    >>> print(paired_difference(inside, outside))
    0.500 (0.400 to 0.600)
    """
    differences = inside - outside
    half = max(_half_of_people(differences, folds, tail), _half_of_people(outside, None, tail))
    return _with_room(_mean(differences), half, len(differences), -1, 1, tail)


def difference_of(
    first: NDArray[np.float64], second: NDArray[np.float64], tail: float = TAIL
) -> Estimate:
    """The mean of some people's numbers minus that of other people's, with Welch's interval.

    All numbers are from 0 to 1.

    >>> first, second = np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    >>> print(difference_of(first, second))
    0.550 (-0.384 to 1.000)
    """
    sides = first, second
    fewest, half = min(map(len, sides)), math.inf
    if fewest >= FEWEST:
        half = half_of_both([(away_from_mean(values, None), len(values)) for values in sides], tail)
    return _with_room(_mean(first) - _mean(second), half, fewest, -1, 1, tail)


def half_of_both(sides: Sequence[tuple[NDArray[np.float64], int]], tail: float = TAIL) -> float:
    """Half an interval of a difference between two means: sums of `away_from_mean`, and people.

    The degrees of freedom are those of F. E. Satterthwaite (1946), as in Welch's test.
    """
    variances = [variance_of_mean(*side) for side in sides]
    total = sum(variances)
    if total == 0:
        return 0.0
    each = zip(variances, (len(sums) - 1 for sums, _ in sides), strict=True)
    return _student(total**2 / sum(v**2 / d for v, d in each), tail) * math.sqrt(total)


def largest(several: Sequence[Callable[[float], Estimate]]) -> Estimate:
    """The largest of several numbers, each a function from the tail of its interval.

    The lower end allows for the choice of the largest (Bonferroni). The upper end need not: the
    number that is truly the largest has an upper end of its own among them.

    >>> right = [np.tile([1.0, 0.0], 50), np.tile([1.0, 0.0, 1.0, 1.0], 25)]
    >>> print(largest([lambda tail, one=one: share_of(one, tail=tail) for one in right]))
    0.750 (0.640 to 0.831)
    """
    lows = [one(TAIL / len(several)) for one in several]
    highs = [one(TAIL) for one in several]
    return Estimate(
        max(one.value for one in highs),
        max(one.low for one in lows),
        max(one.high for one in highs),
    )


def figured(
    figure: Figure, estimate: Estimate | None, by: str | None = None, people: int | None = None
) -> Value:
    """The value of a figure and its interval, who attains it, and of how many people it is."""
    if estimate is None:
        return figure.of(None)
    return figure.of(estimate.value, low=estimate.low, high=estimate.high, by=by,
                     people=people)  # fmt: skip


def bars(
    release: Text, estimates: Mapping[str, Estimate | None], *, title: str, says: str, y: Axis,
    people: int,
) -> Chart:  # fmt: skip
    """A bar for each estimate, with its interval; of at least so many people."""
    series = []
    for name, one in estimates.items():
        value, low, high = (None,) * 3 if one is None else (one.value, one.low, one.high)
        series.append(Series(name=name, x=[release], y=[value], low=[low], high=[high],
                             people=people))  # fmt: skip
    names = Axis(label="", scale="names")
    return Chart(kind="bars", title=title, says=says, x=names, y=y, series=series)


def _mean(values: NDArray[np.float64]) -> float:
    return math.fsum(values.tolist()) / len(values)


def _half_of_people(values: NDArray[np.float64], folds: Folds, tail: float = TAIL) -> float:
    if len(values) < FEWEST:
        return math.inf
    alone = _half(away_from_mean(values, None), len(values), tail)
    return max(alone, _half_of_folds(values, folds, tail))


def _half_of_folds(values: NDArray[np.float64], folds: Folds, tail: float = TAIL) -> float:
    """Half an interval if folds are what is independent; 0 without several folds."""
    if folds is None or len(np.unique(folds)) < FEWEST:
        return 0.0
    return _half(away_from_mean(values, folds), len(values), tail)


def _half(sums: NDArray[np.float64], people: int, tail: float) -> float:
    return _student(len(sums) - 1, tail) * math.sqrt(variance_of_mean(sums, people))


def _student(freedom: float, tail: float = TAIL) -> float:
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, tail))


def _with_room(
    value: float, half: float, people: int, least: float, most: float, tail: float = TAIL
) -> Estimate:
    """An interval of that half width, with room for people of another kind who were not seen."""
    seen = tail ** (1 / people)
    low = min(value - half, least + (value - least) * seen)
    high = max(value + half, most - (most - value) * seen)
    return Estimate(value, max(float(least), low), min(float(most), high))
