"""The rows of a generalization by group and sensitive value, each with the tuples it may have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._problem import Horizontal

__all__ = ["Cells", "cells_of"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells:
    """Cells, those of sensitive value s from ``value_start[s]`` on.

    Attributes
    ----------
    value, group, rows : arrays
        Of each cell.
    row_start : array
        Where its rows begin, if they are put one cell after the other.
    first, last : arrays
        Where its tuples are in the problem's list of members; empty where these have no numbers.
    codes : array (tuples × columns)
        Places in a list of the values of all columns.
    """

    value_start: NDArray[np.int64]
    value: NDArray[np.int64]
    group: NDArray[np.int64]
    rows: NDArray[np.int64]
    row_start: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    codes: NDArray[np.int64]

    @property
    def longest(self) -> int:
        """The most tuples that a cell may have."""
        return int((self.last - self.first).max(initial=1))


def cells_of(problem: Horizontal) -> Cells:
    """The cells of a problem."""
    group, value = (part.astype(np.int64) for part in np.nonzero(problem.counts.T)[::-1])
    rows = problem.counts[group, value]
    offset = np.concatenate([[0], np.cumsum(problem.domain.sizes)])[:-1]
    first = last = np.empty(0, dtype=np.int64)
    codes = np.empty((0, len(offset)), dtype=np.int64)
    if problem.members is not None and problem.domain.codes is not None:
        first, last = problem.members[0][group], problem.members[0][group + 1]
        codes = np.ascontiguousarray(problem.domain.codes.T + offset, dtype=np.int64)
    return Cells(
        value_start=np.searchsorted(value, np.arange(problem.values + 1)).astype(np.int64),
        value=value, group=group, rows=rows, first=first, last=last, codes=codes,
        row_start=np.concatenate([[0], np.cumsum(rows)]).astype(np.int64),
    )  # fmt: skip
