"""Numbers and points in time: recognized in texts, parsed, placed on a line, and written.

Another kind of number or date is added here. The kinds of columns themselves are in `_encode`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._microdata import Column, Kind, value_text
from unveil.microdata._notations import mask_bounds, range_parts
from unveil.microdata.dates import forms_of_few, has_short_years, padded
from unveil.microdata.number_forms import number_of
from unveil.microdata.periods import period_of

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
_THOUSAND = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?) ?[kK]\b")
_DECADE = re.compile(r"([0-9]*0)'?s")
_MARKED = re.compile(r"[0-9][,.' \u00a0\u202f\u2009’][0-9]{3}(?![0-9])")
_TWO_MARKS = re.compile(r"[0-9]\.[0-9]{3}\.[0-9]{3}")
_WITH_MARKS = ("1,234.56", "1.234,56", "1 234,56", "1'234.56")
DECIMAL_COMMA, THOUSANDS = "decimal comma", "thousands"
_DAYS = re.compile(
    r"(?<![0-9])[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{1,4}(?![0-9])"
    r"|(?<![0-9])[0-9]{1,2}[ .-]{0,2}[^\W\d_]{3,9}[ .-]{0,2}[0-9]{4}(?![0-9])"
)
_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
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
    is_period: bool = False
    """Whether it is a month, a year or the like, or a decade of numbers."""


class Way(NamedTuple):
    """One way to read the numbers or dates of a cell; all of them are read in the same way."""

    find: Callable[[str], Place | None]
    style: str = ""
    """What the cells of a column must agree on; empty if there is no other way."""
    weak: bool = False
    own: bool = False
    """Whether the original's column is written so."""


class Line:
    """The values of an ordered column along a line."""

    def __init__(self, column: Column) -> None:
        self._codes = column.places
        self._positions: list[float] = column.positions.tolist()
        self.is_numeric = column.kind is Kind.NUMERIC
        self.is_dates = self.is_numeric and column.is_dates
        self.is_whole = self.is_numeric and column.values.dtype.kind == "i"
        self._form = column.form if self.is_numeric else None

    def find(self, text: str) -> Place | None:
        """The place of a text; None if it is not a number, date or level of this column."""
        if (level := self._level(text)) is not None or not self.is_numeric:
            return level
        if not self.is_dates:
            return self._own_number(text) or self._plain(text) or self._comma(text)
        found = self._date(text, self._form)
        if found is None and len(forms := _forms_in(text)) == 1:
            found = self._date(text, forms[0])
        return found

    def _level(self, text: str) -> Place | None:
        code = self._codes.get(text)
        return None if code is None else Place(self._positions[code], code, code + 1)

    def ways(self, text: str) -> Iterator[Way]:
        """The ways to read the numbers or dates in a cell, the plainest first."""
        if not self.is_numeric:
            yield Way(self._level)
        elif self.is_dates:
            forms = _forms_in(text)
            if self._form is not None or not forms:
                own = "" if self._form is None else padded(self._form)
                is_own = own in forms
                yield Way(self._in_form(self._form), own if is_own else "", own=is_own)
            for form in forms:
                if self._form is None or form != padded(self._form):
                    yield Way(self._in_form(form), form)
        else:
            yield from self._number_ways(text)

    def _number_ways(self, text: str) -> Iterator[Way]:
        own = self._form or ""
        yield Way(self._plain)
        if "," in text:
            yield Way(self._comma, DECIMAL_COMMA, own=",56" in own)
        if _MARKED.search(text) is None:
            return
        for form in _WITH_MARKS:
            mark = form[1]
            if re.search(rf"[0-9]{re.escape(mark)}[0-9]{{3}}(?![0-9])", text) is None:
                continue
            # 45.250 by itself is a number with a decimal point.
            sure = mark != "." or "," in text or _TWO_MARKS.search(text) is not None
            has_comma = ",56" in form and (mark == "." or "," in text)
            style = DECIMAL_COMMA if has_comma else THOUSANDS
            yield Way(self._number_in(form), style, weak=not sure, own=form in own)

    def _in_form(self, form: str | None) -> Callable[[str], Place | None]:
        return lambda text: self._level(text) or self._date(text, form)

    def _number_in(self, form: str) -> Callable[[str], Place | None]:
        def find(text: str) -> Place | None:
            number = number_of(text, form)
            if number is not None:
                return self.number(number)
            return None if form[1] in text else self._plain(text)  # 1.48 has no thousands

        return find

    def _own_number(self, text: str) -> Place | None:
        """A number in the column's own form, unless it is a value when read plainly."""
        number = None if self._form is None else number_of(text, self._form)
        if number is None:
            return None
        own, plain = self.number(number), self._plain(text)
        return plain if plain and own.below == own.upto and plain.below < plain.upto else own

    def _plain(self, text: str) -> Place | None:
        """A number with a decimal point, if any; also 30k, and 1960s for ten numbers."""
        if (level := self._level(text)) is not None:
            return level
        text = text.replace("−", "-")  # the sign of typesetters
        if _PLACED_NUMBER.fullmatch(text) is not None:
            return self.number(float(text.replace("∞", "inf")))
        if (found := _THOUSAND.fullmatch(text)) is not None:
            return self.number(float(found[1]) * 1000)
        if (found := _DECADE.fullmatch(text)) is not None:
            start, after = self.number(float(found[1])), self.number(float(found[1]) + 10)
            return Place(start.order, start.below, after.below, is_period=True)
        return None

    def _comma(self, text: str) -> Place | None:
        """A number with a decimal comma, if any."""
        text = text.replace("−", "-")
        if _COMMA_NUMBER.fullmatch(text) is None:
            return self._plain(text)
        return self.number(float(text.replace(",", ".")))._replace(comma=True)

    def number(self, number: float) -> Place:
        """The place of a number."""
        below = bisect_left(self._positions, number)
        return Place(number, below, bisect_right(self._positions, number, lo=below))

    def _date(self, text: str, form: str | None) -> Place | None:
        """A day in a form, or a part of the calendar."""
        if text in ("-inf", "inf"):
            return self.number(float(text))
        period = period_of(text, form)
        if period is None and form is not None and "hh" in form:  # the day alone
            period = period_of(text, form.partition("hh")[0].rstrip(" T:,"))
        if period is None:
            return None
        first, after = (
            float(moment.astype("datetime64[us]").astype(np.int64)) for moment in period[:2]
        )
        return Place(
            first, bisect_left(self._positions, first), bisect_left(self._positions, after),
            is_period=period.kind not in ("day", "moment"),
        )  # fmt: skip


def _forms_in(text: str) -> tuple[str, ...]:
    """The forms that fit all days in a text that are not written as in ISO 8601."""
    days = [one[0] for one in _DAYS.finditer(text) if _ISO_DAY.fullmatch(one[0]) is None]
    if not days:
        return ()
    return tuple(form for form in forms_of_few(days) if not has_short_years(form))


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
        place = line.find(text.strip())
        if place is None or place.comma or place.is_period or not np.isfinite(place.order):
            continue
        if place.below == place.upto:
            plain = text.strip().replace("−", "-")
            is_plain = not column.is_dates and _PLACED_NUMBER.fullmatch(plain) is not None
            found[text] = plain if is_plain else position_text(column, place.order)
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
    for form in _WITH_MARKS if _MARKED.search(text) else ():
        for found in re.findall(
            rf"[0-9]{{1,3}}(?:{re.escape(form[1])}[0-9]{{3}})+(?:[.,][0-9]+)?", text
        ):
            grouped = number_of(found, form)
            yield from () if grouped is None else (sign * grouped for sign in signs)
    for thousands in _THOUSAND.findall(text):
        yield from (sign * float(thousands) * 1000 for sign in signs)
    if "*" in text:
        for masked in re.findall(r"[+-]?[\d.]+\*+", text, re.ASCII):
            yield from mask_bounds(masked) or ()


def days_in(text: str, form: str | None = None) -> Iterator[float]:
    """The first and last day of all days and parts of the calendar in the text."""
    parts = {text, *_PERIODS.findall(text), *(one[0] for one in _DAYS.finditer(text))}
    parts |= {bound for pair in range_parts(text) for bound in pair}
    for part in parts:
        for one in {form, *_forms_in(part)}:
            period = period_of(part, one)
            if period is not None:
                start, after = (day.astype("datetime64[D]") for day in period[:2])
                for day in {start, max(start, after - 1)}:
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
