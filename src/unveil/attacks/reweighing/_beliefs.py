"""Three beliefs about everybody, and whether they are right.

*Random worlds*: the shares of the person's group. *Re-weighted*: by what was learnt across groups.
*Population*: naive Bayes alone, as about anybody with the same values, whatever the group.

Beliefs are about tuples of quasi-identifiers. Where a permuted release has several records with
the same ones, an attacker does not know which of them is the person's: he believes the mean of
what he believes about each. They are written out for some tuples at a time, for there may be many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unveil.attacks.relative_risk import ROUNDING
from unveil.attacks.reweighing._groups import Groups
from unveil.attacks.reweighing._learning import Learned

__all__ = ["Judged", "Views", "judged"]

_TOGETHER = 2**22  # beliefs that are written out at a time

Some: TypeAlias = Callable[[slice], NDArray[np.float64]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Views:
    """What is believed about tuples; rows of nan for those that are in no group.

    Attributes
    ----------
    shares, beliefs : sparse arrays (tuples × secrets)
        Random worlds, and re-weighted.
    learned : Learned
    promise : array, one a tuple
        The largest share of a secret in its group (the largest of several groups'); nan without.
    """

    shares: csr_array
    beliefs: csr_array
    learned: Learned
    promise: NDArray[np.float64]

    @classmethod
    def of(cls, groups: Groups, learned: Learned, secrets: int) -> Views:
        """The beliefs about groups, as beliefs about tuples."""
        known = groups.tuple_of >= 0
        tuples = len(groups.tuples)
        people = np.bincount(groups.tuple_of[known], groups.people[known], minlength=tuples)
        weight = np.zeros(len(known))
        weight[known] = groups.people[known] / people[groups.tuple_of[known]]
        there = known[groups.entry_row]
        row, value = groups.entry_row[there], groups.values[groups.entry_value[there]]
        where, shape = (groups.tuple_of[row], value), (tuples, secrets)
        promise = np.full(tuples, -np.inf)
        np.maximum.at(promise, groups.tuple_of[known], groups.promise[groups.group_of[known]])
        return cls(
            shares=csr_array((groups.shares[there] * weight[row], where), shape=shape),
            beliefs=csr_array((learned.beliefs[there] * weight[row], where), shape=shape),
            learned=learned,
            promise=np.where(people > 0, promise, np.nan),
        )

    def random_worlds(self, tuples: slice) -> NDArray[np.float64]:
        """By the shares of the group."""
        return self._without_strangers(self.shares[tuples].toarray(), tuples)

    def reweighted(self, tuples: slice) -> NDArray[np.float64]:
        """By what was learnt across groups, within the group."""
        return self._without_strangers(self.beliefs[tuples].toarray(), tuples)

    def population(self, tuples: slice) -> NDArray[np.float64]:
        """By what was learnt alone."""
        return self._without_strangers(self.learned.model.about(tuples), tuples)

    def _without_strangers(
        self, beliefs: NDArray[np.float64], tuples: slice
    ) -> NDArray[np.float64]:
        return np.where(np.isnan(self.promise[tuples])[:, None], np.nan, beliefs)


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged:
    """One of the beliefs, for each person.

    Attributes
    ----------
    likeliest : array
        The code of the most likely secret, the first of several; -1: nothing is believed.
    belief : array
        How strongly it is believed.
    own : array
        How strongly the person's own is believed; nan if it is not known.
    right : array
        1 if the person's own is the most likely one, the share of several that are equally likely
        if it is one of them, else 0; nan if it is not known, or nothing is believed.
    """

    likeliest: NDArray[np.int64]
    belief: NDArray[np.float64]
    own: NDArray[np.float64]
    right: NDArray[np.float64]

    @property
    def accuracy(self) -> float | None:
        """The share of people guessed right; None if nobody's own secret is known."""
        known = ~np.isnan(self.right)
        return float(self.right[known].mean()) if known.any() else None


def judged(
    some: Some,
    tuple_of: NDArray[np.int64],
    secret: NDArray[np.int64],
    in_table: NDArray[np.bool_],
    *,
    tuples: int,
    secrets: int,
) -> Judged:
    """Judge beliefs.

    Parameters
    ----------
    some : callable
        The beliefs about a slice of tuples: tuples × secrets.
    tuple_of : array, one a person
        Everybody's tuple; -1 for people who have none.
    secret : array, one a person
        Everybody's own secret; -1 if the release does not have it, or it is not known.
    in_table : array, one a person
        Whose it is known.
    """
    n = len(tuple_of)
    likeliest, belief = np.full(n, -1), np.full(n, np.nan)
    own, right = np.full(n, np.nan), np.full(n, np.nan)
    order = np.argsort(tuple_of, kind="stable")
    step = max(1, _TOGETHER // secrets)
    for first in range(0, tuples, step):
        last = min(first + step, tuples)
        beliefs = some(slice(first, last))
        a, b = np.searchsorted(tuple_of, [first, last], sorter=order)
        who = order[a:b]
        row = tuple_of[who] - first
        who, row = who[~np.isnan(beliefs[row, 0])], row[~np.isnan(beliefs[row, 0])]
        top = beliefs.max(axis=1)
        near = beliefs >= top[:, None] - ROUNDING
        # Of those that are equally likely the first, whatever the rounding.
        likeliest[who], belief[who] = near.argmax(axis=1)[row], top[row]
        known = in_table[who]
        who, row = who[known], row[known]
        there = secret[who] >= 0
        own[who] = np.where(there, beliefs[row, secret[who]], 0.0)
        right[who] = np.where(there & near[row, secret[who]], 1 / near.sum(axis=1)[row], 0.0)
    return Judged(likeliest=likeliest, belief=belief, own=own, right=right)
