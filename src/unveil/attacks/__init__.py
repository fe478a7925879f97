"""Attacks: each plays an adversary against a release and returns a finding."""

from unveil.attacks._beliefs import INTERRUPTED, AdversaryError
from unveil.attacks._bounds import ShareBound, share_bound
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks._differential_inference import adversaries_named, differential_inference
from unveil.attacks._differential_texts import MAIN_THRESHOLD
from unveil.attacks._distances import (
    DISTANCES,
    BoundDistance,
    Distance,
    EarthMovers,
    distance_named,
)
from unveil.attacks._encoding_comparison import compare_encodings
from unveil.attacks._encoding_finding import EncodingComparison
from unveil.attacks._inference import Inference, inference
from unveil.attacks._pictures import new_axes

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
    "Inference",
    "ShareBound",
    "adversaries_named",
    "compare_encodings",
    "differential_inference",
    "distance_named",
    "inference",
    "new_axes",
    "share_bound",
]
