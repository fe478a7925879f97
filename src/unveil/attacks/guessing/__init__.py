"""Empirical inference: how well does an adversary guess, and is that a breach?"""

from unveil.attacks.guessing._finding import Inference
from unveil.attacks.guessing._inference import inference
from unveil.attacks.guessing._picture import side_bars
from unveil.attacks.guessing._sides import Guesses, TwoSides
from unveil.attacks.guessing._texts import points

__all__ = ["Guesses", "Inference", "TwoSides", "inference", "points", "side_bars"]
