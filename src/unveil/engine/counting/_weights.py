"""Weights of people: one of c rows in a class adds 1/c for each, in whole numbers of parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._contingency import Contingency, Counts, Histograms

_LARGEST = 2**61


def scale_of(rows: NDArray[np.int64], most: int) -> int:
    """A number that all numbers of rows divide, so that 1/c is a whole number of parts.

    Where that would be too large, one so large that rounding does not matter.
    """
    scale = math.lcm(*(int(one) for one in rows))
    return scale if scale * most < _LARGEST else min(2**40, _LARGEST // most)


def parts_of(scale: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """One over the number of rows, in parts."""
    return np.maximum(1, (scale + rows // 2) // rows)


class Weighed(Contingency):
    """Counts of weights: those in the whole table are not the sums of those in the classes."""

    def __init__(self, inner: Contingency, totals: Counts) -> None:
        self.keys, self.secret, self.source, self.notes = inner.keys, inner.secret, inner.source, ()
        self._inner, self._totals = inner, totals

    @property
    def totals(self) -> Counts:
        return self._totals

    def blocks(self) -> Iterator[Histograms]:
        return self._inner.blocks()

    def over(self, keys: Sequence[str]) -> Contingency:
        raise NotImplementedError  # people are in several classes: these cannot be added up

    def where(self, values: Mapping[str, object]) -> Counts:
        return self._inner.where(values)
