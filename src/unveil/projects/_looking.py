"""The table that is looked at: whole, or of a large one a sample from all over it.

A file is opened as the readers open it, so that what is proposed fits what will be read. Of a large
one some rows are kept, half of them given up whenever too many have come together: every part of
the file has the same say, however it is sorted, and memory stays small. Which rows hangs on their
numbers, scrambled: the same file gives the same sample, and "every second row is a woman" does not
make a table of women.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.microdata import (
    Source,
    csv_layout,
    existing_file,
    from_csv,
    from_parquet,
    from_table,
    is_parquet,
    is_utf8,
)

__all__ = ["ColumnNames", "LookedAt", "look_at"]

ColumnNames: TypeAlias = Sequence[str] | Mapping[int, str]

ROWS = 200_000
"""Of a large table at most so many rows are kept, and about half of them at least."""

LARGE = 1 << 27
"""Bytes of a CSV file that is not read whole."""

_FALLBACK = "latin-1"  # every byte is a letter in it: it can always be read, if not always rightly


@dataclass(frozen=True, kw_only=True)
class LookedAt:
    """An opened table.

    Attributes
    ----------
    name : str
        For messages.
    arrays : dict of str to Arrow arrays
    unreadable : frozenset of str
        Columns whose values have no common type.
    is_text_file : bool
    file : Path, optional
    encoding : str, optional
        Of a CSV file that is not in UTF-8.
    rows : int
        That are looked at.
    of_rows : int
        That there are.
    notes : tuple of str
    """

    name: str
    arrays: dict[str, Any]
    unreadable: frozenset[str]
    is_text_file: bool
    rows: int
    of_rows: int
    file: Path | None = None
    encoding: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_sample(self) -> bool:
        """Whether there are rows that nobody has looked at."""
        return self.rows < self.of_rows


def look_at(
    table: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: ColumnNames | None = None,
) -> LookedAt:
    """Open a file or take a table in memory; the options are for CSV files."""
    if not isinstance(table, str | os.PathLike):
        seen = _thinned(_of_source(from_table(table)))
    elif is_parquet(table):
        for option, given in (("delimiter", delimiter), ("encoding", encoding),
                              ("columns", columns)):  # fmt: skip
            if given is not None:
                raise InputError(f"{option} is for CSV files; {Path(table).name} is Parquet")
        seen = _parquet(existing_file(table))
    else:
        seen = _csv(existing_file(table), delimiter, encoding, columns)
    if seen.rows == 0:
        raise InputError(f"{seen.name} has no rows")
    if seen.is_sample:
        said = f"{seen.rows:,} of {seen.of_rows:,} rows were looked at, from all over the table"
        seen = replace(seen, notes=(*seen.notes, said))
    return seen


def _of_source(source: Source) -> LookedAt:
    return LookedAt(
        name=source.name, arrays=dict(source.arrays), unreadable=frozenset(source.unreadable),
        is_text_file=source.is_text_file, rows=source.n_rows, of_rows=source.n_rows,
    )  # fmt: skip


def _thinned(seen: LookedAt) -> LookedAt:
    """Some rows of a table in memory that is large."""
    rows, level = np.arange(seen.rows), 0
    while len(rows) > ROWS:
        level += 1
        rows = rows[_is_kept(rows, level)]
    if level == 0:
        return seen
    arrays = {name: array.take(rows) for name, array in seen.arrays.items()}
    return replace(seen, arrays=arrays, rows=len(rows))


def _parquet(file: Path) -> LookedAt:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        opened = pq.ParquetFile(file)
        large = opened.metadata.num_rows > 2 * ROWS
    except (pa.ArrowException, OSError):
        large = False  # the reader says what is the matter with it
    if not large:
        return replace(_of_source(from_parquet(file)), file=file)
    kept = [name for name in opened.schema_arrow.names if not name.startswith("__index_level_")]
    table, rows = _some_of(opened.iter_batches(columns=kept))
    seen = _of_source(from_table(table))
    return replace(seen, name=file.name, of_rows=rows, file=file)


def _csv(
    file: Path, delimiter: str | None, encoding: str | None, columns: ColumnNames | None
) -> LookedAt:
    notes: tuple[str, ...] = ()
    if encoding is None and not is_utf8(file):
        encoding = _FALLBACK
        notes = (
            f"{file.name} is not in UTF-8 and is read as {_FALLBACK}; if letters look wrong, say "
            "which encoding it is in",
        )
    if file.stat().st_size <= LARGE or encoding not in (None, "utf-8") or columns is not None:
        seen = _thinned(_of_source(_small_csv(file, delimiter, encoding or "utf-8", columns)))
    else:
        seen = _large_csv(file, delimiter)
    if columns is None:
        _refuse_records_as_names(seen)
    return replace(seen, file=file, encoding=encoding, notes=notes)


def _small_csv(
    file: Path, delimiter: str | None, encoding: str, columns: ColumnNames | None
) -> Source:
    try:
        return from_csv(file, delimiter=delimiter, encoding=encoding, columns=columns)
    except InputError:
        if columns is None:
            # If it can be read without its names, they are what is wrong. They are not shown: in
            # a file without a header they are somebody's record.
            from_csv(file, delimiter=delimiter, encoding=encoding, columns={0: "first"})
            raise InputError(
                f"of the names in the first line of {file.name} two are the same, or one is "
                "empty: rename them; if that line is a record and no header, say the names with "
                "columns="
            ) from None
        raise


def _large_csv(file: Path, delimiter: str | None) -> LookedAt:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    layout = csv_layout(file, delimiter)
    try:
        reader = arrow_csv.open_csv(
            file,
            read_options=arrow_csv.ReadOptions(
                column_names=list(layout.names), skip_rows=layout.header_lines
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=layout.delimiter, newlines_in_values=True
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(layout.names, pa.string()), strings_can_be_null=False
            ),
        )
        table, rows = _some_of(reader)
    except pa.ArrowException as error:
        raise InputError(f"cannot read {file.name}: {error}") from None
    return replace(_of_source(from_table(table)), name=file.name, of_rows=rows, is_text_file=True)


def _some_of(batches: Iterable[Any]) -> tuple[Any, int]:
    """Some rows of a stream, halved as often as it takes, and how many there were."""
    import pyarrow as pa

    kept: list[Any] = []
    numbers: list[NDArray[np.int64]] = []
    count, level, held = 0, 0, 0
    for batch in batches:
        rows = np.arange(count, count + batch.num_rows)
        chosen = _is_kept(rows, level)
        kept.append(batch.filter(pa.array(chosen)))
        numbers.append(rows[chosen])
        count, held = count + batch.num_rows, held + len(numbers[-1])
        while held > ROWS:
            level += 1
            together, rows = pa.Table.from_batches(kept), np.concatenate(numbers)
            chosen = _is_kept(rows, level)
            kept = together.filter(pa.array(chosen)).combine_chunks().to_batches()
            numbers, held = [rows[chosen]], int(chosen.sum())
    return pa.Table.from_batches(kept), count


def _is_kept(rows: NDArray[np.int64], level: int) -> NDArray[np.bool_]:
    """One row in 2 to the power of the level: those whose number, scrambled, ends in zero bits.

    Whom one level keeps, all lower levels keep. The scrambling is the last step of SplitMix64.
    """
    mixed = rows.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed % np.uint64(1 << level) == 0


def _refuse_records_as_names(seen: LookedAt) -> None:
    """Names that are values of their own columns are the first person's: there is no header.

    They are not shown: they are somebody's record.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    def stands_in_it(name: str) -> bool:
        array = seen.arrays[name]
        if pa.types.is_dictionary(array.type):
            array = array.unify_dictionaries()
            array = array.chunk(0).dictionary if array.num_chunks else pa.array([], pa.string())
        stripped = pc.utf8_trim_whitespace(array)
        return bool(pc.any(pc.equal(stripped, name)).as_py())

    found = sum(stands_in_it(name) for name in seen.arrays)
    if found >= 2 and 2 * found >= len(seen.arrays):
        raise InputError(
            f"the first line of {seen.name} looks like a record, not like the names of its "
            f"{len(seen.arrays)} columns: {found} of its cells are values that others have, too; "
            "say the names with columns="
        )
