"""What cells lose, as whole numbers, so that sums are exact and ties are ties.

A cell that covers v of a column's n values loses (v − 1) / (n − 1): a single value nothing, ``*``
everything. Where ranges are measured by their width, a cell of an ordered column loses its width
over the column's. All of it is taken times one number, the *scale*: the least one that makes all
fractions whole, or 2³² where that is smaller.

How many values a column has must never follow from a record that was left out. Ordinal levels and
the leaves of a categorical hierarchy were declared. Of numbers, and of categories without a
hierarchy, those count that somebody in the table has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Hierarchy, Kind
from unveil.sanitize.recoding._levels import Ladder

__all__ = ["Domain", "Loss", "common_scale", "domain_of", "is_declared"]

Loss: TypeAlias = Literal["values", "width"]

_FINEST = 2**32  # times a record's columns times the records of a table: it fits into 64 bits


@dataclass(frozen=True, eq=False)
class Domain:
    """What a column loses, measured against the values that it has.

    Attributes
    ----------
    there : array
        The codes that count, ascending.
    line : array or None
        Where each code lies, if ranges are measured by their width.
    """

    there: NDArray[np.intp]
    line: NDArray[np.float64] | None

    @property
    def denominator(self) -> int:
        """What makes the losses of this column whole numbers."""
        return max(1, len(self.there) - 1) if self.line is None else _FINEST

    @property
    def everything(self) -> bool:
        """Whether there is anything to lose."""
        return len(self.there) > 1

    def of_ranges(
        self, low: NDArray[np.integer], high: NDArray[np.integer], scale: int
    ) -> NDArray[np.int64]:
        """What is lost by cells from code `low` to code `high`."""
        if not self.everything:
            return np.zeros(low.shape, dtype=np.int64)
        first = np.searchsorted(self.there, low)
        last = np.searchsorted(self.there, high, side="right") - 1
        some = np.minimum(first, len(self.there) - 1)
        if self.line is None:
            lost = (last - some) * scale // (len(self.there) - 1)
        else:
            points = self.line[self.there]
            share = (points[last] - points[some]) / (points[-1] - points[0])
            lost = np.rint(share * scale).astype(np.int64)
        return np.where(first <= last, lost, 0)  # nobody has a cell that covers no value

    def of_levels(self, ladder: Ladder, scale: int) -> NDArray[np.int64]:
        """What each code loses at each level."""
        return self.of_ranges(ladder.low, ladder.high, scale)

    def of_nodes(self, tree: Hierarchy, scale: int) -> NDArray[np.int64]:
        """What is lost by each node of a hierarchy."""
        return self.of_ranges(tree.first, tree.last, scale)


def is_declared(column: Column) -> bool:
    """Whether it is known without looking at any record which values a column has."""
    tree = column.kind is Kind.CATEGORICAL and column.hierarchy is not None
    return column.kind is Kind.ORDINAL or tree


def domain_of(column: Column, loss: Loss, *, lacking: int = -1) -> Domain:
    """The values of a column that count, without one of them if it is lacking."""
    if is_declared(column):
        there = np.arange(column.size)
    else:
        there = np.flatnonzero(np.bincount(column.codes, minlength=column.size))
        there = there[there != lacking]
    return Domain(there, column.positions if loss == "width" and column.is_ordered else None)


def common_scale(domains: Sequence[Domain]) -> int:
    """The scale for these columns.

    >>> common_scale([Domain(np.arange(4), None), Domain(np.arange(3), None)])
    6
    """
    return min(_FINEST, math.lcm(*(domain.denominator for domain in domains)))
