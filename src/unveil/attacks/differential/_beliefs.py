"""Beliefs about each target with and without their own record: three exact ways that agree.

- *fast*: for sanitizers that know their release without each record
  (`Sanitizer.leaves_one_out`), and adversaries that only count;
- *updating*: for sanitizers that treat every record by itself, and adversaries that can forget one
  record exactly;
- *general*: for any sanitizer and any adversary. The table is sanitized again without each target,
  and every adversary learns again. One release serves all adversaries, and the work is spread over
  processes or machines. Sampling (`_sampled_beliefs`) does the same again and again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from unveil._memory import left
from unveil.adversary import Adversary, CountingAdversary, UpdatingAdversary
from unveil.attacks.differential._by_person import Rows, farthest, rows_of
from unveil.attacks.differential._earth_movers import BoundDistance
from unveil.attacks.differential._sampling import Chance, Sampling
from unveil.attacks.shared import (
    ADVERSARY_FAILED,
    FAILED,
    IMPOSSIBLE,
    Knowledge,
    each_if_not_all,
    reason_of,
    said,
)
from unveil.engine import (
    Backend,
    CannotBeSentError,
    Kept,
    Progress,
    WorkerLost,
    kept,
    run_everywhere,
)
from unveil.errors import Foreign, Message, Text, UnveilError
from unveil.microdata import AnyRelease, Release
from unveil.sanitize import LeavesOneOut, Sanitizer

_ENTRIES = 2**25  # counts held at a time: beliefs take `_BYTES` times as many
_BYTES = 20  # that beliefs take at once, for each count
_STEP = 1024  # targets at a time on the updating way, or on the fast one with a budget
_A_PART = 0.5  # seconds of work that are handed out together
_LARGEST = 256  # targets in one part
_FEW = 3  # targets an adversary must fail on before it is taken to fail on all
_WORTH_IT = 4.0  # seconds of work below which starting processes takes longer than it saves
_WORTH_A_BUDGET = 10.0  # seconds of budget below which starting processes takes too much of it

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Question(Knowledge):
    """What is asked about every target. Each worker gets it once."""

    release: AnyRelease
    sanitizer: Sanitizer
    adversaries: tuple[Adversary, ...]
    seed: int

    def without(self, sanitizer: Sanitizer, record: int) -> AnyRelease:
        """f(D without the person of a record).

        A sanitizer's own way to leave out may know of a single record only.
        """
        if self.microdata.several is not None:
            return sanitizer.sanitize(self.microdata.without(record))
        return sanitizer.sanitize_without(self.microdata, record)

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
    distances: NDArray[np.float64] | None = None
    """Where beliefs are means of distributions: the distances between these."""
    sampling: Sampling | None = None
    """How they were sampled; None where nothing was."""
    rows: Rows | None = None
    """Where a person has several records: whose record each of these beliefs is about."""
    farthest: NDArray[np.intp] | None = None
    """Where a person had several: the record that these beliefs are about."""
    means: NDArray[np.float64] | None = None
    """And the mean distance of all their records."""

    def by_person(self, distance: BoundDistance) -> Beliefs:
        """The beliefs about the record of each person that moves most."""
        rows = self.rows
        if rows is None:
            return self
        found = farthest(rows, distance.measure, self.present, self.absent)
        unknown = np.isnan(found.distances)[:, None]
        return Beliefs(
            self.places, np.where(unknown, np.nan, self.present[found.rows]),
            np.where(unknown, np.nan, self.absent[found.rows]),
            rows.of_people(self.reasons), rows.of_people(self.details), self.notes,
            distances=found.distances, farthest=rows.records[found.rows], means=found.means,
        )  # fmt: skip

    @classmethod
    def none(cls, places: NDArray[np.intp], values: int, reason: str, detail: str = "") -> Beliefs:
        """No belief about any of these targets."""
        nothing = np.full((len(places), values), np.nan)
        each = range(len(places))
        details = dict.fromkeys(each, detail) if detail else {}
        return cls(places, nothing, nothing.copy(), dict.fromkeys(each, reason), details)


def fast_beliefs(work: Work) -> Iterator[tuple[Beliefs]]:
    """Exact for every record, without running the sanitizer again."""
    question, records, microdata = work.question, work.records, work.question.microdata
    totals, [adversary] = microdata.sensitive_counts, question.adversaries
    # The plan has checked both types.
    sanitizer, counting = cast(LeavesOneOut, question.sanitizer), cast(CountingAdversary, adversary)
    entries = min(_ENTRIES, left() // (4 * _BYTES))
    most = max(1, entries // ((len(microdata.quasi) + 1) * microdata.sensitive.size))
    several = microdata.several is not None
    for places in _steps(work, most):
        rows = rows_of(microdata, records[places])
        some = rows.records
        counts = sanitizer.leave_one_out(
            microdata, some, counting.statistic, jobs=work.threads,
            done=(lambda _: None) if several else work.progress.advance,
        )  # fmt: skip
        possible = counts.possible
        without = question.totals_without(some[possible])
        absent = np.full((len(some), len(totals)), np.nan)
        absent[possible] = question.weighed(
            adversary, counting.from_counts(counts.absent[possible], without), without,
            some[possible],
        )  # fmt: skip
        present = counting.from_counts(counts.present, totals)
        found = Beliefs(
            places,
            question.weighed(adversary, present, totals, some),
            absent,
            reasons=dict.fromkeys(np.flatnonzero(~possible).tolist(), IMPOSSIBLE),
            rows=rows if several else None,
        )
        if several:
            work.progress.advance(len(places))
        yield (found,)


def updated_beliefs(work: Work) -> Iterator[tuple[Beliefs]]:
    """Exact for every record: the adversary forgets one row of the release."""
    question, [adversary] = work.question, work.question.adversaries
    # The plan has checked both types.
    learner, release = cast(UpdatingAdversary, adversary), cast(Release, question.release)
    for places in _steps(work, _STEP):
        some = work.records[places]
        if len(question.microdata) == 1:
            yield (Beliefs.none(places, release.sensitive.size, IMPOSSIBLE),)
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
        reasons = dict.fromkeys(details, ADVERSARY_FAILED)
        work.progress.advance(len(some))
        yield (Beliefs(places, present, absent, reasons, details),)


def _steps(work: Work, most: int) -> Iterator[NDArray[np.intp]]:
    """The places of all targets in pieces, which grow from a small one if there is a budget.

    A piece has up to ``most`` records, or one target.
    """
    several = work.question.microdata.several
    upto = np.arange(len(work.records) + 1)
    if several is not None and several.of is not None:
        upto[1:] = np.cumsum(several.rows[several.of[work.records]])
    n, first = len(work.records), 0
    step = most if work.deadline is None else min(most, _STEP)
    while first < n and not (first and work.enough()):
        last = int(np.searchsorted(upto, upto[first] + step, side="right")) - 1
        yield np.arange(first, max(first + 1, last))
        first = max(first + 1, last)
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

    def stay(self, error: Exception) -> None:
        """Work in this process from now on, because something cannot be sent to others."""
        self.notes.append(
            Message(
                "tested in one process: the sanitizer or the adversary cannot be sent to other "
                "processes ({error})",
                error=Foreign(str(error)),
            )
        )
        self.backend = Backend("here", 1)


class Work(NamedTuple):
    """What is asked about which records, and the means to do it."""

    question: Question
    records: NDArray[np.intp]
    progress: Progress
    workplace: Workplace
    threads: int
    deadline: float | None
    """Of `time.perf_counter`; None without a budget."""
    chance: Chance
    runs: int | None = None
    """How often the sanitizer may be run on the sampled way, if a budget of work says so."""

    def enough(self) -> bool:
        """Whether the budget is used up."""
        return self.deadline is not None and time.perf_counter() >= self.deadline


class Part(NamedTuple):
    """Some targets that one worker is asked about."""

    places: NDArray[np.intp]
    """Among all targets."""
    records: NDArray[np.intp]
    samples: range | None
    """Numbers of samples; None where nothing is sampled."""


@dataclass
class Without:
    """What one adversary believes about the targets of a part without their records."""

    beliefs: NDArray[np.float64]
    """Records of the targets × samples × values; NaN where there is none."""
    reasons: dict[int, str]
    """Why a target (its row) has no belief."""
    details: dict[int, str]
    notes: tuple[Text, ...] = ()

    def lack(self, row: int, reason: str, error: Exception) -> None:
        """Note why there is no belief."""
        self.reasons[row], self.details[row] = reason, said(error)


def beliefs_without(
    question: Question,
    part: Part,
    released: Callable[[Question, int, int], AnyRelease],
    believed: Callable[[Question, int, AnyRelease, int, NDArray[np.intp]], NDArray[np.float64]],
    failed: Sequence[dict[int, str]] = (),
) -> list[Without]:
    """What every adversary believes about each target, from releases without its records.

    ``released`` makes the release of a sample without the person of a record, from which the
    adversary at some place has ``believed`` about all their records. An adversary that has
    ``failed`` on a target is not asked again.
    """
    samples, rows = part.samples or range(1), rows_of(question.microdata, part.records)
    shape = len(rows.records), len(samples), question.release.sensitive.size
    found = [
        Without(np.full(shape, np.nan), dict.fromkeys(wrong, ADVERSARY_FAILED), dict(wrong))
        for wrong in failed or [{} for _ in question.adversaries]
    ]
    places = rows.each
    for row, record in enumerate(part.records.tolist()):
        kept = None  # one release serves all samples if only the adversary is random
        for at, number in enumerate(samples):
            try:
                release = kept or released(question, number, record)
            except Exception as error:  # anything can go wrong in a user's sanitizer
                for one in found:
                    one.lack(row, reason_of(error), error)
                break
            kept = release if question.sanitizer.deterministic else None
            for place, one in enumerate(found):
                if row not in one.reasons:
                    try:
                        about = rows.records[places[row]]
                        belief = believed(question, place, release, number, about)
                        one.beliefs[places[row], at] = belief
                    except Exception as error:  # or in a user's model
                        one.lack(row, ADVERSARY_FAILED, error)
    for adversary, one in zip(question.adversaries, found, strict=True):
        one.notes = adversary.notes
    return found


def asked_everywhere(
    work: Work,
    places: NDArray[np.intp],
    ask: Callable[[Question, Part], Result],
    answers: Callable[[Part, Result], tuple[Beliefs, ...]],
    samples: range | None = None,
) -> Iterator[tuple[Beliefs, ...]]:
    """The answers about all of these targets, wherever the work is done.

    What an interrupted run has kept comes first. The first target that is left is asked about here,
    which tells how long one takes.
    """
    question, workplace = work.question, work.workplace
    earlier = kept_of(work, ask.__name__, samples)
    for some, answer in earlier.all():
        if np.isin(some, places).all():
            yield answers(Part(some, work.records[some], samples), answer)
            places = places[~np.isin(places, some)]
    if not len(places):
        return

    def had(part: Part, result: Result) -> tuple[Beliefs, ...]:
        earlier.add((part.places, result))
        return answers(part, result)

    started = time.perf_counter()
    first = Part(places[:1], work.records[places[:1]], samples)
    yield had(first, ask(question, first))
    each = time.perf_counter() - started
    rest = places[1:]
    backend = workplace.suited(each * len(rest))
    # As many together as are worth handing out.
    most = min(max(1, len(rest) // (4 * backend.jobs)), _LARGEST)
    size = int(np.clip(_A_PART / max(each, 1e-9), 1, most))
    some = [rest[at : at + size] for at in range(0, len(rest), size)]
    parts = [Part(here, work.records[here], samples) for here in some]

    def answered(
        parts: Sequence[Part], backend: Backend, enough: Callable[[], bool]
    ) -> Iterator[tuple[Beliefs, ...]]:
        """One whose worker is lost is asked about again, target by target.

        It is a loop: a function that calls itself would keep the sanitizer, and with it the
        processes of an oracle, until the next collection of garbage.
        """
        while parts:
            again: list[Part] = []
            for number, result in run_everywhere(ask, question, parts, backend, enough=enough):
                part = parts[number]
                if not isinstance(result, WorkerLost):
                    yield had(part, result)
                elif len(part.places) > 1:
                    again += (Part(part.places[[row]], part.records[[row]], samples)
                              for row in range(len(part.places)))  # fmt: skip
                else:
                    values = question.release.sensitive.size
                    nothing = Beliefs.none(part.places, values, FAILED, result.why)
                    yield tuple(nothing for _ in question.adversaries)
            parts, enough = again, lambda: False

    try:
        yield from answered(parts, backend, work.enough)
    except CannotBeSentError as error:
        workplace.stay(error)
        yield from answered(parts, workplace.backend, work.enough)


def kept_of(work: Work, what: str, samples: range | None) -> Kept:
    """What was kept of this question: it depends on all that the answers depend on."""
    question = work.question
    return kept(
        what, question.sanitizer.label, question.seed, samples, question.microdata, work.records,
        question.prior, *(one.label for one in question.adversaries),
    )  # fmt: skip


def general_beliefs(work: Work) -> Iterator[tuple[Beliefs, ...]]:
    """What every adversary believes, with and without each target's record."""
    for adversary in work.question.adversaries:
        _try(work.question, adversary, work.records)
    everybody = np.arange(len(work.records))
    for answers in asked_everywhere(work, everybody, _ask, lambda part, answers: answers):
        work.progress.advance(len(answers[0].places))
        yield answers


def _try(question: Question, adversary: Adversary, records: NDArray[np.intp]) -> None:
    """Raise what an adversary raises, if it does so for each of the first few targets.

    An adversary that cannot do it at all fails here, before the long work.
    """
    for place in range(min(_FEW, len(records))):
        try:
            question.believed(adversary, question.release, records[[place]])
            return
        except UnveilError as error:
            wrong = error
    raise wrong


def _ask(question: Question, part: Part) -> tuple[Beliefs, ...]:
    """The beliefs of all adversaries about some targets."""
    rows = rows_of(question.microdata, part.records)
    present = [question.present(adversary, rows.records) for adversary in question.adversaries]
    without = beliefs_without(
        question, part,
        lambda question, _, record: question.without(question.sanitizer, record),
        lambda question, place, release, _, about: question.believed(
            question.adversaries[place], release, about
        ),
        [rows.of_people(failed) for _, failed in present],
    )  # fmt: skip
    several = question.microdata.several is not None
    first = rows.start.tolist()  # what is said of people is said of their first records
    return tuple(
        Beliefs(
            part.places, before, after.beliefs[:, 0],
            reasons={first[row]: why for row, why in after.reasons.items()},
            details={first[row]: why for row, why in after.details.items()},
            notes=after.notes, rows=rows if several else None,
        )
        for (before, _), after in zip(present, without, strict=True)
    )  # fmt: skip
