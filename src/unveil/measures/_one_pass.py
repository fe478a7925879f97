"""One pass over the counts for any number of measures.

A measure looks at the classes block by block and, when all have passed, says what it found. So
all measures together cost one grouped count, and none needs all classes in memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import InputError
from unveil.findings import Finding

__all__ = ["ExactSum", "Looking", "entropy", "one_pass", "plog2p"]

F_co = TypeVar("F_co", bound=Finding, covariant=True)


class Looking(Protocol[F_co]):
    """A measure at work."""

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""

    def finding(self) -> F_co:
        """What was found, once all classes have been looked at."""


def one_pass(counts: Contingency, lookings: Sequence[Looking[Finding]]) -> list[Finding]:
    """Show the classes, each once, to all measures; returns their findings in order."""
    if counts.rows == 0:
        raise InputError(f"{counts.source} has no records: there is nothing to measure")
    for block in counts.blocks():
        for looking in lookings:
            looking.look(block)
    return [looking.finding() for looking in lookings]


class ExactSum:
    """A sum that does not depend on the order in which the numbers come, up to the last bit.

    >>> total = ExactSum()
    >>> for part in ([1e16, 1.0], [-1e16]):
    ...     total.add(np.array(part))
    >>> total.value
    1.0
    """

    def __init__(self) -> None:
        self._partial: list[float] = []

    def add(self, numbers: NDArray[np.float64]) -> None:
        """Add numbers."""
        self._partial = _partials([*self._partial, *numbers.tolist()])

    @property
    def value(self) -> float:
        """The sum so far."""
        return math.fsum(self._partial)


def _partials(numbers: list[float]) -> list[float]:
    """A few numbers whose exact sum is that of those given."""
    kept: list[float] = []
    rest = numbers
    # What rounding took away from the sum is a sum of its own, and soon nothing is left.
    while rest:
        total = math.fsum(rest)
        if total == 0.0:
            break
        kept.append(total)
        rest = [*rest, -total]
        if len(kept) == _ENOUGH:
            break
    return kept


_ENOUGH = 3  # 3 × 53 bits: what is dropped is below 2⁻¹⁵⁰ of the sum


def plog2p(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """p · log₂ p, which is 0 at 0."""
    positive = np.where(shares > 0, shares, 1.0)
    return np.asarray(shares * np.log2(positive))


def entropy(counts: NDArray[np.int64]) -> float:
    """Shannon's entropy of a histogram, in bits.

    >>> entropy(np.array([2, 1, 1, 0]))
    1.5
    """
    return max(0.0, -math.fsum(plog2p(counts / counts.sum()).tolist()))
