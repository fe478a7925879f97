"""Who is at risk: those whose own sensitive value is the most likely one.

With small groups several values are often equally likely, and how such ties are counted moves the
result by points: fully, as the attacker would be right who may name all of them; by its share, as
often as one is right who picks one of them; or not at all. Sampled beliefs are never exactly the
same: they are tied if they are nearer to each other than their Monte Carlo errors allow to tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._answer import Table
from unveil.errors import InputError, did_you_mean

__all__ = ["TIES", "AtRisk", "Ties", "checked_ties"]

Ties: TypeAlias = Literal["full", "fraction", "none"]
TIES: tuple[Ties, ...] = get_args(Ties)

ROUNDING = 1e-9  # of exact beliefs


def checked_ties(name: str) -> Ties:
    """The name of a way to count ties, if it is one."""
    for known in TIES:
        if name == known:
            return known
    near = did_you_mean(name, TIES) if isinstance(name, str) else ""
    raise InputError(f"ties must be 'full', 'fraction' or 'none', but got {name!r}{near}")


@dataclass(frozen=True, eq=False, kw_only=True)
class AtRisk:
    """What one party believes about records.

    Attributes
    ----------
    beliefs : array (sensitive values × tuples)
        nan where there is none.
    tuple_of, secret : array
        The tuple and the sensitive value of each record.
    within : float
        Beliefs that differ by less are tied.
    """

    beliefs: Table
    tuple_of: NDArray[np.integer]
    secret: NDArray[np.integer]
    within: float

    @cached_property
    def of_truth(self) -> NDArray[np.float64]:
        """How strongly each record's own sensitive value is believed; nan if not at all known."""
        return self.beliefs[self.secret, self.tuple_of]

    @cached_property
    def _first_and_tied(self) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        top = self.beliefs.max(axis=0)
        near = self.beliefs >= top - self.within  # nan is not
        return near[self.secret, self.tuple_of], near.sum(axis=0)[self.tuple_of]

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Which records' values are the most likely ones together with others."""
        first, several = self._first_and_tied
        return first & (several > 1)

    def counted(self, ties: Ties) -> NDArray[np.float64]:
        """1 for each record at risk, 0 for others, and what ``ties`` says for those tied."""
        first, several = self._first_and_tied
        if ties == "full":
            return first.astype(np.float64)
        if ties == "none":
            return (first & (several == 1)).astype(np.float64)
        return np.where(first, 1.0 / np.maximum(several, 1), 0.0)
