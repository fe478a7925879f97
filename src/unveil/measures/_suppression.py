"""Suppression: records that are left out or say nothing, and cells that say nothing.

A cell of a release is suppressed if it covers every value of its column. A column of a single value
has nothing to suppress, unless it is hidden all the same. In a table that is not a release, only
``*`` is suppressed: its domains are not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.engine.counting import Contingency
from unveil.errors import InputError, Text
from unveil.findings import Finding, Story, Value
from unveil.measures._declared import SUPPRESSED
from unveil.measures._released import (
    column_table,
    lost_chart,
    missing_from,
    reach_of,
    records_of,
    release_of,
)
from unveil.microdata import Column, Microdata, Regions, Release


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Suppression(Finding):
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

    released: int
    hidden: int
    missing: int
    cells: dict[str, int]
    made_by: str

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

    @property
    def figures(self) -> tuple[Value, ...]:
        return (SUPPRESSED.of(self.of_records),)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "release": self.made_by,
            "record_count": self.released,
            **self.attributes("of_records of_cells by_column hidden missing"),
        }

    def story(self, release: Text | None = None) -> Story:
        return Story(
            title=f"Suppression by {self.made_by}: {self.of_records:.1%} of the records, "
            f"{self.of_cells:.1%} of the cells",
            about=[
                f"of {self.everybody:,} records {self.missing:,} are missing and {self.hidden:,} "
                "have all their quasi-identifiers hidden"
            ],
            tables=[column_table({"suppressed cells": self.by_column})],
            charts=[
                lost_chart({"suppressed cells": (self.of_cells, self.by_column)}, self.made_by)
            ],
        )


def suppression(release: Release, microdata: Microdata | None = None) -> Suppression:
    """Suppression: how many records and cells are not published.

    A cell is suppressed if it covers every value of its column. A record is suppressed if all its
    quasi-identifiers are, or if it is not released.

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
    hidden = [_hidden_cells(c, r) for c, r in zip(release.quasi, release.regions, strict=True)]
    return Suppression(
        released=len(release),
        hidden=int(release.sizes[np.all(hidden, axis=0)].sum()),
        missing=missing_from(release, microdata),
        cells={
            column.name: int(release.sizes[cells].sum())
            for column, cells in zip(release.quasi, hidden, strict=True)
        },
        made_by=release.made_by,
    )


def _hidden_cells(column: Column, regions: Regions) -> NDArray[np.bool_]:
    """For each class, whether its cell of one column is suppressed."""
    if column.size == 1:
        return np.array([text != column.texts[0] for text in regions.texts(column)], dtype=bool)
    return np.asarray(reach_of(regions, column.size).number == column.size)


def hidden_classes(table: Any, counts: Contingency) -> tuple[int, ...]:
    """The sizes of the classes of a counted table whose cells are all suppressed."""
    if not isinstance(table, Release):
        return _with_cells(counts, dict.fromkeys(counts.keys, "*"))
    columns = {column.name: place for place, column in enumerate(table.quasi)}
    asked = [columns[key] for key in counts.keys]
    hidden = np.all([_hidden_cells(table.quasi[j], table.regions[j]) for j in asked], axis=0)
    some = np.flatnonzero(hidden)
    texts = [table.regions[j].take(some).texts(table.quasi[j]) for j in asked]
    # Classes of the release with the same texts are one class here.
    distinct = dict.fromkeys(zip(*texts, strict=True))
    found = (_with_cells(counts, dict(zip(counts.keys, cells, strict=True))) for cells in distinct)
    return tuple(size for sizes in found for size in sizes)


def _with_cells(counts: Contingency, cells: dict[str, str]) -> tuple[int, ...]:
    """The size of the class with these cells, if there is one."""
    try:
        size = int(counts.where(cells).sum())
    except (InputError, TypeError):  # no such cell, or the column has no texts
        return ()
    return (size,) if size else ()
