"""Sampling any sanitizer and any adversary: run both again and again, with and without a record.

The releases of the whole table are shared by all targets; without a record there are as many
again for each target. Sampling starts with a few for every target and continues for those whose
distances are not exact enough yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.differential._beliefs import (
    Beliefs,
    Part,
    Question,
    Work,
    never,
    part_size,
    run_parts,
)
from unveil.attacks.differential._sampling import Drawn, Pair, Request, compared
from unveil.attacks.shared import (
    ADVERSARY_FAILED,
    FAILED,
    AdversaryError,
    each_if_not_all,
    reason_of,
    said,
)
from unveil.engine import Backend, CannotBeSentError, WorkerLost
from unveil.errors import Foreign, GoalError, InputError, Option, Text
from unveil.microdata import AnyRelease

_BEGIN = 32  # samples before the first look at how exact it is
_MOST_BYTES = 4 * 2**30  # of beliefs held in memory
_TRIES = 3  # per release, with other random numbers
_OTHER_NUMBERS = 2**40  # far from the numbers of samples
_PEOPLE = 20  # sampled with a budget, if each of them can have enough samples
_FEWEST = 32  # samples that tell chance from the effect of a record
_WITH, _WITHOUT = 0, 1

Result = TypeVar("Result")


def _seed(question: Question, number: int, record: int | None, role: int) -> int:
    side = (_WITH, 0) if record is None else (_WITHOUT, record)
    entropy = np.random.SeedSequence([question.seed, *side, number, role])
    return int(entropy.generate_state(1, np.uint64)[0])


def _released(question: Question, number: int, record: int | None) -> AnyRelease:
    """The number-th release of the whole table, or of the table without a record."""
    if question.sanitizer.deterministic and record is None:
        return question.release

    def ask(other: int) -> AnyRelease:
        sanitizer = question.sanitizer.with_seed(_seed(question, other, record, 0))
        if record is None:
            return sanitizer.sanitize(question.microdata)
        return sanitizer.sanitize_without(question.microdata, record)

    return _in_some_tries(ask, number, once=question.sanitizer.deterministic)


def _belief(
    question: Question, place: int, release: AnyRelease, number: int, records: NDArray[np.intp],
    left_out: int | None,
) -> NDArray[np.float64]:  # fmt: skip
    """What the adversary at this place believes from the number-th release."""
    adversary = question.adversaries[place]
    adversary = adversary.with_seed(_seed(question, number, left_out, 1 + place))
    return question.believed(adversary, release, records)


def _belief_without(
    question: Question, place: int, release: AnyRelease, number: int, record: int
) -> NDArray[np.float64]:
    """The same about the record that a release lacks, in several tries."""
    adversary, about = question.adversaries[place], np.array([record])
    return _in_some_tries(
        lambda other: _belief(question, place, release, other, about, record)[0],
        number,
        once=adversary.with_seed(1) is adversary,
    )


@dataclass
class _Draws:
    """Beliefs of all adversaries about some targets without their records."""

    beliefs: list[NDArray[np.float64]]
    """For each adversary: targets × samples × values."""
    reasons: list[dict[int, str]]
    details: list[dict[int, str]]
    notes: list[tuple[Text, ...]] = field(default_factory=list)


def _draw_without(question: Question, part: Part) -> _Draws:
    """Samples ``first`` to ``upto`` without each of some records, for every adversary."""
    values, many = question.release.sensitive.size, part.upto - part.first
    each = range(len(question.adversaries))
    draws = _Draws(
        [np.full((len(part.records), many, values), np.nan) for _ in each],
        [{} for _ in each],
        [{} for _ in each],
    )
    for row, record in enumerate(part.records.tolist()):
        kept = None  # one release serves all samples if only the adversary is random
        for number in range(part.first, part.upto):
            try:
                release = kept or _released(question, number, record)
            except Exception as error:  # anything can go wrong in a user's sanitizer
                for place in each:
                    draws.reasons[place][row] = reason_of(error)
                    draws.details[place][row] = said(error)
                break
            kept = release if question.sanitizer.deterministic else None
            for place in each:
                if row in draws.reasons[place]:
                    continue
                try:
                    draws.beliefs[place][row, number - part.first] = _belief_without(
                        question, place, release, number, record
                    )
                except Exception as error:  # or in a user's model
                    draws.reasons[place][row] = ADVERSARY_FAILED
                    draws.details[place][row] = said(error)
    draws.notes = [adversary.notes for adversary in question.adversaries]
    return draws


def _in_some_tries(ask: Callable[[int], Result], number: int, *, once: bool) -> Result:
    """The answer; what is random may fail once and succeed with other random numbers."""
    for again in range(0 if once else _TRIES - 1):
        try:
            return ask(number + again * _OTHER_NUMBERS)
        except GoalError:  # does not depend on chance
            raise
        except Exception:  # anything can go wrong in a user's sanitizer or model
            continue
    return ask(number + (0 if once else _TRIES - 1) * _OTHER_NUMBERS)


def sampled_beliefs(
    work: Work, request: Request, deadline: float | None = None
) -> Iterator[tuple[Beliefs, ...]]:
    """Distances of all targets, some of them several times, each time more exact.

    With a deadline (of `time.perf_counter`), and neither samples nor an error asked for, only the
    first targets are tested, as many as there is time for.
    """
    if deadline is not None and request.error is None and not request.samples_asked_for:
        work, request = _in_time(work, request, deadline)
    fits = _fitting(work.question, work.records, request)
    if fits < request.samples and request.samples_asked_for:
        raise InputError(
            "{option} of beliefs about {targets} targets do not fit into memory; take at most "
            "{fits} samples, or fewer targets",
            option=Option("samples", request.samples), targets=len(work.records), fits=fits,
        )  # fmt: skip
    if fits < request.samples:
        work.workplace.notes.append(f"only {fits:,} samples fit into memory")
        request = replace(request, samples=fits)
    yield from _Sampler(work, request).run()


def _in_time(work: Work, request: Request, deadline: float) -> tuple[Work, Request]:
    """The targets that there is time for, and the number of samples of each."""
    begun = time.perf_counter()
    records = work.records
    _draw_without(work.question, Part(np.arange(1), records[:1], 0, 1))
    now = time.perf_counter()
    left = max(deadline - now, 0.0)
    samples, people = affordable(
        left * work.workplace.suited(left).jobs, now - begun, request.samples, len(records)
    )
    return work._replace(records=records[:people]), replace(request, samples=samples)


def affordable(seconds: float, each: float, samples: int, people: int) -> tuple[int, int]:
    """The number of samples per person, and of people, that there is time for.

    ``seconds`` is the time of all workers together, ``each`` that of one sample; ``samples`` and
    ``people`` are upper limits. A thousand samples of each person may use up all the time before
    the second person is reached. Samples of the whole table are shared by all people.

    >>> affordable(60.0, 0.01, samples=1000, people=45_000)
    (285, 20)
    >>> affordable(5.0, 0.02, samples=1000, people=45_000)
    (32, 6)
    """
    runs = max(int(seconds / max(each, 1e-9)), 0)
    fewest = min(_FEWEST, samples)
    often = min(max(runs // (1 + min(_PEOPLE, people)), fewest), samples)
    return often, min(max(runs // often - 1, 1), people)


def _fitting(question: Question, records: NDArray[np.intp], request: Request) -> int:
    """How many samples fit into memory: of the whole table, and of those who need more."""
    sides = 1 if request.error is None else 2
    beliefs = len(records) * question.release.sensitive.size * len(question.adversaries)
    return max(2, _MOST_BYTES // (8 * sides * beliefs))


class _Sampler:
    """Adds samples of all targets that need more."""

    def __init__(self, work: Work, request: Request) -> None:
        self.question, self.records, self.progress = work.question, work.records, work.progress
        self.workplace, self.request = work.workplace, request
        self.enough = work.enough or never
        self.values = work.question.release.sensitive.size
        nothing = np.empty((len(self.records), 0, self.values))
        self.whole = [nothing for _ in self.question.adversaries]  # targets × samples × values
        self.failed: list[dict[int, str]] = [{} for _ in self.question.adversaries]
        self.without: dict[int, list[NDArray[np.float64]]] = {}
        self.backend: Backend | None = None

    def run(self) -> Iterator[tuple[Beliefs, ...]]:
        """Stage by stage, with twice as many samples each time."""
        waiting = np.arange(len(self.records))
        most = self.request.samples
        done, upto = 0, most if self.request.error is None else min(_BEGIN, most)
        while len(waiting):
            upto = self._draw_whole(upto)
            if upto == done:  # the time was up before there were more to compare with
                return
            last, coarse = upto >= most, []
            for answers in self._stage(waiting, done, upto):
                some = answers[0].places
                still = np.zeros(len(some), dtype=bool)
                for one in answers:
                    if isinstance(one, Drawn) and one.sampling is not None and not last:
                        still |= one.sampling.error > (self.request.error or 0)
                coarse.append(some[still])
                for place in some[~still].tolist():
                    self.without.pop(place, None)
                self.progress.advance(int((~still).sum()))
                yield answers
            if self.enough():
                return
            waiting = np.sort(np.concatenate([*coarse, np.zeros(0, dtype=np.intp)]))
            done, upto = upto, min(2 * upto, most)

    def _draw_whole(self, upto: int) -> int:
        """Sample beliefs about all targets from the whole table; returns how many there are.

        Fewer than asked for if the time is up, but at least two.
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
                about = self.records[rows]
                return _belief(self.question, place, release, other, about, None)

            beliefs, failed = each_if_not_all(ask, len(self.records), self.values)
            if len(failed) < len(self.records):
                self.failed[place].update(failed)
                return beliefs
        # It fails on everyone: say so now, and not of each of them.
        raise AdversaryError("{error}", error=Foreign(next(iter(failed.values()))))

    def _stage(
        self, waiting: NDArray[np.intp], done: int, upto: int
    ) -> Iterator[tuple[Beliefs, ...]]:
        """Samples ``done`` to ``upto`` of the targets that still need them."""
        started = time.perf_counter()
        first = Part(waiting[:1], self.records[waiting[:1]], done, upto)
        yield self._answers(first, _draw_without(self.question, first))
        each = time.perf_counter() - started
        if self.backend is None:
            self.backend = self.workplace.suited(each * (len(waiting) - 1))
        rest = waiting[1:]
        size = part_size(len(rest), each, self.backend.jobs)
        places = [rest[at : at + size] for at in range(0, len(rest), size)]
        parts = [Part(some, self.records[some], done, upto) for some in places]
        try:
            yield from self._everywhere(parts)
        except CannotBeSentError as error:
            self.backend = self.workplace.must_stay(error)
            yield from self._everywhere(parts)

    def _everywhere(self, parts: Sequence[Part]) -> Iterator[tuple[Beliefs, ...]]:
        assert self.backend is not None
        for part, draws in run_parts(
            _draw_without, self.question, parts, self.backend, self.enough, self.enough
        ):
            if isinstance(draws, WorkerLost):
                nothing = Beliefs.none(part.places, self.values, FAILED, draws.why)
                yield tuple(nothing for _ in self.question.adversaries)
            else:
                yield self._answers(part, draws)

    def _answers(self, part: Part, draws: _Draws) -> tuple[Beliefs, ...]:
        """The results from all samples of some targets so far."""
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

    def _answer(self, adversary: int, part: Part, draws: _Draws) -> Beliefs:
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
