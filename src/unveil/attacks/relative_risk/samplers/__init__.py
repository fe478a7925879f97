"""Samplers of what is behind a release, one a file: a state, an info, an ``init``, a ``kernel``.

All are pure: a kernel takes a problem and a state and returns another state and what it saw on the
way, and the random numbers to come are part of the state.
"""

from unveil.attacks.relative_risk.samplers._choice import (
    ALGORITHMS,
    Algorithm,
    Sampler,
    sampler_for,
)
from unveil.attacks.relative_risk.samplers._info import Info

__all__ = ["ALGORITHMS", "Algorithm", "Info", "Sampler", "sampler_for"]
