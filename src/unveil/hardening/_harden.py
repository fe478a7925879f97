"""Hardening: change the table or its anonymization until the test is passed.

After A. Kassem, G. Ács, C. Castelluccia, C. Palamidessi (2019): remove the outliers, the few
records with a large distance, from the original table, sanitize and test again, as often as
needed. Nothing guarantees that one round is enough, or that any is: without the outliers others
stand out.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Lt
from numpy.typing import NDArray

from unveil.adversary import Adversary, as_prior
from unveil.attacks.differential import (
    Error,
    HowFar,
    Samples,
    differential_inference,
    distance_named,
)
from unveil.attacks.shared import adversaries_named
from unveil.errors import File, InputError, Message, Text, UnveilError
from unveil.hardening._finding import Hardening
from unveil.hardening._merged import refuse_unmergeable
from unveil.hardening._strategies import (
    CONFIDENCE,
    GOAL,
    INTERRUPTED,
    Attempt,
    Course,
    Limits,
    Merging,
    Round,
    Strategy,
    strategies_named,
)
from unveil.measures import information_loss
from unveil.microdata import AnyRelease, Microdata, has_true_cells
from unveil.options import Adversaries, Jobs, Progress, Seed, checked
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer

_Part = Annotated[float, Gt(0), Lt(1)]
_ASKED_AGAIN = 3  # times: two draws of a random sanitizer may be the same


@checked
def harden(
    microdata: Microdata,
    sanitizer: Sanitizer | Callable[[Any], Any],
    *,
    delta: Annotated[float, Gt(0), Lt(math.inf)] = 0.05,
    strategy: str | Sequence[str] = "remove",
    rounds: Annotated[int, Ge(1)] = 20,
    at_most: _Part = 0.1,
    at_a_time: _Part = 0.01,
    adversary: Adversaries = None,
    distance: HowFar = "total-variation",
    prior: Any = None,
    samples: Samples = None,
    error: Error = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    backend: str | None = None,
    progress: Progress = None,
    watch: Callable[[str, Round], None] = lambda strategy, one: None,
) -> Hardening:
    """Change the worst records or their classes until no distance is over ``delta``.

    Every round tests every record with `unveil.differential_inference`. A goal that is not
    reached is not an error: the finding says how far it got, and offers the best round.

    Parameters
    ----------
    microdata : Microdata
        The original table.
    sanitizer : Sanitizer or callable
        What is hardened. It must run on a changed table, so releases made beforehand are not
        enough.
    delta : float
        The goal: no distance over this.
    strategy : {"remove", "merge", "both"}, or a list
        ``"remove"`` removes the records that are over the goal from the table. ``"merge"`` keeps
        all records and merges their classes with neighbouring ones: `Mondrian` does so itself, the
        classes of other sanitizers are merged afterwards, without a fast path. It needs classes
        whose cells cover their people, so it is not available for `Anatomy`, `LaplaceCounts` and
        `Microaggregation`. ``"both"`` runs one after the other, each from the beginning, and
        compares them.
    rounds : int
        Largest number of rounds of each strategy.
    at_most : float
        Largest share of the records that may be removed in all, or, when merging, that a class may
        be asked to have.
    at_a_time : float
        Largest share of the records that are changed in one round, the worst first: removing some
        changes the distances of all, so that others can stay. At least one record is changed.
    adversary, distance, prior, seed, jobs, backend, progress
        As in `unveil.differential_inference`.
    samples, error
        As there, for a random sanitizer or adversary. The goal then holds only if the upper bound
        of δ is not over it, with 95% confidence for all rounds together. Without them a random
        sanitizer is tested in one draw, and a goal may hold by luck; the finding says so.
    watch : callable, optional
        Called after every round, with the name of the strategy and the round.

    Returns
    -------
    Hardening

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> hardening = uv.harden(survey, uv.Mondrian(k=5), delta=0.1)
    >>> hardening.holds, hardening.finding.delta <= 0.1
    (True, True)
    >>> len(hardening.microdata) + len(hardening.removed) == len(survey)
    True
    """
    microdata = as_microdata(microdata, "harden")
    f = as_sanitizer(sanitizer)
    ways = strategies_named(strategy)
    # Named here, so that merged classes are attacked by the same adversary.
    attacker = f.attacked_by if adversary is None else adversary
    _check(microdata, f, adversaries_named(attacker))
    distance_named(distance, microdata.sensitive)
    test = _Test(
        microdata=microdata,
        prior=None if prior is None else as_prior(prior, microdata.sensitive, len(microdata)),
        options={
            "adversary": attacker, "distance": distance, "samples": samples, "error": error,
            "seed": seed, "jobs": jobs, "backend": backend, "progress": progress,
        },
        merges=any(isinstance(way, Merging) for way in ways),
    )  # fmt: skip
    limits = Limits(
        goal=float(delta),
        rounds=int(rounds),
        at_a_time=max(1, _part(at_a_time, len(microdata))),
        at_most=_part(at_most, len(microdata)),
    )
    return Hardening(
        goal=limits.goal,
        limits=limits,
        courses=_courses(test, f, ways, limits, watch),
        original=microdata,
        asked=f.label,
    )


def _part(share: float, n: int) -> int:
    """A share of n records; 0.29 of 100 is 29, not 28 because of binary fractions."""
    return math.floor(share * n + 1e-9)


def _check(microdata: Microdata, f: Sanitizer, adversaries: Sequence[Adversary]) -> None:
    if f.can_leave_out(microdata) is not None:
        raise InputError(
            "{sanitizer} has only releases made beforehand, and a hardened table needs new ones; "
            "give the sanitizer that made them",
            sanitizer=File(f.label, bare=True),
        )
    for adversary in adversaries:
        if adversary.prepared(microdata) is not microdata:
            raise InputError(
                "{adversary} changes the table before it is sanitized, so what is tested is not "
                "what would be published; choose another encoding",
                adversary=adversary.label,
            )


@dataclass(frozen=True, kw_only=True)
class _Test:
    """The original table, and how its changed versions are tested."""

    microdata: Microdata
    prior: NDArray[np.float64] | None
    options: dict[str, Any]
    """Further options of `differential_inference`."""
    merges: bool
    """Whether classes will be merged."""

    def run(self, kept: NDArray[np.intp], sanitizer: Sanitizer) -> Attempt:
        """Sanitize some of the records and test each of them.

        An interrupted test says nothing about the worst record, so it is not an attempt.
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
    """Information loss; NaN where the cells need not be true of the records."""
    if not has_true_cells(release):
        return math.nan
    return information_loss(release, original).loss


def _answers_otherwise(sanitizer: Sanitizer, table: Microdata, release: AnyRelease) -> bool:
    """Whether the same table, sanitized again, gives another release."""
    if sanitizer.deterministic:
        return False
    before = _rows(release)
    try:
        return any(_rows(sanitizer.sanitize(table)) != before for _ in range(_ASKED_AGAIN))
    except UnveilError:  # later failures are reported where records are left out
        return False


def _rows(release: AnyRelease) -> Counter[tuple[str, ...]]:
    """The rows of a release, in any order."""
    return Counter(release.to_frame(by_class=True).astype(str).itertuples(index=False, name=None))


@dataclass
class _Log:
    """The rounds so far, and the best of them."""

    goal: float
    confidence: float
    """Of the bound of one sampled round, so that all together hold with `CONFIDENCE`."""
    tell: Callable[[Round], None]
    rounds: list[Round] = field(default_factory=list)
    best: list[tuple[Round, Attempt]] = field(default_factory=list)

    def add(self, attempt: Attempt, changed: int) -> None:
        """Add the figures of an attempt."""
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


def _courses(
    test: _Test,
    sanitizer: Sanitizer,
    strategies: Sequence[Strategy],
    limits: Limits,
    watch: Callable[[str, Round], None],
) -> dict[str, Course]:
    """All strategies, each from the beginning; an interrupt ends them all, and loses no round."""
    found: dict[str, Course] = {}
    # One of many rounds could hold by luck, so they share the error probability. All strategies
    # start from the same test.
    confidence = 1 - (1 - CONFIDENCE) / (1 + limits.rounds * len(strategies))
    first = test.run(np.arange(len(test.microdata)), sanitizer)
    for strategy in strategies:
        log = _Log(limits.goal, confidence, partial(watch, strategy.name))
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


def _rounds(test: _Test, strategy: Strategy, first: Attempt, limits: Limits, log: _Log) -> Text:
    """Run rounds until there is a reason to end; returns the reason."""
    attempt = first
    log.add(attempt, 0)
    while not log.rounds[-1].holds:
        if len(log.rounds) > limits.rounds:
            return f"all {limits.rounds} rounds are used"
        change = strategy.change(attempt, limits)
        if isinstance(change, str | Message):
            return change
        try:
            attempt = test.run(change.kept, change.sanitizer)
        except UnveilError as error:  # such as a goal that the changed table cannot meet
            return error.message
        log.add(attempt, change.people)
    return GOAL
