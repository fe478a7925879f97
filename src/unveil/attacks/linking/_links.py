"""What people are linked to: how many candidates, and how many sensitive values among them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.linking._index import Found, Index
from unveil.attacks.linking._kernels import ANY_VALUE, NO_VALUE
from unveil.attacks.linking._truth import Truth
from unveil.engine import Progress
from unveil.engine.counting import combined

__all__ = ["Links", "Right", "distinct_points", "links_of"]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Arrays:
    """Arrays, one entry a person."""

    def take(self, people: NDArray[np.integer]) -> Self:
        """The entries of some."""
        return type(self)(**{one.name: getattr(self, one.name)[people] for one in fields(self)})


@dataclass(frozen=True, eq=False, kw_only=True)
class Links(_Arrays):
    """What an attacker sees, for each person.

    Attributes
    ----------
    candidates : array
        How many records cover the person.
    classes : array
        In how many classes (of a permuted release: groups) they are.
    values : array
        How many sensitive values they have.
    likeliest : array
        The code of the value that most of them have, the first of several; -1: there is none.
    share : array
        The share of them that have it.
    """

    candidates: NDArray[np.int64]
    classes: NDArray[np.int64]
    values: NDArray[np.int64]
    likeliest: NDArray[np.int64]
    share: NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Right(_Arrays):
    """What is true of it, for each person.

    Attributes
    ----------
    in_table : array
        Who is in the original.
    among : array
        Whose own record is among the candidates.
    value : array
        The share of the candidates that have the person's own value; 0 for people who are not in
        the original.
    chance : array
        The share of all records that have it.
    """

    in_table: NDArray[np.bool_]
    among: NDArray[np.bool_]
    value: NDArray[np.float64]
    chance: NDArray[np.float64]


def distinct_points(
    *tables: NDArray[np.integer],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One of the people for each kind of people, and everybody's kind (tables: people × columns).

    >>> first, kind = distinct_points(np.array([[3, -1], [2, 0], [3, -1]]))
    >>> first.tolist(), kind.tolist()
    ([1, 0], [1, 0, 1])
    """
    columns = [column.astype(np.int64) for table in tables for column in table.T]
    return combined([column - column.min() for column in columns])


def links_of(
    index: Index,
    codes: NDArray[np.int32],
    truth: Truth | None = None,
    original: NDArray[np.int32] | None = None,
    *,
    changed: bool = False,
    progress: bool | None = None,
) -> tuple[Links, Right, NDArray[np.int64]]:
    """Search for everybody; people who are alike in all that matters are searched for once.

    Parameters
    ----------
    index : Index
    codes : array
        People × columns.
    truth : Truth, optional
    original : array, optional
        The original's records × columns, coded in the same way.
    changed : bool
        Whether published sensitive values need not be true: then a record may be somebody's own
        whatever it has.
    progress : bool, optional

    Returns
    -------
    links : Links
    right : Right
        Without the truth, nobody is in the original.
    persons : array
        How many people each box of the index covers.
    """
    n = len(codes)
    own, secrets = codes, np.full(n, -1)
    in_table = np.zeros(n, dtype=bool)
    if truth is not None and original is not None:
        in_table = truth.is_known
        own = np.where(in_table[:, None], truth.of_people(original, 0), codes)
        secrets = truth.of_people(truth.secrets, -1)
    first, kind = distinct_points(codes, own, secrets[:, None])
    wanted = np.where(in_table, ANY_VALUE, NO_VALUE) if changed else secrets
    persons = np.zeros(len(index.place), dtype=np.int64)
    searching = index.search(
        codes[first], weights=np.bincount(kind), own=own[first], secrets=wanted[first],
        people=persons,
    )  # fmt: skip
    parts = []
    with Progress("looking for people", len(first), progress, unit="points") as shown:
        for found in searching:
            parts.append(_summed(found, secrets[first][found.points]))
            shown.advance(len(found.records))
    whole = [np.concatenate(column)[kind] for column in zip(*parts, strict=True)]
    candidates, classes, values, likeliest, share, among, value = whole
    links = Links(
        candidates=candidates, classes=classes, values=values, likeliest=likeliest, share=share
    )
    totals = np.bincount(index.counts.value, index.counts.number, minlength=index.width)
    chance = np.append(totals / totals.sum(), 0.0)[secrets]  # -1 is the last
    right = Right(in_table=in_table, among=among, value=value, chance=chance)
    return links, right, persons[index.place]


def _summed(found: Found, secrets: NDArray[np.int64]) -> tuple[NDArray[np.generic], ...]:
    """For each point what `Links` has; whether its own is among them, and its value's share."""
    n = len(found.records)
    values = np.bincount(found.point, minlength=n)
    # The most frequent value of a point comes last, and of equally frequent ones the first.
    order = np.lexsort((-found.value, found.number, found.point))
    some = np.flatnonzero(values)
    last = order[np.cumsum(values)[some] - 1]
    likeliest, share, value = np.full(n, -1), np.zeros(n), np.zeros(n)
    likeliest[some] = found.value[last]
    share[some] = found.number[last] / found.records[some]
    own = np.flatnonzero(found.value == secrets[found.point])
    value[found.point[own]] = found.number[own] / found.records[found.point[own]]
    return found.records, found.classes, values, likeliest, share, found.among, value
