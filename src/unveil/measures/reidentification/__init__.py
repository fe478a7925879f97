"""Re-identification: who is alone, in the table and in its population."""

from unveil.measures.reidentification._population import PopulationModel, PopulationUniques
from unveil.measures.reidentification._risk import (
    RiskLooking,
    check_threshold,
    reidentification_risk,
    size_of_population,
)
from unveil.measures.reidentification._risk_finding import (
    AttackerRisk,
    PopulationEstimate,
    ReidentificationRisk,
)
from unveil.measures.reidentification._unique_subsets import (
    SubsetCount,
    UniqueSubsets,
    unique_subsets,
)
from unveil.measures.reidentification._uniqueness import Uniqueness, UniquenessLooking, uniqueness

__all__ = [
    "AttackerRisk", "PopulationEstimate", "PopulationModel", "PopulationUniques",
    "ReidentificationRisk", "RiskLooking", "SubsetCount", "UniqueSubsets", "Uniqueness",
    "UniquenessLooking", "check_threshold", "reidentification_risk", "size_of_population",
    "unique_subsets", "uniqueness",
]  # fmt: skip
