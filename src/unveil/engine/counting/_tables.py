"""Tables that an engine can count: files, tables in memory, and tables it already has."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unveil.engine.counting._engines import connected
from unveil.engine.counting._expressions import OURS
from unveil.engine.counting._files import (
    csv_table,
    is_parquet,
    parquet_beginning,
    parquet_levels,
    parquet_table,
)
from unveil.engine.counting._plain import plain_array, plain_columns, stripped
from unveil.engine.counting._words import Fault, in_our_words, quietly
from unveil.errors import InputError, did_you_mean
from unveil.microdata import existing_file, from_csv, from_parquet, from_table, value_text

if TYPE_CHECKING:
    import ibis

__all__ = ["Opened", "opened", "shown"]


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
    fault : function, optional
        Says what is wrong with the file, if the engine cannot read it.
    """

    table: ibis.Table
    name: str
    is_text_file: bool = False
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fault: Fault | None = None
    beginning: Callable[[int], Any] | None = None


def opened(
    given: Any,
    columns: Sequence[str],
    *,
    engine: Any,
    memory: str | int | None,
    secret: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    header: Sequence[str] | Mapping[int, str] | None = None,
) -> Opened:
    """Show a table to an engine; nothing is read that need not be.

    Parameters
    ----------
    given : path, table in memory or Ibis table
    columns : sequence of str
        Those that will be used.
    secret : str, optional
        The one of them whose values are counted in each class.
    header : sequence of str or mapping of int to str, optional
        The names of the columns of a CSV file that has none.
    """
    if _is_ibis_table(given):
        return _of_ibis(given, columns, engine, secret)
    if not isinstance(given, str | os.PathLike):
        return _in_memory(from_table(given), columns, connected(engine, memory), secret)
    connection = connected(engine, memory)
    if is_parquet(given):
        if connection.name not in _READERS:
            return _in_memory(from_parquet(given), columns, connection, secret)
        table, files = parquet_table(connection, given)
        name = os.path.basename(given)
        chosen = plain_columns(_chosen(table, columns, name, connection), name, secret)
        return Opened(
            table=chosen,
            name=name,
            levels=parquet_levels(files, columns),
            beginning=parquet_beginning(files, columns),
        )
    file = existing_file(given)
    is_utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8", "ascii")
    if connection.name not in _READERS or not is_utf8 or header is not None:
        source = from_csv(file, delimiter=delimiter, encoding=encoding, columns=header)
        return _in_memory(source, columns, connection, secret)

    def wanted(there: Sequence[str]) -> Sequence[str]:
        _check_columns(columns, there, file.name, connection)
        return columns

    table, fault = csv_table(connection, file, delimiter, wanted)
    return Opened(table=_stripped(table), name=file.name, is_text_file=True, fault=fault)


_READERS = frozenset({"duckdb", "pyspark"})
"""Engines that read files by themselves."""


def _is_ibis_table(given: Any) -> bool:
    if not type(given).__module__.startswith("ibis."):
        return False
    import ibis

    return isinstance(given, ibis.Table)


def _of_ibis(given: ibis.Table, columns: Sequence[str], engine: Any, secret: str | None) -> Opened:
    connection = given.get_backend()
    if engine is not connection and engine not in (None, "duckdb"):
        raise InputError(
            f"the table is one of {connection.name}'s own and is counted there: leave "
            f"engine={engine!r} out"
        )
    name = _name_of(given)
    with in_our_words(connection.name, name):
        chosen = _chosen(given, columns, name, connection)
        return Opened(table=plain_columns(chosen, name, secret), name=name)


def _name_of(table: ibis.Table) -> str:
    engine = table.get_backend().name
    try:
        return f"{table.get_name()} ({engine})"
    except Exception:  # an expression, not a table of the database
        return f"the table of {engine}"


def _stripped(table: ibis.Table) -> ibis.Table:
    """Blanks around a cell of a text file do not count, and an empty cell is a missing value."""
    engine = table.get_backend().name
    return table.select(
        **{name: stripped(table[name], engine).nullif("") for name in table.columns}
    )


def _in_memory(source: Any, columns: Sequence[str], connection: Any, secret: str | None) -> Opened:
    import pyarrow as pa

    _check_columns(columns, source.columns, source.name, connection)
    for name in columns:
        if name in source.unreadable:
            raise InputError(
                f"column {name!r} of {source.name} {source.unreadable[name]}: make them all texts "
                "or all numbers"
            )
    arrays = {name: plain_array(source.arrays[name]) for name in columns}
    with in_our_words(connection.name, source.name):
        table = shown(connection, pa.table(arrays))
        is_text = source.is_text_file
        table = _stripped(table) if is_text else plain_columns(table, source.name, secret)
    levels = {name: found for name in columns if (found := _levels(source.arrays[name]))}
    return Opened(
        table=table,
        name=source.name,
        is_text_file=source.is_text_file,
        levels=levels,
        beginning=lambda rows: pa.table(arrays).slice(0, rows),
    )


def shown(connection: Any, table: Any) -> ibis.Table:
    """Show an Arrow table to an engine, which reads it where it is if it can."""
    name = f"unveil_{next(_NAMES)}"
    if connection.name == "duckdb":
        connection.con.register(name, table)
        return connection.table(name)
    if connection.name == "pyspark":
        import pyarrow as pa

        with quietly():
            frame = connection._session.createDataFrame(table)
            for column in table.schema:
                if pa.types.is_timestamp(column.type):  # Spark takes it for a moment in Greenwich
                    quoted = f"`{column.name.replace('`', '``')}`"
                    frame = frame.withColumn(column.name, frame[quoted].cast("timestamp_ntz"))
        frame.createOrReplaceTempView(name)
        return connection.table(name)
    return connection.create_table(name, table, temp=True)


_NAMES = itertools.count()


def _levels(array: Any) -> tuple[str, ...] | None:
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type) or not array.type.ordered:
        return None
    chunk = array
    if isinstance(array, pa.ChunkedArray):
        chunk = array.unify_dictionaries().combine_chunks()
    return tuple(value_text(value) for value in chunk.dictionary.to_pylist())


def _chosen(table: ibis.Table, columns: Sequence[str], name: str, connection: Any) -> ibis.Table:
    _check_columns(columns, table.columns, name, connection)
    return table.select(list(columns))


def _check_columns(
    columns: Sequence[str], there: Sequence[str], name: str, connection: Any
) -> None:
    for i, column in enumerate(columns):
        if isinstance(column, str) and column.startswith(OURS):
            raise InputError(
                f"column {column!r} of {name} has a name that unveil uses itself; rename it"
            )
        if not isinstance(column, str):
            raise InputError(f"columns are named by texts, but {column!r} was given")
        if column not in there:
            raise InputError(
                f"column {column!r} is not in {name}{did_you_mean(column, there)} (columns: "
                f"{', '.join(there)})"
            )
        if column in columns[:i]:
            raise InputError(f"column {column!r} is named twice")
        for other in columns[:i]:
            if connection.name == "duckdb" and other.lower() == column.lower():
                raise InputError(
                    f"DuckDB cannot tell the columns {other!r} and {column!r} of {name} apart: "
                    "rename one of them"
                )
