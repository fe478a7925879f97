"""The discrimination rate and the semantic discrimination rate.

L. Sondeck, M. Laurent and V. Frey, *Discrimination rate: an attribute-centric metric to measure
privacy*, Annals of Telecommunications 72, 2017, and *The Semantic Discrimination Rate Metric for
Privacy Measurements which Questions the Benefit of t-closeness over l-diversity*, SECRYPT 2017.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from unveil._axes import written
from unveil._bars import Bars, bars, most
from unveil.engine.counting import Contingency, Histograms, text_of
from unveil.errors import InputError
from unveil.findings import Finding
from unveil.measures._classes import Deciding, Extreme, entropy, one_pass
from unveil.measures._counted import Counting
from unveil.measures._partitions import Partition
from unveil.measures._texts import keys_text, rate_text
from unveil.measures.discrimination._common import (
    ConditionalEntropy,
    Keys,
    asked,
    check_apart,
    discrimination,
    refuse_undefined,
    why_undefined,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "KEPT", "DiscriminationLooking", "DiscriminationRate", "ValueDiscrimination", "ValueRate",
    "discrimination_rate", "rate_by",
]  # fmt: skip

KEPT = 300
"""How many combinations of values are kept."""


_DIGITS = 12  # rates that agree to so many digits are the same


@dataclass(frozen=True, kw_only=True)
class ValueRate:
    """What one combination of values of the keys says.

    Attributes
    ----------
    values : dict of str to str
        The value of each key.
    records : int
        How many records have them.
    entropy : float
        H(X|y): what stays open, in bits.
    rate : float or None
        1 − p(y) H(X|y) / H(X). None where H(X) = 0.
    alike : int
        How many combinations have exactly this histogram, this one included, where an engine
        has counted those that look alike and named only one.
    """

    values: dict[str, str]
    records: int
    entropy: float
    rate: float | None
    alike: int = 1

    def __str__(self) -> str:
        values = ", ".join(f"{name}={text}" for name, text in self.values.items())
        return f"{values} ({self.records:,} record{'s' if self.records != 1 else ''})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "values": self.values,
            "records": self.records,
            "entropy": self.entropy,
            "rate": self.rate,
            "alike": self.alike,
        }


class Telling:
    """Keeps the combinations of the highest rates; of equal rates, those of more records."""

    def __init__(self, counts: Contingency, most: int = KEPT) -> None:
        self._keys, self._most = counts.keys, most
        self._kept: list[ValueRate] = []

    def look(
        self, block: Histograms, entropies: NDArray[np.float64], rates: NDArray[np.float64]
    ) -> None:
        """Take some classes into account."""
        order = -np.round(rates, _DIGITS)
        best = np.lexsort([-block.sizes, order])[: self._most]
        if len(self._kept) == self._most:
            # Naming a class may be work for an engine: only those that will be kept are named.
            rate, records = _order(self._kept[-1])[:2]
            ahead = (order[best] < rate) | ((order[best] == rate) & (-block.sizes[best] < records))
            best = best[ahead]
        self._kept += [
            ValueRate(
                values={
                    name: text_of(value)
                    for name, value in zip(self._keys, block.key_of(g), strict=True)
                },
                records=int(block.sizes[g]),
                entropy=float(entropies[g]),
                rate=float(rates[g]),
                alike=int(block.weights[g]),
            )
            for g in best.tolist()
        ]
        self._kept = sorted(self._kept, key=_order)[: self._most]

    def found(self) -> tuple[ValueRate, ...]:
        """Those kept, the most telling first."""
        return tuple(self._kept)


def _order(one: ValueRate) -> tuple[float, int, tuple[str, ...]]:
    assert one.rate is not None
    return -float(np.round(one.rate, _DIGITS)), -one.records, tuple(one.values.values())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DiscriminationRate(Finding):
    """How much the keys Y say of an attribute X: 1 − H(X|Y) / H(X).

    Attributes
    ----------
    rate : float or None
        From 0, the keys say nothing, to 1, they determine X. None if it is undefined.
    entropy, left : float
        H(X), what there is to know, and H(X|Y), what the keys leave open of it, in bits.
    of : str
        X.
    by : tuple of str
        Y.
    partition : Partition or None
        The categories of X, if it is the category that the attacker wants.
    by_value : tuple of ValueRate
        Combinations of values of the keys, the most telling first, at most 300.
    combinations : int
        How many there are.
    determined : int
        Records whose keys determine X.
    deciding : Deciding
        The combinations that tell most.
    records : int
    """

    rate: float | None
    entropy: float
    left: float
    of: str
    by: tuple[str, ...]
    partition: Partition | None
    by_value: tuple[ValueRate, ...]
    combinations: int
    determined: int
    deciding: Deciding
    records: int
    source: str
    notes: tuple[str, ...] = ()

    @property
    def unlisted(self) -> int:
        """How many combinations are not in ``by_value``, for there are too many."""
        if self.rate is None:
            return 0
        return self.combinations - sum(one.alike for one in self.by_value)

    @property
    def combined(self) -> bool:
        """Whether there are several keys."""
        return len(self.by) > 1

    @property
    def undefined(self) -> str | None:
        """Why there is no rate, where there is none."""
        return why_undefined(self.of, self.partition) if self.rate is None else None

    @property
    def resistance(self) -> float | None:
        """1 − rate."""
        return None if self.rate is None else 1.0 - self.rate

    def to_frame(self) -> pd.DataFrame:
        """One row a combination of values of the keys, the most telling first."""
        import pandas as pd

        table: dict[str, list[Any]] = {
            name: [one.values[name] for one in self.by_value] for name in self.by
        }
        for word in ("rate", "records", "entropy", "alike"):
            # A key may have one of these names, too.
            free = f"{word} of the values" if word in table else word
            table[free] = [getattr(one, word) for one in self.by_value]
        return pd.DataFrame(table)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what the most telling combinations of values leave open.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        refuse_undefined(self.of, self.undefined)
        shown, more = most(self.by_value)
        ax = bars(
            [", ".join(f"{key}={text}" for key, text in one.values.items()) for one in shown],
            [
                Bars(
                    values=[one.entropy for one in shown],
                    texts=[f"{one.entropy:.2f}; {one.records:,} records" for one in shown],
                )
            ],
            ax,
            xlabel=f"bits of {written(self.of)} that are open",
            title=f"What {keys_text(self.by)} says of {self.of}: {rate_text(self.rate)}{more}",
        )
        ax.axvline(self.entropy, color="0.3", linewidth=1, linestyle=":")
        ax.set_xlim(right=1.2 * self.entropy)
        return ax

    def content(self, *, records: bool) -> dict[str, Any]:
        content: dict[str, Any] = {
            "finding": "discrimination rate",
            "source": self.source,
            "of": self.of,
            "by": list(self.by),
            "partition": None if self.partition is None else _plain(self.partition),
            "rate": self.rate,
            "undefined": self.undefined,
            "entropy": self.entropy,
            "left": self.left,
            "records": self.records,
            "combinations": self.combinations,
            "unlisted": self.unlisted,
            "determined": self.determined,
            "deciding": self.deciding.content(records=records),
            "notes": list(self.notes),
        }
        if records:
            content["by_value"] = [one.to_dict() for one in self.by_value]
        return content

    def summary(self) -> str:
        keys = keys_text(self.by)
        kind = ("combined" if self.combined else "simple") + (
            f", semantic with {len(self.partition.names)} categories" if self.partition else ""
        )
        lines = [
            f"Discrimination rate of {self.of} by {keys}, in {self.source}: "
            f"{self.undefined or rate_text(self.rate)} ({kind})"
        ]
        if self.rate is not None:
            lines += [
                f"  of {self.entropy:.3f} bits, knowing {keys} leaves {self.left:.3f} open",
                f"  {self.records:,} records with {self.combinations:,} "
                f"{'combinations of values' if self.combined else 'values'}, which determine "
                f"{'the category of ' if self.partition else ''}{self.of} for "
                f"{self.determined:,} of them",
                f"  tells most, {rate_text(self.by_value[0].rate)}: {self.deciding}",
            ]
        if self.unlisted:
            lines.append(
                f"  only the most telling are listed by value; {self.unlisted:,} combinations are "
                "not"
            )
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ValueDiscrimination(Finding):
    """How much one combination of values of the keys says: 1 − p(y) H(X|y) / H(X).

    Attributes
    ----------
    rate : float or None
    value : ValueRate
        The combination: its values, records and entropy.
    entropy : float
        H(X), in bits.
    """

    value: ValueRate
    entropy: float
    of: str
    partition: Partition | None
    records: int
    source: str
    notes: tuple[str, ...] = ()

    @property
    def rate(self) -> float | None:
        """The rate, or None if it is undefined."""
        return self.value.rate

    @property
    def undefined(self) -> str | None:
        """Why there is no rate, where there is none."""
        return why_undefined(self.of, self.partition) if self.rate is None else None

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        import pandas as pd

        one = self.value
        return pd.DataFrame(
            [{**one.values, "rate": one.rate, "records": one.records, "entropy": one.entropy}]
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what is open of everybody, and of those with these values.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        refuse_undefined(self.of, self.undefined)
        bits = [self.entropy, self.value.entropy]
        return bars(
            ["everybody", str(self.value)],
            [Bars(values=bits, texts=[f"{b:.3f}" for b in bits])],
            ax,
            xlabel="bits that are open",
            title=f"What is open of {self.of}: rate {rate_text(self.rate)}",
        )

    def content(self, *, records: bool) -> dict[str, Any]:
        content: dict[str, Any] = {
            "finding": "discrimination rate of a value",
            "source": self.source,
            "of": self.of,
            "by": list(self.value.values),
            "partition": None if self.partition is None else _plain(self.partition),
            "rate": self.rate,
            "undefined": self.undefined,
            "entropy": self.entropy,
            "records": self.records,
            "notes": list(self.notes),
        }
        if records:
            content["value"] = self.value.to_dict()
        return content

    def summary(self) -> str:
        lines = [
            f"Discrimination rate of {self.of} by {self.value}, in {self.source}: "
            f"{self.undefined or rate_text(self.rate)}"
        ]
        if self.rate is not None:
            lines.append(
                f"  {self.value.records:,} of {self.records:,} records; of {self.entropy:.3f} "
                f"bits, {self.value.entropy:.3f} are left open about them"
            )
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def _plain(partition: Partition) -> dict[str, list[str]]:
    return {name: list(texts) for name, texts in partition.members.items()}


class DiscriminationLooking:
    """Looks at the classes for the discrimination rate, or the semantic one.

    Parameters
    ----------
    counts : Contingency
        What is looked at: its blocks, not those of categories.
    partition : optional
        In any form that `Partition.of` takes.
    listed : int
        How many combinations of values are listed at most.
    """

    def __init__(self, counts: Contingency, *, partition: Any = None, listed: int = KEPT) -> None:
        secret = counts.need_secret("the discrimination rate")
        check_apart(counts)
        self._partition = None if partition is None else Partition.of(partition, secret)
        # What the attacker wants to know, of the same classes.
        self._wanted = counts if self._partition is None else self._partition.merged(counts)
        self._entropy = ConditionalEntropy(self._wanted)
        self._telling = Telling(self._wanted, listed)
        self._most = Extreme(self._wanted)
        self._combinations = 0
        self._determined = 0

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""
        if self._partition is not None:
            block = block.merged(self._partition.groups)
        entropies = self._entropy.look(block)
        self._combinations += int(block.weights.sum())
        self._determined += int((block.weights * block.sizes)[block.distinct == 1].sum())
        if self._entropy.whole > 0:
            shares = block.sizes / self._entropy.rows
            rates = np.clip(1.0 - shares * entropies / self._entropy.whole, 0.0, 1.0)
            self._telling.look(block, entropies, rates)
            self._most.look(block, rates)

    def finding(self) -> DiscriminationRate:
        """What was found, once all classes have been looked at."""
        counts = self._wanted
        assert counts.secret is not None
        return DiscriminationRate(
            rate=self._entropy.rate,
            entropy=self._entropy.whole,
            left=self._entropy.left,
            of=counts.secret.name,
            by=counts.keys,
            partition=self._partition,
            by_value=self._telling.found(),
            combinations=self._combinations,
            determined=self._determined,
            deciding=self._most.deciding(),
            records=counts.rows,
            source=counts.source,
            notes=counts.notes,
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


def discrimination_rate(
    table: Any,
    *,
    of: str | None = None,
    by: Keys = None,
    partition: Any = None,
    value: Mapping[str, object] | None = None,
    **counting: Unpack[Counting],
) -> DiscriminationRate | ValueDiscrimination:
    """How much the keys Y say of an attribute X: 1 − H(X|Y) / H(X), from 0 to 1.

    Parameters
    ----------
    table : Release, Microdata, table, path, Ibis table or counts
        See `count`.
    of : str, optional
        X, what the attacker wants to know; by default the sensitive column. It can be any column
        of the table.
    by : str or sequence of str, optional
        Y, what the attacker knows; by default all keys together.
    partition : optional
        The categories of X, if that is all the attacker wants to know: lists of values, a
        mapping, bands of numbers, a `HierarchyLevel` or a text; see `Partition.of`. This makes
        it the semantic discrimination rate.
    value : mapping of str to value, optional
        The rate of one combination of values of the keys instead: 1 − p(y) H(X|y) / H(X).
    **counting
        How the table is counted; see `count`.

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
        raise InputError("give by= or value=, not both: a value names its keys")
    if not isinstance(value, Mapping) or not value:
        raise InputError(f"value maps keys to their values, {{'age': '2*'}}, but got {value!r}")
    # What is counted already need not be counted again over fewer keys.
    keys = None if isinstance(table, Contingency) else tuple(value)
    return _of_value(asked(table, of, keys, counting), value, partition)


def rate_by(counts: Contingency, partition: Any = None) -> DiscriminationRate:
    """The rate of what was counted, by its keys."""
    (found,) = one_pass(counts, [DiscriminationLooking(counts, partition=partition)])
    assert isinstance(found, DiscriminationRate)
    return found


def _of_value(
    counts: Contingency, value: Mapping[str, object], partition: Any
) -> ValueDiscrimination:
    secret = counts.need_secret("the discrimination rate")
    check_apart(counts)
    parts = None if partition is None else Partition.of(partition, secret)
    wanted = counts if parts is None else parts.merged(counts)
    inside = wanted.where(value)
    texts = {name: text_of(one) for name, one in value.items()}
    if not inside.any():
        listed = ", ".join(f"{name}={text}" for name, text in texts.items())
        raise InputError(f"nobody in {counts.source} has {listed}: there is no rate of that")
    records, everybody = int(inside.sum()), counts.rows
    left, whole = entropy(inside), entropy(wanted.totals)
    return ValueDiscrimination(
        value=ValueRate(
            values=texts,
            records=records,
            entropy=left,
            rate=discrimination(records / everybody * left, whole),
        ),
        entropy=whole,
        of=secret.name,
        partition=parts,
        records=everybody,
        source=counts.source,
        notes=counts.notes,
    )
