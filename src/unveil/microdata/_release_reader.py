"""A published table, read into classes of records that share their cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata._microdata import Microdata
from unveil.microdata._notations import Notation
from unveil.microdata._options import HierarchiesOption, Names, Options
from unveil.microdata._release import Release
from unveil.microdata._release_checks import check_release
from unveil.microdata._release_columns import CellColumn, Empty, read_column
from unveil.microdata._release_domains import (
    DomainsOption,
    KnownColumns,
    check_held,
    columns_alone,
)
from unveil.microdata._release_notes import (
    about_empty,
    about_hidden,
    about_uncovered,
    about_untold,
)
from unveil.microdata._release_rows import read_secrets, read_weights
from unveil.microdata._release_source import column_cells, open_release
from unveil.microdata._sources import Source

__all__ = ["read_release"]

# Said by nobody: a cell is suppressed or it is not.
_SAYABLE = tuple(str(notation) for notation in Notation if notation is not Notation.SUPPRESSED)


def read_release(
    table: Any,
    original: Microdata | None = None,
    *,
    quasi: Names | None = None,
    sensitive: str | None = None,
    domains: DomainsOption = None,
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    hierarchies: HierarchiesOption = None,
    made_by: str = "somebody",
    notation: Mapping[str, str] | None = None,
    empty: Empty | None = None,
    count: str | None = None,
    may_change: bool = False,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Release:
    """Read a table of generalized cells as a release: of the original, or all by itself.

    How a column's cells are written is found out from all its cells together: intervals
    ``[20, 30)``, ranges ``20-30``, bounds ``>=40`` and ``90+``, masks ``2*``, sets ``{a, b}`` or
    ``a;b``, lists, names of hierarchy nodes, ``*``. `Release.notations` tells. A value of the
    original is that value whatever it looks like, and what remains unclear is refused, with the
    way to say what is meant.

    Without the original, a column has the values that `domains` says, or the levels in `ordinal`,
    or the leaves of its hierarchy, or those that its cells name: values, members of sets, and the
    whole numbers (or days) from the least to the largest that ranges reach. The last is told in
    `Release.notes`. Where the cells do not tell, as with masks and ``>=90``, it is asked for.

    Parameters
    ----------
    table : path, pandas, polars or Arrow table, or a mapping of columns
        Needs the quasi-identifiers and the sensitive column; others are ignored. A path leads to
        a Parquet file (``.parquet``, ``.pq``) or a CSV file.
    original : Microdata, optional
        Whose domains and hierarchies the cells refer to.
    quasi, sensitive : str or sequence of str, and str
        Without the original: the quasi-identifiers and the sensitive column.
    domains : mapping of str to sequence or Column, optional
        Without the original: which values a column has, in any order and any number of times; the
        column of a register or of other microdata will do. Kinds follow as in `read_table`.
    numeric, ordinal, categorical, hierarchies
        Without the original: as in `read_csv`.
    made_by : str
        For people.
    notation : mapping of str to str, optional
        How cells are written in columns where that is not clear: ``"value"``, ``"range"``,
        ``"interval"``, ``"mask"`` (a star is one character), ``"prefix"`` (a star is any number
        of them), ``"set"``, ``"list"`` or ``"node"``. Values and suppressed cells may stand
        beside it.
    empty : {"suppressed", "missing"}, optional
        What an empty cell (or ``NA``, ``null``, ``NaN``) means. By default it is suppressed,
        unless missing is a value of the column, as the original keeps it.
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
        of the original that are not there, or there without a sensitive value, in ``dropped``.

    Raises
    ------
    InputError
        Rows in messages are counted from 1, without the header.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> published = {"age": ["30-39", "30-39", "*"], "vote": ["a", "b", "a"]}
    >>> read_release(published, survey)
    Release by somebody: 3 records in 2 classes of 1 to 2
      age    records
      30-39  2
      *      1
      age: ranges like 30-39, suppressed cells
      1 of 3 records is suppressed: all its quasi-identifiers are hidden

    The same without the original:

    >>> release = read_release(published, quasi="age", sensitive="vote")
    >>> release.notes[0]
    'age: taken to be the whole numbers from 30 to 39'
    >>> read_release(published, quasi="age", sensitive="vote",
    ...              domains={"age": range(18, 100)}).quasi[0].size
    82
    """
    alone: dict[str, Any] = {
        "quasi": quasi, "sensitive": sensitive, "domains": domains, "numeric": numeric,
        "ordinal": ordinal, "categorical": categorical, "hierarchies": hierarchies,
    }  # fmt: skip
    names = _quasi_names(original, alone)
    said = _checked(notation, empty, names)
    source = open_release(table, delimiter=delimiter, encoding=encoding)
    known = _known(source, original, alone, said, empty)
    template = known.table
    columns = []
    secret = template.sensitive
    cells_of = {one.name: column_cells(source, one.name) for one in (*template.quasi, secret)}
    with _left_out_may_be_meant(original):
        for column in template.quasi:
            cells = cells_of[column.name]
            read = read_column(column, cells, notation=said.get(column.name), empty=empty)
            if original is None:
                check_held(column, cells, read, known.held_by[column.name])
            columns.append(read)
        told = cells_of[secret.name].distinct
        secrets, as_missing = read_secrets(secret, told, empty, known.held_by[secret.name])
    weights, counted = read_weights(source, template, count, is_alone=original is None)
    release = _release(template, columns, secrets, weights, made_by)
    if original is None:
        counted += about_untold(len(secrets), int((secrets < 0).sum()), secret.name)
    else:
        with _left_out_may_be_meant(original):
            check_release(release, original, may_drop=True, may_change=may_change)
    taken = [
        *((c.name, r.as_missing) for c, r in zip(template.quasi, columns, strict=True)),
        (secret.name, as_missing),
    ]
    notes = [
        *counted,
        *about_empty(taken, known.held_by),
        *about_hidden(release, template),
        *about_uncovered(release, template, columns),
    ]
    return replace(release, notes=(*template.notes, *notes))


@contextmanager
def _left_out_may_be_meant(original: Microdata | None) -> Iterator[None]:
    """Say what to do about people in the release who were left out of the original."""
    try:
        yield
    except InputError as error:
        # Notes are there if some were; who else is not there was left out by an attack.
        if original is None or not any("dropped" in note for note in original.notes):
            raise
        raise InputError(
            f"{error}; if it is of people who were left out of the original, for missing values, "
            'keep them there: missing="category"'
        ) from error


def _quasi_names(original: Microdata | None, alone: Mapping[str, Any]) -> list[str]:
    """The names of the quasi-identifiers, from the original or from the user: one of them."""
    if original is None:
        lacking = [name for name in ("quasi", "sensitive") if alone[name] is None]
        if lacking:
            raise InputError(
                f"{' and '.join(f'{name}=' for name in lacking)} must be given without the "
                "original; give it, as read_csv or read_table returns it, or name the columns: "
                "quasi=['age', 'zip'], sensitive='disease'"
            )
        return [alone["quasi"]] if isinstance(alone["quasi"], str) else list(alone["quasi"])
    if not isinstance(original, Microdata):
        raise InputError(
            f"original must be microdata, as read_csv or read_table returns it, but got a "
            f"{type(original).__name__}"
        )
    said = [
        name for name, value in alone.items()
        if value is not None and not (isinstance(value, tuple) and not value)
    ]  # fmt: skip
    if said:
        raise InputError(
            f"{said[0]}= and the original cannot be given together: columns, and which values they "
            "have, follow from the original"
        )
    return [column.name for column in original.quasi]


def _known(
    source: Source,
    original: Microdata | None,
    alone: Mapping[str, Any],
    notation: Mapping[str, Notation],
    empty: Empty | None,
) -> KnownColumns:
    """The columns and their domains: the original's, or what is known without it."""
    if original is not None:
        columns = (*original.quasi, original.sensitive)
        return KnownColumns(table=original, held_by={c.name: "the original" for c in columns})
    said = {name: value for name, value in alone.items() if name != "domains"}
    options = Options(**said, identifier=(), missing="error", missing_values=None)
    return columns_alone(source, options, alone["domains"], notation, empty)


def _checked(
    notation: Mapping[str, str] | None, empty: Empty | None, names: Sequence[str]
) -> dict[str, Notation]:
    """What the user said, as far as it can be meant."""
    if empty is not None and empty not in get_args(Empty):
        raise InputError(f"empty must be 'suppressed' or 'missing', but got {empty!r}")
    if notation is not None and not isinstance(notation, Mapping):
        raise InputError(
            f'notation maps columns to words, such as {{"age": "range"}}, but got {notation!r}'
        )
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
