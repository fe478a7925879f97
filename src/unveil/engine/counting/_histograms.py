"""Classes by what they hold: which sensitive values, and how many records of each.

Every measure of this field is a function of these counts. They are kept as a sparse table, class
after class, for a class of two records has at most two of a thousand sensitive values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Histograms", "sparse"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Histograms:
    """Some classes, and the histogram of sensitive values in each.

    Attributes
    ----------
    start : array, one more than classes
        The cells of class g are those from ``start[g]`` to ``start[g + 1]``; it has at least one.
    codes : array, one a cell
        Which sensitive value; they ascend within a class.
    numbers : array, one a cell
        How many records of the class have it; at least one.
    weights : array, one a class
        How many classes look exactly so. Where an engine has more classes than memory, it counts
        those that look alike, and every measure is still exact.
    key_of : function
        The values of the keys of class g, or of one of the classes that look like it.
    """

    start: NDArray[np.int64]
    codes: NDArray[np.int64]
    numbers: NDArray[np.int64]
    weights: NDArray[np.int64]
    key_of: Callable[[int], tuple[object, ...]]

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each class."""
        return self.add_up(self.numbers)

    @cached_property
    def distinct(self) -> NDArray[np.int64]:
        """How many sensitive values each class has."""
        return np.diff(self.start)

    @cached_property
    def class_of(self) -> NDArray[np.int64]:
        """The class of each cell."""
        return np.repeat(np.arange(len(self)), self.distinct)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """For each cell, the share of its class's records that have the value."""
        return self.numbers / self.sizes[self.class_of]

    def add_up(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Add what is given for each cell, class by class."""
        return np.add.reduceat(cells, self.start[:-1]) if len(self) else cells[:0]

    def largest(self, cells: NDArray[Any]) -> NDArray[Any]:
        """The largest of what is given for the cells of each class."""
        return np.maximum.reduceat(cells, self.start[:-1]) if len(self) else cells[:0]

    def dense(self, g: int, values: int) -> NDArray[np.int64]:
        """The histogram of class g over so many sensitive values, noughts included."""
        row = np.zeros(values, dtype=np.int64)
        part = slice(self.start[g], self.start[g + 1])
        row[self.codes[part]] = self.numbers[part]
        return row

    def merged(self, groups: NDArray[np.int64]) -> Histograms:
        """The same classes, with each sensitive value replaced by its group."""
        return sparse(self.class_of, groups[self.codes], self.numbers, self.weights, self.key_of)


def sparse(
    class_of: NDArray[np.int64],
    codes: NDArray[np.int64],
    numbers: NDArray[np.int64],
    weights: NDArray[np.int64],
    key_of: Callable[[int], tuple[object, ...]],
) -> Histograms:
    """Histograms from (class, value, number) in any order; what is given twice is added up."""
    width = int(codes.max()) + 1 if len(codes) else 1
    cells, place = np.unique(class_of * width + codes, return_inverse=True)
    totals = np.zeros(len(cells), dtype=np.int64)
    np.add.at(totals, place, numbers)
    start = np.searchsorted(cells // width, np.arange(len(weights) + 1))
    return Histograms(
        start=start.astype(np.int64),
        codes=cells % width,
        numbers=totals,
        weights=weights,
        key_of=key_of,
    )
