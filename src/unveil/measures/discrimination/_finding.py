"""The finding: how much some keys say of an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unveil.errors import Text
from unveil.findings import Finding
from unveil.measures._deciding import Deciding
from unveil.measures._partitions import Partition
from unveil.measures.discrimination._telling import ValueRate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "DiscriminationRate",
    "ValueDiscrimination",
    "keys_text",
    "rate_text",
    "why_undefined",
]

_NAMED = 3  # keys that are named in a line


def rate_text(rate: float | None) -> str:
    """A rate in a table for people."""
    return "undefined" if rate is None else f"{rate:.3f}"


def keys_text(keys: Sequence[str]) -> str:
    """Keys in a line for people, not too many of them."""
    if len(keys) <= _NAMED:
        return " and ".join(keys)
    return f"{', '.join(keys[:_NAMED])} and {len(keys) - _NAMED} more"


def why_undefined(of: str, partition: Partition | None) -> str:
    """Why there is no rate."""
    same = "is in the same category of" if partition else "has the same"
    return f"undefined, for every record {same} {of}: there is nothing to tell"


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
    notes: tuple[Text, ...] = ()

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
        from unveil.measures.discrimination._rate_pictures import value_bars

        return value_bars(self, ax)

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
            "notes": [str(note) for note in self.notes],
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
    notes: tuple[Text, ...] = ()

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
        from unveil.measures.discrimination._rate_pictures import open_bits

        return open_bits(self, ax)

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
            "notes": [str(note) for note in self.notes],
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
