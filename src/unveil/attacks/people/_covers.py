"""Whose rows cover a point, where a person may have several rows.

Points that the same classes cover are one *cover*: in most releases a cover is a class. What an
attacker finds there is counted in people. A person with c rows in a cover adds 1/c for each, so
that all people weigh the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people._index import (
    Index,
    boxes_of,
    counts_of,
    distinct_points,
    suppressed_in,
    values_in_boxes,
)
from unveil.attacks.people._placing import Placing
from unveil.microdata import Release

_KEPT = 2**14  # covers whose people are kept in memory


class Inside(NamedTuple):
    """The people who have rows in a cover, and the sensitive values of these rows.

    Attributes
    ----------
    persons, rows : arrays
        Who they are, ascending, and how many rows each has there.
    values, weights : arrays
        The codes of the values, ascending, and the people who have them: parts of people, where a
        person has several values.
    owners : array
        How many people have a row with the value.
    pairs : array
        Each person with each value that they have there: person times the number of values, plus
        the value; ascending.
    """

    persons: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[np.int64]
    weights: NDArray[np.float64]
    owners: NDArray[np.int64]
    pairs: NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Covers:
    """The covers of some points in a release.

    Attributes
    ----------
    release : Release
    persons : array
        The person of each released row.
    boxes : tuple of arrays
        The classes of each cover, ascending; of the first none.
    of : array, one a point
        The cover of each point; 0 if no row covers it.
    resorted : bool array, one a cover
        Whether its classes are the suppressed ones, because no other covers its points.
    """

    release: Release
    persons: NDArray[np.int64]
    boxes: tuple[NDArray[np.int64], ...]
    of: NDArray[np.int64]
    resorted: NDArray[np.bool_]

    @classmethod
    def at(
        cls, release: Release, persons: NDArray[np.int64], placing: Placing,
        points: NDArray[np.int32],
    ) -> Covers:  # fmt: skip
        """Look for points (points × columns), in the domains of a placing."""
        n = release.n_classes
        each = np.arange(n)
        counts = counts_of(
            release.sizes, values_in_boxes(each, each, n), last_resort=suppressed_in(release)
        )
        boxes = boxes_of(placing.regions, placing.sizes, placing.everything)
        index = Index.sorted(boxes, counts, n)
        first, kind = distinct_points(points)
        known: dict[bytes, int] = {b"": 0}
        covers, resorted = [np.empty(0, dtype=np.int64)], [False]
        cover = np.zeros(len(first), dtype=np.int64)
        for found in index.search(points[first]):
            ends = np.searchsorted(found.point, np.arange(len(found.records) + 1))
            for place in range(len(found.records)):
                own = np.sort(found.value[ends[place] : ends[place + 1]])
                number = known.setdefault(own.tobytes(), len(covers))
                if number == len(covers):
                    covers.append(own)
                    resorted.append(bool(found.resorted[place]))
                cover[found.points.start + place] = number
        return cls(release=release, persons=persons, boxes=tuple(covers), of=cover[kind],
                   resorted=np.array(resorted))  # fmt: skip

    @cached_property
    def _by_class(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The rows class by class, and where those of each class begin."""
        starts = np.concatenate([[0], np.cumsum(self.release.sizes)])
        return np.argsort(self.release.class_of, kind="stable"), starts

    @cached_property
    def _by_person(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The rows person by person, and the person of each."""
        order = np.argsort(self.persons, kind="stable")
        return order, self.persons[order]

    def _rows_of(self, person: int) -> NDArray[np.intp]:
        """All released rows of a person."""
        order, whose = self._by_person
        first, last = np.searchsorted(whose, [person, person + 1])
        return order[first:last]

    def rows(self, cover: int) -> NDArray[np.intp]:
        """The released rows of a cover."""
        order, starts = self._by_class
        parts = [order[starts[box] : starts[box + 1]] for box in self.boxes[cover]]
        return np.concatenate([np.empty(0, dtype=np.intp), *parts])

    @cached_property
    def inside(self) -> Callable[[int], Inside]:
        """Who and what is in a cover, by its number."""
        return lru_cache(_KEPT)(self._inside)

    def _inside(self, cover: int) -> Inside:
        rows, width = self.rows(cover), self.release.sensitive.size
        secrets = self.release.sensitive.codes[rows].astype(np.int64)
        persons, place, number = np.unique(
            self.persons[rows], return_inverse=True, return_counts=True
        )
        values, where = np.unique(secrets, return_inverse=True)
        weights = np.zeros(len(values))
        np.add.at(weights, where.ravel(), 1 / number[place.ravel()])
        pairs = np.unique(self.persons[rows] * width + secrets)
        owners = np.bincount(np.searchsorted(values, pairs % width), minlength=len(values))
        return Inside(persons, number, values, weights, owners, pairs)

    @cached_property
    def counted(self) -> NDArray[np.int64]:
        """How many people have rows in each cover."""
        return np.array([len(self.inside(c).persons) for c in range(len(self.boxes))])

    def overlap(self, covers: Sequence[int]) -> bool:
        """Whether a class is in several of these covers."""
        every = np.concatenate([self.boxes[cover] for cover in covers])
        return len(np.unique(every)) < len(every)

    def fits(self, person: int, covers: Sequence[int], needed: Sequence[int]) -> bool:
        """Whether a person has rows of their own for all of somebody's: so many in each cover.

        A row may be in several covers and stand for one row alone: a matching.
        """
        rows = self._rows_of(person)
        classes = self.release.class_of[rows]
        own = []
        for cover in covers:
            boxes = self.boxes[cover]
            place = np.minimum(np.searchsorted(boxes, classes), len(boxes) - 1)
            own.append(np.flatnonzero(boxes[place] == classes))
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        # A line for each of somebody's rows: which of the person's it may be.
        lines = [line for line, n in zip(own, needed, strict=True) for _ in range(n)]
        ends = np.cumsum([0, *map(len, lines)])
        columns = np.concatenate(lines)
        graph = csr_array(
            (np.ones(len(columns)), columns, ends), shape=(len(lines), len(rows))
        )  # fmt: skip
        return bool((maximum_bipartite_matching(graph, perm_type="column") >= 0).all())
