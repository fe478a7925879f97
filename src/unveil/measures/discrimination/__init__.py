"""How much keys say of an attribute: the discrimination rate, and what follows from it."""

from unveil.measures.discrimination._comparison import compare_discrimination
from unveil.measures.discrimination._comparison_finding import (
    ComparedRates,
    DiscriminationComparison,
)
from unveil.measures.discrimination._finding import DiscriminationRate, ValueDiscrimination
from unveil.measures.discrimination._looking import DiscriminationLooking
from unveil.measures.discrimination._ranking import discrimination_rates
from unveil.measures.discrimination._ranking_finding import DiscriminationRates, KeySet
from unveil.measures.discrimination._rate import discrimination_rate
from unveil.measures.discrimination._skewness import skewness
from unveil.measures.discrimination._telling import ValueRate
from unveil.measures.discrimination._view_findings import (
    AttackRates,
    RateChange,
    Skewness,
    ValueChange,
)
from unveil.measures.discrimination._views import (
    background_knowledge,
    homogeneity,
    identity_disclosure,
    similarity,
)

__all__ = [
    "AttackRates",
    "ComparedRates",
    "DiscriminationComparison",
    "DiscriminationLooking",
    "DiscriminationRate",
    "DiscriminationRates",
    "KeySet",
    "RateChange",
    "Skewness",
    "ValueChange",
    "ValueDiscrimination",
    "ValueRate",
    "background_knowledge",
    "compare_discrimination",
    "discrimination_rate",
    "discrimination_rates",
    "homogeneity",
    "identity_disclosure",
    "similarity",
    "skewness",
]
