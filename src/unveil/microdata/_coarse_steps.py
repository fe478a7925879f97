"""Forward: what the steps of a coarsening make of the values of a column.

Years, months, quarters and decades are numbers here, and so are ages, floors and roundings; only
beginnings and hierarchy nodes are texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._encode import MISSING
from unveil.microdata._microdata import Column

Key: TypeAlias = float | str
"""What is published of a value: a number (of a year, an age, a band), or a text."""

DATE_WORDS = ("year", "month", "quarter", "decade", "age")
NUMBER_WORDS = ("floor", "rounded", "top", "bottom")
TEXT_WORDS = ("prefix", "level")

DIGITS = 12  # significant digits in which published numbers are compared


class Step(NamedTuple):
    """One word and what belongs to it: ``floor`` and ``10``."""

    word: str
    value: str = ""

    @property
    def number(self) -> float:
        """The width, cap or length."""
        return float(self.value)

    def __str__(self) -> str:
        return f"{self.word} {self.value}".rstrip()


def numbers_of(column: Column) -> NDArray[np.float64]:
    """The values as numbers; dates are replaced by the first step."""
    return np.full(column.size, np.nan) if column.is_dates else column.positions.copy()


def stepped(
    step: Step, numbers: NDArray[np.float64], column: Column
) -> Iterator[NDArray[np.float64]]:
    """What a step makes of numbers; rounding may go two ways."""
    word = step.word
    if word in DATE_WORDS:
        yield numbers // 10 * 10 if not column.is_dates else _of_dates(step, column)
    elif word == "top":
        yield np.where(numbers > step.number, step.number, numbers)
    elif word == "bottom":
        yield np.where(numbers < step.number, step.number, numbers)
    else:
        steps = numbers / step.number
        nearest = np.rint(steps)
        # 0.3 / 0.1 is a little less than 3.
        whole = np.isclose(steps, nearest, rtol=1e-12, atol=1e-12)
        steps = np.where(whole, nearest, steps)
        if word == "floor":
            yield np.floor(steps) * step.number
        else:
            twice = np.rint(2 * steps)
            halves = np.isclose(2 * steps, twice, rtol=1e-12, atol=1e-12) & (twice % 2 == 1)
            yield np.where(halves, (twice + 1) / 2, nearest) * step.number
            if halves.any():
                yield np.where(halves, (twice - 1) / 2, nearest) * step.number


def _of_dates(step: Step, column: Column) -> NDArray[np.float64]:
    """Years, months, quarters, decades or ages of dates, as numbers."""
    missing = np.isnat(column.values)
    days = np.where(missing, np.datetime64("2000-01-01"), column.values.astype("datetime64[D]"))
    months = days.astype("datetime64[M]").astype(np.int64) + 1970 * 12
    years = months // 12
    if step.word == "age":
        day = np.datetime64(step.value, "D")
        born = (months % 12) * 31 + (days - days.astype("datetime64[M]")).astype(np.int64)
        on = day.astype("datetime64[M]").astype(np.int64) % 12 * 31
        on += (day - day.astype("datetime64[M]")).astype(np.int64)
        numbers = int(step.value[:4]) - years - (born > on)
    else:
        numbers = {
            "year": years, "month": months, "quarter": months // 3, "decade": years // 10 * 10,
        }[step.word]  # fmt: skip
    return np.where(missing, np.nan, numbers.astype(np.float64))


def comparable_number(number: float) -> float:
    """The same for one number."""
    if number == 0 or not math.isfinite(number) or number == round(number):
        return number + 0.0
    return round(number, DIGITS - 1 - math.floor(math.log10(abs(number))))


def comparable(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same without the last digits, in which 0.1 * 3 and 0.3 differ, and without -0."""
    whole = numbers == np.rint(numbers)
    if whole[~np.isnan(numbers)].all():
        return numbers + 0.0
    return np.array([comparable_number(number) for number in numbers.tolist()])


def same(one: NDArray[np.float64], other: NDArray[np.float64], *_: Any) -> bool:
    return bool(np.array_equal(one, other, equal_nan=True))


def prefixes(column: Column, length: int) -> NDArray[Any]:
    starts = [None if _is_missing(text) else text[:length] for text in column.texts]
    return np.array([*starts, None], dtype=object)[:-1]


def nodes(column: Column, level: int) -> NDArray[Any]:
    """The names of the nodes so many levels above the leaves; the root above all."""
    tree = column.hierarchy
    assert tree is not None
    paths = (tree.path(tree.leaf(text)) for text in column.texts)
    names = [path[min(level, len(path) - 1)] for path in paths]
    return np.array([*names, None], dtype=object)[:-1]


def _is_missing(text: str) -> bool:
    return text in (MISSING, "nan", "NaT")


def known(keys: NDArray[Any]) -> Iterator[Key]:
    return (key for key in keys.tolist() if key is not None and key == key)
