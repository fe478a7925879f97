"""Bernoulli naive Bayes on the target-relative encoding.

Every released record becomes one bit a column: does its cell cover the target's value? The target
itself is all ones. So the model needs, for each column and sensitive value, how many records
cover the target's value, and nothing else. The result equals scikit-learn's ``BernoulliNB`` with
its default add-one smoothing, trained on these bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.adversary._adversary import CountingAdversary
from unveil.microdata import Statistic

__all__ = ["NaiveBayes"]


@dataclass(frozen=True)
class NaiveBayes(CountingAdversary):
    """Bernoulli naive Bayes on whether each cell covers the target's value.

    Examples
    --------
    >>> from unveil.adversary import NaiveBayes
    >>> counts = np.array([[[3, 0], [2, 1]]])        # one target, two columns, two values
    >>> NaiveBayes().from_counts(counts, np.array([3, 1])).round(4)
    array([[0.8663, 0.1337]])
    """

    statistic: ClassVar[Statistic] = Statistic.COVER
    label: ClassVar[str] = "Bernoulli naive Bayes"
    explained: ClassVar[str] = (
        "knows everybody's quasi-identifiers, takes them to be independent given the secret, "
        "and learns from which released cells cover the target's values"
    )

    def from_counts(self, counts: NDArray[Any], totals: NDArray[np.integer]) -> NDArray[np.float64]:
        totals = np.broadcast_to(totals, (len(counts), totals.shape[-1]))
        # The prior, not yet summing to one. Laid out row by row, whatever the number of targets:
        # sums of floating point numbers depend on their order.
        belief = totals.astype(np.float64, order="C")
        for j in range(counts.shape[1]):
            belief *= (counts[:, j] + 1) / (totals + 2)
            belief /= belief.max(axis=1, keepdims=True)  # many columns must not underflow
        return belief / belief.sum(axis=1, keepdims=True)
