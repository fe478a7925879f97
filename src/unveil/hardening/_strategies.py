"""What to do about those whom an anonymization serves worst: leave them out, or hide them better.

A strategy looks at an attempt and says how the next one differs, or why there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.hardening._merged import classes_covering, crowds_of, with_crowds
from unveil.hardening._rounds import Attempt
from unveil.microdata import Release, with_records
from unveil.sanitize import Mondrian, Sanitizer

__all__ = ["BOTH", "STRATEGIES", "Change", "Limits", "Merging", "Strategy", "strategies_named"]

BOTH = "both"
_CHUNK = 2**24  # (record, class) pairs looked at together


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How far a strategy may go."""

    goal: float
    rounds: int
    at_a_time: int
    """People dealt with in one round: removing some changes everybody's distances."""
    at_most: int
    """Records that may be removed in all, or that a class may be asked to have."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """How the next attempt differs."""

    kept: NDArray[np.intp]
    sanitizer: Sanitizer
    people: int
    """How many it is about."""


class Strategy(Protocol):
    """One way to deal with the worst."""

    name: ClassVar[str]

    def change(self, attempt: Attempt, limits: Limits) -> Change | str:
        """The next change, or why there is none."""


class Removal:
    """Take the worst out of the table, as the 2019 report has it."""

    name: ClassVar[str] = "remove"

    def change(self, attempt: Attempt, limits: Limits) -> Change | str:
        worst = _over(attempt, limits.goal)
        if not len(worst):
            return _nobody_over(attempt)
        left = limits.at_most - attempt.removed
        if left <= 0:
            return (
                f"{len(worst):,} records are over the goal, but no more than {limits.at_most:,} "
                "may be removed in all (at_most)"
            )
        gone = worst[: min(limits.at_a_time, left)]
        kept = np.delete(attempt.kept, gone)
        return Change(kept=kept, sanitizer=attempt.sanitizer, people=len(gone))


class Merging:
    """Keep everybody, and merge the classes of the worst with their neighbours.

    The sanitizer is told that people like those in such a class ask for a crowd of half as many
    again. So Mondrian refuses the cut that had parted them from their neighbours, which leaves
    about twice as many together, with room to spare; what others publish is merged afterwards. It
    is all of the class who ask, because the one who is left out asks for nothing: had he been the
    only one, his class would fall apart without him.
    """

    name: ClassVar[str] = "merge"

    def change(self, attempt: Attempt, limits: Limits) -> Change | str:
        worst = _over(attempt, limits.goal)
        if not len(worst):
            return _nobody_over(attempt)
        release = with_records(attempt.release, "merging classes")
        class_of = _class_of(attempt, release)
        sizes = np.append(release.sizes, len(attempt.kept))[class_of]
        # Without somebody the table must be large enough for what the others ask for, too.
        most = min(limits.at_most, len(attempt.kept) - 1)
        worst = worst[sizes[worst] < most][: limits.at_a_time]
        if not len(worst):
            return f"all who are over the goal are in classes of at least {most:,} (at_most)"
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
    known = (*STRATEGIES, BOTH)
    for given in names or [strategy]:
        if not isinstance(given, str) or given not in known:
            near = did_you_mean(given, known) if isinstance(given, str) else ""
            raise InputError(
                f"strategy must be {', '.join(known[:-1])} or {known[-1]}, got {given!r}{near}"
            )
    wanted = [one for name in names for one in (STRATEGIES if name == BOTH else [name])]
    return [STRATEGIES[name]() for name in dict.fromkeys(wanted)]


def _over(attempt: Attempt, goal: float) -> NDArray[np.intp]:
    """The records of the attempt's table whose distance is over the goal, the worst first."""
    finding = attempt.finding
    number = int((finding.tested > goal).sum())
    return finding.targets[finding.worst_places(number)]


def _nobody_over(attempt: Attempt) -> str:
    """Why the goal does not hold although there is nobody to do something about."""
    finding = attempt.finding
    # The bound may be that of an adversary who is not the strongest as sampled.
    sampled = [one.sampling for one in (finding, *finding.against.values())]
    most = max((sampling.most for sampling in sampled if sampling is not None), default=0)
    if not most or finding.not_tested:
        return "nobody who was tested is over the goal, but some could not be tested"
    return (
        "nobody is over the goal by the sampled distances, but these are too inexact to rule it "
        f"out; sample more, such as samples={4 * most}, or until a smaller error"
    )


def _class_of(attempt: Attempt, release: Release) -> NDArray[np.integer]:
    """The class of each record; of several that cover it the largest, and -1 if none does."""
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
