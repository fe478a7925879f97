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
from unveil.hardening._rounds import Attempt
from unveil.sanitize import Sanitizer

__all__ = ["BOTH", "STRATEGIES", "Change", "Limits", "Strategy", "strategies_named"]

BOTH = "both"
_NOBODY_OVER = "nobody who was tested is over the goal, but some could not be tested"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How far a strategy may go."""

    goal: float
    rounds: int
    at_a_time: int
    """People dealt with in one round: removing some changes everybody's distances."""
    at_most: int
    """Records that may be removed in all."""


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

    def check(self, sanitizer: Sanitizer) -> None:
        """Refuse a sanitizer this cannot be done with, before anything is tested."""

    def change(self, attempt: Attempt, limits: Limits) -> Change | str:
        """The next change, or why there is none."""


class Removal:
    """Take the worst out of the table, as the 2019 report has it."""

    name: ClassVar[str] = "remove"

    def check(self, sanitizer: Sanitizer) -> None:
        pass  # any table without some records can be anonymized like the table itself

    def change(self, attempt: Attempt, limits: Limits) -> Change | str:
        worst = _over(attempt, limits.goal)
        if not len(worst):
            return _NOBODY_OVER
        left = limits.at_most - attempt.removed
        if left <= 0:
            return (
                f"{len(worst):,} records are over the goal, but no more than {limits.at_most:,} "
                "may be removed in all (at_most)"
            )
        gone = worst[: min(limits.at_a_time, left)]
        kept = np.delete(attempt.kept, gone)
        return Change(kept=kept, sanitizer=attempt.sanitizer, people=len(gone))


STRATEGIES: dict[str, type[Strategy]] = {kind.name: kind for kind in (Removal,)}


def strategies_named(strategy: Any) -> list[Strategy]:
    """A strategy, several, or both, by name."""
    if strategy == BOTH:
        return [kind() for kind in STRATEGIES.values()]
    several = isinstance(strategy, Sequence) and not isinstance(strategy, str)
    names = list(dict.fromkeys(strategy)) if several else [strategy]
    known = (*STRATEGIES, BOTH)
    wrong = next((name for name in names if name not in STRATEGIES), None)
    if wrong is not None or not names:
        given = strategy if wrong is None else wrong
        near = did_you_mean(given, known) if isinstance(given, str) else ""
        raise InputError(
            f"strategy must be {', '.join(known[:-1])} or {known[-1]}, got {given!r}{near}"
        )
    return [STRATEGIES[name]() for name in names]


def _over(attempt: Attempt, goal: float) -> NDArray[np.intp]:
    """The records of the attempt's table whose distance is over the goal, the worst first."""
    finding = attempt.finding
    number = int((finding.tested > goal).sum())
    return finding.targets[finding.worst_places(number)]
