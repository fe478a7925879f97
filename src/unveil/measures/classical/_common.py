"""What the classical measures have in common: what they were measured on, and how they say it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms, Secret
from unveil.errors import Text
from unveil.findings import Finding
from unveil.measures._deciding import ALIKE, Deciding
from unveil.measures._one_pass import Looking, one_pass

__all__ = [
    "ClassMeasure",
    "as_pairs",
    "by_value_of",
    "decided_by",
    "in_json",
    "in_words",
    "joined",
    "measured",
    "of_the_counts",
    "shares_of",
    "top_values",
]

F = TypeVar("F", bound=Finding)

_SHOWN_VALUES = 3


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassMeasure(Finding):
    """A measure of the classes of a table.

    Attributes
    ----------
    source : str
        What was measured.
    keys : tuple of str
        The columns whose combinations are the classes.
    sensitive : str or None
        The column whose values were counted in each class.
    records : int
    notes : tuple of str
        What has to be known about the counts.
    deciding : Deciding
        The classes that make the measure what it is.
    """

    source: str
    keys: tuple[str, ...]
    sensitive: str | None
    records: int
    notes: tuple[Text, ...]
    deciding: Deciding

    def head(self, measure: str) -> dict[str, Any]:
        """What every measure says of itself in JSON."""
        return {
            "finding": measure,
            "source": self.source,
            "keys": list(self.keys),
            "sensitive": self.sensitive,
            "records": self.records,
            "notes": [str(note) for note in self.notes],
        }

    def lines(self, first: str, *rest: str) -> str:
        """The lines of a summary, the notes last."""
        return "\n".join([first, *(f"  {line}" for line in (*rest, *map(str, self.notes)))])


def of_the_counts(counts: Contingency) -> dict[str, Any]:
    """The attributes that follow from the counts alone."""
    known = {
        "source": counts.source,
        "keys": counts.keys,
        "sensitive": None if counts.secret is None else counts.secret.name,
        "records": counts.rows,
        "notes": counts.notes,
    }
    assert {*known, "deciding"} == {field.name for field in fields(ClassMeasure)}
    return known


def measured(counts: Contingency, looking: Looking[F]) -> F:
    """Show all classes to one measure."""
    [found] = one_pass(counts, [looking])
    return cast(F, found)


def shares_of(counts: Contingency) -> NDArray[np.float64]:
    """The share of all records that have each value of the secret."""
    return np.asarray(counts.totals / max(1, counts.rows))


def as_pairs(
    counts: Contingency, block: Histograms
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two numbers for each cell that are to each other as its shares of the class and the table.

    They are products of counts, so that equal shares are equal, and no rounding adds up.
    """
    in_class = block.numbers.astype(np.float64) * counts.rows
    in_table = counts.totals[block.codes].astype(np.float64) * block.sizes[block.class_of]
    return in_class, np.asarray(in_table, dtype=np.float64)


def by_value_of(
    secret: Secret, numbers: NDArray[Any], totals: NDArray[np.int64]
) -> dict[str, float]:
    """A number for each value of the secret that somebody has."""
    there = np.flatnonzero(totals)
    return {secret.texts[code]: float(numbers[code]) for code in there.tolist()}


def top_values(by_value: Mapping[str, float]) -> tuple[str, ...]:
    """The values that have the largest number.

    >>> top_values({"flu": 0.5, "aids": 0.75, "none": 0.75})
    ('aids', 'none')
    """
    top = max(by_value.values())
    return tuple(
        value for value, number in by_value.items() if top - number <= ALIKE * max(1.0, abs(top))
    )


def joined(values: Sequence[str]) -> str:
    """Some values for a line of text; what is too long is cut.

    >>> joined(["1", "2", "3", "4", "5"])
    '1, 2, 3 and 2 more'
    """
    more = len(values) - _SHOWN_VALUES
    return ", ".join(values[:_SHOWN_VALUES]) + (f" and {more:,} more" if more > 0 else "")


def decided_by(deciding: Deciding) -> str:
    """Which classes decide, for a line of text."""
    number = deciding.number
    return f"decided by {number:,} {'class' if number == 1 else 'classes'}: {deciding}"


def in_words(number: float) -> str:
    """A number for people.

    >>> in_words(1 / 3), in_words(2.0), in_words(math.inf)
    ('0.3333', '2', 'infinite')
    """
    return "infinite" if math.isinf(number) else f"{number:.4g}"


def in_json(name: str, number: float) -> dict[str, Any]:
    """A number under its name, for JSON, which has no infinite ones.

    >>> in_json("c", 1.5), in_json("c", math.inf)
    ({'c': 1.5}, {'c': None, 'c_is': 'infinite'})
    """
    return {name: None, f"{name}_is": "infinite"} if math.isinf(number) else {name: number}
