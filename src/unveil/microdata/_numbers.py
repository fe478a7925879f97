"""Numbers and points in time: recognized in texts, parsed, placed on a line, and written.

Another kind of number or date is added here. The kinds of columns themselves are in `_encode`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._microdata import Column, Kind, value_text
from unveil.microdata._notations import mask_bounds

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# A number without being declared one: "01234" is a code, and so are too many digits to count with.
_PLAIN_NUMBER = re.compile(
    r"[+-]?(?:(?:0|[1-9]\d{0,17})(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII
)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", re.ASCII)
# On a line, there are also infinite bounds, decimal commas, months and years.
_PLACED_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|∞)", re.ASCII | re.IGNORECASE
)
_COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_PERIOD = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?)?)?", re.ASCII
)
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
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
_DAY = len("1984-05-23")


def is_number(text: str) -> bool:
    """Whether a text is a number, perhaps with leading zeros."""
    return _NUMBER.fullmatch(text) is not None


def parsed(texts: NDArray[Any], *, declared: bool) -> NDArray[Any] | None:
    """The numbers or dates that all texts are; unless declared, codes such as 01234 are neither."""
    if _all_match(_NUMBER if declared else _PLAIN_NUMBER, texts):
        numbers = texts.astype(np.int64 if _all_match(_WHOLE, texts) else np.float64)
        return numbers if declared or np.isfinite(numbers.astype(np.float64)).all() else None
    if not _all_match(_DATE, texts):
        return None
    try:
        return texts.astype("datetime64[D]")
    except ValueError:  # the 30th of February
        return None


def _all_match(pattern: re.Pattern[str], texts: NDArray[Any]) -> bool:
    """Whether there are texts and all match. Most columns fail on the first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(texts) or not pattern.fullmatch(texts[0]):
        return False
    array = pa.array(texts, type=pa.large_string())
    return bool(pc.all(pc.match_substring_regex(array, f"^(?:{pattern.pattern})$")).as_py())


class Place(NamedTuple):
    """The place of a number, date or level among a column's values, even if it is not one of them.

    A date may be a period (``2020-05``, ``2020``): then it covers several values.
    """

    order: float
    below: int
    """Number of values below it."""
    upto: int
    """Number of values below it or in it."""
    comma: bool = False
    """Whether it was written with a decimal comma."""


class Line:
    """The values of an ordered column along a line."""

    def __init__(self, column: Column) -> None:
        self._codes = column.places
        self._positions: list[float] = column.positions.tolist()
        self._is_numeric = column.kind is Kind.NUMERIC
        self.is_dates = self._is_numeric and column.is_dates

    def find(self, text: str) -> Place | None:
        """The place of a text; None if it is not a number, date or level of this column."""
        code = self._codes.get(text)
        if code is not None:
            return Place(self._positions[code], code, code + 1)
        if not self._is_numeric:
            return None
        if self.is_dates:
            return self._date(text)
        text = text.replace("−", "-")  # the sign of typesetters
        if _PLACED_NUMBER.fullmatch(text) is not None:
            return self.number(float(text.replace("∞", "inf")))
        if _COMMA_NUMBER.fullmatch(text) is not None:
            return self.number(float(text.replace(",", ".")))._replace(comma=True)
        return None

    def number(self, number: float) -> Place:
        """The place of a number."""
        below = bisect_left(self._positions, number)
        return Place(number, below, bisect_right(self._positions, number, lo=below))

    def _date(self, text: str) -> Place | None:
        if text in ("-inf", "inf"):
            return self.number(float(text))
        if _PERIOD.fullmatch(text) is None:
            return None
        try:
            start = np.datetime64(text)
        except ValueError:  # the 30th of February
            return None
        first, after = (
            float(moment.astype("datetime64[us]").astype(np.int64)) for moment in (start, start + 1)
        )
        return Place(
            first, bisect_left(self._positions, first), bisect_left(self._positions, after)
        )


def numbers_among(texts: Sequence[str], column: Column) -> dict[str, str]:
    """Texts that are numbers (or points in time) that the column does not have, as plain numbers.

    >>> from unveil.microdata import Role
    >>> ages = Column(name="age", role=Role.QUASI, kind=Kind.NUMERIC,
    ...               codes=np.zeros(1, dtype=np.int32), values=np.array([30, 41]))
    >>> list(numbers_among(["35", "M", "30-39", "36.5", "41"], ages))
    ['35', '36.5']
    """
    line = Line(column)
    found = {}
    for text in texts:
        plain = text.strip().replace("−", "-")
        place = line.find(plain)
        if place is None or place.comma or not np.isfinite(place.order):
            continue
        if line.is_dates and len(plain) < _DAY:  # a month or a year is not a moment
            continue
        if place.below == place.upto:
            found[text] = plain
    return found


def as_values(numbers: Sequence[str], column: Column) -> NDArray[Any]:
    """Numbers, or points in time, as values of a column."""
    if column.is_dates:
        return np.array(numbers, dtype="datetime64")
    values = np.array([float(text) for text in numbers])
    if column.values.dtype.kind == "i" and (values == np.round(values)).all():
        return values.astype(np.int64)
    return values


def numbers_in(text: str) -> Iterator[float]:
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


def days_in(text: str) -> Iterator[float]:
    """The first and last day of all days, months and years in the text."""
    for found in _PERIODS.findall(text):
        try:
            start = np.datetime64(found)
        except ValueError:  # the 30th of February
            continue
        for day in (start.astype("datetime64[D]"), (start + 1).astype("datetime64[D]") - 1):
            yield float(day.astype(np.int64))


def date_position(edge: Any) -> float:
    """The position of a point in time on the line of a column of dates."""
    if isinstance(edge, float) and math.isinf(edge):
        return edge
    return float(np.datetime64(edge, "us").astype(np.int64))


def position_text(column: Column, position: float) -> str:
    """A position on the line of a column as a number or date, in the column's own unit."""
    if np.isinf(position):
        return "-∞" if position < 0 else "∞"
    if column.is_dates:
        return str(np.datetime64(int(position), "us").astype(column.values.dtype))
    return value_text(float(position))
