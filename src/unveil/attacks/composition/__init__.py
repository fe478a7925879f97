"""Composition: several releases about the same people, put together."""

from unveil.attacks.composition._composition import composition
from unveil.attacks.composition._finding import Composition

__all__ = ["Composition", "composition"]
