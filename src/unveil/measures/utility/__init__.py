"""Utility: what a release is still good for."""

from unveil.measures.utility._class_size import (
    AverageClassSize,
    ClassSizeLooking,
    average_class_size,
)
from unveil.measures.utility._classifier_utility import ClassifierUtility, classifier_utility
from unveil.measures.utility._discernibility import (
    Discernibility,
    DiscernibilityLooking,
    discernibility,
    discernibility_looking,
)
from unveil.measures.utility._entropy_loss import EntropyLoss, entropy_loss
from unveil.measures.utility._information_loss import InformationLoss, information_loss
from unveil.measures.utility._reach import Reach, reach_of
from unveil.measures.utility._score import Score
from unveil.measures.utility._suppression import Suppression, suppression
from unveil.measures.utility._utility import utility
from unveil.measures.utility._utility_finding import Utility

__all__ = [
    "AverageClassSize",
    "ClassSizeLooking",
    "ClassifierUtility",
    "Discernibility",
    "DiscernibilityLooking",
    "EntropyLoss",
    "InformationLoss",
    "Reach",
    "Score",
    "Suppression",
    "Utility",
    "average_class_size",
    "classifier_utility",
    "discernibility",
    "discernibility_looking",
    "entropy_loss",
    "information_loss",
    "reach_of",
    "suppression",
    "utility",
]
