"""Beliefs about each target with and without their own record, by two ways that agree.

The *fast* way is open to sanitizers that know their release without each record
(`LeavesOneOut`) and adversaries that only count. The *general* way runs any sanitizer and any
adversary again for each target.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, CountingAdversary
from unveil.engine import Progress
from unveil.errors import GoalError, InputError, UnveilError
from unveil.microdata import Microdata, Release
from unveil.sanitize import LeavesOneOut, Sanitizer

__all__ = ["INTERRUPTED", "NO_BELIEF", "Beliefs", "fast_beliefs", "general_beliefs", "has_fast_way"]

_ENTRIES = 2**27  # counts held at a time: half a gigabyte for each of two arrays
_BATCH = 256  # targets handed on together by the general way

# Why a target may have no second belief. What a sanitizer says in detail may speak of people, so
# it is kept apart from these.
IMPOSSIBLE = "the table without them cannot be sanitized this way"
FAILED = "the sanitizer failed, or its answer was no release"
INTERRUPTED = "interrupted"
NO_BELIEF = "the adversary has no belief about them"


@dataclass(frozen=True)
class Beliefs:
    """Some targets, and what the adversary believes about them; NaN where it could not be had."""

    targets: slice
    present: NDArray[np.float64]
    absent: NDArray[np.float64]
    reasons: dict[int, str]
    """Why a target (its place in the slice) has no second belief."""
    details: dict[int, str] = field(default_factory=dict)
    """What the sanitizer said about it."""


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


def has_fast_way(sanitizer: Sanitizer, adversary: Adversary) -> bool:
    return isinstance(sanitizer, LeavesOneOut) and isinstance(adversary, CountingAdversary)


def fast_beliefs(
    microdata: Microdata,
    sanitizer: LeavesOneOut,
    adversary: CountingAdversary,
    records: NDArray[np.intp],
    progress: Progress,
    n_jobs: int | None,
) -> Iterator[Beliefs]:
    """Exact for every record, without running the sanitizer again."""
    step = max(1, _ENTRIES // ((len(microdata.quasi) + 1) * microdata.sensitive.size))
    totals = microdata.sensitive_counts
    for first in range(0, len(records), step):
        some = records[first : first + step]
        counts = sanitizer.leave_one_out(
            microdata, some, adversary.statistic, n_jobs=n_jobs, done=progress.advance
        )
        without = np.tile(totals, (len(some), 1))
        without[np.arange(len(some)), microdata.sensitive.codes[some]] -= 1
        possible = counts.possible
        absent = np.full((len(some), len(totals)), np.nan)
        present = adversary.from_counts(counts.present, totals)
        beliefs = adversary.from_counts(counts.absent[possible], without[possible])
        absent[possible] = checked(beliefs, int(possible.sum()), len(totals), adversary)
        yield Beliefs(
            targets=slice(first, first + len(some)),
            present=checked(present, len(some), len(totals), adversary),
            absent=absent,
            reasons=dict.fromkeys(np.flatnonzero(~possible).tolist(), IMPOSSIBLE),
        )


def general_beliefs(
    microdata: Microdata,
    release: Release,
    sanitizer: Sanitizer,
    adversary: Adversary,
    records: NDArray[np.intp],
    progress: Progress,
) -> Iterator[Beliefs]:
    """Sanitize the table without each record, and ask the adversary again.

    An interrupt ends the work but loses nothing: the targets not yet reached are reported as
    not tested.
    """
    interrupted = False
    for first in range(0, len(records), _BATCH):
        some = records[first : first + _BATCH]
        present = adversary.predict(release, microdata.codes[:, some])
        present = checked(present, len(some), microdata.sensitive.size, adversary)
        absent = np.full_like(present, np.nan)
        reasons: dict[int, str] = {}
        details: dict[int, str] = {}
        for place, record in enumerate(some):
            if interrupted:
                reasons[place] = INTERRUPTED
                continue
            try:
                without = sanitizer.sanitize(microdata.without(int(record)))
                belief = adversary.predict(without, microdata.codes[:, [record]])
                absent[place] = checked(belief, 1, absent.shape[1], adversary)[0]
            except Exception as error:  # whatever goes wrong in somebody's sanitizer
                reasons[place] = IMPOSSIBLE if isinstance(error, GoalError) else FAILED
                ours = isinstance(error, UnveilError)
                details[place] = str(error) if ours else f"{type(error).__name__}: {error}"
            except KeyboardInterrupt:
                interrupted = True
                reasons[place] = INTERRUPTED
            progress.advance(1)
        yield Beliefs(slice(first, first + len(some)), present, absent, reasons, details)
