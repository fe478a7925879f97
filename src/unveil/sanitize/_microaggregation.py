"""Microaggregation: groups of at least k similar records, published by their middle.

After J. Domingo-Ferrer and J. M. Mateo-Sanz, *Practical Data-Oriented Microaggregation for
Statistical Disclosure Control*, IEEE TKDE 2002, and J. Domingo-Ferrer and V. Torra, *Ordinal,
Continuous and Heterogeneous k-Anonymity through Microaggregation*, DMKD 2005: *MDAV*, maximum
distance to the average vector.

While 3k or more records remain, take the record that is farthest from the middle of them all, and
make a group of it and its k - 1 nearest; then one of the record farthest from *it*, and its k - 1
nearest. If 2k or more remain, make one more group around the record farthest from the middle.
What is left is the last group.

*Distances.* Numeric columns are standardized: the variance of each is 1. Ordinal ones are, too,
by the places of their values in the order. Of a categorical column two values are the same
(distance 0) or not (1), with a hierarchy or without. Squares are added up.

*Equal records* are never parted. So a group is as many of the nearest as make k or more, and may
be larger than MDAV's where there are many alike; and whoever would be fewer than k after it
belongs to it. In a table without equal records these are MDAV's groups. (Who of several equal
ones goes with whom would have to be decided by their sensitive values, their order, or chance: it
would tell of the values, change if the table is sorted, or differ each time.)

*Published* is the middle of the group: of numeric columns the value of the column's domain that
is nearest to the mean, of ordinal ones the median, of categorical ones the most frequent value.
Of two that are equally near or frequent, the first; the lower of two medians.

*Large tables.* MDAV looks at all remaining records for each group, so twice as many records take
four times as long. Tables of more distinct records than ``block`` are first cut in two, and again,
each time along the column in which records differ most, at the median; the groups are made in
each part by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Intervals, Kind, Microdata, Release
from unveil.sanitize._goal_checks import refuse_few
from unveil.sanitize._microaggregation_groups import Similar, similar_groups
from unveil.sanitize._option_checks import check_whole
from unveil.sanitize._sanitizer import Sanitizer, as_microdata

__all__ = ["Microaggregation"]


@dataclass(frozen=True, kw_only=True)
class Microaggregation(Sanitizer):
    """k-anonymity by publishing the middle of each group of similar records (MDAV).

    Parameters
    ----------
    k : int
        Every group has at least k records.
    block : int
        The most distinct records among which groups are made; see above.

    Examples
    --------
    The mean of the first group is 22, and the value of the column nearest to it 21:

    >>> import unveil as uv
    >>> survey = uv.read_table(
    ...     {"age": [20, 21, 25, 60, 64, 65], "sex": ["f", "m", "f", "m", "m", "m"],
    ...      "vote": ["a", "b", "a", "c", "b", "a"]},
    ...     quasi=["age", "sex"], sensitive="vote")
    >>> uv.Microaggregation(k=3).sanitize(survey)
    Release by Microaggregation(k=3): 6 records in 2 classes of 3 to 3
      age  sex  records
      21   f    3
      64   m    3
      each cell is the middle of a group of 3 or more records, and need not be true of any of them
    """

    treats_equals_alike: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True
    # Whoever asks which cells cover a target finds next to none; he has to look who is near.
    attacked_by: ClassVar[str] = "neighbours@scaling-hot"

    k: int
    block: int = 20_000

    def __post_init__(self) -> None:
        check_whole("Microaggregation's", "k", self.k)
        check_whole("Microaggregation's", "block", self.block)

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "Microaggregation")
        refuse_few(self, microdata, int(self.k))
        similar = Similar.of(microdata)
        group_of, groups = similar_groups(similar, int(self.k), int(self.block))
        cells = np.stack(
            [
                _middles(column, codes, similar.weights, group_of, groups)
                for column, codes in zip(microdata.quasi, similar.codes, strict=True)
            ]
        )
        # Groups with the same middle cannot be told apart.
        cells, class_of_group = np.unique(cells, axis=1, return_inverse=True)
        return Release(
            quasi=microdata.quasi,
            sensitive=microdata.sensitive,
            class_of=class_of_group.ravel()[group_of][similar.of_record].astype(np.int32),
            regions=tuple(Intervals(row, row) for row in cells),
            made_by=self.label,
            notes=(*microdata.notes, self._note),
            perturbed=tuple(column.name for column in microdata.quasi),
        )

    @property
    def _note(self) -> str:
        return (
            f"each cell is the middle of a group of {self.k:,} or more records, and need not be "
            "true of any of them"
        )


def _middles(
    column: Column,
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    group_of: NDArray[np.int32],
    groups: int,
) -> NDArray[np.int32]:
    """The code that each group publishes for a column."""
    if column.kind is Kind.NUMERIC:
        line = column.positions - column.positions[0]
        sums = np.bincount(group_of, weights=weights * line[codes], minlength=groups)
        return _nearest(line, sums / np.bincount(group_of, weights=weights, minlength=groups))
    # How many records of each group have each value, group by group, values ascending.
    pairs, place = np.unique(group_of.astype(np.int64) * column.size + codes, return_inverse=True)
    number = np.bincount(place.ravel(), weights=weights).astype(np.int64)
    group, value = np.divmod(pairs, column.size)
    if column.kind is Kind.ORDINAL:
        upto = np.cumsum(number)
        size = np.bincount(group, weights=number, minlength=groups).astype(np.int64)
        half = np.cumsum(size) - size + (size + 1) // 2  # the place of the lower median
        return value[np.searchsorted(upto, half)].astype(np.int32)
    order = np.lexsort([value, -number, group])
    first = np.searchsorted(group, np.arange(groups))  # the most frequent is first in its group
    return value[order[first]].astype(np.int32)


def _nearest(line: NDArray[np.float64], means: NDArray[np.float64]) -> NDArray[np.int32]:
    """Where on an ascending line the value nearest to each mean is; the lower of two.

    >>> _nearest(np.array([0.0, 1.0, 5.0]), np.array([0.4, 0.5, 2.9, 3.1, 5.0])).tolist()
    [0, 0, 1, 2, 2]
    """
    above = np.clip(np.searchsorted(line, means), 1, max(1, len(line) - 1))
    above = np.minimum(above, len(line) - 1)
    below = np.maximum(above - 1, 0)
    nearest = np.where(means - line[below] <= line[above] - means, below, above)
    return nearest.astype(np.int32)
