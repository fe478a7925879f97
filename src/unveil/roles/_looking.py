"""The table that is looked at, whole or as a sample, and a profile of each of its columns.

A file is opened as the readers open it, so that a proposal fits what will be read. Of a large table
a sample is kept, which is halved whenever it gets too large: every part of the table counts the
same, however it is sorted, and memory stays small. Which rows are kept depends on their scrambled
numbers: the same file gives the same sample, and a pattern in the order of rows does not matter.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import File, Foreign, InputError, Message, Option, Text
from unveil.microdata import (
    UTF8,
    Column,
    Distinct,
    Kind,
    Role,
    Source,
    Wish,
    csv_layout,
    distinct_values,
    encode,
    encoding_of,
    existing_file,
    from_csv,
    from_parquet,
    from_table,
    is_parquet,
    is_workbook,
)
from unveil.microdata.dates import dates_by_form
from unveil.microdata.number_forms import numbers_by_form
from unveil.microdata.vocabulary import MISSING_WORDS, REFUSALS, Group, Pattern, Topic, topic_of

ColumnNames: TypeAlias = Sequence[str] | Mapping[int, str]

ROWS = 200_000
"""The largest number of rows in a sample; it has at least about half as many."""

LARGE = 1 << 27
"""CSV files with more bytes are not read whole."""

FEW = 5
"""What fewer people have is not shown: a proposal is mailed around."""

_LOOKED_AT = 2_000  # distinct texts that patterns are tried on
_CODES = ("-9", "-99", "-999", "-9999")  # for missing, where no other number is negative
_STRAY = 3  # different texts among numbers that may be codes for missing


@dataclass(frozen=True, kw_only=True)
class LookedAt:
    """An opened table: `rows` of its `of_rows` rows, as Arrow arrays by column.

    The values of `unreadable` columns have no common type.
    """

    name: str
    arrays: dict[str, Any]
    unreadable: frozenset[str]
    is_text_file: bool
    rows: int
    of_rows: int
    file: Path | None = None
    notes: tuple[Text, ...] = ()

    @property
    def is_sample(self) -> bool:
        """Whether some rows were not looked at."""
        return self.rows < self.of_rows


def look_at(
    table: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: ColumnNames | None = None,
    sheet: str | None = None,
) -> LookedAt:
    """Open a file or take a table in memory; the options are for CSV files and workbooks."""
    if not isinstance(table, str | os.PathLike):
        seen = _thinned(_of_source(from_table(table)))
    elif is_parquet(table):
        for option, given in (("delimiter", delimiter), ("encoding", encoding),
                              ("columns", columns), ("sheet", sheet)):  # fmt: skip
            if given is not None:
                raise InputError(
                    "{option} is for {what}; {file} is Parquet",
                    option=Option(option), file=File(Path(table).name, bare=True),
                    what="Excel workbooks" if option == "sheet" else "CSV files",
                )  # fmt: skip
        seen = _parquet(existing_file(table))
    else:
        seen = _csv(existing_file(table), delimiter, encoding, columns, sheet)
    if seen.rows == 0:
        raise InputError("{table} has no rows", table=File(seen.name, bare=True))
    if seen.is_sample:
        note = Message("{rows} of {all} rows were looked at, from all over the table",
                       rows=seen.rows, all=seen.of_rows)  # fmt: skip
        seen = replace(seen, notes=(*seen.notes, note))
    return seen


def _of_source(source: Source) -> LookedAt:
    return LookedAt(
        name=source.name, arrays=dict(source.arrays), unreadable=frozenset(source.unreadable),
        is_text_file=source.is_text_file, rows=source.n_rows, of_rows=source.n_rows,
        notes=source.notes,
    )  # fmt: skip


def _thinned(seen: LookedAt) -> LookedAt:
    """A sample of a table in memory, if it is large."""
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
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        large = False  # the reader says what is wrong with it
    if not large:
        return replace(_of_source(from_parquet(file)), file=file)
    kept = [name for name in opened.schema_arrow.names if not name.startswith("__index_level_")]
    table, rows = _some_of(opened.iter_batches(columns=kept))
    seen = _of_source(from_table(table))
    return replace(seen, name=file.name, of_rows=rows, file=file)


def _csv(
    file: Path, delimiter: str | None, encoding: str | None, columns: ColumnNames | None,
    sheet: str | None,
) -> LookedAt:  # fmt: skip
    large = file.stat().st_size > LARGE and columns is None and not is_workbook(file)
    large = large and sheet is None  # a CSV file has none, and says so
    if large and encoding is None:
        encoding = encoding_of(file)
    if not large or encoding != UTF8:
        seen = _thinned(_of_source(_small_csv(
            file, columns, delimiter=delimiter, encoding=encoding, sheet=sheet
        )))  # fmt: skip
    else:
        seen = _large_csv(file, delimiter)
    if columns is None:
        _refuse_records_as_names(seen)
    return replace(seen, file=file)


def _small_csv(file: Path, columns: ColumnNames | None, **opening: Any) -> Source:
    try:
        return from_csv(file, columns=columns, **opening)
    except InputError:
        if columns is None:
            # pandas and R write row names without a name of their own.
            with contextlib.suppress(InputError):
                return from_csv(file, name_unnamed=True, **opening)
            # If it can be read without its names, the names are wrong. They are not shown: in a
            # file without a header they are somebody's record.
            from_csv(file, columns={0: "first"}, **opening)
            raise InputError(
                "in the first line of {file} two names are the same, or one is empty; rename them, "
                "or, if that line is a record and no header, give the names with {columns}",
                file=File(file.name, bare=True), columns=Option("columns"),
            ) from None  # fmt: skip
        raise


def _large_csv(file: Path, delimiter: str | None) -> LookedAt:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    layout = csv_layout(file, delimiter, UTF8)
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
        raise InputError("cannot read {file}: {why}", file=File(file.name, bare=True),
                         why=Foreign(str(error))) from None  # fmt: skip
    return replace(_of_source(from_table(table)), name=file.name, of_rows=rows, is_text_file=True)


def _some_of(batches: Iterable[Any]) -> tuple[Any, int]:
    """A sample of a stream, halved as often as needed, and the number of all rows."""
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
    """One row in 2 to the power of the level: those whose scrambled number ends in zero bits.

    A row that one level keeps, all lower levels keep. The scrambling is that of SplitMix64.
    """
    mixed = rows.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed % np.uint64(1 << level) == 0


def _refuse_records_as_names(seen: LookedAt) -> None:
    """Refuse names that are values of their own columns: the file has no header.

    They are not shown, as they are somebody's record.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    def stands_in_it(name: str) -> bool:
        array = seen.arrays[name]
        if pa.types.is_dictionary(array.type):
            array = array.unify_dictionaries()
            array = array.chunk(0).dictionary if array.num_chunks else pa.array([], pa.string())
        stripped = pc.utf8_trim_whitespace(array.cast(pa.string()))
        return bool(pc.any(pc.equal(stripped, name)).as_py())

    found = sum(stands_in_it(name) for name in seen.arrays)
    if found >= 2 and 2 * found >= len(seen.arrays):
        raise InputError(
            "the first line of {table} looks like a record, not like the names of its {all} "
            "columns: {found} of its cells are values of other rows, too; give the names with "
            "{columns}",
            table=File(seen.name, bare=True), all=len(seen.arrays), found=found,
            columns=Option("columns"),
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Profile:
    """What is known about a column.

    Attributes
    ----------
    name : str
    distinct : Distinct, optional
        Its values, without those that mean missing; None if they cannot be read.
    markers : tuple of str
        Texts that mean missing: known ones, or ones that at least five people have.
    stray : int
        Rows with a text among numbers that fewer people have, so that it is not shown.
    rows : int
    """

    name: str
    distinct: Distinct | None
    rows: int
    markers: tuple[str, ...] = ()
    stray: int = 0

    @cached_property
    def topic(self) -> Topic | None:
        """What its name stands for."""
        return topic_of(self.name)

    @property
    def group(self) -> Group | None:
        """What that is to an attacker."""
        return None if self.topic is None else self.topic.group

    @cached_property
    def column(self) -> Column | None:
        """The column as it would be read."""
        if self.distinct is None:
            return None
        return encode(self.distinct, Wish(role=Role.OTHER, form=_form_of(self.distinct)))

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Rows without a value."""
        if self.distinct is None:
            return np.ones(self.rows, dtype=bool)
        return self.distinct.missing

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Number of rows with each distinct value."""
        if self.distinct is None:
            return np.zeros(0, dtype=np.int64)
        codes = self.distinct.codes
        return np.bincount(codes[codes >= 0], minlength=len(self.distinct.values))

    @property
    def size(self) -> int:
        """Number of different values."""
        return int((self.counts > 0).sum())

    @property
    def filled(self) -> int:
        """Number of rows with a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> float:
        """The share of rows without a value."""
        return 1 - self.filled / self.rows

    @property
    def alone(self) -> float:
        """The share of rows whose value nobody else has."""
        return int((self.counts == 1).sum()) / max(self.filled, 1)

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.column is not None and self.column.kind is Kind.NUMERIC

    @property
    def is_date(self) -> bool:
        """Whether its values are points in time."""
        return self.distinct is not None and (
            self.is_numeric and self.column is not None and self.column.values.dtype.kind == "M"
        )

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        if not self.is_numeric or self.is_date or self.column is None:
            return False
        values = self.column.values.astype(np.float64)
        values = values[np.isfinite(values)]
        return bool((values == np.floor(values)).all())

    @property
    def is_finite(self) -> bool:
        """Whether no number is infinite."""
        if not self.is_numeric or self.column is None or self.column.values.dtype.kind != "f":
            return True
        return not np.isinf(self.column.values).any()

    @cached_property
    def texts(self) -> tuple[Sequence[str], NDArray[np.int64]]:
        """Some of its texts, evenly spaced, and the number of rows with each."""
        if self.distinct is None:
            return [], self.counts
        step = max(1, -(-len(self.distinct.values) // _LOOKED_AT))
        return self.distinct.texts()[::step], self.counts[::step]

    def fits(self, pattern: Pattern) -> bool:
        """Whether nearly all rows have a form."""
        texts, counts = self.texts
        fitting = [pattern.fits(text) for text in texts]
        return bool(counts.sum()) and float(counts[fitting].sum()) >= pattern.share * counts.sum()

    def first_fit(self, patterns: Iterable[Pattern]) -> Pattern | None:
        """The first pattern that fits nearly all rows."""
        return next((pattern for pattern in patterns if self.fits(pattern)), None)

    @cached_property
    def refusals(self) -> float:
        """The share of rows in which a person declined to answer."""
        texts, counts = self.texts
        refused = [REFUSALS(text) for text in texts]
        return float(counts[refused].sum()) / max(int(counts.sum()), 1)

    @property
    def words(self) -> float:
        """Average number of words in a distinct value."""
        texts, _ = self.texts
        return sum(len(text.split()) for text in texts) / max(len(texts), 1)


def _form_of(column: Distinct) -> str | None:
    """A form in which all texts are dates or numbers; which of several does not matter here."""
    if not column.is_text or column.is_category or column.is_ordered or not len(column.values):
        return None
    if _number(column.values[0]) is not None:
        return None
    return next(iter([*dates_by_form(column.values), *numbers_by_form(column.values)]), None)


def profiles_of(seen: LookedAt) -> list[Profile]:
    """A profile of every column."""
    return [_profile(name, seen) for name in seen.arrays]


def _profile(name: str, seen: LookedAt) -> Profile:
    if name in seen.unreadable:
        return Profile(name=name, distinct=None, rows=seen.rows)
    try:
        raw = distinct_values(
            seen.arrays[name], name=name, source=seen.name, is_text_file=seen.is_text_file
        )
    except InputError:
        return Profile(name=name, distinct=None, rows=seen.rows)
    markers, stray = _markers(raw)
    return Profile(
        name=name, distinct=raw.without(markers), rows=seen.rows, markers=markers, stray=stray
    )


def _markers(column: Distinct) -> tuple[tuple[str, ...], int]:
    """Texts that mean missing, and the number of rows with texts that may mean it."""
    if not column.is_text or column.is_ordered:
        return (), 0
    texts = list(column.values)
    known = [text for text in texts if text.casefold() in MISSING_WORDS]
    others = column.without(known)
    if column.is_category or not len(others.values):
        return tuple(sorted(known)), 0
    numbers = {text: number for text in others.values if (number := _number(text)) is not None}
    words = [text for text in others.values if text not in numbers]
    if words and len(words) <= _STRAY and len(numbers) > 2 * len(words):
        counts = np.bincount(others.codes[others.codes >= 0], minlength=len(others.values))
        rows = dict(zip(others.values, counts.tolist(), strict=True))
        shown = [word for word in words if rows[word] >= FEW]
        if len(shown) < len(words):
            return tuple(sorted(known)), sum(rows[word] for word in words)
        known += shown
    elif words:
        return tuple(sorted(known)), 0
    below = [text for text, number in numbers.items() if number < 0]
    if len(below) == 1 and below[0] in _CODES and len(numbers) > 2:
        known += below
    return tuple(sorted(known)), 0


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
