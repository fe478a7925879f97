"""Findings for people: tables, pictures and words."""

from unveil.report._terminal import (
    Outcome,
    adversaries,
    comparison,
    how_exact,
    remarks,
    worst_records,
)
from unveil.report._terminal_picture import picture
from unveil.report._words import display_name, in_words, moved

__all__ = [
    "Outcome",
    "adversaries",
    "comparison",
    "display_name",
    "how_exact",
    "in_words",
    "moved",
    "picture",
    "remarks",
    "worst_records",
]
