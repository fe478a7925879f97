"""When is a guess right? A word must be the true one; a number need only be near it.

Whoever knows somebody's income to within one percent knows it. So a guess of a numeric sensitive
value is right if it is within a *tolerance* of the true one: an amount, or a share of the true
value. The attacker knows that and guesses the number that is most likely to be near enough. It
need not be a value that occurs: between two values, both may be near.

The truth x accepts the guesses from low(x) to high(x), and both ascend with x. So the values that
accept the same guess lie side by side, and the best guess is found by sliding a window over the
values: for each value, the window of those below it that still accept low(x). Of the guesses that
all values of the best window accept, the one in the middle is taken. Windows that are equally
likely are *tied*; one of them is picked at random.

*By default* the tolerance is 5 % of the interquartile range of the column. That does not depend on
the unit or on where zero is (5 % of a year of birth is a century), nor on a few extreme values. Of
a bell-shaped column, somebody who has seen no release then guesses one value in twenty. If half of
the people or more share one value, as zero, the range is that of the others. Up to 20 different
values, and up to 100 whole numbers, may be codes or grades and must be guessed exactly, as must
everything that is not a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.tolerance._kernels import DUST, judge
from unveil.errors import Column as ColumnName
from unveil.errors import InputError, Message, Option, Text
from unveil.microdata import Column, Kind, Microdata
from unveil.options import Tolerance, tolerance_of

SHARE = 0.05
"""The default tolerance as a share of the interquartile range."""
FEW, FEW_WHOLE = 20, 100
"""Numbers with at most so many different values, or whole ones, must be guessed exactly."""

_DAY = 86_400e6  # microseconds, of which dates are counted
_SLACK = 1e-9  # of the tolerance, so that 0.3 is within 0.1 of 0.2


class Guessed(NamedTuple):
    """What the best guesses are worth.

    Attributes
    ----------
    chance : array, one per row of beliefs
        The belief that the best guess is right; nan without beliefs.
    tied : array, one per row
        Number of guesses that are equally good; 0 without beliefs.
    hits : array, one per person
        How many of these are right about the person.
    own : array, one per person
        The belief in the values that are within the tolerance of the true one; nan without.
    """

    chance: NDArray[np.float64]
    tied: NDArray[np.int64]
    hits: NDArray[np.int64]
    own: NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Near:
    """The guesses that count as right for each value of a column.

    Attributes
    ----------
    values : array
        The numbers, ascending; empty if guesses must be exact.
    amount : float
        The tolerance; 0 if guesses must be exact.
    of_value : bool
        Whether it is a share of the true value.
    unit : str
        What it is counted in.
    note : Text or None
        The same in words, for the notes of a finding.
    """

    values: NDArray[np.float64]
    amount: float = 0.0
    of_value: bool = False
    unit: str = ""
    note: Text | None = None

    @classmethod
    def of(cls, column: Column, counts: NDArray[Any], tolerance: Tolerance = None) -> Near:
        """The tolerance of a column whose values so many people have, as it is given or by default.

        >>> from unveil.datasets import census
        >>> secret = census(100).sensitive          # a word
        >>> Near.of(secret, np.bincount(secret.codes)).is_exact
        True
        """
        exact = cls(values=np.zeros(0))
        if column.kind is not Kind.NUMERIC:
            if tolerance is None:
                return exact
            raise InputError(
                "{option} is for numbers, and the sensitive column {column} is {kind}; leave it "
                "out, or read the column as numeric",
                option=Option("tolerance", tolerance), column=ColumnName(column.name),
                kind=str(column.kind),
            )  # fmt: skip
        if tolerance is None:
            return cls._usual(column, np.asarray(counts))
        read = tolerance_of(tolerance)
        if read is None:
            raise InputError("{option} is not possible",
                             option=Option("tolerance", tolerance))  # fmt: skip
        amount, of_value = read
        if of_value and column.is_dates:
            raise InputError(
                "{option} is a share of the true value, and {column} has dates; give a number of "
                "days",
                option=Option("tolerance", tolerance), column=ColumnName(column.name),
            )  # fmt: skip
        if amount == 0:
            return cls(values=np.zeros(0), note=_must_be_exact(column))
        return cls._made(column, amount, of_value=of_value)

    @classmethod
    def _usual(cls, column: Column, counts: NDArray[Any]) -> Near:
        occurring = column.positions[counts > 0]
        if len(occurring) <= FEW:
            return cls(values=np.zeros(0))
        whole = not column.is_dates and bool((occurring == np.round(occurring)).all())
        if whole and len(occurring) <= FEW_WHOLE:
            because = Message(" ({n} different whole numbers, as codes are)", n=len(occurring))
            return cls(values=np.zeros(0), note=_must_be_exact(column, because))
        amount, whose = spread(column.positions, counts), ""
        if not amount:
            others, whose = counts.copy(), " of the people without the most frequent value"
            others[counts.argmax()] = 0
            amount = spread(column.positions, others)
        amount = _two_digits(SHARE * amount / (_DAY if column.is_dates else 1))
        if not amount:
            return cls(values=np.zeros(0), note=_must_be_exact(column, " (most values are equal)"))
        return cls._made(column, amount, because=f", which is about 5% of the interquartile range"
                         f"{whose}; for another tolerance give ")  # fmt: skip

    @classmethod
    def _made(
        cls, column: Column, amount: float, *, of_value: bool = False, because: str = ""
    ) -> Near:
        made = cls(values=column.positions, amount=amount, of_value=of_value,
                   unit="days" if column.is_dates else "")  # fmt: skip
        note = Message(
            "a guess of {column} is right if it is {within} of the true value{because}{option}",
            column=ColumnName(column.name), within=made.words, because=because,
            option=Option("tolerance") if because else "",
        )  # fmt: skip
        return cls(values=made.values, amount=amount, of_value=of_value, unit=made.unit, note=note)

    @property
    def is_exact(self) -> bool:
        """Whether a guess must be the true value itself."""
        return not len(self.values)

    @property
    def words(self) -> str:
        """How near a guess must be.

        >>> Near(values=np.arange(3.0), amount=1200).words
        'within 1,200'
        >>> Near(values=np.arange(3.0), amount=0.05, of_value=True).words
        'within 5%'
        """
        if self.is_exact:
            return "exactly"
        if self.of_value:
            return f"within {100 * self.amount:.10g}%"
        return f"within {self.amount:,.15g}{' ' if self.unit else ''}{self.unit}"

    @property
    def in_brackets(self) -> str:
        """To follow the name of the column in a sentence; nothing if guesses must be exact."""
        return "" if self.is_exact else f" ({self.words})"

    @property
    def notes(self) -> tuple[Text, ...]:
        """For the notes of a finding."""
        return () if self.note is None else (self.note,)

    @property
    def fact(self) -> dict[str, Any] | None:
        """For the JSON of a finding; None if guesses must be exact."""
        if self.is_exact:
            return None
        return {"amount": self.amount, "of_value": self.of_value, "unit": self.unit or None}

    def on(self, column: Column) -> Near:
        """The same tolerance for another table's column of the same name."""
        if self.is_exact:
            return self
        if column.kind is not Kind.NUMERIC:  # it was read as words
            return Near(values=np.zeros(0), note=self.note)
        return Near(values=column.positions, amount=self.amount, of_value=self.of_value,
                    unit=self.unit, note=self.note)  # fmt: skip

    @cached_property
    def accepted(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The smallest and the largest guess that is right for each value."""
        x = self.values
        unit = np.abs(x) if self.of_value else _DAY if self.unit == "days" else 1.0
        off = self.amount * unit * (1 + _SLACK) + 8 * np.finfo(np.float64).eps * np.abs(x)
        return x - off, x + off

    @cached_property
    def similar(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each value x, the codes of those within its tolerance: from, and up to before."""
        low, high = self.accepted
        return (np.searchsorted(self.values, low, "left").astype(np.int64),
                np.searchsorted(self.values, high, "right").astype(np.int64))  # fmt: skip

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """For each value x, the first of those that accept a guess which x accepts, too."""
        low, high = self.accepted
        return np.searchsorted(high, low, "left").astype(np.int64)

    def one_guess(self, least: NDArray[Any], most: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether one guess is right for all values from one code to another."""
        if self.is_exact:
            return np.asarray(least == most)
        return np.asarray(self.begins[most] <= least)

    def accepts(
        self, least: NDArray[Any], most: NDArray[Any], true: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Whether the guess in the middle of some values (codes) is right about the true one."""
        if self.is_exact:
            return np.asarray((least == most) & (least == true))
        low, high = self.accepted
        middle = (low[most] + high[least]) / 2
        return np.asarray((true >= 0) & (low[true] <= middle) & (middle <= high[true]))

    def guess(
        self,
        beliefs: NDArray[np.float64],
        row_of: NDArray[np.integer],
        true: NDArray[np.integer],
        within: float = DUST,
    ) -> Guessed:
        """The best guesses by beliefs (rows × values), and whether they are right about people.

        Parameters
        ----------
        beliefs : array
            Rows of nan: nothing is believed.
        row_of, true : arrays, one per person
            The row of beliefs about each person, and the code of the true value; a code below 0
            is a value that nobody believes in.
        within : float
            Guesses whose chances differ by less are tied.
        """
        assert not self.is_exact
        low, high = self.accepted
        first, last = self.similar
        rows, people = len(beliefs), len(row_of)
        order = np.argsort(row_of, kind="stable")
        start = np.searchsorted(row_of[order], np.arange(rows + 1)).astype(np.int64)
        chance, tied = np.full(rows, np.nan), np.zeros(rows, dtype=np.int64)
        hits, own = np.zeros(people, dtype=np.int64), np.full(people, np.nan)
        judge(
            np.ascontiguousarray(beliefs, dtype=np.float64), low, high, first, last, self.begins,
            order.astype(np.int64), start, np.asarray(true, dtype=np.int64), float(within),
            chance, tied, hits, own,
        )  # fmt: skip
        return Guessed(chance, tied, hits, own)


def near_of(original: Microdata | None, name: str, tolerance: Tolerance) -> Near | None:
    """How near a guess of a column of the original must be; None without one to check it by."""
    if original is not None:
        column = original[name]
        return Near.of(column, np.bincount(column.codes, minlength=column.size), tolerance)
    if tolerance is None:
        return None
    raise InputError(
        "{tolerance} says how near a guess must be, and without the original no guess can be "
        "checked; give {microdata}, or leave it out",
        tolerance=Option("tolerance", tolerance), microdata=Option("microdata"),
    )  # fmt: skip


def spread(positions: NDArray[np.float64], counts: NDArray[Any]) -> float:
    """The interquartile range of numbers that occur so many times.

    >>> spread(np.array([0.0, 10.0, 20.0, 30.0]), np.array([2, 2, 2, 2]))
    15.0
    """
    each = np.repeat(positions, counts.astype(np.int64))
    if not len(each):
        return 0.0
    first, third = np.quantile(each, [0.25, 0.75])
    return float(third - first)


def _two_digits(x: float) -> float:
    """Rounded to two digits.

    >>> _two_digits(1237.5), _two_digits(0.0123), _two_digits(0.0)
    (1200.0, 0.012, 0.0)
    """
    return float(f"{x:.1e}")


def _must_be_exact(column: Column, because: Text = "") -> Message:
    return Message(
        "a guess of {column} is right only if it is exactly the true value{because}; for a "
        "tolerance give {option}",
        column=ColumnName(column.name), because=because, option=Option("tolerance"),
    )  # fmt: skip
