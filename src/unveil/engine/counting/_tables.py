"""Tables that an engine can count: files, tables in memory, and tables it already has.

Columns get types that all engines know, and each value is written in one way. Engines read CSV and
Parquet files themselves, whatever their size. DuckDB reads CSV files through Arrow, as unveil does
everywhere else. So a quote within a cell, a blank line or a short line has the same meaning.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.engine.counting._engines import Fault, connected, in_our_words, quietly
from unveil.engine.counting._expressions import OURS
from unveil.errors import Cell, Column, File, InputError, Listed, Option, Text, did_you_mean
from unveil.microdata import (
    PARQUET,
    UTF8,
    CsvLayout,
    csv_fault,
    csv_layout,
    encoding_of,
    existing_file,
    from_csv,
    from_parquet,
    from_table,
    is_workbook,
    value_text,
)

if TYPE_CHECKING:
    import ibis

_READERS = frozenset({"duckdb", "pyspark"})
"""Engines that read files themselves."""

_NAMES = itertools.count()


@dataclass(frozen=True, eq=False, kw_only=True)
class Opened:
    """A table of an engine.

    Attributes
    ----------
    table : ibis.Table
        Only the columns that were asked for.
    name : str
        For messages.
    is_text_file : bool
        Whether every cell is a text, whose kind has to be inferred.
    levels : mapping of str to tuple of str
        The ordered categories of columns that have them.
    fault : function, optional
        Finds what is wrong with the file, if the engine cannot read it.
    beginning : function, optional
        Reads the first rows.
    """

    table: ibis.Table
    name: str
    is_text_file: bool = False
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fault: Fault | None = None
    beginning: Callable[[int], Any] | None = None
    others: tuple[str, ...] = ()
    """The columns that were not asked for."""
    notes: tuple[Text, ...] = ()
    """How the file was read, where that is in doubt."""


def opened(
    given: Any,
    columns: Sequence[str],
    *,
    engine: Any,
    memory: str | int | None,
    secret: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header: Sequence[str] | Mapping[int, str] | None = None,
) -> Opened:
    """Register a table with an engine, without reading more than necessary.

    Parameters
    ----------
    given : path, table in memory or Ibis table
    columns : sequence of str
        The columns that will be used.
    secret : str, optional
        The column whose values are counted in each class.
    sheet : str, optional
        The sheet of a workbook.
    header : sequence of str or mapping of int to str, optional
        The names of the columns of a CSV file without a header.
    """
    if _is_ibis_table(given):
        return _of_ibis(given, columns, engine, secret)
    if not isinstance(given, str | os.PathLike):
        return _in_memory(from_table(given), columns, connected(engine, memory), secret)
    connection = connected(engine, memory)
    if _is_parquet(given):
        if connection.name not in _READERS:
            return _in_memory(from_parquet(given), columns, connection, secret)
        return _of_parquet(given, columns, connection, secret)
    file = existing_file(given)
    if sheet is not None or is_workbook(file):  # a CSV file has no sheets, and says so
        source = from_csv(file, columns=header, sheet=sheet, name_unnamed=True)
        return _in_memory(source, columns, connection, secret)
    encoding = encoding_of(file) if encoding is None else encoding
    plain = encoding.lower().replace("_", "-") in (UTF8, "utf8", "ascii")
    if connection.name not in _READERS or not plain or header is not None:
        source = from_csv(
            file, delimiter=delimiter, encoding=encoding, columns=header, name_unnamed=True
        )
        return _in_memory(source, columns, connection, secret)
    return _of_csv(file, columns, connection, delimiter)


def _others(there: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in there if name not in columns)


def _is_ibis_table(given: Any) -> bool:
    if not type(given).__module__.startswith("ibis."):
        return False
    import ibis

    return isinstance(given, ibis.Table)


def _of_ibis(given: ibis.Table, columns: Sequence[str], engine: Any, secret: str | None) -> Opened:
    connection = given.get_backend()
    if engine is not connection and engine not in (None, "duckdb"):
        raise InputError(
            "a table of {connection} is counted by {connection}; leave {option} out",
            connection=connection.name, option=Option("engine", engine),
        )  # fmt: skip
    name = _name_of(given)
    with in_our_words(connection.name, name):
        chosen = _chosen(given, columns, name, connection)
        return Opened(table=_plain_columns(chosen, name, secret), name=name,
                      others=_others(given.columns, columns))  # fmt: skip


def _name_of(table: ibis.Table) -> str:
    engine = table.get_backend().name
    try:
        return f"{table.get_name()} ({engine})"
    except Exception:  # an expression, not a table of the database
        return f"the table of {engine}"


def _is_parquet(given: str | os.PathLike[str]) -> bool:
    """Whether a path is a Parquet file, or a folder or a pattern of several."""
    path = Path(given)
    return path.is_dir() or path.suffix.lower() in PARQUET or _is_pattern(path)


def _is_pattern(path: Path) -> bool:
    return "*" in os.fspath(path) and not path.exists()


def _of_parquet(
    given: str | os.PathLike[str], columns: Sequence[str], connection: Any, secret: str | None
) -> Opened:
    import pyarrow.parquet as pq

    files, name = _parquet_files(Path(given)), os.path.basename(given)
    with in_our_words(connection.name, name):
        if connection.name == "pyspark":
            # Folders named column=value hold that column; Spark needs their parent to see it.
            in_folders = Path(given).is_dir() and any("=" in Path(f).parent.name for f in files)
            paths = [_to_spark(f) for f in ([given] if in_folders else files)]
            table = _viewed(connection, connection._session.read.parquet(*paths))
        else:
            table = connection.read_parquet(files)
    # pandas stores an unnamed index as a column of this name.
    table = table.select([c for c in table.columns if not c.startswith("__index_level_")])
    others = _others(table.columns, columns)
    table = _plain_columns(_chosen(table, columns, name, connection), name, secret)
    there = set(pq.read_schema(files[0]).names)  # the names of folders may hold other columns
    inside = [column for column in columns if column in there]
    first = partial(_first_rows, files[0], inside)
    seen = first(1)  # in the order of the file
    return Opened(
        table=table, name=name, levels=_levels({one: seen[one] for one in seen.column_names}),
        beginning=first if len(files) == 1 and len(inside) == len(columns) else None,
        others=others,
    )  # fmt: skip


def _parquet_files(path: Path) -> list[str]:
    if _is_pattern(path):
        pattern = str(path.relative_to(path.anchor)) if path.anchor else str(path)
        found = sorted(str(file) for file in Path(path.anchor or ".").glob(pattern))
        if not found:
            raise InputError("no file matches {path}", path=File(path))
        if not all(file.lower().endswith(PARQUET) for file in found):
            raise InputError("{path} matches files that are not all Parquet", path=File(path))
        return found
    if path.is_dir():
        parts = sorted(str(f) for f in path.rglob("*") if f.suffix.lower() in PARQUET)
        if not parts:
            raise InputError("{path} is a folder without a Parquet file", path=File(path))
        return parts
    return [str(existing_file(path))]


def _first_rows(file: str, columns: Sequence[str], rows: int) -> Any:
    """The first rows of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as there:
        schema = pa.schema([there.schema_arrow.field(name) for name in columns])
        found = next(there.iter_batches(batch_size=rows, columns=list(columns)), None)
    return schema.empty_table() if found is None else pa.Table.from_batches([found])


def _of_csv(file: Path, columns: Sequence[str], connection: Any, delimiter: str | None) -> Opened:
    """A CSV file in UTF-8, whose cells are all texts."""
    layout = csv_layout(file, delimiter, UTF8, name_unnamed=True)
    _check_columns(columns, layout.names, file.name, connection)
    fault = partial(csv_fault, file, layout)
    if connection.name == "pyspark" and encoding_of(file) != UTF8:  # Spark would read � instead
        raise fault() or InputError("{file} is not UTF-8", file=File(file.name, bare=True))
    # Columns are named by their position, because engines change names.
    places = [f"c{position}" for position in range(len(layout.names))]
    shown = _csv_in_spark if connection.name == "pyspark" else _csv_in_duckdb
    with in_our_words(connection.name, file.name, fault):
        table = shown(connection, file, layout, places)
        table = table.select(**{name: table[places[layout.names.index(name)]] for name in columns})
    return Opened(table=_stripped_cells(table), name=file.name, is_text_file=True, fault=fault,
                  others=_others(layout.names, columns))  # fmt: skip


def _csv_in_duckdb(
    connection: Any, file: Path, layout: CsvLayout, places: Sequence[str]
) -> ibis.Table:
    import pyarrow as pa
    from pyarrow import csv, dataset

    texts = dataset.CsvFileFormat(
        parse_options=csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
        read_options=csv.ReadOptions(column_names=places, skip_rows=layout.header_lines),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(places, pa.string()), strings_can_be_null=False
        ),
    )
    schema = pa.schema([(place, pa.string()) for place in places])
    return _in_place(connection, dataset.dataset(str(file), schema=schema, format=texts))


def _in_place(connection: Any, data: Any) -> ibis.Table:
    """What Arrow has in memory or in a file, as a table of DuckDB."""
    name = f"unveil_{next(_NAMES)}"
    connection.con.register(name, data)
    return connection.table(name)


def _csv_in_spark(
    connection: Any, file: Path, layout: CsvLayout, places: Sequence[str]
) -> ibis.Table:
    # With column pruning, a short line goes unnoticed if its last columns are not used.
    frame = connection._session.read.option("columnPruning", False).csv(
        _to_spark(file), schema=", ".join(f"{place} STRING" for place in places), header=True,
        sep=layout.delimiter, quote='"', escape='"', multiLine=True, mode="FAILFAST",
    )  # fmt: skip
    return _viewed(connection, frame)


def _viewed(connection: Any, frame: Any) -> ibis.Table:
    """A data frame of Spark as a table."""
    name = f"unveil_{next(_NAMES)}"
    frame.createOrReplaceTempView(name)
    return connection.table(name)


def _to_spark(path: str | os.PathLike[str]) -> str:
    """A path for Spark, which reads brackets and the like as patterns."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", os.path.abspath(path))


def _stripped_cells(table: ibis.Table) -> ibis.Table:
    """Cells of a text file without blanks around them; an empty cell is a missing value."""
    engine = table.get_backend().name

    def cells(name: str) -> Any:  # those of a workbook have types
        column = table[name]
        return _stripped(column, engine).nullif("") if column.type().is_string() else column

    return table.select(**{name: cells(name) for name in table.columns})


def _in_memory(source: Any, columns: Sequence[str], connection: Any, secret: str | None) -> Opened:
    import pyarrow as pa

    _check_columns(columns, source.columns, source.name, connection)
    for name in columns:
        if name in source.unreadable:
            raise InputError(
                "column {column} of {source} {why}: make them all texts or all numbers",
                column=Column(name), source=File(source.name, bare=True),
                why=source.unreadable[name],
            )  # fmt: skip
    arrays = {name: _plain_array(source.arrays[name]) for name in columns}
    is_text = source.is_text_file
    with in_our_words(connection.name, source.name):
        table = registered(connection, pa.table(arrays))
        table = _stripped_cells(table) if is_text else _plain_columns(table, source.name, secret)
    return Opened(
        table=table, name=source.name, is_text_file=is_text,
        levels=_levels({name: source.arrays[name] for name in columns}),
        beginning=lambda rows: pa.table(arrays).slice(0, rows),
        others=_others(source.columns, columns), notes=source.notes,
    )  # fmt: skip


def registered(connection: Any, table: Any) -> ibis.Table:
    """An Arrow table as a table of an engine, which reads it in place if it can."""
    if connection.name == "duckdb":
        return _in_place(connection, table)
    if connection.name != "pyspark":
        return connection.create_table(f"unveil_{next(_NAMES)}", table, temp=True)
    import pyarrow as pa

    with quietly():
        frame = connection._session.createDataFrame(table)
        for column in table.schema:
            if pa.types.is_timestamp(column.type):  # Spark assumes that it is in UTC
                quoted = f"`{column.name.replace('`', '``')}`"
                frame = frame.withColumn(column.name, frame[quoted].cast("timestamp_ntz"))
    return _viewed(connection, frame)


def _levels(arrays: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The categories of the columns that pandas or Arrow has as ordered categories."""
    import pyarrow as pa

    levels = {}
    for name, array in arrays.items():
        if pa.types.is_dictionary(array.type) and array.type.ordered and len(array):
            chunk = array
            if isinstance(array, pa.ChunkedArray):
                chunk = array.unify_dictionaries().combine_chunks()
            levels[name] = tuple(value_text(value) for value in chunk.dictionary.to_pylist())
    return levels


def _chosen(table: ibis.Table, columns: Sequence[str], name: str, connection: Any) -> ibis.Table:
    _check_columns(columns, table.columns, name, connection)
    return table.select(list(columns))


def _check_columns(
    columns: Sequence[str], there: Sequence[str], name: str, connection: Any
) -> None:
    table = File(name, bare=True)
    for i, column in enumerate(columns):
        if not isinstance(column, str):
            raise InputError(
                "columns are named by texts, but {given} was given", given=Cell(column)
            )
        if column.startswith(OURS):
            raise InputError(
                "column {column} of {table} has a name that unveil uses itself; rename it",
                column=Column(column), table=table,
            )  # fmt: skip
        if column not in there:
            raise InputError(
                "column {column} is not in {table}{near} (columns: {columns})",
                column=Cell(column), table=table, near=did_you_mean(column, there),
                columns=Listed(there),
            )  # fmt: skip
        if column in columns[:i]:
            raise InputError("column {column} is named twice", column=Column(column))
        for other in columns[:i]:
            if connection.name == "duckdb" and other.lower() == column.lower():
                raise InputError(
                    "DuckDB cannot tell the columns {one} and {other} of {table} apart; rename "
                    "one of them",
                    one=Column(other), other=Column(column), table=table,
                )  # fmt: skip


def _plain_array(array: Any) -> Any:
    """An Arrow column: categories as their values, times as local times."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        return _plain_array(array.cast(kind.value_type))
    if pa.types.is_timestamp(kind):
        return _microseconds(array if kind.tz is None else pc.local_timestamp(array))
    if pa.types.is_unsigned_integer(kind):
        most = pc.max(array).as_py() or 0
        return array.cast(pa.int64() if most < 2**63 else pa.decimal128(20, 0))
    texts = pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if texts or pa.types.is_null(kind):
        return array.cast(pa.string())
    if pa.types.is_float16(kind):
        return array.cast(pa.float32())
    return array.cast(pa.date32()) if pa.types.is_date64(kind) else array


def _microseconds(array: Any) -> Any:
    import pyarrow as pa

    try:
        return array.cast(pa.timestamp("us"))
    except pa.ArrowInvalid:  # too fine or too long ago for microseconds
        return array


def _plain_columns(table: ibis.Table, name: str, secret: str | None) -> ibis.Table:
    """The columns of an engine's table, where NaN and blank texts are missing, and -0 is 0.

    The texts of the secret stay as they are: their meaning is inferred from all of them.
    """
    import ibis

    changed = {}
    for column, kind in table.schema().items():
        if kind.is_nested():
            raise InputError(
                "column {column} of {table} has lists or records in its cells; write them as texts",
                column=Column(column), table=File(name, bare=True),
            )  # fmt: skip
        if kind.is_string() and column != secret:
            blank = _stripped(table[column], table.get_backend().name) == ""
            changed[column] = blank.ifelse(ibis.null(kind), table[column])
        elif kind.is_floating():
            floats = table[column]
            missing = floats.isnan(), ibis.null(kind)
            zero = floats == 0, ibis.literal(0.0, kind)
            changed[column] = ibis.cases(missing, zero, else_=floats)
        elif kind.is_timestamp() and kind.timezone is not None:
            changed[column] = table[column].cast("timestamp")
        elif kind.is_uuid():
            changed[column] = table[column].cast("string")
    return table.mutate(**changed) if changed else table


def _stripped(column: Any, engine: str) -> Any:
    """Texts without blanks around them."""
    import ibis

    if engine != "pyspark":
        return column.strip()
    # Ibis writes vertical tab and form feed in a way that Spark reads as the letters v and f.
    trim = ibis.udf.scalar.builtin(_trim, name="btrim", signature=(("string", "string"), "string"))
    return trim(column, " \t\n\r")


def _trim(text, characters):  # type: ignore[no-untyped-def]
    """A function of Spark."""
