"""Groups of people whose secrets are known, but not whose they are: what the attack works on.

Of a permuted release (Anatomy) these are its groups as they are published. Of a generalized one
they are its classes, with the people who were found for them; records that nobody was found for
are *strangers*, people without values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.definetti._kernels import Sheet
from unveil.attacks.definetti._seating import Seating
from unveil.engine.counting import combined
from unveil.errors import InputError
from unveil.microdata import Permuted

__all__ = ["STEPS", "Groups", "groups_of_classes", "groups_of_permuted"]

STEPS = 4096
"""Steps a person that an exact answer about a group may take."""

_MOST_STATES = 2**24  # of one group: two arrays of 128 MB
_MOST_ENTRIES = 2**28  # beliefs that are kept, of 8 bytes each


@dataclass(frozen=True, eq=False, kw_only=True)
class Groups:
    """People who are alike within a group are one *row*; rows stand group after group.

    Attributes
    ----------
    tuples : array (tuples × columns)
        The quasi-identifiers of the people, each combination once; below 0 where not known.
    start : array
        Where the rows of each group begin.
    tuple_of : array, one a row
        Which tuple it has; -1: strangers.
    people : array, one a row
        How many people it is.
    value_start, values, numbers : arrays
        The secrets of each group, and how many records have them.
    place : array, one a group
        Its number in the release: of the group, or of (one of) the classes with these cells.
    """

    tuples: NDArray[np.int32]
    start: NDArray[np.int64]
    tuple_of: NDArray[np.int64]
    people: NDArray[np.int64]
    value_start: NDArray[np.int64]
    values: NDArray[np.int64]
    numbers: NDArray[np.int64]
    place: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.place)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each group has."""
        return np.add.reduceat(self.numbers, self.value_start[:-1])

    @cached_property
    def group_of(self) -> NDArray[np.int64]:
        """The group of each row."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def promise(self) -> NDArray[np.float64]:
        """The largest share of a secret in each group: what nobody is to be believed beyond."""
        return np.maximum.reduceat(self.numbers, self.value_start[:-1]) / self.sizes

    @cached_property
    def entry(self) -> NDArray[np.int64]:
        """Where the beliefs about each group begin: one for each of its rows and secrets."""
        many = np.diff(self.start) * np.diff(self.value_start)
        return np.concatenate([[0], np.cumsum(many)])

    @cached_property
    def entry_row(self) -> NDArray[np.int64]:
        """The row of each belief."""
        return np.repeat(np.arange(len(self.tuple_of)), np.diff(self.value_start)[self.group_of])

    @cached_property
    def entry_value(self) -> NDArray[np.int64]:
        """The place of each belief's secret among the ``values``."""
        width = np.diff(self.value_start)[self.group_of]
        first = np.concatenate([[0], np.cumsum(width)])[:-1]
        within = np.arange(int(width.sum())) - np.repeat(first, width)
        return within + np.repeat(self.value_start[:-1][self.group_of], width)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Random worlds: each belief if everybody in a group is as likely to have each record."""
        at = self.entry_value
        return self.numbers[at] / self.sizes[self.group_of[self.entry_row]]

    @cached_property
    def states(self) -> NDArray[np.float64]:
        """The numbers of secrets that can be used up in each group; infinite if beyond floats."""
        with np.errstate(over="ignore"):
            return np.multiply.reduceat(self.numbers + 1.0, self.value_start[:-1])

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """States times secrets of each group: the steps that an exact answer takes."""
        return self.states * np.diff(self.value_start)

    def sheet(self, codes: NDArray[np.int32], steps: int) -> Sheet:
        """The groups for the kernels, as a model sees them.

        Parameters
        ----------
        codes : array (tuples × columns)
            What the model knows of each tuple.
        steps : int
            Steps a person that an exact answer may take.
        """
        exact = (self.costs <= steps * self.sizes) & (self.states <= _MOST_STATES)
        strangers = np.full((1, codes.shape[1]), -1, dtype=np.int32)
        return Sheet(
            self.start, self.people,
            np.ascontiguousarray(np.concatenate([codes, strangers])[self.tuple_of]),
            self.value_start, self.values, self.numbers, self.entry,
            np.where(exact, self.states, 0).astype(np.int64),
        )  # fmt: skip

    def check_size(self) -> None:
        """Refuse what would not fit into memory."""
        if self.entry[-1] > _MOST_ENTRIES:
            raise InputError(
                f"there are {int(self.entry[-1]):,} beliefs to be kept, one for each kind of "
                f"people and each value in their group, and no more than {_MOST_ENTRIES:,} are; "
                "put values of the sensitive column together, or take a part of the groups"
            )


def groups_of_permuted(
    release: Permuted, *, apart: bool = False
) -> tuple[Groups, NDArray[np.int64]]:
    """The groups of a permuted release, and the tuple of each of its records.

    ``apart``: records that are alike but in different groups have tuples of their own, for whoever
    asks about a record knows its group.
    """
    columns = list(release.codes.astype(np.int64))
    group_of = release.group_of.astype(np.int64)
    first, tuple_of = combined([group_of, *columns] if apart else columns)
    one, row_of = combined([group_of, tuple_of])
    groups = _grouped(
        release.codes[:, first].T, group_of[one], tuple_of[one], np.bincount(row_of),
        release.counts, np.arange(release.n_groups),
    )  # fmt: skip
    return groups, tuple_of


def groups_of_classes(
    points: NDArray[np.int32],
    people: NDArray[np.int64],
    seating: Seating,
    counts: NDArray[np.int64],
    place: NDArray[np.int64],
) -> Groups:
    """The classes of a generalized release that somebody was found for.

    Parameters
    ----------
    points : array (kinds × columns)
    people : array
        How many people each kind is.
    seating : Seating
    counts : array (classes × secrets)
    place : array
        The number of each class in the release.
    """
    seats = np.flatnonzero(seating.class_of >= 0)
    used, group = np.unique(seating.class_of[seats], return_inverse=True)
    empty = np.flatnonzero(seating.strangers[used] > 0)
    group_of = np.concatenate([group.ravel(), empty])
    tuple_of = np.concatenate([seats, np.full(len(empty), -1)])
    many = np.concatenate([people[seats], seating.strangers[used][empty]])
    order = np.argsort(group_of, kind="stable")
    return _grouped(
        points, group_of[order], tuple_of[order], many[order], counts[used], place[used]
    )


def _grouped(
    tuples: NDArray[np.int32],
    group_of: NDArray[np.int64],
    tuple_of: NDArray[np.int64],
    people: NDArray[np.int64],
    counts: NDArray[np.int64],
    place: NDArray[np.int64],
) -> Groups:
    """Rows that stand group after group, with their groups' counts."""
    g, s = np.nonzero(counts)
    many = np.bincount(group_of, minlength=len(counts))
    return Groups(
        tuples=np.ascontiguousarray(tuples, dtype=np.int32),
        start=np.concatenate([[0], np.cumsum(many)]).astype(np.int64),
        tuple_of=tuple_of.astype(np.int64),
        people=people.astype(np.int64),
        value_start=np.searchsorted(g, np.arange(len(counts) + 1)).astype(np.int64),
        values=s.astype(np.int64),
        numbers=counts[g, s].astype(np.int64),
        place=place,
    )
