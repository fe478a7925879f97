"""Counts of (class, sensitive value): the histograms of classes, and where they come from.

A *class* is a combination of values of the *keys* that occurs in the table. Every measure is a
function of the classes' histograms. Measures ask for these a block at a time
(`Contingency.blocks`), for the counts over fewer keys (`over`), and for one class by its values
(`where`). The numbers are the same whether counts are in memory or an engine is asked for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, Column, InputError, Listed, Option, Text, did_you_mean
from unveil.microdata import MISSING, AnyRelease, Hierarchy, value_text

Counts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Histograms:
    """Some classes, and the histogram of sensitive values in each, as a sparse table.

    Attributes
    ----------
    start : array (classes + 1,)
        The cells of class g are those from ``start[g]`` to ``start[g + 1]``, at least one.
    codes : array (cells,)
        Code of the sensitive value; codes ascend within a class.
    numbers : array (cells,)
        Number of records of the class that have the value, at least one.
    weights : array (classes,)
        Number of classes with exactly this histogram. Where there are more classes than fit in
        memory, an engine counts equal histograms, and every measure is still exact.
    key_of : function
        The values of the keys of class g, or of one of the classes with the same histogram.
    """

    start: Counts
    codes: Counts
    numbers: Counts
    weights: Counts
    key_of: Callable[[int], tuple[object, ...]]

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def sizes(self) -> Counts:
        """Records in each class."""
        return self.add_up(self.numbers)

    @cached_property
    def distinct(self) -> Counts:
        """Number of sensitive values in each class."""
        return np.diff(self.start)

    @cached_property
    def class_of(self) -> Counts:
        """The class of each cell."""
        return np.repeat(np.arange(len(self)), self.distinct)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """For each cell, the share of its class's records that have the value."""
        return self.numbers / self.sizes[self.class_of]

    @property
    def told(self) -> Counts:
        """What is told of each cell: how many records of the class have the value."""
        return self.numbers

    def share_of(self, rows: int) -> NDArray[np.float64]:
        """The share of each class, of so many records."""
        return self.sizes / rows

    def number_in(self, classes: NDArray[np.bool_]) -> int:
        """Number of records in some classes."""
        return int((self.weights * self.sizes)[classes].sum())

    def add_up(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Sum the cells of each class."""
        return np.add.reduceat(cells, self.start[:-1]) if len(self) else cells[:0]

    def largest(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Maximum over the cells of each class."""
        return np.maximum.reduceat(cells, self.start[:-1]) if len(self) else cells[:0]

    def dense(self, g: int, values: int) -> Counts:
        """The histogram of class g over all sensitive values, zeros included."""
        row = np.zeros(values, dtype=np.int64)
        part = slice(self.start[g], self.start[g + 1])
        row[self.codes[part]] = self.numbers[part]
        return row

    def merged(self, groups: Counts) -> Histograms:
        """The same classes, with each sensitive value replaced by its group."""
        return sparse(self.class_of, groups[self.codes], self.numbers, self.weights, self.key_of)


def sparse(
    class_of: Counts,
    codes: Counts,
    numbers: Counts,
    weights: Counts,
    key_of: Callable[[int], tuple[object, ...]],
) -> Histograms:
    """Histograms from (class, value, number) in any order; equal cells are added up."""
    width = int(codes.max()) + 1 if len(codes) else 1
    cells, place = np.unique(class_of * width + codes, return_inverse=True)
    totals = np.zeros(len(cells), dtype=np.int64)
    np.add.at(totals, place, numbers)
    start = np.searchsorted(cells // width, np.arange(len(weights) + 1))
    return Histograms(
        start=start.astype(np.int64), codes=cells % width, numbers=totals, weights=weights,
        key_of=key_of,
    )  # fmt: skip


def text_of(value: object) -> str:
    """Write a value of a table as a person would. A missing value is a value like any other.

    >>> from decimal import Decimal
    >>> text_of(20.0), text_of("France"), text_of(None), text_of(Decimal("1.50"))
    ('20', 'France', '(missing)', '1.5')
    """
    if isinstance(value, Decimal):  # the number of trailing zeros depends on the engine
        text = f"{value:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    return MISSING if value is None else value_text(value)


def gaps_note(gaps: Mapping[str, int], secret: Secret | None, totals: Counts) -> tuple[str, ...]:
    """A note on how many records lack a key or the secret, if any do."""
    lacking = {name: number for name, number in gaps.items() if number}
    if secret is not None and None in secret.values:
        lacking[secret.name] = int(totals[secret.values.index(None)])
    if not lacking:
        return ()
    listed = ", ".join(f"{name} in {number:,}" for name, number in lacking.items())
    return (f"missing is a value of its own; records lack {listed}",)


@dataclass(frozen=True, eq=False, kw_only=True)
class Secret:
    """The attribute whose values are counted in each class.

    Attributes
    ----------
    name : str
    values : tuple
        Numbers ascending, levels in their order, texts sorted; a missing value (None) is last.
    ordered : bool
        Whether the order of the values has a meaning.
    hierarchy : Hierarchy, optional
        Its leaves include the texts of the values, in any order.
    """

    name: str
    values: tuple[object, ...]
    ordered: bool = False
    hierarchy: Hierarchy | None = None

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The values as texts."""
        return tuple(text_of(value) for value in self.values)

    @cached_property
    def places(self) -> dict[str, int]:
        """The code of each value, by its text."""
        return {text: code for code, text in enumerate(self.texts)}


class Contingency(ABC):
    """Number of records with each combination of keys and each value of the secret.

    Attributes
    ----------
    keys : tuple of str
        The columns whose combinations are the classes.
    secret : Secret or None
        What is counted in each class; None if only the classes are counted.
    source : str
        What was counted, for messages.
    notes : tuple of str
        What a reader has to know, such as how missing values were treated.
    overlapping : bool
        Whether a record may belong to several classes. It does only if a wildcard matches every
        value.
    made_from : Release, optional
        The release that was counted, which also knows what was suppressed.
    unit : {"record", "person"}
        What is counted.
    """

    keys: tuple[str, ...]
    secret: Secret | None
    source: str
    notes: tuple[Text, ...]
    overlapping: bool = False
    made_from: AnyRelease | None = None
    unit: str = "record"

    @property
    @abstractmethod
    def totals(self) -> Counts:
        """Number of records of each value of the secret; without a secret, of all records."""

    @abstractmethod
    def blocks(self) -> Iterator[Histograms]:
        """The histograms of all classes, each once, a block at a time."""

    @abstractmethod
    def over(self, keys: Sequence[str]) -> Contingency:
        """The same counts over some of the keys."""

    @abstractmethod
    def where(self, values: Mapping[str, object]) -> Counts:
        """Number of records with these values of (some of) the keys, by value of the secret."""

    @property
    def rows(self) -> int:
        """Number of records that were counted; of people, where these are counted."""
        return int(self.totals.sum())

    @property
    def records(self) -> int:
        """Number of records, where people are counted, too."""
        return self.rows

    @property
    def suppressed(self) -> int:
        """Number of suppressed records, which form no class (`unveil.microdata.silence`)."""
        return 0

    @property
    def hidden(self) -> int:
        """The same; or all records, if all cells of all of them are suppressed."""
        return self.suppressed

    @property
    def shown(self) -> Contingency:
        """The counts without suppressed records; the codes of the secret stay."""
        return self

    @property
    def gone(self) -> tuple[float, Counts]:
        """The share of suppressed records, and how many of them have each value of the secret."""
        return self.suppressed / self.rows, self.totals - self.shown.totals

    def in_memory(self) -> Contingency:
        """The same counts, fetched as a whole if they fit in memory."""
        return self

    def __repr__(self) -> str:
        about = "" if self.secret is None else f", by value of {self.secret.name}"
        return f"Counts of {self.source}: {self.rows:,} records by {', '.join(self.keys)}{about}"

    def merged(self, groups: Counts, secret: Secret) -> Contingency:
        """The same counts with the secret's values merged into groups."""
        return _Merged(self, groups, secret)

    def need_secret(self, measure: str) -> Secret:
        """The secret, for a measure that needs one."""
        if self.secret is None:
            raise InputError(
                "{measure} needs a sensitive column: name it with {option}",
                measure=measure, option=Option("sensitive"),
            )  # fmt: skip
        return self.secret

    def check_keys(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Check that all keys were counted and none is named twice."""
        asked = (keys,) if isinstance(keys, str) else tuple(keys)
        if not asked:
            raise InputError("name at least one key; there are {keys}", keys=Listed(self.keys))
        for i, key in enumerate(asked):
            if key not in self.keys:
                raise InputError(
                    "{key} is not among the keys that were counted{near} (keys: {keys})",
                    key=Cell(key), near=did_you_mean(str(key), self.keys), keys=Listed(self.keys),
                )  # fmt: skip
            if key in asked[:i]:
                raise InputError("the key {key} is named twice", key=Column(key))
        return asked


class _Merged(Contingency):
    def __init__(self, inner: Contingency, groups: Counts, secret: Secret) -> None:
        self.keys, self.source, self.notes = inner.keys, inner.source, inner.notes
        self.overlapping, self.unit = inner.overlapping, inner.unit
        self.secret = secret
        self._inner, self._groups = inner, groups

    def _together(self, counts: Counts) -> Counts:
        assert self.secret is not None
        together = np.zeros(len(self.secret.values), dtype=np.int64)
        np.add.at(together, self._groups, counts)
        return together

    @cached_property
    def totals(self) -> Counts:
        return self._together(self._inner.totals)

    @property
    def rows(self) -> int:
        return self._inner.rows

    @property
    def records(self) -> int:
        return self._inner.records

    @property
    def gone(self) -> tuple[float, Counts]:
        share, counts = self._inner.gone
        return share, self._together(counts)

    def blocks(self) -> Iterator[Histograms]:
        return (block.merged(self._groups) for block in self._inner.blocks())

    def in_memory(self) -> Contingency:
        assert self.secret is not None
        return _Merged(self._inner.in_memory(), self._groups, self.secret)

    def over(self, keys: Sequence[str]) -> Contingency:
        assert self.secret is not None
        return _Merged(self._inner.over(keys), self._groups, self.secret)

    @property
    def suppressed(self) -> int:
        return self._inner.suppressed

    @property
    def hidden(self) -> int:
        return self._inner.hidden

    @property
    def shown(self) -> Contingency:
        assert self.secret is not None
        return _Merged(self._inner.shown, self._groups, self.secret)

    def where(self, values: Mapping[str, object]) -> Counts:
        return self._together(self._inner.where(values))
