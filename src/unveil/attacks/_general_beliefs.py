"""The general way: sanitize again without each target, and have every adversary learn again.

One release serves all adversaries. The work is done by as many processes or machines as there
are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks._beliefs import (
    ADVERSARY_FAILED,
    FAILED,
    IMPOSSIBLE,
    Beliefs,
    Question,
    said,
)
from unveil.engine import Backend, CannotBeSentError, Progress, WorkerLost, run_everywhere
from unveil.errors import GoalError, UnveilError
from unveil.sanitize import OracleError

__all__ = ["Workplace", "general_beliefs", "reason_of"]

_A_PART = 0.5  # seconds of work that are handed out together
_LARGEST = 256  # targets in one part
_FEW = 3  # targets an adversary must fail on before it is taken to fail on all
_WORTH_IT = 4.0  # seconds of work below which starting processes takes longer than it saves
_WORTH_A_BUDGET = 10.0  # seconds of which it does not take too large a part


Part: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Some targets: their places among all of them, and their record numbers."""


class Workplace:
    """Where the general way is run, and what is to be said about it afterwards.

    ``budget`` is how many seconds there are in all, if not as many as it takes.
    """

    def __init__(self, backend: Backend, *, asked_for: bool, budget: float | None = None) -> None:
        self.backend, self.asked_for, self.budget = backend, asked_for, budget
        self.notes: list[str] = []

    def suited(self, seconds: float) -> Backend:
        """The backend for so much work: nobody starts processes for a trifle unasked."""
        short = self.budget is not None and self.budget < _WORTH_A_BUDGET
        unasked = self.backend.kind == "file" and not self.asked_for
        if unasked and (seconds < _WORTH_IT or short):
            return Backend("here", 1)
        return self.backend

    def must_stay(self, error: Exception) -> Backend:
        """Something cannot be sent to other processes, so this one does the work."""
        self.notes.append(
            f"tested in one process: the sanitizer or the adversary cannot be sent to others "
            f"({error})"
        )
        return Backend("here", 1)


def general_beliefs(
    question: Question,
    records: NDArray[np.intp],
    progress: Progress,
    workplace: Workplace,
    enough: Callable[[], bool] | None,
) -> Iterator[tuple[Beliefs, ...]]:
    """What every adversary believes, with and without each target's record."""
    # The first target tells how long one takes, and an adversary that cannot do it at all fails
    # here, before the long work.
    started = time.perf_counter()
    for adversary in question.adversaries:
        _try(question, adversary, records)
    yield ask(question, (np.arange(1), records[:1]))
    progress.advance(1)
    each = time.perf_counter() - started
    backend = workplace.suited(each * (len(records) - 1))
    parts = _parts(records, each, backend.n_jobs)
    try:
        yield from _asked(question, parts, progress, backend, enough)
    except CannotBeSentError as error:
        yield from _asked(question, parts, progress, workplace.must_stay(error), enough)


def _try(question: Question, adversary: Adversary, records: NDArray[np.intp]) -> None:
    """Raise what an adversary raises, if it does so for the first few targets alike."""
    for place in range(min(_FEW, len(records))):
        try:
            question.believed(adversary, question.release, records[[place]])
            return
        except UnveilError as error:
            wrong = error
    raise wrong


def _asked(
    question: Question,
    parts: Sequence[Part],
    progress: Progress,
    backend: Backend,
    enough: Callable[[], bool] | None,
) -> Iterator[tuple[Beliefs, ...]]:
    lost: list[Part] = []
    waits = enough or (lambda: False)
    for number, answers in run_everywhere(ask, question, parts, backend, enough=waits):
        places = parts[number][0]
        if not isinstance(answers, WorkerLost):
            progress.advance(len(places))
            yield answers
        elif len(places) > 1:
            lost.append(parts[number])
        else:
            progress.advance(1)
            values = question.release.sensitive.size
            nothing = Beliefs.none(places, values, FAILED, answers.why)
            yield tuple(nothing for _ in question.adversaries)
    if lost:  # one of each part ends its worker: find out which
        alone = [
            (places[[row]], records[[row]])
            for places, records in lost
            for row in range(len(places))
        ]
        yield from _asked(question, alone, progress, backend, None)


def _parts(records: NDArray[np.intp], each: float, n_jobs: int) -> list[Part]:
    """All but the first target, in parts large enough to be worth handing out, and in order."""
    rest = np.arange(1, len(records))
    fair = max(1, len(rest) // (4 * n_jobs))
    size = int(np.clip(_A_PART / max(each, 1e-9), 1, min(fair, _LARGEST)))
    return [
        (places, records[places])
        for places in (rest[first : first + size] for first in range(0, len(rest), size))
    ]


def ask(question: Question, part: tuple[NDArray[np.intp], NDArray[np.intp]]) -> tuple[Beliefs, ...]:
    """The beliefs of all adversaries about some targets: their places and record numbers."""
    places, records = part
    answers = [_present(question, number, places, records) for number in _each(question)]
    for row, record in enumerate(records):
        try:
            without = question.sanitizer.sanitize_without(question.microdata, int(record))
        except Exception as error:  # whatever goes wrong in somebody's sanitizer
            reason = reason_of(error)
            for answer in answers:
                answer.reasons[row], answer.details[row] = reason, said(error)
            continue
        for adversary, answer in zip(question.adversaries, answers, strict=True):
            if row in answer.reasons:
                continue
            try:
                answer.absent[row] = question.believed(adversary, without, records[[row]])[0]
            except Exception as error:  # or in somebody's model
                answer.reasons[row], answer.details[row] = ADVERSARY_FAILED, said(error)
    each = zip(answers, question.adversaries, strict=True)
    return tuple(replace(answer, notes=adversary.notes) for answer, adversary in each)


def _each(question: Question) -> Sequence[int]:
    return range(len(question.adversaries))


def _present(
    question: Question, number: int, places: NDArray[np.intp], records: NDArray[np.intp]
) -> Beliefs:
    present, wrong = question.present(question.adversaries[number], records)
    reasons = dict.fromkeys(wrong, ADVERSARY_FAILED)
    return Beliefs(places, present, np.full_like(present, np.nan), reasons, wrong)


def reason_of(error: Exception) -> str:
    """What kind of thing went wrong, which says nothing about anybody."""
    if isinstance(error, GoalError):
        return IMPOSSIBLE
    return f"the sanitizer {error.fault}" if isinstance(error, OracleError) else FAILED
