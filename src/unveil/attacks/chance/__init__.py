"""When the sanitizer or the adversary draws lots: distances between distributions of beliefs."""

from unveil.attacks.chance._drawn import Drawn, Request
from unveil.attacks.chance._general import SampledQuestion, sampled_beliefs
from unveil.attacks.chance._laplace import direct_beliefs, sampled_counts
from unveil.attacks.chance._picture import tails_picture
from unveil.attacks.chance._sampling import (
    EPSILONS,
    Sampling,
    TailProbabilities,
    certain_tail,
    checked_epsilons,
    curve,
    most_often,
    within,
)

__all__ = [
    "EPSILONS",
    "Drawn",
    "Request",
    "SampledQuestion",
    "Sampling",
    "TailProbabilities",
    "certain_tail",
    "checked_epsilons",
    "curve",
    "direct_beliefs",
    "most_often",
    "sampled_beliefs",
    "sampled_counts",
    "tails_picture",
    "within",
]
