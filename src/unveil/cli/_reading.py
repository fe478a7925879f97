"""From what was typed to microdata."""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.cli._parts import Parts
from unveil.errors import InputError

if TYPE_CHECKING:
    from unveil.microdata import Microdata

NO_FILE = Path("no table")
"""In place of the file of a table that was not given, where that is allowed."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The reading options as typed; `read` turns them into microdata."""

    file: Path
    quasi: Sequence[str]
    sensitive: str
    identifier: Sequence[str] | None = None
    hierarchies: Path | None = None
    missing: str = "error"
    missing_value: Sequence[str] | None = None
    numeric: Sequence[str] | None = None
    categorical: Sequence[str] | None = None
    ordinal: Sequence[str] | None = None
    cuts: Sequence[str] | None = None
    parts: Sequence[str] | None = None
    quantiles: Sequence[str] | None = None
    delimiter: str | None = None
    encoding: str | None = None
    columns: Sequence[str] | None = None

    @property
    def is_given(self) -> bool:
        """Whether there is a table to read."""
        return self.file is not NO_FILE

    def read(self) -> Microdata:
        """Read the table, and put its numbers into parts; a dash means CSV on standard input."""
        parts = Parts(self)  # what cannot be read of it is told before the table is
        return parts.of(self._read())

    def _read(self) -> Microdata:
        if str(self.file) == "-":
            with on_disk(self.file) as copy:
                return replace(self, file=copy)._read()
        options: dict[str, Any] = {
            "quasi": names(self.quasi),
            "sensitive": self.sensitive,
            "identifier": names(self.identifier),
            "hierarchies": self.hierarchies,
            "missing": str(self.missing),
            "missing_values": list(self.missing_value) if self.missing_value else None,
            "numeric": names(self.numeric),
            "categorical": names(self.categorical),
            "ordinal": levels(self.ordinal),
        }
        from unveil.microdata import is_parquet, read_csv

        if is_parquet(self.file):
            return self._read_parquet(options)

        delimiter = "\t" if self.delimiter == "\\t" else self.delimiter
        return read_csv(
            self.file,
            **options,
            delimiter=delimiter,
            encoding=self.encoding or "utf-8",
            columns=names(self.columns) or None,
        )

    def _read_parquet(self, options: dict[str, Any]) -> Microdata:
        from unveil.microdata import read_parquet

        for option in ("delimiter", "encoding", "columns"):
            if getattr(self, option):
                raise InputError(f"--{option} is for CSV files; {self.file.name} is Parquet")
        return read_parquet(self.file, **options)


def heading(microdata: Microdata) -> str:
    """What was read, and who attacks."""
    known = ", ".join(column.name for column in microdata.quasi)
    return (
        f"{microdata.source}: {len(microdata):,} records. An attacker knows {known} and wants to "
        f"know {microdata.sensitive.name}.\n"
    )


@contextmanager
def on_disk(file: Path) -> Iterator[Path]:
    """A file; in place of a dash one that has what stands on standard input."""
    if str(file) != "-":
        yield file
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "standard input"
        copy.write_bytes(sys.stdin.buffer.read())
        yield copy


def names(given: Sequence[str] | None) -> list[str]:
    """Column names from a repeatable option with commas; quote a name that has a comma itself.

    >>> names(["age, education", "country"])
    ['age', 'education', 'country']
    >>> names(['"income, yearly",age'])
    ['income, yearly', 'age']
    """
    found = []
    for text in given or ():
        for cells in csv.reader([text], skipinitialspace=True):
            found += [cell.strip() for cell in cells if cell.strip()]
    return found


def levels(given: Sequence[str] | None) -> dict[str, list[str]] | None:
    """The levels of ordinal columns, from a repeatable option.

    >>> levels(["education=low|mid|high"])
    {'education': ['low', 'mid', 'high']}
    """
    listed_levels: dict[str, list[str]] = {}
    for text in given or ():
        column, equals, listed = (part.strip() for part in text.partition("="))
        found = [level.strip() for level in listed.split("|")]
        if not equals or not column or not all(found):
            raise InputError(
                f"cannot read --ordinal {text!r}; write the column and its levels from low to "
                "high, such as 'education=low|mid|high'"
            )
        if column in listed_levels:
            raise InputError(f"--ordinal names the column {column!r} twice")
        listed_levels[column] = found
    return listed_levels or None
