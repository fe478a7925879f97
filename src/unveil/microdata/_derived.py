"""The values that a column has, inferred from its cells alone: numbers, days or names.

For numbers, the cells are read by the usual reader, but on a *ruler*: a column with every number
that occurs in a cell, a mark between each two neighbours, one below all and one above all. What a
cell covers of the ruler shows what it covers of the line: numbers without the marks beside them are
values and sets, marks in between make a range, and the outermost marks a range without an end.

Numbers and names that are named one by one are the column's values. If there are ranges, the values
are the whole numbers (or days) from the smallest to the largest in the cells. Where ``>=90`` ends
is not known: if no other cell reaches beyond, it counts as 90. What else the cells do not determine
must be given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil._text import counted
from unveil.errors import Cell, InputError, Listed, Message, Option, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import CellColumn, read_column
from unveil.microdata._cells import CellReader
from unveil.microdata._distinct import Distinct
from unveil.microdata._messages import ValueOption, cell_error
from unveil.microdata._microdata import Column, Kind, Role, value_text
from unveil.microdata._notations import (
    MARKS,
    Notation,
    Reading,
    Spans,
    in_house_list,
    in_list,
    in_marks,
    spans_of,
    unquoted,
)
from unveil.microdata._numbers import days_in, numbers_in

_MOST_NUMBERS = 100_000  # an inferred domain has at most so many

_NOBODY = np.zeros(0, dtype=np.int32)


class Ruler:
    """A line with all numbers, or all days, that occur in some cells.

    Attributes
    ----------
    days : bool
        Whether it measures days, as numbers.
    values : array
        Numbers and marks, ascending.
    is_point : array of bool
        Which of them are numbers of a cell, not marks.
    """

    def __init__(self, name: str, texts: Iterable[str], *, days: bool) -> None:
        found = {0.0}  # at least one number is needed
        for text in texts:
            found.update(days_in(text) if days else numbers_in(text))
        points = np.array(sorted(number for number in found if np.isfinite(number)))
        middle = points[:-1] / 2 + points[1:] / 2  # the sum could be too large for a float
        # There is no day between two neighbouring days.
        middle = np.setdiff1d(np.floor(middle), points) if days else middle
        # Far enough for the largest numbers, where adding 1 has no effect.
        far = 1.0 if days else max(1.0, float(np.abs(points).max()))
        with np.errstate(over="ignore"):
            ends = np.nan_to_num([points[0] - far, points[-1] + far])  # infinity: the largest
        self.name, self.days = name, days
        self.values = np.unique(np.concatenate([points, middle, ends]))
        self.is_point = np.isin(self.values, points)
        self._column = Column(
            name=name, role=Role.QUASI, kind=Kind.NUMERIC, codes=_NOBODY,
            values=self.values.astype("datetime64[D]") if days else self.values,
        )  # fmt: skip
        self._reader = CellReader(self._column)

    def written(self, number: float) -> str:
        """A number or day as a person would write it."""
        return str(np.datetime64(int(number), "D")) if self.days else value_text(float(number))

    def readings(self, texts: Sequence[str]) -> list[tuple[Reading, ...]]:
        """All readings of each cell."""
        return [cell.all for cell in self._reader.read_all(texts)]

    def named(self, text: str, *, lists: bool) -> NDArray[np.float64]:
        """The numbers that a cell names one by one, if that is clear.

        ``lists``: a cell that may be a list is one.
        """
        cell = self._reader.read(text)
        reading = None if cell.only is None else cell.only.reading
        if lists:
            listed = [one for one in cell.all if one.notation is Notation.LIST]
            reading = listed[0] if listed else reading
        if reading is None or reading.notation not in (
            Notation.VALUE, Notation.SET, Notation.LIST
        ):  # fmt: skip
            return self.values[:0]
        return self.values[[first for first, last in reading.spans if first == last]]

    def read(self, cells: Distinct, notation: Notation | None) -> CellColumn:
        """The cells, read on the ruler."""
        return read_column(self._column, cells, notation=notation, empty="suppressed")

    def ends(self, runs: Spans) -> list[float]:
        """The ends of runs, ascending; excluded ends as the next whole number."""
        values, is_point = self.values.tolist(), self.is_point
        found = []
        for low, high in runs:
            found.append(-np.inf if low == 0 else values[low] if is_point[low] else
                         values[low - 1] + 1)  # fmt: skip
            found.append(np.inf if high == len(values) - 1 else values[high] if is_point[high] else
                         values[high + 1] - 1)  # fmt: skip
        return found


class Derived(NamedTuple):
    """An inferred domain, and how it was inferred."""

    values: NDArray[Any]
    words: Text
    """Such as "the whole numbers from 17 to 90"."""
    form: str | None = None
    """That of the column: see `Column`."""


class _Code(str):
    """A text whose repr has no quotes: code as an example of an option's value."""

    def __repr__(self) -> str:
        return str(self)


def domains_option(name: str, example: str, typed: str = "…|…") -> ValueOption:
    """How to give the values of a column."""
    return ValueOption("domains", {name: _Code(example)}, typed=f"--domains '{name}={typed}'")


class _Extent:
    """How far the cells of a column reach on a line; arrays have one entry per shown cell.

    Attributes
    ----------
    texts, rows : list of str, array
        The cells, and the first row with each, counted from 1.
    least, most : array
        The ends, -inf and inf if there is none. An excluded end that is a whole number is replaced
        by the next whole number. A cell that covers nothing ends before it begins.
    is_whole : array of bool
        Whether all bounds and numbers of the cell are whole numbers.
    points : array
        The numbers in cells that some cell covers: without ranges, all that are named.
    has_ranges : bool
        Whether any cell covers more than numbers that are named one by one.
    """

    def __init__(self, ruler: Ruler, cells: Distinct, notation: Notation | None) -> None:
        read = ruler.read(cells, notation)
        shown = np.flatnonzero(~read.hidden).tolist()
        ends = [ruler.ends(read.cells[cell].reading.spans) for cell in shown]
        once = (~read.hidden).astype(np.int64)[:, None]
        covers = read.regions.cover_counts(once, len(ruler.values))[:, 0] > 0
        _, first_rows = np.unique(read.cell_of, return_index=True)
        self.ruler = ruler
        self.texts = [read.cells[cell].written for cell in shown]
        self.rows = first_rows[shown] + 1
        self.least = np.array([numbers[0] if numbers else np.inf for numbers in ends])
        self.most = np.array([numbers[-1] if numbers else -np.inf for numbers in ends])
        self.is_whole = np.array(
            [all(number.is_integer() for number in numbers if np.isfinite(number))
             for numbers in ends], dtype=bool,
        )  # fmt: skip
        self.points = ruler.values[covers & ruler.is_point]
        self.has_ranges = bool((covers & ~ruler.is_point).any())
        self.what = "days" if ruler.days else "numbers"
        self.whole = "day" if ruler.days else "whole number"

    def reach(self) -> tuple[int, int]:
        """The smallest and the largest whole number that the cells cover."""
        self.refuse(~self.is_whole, f"is not about {self.whole}s, so the values of ranges are "
                    "unknown")  # fmt: skip
        # Of an open range beyond which no other cell reaches, the bound stands for all.
        ends = np.concatenate([self.least, self.most])
        ends = ends[np.isfinite(ends)]
        most, least = ends.max(), ends.min()
        if most - least >= _MOST_NUMBERS:
            raise InputError(
                "column {column}: its cells reach from {least} to {most}, which are {n} {whole}s, "
                "too many to infer ({limit} at most); give those that occur, as in {option}",
                column=ColumnName(self.ruler.name), least=self.number(least),
                most=self.number(most), n=int(most - least) + 1, whole=self.whole,
                limit=_MOST_NUMBERS, option=self._example(", …"),
            )  # fmt: skip
        return int(least), int(most)

    def endless(self, least: int, most: int) -> Message:
        """What is assumed of ranges without an end."""
        said = ""
        up, down = np.isinf(self.most), np.isinf(self.least)
        beyond = (up & (self.least == most)) | (down & (self.most == least))
        if beyond.any():
            said = "; how far cells such as {cell} reach is not known, and they count as one {what}"
        elif (up | down).any():
            said, beyond = ", where cells such as {cell} are assumed to end, too", up | down
        else:
            return Message("")
        return Message(said, cell=Cell(self.texts[int(np.argmax(beyond))]), what=self.whole)

    def number(self, number: float) -> Cell:
        """A number or day, for messages."""
        return Cell(self.ruler.written(number), bare=True)

    def refuse(self, which: NDArray[np.bool_], problem: str) -> None:
        """Ask for what the first of these cells does not determine."""
        for cell in np.flatnonzero(which):
            raise cell_error(
                int(self.rows[cell]), self.ruler.name, "the cell {cell} {problem}; give the {what} "
                "of the column, as in {option}", cell=Cell(self.texts[cell]), problem=problem,
                what=self.what, option=self._example(),
            )  # fmt: skip

    def _example(self, step: str = "") -> ValueOption:
        """Such as ``domains={'age': range(17, …)}``, with the ends that are known."""
        name, written = self.ruler.name, self.ruler.written
        ends = self.least.min(), self.most.max()
        low, high = (written(end) if np.isfinite(end) else "…" for end in ends)
        if self.ruler.days:
            return domains_option(name, f'pandas.date_range("{low}", "{high}")')
        if self.is_whole.all() and (self.least <= self.most).all():
            stop = "…" if high == "…" else written(ends[1] + 1)
            return domains_option(name, f"range({low}, {stop}{step})", f"{low}-…")
        return domains_option(name, f"[{low}, …]")


def derived_numbers(cells: Distinct, ruler: Ruler, notation: Notation | None) -> Derived:
    """The domain of a column whose cells can all be read on the ruler."""
    extent = _Extent(ruler, cells, notation)
    extent.refuse(extent.least > extent.most, f"covers no {extent.whole}")
    numbers, also = extent.points, Message("")
    words: Text = f"the {counted(len(numbers), extent.what[:-1])} that its cells name"
    if extent.has_ranges:
        least, most = extent.reach()
        numbers = np.arange(least, most + 1, dtype=np.float64)
        also = extent.endless(least, most)
        words = Message("the {what}s from {least} to {most}{also}", what=extent.whole, also=also,
                        least=extent.number(least), most=extent.number(most))  # fmt: skip
    if ruler.days:
        return Derived(numbers.astype("datetime64[D]"), words)
    whole = bool(np.equal(np.floor(numbers), numbers).all())
    return Derived(numbers.astype(np.int64) if whole else numbers, words)


def bare(text: str) -> str:
    """The cell without blanks around it; a list of one text is that text.

    >>> bare("['20-30']"), bare(" (missing) ")
    ('20-30', '(missing)')
    """
    text = text.strip()
    if text.startswith("frozenset({") and text.endswith("})"):
        return text[len("frozenset(") : -1]
    items = _in_brackets(text)
    return text if items is None or len(items[0]) > 1 or not items[1] else bare(items[0][0])


def named_values(
    distinct: Distinct, cells: Iterable[tuple[int, str]], notation: Notation | None
) -> list[str]:
    """All values that some of the distinct cells name.

    A cell that may be one value or several is refused, unless the column decides.
    """
    if notation is Notation.VALUE:
        return list(dict.fromkeys(unquoted(text.strip()) for _, text in cells))
    known: dict[str, None] = {}
    alone: dict[str, str] = {}
    doubtful: dict[str, int] = {}
    for position, cell in cells:
        text = bare(cell)
        items = _listed(text)
        if len(items) > 1 or _in_braces(text):
            known.update(dict.fromkeys(items))
        elif items:  # [Lyon], which is Lyon if there is one
            alone[text] = items[0]
        elif unquoted(text) == text and any(mark in text for mark in MARKS):
            doubtful.setdefault(text, position)
        else:
            known[unquoted(text)] = None
    known.update({text: None for text, item in alone.items() if item not in known})
    if notation is Notation.SET:
        for text in doubtful:
            mark = next(mark for mark in MARKS if mark in text)
            known.update({part.strip(): None for part in text.split(mark)})
    places = {value: place for place, value in enumerate(known)}
    for text, position in doubtful.items():
        if text not in known and not _is_set_of(text, places):
            both = [Option("notation", {distinct.name: word}) for word in ("value", "set")]
            raise distinct.error(
                position, "the cell {cell} may be one value or a set of several; give {options}",
                cell=Cell(text), options=Listed(both, "or"),
            )  # fmt: skip
    known.pop("", None)
    return list(known)


def _listed(text: str) -> list[str]:
    """The items in braces or brackets, if any."""
    if _in_braces(text):
        inner = text[1:-1]
        items = in_house_list(inner)
        program = in_list(inner)
        quoted = all(item[:1] == item[-1:] == "'" and len(item) > 1 for item in items)
        return program[0] if program is not None and quoted else items
    items_in_brackets = _in_brackets(text)
    return [] if items_in_brackets is None else items_in_brackets[0]


def _in_braces(text: str) -> bool:
    return text[:1] + text[-1:] == "{}"


def _in_brackets(text: str) -> tuple[list[str], bool] | None:
    """The items of a list as programs write it, and whether they are in quotes."""
    return in_list(text[1:-1]) if text[:1] + text[-1:] in ("[]", "()") else None


def _is_set_of(text: str, places: dict[str, int]) -> bool:
    """Whether all parts between some mark are values that other cells name."""

    def member(part: str) -> Spans | None:
        return spans_of([places[part]]) if part in places else None

    return any(
        in_marks(text, mark, member, max((value.count(mark) for value in places), default=0), [])
        for mark in MARKS
        if mark in text
    )
