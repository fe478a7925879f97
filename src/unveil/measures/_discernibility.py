"""Records that are not published, or cannot be told apart: suppression and discernibility.

Which cells and records are suppressed: `unveil.microdata._suppressed`. If all cells of all records
are, nothing is published of anybody, and all records are hidden.

The discernibility metric of R. J. Bayardo and R. Agrawal, *Data Privacy through Optimal
k-Anonymization*, ICDE 2005: every record costs as much as its class has records, and a suppressed
record as much as the table has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import pandas as pd

from unveil.engine.counting import Contingency
from unveil.errors import Text
from unveil.findings import Figure, Story
from unveil.measures._classes import CountMeasure, SizeLooking, check_apart, measured
from unveil.measures._counted import Counting, count_people
from unveil.measures._declared import SUPPRESSED
from unveil.measures._released import (
    LossMeasure,
    missing_from,
    missing_of,
    records_of,
    release_of,
)
from unveil.measures._texts import bar_chart, fine_percent
from unveil.microdata import Microdata, Permuted, Release, hidden_cells


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Suppression(LossMeasure):
    """How much of a table is not published.

    Attributes
    ----------
    released, hidden, missing : int
        Number of released records, of those with all their quasi-identifiers suppressed, and of
        the original's records that are not released.
    cells : dict of str to int
        For each quasi-identifier, the number of released cells that are suppressed.
    made_by : str
    """

    entry: ClassVar[str] = "suppression"
    numbers: ClassVar[Mapping[Figure, str]] = {SUPPRESSED: "of_records"}
    said: ClassVar[str] = "of_records of_cells hidden"

    hidden: int
    cells: dict[str, int]

    @property
    def released(self) -> int:
        """Number of released records."""
        return self.records

    @property
    def everybody(self) -> int:
        """Number of records of the original."""
        return self.released + self.missing

    @property
    def of_records(self) -> float:
        """The share of the original's records that are hidden or missing."""
        return (self.hidden + self.missing) / self.everybody

    @property
    def by_column(self) -> dict[str, float]:
        """For each quasi-identifier, the share of its cells that are hidden or missing."""
        return {name: (cells + self.missing) / self.everybody for name, cells in self.cells.items()}

    @property
    def of_cells(self) -> float:
        """The share of all cells that are hidden or missing."""
        cells = sum(self.cells.values()) + self.missing * len(self.cells)
        return cells / (self.everybody * len(self.cells))

    def to_frame(self) -> pd.DataFrame:
        """One row per quasi-identifier."""
        rows = [(name, cells, self.by_column[name]) for name, cells in self.cells.items()]
        return pd.DataFrame(rows, columns=["column", "hidden", "suppressed"])

    def story(self, release: Text | None = None) -> Story:
        return self._told(
            f"Suppression by {self.made_by}: {self.of_records:.1%} of the records, "
            f"{self.of_cells:.1%} of the cells",
            f"of {self.everybody:,} records {self.missing:,} are missing and {self.hidden:,} have "
            "all their quasi-identifiers hidden",
            {"suppressed cells": (self.of_cells, self.by_column)},
        )


def suppression(release: Release, microdata: Microdata | None = None) -> Suppression:
    """Suppression: how many records and cells are not published.

    A cell is suppressed if it covers every value of its column. A record is suppressed if all its
    quasi-identifiers are (apart from those that all records share), or if it is not released.

    Parameters
    ----------
    release : Release
    microdata : Microdata, optional
        The original table, to count the records that were not released. Default: those found
        missing when the release was read.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table(
    ...     {"age": [30, 34, 41, 52], "town": ["Rome", "Rome", "Lyon", "Nice"],
    ...      "vote": ["a", "b", "a", "b"]}, quasi=["age", "town"], sensitive="vote")
    >>> published = {"age": ["30-39", "30-39", "*"], "town": ["*", "*", "*"],
    ...              "vote": ["a", "b", "a"]}
    >>> uv.suppression(uv.read_release(published, survey))
    Suppression by somebody: 50.0% of the records, 75.0% of the cells
      of 4 records 1 are missing and 1 have all their quasi-identifiers hidden
    <BLANKLINE>
      column   suppressed cells
      age                 50.0%
      town               100.0%
    """
    if microdata is None:
        release = records_of(release, "suppression")
    else:
        release = release_of(release, microdata, "suppression")
    hidden = [hidden_cells(c, r) for c, r in zip(release.quasi, release.regions, strict=True)]
    return Suppression(
        records=len(release),
        hidden=release.hidden,
        missing=missing_from(release, microdata),
        cells={
            column.name: int(release.sizes[cells].sum())
            for column, cells in zip(release.quasi, hidden, strict=True)
        },
        made_by=release.made_by,
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Discernibility(CountMeasure):
    """The cost of records that cannot be told apart.

    Attributes
    ----------
    cost : int
        Σ n² over the classes of n records that are not suppressed, plus the number of the
        original's records for every suppressed record.
    records, missing, hidden : int
        Number of records that are there, that are missing from the original, and that have all
        their keys hidden. Missing and hidden records are suppressed.
    classes : int
    deciding : Deciding
        The largest classes.
    """

    entry: ClassVar[str] = "discernibility"
    said: ClassVar[str] = "cost normalized missing hidden classes"

    cost: int
    missing: int
    hidden: int
    classes: int

    @property
    def everybody(self) -> int:
        """Number of records of the original."""
        return self.records + self.missing

    @property
    def normalized(self) -> float | None:
        """From 0, all records differ, to 1, none can be told apart.

        None, undefined, for a table of one record, whose best is its worst.
        """
        best, worst = self.everybody, self.everybody**2
        return None if worst == best else (self.cost - best) / (worst - best)

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        return pd.DataFrame([self.attributes("cost normalized records missing hidden classes")])

    def story(self, release: Text | None = None) -> Story:
        way = self.normalized
        share = "undefined for one record" if way is None else fine_percent(way)
        gone = [f"{self.hidden:,} hidden"] if self.hidden else []
        gone += [f"{self.missing:,} missing"] if self.missing else []
        costs = [self.everybody, self.cost, self.everybody**2]
        return Story(
            title=f"Discernibility of {self.source}: {self.cost:,}",
            about=[
                f"on the way from {self.everybody:,} (all records unlike) to "
                f"{self.everybody**2:,} (all alike): {share}",
                f"{self.in_classes:,} records in {self.classes:,} classes"
                f"{'; suppressed: ' + ', '.join(gone) if gone else ''}",
                f"largest: {self.deciding}",
            ],
            charts=[
                bar_chart(
                    f"Discernibility of {self.source}",
                    ["at best", "it is", "at worst"], {"cost": [float(one) for one in costs]},
                    label="discernibility: pairs of records that cannot be told apart",
                )
            ],
        )  # fmt: skip


class DiscernibilityLooking(SizeLooking):
    """Adds up the cost of the classes.

    ``missing`` is the number of the original's records that were not released.
    """

    apart = "discernibility"

    def __init__(self, counts: Contingency, *, missing: int = 0) -> None:
        super().__init__(counts, least=False)
        self._missing = missing

    def finding(self) -> Discernibility:
        hidden = self._counts.hidden
        # Python's whole numbers do not overflow.
        squares = sum(number * size**2 for size, number in self._sizes.by_size.items())
        # If all records are hidden they are still a class, whose records may be anybody.
        told_apart = squares if hidden == self._counts.suppressed else 0
        everybody = self._counts.rows + self._missing
        return Discernibility(
            **self._measured(),
            cost=told_apart + (hidden + self._missing) * everybody,
            missing=self._missing,
            hidden=hidden,
            classes=self._sizes.classes,
        )


def discernibility(
    table: Any, *, original: Microdata | int | None = None, **counting: Unpack[Counting]
) -> Discernibility:
    """Discernibility: from how many records each record cannot be told apart, added up.

    A record in a class of n costs n. A suppressed record costs as much as the original has
    records, because it may be any of them. Suppressed records are those whose keys are all hidden
    (written ``*`` or, in a release, covering the whole column), and those that were not released.

    Parameters
    ----------
    table : Release, Microdata, table, path or Contingency
        What is measured.
    original : Microdata or int, optional
        The original table, or its number of records. Default: only records that were found
        missing when a release was read are missing.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.discernibility(uv.Mondrian(k=2).sanitize(patients))
    Discernibility of the release by Mondrian(k=2): 13
      on the way from 5 (all records unlike) to 25 (all alike): 40.00%
      5 records in 2 classes
      largest: age=[47, 72], gender={F, M} (3 records)
    """
    counts = count_people(table, **counting)
    return measured(counts, discernibility_looking(table, counts, original))


def discernibility_looking(
    table: Any, counts: Contingency, original: Microdata | int | None
) -> DiscernibilityLooking:
    """Discernibility of a table that is already counted."""
    check_apart(counts, DiscernibilityLooking.apart)
    if counts.made_from is not None:  # a release knows what is missing
        table = counts.made_from
    if original is None:
        missing = table.dropped if isinstance(table, Release | Permuted) else 0
    else:
        missing = missing_of(counts.rows, original)
    return DiscernibilityLooking(counts, missing=missing)
