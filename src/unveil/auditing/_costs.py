"""What the steps of an audit take on a usual machine, so that the time left can be told.

Measured once, on the Adult records with five quasi-identifiers, and good to a factor of a few: what
has been done tells the rest (see `unveil.engine.Forecast`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unveil.auditing._subjects import Subject
from unveil.auditing.parts import PARTS, Asked, Part
from unveil.engine import Step, parse_duration
from unveil.sanitize import Sanitizer

__all__ = ["MAKING", "step_of_release", "steps_of"]

MAKING = "making the release"

_ALWAYS = 0.01  # seconds of the smallest table
_MICROSECONDS = {  # a record
    MAKING: 2.0,
    "differential-inference": 16.0,
    "inference": 10.0,
    "relative-risk": 5.0,
    "definetti": 60.0,
    "minimality": 60.0,
    "linkage": 2.5,
    "membership": 60.0,
    "measures": 1.5,
    "discrimination-rate": 2.0,
    "utility": 1.5,
}
_ONCE = {MAKING: 0.05, "differential-inference": 0.1, "relative-risk": 0.5, "linkage": 0.05}
_COMPILING = {  # seconds, of a family of releases or of the first one of any
    (MAKING, "Mondrian"): 16.0,
    (MAKING, "Anatomy"): 1.5,
    (MAKING, "Recoding"): 2.0,
    ("differential-inference", "Mondrian"): 7.0,
    ("relative-risk", "Identity"): 5.0,
    ("relative-risk", "Anatomy"): 4.0,
    ("relative-risk", "Recoding"): 2.5,
    ("linkage", "Identity"): 5.0,
}


def steps_of(subjects: Sequence[Subject], parts: Sequence[Part[Any]], asked: Asked) -> list[Step]:
    """In the order in which they are done: each release, and the parts that look at it."""
    names = [MAKING, *(part.name for part in parts)]
    return [
        replace(
            step_of_release(subject, name, asked.options.get(name, {})),
            once=_ONCE.get(name, 0.0) if number == 0 else 0.0,
        )
        for number, subject in enumerate(subjects)
        for name in names
    ]


def step_of_release(subject: Subject, name: str, options: Mapping[str, Any]) -> Step:
    """What a part takes, or making the release, where the user gave the part these options."""
    family = "published" if subject.sanitizer is None else type(subject.sanitizer).__name__
    each = _MICROSECONDS.get(name, 10.0) * _fineness(subject.sanitizer)
    seconds = _ALWAYS + 1e-6 * each * len(subject.microdata)
    at_most = None
    budget = PARTS[name].budget if name in PARTS else None
    if budget is not None and _takes_its_budget(name, subject.sanitizer):
        option, usual = budget
        given = options.get(option, usual)
        if given is not None:
            seconds = at_most = parse_duration(given)
    return Step(
        kind=(name, family), seconds=seconds, at_most=at_most,
        compiling=_COMPILING.get((name, family), 0.0),
    )  # fmt: skip


def _takes_its_budget(name: str, sanitizer: Sanitizer | None) -> bool:
    """Whether a part is of the slow kind: the sanitizer is run again and again, or is sampled."""
    if sanitizer is None:
        return False
    quick = sanitizer.leaves_one_out or sanitizer.row_by_row
    return sanitizer.is_random or (name == "differential-inference" and not quick)


def _fineness(sanitizer: Sanitizer | None) -> float:
    """Large classes are few, and looked at sooner: as was seen with a series of k."""
    k = getattr(sanitizer, "k", None) or 1
    return max(0.1, 1 - math.log2(k) / 8)
