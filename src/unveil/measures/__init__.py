"""Measures: what follows from counts alone, without playing an adversary."""

from unveil.measures._information_loss import InformationLoss, information_loss
from unveil.measures._reach import Reach, reach_of

__all__ = ["InformationLoss", "Reach", "information_loss", "reach_of"]
