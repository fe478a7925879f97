# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The groups of a release as boxes: one region per column.

A box can hold any number of tuples, and yet counting them, testing a tuple and drawing one take
no longer than there are columns. Boxes and regions that several groups publish are stored once.

`Packed` holds the same boxes as 64-bit words, which compare all columns in one step. Every column
has its own bits in a word and one guard bit above them, which is 0 in codes. If the guard is 1 in
the left of two words, subtracting the right word subtracts column by column, and the guards that
remain show where the right code was not the larger one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil._compiled import compiled, inner
from unveil.microdata import Column, Intervals, Regions, Sets

_BITS = 64  # per word


def starts(lengths: ArrayLike) -> NDArray[np.int64]:
    """Where lists of these lengths begin, one after the other, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


class Boxes(NamedTuple):
    """Distinct boxes. The regions of all columns are in one list.

    Attributes
    ----------
    region : array (boxes × columns)
        The position of each box's regions in that list.
    start, members : arrays
        The codes of region x are ``members[start[x]:start[x + 1]]``, ascending.
    low, high : arrays
        The smallest and the largest code of each region.
    mask_at, mask : arrays
        For a region with gaps, ``mask[mask_at[x] + code - low[x]]`` tells whether a code between
        ``low`` and ``high`` is in it. ``mask_at`` is -1 for regions without gaps.
    """

    region: NDArray[np.int64]
    start: NDArray[np.int64]
    members: NDArray[np.int32]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    mask_at: NDArray[np.int64]
    mask: NDArray[np.bool_]

    @property
    def number(self) -> int:
        """The number of boxes."""
        return len(self.region)

    @property
    def widths(self) -> NDArray[np.int64]:
        """The number of codes of each box in each column."""
        return np.diff(self.start)[self.region]

    @property
    def volumes(self) -> NDArray[np.float64]:
        """The number of tuples in each box."""
        return self.widths.astype(np.float64).prod(axis=1)

    def codes(self, region: int) -> NDArray[np.int32]:
        """The codes of a region."""
        return self.members[self.start[region] : self.start[region + 1]]


class Packed(NamedTuple):
    """Boxes as words, and the boxes themselves to look closer.

    Attributes
    ----------
    boxes : Boxes
    guard : array
        The guard bits of each word.
    word, shift, field : arrays
        For each column: its word, the position of its bits in it, and a mask of that many bits.
    low, high : arrays (boxes × words)
        The smallest and the largest codes of each box; guards are set in ``high``.
    has_gaps : array
        Which boxes lack codes between the smallest and the largest.
    """

    boxes: Boxes
    guard: NDArray[np.uint64]
    word: NDArray[np.int64]
    shift: NDArray[np.uint64]
    field: NDArray[np.uint64]
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    has_gaps: NDArray[np.bool_]


def packed_boxes(boxes: Boxes) -> Packed:
    """Boxes as words; none may be empty."""
    low, high = boxes.low[boxes.region], boxes.high[boxes.region]
    bits = [int(code).bit_length() for code in high.max(axis=0, initial=0)]
    word, shift = _places([width + 1 for width in bits])
    guard = np.zeros(int(word[-1]) + 1, dtype=np.uint64)
    for c, width in enumerate(bits):
        guard[word[c]] |= np.uint64(1) << (shift[c] + np.uint64(width))
    return Packed(
        boxes=boxes, guard=guard, word=word, shift=shift,
        field=np.array([2**width - 1 for width in bits], dtype=np.uint64),
        low=_joined(low.T, word, shift), high=_joined(high.T, word, shift) | guard,
        has_gaps=np.any(boxes.mask_at[boxes.region] >= 0, axis=1),
    )  # fmt: skip


def packed_tuples(packed: Packed, codes: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Tuples (columns × tuples) as words (tuples × words); all bits are 1 if no box can have it."""
    words = _joined(codes, packed.word, packed.shift)
    words[(codes > packed.field[:, None]).any(axis=0)] = ~np.uint64(0)
    return words


def _places(bits: list[int]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The word of each column, and its position in that word."""
    word, shift, full = [], [], _BITS
    n = -1
    for width in bits:
        if full + width > _BITS:
            n, full = n + 1, 0
        word.append(n)
        shift.append(full)
        full += width
    return np.array(word, dtype=np.int64), np.array(shift, dtype=np.uint64)


def _joined(
    codes: NDArray[np.integer], word: NDArray[np.int64], shift: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    found = np.zeros((codes.shape[1], int(word[-1]) + 1), dtype=np.uint64)
    for c, one in enumerate(codes):
        found[:, word[c]] |= one.astype(np.uint64) << shift[c]
    return found


# From a release to boxes ----------------------------------------------------------------------


def boxes_of(
    quasi: tuple[Column, ...], regions: tuple[Regions, ...]
) -> tuple[Boxes, NDArray[np.int64]]:
    """The distinct boxes of a release, and the box of each class."""
    lists: list[NDArray[np.int32]] = []
    columns = []
    for column, published in zip(quasi, regions, strict=True):
        found, of_class = _distinct_regions(published, column.size)
        columns.append(of_class + len(lists))
        lists += found
    region, box_of_class = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return _from_lists(region, lists), box_of_class.ravel().astype(np.int64)


def _from_lists(region: NDArray[np.int64], lists: list[NDArray[np.int32]]) -> Boxes:
    start = starts([len(one) for one in lists])
    low = np.array([one[0] if len(one) else 0 for one in lists], dtype=np.int64)
    high = np.array([one[-1] if len(one) else -1 for one in lists], dtype=np.int64)
    gaps = high - low + 1 > np.diff(start)
    mask_at = np.full(len(lists), -1, dtype=np.int64)
    spans = (high - low + 1)[gaps]
    mask_at[gaps] = starts(spans)[:-1]
    mask = np.zeros(int(spans.sum()), dtype=np.bool_)
    for x in np.flatnonzero(gaps):
        mask[mask_at[x] + lists[x] - low[x]] = True
    members = np.concatenate(lists).astype(np.int32)
    return Boxes(region=region, start=start, members=members, low=low, high=high,
                 mask_at=mask_at, mask=mask)  # fmt: skip


def _distinct_regions(
    regions: Regions, size: int
) -> tuple[list[NDArray[np.int32]], NDArray[np.int64]]:
    """The codes of each distinct region of a column, and the region of each class."""
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


# Boxes that meet -------------------------------------------------------------------------------


def boxes_that_meet(
    packed: Packed, counts: NDArray[np.int64], wanted: NDArray[np.bool_], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each wanted box, the boxes that share a tuple and a sensitive value with it.

    Parameters
    ----------
    counts : array (boxes × sensitive values)
        Numbers of rows.
    wanted : array of bool
    most : int
        The most entries of all lists together. The boxes that meet the most others get no list.

    Returns
    -------
    start, others : arrays
        Those of box g, itself included, are ``others[start[g]:start[g + 1]]``.
    """
    boxes = packed.boxes
    spread = [len(np.unique(boxes.low[of_column])) for of_column in boxes.region.T]
    column = boxes.region[:, int(np.argmax(spread))]
    order = np.argsort(boxes.low[column], kind="stable")
    start, found = np.zeros(boxes.number + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    parts = (packed, _as_bits(counts), order, boxes.low[column][order],
             boxes.high[column][order])  # fmt: skip
    meeting_boxes(*parts, wanted, start, found)
    degree = np.diff(start)
    by_degree = np.argsort(degree, kind="stable")
    kept = np.zeros(boxes.number, dtype=np.bool_)
    kept[by_degree] = (np.cumsum(degree[by_degree]) <= most) & wanted[by_degree]
    start = starts(np.where(kept, degree, 0))
    if start[-1] == 0:
        return start, found
    found = np.empty(start[-1], dtype=np.int64)
    meeting_boxes(*parts, kept, start, found)
    return start, found


def _as_bits(counts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The sensitive values (columns) of each box, one bit per value."""
    boxes, values = counts.shape
    found = np.zeros((boxes, -(-values // 64)), dtype=np.uint64)
    for s in range(values):
        found[:, s // 64] |= (counts[:, s] > 0).astype(np.uint64) << np.uint64(s % 64)
    return found


@inner
def _all_meet(boxes, a, b):
    """Whether two boxes, whose ranges overlap, share a code in every column."""
    for c in range(boxes.region.shape[1]):
        x, y = boxes.region[a, c], boxes.region[b, c]
        if x == y or (boxes.mask_at[x] < 0 and boxes.mask_at[y] < 0):
            continue
        if not _share_code(boxes, x, y):
            return False
    return True


@inner
def _share_code(boxes, x, y):
    """Whether two regions share a code; at least one of them has gaps."""
    if boxes.start[x + 1] - boxes.start[x] > boxes.start[y + 1] - boxes.start[y]:
        x, y = y, x
    low, width = boxes.low[y], boxes.members[boxes.start[y + 1] - 1] - boxes.low[y]
    for i in range(boxes.start[x], boxes.start[x + 1]):
        code = boxes.members[i] - low
        if 0 <= code <= width and (boxes.mask_at[y] < 0 or boxes.mask[boxes.mask_at[y] + code]):
            return True
    return False


@inner
def _any_bit(of_values, a, b):
    """Whether two boxes have a sensitive value in common."""
    common = np.uint64(0)
    for word in range(of_values.shape[1]):
        common |= of_values[a, word] & of_values[b, word]
    return common != 0


@compiled()
def meeting_boxes(packed, of_values, order, begin, end, wanted, begins, found):
    """List the boxes that share a tuple and a sensitive value with each wanted box.

    ``of_values`` are the sensitive values of each box, as bits. ``order`` sorts the boxes by their
    lowest code in one column (``begin``, in this order; ``end`` is the highest): only boxes that
    begin before another ends can meet it. The lists are written to ``found`` from ``begins`` on;
    if ``found`` is empty, only ``begins`` is computed. Every box meets itself. Returns the number
    of entries.
    """
    low, high, guard = packed.low[order], packed.high[order], packed.guard
    is_wanted = wanted[order]
    degree, cursor = np.zeros(len(order), np.int64), begins.copy()
    for i in range(len(order)):
        a = order[i]
        for j in range(i, len(order)):
            if begin[j] > end[i]:
                break
            meet = is_wanted[i] or is_wanted[j]
            for w in range(len(guard)):
                left = (high[i, w] - low[j, w]) & (high[j, w] - low[i, w])
                meet &= left & guard[w] == guard[w]
            if not meet:
                continue
            b = order[j]
            if not _any_bit(of_values, a, b):
                continue
            if (packed.has_gaps[a] or packed.has_gaps[b]) and not _all_meet(packed.boxes, a, b):
                continue
            for one, other in ((a, b), (b, a)):
                if wanted[one]:
                    degree[one] += 1
                    if len(found) > 0:
                        found[cursor[one]] = other
                        cursor[one] += 1
                if a == b:
                    break
    begins[0] = 0
    for box in range(len(order)):
        begins[box + 1] = begins[box] + degree[box]
    return begins[len(order)]
