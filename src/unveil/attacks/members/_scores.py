"""What each attacker makes of his beliefs: a score for everybody, larger for likelier members.

All scores are logarithms of beliefs in a person's true sensitive value, or differences of two. A
value that is ruled out gives -∞, the lowest score there is, or +∞ where it is ruled out by the
second belief alone; where both beliefs rule it out, they do not differ, which is a score of 0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._beliefs import INTERRUPTED
from unveil.attacks.members._beliefs import (
    TrueBeliefs,
    kind_of,
    log_ratio,
    logarithm,
    true_beliefs,
)
from unveil.attacks.members._people import People
from unveil.attacks.members._removal import Removal
from unveil.errors import GoalError, Text, UnveilError

__all__ = ["Scores", "scores_of"]

_NO_SAMPLE = "the attacker's own sample cannot be sanitized this way"


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """The scores of one attacker for all whom he asks about.

    Attributes
    ----------
    scores : array
        In the order of `People.asked`; NaN for those who could not be scored.
    reasons : dict
        Kinds of reasons why some could not, and of how many.
    failures : tuple of (record, message)
        What was said about them.
    together : array of int, or None
        A number for each that those held out share if they were asked about together; None: each
        was asked about alone.
    notes : tuple of str
    """

    scores: NDArray[np.float64]
    reasons: dict[str, int] = field(default_factory=dict)
    failures: tuple[tuple[int, str], ...] = ()
    together: NDArray[np.intp] | None = None
    notes: tuple[Text, ...] = ()

    @classmethod
    def of(
        cls,
        people: People,
        scores: NDArray[np.float64],
        *beliefs: TrueBeliefs,
        together: NDArray[np.intp] | None = None,
        notes: tuple[Text, ...] = (),
    ) -> Scores:
        """Scores from beliefs; who has none is counted by what went wrong first."""
        reasons: dict[int, str] = {}
        details: dict[int, str] = {}
        for one in reversed(beliefs):
            reasons |= one.reasons
            details |= one.details
        said = sorted(details.items())
        return cls(
            scores=scores,
            reasons=dict(Counter(why for _, why in sorted(reasons.items()))),
            failures=tuple((int(people.asked[place]), text) for place, text in said),
            together=together,
            notes=notes,
        )

    @classmethod
    def nobody(cls, people: People, reason: str, note: str = "") -> Scores:
        """An attacker who could not score anybody."""
        n = len(people.asked)
        notes = (note,) if note else ()
        return cls(scores=np.full(n, np.nan), reasons={reason: n}, notes=notes)


def scores_of(attacker: str, game: Removal, present: TrueBeliefs) -> Scores:
    """The scores of an attacker by name, from beliefs by f(D) and what else he has."""
    if attacker == "release":
        return Scores.of(game.people, logarithm(present.true), present)
    return _population(game, present) if attacker == "population" else _removal(game, present)


def _population(game: Removal, present: TrueBeliefs) -> Scores:
    """How much better the release explains a value than one of other people does."""
    people = game.people
    try:
        release = game.sanitizer.sanitize(people.own_table)
        usual = true_beliefs(people.everybody, game.adversary, release, people.asked)
    except GoalError as error:
        return Scores.nobody(people, _NO_SAMPLE, f'the attacker "population" is missing: {error}')
    except UnveilError as error:
        return Scores.nobody(people, f"{kind_of(error)} (the attacker's own sample)")
    return Scores.of(people, log_ratio(present.true, usual.true), present, usual)


def _removal(game: Removal, present: TrueBeliefs) -> Scores:
    """How much worse a value is explained by the release without one member."""
    people = game.people
    try:
        absent, together = game.others()
        before, after, notes = game.members()
    except KeyboardInterrupt:  # ends the work, but what the other attackers found stays
        return Scores.nobody(people, INTERRUPTED)
    members, first = np.flatnonzero(people.is_member), present.copy()
    first.put(members, before)
    absent.put(members, after)
    return Scores.of(
        people, log_ratio(first.true, absent.true), first, absent, together=together, notes=notes
    )
