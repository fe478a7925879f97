"""Information loss: how much a release leaves open.

The normalized certainty penalty of J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu, *Utility-Based
Anonymization Using Local Recoding*, KDD 2006: what a cell leaves open, from 0 (one value) to 1
(any value), on average over all records and quasi-identifiers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.errors import Text
from unveil.findings import Finding, Story, Value
from unveil.measures._declared import LOSS
from unveil.measures._released import (
    column_table,
    lost_chart,
    missing_from,
    reach_of,
    records_of,
    refuse_untrue,
)
from unveil.microdata import Column, Microdata, Regions, Release


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InformationLoss(Finding):
    """What a release leaves open of the quasi-identifiers.

    Attributes
    ----------
    loss : float
        From 0, every value is published as it is, to 1, nothing is.
    by_column : dict of str to float
        The same for each quasi-identifier.
    records, missing : int
        Number of released records, and of the original's that are not. These are a loss of 1.
    classes : int
    mean_class, smallest_class : float, int
        Number of records in a class.
    """

    entry: ClassVar[str] = "information loss"

    loss: float
    by_column: dict[str, float]
    records: int
    missing: int
    classes: int
    smallest_class: int
    made_by: str

    @property
    def mean_class(self) -> float:
        """Records in a class, on average."""
        return self.records / self.classes

    def to_frame(self) -> pd.DataFrame:
        """One row per quasi-identifier."""
        return pd.DataFrame({"column": list(self.by_column), "loss": list(self.by_column.values())})

    @property
    def figures(self) -> tuple[Value, ...]:
        return (LOSS.of(self.loss),)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "release": self.made_by,
            "record_count": self.records,
            **self.attributes("loss by_column missing classes mean_class smallest_class"),
        }

    def story(self, release: Text | None = None) -> Story:
        missing = f"; {self.missing:,} records are missing, each a loss of 100%"
        return Story(
            title=f"Information loss of {self.made_by}: {self.loss:.1%}",
            about=[
                f"{self.records:,} records in {self.classes:,} classes of {self.mean_class:,.1f} "
                f"on average, the smallest of {self.smallest_class:,}"
                f"{missing if self.missing else ''}"
            ],
            tables=[column_table({"information loss": self.by_column})],
            charts=[lost_chart({"information loss": (self.loss, self.by_column)}, self.made_by)],
        )


def information_loss(release: Release, microdata: Microdata | None = None) -> InformationLoss:
    """Information loss: how much of the quasi-identifiers a release leaves open, from 0 to 1.

    A cell of a numeric or ordinal column loses its width over that of the whole column; a cell of
    a categorical column that covers v of its n values loses (v − 1) / (n − 1), with or without a
    hierarchy. So a single value loses nothing and ``*`` everything. A missing record, and a cell
    that covers no value of the column, lose everything.

    Parameters
    ----------
    release : Release
    microdata : Microdata, optional
        The original table, to count the records that were not released. Default: those found
        missing when the release was read.

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.information_loss(uv.Mondrian(k=2).sanitize(patients))
    Information loss of Mondrian(k=2): 50.7%
      5 records in 2 classes of 2.5 on average, the smallest of 2
    <BLANKLINE>
      column   information loss
      age                 41.4%
      gender              60.0%
    """
    release = records_of(release, "information_loss")
    refuse_untrue(release, "information_loss")
    missing = missing_from(release, microdata)
    everybody = len(release) + missing
    by_column = {}
    for column, regions in zip(release.quasi, release.regions, strict=True):
        lost = float(_penalties(column, regions) @ release.sizes) + missing
        by_column[column.name] = lost / everybody
    return InformationLoss(
        loss=float(np.mean(list(by_column.values()))),
        by_column=by_column,
        records=len(release),
        missing=missing,
        classes=release.n_classes,
        smallest_class=int(release.sizes.min()),
        made_by=release.made_by,
    )


def _penalties(column: Column, regions: Regions) -> NDArray[np.float64]:
    """What each class's cell of one column leaves open, from 0 to 1."""
    reach = reach_of(regions, column.size)
    left_open = (reach.number - 1).astype(np.float64)
    whole = column.size - 1.0
    if column.is_ordered:
        line = column.positions
        left_open = line[reach.last] - line[reach.first]
        whole = float(line[-1] - line[0])
    penalty = left_open / whole if whole > 0 else np.zeros(len(regions))
    return np.where(reach.number > 0, penalty, 1.0)
