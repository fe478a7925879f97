"""The original table: one row an individual, every column as integer codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata._cell_counts import CellCounts, count_cells
from unveil.microdata._column import Column, Role

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Microdata"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Microdata:
    """The original table D, read once into codes.

    Made by `read_csv`, `read_parquet` and `read_table`. Records are numbered from 0 in the order
    of the table that was read; an index that table may have had plays no part.

    Attributes
    ----------
    columns : tuple of Column
    rows : array
        For each record, the row of the source it came from (they differ where rows with missing
        values were dropped).
    source : str
        What it was read from, for messages.
    source_rows : int, optional
        How many rows that had, those left out for missing values included.
    notes : tuple of str
        What was decided while reading, such as the meaning of missing values. Printed with
        every result.
    """

    columns: tuple[Column, ...]
    rows: NDArray[np.int64]
    source: str = "table"
    source_rows: int | None = None
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        names = [column.name for column in self.columns]
        raise InputError(
            f"column {name!r} is not in {self.source}{did_you_mean(name, names)} "
            f"(columns: {', '.join(names)})"
        )

    @cached_property
    def quasi(self) -> tuple[Column, ...]:
        """The quasi-identifiers, in the order the user named them."""
        return tuple(column for column in self.columns if column.role is Role.QUASI)

    @cached_property
    def sensitive(self) -> Column:
        """The sensitive column."""
        return next(column for column in self.columns if column.role is Role.SENSITIVE)

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Codes of the quasi-identifiers, one row a column: shape (columns, records)."""
        stacked = np.empty((len(self.quasi), len(self)), dtype=np.int32)
        for j, column in enumerate(self.quasi):
            stacked[j] = column.codes
        return stacked

    @cached_property
    def sensitive_counts(self) -> NDArray[np.int64]:
        """How many records have each sensitive value."""
        return np.bincount(self.sensitive.codes, minlength=self.sensitive.size)

    @cached_property
    def cells(self) -> CellCounts:
        """How many records have each combination of quasi-identifiers, by sensitive value."""
        return count_cells(self.codes, self.sensitive.codes, self.sensitive.size)

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        keys = np.vstack([self.codes, self.sensitive.codes[None, :]])
        by_key = np.lexsort(keys[::-1])
        ordered = keys[:, by_key]
        new = np.ones(len(self), dtype=bool)
        new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
        group = np.empty(len(self), dtype=np.intp)
        group[by_key] = np.cumsum(new) - 1
        return by_key[new], group

    @property
    def distinct(self) -> NDArray[np.intp]:
        """One record for each distinct combination of quasi-identifiers and sensitive value."""
        return self._distinct[0]

    @property
    def distinct_of(self) -> NDArray[np.intp]:
        """For each record, which entry of `distinct` it equals."""
        return self._distinct[1]

    def take(self, records: NDArray[np.intp] | Iterable[int]) -> Microdata:
        """Some of the records, in the order given. Coding and domains stay."""
        kept = np.asarray(records, dtype=np.intp)
        return replace(
            self, columns=tuple(c.take(kept) for c in self.columns), rows=self.rows[kept]
        )

    def without(self, record: int) -> Microdata:
        """Everybody but one: D without i."""
        return self.take(np.delete(np.arange(len(self)), record))

    def to_frame(self) -> pd.DataFrame:
        """The records as a pandas table: quasi-identifiers, sensitive column, others.

        Values are of the types they were read in. Identifiers are left out: they are never used.
        """
        import pandas as pd

        kept = [c for c in self.columns if c.role is not Role.IDENTIFIER]
        domains = [c.values if c.given is None else c.given for c in kept]
        frame = pd.DataFrame({c.name: d[c.codes] for c, d in zip(kept, domains, strict=True)})
        return frame.infer_objects()  # truth values as such, not as objects

    def __repr__(self) -> str:
        lines = [f"Microdata: {len(self):,} records from {self.source}"]
        for column in self.columns:
            tree = f", hierarchy of {column.hierarchy.depth} levels" if column.hierarchy else ""
            lines.append(f"  {column.name}: {column.role}, {column.kind}, "
                         f"{column.size:,} values{tree}")  # fmt: skip
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])
