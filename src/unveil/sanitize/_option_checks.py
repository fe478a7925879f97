"""What several sanitizers ask of their options."""

from __future__ import annotations

import math
import secrets
from typing import Any

import numpy as np

from unveil.errors import InputError
from unveil.sanitize._closeness import check_t_distance

__all__ = [
    "check_epsilon",
    "check_goals",
    "check_seed",
    "check_share",
    "check_whole",
    "seed_or_secret",
]

_SMALLEST = 1e-12  # ε; 1/ε is as large as counts can be


def check_whole(who: str, name: str, given: Any) -> None:
    """Refuse what is no whole number from 1 up."""
    if not _is_whole(given) or given < 1:
        raise InputError(f"{who} {name} must be a whole number from 1 up, got {given!r}")


def check_share(who: str, name: str, given: Any) -> None:
    """Refuse what is no number from 0 to 1."""
    number = isinstance(given, int | float | np.integer | np.floating)
    if isinstance(given, bool) or not number or not 0 <= given <= 1:
        raise InputError(f"{who} {name} must be a number from 0 to 1, got {given!r}")


def check_goals(who: str, *, k: Any, l: Any, t: Any, t_distance: Any) -> None:  # noqa: E741
    """Refuse goals for classes that are none, or none at all."""
    if k is None and l is None and t is None:
        raise InputError(
            f"{who} needs a goal: give k, such as k=5, or l, such as l=2, or t, such as t=0.2"
        )
    for name, whole in (("k", k), ("l", l)):
        if whole is not None:
            check_whole(f"{who}'s", name, whole)
    if t is not None:
        check_share(f"{who}'s", "t", t)
    check_t_distance(f"{who}'s", t_distance, t)


def check_epsilon(who: str, given: Any, more: str) -> None:
    """Refuse what is no privacy parameter; ``more`` says what a small one makes more."""
    number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    if not number or not (_SMALLEST <= given <= 1 / _SMALLEST or given == math.inf):
        raise InputError(
            f"{who} epsilon must be a number above 0, such as 0.5 or 1 (the smaller, the more "
            f"{more}; inf is none), got {given!r}"
        )


def check_seed(who: str, given: Any) -> None:
    """Refuse what is neither a seed nor None."""
    if given is None or (_is_whole(given) and 0 <= given < 2**64):
        return
    raise InputError(f"{who} seed must be a whole number from 0 up, below 2^64, got {given!r}")


def _is_whole(given: Any) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def seed_or_secret(seed: int | None) -> int:
    """The seed, or one from the operating system that nobody knows."""
    return secrets.randbits(64) if seed is None else int(seed)
