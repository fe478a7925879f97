"""One sanitizer against one or more adversaries: who goes which way, and for how long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, ConditionalFrequency, SmoothedFrequency
from unveil.attacks._beliefs import (
    INTERRUPTED,
    Beliefs,
    Question,
    fast_beliefs,
    updated_beliefs,
)
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks._distances import BoundDistance
from unveil.attacks._general_beliefs import Workplace, general_beliefs
from unveil.attacks._results import Results
from unveil.attacks._sampling import How
from unveil.attacks._targets import Targets, chosen_targets
from unveil.attacks._ways import (
    WAYS_OF_CHANCE,
    Chance,
    chosen_way,
    understood,
    warn_of_chance,
    without_chance,
)
from unveil.attacks.chance import (
    Request,
    SampledQuestion,
    direct_beliefs,
    sampled_beliefs,
    sampled_counts,
)
from unveil.engine import Progress
from unveil.errors import Text
from unveil.microdata import AnyRelease, Microdata, Release
from unveil.sanitize import LaplaceCounts, Sanitizer

__all__ = ["Plan"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What `differential_inference` was asked for, checked."""

    microdata: Microdata
    sanitizer: Sanitizer
    adversaries: tuple[Adversary, ...]
    distance: BoundDistance
    prior: NDArray[np.float64] | None
    chance: Chance
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
        release = self.sanitizer.sanitize(self.microdata) if self.draw == "exposed" else None
        return chosen_targets(
            self.targets, self.microdata, self.sanitizer,
            release if isinstance(release, Release) else None,
            how=self.draw, seed=self.seed, shuffled=self.seconds is not None,
        )  # fmt: skip

    def _way(self, adversary: Adversary) -> str:
        return chosen_way(
            self.sanitizer, adversary, path=self.path, chance=self.chance,
            distance=self.distance, prior=self.prior is not None,
        )  # fmt: skip

    @cached_property
    def request(self) -> Request:
        """What to do where chance decides."""
        return self.chance.request(self.distance, self.seed)

    def _runs(self, ways: Sequence[str]) -> list[tuple[Microdata, str, list[int]]]:
        """Adversaries who go the general way with the same table share its releases."""
        alone: list[tuple[Microdata, str, list[int]]] = []
        shared: dict[tuple[int, str], tuple[Microdata, str, list[int]]] = {}
        for place, (adversary, way) in enumerate(zip(self.adversaries, ways, strict=True)):
            table = adversary.prepared(self.microdata)
            if way in ("general", "sampled"):
                shared.setdefault((id(table), way), (table, way, []))[2].append(place)
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
        for adversary in self.adversaries:
            understood(adversary, release)
        chance = self._of_chance(release)
        question = SampledQuestion(
            microdata=self.microdata,
            release=release,
            sanitizer=f,
            adversaries=self.adversaries,
            prior=plan.prior,
            seed=plan.seed,
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
        self, question: SampledQuestion, tested: NDArray[np.intp], shown: Progress
    ) -> Iterator[tuple[Beliefs, ...]]:
        plan, enough, place = self.plan, self._enough(), self.plan.workplace
        if self.way == "general":
            yield from general_beliefs(question, tested, shown, place, enough)
        elif self.way == "sampled":
            yield from sampled_beliefs(
                question, tested, shown, place, enough, plan.request, self.deadline
            )
        else:
            [adversary] = self.adversaries
            for batch in self._alone(question, adversary, tested, shown, enough):
                yield (batch,)

    def _alone(
        self,
        question: Question,
        adversary: Adversary,
        tested: NDArray[np.intp],
        shown: Progress,
        enough: Callable[[], bool] | None,
    ) -> Iterator[Beliefs]:
        """The ways that one adversary goes by himself."""
        plan, f = self.plan, self.plan.sanitizer
        if self.way == "fast":
            return fast_beliefs(question, adversary, tested, shown, plan.threads, enough)
        if self.way == "updating":
            return updated_beliefs(question, adversary, tested, shown, enough)
        assert isinstance(f, LaplaceCounts)  # or this would be another way
        if self.way == "direct":
            return direct_beliefs(self.microdata, f, tested, shown, plan.request)
        assert isinstance(adversary, SmoothedFrequency | ConditionalFrequency)
        return sampled_counts(
            self.microdata, f, adversary, tested, shown, plan.threads, enough, plan.request
        )

    def _of_chance(self, release: AnyRelease) -> tuple[str, ...]:
        """What is to be said of chance where it plays a part, or none although samples were
        asked for.
        """
        plan, f = self.plan, self.plan.sanitizer
        if self.way == "general" and not plan.chance.asked_for:
            return warn_of_chance(self.microdata, release, f)
        needless = all(without_chance(f, adversary) for adversary in self.adversaries)
        if not plan.chance.asked_for or not needless:
            return ()
        who = "" if len(plan.adversaries) == 1 else f" for {self.adversaries[0].label}"
        return (f"nothing here depends on chance, so nothing was sampled{who}",)

    @property
    def _certain(self) -> bool:
        """Whether nothing depends on chance."""
        f = self.plan.sanitizer
        if self.way not in WAYS_OF_CHANCE:
            return True
        return all(without_chance(f, adversary) for adversary in self.adversaries)

    def _enough(self) -> Callable[[], bool] | None:
        deadline = self.deadline
        return None if deadline is None else lambda: time.perf_counter() >= deadline

    def _finding(
        self,
        adversary: Adversary,
        release: AnyRelease,
        result: Results,
        where: NDArray[np.intp],
        notes: tuple[Text, ...],
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
            n_classes=len(release.sizes) or None,
            smallest_class=int(release.sizes.min()) if len(release.sizes) else None,
            way=self.way,
            how="all" if everybody else targets.how,
            sampling=None if result.sampling is None else result.sampling.take(where),
            certain=self._certain,
            interrupted=self.interrupted,
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
