"""A published table, read into classes of records that share their cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata._cells import parse_cells
from unveil.microdata._column import Column
from unveil.microdata._distinct import Distinct, distinct_values
from unveil.microdata._microdata import Microdata
from unveil.microdata._release import Release
from unveil.microdata._sources import Source, from_table

__all__ = ["read_release"]


def read_release(table: Any, original: Microdata, *, made_by: str = "somebody") -> Release:
    """Read a table of generalized cells as a release of the original.

    Parameters
    ----------
    table : pandas, polars or Arrow table, or a mapping of columns
        Needs the original's quasi-identifiers and its sensitive column; others are ignored.
    original : Microdata
        Whose domains and hierarchies the cells refer to.
    made_by : str
        For people.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> read_release({"age": ["[30, 39]", "[30, 39]", "*"], "vote": ["a", "b", "a"]}, survey)
    Release by somebody: 3 records in 2 classes of 1 to 2
      age       records
      [30, 39]  2
      *         1
    """
    source = from_table(table)
    if source.n_rows == 0:
        raise InputError(f"{source.name} has no rows")
    read = [_cells(source, column) for column in original.quasi]
    cells = np.stack([column.codes for column in read])
    classes, class_of = np.unique(cells, axis=1, return_inverse=True)
    regions = tuple(
        parse_cells(column, distinct.texts(), distinct.first_row).take(row)
        for column, distinct, row in zip(original.quasi, read, classes, strict=True)
    )
    secret = _cells(source, original.sensitive)
    return Release(
        quasi=original.quasi,
        sensitive=replace(original.sensitive, codes=_secret_codes(original.sensitive, secret)),
        class_of=class_of.ravel().astype(np.int32),
        regions=regions,
        made_by=made_by,
        notes=original.notes,
    )


def _cells(source: Source, column: Column) -> Distinct:
    if column.name not in source.arrays:
        raise InputError(
            f"column {column.name!r} is not in {source.name}"
            f"{did_you_mean(column.name, source.columns)} (columns: {', '.join(source.columns)})"
        )
    if column.name in source.unreadable:
        raise InputError(
            f"column {column.name!r} of {source.name} {source.unreadable[column.name]}"
        )
    distinct = distinct_values(
        source.arrays[column.name], name=column.name, source=source.name, is_text_file=False
    )
    if distinct.missing.any():
        row = int(np.argmax(distinct.missing)) + 1
        raise InputError(
            f"row {row}, column {column.name!r} of {source.name} is empty; "
            "publish * for a cell that says nothing"
        )
    return distinct


def _secret_codes(column: Column, distinct: Distinct) -> NDArray[np.int32]:
    known, texts = column.places, distinct.texts()
    for position, text in enumerate(texts):
        if text not in known:
            raise InputError(
                f"row {distinct.first_row(position)}: {text!r} is no {column.name} of the "
                f"original{did_you_mean(text, known)}"
            )
    return np.array([known[text] for text in texts], dtype=np.int32)[distinct.codes]
