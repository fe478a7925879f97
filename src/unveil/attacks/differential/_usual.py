"""How much of a test an audit does: work that follows from the size of the table.

It takes about as long on every table, a few seconds for built-in sanitizers, and is the same on
every machine. Nobody knows how long somebody else's program takes, so it is run a certain number of
times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from unveil.adversary import Adversary, CountingAdversary, UpdatingAdversary
from unveil.engine import Budget
from unveil.microdata import Microdata
from unveil.sanitize import Sanitizer

FOREIGN_RUNS = 30
"""Runs of a sanitizer that is not built in."""

_LEAST_RUNS = 8
_SECONDS = 4.0  # for runs of the sanitizer, on a usual machine
_LONGER = 60.0  # for ways that do not run it again
# Microseconds that a built-in sanitizer takes for a record, and an adversary to learn from one.
_TO_SANITIZE = {
    "Identity": 0.6, "Mondrian": 2.0, "Recoding": 4.0, "Anatomy": 4.0, "LaplaceCounts": 4.0,
    "RandomizedResponse": 4.0, "Microaggregation": 24.0,
}  # fmt: skip
_ANYWAY = 1500.0  # a run, however small the table
_TO_LEARN = 200.0  # a model that learns anew each time
_TO_UPDATE = 0.2  # a record, for each person tested
_TO_DRAW = 1000.0  # the samples of one person's noisy counts


class Allowed(NamedTuple):
    """What a budget of work allows one test; None is no limit."""

    budget: Budget | None
    microdata: Microdata
    sanitizer: Sanitizer
    adversaries: Sequence[Adversary]
    tests: int = 1
    """How many tests share a number of runs."""

    def people(self, way: str) -> int | None:
        """How many people are tested on a way.

        Where the sanitizer is run again, each of them takes a run. Sampling takes more: it looks at
        the runs itself.
        """
        budget = self.budget
        if budget is None or budget.seconds is not None or way in ("fast", "sampled"):
            return None if budget is None else budget.work("people")
        if (people := budget.work("people")) is not None:
            return people
        if way == "general":
            return self.runs
        if not budget.is_auto:  # a number of runs, and there are none
            return None
        each = _TO_UPDATE * len(self.microdata) if way == "updating" else _TO_DRAW
        return max(_LEAST_RUNS, int(1e6 * _LONGER / max(each, 1e-3)))

    @property
    def runs(self) -> int | None:
        """How often the sanitizer is run."""
        budget = self.budget
        if budget is None:
            return None
        if (given := budget.work("runs")) is not None:
            return max(1, given // self.tests)
        if not budget.is_auto:
            return None
        each = _TO_SANITIZE.get(type(self.sanitizer).__name__)
        if each is None:
            return FOREIGN_RUNS
        learning = (CountingAdversary, UpdatingAdversary)
        each += _TO_LEARN * sum(not isinstance(one, learning) for one in self.adversaries)
        whole = int(1e6 * _SECONDS / (_ANYWAY + each * len(self.microdata)))
        return max(_LEAST_RUNS, whole // self.tests)
