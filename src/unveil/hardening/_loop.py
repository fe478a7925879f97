"""Round by round: change, sanitize, test, and remember the best."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks import INTERRUPTED as CUT_SHORT
from unveil.attacks import differential_inference
from unveil.errors import UnveilError
from unveil.hardening._rounds import GOAL, INTERRUPTED, Attempt, Course, Round
from unveil.hardening._strategies import Limits, Strategy
from unveil.measures import information_loss
from unveil.microdata import Microdata, with_records
from unveil.sanitize import Sanitizer

__all__ = ["Test", "courses"]


@dataclass(frozen=True, kw_only=True)
class Test:
    """The original table, and how what becomes of it is tested."""

    microdata: Microdata
    prior: NDArray[np.float64] | None
    options: dict[str, Any]
    """What `differential_inference` is told besides."""

    def run(self, kept: NDArray[np.intp], sanitizer: Sanitizer) -> Attempt:
        """Sanitize some of the records and test each of them.

        A test that was cut short says nothing about the worst record, so it is no attempt.
        """
        started = time.perf_counter()
        everybody = len(kept) == len(self.microdata)
        table = self.microdata if everybody else self.microdata.take(kept)
        prior = self.prior
        if prior is not None and prior.ndim == 2:
            prior = prior[kept]
        release = with_records(sanitizer.sanitize(table), "harden")
        finding = differential_inference(table, sanitizer, prior=prior, **self.options)
        if CUT_SHORT in finding.not_tested:
            raise KeyboardInterrupt
        return Attempt(
            original=len(self.microdata),
            kept=kept,
            microdata=table,
            sanitizer=sanitizer,
            release=release,
            finding=finding,
            loss=information_loss(release, self.microdata).loss,
            seconds=time.perf_counter() - started,
        )


@dataclass
class _Log:
    """The rounds so far, the best of them, and whoever wants to hear of them."""

    goal: float
    tell: Callable[[Round], None]
    rounds: list[Round] = field(default_factory=list)
    best: list[tuple[Round, Attempt]] = field(default_factory=list)

    def add(self, attempt: Attempt, changed: int) -> None:
        """Write down how an attempt went."""
        finding = attempt.finding
        not_tested = sum(finding.not_tested.values())
        done = Round(
            number=len(self.rounds),
            changed=changed,
            removed=attempt.removed,
            enlarged=attempt.enlarged,
            delta=finding.delta,
            mean=finding.mean,
            share_over=finding.share_over(self.goal),
            loss=attempt.loss,
            classes=attempt.release.n_classes,
            smallest_class=int(attempt.release.sizes.min()),
            not_tested=not_tested,
            holds=finding.delta <= self.goal and not not_tested,
            seconds=attempt.seconds,
        )
        self.rounds.append(done)
        if not self.best or done.rank < self.best[0][0].rank:
            self.best = [(done, attempt)]
        self.tell(done)


def courses(
    test: Test,
    sanitizer: Sanitizer,
    strategies: Sequence[Strategy],
    limits: Limits,
    watch: Callable[[str, Round], None],
) -> dict[str, Course]:
    """All strategies, each from the beginning; an interrupt ends them all, and loses no round."""
    found: dict[str, Course] = {}
    first = test.run(np.arange(len(test.microdata)), sanitizer)
    for strategy in strategies:
        log = _Log(limits.goal, _telling(watch, strategy.name))
        try:
            ended = _rounds(test, strategy, first, limits, log)
        except KeyboardInterrupt:
            ended = INTERRUPTED
        [(best, attempt)] = log.best
        found[strategy.name] = Course(
            strategy=strategy.name,
            rounds=tuple(log.rounds),
            best=best,
            ended=ended,
            attempt=attempt,
        )
        if ended == INTERRUPTED:
            break
    return found


def _telling(watch: Callable[[str, Round], None], strategy: str) -> Callable[[Round], None]:
    return lambda done: watch(strategy, done)


def _rounds(test: Test, strategy: Strategy, first: Attempt, limits: Limits, log: _Log) -> str:
    """Go on until there is a reason to end, and say it."""
    attempt = first
    log.add(attempt, 0)
    while not log.rounds[-1].holds:
        if len(log.rounds) > limits.rounds:
            return f"{limits.rounds} rounds are over"
        change = strategy.change(attempt, limits)
        if isinstance(change, str):
            return change
        try:
            attempt = test.run(change.kept, change.sanitizer)
        except UnveilError as error:  # a goal that the changed table cannot meet, for one
            return str(error)
        log.add(attempt, change.people)
    return GOAL
