"""Kernels compiled before any clock runs, and outcomes of several sanitizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from unveil.attacks.differential import differential_inference
from unveil.attacks.shared import INTERRUPTED
from unveil.cli._console import slow_start
from unveil.cli._outputs import write_findings
from unveil.errors import UnveilError
from unveil.findings import Finding
from unveil.microdata import Microdata, read_table
from unveil.options import options_of
from unveil.sanitize import SANITIZERS, LaplaceCounts, Sanitizer

__all__ = ["Outcome", "warm_up", "was_interrupted", "write_json"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one sanitizer: a finding, or the reason why there is none."""

    sanitizer: str
    finding: Any = None
    error: str | None = None


def was_interrupted(outcomes: Sequence[Outcome]) -> bool:
    """Whether the user ended the work before its end."""
    return any(
        outcome.error == f"{outcome.sanitizer}: {INTERRUPTED}"
        if outcome.finding is None
        else outcome.finding.interrupted
        for outcome in outcomes
    )


def warm_up(
    sanitizers: Sequence[Sanitizer], *, adversary: str | None, sampled: bool = False,
    attack: Callable[..., Any] = differential_inference,
) -> None:  # fmt: skip
    """Have the kernels compiled (or fetched from numba's cache) before any clock runs.

    Those of each sanitizer, and no others. Without an adversary only those that sanitize;
    ``sampled`` says whether samples were asked for, which noisy counts need kernels for.
    """
    table = _four_people()
    with slow_start():
        for easy in dict.fromkeys(map(_easier, filter(_is_built_in, sanitizers))):
            if adversary is None:
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


def _heard_by(sanitizer: Sanitizer, adversary: str) -> str:
    """The adversary, or one who can make something of counts."""
    return sanitizer.attacked_by if isinstance(sanitizer, LaplaceCounts) else adversary


def _is_built_in(sanitizer: Sanitizer) -> bool:
    """Whether it is one of ours: an oracle is not asked more often than the user wants."""
    return type(sanitizer) in SANITIZERS.values()


def _easier(sanitizer: Sanitizer) -> Sanitizer:
    """The same sanitizer with goals that four people can meet."""
    options = {f.name for f in fields(sanitizer)}  # type: ignore[arg-type]
    goals = {"k": 1, "l": 1, "t": 1.0, "crowds": None, "t_distance": None, "seed": 0}
    asked = {name for name in options & goals.keys() if getattr(sanitizer, name) is not None}
    return replace(sanitizer, **{name: goals[name] for name in asked})  # type: ignore[type-var]


def _four_people() -> Microdata:
    return read_table(
        {"x": [0, 1, 2, 3], "y": ["a", "b", "a", "b"], "s": ["u", "v", "v", "u"]},
        quasi=["x", "y"],
        sensitive="s",
    )


def write_json(
    path: Path,
    outcomes: Sequence[Outcome],
    *,
    records: bool,
    others: Sequence[Finding] = (),
    after: Sequence[Finding] = (),
    failed: Sequence[tuple[str, str]] = (),
) -> None:
    """Write what became of every sanitizer, other findings and failures before them, and others
    ``after`` them.
    """
    write_findings(
        path,
        [*others, *(one.finding for one in outcomes if one.finding is not None), *after],
        records=records,
        failed=[
            *({"release": name, "error": error} for name, error in failed),
            *(
                {"sanitizer": outcome.sanitizer, "error": outcome.error}
                for outcome in outcomes
                if outcome.error is not None
            ),
        ],
    )
