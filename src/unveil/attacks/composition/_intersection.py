"""The intersection attack: what is left of a person's candidates in several releases together.

Where pseudonyms tell which records are the same person's, records are intersected; otherwise
sensitive values are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.attacks.people import (
    START,
    STOP,
    Boxes,
    Index,
    counts_of,
    distinct_points,
    values_in_boxes,
)
from unveil.attacks.tolerance import Near
from unveil.engine import Progress
from unveil.errors import Cell, Column, File, InputError, Option
from unveil.microdata import Permuted, Release, value_text

_STEP = 2**12  # people who are looked for at a time

_Side: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]


class Left(NamedTuple):
    """What is left for each person, from one release or from all together.

    Attributes
    ----------
    candidates : array
        Number of published sensitive values that may be the person's (for all together: at most).
    values : array
        Number of different ones.
    value, value_to : arrays
        The only value left, as a code of all values; of numbers to which one guess is near enough,
        the smallest and the largest. -1 if there is none, or several.
    own : array
        Whether the person's own value is left; False where it is not known.
    """

    candidates: NDArray[np.int64]
    values: NDArray[np.int64]
    value: NDArray[np.int64]
    value_to: NDArray[np.int64]
    own: NDArray[np.bool_]

    @property
    def determined(self) -> NDArray[np.bool_]:
        """Who has one value left, or numbers to which one guess is near enough."""
        return self.value >= 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """The releases to search, and the people to search for.

    Attributes
    ----------
    indexes : list of Index
        One per release.
    codes : list of arrays
        For each release, people × columns.
    value_of : list of arrays
        For each release, its sensitive values as codes of all values.
    width : int
        Number of values.
    secrets : array
        Everybody's own value; -1 if it is not known, or in no release.
    joint : Index, optional
        Records of the same person in all releases, if pseudonyms tell. Its columns are those of
        all releases side by side.
    near, ascending : Near and array, optional
        How near a guess must be, and the codes of all values in ascending order, as `near` has
        them. Default: values must be the same.
    """

    indexes: list[Index]
    codes: list[NDArray[np.int32]]
    value_of: list[NDArray[np.int64]]
    width: int
    secrets: NDArray[np.int64]
    joint: Index | None = None
    near: Near | None = None
    ascending: NDArray[np.int64] | None = None


def intersected(problem: Problem, progress: bool | None = None) -> tuple[list[Left], Left]:
    """What each release leaves, and what all together do.

    People with the same quasi-identifiers and sensitive value are searched for once.
    """
    first, kind = distinct_points(*problem.codes, problem.secrets[:, None])
    parts: list[list[Left]] = []
    with Progress("looking for people", len(first), progress, unit="points") as shown:
        for some in np.split(first, range(_STEP, len(first), _STEP)):
            secrets, sides = problem.secrets[some], _candidates(problem, some)
            parts.append([left_of(*side, secrets, problem) for side in sides])
            shown.advance(len(some))
    *alone, left = (
        Left(*(np.concatenate(column)[kind] for column in zip(*every, strict=True)))
        for every in zip(*parts, strict=True)
    )
    return alone, left


def candidates_of_one(problem: Problem, person: int) -> NDArray[np.int64]:
    """How many candidates of a person have each value: one row per release, and one for all."""
    sides = _candidates(problem, np.array([person]))
    numbers = np.zeros((len(sides), problem.width), dtype=np.int64)
    for row, (values, times) in zip(numbers, sides, strict=True):
        np.add.at(row, values, times)
    return numbers


def _candidates(problem: Problem, people: NDArray[np.integer]) -> list[_Side]:
    """The candidates of some people in each release, and in all together.

    A side has a key for each person and value, and how many candidates have it.
    """
    points = [codes[people] for codes in problem.codes]
    every = list(zip(problem.indexes, points, problem.value_of, strict=True))
    if problem.joint is not None:
        every.append((problem.joint, np.hstack(points), np.arange(problem.width)))
    sides: list[_Side] = []
    for index, where, value_of in every:
        found = list(index.search(where))
        point = np.concatenate([one.point + one.points.start for one in found])
        value = value_of[np.concatenate([one.value for one in found])]
        number = np.concatenate([one.number for one in found])
        sides.append((point * problem.width + value, number.astype(np.int64)))
    return sides if problem.joint is not None else [*sides, common_values(sides)]


def common_values(sides: Sequence[_Side]) -> _Side:
    """The points and values that all releases have, and the fewest candidates in any of them.

    >>> keys, fewest = common_values([(np.array([1, 4, 5]), np.array([2, 1, 7])),
    ...                         (np.array([5, 1, 3]), np.array([3, 4, 9]))])
    >>> keys.tolist(), fewest.tolist()
    ([1, 5], [2, 3])
    """
    keys, numbers = (np.concatenate(column) for column in zip(*sides, strict=True))
    order = np.argsort(keys, kind="stable")
    each, start, times = np.unique(keys[order], return_index=True, return_counts=True)
    if not len(each):
        return each, numbers
    fewest = np.minimum.reduceat(numbers[order], start)
    return each[times == len(sides)], fewest[times == len(sides)]


def left_of(
    keys: NDArray[np.int64], numbers: NDArray[np.int64], secrets: NDArray[np.int64],
    problem: Problem,
) -> Left:  # fmt: skip
    """What is left, from keys for points and values, and how many candidates have each."""
    point, value = np.divmod(keys, problem.width)
    n = len(secrets)
    values = np.bincount(point, minlength=n)
    candidates = np.bincount(point, numbers, minlength=n).astype(np.int64)
    only, own = np.full(n, -1), np.zeros(n, dtype=bool)
    alone = values[point] == 1
    only[point[alone]] = value[alone]
    last = only.copy()
    own[point[value == secrets[point]]] = True
    if problem.near is not None and problem.ascending is not None and len(point):
        rank = np.argsort(problem.ascending)
        least, most = np.full(n, problem.width), np.full(n, -1)
        np.minimum.at(least, point, rank[value])
        np.maximum.at(most, point, rank[value])
        some = np.flatnonzero(values)
        some = some[problem.near.one_guess(least[some], most[some])]
        only[some], last[some] = problem.ascending[least[some]], problem.ascending[most[some]]
    return Left(candidates, values, only, last, own)


def matched_records(
    releases: Sequence[Release | Permuted], labels: Sequence[str], pseudonym: Any
) -> list[NDArray[np.intp]]:
    """For each release, the records of the pseudonyms that all of them have, in the same order."""
    option = Option("pseudonym")
    if isinstance(pseudonym, str) or not isinstance(pseudonym, Sequence):
        raise InputError(
            "{option} must be a list with one sequence per release, which names its records in "
            "their order, but got a {kind}",
            option=option, kind=type(pseudonym).__name__,
        )  # fmt: skip
    if len(pseudonym) != len(releases):
        raise InputError(
            "{option} has {given} sequences for {releases} releases; give one per release",
            option=option, given=len(pseudonym), releases=len(releases),
        )  # fmt: skip
    named: list[pd.Index] = []
    for release, name, names in zip(releases, labels, pseudonym, strict=True):
        label = File(name, bare=True)
        if isinstance(release, Permuted):
            raise InputError(
                "{label} is a permuted release, whose records have no sensitive values of their "
                "own; {option} names records that do",
                label=label, option=option,
            )  # fmt: skip
        named.append(pd.Index([value_text(one) for one in names], dtype=object))
        if len(named[-1]) != len(release):
            raise InputError(
                "{option} has {names} names for the {records} records of {label}",
                option=option, names=len(named[-1]), records=len(release), label=label,
            )  # fmt: skip
        twice = named[-1][named[-1].duplicated(keep="last")]
        if len(twice):
            raise InputError("two records of {label} have the pseudonym {twice}",
                             label=label, twice=Cell(twice[0]))  # fmt: skip
    common = named[0][np.all([named[0].isin(one) for one in named], axis=0)]
    if not len(common):
        raise InputError("no pseudonym is in all releases: they have nobody in common")
    return [one.get_indexer(common) for one in named]


def joint_index(
    releases: Sequence[Release | Permuted],
    labels: Sequence[str],
    indexes: Sequence[Index],
    records: Sequence[NDArray[np.intp]],
    value_of: Sequence[NDArray[np.int64]],
    width: int,
) -> Index:
    """An index of matched records, whose columns are those of all releases side by side.

    Records that are suppressed in any of the releases are last resorts.
    """
    classes, secrets, gone = [], [], []
    for release, some, own_values in zip(releases, records, value_of, strict=True):
        assert isinstance(release, Release)
        classes.append(release.class_of[some].astype(np.int64))
        secrets.append(own_values[release.sensitive.codes[some]])
        gone.append(release.suppressed_classes[classes[-1]])
    for label, theirs in zip(labels[1:], secrets[1:], strict=True):
        if (theirs != secrets[0]).any():
            raise InputError(
                "a record of {first} and a record of {second} have the same pseudonym, but "
                "different values of {column}: they are not the same person's, or values were "
                "changed",
                first=File(labels[0], bare=True), second=File(label, bare=True),
                column=Column(releases[0].sensitive.name),
            )  # fmt: skip
    first, box_of = distinct_points(np.stack(classes, axis=1))
    parts = [index.boxes for index in indexes]
    before = np.cumsum([0, *(len(part.members) for part in parts)])
    sides = [
        index.boxes.sides[index.place[own[first]]]
        for index, own in zip(indexes, classes, strict=True)
    ]
    for side, offset in zip(sides, before, strict=False):
        side[:, :, [START, STOP]] += offset
    boxes = Boxes(np.hstack(sides), np.concatenate([part.members for part in parts]))
    values = values_in_boxes(box_of, secrets[0], len(first))
    suppressed = np.any(gone, axis=0)[first]
    counts = counts_of(np.bincount(box_of), values, last_resort=suppressed)
    return Index.sorted(boxes, counts, width)
