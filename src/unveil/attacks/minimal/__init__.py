"""Minimality: what a sanitizer's way of working tells beyond its output."""

from unveil.attacks.minimal._finding import Minimality
from unveil.attacks.minimal._minimality import minimality

__all__ = ["Minimality", "minimality"]
