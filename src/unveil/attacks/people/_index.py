"""A release as boxes to be searched: its classes, or the records of a permuted one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people._kernels import (
    AMONG,
    END,
    FOUND,
    GROUP,
    GROUPS,
    HIGH,
    LOW,
    RECORDS,
    RESORTED,
    START,
    STOP,
    VALUES,
    WORDS,
    Boxes,
    Counts,
    Tree,
    covered,
    grow,
    link,
    search,
)
from unveil.engine.counting import combined
from unveil.microdata import Intervals, Permuted, Regions, Release, Sets

_STEP = 2**15  # points that are searched together, if there is room for their values
_ROOM = 2**20  # values


class Found(NamedTuple):
    """What some points have found.

    Attributes
    ----------
    points : slice
        Which points.
    records, classes : arrays, one a point
        How many records cover it, and in how many classes (of a permuted release: groups).
    point, value, number : arrays
        The sensitive values of these records: the point's place in the slice, ascending, the
        code, and how many records have it (of a permuted release, how many are expected to).
    among : array, one a point
        Whether a record that may be the point's own is among them.
    resorted : array, one a point
        Whether they are the last resort, because no other record covers it.
    """

    points: slice
    records: NDArray[np.int64]
    classes: NDArray[np.int64]
    point: NDArray[np.int64]
    value: NDArray[np.int64]
    number: NDArray[np.float64]
    among: NDArray[np.bool_]
    resorted: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Index:
    """Boxes that can be searched for those that cover a point.

    Attributes
    ----------
    boxes : Boxes
        In the order of the tree, so that those looked at together lie together.
    tree : Tree
    counts : Counts
        How many records and which sensitive values the boxes have.
    place : array
        Where each box has gone, by its number.
    width : int
        How many sensitive values there are.
    """

    boxes: Boxes
    tree: Tree
    counts: Counts
    place: NDArray[np.int64]
    width: int

    @property
    def records(self) -> NDArray[np.int64]:
        """How many records each box has, by its number."""
        return self.counts.boxes[self.place, RECORDS]

    @classmethod
    def sorted(cls, boxes: Boxes, counts: Counts, width: int) -> Index:
        """Sort boxes into a tree."""
        n, columns = boxes.sides.shape[:2]
        order = np.arange(n)
        # Most of this is never touched, and so takes no memory.
        reach = np.empty((2 * n, columns, 2), dtype=np.int32)
        nodes = np.empty((2 * n, 3), dtype=np.int64)
        room = np.empty((3 + 64 * columns, 2 * columns), dtype=np.int64)
        size = grow(boxes, order, reach, nodes, room)
        boxes = Boxes(boxes.sides[order], boxes.members)
        has_sets = (boxes.sides[:, :, STOP] > boxes.sides[:, :, START]).any(axis=0)
        bits = np.zeros((size, int(has_sets.sum()), WORDS), dtype=np.uint64)
        of_column = np.where(has_sets, np.cumsum(has_sets) - 1, -1)
        tree = Tree(reach[:size].copy(), nodes[:size].copy(), bits, of_column)
        link(boxes, tree, np.full(n + 1, size))
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        counts = counts._replace(boxes=counts.boxes[order])
        return cls(boxes=boxes, tree=tree, counts=counts, place=place, width=width)

    @classmethod
    def of(
        cls,
        release: Release | Permuted,
        regions: Sequence[Regions],
        sizes: Sequence[int],
        everything: Sequence[NDArray[np.bool_]],
        *,
        by_group: bool = False,
        last_resort: NDArray[np.bool_] | None = None,
    ) -> Index:
        """Make the index of a release.

        Parameters
        ----------
        release : Release or Permuted
        regions : sequence of Regions
            What its classes cover in each column; not looked at for a permuted release.
        sizes : sequence of int
            How many values each column has. The code after the last stands for all others.
        everything : sequence of bool arrays
            For each column, the classes whose cells cover those as well.
        by_group : bool
            For a permuted release: count all sensitive values of the groups of the records that
            cover a point, not each record's share of them.
        last_resort : bool array, optional
            Classes that count only for points that no other class covers.
        """
        if isinstance(release, Permuted):
            boxes, counts = _of_groups(release, by_group)
        else:
            boxes = boxes_of(regions, sizes, everything)
            values = values_in_boxes(release.class_of, release.sensitive.codes, release.n_classes)
            counts = counts_of(release.sizes, values, last_resort=last_resort)
        return cls.sorted(boxes, counts, release.sensitive.size)

    def chances(self, sizes: Sequence[int]) -> NDArray[np.float64]:
        """The log probability of each box, by its number, to cover somebody drawn at random.

        Columns are drawn independently of each other, each from what the boxes say about it: a
        record has each of the codes of its box with the same probability. A box without codes has
        -∞. ``sizes`` are those of `Index.of`.
        """
        sides, members, records = *self.boxes, self.counts.boxes[:, RECORDS]
        chance = np.zeros(len(sides))
        for j, size in enumerate(sizes):
            low, high, start, stop = sides[:, j].astype(np.int64).T
            is_set = stop > start
            lengths = (stop - start)[is_set]
            # The codes of all sets, one after the other, and where each set begins among them.
            begins = np.cumsum(lengths) - lengths
            codes = members[np.arange(lengths.sum()) + np.repeat(start[is_set] - begins, lengths)]
            width = np.maximum(high - low + 1, 0)
            width[is_set] = lengths
            each = np.where(width > 0, records / np.maximum(width, 1), 0.0)
            plain = np.where(is_set, 0.0, each)
            change = np.bincount(low, plain, size + 2) - np.bincount(high + 1, plain, size + 2)
            among = np.cumsum(change)[: size + 1].clip(0)
            among += np.bincount(codes, np.repeat(each[is_set], lengths), size + 1)
            upto = np.concatenate([[0.0], np.cumsum(among)])
            inside = upto[np.maximum(high + 1, low)] - upto[low]
            if len(lengths):
                inside[is_set] = np.add.reduceat(among[codes], begins)
            # Its own records are inside, whatever rounding says.
            inside = np.where(width > 0, np.maximum(inside, records), 0.0)
            with np.errstate(divide="ignore"):
                chance += np.log(inside) - np.log(max(1, records.sum()))
        return chance[self.place]

    def weighed(self, weights: NDArray[np.float64]) -> Index:
        """The same boxes with their numbers of sensitive values times a weight, one a box.

        Not for values that groups of boxes share.
        """
        lengths = (self.counts.boxes[:, END] - self.counts.boxes[:, VALUES])[self.place]
        number = self.counts.number * np.repeat(weights, lengths)
        return replace(self, counts=self.counts._replace(number=number))

    def search(
        self,
        points: NDArray[np.int32],
        *,
        weights: NDArray[np.int64] | None = None,
        own: NDArray[np.int32] | None = None,
        secrets: NDArray[np.int64] | None = None,
        people: NDArray[np.int64] | None = None,
    ) -> Iterator[Found]:
        """What covers points (points × columns), some points at a time.

        Parameters
        ----------
        points : array
        weights : array, optional
            How many people are at each point.
        own, secrets : arrays, optional
            The codes and the sensitive value (or NO_VALUE, ANY_VALUE) of each point's own record.
        people : array, one a box, optional
            Where the people whom each box covers are counted, at the box's place.
        """
        n, columns = points.shape
        whose = np.zeros((n, columns + 2), dtype=np.int64)
        whose[:, :columns] = points if own is None else own
        whose[:, columns] = -1 if secrets is None else secrets
        whose[:, columns + 1] = 1 if weights is None else weights
        if people is None:
            people = np.zeros(len(self.boxes.sides), dtype=np.int64)
        value = np.empty(max(_ROOM, 2 * self.width), dtype=np.int64)
        number = np.empty(len(value))
        groups = int(self.counts.boxes[:, GROUP].max()) + 1
        first = 0
        while first < n:
            last = min(n, first + _STEP)
            found = np.zeros((last - first, 5), dtype=np.int64)
            room = (np.zeros(self.width), np.empty(self.width, np.int64), np.full(groups, -1))
            done = search(
                self.boxes, self.tree, self.counts, points[first:last], whose[first:last], people,
                found, value, number, room,
            )  # fmt: skip
            found = found[:done]
            point = np.repeat(np.arange(done), np.diff(found[:, FOUND], prepend=0))
            yield Found(
                slice(first, first + done), found[:, RECORDS], found[:, GROUPS], point,
                value[: len(point)].copy(), number[: len(point)].copy(),
                found[:, AMONG].astype(bool), found[:, RESORTED].astype(bool),
            )  # fmt: skip
            first += done

    def covered(self, boxes: NDArray[np.int64], points: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each point, whether the box named for it covers it."""
        found = np.empty(len(points), dtype=np.bool_)
        covered(self.boxes, self.place[boxes], points, found)
        return found


def boxes_of(
    regions: Sequence[Regions], sizes: Sequence[int], everything: Sequence[NDArray[np.bool_]]
) -> Boxes:
    """Regions as bounds and members; those that cover everything reach one code further."""
    sides = np.zeros((len(regions[0]), len(regions), 4), dtype=np.int32)
    members: list[NDArray[np.int32]] = []
    before = 0
    for j, (region, size, whole) in enumerate(zip(regions, sizes, everything, strict=True)):
        side = sides[:, j]
        if isinstance(region, Intervals):
            side[:, LOW], side[:, HIGH] = region.low, region.high
        else:
            sets = region if isinstance(region, Sets) else _as_sets(region, size)
            start, stop = sets.start[:-1], sets.start[1:]
            some = stop > start
            side[:, HIGH] = -1
            side[some, LOW] = sets.members[start[some]]
            side[some, HIGH] = sets.members[stop[some] - 1]
            gaps = some & (side[:, HIGH] - side[:, LOW] + 1 > stop - start)
            side[gaps, START], side[gaps, STOP] = before + start[gaps], before + stop[gaps]
            members.append(sets.members.astype(np.int32))
            before += len(sets.members)
        side[whole, HIGH] = size
    return Boxes(sides, np.concatenate([*members, np.empty(0, dtype=np.int32)]))


def _as_sets(regions: Regions, size: int) -> Sets:
    """Regions of a shape of their own, asked code by code."""
    inside = np.stack([regions.covers(code) for code in range(size)], axis=1)
    start = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int64)
    return Sets(start, np.nonzero(inside)[1].astype(np.int32))


def suppressed_in(release: Release | Permuted) -> NDArray[np.bool_] | None:
    """Which classes are suppressed; None if none is."""
    if isinstance(release, Release) and release.suppressed:
        return release.suppressed_classes
    return None


def counts_of(
    records: NDArray[np.int64],
    values: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    group: NDArray[np.int64] | None = None,
    *,
    once: bool = False,
    last_resort: NDArray[np.bool_] | None = None,
) -> Counts:
    """What boxes count for; ``values`` are those of boxes, or of groups if they count once."""
    start, value, number = values
    group = np.arange(len(records)) if group is None else group
    own = group if once else np.arange(len(records))
    last = np.zeros(len(records), dtype=bool) if last_resort is None else last_resort
    boxes = np.stack([records, group, start[own], start[own + 1], last], axis=1)
    # One order in memory, or the kernel is compiled for each.
    boxes = np.ascontiguousarray(boxes, dtype=np.int64)
    return Counts(boxes, value, number, int(once), int(last.sum()))


def values_in_boxes(
    box_of: NDArray[np.integer], codes: NDArray[np.integer], boxes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The sensitive values of the records in each box, and how many have them.

    >>> start, value, number = values_in_boxes(np.array([1, 0, 1, 1]), np.array([2, 0, 0, 2]), 2)
    >>> start.tolist(), value.tolist(), number.tolist()
    ([0, 1, 3], [0, 0, 2], [1.0, 1.0, 2.0])
    """
    width = int(codes.max(initial=0)) + 1
    pairs, number = np.unique(box_of.astype(np.int64) * width + codes, return_counts=True)
    start = np.searchsorted(pairs, np.arange(boxes + 1) * width)
    return start, pairs % width, number.astype(np.float64)


def _of_groups(release: Permuted, by_group: bool) -> tuple[Boxes, Counts]:
    """The records that are alike in quasi-identifiers and group, each kind of them a point."""
    first, kind = combined([*release.codes.astype(np.int64), release.group_of.astype(np.int64)])
    records, group = np.bincount(kind), release.group_of[first].astype(np.int64)
    sides = np.zeros((len(first), len(release.codes), 4), dtype=np.int32)
    sides[:, :, LOW] = sides[:, :, HIGH] = release.codes[:, first].T
    boxes = Boxes(sides, np.empty(0, dtype=np.int32))
    g, s = np.nonzero(release.counts)
    start = np.searchsorted(g, np.arange(release.n_groups + 1))
    number = release.counts[g, s].astype(np.float64)
    if by_group:
        return boxes, counts_of(records, (start, s, number), group, once=True)
    # A record counts as its share of each value of its group.
    lengths = np.diff(start)[group]
    ends = np.cumsum(lengths)
    at = np.arange(ends[-1]) - np.repeat(ends - lengths - start[:-1][group], lengths)
    shares = (number / release.sizes[g])[at] * np.repeat(records, lengths)
    own = np.concatenate([[0], ends])
    return boxes, counts_of(records, (own, s[at], shares), group)


def distinct_points(
    *tables: NDArray[np.integer],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One of the people for each kind of people, and everybody's kind (tables: people × columns).

    >>> first, kind = distinct_points(np.array([[3, -1], [2, 0], [3, -1]]))
    >>> first.tolist(), kind.tolist()
    ([1, 0], [1, 0, 1])
    """
    columns = [column.astype(np.int64) for table in tables for column in table.T]
    return combined([column - column.min() for column in columns])
