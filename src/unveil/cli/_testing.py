"""Kernels compiled before any clock runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

from unveil.attacks.differential import differential_inference
from unveil.cli._console import slow_start
from unveil.errors import UnveilError
from unveil.microdata import Microdata, read_table
from unveil.options import options_of
from unveil.sanitize import SANITIZERS, LaplaceCounts, Sanitizer


def warm_up(
    sanitizers: Sequence[Sanitizer], *, adversary: str | Sequence[str] | None,
    sampled: bool = False, attack: Callable[..., Any] = differential_inference,
    several: bool = False,
) -> None:  # fmt: skip
    """Have the kernels compiled (or fetched from numba's cache) before any clock runs.

    Those of each sanitizer, and no others. Without an adversary only those that sanitize;
    ``sampled`` says whether samples were asked for, which noisy counts need kernels for, and
    ``several`` whether a person has several rows, who are counted by kernels of their own.
    """
    table = _four_people(several)
    with slow_start():
        for easy in dict.fromkeys(map(_easier, filter(_is_built_in, sanitizers))):
            if adversary is None:
                with suppress(UnveilError):  # what refuses such tables says so itself
                    easy.sanitize(table)
                continue
            drawn = sampled if isinstance(easy, LaplaceCounts) else easy.is_random
            # What an adversary cannot do is told by the test itself, in its own words.
            with suppress(UnveilError):
                wanted = {"adversary": _heard_by(easy, adversary), "jobs": 1, "progress": False,
                          "samples": 2 if drawn else None}  # fmt: skip
                known = options_of(attack)
                given = {name: value for name, value in wanted.items() if name in known}
                attack(microdata=table, sanitizer=easy, **given)


def _heard_by(sanitizer: Sanitizer, adversary: str | Sequence[str]) -> str | Sequence[str]:
    """The adversaries, or those who can make something of counts."""
    return sanitizer.adversaries if isinstance(sanitizer, LaplaceCounts) else adversary


def _is_built_in(sanitizer: Sanitizer) -> bool:
    """Whether it is one of ours: an oracle is not asked more often than the user wants."""
    return type(sanitizer) in SANITIZERS.values()


def _easier(sanitizer: Sanitizer) -> Sanitizer:
    """The same sanitizer with goals that four people can meet."""
    options = {f.name for f in fields(sanitizer)}  # type: ignore[arg-type]
    goals = {"k": 1, "l": 1, "t": 1.0, "crowds": None, "t_distance": None, "seed": 0}
    asked = {name for name in options & goals.keys() if getattr(sanitizer, name) is not None}
    return replace(sanitizer, **{name: goals[name] for name in asked})  # type: ignore[type-var]


def _four_people(several: bool) -> Microdata:
    """Or the four rows of three people, if one has several."""
    columns = {"x": [0, 1, 2, 3], "y": ["a", "b", "a", "b"], "s": ["u", "v", "v", "u"]}
    if not several:
        return read_table(columns, quasi=["x", "y"], sensitive="s")
    return read_table({"who": [1, 2, 3, 3], **columns}, quasi=["x", "y"], sensitive="s",
                      person="who")  # fmt: skip
