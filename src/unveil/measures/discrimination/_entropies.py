"""What a class leaves open of the secret, in bits, and the rate that follows from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import InputError
from unveil.measures._one_pass import ExactSum, entropy, plog2p

__all__ = ["ConditionalEntropy", "check_apart", "class_entropies", "discrimination"]

_LAST_BITS = 4 * np.finfo(np.float64).eps


def class_entropies(block: Histograms) -> NDArray[np.float64]:
    """H(X|y) of each class."""
    # What is not negative may come out so by the last bit.
    return np.maximum(0.0, -block.add_up(plog2p(block.shares)))


def discrimination(left: float, whole: float) -> float | None:
    """1 − left / whole, which is undefined where there was nothing to tell.

    >>> discrimination(1.5849625007211560, 1.5849625007211562), discrimination(0.5, 2.0)
    (0.0, 0.75)
    """
    if whole == 0.0:
        return None
    # It is between 0 and 1 by theory, and rounding shall not say otherwise; nor shall it say that
    # something is told where nothing is.
    rate = 1.0 - left / whole
    return 0.0 if rate < _LAST_BITS else min(1.0, rate)


def check_apart(counts: Contingency) -> None:
    """Refuse classes that overlap: p(y) does not add up to 1 over them."""
    if counts.overlapping:
        raise InputError(
            "the discrimination rate needs classes that do not overlap: count without wildcard=, "
            "so that a suppressed cell is a value of its own"
        )


class ConditionalEntropy:
    """H(X|Y) = Σ p(y) H(X|y), a block at a time."""

    def __init__(self, counts: Contingency) -> None:
        self.rows = counts.rows
        self.whole = entropy(counts.totals) if self.rows else 0.0
        self._left = ExactSum()

    def look(self, block: Histograms) -> NDArray[np.float64]:
        """Take some classes into account; returns H(X|y) of each of them."""
        entropies = class_entropies(block)
        self._left.add(block.weights * (block.sizes / self.rows * entropies))
        return entropies

    @property
    def left(self) -> float:
        """H(X|Y), once all classes have been looked at."""
        return self._left.value

    @property
    def rate(self) -> float | None:
        """The discrimination rate, or None where it is undefined."""
        return discrimination(self.left, self.whole)
