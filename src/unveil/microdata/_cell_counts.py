"""How many records have each combination of quasi-identifiers and each sensitive value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["CellCounts", "count_cells"]


@dataclass(frozen=True, eq=False)
class CellCounts:
    """The histogram of a table over the combinations of quasi-identifiers that occur in it.

    Attributes
    ----------
    codes : array of shape (columns, cells)
        The combinations, each once.
    counts : array of shape (cells, sensitive values)
        How many records have each of them.
    cell_of : array
        The cell of each record.
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    cell_of: NDArray[np.intp]

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {cell: place for place, cell in enumerate(_as_bytes(self.codes))}

    def at(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """The counts for people (columns × people), nought where nobody in the table is alike."""
        places = np.array([self._places.get(cell, -1) for cell in _as_bytes(codes)], dtype=np.intp)
        found = np.zeros((codes.shape[1], self.counts.shape[1]), dtype=np.int64)
        found[places >= 0] = self.counts[places[places >= 0]]
        return found


def count_cells(codes: NDArray[np.int32], secrets: NDArray[np.integer], values: int) -> CellCounts:
    """Count the records with these codes (columns × records) and sensitive values."""
    cells, cell_of = np.unique(codes, axis=1, return_inverse=True)
    cell_of = cell_of.ravel().astype(np.intp)
    flat = np.bincount(cell_of * values + secrets, minlength=cells.shape[1] * values)
    return CellCounts(cells, flat.reshape(-1, values), cell_of)


def _as_bytes(codes: NDArray[np.int32]) -> list[bytes]:
    rows = np.ascontiguousarray(codes.T, dtype=np.int32)
    whole, width = rows.tobytes(), rows.shape[1] * 4
    return [whole[at : at + width] for at in range(0, len(whole), width)]
