"""Learn a model across groups, re-weigh beliefs within groups, and repeat.

*The model* is naive Bayes: P(s) of each sensitive value and P(a | s) of each column's values. P(s)
is published. P(a | s) is estimated from how many people with value a are believed to have s, each
belief counting as that part of a person. *Smoothing* λ adds λ people to every s whose values are
distributed like everybody's, so that little is concluded from few people:

    P(a | s) = (n(a, s) + λ p(a)) / (n(s) + λ)

p(a) is the share of the value among all people. Values that are unknown, or in no group, are left
out.

*The loop* is the EM algorithm: both steps make what is published more likely, so the likelihood
(with the prior of smoothing) never falls. Where Bethe's approximation is used in some groups, the
same holds for the sum that its beliefs maximize.

*Three beliefs* follow. *Random worlds*: the shares of the person's group. *Re-weighted*: by what
was learnt across groups. *Population*: naive Bayes alone, as about anybody with the same values.
They are about tuples of quasi-identifiers. If a permuted release has several records with the same
ones, the attacker does not know which is the person's, and believes the mean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unveil.attacks.definetti._groups import Groups
from unveil.attacks.definetti._kernels import ASTRAY, BETHE, Sheet, reweigh, tally
from unveil.attacks.relative_risk import ROUNDING
from unveil.attacks.tolerance import Near
from unveil.engine import Progress
from unveil.engine.counting import combined

_TOGETHER = 2**22  # numbers in memory at a time

View: TypeAlias = Literal["random_worlds", "reweighted", "population"]
VIEWS: tuple[View, ...] = get_args(View)


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """Naive Bayes.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    codes : array (tuples × columns)
        Everybody's values; below 0 if not known.
    offset : array
        Where each column's values begin in tables of all columns.
    shares : array, one per value of any column
        p(a).
    secrets : array
        P(s).
    smoothing : float
        λ.
    counts : array (values of all columns × sensitive values)
        The number of people with the one value who are believed to have the other; 0 before
        anything is learnt.
    """

    names: tuple[str, ...]
    codes: NDArray[np.int32]
    offset: NDArray[np.int64]
    shares: NDArray[np.float64]
    secrets: NDArray[np.float64]
    smoothing: float
    counts: NDArray[np.float64]

    @classmethod
    def of(
        cls, groups: Groups, names: tuple[str, ...], codes: NDArray[np.int32],
        totals: NDArray[np.int64], smoothing: float,
    ) -> Model:  # fmt: skip
        """A model of people in groups; ``codes`` are the values of each tuple."""
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
                   secrets=totals / totals.sum(), smoothing=smoothing,
                   counts=np.zeros((len(shares), len(totals))))  # fmt: skip

    def learnt(self, sheet: Sheet, beliefs: NDArray[np.float64]) -> Model:
        """The most likely model, given beliefs about everybody."""
        counts = np.zeros_like(self.counts)
        tally(sheet, self.offset, beliefs, counts)
        return replace(self, counts=counts)

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """log P(a | s); 0, which says nothing, for values that nobody in a group has."""
        ends = [*self.offset[1:], len(self.shares)]
        found = np.zeros_like(self.counts)
        for a, b in zip(self.offset, ends, strict=True):
            there = a + np.flatnonzero(self.shares[a:b])
            if not len(there):  # a column of which nothing is known
                continue
            prior = self.smoothing * self.shares[there, None]
            # Very little smoothing must not be rounded to zero.
            smoothed = np.maximum(self.counts[there] + prior, np.finfo(np.float64).tiny)
            found[there] = np.log(smoothed) - np.log(smoothed.sum(axis=0))
        return found

    @property
    def log_prior(self) -> float:
        """The log prior that smoothing stands for: λ Σ p(a) log P(a | s)."""
        some = self.shares > 0
        return float(self.smoothing * (self.shares[some] @ self.table[some]).sum())

    def about(self, tuples: NDArray[np.integer] | slice) -> NDArray[np.float64]:
        """P(s | values) of some tuples, whatever their group: tuples × sensitive values."""
        with np.errstate(divide="ignore"):
            found = np.tile(np.log(self.secrets), (len(self.codes[tuples]), 1))
        for column, first in zip(self.codes[tuples].T, self.offset, strict=True):
            there = column >= 0
            found[there] += self.table[first + column[there]]
        found -= found.max(axis=1, keepdims=True)
        np.exp(found, out=found)
        return found / found.sum(axis=1, keepdims=True)


def told(groups: Groups, model: Model) -> float:
    """How much the only column of a model, learnt from the shares of groups, tells.

    The likelihood of groups by what was learnt from them would favour columns whose values are all
    different: each of them has learnt its own group by heart. So each person is compared with what
    the *other* groups say. With P₋(a | s) and p₋(a) learnt without the person's group, and b(s)
    the shares of the group,

        Σ over people and values of b(s) log (P₋(a | s) / Σ_t P(t) P₋(a | t))

    is above 0 if people with a value are in groups that have its sensitive values. A value that is
    in no other group adds 0.
    """
    codes = model.codes[groups.tuple_of, 0]
    rows = np.flatnonzero((groups.tuple_of >= 0) & (codes >= 0))
    if not len(rows):
        return 0.0
    group, value = groups.group_of[rows], codes[rows].astype(np.int64)
    people, (_, pair) = groups.people[rows], combined([group, value])
    alike = np.bincount(pair, people)[pair]  # people of the group with the value
    in_group = np.bincount(group, people)[group]  # and with any that is known
    elsewhere = np.bincount(value, people)[value] - alike
    shares = groups.numbers / np.repeat(groups.sizes, np.diff(groups.value_start))
    of_group = csr_array((shares, groups.values, groups.value_start),
                         shape=(len(groups), len(model.secrets)))  # fmt: skip
    some, step, found = np.flatnonzero(elsewhere), max(1, _TOGETHER // len(model.secrets)), 0.0
    for first in range(0, len(some), step):
        now = some[first : first + step]
        share = of_group[group[now]].toarray()
        prior = model.smoothing * (elsewhere[now] / (people.sum() - in_group[now]))[:, None]
        seen = np.maximum(model.counts[value[now]] - alike[now, None] * share, 0.0) + prior
        others = np.maximum(model.counts.sum(axis=0) - in_group[now, None] * share, 0.0)
        given = seen / (others + model.smoothing)
        ratio = given / (given @ model.secrets)[:, None]
        # Where the group has no record of the value nothing is added, whatever the ratio.
        each = (share * np.log(np.where(share > 0, ratio, 1.0))).sum(axis=1)
        found += float(each @ people[now])
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned:
    """The result of learning.

    Attributes
    ----------
    beliefs : array
        In the order of `Groups.entry`.
    model : Model
        The last model, which gave these beliefs.
    likelihood : array
        Log likelihood of what is published, plus the log prior, after each round.
    moved : float
        How far beliefs moved in the last round, on average over people (total variation).
    settled : bool
        Whether that was no more than the tolerance.
    how : array, one per group
    """

    beliefs: NDArray[np.float64]
    model: Model
    likelihood: NDArray[np.float64]
    moved: float
    settled: bool
    how: NDArray[np.int64]

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.likelihood)

    @property
    def approximate(self) -> NDArray[np.bool_]:
        """Which groups have approximate answers."""
        return self.how >= BETHE

    @property
    def astray(self) -> int:
        """Number of groups in which the approximation had not settled."""
        return int((self.how == ASTRAY).sum())


def learned(
    groups: Groups,
    model: Model,
    *,
    rounds: int,
    tolerance: float,
    steps: int,
    progress: bool | None = None,
) -> Learned:
    """Start from random worlds; learn and re-weigh until beliefs settle, or rounds are over."""
    sheet = groups.sheet(model.codes, steps)
    before, beliefs = groups.shares, np.empty(len(groups.shares))
    how = np.zeros(len(groups), dtype=np.int64)
    weight = groups.people[groups.entry_row] / (2 * groups.people.sum())
    likelihood: list[float] = []
    with Progress("learning and re-weighing", rounds, progress, unit="rounds") as shown:
        while True:
            model = model.learnt(sheet, before)
            found = reweigh(sheet, model.offset, model.table, beliefs, how)
            likelihood.append(found + model.log_prior)
            moved = float(np.abs(beliefs - before) @ weight)
            shown.advance(1)
            if len(likelihood) == rounds or moved <= tolerance:
                break
            before, beliefs = beliefs, before if len(likelihood) > 1 else np.empty_like(beliefs)
    return Learned(beliefs=beliefs, model=model, likelihood=np.array(likelihood), moved=moved,
                   settled=moved <= tolerance, how=how)  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged:
    """One of the beliefs, for each person.

    Attributes
    ----------
    likeliest : array
        The code of the most likely value, the first of several; -1 without a belief.
    belief : array
        The belief in it.
    own : array
        The belief in the person's own value, or values near it; nan if that is not known.
    right : array
        1 if the person's own value is the most likely one, the share of several that are equally
        likely if it is one of them, else 0; nan if it is not known, or there is no belief. A number
        is right if it is near enough.
    """

    likeliest: NDArray[np.int64]
    belief: NDArray[np.float64]
    own: NDArray[np.float64]
    right: NDArray[np.float64]

    @property
    def accuracy(self) -> float | None:
        """The share of people guessed right; None if nobody's own value is known."""
        known = ~np.isnan(self.right)
        return float(self.right[known].mean()) if known.any() else None


@dataclass(frozen=True, eq=False, kw_only=True)
class Views:
    """Beliefs about tuples; rows of nan for those that are in no group.

    Attributes
    ----------
    shares, beliefs : sparse arrays (tuples × sensitive values)
        Random worlds, and re-weighted.
    learned : Learned
    promise : array, one per tuple
        The largest share of a value in its group (the largest of several groups'); nan without.
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

    def about(self, tuples: slice, view: View) -> NDArray[np.float64]:
        """One of the three beliefs about some tuples: tuples × sensitive values."""
        if view == "population":
            beliefs = self.learned.model.about(tuples)
        else:
            beliefs = (self.beliefs if view == "reweighted" else self.shares)[tuples].toarray()
        return np.where(np.isnan(self.promise[tuples])[:, None], np.nan, beliefs)

    def judged(
        self,
        view: View,
        tuple_of: NDArray[np.int64],
        secret: NDArray[np.int64],
        in_table: NDArray[np.bool_],
        tolerance: Near | None = None,
    ) -> Judged:
        """One of the beliefs, for each person.

        Parameters
        ----------
        tuple_of : array, one per person
            Everybody's tuple; -1 for people who have none.
        secret : array, one per person
            Everybody's own value; -1 if the release does not have it, or it is not known.
        in_table : array, one per person
            Whether it is known.
        tolerance : Near, optional
            How near a guess must be. Default: it must be the own value.
        """
        n, (tuples, secrets) = len(tuple_of), self.shares.shape
        likeliest, (belief, own, right) = np.full(n, -1), np.full((3, n), np.nan)
        order = np.argsort(tuple_of, kind="stable")
        step = max(1, _TOGETHER // secrets)
        for first in range(0, tuples, step):  # some at a time, because there may be many
            last = min(first + step, tuples)
            beliefs = self.about(slice(first, last), view)
            a, b = np.searchsorted(tuple_of, [first, last], sorter=order)
            who = order[a:b]
            who = who[~np.isnan(beliefs[tuple_of[who] - first, 0])]
            row = tuple_of[who] - first
            top = beliefs.max(axis=1)
            near = beliefs >= top[:, None] - ROUNDING
            # The first of those that are equally likely, whatever the rounding.
            likeliest[who], belief[who] = near.argmax(axis=1)[row], top[row]
            who, row = who[in_table[who]], row[in_table[who]]
            if tolerance is not None and not tolerance.is_exact:
                guessed = tolerance.guess(beliefs, row, secret[who])
                own[who] = guessed.own
                right[who] = guessed.hits / np.maximum(guessed.tied, 1)[row]
                continue
            there = secret[who] >= 0
            own[who] = np.where(there, beliefs[row, secret[who]], 0.0)
            right[who] = np.where(there & near[row, secret[who]], 1 / near.sum(axis=1)[row], 0.0)
        return Judged(likeliest=likeliest, belief=belief, own=own, right=right)
