"""Cells that match everything, for those who want ``*`` to mean that.

A record then counts in every class that it may belong to, and classes overlap. This is how some
tools count the frequency of a record with hidden cells. Two classes may be the same people if they
agree in every key in which neither hides its value; so classes are matched pattern by pattern of
hidden keys, of which there are few, and never pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._contingency import Contingency, text_of
from unveil.engine.counting._held import Held, combined
from unveil.engine.counting._histograms import Histograms, sparse
from unveil.errors import InputError

__all__ = ["Matching", "matching_everything"]


def matching_everything(counts: Contingency, wildcard: str) -> Contingency:
    """The same counts, where a cell that is the wildcard matches every value."""
    counts = counts.in_memory()
    if isinstance(counts, Matching):
        raise InputError("these counts have a wildcard already; count the table again")
    if not isinstance(counts, Held):
        raise InputError(
            f"{counts.source} has too many classes to match {wildcard!r} with everything; count "
            "without wildcard, where it is a value like any other"
        )
    return Matching(counts, wildcard)


class Matching(Contingency):
    """Classes that count all records which may belong to them."""

    def __init__(self, inner: Held, wildcard: str) -> None:
        self.keys, self.secret, self.source = inner.keys, inner.secret, inner.source
        self._inner, self._wildcard = inner, wildcard
        self.notes = (*inner.notes, f"{wildcard!r} matches every value, so classes overlap")
        self.overlapping = True
        self._histograms = _matched(inner, wildcard)

    @property
    def totals(self) -> NDArray[np.int64]:
        return self._inner.totals

    def blocks(self) -> Iterator[Histograms]:
        yield self._histograms

    def over(self, keys: Sequence[str]) -> Contingency:
        return Matching(self._inner.over(keys), self._wildcard)

    def where(self, values: Mapping[str, object]) -> NDArray[np.int64]:
        raise InputError(
            f"a class cannot be looked up where {self._wildcard!r} matches everything: count "
            "without wildcard"
        )


def _matched(held: Held, wildcard: str) -> Histograms:
    columns = list(held.columns.values())
    hidden = np.stack(
        [np.array([text_of(v) == wildcard for v in c.values])[c.codes] for c in columns]
    )
    patterns, pattern_of = np.unique(hidden, axis=1, return_inverse=True)
    pattern_of = pattern_of.ravel()
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
    for a in range(patterns.shape[1]):
        ours = np.flatnonzero(pattern_of == a)
        for b in range(patterns.shape[1]):
            theirs = np.flatnonzero(pattern_of == b)
            shown = np.flatnonzero(~(patterns[:, a] | patterns[:, b]))
            found.append(_pairs(held, ours, theirs, [columns[j].codes for j in shown]))
    class_of, codes, numbers = (np.concatenate(parts) for parts in zip(*found, strict=True))
    whole = held.histograms
    return sparse(class_of, codes, numbers, whole.weights, whole.key_of)


def _pairs(
    held: Held,
    ours: NDArray[np.int64],
    theirs: NDArray[np.int64],
    shown: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The cells of their classes that agree with each of ours in the keys that both show."""
    both = np.concatenate([ours, theirs])
    group = np.zeros(len(both), dtype=np.int64)
    if shown:
        group = combined([codes[both] for codes in shown])[1]
    group_of_ours = group[: len(ours)]
    group_of_theirs = np.full(len(held.histograms), -1, dtype=np.int64)
    group_of_theirs[theirs] = group[len(ours) :]

    cells = group_of_theirs[held.histograms.class_of]
    kept = cells >= 0
    width = int(held.histograms.codes.max()) + 1
    summed, place = np.unique(
        cells[kept] * width + held.histograms.codes[kept], return_inverse=True
    )
    numbers = np.zeros(len(summed), dtype=np.int64)
    np.add.at(numbers, place, held.histograms.numbers[kept])

    # For each of our classes, the stretch of sums that belongs to its group.
    first = np.searchsorted(summed, group_of_ours * width)
    length = np.searchsorted(summed, (group_of_ours + 1) * width) - first
    at = np.repeat(first - np.concatenate([[0], np.cumsum(length)[:-1]]), length)
    at = at + np.arange(len(at))
    return np.repeat(ours, length), summed[at] % width, numbers[at]
