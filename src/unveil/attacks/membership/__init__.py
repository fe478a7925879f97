"""Membership: can an attacker tell whose records are in the data?"""

from unveil.attacks._estimates import Estimate
from unveil.attacks.membership._finding import Membership
from unveil.attacks.membership._membership import attackers_named, membership
from unveil.attacks.membership._people import split_people
from unveil.attacks.membership._picture import roc_panels
from unveil.attacks.membership._roc import Separation

__all__ = [
    "Estimate",
    "Membership",
    "Separation",
    "attackers_named",
    "membership",
    "roc_panels",
    "split_people",
]
