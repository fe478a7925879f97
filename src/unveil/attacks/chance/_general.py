"""Sampling any sanitizer and any adversary: run both again and again, with and without.

The releases of the whole table are the same for all targets; without a record there are as many
again for each target. Sampling begins with a few for everybody, and goes on with those whose
distances are not exact enough yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._beliefs import (
    ADVERSARY_FAILED,
    FAILED,
    AdversaryError,
    Beliefs,
    Question,
    each_if_not_all,
    said,
)
from unveil.attacks._general_beliefs import Workplace, reason_of
from unveil.attacks.chance._affordable import affordable
from unveil.attacks.chance._drawn import Drawn, Pair, Request, compared
from unveil.engine import Backend, CannotBeSentError, Progress, WorkerLost, run_everywhere
from unveil.errors import GoalError, InputError, Text
from unveil.microdata import AnyRelease

__all__ = ["SampledQuestion", "sampled_beliefs"]

_BEGIN = 32  # samples before the first look at how exact it is
_A_PART = 0.5  # seconds of work that are handed out together
_MOST_BYTES = 4 * 2**30  # of beliefs that are held
_TRIES = 3  # at one release, with other random numbers
_OTHER_NUMBERS = 2**40  # apart from the numbers of samples
_WITH, _WITHOUT = 0, 1

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class SampledQuestion(Question):
    """What is asked about every target, again and again."""

    seed: int

    def release_of(self, number: int, record: int | None) -> AnyRelease:
        """The number-th release of the whole table, or of the table without a record."""
        if self.sanitizer.deterministic and record is None:
            return self.release
        sanitizer = self.sanitizer.with_seed(self._seed(number, record, 0))
        if record is None:
            return sanitizer.sanitize(self.microdata)
        return sanitizer.sanitize_without(self.microdata, record)

    def belief(
        self, place: int, release: AnyRelease, number: int, records: NDArray[np.intp],
        left_out: int | None,
    ) -> NDArray[np.float64]:  # fmt: skip
        """What the adversary at this place makes of the number-th release."""
        adversary = self.adversaries[place].with_seed(self._seed(number, left_out, 1 + place))
        return self.believed(adversary, release, records)

    def belief_without(
        self, place: int, release: AnyRelease, number: int, record: int
    ) -> NDArray[np.float64]:
        """The same about the record that a release lacks, in some tries."""
        adversary, about = self.adversaries[place], np.array([record])
        return _in_some_tries(
            lambda other: self.belief(place, release, other, about, record)[0],
            number,
            once=adversary.with_seed(1) is adversary,
        )

    def _seed(self, number: int, record: int | None, role: int) -> int:
        side = (_WITH, 0) if record is None else (_WITHOUT, record)
        entropy = np.random.SeedSequence([self.seed, *side, number, role])
        return int(entropy.generate_state(1, np.uint64)[0])


@dataclass
class _Draws:
    """The beliefs about some targets without their records, of all adversaries."""

    beliefs: list[NDArray[np.float64]]
    """For each adversary: targets × samples × values."""
    reasons: list[dict[int, str]]
    details: list[dict[int, str]]
    notes: list[tuple[Text, ...]] = field(default_factory=list)


@dataclass(frozen=True)
class _Part:
    places: NDArray[np.intp]
    records: NDArray[np.intp]
    first: int
    upto: int


def draw_without(question: SampledQuestion, part: _Part) -> _Draws:
    """Samples ``first`` to ``upto`` without each of some records, for every adversary."""
    values, many = question.release.sensitive.size, part.upto - part.first
    each = range(len(question.adversaries))
    draws = _Draws(
        [np.full((len(part.records), many, values), np.nan) for _ in each],
        [{} for _ in each],
        [{} for _ in each],
    )
    for row, record in enumerate(part.records.tolist()):
        kept = None  # one release serves all samples if only the adversary draws
        for number in range(part.first, part.upto):
            try:
                release = kept or _released(question, number, record)
            except Exception as error:  # whatever goes wrong in somebody's sanitizer
                for place in each:
                    draws.reasons[place][row] = reason_of(error)
                    draws.details[place][row] = said(error)
                break
            kept = release if question.sanitizer.deterministic else None
            for place in each:
                if row in draws.reasons[place]:
                    continue
                try:
                    draws.beliefs[place][row, number - part.first] = question.belief_without(
                        place, release, number, record
                    )
                except Exception as error:  # or in somebody's model
                    draws.reasons[place][row] = ADVERSARY_FAILED
                    draws.details[place][row] = said(error)
    draws.notes = [adversary.notes for adversary in question.adversaries]
    return draws


def _released(question: SampledQuestion, number: int, record: int | None) -> AnyRelease:
    once = question.sanitizer.deterministic
    return _in_some_tries(lambda other: question.release_of(other, record), number, once=once)


def _in_some_tries(ask: Callable[[int], Result], number: int, *, once: bool) -> Result:
    """What is asked for; something random may fail once and not with other random numbers."""
    for again in range(0 if once else _TRIES - 1):
        try:
            return ask(number + again * _OTHER_NUMBERS)
        except GoalError:  # which does not hang on chance
            raise
        except Exception:  # whatever goes wrong in somebody's sanitizer or model
            continue
    return ask(number + (0 if once else _TRIES - 1) * _OTHER_NUMBERS)


def sampled_beliefs(
    question: SampledQuestion,
    records: NDArray[np.intp],
    progress: Progress,
    workplace: Workplace,
    enough: Callable[[], bool] | None,
    request: Request,
    deadline: float | None = None,
) -> Iterator[tuple[Beliefs, ...]]:
    """Distances of all targets, some of them several times: each time more exact.

    With a deadline (of `time.perf_counter`), and neither samples nor an error asked for, those of
    the first targets, as many as can be reached.
    """
    if deadline is not None and request.error is None and not request.samples_asked_for:
        records, request = _in_time(question, records, workplace, request, deadline)
    fits = _fitting(question, records, request)
    if fits < request.samples and request.samples_asked_for:
        raise InputError(
            f"samples={request.samples:,} of beliefs about {len(records):,} targets do not fit "
            f"into memory; take at most {fits:,} samples, or fewer targets"
        )
    if fits < request.samples:
        workplace.notes.append(f"no more than {fits:,} samples fit into memory")
        request = replace(request, samples=fits)
    yield from _Sampler(question, records, progress, workplace, enough, request).run()


def _in_time(
    question: SampledQuestion,
    records: NDArray[np.intp],
    workplace: Workplace,
    request: Request,
    deadline: float,
) -> tuple[NDArray[np.intp], Request]:
    """The targets that can be reached, and so many samples of each."""
    begun = time.perf_counter()
    draw_without(question, _Part(np.arange(1), records[:1], 0, 1))
    now = time.perf_counter()
    left = max(deadline - now, 0.0)
    samples, people = affordable(
        left * workplace.suited(left).n_jobs, now - begun, request.samples, len(records)
    )
    return records[:people], replace(request, samples=samples)


def _fitting(question: SampledQuestion, records: NDArray[np.intp], request: Request) -> int:
    """How many samples fit into memory: those with all records, and those of who needs more."""
    sides = 1 if request.error is None else 2
    beliefs = len(records) * question.release.sensitive.size * len(question.adversaries)
    return max(2, _MOST_BYTES // (8 * sides * beliefs))


class _Sampler:
    """Grows the samples of all targets that need more."""

    def __init__(
        self,
        question: SampledQuestion,
        records: NDArray[np.intp],
        progress: Progress,
        workplace: Workplace,
        enough: Callable[[], bool] | None,
        request: Request,
    ) -> None:
        self.question, self.records, self.progress = question, records, progress
        self.workplace, self.request = workplace, request
        self.enough = enough or (lambda: False)
        self.values = question.release.sensitive.size
        nothing = np.empty((len(records), 0, self.values))
        self.whole = [nothing for _ in question.adversaries]  # targets × samples × values
        self.failed: list[dict[int, str]] = [{} for _ in question.adversaries]
        self.without: dict[int, list[NDArray[np.float64]]] = {}
        self.backend: Backend | None = None

    def run(self) -> Iterator[tuple[Beliefs, ...]]:
        """Stage by stage, twice as many samples each time."""
        waiting = np.arange(len(self.records))
        done, upto = 0, self._first_stage()
        while len(waiting):
            upto = self._draw_whole(upto)
            if upto == done:  # time was up before there was more to compare with
                return
            last, coarse = upto >= self.request.samples, []
            for answers in self._stage(waiting, done, upto):
                some = answers[0].places
                still = np.zeros(len(some), dtype=bool)
                for one in answers:
                    if isinstance(one, Drawn) and one.sampling is not None and not last:
                        still |= one.sampling.error > (self.request.error or 0)
                coarse.append(some[still])
                self._forget(some[~still])
                self.progress.advance(int((~still).sum()))
                yield answers
            if self.enough():
                return
            waiting = np.sort(np.concatenate([*coarse, np.zeros(0, dtype=np.intp)]))
            done, upto = upto, min(2 * upto, self.request.samples)

    def _first_stage(self) -> int:
        if self.request.error is None:
            return self.request.samples
        return min(_BEGIN, self.request.samples)

    def _forget(self, places: NDArray[np.intp]) -> None:
        for place in places.tolist():
            self.without.pop(place, None)

    def _draw_whole(self, upto: int) -> int:
        """Beliefs about all targets from releases of the whole table; returns how many there are.

        Fewer than asked for if time is up, but two at least.
        """
        done = self.whole[0].shape[1]
        more: list[list[NDArray[np.float64]]] = [[] for _ in self.whole]
        for number in range(done, upto):
            if number >= 2 and self.enough():
                break
            release = _released(self.question, number, None)
            for place, drawn in enumerate(more):
                drawn.append(self._believed(place, release, number))
        if more[0]:
            self.whole = [
                np.concatenate([old, np.stack(new, axis=1)], axis=1)
                for old, new in zip(self.whole, more, strict=True)
            ]
        return self.whole[0].shape[1]

    def _believed(self, place: int, release: AnyRelease, number: int) -> NDArray[np.float64]:
        """Beliefs about all targets; NaN for those an adversary fails on."""
        for again in range(_TRIES):
            other = number + again * _OTHER_NUMBERS

            def ask(rows: NDArray[np.intp], other: int = other) -> NDArray[np.float64]:
                return self.question.belief(place, release, other, self.records[rows], None)

            beliefs, failed = each_if_not_all(ask, len(self.records), self.values)
            if len(failed) < len(self.records):
                self.failed[place].update(failed)
                return beliefs
        raise AdversaryError(next(iter(failed.values())))  # not one: say it now, and not of each

    def _stage(
        self, waiting: NDArray[np.intp], done: int, upto: int
    ) -> Iterator[tuple[Beliefs, ...]]:
        """Samples ``done`` to ``upto`` for those who wait."""
        started = time.perf_counter()
        first = _Part(waiting[:1], self.records[waiting[:1]], done, upto)
        yield self._answers(first, draw_without(self.question, first))
        each = time.perf_counter() - started
        if self.backend is None:
            self.backend = self.workplace.suited(each * (len(waiting) - 1))
        parts = self._parts(waiting[1:], done, upto, each)
        try:
            yield from self._everywhere(parts)
        except CannotBeSentError as error:
            self.backend = self.workplace.must_stay(error)
            yield from self._everywhere(parts)

    def _parts(self, waiting: NDArray[np.intp], done: int, upto: int, each: float) -> list[_Part]:
        assert self.backend is not None
        fair = max(1, len(waiting) // (4 * self.backend.n_jobs))
        size = int(np.clip(_A_PART / max(each, 1e-9), 1, fair))
        return [
            _Part(some, self.records[some], done, upto)
            for some in (waiting[at : at + size] for at in range(0, len(waiting), size))
        ]

    def _everywhere(self, parts: Sequence[_Part]) -> Iterator[tuple[Beliefs, ...]]:
        assert self.backend is not None
        lost: list[_Part] = []
        for number, draws in run_everywhere(
            draw_without, self.question, parts, self.backend, enough=self.enough
        ):
            part = parts[number]
            if not isinstance(draws, WorkerLost):
                yield self._answers(part, draws)
            elif len(part.places) > 1:
                lost.append(part)
            else:
                nothing = Beliefs.none(part.places, self.values, FAILED, draws.why)
                yield tuple(nothing for _ in self.question.adversaries)
        if lost:  # one of each part ends its worker: find out which
            alone = [
                _Part(part.places[[row]], part.records[[row]], part.first, part.upto)
                for part in lost
                for row in range(len(part.places))
            ]
            yield from self._everywhere(alone)

    def _answers(self, part: _Part, draws: _Draws) -> tuple[Beliefs, ...]:
        """What follows from all samples of some targets so far."""
        for row, place in enumerate(part.places.tolist()):
            new = [beliefs[row] for beliefs in draws.beliefs]
            old = self.without.get(place)
            self.without[place] = (
                new if old is None
                else [np.concatenate(pair) for pair in zip(old, new, strict=True)]
            )  # fmt: skip
        return tuple(
            self._answer(place, part, draws) for place in range(len(self.question.adversaries))
        )

    def _answer(self, adversary: int, part: _Part, draws: _Draws) -> Beliefs:
        reasons, details = dict(draws.reasons[adversary]), dict(draws.details[adversary])
        for row, place in enumerate(part.places.tolist()):
            if place in self.failed[adversary]:
                reasons[row], details[row] = ADVERSARY_FAILED, self.failed[adversary][place]

        def pair(row: int) -> Pair | None:
            place = int(part.places[row])
            if row in reasons:
                return None
            return self.whole[adversary][place, : part.upto], self.without[place][adversary]

        drawn = compared(part.places, pair, self.request, self.values)
        return replace(drawn, reasons=reasons, details=details, notes=draws.notes[adversary])
