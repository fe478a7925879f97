"""Smoothed frequency: the shares among the records that fit, one more of each value added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.adversary._adversary import CountingAdversary
from unveil.microdata import Statistic

__all__ = ["SmoothedFrequency"]


@dataclass(frozen=True)
class SmoothedFrequency(CountingAdversary):
    """The share of each sensitive value among the records that cover the target, each plus one.

    So nothing is impossible, and a target that no record covers could be anything. This is the
    adversary of the 2019 report against noisy counts.

    Examples
    --------
    >>> from unveil.adversary import SmoothedFrequency
    >>> counts = np.array([[3, 1], [0, 0]])                        # two targets
    >>> SmoothedFrequency().from_counts(counts, np.array([6, 4]))
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    """

    statistic: ClassVar[Statistic] = Statistic.JOINT
    label: ClassVar[str] = "smoothed frequency"
    explained: ClassVar[str] = (
        "knows everybody's quasi-identifiers and takes the shares among the released records that "
        "cover the target, with one record of each value added"
    )

    def from_counts(self, counts: NDArray[Any], totals: NDArray[np.integer]) -> NDArray[np.float64]:
        smoothed = counts + 1.0
        return smoothed / smoothed.sum(axis=1, keepdims=True)
