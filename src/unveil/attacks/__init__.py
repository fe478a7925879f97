"""Attacks: each plays an adversary against a release and returns a finding."""

from unveil.attacks._beliefs import INTERRUPTED, AdversaryError
from unveil.attacks._bounds import ShareBound, share_bound
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks._differential_inference import (
    adversaries_named,
    check_chance,
    differential_inference,
)
from unveil.attacks._differential_texts import MAIN_THRESHOLD, sampling_in_words
from unveil.attacks._distances import (
    DISTANCES,
    BoundDistance,
    Distance,
    EarthMovers,
    distance_named,
)
from unveil.attacks._encoding_comparison import compare_encodings
from unveil.attacks._encoding_finding import EncodingComparison
from unveil.attacks.chance import Sampling, TailProbabilities
from unveil.attacks.composing import Composition, composition
from unveil.attacks.guessing import Inference, inference, side_bars
from unveil.attacks.members import (
    Estimate,
    Membership,
    Separation,
    attackers_named,
    membership,
    roc_panels,
    split_people,
)
from unveil.attacks.minimal import Minimality, minimality
from unveil.attacks.reweighing import DeFinetti, definetti
from unveil.attacks.risk import RelativeRisk, Victim, relative_risk

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
    "composition",
    "definetti",
    "differential_inference",
    "distance_named",
    "inference",
    "membership",
    "minimality",
    "relative_risk",
    "roc_panels",
    "sampling_in_words",
    "share_bound",
    "side_bars",
    "split_people",
]
