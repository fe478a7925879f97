"""Attacks: each plays an adversary against a release and returns a finding."""

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
    "DISTANCES",
    "INTERRUPTED",
    "MAIN_THRESHOLD",
    "AdversaryError",
    "BoundDistance",
    "DeFinetti",
    "DifferentialInference",
    "Distance",
    "EarthMovers",
    "EncodingComparison",
    "Estimate",
    "Inference",
    "Membership",
    "Minimality",
    "RelativeRisk",
    "Sampling",
    "Separation",
    "ShareBound",
    "TailProbabilities",
    "Victim",
    "adversaries_named",
    "attackers_named",
    "check_chance",
    "compare_encodings",
    "definetti",
    "differential_inference",
    "distance_named",
    "inference",
    "membership",
    "minimality",
    "relative_risk",
    "roc_panels",
    "sampling_in_words",
    "seed_number",
    "share_bound",
    "side_bars",
    "split_people",
]
