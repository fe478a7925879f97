"""Published tables, opened: files, tables in memory, and cells that are objects.

A cell of a table in memory may be a list, a set or one of pandas' intervals. Such cells are
written out as a person would, and read like any other text after that.
"""

from __future__ import annotations

import datetime
import decimal
import math
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from unveil.errors import InputError, did_you_mean
from unveil.microdata._column import value_text
from unveil.microdata._csv import from_csv
from unveil.microdata._distinct import Distinct, distinct_values
from unveil.microdata._sources import Source, from_parquet, from_table, is_parquet

__all__ = ["Cells", "column_cells", "open_release"]

_PLAIN = (str, bool, int, float, np.generic, decimal.Decimal, datetime.date, datetime.time)


def open_release(table: Any, *, delimiter: str | None, encoding: str) -> Source:
    """Open a table, or the file it is in."""
    if isinstance(table, str | os.PathLike):
        if is_parquet(table):
            source = from_parquet(table)
        else:
            source = from_csv(table, delimiter=delimiter, encoding=encoding, skip_unnamed=True)
    else:
        source = from_table(table)
    if source.n_rows == 0:
        raise InputError(f"{source.name} has no rows")
    return source


class Cells(NamedTuple):
    """The distinct cells of one column, blanks around them kept."""

    distinct: Distinct
    has_lists: bool = False
    """Whether some are lists by themselves, and not texts that look like one."""


def column_cells(source: Source, name: str) -> Cells:
    """The cells of one column."""
    if name not in source.arrays:
        raise InputError(
            f"column {name!r} is not in {source.name}"
            f"{did_you_mean(name, source.columns)} (columns: {', '.join(source.columns)})"
        )
    array, has_lists = source.arrays[name], False
    if (intervals := _intervals(array)) is not None:
        array = intervals
    elif name in source.objects or _is_nested(array.type):
        cells = _listed(source.objects.get(name, array))
        has_lists = any(isinstance(cell, list | tuple | np.ndarray) for cell in cells)
        array = _written(cells, name, source.name)
    distinct = distinct_values(array, name=name, source=source.name, is_text_file=False)
    return Cells(distinct, has_lists)


def _is_nested(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_nested(kind)) or kind.__class__.__name__ == "ArrowPeriodType"


def _intervals(array: Any) -> Any:
    """A column of pandas' intervals, such as those ``pd.cut`` makes, as texts; else None."""
    import pyarrow as pa

    kind = array.type
    categories = pa.types.is_dictionary(kind)
    value_type = kind.value_type if categories else kind
    if getattr(value_type, "extension_name", "") != "pandas.interval":
        return None
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    storage = (array.dictionary if categories else array).storage
    sides = value_type.closed in ("left", "both"), value_type.closed in ("right", "both")
    texts = pa.array(
        [
            None if pair is None else _interval_text(pair["left"], pair["right"], *sides)
            for pair in storage.to_pylist()
        ],
        type=pa.large_string(),
    )
    return texts.take(array.indices) if categories else texts


def _interval_text(left: Any, right: Any, low_closed: bool, high_closed: bool) -> str:
    bounds = f"{_text(left)}, {_text(right)}"
    return f"{'[' if low_closed else '('}{bounds}{']' if high_closed else ')'}"


def _written(cells: Iterable[Any], name: str, source: str) -> Any:
    """Cells that are objects of any sort, as texts."""
    import pyarrow as pa

    texts: list[str | None] = []
    for row, cell in enumerate(cells, start=1):
        text = _text(cell)
        if text is None and not _is_missing(cell):
            raise InputError(
                f"row {row}, column {name!r} of {source}: a {type(cell).__name__} cannot be read "
                "as a cell; write it as a text"
            )
        texts.append(text)
    return pa.array(texts, type=pa.large_string())


def _text(cell: Any) -> str | None:
    """A cell in the notation that a person would use; None if it is empty or unheard of."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, set | frozenset):
        return "{" + ", ".join(sorted(_quoted(item, '"') for item in cell)) + "}"
    if isinstance(cell, list | tuple | np.ndarray):
        return "[" + ", ".join(_quoted(item, "'") for item in _listed(cell)) + "]"
    if _is_missing(cell):
        return None
    if isinstance(cell, datetime.datetime):
        return cell.replace(tzinfo=None).isoformat()
    if isinstance(cell, _PLAIN):
        return value_text(cell)
    kind = type(cell).__name__
    if kind == "Interval":
        return _interval_text(cell.left, cell.right, cell.closed_left, cell.closed_right)
    return str(cell) if kind == "Period" else None


def _listed(values: Any) -> list[Any]:
    """Values of Arrow, polars, pandas, numpy or Python, as Python's own."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _quoted(item: Any, mark: str) -> str:
    """One of a list; texts in quotes, so that what stands in them is no notation."""
    if not isinstance(item, str):
        return _text(item) or "None"
    if mark == '"':
        return '"' + item.replace('"', '""') + '"'
    return "'" + item.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating) and math.isnan(cell)
