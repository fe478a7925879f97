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

from unveil._text import counted
from unveil.errors import Cell, File, InputError, Listed, Message, Option, Row, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import column_cells, open_release
from unveil.microdata._cells import Domain
from unveil.microdata._distinct import distinct_of
from unveil.microdata._encode import MISSING, encode
from unveil.microdata._extras import extras_of
from unveil.microdata._messages import Worded, must, value_meant
from unveil.microdata._microdata import Column, Microdata, Role, distinct_rows
from unveil.microdata._notations import EMPTY_WORDS
from unveil.microdata._permuted import (
    FILE_NAMES,
    Permuted,
    free_name,
    numbered_groups,
    refuse_gaps,
)
from unveil.microdata._readers import HierarchiesOption, Names, Options, check_original
from unveil.microdata._release import same_domains
from unveil.microdata._sources import Source, is_unnamed

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
    forms: Mapping[str, str] | None = None,
    hierarchies: HierarchiesOption = None,
    made_by: str = "somebody",
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Permuted:
    """Read a permuted release: records with exact quasi-identifiers, sensitive values by group.

    Parameters
    ----------
    quasi_table : path, pandas, polars or Arrow table, or a mapping of columns
        One row per record: its group and its quasi-identifiers. A path is a Parquet file
        (``.parquet``, ``.pq``), a CSV file, or a folder that `Permuted.write` has written.
    sensitive_table : likewise, optional
        One row per group and sensitive value: the number of records. Default: the first table has
        a column of sensitive values too, whose order within a group has no meaning.
    microdata : Microdata, optional
        The original, whose columns and domains the release then has. The order of records is
        ignored.
    quasi : str or sequence of str, optional
        Without microdata: the quasi-identifiers. Default: all other columns of the first table.
    sensitive : str, optional
        Without microdata: the sensitive column. Default: the one other column of the second table.
    group, count : str, optional
        The columns with groups (default ``group``) and with numbers of records (default ``count``;
        without such a column each row of the second table is one record).
    numeric, ordinal, categorical, forms, hierarchies
        Without microdata: as in `read_csv`.
    made_by : str
        Name of the sanitizer.
    delimiter, encoding : str, optional
        For CSV files. Default delimiter: detected.

    Raises
    ------
    InputError
        Also if the two tables contradict each other, or cannot be made from the microdata. Rows
        are counted from 1, without the header.

    Examples
    --------
    >>> from unveil.microdata import read_anatomy
    >>> records = {"group": [1, 1, 2, 2], "age": [30, 41, 34, 52]}
    >>> secrets = {"group": [1, 1, 2], "vote": ["a", "b", "b"], "count": [1, 1, 2]}
    >>> read_anatomy(records, secrets, made_by="the office")
    Permuted release by the office: 4 records in 2 groups of 2
      group  records  vote
      1      2        a 1, b 1
      2      2        b 2
    """
    kinds: dict[str, Any] = {
        "numeric": numeric, "ordinal": ordinal, "categorical": categorical, "forms": forms,
        "hierarchies": hierarchies,
    }  # fmt: skip
    check_original("microdata", microdata, {"quasi": quasi, "sensitive": sensitive, **kinds})
    records, secrets = _opened(quasi_table, sensitive_table, delimiter, encoding)
    if microdata is None:
        names = _ColumnNames(records, secrets, quasi, sensitive, group, count)
        options = Options(quasi=names.quasi, sensitive=names.sensitive, **kinds)
        columns, secret = _encoded(records, secrets, names, options)
    else:
        known = [column.name for column in microdata.quasi]
        names = _ColumnNames(records, secrets, known, microdata.sensitive.name, group, count)
        columns = [_recoded(column, records) for column in microdata.quasi]
        secret = _recoded(microdata.sensitive, secrets)
    groups, group_of, counts = _grouped(records, secrets, secret, names)
    known = [column.name for column in columns]
    counted_by = [names.count] if names.has_counts else []
    doubts = records.notes if names.one_table else (*records.notes, *secrets.notes)
    release = Permuted(
        quasi=tuple(columns), sensitive=secret, group_of=group_of, groups=groups, counts=counts,
        made_by=made_by, notes=doubts, extras=extras_of(
            (records, [names.group, *known]), (secrets, [names.group, secret.name, *counted_by])
        ),
    ).in_order()  # fmt: skip
    return release if microdata is None else _of(release, microdata)


def _of(release: Permuted, microdata: Microdata) -> Permuted:
    """The same, as a release of this table; refused if it cannot be one."""
    check_permuted(release, microdata)
    dropped = len(microdata) - len(release)
    notes: tuple[Text, ...] = (*microdata.notes, *release.notes)
    if dropped:
        are = "is" if dropped == 1 else "are"
        notes = (*notes, f"{dropped:,} of {len(microdata):,} records {are} not in the release")
    return replace(release, dropped=dropped, notes=notes)


def _opened(
    quasi_table: Any, sensitive_table: Any, delimiter: str | None, encoding: str | None
) -> tuple[Source, Source]:
    """The two tables; twice the same if there is only one."""
    if isinstance(quasi_table, str | os.PathLike) and Path(quasi_table).is_dir():
        if sensitive_table is not None:
            raise InputError("{folder} is a folder; give it alone, or give two files",
                             folder=File(quasi_table))  # fmt: skip
        quasi_table, sensitive_table = _files_in(Path(quasi_table))
    records = open_release(quasi_table, delimiter=delimiter, encoding=encoding)
    if sensitive_table is None:
        return records, records
    secrets = open_release(sensitive_table, delimiter=delimiter, encoding=encoding)
    if secrets.name == records.name:  # two tables in memory: messages must distinguish them
        records = replace(records, name=f"the quasi-identifiers' {records.name}")
        secrets = replace(secrets, name=f"the sensitive values' {secrets.name}")
    return records, secrets


def _encoded(
    records: Source, secrets: Source, names: _ColumnNames, options: Options
) -> tuple[list[Column], Column]:
    """The columns with domains of their own: the values that occur, or a hierarchy's leaves."""
    column_cells(secrets, names.sensitive)  # or a message would name both tables
    arrays = {**records.arrays, names.sensitive: secrets.arrays[names.sensitive]}
    both = records.name if names.one_table else f"{records.name} and {secrets.name}"
    wishes = options.wishes(replace(records, name=both, arrays=arrays))

    def column(source: Source, name: str) -> Column:
        values = distinct_of(source, name)
        refuse_gaps(values)
        return encode(values, wishes[name])

    quasi = [column(records, name) for name, wish in wishes.items() if wish.role is Role.QUASI]
    return quasi, column(secrets, names.sensitive)


def _recoded(column: Column, source: Source) -> Column:
    """A column of the original with the published codes."""
    cells = column_cells(source, column.name)
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
            hint = value_meant(text, column.texts) or Worded(
                "; a permuted release has exact values; read generalized cells with read_release",
                typed="; a permuted release has exact values; for generalized cells use "
                "--published",
            )
            raise InputError(
                "{row}, {where}: {value} is not a value of the original{hint}",
                row=Row(cells.first_row(position)), where=cells.where, value=Cell(text), hint=hint,
            )  # fmt: skip
        codes.append(code)
    return replace(column, codes=np.array([*codes, missing], dtype=np.int32)[cells.codes])


def _grouped(
    records: Source, secrets: Source, secret: Column, names: _ColumnNames
) -> tuple[tuple[str, ...], NDArray[np.int32], NDArray[np.int64]]:
    """The groups, the group of each record, and each group's histogram of sensitive values."""
    columns = [column_cells(source, names.group) for source in (records, secrets)]
    for column in columns:
        refuse_gaps(column)
    groups, (group_of, group_of_secret) = numbered_groups(columns)
    weights = _weights(secrets, names.count) if names.has_counts else 1
    counts = np.zeros((len(groups), secret.size), dtype=np.int64)
    np.add.at(counts, (group_of_secret, secret.codes), weights)
    sizes, told = np.bincount(group_of, minlength=len(groups)), counts.sum(axis=1)
    for g in np.flatnonzero(sizes != told)[:1]:
        here = counted(int(sizes[g]), "record") if sizes[g] else "no record"
        there = counted(int(told[g]), "sensitive value") if told[g] else "no sensitive value"
        raise InputError(
            "group {group} has {here} in {records} but {there} in {secrets}",
            group=Cell(groups[g]), here=here, records=records.file, there=there,
            secrets=secrets.file,
        )  # fmt: skip
    return groups, group_of, counts


def _weights(secrets: Source, name: str) -> NDArray[np.int64]:
    """Number of records of each row of the sensitive table."""
    cells = column_cells(secrets, name)
    refuse_gaps(cells)
    numbers = []
    for position, text in enumerate(cells.texts()):
        number = _COUNT.fullmatch(text.strip())
        if number is None:
            raise InputError(
                "{row}, {where}: {value} is not a number of records",
                row=Row(cells.first_row(position)), where=cells.where, value=Cell(text),
            )  # fmt: skip
        numbers.append(int(number[1]))
    return np.array(numbers, dtype=np.int64)[cells.codes]


def _files_in(folder: Path) -> list[Path]:
    """The two files in a folder."""
    found = []
    for name in FILE_NAMES:
        files = [folder / f"{name}{ending}" for ending in (".csv", ".parquet", ".pq")]
        there = [file for file in files if file.is_file()]
        if len(there) != 1:
            what: Text = f"no {files[0].name}"
            if there:
                both = Listed([File(file.name, bare=True) for file in there], "and")
                what = Message("both {both}", both=both)
            raise InputError("the folder {folder} has {what}; give the two files instead",
                             folder=File(folder), what=what)  # fmt: skip
        found += there
    return found


class _ColumnNames:
    """The names of the columns, given or detected.

    ``one_table``: records and sensitive values are in one table. ``has_counts``: the sensitive
    table has a column with the number of records of a row.
    """

    def __init__(
        self,
        records: Source,
        secrets: Source,
        quasi: Names | None,
        sensitive: str | None,
        group: str | None,
        count: str | None,
    ) -> None:
        self.one_table = secrets is records
        for option, name in (("sensitive", sensitive), ("group", group), ("count", count)):
            if name is not None and not isinstance(name, str):
                raise must(option, "be one column name", name)
        said = [quasi] if isinstance(quasi, str) else list(quasi or ())
        taken = [*said, *([] if sensitive is None else [sensitive])]
        if group is not None and group in taken:
            raise InputError("column {column} cannot be both a group and a value of the records",
                             column=ColumnName(group))  # fmt: skip
        if count is not None and count in (sensitive, group):
            raise InputError("column {column} cannot be both a count and something else",
                             column=ColumnName(count))  # fmt: skip
        self.group = free_name("group", taken) if group is None else group
        self.count = count or free_name("count", [] if sensitive is None else [sensitive])
        self.has_counts = count is not None or (not self.one_table and self.count in secrets.arrays)
        if self.one_table and count is not None:
            raise InputError(
                "{option} needs a table of sensitive values, but only a table of records was given",
                option=Option("count", count),
            )
        other_name = "; if it has another name, give {option}"
        for source in (records, secrets):
            source.check_has(self.group, other_name, option=Option("group"))
        if self.has_counts:
            secrets.check_has(self.count, other_name, option=Option("count"))
        self.sensitive = self._only_other(secrets) if sensitive is None else sensitive
        self.quasi = self._all_others(records) if quasi is None else quasi

    def _only_other(self, secrets: Source) -> str:
        known = (self.group, self.count)
        others = [name for name in secrets.columns if name not in known and not is_unnamed(name)]
        if self.one_table or len(others) != 1:
            raise InputError(
                "the sensitive column of {source} is not clear; give {option} (columns: {columns})",
                source=secrets.file, option=Option("sensitive"), columns=", ".join(secrets.columns),
            )  # fmt: skip
        return others[0]

    def _all_others(self, records: Source) -> list[str]:
        known = (self.group, self.sensitive)
        others = [name for name in records.columns if name not in known and not is_unnamed(name)]
        if self.one_table and "count" in others:
            raise InputError(
                "{source} has one row per record and a column 'count'; name the quasi-identifiers "
                "with {option}, or give a table of sensitive values too",
                source=records.file, option=Option("quasi"),
            )  # fmt: skip
        if not others:
            raise InputError("{source} has no quasi-identifiers, only {group}",
                             source=records.file, group=ColumnName(self.group))  # fmt: skip
        return others


def check_permuted(release: Permuted, original: Microdata) -> None:
    """Refuse a permuted release that cannot be one of the original, even if records were dropped.

    It must not have other columns, more records than the original, more with some combination of
    quasi-identifiers, or more with some sensitive value.

    >>> import unveil as uv
    >>> from unveil.microdata import Permuted, check_permuted
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> check_permuted(Permuted.from_groups(survey.take([0, 0, 1]), [1, 1, 1]), survey)
    Traceback (most recent call last):
    unveil.errors.InputError: the release by somebody has 2 records with age '30', where table has
    1: it is not a release of this table
    """
    if not same_domains(release, original):
        raise InputError(
            "the release by {maker} is not one of {source}: their columns or values differ; "
            "{remedy}", maker=release.maker, source=original.file,
            remedy=Worded("read it with read_anatomy(…, microdata=…)",
                          typed="give the table that it was made from"),
        )  # fmt: skip
    n = len(release)
    if n > len(original):
        raise _too_many(release, n, "", original, len(original))
    _, numbers = distinct_rows(np.hstack([release.codes, original.codes]))
    ours, theirs = (np.bincount(x, minlength=numbers.max() + 1) for x in (numbers[:n], numbers[n:]))
    more = ours > theirs
    if more.any():
        record = int(np.argmax(more[numbers[:n]]))
        number = numbers[record]
        held = int(theirs[number])
        values = Listed([
            Message("{name} {value}", name=c.name,
                    value=Cell(c.texts[c.codes[record]], people=held))
            for c in release.quasi
        ])  # fmt: skip
        raise _too_many(release, int(ours[number]), values, original, held)
    more = release.totals > original.sensitive_counts
    if more.any():
        s = int(np.argmax(more))
        held = int(original.sensitive_counts[s])
        value = Message("{name} {value}", name=release.sensitive.name,
                        value=Cell(release.sensitive.texts[s], people=held))  # fmt: skip
        raise _too_many(release, int(release.totals[s]), value, original, held)


def _too_many(release: Permuted, n: int, what: Any, original: Microdata, held: int) -> InputError:
    return InputError(
        "the release by {maker} has {n:record}{with_}{what}, where {source} has {held}: it is not "
        "a release of this table", maker=release.maker, n=n, with_=" with " if what else "",
        what=what, source=original.file, held=held or "none",
    )  # fmt: skip
