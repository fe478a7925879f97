"""Re-identification: who is alone, in the table and in its population."""

from unveil.measures.reidentification._population import PopulationModel, PopulationUniques
from unveil.measures.reidentification._risk import reidentification_risk
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
from unveil.measures.reidentification._uniqueness import Uniqueness, uniqueness

__all__ = [
    "AttackerRisk", "PopulationEstimate", "PopulationModel", "PopulationUniques",
    "ReidentificationRisk", "SubsetCount", "UniqueSubsets", "Uniqueness", "reidentification_risk",
    "unique_subsets", "uniqueness",
]  # fmt: skip
