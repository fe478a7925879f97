"""The cells of one column of a release, read as a whole.

A text by itself may mean several things; beside the other cells of its column it seldom does.
``[20, 25, 31]`` shows that ``[20, 31]`` is a list too, and ``20,5-30`` that ``1,2`` is a number.
What remains unclear is not guessed but asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.microdata._cells import EMPTY, Cell, CellReader, Settled, cell_reader, settle
from unveil.microdata._column import Column
from unveil.microdata._encode import MISSING
from unveil.microdata._notations import EMPTY_WORDS, Notation, ReadAs, Reading, span
from unveil.microdata._regions import Intervals, Regions, Sets
from unveil.microdata._release_source import Cells

__all__ = ["CellColumn", "Empty", "read_column"]

Empty: TypeAlias = Literal["suppressed", "missing"]

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
        Which cells say nothing because they are suppressed.
    read_as : ReadAs
    as_missing : int
        How many rows have an empty cell that was taken for the value `MISSING`.
    """

    regions: Regions
    cell_of: NDArray[np.int32]
    hidden: NDArray[np.bool_]
    read_as: ReadAs
    as_missing: int


def read_column(
    column: Column, given: Cells, *, notation: Notation | None, empty: Empty | None
) -> CellColumn:
    """Read the cells of one column.

    Parameters
    ----------
    column : Column
        The original's.
    given : Cells
        The release's.
    notation : Notation, optional
        What the user says that the column's cells are.
    empty : {"suppressed", "missing"}, optional
        What the user says that empty cells mean.
    """
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
    """Which readings of a cell remain in its column: one, unless the column does not tell."""

    def __init__(self, cells: Sequence[Cell], notation: Notation | None, has_lists: bool) -> None:
        alone = [cell.readings[0] for cell in cells if len(cell.readings) == 1]
        self.styles = {reading.style for reading in alone if not reading.weak}
        self.notation = notation
        self.has_lists = has_lists

    def options(self, cell: Cell) -> list[Reading]:
        if self.notation is not None:
            fixed = (Notation.SUPPRESSED, self.notation)
            said = [reading for reading in cell.readings if reading.notation in fixed]
            return said or [r for r in cell.readings if r.style == "value"]
        options = [r for r in cell.readings if not r.weak or r.style in self.styles]
        if self.has_lists:
            options = list(cell.readings)
        if any(r.notation is Notation.NODE for r in options):
            return options  # a name and a notation at odds: nothing in the column can tell
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
    cells: Sequence[Cell],
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
        where = f"row {row_of(position)}, column {column.name!r}: "
        if options:
            raise InputError(where + _asked(column, reader, text, options))
        if cell.readings and choice.notation is not None:
            raise InputError(
                f"{where}the cell {text!r} is no {choice.notation}, which notation says that the "
                f"column's cells are; it could be {_or([r.notation for r in cell.readings])}"
            )
        if cell.readings:  # nothing but a weak one
            raise InputError(
                f"{where}the cell {text!r} may be a list, or the bounds of an interval that "
                f'{_no_interval(column)}; if it is a list, say notation={{"{column.name}": "list"}}'
            )
        why = reader.why_not(text)
        raise InputError(
            f"{where}cannot read the cell {text!r}: {why}; {_MAY_BE}"
            f"{_node_of_what(column, text, why)}"
        )
    return found


def _node_of_what(column: Column, text: str, why: str) -> str:
    """A node is known by its hierarchy alone: what may be one has letters, and no other fault."""
    is_word = any(letter.isalpha() for letter in text)
    simply = why.startswith(f"{text!r} is no ") and "did you mean" not in why
    if column.hierarchy is not None or not is_word or not simply:
        return ""
    name = column.name
    return (
        "; the column has no hierarchy: if the cell is a node of one, give it, "
        f'hierarchies={{"{name}": "{name}.csv"}}'
    )


def _asked(column: Column, reader: CellReader, text: str, options: Sequence[Reading]) -> str:
    """What a cell may mean, and how to say which of it is meant."""
    first = {reading.spans: reading for reading in reversed(options)}
    ways = [
        f"as {_a(r.notation)} it covers {reader.domain.describe(r.spans)}" for r in first.values()
    ]
    ways.reverse()
    notations = list(dict.fromkeys(r.notation for r in options))
    if len(notations) > 1:
        said = (f'notation={{"{column.name}": "{notation}"}}' for notation in notations)
        remedy = f"say which is meant: {' or '.join(said)}"
    elif notations[0] is Notation.VALUE:
        remedy = "write numbers with a decimal point and without marks for thousands"
    else:
        remedy = 'write the values in double quotes: {"a", "b"}'
    return f"the cell {text!r} can be read in {len(ways)} ways: {', '.join(ways)}; {remedy}"


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
    """The value that empty cells stand for; None if they are suppressed, or there are none."""
    if not empties or empty == "suppressed":
        return None
    code = reader.domain.places.get(MISSING)
    if code is None and empty == "missing":
        raise InputError(
            f"row {row_of(empties[0])}, column {column.name!r}: the cell {texts[empties[0]]!r} "
            "cannot be a missing value, for the original has none in this column; if it tells "
            'nothing, say empty="suppressed"'
        )
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
    """The notations of a column, the most used first."""
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
