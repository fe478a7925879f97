"""CSV and Parquet files as tables of an engine, which reads them itself, whatever their size.

DuckDB reads CSV files through Arrow, as unveil does everywhere else. So a quote within a cell, a
blank line or a short line has the same meaning.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.engine.counting._engines import Fault, in_our_words
from unveil.errors import File, InputError
from unveil.microdata import (
    PARQUET,
    CsvLayout,
    csv_fault,
    csv_layout,
    existing_file,
    is_utf8,
    value_text,
)

if TYPE_CHECKING:
    import ibis

_NAMES = itertools.count()


def is_parquet(given: str | os.PathLike[str]) -> bool:
    """Whether a path is a Parquet file, or a folder or a pattern of several."""
    path = Path(given)
    return path.is_dir() or path.suffix.lower() in PARQUET or _is_pattern(path)


def _is_pattern(path: Path) -> bool:
    return "*" in os.fspath(path) and not path.exists()


def parquet_table(connection: Any, given: str | os.PathLike[str]) -> tuple[ibis.Table, list[str]]:
    """Parquet files as a table of an engine, and the files."""
    files = _parquet_files(Path(given))
    with in_our_words(connection.name, Path(given).name):
        if connection.name == "pyspark":
            # Folders named column=value hold that column; Spark needs their parent to see it.
            in_folders = Path(given).is_dir() and any("=" in Path(f).parent.name for f in files)
            there = [_to_spark(f) for f in ([given] if in_folders else files)]
            table = _viewed(connection, connection._session.read.parquet(*there))
        else:
            table = connection.read_parquet(files)
    # pandas stores an unnamed index as a column of this name.
    return table.select([c for c in table.columns if not c.startswith("__index_level_")]), files


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


def parquet_beginning(files: Sequence[str], columns: Sequence[str]) -> Callable[[int], Any] | None:
    """A function that reads the first rows of a Parquet file; None if there are several files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if len(files) > 1 or not set(columns) <= set(pq.read_schema(files[0]).names):
        return None

    def first(rows: int) -> Any:
        with pq.ParquetFile(files[0]) as file:
            schema = pa.schema([file.schema_arrow.field(name) for name in columns])
            batches = file.iter_batches(batch_size=rows, columns=list(columns))
            found = next(batches, None)
        return schema.empty_table() if found is None else pa.Table.from_batches([found])

    return first


def parquet_levels(files: Sequence[str], columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The categories of the columns that pandas or Arrow wrote as ordered categories."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(files[0]) as file:
        levels = {}
        for name in columns:
            place = file.schema_arrow.get_field_index(name)
            kind = None if place < 0 else file.schema_arrow.field(place).type
            if kind is None or not pa.types.is_dictionary(kind) or not kind.ordered:
                continue
            # The dictionary has all categories, and precedes the cells of any row group.
            some = next(file.iter_batches(1, row_groups=[0], columns=[name]), None)
            if some is not None:
                values = some.column(0).dictionary.to_pylist()
                levels[name] = tuple(value_text(value) for value in values)
        return levels


def csv_table(
    connection: Any,
    file: Path,
    delimiter: str | None,
    check: Callable[[Sequence[str]], Sequence[str]],
) -> tuple[ibis.Table, Fault]:
    """A CSV file in UTF-8 as a table of an engine, whose cells are all texts.

    ``check`` gets the file's columns and returns those that are wanted. Also returned is a
    function that finds what is wrong with the file, if the engine cannot read it.
    """
    layout = csv_layout(file, delimiter)
    wanted = check(layout.names)

    def fault() -> InputError | None:
        return csv_fault(file, layout)

    if connection.name == "pyspark" and not is_utf8(file):  # Spark would read � instead
        raise fault() or InputError("{file} is not UTF-8", file=File(file.name, bare=True))
    # Columns are named by their position, because engines change names.
    places = [f"c{position}" for position in range(len(layout.names))]
    shown = _csv_in_spark if connection.name == "pyspark" else _csv_in_duckdb
    with in_our_words(connection.name, file.name, fault):
        table = shown(connection, file, layout, places)
        return table.select(
            **{name: table[places[layout.names.index(name)]] for name in wanted}
        ), fault


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
    name = f"unveil_file_{next(_NAMES)}"
    connection.con.register(name, dataset.dataset(str(file), schema=schema, format=texts))
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
    name = f"unveil_file_{next(_NAMES)}"
    frame.createOrReplaceTempView(name)
    return connection.table(name)


def _to_spark(path: str | os.PathLike[str]) -> str:
    """A path for Spark, which reads brackets and the like as patterns."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", os.path.abspath(path))
