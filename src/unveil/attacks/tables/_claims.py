"""What holds in every table of people that has the published counts.

A claim is first tried on the tables that are at hand, and nearly all are refuted by one of them.
Only what holds in all of these is proved, or refuted, by a program of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.tables._consistent import Consistent

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False, kw_only=True)
class Claims:
    """What follows for people with some combination of quasi-identifiers.

    Attributes
    ----------
    combinations : array
        The combinations of quasi-identifiers asked about, by number.
    alone : array
        Of which combinations there is exactly one person, in every table.
    value : array
        The only sensitive value that a person of the combination can have; -1: there are several.
    open_alone, open_value : array
        Of which combinations that is not known, because a program was not solved in time.
    """

    combinations: NDArray[np.intp]
    alone: NDArray[np.bool_]
    value: NDArray[np.intp]
    open_alone: NDArray[np.bool_]
    open_value: NDArray[np.bool_]


def claims(consistent: Consistent, shape: tuple[int, int], asked: NDArray[np.intp]) -> Claims:
    """What follows for people of some combinations.

    Parameters
    ----------
    consistent : Consistent
    shape : tuple of int
        Combinations of quasi-identifiers × sensitive values, as they are numbered in the release.
    asked : array
        The combinations of quasi-identifiers.
    """
    alone, open_size = _alone(consistent, shape, asked)
    value, open_value = _only_values(consistent, shape, asked)
    return Claims(
        combinations=asked, alone=alone, value=value, open_alone=open_size, open_value=open_value
    )


def _counting(rows: list[NDArray[np.intp]], shape: tuple[int, int]) -> csr_array:
    """Counts of some combinations each, as `Consistent.ends` takes them."""
    from scipy.sparse import csr_array

    combinations = shape[0] * shape[1]
    lengths = [len(one) for one in rows]
    start = np.cumsum([0, *lengths])
    members = np.concatenate(rows) if rows else np.zeros(0, dtype=np.intp)
    return csr_array((np.ones(len(members)), members, start), shape=(len(rows), combinations))


def _alone(
    consistent: Consistent, shape: tuple[int, int], asked: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of which combinations there is exactly one person, and of which that is open."""
    values = np.arange(shape[1])
    open_ = np.zeros(len(asked), dtype=bool)
    left = np.arange(len(asked))  # not refuted so far
    sides: tuple[tuple[Literal["least", "most"], int, float], ...]
    sides = (("least", 0, np.inf), ("most", 2, -np.inf))
    for side, enough, never in sides:
        for one in consistent.witnesses:
            left = left[one.reshape(shape).sum(axis=1)[asked[left]] == 1]
        rows = [asked[place] * shape[1] + values for place in left.tolist()]
        ends = consistent.ends(_counting(rows, shape), side, enough=enough)
        open_[left] |= (ends.outer != 1) | (ends.inner == never)
        left = left[(ends.inner == 1) | (ends.inner == never)]
    holds = np.zeros(len(asked), dtype=bool)
    holds[left] = True
    return holds & ~open_, holds & open_


def _only_values(
    consistent: Consistent, shape: tuple[int, int], asked: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each combination the one value that is possible, or -1; and where that is open."""
    possible = np.zeros(shape[0] * shape[1], dtype=bool)
    possible[consistent.possible] = True
    possible = possible.reshape(shape)[asked]
    beliefs = consistent.release.beliefs.reshape(shape)[asked]
    seen = np.zeros(possible.shape, dtype=bool)
    open_ = np.zeros(possible.shape, dtype=bool)
    while True:
        for one in consistent.witnesses:
            seen |= one.reshape(shape)[asked] > 0
        asked_for = possible & ~seen & ~open_
        left = np.flatnonzero((seen.sum(axis=1) < 2) & asked_for.any(axis=1))
        if not len(left):
            break
        # Of each combination the likeliest value that no table so far gives anybody.
        likely = np.where(asked_for[left], beliefs[left], -1.0).argmax(axis=1)
        rows = [np.array([q * shape[1] + s]) for q, s in zip(asked[left], likely, strict=True)]
        ends = consistent.ends(_counting(rows, shape), "most", enough=1)
        possible[left, likely] = ends.outer > 0
        open_[left, likely] = (ends.outer > 0) & (ends.inner < 1)
    values = seen.sum(axis=1)
    undecided = (values < 2) & open_.any(axis=1)
    only = (values == 1) & ~undecided
    return np.where(only, seen.argmax(axis=1), -1).astype(np.intp), undecided
