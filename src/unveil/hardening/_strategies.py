"""Attempts and rounds of a hardening, and the strategies that lead from one to the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.differential import DifferentialInference
from unveil.errors import InputError, Listed, Message, Option, Text, did_you_mean
from unveil.hardening._merged import classes_covering, crowds_of, with_crowds
from unveil.microdata import AnyRelease, Microdata, Release, with_records
from unveil.sanitize import Mondrian, Sanitizer

CONFIDENCE = 0.95
"""With which the bounds of all rounds together hold, where distances are sampled."""


_CHUNK = 2**24  # (record, class) pairs compared together
_BOTH = "both"

# Why rounds end.
GOAL = "the goal holds"
INTERRUPTED = "it was interrupted"


@dataclass(frozen=True, eq=False, kw_only=True)
class Attempt:
    """A table, its sanitizer and release, and the test of them."""

    original: int
    """Number of records of the original table."""
    kept: NDArray[np.intp]
    """The numbers of the records that are still in the table."""
    microdata: Microdata
    sanitizer: Sanitizer
    release: AnyRelease
    """Of a random sanitizer: one draw."""
    finding: DifferentialInference
    one_draw: bool
    """Whether the sanitizer is random and was not sampled."""
    loss: float
    seconds: float

    @property
    def enlarged(self) -> int:
        """Number of combinations of quasi-identifiers with larger classes."""
        return len(crowds_of(self.sanitizer))

    @property
    def removed(self) -> int:
        """Number of records that are no longer in the table."""
        return self.original - len(self.kept)


@dataclass(frozen=True, kw_only=True)
class Round:
    """The figures of one round; round 0 is the test of the table as given.

    Attributes
    ----------
    number : int
    changed : int
        People removed, or put into larger classes, in this round.
    removed : int
        Records removed up to here.
    enlarged : int
        Combinations of quasi-identifiers with larger classes up to here.
    delta, mean, share_over : float
        δ, the mean distance, and the share of the records whose distance is over the goal.
    delta_at_most : float
        δ, or if it was sampled, its upper bound with 95% confidence for all records and all rounds
        together.
    sampled : bool
        Whether the distances were sampled.
    one_draw : bool
        Whether the sanitizer is random, because two runs differ, and the distances were not
        sampled: they are those of one draw.
    loss : float
        Information loss of the release, from 0 to 1, removed records counting as 1; see
        `unveil.information_loss`. NaN where no cells cover their records, as with `Anatomy`,
        `LaplaceCounts` and `Microaggregation`.
    classes, smallest_class : int
        0 classes, and the number of all records, if the release has no classes.
    not_tested : int
        Records that could not be tested.
    holds : bool
        Whether all records were tested and `delta_at_most` is not over the goal.
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
        """The smaller, the better: the goal, then all tested, then δ, then the loss.

        Where the goal holds, only the loss counts. For a sampled δ the bound counts: the smallest
        of several estimates is partly small by chance.
        """
        delta = math.inf if math.isnan(self.delta_at_most) else self.delta_at_most
        lost = self.removed if math.isnan(self.loss) else self.loss
        return not self.holds, self.not_tested > 0, 0.0 if self.holds else delta, lost


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """All rounds of one strategy, and the result of the best.

    Attributes
    ----------
    strategy : str
    rounds : tuple of Round
        From round 0, the test of the table as given.
    best : Round
        The one in which the goal holds; if it never does, the one with the smallest
        `Round.delta_at_most`.
    ended : str or Message
        Why there is no further round.
    attempt : Attempt
        The best round's table, sanitizer, release and test.
    """

    strategy: str
    rounds: tuple[Round, ...]
    best: Round
    ended: Text
    attempt: Attempt

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted it."""
        return self.ended == INTERRUPTED

    @property
    def removed(self) -> NDArray[np.intp]:
        """The numbers of the records that are not in the best round's table."""
        everybody = np.ones(self.attempt.original, dtype=bool)
        everybody[self.attempt.kept] = False
        return np.flatnonzero(everybody)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How far a strategy may go."""

    goal: float
    rounds: int
    at_a_time: int
    """People changed in one round: removing some changes the distances of all."""
    at_most: int
    """Records that may be removed in all, or the size that a class may be asked to have."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """How the next attempt differs."""

    kept: NDArray[np.intp]
    sanitizer: Sanitizer
    people: int
    """Number of people it is about."""


class Strategy(Protocol):
    """Looks at an attempt, and says how the next one differs or why there is none."""

    name: ClassVar[str]

    def change(self, attempt: Attempt, limits: Limits) -> Change | Text:
        """The next change, or why there is none."""


class Removal:
    """Remove the worst records from the table, as in Kassem et al. (2019)."""

    name: ClassVar[str] = "remove"

    def change(self, attempt: Attempt, limits: Limits) -> Change | Text:
        worst = _over(attempt, limits.goal)
        if not len(worst):
            return _nobody_over(attempt)
        left = limits.at_most - attempt.removed
        if left <= 0:
            return Message(
                "{worst} records are over the goal, but no more than {most} may be removed in all "
                "({option})",
                worst=len(worst), most=limits.at_most, option=Option("at_most"),
            )  # fmt: skip
        gone = worst[: min(limits.at_a_time, left)]
        kept = np.delete(attempt.kept, gone)
        return Change(kept=kept, sanitizer=attempt.sanitizer, people=len(gone))


class Merging:
    """Keep all records, and merge the classes of the worst with their neighbours.

    The sanitizer is asked for a crowd of half as many again around the people of such a class. So
    Mondrian refuses the cut between them and their neighbours, which leaves about twice as many
    together; the classes of other sanitizers are merged afterwards. The crowd is asked for around
    all people of the class: a person who is left out asks for nothing, and if nobody else did, the
    class would be split again without them.
    """

    name: ClassVar[str] = "merge"

    def change(self, attempt: Attempt, limits: Limits) -> Change | Text:
        worst = _over(attempt, limits.goal)
        if not len(worst):
            return _nobody_over(attempt)
        release = with_records(attempt.release, "merging classes")
        class_of = _class_of(attempt, release)
        sizes = np.append(release.sizes, len(attempt.kept))[class_of]
        # Without one person the table must still be large enough for the crowds of the others.
        most = min(limits.at_most, len(attempt.kept) - 1)
        worst = worst[sizes[worst] < most][: limits.at_a_time]
        if not len(worst):
            return Message(
                "all who are over the goal are in classes of at least {most} ({option})",
                most=most, option=Option("at_most"),
            )  # fmt: skip
        who = np.flatnonzero(np.isin(class_of, class_of[worst]))
        asked = np.minimum((3 * sizes[who] + 1) // 2, most).tolist()
        texts = ([c.texts[code] for code in c.codes[who]] for c in attempt.microdata.quasi)
        wanted = dict(zip(zip(*texts, strict=True), asked, strict=True))
        f = attempt.sanitizer
        return Change(
            kept=attempt.kept,
            sanitizer=with_crowds(f, crowds_of(f).merged(wanted)),
            people=len(worst),
        )


STRATEGIES: dict[str, type[Strategy]] = {kind.name: kind for kind in (Removal, Merging)}


def strategies_named(strategy: Any) -> list[Strategy]:
    """A strategy, several, or both, by name."""
    several = isinstance(strategy, Sequence) and not isinstance(strategy, str | bytes)
    names = list(strategy) if several else [strategy]
    known = (*STRATEGIES, _BOTH)
    for given in names or [strategy]:
        if not isinstance(given, str) or given not in known:
            near = did_you_mean(given, known) if isinstance(given, str) else ""
            raise InputError(
                "{option} must be {known}, got {given}{near}",
                option=Option("strategy"), known=Listed(known, "or"), given=repr(given), near=near,
            )  # fmt: skip
    wanted = [one for name in names for one in (STRATEGIES if name == _BOTH else [name])]
    return [STRATEGIES[name]() for name in dict.fromkeys(wanted)]


def _over(attempt: Attempt, goal: float) -> NDArray[np.intp]:
    """The records of the attempt whose distance is over the goal, the worst first."""
    finding = attempt.finding
    number = int((finding.tested > goal).sum())
    return finding.targets[finding.worst_places(number)]


def _nobody_over(attempt: Attempt) -> Text:
    """Why the goal does not hold although no distance is over it."""
    finding = attempt.finding
    # The bound may be that of an adversary that is not the strongest in the samples.
    sampled = [one.sampling for one in (finding, *finding.against.values())]
    most = max((sampling.most for sampling in sampled if sampling is not None), default=0)
    if not most or finding.not_tested:
        return "no tested record is over the goal, but some records could not be tested"
    return Message(
        "no sampled distance is over the goal, but they are not exact enough to rule it out; "
        "sample more, such as {option}, or ask for a smaller error",
        option=Option("samples", 4 * most),
    )


def _class_of(attempt: Attempt, release: Release) -> NDArray[np.integer]:
    """The class of each record: the largest that covers it, or -1 if none does."""
    codes = attempt.microdata.codes
    if isinstance(attempt.sanitizer, Mondrian):
        return release.class_of
    found = np.empty(codes.shape[1], dtype=np.intp)
    step = max(1, _CHUNK // max(1, release.n_classes))
    for first in range(0, len(found), step):
        covered = classes_covering(release, codes[:, first : first + step])
        largest = np.where(covered, release.sizes, 0).argmax(axis=1)
        found[first : first + step] = np.where(covered.any(axis=1), largest, -1)
    return found
