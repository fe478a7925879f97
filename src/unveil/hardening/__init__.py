"""Hardening: what to change until an anonymization passes the test."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.hardening._finding import Hardening, round_line
    from unveil.hardening._harden import harden
    from unveil.hardening._merged import Merged
    from unveil.hardening._strategies import STRATEGIES, Attempt, Course, Round, strategies_named

__all__, __getattr__ = lazily(__name__)
