"""The finding: sets of keys, ranked by how much they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unveil.errors import Text
from unveil.findings import Finding
from unveil.measures._partitions import Partition
from unveil.measures.discrimination._finding import rate_text, why_undefined

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["DiscriminationRates", "KeySet"]

_SHOWN = 15


@dataclass(frozen=True, kw_only=True)
class KeySet:
    """Some keys, and what they say.

    Attributes
    ----------
    by : tuple of str
    rate : float or None
    left : float
        H(X|Y), in bits.
    without : dict of str to (float or None)
        How much lower the rate is without each of the keys.
    """

    by: tuple[str, ...]
    rate: float | None
    left: float
    without: dict[str, float | None]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DiscriminationRates(Finding):
    """Sets of keys, ranked by how much they say of an attribute.

    Attributes
    ----------
    ranked : tuple of KeySet
        The highest rate first; of equal ones, fewer keys first.
    adds : dict of str to (float or None)
        What a key adds to the rate, on average over the sets that it joins, the empty one
        included; the key that adds most first.
    of : str
    keys : tuple of str
    at_most : int
        Keys in a set.
    entropy : float
        H(X), in bits.
    """

    ranked: tuple[KeySet, ...]
    adds: dict[str, float | None]
    of: str
    keys: tuple[str, ...]
    at_most: int
    partition: Partition | None
    entropy: float
    records: int
    source: str
    notes: tuple[Text, ...] = ()

    @property
    def undefined(self) -> str | None:
        """Why there are no rates, where there are none."""
        return why_undefined(self.of, self.partition) if self.entropy == 0.0 else None

    def rate(self, *by: str) -> float | None:
        """The rate of some keys, in whatever order they are named."""
        for one in self.ranked:
            if set(one.by) == set(by):
                return one.rate
        raise KeyError(by)

    def to_frame(self) -> pd.DataFrame:
        """One row a set of keys, ranked, with what leaving out each of them takes away."""
        import pandas as pd

        table: dict[str, list[Any]] = {
            "by": [", ".join(one.by) for one in self.ranked],
            "keys": [len(one.by) for one in self.ranked],
            "rate": [one.rate for one in self.ranked],
            "left": [one.left for one in self.ranked],
        }
        for key in self.keys:
            table[f"without {key}"] = [one.without.get(key) for one in self.ranked]
        return pd.DataFrame(table)

    def content(self, *, records: bool) -> dict[str, Any]:
        members = None if self.partition is None else self.partition.members
        return {
            "finding": "discrimination rates",
            "source": self.source,
            "of": self.of,
            "keys": list(self.keys),
            "at_most": self.at_most,
            "partition": members and {name: list(texts) for name, texts in members.items()},
            "entropy": self.entropy,
            "undefined": self.undefined,
            "records": self.records,
            "adds": self.adds,
            "ranked": [
                {"by": list(one.by), "rate": one.rate, "left": one.left, "without": one.without}
                for one in self.ranked
            ],
            "notes": [str(note) for note in self.notes],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the sets of the highest rates as bars.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.measures.discrimination._pictures import bars

        return bars(self, ax)

    def plot_pairs(self, ax: Axes | None = None) -> Axes:
        """Draw the rates of all pairs of keys as a table of colours, single keys on the diagonal.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.measures.discrimination._pictures import pairs

        return pairs(self, ax)

    def summary(self) -> str:
        head = (
            f"Discrimination rates of {self.of}, in {self.source}, by "
            f"{'single keys' if self.at_most == 1 else f'up to {self.at_most} keys'}"
        )
        if self.undefined:
            return f"{head}: {self.undefined}"
        shown = self.ranked[:_SHOWN]
        width = max(len(", ".join(one.by)) for one in shown)
        lines = [head, *(f"  {', '.join(one.by):{width}}  {rate_text(one.rate)}" for one in shown)]
        if len(shown) < len(self.ranked):
            lines.append(f"  … and {len(self.ranked) - len(shown):,} more")
        width = max(len(key) for key in self.keys)
        lines += [
            "  What a key adds, on average over the sets that it joins:",
            *(f"    {key:{width}}  {rate_text(adds)}" for key, adds in self.adds.items()),
        ]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])
