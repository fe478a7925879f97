"""Reading microdata: from CSV and Parquet files and from tables in memory.

All ways lead through one: the table becomes Arrow columns, the columns become distinct values,
and those become codes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, MissingValuesError
from unveil.microdata._column import Column, Role
from unveil.microdata._csv import from_csv
from unveil.microdata._distinct import Distinct, distinct_values
from unveil.microdata._encode import MISSING, Wish, encode, has_decimal_commas, stray_texts
from unveil.microdata._microdata import Microdata
from unveil.microdata._options import (
    HierarchiesOption,
    Missing,
    MissingValues,
    Names,
    Options,
)
from unveil.microdata._sources import Source, from_parquet, from_table

__all__ = ["read_csv", "read_parquet", "read_table"]

USED = (Role.QUASI, Role.SENSITIVE)


def read_csv(
    path: str | os.PathLike[str],
    *,
    quasi: Names,
    sensitive: str,
    identifier: Names = (),
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    hierarchies: HierarchiesOption = None,
    missing: Missing = "error",
    missing_values: MissingValues = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    columns: Sequence[str] | Mapping[int, str] | None = None,
    comment: str | None = None,
) -> Microdata:
    """Read microdata from a CSV file.

    A column is numeric if all its texts are numbers (or dates such as ``1984-05-23``) and none
    has a leading zero: ``01234`` is a code. All others are categorical. Blanks around a cell do
    not count.

    Parameters
    ----------
    path : path
        May be packed (``.gz`` and what else Arrow unpacks by itself).
    quasi : str or sequence of str
        The quasi-identifiers: what an attacker may know about somebody.
    sensitive : str
        What an attacker wants to know.
    identifier : str or sequence of str
        Columns that name a person. They are never used.
    numeric, categorical : str or sequence of str
        Columns whose kind is not to be found out from their values.
    ordinal : mapping of str to sequence, optional
        Columns whose values have an order, with all their levels from low to high.
    hierarchies : path or mapping, optional
        A folder of hierarchy files (see `read_hierarchies`), or a mapping from columns to a
        `Hierarchy`, a file, or a function that makes one from the distinct values, such as
        `prefix_hierarchy`. The domain of a categorical column is then all leaves.
    missing : {'error', 'drop', 'category'}
        What is done about missing values in the quasi-identifiers and the sensitive column:
        refuse them, leave such records out, or make missing a value of its own.
    missing_values : sequence or mapping of str to sequence, optional
        Which texts mean missing, besides empty cells, in all columns or in each.
    delimiter : str, optional
        Found out from the first lines by default: a comma, semicolon, tab or bar.
    encoding : str
    columns : sequence of str or mapping of int to str, optional
        For files without a header: the names of all columns, or of those at some positions
        (counted from 0), and then only those are read.
    comment : str, optional
        Lines that begin with it are skipped.

    Returns
    -------
    Microdata
        Columns in this order: quasi-identifiers as named, the sensitive one, all others.

    Raises
    ------
    InputError
        Rows in messages are counted from 1, without the header.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "survey.csv"
    >>> _ = file.write_text("age,zip,income\\n31,01234,low\\n45,01299,high\\n,01234,low\\n")
    >>> read_csv(file, quasi=["age", "zip"], sensitive="income", missing="drop")
    Microdata: 2 records from survey.csv
      age: quasi-identifier, numeric, 2 values
      zip: quasi-identifier, categorical, 2 values
      income: sensitive, categorical, 2 values
      1 of 3 records with missing values dropped (age 1)
    """
    source = from_csv(
        path, delimiter=delimiter, encoding=encoding, columns=columns, comment=comment
    )
    options = Options(
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        numeric=numeric,
        ordinal=ordinal,
        categorical=categorical,
        hierarchies=hierarchies,
        missing=missing,
        missing_values=missing_values,
    )
    return _read(source, options)


def read_parquet(
    path: str | os.PathLike[str],
    *,
    quasi: Names,
    sensitive: str,
    identifier: Names = (),
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    hierarchies: HierarchiesOption = None,
    missing: Missing = "error",
    missing_values: MissingValues = None,
) -> Microdata:
    """Read microdata from a Parquet file.

    The options are those of `read_csv`; the kinds follow from the types in the file, as in
    `read_table`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "survey.parquet"
    >>> pq.write_table(pa.table({"age": [31, 45], "income": ["low", "high"]}), file)
    >>> read_parquet(file, quasi="age", sensitive="income")
    Microdata: 2 records from survey.parquet
      age: quasi-identifier, numeric, 2 values
      income: sensitive, categorical, 2 values
    """
    options = Options(
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        numeric=numeric,
        ordinal=ordinal,
        categorical=categorical,
        hierarchies=hierarchies,
        missing=missing,
        missing_values=missing_values,
    )
    return _read(from_parquet(path), options)


def read_table(
    table: Any,
    *,
    quasi: Names,
    sensitive: str,
    identifier: Names = (),
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    hierarchies: HierarchiesOption = None,
    missing: Missing = "error",
    missing_values: MissingValues = None,
) -> Microdata:
    """Read microdata from a table in memory.

    Numbers and dates are numeric; texts, truth values and categories are categorical; categories
    with an order (pandas' ordered categoricals, polars' enums) are ordinal. An index plays no
    part.

    Parameters
    ----------
    table : pandas, polars or Arrow table, any other that narwhals knows, or a mapping
        A mapping goes from column names to sequences of values.
    quasi, sensitive, identifier, numeric, ordinal, categorical, hierarchies, missing, \
missing_values
        As in `read_csv`.

    Examples
    --------
    >>> people = {"age": [31, 45, 45], "sex": ["f", "m", "f"], "income": ["low", "high", "low"]}
    >>> survey = read_table(people, quasi=["age", "sex"], sensitive="income")
    >>> survey["age"].codes.tolist(), survey["age"].values.tolist()
    ([0, 1, 1], [31, 45])
    """
    options = Options(
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        numeric=numeric,
        ordinal=ordinal,
        categorical=categorical,
        hierarchies=hierarchies,
        missing=missing,
        missing_values=missing_values,
    )
    return _read(from_table(table), options)


def _read(source: Source, options: Options) -> Microdata:
    options.check_missing()
    if source.n_rows == 0:
        raise InputError(f"{source.name} has no rows")
    roles = options.roles(source)
    kinds = options.kinds(source)
    levels = options.levels(source)
    trees = options.hierarchies_for(source, roles)
    raw, notes = _distinct_columns(source, roles, options)
    raw, meaning = _settle_missing(raw, roles, options)

    for name, role in roles.items():
        if role in USED and name not in {*kinds, *levels, *trees}:
            notes += _warning_of_words(raw[name])

    def column(name: str) -> Column:
        wish = Wish(
            role=roles[name],
            kind=kinds.get(name),
            levels=levels.get(name),
            hierarchy=trees.get(name),
            missing_is_a_value=options.missing == "category" and roles[name] in USED,
        )
        return encode(raw[name], wish)

    return Microdata(
        columns=tuple(column(name) for name in roles if name in raw),
        rows=next(iter(raw.values())).rows,
        source=source.name,
        source_rows=source.n_rows,
        notes=(*meaning, *notes),
    )


def _warning_of_words(column: Distinct) -> list[str]:
    """One word makes a column of numbers one of words, and that changes every result."""
    if has_decimal_commas(column):
        return [
            f"{column.name} is taken as words, not as numbers, because of its decimal commas; "
            "write them as points"
        ]
    stray = stray_texts(column)
    if not stray:
        return []
    listed = ", ".join(repr(text) for text in sorted(stray)[:3]) + (", …" if stray[3:] else "")
    return [
        f"{column.name} is taken as words, not as numbers, because of {listed}; if that means "
        f'missing, say missing_values={{"{column.name}": ["{sorted(stray)[0]}"]}}'
    ]


def _distinct_columns(
    source: Source, roles: Mapping[str, Role], options: Options
) -> tuple[dict[str, Distinct], list[str]]:
    """The distinct values of all columns; a column of no use that cannot be read is left out."""
    markers = options.markers(source)
    found: dict[str, Distinct] = {}
    notes: list[str] = []
    for name, role in roles.items():
        try:
            if name in source.unreadable:
                raise InputError(
                    f"column {name!r} of {source.name} {source.unreadable[name]}: make them all "
                    "texts or all numbers"
                )
            column = distinct_values(
                source.arrays[name],
                name=name,
                source=source.name,
                is_text_file=source.is_text_file,
            ).without(markers.get(name, ()))
        except InputError:
            if role in USED:
                raise
            notes.append(f"column {name!r} left out: its values cannot be read")
            continue
        if role in USED and column.missing.all():
            raise InputError(f"column {name!r} of {source.name} is empty: it has no value at all")
        found[name] = column
    return found, notes


def _settle_missing(
    columns: dict[str, Distinct], roles: Mapping[str, Role], options: Options
) -> tuple[dict[str, Distinct], list[str]]:
    """Do what the user chose about missing values, and say so."""
    used = [column for name, column in columns.items() if roles[name] in USED]
    gone: NDArray[np.bool_] = np.any([column.missing for column in used], axis=0)
    if not gone.any():
        return columns, []
    counts = ", ".join(f"{c.name} {c.missing.sum():,}" for c in used if c.missing.any())
    how_many = f"{gone.sum():,} of {len(gone):,} records"
    have = "has" if gone.sum() == 1 else "have"
    if options.missing == "error":
        raise MissingValuesError(
            f"{how_many} in {used[0].source} {have} missing values ({counts}); say what is to be "
            'done: missing="drop" leaves these records out, missing="category" makes missing a '
            "value of its own"
        )
    if options.missing == "category":
        return columns, [f"{how_many} {have} missing values ({counts}), kept as {MISSING!r}"]
    if gone.all():
        raise MissingValuesError(
            f'missing="drop" leaves no record of {used[0].source}: each of its {len(gone):,} '
            f"has a missing value ({counts})"
        )
    kept = {name: column.take(~gone) for name, column in columns.items()}
    return kept, [f"{how_many} with missing values dropped ({counts})"]
