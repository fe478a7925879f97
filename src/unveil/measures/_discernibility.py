"""Discernibility: from how many records each record cannot be told apart.

The discernibility metric of R. J. Bayardo and R. Agrawal, *Data Privacy through Optimal
k-Anonymization*, ICDE 2005: every record costs as much as its class has records, and a suppressed
record as much as the table has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from unveil._bars import Bars, bars
from unveil.engine.counting import Contingency, Histograms
from unveil.findings import Finding
from unveil.measures._classes import Deciding, Extreme, one_pass
from unveil.measures._counted import Counting, count_people
from unveil.measures._released import missing_of, separate
from unveil.measures._suppression import hidden_classes
from unveil.microdata import Microdata, Permuted, Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "Discernibility", "DiscernibilityLooking", "discernibility", "discernibility_looking",
    "way_text",
]  # fmt: skip

_HARDLY_ANY = 0.0001


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Discernibility(Finding):
    """What it costs that records cannot be told from one another.

    Attributes
    ----------
    cost : int
        Σ n² over the classes of n records that say something, and the number of the original's
        records for every record that is suppressed.
    records : int
        How many records there are.
    missing : int
        How many of the original's are not. They count as suppressed.
    hidden : int
        How many are there with all their keys hidden.
    classes : int
    deciding : Deciding
        The largest classes.
    keys : tuple of str
        The columns whose combinations are the classes.
    source : str
        What was measured.
    notes : tuple of str
        What has to be known about the counts.
    """

    cost: int
    records: int
    missing: int
    hidden: int
    classes: int
    deciding: Deciding
    keys: tuple[str, ...]
    source: str
    notes: tuple[str, ...] = ()

    @property
    def everybody(self) -> int:
        """Records of the original."""
        return self.records + self.missing

    @property
    def normalized(self) -> float | None:
        """From 0, every record is unlike all others, to 1, nothing can be told from anything.

        None, undefined, for a table of one record, whose best is its worst.
        """
        best, worst = self.everybody, self.everybody**2
        return None if worst == best else (self.cost - best) / (worst - best)

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        import pandas as pd

        return pd.DataFrame([self._numbers()])

    def _numbers(self) -> dict[str, Any]:
        return {
            "cost": self.cost,
            "normalized": self.normalized,
            "records": self.records,
            "missing": self.missing,
            "hidden": self.hidden,
            "classes": self.classes,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the cost between the least and the most that it could be.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        costs = {
            "at best": self.everybody, "it is": self.cost, "at worst": self.everybody**2
        }  # fmt: skip
        return bars(
            list(costs),
            [
                Bars(
                    values=list(costs.values()), texts=[f"{cost:,}" for cost in costs.values()],
                    color=["0.75", "#0072b2", "0.75"],
                )
            ],
            ax,
            xlabel="discernibility: pairs of records that cannot be told apart",
            title=f"Discernibility of {self.source}",
            log=True,
        )  # fmt: skip

    def content(self, *, records: bool) -> dict[str, Any]:
        why = {"normalized_is": "undefined"} if self.normalized is None else {}
        return {
            "finding": "discernibility",
            "source": self.source,
            "keys": list(self.keys),
            **self._numbers(),
            **why,
            "deciding": self.deciding.content(records=records),
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        way = self.normalized
        share = "undefined for one record" if way is None else way_text(way)
        gone = [f"{self.hidden:,} hidden"] if self.hidden else []
        gone += [f"{self.missing:,} missing"] if self.missing else []
        return "\n".join(
            [
                f"Discernibility of {self.source}: {self.cost:,}",
                f"  on the way from {self.everybody:,} (all records unlike) to "
                f"{self.everybody**2:,} (all alike): {share}",
                f"  {self.records:,} records in {self.classes:,} classes"
                f"{'; suppressed: ' + ', '.join(gone) if gone else ''}",
                f"  largest: {self.deciding}",
                *(f"  Note: {note}" for note in self.notes),
            ]
        )


def way_text(share: float) -> str:
    """How far a cost is on the way from best to worst; a little is not nothing.

    >>> way_text(0.0064), way_text(0.0), way_text(0.00003)
    ('0.64%', '0.00%', 'under 0.01%')
    """
    return "under 0.01%" if 0 < share < _HARDLY_ANY else f"{share:.2%}"


class DiscernibilityLooking:
    """Adds up the cost while classes pass by.

    Parameters
    ----------
    counts : Contingency
    hidden : sequence of int
        The sizes of the classes that have all their keys hidden; see `hidden_classes`.
    missing : int
        How many of the original's records were not released.
    """

    def __init__(
        self, counts: Contingency, *, hidden: Sequence[int] = (), missing: int = 0
    ) -> None:
        self._counts = separate(counts, "discernibility")
        self._hidden, self._missing = tuple(hidden), missing
        self._squares = self._classes = 0
        self._largest = Extreme(counts)

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""
        self._classes += int(block.weights.sum())
        # Python's whole numbers have no end; there are few sizes, however many classes.
        sizes, place = np.unique(block.sizes, return_inverse=True)
        classes = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(classes, place.ravel(), block.weights)
        pairs = zip(sizes.tolist(), classes.tolist(), strict=True)
        self._squares += sum(number * size**2 for size, number in pairs)
        self._largest.look(block, block.sizes)

    def finding(self) -> Discernibility:
        """What was found."""
        records, hidden = self._counts.rows, sum(self._hidden)
        told_apart = self._squares - sum(size**2 for size in self._hidden)
        suppressed = hidden + self._missing
        return Discernibility(
            cost=told_apart + suppressed * (records + self._missing),
            records=records,
            missing=self._missing,
            hidden=hidden,
            classes=self._classes,
            deciding=self._largest.deciding(),
            keys=self._counts.keys,
            source=self._counts.source,
            notes=self._counts.notes,
        )


def discernibility(
    table: Any, *, original: Microdata | int | None = None, **counting: Unpack[Counting]
) -> Discernibility:
    """How many records each record cannot be told from, added up over all records.

    A record in a class of n costs n. A suppressed record costs as much as the original has
    records: it may be any of them. Suppressed are those whose every key is hidden (written ``*``,
    or, in a release, covering the whole column), and those that were not released.

    Parameters
    ----------
    table : Release, Microdata, table, path or Contingency
        What is measured.
    original : Microdata or int, optional
        The original table, or how many records it had. By default nothing is missing, but what
        was found missing when a release was read.
    **counting
        How a table is counted: ``quasi``, ``sensitive``, ``engine`` and others.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.measures import discernibility
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> discernibility(uv.Mondrian(k=2).sanitize(patients))
    Discernibility of the release by Mondrian(k=2): 13
      on the way from 5 (all records unlike) to 25 (all alike): 40.00%
      5 records in 2 classes
      largest: age=[47, 72], gender={F, M} (3 records)
    """
    counts = separate(count_people(table, **counting), "discernibility")
    found = one_pass(counts, [discernibility_looking(table, counts, original)])[0]
    assert isinstance(found, Discernibility)
    return found


def discernibility_looking(
    table: Any, counts: Contingency, original: Microdata | int | None
) -> DiscernibilityLooking:
    """The measure at work on a table that has been counted."""
    if counts.made_from is not None:  # a release knows what it has suppressed
        table = counts.made_from
    if original is None:
        missing = table.dropped if isinstance(table, Release | Permuted) else 0
    else:
        missing = missing_of(counts.rows, original)
    return DiscernibilityLooking(counts, hidden=hidden_classes(table, counts), missing=missing)
