"""The parts of an audit: an attack or a measure each."""

from __future__ import annotations

from typing import Any

from unveil.auditing.parts._declared import DeclaredPart
from unveil.auditing.parts._definetti import DeFinettiPart
from unveil.auditing.parts._differential import DifferentialPart
from unveil.auditing.parts._inference import InferencePart
from unveil.auditing.parts._membership import MembershipPart
from unveil.auditing.parts._minimality import MinimalityPart
from unveil.auditing.parts._part import Asked, Part
from unveil.auditing.parts._risk import RiskPart
from unveil.registry import declared

__all__ = ["DEFAULT", "PARTS", "Asked", "Part"]

PARTS: dict[str, Part[Any]] = {
    part.name: part
    for part in (
        DifferentialPart(),
        InferencePart(),
        RiskPart(),
        DeFinettiPart(),
        MinimalityPart(),
        DeclaredPart(declared("linkage")),
        MembershipPart(),
        DeclaredPart(declared("measures")),
        DeclaredPart(declared("discrimination-rate")),
        DeclaredPart(declared("utility")),
    )
}
"""All of them by name, in the order in which they are told."""

DEFAULT = (
    "differential-inference",
    "inference",
    "relative-risk",
    "linkage",
    "measures",
    "discrimination-rate",
    "utility",
)
"""Those that an audit has unless the user names others: quick, and nothing to configure."""
