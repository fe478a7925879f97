"""The general way: sanitize again without each target, and have every adversary learn again.

One release serves all adversaries. The work is done by as many processes or machines as there
are; an interrupt ends it and loses nothing that was found.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._beliefs import (
    ADVERSARY_FAILED,
    FAILED,
    IMPOSSIBLE,
    INTERRUPTED,
    Beliefs,
    Question,
)
from unveil.engine import Backend, CannotBeSentError, Progress, WorkerLost, run_everywhere
from unveil.errors import GoalError, UnveilError
from unveil.sanitize import OracleError

__all__ = ["Workplace", "general_beliefs"]

_A_PART = 0.5  # seconds of work that are handed out together
_LARGEST = 256  # targets in one part
_WORTH_IT = 4.0  # seconds of work below which starting processes takes longer than it saves


class Workplace:
    """Where the general way is run, and what is to be said about it afterwards."""

    def __init__(self, backend: Backend, *, asked_for: bool) -> None:
        self.backend, self.asked_for = backend, asked_for
        self.notes: list[str] = []

    def suited(self, seconds: float) -> Backend:
        """The backend for so much work: nobody starts processes for a trifle unasked."""
        if self.backend.kind == "file" and not self.asked_for and seconds < _WORTH_IT:
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
    finished = np.zeros(len(records), dtype=bool)
    try:
        for answers in _asked(question, records, progress, workplace, enough):
            finished[answers[0].places] = True
            yield answers
    except KeyboardInterrupt:
        left, values = np.flatnonzero(~finished), question.release.sensitive.size
        yield tuple(Beliefs.none(left, values, INTERRUPTED) for _ in question.adversaries)


def _asked(
    question: Question,
    records: NDArray[np.intp],
    progress: Progress,
    workplace: Workplace,
    enough: Callable[[], bool] | None,
) -> Iterator[tuple[Beliefs, ...]]:
    # The first target tells how long one takes, and an adversary that cannot do it at all fails
    # here, before the long work.
    started = time.perf_counter()
    for adversary in question.adversaries:
        question.believed(adversary, question.release, records[:1])
    yield ask(question, (np.arange(1), records[:1]))
    progress.advance(1)
    each = time.perf_counter() - started
    backend = workplace.suited(each * (len(records) - 1))
    parts = _parts(records, each, backend.n_jobs)
    waits = enough or (lambda: False)
    try:
        results = run_everywhere(ask, question, parts, backend, enough=waits)
        first = next(results, None)
    except CannotBeSentError as error:
        results = run_everywhere(ask, question, parts, workplace.must_stay(error), enough=waits)
        first = next(results, None)
    while first is not None:
        number, answers = first
        places = parts[number][0]
        progress.advance(len(places))
        if isinstance(answers, WorkerLost):
            values = question.release.sensitive.size
            yield tuple(
                Beliefs.none(places, values, FAILED, answers.why) for _ in question.adversaries
            )
        else:
            yield answers
        first = next(results, None)


def _parts(
    records: NDArray[np.intp], each: float, n_jobs: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
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
            reason = _reason(error)
            for answer in answers:
                answer.reasons[row], answer.details[row] = reason, _said(error)
            continue
        for adversary, answer in zip(question.adversaries, answers, strict=True):
            if row in answer.reasons:
                continue
            try:
                answer.absent[row] = question.believed(adversary, without, records[[row]])[0]
            except Exception as error:  # or in somebody's model
                answer.reasons[row], answer.details[row] = ADVERSARY_FAILED, _said(error)
    each = zip(answers, question.adversaries, strict=True)
    return tuple(replace(answer, notes=adversary.notes) for answer, adversary in each)


def _each(question: Question) -> Sequence[int]:
    return range(len(question.adversaries))


def _present(
    question: Question, number: int, places: NDArray[np.intp], records: NDArray[np.intp]
) -> Beliefs:
    nothing = np.full((len(places), question.release.sensitive.size), np.nan)
    try:
        present = question.believed(question.adversaries[number], question.release, records)
    except Exception as error:
        return Beliefs.none(places, nothing.shape[1], ADVERSARY_FAILED, _said(error))
    return Beliefs(places, present, nothing)


def _reason(error: Exception) -> str:
    """What kind of thing went wrong, which says nothing about anybody."""
    if isinstance(error, GoalError):
        return IMPOSSIBLE
    return f"the sanitizer {error.fault}" if isinstance(error, OracleError) else FAILED


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, UnveilError) else f"{type(error).__name__}: {error}"
