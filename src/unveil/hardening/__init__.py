"""Hardening: what to change until an anonymization passes the test."""

from unveil.hardening._finding import Hardening, round_line
from unveil.hardening._harden import harden
from unveil.hardening._merged import Merged
from unveil.hardening._strategies import STRATEGIES, Attempt, Course, Round, strategies_named

__all__ = [
    "STRATEGIES",
    "Attempt",
    "Course",
    "Hardening",
    "Merged",
    "Round",
    "harden",
    "round_line",
    "strategies_named",
]
