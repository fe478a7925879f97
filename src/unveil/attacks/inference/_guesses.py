"""What adversaries guess about people in a release, and about people who are not in it.

For each person an adversary gives five numbers: the belief in the true value; the probability that
the guess is right (of several equally believed values one is picked at random); whether they are
sure; the probability that they are sure and right; and whether they believe anything at all. An
adversary without a belief about somebody is neither right nor sure. Numbers need only be near the
true value (`unveil.attacks.tolerance`): belief is then that in all values near it, and the guess is
the number that is most likely to be near enough.

Where a person may have several records, the adversary guesses the value of each, and the person's
numbers are the means over the records. So all people weigh the same, and people are what intervals
count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks.estimates import (
    TAIL,
    Estimate,
    difference_of,
    mean_of,
    paired_difference,
    share_of,
)
from unveil.attacks.held_out import People
from unveil.attacks.relative_risk import ROUNDING
from unveil.attacks.shared import Knowledge, understood
from unveil.attacks.tolerance import Near
from unveil.engine import Progress
from unveil.errors import InputError, Option
from unveil.microdata import AnyRelease, numbered_people

BELIEF, RIGHT, SURE, SURE_RIGHT, KNOWN = range(5)
"""The rows of answers."""

_STEP = 4096  # people asked about at a time, and fewer where there are many values:
_ENTRIES = 1 << 17  # so many numbers are added up fast, and in memory that is at hand


@dataclass(frozen=True, eq=False, kw_only=True)
class Guesses:
    """What was guessed about some people, each number the mean over the releases used for it.

    Attributes
    ----------
    records : array
        Who they are, as record numbers; of several records of a person the first that was asked
        about.
    answers : array of shape (5, people)
        Rows: belief in the true value, right, sure, sure and right, any belief.
    folds : array or None
        The fold of each, if there were several releases.
    """

    records: NDArray[np.intp]
    answers: NDArray[np.float64]
    folds: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.records)

    @property
    def beliefs(self) -> NDArray[np.float64]:
        """The belief in each person's true value; NaN without a belief."""
        return np.where(self.answers[KNOWN] > 0, self.answers[BELIEF], np.nan)

    @property
    def right(self) -> NDArray[np.float64]:
        """The probability that the guess about each person is the true value."""
        return self.answers[RIGHT]

    @cached_property
    def accuracy(self) -> Estimate:
        """The share of people who are guessed right."""
        return self.accuracy_within(TAIL)

    def accuracy_within(self, tail: float) -> Estimate:
        """The same, with an interval that the truth is below with this probability, or above."""
        return share_of(self.answers[RIGHT], self.folds, tail)

    @cached_property
    def belief(self) -> Estimate:
        """The mean belief in the true value; 0 for people without a belief."""
        return mean_of(self.answers[BELIEF], self.folds)

    @cached_property
    def sure(self) -> Estimate:
        """The share of people about whom the adversary is sure."""
        return share_of(self.answers[SURE], self.folds)

    @property
    def accuracy_if_sure(self) -> float | None:
        """The share of these who are guessed right; None if the adversary is sure of nobody."""
        sure = float(self.answers[SURE].sum())
        return float(self.answers[SURE_RIGHT].sum()) / sure if sure else None

    @property
    def not_believed(self) -> int:
        """The number of people about whom nothing is believed."""
        return int((self.answers[KNOWN] == 0).sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoSides:
    """What one adversary guesses about people in the release, and about people who are not.

    Attributes
    ----------
    adversary : Adversary
    inside : Guesses
        About people whose records are in the release.
    outside : Guesses or None
        About people whose records are not; None if there are none.
    """

    adversary: Adversary
    inside: Guesses
    outside: Guesses | None

    @cached_property
    def gap(self) -> Estimate | None:
        """Accuracy about people in the release minus accuracy about others."""
        return self._difference(RIGHT)

    def gap_within(self, tail: float) -> Estimate:
        """The same, with an interval of another width; there are people on both sides."""
        found = self._difference(RIGHT, tail)
        assert found is not None
        return found

    @cached_property
    def belief_gap(self) -> Estimate | None:
        """Mean belief in the true values of people in the release minus that of others."""
        return self._difference(BELIEF)

    def _difference(self, row: int, tail: float = TAIL) -> Estimate | None:
        if self.outside is None:
            return None
        inside, outside = self.inside.answers[row], self.outside.answers[row]
        if np.array_equal(self.inside.records, self.outside.records):
            return paired_difference(inside, outside, self.inside.folds, tail)
        return difference_of(inside, outside, tail)


@dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """Releases, who is in each, and the people whom adversaries are asked about.

    Attributes
    ----------
    known : Knowledge
    splits : tuple of People
        Who is in each release, and who is not. Several are folds: everybody is held out once.
    confidence : float
        Belief in one value from which an adversary is sure.
    targets : array
        Record numbers, in ascending order.
    near : Near, optional
        How near a guess must be. Default: it must be the true value.
    """

    known: Knowledge
    splits: tuple[People, ...]
    confidence: float
    targets: NDArray[np.intp]
    near: Near | None = None

    def __post_init__(self) -> None:
        if not np.isin(self.targets, self._ever_in).any():
            raise InputError(
                "none of the targets is in the release, so there is nobody to compare others with; "
                "leave out {targets}, or include people who are in the release",
                targets=Option("targets"),
            )

    @cached_property
    def _ever_in(self) -> NDArray[np.intp]:
        """Who is in any release."""
        return np.unique(np.concatenate([people.members for people in self.splits]))

    @cached_property
    def _fold_of(self) -> NDArray[np.intp] | None:
        """The fold in which each target is held out; None without folds."""
        if len(self.splits) == 1:
            return None
        fold_of = np.empty(len(self.known.microdata), dtype=np.intp)
        for fold, people in enumerate(self.splits):
            fold_of[people.held_out] = fold
        return fold_of[self.targets]

    def play(
        self,
        attackers: Sequence[Adversary],
        releases: Iterable[AnyRelease],
        progress: bool | None,
    ) -> tuple[list[TwoSides], Guesses, list[AnyRelease]]:
        """Ask every adversary about every target, release by release.

        Besides what each guesses: how often any of them is right about people in a release. No
        choice among their guesses that is made without the truth is right more often.
        """
        targets, seen = self.targets, []
        # Of targets inside and outside: sums of their answers, and in how many releases.
        sums = np.zeros((len(attackers), 2, 5, len(targets)))
        times, by_any = np.zeros((2, len(targets))), np.zeros((5, len(targets)))
        total = len(targets) * len(self.splits) * len(attackers)
        with Progress("guessing", total, progress) as shown:
            for people, release in zip(self.splits, releases, strict=True):
                seen.append(release)
                sides = np.stack([np.isin(targets, p) for p in (people.members, people.held_out)])
                times += sides
                most = np.zeros_like(by_any)
                for attacker, tally in zip(attackers, sums, strict=True):
                    understood(attacker, release)
                    found = self._asked(attacker, release)
                    tally += sides[:, None] * found
                    np.maximum(most, found, out=most)
                    shown.advance(len(targets))
                by_any += sides[0] * most
        played = []
        for attacker, tally in zip(attackers, sums, strict=True):
            inside, outside = map(self._means, tally, times)
            assert inside is not None  # some target is in a release
            played.append(TwoSides(adversary=attacker, inside=inside, outside=outside))
        any_of_them = self._means(by_any, times[0])
        assert any_of_them is not None
        return played, any_of_them, seen

    def _means(self, sums: NDArray[np.float64], times: NDArray[Any]) -> Guesses | None:
        """The mean answers about those who were on one side; None if nobody was."""
        had = times > 0
        if not had.any():
            return None
        folds = None if self._fold_of is None else self._fold_of[had]
        records, answers = self.targets[had], sums[:, had] / times[had]
        if self.known.microdata.several is None:
            return Guesses(records=records, answers=answers, folds=folds)
        _, first, whose, rows = np.unique(
            self._number[records], return_index=True, return_inverse=True, return_counts=True
        )
        means = [np.bincount(whose.ravel(), row) / rows for row in answers]
        order = np.argsort(first)
        return Guesses(
            records=records[first[order]], answers=np.array(means)[:, order],
            folds=None if folds is None else folds[first[order]],
        )  # fmt: skip

    @cached_property
    def _number(self) -> NDArray[np.intp]:
        """The person of each record."""
        return numbered_people(self.known.microdata)

    def by_prior(self) -> tuple[Guesses | None, Guesses | None]:
        """What is guessed about the same people without any release: by a prior, or by shares."""
        secret, targets = self.known.microdata.sensitive, self.targets
        inside = self._ever_in
        rows = np.bincount(self._number[inside])[self._number[inside]]
        counts = np.bincount(secret.codes[inside], 1 / rows, minlength=secret.size)
        prior = counts / counts.sum() if self.known.prior is None else self.known.prior
        found = np.empty((5, len(targets)))
        for some in self._steps(len(targets)):
            theirs = targets[some]
            each = prior[theirs] if prior.ndim == 2 else np.tile(prior, (len(theirs), 1))
            found[:, some] = answers(each, secret.codes[theirs], self.confidence, self.near)
        ever_out = np.concatenate([people.held_out for people in self.splits])
        asked = [np.isin(targets, some) for some in (self._ever_in, ever_out)]
        return self._means(found, asked[0]), self._means(found, asked[1])

    def _asked(self, adversary: Adversary, release: AnyRelease) -> NDArray[np.float64]:
        """An adversary's answers about all targets from one release: five numbers × targets."""
        records = self.targets
        first, which = self._each_once()
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which[order], np.arange(len(first) + 1))
        found = np.empty((5, len(records)))
        for some in self._steps(len(first)):
            start, stop = some.start, some.stop
            beliefs = self.known.believed(adversary, release, first[start:stop])
            rows = order[ends[start] : ends[stop]]
            true = self.known.microdata.sensitive.codes[records[rows]]
            place = which[rows] - start
            found[:, rows] = answers(beliefs, true, self.confidence, self.near, of=place)
        return found

    def _steps(self, people: int) -> Iterator[slice]:
        """Some people at a time: all of them by all values would be too large."""
        step = max(1, min(_STEP, _ENTRIES // self.known.microdata.sensitive.size))
        for start in range(0, people, step):
            yield slice(start, min(start + step, people))

    def _each_once(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """One record for each combination of quasi-identifiers, and each target's place there.

        With a prior of their own, all targets are asked about one by one.
        """
        known, records = self.known, self.targets
        if known.prior is not None and known.prior.ndim == 2:
            return records, np.arange(len(records))
        _, first, which = np.unique(
            known.microdata.cells.cell_of[records], return_index=True, return_inverse=True
        )
        return records[first], which.ravel()


def answers(
    beliefs: NDArray[np.float64],
    true: NDArray[np.integer],
    confidence: float,
    near: Near | None = None,
    of: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """The five numbers for each person, from beliefs (people × values; NaN: no belief).

    ``of`` is the row of beliefs about each person, if several share one.

    >>> beliefs = np.array([[0.7, 0.3], [0.5, 0.5], [np.nan, np.nan]])
    >>> answers(beliefs, np.array([0, 1, 1]), 0.6).T
    array([[0.7, 1. , 1. , 1. , 1. ],
           [0.5, 0.5, 0. , 0. , 1. ],
           [0. , 0. , 0. , 0. , 0. ]])
    """
    each = np.arange(len(true)) if of is None else of
    if near is not None and not near.is_exact:
        found = near.guess(beliefs, each, true)
        known = found.tied[each] > 0
        right = np.where(known, found.hits / np.maximum(found.tied[each], 1), 0.0)
        sure = known & (np.nan_to_num(found.chance[each]) >= confidence - ROUNDING)
        return np.stack([np.where(known, found.own, 0.0), right, sure, sure * right, known])
    known = np.logical_not(np.isnan(beliefs).any(axis=1))
    believed = np.where(known.reshape(-1, 1), beliefs, 0.0)
    top = believed.max(axis=1)
    first: NDArray[np.bool_] = np.greater_equal(believed, top[:, None] - ROUNDING)
    right = np.where(first[each, true] & known[each], (1 / first.sum(axis=1))[each], 0.0)
    sure = (known & (top >= confidence - ROUNDING))[each]
    return np.stack([believed[each, true], right, sure, sure * right, known[each]])
