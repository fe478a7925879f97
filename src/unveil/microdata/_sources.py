"""Tables in memory and Parquet files as Arrow columns, in the table's order. (CSV files: `_csv`.)

The index of a table is ignored.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unveil._unpacked import refuse_endless, refuse_large_parquet
from unveil.errors import Cell, File, Foreign, InputError, Option, Text, did_you_mean
from unveil.errors import Column as ColumnName

PARQUET = (".parquet", ".pq", ".parq")
"""Suffixes of Parquet files."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """An open table.

    Attributes
    ----------
    name : str
        For messages.
    n_rows : int
    arrays : dict of str to pyarrow arrays
    unreadable : dict of str to str
        Columns without an Arrow type, and why, such as ``mixes values of type int and str``. They
        are refused only when used.
    objects : dict of str to sequences
        The values of those columns, and of columns of lists, because Arrow makes sets lists.
    is_text_file : bool
        Whether every cell is a text, and blanks around it are ignored.
    """

    name: str
    n_rows: int
    arrays: dict[str, Any]
    unreadable: dict[str, str]
    objects: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    is_text_file: bool = False
    encoding: str | None = None
    """That of a CSV file."""
    notes: tuple[Text, ...] = ()
    """How the file was read, where that is in doubt."""
    looked_at: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The distinct values of columns that were looked at, for whoever reads the table again."""

    @property
    def columns(self) -> tuple[str, ...]:
        """All column names, in the table's order."""
        return tuple(self.arrays)

    @property
    def file(self) -> File:
        """The table's name, for messages."""
        return File(self.name, bare=True)

    def check_has(self, name: str, instead: str = "", **parts: Any) -> None:
        """Refuse a name that is no column; ``instead`` is what else to do, for the message."""
        if name not in self.arrays:
            raise InputError(
                "column {name} is not in {source}{hint} (columns: {columns})" + instead,
                name=Cell(name), source=self.file, hint=did_you_mean(name, self.columns),
                columns=", ".join(self.columns), **parts,
            )  # fmt: skip

    def renamed(self, names: Mapping[str, str] | None) -> Source:
        """The same table with other names for some of its columns: from old to new.

        >>> from_table({"age_group": [1], "sex": ["f"]}).renamed({"age_group": "age"}).columns
        ('age', 'sex')
        """
        if not names:
            return self
        for old in names:
            self.check_has(old)
        new = [names.get(name, name) for name in self.columns]
        twice = next((name for name in new if new.count(name) > 1), None)
        if twice is not None:
            both = [name for name in self.columns if names.get(name, name) == twice]
            raise InputError(
                "two columns of {source} would be called {name}: {both}; leave one out of "
                "{option}, or give the other another name",
                source=self.file, name=ColumnName(twice), both=" and ".join(both),
                option=Option("rename"),
            )  # fmt: skip
        return replace(
            self,
            arrays=dict(zip(new, self.arrays.values(), strict=True)),
            unreadable={names.get(name, name): why for name, why in self.unreadable.items()},
            objects={names.get(name, name): given for name, given in self.objects.items()},
            looked_at={},
        )

    def check_readable(self, name: str) -> None:
        """Refuse a column whose values have no common type."""
        if name in self.unreadable:
            raise InputError(
                "column {column} of {source} {what}; make them all texts or all numbers",
                column=ColumnName(name), source=self.file, what=self.unreadable[name],
            )  # fmt: skip


def check_names(names: Iterable[Any], source: str) -> None:
    """Refuse column names that are not texts, are empty or occur twice."""
    seen = set()
    file = File(source, bare=True)
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise InputError(
                "column names must be texts, but column {position} of {source} is called {name}",
                position=position, source=file, name=ColumnName(name),
            )  # fmt: skip
        if not name.strip():
            raise InputError(
                "column {position} of {source} has no name; name it, or leave it out (pandas "
                "writes its index as such a column unless index=False is given)",
                position=position, source=file,
            )  # fmt: skip
        if name in seen:
            raise InputError(
                "{source} has two columns called {column}; rename one of them",
                source=file, column=ColumnName(name),
            )  # fmt: skip
        seen.add(name)


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Whether a file is Parquet, by its name.

    >>> is_parquet("people.pq"), is_parquet("people.csv")
    (True, False)
    """
    return Path(path).suffix.lower() in PARQUET


def existing_file(path: str | os.PathLike[str]) -> Path:
    """The path of a file; refused if there is no such file."""
    try:
        file = Path(path)
    except TypeError:
        raise InputError(
            "a file must be given by its path, but {type} was given; for a table in memory use "
            "read_table", type=type(path).__name__,
        ) from None  # fmt: skip
    try:
        is_folder = stat.S_ISDIR(file.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # no name may have a NUL in it
        raise InputError("the file {file} does not exist", file=File(file)) from None
    except OSError as error:
        raise InputError("cannot read {file}: {why}", file=File(file),
                         why=Foreign(error.strerror or str(error))) from None  # fmt: skip
    if is_folder:
        raise InputError("{file} is a folder, not a file", file=File(file))
    refuse_endless(file)
    return file


def unnamed(place: int) -> str:
    """What a column without a name is called.

    >>> unnamed(0), is_unnamed(unnamed(0)), is_unnamed("age")
    ('(column 1)', True, False)
    """
    return f"(column {place + 1})"


def is_unnamed(name: str) -> bool:
    """Whether a column had no name."""
    return name.startswith(("(column ", "__index_level_"))


def from_parquet(path: str | os.PathLike[str], *, with_index: bool = False) -> Source:
    """Open a Parquet file, with or without the index that pandas wrote into it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = existing_file(path)
    try:
        with pq.ParquetFile(file) as opened:
            refuse_large_parquet(file, opened)
            table = opened.read()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last one of a name
        raise InputError(
            "cannot read {file} as Parquet: {error}",
            file=File(file.name, bare=True), error=Foreign(str(error)),
        ) from None  # fmt: skip
    # pandas stores an unnamed index as a column of this name.
    kept = [
        name for name in table.column_names if with_index or not name.startswith("__index_level_")
    ]
    check_names(kept, file.name)
    return _from_arrow(table.select(kept), file.name)


def from_table(table: Any) -> Source:
    """Open a table in memory; one that is open stays as it is."""
    import pyarrow as pa

    if isinstance(table, Source):
        return table
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if isinstance(table, pa.Table):
        check_names(table.column_names, "Arrow table")
        return _from_arrow(table, "Arrow table")
    if isinstance(table, Mapping):
        return _from_mapping(table)
    return _from_frame(table)


def _from_arrow(table: Any, name: str) -> Source:
    arrays = dict(zip(table.column_names, table.columns, strict=True))
    return Source(name=name, n_rows=table.num_rows, arrays=arrays, unreadable={})


def _from_mapping(table: Mapping[Any, Any]) -> Source:
    check_names(table, "table")
    lengths = {}
    for name, values in table.items():
        if isinstance(values, str | Mapping | Set) or not hasattr(values, "__len__"):
            raise InputError(
                "column {column} of table must be a sequence of values, but {type} was given",
                column=ColumnName(name), type=type(values).__name__,
            )  # fmt: skip
        lengths[name] = len(values)
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise InputError("the columns of table differ in length: {listed}", listed=listed)
    n_rows = next(iter(lengths.values()), 0)
    return _converted("table", n_rows, dict(table))


def _from_frame(table: Any) -> Source:
    import narwhals as nw

    kind = type(table).__module__.partition(".")[0]
    source = f"{kind} table" if kind in ("pandas", "polars") else "table"
    if kind == "pandas" and hasattr(table, "columns"):
        check_names(table.columns, source)  # before narwhals refuses them in its own words
    try:
        frame = nw.from_native(table)
    except TypeError:
        kind = f"{type(table).__module__}.{type(table).__qualname__}".removeprefix("builtins.")
        raise InputError(
            "cannot read a table from {kind}; give a pandas, polars or Arrow table, or a mapping "
            "from column names to values", kind=kind,
        ) from None  # fmt: skip
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    check_names(frame.columns, source)
    series = {name: frame[name] for name in frame.columns}
    return _converted(source, len(frame), series)


def _converted(source: str, n_rows: int, columns: Mapping[str, Any]) -> Source:
    """Convert column by column to Arrow, so that one that fails can be named."""
    import pyarrow as pa

    arrays: dict[str, Any] = {}
    unreadable: dict[str, str] = {}
    objects: dict[str, Any] = {}
    for name, values in columns.items():
        try:
            arrays[name] = _to_arrow(values)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            arrays[name] = pa.nulls(n_rows)
            unreadable[name] = _kinds(values)
            objects[name] = values
        if pa.types.is_nested(arrays[name].type):
            objects[name] = values
    return Source(name=source, n_rows=n_rows, arrays=arrays, unreadable=unreadable, objects=objects)


def _to_arrow(values: Any) -> Any:
    import pyarrow as pa

    if not hasattr(values, "to_arrow"):
        return pa.array(values, from_pandas=True)
    try:  # a series of narwhals or polars, which knows more than its values
        return values.to_arrow()
    except pa.ArrowException:  # some pandas types, such as sparse ones, must be made dense
        return pa.array(values.to_numpy(), from_pandas=True)


def _kinds(values: Any) -> str:
    kinds = sorted({type(value).__name__ for value in values if value is not None})
    if len(kinds) == 1:
        return f"has values of type {kinds[0]}, which cannot be used"
    listed = " and ".join(kinds) if len(kinds) < 4 else f"{', '.join(kinds[:3])} and others"
    return f"mixes values of type {listed}"
