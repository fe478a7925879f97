"""Oracles that are releases made beforehand: a folder of files, or one Parquet file.

A sanitizer that unveil cannot run can be run by its owner: once on the whole table and once without
each record. Records are numbered from 0 by the rows of the source table.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from unveil._unpacked import refuse_large_parquet
from unveil.errors import (
    Cell,
    Column,
    File,
    Foreign,
    InputError,
    Listed,
    Message,
    Option,
    Text,
)
from unveil.microdata import Microdata
from unveil.sanitize.oracle._form import (
    Form,
    OracleError,
    Own,
    table_in,
)

_FULL = -1  # stands for the release of the whole table
_COLUMN = "without"  # the column of a Parquet file with the record that a row's release is without

_FILE = re.compile(r"(?:(full)|without_(\d+))(\.csv|\.csv\.gz|\.parquet)")
_NAMED = 3  # missing releases that a message names


@dataclass(frozen=True)
class Archive(Form):
    """Releases that exist already."""

    path: Path
    title: str = field(init=False, compare=False, repr=False)
    shelf: Own[_Shelf] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Later, and in other processes, the current folder may be a different one.
        title = f"folder {self.path}/" if self.path.is_dir() else str(self.path)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "shelf", Own(partial(_open, self.path.absolute(), self.file)))

    @property
    def name(self) -> str:
        return self.title

    @property
    def usual_retries(self) -> int:
        return 0

    def ask(self, microdata: Microdata, record: int | None) -> Any:
        """Fetch the release."""
        shelf = self.shelf.get()
        shelf.check(microdata)
        if record is None:
            return shelf.release(_FULL)
        number = int(microdata.rows[record])
        if number not in shelf:
            raise OracleError(self._not_there(1, 1, [number]))
        return shelf.release(number)

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        shelf = self.shelf.get()
        shelf.check(microdata)
        return np.flatnonzero(np.isin(microdata.rows, shelf.numbers))

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> Text | None:
        wanted = microdata.rows[records]
        gone = wanted[~np.isin(wanted, self.shelf.get().numbers)]
        return self._not_there(len(gone), len(wanted), gone.tolist()) if len(gone) else None

    def _not_there(self, gone: int, wanted: int, numbers: Sequence[int]) -> Message:
        return Message(
            "{label} has no release without {gone} of the {wanted} records asked for: "
            "{names}{more} (rows of the table are counted from 0); add them, or test only the "
            "records whose releases are there with {available}",
            label=self.file, gone=gone, wanted=wanted,
            names=Listed([self.shelf.get().called(number) for number in numbers[:_NAMED]]),
            more=f" and {gone - _NAMED:,} more" if gone > _NAMED else "",
            available=Option("targets", "available"),
        )  # fmt: skip


class _Shelf(ABC):
    """The available releases, by the number of the record that each is without."""

    def __init__(self, label: File, numbers: NDArray[np.int64]) -> None:
        self.label = label
        self.numbers = numbers[numbers != _FULL]
        self.known = set(numbers.tolist())
        self.checked: WeakSet[Microdata] = WeakSet()
        if _FULL not in self.known:
            raise OracleError(
                "{label} has no release of the whole table: it should be {place}",
                label=label, place=self.called(_FULL),
            )  # fmt: skip

    def __contains__(self, number: int) -> bool:
        return number in self.known

    @abstractmethod
    def called(self, number: int) -> Any:
        """Where the release without a record is, or should be; it tells which record."""

    @abstractmethod
    def release(self, number: int) -> Any:
        """A release, as a table."""

    def check(self, microdata: Microdata) -> None:
        """Refuse row numbers that the table does not have: another table was meant."""
        if microdata in self.checked:
            return
        last = int(microdata.rows.max(initial=-1))
        if microdata.source_rows is not None:  # the last ones may have been left out
            last = max(last, microdata.source_rows - 1)
        beyond = self.numbers[(self.numbers > last) | (self.numbers < 0)]
        if len(beyond):
            raise OracleError(
                "{label} has {place}, but the rows of {source} are numbered from 0 to {last}; is "
                "it for another table, or counted from 1?",
                label=self.label, place=self.called(int(beyond[0])),
                source=File(microdata.source, bare=True), last=last,
            )  # fmt: skip
        self.checked.add(microdata)


class _Folder(_Shelf):
    """One file per release."""

    def __init__(self, folder: Path, label: File) -> None:
        self.folder = folder
        self.files: dict[int, str] = {}
        for name in sorted(os.listdir(folder)):
            found = _FILE.fullmatch(name)
            if found is None:
                continue
            number = _FULL if found[1] else int(found[2])
            if number in self.files:
                raise OracleError(
                    "{label} has both {first} and {second}; remove one", label=label,
                    first=Cell(self.files[number], bare=True), second=Cell(name, bare=True),
                )  # fmt: skip
            self.files[number] = name
        # Missing files are named like the first one.
        first = next((name for n, name in self.files.items() if n != _FULL), "without_000000.csv")
        stem, dot, ending = first.partition(".")
        self.digits, self.ending = len(stem) - len("without_"), dot + ending
        super().__init__(label, np.array(sorted(self.files), dtype=np.int64))

    def called(self, number: int) -> Any:
        if number == _FULL:
            return File(f"full{self.ending}", bare=True)
        name = f"without_{number:0{self.digits}d}{self.ending}"
        return Cell(self.files.get(number, name), bare=True)

    def release(self, number: int) -> Any:
        return table_in(self.folder / self.files[number])


class _OneFile(_Shelf):
    """All releases in one Parquet file, of which only the needed parts are read."""

    def __init__(self, file: Path, label: File) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            self.content = parquet.ParquetFile(file, memory_map=True)
            refuse_large_parquet(file, self.content)
            names = self.content.schema_arrow.names
            if _COLUMN not in names:
                raise OracleError(
                    "{label} has no column {column}, which says for each row which record its "
                    "release is without (empty: none); its columns are {names}",
                    label=label, column=Column(_COLUMN), names=Listed(list(map(Column, names))),
                )  # fmt: skip
            column = self.content.read([_COLUMN])[_COLUMN]
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise OracleError(
                "{label} cannot be read as Parquet: {why}", label=label, why=Foreign(str(error))
            ) from None
        self.columns = [name for name in names if name != _COLUMN]
        groups = [self.content.metadata.row_group(g).num_rows
                  for g in range(self.content.num_row_groups)]  # fmt: skip
        self.starts = np.concatenate([[0], np.cumsum(groups)]).astype(np.int64)
        of_row = _numbers(column, label)
        self.order = np.argsort(of_row, kind="stable")  # the rows of each release together
        numbers, first = np.unique(of_row[self.order], return_index=True)
        bounds = np.append(first, len(of_row)).tolist()
        self.places = {
            number: slice(bounds[i], bounds[i + 1]) for i, number in enumerate(numbers.tolist())
        }
        self.last_read: tuple[int, Any] | None = None
        super().__init__(label, numbers.astype(np.int64))

    def check(self, microdata: Microdata) -> None:
        if any(column.name == _COLUMN for column in (*microdata.quasi, microdata.sensitive)):
            raise InputError(
                "{source} has a column {column} of its own, so {label} cannot say with it which "
                "record a release is without; use a folder of files",
                source=File(microdata.source, bare=True), column=Column(_COLUMN), label=self.label,
            )  # fmt: skip
        super().check(microdata)

    def called(self, number: int) -> Any:
        if number == _FULL:
            return Message("the rows with an empty {column}", column=Column(_COLUMN))
        return Cell(f"{_COLUMN}={number}", bare=True)

    def release(self, number: int) -> Any:
        import pyarrow as pa

        rows = self.order[self.places[number]]
        group_of = np.searchsorted(self.starts, rows, side="right") - 1
        parts = [
            self._group(int(g)).take(rows[group_of == g] - self.starts[g])
            for g in np.unique(group_of)
        ]
        return pa.concat_tables(parts)

    def _group(self, group: int) -> Any:
        """A part of the file. The last one is kept: neighbours are mostly read in a row."""
        if self.last_read is None or self.last_read[0] != group:
            self.last_read = (group, self.content.read_row_group(group, columns=self.columns))
        return self.last_read[1]


def _numbers(column: Any, label: File) -> NDArray[np.int64]:
    """The number of the record that is left out in each row; `_FULL` for none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    given = column.type
    if pa.types.is_dictionary(given):
        column = column.cast(given.value_type)
    try:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            text = pc.utf8_lower(pc.utf8_trim_whitespace(column))
            nobody = pc.is_in(text, value_set=pa.array(["", "full", "none"], type=text.type))
            column = pc.if_else(nobody, None, text)
        elif pa.types.is_floating(column.type):  # pandas has no whole numbers with gaps
            column = pc.if_else(pc.is_nan(column), None, column)
        numbers = column.cast(pa.int64())
    except pa.ArrowException as error:
        raise OracleError(
            "{label}: its column {column} must hold row numbers, and nothing, -1 or 'full' for the "
            "release of the whole table: {why}",
            label=label, column=Column(_COLUMN), why=Foreign(str(error)),
        ) from None  # fmt: skip
    filled: NDArray[np.int64] = pc.fill_null(numbers, _FULL).to_numpy(zero_copy_only=False)
    return filled


def _open(path: Path, label: File) -> _Shelf:
    return _Folder(path, label) if path.is_dir() else _OneFile(path, label)
