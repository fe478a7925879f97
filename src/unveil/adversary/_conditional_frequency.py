"""Conditional frequency: the shares of the sensitive values among the records that fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.adversary._adversary import CountingAdversary
from unveil.microdata import Statistic

__all__ = ["ConditionalFrequency"]


@dataclass(frozen=True)
class ConditionalFrequency(CountingAdversary):
    """The share of each sensitive value among the released records whose cells cover the target.

    A target that no record covers gets the shares in the whole release.

    Examples
    --------
    >>> from unveil.adversary import ConditionalFrequency
    >>> counts = np.array([[3, 1], [0, 0]])                        # two targets
    >>> ConditionalFrequency().from_counts(counts, np.array([6, 4]))
    array([[0.75, 0.25],
           [0.6 , 0.4 ]])
    """

    statistic: ClassVar[Statistic] = Statistic.JOINT
    label: ClassVar[str] = "conditional frequency"
    explained: ClassVar[str] = (
        "knows everybody's quasi-identifiers and takes the shares among the released records that "
        "cover the target, or in the whole release where none does"
    )

    def from_counts(self, counts: NDArray[Any], totals: NDArray[np.integer]) -> NDArray[np.float64]:
        covered = counts.sum(axis=1, keepdims=True)
        counts = np.where(covered > 0, counts, totals)
        return counts / counts.sum(axis=1, keepdims=True)
