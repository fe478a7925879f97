"""One sanitizer against one or more adversaries: the way of each, the time, and the results."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks.differential._beliefs import (
    Beliefs,
    Question,
    Work,
    Workplace,
    fast_beliefs,
    general_beliefs,
    updated_beliefs,
)
from unveil.attacks.differential._earth_movers import BoundDistance, Distance
from unveil.attacks.differential._finding import DifferentialInference
from unveil.attacks.differential._noisy_counts import direct_beliefs, sampled_counts
from unveil.attacks.differential._sampled_beliefs import sampled_beliefs
from unveil.attacks.differential._sampling import Drawn, Request, Sampling
from unveil.attacks.differential._targets import How, Targets, chosen_targets
from unveil.attacks.differential._ways import (
    WAYS_OF_CHANCE,
    Chance,
    chosen_way,
    warn_of_chance,
    without_chance,
)
from unveil.attacks.shared import INTERRUPTED, NO_BELIEF, understood
from unveil.engine import Progress
from unveil.errors import Text
from unveil.microdata import AnyRelease, Microdata, Release
from unveil.sanitize import Sanitizer


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The checked options of `differential_inference`."""

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

        An interrupt ends the work but loses nothing: targets that were not reached are reported as
        not tested.
        """
        ends = time.perf_counter() + (self.seconds or 0)
        found: dict[int, DifferentialInference] = {}
        runs = self._runs([self._way(adversary) for adversary in self.adversaries])
        targets = self._targets()
        interrupted = False
        for number, (table, way, which) in enumerate(runs):
            now = time.perf_counter()
            # The rest of the budget is shared by the remaining runs.
            deadline = None if self.seconds is None else now + (ends - now) / (len(runs) - number)
            adversaries = tuple(self.adversaries[place] for place in which)
            run = _Run(self, table, way, adversaries, targets, deadline)
            findings = run.findings(skipped=interrupted)
            interrupted = interrupted or run.interrupted
            found.update(zip(which, findings, strict=True))
        return [found[place] for place in range(len(self.adversaries))]

    def _targets(self) -> Targets:
        """The targets, the same for all adversaries."""
        # Only the most exposed depend on the release.
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
        """The options of sampling."""
        return self.chance.request(self.distance, self.seed)

    def _runs(self, ways: Sequence[str]) -> list[tuple[Microdata, str, list[int]]]:
        """Adversaries on the general way share the releases of the same table."""
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
    """Adversaries that go the same way and attack the same releases of the same table."""

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
        """The finding of each adversary; no target is tested if ``skipped``."""
        plan, f = self.plan, self.plan.sanitizer
        release = f.sanitize(self.microdata)  # a goal that cannot be met fails at once
        for adversary in self.adversaries:
            understood(adversary, release)
        chance = self._of_chance(release)
        question = Question(
            microdata=self.microdata, release=release, sanitizer=f, adversaries=self.adversaries,
            prior=plan.prior, seed=plan.seed,
        )  # fmt: skip
        deadline = self.deadline
        enough = None if deadline is None else lambda: time.perf_counter() >= deadline
        # Equal records are tested once, unless each record has its own prior.
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
                work = Work(question, tested, shown, plan.workplace, plan.threads, enough)
                for batches in self._beliefs(work):
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

    def _beliefs(self, work: Work) -> Iterator[tuple[Beliefs, ...]]:
        if self.way == "general":
            return general_beliefs(work)
        if self.way == "sampled":
            return sampled_beliefs(work, self.plan.request, self.deadline)
        [adversary] = self.adversaries
        if self.way == "fast":
            found = fast_beliefs(work, adversary)
        elif self.way == "updating":
            found = updated_beliefs(work, adversary)
        elif self.way == "direct":
            found = direct_beliefs(work, self.plan.request)
        else:
            found = sampled_counts(work, adversary, self.plan.request)
        return ((batch,) for batch in found)

    def _of_chance(self, release: AnyRelease) -> tuple[Text, ...]:
        """Notes on chance: an unsampled random sanitizer, or samples that nothing needs."""
        plan, f = self.plan, self.plan.sanitizer
        if self.way == "general" and not plan.chance.asked_for:
            return warn_of_chance(self.microdata, release, f)
        if not plan.chance.asked_for or not self._nothing_random:
            return ()
        who = "" if len(plan.adversaries) == 1 else f" for {self.adversaries[0].label}"
        return (f"nothing here is random, so nothing was sampled{who}",)

    @property
    def _nothing_random(self) -> bool:
        f = self.plan.sanitizer
        return all(without_chance(f, adversary) for adversary in self.adversaries)

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
            certain=self.way not in WAYS_OF_CHANCE or self._nothing_random,
            interrupted=self.interrupted,
            wanted=len(targets.records),
            budget=plan.seconds,
            prior=plan.prior is not None,
            seed=plan.seed,
            seconds=time.perf_counter() - self.started,
            notes=tuple(dict.fromkeys((*notes, *adversary.notes, *result.notes))),
        )


def _reached(reached: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The targets that were reached before the time was up.

    Later ones that equal an earlier one are known, too, but a sample must not favour frequent
    records.
    """
    return np.arange(len(reached) if reached.all() else int(np.argmin(reached)))


def _in_order(kept: NDArray[np.intp], targets: Targets) -> NDArray[np.intp]:
    """In the order of the table, unless the user or the draw gave a meaningful order."""
    if targets.how in ("chosen", "exposed"):
        return kept
    return kept[np.argsort(targets.records[kept], kind="stable")]


def _once_each(
    microdata: Microdata, records: NDArray[np.intp], *, alike: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The records to test, in the order of the targets, and the place of each target there."""
    if not alike:
        return records, np.arange(len(records))
    groups, first, where = np.unique(
        microdata.distinct_of[records], return_index=True, return_inverse=True
    )
    order = np.argsort(first)  # of the groups, by their first target
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return microdata.distinct[groups[order]], rank[where.ravel()]


_EQUAL = 1e-12  # beliefs that differ by no more than rounding does
_BY_CHANCE = 3.0  # standard errors within which sampled beliefs count as equal


class Results:
    """The results of one adversary, filled in batch by batch."""

    def __init__(self, n: int, values: int, measure: Distance, *, predictions: bool) -> None:
        keep = (n if predictions else 0, values)
        self.distances = np.full(n, np.nan)
        self.mode_changed = np.zeros(n, dtype=bool)
        self.reached = np.zeros(n, dtype=bool)
        self.present, self.absent = np.full(keep, np.nan), np.full(keep, np.nan)
        self.notes: dict[Text, None] = {}  # each once, in order
        self._reasons: dict[int, str] = {}
        self._details: dict[int, str] = {}
        self._measure, self._predictions = measure, predictions
        self.sampling: Sampling | None = None

    def take(self, batch: Beliefs) -> None:
        """Add the results of a batch of targets."""
        had = ~np.isnan(batch.present + batch.absent).any(axis=1)
        places = batch.places
        present, absent = batch.present[had], batch.absent[had]
        self.reached[places] = True
        self.notes.update(dict.fromkeys(batch.notes))
        if isinstance(batch, Drawn):
            self.distances[places[had]] = batch.distances[had]
            if batch.sampling is not None:
                self._note_sampling(places, batch.sampling)
        else:
            self.distances[places[had]] = self._measure(present, absent)
        self.mode_changed[places[had]] = _another_favourite(present, absent, _slack(batch)[had])
        if self._predictions:
            self.present[places], self.absent[places] = batch.present, batch.absent
        for row in np.flatnonzero(~had).tolist():
            self._forget(int(places[row]))  # there may be a result from fewer samples
            self._reasons[int(places[row])] = batch.reasons.get(row, NO_BELIEF)
        self._details.update({int(places[row]): said for row, said in batch.details.items()})

    def _forget(self, place: int) -> None:
        self.distances[place] = np.nan
        if self.sampling is not None:
            nothing = Sampling.none(1, self.sampling.epsilons.tolist(), self.sampling.wanted)
            self.sampling.put(np.array([place]), nothing)

    def _note_sampling(self, places: NDArray[np.intp], found: Sampling) -> None:
        if self.sampling is None:
            epsilons = found.epsilons.tolist()
            self.sampling = Sampling.none(len(self.distances), epsilons, found.wanted)
        self.sampling.put(places, found)

    def give_up(self, reason: str) -> None:
        """Give a reason for all targets that were not reached."""
        left = np.flatnonzero(~self.reached)
        self.reached[left] = True
        self._reasons.update(dict.fromkeys(left.tolist(), reason))

    def not_tested(self, where: NDArray[np.intp]) -> dict[str, int]:
        """Reasons, and for how many of the targets at these places they hold."""
        return dict(Counter(self._reasons[p] for p in where.tolist() if p in self._reasons))

    def failures(
        self, records: NDArray[np.intp], where: NDArray[np.intp]
    ) -> tuple[tuple[int, str], ...]:
        """What was said about targets that could not be tested, with their record numbers."""
        each = zip(records.tolist(), where.tolist(), strict=True)
        return tuple((record, self._details[p]) for record, p in each if p in self._details)


def _slack(batch: Beliefs) -> NDArray[np.float64]:
    """The difference up to which beliefs about each target count as equal."""
    if isinstance(batch, Drawn) and batch.sampling is not None:
        return _EQUAL + _BY_CHANCE * batch.sampling.standard_error
    return np.full(len(batch.places), _EQUAL)


def _another_favourite(
    present: NDArray[np.float64], absent: NDArray[np.float64], slack: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether none of the most likely values with the record is one of them without it.

    Several values may be equally likely, up to rounding and sampling.
    """
    before = present >= present.max(axis=1, keepdims=True, initial=0) - slack[:, None]
    after = absent >= absent.max(axis=1, keepdims=True, initial=0) - slack[:, None]
    return ~(before & after).any(axis=1)
