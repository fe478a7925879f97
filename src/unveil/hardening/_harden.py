"""Hardening: change the table or its anonymization until the test is passed.

After A. Kassem, G. Ács, C. Castelluccia, C. Palamidessi (2019): take the outliers, those few with
a large distance, out of the original table, sanitize and test again, as often as needed. There is
no promise that one round is enough, or that any is: without the outliers others stand out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unveil.adversary import Adversary, as_prior
from unveil.attacks import (
    Distance,
    EarthMovers,
    adversaries_named,
    check_chance,
    distance_named,
)
from unveil.errors import InputError
from unveil.hardening._finding import Hardening
from unveil.hardening._loop import Test, courses
from unveil.hardening._rounds import Round
from unveil.hardening._strategies import Limits, Merging, strategies_named
from unveil.microdata import Microdata
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer

__all__ = ["check_limits", "harden"]


def harden(
    microdata: Microdata,
    sanitizer: Sanitizer | Callable[[Any], Any],
    *,
    delta: float = 0.05,
    strategy: str | Sequence[str] = "remove",
    rounds: int = 20,
    at_most: float = 0.1,
    at_a_time: float = 0.01,
    adversary: Adversary | str | Any | Sequence[Adversary | str | Any] | None = None,
    distance: Distance | EarthMovers | str = "total-variation",
    prior: Any = None,
    samples: int | None = None,
    error: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: bool | None = None,
    watch: Callable[[str, Round], None] = lambda strategy, one: None,
) -> Hardening:
    """Change what is worst and test again, until nobody's distance is over ``delta``.

    Every round tests every record with `unveil.differential_inference`. A goal that is not
    reached is no error: the finding says how far it got, and offers the best round.

    Parameters
    ----------
    microdata : Microdata
        The original table.
    sanitizer : Sanitizer or callable
        What is hardened. It must be able to run on a changed table, so releases made beforehand
        are not enough.
    delta : float
        The goal: no distance over this.
    strategy : {"remove", "merge", "both"}, or a list
        ``"remove"`` leaves the records that are over the goal out of the table, whatever is then
        published. ``"merge"`` keeps everybody and merges their classes with those next to them:
        `Mondrian` is asked for it, what others publish is merged afterwards, for which there is
        no fast path. It needs classes whose cells cover their people, so it is not for
        `Anatomy`, `LaplaceCounts` and `Microaggregation`. ``"both"`` does one after the other,
        each from the beginning, and compares them.
    rounds : int
        The most rounds of changes, of each strategy.
    at_most : float
        The largest share of the records that may be removed in all, or that a class may be asked
        to have when merging.
    at_a_time : float
        The largest share of the records that are dealt with in one round, the worst first:
        removing some changes everybody's distances, so that others need not go. At least one is.
    adversary, distance, prior, seed, n_jobs, backend, progress
        As in `unveil.differential_inference`.
    samples, error
        As there, for a sanitizer or an adversary that depends on chance. The goal then holds only
        if the upper end of what δ may be is not over it, with 95 % confidence in all rounds
        together. Without them a random sanitizer is tested in one draw, and a goal that holds may
        hold by luck; the finding says so.
    watch : callable, optional
        Told of every round that is finished, with the strategy's name.

    Returns
    -------
    Hardening

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> hardening = uv.harden(survey, uv.Mondrian(k=5), delta=0.1)
    >>> hardening.holds, hardening.finding.delta <= 0.1
    (True, True)
    >>> len(hardening.microdata) + len(hardening.removed) == len(survey)
    True
    """
    microdata = as_microdata(microdata, "harden")
    f = as_sanitizer(sanitizer)
    check_limits(delta, rounds, at_most, at_a_time)
    ways = strategies_named(strategy)
    check_chance(samples=samples, error=error)
    # Named here, for all rounds: what is merged afterwards is attacked by the same.
    attacker = f.attacked_by if adversary is None else adversary
    _check(microdata, f, adversaries_named(attacker))
    distance_named(distance, microdata.sensitive)
    test = Test(
        microdata=microdata,
        prior=None if prior is None else as_prior(prior, microdata.sensitive, len(microdata)),
        options={
            "adversary": attacker, "distance": distance, "samples": samples, "error": error,
            "seed": seed, "n_jobs": n_jobs, "backend": backend, "progress": progress,
        },
        merges=any(isinstance(way, Merging) for way in ways),
    )  # fmt: skip
    limits = Limits(
        goal=float(delta),
        rounds=int(rounds),
        at_a_time=max(1, _part(at_a_time, len(microdata))),
        at_most=_part(at_most, len(microdata)),
    )
    return Hardening(
        goal=limits.goal,
        limits=limits,
        courses=courses(test, f, ways, limits, watch),
        original=microdata,
        asked=f.label,
    )


def check_limits(delta: float, rounds: int, at_most: float, at_a_time: float = 0.01) -> None:
    """Refuse goals and limits that mean nothing."""
    if not _is_number(delta) or not 0 < delta < math.inf:
        raise InputError(f"delta must be a distance over 0, such as 0.05, got {delta!r}")
    whole = isinstance(rounds, int | np.integer) and not isinstance(rounds, bool)
    if not whole or rounds < 1:
        raise InputError(f"rounds must be a whole number from 1 up, got {rounds!r}")
    for name, share in (("at_most", at_most), ("at_a_time", at_a_time)):
        if not _is_number(share) or not 0 < share < 1:
            raise InputError(f"{name} must be a share between 0 and 1, such as 0.1, got {share!r}")


def _part(share: float, n: int) -> int:
    """So many of n records; 0.29 of 100 are 29, and not 28 for the sake of binary fractions."""
    return math.floor(share * n + 1e-9)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _check(microdata: Microdata, f: Sanitizer, adversaries: Sequence[Adversary]) -> None:
    if f.can_leave_out(microdata) is not None:
        raise InputError(
            f"{f.label} has only releases made beforehand, and a hardened table needs new ones; "
            "give what they were made with"
        )
    for adversary in adversaries:
        if adversary.prepared(microdata) is not microdata:
            raise InputError(
                f"{adversary.label} has the table itself changed before it is sanitized, so what "
                "is tested is not what would be published; choose another encoding"
            )
