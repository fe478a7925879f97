"""Empirical inference: how well does an adversary guess, and is that a breach?"""

from unveil.attacks.inference._finding import Inference
from unveil.attacks.inference._guesses import Guesses, TwoSides
from unveil.attacks.inference._inference import inference
from unveil.attacks.inference._picture import side_bars
from unveil.attacks.inference._texts import REMEDY, points

__all__ = ["REMEDY", "Guesses", "Inference", "TwoSides", "inference", "points", "side_bars"]
