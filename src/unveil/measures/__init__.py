"""Measures: what follows from counts alone, without playing an adversary."""

from unveil.measures._information_loss import InformationLoss, information_loss

__all__ = ["InformationLoss", "information_loss"]
