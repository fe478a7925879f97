"""Where numbers, dates and levels lie among the values of an ordered column."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from typing import NamedTuple

import numpy as np

from unveil.microdata._column import Column, Kind

__all__ = ["Line", "Place"]

_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|∞)", re.ASCII | re.IGNORECASE
)
_COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?)?)?", re.ASCII)


class Place(NamedTuple):
    """A number, date or level on the line of a column, whether or not the column has it.

    A date may be a period (``2020-05``, ``2020``): then it covers several values.
    """

    order: float
    below: int
    """How many values of the column lie below it."""
    upto: int
    """How many lie below it or in it."""
    comma: bool = False
    """Whether it was written with a decimal comma."""


class Line:
    """The values of an ordered column along a line."""

    def __init__(self, column: Column) -> None:
        self._codes = column.places
        self._positions: list[float] = column.positions.tolist()
        self._is_numeric = column.kind is Kind.NUMERIC
        self.is_dates = self._is_numeric and np.issubdtype(column.values.dtype, np.datetime64)
        self._known: dict[str, Place | None] = {}

    def find(self, text: str) -> Place | None:
        """Where the text lies; None if it is no number, date or level of this column."""
        if text not in self._known:
            self._known[text] = self._found(text)
        return self._known[text]

    def forget(self) -> None:
        """Make room."""
        self._known.clear()

    def _found(self, text: str) -> Place | None:
        code = self._codes.get(text)
        if code is not None:
            return Place(self._positions[code], code, code + 1)
        if not self._is_numeric:
            return None
        if self.is_dates:
            return self._date(text)
        text = text.replace("−", "-")  # the sign of typesetters
        if _NUMBER.fullmatch(text) is not None:
            return self.number(float(text.replace("∞", "inf")))
        if _COMMA_NUMBER.fullmatch(text) is not None:
            return self.number(float(text.replace(",", ".")))._replace(comma=True)
        return None

    def number(self, number: float) -> Place:
        """Where a number lies."""
        below = bisect_left(self._positions, number)
        return Place(number, below, bisect_right(self._positions, number, lo=below))

    def _date(self, text: str) -> Place | None:
        if text in ("-inf", "inf"):
            return self.number(math.copysign(math.inf, -1 if text[0] == "-" else 1))
        if _DATE.fullmatch(text) is None:
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
