"""Cells that say nothing, and records that have no other.

A cell of a release is suppressed if it covers every value of its column; a column of a single
value has nothing to suppress, unless it is hidden all the same. In a table that is no release,
whose domains nobody has named, only ``*`` is suppressed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency
from unveil.errors import InputError
from unveil.measures.utility._reach import reach_of
from unveil.microdata import Column, Regions, Release

__all__ = ["hidden_cells", "hidden_classes"]

EVERYTHING = "*"


def hidden_cells(column: Column, regions: Regions) -> NDArray[np.bool_]:
    """For each class, whether its cell of one column is suppressed."""
    if column.size == 1:
        return np.array([text != column.texts[0] for text in regions.texts(column)], dtype=bool)
    return np.asarray(reach_of(regions, column.size).number == column.size)


def hidden_classes(table: Any, counts: Contingency) -> tuple[int, ...]:
    """The sizes of those classes of a counted table that have all their cells suppressed."""
    if not isinstance(table, Release):
        return _with_cells(counts, dict.fromkeys(counts.keys, EVERYTHING))
    columns = {column.name: place for place, column in enumerate(table.quasi)}
    asked = [columns[key] for key in counts.keys]
    hidden = np.all([hidden_cells(table.quasi[j], table.regions[j]) for j in asked], axis=0)
    some = np.flatnonzero(hidden)
    texts = [table.regions[j].take(some).texts(table.quasi[j]) for j in asked]
    # Written alike, they are one class, whatever the release has them in.
    distinct = dict.fromkeys(zip(*texts, strict=True))
    found = (_with_cells(counts, dict(zip(counts.keys, cells, strict=True))) for cells in distinct)
    return tuple(size for sizes in found for size in sizes)


def _with_cells(counts: Contingency, cells: dict[str, str]) -> tuple[int, ...]:
    """The size of the class with these cells, if there is one."""
    try:
        size = int(counts.where(cells).sum())
    except (InputError, TypeError):  # no cell is written so, or the column has no texts at all
        return ()
    return (size,) if size else ()
