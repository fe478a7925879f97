"""What the rows of a published table tell besides their cells: sensitive values and numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata._cells import cell_reader
from unveil.microdata._column import Column
from unveil.microdata._distinct import Distinct
from unveil.microdata._encode import MISSING
from unveil.microdata._microdata import Microdata
from unveil.microdata._notations import EMPTY_WORDS
from unveil.microdata._regions import EVERYTHING
from unveil.microdata._release_columns import Empty
from unveil.microdata._release_source import column_cells
from unveil.microdata._sources import Source

__all__ = ["read_secrets", "read_weights"]


def read_secrets(
    column: Column, cells: Distinct, empty: Empty | None, held_by: str
) -> tuple[NDArray[np.int32], int]:
    """Each row's sensitive value, -1 where it is hidden; and how many were taken for missing."""
    domain = cell_reader(column).domain
    missing = -1 if empty == "suppressed" else column.places.get(MISSING, -1)
    codes, empties = [], []
    for position, text in enumerate(cells.texts()):
        code = domain.value(text)
        if code is None and text.strip() in EMPTY_WORDS:
            code = missing
            empties.append(position)
        elif code is None and not text.strip().strip(EVERYTHING):
            code = -1
        elif code is None:
            raise InputError(
                f"row {cells.first_row(position)}: {text!r} is no {column.name} of {held_by}"
                f"{did_you_mean(text, column.texts)}"
            )
        codes.append(code)
    as_missing = cells.count(empties) + int(cells.missing.sum()) if missing >= 0 else 0
    return np.array([*codes, missing], dtype=np.int32)[cells.codes], as_missing


def read_weights(
    source: Source, original: Microdata, count: str | None, *, is_alone: bool
) -> tuple[NDArray[np.int64] | None, list[str]]:
    """How many records each row stands for, if that is not one; and what to tell about it."""
    name = "count" if count is None else count
    if count is None:
        is_a_value = any(column.name == name for column in original.columns)
        if name not in source.arrays or is_a_value:
            return None, []
        if is_alone:
            return None, [
                f"a row is taken for one record, whatever its {name!r} says; if that is a number "
                f"of records, say count={name!r}"
            ]
        if source.n_rows >= len(original):
            return None, []
    cells = column_cells(source, name).distinct
    numbers = [int(text) if text.strip().isdecimal() else 0 for text in cells.texts()]
    weights = np.array([*numbers, 0], dtype=np.int64)[cells.codes]
    if count is None and weights.sum() != len(original):
        return None, []
    if (weights < 1).any():
        row = int(np.argmax(weights < 1))
        what = cells.texts()[cells.codes[row]] if cells.codes[row] >= 0 else ""
        raise InputError(
            f"row {row + 1}, column {name!r} of {source.name}: {what!r} is no number of records"
        )
    return weights, [
        f"a row stands for as many records as its {name!r} says: {source.n_rows:,} rows, "
        f"{weights.sum():,} records"
    ]
