"""Encodings of numeric cells: all but ``relative`` follow from a cell's two bounds.

A cell is stored as the values of the column's domain that it covers, so its bounds are the
smallest and the largest of those: ``[20, 40)`` has the bounds 21 and 38 if nobody is 20 or 39. A
cell that covers none lies between two neighbouring values, which are its bounds then; an empty
set of numbers says nothing about where it is, and has the bounds of the domain.

The domain is the one of the original table. It counts as declared, as the levels of an ordinal
column and the leaves of a hierarchy do, and stays the same when a record is left out: what is
measured is what the release gives away, not that somebody has the highest age.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from unveil.adversary.encoding._features import Features, bits
from unveil.errors import InputError
from unveil.microdata import Column, Intervals, Regions, Sets, equal_width

__all__ = ["as_binary", "as_bounds", "as_quantiles", "as_scaled", "cell_bounds"]

_WIDEST = 2.0**62  # numbers farther apart than this are no longer counted in whole ones


def cell_bounds(
    column: Column, regions: Regions
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lowest and the highest position that each class's cell covers."""
    line, last = column.positions, column.size - 1
    if isinstance(regions, Sets):
        filled = np.diff(regions.start) > 0
        low, high = np.full(len(regions), line[0]), np.full(len(regions), line[-1])
        low[filled] = line[regions.members[regions.start[:-1][filled]]]
        high[filled] = line[regions.members[regions.start[1:][filled] - 1]]
        return low, high
    if not isinstance(regions, Intervals):
        raise InputError(
            f"column {column.name!r} has regions of the kind {type(regions).__name__}, whose "
            "bounds are not known; use the relative encoding"
        )
    # Of an empty interval, high is the neighbour below and low the one above.
    low = np.minimum(regions.low, regions.high).clip(0, last)
    high = np.maximum(regions.low, regions.high).clip(0, last)
    return line[low], line[high]


def as_scaled(column: Column, regions: Regions) -> Features:
    """The middle of the interval, rescaled so that the domain is [0, 1]."""
    low, high = cell_bounds(column, regions)
    own = _rescaled(column, column.positions)[:, None]
    return Features.of_classes(
        _rescaled(column, low / 2 + high / 2)[:, None], lambda codes: own[codes], real=True
    )


def as_bounds(column: Column, regions: Regions) -> Features:
    """Both bounds, rescaled so that the domain is [0, 1]."""
    ends = [_rescaled(column, end) for end in cell_bounds(column, regions)]
    own = _rescaled(column, column.positions)[:, None]
    return Features.of_classes(
        np.stack(ends, axis=1), lambda codes: own[codes].repeat(2, axis=1), real=True
    )


def as_binary(column: Column, regions: Regions) -> Features:
    """The bits of the middle, rounded down and counted from the lowest value of the domain."""
    low, high = cell_bounds(column, regions)
    lowest = _whole(column, column.positions[:1])
    own = _whole(column, column.positions) - lowest
    middles, largest = _whole(column, low / 2 + high / 2) - lowest, int(own[-1])
    return Features.of_classes(bits(middles, largest), lambda codes: bits(own[codes], largest))


def as_quantiles(column: Column, regions: Regions, quantiles: int) -> Features:
    """One bit for each part of the domain that the cell meets; the parts are equally wide."""
    parts = equal_width(column, quantiles)
    numbers = np.arange(len(parts))
    own = parts.of(column.positions)
    if isinstance(regions, Sets):
        meets = np.zeros((len(regions), len(parts)), dtype=bool)
        owner = np.repeat(np.arange(len(regions)), np.diff(regions.start))
        meets[owner, own[regions.members]] = True
    else:
        low, high = cell_bounds(column, regions)
        meets = (parts.of(low)[:, None] <= numbers) & (numbers <= parts.of(high)[:, None])
    return Features.of_classes(
        meets.astype(np.float64),
        lambda codes: (own[codes][:, None] == numbers).astype(np.float64),
    )


def _rescaled(column: Column, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = column.positions[0], column.positions[-1]
    if low == high:
        return np.zeros(len(positions))
    return (positions - low) / (high - low)


def _whole(column: Column, positions: NDArray[np.float64]) -> NDArray[np.int64]:
    """Positions in whole numbers, rounded down; dates in the column's own unit."""
    if np.issubdtype(column.values.dtype, np.datetime64):
        return positions.astype("M8[us]").astype(column.values.dtype).astype(np.int64)
    if not np.abs(column.positions[[0, -1]]).max() < _WIDEST:
        raise InputError(
            f"column {column.name!r} goes from {column.texts[0]} to {column.texts[-1]}, too far "
            "for the bits of whole numbers; use another encoding than binary"
        )
    return np.array([math.floor(position) for position in positions], dtype=np.int64)
