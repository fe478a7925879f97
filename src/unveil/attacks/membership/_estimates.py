"""Numbers with intervals, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil._text import percent

__all__ = [
    "CONFIDENCE",
    "TAIL",
    "Estimate",
    "away_from_mean",
    "group_sizes",
    "variance_of_mean",
]

CONFIDENCE = 0.95
TAIL = (1 - CONFIDENCE) / 2
"""How often the truth may lie below an interval, and as often above."""


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


def group_sizes(people: int, together: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """Of how many people the groups are that were asked about together; None: each alone.

    >>> group_sizes(4, np.array([7, 3, 7, 7])).tolist(), group_sizes(2, None).tolist()
    ([1, 3], [1, 1])
    """
    if together is None:
        return np.ones(people, dtype=np.intp)
    return np.unique(together, return_counts=True)[1]


def away_from_mean(
    values: NDArray[np.float64], together: NDArray[np.integer] | None
) -> NDArray[np.float64]:
    """By how much independent values, or groups of values, are away from the mean in sum.

    >>> away_from_mean(np.array([1.0, 2.0, 6.0]), np.array([7, 7, 3])).tolist()
    [3.0, -3.0]
    """
    away: NDArray[np.float64] = values - values.mean()
    if together is None:
        return away
    _, group = np.unique(together, return_inverse=True)
    return np.bincount(group.ravel(), weights=away).astype(np.float64)


def variance_of_mean(sums: NDArray[np.float64], people: int) -> float:
    """The variance of a mean over so many people, from what `away_from_mean` gives: two or more.

    >>> variance_of_mean(away_from_mean(np.array([1.0, 2.0, 6.0]), None), 3).__round__(3)
    2.333
    """
    groups = len(sums)
    return float((sums**2).sum() * groups / (groups - 1) / people**2)
