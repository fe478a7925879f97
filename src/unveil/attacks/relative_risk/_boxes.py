"""What the groups of a release publish, as boxes: one region a column.

A box holds any number of tuples, and yet how many they are, whether a tuple is one of them, and
drawing one of them take no longer than there are columns. Regions that several groups publish
are kept once, and so are boxes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._kernels import meeting_boxes
from unveil.attacks.relative_risk._packed import Packed, packed_boxes
from unveil.microdata import Column, Intervals, Regions, Sets

__all__ = ["Boxes", "boxes_of", "boxes_that_meet"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Boxes:
    """Distinct boxes; the regions of all columns stand in one list.

    Attributes
    ----------
    region : array (boxes × columns)
        The place of each box's regions in that list.
    start, members : arrays
        The codes of region x are ``members[start[x]:start[x + 1]]``, ascending.
    low, high : arrays
        The smallest and the largest of them.
    mask_at, mask : arrays
        Where codes between these are missing: ``mask[mask_at[x] + code - low[x]]`` tells which
        are there. ``mask_at`` is -1 for regions without gaps.
    """

    region: NDArray[np.int64]
    start: NDArray[np.int64]
    members: NDArray[np.int32]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    mask_at: NDArray[np.int64]
    mask: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.region)

    @property
    def widths(self) -> NDArray[np.int64]:
        """How many codes each box has in each column."""
        return np.diff(self.start)[self.region]

    @property
    def volumes(self) -> NDArray[np.float64]:
        """How many tuples there are in each box."""
        return self.widths.astype(np.float64).prod(axis=1)

    @cached_property
    def packed(self) -> Packed:
        """The same as few words a box; none may be empty."""
        return packed_boxes(self)

    def codes(self, box: int, column: int) -> NDArray[np.int32]:
        """The codes that a box has in a column."""
        region = self.region[box, column]
        return self.members[self.start[region] : self.start[region + 1]]


def boxes_that_meet(
    boxes: Boxes, counts: NDArray[np.int64], wanted: NDArray[np.bool_], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each wanted box, the boxes that share a tuple and a sensitive value with it.

    Parameters
    ----------
    counts : array (boxes × sensitive values)
        How many rows.
    wanted : array
        Which boxes to do this for.
    most : int
        How many entries there may be in all. The boxes that meet the most others go without.

    Returns
    -------
    start, others : arrays
        Those of box g, itself included, are ``others[start[g]:start[g + 1]]``; none if it was not
        wanted, or went without.
    """
    spread = [len(np.unique(boxes.low[of_column])) for of_column in boxes.region.T]
    column = boxes.region[:, int(np.argmax(spread))]
    order = np.argsort(boxes.low[column], kind="stable")
    start, found = np.zeros(len(boxes) + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    parts = (boxes.packed, _as_bits(counts), order, boxes.low[column][order],
             boxes.high[column][order])  # fmt: skip
    meeting_boxes(*parts, wanted, start, found)
    degree = np.diff(start)
    by_degree = np.argsort(degree, kind="stable")
    kept = np.zeros(len(boxes), dtype=np.bool_)
    kept[by_degree] = (np.cumsum(degree[by_degree]) <= most) & wanted[by_degree]
    start = np.concatenate([[0], np.cumsum(np.where(kept, degree, 0))]).astype(np.int64)
    if start[-1] == 0:
        return start, found
    found = np.empty(start[-1], dtype=np.int64)
    meeting_boxes(*parts, kept, start, found)
    return start, found


def _as_bits(counts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Which sensitive values (columns) each box has, one bit a value."""
    boxes, values = counts.shape
    found = np.zeros((boxes, -(-values // 64)), dtype=np.uint64)
    for s in range(values):
        found[:, s // 64] |= (counts[:, s] > 0).astype(np.uint64) << np.uint64(s % 64)
    return found


def boxes_of(
    quasi: tuple[Column, ...], regions: tuple[Regions, ...]
) -> tuple[Boxes, NDArray[np.int64]]:
    """The distinct boxes of a release, and which of them each class publishes."""
    lists: list[NDArray[np.int32]] = []
    columns = []
    for column, published in zip(quasi, regions, strict=True):
        found, of_class = _distinct_regions(published, column.size)
        columns.append(of_class + len(lists))
        lists += found
    region, box_of_class = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return _from_lists(region, lists), box_of_class.ravel().astype(np.int64)


def _from_lists(region: NDArray[np.int64], lists: list[NDArray[np.int32]]) -> Boxes:
    start = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    low = np.array([one[0] if len(one) else 0 for one in lists], dtype=np.int64)
    high = np.array([one[-1] if len(one) else -1 for one in lists], dtype=np.int64)
    gaps = high - low + 1 > np.diff(start)
    mask_at = np.full(len(lists), -1, dtype=np.int64)
    spans = (high - low + 1)[gaps]
    mask_at[gaps] = np.concatenate([[0], np.cumsum(spans)])[:-1]
    mask = np.zeros(int(spans.sum()), dtype=np.bool_)
    for x in np.flatnonzero(gaps):
        mask[mask_at[x] + lists[x] - low[x]] = True
    members = np.concatenate(lists).astype(np.int32)
    return Boxes(region=region, start=start, members=members, low=low, high=high,
                 mask_at=mask_at, mask=mask)  # fmt: skip


def _distinct_regions(
    regions: Regions, size: int
) -> tuple[list[NDArray[np.int32]], NDArray[np.int64]]:
    """The codes of each distinct region of a column, and which of them each class has."""
    if isinstance(regions, Intervals):
        bounds = np.stack([regions.low, regions.high], axis=1)
        pairs, first = np.unique(bounds, axis=0, return_inverse=True)
        given = [_interval(regions, int(low), int(high), size) for low, high in pairs]
        of_class = first.ravel()
    elif isinstance(regions, Sets):
        of_class = np.arange(len(regions))
        ends = zip(regions.start[:-1], regions.start[1:], strict=True)
        given = [regions.members[a:b] for a, b in ends]
    else:
        covers = np.stack([regions.covers(code) for code in range(size)], axis=1)
        rows, first = np.unique(covers, axis=0, return_inverse=True)
        given = [np.flatnonzero(row).astype(np.int32) for row in rows]
        of_class = first.ravel()
    places: dict[bytes, int] = {}
    same = np.array([places.setdefault(one.tobytes(), len(places)) for one in given])
    distinct = [np.frombuffer(one, dtype=np.int32) for one in places]
    return distinct, same[of_class].astype(np.int64)


def _interval(regions: Intervals, low: int, high: int, size: int) -> NDArray[np.int32]:
    codes = np.arange(max(low, 0), min(high, size - 1) + 1, dtype=np.int32)
    whole = low <= 0 and high >= size - 1
    return codes if regions.there is None or whole else codes[regions.there[codes]]
