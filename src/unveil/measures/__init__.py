"""Measures: what follows from counts alone, without playing an adversary.

The room can be called, too: ``unveil.measures(table, …)`` takes all measures in one pass.
"""

import sys
from types import ModuleType
from typing import Any

from unveil.measures._counted import (
    Counting,
    count,
)
from unveil.measures._deciding import (
    Deciding,
    DecidingClass,
)
from unveil.measures._figures import (
    Figure,
)
from unveil.measures._measures import (
    Measures,
    measures,
)
from unveil.measures._measures_compared import (
    MeasuresComparison,
    compare_measures,
)
from unveil.measures._partitions import (
    HierarchyLevel,
    Partition,
    parse_partition,
)
from unveil.measures.classical import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    TCloseness,
    alpha_k,
    beta_likeness,
    delta_disclosure,
    k_anonymity,
    l_diversity,
    t_closeness,
)
from unveil.measures.discrimination import (
    AttackRates,
    ComparedRates,
    DiscriminationComparison,
    DiscriminationRate,
    DiscriminationRates,
    KeySet,
    RateChange,
    Skewness,
    ValueChange,
    ValueDiscrimination,
    ValueRate,
    background_knowledge,
    compare_discrimination,
    discrimination_rate,
    discrimination_rates,
    homogeneity,
    identity_disclosure,
    similarity,
    skewness,
)
from unveil.measures.reidentification import (
    AttackerRisk,
    PopulationEstimate,
    PopulationModel,
    PopulationUniques,
    ReidentificationRisk,
    SubsetCount,
    Uniqueness,
    UniqueSubsets,
    reidentification_risk,
    unique_subsets,
    uniqueness,
)
from unveil.measures.utility import (
    AverageClassSize,
    ClassifierUtility,
    Discernibility,
    EntropyLoss,
    InformationLoss,
    Reach,
    Score,
    Suppression,
    Utility,
    average_class_size,
    classifier_utility,
    discernibility,
    entropy_loss,
    information_loss,
    reach_of,
    suppression,
    utility,
)

__all__ = [
    "AlphaK",
    "AttackRates",
    "AttackerRisk",
    "AverageClassSize",
    "BetaLikeness",
    "ClassifierUtility",
    "ComparedRates",
    "Counting",
    "Deciding",
    "DecidingClass",
    "DeltaDisclosure",
    "Discernibility",
    "DiscriminationComparison",
    "DiscriminationRate",
    "DiscriminationRates",
    "EntropyLoss",
    "Figure",
    "HierarchyLevel",
    "InformationLoss",
    "KAnonymity",
    "KeySet",
    "LDiversity",
    "Measures",
    "MeasuresComparison",
    "Partition",
    "PopulationEstimate",
    "PopulationModel",
    "PopulationUniques",
    "RateChange",
    "Reach",
    "ReidentificationRisk",
    "Score",
    "Skewness",
    "SubsetCount",
    "Suppression",
    "TCloseness",
    "UniqueSubsets",
    "Uniqueness",
    "Utility",
    "ValueChange",
    "ValueDiscrimination",
    "ValueRate",
    "alpha_k",
    "average_class_size",
    "background_knowledge",
    "beta_likeness",
    "classifier_utility",
    "compare_discrimination",
    "compare_measures",
    "count",
    "delta_disclosure",
    "discernibility",
    "discrimination_rate",
    "discrimination_rates",
    "entropy_loss",
    "homogeneity",
    "identity_disclosure",
    "information_loss",
    "k_anonymity",
    "l_diversity",
    "measures",
    "parse_partition",
    "reach_of",
    "reidentification_risk",
    "similarity",
    "skewness",
    "suppression",
    "t_closeness",
    "unique_subsets",
    "uniqueness",
    "utility",
]


class _Callable(ModuleType):
    """The room has the name of the function that all of it comes down to."""

    def __call__(self, table: Any, **options: Any) -> Measures:
        return measures(table, **options)


sys.modules[__name__].__class__ = _Callable
