"""Linkage: people with names against a release."""

from unveil.attacks.linking._external import External
from unveil.attacks.linking._finding import Linkage
from unveil.attacks.linking._linkage import linkage
from unveil.attacks.linking._links import Links, Right
from unveil.attacks.linking._picture import release_curves

__all__ = ["External", "Linkage", "Links", "Right", "linkage", "release_curves"]
