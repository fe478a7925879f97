"""The two files of a permuted release."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unveil.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["files_in", "write_tables"]

_NAMES = "quasi_table", "sensitive_table"  # in a folder, without the ending


def write_tables(
    tables: tuple[pd.DataFrame, pd.DataFrame],
    where: str | os.PathLike[str],
    sensitive_table: str | os.PathLike[str] | None,
) -> tuple[Path, Path]:
    """Write both tables into a folder, or each to its file; see `Permuted.write`."""
    if sensitive_table is None:
        if Path(where).suffix.lower() in _WRITERS or Path(where).is_file():
            raise InputError(
                f"a permuted release is two tables: give a folder, or a second file beside "
                f"{str(where)!r}"
            )
        Path(where).mkdir(parents=True, exist_ok=True)
        files = [Path(where) / f"{name}.csv" for name in _NAMES]
    else:
        files = [Path(where), Path(sensitive_table)]
    for file in files:
        if file.suffix.lower() not in _WRITERS:
            raise InputError(f"{str(file)!r} must end in {', '.join(_WRITERS)}")
    if files[0].resolve() == files[1].resolve():
        raise InputError(f"the two tables cannot both be written to {str(files[0])!r}")
    for file, table in zip(files, tables, strict=True):
        _WRITERS[file.suffix.lower()](table, file)
    return files[0], files[1]


def _write_csv(table: pd.DataFrame, file: Path) -> None:
    texts = table.select_dtypes(include=["object", "string"])
    # Python's writer forgets that a carriage return ends a line, too.
    returns = any("\r" in text for name in texts for text in texts[name].unique())
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    table.to_csv(file, index=False, lineterminator="\n", encoding="utf-8", quoting=quoting)


def _write_parquet(table: pd.DataFrame, file: Path) -> None:
    table.to_parquet(file, index=False)


_WRITERS = {".csv": _write_csv, ".parquet": _write_parquet, ".pq": _write_parquet}


def files_in(folder: Path) -> list[Path]:
    """The two files in a folder."""
    found = []
    for name in _NAMES:
        files = [folder / f"{name}{ending}" for ending in (".csv", ".parquet", ".pq")]
        there = [file for file in files if file.is_file()]
        if len(there) != 1:
            what = "both " + " and ".join(f.name for f in there) if there else f"no {files[0].name}"
            raise InputError(f"the folder {str(folder)!r} has {what}; give the two files instead")
        found += there
    return found
