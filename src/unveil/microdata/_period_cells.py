"""Cells that name a part of time, or a number, in the spellings that programs and people use.

A published month is written ``2023-05``, ``05/2023``, ``May 2023``, ``2023M05``, or as its first
day. All of these are one number: months since year 0. The same goes for years, quarters, decades.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from unveil.microdata.vocabulary import plain

_YEAR = r"(?P<y>\d{4})"
_PART = r"[-/. ]"
_FIRST_DAY = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        rf"{_YEAR}[-/.](?P<m>\d\d?)[-/.]0?1(?:[T ]0?0:00(?::00(?:\.0+)?)?)?",
        rf"0?1[-/.](?P<m>\d\d?)[-/.]{_YEAR}",
        rf"(?P<m>\d\d?)/0?1/{_YEAR}",
    )
)
_NAMED_FIRST_DAY = re.compile(rf"0?1[-. ]*(?P<n>[^\W\d_]{{3,}})\.?[-. ]*{_YEAR}")
_ONLY_YEAR = re.compile(rf"{_YEAR}(?:\.0+)?", re.ASCII)
_MONTHS = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        rf"{_YEAR}[-/. ]?[Mm]?(?P<m>\d\d)",
        rf"{_YEAR}(?:[-/.]|[-/. ]?[Mm])(?P<m>\d)",
        rf"(?P<m>\d\d?)[-/. ]{_YEAR}",
    )
)
_NAMED_MONTHS = (
    re.compile(rf"(?P<n>[^\W\d_]{{3,}})\.?{_PART}*{_YEAR}"),
    re.compile(rf"{_YEAR}{_PART}*(?P<n>[^\W\d_]{{3,}})\.?"),
)
_QUARTERS = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        rf"{_YEAR}[-/. ]*[QqTtKk](?P<q>[1-4])",
        rf"[QqTtKk](?P<q>[1-4])[-/. ]*{_YEAR}",
        rf"(?P<q>[1-4])[-/. ]*[QqTtKk][-/. ]*{_YEAR}",
        rf"(?P<q>[1-4])[-/]{_YEAR}",
        rf"(?P<q>[1-4])\. ?[Qq]uartal{_PART}+{_YEAR}",
    )
)
_DECADES = (
    re.compile(r"(?P<d>\d{3})0(?:\.0+)?(?: ?'?s| ?er)?", re.ASCII),
    re.compile(r"(?P<d>\d{3})[*xX]", re.ASCII),
    re.compile(r"(?P<d>\d{3})0 ?[-–—/] ?(?P=d)9", re.ASCII),
)
_MONTH_NAMES = tuple(
    words.split()
    for words in (
        "january januar janvier enero gennaio januari",
        "february februar fevrier febrero febbraio februari",
        "march marz maerz mars marzo maart mrt",
        "april avril abril aprile",
        "may mai mayo maggio mei",
        "june juni juin junio giugno",
        "july juli juillet julio luglio",
        "august aout agosto augustus",
        "september septembre septiembre settembre",
        "october oktober octobre octubre ottobre",
        "november novembre noviembre",
        "december dezember decembre diciembre dicembre",
    )
)


def month_named(name: str) -> int | None:
    """The month (1 to 12) of a name or its first letters, in six languages.

    >>> month_named("Mai"), month_named("sept"), month_named("févr"), month_named("jui")
    (5, 9, 2, None)
    """
    start = plain(name)
    found = {
        month
        for month, names in enumerate(_MONTH_NAMES, start=1)
        if any(one.startswith(start) for one in names)
    }
    return found.pop() if len(found) == 1 and len(start) > 2 else None


def year_cells(text: str) -> Iterator[float]:
    """The years that a cell may name: ``1961``, or its first day.

    >>> list(year_cells("1961")), list(year_cells("1961-01-01")), list(year_cells("1961-05-01"))
    ([1961.0], [1961.0], [])
    """
    if (found := _ONLY_YEAR.fullmatch(text)) is not None:
        yield float(found["y"])
    for year, month in _first_days(text):
        if month == 1:
            yield float(year)


def month_cells(text: str) -> Iterator[float]:
    """The months that a cell may name, as months since year 0.

    >>> {form: list(month_cells(form)) for form in ("05/2023", "2023-05-01 00:00:00", "Mai 2023")}
    {'05/2023': [24280.0], '2023-05-01 00:00:00': [24280.0], 'Mai 2023': [24280.0]}
    """
    for pattern in (*_MONTHS, *_NAMED_MONTHS):
        found = pattern.fullmatch(text)
        month = None if found is None else _month(found)
        if found is not None and month is not None:
            yield float(int(found["y"]) * 12 + month - 1)
    for year, month in _first_days(text):
        yield float(year * 12 + month - 1)


def quarter_cells(text: str) -> Iterator[float]:
    """The quarters that a cell may name, as quarters since year 0.

    >>> list(quarter_cells("2023Q4")) == list(quarter_cells("4/2023")) == [2023 * 4 + 3]
    True
    """
    for pattern in _QUARTERS:
        if (found := pattern.fullmatch(text)) is not None:
            yield float(int(found["y"]) * 4 + int(found["q"]) - 1)
    for year, month in _first_days(text):
        if month % 3 == 1:
            yield float(year * 4 + month // 3)


def decade_cells(text: str) -> Iterator[float]:
    """The decades that a cell may name: ``1960s``, ``1960``, ``196x``, ``1960-1969``.

    >>> [list(decade_cells(text)) for text in ("1960s", "196*", "1961")]
    [[1960.0], [1960.0], []]
    """
    for pattern in _DECADES:
        if (found := pattern.fullmatch(text)) is not None:
            yield float(found["d"] + "0")
    for year, month in _first_days(text):
        if month == 1 and year % 10 == 0:
            yield float(year)


def _month(found: re.Match[str]) -> int | None:
    parts = found.groupdict()
    if "n" in parts:
        return month_named(parts["n"])
    month = int(parts["m"])
    return month if 1 <= month <= 12 else None


def _first_days(text: str) -> set[tuple[int, int]]:
    """Years and months whose first day the text may be: day and month stand in any order."""
    matches = (pattern.fullmatch(text) for pattern in (*_FIRST_DAY, _NAMED_FIRST_DAY))
    found = ((match, _month(match)) for match in matches if match is not None)
    return {(int(match["y"]), month) for match, month in found if month is not None}


_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_GROUPED = tuple(
    (re.compile(rf"[+-]?\d{{1,3}}(?:{mark}\d{{3}})+(?:{point}\d+)?"), mark_, point_)
    for mark, point, mark_, point_ in (
        (",", r"\.", ",", "."), (r"\.", ",", ".", ","), ("['’]", r"\.", "'’", "."),
        ("[ \u00a0\u202f]", "[.,]", " \u00a0\u202f", ","),
    )
)  # fmt: skip


def number_cells(text: str) -> Iterator[float]:
    """The numbers that a cell may be, with thousands marks and decimal commas.

    >>> list(number_cells("1234.5")), list(number_cells("51,000")), list(number_cells("1.234,5"))
    ([1234.5], [51.0, 51000.0], [1234.5])
    """
    text = text.replace("−", "-")  # the sign of typesetters
    if _NUMBER.fullmatch(text) is not None:
        yield float(text)
    elif _DECIMAL_COMMA.fullmatch(text) is not None:
        yield float(text.replace(",", "."))
    for pattern, marks, point in _GROUPED:
        if pattern.fullmatch(text) is not None:
            yield float("".join(c for c in text if c not in marks).replace(point, "."))


def period_text(word: str, key: float) -> str:
    """The plainest spelling of a year, month, quarter or decade.

    >>> period_text("month", 24280.0), period_text("quarter", 8095.0)
    ('2023-05', '2023Q4')
    """
    number = int(key)
    if word == "month":
        return f"{number // 12:04}-{number % 12 + 1:02}"
    return f"{number // 4:04}Q{number % 4 + 1}" if word == "quarter" else f"{number:04}"


CELLS: dict[str, Callable[[str], Iterator[float]]] = {
    "year": year_cells,
    "month": month_cells,
    "quarter": quarter_cells,
    "decade": decade_cells,
}
"""What a cell may name, by the word for how the column was coarsened."""
