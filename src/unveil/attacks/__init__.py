"""Attacks: each plays an adversary against a release and returns a finding."""

from unveil.attacks.composition import Composition, composition
from unveil.attacks.definetti import DeFinetti, definetti
from unveil.attacks.differential import (
    DISTANCES,
    MAIN_THRESHOLD,
    BoundDistance,
    DifferentialInference,
    Distance,
    EarthMovers,
    EncodingComparison,
    Sampling,
    ShareBound,
    TailProbabilities,
    check_chance,
    compare_encodings,
    differential_inference,
    distance_named,
    sampling_in_words,
    share_bound,
)
from unveil.attacks.minimality import Minimality, minimality
from unveil.attacks.relative_risk import RelativeRisk, Victim, relative_risk
from unveil.attacks.shared import INTERRUPTED, AdversaryError, adversaries_named, seed_number

__all__ = [
    "DISTANCES",
    "INTERRUPTED",
    "MAIN_THRESHOLD",
    "AdversaryError",
    "BoundDistance",
    "Composition",
    "DeFinetti",
    "DifferentialInference",
    "Distance",
    "EarthMovers",
    "EncodingComparison",
    "Minimality",
    "RelativeRisk",
    "Sampling",
    "ShareBound",
    "TailProbabilities",
    "Victim",
    "adversaries_named",
    "check_chance",
    "compare_encodings",
    "composition",
    "definetti",
    "differential_inference",
    "distance_named",
    "minimality",
    "relative_risk",
    "sampling_in_words",
    "seed_number",
    "share_bound",
]
