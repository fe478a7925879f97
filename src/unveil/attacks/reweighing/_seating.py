"""Who is in which class of a generalized release, as far as that can be told.

Somebody who knows everybody's quasi-identifiers looks up the classes whose cells cover each
person. Mostly there is one. Where classes overlap (suppressed records, ``*`` in every column,
overlap with all), he goes by numbers: records are people, so that a class which covers just as
many people as it has records has all of them, whatever else covers these; and whoever has a single
class left is in it. What he cannot tell by that he leaves open:

- people whom several classes may still have are *undecided*;
- a class with more people than records has some who are not in the table; who is not known, so
  that all of its people are in *doubt*;
- records of a class that nobody was found for belong to *strangers*, of whom nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people import Index, boxes_of, counts_of
from unveil.microdata import Regions

__all__ = ["DOUBTED", "NOWHERE", "UNDECIDED", "Seating", "seated"]

NOWHERE, UNDECIDED, DOUBTED = -1, -2, -3
"""Why a kind of people has no class: nothing covers them, several do, or too many are there."""

_FEW = 64  # classes of one kind of people that are looked at; with more they stay undecided
_STEPS = 1_000  # of going by numbers


@dataclass(frozen=True, eq=False, kw_only=True)
class Seating:
    """The class of every kind of people (`NOWHERE`, `UNDECIDED` or `DOUBTED` if there is none).

    Attributes
    ----------
    class_of : array
    strangers : array, one a class
        How many of its records nobody was found for.
    """

    class_of: NDArray[np.int64]
    strangers: NDArray[np.int64]


def seated(
    points: NDArray[np.int32],
    people: NDArray[np.int64],
    regions: Sequence[Regions],
    sizes: Sequence[int],
    everything: Sequence[NDArray[np.bool_]],
    records: NDArray[np.int64],
) -> Seating:
    """Seat kinds of people in classes.

    Parameters
    ----------
    points : array (kinds × columns)
        The values of each kind, as `Placing` codes them.
    people : array
        How many people each kind is.
    regions, sizes, everything : sequences, one a column
        What the classes cover, as `Placing` has it.
    records : array
        How many records each class has.

    Examples
    --------
    Two records are hidden altogether. Both people aged 30 must be in the class 30, so that those
    aged 41 and 52 are left for the hidden ones.

    >>> from unveil.microdata import Intervals
    >>> cells = Intervals(np.array([0, 0]), np.array([0, 2]))
    >>> found = seated(np.array([[0], [1], [2]], dtype=np.int32), np.array([2, 1, 1]), [cells],
    ...                [3], [np.zeros(2, dtype=bool)], np.array([2, 2]))
    >>> found.class_of.tolist(), found.strangers.tolist()
    ([0, 1, 1], [0, 0])
    """
    n = len(records)
    boxes = boxes_of(regions, sizes, everything)
    # The index tells which sensitive values the boxes around a point have: here, their numbers.
    numbers = (np.arange(n + 1), np.arange(n), np.ones(n))
    index = Index.sorted(boxes, counts_of(records, numbers), n)
    kinds, classes, covering = [], [], np.zeros(len(points), dtype=np.int64)
    about = np.zeros(n, dtype=np.int64)
    for found in index.search(points):
        kind = found.point + found.points.start
        covering[found.points] = found.classes
        about += np.bincount(found.value, people[kind], minlength=n).astype(np.int64)
        few = found.classes[found.point] <= _FEW
        kinds.append(kind[few])
        classes.append(found.value[few])
    pairs = np.concatenate(kinds), np.concatenate(classes)
    class_of = _by_numbers(*pairs, covering, people, about, records)
    return _without_doubted(class_of, people, records)


def _by_numbers(
    kind: NDArray[np.int64],
    of_class: NDArray[np.int64],
    covering: NDArray[np.int64],
    people: NDArray[np.int64],
    about: NDArray[np.int64],
    records: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Who has a single class left, and who must fill one, again and again.

    ``about`` is how many people each class covers. Sitting down in a class takes a person's
    records and the person away from it alike, so that only those who sit down elsewhere change
    how many a class covers beyond its records.
    """
    class_of = np.where(covering > 0, UNDECIDED, NOWHERE)
    spare = about - records
    may = np.ones(len(kind), dtype=bool)  # a pair that is still possible
    contested = np.zeros(len(people), dtype=bool)
    for _ in range(_STEPS):
        left = np.bincount(kind[may], minlength=len(people))
        single = (left == 1) & (covering <= _FEW)
        # Classes that need everybody whom they cover; two that need the same person contradict
        # each other, so that somebody is not known.
        needy = may & (spare[of_class] == 0) & ~contested[kind]
        wanted = np.bincount(kind[needy], minlength=len(people))
        contested |= wanted > 1
        sits = may & (class_of[kind] == UNDECIDED) & (
            single[kind] | (needy & (wanted[kind] == 1))
        )  # fmt: skip
        if not sits.any():
            break
        class_of[kind[sits]] = of_class[sits]
        gone = may & (class_of[kind] >= 0) & (class_of[kind] != of_class)
        spare -= np.bincount(of_class[gone], people[kind[gone]], minlength=len(spare)).astype(
            np.int64
        )
        may &= ~gone
    return class_of


def _without_doubted(
    class_of: NDArray[np.int64], people: NDArray[np.int64], records: NDArray[np.int64]
) -> Seating:
    there = class_of >= 0
    seats = np.bincount(class_of[there], people[there], minlength=len(records)).astype(np.int64)
    crowded = seats > records
    class_of = class_of.copy()
    class_of[there & crowded[class_of]] = DOUBTED
    return Seating(class_of=class_of, strangers=np.where(crowded, records, records - seats))
