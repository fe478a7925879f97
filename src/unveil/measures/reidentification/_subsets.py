"""Which columns single people out: uniqueness for every small subset of the keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from unveil.errors import InputError, Text
from unveil.findings import Finding
from unveil.measures._counted import Counting, count_people
from unveil.measures.reidentification._subset_counts import SubsetCount, subset_counts
from unveil.measures.reidentification._subsets_picture import subset_bars
from unveil.measures.reidentification._texts import percent, table_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["UniqueSubsets", "unique_subsets"]

_SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UniqueSubsets(Finding):
    """How many records each small subset of the keys singles out.

    Attributes
    ----------
    subsets : tuple of SubsetCount
        The one that singles out most people first; among equals that with fewer keys.
    keys : tuple of str
    at_most : int
        Keys in a subset.
    records : int
    source : str
    notes : tuple of str
    """

    subsets: tuple[SubsetCount, ...]
    keys: tuple[str, ...]
    at_most: int
    records: int
    source: str
    notes: tuple[Text, ...] = ()

    def best(self, size: int | None = None) -> SubsetCount:
        """The subset, of that many keys if given, that singles out most people."""
        of_size = [one for one in self.subsets if size is None or len(one.keys) == size]
        if not of_size:
            raise InputError(
                f"subsets have 1 to {self.at_most} of the {len(self.keys)} keys, but size is "
                f"{size!r}"
            )
        return of_size[0]

    def minimal(self, share: float = 0.0) -> tuple[SubsetCount, ...]:
        """Subsets that single somebody out, or that share of records, and of which no part does."""
        if not 0 <= share <= 1:
            raise InputError(f"share must be from 0 to 1, but got {share!r}")
        enough = [one for one in self.subsets if one.unique > 0 and one.share >= share]
        found: list[SubsetCount] = []
        for one in sorted(enough, key=lambda one: len(one.keys)):
            if not any(set(smaller.keys) < set(one.keys) for smaller in found):
                found.append(one)
        return tuple(found)

    @property
    def added(self) -> dict[str, float]:
        """What each key adds: the share it singles out beyond a subset without it, on average."""
        share = {frozenset(one.keys): one.share for one in self.subsets}
        nothing = frozenset[str]()
        share[nothing] = 1.0 if self.records == 1 else 0.0
        found = {
            key: float(np.mean([share[with_it] - share[with_it - {key}]
                                for with_it in share if key in with_it]))
            for key in self.keys
        }  # fmt: skip
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def to_frame(self) -> pd.DataFrame:
        """One row a subset."""
        import pandas as pd

        return pd.DataFrame(
            {
                "keys": [", ".join(one.keys) for one in self.subsets],
                "size": [len(one.keys) for one in self.subsets],
                "unique": [one.unique for one in self.subsets],
                "share": [one.share for one in self.subsets],
                "classes": [one.classes for one in self.subsets],
                "smallest_class": [one.smallest_class for one in self.subsets],
            }
        )

    def plot(self, ax: Axes | None = None, *, most: int = 12) -> Axes:
        """Draw the share that each subset singles out, for those that single out most."""
        return subset_bars(self.subsets[:most], self.source, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "unique subsets",
            "source": self.source,
            "keys": list(self.keys),
            "records": self.records,
            "at_most": self.at_most,
            "subsets": [
                {"keys": list(one.keys), "unique": one.unique, "share": one.share,
                 "classes": one.classes, "smallest_class": one.smallest_class}
                for one in self.subsets
            ],
            "minimal": [list(one.keys) for one in self.minimal()],
            "added": self.added,
            "notes": [str(note) for note in self.notes],
        }  # fmt: skip

    def summary(self) -> str:
        rows = [["keys", "alone", "share", "smallest class", "classes", ""]]
        for one in self.subsets[:_SHOWN]:
            numbers = f"{one.unique:,}", percent(one.share), f"{one.smallest_class:,}"
            rows.append([", ".join(one.keys), *numbers, f"{one.classes:,}", ""])
        more = len(self.subsets) - _SHOWN
        added = ", ".join(f"{key} {percent(share)}" for key, share in self.added.items())
        return "\n".join(
            [
                f"Unique subsets of {self.source}: {self.records:,} records, up to {self.at_most} "
                f"of {len(self.keys)} keys",
                *table_of(rows),
                *([f"  … and {more:,} more subsets"] if more > 0 else []),
                f"  fewest keys that single somebody out: {self._fewest()}",
                f"  a key adds on average: {added}",
                *(f"  {note}" for note in self.notes),
            ]
        )

    def _fewest(self) -> str:
        minimal = self.minimal()
        if not minimal:
            return "none of these subsets does"
        alike = [one for one in minimal if len(one.keys) == len(minimal[0].keys)]
        named = "; ".join(", ".join(one.keys) for one in alike[:3])
        return named + (f"; and {len(alike) - 3:,} more" if len(alike) > 3 else "")


def unique_subsets(table: Any, *, at_most: int = 3, **counting: Unpack[Counting]) -> UniqueSubsets:
    """How many people each subset of the keys singles out: which three columns do?

    Parameters
    ----------
    table : Release, Microdata, table in memory, path, Ibis table or counts
    at_most : int
        Keys in a subset; with fewer keys than that, all of them.
    **counting
        How the table is counted: quasi, engine, …

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.measures.reidentification import unique_subsets
    >>> people = uv.read_table(
    ...     {"age": [28, 28, 36, 36, 47], "gender": list("MMFMF"), "disease": list("abcab")},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> unique_subsets(people)
    Unique subsets of table: 5 records, up to 2 of 2 keys
      keys         alone  share  smallest class  classes
      age, gender      3    60%               1        4
      age              1    20%               1        3
      gender           0     0%               2        2
      fewest keys that single somebody out: age
      a key adds on average: age 40%, gender 20%
    """
    whole = isinstance(at_most, int | np.integer) and not isinstance(at_most, bool)
    if not whole or at_most < 1:
        raise InputError(f"at_most must be a whole number from 1, but got {at_most!r}")
    counts = count_people(table, **counting)
    if counts.rows == 0:
        raise InputError(f"{counts.source} has no records: there is nothing to measure")
    most = min(int(at_most), len(counts.keys))
    found = subset_counts(counts, most)
    return UniqueSubsets(
        subsets=tuple(sorted(found, key=lambda one: (-one.unique, len(one.keys)))),
        keys=counts.keys,
        at_most=most,
        records=counts.rows,
        source=counts.source,
        notes=counts.notes,
    )
