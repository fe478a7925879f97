"""Measures: what follows from counts alone, without an attacker who guesses.

The room can be called, too: ``unveil.measures(table, …)`` takes all measures in one pass. Names are
imported when first used.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.measures._classes import Deciding, DecidingClass
    from unveil.measures._classifier_utility import ClassifierUtility, Score, classifier_utility
    from unveil.measures._counted import Counting, count, secret_of
    from unveil.measures._declared import (
        ALPHA,
        BETA,
        DISCRIMINATION,
        L_ENTROPY,
        LOSS,
        MEAN_CLASS,
        PROSECUTOR,
        PROSECUTOR_MEAN,
        SUPPRESSED,
        UNIQUE,
        K,
        L,
        T,
    )
    from unveil.measures._discernibility import (
        Discernibility,
        Suppression,
        discernibility,
        suppression,
    )
    from unveil.measures._diversity import AlphaK, LDiversity, alpha_k, l_diversity
    from unveil.measures._likeness import (
        BetaLikeness,
        DeltaDisclosure,
        beta_likeness,
        delta_disclosure,
    )
    from unveil.measures._losses import (
        EntropyLoss,
        InformationLoss,
        entropy_loss,
        information_loss,
    )
    from unveil.measures._measures import Measures, MeasuresComparison, compare_measures, measures
    from unveil.measures._partitions import HierarchyLevel, Partition, parse_partition
    from unveil.measures._persons import Among, PersonMeasures, person_measures
    from unveil.measures._released import Reach, reach_of
    from unveil.measures._sizes import (
        AverageClassSize,
        KAnonymity,
        Uniqueness,
        average_class_size,
        k_anonymity,
        uniqueness,
    )
    from unveil.measures._t_closeness import TCloseness, t_closeness
    from unveil.measures._table import Measured
    from unveil.measures._unicity import Unicity
    from unveil.measures._utility import Utility, utility
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
    from unveil.measures.discrimination._views import (
        AttackRates,
        RateChange,
        Skewness,
        ValueChange,
        background_knowledge,
        homogeneity,
        identity_disclosure,
        similarity,
        skewness,
    )
    from unveil.measures.published._identifiers import Identifiers, identifiers, published_besides
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
    from unveil.measures.trials._classes import Numbers
    from unveil.measures.trials._finding import Remedies
    from unveil.measures.trials._groups import Group
    from unveil.measures.trials._remedies import remedies
    from unveil.measures.trials._trials import Trial


__all__, __getattr__ = lazily(__name__)


class _Callable(ModuleType):
    """The room has the name of the function that all of it comes down to."""

    def __call__(self, table: Any, **options: Any) -> "Measures | PersonMeasures":
        from unveil.measures._measures import measures

        return measures(table, **options)


sys.modules[__name__].__class__ = _Callable
