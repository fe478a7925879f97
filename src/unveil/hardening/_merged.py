"""Larger classes for some people, under any sanitizer: its classes are merged afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.errors import File, GoalError, InputError, Option
from unveil.measures import reach_of
from unveil.microdata import (
    AnyRelease,
    Column,
    Intervals,
    Microdata,
    Regions,
    Release,
    Sets,
    has_true_cells,
    with_records,
)
from unveil.sanitize import Crowds, Mondrian, Sanitizer


def crowds_of(sanitizer: Sanitizer) -> Crowds:
    """The people for whom a sanitizer is asked for larger classes."""
    given = sanitizer.crowds if isinstance(sanitizer, Mondrian | Merged) else None
    return Crowds.of(given or {})


def with_crowds(sanitizer: Sanitizer, crowds: Crowds) -> Sanitizer:
    """The sanitizer, asked for larger classes; classes of others than Mondrian are merged."""
    if isinstance(sanitizer, Mondrian | Merged):
        return replace(sanitizer, crowds=crowds)
    return Merged(sanitizer, crowds)


def refuse_unmergeable(release: AnyRelease) -> None:
    """Refuse a release without classes whose cells cover their people, or of unknown people."""
    if has_true_cells(release):
        if release.several is None or release.several.of is not None:
            return
        raise InputError(
            "merging enlarges classes until enough people are in them, and nobody knows whose the "
            "rows of {release} are; use {option}, which needs no classes",
            release=File(release.made_by, bare=True),
            option=Option("strategy", "remove"),
        )
    if isinstance(release, Release):
        why = "values that need not be true of anyone in the class"
    else:
        why = release.instead
    raise InputError(
        "merging enlarges classes until their cells cover enough people, and {release} publishes "
        "{why}; use {option}, which needs no such cells",
        release=File(release.made_by, bare=True), why=why, option=Option("strategy", "remove"),
    )  # fmt: skip


def people_in(release: Release) -> NDArray[np.int64]:
    """The size of each class: how many people are in it, where a person may have several records.

    >>> import unveil as uv
    >>> stays = uv.read_table({"who": list("aab"), "age": [1, 1, 1], "ill": list("xyx")},
    ...                       quasi="age", sensitive="ill", person="who")
    >>> people_in(uv.Identity().sanitize(stays))
    array([2])
    """
    several = release.several
    if several is None or several.of is None:
        return release.sizes.astype(np.int64)
    pairs = np.unique(np.stack([release.class_of, several.of]), axis=1)
    return np.bincount(pairs[0], minlength=release.n_classes)


@dataclass(frozen=True)
class Merged(Sanitizer):
    """The release of another sanitizer, with the classes of some people merged.

    A class of fewer people than the crowd (see `Mondrian`) of someone it covers is merged with the
    class whose union with it loses the least information, again and again. Ranges become the range
    of both, sets their union. There is no fast path: a test runs the sanitizer again for each
    record.

    Parameters
    ----------
    sanitizer : Sanitizer
    crowds : Crowds

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 30, 41, 60], "vote": ["a", "b", "a", "b"]},
    ...                        quasi="age", sensitive="vote")
    >>> Merged(uv.Identity(), Crowds.of({41: 2})).sanitize(survey)
    Release by Merged(Identity(), 1 kind of people): 4 records in 2 classes of 1 to 3
      age       records
      [30, 41]  3
      60        1
    """

    sanitizer: Sanitizer
    crowds: Crowds

    @property
    def label(self) -> str:
        return f"Merged({self.sanitizer.label}, {self.crowds!r})"

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        return self.sanitizer.can_leave_out(microdata)

    @property
    def deterministic(self) -> bool:  # type: ignore[override]
        return self.sanitizer.deterministic

    @property
    def is_random(self) -> bool:  # type: ignore[override]
        return self.sanitizer.is_random

    def with_seed(self, seed: int) -> Merged:
        return replace(self, sanitizer=self.sanitizer.with_seed(seed))

    def sanitize(self, microdata: Microdata) -> Release:
        release = with_records(self.sanitizer.sanitize(microdata), "merging classes")
        refuse_unmergeable(release)
        return self._merged(release, microdata)

    def sanitize_without(self, microdata: Microdata, record: int) -> Release:
        release = self.sanitizer.sanitize_without(microdata, record)
        return self._merged(with_records(release, "merging classes"), microdata.without(record))

    def _merged(self, release: Release, microdata: Microdata) -> Release:
        """Merge while a class is smaller than the crowd of someone it covers."""
        asked = self.crowds.asked(microdata)
        points, which = np.unique(microdata.codes[:, asked > 0], axis=1, return_index=True)
        classes = _Classes(release, points, asked[asked > 0][which])
        while (g := classes.too_small()) is not None:
            other = classes.nearest(g)
            if other is None:
                raise GoalError(
                    "{sanitizer} cannot be met: {all} are fewer than the largest crowd asked for, "
                    "{crowd}",
                    sanitizer=File(self.label, bare=True), crowd=int(asked.max()),
                    all=f"{len(release):,} records" if microdata.several is None
                    else f"{len(microdata.people):,} people",
                )  # fmt: skip
            classes.merge(g, other)
        return classes.release(self.label)


class _Classes:
    """The classes of a release, while they are merged."""

    def __init__(
        self, release: Release, points: NDArray[np.int32], asked: NDArray[np.int32]
    ) -> None:
        self._release, self._points, self._asked = release, points, asked
        self._columns = [
            _Line(column, regions)
            if column.is_ordered and isinstance(regions, Intervals)
            else _Values(column, regions)
            for column, regions in zip(release.quasi, release.regions, strict=True)
        ]
        self._sizes = release.sizes.astype(np.int64).copy()
        self._people = people_in(release)
        self._into = np.arange(release.n_classes)
        self._there = np.ones(release.n_classes, dtype=bool)
        covered = classes_covering(release, points)
        self._wanted = np.where(covered, asked[:, None], 0).max(axis=0, initial=0)

    def too_small(self) -> int | None:
        """The first class that is smaller than it is asked to be."""
        found = np.flatnonzero(self._there & (self._people < self._wanted))
        return int(found[0]) if len(found) else None

    def nearest(self, g: int) -> int | None:
        """The class whose union with this one loses the least information."""
        others = np.flatnonzero(self._there)
        others = others[others != g]
        if not len(others):
            return None
        both = self._sizes[g] + self._sizes[others]
        cost = np.zeros(len(others))
        for column in self._columns:
            apart = column.open(g) * self._sizes[g] + column.open(others) * self._sizes[others]
            cost += column.open_union(g, others) * both - apart
        return int(others[np.argmin(np.round(cost, 12))])

    def merge(self, g: int, other: int) -> None:
        """Merge two classes into the one with the lower number."""
        g, other = min(g, other), max(g, other)
        self._there[other] = False
        self._into[self._into == other] = g
        self._sizes[g] += self._sizes[other]
        self._people[g] = self._people_of(g)
        inside = np.ones(len(self._asked), dtype=bool)
        for column, codes in zip(self._columns, self._points, strict=True):
            column.merge(g, other)
            inside &= column.covers(g, codes)
        self._wanted[g] = self._asked[inside].max(initial=0)

    def _people_of(self, g: int) -> int:
        """How many people are in a merged class, each once."""
        several = self._release.several
        if several is None or several.of is None:
            return int(self._sizes[g])
        return len(np.unique(several.of[self._into[self._release.class_of] == g]))

    def release(self, made_by: str) -> Release:
        """The release with the merged classes."""
        if self._there.all():
            return replace(self._release, made_by=made_by)
        kept = np.flatnonzero(self._there)
        number = np.cumsum(self._there) - 1
        return replace(
            self._release,
            class_of=number[self._into[self._release.class_of]].astype(np.int32),
            regions=tuple(column.regions(kept) for column in self._columns),
            made_by=made_by,
            notations={},  # unions are written in our own notation
        )


class _Line:
    """Ranges of an ordered column; the union of two is the range of both."""

    def __init__(self, column: Column, regions: Intervals) -> None:
        self._line = column.positions
        first, last, number = reach_of(regions, column.size)
        # An empty range starts after its end, and adds nothing to a union.
        self._first = np.where(number == 0, column.size, first)
        self._last = np.where(number == 0, -1, last)
        self._cuts = regions.cuts

    def open(self, g: int | NDArray[np.intp]) -> NDArray[np.float64]:
        return self._share(self._first[g], self._last[g])

    def open_union(self, g: int, others: NDArray[np.intp]) -> NDArray[np.float64]:
        return self._share(
            np.minimum(self._first[g], self._first[others]),
            np.maximum(self._last[g], self._last[others]),
        )

    def _share(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.float64]:
        whole = self._line[-1] - self._line[0]
        ends = (self._line.take(end, mode="clip") for end in (last, first))
        width = np.abs(np.subtract(*ends))  # nothing leaves as much open as everything
        return width / whole if whole > 0 else 0 * width

    def merge(self, g: int, other: int) -> None:
        self._first[g] = min(self._first[g], self._first[other])
        self._last[g] = max(self._last[g], self._last[other])

    def covers(self, g: int, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        return np.asarray((self._first[g] <= codes) & (codes <= self._last[g]))

    def regions(self, kept: NDArray[np.intp]) -> Regions:
        first, last = self._first[kept].astype(np.int32), self._last[kept].astype(np.int32)
        empty = first > last
        first[empty], last[empty] = 1, 0
        return Intervals(first, last, self._cuts)


class _Values:
    """Sets of any column's values."""

    def __init__(self, column: Column, regions: Regions) -> None:
        by_code = [regions.covers(code) for code in range(column.size)]
        self._covered = np.stack(by_code, axis=1)

    def open(self, g: int | NDArray[np.intp]) -> NDArray[np.float64]:
        return self._share(self._covered[g])

    def open_union(self, g: int, others: NDArray[np.intp]) -> NDArray[np.float64]:
        return self._share(self._covered[g] | self._covered[others])

    def _share(self, covered: NDArray[np.bool_]) -> NDArray[np.float64]:
        number = covered.sum(axis=-1)
        share: NDArray[np.float64] = (number - 1) / max(1, covered.shape[-1] - 1)
        return np.where(number > 0, share, 1.0)

    def merge(self, g: int, other: int) -> None:
        self._covered[g] |= self._covered[other]

    def covers(self, g: int, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        return self._covered[g, codes]

    def regions(self, kept: NDArray[np.intp]) -> Regions:
        covered = self._covered[kept]
        start = np.concatenate([[0], np.cumsum(covered.sum(axis=1))])
        return Sets(start.astype(np.int64), np.nonzero(covered)[1].astype(np.int32))


def classes_covering(release: Release, points: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which classes cover each of some points (columns × points) in every column."""
    inside = np.ones((points.shape[1], release.n_classes), dtype=bool)
    for regions, row in zip(release.regions, points, strict=True):
        values, which = np.unique(row, return_inverse=True)
        covers = [regions.covers(int(value)) for value in values]
        inside &= np.stack(covers)[which] if covers else True
    return inside
