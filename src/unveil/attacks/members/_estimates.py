"""Numbers with intervals, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil._text import percent

__all__ = ["CONFIDENCE", "TAIL", "Estimate", "group_sizes"]

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
