"""The numbers or days that a column has, inferred from its cells alone.

The cells are read by the usual reader, but on a *ruler*: a column with every number that occurs in
a cell, a mark between each two neighbours, one below all and one above all. What a cell covers of
the ruler shows what it covers of the line: numbers without the marks beside them are values and
sets, marks in between make a range, and the outermost marks a range without an end.

Numbers that are named one by one are the column's values. If there are ranges, the values are the
whole numbers (or days) from the smallest to the largest in the cells. What the cells do not
determine, such as the end of ``>=90``, must be given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, InputError, Message, Row, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import CellColumn, Cells, read_column
from unveil.microdata._cells import CellReader
from unveil.microdata._messages import ValueOption
from unveil.microdata._microdata import Column, Kind, Role, value_text
from unveil.microdata._notations import Notation, Reading, Spans, mask_bounds
from unveil.microdata._regions import Intervals, Sets

_MOST_NUMBERS = 100_000  # an inferred domain has at most so many

# More numbers than a text is about do no harm: they only make the ruler finer.
_NUMBERS = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"\d+(?:[eE][+-]?\d+)?",
        r"\d+\.\d+(?:[eE][+-]?\d+)?",
        r"(?<!\d)\.\d+(?:[eE][+-]?\d+)?",
        r"\d*,\d+",  # decimal comma
        r"\d{1,3}(?:,\d{3})+(?:\.\d+)?",  # thousands separators
    )
)
_PERIODS = re.compile(r"\d{4}(?:-\d\d(?!\d)(?:-\d\d(?!\d))?)?", re.ASCII)
_NOBODY = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Covered:
    """What the cells of a column cover of the line; arrays have one entry per cell.

    Attributes
    ----------
    texts : list of str
    rows : array
        The first row with each cell, counted from 1.
    least, most : array
        The ends, -inf and inf if there is none. An excluded end that is a whole number is replaced
        by the next whole number.
    some : array of bool
        Which cells cover anything at all.
    points : array
        The numbers in cells that some cell covers: without ranges, all that are named.
    is_whole : array of bool
        Whether all bounds and numbers of the cell are whole numbers.
    has_ranges : bool
        Whether any cell covers more than numbers that are named one by one.
    """

    texts: list[str]
    rows: NDArray[np.int64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    some: NDArray[np.bool_]
    points: NDArray[np.float64]
    is_whole: NDArray[np.bool_]
    has_ranges: bool


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
            found.update(_days_in(text) if days else _numbers_in(text))
        points = np.array(sorted(number for number in found if np.isfinite(number)))
        middle = (points[:-1] + points[1:]) / 2
        # There is no day between two neighbouring days.
        middle = np.setdiff1d(np.floor(middle), points) if days else middle
        # Far enough for the largest numbers, where adding 1 has no effect.
        far = 1.0 if days else max(1.0, float(np.abs(points).max()))
        ends = [points[0] - far, points[-1] + far]
        self.days = days
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

    def covered(self, cells: Cells, notation: Notation | None) -> _Covered:
        """What the cells cover, without hidden cells."""
        read = read_column(self._column, cells, notation=notation, empty="suppressed")
        shown = np.flatnonzero(~read.hidden).tolist()
        runs = [_runs(read, cell) for cell in shown]
        once = (~read.hidden).astype(np.int64)[:, None]
        covers = read.regions.cover_counts(once, len(self.values))[:, 0] > 0
        texts = read.regions.texts(self._column)
        _, first_rows = np.unique(read.cell_of, return_index=True)
        ends = [self._ends(some) for some in runs]
        return _Covered(
            texts=[texts[cell] for cell in shown],
            rows=first_rows[shown] + 1,
            least=np.array([numbers[0] if numbers else np.inf for numbers in ends]),
            most=np.array([numbers[-1] if numbers else -np.inf for numbers in ends]),
            some=np.array([bool(some) for some in runs], dtype=bool),
            points=self.values[covers & self.is_point],
            is_whole=np.array(
                [all(number.is_integer() for number in numbers if np.isfinite(number))
                 for numbers in ends], dtype=bool,
            ),
            has_ranges=bool((covers & ~self.is_point).any()),
        )  # fmt: skip

    def _ends(self, runs: Spans) -> list[float]:
        """The ends of runs, ascending; excluded ends as the next whole number."""
        last = len(self.values) - 1
        found = []
        for first, end in runs:
            if first == 0:
                found.append(-np.inf)
            else:
                found.append(self.values[first] if self.is_point[first] else
                             self.values[first - 1] + 1)  # fmt: skip
            if end == last:
                found.append(np.inf)
            else:
                found.append(self.values[end] if self.is_point[end] else self.values[end + 1] - 1)
        return [float(number) for number in found]


def _runs(read: CellColumn, cell: int) -> Spans:
    """What a cell covers, as runs of codes."""
    regions: Any = read.regions
    if isinstance(regions, Intervals):
        low, high = int(regions.low[cell]), int(regions.high[cell])
        return ((low, high),) if low <= high else ()
    assert isinstance(regions, Sets)
    members = regions.members[regions.start[cell] : regions.start[cell + 1]]
    if not len(members):
        return ()
    breaks = np.flatnonzero(np.diff(members) > 1)
    firsts, lasts = members[np.r_[0, breaks + 1]], members[np.r_[breaks, len(members) - 1]]
    return tuple(zip(firsts.tolist(), lasts.tolist(), strict=True))


def _numbers_in(text: str) -> Iterator[float]:
    """All numbers that the text may be about."""
    signs = (1, -1) if "-" in text or "−" in text else (1,)
    for pattern in _NUMBERS:
        for found in pattern.findall(text):
            is_grouped = pattern is _NUMBERS[-1]
            number = float(found.replace(",", "" if is_grouped else "."))
            yield from (sign * number for sign in signs)
    if "*" in text:
        for masked in re.findall(r"[+-]?[\d.]+\*+", text, re.ASCII):
            yield from mask_bounds(masked) or ()


def _days_in(text: str) -> Iterator[float]:
    """The first and last day of all days, months and years in the text."""
    for found in _PERIODS.findall(text):
        try:
            start = np.datetime64(found)
        except ValueError:  # the 30th of February
            continue
        for day in (start.astype("datetime64[D]"), (start + 1).astype("datetime64[D]") - 1):
            yield float(day.astype(np.int64))


class Derived(NamedTuple):
    """An inferred domain, and how it was inferred."""

    values: NDArray[Any]
    words: Text
    """Such as "the whole numbers from 17 to 90"."""


class _Code(str):
    """A text whose repr has no quotes: code as an example of an option's value."""

    def __repr__(self) -> str:
        return str(self)


def domains_option(name: str, example: str, typed: str = "…|…") -> ValueOption:
    """How to give the values of a column."""
    return ValueOption("domains", {name: _Code(example)}, typed=f"--domains '{name}={typed}'")


def derived_numbers(name: str, cells: Cells, ruler: Ruler, notation: Notation | None) -> Derived:
    """The domain of a column whose cells can all be read on the ruler."""
    covered = ruler.covered(cells, notation)
    ask = _Ask(name, covered, ruler)
    for cell in np.flatnonzero(~covered.some | (covered.least > covered.most)):
        ask.about(cell, f"covers no {ask.whole}")
    if not covered.has_ranges:
        numbers = covered.points
        whole = bool(np.equal(np.floor(numbers), numbers).all())
        words: Text = f"the {len(numbers):,} {ask.what} that its cells name"
    else:
        least, most = _reach(covered, ask)
        whole = True
        numbers = np.arange(least, most + 1, dtype=np.float64)
        endless = np.flatnonzero(np.isinf(covered.least) | np.isinf(covered.most))
        also: Text = ""
        if len(endless):
            also = Message(", where cells such as {cell} are assumed to end, too",
                           cell=Cell(covered.texts[endless[0]]))  # fmt: skip
        words = Message("the {what} from {least} to {most}{also}", what=f"{ask.whole}s",
                        least=ask.number(least), most=ask.number(most), also=also)  # fmt: skip
    if ruler.days:
        return Derived(numbers.astype("datetime64[D]"), words)
    return Derived(numbers.astype(np.int64) if whole else numbers, words)


def _reach(covered: _Covered, ask: _Ask) -> tuple[int, int]:
    """The smallest and the largest whole number that the cells cover."""
    for cell in np.flatnonzero(~covered.is_whole):
        ask.about(cell, f"is not about {ask.whole}s, so the values of ranges are unknown")
    closed_below, closed_above = np.isfinite(covered.least), np.isfinite(covered.most)
    # An open range has values beyond its bound, so some other cell must reach beyond it.
    most = covered.most[closed_above].max(initial=-np.inf)
    for cell in np.flatnonzero(~closed_above & ~(covered.least < most)):
        ask.about(cell, "has no upper end, and no other cell reaches further")
    least = covered.least[closed_below].min(initial=np.inf)
    for cell in np.flatnonzero(~closed_below & ~(covered.most > least)):
        ask.about(cell, "has no lower end, and no other cell reaches further")
    if most - least >= _MOST_NUMBERS:
        ask.about_all(least, most)
    return int(least), int(most)


class _Ask:
    """Errors that ask for what the cells do not determine."""

    def __init__(self, name: str, covered: _Covered, ruler: Ruler) -> None:
        self._name = name
        self._covered = covered
        self._ruler = ruler
        self.what = "days" if ruler.days else "numbers"
        self.whole = "day" if ruler.days else "whole number"

    def number(self, number: float) -> Cell:
        return Cell(self._ruler.written(number), bare=True)

    def about(self, cell: np.integer, problem: str) -> NoReturn:
        raise InputError(
            "{row}, column {column}: the cell {cell} {problem}; give the {what} of the column, as "
            "in {option}", row=Row(int(self._covered.rows[cell])), column=ColumnName(self._name),
            cell=Cell(self._covered.texts[cell]), problem=problem, what=self.what,
            option=self._example(),
        )  # fmt: skip

    def about_all(self, least: float, most: float) -> NoReturn:
        raise InputError(
            "column {column}: its cells reach from {least} to {most}, which are {n} {whole}s, too "
            "many to infer ({limit} at most); give those that occur, as in {option}",
            column=ColumnName(self._name), least=self.number(least), most=self.number(most),
            n=int(most - least) + 1, whole=self.whole, limit=_MOST_NUMBERS,
            option=self._example(", …"),
        )  # fmt: skip

    def _example(self, step: str = "") -> ValueOption:
        """Such as ``domains={'age': range(17, …)}``, with the ends that are known."""
        covered, written = self._covered, self._ruler.written
        ends = covered.least.min(), covered.most.max()
        low, high = (written(end) if np.isfinite(end) else "…" for end in ends)
        example = f"[{low}, …]"
        if self._ruler.days:
            example = f'pandas.date_range("{low}", "{high}")'
        elif covered.is_whole.all() and (covered.least <= covered.most).all():
            stop = "…" if high == "…" else written(ends[1] + 1)
            return domains_option(self._name, f"range({low}, {stop}{step})", f"{low}-…")
        return domains_option(self._name, example)
