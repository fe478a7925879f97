"""Attacks: each plays an adversary against a release and returns a finding."""

from unveil.attacks.composition import Composition, composition
from unveil.attacks.definetti import DeFinetti, definetti
from unveil.attacks.inference import Inference, inference, side_bars
from unveil.attacks.membership import (
    Estimate,
    Membership,
    Separation,
    attackers_named,
    membership,
    roc_panels,
    split_people,
)
from unveil.attacks.minimality import Minimality, minimality
from unveil.attacks.relative_risk import RelativeRisk, Victim, relative_risk
from unveil.attacks.shared import INTERRUPTED, AdversaryError, adversaries_named, seed_number

__all__ = [
    "INTERRUPTED",
    "AdversaryError",
    "Composition",
    "DeFinetti",
    "Estimate",
    "Inference",
    "Membership",
    "Minimality",
    "RelativeRisk",
    "Separation",
    "Victim",
    "adversaries_named",
    "attackers_named",
    "composition",
    "definetti",
    "inference",
    "membership",
    "minimality",
    "relative_risk",
    "roc_panels",
    "seed_number",
    "side_bars",
    "split_people",
]
