"""The two tables of the 2019 report: Internet Usage without country, and a draw of Adult."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adult import FILES, QUASI, RECORDS, drawn
from internet_usage import FILE, FIVE
from published import ADULT, INTERNET
from reproduction import data_folder

import unveil as uv
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Microdata

__all__ = ["COLUMNS", "TABLES", "TwoTables", "table_options"]

TABLES = {"internet_usage": f"{INTERNET} without country", "adult": ADULT}
COLUMNS = {"internet_usage": FIVE, "adult": QUASI}
_FILES = {"internet_usage": (FILE,), "adult": FILES}


def table_options(parser: argparse.ArgumentParser) -> None:
    """Which of the two."""
    parser.add_argument("--table", metavar="NAME", help=f"{' or '.join(TABLES)} (default: both)")
    parser.add_argument("--seed", metavar="N", help="on which all chance hangs (default: 0)")


@dataclass(frozen=True)
class TwoTables:
    """Those of the two that somebody wants, with their columns."""

    names: tuple[str, ...]
    columns: tuple[str, ...] | None
    folder: Path
    seed: int

    @classmethod
    def asked(
        cls, table: str | None, columns: tuple[str, ...] | None, data: str | None, seed: int
    ) -> TwoTables:
        """What the options say, if it makes sense."""
        if table is not None and table not in TABLES:
            near = did_you_mean(table, TABLES)
            raise InputError(f"--table must be {' or '.join(TABLES)}, got {table!r}{near}")
        if columns is not None and table is None:
            raise InputError("--columns needs --table: the two tables have different columns")
        names = tuple(TABLES) if table is None else (table,)
        folder = data_folder(data, *(file for name in names for file in _FILES[name]))
        return cls(names, columns, folder, seed)

    def title(self, name: str) -> str:
        """What a table is called in headings."""
        if self.columns is None:
            return TABLES[name]
        return f"{INTERNET if name == 'internet_usage' else ADULT} by {', '.join(self.columns)}"

    def read(self, name: str) -> Microdata:
        """The table; of Adult the first draw."""
        return next(self.draws(name, 1))

    def draws(self, name: str, n: int) -> Iterator[Microdata]:
        """So many draws of Adult; the survey is always the same."""
        columns: Sequence[str] = self.columns or COLUMNS[name]
        if name == "internet_usage":
            yield uv.datasets.internet_usage(self.folder, quasi=columns)
            return
        whole = uv.datasets.adult(self.folder, quasi=columns)
        for draw in range(n):
            yield drawn(whole, RECORDS, self.seed, draw)
