"""What one column of a release becomes when its cells are written as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Features", "bits", "chunks"]

_CHUNK = 2**24  # features of targets that are written out together


@dataclass(frozen=True, eq=False)
class Features:
    """The features of every distinct cell of a column, and those of a target.

    A target's own value counts as the cell that covers it and nothing else.
    """

    rows: NDArray[np.float64]
    """Distinct cells × features."""
    row_of: NDArray[np.intp]
    """The row of each class of the release."""
    of_values: Callable[[NDArray[np.integer]], NDArray[np.float64]]
    """From codes of the column's values to a target's features."""
    real: bool = False
    """Whether they are quantities; if not, they are bits."""

    @property
    def width(self) -> int:
        """How many features there are."""
        return self.rows.shape[1]

    @classmethod
    def of_classes(
        cls,
        features: NDArray[np.float64],
        of_values: Callable[[NDArray[np.integer]], NDArray[np.float64]],
        *,
        real: bool = False,
    ) -> Features:
        """From the features of every class."""
        rows, row_of = np.unique(features, axis=0, return_inverse=True)
        return cls(rows, row_of.ravel(), of_values, real)


def bits(numbers: NDArray[np.int64], largest: int) -> NDArray[np.float64]:
    """Whole numbers from 0 up as bits, the highest first, as many as the largest needs.

    >>> bits(np.array([5, 0, 2]), 5)
    array([[1., 0., 1.],
           [0., 0., 0.],
           [0., 1., 0.]])
    """
    places = np.arange(max(1, largest.bit_length()))[::-1]
    return (numbers[:, None] >> places & 1).astype(np.float64)


def chunks(targets: NDArray[np.intp], width: int) -> list[NDArray[np.intp]]:
    """Targets in pieces, whose features (so many each) do not fill the memory."""
    step = max(1, _CHUNK // width)
    return [targets[first : first + step] for first in range(0, len(targets), step)]
