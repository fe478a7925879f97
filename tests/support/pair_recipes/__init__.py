"""Pairs of files as people make them: an original, what was published, and the truth about both.

Everybody in them is invented. A recipe makes the published file the way its tool, language or
person would, by hand; the truth beside it is written in unveil's words. Nothing here uses unveil.
`tests/pairs/make.py` writes the files.
"""

from __future__ import annotations

from pair_recipes import coding, hospitals, registers, spreadsheets, staff, surveys, tools
from pair_recipes.pair import RECIPES, Pair

__all__ = ["Pair", "all_pairs"]

_ROOMS = (coding, hospitals, registers, spreadsheets, staff, surveys, tools)


def all_pairs() -> dict[str, Pair]:
    """Every pair by name, made anew; the same on every call."""
    return {name: RECIPES[name]() for name in sorted(RECIPES)}
