"""Composition: several releases about the same people, put together."""

from unveil.attacks.composing._composition import composition
from unveil.attacks.composing._finding import Composition

__all__ = ["Composition", "composition"]
