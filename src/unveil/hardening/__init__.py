"""Hardening: what to change until an anonymization passes the test."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.hardening._finding import Attempt, Course, Hardening, Round, round_line
    from unveil.hardening._harden import harden
    from unveil.hardening._merged import Merged

__all__, __getattr__ = lazily(__name__)
