"""Differential inference: what a person's own record gives away.

A. Kassem, G. Ács, C. Castelluccia (2018) and, with C. Palamidessi, 2019; and their comparison of
encodings.
"""

from unveil.attacks.differential._attack import check_chance, differential_inference
from unveil.attacks.differential._bounds import ShareBound, share_bound
from unveil.attacks.differential._distances import DISTANCES, distance_named
from unveil.attacks.differential._earth_movers import EarthMovers
from unveil.attacks.differential._encodings import EncodingComparison, compare_encodings
from unveil.attacks.differential._finding import (
    MAIN_THRESHOLD,
    DifferentialInference,
    sampling_in_words,
)
from unveil.attacks.differential._formulas import BoundDistance, Distance
from unveil.attacks.differential._sampling import Sampling, TailProbabilities
from unveil.attacks.differential._targets import chosen_targets

__all__ = [
    "DISTANCES",
    "MAIN_THRESHOLD",
    "BoundDistance",
    "DifferentialInference",
    "Distance",
    "EarthMovers",
    "EncodingComparison",
    "Sampling",
    "ShareBound",
    "TailProbabilities",
    "check_chance",
    "chosen_targets",
    "compare_encodings",
    "differential_inference",
    "distance_named",
    "sampling_in_words",
    "share_bound",
]
