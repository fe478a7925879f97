"""The classical measures: k-anonymity, ℓ-diversity, t-closeness and their relatives."""

from unveil.measures.classical._all import classical
from unveil.measures.classical._alpha_k import AlphaK, AlphaKLooking, alpha_k
from unveil.measures.classical._beta_likeness import (
    BetaLikeness,
    BetaLikenessLooking,
    beta_likeness,
)
from unveil.measures.classical._delta_disclosure import (
    DeltaDisclosure,
    DeltaDisclosureLooking,
    delta_disclosure,
)
from unveil.measures.classical._k_anonymity import KAnonymity, KAnonymityLooking, k_anonymity
from unveil.measures.classical._l_diversity import LDiversity, LDiversityLooking, l_diversity
from unveil.measures.classical._t_closeness import TCloseness, TClosenessLooking, t_closeness

__all__ = [
    "AlphaK",
    "AlphaKLooking",
    "BetaLikeness",
    "BetaLikenessLooking",
    "DeltaDisclosure",
    "DeltaDisclosureLooking",
    "KAnonymity",
    "KAnonymityLooking",
    "LDiversity",
    "LDiversityLooking",
    "TCloseness",
    "TClosenessLooking",
    "alpha_k",
    "beta_likeness",
    "classical",
    "delta_disclosure",
    "k_anonymity",
    "l_diversity",
    "t_closeness",
]
