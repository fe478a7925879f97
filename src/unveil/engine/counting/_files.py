"""CSV and Parquet files as tables of an engine, which reads them itself, whatever their size.

DuckDB is given CSV files through Arrow: that is how this house reads them everywhere, and so a
quote within a cell, a blank line or a line too short means the same here as it does there.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.engine.counting._words import Fault, in_our_words
from unveil.errors import InputError
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

__all__ = ["csv_table", "is_parquet", "parquet_levels", "parquet_table"]


_NAMES = itertools.count()


def is_parquet(given: str | os.PathLike[str]) -> bool:
    """Whether a path is a Parquet file, or a folder or a pattern of several."""
    path = Path(given)
    return path.is_dir() or path.suffix.lower() in PARQUET or _is_pattern(path)


def _is_pattern(path: Path) -> bool:
    return "*" in os.fspath(path) and not path.exists()


def parquet_table(connection: Any, given: str | os.PathLike[str]) -> tuple[ibis.Table, list[str]]:
    """Show Parquet files to an engine; which files these are."""
    files = _parquet_files(Path(given))
    with in_our_words(connection.name, Path(given).name):
        if connection.name == "pyspark":
            # Folders called column=value hold that column; Spark sees it if given their parent.
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
            raise InputError(f"no file fits {str(path)!r}")
        if not all(file.lower().endswith(PARQUET) for file in found):
            raise InputError(f"{str(path)!r} stands for files that are not all Parquet")
        return found
    if path.is_dir():
        parts = sorted(str(f) for f in path.rglob("*") if f.suffix.lower() in PARQUET)
        if not parts:
            raise InputError(f"{str(path)!r} is a folder without a Parquet file")
        return parts
    return [str(existing_file(path))]


def parquet_beginning(files: Sequence[str], columns: Sequence[str]) -> Callable[[int], Any] | None:
    """What reads the first rows of a Parquet file; of several nobody knows which are first."""
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
    """The columns that pandas or Arrow wrote as categories in an order, with their categories."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(files[0]) as file:
        levels = {}
        for name in columns:
            place = file.schema_arrow.get_field_index(name)
            kind = None if place < 0 else file.schema_arrow.field(place).type
            if kind is None or not pa.types.is_dictionary(kind) or not kind.ordered:
                continue
            # The dictionary has all categories, and stands before the cells of any row group.
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
    """Show a CSV file in UTF-8 to an engine.

    Parameters
    ----------
    check : function
        Says which of the file's columns are wanted.

    Returns
    -------
    table : ibis.Table
        All cells are texts.
    fault : function
        Says what is wrong with the file, once the engine cannot read it.
    """
    layout = csv_layout(file, delimiter)
    wanted = check(layout.names)

    def fault() -> InputError | None:
        return csv_fault(file, layout)

    if connection.name == "pyspark" and not is_utf8(file):  # it would put � for what it is not
        raise fault() or InputError(f"{file.name} is not UTF-8")
    # Columns go by their position, as engines have ideas of their own about names.
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
    # Without its column pruning, or a line too short goes unnoticed if nobody asks for its end.
    frame = connection._session.read.option("columnPruning", False).csv(
        _to_spark(file),
        schema=", ".join(f"{place} STRING" for place in places),
        header=True,
        sep=layout.delimiter,
        quote='"',
        escape='"',
        multiLine=True,
        mode="FAILFAST",
    )
    return _viewed(connection, frame)


def _viewed(connection: Any, frame: Any) -> ibis.Table:
    name = f"unveil_file_{next(_NAMES)}"
    frame.createOrReplaceTempView(name)
    return connection.table(name)


def _to_spark(path: str | os.PathLike[str]) -> str:
    """A path of this machine, for Spark, which takes brackets and the like for patterns."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", os.path.abspath(path))
