"""The tables of which reports are attacked, and when the attacks have found nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from proofs import repeats
from random_tables import random_microdata
from report_attack import Attacker, Score

import unveil as uv

ALL_CASES = repeats(100) == 100
"""Whether this is ``make proofs``."""

K = 5
PUBLISHED = uv.Mondrian(k=K)
CHANCE = 0.001
"""Nothing is found out if so many right guesses are not less likely than this by chance."""


def _survey(step: int, start: int) -> uv.Microdata:
    whole = uv.datasets.election_survey()
    return whole.take(np.arange(start, len(whole), step))


KINDS = ("numeric", "flat", "tree")
TABLES: dict[str, Callable[[], uv.Microdata]] = {
    "census of 60": lambda: uv.datasets.census(60, seed=1),
    "random of 60": lambda: random_microdata(3, 60, KINDS),
    "survey of 79": lambda: _survey(12, 0),
    "random of 30": lambda: random_microdata(4, 30, KINDS),
    "random of 45, fine": lambda: random_microdata(5, 45, ("fine", "flat")),
    "census of 100": lambda: uv.datasets.census(100, seed=2),
    "random of 80, two values": lambda: random_microdata(6, 80, KINDS, sensitive_values=2),
    "survey of 63": lambda: _survey(15, 7),
    "random of 120": lambda: random_microdata(7, 120, ("numeric", "ordinal", "tree")),
    "census of 150": lambda: uv.datasets.census(150, seed=3),
    "random of 24": lambda: random_microdata(8, 24, ("numeric", "numeric")),
    "survey of 118": lambda: _survey(8, 3),
}


@functools.cache
def attacker_of(name: str) -> Attacker:
    table = TABLES[name]()
    return Attacker(table=table, class_of=classes_of(table, PUBLISHED))


def classes_of(table: uv.Microdata, how: Any) -> Any:
    return np.asarray(how.sanitize(table).class_of, dtype=np.int64)


def total(scores: list[Score]) -> Score:
    whole, *others = scores
    for one in others:
        whole = whole + one
    return whole
