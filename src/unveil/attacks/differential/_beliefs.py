"""Beliefs about each target with and without their own record: three ways that agree.

- *fast*: for sanitizers that know their release without each record
  (`Sanitizer.leaves_one_out`), and adversaries that only count;
- *updating*: for sanitizers that treat every record by itself, and adversaries that can forget one
  record exactly;
- *general*: for any sanitizer and any adversary. The table is sanitized again without each target,
  and every adversary learns again. One release serves all adversaries, and the work is spread over
  processes or machines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, CountingAdversary, UpdatingAdversary
from unveil.attacks.shared import (
    ADVERSARY_FAILED,
    FAILED,
    IMPOSSIBLE,
    Knowledge,
    each_if_not_all,
    reason_of,
    said,
)
from unveil.engine import Backend, CannotBeSentError, Progress, WorkerLost, run_everywhere
from unveil.errors import Foreign, Message, Text, UnveilError
from unveil.microdata import AnyRelease, Release
from unveil.sanitize import LeavesOneOut, Sanitizer

Enough = Callable[[], bool]
"""Whether the budget is used up."""

_ENTRIES = 2**27  # counts held at a time: half a gigabyte for each of two arrays
_STEP = 1024  # targets at a time on the updating way, or on the fast one with a budget
_A_PART = 0.5  # seconds of work that are handed out together
_LARGEST = 256  # targets in one part
_FEW = 3  # targets an adversary must fail on before it is taken to fail on all
_WORTH_IT = 4.0  # seconds of work below which starting processes takes longer than it saves
_WORTH_A_BUDGET = 10.0  # seconds of budget below which starting processes takes too much of it

Result = TypeVar("Result")


def never() -> bool:
    """Without a budget nothing is ever enough."""
    return False


@dataclass(frozen=True, kw_only=True)
class Question(Knowledge):
    """What is asked about every target. Each worker gets it once."""

    release: AnyRelease
    sanitizer: Sanitizer
    adversaries: tuple[Adversary, ...]
    seed: int

    def present(
        self, adversary: Adversary, records: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], dict[int, str]]:
        """Beliefs about records from the whole release, and why some are missing."""
        return each_if_not_all(
            lambda rows: self.believed(adversary, self.release, records[rows]),
            len(records),
            self.release.sensitive.size,
        )


@dataclass(frozen=True)
class Beliefs:
    """What one adversary believes about some targets; NaN where there is no belief."""

    places: NDArray[np.intp]
    """Which of the targets."""
    present: NDArray[np.float64]
    absent: NDArray[np.float64]
    reasons: dict[int, str] = field(default_factory=dict)
    """Why a target (its place in these rows) has no second belief."""
    details: dict[int, str] = field(default_factory=dict)
    """What the sanitizer or the adversary said about it."""
    notes: tuple[Text, ...] = ()
    """The adversary's notes, wherever it learned."""

    @classmethod
    def none(cls, places: NDArray[np.intp], values: int, reason: str, detail: str = "") -> Beliefs:
        """No belief about any of these targets."""
        nothing = np.full((len(places), values), np.nan)
        each = range(len(places))
        details = dict.fromkeys(each, detail) if detail else {}
        return cls(places, nothing, nothing.copy(), dict.fromkeys(each, reason), details)


def fast_beliefs(work: Work, adversary: Adversary) -> Iterator[Beliefs]:
    """Exact for every record, without running the sanitizer again."""
    question, records, microdata = work.question, work.records, work.question.microdata
    totals = microdata.sensitive_counts
    # `chosen_way` has checked both types.
    sanitizer, counting = cast(LeavesOneOut, question.sanitizer), cast(CountingAdversary, adversary)
    most = max(1, _ENTRIES // ((len(microdata.quasi) + 1) * microdata.sensitive.size))
    for places in _steps(len(records), most, work.enough):
        some = records[places]
        counts = sanitizer.leave_one_out(
            microdata, some, counting.statistic, jobs=work.threads, done=work.progress.advance
        )
        possible = counts.possible
        without = question.totals_without(some[possible])
        absent = np.full((len(some), len(totals)), np.nan)
        absent[possible] = question.weighed(
            adversary, counting.from_counts(counts.absent[possible], without), without,
            some[possible],
        )  # fmt: skip
        present = counting.from_counts(counts.present, totals)
        yield Beliefs(
            places,
            question.weighed(adversary, present, totals, some),
            absent,
            reasons=dict.fromkeys(np.flatnonzero(~possible).tolist(), IMPOSSIBLE),
        )


def updated_beliefs(work: Work, adversary: Adversary) -> Iterator[Beliefs]:
    """Exact for every record: the adversary forgets one row of the release."""
    question = work.question
    # `chosen_way` has checked both types.
    learner, release = cast(UpdatingAdversary, adversary), cast(Release, question.release)
    for places in _steps(len(work.records), _STEP, work.enough):
        some = work.records[places]
        if len(question.microdata) == 1:
            yield Beliefs.none(places, release.sensitive.size, IMPOSSIBLE)
            continue

        def without(rows: NDArray[np.intp], some: NDArray[np.intp] = some) -> NDArray[np.float64]:
            left_out = some[rows]
            codes = question.microdata.codes[:, left_out]
            beliefs = learner.predict_without(release, codes, left_out)
            totals = question.totals_without(left_out)
            return question.weighed(adversary, beliefs, totals, left_out)

        present, wrong = question.present(adversary, some)
        absent, also_wrong = each_if_not_all(without, len(some), release.sensitive.size)
        details = {**also_wrong, **wrong}
        work.progress.advance(len(some))
        yield Beliefs(places, present, absent, dict.fromkeys(details, ADVERSARY_FAILED), details)


def _steps(n: int, most: int, enough: Enough | None) -> Iterator[NDArray[np.intp]]:
    """Places 0 to n − 1 in pieces, which grow from a small one if there is a budget."""
    step, first = most if enough is None else min(most, _STEP), 0
    while first < n and not (first and enough is not None and enough()):
        yield np.arange(first, min(n, first + step))
        first += step
        step = min(most, 2 * step)


class Workplace:
    """Where the sanitizer is run again, and what to note about it afterwards.

    ``budget`` is the number of seconds in all, if there is a limit.
    """

    def __init__(self, backend: Backend, *, asked_for: bool, budget: float | None = None) -> None:
        self.backend, self.asked_for, self.budget = backend, asked_for, budget
        self.notes: list[Text] = []

    def suited(self, seconds: float) -> Backend:
        """The backend for this much work: this process, unless others are worth starting."""
        short = self.budget is not None and self.budget < _WORTH_A_BUDGET
        unasked = self.backend.kind == "file" and not self.asked_for
        if unasked and (seconds < _WORTH_IT or short):
            return Backend("here", 1)
        return self.backend

    def must_stay(self, error: Exception) -> Backend:
        """This process, because something cannot be sent to others."""
        self.notes.append(
            Message(
                "tested in one process: the sanitizer or the adversary cannot be sent to other "
                "processes ({error})",
                error=Foreign(str(error)),
            )
        )
        return Backend("here", 1)


class Work(NamedTuple):
    """What is asked about which records, and the means to do it."""

    question: Question
    records: NDArray[np.intp]
    progress: Progress
    workplace: Workplace
    threads: int
    enough: Enough | None
    """None without a budget."""


class Part(NamedTuple):
    """Some targets that one worker is asked about."""

    places: NDArray[np.intp]
    """Among all targets."""
    records: NDArray[np.intp]
    first: int = 0
    """Number of the first sample, and of the one after the last, where something is sampled."""
    upto: int = 0


def part_size(targets: int, each: float, jobs: int, largest: int | None = None) -> int:
    """How many targets are worth handing out together, if each takes so many seconds."""
    fair = max(1, targets // (4 * jobs))
    most = fair if largest is None else min(fair, largest)
    return int(np.clip(_A_PART / max(each, 1e-9), 1, most))


def run_parts(
    ask: Callable[[Question, Part], Result],
    question: Question,
    parts: Sequence[Part],
    backend: Backend,
    enough: Enough,
    enough_again: Enough,
) -> Iterator[tuple[Part, Result | WorkerLost]]:
    """Ask about all parts; one whose worker is lost is asked about again, target by target."""
    lost: list[Part] = []
    for number, result in run_everywhere(ask, question, parts, backend, enough=enough):
        if isinstance(result, WorkerLost) and len(parts[number].places) > 1:
            lost.append(parts[number])
        else:
            yield parts[number], result
    alone = [
        part._replace(places=part.places[[row]], records=part.records[[row]])
        for part in lost
        for row in range(len(part.places))
    ]
    if alone:
        yield from run_parts(ask, question, alone, backend, enough_again, enough_again)


def general_beliefs(work: Work) -> Iterator[tuple[Beliefs, ...]]:
    """What every adversary believes, with and without each target's record."""
    question, records, workplace = work.question, work.records, work.workplace
    # The first target tells how long one takes. An adversary that cannot do it at all fails here,
    # before the long work.
    started = time.perf_counter()
    for adversary in question.adversaries:
        _try(question, adversary, records)
    yield _ask(question, Part(np.arange(1), records[:1]))
    work.progress.advance(1)
    each = time.perf_counter() - started
    rest = np.arange(1, len(records))
    backend = workplace.suited(each * len(rest))
    size = part_size(len(rest), each, backend.jobs, _LARGEST)
    places = [rest[first : first + size] for first in range(0, len(rest), size)]
    parts = [Part(some, records[some]) for some in places]
    try:
        yield from _asked(work, parts, backend)
    except CannotBeSentError as error:
        yield from _asked(work, parts, workplace.must_stay(error))


def _try(question: Question, adversary: Adversary, records: NDArray[np.intp]) -> None:
    """Raise what an adversary raises, if it does so for each of the first few targets."""
    for place in range(min(_FEW, len(records))):
        try:
            question.believed(adversary, question.release, records[[place]])
            return
        except UnveilError as error:
            wrong = error
    raise wrong


def _asked(work: Work, parts: Sequence[Part], backend: Backend) -> Iterator[tuple[Beliefs, ...]]:
    question, enough = work.question, work.enough or never
    for part, answers in run_parts(_ask, question, parts, backend, enough, never):
        work.progress.advance(len(part.places))
        if isinstance(answers, WorkerLost):
            values = question.release.sensitive.size
            nothing = Beliefs.none(part.places, values, FAILED, answers.why)
            yield tuple(nothing for _ in question.adversaries)
        else:
            yield answers


def _ask(question: Question, part: Part) -> tuple[Beliefs, ...]:
    """The beliefs of all adversaries about some targets."""
    records = part.records
    answers = []
    for adversary in question.adversaries:
        present, wrong = question.present(adversary, records)
        reasons = dict.fromkeys(wrong, ADVERSARY_FAILED)
        absent = np.full_like(present, np.nan)
        answers.append(Beliefs(part.places, present, absent, reasons, wrong))
    for row, record in enumerate(records):
        try:
            without = question.sanitizer.sanitize_without(question.microdata, int(record))
        except Exception as error:  # anything can go wrong in a user's sanitizer
            reason = reason_of(error)
            for answer in answers:
                answer.reasons[row], answer.details[row] = reason, said(error)
            continue
        for adversary, answer in zip(question.adversaries, answers, strict=True):
            if row in answer.reasons:
                continue
            try:
                answer.absent[row] = question.believed(adversary, without, records[[row]])[0]
            except Exception as error:  # or in a user's model
                answer.reasons[row], answer.details[row] = ADVERSARY_FAILED, said(error)
    each = zip(answers, question.adversaries, strict=True)
    return tuple(replace(answer, notes=adversary.notes) for answer, adversary in each)
