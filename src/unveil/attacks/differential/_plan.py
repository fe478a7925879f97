"""One sanitizer against one or more adversaries: the way of each, the time, and the results.

A test goes the quickest exact way, and samples where something is random.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import (
    Adversary,
    ConditionalFrequency,
    CountingAdversary,
    NaiveBayes,
    SmoothedFrequency,
    UpdatingAdversary,
)
from unveil.attacks.differential._beliefs import (
    Beliefs,
    Question,
    Work,
    Workplace,
    fast_beliefs,
    general_beliefs,
    updated_beliefs,
)
from unveil.attacks.differential._earth_movers import BoundDistance
from unveil.attacks.differential._finding import DifferentialInference
from unveil.attacks.differential._noisy_counts import direct_beliefs, sampled_counts
from unveil.attacks.differential._sampled_beliefs import sampled_beliefs
from unveil.attacks.differential._sampling import FACTORS, Chance, Sampling
from unveil.attacks.differential._targets import How, Targets, chosen_targets
from unveil.attacks.differential._usual import Allowed
from unveil.attacks.shared import INTERRUPTED, NO_BELIEF, understood
from unveil.engine import Budget, Progress, checkpointed
from unveil.errors import File, InputError, Message, Option, Text, UnveilError
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import LaplaceCounts, Sanitizer

_WAYS: dict[str, Callable[[Work], Iterator[tuple[Beliefs, ...]]]] = {
    "fast": fast_beliefs,
    "updating": updated_beliefs,
    "general": general_beliefs,
    "direct": direct_beliefs,
    "counts": sampled_counts,
    "sampled": sampled_beliefs,
}
_WAYS_OF_CHANCE = ("direct", "counts", "sampled")
"""Ways that compare distributions of beliefs: computed, noisy counts sampled, all sampled."""

_RUN_AGAIN = ("general", "sampled")
"""Ways that run the sanitizer again for each target."""

_FEW = 3  # people among whom somebody should matter
_ASKED_TWICE = 1000  # targets for which two releases of the same table are compared


class _Run(NamedTuple):
    """Adversaries that go the same way and attack the same releases of the same table."""

    table: Microdata
    way: str
    adversaries: list[Adversary]


class _Limits(NamedTuple):
    """What a budget leaves to one of several tests."""

    deadline: float | None
    shared_by: int
    """Tests that run the sanitizer, among which a number of runs is shared."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The checked options of `differential_inference`."""

    microdata: Microdata
    sanitizer: Sanitizer
    adversaries: tuple[Adversary, ...]
    prior: NDArray[np.float64] | None
    chance: Chance
    targets: Any
    draw: How | None
    budget: Budget | None
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
        seconds = None if self.budget is None else self.budget.seconds
        ends = time.perf_counter() + (seconds or 0)
        found: dict[str, DifferentialInference] = {}
        runs = self._runs()
        draw = self.draw or ("random" if self.budget is None else "worst-first")
        release = None
        if draw in ("worst-first", "exposed") and self._draws:
            release = self._released(self.microdata)
        targets = chosen_targets(
            self.targets, self.microdata, self.sanitizer, release,
            how=draw, seed=self.chance.seed, shuffled=self.budget is not None,
        )  # fmt: skip
        for number, run in enumerate(runs):
            now = time.perf_counter()
            # The rest of the budget is shared by the remaining runs.
            deadline = None if seconds is None else now + (ends - now) / (len(runs) - number)
            interrupted = any(finding.interrupted for finding in found.values())
            known = release if run.table is self.microdata else None
            limits = _Limits(deadline, sum(one.way in _RUN_AGAIN for one in runs))
            findings = self._findings(run, targets, limits, known, skipped=interrupted)
            found.update((finding.adversary.label, finding) for finding in findings)
        return [found[adversary.label] for adversary in self.adversaries]

    @property
    def _draws(self) -> bool:
        """Whether targets are drawn, rather than everybody or people whom the user names."""
        if self.targets is None:
            return self.budget is not None
        return isinstance(self.targets, int | np.integer)

    def _runs(self) -> list[_Run]:
        """Adversaries on the general way share the releases of the same table."""
        alone: list[_Run] = []
        shared: dict[tuple[int, str], _Run] = {}
        for adversary in self.adversaries:
            table, way = adversary.prepared(self.microdata), self._way(adversary)
            if way in _RUN_AGAIN:
                run = shared.setdefault((id(table), way), _Run(table, way, []))
                run.adversaries.append(adversary)
            else:
                alone.append(_Run(table, way, [adversary]))
        return [*alone, *shared.values()]

    def _way(self, adversary: Adversary) -> str:
        """The name of one of `_WAYS`."""
        way = self._quickest(adversary)
        if self.path == "general":
            way = "sampled" if way in _WAYS_OF_CHANCE else "general"
        if self.path == "fast" and way in _RUN_AGAIN:
            raise InputError(
                "there is no fast path for {sanitizer} against {adversary}; use {option}, which "
                "runs the sanitizer again for each target",
                sanitizer=File(self.sanitizer.label, bare=True), adversary=adversary.label,
                option=Option("path", "general"),
            )  # fmt: skip
        if way in _WAYS_OF_CHANCE and self.chance.distance.name not in FACTORS:
            raise InputError(
                "{option} is {name}, but random releases or adversaries are compared value by "
                "value; use total-variation or l1",
                option=Option("distance"), name=self.chance.distance.name,
            )  # fmt: skip
        return way

    def _quickest(self, adversary: Adversary) -> str:
        f, asked_for = self.sanitizer, self.chance.asked_for
        # Ways that leave out one record are for tables in which that is a person.
        one_each = self.microdata.several is None
        if isinstance(f, LaplaceCounts) and self.prior is None and one_each:
            # Only for these it is known that one record more moves every belief in one direction.
            if isinstance(adversary, SmoothedFrequency) and not (asked_for and f.scale > 0):
                return "direct"
            if isinstance(adversary, SmoothedFrequency | ConditionalFrequency):
                return "counts"
        if (asked_for or f.is_random) and not self._nothing_random(adversary):
            return "sampled"
        if f.leaves_out(self.microdata) and isinstance(adversary, CountingAdversary):
            return "fast"
        if f.row_by_row and isinstance(adversary, UpdatingAdversary) and one_each:
            return "updating"
        return "general"

    def _nothing_random(self, *adversaries: Adversary) -> bool:
        """Whether it is known that nothing is random here."""
        f = self.sanitizer
        noiseless = isinstance(f, LaplaceCounts) and not f.scale
        return (f.deterministic or noiseless) and all(a.with_seed(1) is a for a in adversaries)

    def _findings(
        self, run: _Run, targets: Targets, limits: _Limits, known: AnyRelease | None,
        *, skipped: bool,
    ) -> list[DifferentialInference]:  # fmt: skip
        """The finding of each adversary of a run; no target is tested if ``skipped``.

        The release may be ``known`` from drawing the targets.
        """
        started, interrupted, f = time.perf_counter(), False, self.sanitizer
        # A goal that cannot be met fails at once.
        release = self._released(run.table) if known is None else known
        for adversary in run.adversaries:
            understood(adversary, release)
        chance = self._of_chance(run, release)
        question = Question(
            microdata=run.table, release=release, sanitizer=f, prior=self.prior,
            adversaries=tuple(run.adversaries), seed=self.chance.seed,
        )  # fmt: skip
        # Equal records are tested once, unless each record has its own prior.
        own = self.prior is not None and self.prior.ndim == 2
        alike = f.treats_equals_alike and not own and run.table.several is None
        tested, where = _once_each(run.table, targets.records, alike=alike)
        results = [
            Results(len(tested), release.sensitive.size, self.chance.distance, self.predictions,
                    several=run.table.several is not None)
            for _ in run.adversaries
        ]  # fmt: skip
        begun = time.perf_counter()
        try:
            if skipped:
                raise KeyboardInterrupt
            with Progress(f"testing {f.label}", len(tested), self.progress) as shown:
                place = copy(self.workplace)  # other adversaries may be sent to other processes
                work = self._limited(
                    Work(
                        question, tested, shown, place, self.threads, limits.deadline, self.chance
                    ),
                    run,
                    limits,
                )
                shown.expect(len(work.records))
                for batches in _WAYS[run.way](work):
                    for result, batch in zip(results, batches, strict=True):
                        result.take(batch)
            done = results[0].reached.sum()
        except KeyboardInterrupt:
            interrupted, done = True, results[0].reached.sum()
            for result in results:
                result.give_up(INTERRUPTED)
        each = (time.perf_counter() - begun) / max(1, int(done))
        unmoved = self._unmoved(run, results)
        clock = () if limits.deadline is None or self.budget is None else (
            self.budget.note(instead="200 runs"), *self._cannot_be_ended(),
        )  # fmt: skip
        notes = (*release.notes, *clock, *chance, *unmoved, *self.chance.distance.notes,
                 *self.workplace.notes)  # fmt: skip
        return [
            self._finding(
                run, targets, release, adversary, result, where,
                notes=tuple(dict.fromkeys((*notes, *adversary.notes, *result.notes))),
                interrupted=interrupted, seconds=time.perf_counter() - started, each=each,
            )
            for adversary, result in zip(run.adversaries, results, strict=True)
        ]  # fmt: skip

    def _cannot_be_ended(self) -> tuple[Text, ...]:
        """That a run may take longer than the budget, if that is so."""
        if not self.sanitizer.may_not_end:
            return ()
        return (Message(
            "{sanitizer} is a function in this process, which cannot be ended: a run that is begun "
            "in the budget of time may take longer; with {timeout} it runs in one of its own",
            sanitizer=File(self.sanitizer.label, bare=True), timeout=Option("timeout"),
        ),)  # fmt: skip

    def _unmoved(self, run: _Run, results: Sequence[Results]) -> tuple[Text, ...]:
        """That a program may not read its input, if leaving people out never changed anything."""
        tested = [one.distances[~np.isnan(one.distances)] for one in results]
        if run.way != "general" or min(map(len, tested)) < _FEW or any(map(np.any, tested)):
            return ()
        return (Message(
            "leaving out any of {n:person} changed nothing at all: {sanitizer} may publish the "
            "same whatever it is given, such as what it made in a former run",
            n=len(tested[0]), sanitizer=File(self.sanitizer.label, bare=True),
        ),)  # fmt: skip

    def _released(self, table: Microdata) -> AnyRelease:
        """What is published; of what depends on chance, what an interrupted run had published."""
        f = self.sanitizer
        if f.deterministic:
            return f.sanitize_to_test(table, self.chance.seed)
        return checkpointed(
            "release", f.label, self.chance.seed, table, shared=[table],
            compute=lambda: f.sanitize_to_test(table, self.chance.seed),
        )  # fmt: skip

    def _limited(self, work: Work, run: _Run, limits: _Limits) -> Work:
        """No more work than the budget allows: it is known before the first target."""
        allowed = Allowed(self.budget, run.table, self.sanitizer, run.adversaries,
                          tests=max(1, limits.shared_by))  # fmt: skip
        if run.way == "sampled":
            work = work._replace(runs=allowed.runs)
        people = allowed.people(run.way)
        return work if people is None else work._replace(records=work.records[:people])

    def _of_chance(self, run: _Run, release: AnyRelease) -> tuple[Text, ...]:
        """Notes on chance: an unsampled random sanitizer, or samples that nothing needs."""
        asked_for = self.chance.asked_for
        if run.way == "general" and not asked_for:
            return _warn_of_chance(run.table, release, self.sanitizer)
        if not asked_for or not self._nothing_random(*run.adversaries):
            return ()
        all_of_it = self._nothing_random(*self.adversaries)
        who = "" if all_of_it else f" for {run.adversaries[0].label}"
        return (f"nothing here is random, so nothing was sampled{who}",)

    def _finding(
        self,
        run: _Run,
        targets: Targets,
        release: AnyRelease,
        adversary: Adversary,
        result: Results,
        where: NDArray[np.intp],
        **more: Any,
    ) -> DifferentialInference:
        kept = _in_order(_reached(result.reached[where]), targets)
        records, where = targets.records[kept], where[kept]
        everybody = len(records) == len(self.microdata.people) and targets.how != "chosen"
        return DifferentialInference(
            distances=result.distances[where],
            targets=records,
            mode_changed=result.mode_changed[where],
            present=result.present[where] if self.predictions else None,
            absent=result.absent[where] if self.predictions else None,
            farthest=None if result.farthest is None else result.farthest[where],
            means=None if result.means is None else result.means[where],
            not_tested=result.not_tested(where),
            failures=result.failures(records, where),
            microdata=self.microdata,
            sanitizer=self.sanitizer.label,
            adversary=adversary,
            distance=self.chance.distance.name,
            distance_explained=self.chance.distance.explained,
            largest=self.chance.distance.largest,
            n_classes=len(release.class_sizes) or None,
            smallest_class=int(release.class_sizes.min()) if len(release.sizes) else None,
            way=run.way,
            how="all" if everybody else targets.how,
            front=targets.front,
            sampling=None if result.sampling is None else result.sampling.take(where),
            certain=run.way not in _WAYS_OF_CHANCE or self._nothing_random(*run.adversaries),
            wanted=len(targets.records),
            budget=self.budget,
            prior=self.prior is not None,
            seed=self.chance.seed,
            **more,
        )


def _warn_of_chance(
    microdata: Microdata, release: AnyRelease, sanitizer: Sanitizer
) -> tuple[Text, ...]:
    """A warning if the same table is sanitized in two different ways.

    Sanitizers that are known to be deterministic are not asked.
    """
    adversary = NaiveBayes()
    if sanitizer.deterministic or not adversary.understands(release):
        return ()
    some = microdata.codes[:, :_ASKED_TWICE]
    try:
        again = adversary.predict(sanitizer.sanitize(microdata), some)
    except UnveilError:  # later failures are counted where they happen
        return ()
    moved = np.abs(adversary.predict(release, some) - again).sum(axis=1).max(initial=0) / 2
    if not moved > 1e-9:
        return ()
    return (
        Message(
            "{sanitizer} is random: between two releases of the same table the belief about a "
            "person moves by {moved:.3g}, so these distances mix chance with the effect of "
            "records; sample it with {option} or more",
            sanitizer=File(sanitizer.label, bare=True), moved=float(moved),
            option=Option("samples", 100),
        ),
    )  # fmt: skip


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

    def __init__(
        self, n: int, values: int, distance: BoundDistance, predictions: bool, *,
        several: bool = False,
    ) -> None:  # fmt: skip
        keep = (n if predictions else 0, values)
        self.distances = np.full(n, np.nan)
        self.mode_changed = np.zeros(n, dtype=bool)
        self.reached = np.zeros(n, dtype=bool)
        self.present, self.absent = np.full(keep, np.nan), np.full(keep, np.nan)
        self.notes: dict[Text, None] = {}  # each once, in order
        self._reasons: dict[int, str] = {}
        self._details: dict[int, str] = {}
        self._distance, self._predictions = distance, predictions
        self.sampling: Sampling | None = None
        self.farthest: NDArray[np.intp] | None = None
        self.means: NDArray[np.float64] | None = None
        if several:  # of a person's records: the one that moves most, and the mean
            self.farthest, self.means = np.full(n, -1), np.full(n, np.nan)

    def take(self, batch: Beliefs) -> None:
        """Add the results of a batch of targets."""
        batch = batch.by_person(self._distance)
        had = ~np.isnan(batch.present + batch.absent).any(axis=1)
        places = batch.places
        present, absent = batch.present[had], batch.absent[had]
        self.reached[places] = True
        self.notes.update(dict.fromkeys(batch.notes))
        self.distances[places[had]] = (
            self._distance.measure(present, absent)
            if batch.distances is None
            else batch.distances[had]
        )
        if self.farthest is not None and batch.farthest is not None:
            self.farthest[places[had]] = batch.farthest[had]
        if self.means is not None and batch.means is not None:
            self.means[places[had]] = batch.means[had]
        slack = np.full(len(places), _EQUAL)
        if (found := batch.sampling) is not None:
            if self.sampling is None:
                self.sampling = found.empty(len(self.distances))
            self.sampling.put(places, found)
            slack += _BY_CHANCE * found.standard_error
        self.mode_changed[places[had]] = _another_favourite(present, absent, slack[had])
        if self._predictions:
            self.present[places], self.absent[places] = batch.present, batch.absent
        for row in np.flatnonzero(~had).tolist():
            place = int(places[row])
            self._reasons[place] = batch.reasons.get(row, NO_BELIEF)
            self.distances[place] = np.nan  # there may be a result from fewer samples
            if self.sampling is not None:
                self.sampling.put(places[[row]], self.sampling.empty(1))
        self._details.update({int(places[row]): said for row, said in batch.details.items()})

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


def _another_favourite(
    present: NDArray[np.float64], absent: NDArray[np.float64], slack: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether none of the most likely values with the record is one of them without it.

    Several values may be equally likely, up to rounding and sampling.
    """
    before = present >= present.max(axis=1, keepdims=True, initial=0) - slack[:, None]
    after = absent >= absent.max(axis=1, keepdims=True, initial=0) - slack[:, None]
    return ~(before & after).any(axis=1)
