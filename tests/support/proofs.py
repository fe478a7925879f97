"""How many random cases a property is tested on: a quarter in every run, all in ``make proofs``.

``make test`` always takes the same cases, so that it fails on what was changed and on nothing else;
``make proofs`` takes others every time, so that many runs together look at many of them.
"""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def register_profiles() -> None:
    """Profiles of Hypothesis: that of ``make test``, which is loaded, and that of ``make proofs``.

    The first call of a kernel compiles it, and machines are busy: no test is about time.
    """
    settings.register_profile("proofs", deadline=None, max_examples=100)
    settings.register_profile("unveil", deadline=None, max_examples=25, derandomize=True)
    settings.load_profile("unveil")


def examples(number: int, **others: Any) -> settings:
    """Settings of a test that has so many examples in ``make proofs``, instead of 100."""
    return settings(max_examples=-(-number * settings().max_examples // 100), **others)


def repeats(number: int) -> int:
    """How often a simulation is repeated that is repeated so often in ``make proofs``: a third."""
    return number if settings().max_examples == 100 else -(-number * 34 // 100)
