"""Ranges of numbers whose ends are compared as *text*, as the reports' relative encoding did.

As text "5" comes after "41", so the cell ``[5, 41]`` covers nobody, and ``[5, 63]`` covers 6 and
55 but neither 7 nor 41.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Intervals

__all__ = ["TextIntervals", "ranks_as_text"]


def ranks_as_text(column: Column) -> NDArray[np.int32]:
    """The place of each code's text among the texts of the column, sorted as texts.

    >>> import unveil as uv
    >>> ages = uv.read_table({"age": [5, 9, 41, 50], "s": list("abab")}, quasi="age", sensitive="s")
    >>> ranks_as_text(ages["age"])                      # "41" < "5" < "50" < "9"
    array([1, 3, 0, 2], dtype=int32)
    """
    ranks = np.empty(column.size, dtype=np.int32)
    ranks[np.argsort(np.array(column.texts))] = np.arange(column.size)
    return ranks


@dataclass(frozen=True, eq=False)
class TextIntervals:
    """From the code ``low`` to the code ``high``, read by somebody who compares texts."""

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    ranks: NDArray[np.int32]
    """The place of each code's text among all of them."""

    def __len__(self) -> int:
        return len(self.low)

    @property
    def _as_read(self) -> Intervals:
        """The intervals of ranks that the reader takes them for; empty where the ends cross."""
        return Intervals(self.ranks[self.low], self.ranks[self.high])

    def covers(self, code: int) -> NDArray[np.bool_]:
        return self._as_read.covers(int(self.ranks[code]))

    def cover_counts(self, counts: NDArray[np.int64], domain: int) -> NDArray[np.int64]:
        return self._as_read.cover_counts(counts, domain)[self.ranks]

    def texts(self, column: Column) -> list[str]:
        """What is published is the same, however it is read."""
        return Intervals(self.low, self.high).texts(column)

    def take(self, rows: NDArray[np.integer]) -> TextIntervals:
        return TextIntervals(self.low[rows], self.high[rows], self.ranks)
