"""From what was typed to microdata."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from unveil._unpacked import copy_limited
from unveil.engine import for_a_while
from unveil.errors import Column, InputError

if TYPE_CHECKING:
    from unveil.microdata import Microdata, Source

_PARTS = ("cuts", "parts", "quantiles")
_OPENING = ("delimiter", "encoding", "columns", "comment", "sheet")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A table, and the options with which it is read.

    Attributes
    ----------
    file : Path or None
        None where no table was given, and none is needed.
    options : mapping of str to any
        Those of `read_csv`, and ``cuts``, ``parts`` and ``quantiles``.
    """

    file: Path | None
    options: Mapping[str, Any]
    counted_elsewhere: bool = False
    """Whether ``count`` may be a column of another table: published, or of other people."""

    def __post_init__(self) -> None:
        listed = [column for name in _PARTS for column in self.options.get(name, ())]
        for column in listed:
            if listed.count(column) > 1:
                raise InputError("column {column} can be put into parts one way only",
                                 column=Column(column))  # fmt: skip

    def get(self, name: str, default: Any = None) -> Any:
        """One of the options."""
        return self.options.get(name, default)

    def of(self, **changed: Any) -> Reading:
        """The same with other options."""
        return replace(self, options={**self.options, **changed})

    @property
    def quasi(self) -> Sequence[str]:
        """The quasi-identifiers."""
        return self.get("quasi", ())

    def opened(self) -> Source:
        """The table, open; a dash means CSV on standard input."""
        from unveil.microdata import open_table

        assert self.file is not None
        with on_disk(self.file) as file:
            return open_table(file, **{name: self.get(name) for name in _OPENING})

    def read(self, table: Source | None = None) -> Microdata:
        """Read the table, which may be open already, and put its numbers into parts."""
        from unveil.microdata import quantize, read_table

        options = {n: one for n, one in self.options.items() if n not in (*_PARTS, *_OPENING)}
        table = self.opened() if table is None else table
        if self.counted_elsewhere and options.get("count") and options["count"] not in table.arrays:
            del options["count"]
        microdata = read_table(table, **options)
        widths = {**self.get("cuts", {}), **self.get("parts", {})}
        microdata = quantize(microdata, widths) if widths else microdata
        shares = self.get("quantiles")
        return quantize(microdata, shares, by="quantiles") if shares else microdata


def named_file(typed: Path) -> tuple[str | None, Path]:
    """A file that may have a name before it: ``city=published.csv``."""
    name, equals, file = str(typed).partition("=")
    if typed.exists() or not equals or not name.strip() or not file.strip():
        return None, typed
    return name.strip(), Path(file.strip())


@contextmanager
def on_disk(file: Path) -> Iterator[Path]:
    """A file; in place of a dash one that has what stands on standard input."""
    if str(file) != "-":
        yield file
        return
    with for_a_while() as folder:
        copy = folder / "standard input"
        with _in_memory(copy) as stream:
            copy_limited(sys.stdin.buffer, stream)
            stream.flush()
            yield copy


def _in_memory(name: Path) -> IO[bytes]:
    """A file that is never on disk, where the system can: it has names of people in it."""
    if not hasattr(os, "memfd_create"):
        return name.open("wb")
    handle = os.memfd_create(name.name)
    name.symlink_to(f"/proc/{os.getpid()}/fd/{handle}")
    return os.fdopen(handle, "wb")
