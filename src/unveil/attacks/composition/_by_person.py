"""Composition where a person may have several rows: candidates are people, and not values.

The attacker knows one row of a person, and that this row, with its sensitive value, is in all of
the tables: a stay in two registers. In one release the candidates are the people who have a row
whose cells cover it; a value may be the row's own if one of these rows has it. Together, a value
must be among them in every release, so the values are intersected. How many people are left? They
have a row with the same value in each release. At most min over the releases of the people with
value s do, so at most Σ min people are left, and at most as many as the release with the fewest
has.

With pseudonyms, of people or of rows, the rows are intersected, and the number is exact: the people
who have a row that covers the attacker's in every release, with the same pseudonym and value.

Of a person's rows the one that tells most counts: that with the fewest people left, and that with
one value left. Where a single person is left, all values that this person has there are known, so
that counts, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.attacks.composition._finding import Composition
from unveil.attacks.composition._intersection import Left, Problem, common_values, left_of
from unveil.attacks.people import Covers, distinct_points
from unveil.engine import Progress
from unveil.errors import Cell, File, InputError, Option
from unveil.microdata import Release, value_text


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """The rows of the attacker's list, in all releases.

    Attributes
    ----------
    covers : tuple of Covers
        For each release, those of the rows.
    value_of : list of arrays
        For each release, its sensitive values as codes of all values.
    width : int
        Number of values.
    secrets : array
        The own value of each row; -1 if it is not known, or in no release.
    whose : array
        The person of each row, numbered as they come.
    names : tuple of arrays, optional
        For each release, the pseudonym of each of its rows: the same number means the same.
    """

    covers: tuple[Covers, ...]
    value_of: Sequence[NDArray[np.int64]]
    width: int
    secrets: NDArray[np.int64]
    whose: NDArray[np.intp]
    names: tuple[NDArray[np.int64], ...] | None = None

    @cached_property
    def kinds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """One row for each combination of covers and own value, and the kind of each row."""
        of = np.stack([one.of for one in self.covers], axis=1)
        return distinct_points(of, self.secrets[:, None])

    def sides(self, row: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
        """What each release has of a row, and what all have: values, people with each, people."""
        found = []
        for covers, value_of in zip(self.covers, self.value_of, strict=True):
            there = covers.inside(int(covers.of[row]))
            found.append((value_of[there.values], there.owners, len(there.persons)))
        return [*found, self._together(row, found)]

    def _together(
        self, row: int, alone: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], int]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        if self.names is not None:
            return self._with_names(row, self.names)
        values, fewest = common_values([side[:2] for side in alone])
        return values, fewest, min(int(fewest.sum()), *(people for _, _, people in alone))

    def _with_names(
        self, row: int, names: tuple[NDArray[np.int64], ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """The people whose rows cover a row in all releases, by pseudonym and value."""
        common: NDArray[np.int64] | None = None
        for covers, named, value_of in zip(self.covers, names, self.value_of, strict=True):
            rows = covers.rows(int(covers.of[row]))
            pairs = named[rows] * self.width + value_of[covers.release.sensitive.codes[rows]]
            common = np.unique(pairs) if common is None else np.intersect1d(common, pairs)
        assert common is not None
        of_name = np.zeros(int(names[0].max(initial=0)) + 1, dtype=np.int64)
        of_name[names[0]] = self.covers[0].persons
        people = of_name[common // self.width]
        owned = np.unique((common % self.width) * (int(of_name.max()) + 1) + people)
        values, owners = np.unique(owned // (int(of_name.max()) + 1), return_counts=True)
        return values, owners.astype(np.int64), len(np.unique(people))

    def left(self, problem: Problem, progress: bool | None) -> tuple[list[Left], Left]:
        """What each release leaves of every row, and what all do; rows that are alike once."""
        first, kind = self.kinds
        parts: list[list[Any]] = [[] for _ in range(len(self.covers) + 1)]
        with Progress("looking for people", len(first), progress, unit="rows") as shown:
            for place, row in enumerate(first.tolist()):
                for part, (values, owners, people) in zip(parts, self.sides(row), strict=True):
                    part.append((place * self.width + values, owners, people))
                shown.advance(1)
        found = []
        for part in parts:
            keys, numbers = (np.concatenate(column) for column in list(zip(*part, strict=True))[:2])
            left = left_of(keys, numbers, self.secrets[first], problem)
            candidates = np.array([people for _, _, people in part])
            found.append(Left(
                candidates=candidates[kind], values=left.values[kind], value=left.value[kind],
                value_to=left.value_to[kind], own=left.own[kind],
            ))  # fmt: skip
        return found[:-1], found[-1]


class LeftOfPeople(Left):
    """The same, of people."""

    __slots__ = ()

    @property
    def determined(self) -> NDArray[np.bool_]:
        """Who has one value left, or is the only person left."""
        return (self.value >= 0) | (self.candidates == 1)


def of_people(rows: Left, whose: NDArray[np.intp]) -> LeftOfPeople:
    """What is left of people, by the row of each that tells most.

    >>> rows = Left(np.array([4, 2, 0]), np.array([2, 2, 0]), np.array([-1, -1, -1]),
    ...             np.array([-1, -1, -1]), np.array([True, True, False]))
    >>> found = of_people(rows, np.array([0, 0, 1]))
    >>> found.candidates.tolist(), found.values.tolist(), found.own.tolist()
    ([2, 0], [2, 0], [True, False])
    """
    n, some = int(whose.max()) + 1, rows.candidates > 0
    fewest, values = np.full((2, n), np.iinfo(np.int64).max)
    np.minimum.at(fewest, whose[some], rows.candidates[some])
    np.minimum.at(values, whose[some], rows.values[some])
    # A row with one value left comes first, and then one with one person.
    told = rows.determined | (rows.candidates == 1)
    order = np.lexsort((~told, ~rows.determined, whose))
    best = order[np.unique(whose[order], return_index=True)[1]]
    every = np.ones(n, dtype=bool)
    np.logical_and.at(every, whose, rows.own)
    return LeftOfPeople(
        candidates=np.where(fewest < np.iinfo(np.int64).max, fewest, 0),
        values=np.where(values < np.iinfo(np.int64).max, values, 0), value=rows.value[best],
        value_to=rows.value_to[best], own=np.where(told[best], rows.own[best], every),
    )  # fmt: skip


def fewest_people(release: Release, persons: NDArray[np.int64]) -> int:
    """The number of people in the smallest class of a release; 1 if all rows are suppressed."""
    shown = ~release.suppressed_classes[release.class_of]
    pairs = np.unique(
        release.class_of[shown].astype(np.int64) * (int(persons.max()) + 1) + persons[shown]
    )
    classes = np.unique(pairs // (int(persons.max()) + 1), return_counts=True)[1]
    return int(classes.min()) if len(classes) else 1


def pseudonyms(
    pseudonym: Any, releases: Sequence[Release], persons: Sequence[NDArray[np.int64]],
    labels: Sequence[str],
) -> tuple[NDArray[np.int64], ...]:  # fmt: skip
    """The pseudonym of each row of each release, as numbers.

    Of people or of rows: a pseudonym must not be of two people of one release.
    """
    option, named = Option("pseudonym"), []
    if isinstance(pseudonym, str) or not isinstance(pseudonym, Sequence):
        raise InputError(
            "{option} must be a list with one sequence per release, which names its records in "
            "their order, but got a {kind}", option=option, kind=type(pseudonym).__name__,
        )  # fmt: skip
    if len(pseudonym) != len(releases):
        raise InputError("{option} has {given} sequences for {releases} releases; give one per "
                         "release", option=option, given=len(pseudonym), releases=len(releases),
                         )  # fmt: skip
    for release, names, label, whose in zip(releases, pseudonym, labels, persons, strict=True):
        texts = pd.Index([value_text(one) for one in names], dtype=object)
        if len(texts) != len(release):
            raise InputError(
                "{option} has {names} names for the {records} records of {label}", option=option,
                names=len(texts), records=len(release), label=File(label, bare=True),
            )  # fmt: skip
        codes, unique = pd.factorize(texts)
        owners = np.unique(codes * (int(whose.max()) + 1) + whose)
        twice = np.flatnonzero(np.bincount(owners // (int(whose.max()) + 1)) > 1)
        if len(twice):
            raise InputError("rows of two people of {label} have the pseudonym {twice}",
                             label=File(label, bare=True), twice=Cell(unique[twice[0]]),
                             )  # fmt: skip
        named.append(texts)
    every, _ = pd.factorize(np.concatenate([one.to_numpy() for one in named]))
    ends = np.cumsum([0, *map(len, named)])
    return tuple(every[a:b].astype(np.int64) for a, b in pairwise(ends.tolist()))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PersonComposition(Composition):
    """What several releases together tell about people who may have several rows.

    Numbers are those of the row of each person that tells most.

    Attributes
    ----------
    rows : Rows
        The rows of the attacker's list.
    best : array
        The row of each person with the fewest people left.
    """

    rows: Rows
    best: NDArray[np.intp]

    @property
    def identified(self) -> bool:
        return self.rows.names is not None

    def candidates_of(self, person: int | str) -> pd.DataFrame:
        """What is left of one person, by the row that tells most: a row for each value.

        ``value``; for each release, under its name, how many people have a row with it that covers
        the person's; and ``together``, how many are left (at most, unless `identified`).
        """
        row = int(self.best[self.people.number_of(person)])
        sides = self.rows.sides(row)
        numbers = np.zeros((len(sides), self.rows.width), dtype=np.int64)
        for counts, (values, owners, _) in zip(numbers, sides, strict=True):
            counts[values] = owners
        some = np.flatnonzero(numbers.any(axis=0))
        frame = pd.DataFrame(numbers[:, some].T, columns=[*self.labels, "together"])
        texts = pd.Series([self.texts[value] for value in some], dtype=object)
        frame.insert(0, "value", texts, allow_duplicates=True)
        return frame

    def _explained(self) -> list[str]:
        said = [
            "It is assumed that every row of these people is in all of the tables, with the same "
            f"{self.sensitive} in each. Of a person's rows the one that tells most counts.",
            "Candidates are people: those who have a row whose cells cover the person's. Where a "
            "single person is left, all that this person has there is known, and counts as one "
            "value.",
        ]
        if not self.identified:
            said.append(
                "Whose rows are the same in two releases is not known. Together, the candidates "
                "are therefore at most as many people as the release with the fewest has of each "
                "value, summed over the values that all releases have."
            )
        return said

    @property
    def _candidates_are(self) -> str:
        return "candidates: people who may be the person"
