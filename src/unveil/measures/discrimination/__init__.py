"""How much keys say of an attribute: the discrimination rate, and what follows from it."""

from unveil.measures.discrimination._comparison import (
    ComparedRates,
    DiscriminationComparison,
    compare_discrimination,
)
from unveil.measures.discrimination._ranking import (
    DiscriminationRates,
    KeySet,
    discrimination_rates,
)
from unveil.measures.discrimination._rate import (
    DiscriminationRate,
    ValueDiscrimination,
    ValueRate,
    discrimination_rate,
)
from unveil.measures.discrimination._skewness import RateChange, Skewness, ValueChange, skewness
from unveil.measures.discrimination._views import (
    AttackRates,
    background_knowledge,
    homogeneity,
    identity_disclosure,
    similarity,
)

__all__ = [
    "AttackRates", "ComparedRates", "DiscriminationComparison", "DiscriminationRate",
    "DiscriminationRates", "KeySet", "RateChange", "Skewness", "ValueChange", "ValueDiscrimination",
    "ValueRate", "background_knowledge", "compare_discrimination", "discrimination_rate",
    "discrimination_rates", "homogeneity", "identity_disclosure", "similarity", "skewness",
]  # fmt: skip
