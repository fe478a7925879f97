"""Minimality: what a sanitizer's way of working tells beyond its output."""

from unveil.attacks.minimality._finding import Minimality
from unveil.attacks.minimality._minimality import minimality

__all__ = ["Minimality", "minimality"]
