"""Encodings of categorical and ordinal cells.

Two cells are the same generalization if they cover the same values, however they are written.
Generalizations are numbered in the order of the values they cover, so that numbers depend neither
on the order of the records nor on that of the classes.

A target's value is no generalization of the release unless somebody's cell covers just that value.
Where the release's generalizations are the features (*binary*, *hot after*), the target is encoded
as the narrowest one that covers its value (the first of several), which is the release's most
specific word for it; if none does, as zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.adversary.encoding._features import Features, bits
from unveil.microdata import Column, Regions

__all__ = ["Generalizations", "as_binary", "as_hot", "as_hot_after"]


@dataclass(frozen=True, eq=False)
class Generalizations:
    """The distinct generalizations that a release has for one column."""

    covered: NDArray[np.bool_]
    """Generalizations × values."""
    of_class: NDArray[np.intp]
    """The generalization of each class."""

    @classmethod
    def of(cls, column: Column, regions: Regions) -> Generalizations:
        by_class = np.stack([regions.covers(code) for code in range(column.size)], axis=1)
        # Sorted by what they do not cover, those that cover the first value come first.
        _, first, of_class = np.unique(
            np.packbits(~by_class, axis=1), axis=0, return_index=True, return_inverse=True
        )
        return cls(by_class[first], of_class.ravel())

    def __len__(self) -> int:
        return len(self.covered)

    @property
    def narrowest(self) -> NDArray[np.intp]:
        """For each value, the generalization of fewest values that covers it; -1: none does."""
        sizes = self.covered.sum(axis=1)[:, None]
        found = np.where(self.covered, sizes, sizes.max() + 1).argmin(axis=0)
        return np.where(self.covered.any(axis=0), found, -1)


def as_hot(column: Column, regions: Regions) -> Features:
    """One bit for each value of the domain that the cell covers."""
    found, values = Generalizations.of(column, regions), np.arange(column.size)
    return Features(
        found.covered.astype(np.float64),
        found.of_class,
        lambda codes: (codes[:, None] == values).astype(np.float64),
    )


def as_hot_after(column: Column, regions: Regions) -> Features:
    """One bit for each distinct generalization."""
    found = Generalizations.of(column, regions)
    numbers, own = np.arange(len(found)), found.narrowest
    return Features(
        np.eye(len(found)),
        found.of_class,
        lambda codes: (own[codes][:, None] == numbers).astype(np.float64),
    )


def as_binary(column: Column, regions: Regions) -> Features:
    """The bits of the number of the generalization, counted from 1: 0 is none of them."""
    found = Generalizations.of(column, regions)
    largest, own = len(found), found.narrowest + 1
    return Features(
        bits(np.arange(1, largest + 1), largest),
        found.of_class,
        lambda codes: bits(own[codes], largest),
    )
