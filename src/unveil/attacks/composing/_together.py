"""What is left of somebody's candidates when several releases are put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people import Found, Index, distinct_points
from unveil.engine import Progress

__all__ = ["Left", "Problem", "candidates_of_one", "intersected"]

Side: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Left:
    """What is left for each person, of one release or of all together.

    Attributes
    ----------
    candidates : array
        How many published sensitive values may be the person's (of all together: at most).
    values : array
        How many different ones.
    value : array
        The one that is left, as a code of all values; -1 if there is none, or several.
    own : array
        Whether the person's own is left; False where it is not known.
    """

    candidates: NDArray[np.int64]
    values: NDArray[np.int64]
    value: NDArray[np.int64]
    own: NDArray[np.bool_]

    def take(self, people: NDArray[np.integer]) -> Left:
        """The entries of some people."""
        return Left(**{one.name: getattr(self, one.name)[people] for one in fields(self)})


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Releases to be searched, and the people to be searched for.

    Attributes
    ----------
    indexes : list of Index
        One a release.
    codes : list of arrays
        For each release, people × columns.
    value_of : list of arrays
        For each release, its sensitive values as codes of all values.
    width : int
        How many values there are.
    secrets : array
        Everybody's own value; -1 if it is not known, or no release has it.
    joint : Index, optional
        Records that are the same person's in all releases, where that can be told; its columns are
        those of all releases side by side.
    """

    indexes: list[Index]
    codes: list[NDArray[np.int32]]
    value_of: list[NDArray[np.int64]]
    width: int
    secrets: NDArray[np.int64]
    joint: Index | None = None


def intersected(problem: Problem, progress: bool | None = None) -> tuple[list[Left], Left]:
    """What each release leaves, and what all together do.

    People who are alike in everything that is known of them are searched for once.
    """
    first, kind = distinct_points(*problem.codes, problem.secrets[:, None])
    points = [codes[first] for codes in problem.codes]
    searches = [index.search(p) for index, p in zip(problem.indexes, points, strict=True)]
    if problem.joint is not None:
        searches.append(problem.joint.search(np.hstack(points)))
    parts: list[list[Left]] = []
    width, (*each, whole) = problem.width, (*problem.value_of, np.arange(problem.width))
    with Progress("looking for people", len(first), progress, unit="points") as shown:
        for found in _in_step(searches):
            secrets = problem.secrets[first[found[0].points]]
            sides = [_sides(f, v, width) for f, v in zip(found, [*each, whole], strict=False)]
            if problem.joint is None:
                sides.append(_common(sides))
            parts.append([_left(keys, numbers, secrets, width) for keys, numbers in sides])
            shown.advance(len(secrets))
    every = [_joined(column).take(kind) for column in zip(*parts, strict=True)]
    return every[:-1], every[-1]


def candidates_of_one(problem: Problem, person: int) -> NDArray[np.int64]:
    """How many candidates of somebody have each value: a row a release, and one for all."""
    points = [codes[person : person + 1] for codes in problem.codes]
    sides = [
        _sides(next(index.search(point)), value_of, problem.width)
        for index, point, value_of in zip(problem.indexes, points, problem.value_of, strict=True)
    ]
    if problem.joint is None:
        sides.append(_common(sides))
    else:
        found = next(problem.joint.search(np.hstack(points)))
        sides.append(_sides(found, np.arange(problem.width), problem.width))
    numbers = np.zeros((len(sides), problem.width), dtype=np.int64)
    for row, (values, times) in zip(numbers, sides, strict=True):
        np.add.at(row, values, times)
    return numbers


def _in_step(searches: Sequence[Iterator[Found]]) -> Iterator[tuple[Found, ...]]:
    """What several searches have found about the same points.

    A search ends a block where it has no more room for values, each after another point.
    """
    ahead = [next(search) for search in searches]
    done = 0
    while True:
        upto = min(found.points.stop for found in ahead)
        yield tuple(found.part(done, upto) for found in ahead)
        done = upto
        for j, search in enumerate(searches):
            if ahead[j].points.stop == done:
                following = next(search, None)
                if following is None:  # of one search as of all: they have the same points
                    return
                ahead[j] = following


def _sides(found: Found, value_of: NDArray[np.int64], width: int) -> Side:
    """A number for each point and value, and how many candidates have it."""
    return found.point * width + value_of[found.value], found.number.astype(np.int64)


def _common(sides: Sequence[Side]) -> Side:
    """The points and values that all releases have, and the fewest that any of them has.

    >>> keys, fewest = _common([(np.array([1, 4, 5]), np.array([2, 1, 7])),
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


def _left(
    keys: NDArray[np.int64], numbers: NDArray[np.int64], secrets: NDArray[np.int64], width: int
) -> Left:
    point, value = np.divmod(keys, width)
    n = len(secrets)
    values = np.bincount(point, minlength=n)
    candidates = np.bincount(point, numbers, minlength=n).astype(np.int64)
    only, own = np.full(n, -1), np.zeros(n, dtype=bool)
    alone = values[point] == 1
    only[point[alone]] = value[alone]
    own[point[value == secrets[point]]] = True
    return Left(candidates=candidates, values=values, value=only, own=own)


def _joined(parts: Sequence[Left]) -> Left:
    return Left(
        **{one.name: np.concatenate([getattr(p, one.name) for p in parts]) for one in fields(Left)}
    )
