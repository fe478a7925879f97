"""How much an attacker's belief about people is on their true sensitive values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks.shared import (
    ADVERSARY_FAILED,
    NO_BELIEF,
    AdversaryError,
    Knowledge,
    each_if_not_all,
    reason_of,
)
from unveil.microdata import AnyRelease, Microdata

__all__ = ["TrueBeliefs", "kind_of", "log_ratio", "logarithm", "true_beliefs"]

_STEP = 4096  # people asked about at a time
_DECIMALS = 9  # what differs by less is equal up to rounding, and must be a tie


@dataclass(frozen=True, eq=False)
class TrueBeliefs:
    """The belief in the true value of each of some people; NaN where it could not be had."""

    true: NDArray[np.float64]
    reasons: dict[int, str] = field(default_factory=dict)
    """Why it could not, by place."""
    details: dict[int, str] = field(default_factory=dict)
    """What was said then."""

    @classmethod
    def none(cls, people: int) -> TrueBeliefs:
        """Nothing is known yet."""
        return cls(np.full(people, np.nan))

    def put(self, places: NDArray[np.intp], others: TrueBeliefs) -> None:
        """Take over what is known about the people at some places."""
        self.true[places] = others.true
        for ours, theirs in ((self.reasons, others.reasons), (self.details, others.details)):
            for place in places.tolist():
                ours.pop(place, None)
            ours.update({int(places[place]): text for place, text in theirs.items()})

    def copy(self) -> TrueBeliefs:
        """The same, to be changed."""
        return TrueBeliefs(self.true.copy(), dict(self.reasons), dict(self.details))

    def lack(self, places: NDArray[np.intp], reason: str, detail: str = "") -> None:
        """Nothing can be had about the people at some places."""
        self.reasons.update(dict.fromkeys(places.tolist(), reason))
        if detail:
            self.details.update(dict.fromkeys(places.tolist(), detail))


def true_beliefs(
    everybody: Microdata, adversary: Adversary, release: AnyRelease, records: NDArray[np.intp]
) -> TrueBeliefs:
    """What an adversary believes from a release about the true values of some records."""
    known, secret = Knowledge(microdata=everybody), everybody.sensitive
    found = TrueBeliefs.none(len(records))
    for first in range(0, len(records), _STEP):
        some = records[first : first + _STEP]
        beliefs, failed = each_if_not_all(
            lambda rows, some=some: known.believed(adversary, release, some[rows]),  # type: ignore[misc]
            len(some),
            secret.size,
        )
        if len(failed) == len(some) > 1:  # it will do no better with the others
            raise AdversaryError(next(iter(failed.values())))
        true = beliefs[np.arange(len(some)), secret.codes[some]]
        none = np.isnan(beliefs).any(axis=1)
        true[none] = np.nan
        reasons = dict.fromkeys(np.flatnonzero(none).tolist(), NO_BELIEF)
        reasons |= dict.fromkeys(failed, ADVERSARY_FAILED)
        found.put(first + np.arange(len(some)), TrueBeliefs(true, reasons, failed))
    return found


def logarithm(beliefs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm, -∞ for a value that is ruled out.

    >>> logarithm(np.array([1.0, 0.5, 0.0])).tolist()
    [0.0, -0.693147181, -inf]
    """
    with np.errstate(divide="ignore"):
        logarithms: NDArray[np.float64] = np.log(beliefs)
    return logarithms.round(_DECIMALS)


def log_ratio(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """The difference of the logarithms; 0 where both are those of zero.

    >>> log_ratio(np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.5, 0.0, 0.5, 0.0])).tolist()
    [0.0, inf, -inf, 0.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: NDArray[np.float64] = np.log(first) - np.log(second)
    ratio[(first == 0) & (second == 0)] = 0
    return ratio.round(_DECIMALS)


def kind_of(error: Exception) -> str:
    """What kind of thing went wrong, which says nothing about anybody."""
    return ADVERSARY_FAILED if isinstance(error, AdversaryError) else reason_of(error)
