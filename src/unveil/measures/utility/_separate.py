"""Counts in which every record belongs to one class only."""

from __future__ import annotations

from unveil.engine.counting import Contingency
from unveil.errors import InputError

__all__ = ["separate"]


def separate(counts: Contingency, measure: str) -> Contingency:
    """The counts, if no record was counted in several classes."""
    if counts.overlapping:
        raise InputError(
            f"{measure} needs classes that share no record, and in {counts.source} cells that "
            "match everything are in many; leave wildcard out"
        )
    return counts
