"""Empirical inference: how well does an adversary guess, and is that a breach?"""

from unveil.attacks.guessing._inference import Inference, inference

__all__ = ["Inference", "inference"]
