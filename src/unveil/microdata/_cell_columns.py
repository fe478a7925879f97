"""The columns of a published table: opened, and the cells of each read as a whole.

A cell of a table in memory may be a list, a set or a pandas interval. Such cells are written out
as texts first. A text by itself may have several meanings; beside the other cells of its column it
seldom does: ``[20, 25, 31]`` shows that ``[20, 31]`` is a list too, and ``20,5-30`` that ``1,2``
is a number. What remains ambiguous is not guessed but refused.
"""

from __future__ import annotations

import datetime
import decimal
import math
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, InputError, Listed, Message, Option, Row, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._cells import (
    EMPTY,
    UNKNOWN,
    CellReader,
    Readings,
    Settled,
    cell_reader,
    settle,
)
from unveil.microdata._csv import from_csv
from unveil.microdata._distinct import Distinct, distinct_values
from unveil.microdata._encode import MISSING
from unveil.microdata._messages import hierarchy_option
from unveil.microdata._microdata import Column, Kind, value_text
from unveil.microdata._notations import EMPTY_WORDS, Notation, ReadAs, Reading, span
from unveil.microdata._numbers import DECIMAL_COMMA, THOUSANDS
from unveil.microdata._regions import Intervals, Regions, Sets, shortened
from unveil.microdata._sources import Source, from_parquet, from_table, is_parquet

Empty: TypeAlias = Literal["suppressed", "missing"]

_PLAIN = (str, bool, int, float, np.generic, decimal.Decimal, datetime.date, datetime.time)
_MAY_BE = (
    "cells may be a value, an interval such as [20, 35] or ≤ 36, a range such as 20-35, a mask "
    "such as 2*, a set such as {France, Germany}, a hierarchy node, or *"
)
_WORDS = {
    Notation.VALUE: "values",
    Notation.RANGE: "ranges like {}",
    Notation.INTERVAL: "intervals like {}",
    Notation.MASK: "masks like {}",
    Notation.PREFIX: "beginnings like {}",
    Notation.SET: "sets like {}",
    Notation.LIST: "lists like {}",
    Notation.NODE: "hierarchy nodes like {}",
    Notation.SUPPRESSED: "suppressed cells",
}
_HOUSE_STYLES = frozenset(
    {"value", "interval", "one-sided", "set in braces", "node", "stars", EMPTY}
)


def open_release(
    table: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Source:
    """Open a table in memory or a file."""
    if isinstance(table, str | os.PathLike):
        if is_parquet(table):
            source = from_parquet(table, with_index=True)
        else:
            source = from_csv(
                table, delimiter=delimiter, encoding=encoding, sheet=sheet, name_unnamed=True
            )
    else:
        source = from_table(table)
    if source.n_rows == 0:
        raise InputError("{source} has no rows", source=source.file)
    return source


def column_cells(source: Source, name: str) -> Distinct:
    """The distinct cells of one column, with the blanks around them."""
    source.check_has(name)
    array, has_lists = source.arrays[name], False
    if (intervals := _intervals(array)) is not None:
        array = intervals
    elif name in source.objects or _is_nested(array.type):
        cells = _listed(source.objects.get(name, array))
        has_lists = any(isinstance(cell, list | tuple | np.ndarray) for cell in cells)
        array = _written(cells, name, source)
    distinct = distinct_values(array, name=name, source=source.name, is_text_file=False)
    return replace(distinct, has_lists=has_lists)


def _is_nested(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_nested(kind)) or kind.__class__.__name__ == "ArrowPeriodType"


def _intervals(array: Any) -> Any:
    """A column of pandas intervals, such as ``pd.cut`` makes, as texts; else None."""
    import pyarrow as pa

    categories = pa.types.is_dictionary(array.type)
    kind = array.type.value_type if categories else array.type
    if getattr(kind, "extension_name", "") != "pandas.interval":
        return None
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    values = (array.dictionary if categories else array).to_pandas()
    texts = pa.array([_text(value) for value in values], type=pa.large_string())
    return texts.take(array.indices) if categories else texts


def _written(cells: Iterable[Any], name: str, source: Source) -> Any:
    """Cells that are any objects, as texts."""
    import pyarrow as pa

    texts: list[str | None] = []
    for row, cell in enumerate(cells, start=1):
        text = _text(cell)
        if text is None and not _is_missing(cell):
            raise InputError(
                "{row}, column {column} of {source}: a {type} cannot be read as a cell; write it "
                "as a text", row=Row(row), column=ColumnName(name), source=source.file,
                type=type(cell).__name__,
            )  # fmt: skip
        texts.append(text)
    return pa.array(texts, type=pa.large_string())


def _text(cell: Any) -> str | None:
    """A cell in the notation that a person would use; None if it is empty or unknown."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, set | frozenset):
        return "{" + ", ".join(sorted(_quoted(item, '"') for item in cell)) + "}"
    if isinstance(cell, list | tuple | np.ndarray):
        return "[" + ", ".join(_quoted(item, "'") for item in _listed(cell)) + "]"
    if _is_missing(cell):
        return None
    if isinstance(cell, datetime.datetime):
        return cell.replace(tzinfo=None).isoformat()
    if isinstance(cell, _PLAIN):
        return value_text(cell)
    kind = type(cell).__name__
    if kind == "Interval":
        ends = "[" if cell.closed_left else "(", "]" if cell.closed_right else ")"
        return f"{ends[0]}{_text(cell.left)}, {_text(cell.right)}{ends[1]}"
    return str(cell) if kind == "Period" else None


def _listed(values: Any) -> list[Any]:
    """Values of Arrow, polars, pandas, numpy or Python, as Python objects."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _quoted(item: Any, mark: str) -> str:
    """An item of a list; texts in quotes, so that no part of them is read as notation."""
    if not isinstance(item, str):
        return _text(item) or "None"
    if mark == '"':
        return '"' + item.replace('"', '""') + '"'
    return "'" + item.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating) and math.isnan(cell)


@dataclass(frozen=True, eq=False, kw_only=True)
class CellColumn:
    """One column of a release.

    Attributes
    ----------
    cells : list of Settled
        The distinct cells. Spellings of one value, set or suppressed cell are one.
    cell_of : int32 array
        The cell of each row.
    as_missing : int
        Number of rows with an empty cell that was read as the value `MISSING`.
    said : str
        How the column was coarsened, if that was said.
    """

    cells: list[Settled]
    cell_of: NDArray[np.int32]
    as_missing: int
    words: tuple[str, ...] = ()
    """Cells such as ``unknown``, which were read as suppressed."""
    said: str = ""

    @classmethod
    def of(
        cls, settled: Sequence[Settled], cells: Distinct, *, as_missing: int = 0, said: str = "",
        words: tuple[str, ...] = (),
    ) -> CellColumn:  # fmt: skip
        """The column whose distinct cells, and an empty one as the last, were read like this."""
        number: dict[object, int] = {}
        mapping = [number.setdefault(cell.key, len(number)) for cell in settled]
        return cls(
            cells=[settled[first] for first in np.unique(mapping, return_index=True)[1].tolist()],
            cell_of=np.array(mapping, dtype=np.int32)[cells.codes],
            as_missing=as_missing, said=said, words=words,
        )  # fmt: skip

    def in_rows(self, rows: NDArray[np.bool_]) -> CellColumn:
        """The same where only these rows of a table were read."""
        if len(self.cell_of) == len(rows):
            return self
        cell_of = np.zeros(len(rows), dtype=np.int32)
        cell_of[rows] = self.cell_of
        return replace(self, cell_of=cell_of)

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Which cells are suppressed."""
        return np.array([c.reading.notation is Notation.SUPPRESSED for c in self.cells])

    @cached_property
    def regions(self) -> Regions:
        """What each cell covers."""
        written = tuple(cell.written for cell in self.cells)
        readings = [cell.reading for cell in self.cells]
        if all(len(r.spans) == 1 or (not r.spans and r.at >= 0) for r in readings):
            # A cell that covers nothing lies between its neighbours.
            bounds = [r.spans[0] if r.spans else (r.at, r.at - 1) for r in readings]
            low, high = np.array(bounds, dtype=np.int32).T.copy()
            return Intervals(low, high, written=written)
        runs = [(row, *run) for row, r in enumerate(readings) for run in r.spans]
        rows, low, high = np.array(runs, dtype=np.int64).reshape(-1, 3).T
        return Sets.of_runs(rows, low, high, len(readings), written)

    @property
    def read_as(self) -> ReadAs:
        """The notations of the column, most frequent first."""
        counts = Counter(cell.reading.notation for cell in self.cells)
        hidden = counts.pop(Notation.SUPPRESSED, 0)
        words = [self.said] if self.said else []
        if self.said:
            counts.clear()
        for notation, _ in counts.most_common():
            example = next(cell.written for cell in self.cells if cell.reading.notation is notation)
            words.append(_WORDS[notation].format(shortened(example, 30)))
        styles = {cell.reading.style for cell in self.cells}
        if hidden:
            words.append(_WORDS[Notation.SUPPRESSED])
        return ReadAs(", ".join(words), styles <= _HOUSE_STYLES)


def read_column(
    column: Column, cells: Distinct, *, notation: Notation | None = None, empty: Empty | None = None
) -> CellColumn:
    """Read the cells of one column of the original, with notation and empty cells as declared."""
    reader, texts = cell_reader(column), cells.texts()
    if cells.missing.any():
        texts.append("")  # the last: an empty cell's code is -1
    read = reader.read_all(texts)
    settled = [cell.only for cell in read if cell.only is not None]
    lists = cells.has_lists or any(c.reading.notation is Notation.LIST for c in settled)
    if notation is not None or lists or len(settled) < len(read):
        choice = _Choice(column, reader, cells, read, notation)
        settled = [choice.settled(p, *cell) for p, cell in enumerate(zip(texts, read, strict=True))]
    empties = [p for p, text in enumerate(texts) if text in EMPTY_WORDS]
    empties = [p for p in empties if settled[p].reading.style == EMPTY]
    code = None if not empties or empty == "suppressed" else column.places.get(MISSING)
    if code is not None:
        missing = settle(MISSING, Reading(Notation.VALUE, span(code, code), "value"))
        for position in empties:
            settled[position] = missing
    elif empties and empty == "missing":
        raise cells.error(
            _position(empties[0], cells), "the cell {cell} cannot be a missing value, because the "
            "original has none in this column; if it is suppressed, give {option}",
            cell=Cell(texts[empties[0]]), option=Option("empty", "suppressed"),
        )  # fmt: skip
    as_missing = 0 if code is None else cells.count(empties) + int(cells.missing.sum())
    words = [t for t, one in zip(texts, settled, strict=True) if one.reading.style == UNKNOWN]
    return CellColumn.of(settled, cells, as_missing=as_missing, words=tuple(words))


def _position(position: int, cells: Distinct) -> int:
    return position if position < len(cells.values) else -1


class _Choice:
    """Which reading of each cell holds in a column, given all others."""

    def __init__(
        self, column: Column, reader: CellReader, cells: Distinct, read: Sequence[Readings],
        notation: Notation | None,
    ) -> None:  # fmt: skip
        self.column, self.reader, self.cells, self.notation = column, reader, cells, notation
        alone = [found[0] for cell in read if len(found := _likely(cell.all)) == 1]
        self.styles = {reading.style for reading in alone if not reading.weak}

    def options(self, cell: Readings) -> list[Reading]:
        """The readings that remain: one, unless the column is ambiguous."""
        if self.notation is not None:
            fixed = (Notation.SUPPRESSED, self.notation)
            said = [reading for reading in cell.all if reading.notation in fixed]
            return said or [r for r in cell.all if r.style == "value"]
        lists = self.cells.has_lists
        options = [r for r in _likely(cell.all) if lists or not r.weak or r.style in self.styles]
        if any(r.notation is Notation.NODE for r in options):
            return options  # a name and a notation conflict: nothing in the column can decide
        usual = [r for r in options if r.style in self.styles]
        if len({reading.spans for reading in usual}) == 1:
            return usual
        if own := self._as_the_original(options):
            return own
        house = [r for r in options if r.house]
        others = {r.notation for r in options if not r.house}
        beaten = {Notation.PREFIX} if lists else {Notation.PREFIX, Notation.LIST}
        return house if house and others <= beaten else options

    def _as_the_original(self, options: Sequence[Reading]) -> list[Reading]:
        """The reading in the original's own form, unless some cells must be read in another.

        Whole numbers are not published with three decimals.
        """
        if any(reading.style in self.styles for reading in options if not reading.own):
            return []
        own = [reading for reading in options if reading.own]
        whole = [reading for reading in options if reading.style == THOUSANDS]
        if not own and self.column.values.dtype.kind == "i" and len(whole) == 1:
            others = {reading.style for reading in options}
            own = whole if others == {DECIMAL_COMMA, THOUSANDS} else []
        return own if len({reading.spans for reading in own}) == 1 else []

    def settled(self, position: int, text: str, cell: Readings) -> Settled:
        """The reading of a cell that holds; refused if there is none, or several."""
        options = self.options(cell)
        if len({reading.spans for reading in options}) == 1:
            return settle(text, options[0])
        error = partial(self.cells.error, _position(position, self.cells), cell=Cell(text))
        if options:
            raise error("the cell {cell} {asked}", asked=self._asked(options))
        if cell.all and self.notation is not None:
            others = " or ".join(dict.fromkeys(_a(r.notation) for r in cell.all))
            raise error(
                "the cell {cell} is not {notation}, as {option} says; it could be {others}",
                notation=_a(self.notation), option=Option("notation"), others=others,
            )  # fmt: skip
        if cell.all:  # nothing but a weak one
            raise error(
                "the cell {cell} may be a list, or the bounds of an interval that {why}; if it is "
                "a list, give {option}", why="runs backwards" if self.column.is_ordered else
                "has no meaning in a column without order",
                option=Option("notation", {self.column.name: "list"}),
            )  # fmt: skip
        why = self.reader.why_not(text)
        raise error(
            "cannot read the cell {cell}: {why}; {may_be}{node}",
            why=why,
            may_be=_MAY_BE,
            node=_perhaps_node(self.column, text, why),
        )

    def _asked(self, options: Sequence[Reading]) -> Message:
        """What a cell may mean, and how to declare which one is meant."""
        first = {reading.spans: reading for reading in reversed(options)}
        describe, name = self.reader.domain.describe, self.column.name
        ways = [
            Message("as {a} it covers {what}", a=_a(r.notation), what=describe(r.spans))
            for r in reversed(first.values())
        ]
        notations = list(dict.fromkeys(r.notation for r in options))
        remedy: Text = 'write the values in double quotes: {"a", "b"}'
        if len(notations) > 1:
            said = [Option("notation", {name: str(notation)}) for notation in notations]
            remedy = Message("give the one that is meant: {said}", said=Listed(said, "or"))
        elif self.column.kind is Kind.NUMERIC and self.column.is_dates:
            remedy = "write dates like 2024-12-31"
        elif {DECIMAL_COMMA, THOUSANDS} & {r.style for r in options}:
            remedy = "write numbers with a decimal point and without thousands separators"
        return Message("can be read in {n} ways: {ways}; {remedy}", n=len(ways),
                       ways=Listed(ways), remedy=remedy)  # fmt: skip


def _likely(readings: Sequence[Reading]) -> list[Reading]:
    """Readings without sets of which no value occurs, such as 20 and 5, if 20,5 is a number."""
    number = any(r.style in (DECIMAL_COMMA, THOUSANDS) and r.spans for r in readings)
    return [r for r in readings if r.spans or not number or r.notation is not Notation.SET]


def _perhaps_node(column: Column, text: str, why: Message) -> Text:
    """Ask for a hierarchy if the cell may be a node: it has letters and no other fault."""
    is_word = any(letter.isalpha() for letter in text)
    simply = f"{text!r} is not " in why and "did you mean" not in why
    if column.hierarchy is not None or not is_word or not simply:
        return ""
    return Message(
        "; the column has no hierarchy: if the cell is a node of one, give {option}",
        option=hierarchy_option(column.name),
    )


def _a(notation: Notation) -> str:
    return f"an {notation}" if notation is Notation.INTERVAL else f"a {notation}"
