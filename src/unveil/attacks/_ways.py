"""Which way a test goes: the quickest exact one there is, or by sampling where chance decides."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from unveil.adversary import (
    Adversary,
    ConditionalFrequency,
    CountingAdversary,
    NaiveBayes,
    SmoothedFrequency,
    UpdatingAdversary,
)
from unveil.attacks._distances import BoundDistance
from unveil.attacks.chance import EPSILONS, Request, checked_epsilons
from unveil.errors import InputError, UnveilError
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import LaplaceCounts, Sanitizer

__all__ = [
    "WAYS_OF_CHANCE",
    "Chance",
    "chance_of",
    "chosen_way",
    "understood",
    "warn_of_chance",
    "without_chance",
]

WAYS_OF_CHANCE = ("direct", "counts", "sampled")
"""Ways that compare distributions of beliefs: worked out, noisy counts sampled, all sampled."""

_FACTORS = {"total variation": 0.5, "l1": 1.0}
_UNASKED = 1000  # samples where the user names no number, and something is known to be random
_UP_TO = 2**17  # samples where the user only says how exact it has to be
_ASKED_TWICE = 1000  # targets on whom two releases of the same table are compared


@dataclass(frozen=True, kw_only=True)
class Chance:
    """What the user asked of sampling."""

    samples: int | None
    error: float | None
    epsilons: tuple[float, ...]

    @property
    def asked_for(self) -> bool:
        """Whether sampling was asked for at all."""
        return self.samples is not None or self.error is not None

    def request(self, distance: BoundDistance, seed: int) -> Request:
        """The same, with what it takes to carry it out."""
        if distance.name not in _FACTORS:
            raise InputError(
                f"where chance decides, beliefs are compared value by value, which "
                f"{distance.name} does not do; use total-variation or l1"
            )
        most = _UP_TO if self.error is not None else _UNASKED
        return Request(
            factor=_FACTORS[distance.name], measure=distance.measure,
            samples=most if self.samples is None else self.samples,
            samples_asked_for=self.samples is not None, error=self.error,
            epsilons=self.epsilons, seed=seed,
        )  # fmt: skip


def chance_of(samples: Any, error: Any, epsilons: Any) -> Chance:
    """What the user asked of sampling, checked."""
    if samples is not None and (
        isinstance(samples, bool) or not isinstance(samples, Integral) or samples < 2
    ):
        raise InputError(
            f"samples must be a whole number from 2 up, got {samples!r}: from one sample nobody "
            "can tell what is chance"
        )
    if error is not None and not (
        isinstance(error, int | float | np.floating) and 0 < float(error) < 1
    ):
        raise InputError(f"error must be a number between 0 and 1, such as 0.01, got {error!r}")
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
    if path not in ("auto", "fast", "general"):
        raise InputError(f'path must be "auto", "fast" or "general", got {path!r}')
    way = _quickest(sanitizer, adversary, chance, distance, prior)
    if path == "general":
        return "sampled" if way in WAYS_OF_CHANCE else "general"
    if path == "fast" and way in ("general", "sampled"):
        raise InputError(
            f"there is no fast path for {sanitizer.label} against {adversary.label}; "
            'use path="general", which runs the sanitizer anew for each target'
        )
    return way


def _quickest(
    sanitizer: Sanitizer,
    adversary: Adversary,
    chance: Chance,
    distance: BoundDistance,
    prior: bool,
) -> str:
    if isinstance(sanitizer, LaplaceCounts):
        # Only of these is it known that one record more moves every belief in one direction.
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
    """Whether it is known that nothing here depends on chance."""
    noiseless = isinstance(sanitizer, LaplaceCounts) and not sanitizer.scale
    return (sanitizer.deterministic or noiseless) and adversary.with_seed(1) is adversary


def understood(adversary: Adversary, release: AnyRelease) -> None:
    """Refuse an adversary who cannot learn from a release of this kind."""
    if not adversary.understands(release):
        raise InputError(
            f"{adversary.label} learns from released records, and {release.made_by} publishes "
            f"none, {release.instead}; use the adversary smoothed-frequency or "
            "conditional-frequency"
        )


def warn_of_chance(
    microdata: Microdata, release: AnyRelease, sanitizer: Sanitizer
) -> tuple[str, ...]:
    """A warning if the same table is not sanitized alike twice, which one run takes for granted.

    Not asked of sanitizers that are known for it.
    """
    adversary = NaiveBayes()
    if sanitizer.deterministic or not adversary.understands(release):
        return ()
    some = microdata.codes[:, :_ASKED_TWICE]
    try:
        again = adversary.predict(sanitizer.sanitize(microdata), some)
    except UnveilError:  # it did it once; what it fails at later is counted there
        return ()
    moved = np.abs(adversary.predict(release, some) - again).sum(axis=1).max(initial=0) / 2
    if not moved > 1e-9:
        return ()
    return (
        f"{sanitizer.label} is random: with two releases of the same table the belief about "
        f"somebody moves by {moved:.3g}, so these distances mix chance with what records give "
        "away; have it sampled with samples=100 or more",
    )
