"""Parts of the calendar as people publish them: ``1961``, ``05/2023``, ``2023Q4``, ``1960s``.

A text is read here only if it can mean one part of the calendar and no other. So ``03/04`` is
none, and a day in a local form is one only in that form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from unveil.microdata.dates import date_of, month_of

_ISO = re.compile(
    r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?)?)?"
)
_KINDS = {"Y": "year", "M": "month", "D": "day"}
_LETTERS = r"[^\W\d_]{3,12}"


class Period(NamedTuple):
    """A part of the calendar: from its first moment to before the moment after it."""

    start: np.datetime64
    after: np.datetime64
    kind: str
    """Decade, year, half, quarter, month, day or moment."""


def period_of(text: str, form: str | None = None) -> Period | None:
    """The part of the calendar that a text is; None if it is none.

    Parameters
    ----------
    text : str
    form : str, optional
        The form of days, besides ISO's: see `dates`.

    Examples
    --------
    >>> def days(text, form=None):
    ...     start, after, kind = period_of(text, form)
    ...     return str(start), str(after), kind
    >>> days("05/2023"), days("May 2023")
    (('2023-05', '2023-06', 'month'), ('2023-05', '2023-06', 'month'))
    >>> days("2023Q4"), days("1960s")
    (('2023-10', '2024-01', 'quarter'), ('1960', '1970', 'decade'))
    >>> days("16.11.1961", "dd.mm.yyyy"), period_of("16.11.1961")
    (('1961-11-16', '1961-11-17', 'day'), None)
    """
    text = text.strip()
    if not text.isascii() or not text[:1].isdigit() or _ISO.fullmatch(text) is None:
        if form is not None and (moment := date_of(text, form)) is not None:
            return _moment(moment, form)
        return _worded(text)
    try:
        start = np.datetime64(text)
    except ValueError:  # the 30th of February
        return None
    return Period(start, start + 1, _KINDS.get(np.datetime_data(start.dtype)[0], "moment"))


def _moment(moment: np.datetime64, form: str) -> Period:
    """The day or moment that a date is, as long as its form tells."""
    if ":" not in form:
        return Period(moment, moment + 1, "day")
    unit = "us" if ".f" in form else "s" if ":ss" in form else "m"
    start = moment.astype(f"datetime64[{unit}]")
    return Period(start, start + 1, "moment")


def _worded(text: str) -> Period | None:
    for pattern, make in _WRITTEN:
        found = pattern.fullmatch(text)
        if found is not None and (period := make(found)) is not None:
            return period
    return None


def _months(year: str, first: int, count: int, kind: str) -> Period | None:
    if not 1 <= first <= 12 or int(year) < 1:
        return None
    start = np.datetime64(f"{year}-{first:02}")
    return Period(start, start + count, kind)


def _month(found: re.Match[str]) -> Period | None:
    return _months(found["year"], int(found["month"]), 1, "month")


def _named(found: re.Match[str]) -> Period | None:
    number = month_of(found["name"])
    return None if number is None else _months(found["year"], number, 1, "month")


def _quarter(found: re.Match[str]) -> Period | None:
    return _months(found["year"], 3 * int(found["part"]) - 2, 3, "quarter")


def _half(found: re.Match[str]) -> Period | None:
    return _months(found["year"], 6 * int(found["part"]) - 5, 6, "half")


def _decade(found: re.Match[str]) -> Period | None:
    start = np.datetime64(f"{found['tens']}0")
    return Period(start, start + 10, "decade")


def _year(found: re.Match[str]) -> Period | None:
    start = np.datetime64(found["year"])
    return Period(start, start + 1, "year")


_Y, _M = r"(?P<year>[0-9]{4})", r"(?P<month>0?[1-9]|1[0-2])"
_GAP = r"[ /-]?"
_WRITTEN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Period | None]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), make)
    for pattern, make in (
        (rf"{_M}[/.-]{_Y}", _month),
        (rf"{_Y}[/.]{_M}", _month),
        (rf"{_Y}m{_M}", _month),
        (rf"(?P<name>{_LETTERS})\.?[ /-]?{_Y}", _named),
        (rf"{_Y}[ /-]?(?P<name>{_LETTERS})", _named),
        (rf"{_Y}{_GAP}[QT](?P<part>[1-4])", _quarter),
        (rf"[QT](?P<part>[1-4]){_GAP}{_Y}", _quarter),
        (rf"(?P<part>[1-4])[QT]{_GAP}{_Y}", _quarter),
        (rf"(?P<part>[1-4])\. ?(?:Quartal|Vierteljahr) {_Y}", _quarter),
        (rf"{_Y}{_GAP}[HS](?P<part>[12])", _half),
        (rf"[HS](?P<part>[12]){_GAP}{_Y}", _half),
        (rf"(?P<part>[12])[HS]{_GAP}{_Y}", _half),
        (rf"(?P<part>[12])\. ?Halbjahr {_Y}", _half),
        (r"(?P<tens>[0-9]{3})(?:0'?s|0er(?: Jahre)?|[*xX])", _decade),
        (r"(?:années|anni|años|jaren) (?P<tens>[0-9]{3})0", _decade),
        (rf"{_Y}(?:-(?:\*\*|xx)){{1,2}}", _year),
        (rf"(?:(?:\*\*|xx)([./-])){{1,2}}{_Y}", _year),
    )
)
