"""Which numbers or days the cells of a column cover, where nobody says which values there are.

The cells are read by the usual reader, but on a *ruler*: a column that has every number that
stands in a cell, a mark between each two neighbours, one below all and one above all. What a cell
covers of the ruler tells what it covers of the line: numbers without the marks beside them are
values and sets, marks in between make a range, and the outermost ones a range without an end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._cells import CellReader
from unveil.microdata._column import Column, Kind, Role, value_text
from unveil.microdata._notations import Notation, Reading, Spans, mask_bounds
from unveil.microdata._regions import Intervals, Sets
from unveil.microdata._release_columns import CellColumn, read_column
from unveil.microdata._release_source import Cells

__all__ = ["Covered", "Ruler"]

# More than what stands there does no harm: it only makes the ruler finer.
_NUMBERS = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"\d+(?:[eE][+-]?\d+)?",
        r"\d+\.\d+(?:[eE][+-]?\d+)?",
        r"(?<!\d)\.\d+(?:[eE][+-]?\d+)?",
        r"\d*,\d+",  # a decimal comma
        r"\d{1,3}(?:,\d{3})+(?:\.\d+)?",  # marks for thousands
    )
)
_PERIODS = re.compile(r"\d{4}(?:-\d\d(?!\d)(?:-\d\d(?!\d))?)?", re.ASCII)
_NOBODY = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False, kw_only=True)
class Covered:
    """What the cells of a column cover of the line; arrays have one entry a cell.

    Attributes
    ----------
    texts : list of str
        The cells as they are written.
    rows : array
        The row, counted from 1, in which each first stands.
    least, most : array
        The ends, -inf and inf where there is none. An end that is left out is the whole number
        next to it, if it is a whole number itself.
    some : array of bool
        Which cells cover anything at all.
    points : array
        The numbers in cells that some cell covers: where there are no ranges, all that are named.
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
    """A line with all the numbers on it that stand in some cells, or all the days.

    Attributes
    ----------
    days : bool
        Whether it measures days, each a number.
    values : array
        Numbers and marks, ascending.
    is_point : array of bool
        Which of them are numbers that stand in a cell.
    """

    def __init__(self, name: str, texts: Iterable[str], *, days: bool) -> None:
        found = {0.0}  # something has to be there
        for text in texts:
            found.update(_days_in(text) if days else _numbers_in(text))
        points = np.array(sorted(number for number in found if np.isfinite(number)))
        middle = (points[:-1] + points[1:]) / 2
        # Between two days that are neighbours there is no other.
        middle = np.setdiff1d(np.floor(middle), points) if days else middle
        # Far enough for the largest numbers, next to which 1 is nothing.
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
        """All readings of each of many cells."""
        return [cell.readings for cell in self._reader.read_all(texts)]

    def named(self, text: str, *, lists: bool) -> NDArray[np.float64]:
        """The numbers that a cell names one by one, if it is clear that it does.

        ``lists`` says whether a cell that may be a list is one.
        """
        cell = self._reader.read(text)
        reading = None if cell.only is None else cell.only.reading
        if lists:
            listed = [one for one in cell.readings if one.notation is Notation.LIST]
            reading = listed[0] if listed else reading
        if reading is None or reading.notation not in (
            Notation.VALUE, Notation.SET, Notation.LIST
        ):  # fmt: skip
            return self.values[:0]
        return self.values[[first for first, last in reading.spans if first == last]]

    def covered(self, cells: Cells, notation: Notation | None) -> Covered:
        """What the cells cover, those that are hidden left out."""
        read = read_column(self._column, cells, notation=notation, empty="suppressed")
        shown = np.flatnonzero(~read.hidden).tolist()
        runs = [_runs(read, cell) for cell in shown]
        once = (~read.hidden).astype(np.int64)[:, None]
        covers = read.regions.cover_counts(once, len(self.values))[:, 0] > 0
        texts = read.regions.texts(self._column)
        _, first_rows = np.unique(read.cell_of, return_index=True)
        ends = [self._ends(some) for some in runs]
        return Covered(
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
        """Where runs begin and end, from the least to the largest; whole numbers if open there."""
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
    """The first and the last day of all days, months and years that stand in the text."""
    for found in _PERIODS.findall(text):
        try:
            start = np.datetime64(found)
        except ValueError:  # the 30th of February
            continue
        for day in (start.astype("datetime64[D]"), (start + 1).astype("datetime64[D]") - 1):
            yield float(day.astype(np.int64))
