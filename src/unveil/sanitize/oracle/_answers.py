"""What an oracle has answered, as a table: CSV, Parquet or JSON in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unveil.errors import InputError
from unveil.microdata import from_csv, from_parquet, value_text
from unveil.sanitize.oracle._errors import UnreadableError

__all__ = ["table_in"]

_PARQUET = b"PAR1"  # the first bytes of every Parquet file


def table_in(file: Path, kind: str | None = None) -> Any:
    """The table in a file, its cells as they are written there.

    ``kind`` is ``csv``, ``parquet`` or ``json``; if it is not known, Parquet is known by its
    first bytes and all else is taken as CSV.

    Raises
    ------
    UnreadableError
        If there is no table in it.
    """
    import pyarrow as pa

    if kind == "json":
        return _from_json(file)
    if kind is None:
        with file.open("rb") as stream:
            kind = "parquet" if stream.read(len(_PARQUET)) == _PARQUET else "csv"
    try:
        if kind == "parquet":
            source = from_parquet(file)
        else:
            source = from_csv(file, delimiter=None, encoding="utf-8", skip_unnamed=True)
    except InputError as error:
        # The remedies that readers offer are for files of the user's own.
        what, _, _ = str(error).partition("; ")
        raise UnreadableError(f"{what}; it should be CSV in UTF-8, or Parquet") from None
    return pa.table(source.arrays)


def _from_json(file: Path) -> dict[str, list[str | None]]:
    """A list of records. All values become texts: a column may have 30 here and [20, 39] there."""
    try:
        records = json.loads(file.read_bytes())
    except ValueError as error:
        raise UnreadableError(f"{file.name} is no JSON: {error}") from None
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise UnreadableError(
            f"{file.name} is JSON, but no list of records such as "
            '[{"age": "[20, 39]", "income": "low"}, …]'
        )
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [_text(record.get(name)) for record in records] for name in names}


def _text(value: Any) -> str | None:
    return None if value is None else value_text(value)
