"""What was guessed about people in the release, and about people who are not in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks.inference._asking import BELIEF, KNOWN, RIGHT, SURE, SURE_RIGHT
from unveil.attacks.inference._estimates import (
    difference_of,
    mean_of,
    paired_difference,
    share_of,
)
from unveil.attacks.membership._estimates import Estimate

__all__ = ["Guesses", "Tally", "TwoSides"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Guesses:
    """What was guessed about some people, each number the mean over the releases used for it.

    Attributes
    ----------
    records : array
        Who they are, as record numbers.
    answers : array of shape (5, people)
        See `unveil.attacks.inference._asking`.
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
        """How much of the belief about each person is on the true value; NaN if there is none."""
        return np.where(self.answers[KNOWN] > 0, self.answers[BELIEF], np.nan)

    @property
    def right(self) -> NDArray[np.float64]:
        """How likely the guess about each person is the true value."""
        return self.answers[RIGHT]

    @cached_property
    def accuracy(self) -> Estimate:
        """The share of the people about whom he is right."""
        return share_of(self.answers[RIGHT], self.folds)

    @cached_property
    def belief(self) -> Estimate:
        """The mean belief in the true value; 0 for people about whom nothing is believed."""
        return mean_of(self.answers[BELIEF], self.folds)

    @cached_property
    def sure(self) -> Estimate:
        """The share of the people about whom he is sure."""
        return share_of(self.answers[SURE], self.folds)

    @property
    def accuracy_if_sure(self) -> float | None:
        """The share of these about whom he is right; None if he is sure of nobody."""
        sure = float(self.answers[SURE].sum())
        return float(self.answers[SURE_RIGHT].sum()) / sure if sure else None

    @property
    def not_believed(self) -> int:
        """About how many people he believes nothing at all."""
        return int((self.answers[KNOWN] == 0).sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoSides:
    """What one adversary guesses about people in the release, and about people who are not.

    Attributes
    ----------
    adversary : Adversary
    inside : Guesses
        About people whose own records are in the release.
    outside : Guesses or None
        About people whose are not; None if there are none.
    """

    adversary: Adversary
    inside: Guesses
    outside: Guesses | None

    @cached_property
    def gap(self) -> Estimate | None:
        """How much more often he is right about people in the release than about others."""
        return self._difference(RIGHT)

    @cached_property
    def belief_gap(self) -> Estimate | None:
        """How much more he believes in the true values of people in the release."""
        return self._difference(BELIEF)

    def _difference(self, row: int) -> Estimate | None:
        if self.outside is None:
            return None
        inside, outside = self.inside.answers[row], self.outside.answers[row]
        if np.array_equal(self.inside.records, self.outside.records):
            return paired_difference(inside, outside, self.inside.folds)
        return difference_of(inside, outside)


class Tally:
    """Answers about people, added up over releases."""

    def __init__(self, people: int) -> None:
        self._sums, self._times = np.zeros((5, people)), np.zeros(people)

    def add(self, places: NDArray[np.intp], answers: NDArray[np.float64]) -> None:
        """Take answers about the people at these places, each once."""
        self._sums[:, places] += answers
        self._times[places] += 1

    def guesses(
        self, records: NDArray[np.intp], folds: NDArray[np.intp] | None = None
    ) -> Guesses | None:
        """The means of those who were asked about; None if nobody was."""
        had = self._times > 0
        if not had.any():
            return None
        means = self._sums[:, had] / self._times[had]
        return Guesses(
            records=records[had], answers=means, folds=None if folds is None else folds[had]
        )
