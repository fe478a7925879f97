"""Tuples and boxes as words of 64 bits, so that all columns are compared in one step.

Every column has bits of its own in a word, and one bit above them, its guard, which is not set in
codes. If it is set in the left of two words, taking away the right takes away column from column,
and the guards that are left say where the right one was not the larger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from unveil.attacks.relative_risk._boxes import Boxes

__all__ = ["Packed", "packed_boxes", "packed_tuples"]

_BITS = 64


class Packed(NamedTuple):
    """Boxes as words, and what it takes to look closer.

    Attributes
    ----------
    guard : array
        The guards of each word.
    word, shift, field : arrays
        Of each column: its word, where in that its bits begin, and as many bits set.
    low, high : arrays (boxes × words)
        The smallest and the largest codes of each box; guards are set in the latter.
    has_gaps : array
        Which boxes lack codes in between.
    region, start, members, lowest, mask_at, mask : arrays
        As in `Boxes`.
    """

    guard: NDArray[np.uint64]
    word: NDArray[np.int64]
    shift: NDArray[np.uint64]
    field: NDArray[np.uint64]
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    has_gaps: NDArray[np.bool_]
    region: NDArray[np.int64]
    start: NDArray[np.int64]
    members: NDArray[np.int32]
    lowest: NDArray[np.int64]
    mask_at: NDArray[np.int64]
    mask: NDArray[np.bool_]


def packed_boxes(boxes: Boxes) -> Packed:
    """Boxes, none of them empty, as words."""
    low, high = boxes.low[boxes.region], boxes.high[boxes.region]
    bits = [int(code).bit_length() for code in high.max(axis=0, initial=0)]
    word, shift = _places([width + 1 for width in bits])
    guard = np.zeros(int(word[-1]) + 1, dtype=np.uint64)
    for c, width in enumerate(bits):
        guard[word[c]] |= np.uint64(1) << (shift[c] + np.uint64(width))
    return Packed(
        guard=guard, word=word, shift=shift,
        field=np.array([2**width - 1 for width in bits], dtype=np.uint64),
        low=_joined(low.T, word, shift), high=_joined(high.T, word, shift) | guard,
        has_gaps=np.any(boxes.mask_at[boxes.region] >= 0, axis=1), region=boxes.region,
        start=boxes.start, members=boxes.members, lowest=boxes.low, mask_at=boxes.mask_at,
        mask=boxes.mask,
    )  # fmt: skip


def packed_tuples(packed: Packed, codes: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Tuples (columns × tuples) as words (tuples × words); all bits set if no box can have them."""
    words = _joined(codes, packed.word, packed.shift)
    words[(codes > packed.field[:, None]).any(axis=0)] = ~np.uint64(0)
    return words


def _places(bits: list[int]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The word of each column, and where it begins in it."""
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
