"""Encodings: how generalized cells become numbers that a model can learn from.

A cell is a value, an interval, a set or a hierarchy node; a classifier needs numbers. There are six
ways for numeric columns and four for all others, 24 encodings in all, after A. Kassem, G. Ács,
C. Castelluccia (2018). They recommend *relative-relative*: one bit per column, does the cell cover
the target's value? That one depends on the target, so every target has its own training table; the
others are the same for all targets.

Numeric cells are encoded by their two bounds: the smallest and the largest value of the column's
domain that the cell covers. ``[20, 40)`` has the bounds 21 and 38 if nobody is 20 or 39. A cell
that covers no value lies between two neighbouring values, which are its bounds; an empty set of
numbers has the bounds of the domain. The domain is that of the original table. It counts as public,
like the levels of an ordinal column and the leaves of a hierarchy, and stays the same if a record
is left out: the test is about the release, not about who has the highest age.

Categorical and ordinal cells are the same generalization if they cover the same values, however
they are written. Generalizations are numbered in the order of the values they cover, so numbers do
not depend on the order of records or classes. Where generalizations are the features (*binary*,
*hot-after*), a target is encoded as the narrowest one that covers its value (the first of several),
which is the release's most specific word for it; if none does, as zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias, get_args

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from unveil.errors import Call, Cell, InputError, Listed, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata import (
    Column,
    Intervals,
    Kind,
    Microdata,
    Regions,
    Release,
    Sets,
    equal_width,
    quantize,
)
from unveil.options import check_fields

_CHUNK = 2**24  # features of targets that are computed together
_WIDEST = 2.0**62  # numbers farther apart than this cannot be counted as integers

Continuous: TypeAlias = Literal[
    "scaling", "bounds", "binary", "quantiles-before", "quantiles-after", "relative"
]
Categorical: TypeAlias = Literal["hot", "binary", "hot-after", "relative"]

ENCODINGS = tuple(f"{a}-{b}" for a in get_args(Continuous) for b in get_args(Categorical))
"""The names of all 24."""


@dataclass(frozen=True)
class Encoding:
    """How cells become features, for numeric columns and for categorical and ordinal ones.

    Parameters
    ----------
    continuous : str
        ``scaling``: the middle of the interval; ``bounds``: both bounds; both rescaled so that
        the column's domain is [0, 1]. ``binary``: the bits of the middle, rounded down and
        counted from the lowest value. ``quantiles-before``: the column is divided into parts of
        equal width before it is sanitized, and is then ordinal. ``quantiles-after``: one bit per
        such part, whether the cell meets it. ``relative``: one bit, whether the cell covers the
        target's value.
    categorical : str
        ``hot``: one bit per value, whether the cell covers it. ``binary``: the bits of the number
        of the generalization. ``hot-after``: one bit per distinct generalization. ``relative``:
        one bit, whether the cell covers the target's value.
    quantiles : int
        Number of parts. They divide the domain and not the people: parts with equally many people
        would depend on each person.

    Examples
    --------
    >>> Encoding()
    Encoding('relative-relative')
    >>> Encoding.named("bounds-hot-after").categorical
    'hot-after'
    """

    continuous: Continuous = "relative"
    categorical: Categorical = "relative"
    quantiles: Annotated[int, Ge(1)] = 5

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def named(cls, encoding: Encoding | str, *, quantiles: int | None = None) -> Encoding:
        """The encoding of that name, such as ``bounds-hot-after``; an encoding is kept as it is."""
        if isinstance(encoding, Encoding):
            made = encoding
        else:
            name = encoding.strip().lower() if isinstance(encoding, str) else ""
            if name not in ENCODINGS:
                raise InputError(
                    "no encoding {given}{near} (write the encoding of numeric columns and that of "
                    "all others, such as bounds-hot-after; numeric: {numeric}; others: {others})",
                    given=repr(encoding), near=did_you_mean(name, ENCODINGS),
                    numeric=Listed(get_args(Continuous)), others=Listed(get_args(Categorical)),
                )  # fmt: skip
            continuous = next(c for c in get_args(Continuous) if name.startswith(f"{c}-"))
            made = cls(continuous, name.removeprefix(f"{continuous}-"))  # type: ignore[arg-type]
        return made if quantiles is None else replace(made, quantiles=quantiles)

    @property
    def name(self) -> str:
        """Both parts, such as ``bounds-hot-after``."""
        return f"{self.continuous}-{self.categorical}"

    @property
    def follows_generalizations(self) -> bool:
        """Whether its features depend on which generalizations the release has."""
        return self.categorical in ("binary", "hot-after")

    def __str__(self) -> str:
        counted = self.continuous.startswith("quantiles") and self.quantiles != Encoding.quantiles
        return f"{self.name} of {self.quantiles} parts" if counted else self.name

    def __repr__(self) -> str:
        more = "" if self.quantiles == Encoding.quantiles else f", quantiles={self.quantiles}"
        return f"Encoding({self.name!r}{more})"

    def prepared(self, microdata: Microdata) -> Microdata:
        """The table as it is to be sanitized: ``quantiles-before`` divides numbers into parts."""
        numbers = any(column.kind is Kind.NUMERIC for column in microdata.quasi)
        if self.continuous != "quantiles-before" or not numbers:
            return microdata
        return quantize(microdata, self.quantiles)

    def is_relative(self, column: Column) -> bool:
        """Whether the column's features are relative to the target."""
        if column.kind is Kind.NUMERIC and self.continuous == "quantiles-before":
            raise InputError(
                "column {column} is numeric in the release, but the encoding {encoding} needs its "
                "numbers divided into parts before it is sanitized: sanitize {quantize}(table), or "
                "encode it as quantiles-after",
                column=ColumnName(column.name), encoding=self.name, quantize=Call("quantize"),
            )  # fmt: skip
        how = self.continuous if column.kind is Kind.NUMERIC else self.categorical
        return how == "relative"

    def features(self, column: Column, regions: Regions) -> Features | None:
        """The features of a column's cells; None if they depend on the target."""
        if self.is_relative(column):
            return None
        if column.kind is not Kind.NUMERIC:
            return _generalized(column, regions, self.categorical)
        if self.continuous == "quantiles-after":
            return _quantiles(column, regions, self.quantiles)
        numeric_ways = {"scaling": _scaled, "bounds": _bounds, "binary": _binary_middle}
        return numeric_ways[self.continuous](column, regions)

    def n_features(self, release: Release) -> int:
        """Number of features of a record of the release."""
        made = map(self.features, release.quasi, release.regions)
        return sum(1 if features is None else features.width for features in made)


@dataclass(frozen=True, eq=False)
class Features:
    """The features of every distinct cell of a column, and those of a target.

    A target's value counts as the cell that covers only this value.
    """

    rows: NDArray[np.float64]
    """Distinct cells × features."""
    row_of: NDArray[np.intp]
    """The row of each class of the release."""
    of_values: Callable[[NDArray[np.integer]], NDArray[np.float64]]
    """From codes of the column's values to a target's features."""
    real: bool = False
    """Whether they are quantities; if not, they are bits."""

    @property
    def width(self) -> int:
        """Number of features."""
        return self.rows.shape[1]

    @classmethod
    def of_classes(
        cls,
        features: NDArray[np.float64],
        of_values: Callable[[NDArray[np.integer]], NDArray[np.float64]],
        *,
        real: bool = False,
    ) -> Features:
        """From the features of each class."""
        rows, row_of = np.unique(features, axis=0, return_inverse=True)
        return cls(rows, row_of.ravel(), of_values, real)


def _bits(numbers: NDArray[np.int64], largest: int) -> NDArray[np.float64]:
    """Integers from 0 up as bits, the highest first, as many as the largest needs.

    >>> _bits(np.array([5, 0, 2]), 5)
    array([[1., 0., 1.],
           [0., 0., 0.],
           [0., 1., 0.]])
    """
    places = np.arange(max(1, largest.bit_length()))[::-1]
    return (numbers[:, None] >> places & 1).astype(np.float64)


def distinct_rows(bits: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One of each distinct row of bits, in their order, and the number of each row's kind."""
    _, first, kind = np.unique(
        np.packbits(bits, axis=1), axis=0, return_index=True, return_inverse=True
    )
    return first, kind.ravel()


def chunks(targets: NDArray[np.intp], width: int) -> list[NDArray[np.intp]]:
    """Targets in pieces whose features (``width`` each) fit in memory."""
    step = max(1, _CHUNK // width)
    return [targets[first : first + step] for first in range(0, len(targets), step)]


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
            "column {column} has regions of the kind {kind}, whose bounds are not known; use the "
            "relative encoding",
            column=ColumnName(column.name), kind=type(regions).__name__,
        )  # fmt: skip
    # In an empty interval, high is the neighbour below and low the one above.
    low = np.minimum(regions.low, regions.high).clip(0, last)
    high = np.maximum(regions.low, regions.high).clip(0, last)
    return line[low], line[high]


def _scaled(column: Column, regions: Regions) -> Features:
    """The middle of the interval, rescaled so that the domain is [0, 1]."""
    low, high = cell_bounds(column, regions)
    own = _rescaled(column, column.positions)[:, None]
    return Features.of_classes(
        _rescaled(column, low / 2 + high / 2)[:, None], lambda codes: own[codes], real=True
    )


def _bounds(column: Column, regions: Regions) -> Features:
    """Both bounds, rescaled so that the domain is [0, 1]."""
    ends = [_rescaled(column, end) for end in cell_bounds(column, regions)]
    own = _rescaled(column, column.positions)[:, None]
    return Features.of_classes(
        np.stack(ends, axis=1), lambda codes: own[codes].repeat(2, axis=1), real=True
    )


def _binary_middle(column: Column, regions: Regions) -> Features:
    """The bits of the middle, rounded down and counted from the lowest value of the domain."""
    low, high = cell_bounds(column, regions)
    lowest = _whole(column, column.positions[:1])
    own = _whole(column, column.positions) - lowest
    middles, largest = _whole(column, low / 2 + high / 2) - lowest, int(own[-1])
    return Features.of_classes(_bits(middles, largest), lambda codes: _bits(own[codes], largest))


def _quantiles(column: Column, regions: Regions, quantiles: int) -> Features:
    """One bit per part of the domain, whether the cell meets it; parts have equal widths."""
    parts = equal_width(column, quantiles)
    own = parts.of(column.positions)
    if isinstance(regions, Sets):
        meets = np.zeros((len(regions), len(parts)), dtype=bool)
        owner = np.repeat(np.arange(len(regions)), np.diff(regions.start))
        meets[owner, own[regions.members]] = True
    else:
        low, high = (parts.of(end)[:, None] for end in cell_bounds(column, regions))
        meets = (low <= np.arange(len(parts))) & (np.arange(len(parts)) <= high)
    return Features.of_classes(meets.astype(np.float64), _one_hot(own, len(parts)))


def _one_hot(
    own: NDArray[np.intp], size: int
) -> Callable[[NDArray[np.integer]], NDArray[np.float64]]:
    """From codes to as many bits as ``size``, of which the one of the code's own number is set."""
    return lambda codes: (own[codes][:, None] == np.arange(size)).astype(np.float64)


def _rescaled(column: Column, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = column.positions[0], column.positions[-1]
    if low == high:
        return np.zeros(len(positions))
    return (positions - low) / (high - low)


def _whole(column: Column, positions: NDArray[np.float64]) -> NDArray[np.int64]:
    """Positions as integers, rounded down; dates in the column's unit."""
    if np.issubdtype(column.values.dtype, np.datetime64):
        return positions.astype("M8[us]").astype(column.values.dtype).astype(np.int64)
    if not np.abs(column.positions[[0, -1]]).max() < _WIDEST:
        raise InputError(
            "column {column} ranges from {low} to {high}, too far for the bits of whole numbers; "
            "use another encoding than binary",
            column=ColumnName(column.name), low=Cell(column.texts[0], bare=True),
            high=Cell(column.texts[-1], bare=True),
        )  # fmt: skip
    return np.array([math.floor(position) for position in positions], dtype=np.int64)


def _generalized(column: Column, regions: Regions, how: Categorical) -> Features:
    """The features of the distinct generalizations that a release has for one column."""
    by_class = np.stack([regions.covers(code) for code in range(column.size)], axis=1)
    # Sorted by what they do not cover, so that those that cover the first value are first.
    first, of_class = distinct_rows(~by_class)
    covered, number = by_class[first], len(first)
    if how == "hot":
        own = np.arange(column.size)
        return Features(covered.astype(np.float64), of_class, _one_hot(own, column.size))
    # For each value, the generalization of fewest values that covers it; -1 if none does.
    sizes = covered.sum(axis=1)[:, None]
    narrowest = np.where(covered, sizes, sizes.max() + 1).argmin(axis=0)
    narrowest = np.where(covered.any(axis=0), narrowest, -1)
    if how == "hot-after":
        return Features(np.eye(number), of_class, _one_hot(narrowest, number))
    # The numbers of generalizations are counted from 1; 0 is none of them.
    bits = _bits(np.arange(1, number + 1), number)
    return Features(bits, of_class, lambda codes: _bits(narrowest[codes] + 1, number))
