"""Attacks: each plays an adversary against a release and returns a finding."""

from unveil.attacks._beliefs import INTERRUPTED
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks._differential_inference import differential_inference
from unveil.attacks._distances import DISTANCES, Distance, distance_named

__all__ = [
    "DISTANCES",
    "INTERRUPTED",
    "DifferentialInference",
    "Distance",
    "differential_inference",
    "distance_named",
]
