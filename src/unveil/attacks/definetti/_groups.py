"""Groups of people whose sensitive values are known, but not whose they are.

Of a permuted release (Anatomy) these are its groups as published. Of a generalized release they are
its classes, with the people who were found for them. An attacker who knows everybody's
quasi-identifiers looks up the classes whose cells cover each person. Usually there is one. Where
classes overlap (suppressed records, ``*`` in every column, overlap with all), numbers decide:
records are people, so a class that covers exactly as many people as it has records has all of them,
whatever else covers them; and a person with a single class left is in it. The rest stays open:

- people in several possible classes are *undecided*;
- a class with more people than records has some who are not in the table; it is not known who, so
  all of its people are *doubted*;
- records of a class for which nobody was found belong to *strangers*, people without values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.definetti._kernels import Sheet
from unveil.attacks.people import ANY, Index, Placing, counts_of, distinct_points
from unveil.attacks.people import boxes_of as boxes_around
from unveil.attacks.relative_risk import boxes_of
from unveil.engine.counting import combined
from unveil.errors import Call, File, InputError, Message, Text
from unveil.microdata import Permuted, Regions, Release

NOWHERE, UNDECIDED, DOUBTED = -1, -2, -3
"""Why people have no class: nothing covers them, several classes do, or it has too many people."""

_MOST_STATES = 2**24  # of one group: two arrays of 128 MB
_MOST_ENTRIES = 2**28  # beliefs that are kept, of 8 bytes each
_FEW = 64  # classes of one kind of people that are examined; with more they stay undecided
_ROUNDS = 1_000  # of deciding by numbers


@dataclass(frozen=True, eq=False, kw_only=True)
class Groups:
    """People with the same values within a group are one *row*; rows are ordered by group.

    Attributes
    ----------
    tuples : array (tuples × columns)
        The quasi-identifiers of the people, each combination once; below 0 where not known.
    start : array
        Where the rows of each group begin.
    tuple_of : array, one per row
        Its tuple; -1: strangers.
    people : array, one per row
        Number of people.
    value_start, values, numbers : arrays
        The sensitive values of each group, and how many records have them.
    place : array, one per group
        Its number in the release: of the group, or of (one of) the classes with these cells.
    """

    tuples: NDArray[np.int32]
    start: NDArray[np.int64]
    tuple_of: NDArray[np.int64]
    people: NDArray[np.int64]
    value_start: NDArray[np.int64]
    values: NDArray[np.int64]
    numbers: NDArray[np.int64]
    place: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.place)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of records of each group."""
        return np.add.reduceat(self.numbers, self.value_start[:-1])

    @cached_property
    def group_of(self) -> NDArray[np.int64]:
        """The group of each row."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def promise(self) -> NDArray[np.float64]:
        """The largest share of a value in each group: the largest belief it promises."""
        return np.maximum.reduceat(self.numbers, self.value_start[:-1]) / self.sizes

    @cached_property
    def entry(self) -> NDArray[np.int64]:
        """Where the beliefs about each group begin: one for each of its rows and values."""
        many = np.diff(self.start) * np.diff(self.value_start)
        return np.concatenate([[0], np.cumsum(many)])

    @cached_property
    def entry_row(self) -> NDArray[np.int64]:
        """The row of each belief."""
        return np.repeat(np.arange(len(self.tuple_of)), np.diff(self.value_start)[self.group_of])

    @cached_property
    def entry_value(self) -> NDArray[np.int64]:
        """The place of each belief's value among the ``values``."""
        width = np.diff(self.value_start)[self.group_of]
        before = np.cumsum(width) - width - self.value_start[:-1][self.group_of]
        return np.arange(int(width.sum())) - np.repeat(before, width)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Random worlds: beliefs if everybody in a group is equally likely to have each record."""
        return self.numbers[self.entry_value] / self.sizes[self.group_of[self.entry_row]]

    def sheet(self, codes: NDArray[np.int32], steps: int) -> Sheet:
        """The groups for the kernels, as a model sees them.

        ``codes`` (tuples × columns) is what the model knows of each tuple, ``steps`` the number of
        steps per person that an exact answer may take.
        """
        with np.errstate(over="ignore"):  # in how many ways values can be used up
            states = np.multiply.reduceat(self.numbers + 1.0, self.value_start[:-1])
        costs = states * np.diff(self.value_start)  # the steps that an exact answer takes
        exact = (costs <= steps * self.sizes) & (states <= _MOST_STATES)
        strangers = np.full((1, codes.shape[1]), -1, dtype=np.int32)
        return Sheet(
            self.start, self.people,
            np.ascontiguousarray(np.concatenate([codes, strangers])[self.tuple_of]),
            self.value_start, self.values, self.numbers, self.entry,
            np.where(exact, states, 0).astype(np.int64),
        )  # fmt: skip

    def check_size(self) -> None:
        """Refuse what would not fit into memory."""
        if self.entry[-1] > _MOST_ENTRIES:
            raise InputError(
                "{entries} beliefs would have to be kept, one for each kind of people and each "
                "value in their group, but at most {most} fit; combine values of the sensitive "
                "column, or take a part of the groups",
                entries=int(self.entry[-1]), most=_MOST_ENTRIES,
            )  # fmt: skip


def why_not(reason: int, release: Release | Permuted) -> Text:
    """Why people have no class or group, and what could be done."""
    if reason == NOWHERE:
        return "no record can be theirs"
    if reason == DOUBTED:
        return (
            "their class has more people than records; give the people who are in the table, and "
            "nobody else"
        )
    if isinstance(release, Permuted):
        return "one of their values is not known, so several records may be theirs"
    return Message("cells overlap, and they may be in several classes; {risk} samples which",
                   risk=Call("relative_risk"))  # fmt: skip


def groups_of_permuted(
    release: Permuted, *, apart: bool = False
) -> tuple[Groups, NDArray[np.int64]]:
    """The groups of a permuted release, and the tuple of each of its records.

    ``apart``: equal records in different groups have tuples of their own, because whoever asks
    about a record knows its group.
    """
    columns = list(release.codes.astype(np.int64))
    group_of = release.group_of.astype(np.int64)
    first, tuple_of = combined([group_of, *columns] if apart else columns)
    one, row_of = combined([group_of, tuple_of])
    groups = _grouped(
        release.codes[:, first].T, group_of[one], tuple_of[one], np.bincount(row_of),
        release.counts, np.arange(release.n_groups),
    )  # fmt: skip
    return groups, tuple_of


def in_groups(
    release: Permuted, codes: NDArray[np.int32]
) -> tuple[Groups, NDArray[np.int64], NDArray[np.int64]]:
    """The groups of a permuted release, the tuple of each person, and why some have none."""
    groups, _ = groups_of_permuted(release)
    _, number = distinct_points(np.concatenate([groups.tuples, codes]))
    place = np.full(int(number.max()) + 1, NOWHERE)
    place[number[: len(groups.tuples)]] = np.arange(len(groups.tuples))
    # A person with an unknown value may have several records.
    found = np.where((codes == ANY).any(axis=1), UNDECIDED, place[number[len(groups.tuples) :]])
    return groups, np.where(found >= 0, found, -1), found[found < 0]


def in_classes(
    release: Release, placing: Placing, codes: NDArray[np.int32]
) -> tuple[Groups, NDArray[np.int64], NDArray[np.int64]]:
    """The classes of a generalized release with their people; otherwise like `in_groups`."""
    # Classes that publish the same cells cannot be distinguished.
    _, box_of_class = boxes_of(release.quasi, release.regions)
    first = np.unique(box_of_class, return_index=True)[1]
    counts = np.zeros((len(first), release.sensitive.size), dtype=np.int64)
    np.add.at(counts, box_of_class, release.counts)
    some, tuple_of = distinct_points(codes)
    people = np.bincount(tuple_of)
    class_of, strangers = seated(
        codes[some], people, [region.take(first) for region in placing.regions], placing.sizes,
        [whole[first] for whole in placing.everything], counts.sum(axis=1),
    )  # fmt: skip
    seats = np.flatnonzero(class_of >= 0)
    if not len(seats):
        reason = int(class_of.min())
        raise InputError(
            "nobody can be assigned to a class of the release by {made_by}: {why}{advice}",
            made_by=File(release.made_by, bare=True), why=why_not(reason, release),
            advice="; give the people whose records they are" if reason == NOWHERE else "",
        )  # fmt: skip
    # Only classes that have people are groups.
    used, group = np.unique(class_of[seats], return_inverse=True)
    empty = np.flatnonzero(strangers[used] > 0)
    group_of = np.concatenate([group.ravel(), empty])
    row_of = np.concatenate([seats, np.full(len(empty), -1)])
    many = np.concatenate([people[seats], strangers[used][empty]])
    order = np.argsort(group_of, kind="stable")
    groups = _grouped(
        codes[some], group_of[order], row_of[order], many[order], counts[used], first[used]
    )
    class_of = class_of[tuple_of]
    return groups, np.where(class_of >= 0, tuple_of, -1), class_of[class_of < 0]


def _grouped(
    tuples: NDArray[np.int32],
    group_of: NDArray[np.int64],
    tuple_of: NDArray[np.int64],
    people: NDArray[np.int64],
    counts: NDArray[np.int64],
    place: NDArray[np.int64],
) -> Groups:
    """Groups from rows that are ordered by group."""
    g, s = np.nonzero(counts)
    many = np.bincount(group_of, minlength=len(counts))
    return Groups(
        tuples=np.ascontiguousarray(tuples, dtype=np.int32),
        start=np.concatenate([[0], np.cumsum(many)]).astype(np.int64),
        tuple_of=tuple_of.astype(np.int64),
        people=people.astype(np.int64),
        value_start=np.searchsorted(g, np.arange(len(counts) + 1)).astype(np.int64),
        values=s.astype(np.int64),
        numbers=counts[g, s].astype(np.int64),
        place=place,
    )


class Seating(NamedTuple):
    """The class of every kind of people (`NOWHERE`, `UNDECIDED` or `DOUBTED` without one).

    ``strangers`` is, for each class, the number of records for which nobody was found.
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
    """Assign kinds of people to classes.

    Parameters
    ----------
    points : array (kinds × columns)
        The values of each kind, as `Placing` codes them.
    people : array
        Number of people of each kind.
    regions, sizes, everything : sequences, one per column
        What the classes cover, as `Placing` has it.
    records : array
        Number of records of each class.

    Examples
    --------
    Two records are suppressed. Both people aged 30 must be in the class 30, so those aged 41 and
    52 are left for the suppressed records.

    >>> from unveil.microdata import Intervals
    >>> cells = Intervals(np.array([0, 0]), np.array([0, 2]))
    >>> found = seated(np.array([[0], [1], [2]], dtype=np.int32), np.array([2, 1, 1]), [cells],
    ...                [3], [np.zeros(2, dtype=bool)], np.array([2, 2]))
    >>> found.class_of.tolist(), found.strangers.tolist()
    ([0, 1, 1], [0, 0])
    """
    n = len(records)
    boxes = boxes_around(regions, sizes, everything)
    # The index finds the sensitive values of the boxes around a point: here, the boxes' numbers.
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
    there = class_of >= 0
    seats = np.bincount(class_of[there], people[there], minlength=n).astype(np.int64)
    crowded = seats > records
    class_of[there & crowded[class_of]] = DOUBTED
    return Seating(class_of, strangers=np.where(crowded, records, records - seats))


def _by_numbers(
    kind: NDArray[np.int64],
    of_class: NDArray[np.int64],
    covering: NDArray[np.int64],
    people: NDArray[np.int64],
    about: NDArray[np.int64],
    records: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Repeatedly assign those with a single class left, and those whom a class needs.

    ``about`` is the number of people whom each class covers. Assigning people to a class reduces
    its people and its free records alike, so only people assigned elsewhere change how many it
    covers beyond its records.
    """
    class_of = np.where(covering > 0, UNDECIDED, NOWHERE)
    spare = about - records
    may = np.ones(len(kind), dtype=bool)  # a pair that is still possible
    contested = np.zeros(len(people), dtype=bool)
    for _ in range(_ROUNDS):
        left = np.bincount(kind[may], minlength=len(people))
        single = (left == 1) & (covering <= _FEW)
        # Classes that need everybody whom they cover. Two that need the same person contradict
        # each other, so there is somebody who is not known.
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
