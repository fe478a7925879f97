"""Inputs that are nearly right: made with a seed, run within limits, and judged.

A `Case` is one input: what reads it, its files, and the other arguments. Generators know the
structure (`tables`, `documents`, `commands`); `running` says what a fault is.
"""

from fuzzing.cases import Case, made
from fuzzing.running import Fault, judged

__all__ = ["Case", "Fault", "judged", "made"]
