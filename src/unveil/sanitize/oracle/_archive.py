"""Oracles that are releases made beforehand: a folder of files, or one Parquet file.

Whoever may not, or cannot, let us run their sanitizer can run it themselves: once on the whole
table and once without each record. Records are numbered from 0 by the rows of the source table.
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

from unveil.errors import InputError
from unveil.microdata import Microdata
from unveil.sanitize.oracle._answers import table_in
from unveil.sanitize.oracle._errors import OracleError
from unveil.sanitize.oracle._form import Form
from unveil.sanitize.oracle._own import Own

__all__ = ["Archive"]

FULL = -1
"""The number that stands for the release of the whole table."""
COLUMN = "without"
"""The column of a Parquet file that says which record a row's release is without."""

_FILE = re.compile(r"(?:(full)|without_(\d+))(\.csv|\.csv\.gz|\.parquet)")
_NAMED = 3  # missing releases that a message names


@dataclass(frozen=True)
class Archive(Form):
    """Releases that are there already."""

    path: Path
    """As the user wrote it."""
    title: str = field(init=False, compare=False, repr=False)
    shelf: Own[_Shelf] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Later, and in other processes, the current folder may be another.
        title = f"folder {self.path}/" if self.path.is_dir() else str(self.path)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "shelf", Own(partial(_open, self.path.absolute(), self.label)))

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
            return shelf.release(FULL)
        number = int(microdata.rows[record])
        if number not in shelf:
            raise OracleError(self._not_there(1, 1, [number]))
        return shelf.release(number)

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        shelf = self.shelf.get()
        shelf.check(microdata)
        return np.flatnonzero(np.isin(microdata.rows, shelf.numbers))

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> str | None:
        wanted = microdata.rows[records]
        gone = wanted[~np.isin(wanted, self.shelf.get().numbers)]
        return self._not_there(len(gone), len(wanted), gone.tolist()) if len(gone) else None

    def _not_there(self, gone: int, wanted: int, numbers: Sequence[int]) -> str:
        names = ", ".join(self.shelf.get().called(number) for number in numbers[:_NAMED])
        more = f" and {gone - _NAMED:,} more" if gone > _NAMED else ""
        return (
            f"{self.label} has no release without {gone:,} of the {wanted:,} records asked for: "
            f"{names}{more} (rows of the table are counted from 0); add them, or test only the "
            'records whose releases are there with targets="available"'
        )


class _Shelf(ABC):
    """The releases there are, by the number of the record that each is without."""

    def __init__(self, label: str, numbers: NDArray[np.int64]) -> None:
        self.label = label
        self.numbers = numbers[numbers != FULL]
        self.known = set(numbers.tolist())
        self.checked: WeakSet[Microdata] = WeakSet()
        if FULL not in self.known:
            raise OracleError(
                f"{label} has no release of the whole table: it should be {self.called(FULL)}"
            )

    def __contains__(self, number: int) -> bool:
        return number in self.known

    @abstractmethod
    def called(self, number: int) -> str:
        """Where the release without a record is, or should be."""

    @abstractmethod
    def release(self, number: int) -> Any:
        """A release, as a table."""

    def check(self, microdata: Microdata) -> None:
        """Numbers that the table does not have tell that another table was meant."""
        if microdata in self.checked:
            return
        last = int(microdata.rows.max(initial=-1))
        if microdata.source_rows is not None:  # the last ones may have been left out
            last = max(last, microdata.source_rows - 1)
        beyond = self.numbers[(self.numbers > last) | (self.numbers < 0)]
        if len(beyond):
            raise OracleError(
                f"{self.label} has {self.called(int(beyond[0]))}, but the rows of "
                f"{microdata.source} are numbered from 0 to {last:,}; is it for another table, or "
                "counted from 1?"
            )
        self.checked.add(microdata)


class _Folder(_Shelf):
    """One file a release."""

    def __init__(self, folder: Path, label: str) -> None:
        self.folder = folder
        self.files: dict[int, str] = {}
        for name in sorted(os.listdir(folder)):
            found = _FILE.fullmatch(name)
            if found is None:
                continue
            number = FULL if found[1] else int(found[2])
            if number in self.files:
                raise OracleError(f"{label} has both {self.files[number]} and {name}; remove one")
            self.files[number] = name
        self.digits, self.ending = 6, ".csv"  # unless there are files to tell otherwise
        for number, name in self.files.items():
            if number != FULL:
                self.digits, self.ending = (
                    name.index(".") - len("without_"),
                    name[name.index(".") :],
                )
                break
        super().__init__(label, np.array(sorted(self.files), dtype=np.int64))

    def called(self, number: int) -> str:
        if number in self.files:
            return self.files[number]
        stem = "full" if number == FULL else f"without_{number:0{self.digits}d}"
        return f"{stem}{self.ending}"

    def release(self, number: int) -> Any:
        return table_in(self.folder / self.files[number])


class _OneFile(_Shelf):
    """All releases in one Parquet file, of which only the parts that are needed are read."""

    def __init__(self, file: Path, label: str) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            self.content = parquet.ParquetFile(file, memory_map=True)
            names = self.content.schema_arrow.names
            if COLUMN not in names:
                raise OracleError(
                    f"{label} has no column {COLUMN!r}, which says for each row which record its "
                    f"release is without (empty: none); its columns are {', '.join(names)}"
                )
            column = self.content.read([COLUMN])[COLUMN]
        except (pa.ArrowException, OSError) as error:
            raise OracleError(f"{label} cannot be read as Parquet: {error}") from None
        self.columns = [name for name in names if name != COLUMN]
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
        if any(column.name == COLUMN for column in (*microdata.quasi, microdata.sensitive)):
            raise InputError(
                f"{microdata.source} has a column {COLUMN!r} of its own, so {self.label} cannot "
                "say with it which record a release is without; use a folder of files"
            )
        super().check(microdata)

    def called(self, number: int) -> str:
        return f"the rows with an empty {COLUMN!r}" if number == FULL else f"{COLUMN}={number}"

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
        """A part of the file. The last one is kept: neighbours are mostly asked for in a row."""
        if self.last_read is None or self.last_read[0] != group:
            self.last_read = (group, self.content.read_row_group(group, columns=self.columns))
        return self.last_read[1]


def _numbers(column: Any, label: str) -> NDArray[np.int64]:
    """The numbers in the column that says which record is left out; `FULL` for nobody."""
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
            f"{label}: its column {COLUMN!r} must hold row numbers, and nothing, -1 or 'full' for "
            f"the release of the whole table: {error}"
        ) from None
    filled: NDArray[np.int64] = pc.fill_null(numbers, FULL).to_numpy(zero_copy_only=False)
    return filled


def _open(path: Path, label: str) -> _Shelf:
    return _Folder(path, label) if path.is_dir() else _OneFile(path, label)
