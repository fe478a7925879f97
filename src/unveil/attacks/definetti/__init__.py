"""The deFinetti attack and foreground knowledge: what groups tell about each other."""

from unveil.attacks.definetti._definetti import TOLERANCE, Asked, definetti
from unveil.attacks.definetti._finding import DeFinetti

__all__ = ["TOLERANCE", "Asked", "DeFinetti", "definetti"]
