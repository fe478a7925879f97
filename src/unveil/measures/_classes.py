"""One pass over the classes of a table, for any number of measures.

A measure looks at the classes block by block and returns a finding after the last block. So all
measures together cost one grouped count, and none needs all classes in memory.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from unveil._text import counted
from unveil.engine.counting import Contingency, Histograms, text_of
from unveil.errors import File, InputError, Option, Text
from unveil.findings import Chart, Figure, Finding, Follows, Value
from unveil.measures._texts import bar_chart
from unveil.microdata import about_suppressed

_ENOUGH = 3  # 3 × 53 bits: what is dropped is below 2⁻¹⁵⁰ of the sum
SHOWN = 5  # deciding classes that are named
_ALIKE = 1e-12  # scores whose relative difference is smaller are equal
F_co = TypeVar("F_co", bound=Finding, covariant=True)


class Looking(Protocol[F_co]):
    """A measure at work, block by block."""

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""

    def finding(self) -> F_co:
        """What was found, once all classes have been looked at."""


def one_pass(counts: Contingency, lookings: Sequence[Looking[Finding]]) -> list[Finding]:
    """Show each class once to all measures; returns their findings in order.

    Suppressed records form no class.
    """
    check_records(counts)
    for block in counts.shown.blocks():
        for looking in lookings:
            looking.look(block)
    return [looking.finding() for looking in lookings]


def measured(counts: Contingency, looking: Looking[F_co]) -> F_co:
    """The finding of one measure."""
    return cast(F_co, one_pass(counts, [looking])[0])


def check_records(counts: Contingency, name: str | None = None) -> None:
    """Refuse a table without records; by default it is called by its source."""
    if counts.rows == 0:
        table = File(counts.source, bare=True) if name is None else File(name)
        raise InputError("{table} has no records: there is nothing to measure", table=table)


def check_apart(counts: Contingency, measure: str) -> None:
    """Refuse classes that overlap, for a measure that needs each record in one class."""
    if counts.overlapping:
        raise InputError(
            "{measure} needs classes that do not overlap, and in {source} a cell that matches "
            "everything is in many: leave out {wildcard}",
            measure=measure, source=File(counts.source, bare=True), wildcard=Option("wildcard"),
        )  # fmt: skip


class ExactSum:
    """A sum that does not depend on the order of the numbers, up to the last bit.

    >>> total = ExactSum()
    >>> for part in ([1e16, 1.0], [-1e16]):
    ...     total.add(np.array(part))
    >>> total.value
    1.0
    """

    def __init__(self) -> None:
        self._partial: list[float] = []

    def add(self, numbers: NDArray[np.float64]) -> None:
        rest = [*self._partial, *numbers.tolist()]
        self._partial = []
        # What rounding took away from the sum is again a sum, and soon nothing is left.
        while len(self._partial) < _ENOUGH and (total := math.fsum(rest)) != 0.0:
            self._partial.append(total)
            rest.append(-total)

    @property
    def value(self) -> float:
        return math.fsum(self._partial)


def plog2p(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """p · log₂ p, which is 0 at 0."""
    positive = np.where(shares > 0, shares, 1.0)
    return np.asarray(shares * np.log2(positive))


def entropy(counts: NDArray[np.int64]) -> float:
    """Shannon's entropy of a histogram, in bits.

    >>> entropy(np.array([2, 1, 1, 0]))
    1.5
    """
    return max(0.0, -math.fsum(plog2p(counts / counts.sum()).tolist()))


@dataclass(frozen=True, kw_only=True)
class DecidingClass:
    """One class that decides a measure.

    Attributes
    ----------
    keys : dict of str to str
        The cells it publishes.
    records : int
    counts : dict of str to int
        How many of its records have each sensitive value that occurs in it.
    unit : {"record", "person"}
        What these numbers are of.
    """

    keys: dict[str, str]
    records: int
    counts: dict[str, int]
    unit: str = "record"

    def __str__(self) -> str:
        cells = ", ".join(f"{name}={text}" for name, text in self.keys.items())
        return f"{cells} ({self._size})"

    @property
    def _size(self) -> str:
        return counted(self.records, self.unit)

    def to_dict(self) -> dict[str, Any]:
        """The class as plain values, for JSON."""
        found = asdict(self)
        if found.pop("unit") == "person":
            return {"keys": found.pop("keys"), "people": found.pop("records"), **found}
        return found


@dataclass(frozen=True, kw_only=True)
class Deciding:
    """The classes that decide a measure.

    Attributes
    ----------
    number : int
        How many there are.
    classes : tuple of DecidingClass
        Some of them, at most five.
    """

    number: int
    classes: tuple[DecidingClass, ...]

    def __str__(self) -> str:
        if self.number == 0:
            return "no class"
        named = "; ".join(str(one) for one in self.classes[:3])
        more = self.number - min(3, len(self.classes))
        return named + (f"; and {more:,} more" if more else "")

    def content(self, *, records: bool) -> dict[str, Any]:
        """As plain values for JSON; classes may be single people, so only if asked for."""
        named = {"classes": [one.to_dict() for one in self.classes]} if records else {}
        return {"number": self.number, **named}


class Extreme:
    """Looks for the largest (or least) score, and the classes that have it."""

    def __init__(self, counts: Contingency, *, least: bool = False) -> None:
        self._counts = counts
        self._sign = -1.0 if least else 1.0
        self._best = -np.inf
        self._number = 0
        self._found: list[tuple[Any, int]] = []

    def look(self, block: Any, scores: NDArray[Any]) -> None:
        """Take the scores of a block's classes into account."""
        if len(scores) == 0:
            return
        scores = self._sign * np.asarray(scores, dtype=np.float64)
        best = float(scores.max())
        if not self._alike(best, self._best):
            if best < self._best:
                return
            self._best, self._number, self._found = best, 0, []
        same = np.flatnonzero(self._alike(scores, self._best))
        self._number += int(block.weights[same].sum())
        room = SHOWN - len(self._found)
        self._found += [(block, int(g)) for g in same[:room]]

    @staticmethod
    def _alike(a: Any, b: float) -> Any:
        if not np.isfinite(b):
            return a == b
        return np.abs(a - b) <= _ALIKE * max(1.0, abs(b))

    @property
    def score(self) -> float:
        """The largest (or least) score."""
        return float(self._sign * self._best)

    def deciding(self) -> Deciding:
        """The classes that have it."""
        return Deciding(
            number=self._number,
            classes=tuple(self._described(block, g) for block, g in self._found),
        )

    def _described(self, block: Any, g: int) -> DecidingClass:
        """One class of a block, for people."""
        secret = self._counts.secret
        part = slice(block.start[g], block.start[g + 1])
        held = zip(block.codes[part].tolist(), block.told[part].tolist(), strict=True)
        return DecidingClass(
            keys=self._keys(block, g),
            records=int(block.sizes[g]),
            counts={} if secret is None else {secret.texts[code]: n for code, n in held},
            unit=self._counts.unit,
        )

    def _keys(self, block: Any, g: int) -> dict[str, str]:
        """The cells that a class publishes."""
        return dict(zip(self._counts.keys, map(text_of, block.key_of(g)), strict=True))


class ClassSizes(Counter[int]):
    """How many classes have each size, gathered block by block.

    A table of n records has fewer than √(2n) different sizes, so this stays small.

    >>> found = ClassSizes()
    >>> found.look(np.array([1, 3, 1]), np.array([10, 1, 5]))
    >>> found.by_size
    {1: 15, 3: 1}
    >>> found.records, found.classes, found.alone
    (18, 16, 15)
    """

    def look(self, sizes: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        """Take some classes into account; ``weights`` says how many there are of each."""
        values, place = np.unique(sizes, return_inverse=True)
        numbers = np.zeros(len(values), dtype=np.int64)
        np.add.at(numbers, place.ravel(), weights)
        self.update(dict(zip(values.tolist(), numbers.tolist(), strict=True)))

    @property
    def by_size(self) -> dict[int, int]:
        """How many classes have each size; sizes ascend."""
        return dict(sorted(self.items()))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The sizes that occur, ascending."""
        return np.array(list(self.by_size), dtype=np.int64)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """How many classes have each of them."""
        return np.array(list(self.by_size.values()), dtype=np.int64)

    @property
    def records(self) -> int:
        """Records in all classes."""
        return sum(size * number for size, number in self.items())

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.total()

    @property
    def smallest(self) -> int:
        """Records in the smallest class."""
        return min(self)

    @property
    def alone(self) -> int:
        """Classes of one record."""
        return self[1]

    def in_classes_up_to(self, size: int) -> int:
        """Records in classes of at most this size."""
        return sum(one * number for one, number in self.items() if one <= size)


class SizeLooking:
    """Counts the classes of each size, and looks for the smallest (or the largest)."""

    apart: ClassVar[str] = ""
    """What the measure is called, if it needs each record in one class."""

    def __init__(self, counts: Contingency, *, least: bool = True) -> None:
        if self.apart:
            check_apart(counts, self.apart)
        self._counts = counts
        self._sizes = ClassSizes()
        self._extreme = Extreme(counts, least=least)

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""
        self._sizes.look(block.sizes, block.weights)
        self._extreme.look(block, block.sizes)

    def _measured(self) -> dict[str, Any]:
        """The attributes of every `CountMeasure`."""
        return {**_of_the_counts(self._counts), "deciding": self._extreme.deciding()}


class SecretLooking:
    """Looks for the class with the largest (or least) score, and what each sensitive value has."""

    measure: ClassVar[str]
    """What the measure is called where there is no sensitive column."""

    def __init__(self, counts: Contingency, *, least: bool = False) -> None:
        self._counts, self._secret = counts, counts.need_secret(self.measure)
        self._by_value = np.zeros(len(self._secret.values))
        self._extreme = Extreme(counts, least=least)

    def _look_for_largest(self, block: Histograms, numbers: NDArray[np.float64]) -> None:
        """Take a number of each value of each class into account."""
        np.maximum.at(self._by_value, block.codes, numbers)
        self._extreme.look(block, block.largest(numbers))

    def _named(self, numbers: NDArray[Any]) -> dict[str, Any]:
        """A number for each sensitive value that somebody has."""
        there = np.flatnonzero(self._counts.totals).tolist()
        return {self._secret.texts[code]: numbers[code].item() for code in there}

    def _measured(self) -> dict[str, Any]:
        """The attributes of every `ClassMeasure`."""
        return {
            **_of_the_counts(self._counts),
            "sensitive": self._secret.name,
            "deciding": self._extreme.deciding(),
        }


class Measure(Finding):
    """A finding that declares which of its attributes are figures, and which go into JSON."""

    follows_from: ClassVar[Follows] = Follows.RELEASE
    numbers: ClassVar[Mapping[Figure, str]] = {}
    said: ClassVar[str] = ""
    """The attributes in JSON besides those of every measure of its kind."""

    @property
    def figures(self) -> tuple[Value, ...]:
        return tuple(figure.of(getattr(self, name)) for figure, name in self.numbers.items())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountMeasure(Measure):
    """A measure of the sizes of classes.

    Attributes
    ----------
    source : str
        What was measured.
    keys : tuple of str
        The columns whose combinations are the classes.
    records : int
    suppressed : int
        Number of records that are suppressed, and form no class.
    notes : tuple of str or Message
    deciding : Deciding
        The classes that decide the measure.
    unit : {"record", "person"}
        What is counted: people, where a person may have several rows.
    """

    source: str
    keys: tuple[str, ...]
    records: int
    unit: str = "record"
    suppressed: int = 0
    notes: tuple[Text, ...] = ()
    deciding: Deciding

    @property
    def in_classes(self) -> int:
        """Number of records that are not suppressed."""
        return self.records - self.suppressed

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            **self.attributes(f"source keys {self.said}"),
            f"{self.unit}_count": self.records,
            "suppressed": self.suppressed,
            **self._decided(records=False),
        }

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return self._decided(records=True)

    def _decided(self, *, records: bool) -> dict[str, Any]:
        """All classes that decide something, in JSON."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: one.content(records=records)
            for name, one in found.items() if isinstance(one, Deciding)
        }  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassMeasure(CountMeasure):
    """A measure of the sensitive values in classes.

    Attributes
    ----------
    sensitive : str or None
        The column whose values were counted in each class.
    """

    sensitive: str | None

    @property
    def facts(self) -> Mapping[str, Any]:
        return {**super().facts, "sensitive": self.sensitive}

    @property
    def decided_by(self) -> str:
        """Which classes decide, for a line of text."""
        return f"decided by {counted(self.deciding.number, 'class')}: {self.deciding}"

    def value_chart(
        self, result: str, kinds: Mapping[str, Mapping[str, float]], *, label: str,
        share: bool = False,
    ) -> Chart:  # fmt: skip
        """Bars of each sensitive value; those with the highest first kind come first."""
        first = next(iter(kinds.values()))
        ranked = sorted(first, key=lambda value: -first[value])
        return bar_chart(
            f"{self.sensitive} in {self.source}: {result}",
            ranked,
            {kind: [numbers[value] for value in ranked] for kind, numbers in kinds.items()},
            label=label, share=share,
        )  # fmt: skip


def _of_the_counts(counts: Contingency) -> dict[str, Any]:
    """The attributes of a `CountMeasure` that follow from the counts alone."""
    # Not the records of all classes: where these overlap, a record is in several.
    return {
        "source": counts.source, "keys": counts.keys, "records": counts.rows,
        "suppressed": counts.suppressed, "notes": notes_of(counts), "unit": counts.unit,
    }  # fmt: skip


def notes_of(counts: Contingency) -> tuple[Text, ...]:
    """The notes of the counts; they say how many records are suppressed."""
    gone = about_suppressed(counts.suppressed, counts.records)
    return tuple(dict.fromkeys((*counts.notes, *gone)))


def shares_of(counts: Contingency) -> NDArray[np.float64]:
    """The share of all records that have each value of the secret."""
    return np.asarray(counts.totals / max(1, counts.rows))


def top_values(by_value: Mapping[str, float]) -> tuple[str, ...]:
    """The values that have the largest number.

    >>> top_values({"flu": 0.5, "aids": 0.75, "none": 0.75})
    ('aids', 'none')
    """
    top = max(by_value.values())
    return tuple(
        value for value, number in by_value.items() if top - number <= _ALIKE * max(1.0, abs(top))
    )
