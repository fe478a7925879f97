"""The discrimination rate and the semantic discrimination rate.

L. Sondeck, M. Laurent and V. Frey, *Discrimination rate: an attribute-centric metric to measure
privacy*, Annals of Telecommunications 72, 2017, and *The Semantic Discrimination Rate Metric for
Privacy Measurements which Questions the Benefit of t-closeness over l-diversity*, SECRYPT 2017.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import counted
from unveil.engine.counting import Contingency, Histograms, text_of
from unveil.errors import Cell, File, InputError, Option, Text
from unveil.findings import Story, Value
from unveil.measures._classes import Deciding, Extreme, entropy, measured
from unveil.measures._counted import Counting
from unveil.measures._declared import DISCRIMINATION
from unveil.measures._texts import bar_chart, keys_text, rate_text
from unveil.measures.discrimination._common import (
    ConditionalEntropy,
    Keys,
    RateFinding,
    asked,
    discrimination,
)
from unveil.options import by_person

KEPT = 300  # combinations of values that are kept
_DIGITS = 12  # rates that agree to this many digits are equal


@dataclass(frozen=True, kw_only=True)
class ValueRate:
    """What one combination of values of the keys says.

    Attributes
    ----------
    values : dict of str to str
        The value of each key.
    records : int
        Number of records that have them; of people, where ``unit`` says so.
    entropy : float
        H(X|y): what remains unknown, in bits.
    rate : float or None
        1 − p(y) H(X|y) / H(X). None where H(X) = 0.
    alike : int
        Number of combinations with exactly this histogram, this one included. An engine counts
        equal histograms together and names only one combination.
    """

    values: dict[str, str]
    records: int
    entropy: float
    rate: float | None
    alike: int = 1
    unit: str = "record"

    def __str__(self) -> str:
        values = ", ".join(f"{name}={text}" for name, text in self.values.items())
        return f"{values} ({counted(self.records, self.unit)})"


class _Telling:
    """Keeps the combinations with the highest rates; of equal rates, those with more records."""

    def __init__(self, counts: Contingency, most: int) -> None:
        self._keys, self._unit, self._most = counts.keys, counts.unit, most
        self.kept: list[ValueRate] = []

    def look(
        self, block: Histograms, entropies: NDArray[np.float64], rates: NDArray[np.float64]
    ) -> None:
        order = -np.round(rates, _DIGITS)
        best = np.lexsort([-block.sizes, order])[: self._most]
        if len(self.kept) == self._most:
            # Naming a class may be work for an engine, so only those that are kept are named.
            rate, records = _order(self.kept[-1])[:2]
            ahead = (order[best] < rate) | ((order[best] == rate) & (-block.sizes[best] < records))
            best = best[ahead]
        for g in best.tolist():
            named = zip(self._keys, map(text_of, block.key_of(g)), strict=True)
            self.kept.append(
                ValueRate(
                    values=dict(named), records=int(block.sizes[g]), entropy=float(entropies[g]),
                    rate=float(rates[g]), alike=int(block.weights[g]), unit=self._unit,
                )
            )  # fmt: skip
        self.kept = sorted(self.kept, key=_order)[: self._most]


def _order(one: ValueRate) -> tuple[float, int, tuple[str, ...]]:
    assert one.rate is not None
    return -float(np.round(one.rate, _DIGITS)), -one.records, tuple(one.values.values())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DiscriminationRate(RateFinding):
    """How much the keys Y say of an attribute X: 1 − H(X|Y) / H(X).

    Attributes
    ----------
    rate : float or None
        From 0, the keys say nothing, to 1, they determine X. None if undefined.
    left : float
        H(X|Y), what the keys leave unknown of H(X), in bits.
    by : tuple of str
        Y.
    by_value : tuple of ValueRate
        Combinations of values of the keys, the highest rate first, at most 300.
    combinations : int
        Number of combinations.
    determined : int
        Number of records whose keys determine X; of people, one of whose rows does.
    deciding : Deciding
        The combinations with the highest rate.
    """

    entry: ClassVar[str] = "discrimination rate"

    rate: float | None
    left: float
    by: tuple[str, ...]
    by_value: tuple[ValueRate, ...]
    combinations: int
    determined: int
    deciding: Deciding

    @property
    def unlisted(self) -> int:
        """Number of combinations that are not in ``by_value``."""
        if self.rate is None:
            return 0
        return self.combinations - sum(one.alike for one in self.by_value)

    @property
    def combined(self) -> bool:
        """Whether there are several keys."""
        return len(self.by) > 1

    @property
    def resistance(self) -> float | None:
        """1 − rate."""
        return None if self.rate is None else 1.0 - self.rate

    def to_frame(self) -> pd.DataFrame:
        """One row per combination of values of the keys, the highest rate first."""
        table: dict[str, list[Any]] = {
            name: [one.values[name] for one in self.by_value] for name in self.by
        }
        for word in ("rate", "records", "entropy", "alike"):
            # A key may have one of these names.
            free = f"{word} of the values" if word in table else word
            table[free] = [getattr(one, word) for one in self.by_value]
        return pd.DataFrame(table)

    @property
    def figures(self) -> tuple[Value, ...]:
        return (DISCRIMINATION.of(self.rate),)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            **super().facts,
            **self.attributes("by rate resistance left combinations unlisted determined"),
            "deciding": self.deciding.content(records=False),
        }

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {"deciding": self.deciding.content(records=True), "by_value": self.by_value}

    def story(self, release: Text | None = None) -> Story:
        keys, rate = keys_text(self.by), self.undefined or rate_text(self.rate)
        kind = ("combined" if self.combined else "simple") + (
            f", semantic with {len(self.partition.names)} categories" if self.partition else ""
        )
        title = f"Discrimination rate of {self.of} by {keys}, in {self.source}: {rate} ({kind})"
        if self.rate is None:
            return Story(title=title)
        category = "the category of " if self.partition else ""
        there = self.records - self.suppressed
        gone = f"; {self.suppressed:,} more are suppressed" if self.suppressed else ""
        if self.unit == "person":
            there = self.records
            gone = f"; {counted(self.suppressed, 'row')} suppressed" if self.suppressed else ""
        about = [
            f"of {self.entropy:.3f} bits, knowing {keys} leaves {self.left:.3f} open",
            f"{counted(there, self.unit)} with {self.combinations:,} "
            f"{'combinations of values' if self.combined else 'values'}, which determine "
            f"{category}{self.of} for {self.determined:,} of them{gone}",
            f"tells most, {rate_text(self.by_value[0].rate)}: {self.deciding}",
        ]
        if self.unlisted:
            about.append(
                f"only the most telling are listed by value; {self.unlisted:,} combinations are not"
            )
        names = [f"everybody ({counted(self.records, self.unit)})", *map(str, self.by_value)]
        bits = [self.entropy, *(one.entropy for one in self.by_value)]
        return Story(
            title=title,
            about=about,
            charts=[
                bar_chart(
                    f"What {keys} says of {self.of}: {rate_text(self.rate)}",
                    names, {"bits": bits}, label=f"bits of {self.of} that are open",
                )
            ],
        )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ValueDiscrimination(RateFinding):
    """How much one combination of values says of X: 1 − p(y) H(X|y) / H(X).

    Attributes
    ----------
    rate : float or None
    value : ValueRate
        The combination: its values, records and entropy.
    """

    entry: ClassVar[str] = "discrimination rate of a value"

    value: ValueRate

    @property
    def rate(self) -> float | None:
        """The rate, or None if undefined."""
        return self.value.rate

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        one = self.value
        return pd.DataFrame(
            [{**one.values, "rate": one.rate, "records": one.records, "entropy": one.entropy}]
        )

    @property
    def figures(self) -> tuple[Value, ...]:
        return (DISCRIMINATION.of(self.rate),)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {**super().facts, "by": list(self.value.values), "rate": self.rate}

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {"value": self.value}

    def story(self, release: Text | None = None) -> Story:
        title = (
            f"Discrimination rate of {self.of} by {self.value}, in {self.source}: "
            f"{self.undefined or rate_text(self.rate)}"
        )
        if self.rate is None:
            return Story(title=title)
        return Story(
            title=title,
            about=[
                f"{self.value.records:,} of {counted(self.records, self.unit)}; "
                f"of {self.entropy:.3f} bits, "
                f"{self.value.entropy:.3f} are left open about them"
            ],
            charts=[
                bar_chart(
                    f"What is open of {self.of}: rate {rate_text(self.rate)}",
                    ["everybody", str(self.value)],
                    {"bits": [self.entropy, self.value.entropy]}, label="bits that are open",
                )
            ],
        )  # fmt: skip


class DiscriminationLooking:
    """The discrimination rate, or with a partition the semantic one, block by block.

    At most ``listed`` combinations of values are listed.
    """

    def __init__(self, counts: Contingency, *, partition: Any = None, listed: int = KEPT) -> None:
        self._entropy = ConditionalEntropy(counts, partition)
        self._telling = _Telling(counts, listed)
        self._most = Extreme(self._entropy.counts)
        self._combinations = 0
        self._determined = 0

    def look(self, block: Histograms) -> None:
        block, entropies = self._entropy.look(block)
        self._combinations += int(block.weights.sum())
        self._determined += block.number_in(block.distinct == 1)
        if self._entropy.whole > 0:
            shares = block.share_of(self._entropy.rows)
            rates = np.clip(1.0 - shares * entropies / self._entropy.whole, 0.0, 1.0)
            self._telling.look(block, entropies, rates)
            self._most.look(block, rates)

    def finding(self) -> DiscriminationRate:
        return DiscriminationRate(
            **self._entropy.about,
            rate=self._entropy.rate,
            left=self._entropy.left,
            by=self._entropy.counts.keys,
            by_value=tuple(self._telling.kept),
            combinations=self._combinations,
            determined=self._determined,
            deciding=self._most.deciding(),
        )


@overload
def discrimination_rate(
    table: Any,
    *,
    of: str | None = None,
    by: Keys = None,
    partition: Any = None,
    value: None = None,
    **counting: Unpack[Counting],
) -> DiscriminationRate: ...


@overload
def discrimination_rate(
    table: Any,
    *,
    of: str | None = None,
    by: None = None,
    partition: Any = None,
    value: Mapping[str, object],
    **counting: Unpack[Counting],
) -> ValueDiscrimination: ...


@by_person
def discrimination_rate(
    table: Any,
    *,
    of: str | None = None,
    by: Keys = None,
    partition: Any = None,
    value: Mapping[str, object] | None = None,
    **counting: Unpack[Counting],
) -> DiscriminationRate | ValueDiscrimination:
    """Discrimination rate: how much the keys Y say of an attribute X, 1 − H(X|Y) / H(X).

    Parameters
    ----------
    table : Release, Microdata, table, path, Ibis table or counts
        See `count`.
    of : str, optional
        X, what the attacker wants to know: any column. Default: the sensitive column.
    by : str or sequence of str, optional
        Y, what the attacker knows. Default: all keys together.
    partition : optional
        The categories of X, if the attacker wants only the category: lists of values, a mapping,
        bands of numbers, a `HierarchyLevel` or a text; see `Partition.of`. This gives the
        semantic discrimination rate.
    value : mapping of str to value, optional
        The rate of one combination of values of the keys instead: 1 − p(y) H(X|y) / H(X).
    **counting
        See `count`.

    Returns
    -------
    DiscriminationRate or ValueDiscrimination
        Its ``rate`` is None where all records have the same X: there is nothing to tell.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": ["2*", "2*", "3*", "3*", "4*", "4*"],
    ...      "disease": ["flu", "flu", "flu", "aids", "none", "aids"]},
    ...     quasi="age", sensitive="disease")
    >>> uv.discrimination_rate(patients)
    Discrimination rate of disease by age, in table: 0.543 (simple)
      of 1.459 bits, knowing age leaves 0.667 open
      6 records with 3 values, which determine disease for 2 of them
      tells most, 1.000: age=2* (2 records)
    >>> uv.discrimination_rate(patients, partition={"sick": ["flu", "aids"], "well": ["none"]}).rate
    0.487...
    >>> uv.discrimination_rate(patients, value={"age": "3*"}).rate
    0.771...
    """
    if value is None:
        return rate_by(asked(table, of, by, counting), partition)
    if by is not None:
        raise InputError(
            "give {by} or {value}, not both: a value names its keys",
            by=Option("by"), value=Option("value"),
        )  # fmt: skip
    if not isinstance(value, Mapping) or not value:
        raise InputError(
            "{option} must map keys to values, such as {example}, but got {given}",
            option=Option("value"), example="{'age': '2*'}", given=Cell(value),
        )  # fmt: skip
    # Counts need not be counted again over fewer keys.
    keys = None if isinstance(table, Contingency) else tuple(value)
    return _of_value(asked(table, of, keys, counting), value, partition)


def rate_by(counts: Contingency, partition: Any = None) -> DiscriminationRate:
    """The rate of what was counted, by its keys."""
    return measured(counts, DiscriminationLooking(counts, partition=partition))


def _of_value(
    counts: Contingency, value: Mapping[str, object], partition: Any
) -> ValueDiscrimination:
    found = ConditionalEntropy(counts, partition)
    inside = found.counts.where(value)
    texts = {name: text_of(one) for name, one in value.items()}
    if not inside.any():
        cells = ", ".join(f"{name}={text}" for name, text in texts.items())
        raise InputError(
            "nobody in {source} has {cells}: there is no rate",
            source=File(counts.source, bare=True), cells=Cell(cells, bare=True),
        )  # fmt: skip
    records, left = int(inside.sum()), entropy(inside)
    rate = discrimination(records / found.rows * left, found.whole)
    return ValueDiscrimination(
        **found.about, value=ValueRate(values=texts, records=records, entropy=left, rate=rate)
    )
