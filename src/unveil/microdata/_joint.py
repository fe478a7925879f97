"""How many records of each class's histogram cover a target in every column.

Looking at every target in every class takes targets × classes steps, which grows with the square
of a table. So targets are told apart column by column: those with the same value of the first have
the same classes left, mostly few, and only these are looked at in the next column. Where few pairs
are left, looking at each is faster than telling apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._regions import Regions

__all__ = ["joint_counts"]

_FEW = 2**16  # (target, class) pairs that are all looked at
_CHUNK = 2**24  # and no more of them together


class _Left(NamedTuple):
    """Targets who have the same values in some columns, and the classes that cover these."""

    targets: NDArray[np.intp]
    column: int
    """The first that has not been looked at."""
    regions: Sequence[Regions]
    """Of the classes left, from that column on."""
    counts: NDArray[np.float64]


def joint_counts(
    regions: Sequence[Regions], counts: NDArray[np.int64], codes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Add up the histograms (classes × values) of the classes that cover each target.

    Parameters
    ----------
    regions : sequence of Regions, one a column
    counts : array (classes × sensitive values)
    codes : array (columns × targets)

    Examples
    --------
    >>> from unveil.microdata._regions import Intervals
    >>> ages = Intervals(np.array([0, 2]), np.array([2, 3]))
    >>> joint_counts([ages], np.array([[3, 0], [1, 4]]), np.array([[1, 2, 3]])).tolist()
    [[3, 0], [4, 4], [1, 4]]
    """
    joint = np.zeros((codes.shape[1], counts.shape[1]), dtype=np.int64)
    # Whole numbers far below 2⁵³ are exact as floats, whose products are much faster.
    everybody = _Left(np.arange(codes.shape[1]), 0, regions, counts.astype(np.float64))
    waiting = [everybody]
    while waiting:
        left = waiting.pop()
        pairs = len(left.targets) * len(left.counts)
        if pairs > _FEW and len(left.targets) > 1 and left.regions:
            waiting += _told_apart(left, codes)
        elif pairs:
            step = max(1, _CHUNK // len(left.counts))
            for first in range(0, len(left.targets), step):
                some = left.targets[first : first + step]
                joint[some] = _covering(left, codes[left.column :, some]) @ left.counts
    return joint


def _told_apart(left: _Left, codes: NDArray[np.int32]) -> list[_Left]:
    """The targets by their values of the next column, each with the classes that cover it."""
    row = codes[left.column, left.targets]
    order = np.argsort(row, kind="stable")
    values, first = np.unique(row[order], return_index=True)
    found = []
    for value, some in zip(values, np.split(order, first[1:]), strict=True):
        classes = np.flatnonzero(left.regions[0].covers(int(value)))
        rest = [regions.take(classes) for regions in left.regions[1:]]
        found.append(_Left(left.targets[some], left.column + 1, rest, left.counts[classes]))
    return found


def _covering(left: _Left, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """1 where a class (columns) covers a target (rows) in all columns that are left, else 0."""
    inside = np.ones((codes.shape[1], len(left.counts)), dtype=bool)
    for regions, row in zip(left.regions, codes, strict=True):
        values, which = np.unique(row, return_inverse=True)
        inside &= np.stack([regions.covers(int(v)) for v in values])[which]
    return inside.astype(np.float64)
