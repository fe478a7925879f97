"""Anatomy's two tables, read as a permuted release."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata._cell_domain import Domain
from unveil.microdata._column import Column, Role
from unveil.microdata._distinct import Distinct, distinct_values
from unveil.microdata._encode import MISSING, Wish, encode
from unveil.microdata._microdata import Microdata
from unveil.microdata._notations import EMPTY_WORDS
from unveil.microdata._options import HierarchiesOption, Names, Options
from unveil.microdata._permuted import Permuted
from unveil.microdata._permuted_checks import check_permuted
from unveil.microdata._permuted_files import files_in
from unveil.microdata._permuted_groups import numbered_groups, refuse_gaps
from unveil.microdata._permuted_names import ColumnNames
from unveil.microdata._release_source import column_cells, open_release
from unveil.microdata._sources import Source

__all__ = ["read_anatomy"]

_COUNT = re.compile(r"(\d{1,15})(?:\.0*)?", re.ASCII)


def read_anatomy(
    quasi_table: Any,
    sensitive_table: Any = None,
    *,
    microdata: Microdata | None = None,
    quasi: Names | None = None,
    sensitive: str | None = None,
    group: str | None = None,
    count: str | None = None,
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    hierarchies: HierarchiesOption = None,
    made_by: str = "somebody",
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Permuted:
    """Read a permuted release: records with exact quasi-identifiers, secrets by group.

    Parameters
    ----------
    quasi_table : path, pandas, polars or Arrow table, or a mapping of columns
        One row a record: its group and its quasi-identifiers. A path leads to a Parquet file
        (``.parquet``, ``.pq``), a CSV file, or a folder that `Permuted.write` has written.
    sensitive_table : likewise, optional
        One row a group and sensitive value: how many records have it. Without it, the first table
        has a column of sensitive values too, whose order within a group means nothing.
    microdata : Microdata, optional
        The original, whose columns and domains are then those of the release. The order of
        records plays no part.
    quasi : str or sequence of str, optional
        Without microdata: the quasi-identifiers; by default all other columns of the first table.
    sensitive : str, optional
        Without microdata: the sensitive column; by default the one other column of the second
        table.
    group, count : str, optional
        The columns with groups (``group`` by default) and with numbers of records (``count``;
        without such a column each row of the second table is one record).
    numeric, ordinal, categorical, hierarchies
        Without microdata: as in `read_csv`.
    made_by : str
        For people.
    delimiter, encoding : str
        Of CSV files; the delimiter is found out by default.

    Raises
    ------
    InputError
        Also if the two tables do not agree, or cannot be made from the microdata. Rows in
        messages are counted from 1, without the header.

    Examples
    --------
    >>> from unveil.microdata import read_anatomy
    >>> records = {"group": [1, 1, 2, 2], "age": [30, 41, 34, 52]}
    >>> secrets = {"group": [1, 1, 2], "vote": ["a", "b", "b"], "count": [1, 1, 2]}
    >>> read_anatomy(records, secrets, made_by="the office")
    Permuted release by the office: 4 records in 2 groups of 2 to 2
      group  records  vote
      1      2        a 1, b 1
      2      2        b 2
    """
    if microdata is not None and not isinstance(microdata, Microdata):
        raise InputError(
            f"microdata must be the original as read_csv or read_table returns it, but got a "
            f"{type(microdata).__name__}"
        )
    records, secrets = _opened(quasi_table, sensitive_table, delimiter, encoding)
    if microdata is None:
        names = ColumnNames(records, secrets, quasi, sensitive, group, count)
        options = Options(
            quasi=names.quasi, sensitive=names.sensitive, identifier=(), numeric=numeric,
            ordinal=ordinal, categorical=categorical, hierarchies=hierarchies, missing="error",
            missing_values=None,
        )  # fmt: skip
        columns, secret = _encoded(records, secrets, names, options)
    else:
        _refuse_said(
            quasi=quasi, sensitive=sensitive, numeric=numeric, ordinal=ordinal,
            categorical=categorical, hierarchies=hierarchies,
        )  # fmt: skip
        known = [column.name for column in microdata.quasi]
        names = ColumnNames(records, secrets, known, microdata.sensitive.name, group, count)
        columns = [_recoded(column, records) for column in microdata.quasi]
        secret = _recoded(microdata.sensitive, secrets)
    groups, group_of, counts = _grouped(records, secrets, secret, names)
    release = Permuted(
        quasi=tuple(columns), sensitive=secret, group_of=group_of, groups=groups, counts=counts,
        made_by=made_by,
    ).in_order()  # fmt: skip
    return release if microdata is None else _of(release, microdata)


def _of(release: Permuted, microdata: Microdata) -> Permuted:
    """The same as a release of this table, if it can be one."""
    check_permuted(release, microdata)
    dropped, notes = len(microdata) - len(release), microdata.notes
    if dropped:
        are = "is" if dropped == 1 else "are"
        notes = (*notes, f"{dropped:,} of {len(microdata):,} records {are} not in the release")
    return replace(release, dropped=dropped, notes=notes)


def _opened(
    quasi_table: Any, sensitive_table: Any, delimiter: str | None, encoding: str
) -> tuple[Source, Source]:
    """The two tables; one twice, if there is but one."""
    if isinstance(quasi_table, str | os.PathLike) and Path(quasi_table).is_dir():
        if sensitive_table is not None:
            raise InputError(f"{str(quasi_table)!r} is a folder: give it alone, or two files")
        quasi_table, sensitive_table = files_in(Path(quasi_table))
    records = open_release(quasi_table, delimiter=delimiter, encoding=encoding)
    if sensitive_table is None:
        return records, records
    secrets = open_release(sensitive_table, delimiter=delimiter, encoding=encoding)
    if secrets.name == records.name:  # two tables in memory: messages have to tell them apart
        records = replace(records, name=f"the quasi-identifiers' {records.name}")
        secrets = replace(secrets, name=f"the sensitive values' {secrets.name}")
    return records, secrets


def _refuse_said(**options: Any) -> None:
    """What the original knows cannot be said once more."""
    said = [f"{name}=" for name, value in options.items() if value is not None and value != ()]
    if said:
        raise InputError(
            f"{said[0]} and microdata= cannot be given together: columns and what they are follow "
            "from the microdata"
        )


def _encoded(
    records: Source, secrets: Source, names: ColumnNames, options: Options
) -> tuple[list[Column], Column]:
    """The columns with domains of their own: the values that are there, or in a hierarchy."""
    column_cells(secrets, names.sensitive)  # or it is missed in both tables below
    arrays = {**records.arrays, names.sensitive: secrets.arrays[names.sensitive]}
    both = records.name if names.one_table else f"{records.name} and {secrets.name}"
    source = replace(records, name=both, arrays=arrays)
    roles, kinds, levels = options.roles(source), options.kinds(source), options.levels(source)
    trees = options.hierarchies_for(source, roles)

    def column(source: Source, name: str) -> Column:
        wish = Wish(
            role=roles[name], kind=kinds.get(name), levels=levels.get(name),
            hierarchy=trees.get(name),
        )  # fmt: skip
        return encode(_distinct(source, name), wish)

    quasi = [column(records, name) for name, role in roles.items() if role is Role.QUASI]
    return quasi, column(secrets, names.sensitive)


def _distinct(source: Source, name: str) -> Distinct:
    if name in source.unreadable:
        raise InputError(
            f"column {name!r} of {source.name} {source.unreadable[name]}: make them all texts or "
            "all numbers"
        )
    column = distinct_values(
        source.arrays[name], name=name, source=source.name, is_text_file=source.is_text_file
    )
    refuse_gaps(column)
    return column


def _recoded(column: Column, source: Source) -> Column:
    """A column of the original with the published codes."""
    cells = column_cells(source, column.name).distinct
    missing = column.places.get(MISSING, -1)
    if missing < 0:
        refuse_gaps(cells)
    domain = Domain(column)
    codes = []
    for position, text in enumerate(cells.texts()):
        code = domain.value(text)
        if code is None and missing >= 0 and text.strip() in EMPTY_WORDS:
            code = missing
        if code is None:
            hint = did_you_mean(text, column.texts) or (
                "; a permuted release has exact values, and generalized cells are read with "
                "read_release"
            )
            raise InputError(
                f"row {cells.first_row(position)}, column {column.name!r} of {source.name}: "
                f"{text!r} is no value of the original{hint}"
            )
        codes.append(code)
    return replace(column, codes=np.array([*codes, missing], dtype=np.int32)[cells.codes])


def _grouped(
    records: Source, secrets: Source, secret: Column, names: ColumnNames
) -> tuple[tuple[str, ...], NDArray[np.int32], NDArray[np.int64]]:
    """The groups, each record's, and how many records of each have each sensitive value."""
    columns = [column_cells(source, names.group).distinct for source in (records, secrets)]
    for column in columns:
        refuse_gaps(column)
    groups, (group_of, group_of_secret) = numbered_groups(columns)
    weights = _weights(secrets, names.count) if names.has_counts else 1
    counts = np.zeros((len(groups), secret.size), dtype=np.int64)
    np.add.at(counts, (group_of_secret, secret.codes), weights)
    sizes, told = np.bincount(group_of, minlength=len(groups)), counts.sum(axis=1)
    for g in np.flatnonzero(sizes != told)[:1]:
        here = (
            f"{sizes[g]:,} {'record' if sizes[g] == 1 else 'records'}" if sizes[g] else "no record"
        )
        there = (
            f"{told[g]:,} sensitive {'value' if told[g] == 1 else 'values'}" if told[g]
            else "no sensitive value"
        )  # fmt: skip
        raise InputError(
            f"group {groups[g]!r} has {here} in {records.name} but {there} in {secrets.name}"
        )
    return groups, group_of, counts


def _weights(secrets: Source, name: str) -> NDArray[np.int64]:
    """How many records each row of the sensitive table stands for."""
    cells = column_cells(secrets, name).distinct
    refuse_gaps(cells)
    numbers = []
    for position, text in enumerate(cells.texts()):
        number = _COUNT.fullmatch(text.strip())
        if number is None:
            raise InputError(
                f"row {cells.first_row(position)}, column {name!r} of {secrets.name}: {text!r} is "
                "no number of records"
            )
        numbers.append(int(number[1]))
    return np.array(numbers, dtype=np.int64)[cells.codes]
