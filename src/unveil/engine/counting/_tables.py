"""Tables that an engine can count: files, tables in memory, and tables it already has."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.engine.counting._engines import connected
from unveil.errors import InputError, did_you_mean
from unveil.microdata import csv_layout, existing_file, from_csv, from_table, value_text

if TYPE_CHECKING:
    import ibis

__all__ = ["Opened", "opened"]

PARQUET = (".parquet", ".pq", ".parq")


@dataclass(frozen=True, eq=False, kw_only=True)
class Opened:
    """A table within an engine.

    Attributes
    ----------
    table : ibis.Table
        Only the columns that were asked for.
    name : str
        For messages.
    is_text_file : bool
        Whether every cell is a text, whose kind follows from what it looks like.
    levels : mapping of str to tuple of str
        The columns whose categories the table itself puts into an order.
    """

    table: ibis.Table
    name: str
    is_text_file: bool = False
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def opened(
    given: Any,
    columns: Sequence[str],
    *,
    engine: Any,
    memory: str | int | None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Opened:
    """Show a table to an engine; nothing is read that need not be.

    Parameters
    ----------
    given : path, table in memory or Ibis table
    columns : sequence of str
        Those that will be used.
    """
    if isinstance(given, str | os.PathLike):
        return _file(given, columns, engine, memory, delimiter, encoding)
    if _is_ibis_table(given):
        if engine not in (None, "duckdb"):
            raise InputError(
                f"the table is one of {given.get_backend().name}'s own and is counted there: "
                f"leave engine={engine!r} out"
            )
        chosen = _chosen(given, columns, "the Ibis table")
        return Opened(table=_without_nan(chosen), name=_name_of(given))
    return _in_memory(from_table(given), columns, engine, memory)


def _is_ibis_table(given: Any) -> bool:
    if not type(given).__module__.startswith("ibis."):
        return False
    import ibis

    return isinstance(given, ibis.Table)


def _name_of(table: ibis.Table) -> str:
    try:
        return f"{table.get_name()} ({table.get_backend().name})"
    except Exception:  # an expression, not a table of the database
        return f"the table of {table.get_backend().name}"


def _file(
    given: str | os.PathLike[str],
    columns: Sequence[str],
    engine: Any,
    memory: str | int | None,
    delimiter: str | None,
    encoding: str,
) -> Opened:
    many = _parquet_files(given)
    if many is not None:
        table = connected(engine, memory).read_parquet(many)
        kept = [c for c in table.columns if not c.startswith("__index_level_")]
        name = Path(given).name
        return Opened(table=_without_nan(_chosen(table.select(kept), columns, name)), name=name)
    file = existing_file(given)
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8", "ascii"):
        source = from_csv(file, delimiter=delimiter, encoding=encoding)
        return _in_memory(source, columns, engine, memory)
    delimiter, names = csv_layout(file, delimiter)
    table = _csv_table(connected(engine, memory), file, delimiter, names)
    chosen = _chosen(table, columns, file.name)
    # Blanks around a cell do not count, and an empty cell is a missing value.
    cells = {name: chosen[name].strip().nullif("") for name in chosen.columns}
    return Opened(table=chosen.select(**cells), name=file.name, is_text_file=True)


def _csv_table(connection: Any, file: Path, delimiter: str, names: Sequence[str]) -> ibis.Table:
    if connection.name == "duckdb":
        # Nothing is left to be guessed: a guess may skip lines, and not a row is to be lost.
        return connection.read_csv(
            str(file),
            auto_detect=False,
            header=True,
            columns=dict.fromkeys(names, "VARCHAR"),
            delim=delimiter,
            quote='"',
            escape='"',
            nullstr="",
        )
    if connection.name == "pyspark":
        return connection.read_csv(
            str(file.resolve()), header=True, sep=delimiter, quote='"', escape='"',
            inferSchema=False, multiLine=True, mode="FAILFAST",
        )  # fmt: skip
    return connection.read_csv(str(file))


def _parquet_files(given: str | os.PathLike[str]) -> str | list[str] | None:
    """A Parquet file, or a folder or pattern of several; None if it is something else."""
    text = os.fspath(given)
    path = Path(text)
    if "*" in text and not path.exists():
        found = sorted(str(file) for file in Path(path.anchor or ".").glob(
            str(path.relative_to(path.anchor)) if path.anchor else text))  # fmt: skip
        if not found:
            raise InputError(f"no file fits {text!r}")
        if not all(file.endswith(PARQUET) for file in found):
            raise InputError(f"{text!r} stands for files that are not all Parquet")
        return found
    if path.is_dir():
        parts = sorted(str(f) for f in path.rglob("*") if f.suffix.lower() in PARQUET)
        if not parts:
            raise InputError(f"{text!r} is a folder without a Parquet file")
        return parts
    if path.suffix.lower() in PARQUET:
        return str(existing_file(path))
    return None


def _in_memory(
    source: Any, columns: Sequence[str], engine: Any, memory: str | int | None
) -> Opened:
    import pyarrow as pa

    _check_columns(columns, source.columns, source.name)
    for name in columns:
        if name in source.unreadable:
            raise InputError(
                f"column {name!r} of {source.name} {source.unreadable[name]}: make them all texts "
                "or all numbers"
            )
        if pa.types.is_nested(source.arrays[name].type):
            raise InputError(
                f"column {name!r} of {source.name} has lists or records in its cells; write them "
                "as texts"
            )
    arrays = {name: _plain(source.arrays[name]) for name in columns}
    table = _shown(connected(engine, memory), pa.table(arrays))
    chosen = _without_nan(table)
    if source.is_text_file:
        cells = {name: chosen[name].strip().nullif("") for name in chosen.columns}
        chosen = chosen.select(**cells)
    levels = {name: found for name in columns if (found := _levels(source.arrays[name]))}
    return Opened(table=chosen, name=source.name, is_text_file=source.is_text_file, levels=levels)


def _shown(connection: Any, table: Any) -> ibis.Table:
    """Show an Arrow table to an engine, which reads it where it is if it can."""
    name = f"unveil_{next(_NAMES)}"
    if connection.name == "duckdb":
        connection.con.register(name, table)
        return connection.table(name)
    if connection.name == "pyspark":
        from pyspark.sql import SparkSession

        session = SparkSession.getActiveSession()
        assert session is not None
        session.createDataFrame(table).createOrReplaceTempView(name)
        return connection.table(name)
    return connection.create_table(name, table, temp=True)


_NAMES = itertools.count()


def _levels(array: Any) -> tuple[str, ...] | None:
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type) or not array.type.ordered:
        return None
    chunk = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    return tuple(value_text(value) for value in chunk.dictionary.to_pylist())


def _plain(array: Any) -> Any:
    """Categories as what they are categories of, and no types an engine may not know."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.cast(kind.value_type)
        kind = array.type
    if pa.types.is_null(kind):
        return array.cast(pa.string())
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return array.cast(pa.string())
    return array


def _chosen(table: ibis.Table, columns: Sequence[str], name: str) -> ibis.Table:
    _check_columns(columns, table.columns, name)
    return table.select(list(columns))


def _check_columns(columns: Sequence[str], there: Sequence[str], name: str) -> None:
    for i, column in enumerate(columns):
        if not isinstance(column, str):
            raise InputError(f"columns are named by texts, but {column!r} was given")
        if column not in there:
            raise InputError(
                f"column {column!r} is not in {name}{did_you_mean(column, there)} (columns: "
                f"{', '.join(there)})"
            )
        if column in columns[:i]:
            raise InputError(f"column {column!r} is named twice")


def _without_nan(table: ibis.Table) -> ibis.Table:
    """What is not a number is missing, as it is everywhere in this house."""
    import ibis

    floats = [name for name, kind in table.schema().items() if kind.is_floating()]
    if not floats:
        return table
    cleaned = {
        name: table[name].isnan().ifelse(ibis.null(table[name].type()), table[name])
        for name in floats
    }
    return table.mutate(**cleaned)
