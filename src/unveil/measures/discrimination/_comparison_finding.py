"""The finding: several releases side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unveil.errors import Text
from unveil.findings import Finding
from unveil.measures.discrimination._finding import keys_text, rate_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["ComparedRates", "DiscriminationComparison"]

_ALIKE = 1e-12  # rates that differ by less are the same


@dataclass(frozen=True, kw_only=True)
class ComparedRates:
    """The rates of several releases, by the same keys and for the same categories.

    Attributes
    ----------
    partition : str
        The name of the partition.
    by : tuple of str
    rates : dict of str to (float or None)
        For each release; None where the rate is undefined.
    """

    partition: str
    by: tuple[str, ...]
    rates: dict[str, float | None]

    @property
    def worst(self) -> tuple[str, ...]:
        """The releases of the highest rate; none if all are equal, or none is defined."""
        defined = {name: rate for name, rate in self.rates.items() if rate is not None}
        if not defined:
            return ()
        highest = max(defined.values())
        worst = tuple(name for name, rate in defined.items() if highest - rate <= _ALIKE)
        return () if len(worst) == len(defined) else worst


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DiscriminationComparison(Finding):
    """Several releases side by side.

    Attributes
    ----------
    rows : tuple of ComparedRates
        For each partition, by each key and by all of them together.
    releases : tuple of str
    of : str
    """

    rows: tuple[ComparedRates, ...]
    releases: tuple[str, ...]
    of: str
    notes: tuple[Text, ...] = ()

    def row(self, *by: str, partition: str | None = None) -> ComparedRates:
        """The rates by some keys, in whatever order they are named, for a partition."""
        for one in self.rows:
            if set(one.by) == set(by) and partition in (None, one.partition):
                return one
        raise KeyError((partition, by))

    @property
    def times_worst(self) -> dict[str, int]:
        """How often each release is worse than another."""
        times = Counter(name for row in self.rows for name in row.worst)
        return {name: times[name] for name in self.releases}

    def to_frame(self) -> pd.DataFrame:
        """One row a partition and keys, one column a release, and which is worst."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "partition": row.partition,
                    "by": ", ".join(row.by),
                    **{_column(name): row.rates[name] for name in self.releases},
                    "worst": ", ".join(row.worst),
                }
                for row in self.rows
            ]
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rates of all releases as a table of colours.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.measures.discrimination._rate_pictures import compared

        return compared(self, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "comparison of discrimination rates",
            "of": self.of,
            "releases": list(self.releases),
            "rows": [
                {
                    "partition": row.partition,
                    "by": list(row.by),
                    "rates": row.rates,
                    "undefined": [name for name, rate in row.rates.items() if rate is None],
                    "worst": list(row.worst),
                }
                for row in self.rows
            ],
            "times_worst": self.times_worst,
            "notes": [str(note) for note in self.notes],
        }

    def summary(self) -> str:
        table = [["partition", "by", *self.releases, "worst"]]
        table += [
            [
                row.partition,
                keys_text(row.by),
                *(rate_text(row.rates[name]) for name in self.releases),
                ", ".join(row.worst) or "–",
            ]
            for row in self.rows
        ]
        widths = [max(len(cells[i]) for cells in table) for i in range(len(table[0]))]
        lines = [f"Discrimination rates of {self.of}, compared"]
        lines += [
            (
                "  " + "  ".join(cell.ljust(w) for cell, w in zip(cells, widths, strict=True))
            ).rstrip()
            for cells in table
        ]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def _column(release: str) -> str:
    return f"release {release}" if release in ("partition", "by", "worst") else release
