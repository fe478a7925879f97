"""Membership: can an attacker tell whose records are in the data?"""

from unveil.attacks.members._estimates import Estimate
from unveil.attacks.members._finding import Membership
from unveil.attacks.members._membership import attackers_named, membership
from unveil.attacks.members._people import split_people
from unveil.attacks.members._picture import roc_panels
from unveil.attacks.members._roc import Separation

__all__ = [
    "Estimate",
    "Membership",
    "Separation",
    "attackers_named",
    "membership",
    "roc_panels",
    "split_people",
]
