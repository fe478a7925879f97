"""A published table, read into classes of records that share their cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata._cells import cell_reader
from unveil.microdata._column import Column
from unveil.microdata._distinct import Distinct
from unveil.microdata._encode import MISSING
from unveil.microdata._microdata import Microdata
from unveil.microdata._notations import EMPTY_WORDS, Notation
from unveil.microdata._regions import EVERYTHING
from unveil.microdata._release import Release
from unveil.microdata._release_checks import check_release
from unveil.microdata._release_columns import CellColumn, Empty, read_column
from unveil.microdata._release_source import column_cells, open_release
from unveil.microdata._sources import Source

__all__ = ["read_release"]

# Said by nobody: a cell is suppressed or it is not.
_SAYABLE = tuple(str(notation) for notation in Notation if notation is not Notation.SUPPRESSED)


def read_release(
    table: Any,
    original: Microdata,
    *,
    made_by: str = "somebody",
    notation: Mapping[str, str] | None = None,
    empty: Empty | None = None,
    count: str | None = None,
    may_change: bool = False,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Release:
    """Read a table of generalized cells as a release of the original.

    How a column's cells are written is found out from all its cells together: intervals
    ``[20, 30)``, ranges ``20-30``, bounds ``>=40`` and ``90+``, masks ``2*``, sets ``{a, b}`` or
    ``a;b``, lists, names of hierarchy nodes, ``*``. `Release.notations` tells. A value of the
    original is that value whatever it looks like, and what remains unclear is refused, with the
    way to say what is meant.

    Parameters
    ----------
    table : path, pandas, polars or Arrow table, or a mapping of columns
        Needs the original's quasi-identifiers and its sensitive column; others are ignored. A
        path leads to a Parquet file (``.parquet``, ``.pq``) or a CSV file.
    original : Microdata
        Whose domains and hierarchies the cells refer to.
    made_by : str
        For people.
    notation : mapping of str to str, optional
        How cells are written in columns where that is not clear: ``"value"``, ``"range"``,
        ``"interval"``, ``"mask"`` (a star is one character), ``"prefix"`` (a star is any number
        of them), ``"set"``, ``"list"`` or ``"node"``. Values and suppressed cells may stand
        beside it.
    empty : {"suppressed", "missing"}, optional
        What an empty cell (or ``NA``, ``null``, ``NaN``) means. By default it is suppressed,
        unless the original keeps missing values as a value of the column.
    count : str, optional
        The column that says how many records a row stands for. By default a row is a record,
        unless the numbers in a column ``count`` add up to the original's records.
    may_change : bool
        Whether sensitive values may have been changed, as noise and swapping do.
    delimiter, encoding : str
        Of a CSV file; the delimiter is found out by default.

    Returns
    -------
    Release
        Rows whose quasi-identifiers are all suppressed are counted in ``suppressed``, records
        that are not there, or there without a sensitive value, in ``dropped``.

    Raises
    ------
    InputError
        Rows in messages are counted from 1, without the header.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> read_release({"age": ["30-39", "30-39", "*"], "vote": ["a", "b", "a"]}, survey)
    Release by somebody: 3 records in 2 classes of 1 to 2
      age    records
      30-39  2
      *      1
      age: ranges like 30-39, suppressed cells
      1 of 3 records is suppressed: all its quasi-identifiers are hidden
    """
    said = _checked(notation, empty, original)
    source = open_release(table, delimiter=delimiter, encoding=encoding)
    columns = [
        read_column(column, column_cells(source, column.name),
                    notation=said.get(column.name), empty=empty)
        for column in original.quasi
    ]  # fmt: skip
    told = column_cells(source, original.sensitive.name).distinct
    secrets, as_missing = _secrets(original.sensitive, told, empty)
    weights, counted = _weights(source, original, count)
    release = _release(original, columns, secrets, weights, made_by)
    check_release(release, original, may_drop=True, may_change=may_change)
    taken = [(c.name, r.as_missing) for c, r in zip(original.quasi, columns, strict=True)]
    notes = [
        *counted,
        *_about_empty([*taken, (original.sensitive.name, as_missing)]),
        *_about_hidden(release, original),
        *_about_uncovered(release, original, columns),
    ]
    return replace(release, notes=(*original.notes, *notes))


def _checked(
    notation: Mapping[str, str] | None, empty: Empty | None, original: Microdata
) -> dict[str, Notation]:
    """What the user said, as far as it can be meant."""
    if empty is not None and empty not in get_args(Empty):
        raise InputError(f"empty must be 'suppressed' or 'missing', but got {empty!r}")
    if notation is not None and not isinstance(notation, Mapping):
        raise InputError(
            f'notation maps columns to words, such as {{"age": "range"}}, but got {notation!r}'
        )
    names = [column.name for column in original.quasi]
    said = {}
    for name, word in (notation or {}).items():
        if name not in names:
            raise InputError(
                f"notation names {name!r}, which is no quasi-identifier"
                f"{did_you_mean(str(name), names)} (those are {', '.join(names)})"
            )
        if word not in _SAYABLE:
            raise InputError(
                f"notation[{name!r}] must be one of {', '.join(_SAYABLE)}, but got {word!r}"
                f"{did_you_mean(str(word), _SAYABLE)}"
            )
        said[name] = Notation(word)
    return said


def _secrets(column: Column, cells: Distinct, empty: Empty | None) -> tuple[NDArray[np.int32], int]:
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
                f"row {cells.first_row(position)}: {text!r} is no {column.name} of the "
                f"original{did_you_mean(text, column.texts)}"
            )
        codes.append(code)
    as_missing = cells.count(empties) + int(cells.missing.sum()) if missing >= 0 else 0
    return np.array([*codes, missing], dtype=np.int32)[cells.codes], as_missing


def _weights(
    source: Source, original: Microdata, count: str | None
) -> tuple[NDArray[np.int64] | None, list[str]]:
    """How many records each row stands for, if that is not one; and what to tell about it."""
    name = "count" if count is None else count
    if count is None and (
        name not in source.arrays
        or source.n_rows >= len(original)
        or any(column.name == name for column in original.columns)
    ):
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


def _release(
    original: Microdata,
    columns: list[CellColumn],
    secrets: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    made_by: str,
) -> Release:
    """The records that tell a secret, in classes that share their cells."""
    told = np.flatnonzero(secrets >= 0)
    rows = told if weights is None else np.repeat(told, weights[told])
    if not len(rows):
        raise InputError(f"no row of the release tells a {original.sensitive.name}")
    classes, class_of = _classes([column.cell_of[rows] for column in columns])
    hidden = np.all([c.hidden[row] for c, row in zip(columns, classes, strict=True)], axis=0)
    return Release(
        quasi=original.quasi,
        sensitive=replace(original.sensitive, codes=secrets[rows]),
        class_of=class_of,
        regions=tuple(c.regions.take(row) for c, row in zip(columns, classes, strict=True)),
        made_by=made_by,
        notations={c.name: r.read_as for c, r in zip(original.quasi, columns, strict=True)},
        suppressed=int(hidden[class_of].sum()),
        dropped=max(0, len(original) - len(rows)),
    )


def _classes(cells: list[NDArray[np.int32]]) -> tuple[list[NDArray[np.int64]], NDArray[np.int32]]:
    """The distinct combinations of cells, column by column, and each row's."""
    class_of = np.zeros(len(cells[0]), dtype=np.int64)
    for column in cells:
        # Numbered anew after each column: so the numbers stay small, whatever the columns.
        pairs = class_of * (int(column.max()) + 1) + column
        _, first, class_of = np.unique(pairs, return_index=True, return_inverse=True)
    return [column[first].astype(np.int64) for column in cells], class_of.astype(np.int32)


def _about_empty(as_missing: list[tuple[str, int]]) -> list[str]:
    return [
        f"{n:,} empty {'cell' if n == 1 else 'cells'} of {name} read as {MISSING!r}, which the "
        'original has; if suppressed, say empty="suppressed"'
        for name, n in as_missing
        if n
    ]


def _about_hidden(release: Release, original: Microdata) -> list[str]:
    notes = []
    if release.suppressed:
        are, their = ("is", "its") if release.suppressed == 1 else ("are", "their")
        notes.append(
            f"{release.suppressed:,} of {len(release):,} records {are} suppressed: all {their} "
            "quasi-identifiers are hidden"
        )
    if release.dropped:
        are = "is" if release.dropped == 1 else "are"
        notes.append(
            f"{release.dropped:,} of {len(original):,} records {are} not in the release, or in it "
            "without a sensitive value"
        )
    return notes


def _about_uncovered(release: Release, original: Microdata, columns: list[CellColumn]) -> list[str]:
    """Values that no cell covers, though each record that is there should be by its own.

    Such are the labels of tools that round their bounds, and means that stand for several values.
    """
    notes = []
    for column, read in zip(original.quasi, columns, strict=True):
        once = np.ones((len(read.regions), 1), dtype=np.int64)
        uncovered = read.regions.cover_counts(once, column.size)[:, 0] == 0
        left_out = uncovered[column.codes]
        if left_out.sum() > release.dropped:
            value = column.texts[column.codes[np.argmax(left_out)]]
            notes.append(
                f"{column.name}: no cell covers the values of {left_out.sum():,} of "
                f"{len(original):,} records, such as {value}; cells are read as they are written"
            )
    return notes
