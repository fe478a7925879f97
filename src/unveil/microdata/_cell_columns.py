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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, InputError, Listed, Message, Option, Row, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._cells import EMPTY, CellReader, Readings, Settled, cell_reader, settle
from unveil.microdata._csv import from_csv
from unveil.microdata._distinct import Distinct, distinct_values
from unveil.microdata._encode import MISSING
from unveil.microdata._messages import hierarchy_option
from unveil.microdata._microdata import Column, value_text
from unveil.microdata._notations import EMPTY_WORDS, Notation, ReadAs, Reading, span
from unveil.microdata._regions import Intervals, Regions, Sets
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


def open_release(table: Any, *, delimiter: str | None, encoding: str) -> Source:
    """Open a table in memory or a file."""
    if isinstance(table, str | os.PathLike):
        if is_parquet(table):
            source = from_parquet(table)
        else:
            source = from_csv(table, delimiter=delimiter, encoding=encoding, skip_unnamed=True)
    else:
        source = from_table(table)
    if source.n_rows == 0:
        raise InputError("{source} has no rows", source=source.file)
    return source


class Cells(NamedTuple):
    """The distinct cells of one column, with the blanks around them."""

    distinct: Distinct
    has_lists: bool = False
    """Whether some are lists, not texts that look like one."""


def column_cells(source: Source, name: str) -> Cells:
    """The cells of one column."""
    source.check_has(name)
    array, has_lists = source.arrays[name], False
    if (intervals := _intervals(array)) is not None:
        array = intervals
    elif name in source.objects or _is_nested(array.type):
        cells = _listed(source.objects.get(name, array))
        has_lists = any(isinstance(cell, list | tuple | np.ndarray) for cell in cells)
        array = _written(cells, name, source)
    distinct = distinct_values(array, name=name, source=source.name, is_text_file=False)
    return Cells(distinct, has_lists)


def _is_nested(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_nested(kind)) or kind.__class__.__name__ == "ArrowPeriodType"


def _intervals(array: Any) -> Any:
    """A column of pandas intervals, such as ``pd.cut`` makes, as texts; else None."""
    import pyarrow as pa

    kind = array.type
    categories = pa.types.is_dictionary(kind)
    value_type = kind.value_type if categories else kind
    if getattr(value_type, "extension_name", "") != "pandas.interval":
        return None
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    storage = (array.dictionary if categories else array).storage
    sides = value_type.closed in ("left", "both"), value_type.closed in ("right", "both")
    texts = pa.array(
        [
            None if pair is None else _interval_text(pair["left"], pair["right"], *sides)
            for pair in storage.to_pylist()
        ],
        type=pa.large_string(),
    )
    return texts.take(array.indices) if categories else texts


def _interval_text(left: Any, right: Any, low_closed: bool, high_closed: bool) -> str:
    bounds = f"{_text(left)}, {_text(right)}"
    return f"{'[' if low_closed else '('}{bounds}{']' if high_closed else ')'}"


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
        return _interval_text(cell.left, cell.right, cell.closed_left, cell.closed_right)
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
    regions : Regions
        What each distinct cell covers. Spellings of one value, set or suppressed cell are one.
    cell_of : int32 array
        The cell of each row.
    hidden : bool array
        Which cells are suppressed.
    read_as : ReadAs
    as_missing : int
        Number of rows with an empty cell that was read as the value `MISSING`.
    """

    regions: Regions
    cell_of: NDArray[np.int32]
    hidden: NDArray[np.bool_]
    read_as: ReadAs
    as_missing: int


def read_column(
    column: Column, given: Cells, *, notation: Notation | None, empty: Empty | None
) -> CellColumn:
    """Read the cells of one column of the original, with notation and empty cells as declared."""
    reader, cells = cell_reader(column), given.distinct
    texts = cells.texts()
    if cells.missing.any():
        texts.append("")  # the last: an empty cell's code is -1

    def row_of(position: int) -> int:
        known = position < len(cells.values)
        return cells.first_row(position) if known else int(np.argmax(cells.missing)) + 1

    read = reader.read_all(texts)
    settled = [cell.only for cell in read if cell.only is not None]
    lists = given.has_lists or any(c.reading.notation is Notation.LIST for c in settled)
    if notation is not None or lists or len(settled) < len(read):
        choose = _Choice(read, notation, given.has_lists)
        settled = _settled(column, reader, texts, read, row_of, choose)
    empties = [p for p, text in enumerate(texts) if text in EMPTY_WORDS]
    empties = [p for p in empties if settled[p].reading.style == EMPTY]
    code = _missing_code(column, reader, texts, empties, row_of, empty)
    if code is not None:
        missing = settle(MISSING, Reading(Notation.VALUE, span(code, code), "value"))
        for position in empties:
            settled[position] = missing
    number: dict[object, int] = {}
    mapping = [number.setdefault(cell.key, len(number)) for cell in settled]
    merged = [settled[first] for first in np.unique(mapping, return_index=True)[1].tolist()]
    return CellColumn(
        regions=_regions(merged),
        cell_of=np.array(mapping, dtype=np.int32)[cells.codes],
        hidden=np.array([c.reading.notation is Notation.SUPPRESSED for c in merged]),
        read_as=_in_words(merged),
        as_missing=0 if code is None else cells.count(empties) + int(cells.missing.sum()),
    )


class _Choice:
    """Which readings of a cell remain in its column: one, unless the column is ambiguous."""

    def __init__(
        self, cells: Sequence[Readings], notation: Notation | None, has_lists: bool
    ) -> None:
        alone = [cell.all[0] for cell in cells if len(cell.all) == 1]
        self.styles = {reading.style for reading in alone if not reading.weak}
        self.notation = notation
        self.has_lists = has_lists

    def options(self, cell: Readings) -> list[Reading]:
        if self.notation is not None:
            fixed = (Notation.SUPPRESSED, self.notation)
            said = [reading for reading in cell.all if reading.notation in fixed]
            return said or [r for r in cell.all if r.style == "value"]
        options = [r for r in cell.all if not r.weak or r.style in self.styles]
        if self.has_lists:
            options = list(cell.all)
        if any(r.notation is Notation.NODE for r in options):
            return options  # a name and a notation conflict: nothing in the column can decide
        usual = [r for r in options if r.style in self.styles]
        if len({reading.spans for reading in usual}) == 1:
            return usual
        house = [r for r in options if r.house]
        others = {r.notation for r in options if not r.house}
        beaten = {Notation.PREFIX} if self.has_lists else {Notation.PREFIX, Notation.LIST}
        return house if house and others <= beaten else options


def _settled(
    column: Column,
    reader: CellReader,
    texts: Sequence[str],
    cells: Sequence[Readings],
    row_of: Callable[[int], int],
    choice: _Choice,
) -> list[Settled]:
    """The reading of each cell that holds, given all others."""
    found = []
    for position, (text, cell) in enumerate(zip(texts, cells, strict=True)):
        options = choice.options(cell)
        if len({reading.spans for reading in options}) == 1:
            found.append(settle(text, options[0]))
            continue
        parts = {"where": _where(row_of(position), column), "cell": Cell(text)}
        if options:
            raise InputError(
                "{where} {asked}", asked=_asked(column, reader, text, options), **parts
            )
        if cell.all and choice.notation is not None:
            raise InputError(
                "{where} the cell {cell} is not {notation}, as {option} says; it could be {others}",
                notation=_a(choice.notation), option=Option("notation"),
                others=_or([r.notation for r in cell.all]), **parts,
            )  # fmt: skip
        if cell.all:  # nothing but a weak one
            raise InputError(
                "{where} the cell {cell} may be a list, or the bounds of an interval that {why}; "
                "if it is a list, give {option}", why=_no_interval(column),
                option=Option("notation", {column.name: "list"}), **parts,
            )  # fmt: skip
        why = reader.why_not(text)
        raise InputError(
            "{where} cannot read the cell {cell}: {why}; {may_be}{node}", why=why, may_be=_MAY_BE,
            node=_perhaps_node(column, text, why), **parts,
        )  # fmt: skip
    return found


def _where(row: int, column: Column) -> Message:
    return Message("{row}, column {column}:", row=Row(row), column=ColumnName(column.name))


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


def _asked(column: Column, reader: CellReader, text: str, options: Sequence[Reading]) -> Message:
    """What a cell may mean, and how to declare which one is meant."""
    first = {reading.spans: reading for reading in reversed(options)}
    ways = [
        Message("as {a} it covers {what}", a=_a(r.notation), what=reader.domain.describe(r.spans))
        for r in first.values()
    ]
    ways.reverse()
    notations = list(dict.fromkeys(r.notation for r in options))
    remedy: Text = 'write the values in double quotes: {"a", "b"}'
    if len(notations) > 1:
        said = [Option("notation", {column.name: str(notation)}) for notation in notations]
        remedy = Message("give the one that is meant: {said}", said=Listed(said, "or"))
    elif notations[0] is Notation.VALUE:
        remedy = "write numbers with a decimal point and without thousands separators"
    return Message("the cell {cell} can be read in {n} ways: {ways}; {remedy}", cell=Cell(text),
                   n=len(ways), ways=Listed(ways), remedy=remedy)  # fmt: skip


def _no_interval(column: Column) -> str:
    return "runs backwards" if column.is_ordered else "has no meaning in a column without order"


def _or(notations: Sequence[Notation]) -> str:
    return " or ".join(dict.fromkeys(_a(notation) for notation in notations))


def _a(notation: Notation) -> str:
    return f"an {notation}" if notation is Notation.INTERVAL else f"a {notation}"


def _missing_code(
    column: Column,
    reader: CellReader,
    texts: Sequence[str],
    empties: Sequence[int],
    row_of: Callable[[int], int],
    empty: Empty | None,
) -> int | None:
    """The value that empty cells mean; None if they are suppressed, or there are none."""
    if not empties or empty == "suppressed":
        return None
    code = reader.domain.places.get(MISSING)
    if code is None and empty == "missing":
        raise InputError(
            "{where} the cell {cell} cannot be a missing value, because the original has none in "
            "this column; if it is suppressed, give {option}",
            where=_where(row_of(empties[0]), column), cell=Cell(texts[empties[0]]),
            option=Option("empty", "suppressed"),
        )  # fmt: skip
    return code


def _regions(cells: Sequence[Settled]) -> Regions:
    written = tuple([cell.written for cell in cells])
    spans = [cell.reading.spans for cell in cells]
    nowhere = any(not cell.reading.spans and cell.reading.at < 0 for cell in cells)
    if max(map(len, spans)) < 2 and not nowhere:
        runs = [c.reading.spans[0] if c.reading.spans else _gap(c.reading.at) for c in cells]
        bounds = np.array(runs, dtype=np.int32)
        return Intervals(bounds[:, 0].copy(), bounds[:, 1].copy(), written=written)
    runs = [run for some in spans for run in some]
    low, high = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    before = np.concatenate([[0], np.cumsum(high - low + 1)])
    members = np.arange(before[-1]) + np.repeat(low - before[:-1], high - low + 1)
    start = before[np.concatenate([[0], np.cumsum([len(some) for some in spans])])]
    return Sets(start, members.astype(np.int32), written=written)


def _gap(at: int) -> tuple[int, int]:
    """An interval that covers nothing, between its neighbours."""
    return at, at - 1


def _in_words(cells: Sequence[Settled]) -> ReadAs:
    """The notations of a column, most frequent first."""
    counts = Counter(cell.reading.notation for cell in cells)
    hidden = counts.pop(Notation.SUPPRESSED, 0)
    words = []
    for notation, _ in counts.most_common():
        example = next(cell.written for cell in cells if cell.reading.notation is notation)
        words.append(_WORDS[notation].format(_shortened(example)))
    words += [_WORDS[Notation.SUPPRESSED]] if hidden else []
    styles = {cell.reading.style for cell in cells}
    return ReadAs(", ".join(words), styles <= _HOUSE_STYLES)


def _shortened(text: str, width: int = 30) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
