"""Persons with several records: all of them are left out, and the one that moves most counts.

d of a person is the largest distance between the two beliefs about any of their records. If
nothing is known of one of the records, nothing is known of the person: that record may be the one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Microdata


class Rows(NamedTuple):
    """All records of some people, those of each person together."""

    records: NDArray[np.intp]
    of: NDArray[np.intp]
    """Which of the people each record is of: ascending, and none is left out."""

    @property
    def start(self) -> NDArray[np.intp]:
        """Where the records of each person begin."""
        return np.flatnonzero(np.diff(self.of, prepend=-1))

    @property
    def each(self) -> list[slice]:
        """The place of each person's records."""
        ends = [*self.start.tolist(), len(self.of)]
        return [slice(*pair) for pair in pairwise(ends)]

    def of_people(self, said: Mapping[int, str]) -> dict[int, str]:
        """What was said about records, by their places, as said about their people.

        Of several records of a person the first one counts.
        """
        return {int(self.of[row]): why for row, why in sorted(said.items(), reverse=True)}


def rows_of(microdata: Microdata, records: NDArray[np.intp]) -> Rows:
    """All records of the people of some records; where each person has one, these themselves.

    >>> import unveil as uv
    >>> stays = uv.read_table({"age": [1, 2, 1], "ill": list("aba"), "who": [7, 8, 7]},
    ...                       quasi="age", sensitive="ill", person="who")
    >>> rows_of(stays, np.array([1, 0]))
    Rows(records=array([1, 0, 2]), of=array([0, 1, 1]))
    """
    several = microdata.several
    if several is None or several.of is None:
        return Rows(records, np.arange(len(records)))
    place, own = several.beside(records)
    return Rows(own, place)


def first_of_each(microdata: Microdata, records: NDArray[np.intp]) -> NDArray[np.intp]:
    """The first record of each person of some records, in the order in which these name them."""
    several = microdata.several
    if several is None or several.of is None:
        return records
    people = several.of[records]
    return several.first[people[np.sort(np.unique(people, return_index=True)[1])]]


class Farthest(NamedTuple):
    """Of each person: the largest distance of their records, which record it is of, and the mean.

    NaN where nothing is known of one of the records, and then the first record that is so.
    """

    distances: NDArray[np.float64]
    rows: NDArray[np.intp]
    """The record's place among all."""
    means: NDArray[np.float64]


def farthest(
    rows: Rows,
    measure: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    present: NDArray[np.float64],
    absent: NDArray[np.float64],
) -> Farthest:
    """The distances of people from the beliefs about their records.

    >>> same, other = [1.0, 0.0], [0.0, 1.0]
    >>> rows = Rows(np.arange(3), np.array([0, 0, 1]))
    >>> farthest(rows, lambda a, b: np.abs(a - b).sum(axis=1) / 2,
    ...          np.array([same, same, same]), np.array([same, other, same]))
    Farthest(distances=array([1., 0.]), rows=array([1, 2]), means=array([0.5, 0. ]))
    """
    had = ~np.isnan(present + absent).any(axis=1)
    distances = np.full(len(present), np.nan)
    distances[had] = measure(present[had], absent[had])
    start = rows.start
    most = np.maximum.reduceat(distances, start)  # one that is not known is the largest
    reached = np.flatnonzero((distances == most[rows.of]) | ~had)
    at = reached[np.unique(rows.of[reached], return_index=True)[1]]
    means = np.add.reduceat(distances, start) / np.diff(np.append(start, len(present)))
    return Farthest(most, at, means)
