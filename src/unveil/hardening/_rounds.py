"""What is known of a table that was changed and tested again, round by round."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.attacks import DifferentialInference
from unveil.hardening._merged import crowds_of
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Sanitizer

__all__ = ["CONFIDENCE", "GOAL", "INTERRUPTED", "Attempt", "Course", "Round"]

CONFIDENCE = 0.95
"""With which the bounds of all rounds hold at once, where distances are sampled."""


# Why rounds come to an end.
GOAL = "the goal holds"
INTERRUPTED = "it was interrupted"


@dataclass(frozen=True, eq=False, kw_only=True)
class Attempt:
    """A table, how it is anonymized, and what the test says of that."""

    original: int
    """How many records there were."""
    kept: NDArray[np.intp]
    """The numbers of those that are still in the table."""
    microdata: Microdata
    sanitizer: Sanitizer
    release: AnyRelease
    """One that the sanitizer publishes: of a random one, any draw is."""
    finding: DifferentialInference
    one_draw: bool
    """Whether chance decided, and was not sampled."""
    loss: float
    seconds: float

    @property
    def enlarged(self) -> int:
        """How many combinations of quasi-identifiers have larger classes asked for."""
        return len(crowds_of(self.sanitizer))

    @property
    def removed(self) -> int:
        """How many records are no longer in the table."""
        return self.original - len(self.kept)


@dataclass(frozen=True, kw_only=True)
class Round:
    """The numbers of one round; round 0 is the test of the table as it was given.

    Attributes
    ----------
    number : int
    changed : int
        People removed, or put into larger classes, in this round.
    removed : int
        Records removed up to here.
    enlarged : int
        Combinations of quasi-identifiers whose people asked for larger classes up to here.
    delta, mean, share_over : float
        δ, the mean distance, and the share of the records whose distance is over the goal.
    delta_at_most : float
        The same as δ, but where it was sampled, what it does not exceed with 95 % confidence for
        all records and all rounds at once.
    sampled : bool
        Whether the distances were sampled.
    one_draw : bool
        Whether the sanitizer is random, as it publishes something else when it is asked again,
        and the distances were not sampled: they are then those of one draw.
    loss : float
        What the release leaves open, from 0 to 1, removed records counting as 1; see
        `unveil.information_loss`. NaN where there are no cells that cover their records, as
        in what `Anatomy`, `LaplaceCounts` and `Microaggregation` publish.
    classes, smallest_class : int
        Of what has no classes there are 0, and all records are together.
    not_tested : int
        Records that the test could say nothing about.
    holds : bool
        Whether everybody was tested and `delta_at_most` is not over the goal.
    seconds : float
    """

    number: int
    changed: int
    removed: int
    enlarged: int
    delta: float
    delta_at_most: float
    mean: float
    share_over: float
    loss: float
    classes: int
    smallest_class: int
    not_tested: int
    sampled: bool
    one_draw: bool
    holds: bool
    seconds: float

    @property
    def rank(self) -> tuple[bool, bool, float, float]:
        """The smaller, the better: the goal, then everybody tested, then δ, then what is lost.

        Where the goal holds, only what is lost counts. Of a sampled δ it is the bound that counts:
        the smallest of several estimates is small by chance, too.
        """
        delta = math.inf if math.isnan(self.delta_at_most) else self.delta_at_most
        lost = self.removed if math.isnan(self.loss) else self.loss
        return not self.holds, self.not_tested > 0, 0.0 if self.holds else delta, lost


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """All rounds of one strategy, and what the best of them has to offer.

    Attributes
    ----------
    strategy : str
    rounds : tuple of Round
        From 0, the test of the table as it was given.
    best : Round
        The one in which the goal holds; if it never does, the one of the smallest
        `Round.delta_at_most`.
    ended : str
        Why there is no further round.
    attempt : Attempt
        The best round's table, sanitizer, release and test.
    """

    strategy: str
    rounds: tuple[Round, ...]
    best: Round
    ended: str
    attempt: Attempt

    @property
    def interrupted(self) -> bool:
        """Whether the user ended it."""
        return self.ended == INTERRUPTED

    @property
    def removed(self) -> NDArray[np.intp]:
        """The numbers of the records that are not in the best round's table."""
        everybody = np.ones(self.attempt.original, dtype=bool)
        everybody[self.attempt.kept] = False
        return np.flatnonzero(everybody)
