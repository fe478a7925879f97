"""Published columns that repeat a column of the attacker's model, under another name.

Attacks know of a quasi-identifier what is published under its own name. If another column has its
values as they are, generalizing it was for nothing, and every figure is too small. The same goes
for the sensitive values of a release that publishes them apart from its records.

A column repeats another if nearly all of its cells are values of it, as often as people have them.
Of columns with few values that may be a coincidence, so there all must be equal. It also repeats it
in other words, as a year of birth does an age, if its values are other ones and exactly as many
people have its first, second, third … most frequent one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from unveil.measures.published._matching import Shown, key_of
from unveil.microdata import AnyRelease, Column, Microdata, Permuted, Release, one_value

_NEARLY = 0.95
_MANY = 10  # values, of which equal numbers are no coincidence
_UNEVEN = 5  # different numbers of people, so that it is none in other words either


class Model:
    """The columns of the original that are published less exactly than they are."""

    def __init__(self, release: AnyRelease, microdata: Microdata) -> None:
        self._people = len(microdata)
        self._hidden = [
            (column, {key_of(text): code for code, text in enumerate(column.texts)})
            for column in _less_exact(release, microdata)
        ]

    def repeated_by(self, shown: Shown) -> str | None:
        """The column that a published one repeats."""
        return next(
            (one.name for one, places in self._hidden if self._is(shown, one, places)), None
        )

    def _is(self, shown: Shown, column: Column, places: Mapping[str, int]) -> bool:
        if len(places) < 2 or not shown.filled:
            return False
        codes = np.array([*(places.get(key, -1) for key in shown.keys), -1])[shown.code_of]
        known = codes >= 0
        there = np.bincount(column.codes, minlength=column.size)
        found = np.bincount(codes[known], minlength=column.size)
        alike = int(np.minimum(found, there).sum())
        nearly = alike >= _NEARLY * shown.filled and 2 * shown.filled > self._people
        if nearly and np.count_nonzero(found) >= _MANY:
            return True
        return alike == shown.filled == self._people or self._in_other_words(shown, there)

    def _in_other_words(self, shown: Shown, there: NDArray[np.int64]) -> bool:
        ours, theirs = np.sort(shown.counts[shown.counts > 0]), np.sort(there[there > 0])
        uneven = len(ours) >= _MANY and len(np.unique(ours)) >= _UNEVEN
        return uneven and shown.filled == self._people and np.array_equal(ours, theirs)


def _less_exact(release: AnyRelease, microdata: Microdata) -> Iterator[Column]:
    """Columns that are not published as they are."""
    if isinstance(release, Permuted):
        yield microdata.sensitive
    if not isinstance(release, Release):
        return
    for column, regions in zip(microdata.quasi, release.regions, strict=True):
        if (one_value(regions) < 0).any() or column.name in release.perturbed:
            yield column
    if microdata.sensitive.name in release.perturbed:
        yield microdata.sensitive
