"""Attacks: each plays an adversary against a release and returns a finding."""

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
from unveil.attacks.shared import INTERRUPTED, AdversaryError, adversaries_named, seed_number

__all__ = [
    "DISTANCES",
    "INTERRUPTED",
    "MAIN_THRESHOLD",
    "AdversaryError",
    "BoundDistance",
    "DifferentialInference",
    "Distance",
    "EarthMovers",
    "EncodingComparison",
    "Sampling",
    "ShareBound",
    "TailProbabilities",
    "adversaries_named",
    "check_chance",
    "compare_encodings",
    "differential_inference",
    "distance_named",
    "sampling_in_words",
    "seed_number",
    "share_bound",
]
