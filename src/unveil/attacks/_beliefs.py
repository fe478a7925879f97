"""Beliefs about each target with and without their own record, by three ways that agree.

The *fast* way is open to sanitizers that know their release without each record
(`Sanitizer.leaves_one_out`) and adversaries that only count. The *updating* way is open to
sanitizers that treat every record by itself and adversaries who can forget one exactly. The
*general* way runs any sanitizer and any adversary again for each target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import (
    Adversary,
    CountingAdversary,
    UpdatingAdversary,
    reweighed,
)
from unveil.engine import Progress
from unveil.errors import InputError, Text, UnveilError
from unveil.microdata import AnyRelease, Microdata, Release
from unveil.sanitize import LeavesOneOut, Sanitizer

__all__ = [
    "FAILED",
    "IMPOSSIBLE",
    "INTERRUPTED",
    "NO_BELIEF",
    "AdversaryError",
    "Beliefs",
    "Knowledge",
    "Question",
    "each_if_not_all",
    "fast_beliefs",
    "said",
    "updated_beliefs",
]

_ENTRIES = 2**27  # counts held at a time: half a gigabyte for each of two arrays
_STEP = 1024  # targets that the updating way, or the fast one under a budget, takes at a time

# Why a target may have no second belief. What a sanitizer says in detail may speak of people, so
# it is kept apart from these.
IMPOSSIBLE = "the table without them cannot be sanitized this way"
FAILED = "the sanitizer failed"  # or what else an oracle did, see `Fault`
ADVERSARY_FAILED = "the adversary failed on the release with or without them"
INTERRUPTED = "interrupted"
NO_BELIEF = "the adversary has no belief about them"


class AdversaryError(UnveilError):
    """An adversary that failed, or whose answer is no belief."""


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What adversaries know besides a release: everybody's quasi-identifiers, and a prior."""

    microdata: Microdata
    prior: NDArray[np.float64] | None = None
    """Of the sensitive values, for all (values) or each (records × values)."""

    def believed(
        self, adversary: Adversary, release: AnyRelease, records: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """What an adversary believes about these records from a release."""
        try:
            beliefs = adversary.predict(release, self.microdata.codes[:, records])
        except UnveilError:
            raise
        except Exception as error:  # whatever goes wrong in somebody's model
            raise AdversaryError(
                f"the adversary {adversary.label} failed: {type(error).__name__}: {error}"
            ) from error
        return self.weighed(adversary, beliefs, release.totals, records)

    def weighed(
        self,
        adversary: Adversary,
        beliefs: NDArray[np.float64],
        totals: NDArray[np.integer],
        records: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        """Beliefs, checked, with the prior in the place of the shares that were released."""
        beliefs = checked(beliefs, len(records), self.microdata.sensitive.size, adversary)
        if self.prior is None:
            return beliefs
        shares = totals / totals.sum(axis=-1, keepdims=True)
        prior = self.prior[records] if self.prior.ndim == 2 else self.prior
        return reweighed(beliefs, shares, prior)

    def totals_without(self, records: NDArray[np.intp]) -> NDArray[np.int64]:
        """How many others have each sensitive value, for each record."""
        without = np.tile(self.microdata.sensitive_counts, (len(records), 1))
        without[np.arange(len(records)), self.microdata.sensitive.codes[records]] -= 1
        return without


@dataclass(frozen=True, kw_only=True)
class Question(Knowledge):
    """What is asked about every target. A worker needs no more, and gets it once."""

    release: AnyRelease
    sanitizer: Sanitizer
    adversaries: tuple[Adversary, ...]

    def present(
        self, adversary: Adversary, records: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], dict[int, str]]:
        """Beliefs about records from the whole release, and why some could not be had."""
        return each_if_not_all(
            lambda rows: self.believed(adversary, self.release, records[rows]),
            len(records),
            self.release.sensitive.size,
        )


@dataclass(frozen=True)
class Beliefs:
    """Some targets, and what one adversary believes of them; NaN where it could not be had."""

    places: NDArray[np.intp]
    """Which of the targets."""
    present: NDArray[np.float64]
    absent: NDArray[np.float64]
    reasons: dict[int, str] = field(default_factory=dict)
    """Why a target (its place in these rows) has no second belief."""
    details: dict[int, str] = field(default_factory=dict)
    """What the sanitizer or the adversary said about it."""
    notes: tuple[Text, ...] = ()
    """What the adversary has to say of its learning, wherever that took place."""

    @classmethod
    def none(cls, places: NDArray[np.intp], values: int, reason: str, detail: str = "") -> Beliefs:
        """Nothing could be had about these targets."""
        nothing = np.full((len(places), values), np.nan)
        each = range(len(places))
        details = dict.fromkeys(each, detail) if detail else {}
        return cls(places, nothing, nothing.copy(), dict.fromkeys(each, reason), details)


def checked(
    beliefs: NDArray[np.float64], targets: int, values: int, adversary: Adversary
) -> NDArray[np.float64]:
    """What an adversary returned, if it is one distribution a target; NaN stands for no belief."""
    beliefs = np.asarray(beliefs, dtype=np.float64)
    if beliefs.shape != (targets, values):
        raise InputError(
            f"the adversary {adversary.label} returned an array of shape {beliefs.shape} for "
            f"{targets} targets and {values} sensitive values; it must be one row a target, one "
            "column a value"
        )
    had = beliefs[~np.isnan(beliefs).any(axis=1)]
    if (had < 0).any() or not np.allclose(had.sum(axis=1), 1, rtol=0, atol=1e-6):
        raise InputError(
            f"the adversary {adversary.label} returned beliefs that are no probabilities: each "
            "row must have no negative number and sum to one"
        )
    return beliefs


def each_if_not_all(
    ask: Callable[[NDArray[np.intp]], NDArray[np.float64]], targets: int, values: int
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Ask about all targets together or, if that fails, about each of them alone.

    Returns the beliefs, NaN for those about whom asking fails, and what was said then.
    """
    try:
        return ask(np.arange(targets)), {}
    except Exception as error:  # whatever goes wrong in somebody's model
        if targets == 1:
            return np.full((1, values), np.nan), {0: said(error)}
    beliefs, failed = np.full((targets, values), np.nan), {}
    for row in range(targets):
        try:
            beliefs[row] = ask(np.array([row]))[0]
        except Exception as error:
            failed[row] = said(error)
    return beliefs, failed


def said(error: Exception) -> str:
    """What an error says; whose it is, if it is not ours."""
    return str(error) if isinstance(error, UnveilError) else f"{type(error).__name__}: {error}"


def fast_beliefs(
    question: Question,
    adversary: Adversary,
    records: NDArray[np.intp],
    progress: Progress,
    n_jobs: int | None,
    enough: Callable[[], bool] | None,
) -> Iterator[Beliefs]:
    """Exact for every record, without running the sanitizer again."""
    microdata, totals = question.microdata, question.microdata.sensitive_counts
    # `chosen_way` has made sure of both.
    sanitizer, counting = cast(LeavesOneOut, question.sanitizer), cast(CountingAdversary, adversary)
    most = max(1, _ENTRIES // ((len(microdata.quasi) + 1) * microdata.sensitive.size))
    for places in _steps(len(records), most, enough):
        some = records[places]
        counts = sanitizer.leave_one_out(
            microdata, some, counting.statistic, n_jobs=n_jobs, done=progress.advance
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


def updated_beliefs(
    question: Question,
    adversary: Adversary,
    records: NDArray[np.intp],
    progress: Progress,
    enough: Callable[[], bool] | None,
) -> Iterator[Beliefs]:
    """Exact for every record: the adversary forgets one row of the release, and no more."""
    learner = cast(UpdatingAdversary, adversary)  # `chosen_way` has made sure of it
    release = cast(Release, question.release)  # and of this
    for places in _steps(len(records), _STEP, enough):
        some = records[places]
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
        progress.advance(len(some))
        reasons = dict.fromkeys(details, ADVERSARY_FAILED)
        yield Beliefs(places, present, absent, reasons, details)


def _steps(n: int, most: int, enough: Callable[[], bool] | None) -> Iterator[NDArray[np.intp]]:
    """Places 0 to n − 1, in pieces; growing ones where somebody may say that it is enough."""
    step, first = most if enough is None else min(most, _STEP), 0
    while first < n and not (first and enough is not None and enough()):
        yield np.arange(first, min(n, first + step))
        first += step
        step = min(most, 2 * step)
