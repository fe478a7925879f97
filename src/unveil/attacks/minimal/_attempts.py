"""What a sanitizer must have tried and refused, in one form for all that work step by step.

An *attempt* puts people into parts. Each part meets the sanitizer's goal in a world, or fails. A
cut of Mondrian is refused if any part fails. A node of Recoding's lattice is refused if more people
are in failing parts than may be suppressed, or if suppressing these loses more than the node that
was taken. Both are

    records in failing parts > limit    or    what suppressing them adds > margin.

A world is one in which the sanitizer makes the same release just if all attempts are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column
from unveil.sanitize import Stretches, no_stretches

__all__ = ["NEVER", "Attempt", "Goal", "goal_of"]

NEVER = 2**62
"""A margin that nothing exceeds."""

_SLACK = 1e-12  # by which rounding may push a distance over t: as sanitizers have it


class Goal(NamedTuple):
    """What is asked of the sensitive values of a part, as the kernels want it.

    Attributes
    ----------
    l : int
        No value in more than 1/ℓ of the records; 1 asks for nothing.
    stretch : array
        Rows (first value, last value, weight, records of the table) of t; none without t.
    far : float
        What the sum over stretches may be at most, a record of the part and of the table.
    records : int
        Of the whole table.
    """

    l: int  # noqa: E741  (it is called l everywhere in this field)
    stretch: NDArray[np.int64]
    far: float
    records: int

    @property
    def looks_inside(self) -> bool:
        """Whether sensitive values matter at all."""
        return self.l > 1 or len(self.stretch) > 0


def goal_of(
    secret: Column,
    *,
    l: int | None,  # noqa: E741
    t: float | None,
    apart: Stretches | None,
) -> Goal:
    """The goal; ``apart`` tells how far values are from each other, for t."""
    first, last, weight, whole = apart or no_stretches()
    totals = np.bincount(secret.codes, minlength=secret.size)
    upto = np.concatenate([[0], np.cumsum(totals)])
    stretch = np.stack([first, last, weight, upto[last + 1] - upto[first]], axis=1)
    return Goal(
        l=int(l or 1),
        stretch=stretch.astype(np.int64),
        far=0.0 if t is None else (t + _SLACK) * whole,
        records=len(secret.codes),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Attempt:
    """Something finer that was tried.

    Attributes
    ----------
    what : str
        What it was, in words that go on after "it did not".
    people : array
        The records that it is about.
    part_of : array
        The part of each of them.
    sizes : array
        Records in each part.
    small : array
        Which parts fail by their size alone, whoever has which secret.
    extra : array
        What it adds to the loss to suppress each part.
    limit, margin : int
        Refused if more records fail than the limit, or more is added than the margin.
    parts : tuple of str
        The parts in words, if they are few.
    """

    what: str
    people: NDArray[np.intp]
    part_of: NDArray[np.intp]
    sizes: NDArray[np.int64]
    small: NDArray[np.bool_]
    extra: NDArray[np.int64]
    limit: int = 0
    margin: int = NEVER
    parts: tuple[str, ...] = ()

    def is_refused(self, fails: NDArray[np.bool_]) -> bool:
        """Whether it is refused if these parts fail."""
        added = int(self.extra[fails].sum())
        return int(self.sizes[fails].sum()) > self.limit or added > self.margin

    @property
    def tells_nothing(self) -> bool:
        """Whether it would have been refused whoever has which secret."""
        return self.is_refused(self.small)
