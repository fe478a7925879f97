"""Round by round: change, sanitize, test, and remember the best."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks import differential_inference
from unveil.errors import UnveilError
from unveil.hardening._merged import refuse_unmergeable
from unveil.hardening._rounds import CONFIDENCE, GOAL, INTERRUPTED, Attempt, Course, Round
from unveil.hardening._strategies import Limits, Strategy
from unveil.measures import information_loss
from unveil.microdata import AnyRelease, Microdata, has_true_cells
from unveil.sanitize import Sanitizer

__all__ = ["Test", "courses"]

_ASKED_AGAIN = 3  # times: two draws of a random sanitizer may be the same


@dataclass(frozen=True, kw_only=True)
class Test:
    """The original table, and how what becomes of it is tested."""

    microdata: Microdata
    prior: NDArray[np.float64] | None
    options: dict[str, Any]
    """What `differential_inference` is told besides."""
    merges: bool
    """Whether classes will be merged, for which there have to be some."""

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
        release = sanitizer.sanitize(table)
        if self.merges:
            refuse_unmergeable(release)
        finding = differential_inference(table, sanitizer, prior=prior, **self.options)
        if finding.interrupted:
            raise KeyboardInterrupt
        return Attempt(
            original=len(self.microdata),
            kept=kept,
            microdata=table,
            sanitizer=sanitizer,
            release=release,
            finding=finding,
            one_draw=finding.sampling is None
            and finding.certain
            and _answers_otherwise(sanitizer, table, release),
            loss=_loss(release, self.microdata),
            seconds=time.perf_counter() - started,
        )


def _loss(release: AnyRelease, original: Microdata) -> float:
    """What the cells leave open; NaN where there are none that are true of the records."""
    if not has_true_cells(release):
        return math.nan
    return information_loss(release, original).loss


def _answers_otherwise(sanitizer: Sanitizer, table: Microdata, release: AnyRelease) -> bool:
    """Whether something else is published if the same table is sanitized again."""
    if sanitizer.deterministic:
        return False
    before = _rows(release)
    try:
        return any(_rows(sanitizer.sanitize(table)) != before for _ in range(_ASKED_AGAIN))
    except UnveilError:  # it did it before; what it fails at is said where records are left out
        return False


def _rows(release: AnyRelease) -> Counter[tuple[str, ...]]:
    """What is published, whatever its order."""
    return Counter(release.to_frame(by_class=True).astype(str).itertuples(index=False, name=None))


@dataclass
class _Log:
    """The rounds so far, the best of them, and whoever wants to hear of them."""

    goal: float
    confidence: float
    """Of what is said about one sampled round, so that all of it holds with `CONFIDENCE`."""
    tell: Callable[[Round], None]
    rounds: list[Round] = field(default_factory=list)
    best: list[tuple[Round, Attempt]] = field(default_factory=list)

    def add(self, attempt: Attempt, changed: int) -> None:
        """Write down how an attempt went."""
        finding = attempt.finding
        not_tested = sum(finding.not_tested.values())
        sampled = finding.sampling is not None
        at_most = finding.delta_within(self.confidence)[1] if sampled else finding.delta
        done = Round(
            number=len(self.rounds),
            changed=changed,
            removed=attempt.removed,
            enlarged=attempt.enlarged,
            delta=finding.delta,
            delta_at_most=at_most,
            mean=finding.mean,
            share_over=finding.share_over(self.goal),
            loss=attempt.loss,
            classes=len(attempt.release.sizes),
            smallest_class=int(attempt.release.sizes.min(initial=len(attempt.kept))),
            not_tested=not_tested,
            sampled=sampled,
            one_draw=attempt.one_draw,
            holds=at_most <= self.goal and not not_tested,
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
    # One of many rounds would seem to hold by luck: they share what may go wrong. All strategies
    # begin with the same test.
    confidence = 1 - (1 - CONFIDENCE) / (1 + limits.rounds * len(strategies))
    first = test.run(np.arange(len(test.microdata)), sanitizer)
    for strategy in strategies:
        log = _Log(limits.goal, confidence, _telling(watch, strategy.name))
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
