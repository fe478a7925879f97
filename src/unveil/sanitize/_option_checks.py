"""Checks of the options that sanitizers share."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from unveil.errors import InputError, Option, did_you_mean
from unveil.sanitize._closeness import DISTANCES

_SMALLEST = 1e-12  # ε; 1/ε is as large as counts can be


def _refuse(who: str, name: str, given: Any, must: str) -> InputError:
    return InputError(
        "{who} cannot take {option}: {name} must be {must}",
        who=who, option=Option(name, given), name=name, must=must,
    )  # fmt: skip


def _is_whole(given: Any) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def _is_number(given: Any) -> bool:
    return isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)


def check_whole(who: str, name: str, given: Any, least: int = 1) -> None:
    """Refuse anything but a whole number of at least ``least``."""
    if not _is_whole(given) or given < least:
        raise _refuse(who, name, given, f"a whole number from {least} up")


def check_share(who: str, name: str, given: Any) -> None:
    """Refuse anything but a number from 0 to 1."""
    if not _is_number(given) or not 0 <= given <= 1:
        raise _refuse(who, name, given, "a number from 0 to 1")


def check_choice(who: str, name: str, given: Any, allowed: Sequence[str]) -> None:
    """Refuse anything but one of some words."""
    if given not in allowed:
        words = " or ".join(f'"{word}"' for word in allowed)
        raise _refuse(who, name, given, f"{words}{did_you_mean(str(given), allowed)}")


def check_goals(who: str, *, k: Any, l: Any, t: Any, t_distance: Any) -> None:  # noqa: E741
    """Refuse goals for classes that cannot be used, or no goal at all."""
    if k is None and l is None and t is None:
        raise InputError(
            "{who} needs a goal: give {k}, {l} or {t}, for instance",
            who=who, k=Option("k", 5), l=Option("l", 2), t=Option("t", 0.2),
        )  # fmt: skip
    for name, whole in (("k", k), ("l", l)):
        if whole is not None:
            check_whole(who, name, whole)
    if t is not None:
        check_share(who, "t", t)
    if t_distance is not None:
        check_choice(who, "t_distance", t_distance, DISTANCES)
        if t is None:
            raise InputError(
                "{who} cannot take {option} without t; give t, such as {t}",
                who=who, option=Option("t_distance", t_distance), t=Option("t", 0.2),
            )  # fmt: skip


def check_epsilon(who: str, given: Any, more: str) -> None:
    """Refuse anything but a privacy parameter; ``more`` names what a small one increases."""
    if not _is_number(given) or not (_SMALLEST <= given <= 1 / _SMALLEST or given == math.inf):
        rule = f"a number above 0, such as 0.5 or 1 (the smaller, the more {more}; inf is none)"
        raise _refuse(who, "epsilon", given, rule)


def check_seed(who: str, given: Any) -> None:
    """Refuse anything but a random seed or None."""
    if given is not None and not (_is_whole(given) and 0 <= given < 2**64):
        raise _refuse(who, "seed", given, "a whole number from 0 up, below 2^64")


def seed_or_secret(seed: int | None) -> int:
    """The seed, or a secret one from the operating system."""
    return secrets.randbits(64) if seed is None else int(seed)
