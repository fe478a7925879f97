"""What is learnt across groups: naive Bayes, P(secret) and P(value | secret) of each column.

P(secret) is known from the release. P(value | secret) is estimated from how many people with the
value are believed to have the secret, each belief counting as that part of a person. With
*smoothing* λ, λ more people count for every secret whose values are distributed as everybody's
are, so that of a value or a secret with few people little is concluded:

    P(a | s) = (n(a, s) + λ p(a)) / (n(s) + λ)

p(a) is the share of the value among all people. A value that somebody is not known to have, or
that no group has, says nothing: it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.definetti._groups import Groups
from unveil.attacks.definetti._kernels import Sheet, tally

__all__ = ["Knowledge", "Model"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Knowledge:
    """The columns that a model is about, and how their values are distributed.

    Attributes
    ----------
    names : tuple of str
        What each column is called.
    codes : array (tuples × columns)
        Everybody's values; below 0 if they are not known.
    offset : array
        Where each column's values begin in tables of all.
    shares : array, one a value of any column
        p(a).
    secrets : array
        P(secret).
    smoothing : float
    """

    names: tuple[str, ...]
    codes: NDArray[np.int32]
    offset: NDArray[np.int64]
    shares: NDArray[np.float64]
    secrets: NDArray[np.float64]
    smoothing: float

    @classmethod
    def of(
        cls, groups: Groups, names: tuple[str, ...], codes: NDArray[np.int32],
        totals: NDArray[np.int64], smoothing: float,
    ) -> Knowledge:  # fmt: skip
        """What people in groups have, ``codes`` being what is known of each tuple."""
        sizes = codes.max(axis=0, initial=-1).astype(np.int64) + 1
        offset = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)
        there = groups.tuple_of >= 0
        people = np.bincount(groups.tuple_of[there], groups.people[there], minlength=len(codes))
        shares = np.zeros(int(sizes.sum()))
        for column, first in zip(codes.T, offset, strict=True):
            known = column >= 0
            number = np.bincount(column[known], people[known])
            shares[first : first + len(number)] = number / max(number.sum(), 1)
        return cls(names=names, codes=codes, offset=offset, shares=shares,
                   secrets=totals / totals.sum(), smoothing=smoothing)  # fmt: skip

    def learnt(self, sheet: Sheet, beliefs: NDArray[np.float64]) -> Model:
        """The model that beliefs about everybody make most likely."""
        counts = np.zeros((len(self.shares), len(self.secrets)))
        tally(sheet, self.offset, beliefs, counts)
        return Model(knowledge=self, counts=counts)


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """Naive Bayes.

    Attributes
    ----------
    knowledge : Knowledge
    counts : array (values of all columns × secrets)
        How many people with the value are believed to have the secret.
    """

    knowledge: Knowledge
    counts: NDArray[np.float64]

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """log P(value | secret); 0, which says nothing, for values that nobody in a group has."""
        known = self.knowledge
        ends = [*known.offset[1:], len(known.shares)]
        found = np.zeros_like(self.counts)
        for a, b in zip(known.offset, ends, strict=True):
            there = a + np.flatnonzero(known.shares[a:b])
            if not len(there):  # a column of which nothing is known
                continue
            prior = known.smoothing * known.shares[there, None]
            # A next to nothing of smoothing must not come to nothing at all.
            smoothed = np.maximum(self.counts[there] + prior, np.finfo(np.float64).tiny)
            found[there] = np.log(smoothed) - np.log(smoothed.sum(axis=0))
        return found

    @property
    def log_prior(self) -> float:
        """Of which smoothing is the prior: λ Σ p(a) log P(a | s), to be added to a likelihood."""
        known = self.knowledge
        some = known.shares > 0
        return float(known.smoothing * (known.shares[some] @ self.table[some]).sum())

    def about(self, tuples: NDArray[np.integer] | slice) -> NDArray[np.float64]:
        """P(secret | values) of some tuples, whatever group they are in: tuples × secrets."""
        known = self.knowledge
        with np.errstate(divide="ignore"):
            found = np.tile(np.log(known.secrets), (len(known.codes[tuples]), 1))
        for column, first in zip(known.codes[tuples].T, known.offset, strict=True):
            there = column >= 0
            found[there] += self.table[first + column[there]]
        found -= found.max(axis=1, keepdims=True)
        np.exp(found, out=found)
        return found / found.sum(axis=1, keepdims=True)
