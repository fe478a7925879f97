"""A release of counts: for every combination of quasi-identifiers, how many records, noisily.

All combinations of the columns' domains are published, not only those that occur: which ones
occur would give people away. There may be far too many of them to write down, so the noise of a
cell is drawn when somebody looks at it, from a stream of its own that depends on the seed and
the cell alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.microdata._cell_counts import CellCounts
from unveil.microdata._column import Column
from unveil.microdata._release import AnyRelease, Statistic

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NoisyCounts"]

_MOST_CELLS = 1_000_000  # of a table that is written out


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NoisyCounts(AnyRelease):
    """Counts of records with noise from a Laplace distribution, none below zero.

    Attributes
    ----------
    quasi : tuple of Column
    sensitive : Column
    exact : CellCounts
        The counts before noise. They are the sanitizer's secret: what is published is `counts_at`.
    left_out : tuple of (cell, sensitive code), optional
        A record that is in the exact counts and is not to be.
    scale : float
        Of the noise: 1/ε; 0 is no noise.
    seed : int
        Of the noise, and as secret.
    """

    statistics: ClassVar[frozenset[Statistic]] = frozenset({Statistic.JOINT})
    instead: ClassVar[str] = "only counts"

    quasi: tuple[Column, ...]
    sensitive: Column
    exact: CellCounts
    left_out: tuple[int, int] | None = None
    scale: float
    seed: int
    made_by: str = "somebody"
    notes: tuple[str, ...] = ()

    @property
    def n_cells(self) -> int:
        """How many combinations of quasi-identifiers there are in the columns' domains."""
        return math.prod(column.size for column in self.quasi)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """What is known of the values without looking at a cell: nothing, so they are all alike.

        Sums over all cells are of no use: nearly all of what they add up is noise.
        """
        return np.ones(self.sensitive.size, dtype=np.int64)

    def statistic(self, statistic: Statistic, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        if statistic is not Statistic.JOINT:
            raise InputError(
                f"{self.made_by} publishes counts of whole combinations of quasi-identifiers, not "
                "records with cells; use an adversary who counts who fits, such as "
                "smoothed-frequency"
            )
        return self.counts_at(codes)

    def counts_at(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """The published counts for people (columns × people): one row each, one column a value."""
        counts = self.exact.at(codes).astype(np.float64)
        if self.left_out is not None:
            cell, secret = self.left_out
            alike = (codes == self.exact.codes[:, [cell]]).all(axis=0)
            counts[alike, secret] -= 1
        if not self.scale:
            return counts
        cells, which = np.unique(codes, axis=1, return_inverse=True)
        noise = np.stack([self._noise(cell) for cell in cells.T.tolist()])
        return np.maximum(counts + noise[which.ravel()], 0)

    def _noise(self, cell: list[int]) -> NDArray[np.float64]:
        place = 0
        for code, column in zip(cell, self.quasi, strict=True):
            place = place * column.size + code
        # The counter's lowest 64 bits count the draws of one cell.
        bits = np.random.Philox(key=self.seed, counter=(place << 64) % 2**256)
        return np.random.Generator(bits).laplace(0, self.scale, self.sensitive.size)

    def to_frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """The whole table of counts: one row a cell and sensitive value, those at 0 included.

        ``by_class`` is for releases of records; this one has no order that could link.
        """
        import pandas as pd

        if self.n_cells * self.sensitive.size > _MOST_CELLS:
            raise InputError(
                f"{self.made_by} publishes {self.n_cells:,} combinations of quasi-identifiers with "
                f"{self.sensitive.size} values each, too many to write down; take fewer columns, "
                "or put numbers into a few parts with unveil.quantize"
            )
        codes = np.array(list(product(*(range(c.size) for c in self.quasi))), dtype=np.int32).T
        counts = self.counts_at(codes)
        table: dict[str, object] = {
            column.name: np.repeat(column.values[row], self.sensitive.size)
            for column, row in zip(self.quasi, codes, strict=True)
        }
        table[self.sensitive.name] = np.tile(self.sensitive.values, codes.shape[1])
        name = "count in the cell" if "count" in table else "count"
        table[name] = counts.ravel()
        return pd.DataFrame(table)

    @property
    def in_short(self) -> str:
        noise = f"noise of scale {self.scale:g}" if self.scale else "no noise"
        return (
            f"counts by {self.made_by} of {self.n_cells:,} combinations of "
            f"{', '.join(c.name for c in self.quasi)} with {self.sensitive.size} values of "
            f"{self.sensitive.name} each, {noise}"
        )

    def __repr__(self) -> str:
        return "\n".join([f"Release: {self.in_short}", *(f"  {note}" for note in self.notes)])
