"""Which way a test goes: the quickest exact one, or sampling where something is random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.adversary import (
    Adversary,
    ConditionalFrequency,
    CountingAdversary,
    NaiveBayes,
    SmoothedFrequency,
    UpdatingAdversary,
)
from unveil.attacks.differential._earth_movers import BoundDistance
from unveil.attacks.differential._sampling import EPSILONS, Request, checked_epsilons
from unveil.errors import File, InputError, Message, Option, Text, UnveilError
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import LaplaceCounts, Sanitizer

WAYS_OF_CHANCE = ("direct", "counts", "sampled")
"""Ways that compare distributions of beliefs: computed, noisy counts sampled, all sampled."""

_FACTORS = {"total variation": 0.5, "l1": 1.0}
_UNASKED = 1000  # samples if the user gives no number and something is known to be random
_UP_TO = 2**17  # samples if the user only gives the error
_ASKED_TWICE = 1000  # targets for which two releases of the same table are compared


@dataclass(frozen=True, kw_only=True)
class Chance:
    """The user's options of sampling."""

    samples: int | None
    error: float | None
    epsilons: tuple[float, ...]

    @property
    def asked_for(self) -> bool:
        """Whether sampling was asked for at all."""
        return self.samples is not None or self.error is not None

    def request(self, distance: BoundDistance, seed: int) -> Request:
        """The options with the distance and the seed."""
        if distance.name not in _FACTORS:
            raise InputError(
                "{option} is {name}, but random releases or adversaries are compared value by "
                "value; use total-variation or l1",
                option=Option("distance"), name=distance.name,
            )  # fmt: skip
        most = _UP_TO if self.error is not None else _UNASKED
        return Request(
            factor=_FACTORS[distance.name], measure=distance.measure,
            samples=most if self.samples is None else self.samples,
            samples_asked_for=self.samples is not None, error=self.error,
            epsilons=self.epsilons, seed=seed,
        )  # fmt: skip


def chance_of(samples: int | None, error: float | None, epsilons: Sequence[float] | None) -> Chance:
    """The user's options of sampling."""
    return Chance(
        samples=None if samples is None else int(samples),
        error=None if error is None else float(error),
        epsilons=EPSILONS if epsilons is None else checked_epsilons(epsilons),
    )


def chosen_way(
    sanitizer: Sanitizer,
    adversary: Adversary,
    *,
    path: str,
    chance: Chance,
    distance: BoundDistance,
    prior: bool,
) -> str:
    """``fast``, ``updating``, ``general``, or one of `WAYS_OF_CHANCE`."""
    way = _quickest(sanitizer, adversary, chance, distance, prior)
    if path == "general":
        return "sampled" if way in WAYS_OF_CHANCE else "general"
    if path == "fast" and way in ("general", "sampled"):
        raise InputError(
            "there is no fast path for {sanitizer} against {adversary}; use {option}, which runs "
            "the sanitizer again for each target",
            sanitizer=File(sanitizer.label, bare=True), adversary=adversary.label,
            option=Option("path", "general"),
        )  # fmt: skip
    return way


def _quickest(
    sanitizer: Sanitizer, adversary: Adversary, chance: Chance, distance: BoundDistance, prior: bool
) -> str:
    if isinstance(sanitizer, LaplaceCounts):
        # Only for these it is known that one record more moves every belief in one direction.
        known = isinstance(adversary, SmoothedFrequency | ConditionalFrequency) and not prior
        sample = chance.asked_for and sanitizer.scale > 0
        if not sample and isinstance(adversary, SmoothedFrequency) and known:
            return "direct"
        if known:
            return "counts"
        return "general" if without_chance(sanitizer, adversary) else "sampled"
    sample = chance.asked_for or sanitizer.is_random
    if sample and not without_chance(sanitizer, adversary):
        return "sampled"
    if sanitizer.leaves_one_out and isinstance(adversary, CountingAdversary):
        return "fast"
    if sanitizer.row_by_row and isinstance(adversary, UpdatingAdversary):
        return "updating"
    return "general"


def without_chance(sanitizer: Sanitizer, adversary: Adversary) -> bool:
    """Whether it is known that nothing here is random."""
    noiseless = isinstance(sanitizer, LaplaceCounts) and not sanitizer.scale
    return (sanitizer.deterministic or noiseless) and adversary.with_seed(1) is adversary


def warn_of_chance(
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
            "person moves by {moved}, so these distances mix chance with the effect of records; "
            "sample it with {option} or more",
            sanitizer=File(sanitizer.label, bare=True), moved=f"{moved:.3g}",
            option=Option("samples", 100),
        ),
    )  # fmt: skip
