"""Training tables: a release's records as features, once for all targets that share them.

Released records with the same features are one row with a count for each sensitive value. If a
column is encoded relative to the target, targets with different values have different training
tables. So there is one *lesson* per pattern of cells that cover the target; targets whose values
are covered by the same cells share it.

Rows are in the order of their features. So a lesson, and a random model with a seed, depends
neither on the order of records nor on that of classes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.adversary._encoding import Encoding, Features
from unveil.microdata import Release


class Lesson(NamedTuple):
    """One training table, and the targets to predict with it."""

    targets: NDArray[np.intp]
    """Positions among the targets."""
    rows: NDArray[np.float64]
    """Distinct records × features, in lexicographic order."""
    counts: NDArray[np.int64]
    """Distinct records × sensitive values: number of records."""
    bits: NDArray[np.bool_]
    """Classes × relative columns: whether the class's cell covers the targets' value."""

    @property
    def signature(self) -> bytes:
        """A digest that is equal for equal training tables."""
        digest = hashlib.blake2b(repr(self.rows.shape).encode(), digest_size=16)
        digest.update(self.rows.tobytes())
        digest.update(self.counts.tobytes())
        return digest.digest()


@dataclass(frozen=True, eq=False)
class Lessons:
    """All lessons for the targets ``codes`` (columns × targets)."""

    release: Release
    features: tuple[Features | None, ...]
    """Features of each column; None if they are relative to the target."""
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, release: Release, encoding: Encoding, codes: NDArray[np.int32]) -> Lessons:
        made = tuple(map(encoding.features, release.quasi, release.regions))
        return cls(release, made, codes)

    @property
    def all_relative(self) -> bool:
        """Whether every target is all ones, whatever their values."""
        return all(features is None for features in self.features)

    @property
    def some_relative(self) -> bool:
        """Whether targets may have different training tables."""
        return any(features is None for features in self.features)

    def __iter__(self) -> Iterator[Lesson]:
        """All lessons; every target is in one of them."""
        if self.codes.shape[1] == 0:
            return
        fixed = self._fixed_groups()
        covers, patterns = self._patterns()
        for targets in _alike(patterns):
            bits = np.empty((self.release.n_classes, len(covers)), dtype=bool)
            for j, (answers, which) in enumerate(zip(covers, patterns, strict=True)):
                bits[:, j] = answers[which[targets[0]]]
            yield self._lesson(targets, fixed, bits)

    def class_features(self, lesson: Lesson, classes: NDArray[np.integer]) -> NDArray[np.float64]:
        """The features of records of these classes in a lesson."""
        relative = iter(lesson.bits[classes].T)
        return np.hstack(
            [
                next(relative)[:, None].astype(np.float64)
                if features is None
                else features.rows[features.row_of[classes]]
                for features in self.features
            ]
        )

    def points(self, targets: NDArray[np.intp]) -> NDArray[np.float64]:
        """The features of targets."""
        ones = np.ones((len(targets), 1))
        return np.hstack(
            [
                ones if features is None else features.of_values(row[targets])
                for features, row in zip(self.features, self.codes, strict=True)
            ]
        )

    def _lesson(
        self, targets: NDArray[np.intp], group: NDArray[np.intp], bits: NDArray[np.bool_]
    ) -> Lesson:
        for bit in bits.T:
            group = _numbered(group * 2 + bit)
        _, example = np.unique(group, return_index=True)
        counts = np.zeros((len(example), self.release.sensitive.size), dtype=np.int64)
        np.add.at(counts, group, self.release.counts)
        unordered = Lesson(targets, np.empty((0, 0)), counts, bits)
        rows = self.class_features(unordered, example)
        order = np.lexsort(rows.T[::-1])
        return Lesson(targets, rows[order], counts[order], bits)

    def _fixed_groups(self) -> NDArray[np.intp]:
        """Numbers of the classes, equal if they have the same features that are not relative."""
        group = np.zeros(self.release.n_classes, dtype=np.intp)
        for features in self.features:
            if features is not None:
                group = _numbered(group * len(features.rows) + features.row_of)
        return group

    def _patterns(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.intp]]:
        """For each relative column, the distinct sets of classes that cover a target's value; and
        (columns × targets) the set of each target."""
        covers, patterns = [], []
        for features, regions, row in zip(
            self.features, self.release.regions, self.codes, strict=True
        ):
            if features is not None:
                continue
            values, of_target = np.unique(row, return_inverse=True)
            answers = np.stack([regions.covers(int(value)) for value in values])
            _, first, same = np.unique(
                np.packbits(answers, axis=1), axis=0, return_index=True, return_inverse=True
            )
            covers.append(answers[first])
            patterns.append(same.ravel()[of_target])
        n_targets = self.codes.shape[1]
        return covers, np.array(patterns, dtype=np.intp).reshape(len(patterns), n_targets)


def _alike(patterns: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Positions of equal columns, grouped."""
    pattern_of = np.zeros(patterns.shape[1], dtype=np.intp)
    for row in patterns:
        pattern_of = _numbered(pattern_of * (int(row.max(initial=0)) + 1) + row)
    order = np.argsort(pattern_of, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(pattern_of[order])) + 1)


def _numbered(keys: NDArray[np.intp]) -> NDArray[np.intp]:
    """Numbers from 0 up that are equal for equal keys."""
    return np.unique(keys, return_inverse=True)[1]
