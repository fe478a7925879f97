"""One column, as far as a proposal has to know it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.microdata import Column, Distinct, Kind, Role, Wish, distinct_values, encode
from unveil.projects._looking import LookedAt
from unveil.projects._names import Topic, topic_of
from unveil.projects._patterns import MISSING_WORDS, REFUSALS, Pattern

__all__ = ["FEW", "Profile", "profiles_of"]

FEW = 5
"""What fewer people have is not shown, as in reports: a proposal is mailed around."""

_LOOKED_AT = 2_000  # distinct texts that patterns are tried on
_CODES = ("-9", "-99", "-999", "-9999")  # for missing, where nobody else is below 0
_STRAY = 3  # different texts among numbers that may be codes for missing


@dataclass(frozen=True, eq=False, kw_only=True)
class Profile:
    """What is known about a column.

    Attributes
    ----------
    name : str
    distinct : Distinct, optional
        Its values, those that mean missing taken out; None if they cannot be read.
    markers : tuple of str
        Texts that mean missing: known ones, or such that at least five people have.
    stray : int
        Rows with a text among numbers that fewer people have, and that is not shown for that.
    rows : int
    """

    name: str
    distinct: Distinct | None
    rows: int
    markers: tuple[str, ...] = ()
    stray: int = 0

    @cached_property
    def topic(self) -> Topic | None:
        """What its name stands for."""
        return topic_of(self.name)

    @cached_property
    def column(self) -> Column | None:
        """It as it would be read."""
        return None if self.distinct is None else encode(self.distinct, Wish(role=Role.OTHER))

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        if self.distinct is None:
            return np.ones(self.rows, dtype=bool)
        return self.distinct.missing

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each distinct value."""
        if self.distinct is None:
            return np.zeros(0, dtype=np.int64)
        codes = self.distinct.codes
        return np.bincount(codes[codes >= 0], minlength=len(self.distinct.values))

    @property
    def size(self) -> int:
        """How many different values there are."""
        return int((self.counts > 0).sum())

    @property
    def filled(self) -> int:
        """How many rows have a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> float:
        """The share of rows that have no value."""
        return 1 - self.filled / self.rows

    @property
    def alone(self) -> float:
        """The share of rows whose value nobody else has."""
        return int((self.counts == 1).sum()) / max(self.filled, 1)

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.column is not None and self.column.kind is Kind.NUMERIC

    @property
    def is_date(self) -> bool:
        """Whether its values are points in time."""
        return self.distinct is not None and (
            self.is_numeric and self.column is not None and self.column.values.dtype.kind == "M"
        )

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        if not self.is_numeric or self.is_date or self.column is None:
            return False
        values = self.column.values.astype(np.float64)
        values = values[np.isfinite(values)]
        return bool((values == np.floor(values)).all())

    @property
    def is_finite(self) -> bool:
        """Whether no number is infinite."""
        if not self.is_numeric or self.column is None or self.column.values.dtype.kind != "f":
            return True
        return not np.isinf(self.column.values).any()

    @cached_property
    def texts(self) -> tuple[Sequence[str], NDArray[np.int64]]:
        """Some of its texts, evenly from all of them, and how many rows have each."""
        if self.distinct is None:
            return [], self.counts
        step = max(1, -(-len(self.distinct.values) // _LOOKED_AT))
        return self.distinct.texts()[::step], self.counts[::step]

    def fits(self, pattern: Pattern) -> bool:
        """Whether nearly all rows are of a form."""
        texts, counts = self.texts
        fitting = [pattern.fits(text) for text in texts]
        return bool(counts.sum()) and float(counts[fitting].sum()) >= pattern.share * counts.sum()

    def first_fit(self, patterns: Iterable[Pattern]) -> Pattern | None:
        """The first pattern that nearly all rows are of."""
        return next((pattern for pattern in patterns if self.fits(pattern)), None)

    @cached_property
    def refusals(self) -> float:
        """The share of rows in which somebody would not say."""
        texts, counts = self.texts
        refused = [REFUSALS(text) for text in texts]
        return float(counts[refused].sum()) / max(int(counts.sum()), 1)

    @property
    def words(self) -> float:
        """How many words a value has, on average of the different ones."""
        texts, _ = self.texts
        return sum(len(text.split()) for text in texts) / max(len(texts), 1)


def profiles_of(seen: LookedAt) -> list[Profile]:
    """A profile of every column."""
    return [_profile(name, seen) for name in seen.arrays]


def _profile(name: str, seen: LookedAt) -> Profile:
    if name in seen.unreadable:
        return Profile(name=name, distinct=None, rows=seen.rows)
    try:
        raw = distinct_values(
            seen.arrays[name], name=name, source=seen.name, is_text_file=seen.is_text_file
        )
    except InputError:
        return Profile(name=name, distinct=None, rows=seen.rows)
    markers, stray = _markers(raw)
    return Profile(
        name=name, distinct=raw.without(markers), rows=seen.rows, markers=markers, stray=stray
    )


def _markers(column: Distinct) -> tuple[tuple[str, ...], int]:
    """The texts that mean missing, and how many rows have texts that may and are not shown."""
    if not column.is_text or column.is_ordered:
        return (), 0
    texts = list(column.values)
    known = [text for text in texts if text.casefold() in MISSING_WORDS]
    others = column.without(known)
    if column.is_category or not len(others.values):
        return tuple(sorted(known)), 0
    numbers = {text: number for text in others.values if (number := _number(text)) is not None}
    words = [text for text in others.values if text not in numbers]
    if words and len(words) <= _STRAY and len(numbers) > 2 * len(words):
        counts = np.bincount(others.codes[others.codes >= 0], minlength=len(others.values))
        rows = dict(zip(others.values, counts.tolist(), strict=True))
        shown = [word for word in words if rows[word] >= FEW]
        if len(shown) < len(words):
            return tuple(sorted(known)), sum(rows[word] for word in words)
        known += shown
    elif words:
        return tuple(sorted(known)), 0
    below = [text for text, number in numbers.items() if number < 0]
    if len(below) == 1 and below[0] in _CODES and len(numbers) > 2:
        known += below
    return tuple(sorted(known)), 0


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
