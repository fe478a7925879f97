"""Who is tested, in which order, and how they were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._bounds import Chosen
from unveil.attacks._sampling import DRAWS, How, draw
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Microdata, Release
from unveil.sanitize import Sanitizer

__all__ = ["Targets", "check_draw", "chosen_targets", "seed_number"]

AVAILABLE = "available"


@dataclass(frozen=True)
class Targets:
    """Records in the order in which they are tested.

    ``how`` is ``all``, one of the ways to draw, or ``chosen`` by the user.
    """

    records: NDArray[np.intp]
    how: Chosen


def seed_number(seed: Any) -> int:
    """The seed, if it is one."""
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    raise InputError(f"seed must be a whole number from 0 up, got {seed!r}")


def check_draw(how: Any) -> How:
    """The name of a way to draw targets, if it is one."""
    for known in DRAWS:
        if how == known:
            return known
    near = did_you_mean(how, DRAWS) if isinstance(how, str) else ""
    raise InputError(f"draw must be {', '.join(DRAWS[:-1])} or {DRAWS[-1]}, got {how!r}{near}")


def chosen_targets(
    targets: Any,
    microdata: Microdata,
    sanitizer: Sanitizer,
    release: Release | None,
    *,
    how: How,
    seed: int,
    shuffled: bool,
) -> Targets:
    """The targets the user wants, which the sanitizer must be able to leave out.

    The release is needed for the most exposed alone.

    ``shuffled`` puts them in random order even if the user has an order, because the test may
    end in the middle.
    """
    n = len(microdata)
    if isinstance(targets, str) and targets == AVAILABLE:
        targets = sanitizer.can_leave_out(microdata)
    if targets is None:
        if not shuffled:
            found = Targets(np.arange(n), "all")
        else:
            found = Targets(draw(microdata, n, how, seed, release=release), how)
    elif isinstance(targets, int | np.integer) and not isinstance(targets, bool):
        if not 1 <= targets <= n:
            raise InputError(f"targets={targets}: the table has {n:,} records to choose from")
        found = Targets(draw(microdata, int(targets), how, seed, release=release), how)
    else:
        chosen = _once(_listed(targets, n))
        if shuffled:
            chosen = np.random.default_rng(seed).permutation(chosen)
        found = Targets(chosen, "chosen")
    lacking = sanitizer.missing_of(microdata, found.records)
    if lacking is not None:
        raise InputError(lacking)
    return found


def _once(records: NDArray[np.intp]) -> NDArray[np.intp]:
    """In their order, nobody twice: they would count twice in everything that is said of all."""
    return records[np.sort(np.unique(records, return_index=True)[1])]


def _listed(targets: Any, n: int) -> NDArray[np.intp]:
    """Record numbers, from record numbers or a mask."""
    chosen = np.asarray(targets)
    if chosen.dtype == bool and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or len(chosen) == 0 or not np.issubdtype(chosen.dtype, np.integer):
        raise InputError(
            "targets must be a number of records, a list of record numbers counted from 0, "
            f'a mask of {n:,} truth values, or "{AVAILABLE}"; got {targets!r}'
        )
    wrong = chosen[(chosen < 0) | (chosen >= n)]
    if len(wrong):
        raise InputError(f"targets has {wrong[0]}, but records are numbered from 0 to {n - 1:,}")
    return chosen.astype(np.intp)
