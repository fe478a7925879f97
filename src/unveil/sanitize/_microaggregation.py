"""Microaggregation: groups of at least k similar records, published by their middle (MDAV).

After J. Domingo-Ferrer and J. M. Mateo-Sanz, *Practical Data-Oriented Microaggregation for
Statistical Disclosure Control*, IEEE TKDE 2002, and J. Domingo-Ferrer and V. Torra, *Ordinal,
Continuous and Heterogeneous k-Anonymity through Microaggregation*, DMKD 2005. MDAV stands for
maximum distance to the average vector.

While 3k or more records remain, make a group of the record that is farthest from the middle of all
and its k - 1 nearest; then one of the record farthest from *it*, and its k - 1 nearest. If 2k or
more remain, make one more group around the record farthest from the middle. The rest is the last
group.

*Distances.* Numeric columns are standardized to variance 1; so are ordinal ones, by the ranks of
their values. Two values of a categorical column are equal (distance 0) or not (1), with or without
a hierarchy. Squares are added up.

*Equal records* are never separated. So a group takes as many of the nearest as make k or more, and
any rest of fewer than k joins it. In a table without equal records these are MDAV's groups. (To
separate equal records by their sensitive values would reveal these; by their order, the release
would change if the table is sorted; at random, it would differ each time.)

*Published* is the middle of the group: for numeric columns the value of the column nearest to the
mean, for ordinal ones the median (the lower of two), for categorical ones the most frequent value.
Ties go to the first.

*People.* Where a person may have several rows, a group takes as many of the nearest as are of k or
more people, and a rest of fewer than k people joins it. Distances and middles are those of rows.

*Large tables.* MDAV looks at all remaining records for each group, so twice as many records take
four times as long. Tables of more distinct records than ``block`` are cut in two, repeatedly, at
the median of the column in which records differ most. Groups are made within each part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from unveil.engine import Task, run_tasks
from unveil.microdata import Column, Intervals, Kind, Microdata, Persons, Release
from unveil.sanitize._goals import refuse_few
from unveil.sanitize._mdav import mdav
from unveil.sanitize._sanitizer import Sanitizer, as_microdata, combinations
from unveil.sanitize._weights import Weighed, refuse_few_people


@dataclass(frozen=True, kw_only=True)
class Microaggregation(Sanitizer):
    """k-anonymity by publishing the middle of each group of similar records (MDAV).

    Parameters
    ----------
    k : int
        Every group has at least k records; of k people, where a person may have several.
    block : int
        Largest number of distinct records among which groups are made. Larger tables are cut into
        parts first, because the time grows with the square of the records.

    Examples
    --------
    The mean of the first group is 22, and the value of the column nearest to it 21:

    >>> import unveil as uv
    >>> survey = uv.read_table(
    ...     {"age": [20, 21, 25, 60, 64, 65], "sex": ["f", "m", "f", "m", "m", "m"],
    ...      "vote": ["a", "b", "a", "c", "b", "a"]},
    ...     quasi=["age", "sex"], sensitive="vote")
    >>> uv.Microaggregation(k=3).sanitize(survey)
    Release by Microaggregation(k=3): 6 records in 2 classes of 3
      age  sex  records
      21   f    3
      64   m    3
      each cell is the middle of a group of 3 or more records, and need not be true of any of them
    """

    treats_equals_alike: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True
    # Next to no cell covers a target, so the attacker has to look for the nearest ones: a few
    # records, or the nearest group alone.
    attacked_by: ClassVar[str | tuple[str, ...]] = (
        "neighbours@scaling-hot", "neighbours@scaling-hot:k=1"
    )  # fmt: skip

    k: Annotated[int, Ge(1)]
    block: Annotated[int, Ge(1)] = 20_000

    @property
    def looks_at_secrets(self) -> bool:
        return False

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "Microaggregation")
        weighed = Weighed.of(microdata)
        if weighed is not None:
            refuse_few_people(self, microdata, weighed, int(self.k))
        refuse_few(self, microdata, int(self.k))
        similar = _Similar.of(microdata, None if weighed is None else weighed.persons)
        group_of, groups = _similar_groups(similar, int(self.k), int(self.block))
        cells = np.stack(
            [
                _middles(column, codes, similar.weights, group_of, groups)
                for column, codes in zip(microdata.quasi, similar.codes, strict=True)
            ]
        )
        # Groups with the same middle cannot be told apart.
        cells, class_of_group = np.unique(cells, axis=1, return_inverse=True)
        return self._released(
            microdata,
            class_of_group.ravel()[group_of][similar.of_record],
            [Intervals(row, row) for row in cells],
            f"each cell is the middle of a group of {self.k:,} or more "
            f"{'records' if weighed is None else 'people'}, and need not be true of any of them",
            perturbed=tuple(column.name for column in microdata.quasi),
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
        return _nearest_value(line, sums / np.bincount(group_of, weights=weights, minlength=groups))
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


def _nearest_value(line: NDArray[np.float64], means: NDArray[np.float64]) -> NDArray[np.int32]:
    """The place on an ascending line of the value nearest to each mean; the lower of two.

    >>> _nearest_value(np.array([0.0, 1.0, 5.0]), np.array([0.4, 0.5, 2.9, 3.1, 5.0])).tolist()
    [0, 0, 1, 2, 2]
    """
    above = np.clip(np.searchsorted(line, means), 1, max(1, len(line) - 1))
    above = np.minimum(above, len(line) - 1)
    below = np.maximum(above - 1, 0)
    nearest = np.where(means - line[below] <= line[above] - means, below, above)
    return nearest.astype(np.int32)


def _of_enough_people(
    similar: _Similar, some: NDArray[np.intp], codes: NDArray[np.int32], k: int
) -> NDArray[np.bool_]:
    """For each code, whether k people have one up to it, and k people one above."""
    places, people = similar.people_among(some)
    _, number = np.unique(people, return_inverse=True)
    lowest = np.full(number.max() + 1, codes.max() + 1)
    highest = np.full(number.max() + 1, -1)
    np.minimum.at(lowest, number, codes[places])
    np.maximum.at(highest, number, codes[places])
    size = int(codes.max()) + 1
    upto = np.cumsum(np.bincount(lowest, minlength=size))
    above = len(highest) - np.cumsum(np.bincount(highest, minlength=size))
    return np.asarray((upto >= k) & (above >= k))


@dataclass(frozen=True, eq=False)
class _Similar:
    """The distinct combinations of quasi-identifiers, sorted, and how far they are apart.

    Attributes
    ----------
    codes : array of shape (columns, combinations)
    weights : array
        Number of records with each of them.
    of_record : array
        The combination of each record.
    points : array of shape (numeric and ordinal columns, combinations)
        Standardized values.
    named : array
        Places of the categorical columns.
    people : arrays
        Where people may have several rows: a combination and a person who has it, for each such
        pair, sorted. Otherwise empty.
    """

    codes: NDArray[np.int32]
    weights: NDArray[np.int64]
    of_record: NDArray[np.intp]
    points: NDArray[np.float64]
    named: NDArray[np.intp]
    people: NDArray[np.int64]

    @classmethod
    def of(cls, microdata: Microdata, persons: Persons | None = None) -> _Similar:
        """The combinations of a table."""
        codes, combination = combinations(microdata)
        of_record = combination[microdata.distinct_of]
        weights = np.bincount(of_record)
        lines = [
            _standardized(column, row, weights)
            for column, row in zip(microdata.quasi, codes, strict=True)
            if column.is_ordered
        ]
        named = [j for j, c in enumerate(microdata.quasi) if c.kind is Kind.CATEGORICAL]
        points = np.array(lines, dtype=np.float64).reshape(len(lines), len(weights))
        pairs = np.zeros((2, 0), dtype=np.int64)
        if persons is not None and persons.of is not None:
            both = np.unique(of_record * persons.count + persons.of)
            pairs = np.stack([both // persons.count, both % persons.count]).astype(np.int64)
        return cls(codes, weights, of_record, points, np.array(named, dtype=np.intp), pairs)

    def people_among(self, some: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of some combinations: their places among these, ascending, and the people."""
        place = np.full(len(self.weights), -1, dtype=np.int64)
        place[some] = np.arange(len(some))
        place = place[self.people[0]]
        order = np.argsort(place[place >= 0], kind="stable")
        return place[place >= 0][order], self.people[1][place >= 0][order]

    def differing(self, some: NDArray[np.intp]) -> NDArray[np.float64]:
        """How much some differ in each column: half the mean squared distance of any two.

        That is the variance, or half the probability that two categories differ.
        """
        weights = self.weights[some] / self.weights[some].sum()
        differ = np.empty(len(self.codes))
        lines = np.setdiff1d(np.arange(len(self.codes)), self.named)
        for j, line in zip(lines, self.points, strict=True):
            x = line[some]
            differ[j] = weights @ (x - weights @ x) ** 2
        for j in self.named:
            differ[j] = (1 - (np.bincount(self.codes[j, some], weights=weights) ** 2).sum()) / 2
        return differ


def _standardized(
    column: Column, codes: NDArray[np.int32], weights: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Values standardized to variance 1; all 0 if they are all equal."""
    x = (column.positions - column.positions[0])[codes]
    shares = weights / weights.sum()
    x = x - shares @ x
    if codes.min() == codes.max():
        return np.zeros(len(x))
    x /= np.abs(x).max()  # so that squares are neither too large nor too small
    return x / np.sqrt(shares @ x**2)


def _similar_groups(similar: _Similar, k: int, block: int) -> tuple[NDArray[np.int32], int]:
    """The group of each combination, and the number of groups."""
    blocks = list(_blocks(similar, np.arange(len(similar.weights)), k, block))
    found: list[tuple[NDArray[np.int32], int]] = [(np.empty(0, np.int32), 0)] * len(blocks)

    def task(number: int) -> Task:
        def run() -> Iterable[Task]:
            some = blocks[number]
            codes = [np.unique(similar.codes[j, some], return_inverse=True)[1].ravel()
                     for j in similar.named]  # fmt: skip
            places, people = similar.people_among(some)
            begin = np.searchsorted(places, np.arange(len(some) + 1)) if len(places) else places
            found[number] = mdav(
                similar.points.take(some, axis=1),  # contiguous rows, as the kernel needs
                np.array(codes, dtype=np.int32).reshape(len(codes), len(some)),
                similar.weights[some],
                k,
                begin.astype(np.int64),
                np.unique(people, return_inverse=True)[1].ravel().astype(np.int64),
            )
            return ()

        return run

    run_tasks([task(number) for number in range(len(blocks))])
    group_of, groups = np.empty(len(similar.weights), dtype=np.int32), 0
    for some, (group_in_block, more) in zip(blocks, found, strict=True):
        group_of[some] = groups + group_in_block
        groups += more
    return group_of, groups


def _blocks(
    similar: _Similar, some: NDArray[np.intp], k: int, block: int
) -> Iterator[NDArray[np.intp]]:
    """Cut at the median of the column in which they differ most, until blocks are small enough."""
    parts = _halves(similar, some, k) if len(some) > block else None
    if parts is None:
        yield some
    else:
        for part in parts:
            yield from _blocks(similar, part, k, block)


def _halves(
    similar: _Similar, some: NDArray[np.intp], k: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Two halves, as even as a column allows; None if no column leaves both large enough."""
    weights = similar.weights[some]
    for j in np.argsort(-similar.differing(some), kind="stable"):
        codes = similar.codes[j, some]
        upto = np.cumsum(np.bincount(codes, weights=weights)).astype(np.int64)
        fits = (upto >= k) & (upto[-1] - upto >= k)
        if similar.people.size:
            fits &= _of_enough_people(similar, some, codes, k)
        if fits.any():
            cut = int(np.argmin(np.where(fits, np.abs(2 * upto - upto[-1]), 2 * upto[-1])))
            return some[codes <= cut], some[codes > cut]
    return None
