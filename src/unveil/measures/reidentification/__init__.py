"""Re-identification: who is alone, in the table and in the population it is from."""

from unveil.measures.reidentification._finding import (
    AttackerRisk,
    PopulationEstimate,
    ReidentificationRisk,
)
from unveil.measures.reidentification._pairs import PairedSizes
from unveil.measures.reidentification._population_model import PopulationModel
from unveil.measures.reidentification._population_uniques import PopulationUniques
from unveil.measures.reidentification._reidentification_risk import reidentification_risk
from unveil.measures.reidentification._risk import RiskLooking, risk_in_population
from unveil.measures.reidentification._subset_counts import SubsetCount
from unveil.measures.reidentification._subsets import UniqueSubsets, unique_subsets
from unveil.measures.reidentification._uniqueness import (
    Uniqueness,
    UniquenessLooking,
    uniqueness,
)

__all__ = [
    "AttackerRisk",
    "PairedSizes",
    "PopulationEstimate",
    "PopulationModel",
    "PopulationUniques",
    "ReidentificationRisk",
    "RiskLooking",
    "SubsetCount",
    "UniqueSubsets",
    "Uniqueness",
    "UniquenessLooking",
    "reidentification_risk",
    "risk_in_population",
    "unique_subsets",
    "uniqueness",
]
