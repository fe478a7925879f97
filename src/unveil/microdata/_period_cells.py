"""Cells that name a part of time, or a number, in the spellings that programs and people use.

A published month is written ``2023-05``, ``05/2023``, ``May 2023``, ``2023M05``, or as its first
day. All of these are one number: months since year 0. The same goes for years, quarters, decades.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unveil.microdata.dates import month_of
from unveil.microdata.periods import period_of

# A published part of the calendar may be truncated to its first day, in any order of the parts.
_FIRST_DAYS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<y>[0-9]{4})[-/.](?P<m>[0-9]{1,2})[-/.]0?1(?:[T ]0?0:00(?::00(?:\.0+)?)?)?",
        r"0?1[-/.](?P<m>[0-9]{1,2})[-/.](?P<y>[0-9]{4})",
        r"(?P<m>[0-9]{1,2})/0?1/(?P<y>[0-9]{4})",
        r"0?1[-. ]*(?P<m>[^\W\d_]{3,12}\.?)[-. ]*(?P<y>[0-9]{4})",
    )
)
_OTHERS = {
    "year": (re.compile(r"(?P<y>[0-9]{4})\.0+"),),
    "month": (
        re.compile(r"(?P<y>[0-9]{4}) ?(?P<m>[0-9]{2})"),
        re.compile(r"(?P<m>[0-9]{1,2}) (?P<y>[0-9]{4})"),
    ),
    "quarter": (
        re.compile(r"(?P<q>[1-4])[-/](?P<y>[0-9]{4})"),
        re.compile(r"[Kk](?P<q>[1-4])[-/. ]*(?P<y>[0-9]{4})"),
    ),
    "decade": (
        re.compile(r"(?P<y>[0-9]{3}0)(?:\.0+)?"),
        re.compile(r"(?P<y>(?P<d>[0-9]{3})0) ?[-–—/] ?(?P=d)9"),
    ),
}  # fmt: skip
"""What a text may be only if it is known to be a year, a month, a quarter or a decade."""


def period_cells(word: str, text: str) -> Iterator[float]:
    """The years, months, quarters or decades that a cell may name, as numbers.

    Months and quarters are counted from year 0; a decade is its first year.

    >>> {text: list(period_cells("month", text)) for text in ("05/2023", "2023-05-01", "Mai 2023")}
    {'05/2023': [24280.0], '2023-05-01': [24280.0], 'Mai 2023': [24280.0]}
    >>> list(period_cells("quarter", "4/2023")) == list(period_cells("quarter", "2023Q4"))
    True
    >>> [list(period_cells("decade", text)) for text in ("1960s", "196*", "1960", "1961")]
    [[1960.0], [1960.0], [1960.0], []]
    """
    period = period_of(text)
    if period is not None and period.kind == word:
        start = period.start.astype("datetime64[M]").astype(int) + 1970 * 12
        yield _number(word, start // 12, start % 12)
    for pattern in _OTHERS[word]:
        if (found := pattern.fullmatch(text)) is not None:
            part = found.groupdict()
            month = 3 * (int(part["q"]) - 1) if "q" in part else int(part.get("m", 1)) - 1
            if 0 <= month < 12:
                yield _number(word, int(part["y"]), month)
    for year, month in _first_days(text):
        if month % _MONTHS[word] == 0 and (word != "decade" or year % 10 == 0):
            yield _number(word, year, month)


_MONTHS = {"year": 12, "month": 1, "quarter": 3, "decade": 12}
PERIODS = tuple(_MONTHS)
"""Words for parts of the calendar."""


def _number(word: str, year: int, month: int) -> float:
    return float({"month": year * 12 + month, "quarter": year * 4 + month // 3}.get(word, year))


def _first_days(text: str) -> set[tuple[int, int]]:
    """Years and months (from 0) whose first day the text may be."""
    found = (pattern.fullmatch(text) for pattern in _FIRST_DAYS)
    named = ((one, month_of(one["m"]) if one["m"][0].isalpha() else int(one["m"]))
             for one in found if one is not None)  # fmt: skip
    return {(int(one["y"]), month - 1) for one, month in named if month and month <= 12}


_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_GROUPED = tuple(
    (re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:{mark}\d{{3}})+(?:{point}\d+)?"), mark_, point_)
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
