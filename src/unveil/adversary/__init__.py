"""Adversaries: from a release to beliefs about its people."""

from unveil.adversary._adversary import Adversary, CountingAdversary, UpdatingAdversary
from unveil.adversary._conditional_frequency import ConditionalFrequency
from unveil.adversary._naive_bayes import NaiveBayes
from unveil.adversary._named import ADVERSARIES, adversary_named

__all__ = [
    "ADVERSARIES",
    "Adversary",
    "ConditionalFrequency",
    "CountingAdversary",
    "NaiveBayes",
    "UpdatingAdversary",
    "adversary_named",
]
