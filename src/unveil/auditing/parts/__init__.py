"""The parts of an audit: an attack or a measure each."""

from __future__ import annotations

from typing import Any

from unveil.auditing.parts._declared import DeclaredPart
from unveil.auditing.parts._part import Asked, Part
from unveil.registry import audited, declared

__all__ = ["DEFAULT", "PARTS", "Asked", "Part"]

PARTS: dict[str, Part[Any]] = {
    part.name: part
    for part in (
        DeclaredPart(declared("differential-inference")),
        DeclaredPart(declared("inference")),
        DeclaredPart(declared("relative-risk")),
        DeclaredPart(declared("definetti")),
        DeclaredPart(declared("minimality")),
        DeclaredPart(declared("linkage")),
        DeclaredPart(declared("membership")),
        DeclaredPart(declared("measures")),
        DeclaredPart(declared("discrimination-rate")),
        DeclaredPart(declared("utility")),
    )
}
"""All of them by name, in the order in which they are told."""

_ADDED = [one for one in audited().values() if one.plugin is not None]
PARTS |= {one.name: DeclaredPart(one) for one in _ADDED}

DEFAULT = (
    "differential-inference",
    "inference",
    "relative-risk",
    "linkage",
    "measures",
    "discrimination-rate",
    "utility",
    *(one.name for one in _ADDED if one.default),
)
"""Those that an audit has unless the user names others: quick, and nothing to configure."""
