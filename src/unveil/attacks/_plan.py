"""One sanitizer against one or more adversaries: who goes which way, and for how long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, NaiveBayes
from unveil.attacks._beliefs import (
    INTERRUPTED,
    Beliefs,
    Question,
    fast_beliefs,
    updated_beliefs,
    way_of,
)
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks._distances import BoundDistance
from unveil.attacks._general_beliefs import Workplace, general_beliefs
from unveil.attacks._results import Results
from unveil.attacks._sampling import How
from unveil.attacks._targets import Targets, chosen_targets
from unveil.engine import Progress
from unveil.errors import InputError, UnveilError
from unveil.microdata import Microdata, Release
from unveil.sanitize import Sanitizer

__all__ = ["Plan"]

_ASKED_TWICE = 1000  # targets on whom two releases of the same table are compared


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What `differential_inference` was asked for, checked."""

    microdata: Microdata
    sanitizer: Sanitizer
    adversaries: tuple[Adversary, ...]
    distance: BoundDistance
    prior: NDArray[np.float64] | None
    targets: Any
    draw: How
    seconds: float | None
    seed: int
    path: str
    predictions: bool
    threads: int
    workplace: Workplace
    progress: bool | None

    def run(self) -> list[DifferentialInference]:
        """A finding for each adversary, in their order.

        An interrupt ends the work but loses nothing: whoever was not reached is reported as not
        tested.
        """
        ends = time.perf_counter() + (self.seconds or 0)
        found: dict[int, DifferentialInference] = {}
        runs = self._runs([self._way(adversary) for adversary in self.adversaries])
        targets = self._targets()
        interrupted = False
        for number, (table, way, which) in enumerate(runs):
            now = time.perf_counter()
            # What is left of the budget is for all the runs that are left.
            deadline = None if self.seconds is None else now + (ends - now) / (len(runs) - number)
            adversaries = tuple(self.adversaries[place] for place in which)
            run = _Run(self, table, way, adversaries, targets, deadline)
            findings = run.findings(skipped=interrupted)
            interrupted = interrupted or run.interrupted
            found.update(zip(which, findings, strict=True))
        return [found[place] for place in range(len(self.adversaries))]

    def _targets(self) -> Targets:
        """The same for all adversaries."""
        # Only who is most exposed depends on the release.
        exposed = self.draw == "exposed"
        return chosen_targets(
            self.targets, self.microdata, self.sanitizer,
            self.sanitizer.sanitize(self.microdata) if exposed else None,
            how=self.draw, seed=self.seed, shuffled=self.seconds is not None,
        )  # fmt: skip

    def _way(self, adversary: Adversary) -> str:
        if self.path not in ("auto", "fast", "general"):
            raise InputError(f'path must be "auto", "fast" or "general", got {self.path!r}')
        if self.path == "general":
            return "general"
        way = way_of(self.sanitizer, adversary)
        if self.path == "fast" and way == "general":
            raise InputError(
                f"there is no fast path for {self.sanitizer.label} against {adversary.label}; "
                'use path="general", which runs the sanitizer anew for each target'
            )
        return way

    def _runs(self, ways: Sequence[str]) -> list[tuple[Microdata, str, list[int]]]:
        """Adversaries who go the general way with the same table share its releases."""
        alone: list[tuple[Microdata, str, list[int]]] = []
        shared: dict[int, tuple[Microdata, str, list[int]]] = {}
        for place, (adversary, way) in enumerate(zip(self.adversaries, ways, strict=True)):
            table = adversary.prepared(self.microdata)
            if way == "general":
                shared.setdefault(id(table), (table, way, []))[2].append(place)
            else:
                alone.append((table, way, [place]))
        return [*alone, *shared.values()]


class _Run:
    """Adversaries who go the same way, on the same table, to the same releases."""

    def __init__(
        self,
        plan: Plan,
        microdata: Microdata,
        way: str,
        adversaries: tuple[Adversary, ...],
        targets: Targets,
        deadline: float | None,
    ) -> None:
        self.plan, self.microdata, self.way = plan, microdata, way
        self.adversaries, self.targets, self.deadline = adversaries, targets, deadline
        self.interrupted = False
        self.started = time.perf_counter()

    def findings(self, *, skipped: bool) -> list[DifferentialInference]:
        """The finding of each adversary; nobody is tested if the user has had enough."""
        plan, f = self.plan, self.plan.sanitizer
        release = f.sanitize(self.microdata)  # a goal that cannot be met is told at once
        chance = _chance(self.microdata, release, f) if self.way == "general" else ()
        question = Question(
            microdata=self.microdata,
            release=release,
            sanitizer=f,
            adversaries=self.adversaries,
            prior=plan.prior,
        )
        # Equal records are tested once, unless adversaries know different things about them.
        own = plan.prior is not None and plan.prior.ndim == 2
        alike = f.treats_equals_alike and not own
        tested, where = _once_each(self.microdata, self.targets.records, alike=alike)
        values, measure = release.sensitive.size, plan.distance.measure
        results = [
            Results(len(tested), values, measure, predictions=plan.predictions)
            for _ in self.adversaries
        ]
        try:
            if skipped:
                raise KeyboardInterrupt
            with Progress(f"testing {f.label}", len(tested), plan.progress) as shown:
                for batches in self._beliefs(question, tested, shown):
                    for result, batch in zip(results, batches, strict=True):
                        result.take(batch)
        except KeyboardInterrupt:
            self.interrupted = True
            for result in results:
                result.give_up(INTERRUPTED)
        notes = (
            *release.notes, *chance, *plan.distance.notes, *dict.fromkeys(plan.workplace.notes),
        )  # fmt: skip
        return [
            self._finding(adversary, release, result, where, notes)
            for adversary, result in zip(self.adversaries, results, strict=True)
        ]

    def _beliefs(
        self, question: Question, tested: NDArray[np.intp], shown: Progress
    ) -> Iterator[tuple[Beliefs, ...]]:
        plan, enough = self.plan, self._enough()
        if self.way == "general":
            yield from general_beliefs(question, tested, shown, plan.workplace, enough)
            return
        [adversary] = self.adversaries
        if self.way == "fast":
            each = fast_beliefs(question, adversary, tested, shown, plan.threads, enough)
        else:
            each = updated_beliefs(question, adversary, tested, shown, enough)
        for batch in each:
            yield (batch,)

    def _enough(self) -> Callable[[], bool] | None:
        deadline = self.deadline
        return None if deadline is None else lambda: time.perf_counter() >= deadline

    def _finding(
        self,
        adversary: Adversary,
        release: Release,
        result: Results,
        where: NDArray[np.intp],
        notes: tuple[str, ...],
    ) -> DifferentialInference:
        plan, targets = self.plan, self.targets
        kept = _in_order(_reached(result.reached[where]), targets)
        records, where = targets.records[kept], where[kept]
        everybody = len(records) == len(plan.microdata) and targets.how != "chosen"
        return DifferentialInference(
            distances=result.distances[where],
            targets=records,
            mode_changed=result.mode_changed[where],
            present=result.present[where] if plan.predictions else None,
            absent=result.absent[where] if plan.predictions else None,
            not_tested=result.not_tested(where),
            failures=result.failures(records, where),
            microdata=plan.microdata,
            sanitizer=plan.sanitizer.label,
            adversary=adversary,
            distance=plan.distance.name,
            distance_explained=plan.distance.explained,
            n_classes=release.n_classes,
            smallest_class=int(release.sizes.min()),
            way=self.way,
            how="all" if everybody else targets.how,
            wanted=len(targets.records),
            budget=plan.seconds,
            prior=plan.prior is not None,
            seed=plan.seed,
            seconds=time.perf_counter() - self.started,
            notes=tuple(dict.fromkeys((*notes, *adversary.notes, *result.notes))),
        )


def _reached(reached: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The targets up to where time was up.

    Later ones who equal an earlier one are known, too, but a sample must not favour people of
    whom there are many.
    """
    return np.arange(len(reached) if reached.all() else int(np.argmin(reached)))


def _in_order(kept: NDArray[np.intp], targets: Targets) -> NDArray[np.intp]:
    """The order of the table, unless the user or the draw has an order that means something."""
    if targets.how in ("chosen", "exposed"):
        return kept
    return kept[np.argsort(targets.records[kept], kind="stable")]


def _chance(microdata: Microdata, release: Release, sanitizer: Sanitizer) -> tuple[str, ...]:
    """A warning if the same table is not sanitized alike twice, which this test takes for granted.

    Not asked of built-in sanitizers that are known for it.
    """
    if sanitizer.treats_equals_alike:
        return ()
    some, adversary = microdata.codes[:, :_ASKED_TWICE], NaiveBayes()
    try:
        again = adversary.predict(sanitizer.sanitize(microdata), some)
    except UnveilError:  # it did it once; what it fails at later is counted there
        return ()
    moved = np.abs(adversary.predict(release, some) - again).sum(axis=1).max(initial=0) / 2
    if not moved > 1e-9:
        return ()
    return (
        f"{sanitizer.label} is random: with two releases of the same table the belief about "
        f"somebody moves by {moved:.3g}, so these distances mix chance with what records give away",
    )


def _once_each(
    microdata: Microdata, records: NDArray[np.intp], *, alike: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The records to test, in the order of the targets, and for each target its place there."""
    if not alike:
        return records, np.arange(len(records))
    groups, first, where = np.unique(
        microdata.distinct_of[records], return_index=True, return_inverse=True
    )
    order = np.argsort(first)  # of the groups, by their first target
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return microdata.distinct[groups[order]], rank[where.ravel()]
