"""Adversaries: from a release to beliefs about its people."""

from unveil.adversary._adversary import Adversary, CountingAdversary, UpdatingAdversary
from unveil.adversary._classifier import Classifier
from unveil.adversary._conditional_frequency import ConditionalFrequency
from unveil.adversary._encoded_naive_bayes import EncodedNaiveBayes
from unveil.adversary._naive_bayes import NaiveBayes
from unveil.adversary._named import ADVERSARIES, adversary_named
from unveil.adversary._priors import as_prior, prior_for, reweighed
from unveil.adversary._smoothed_frequency import SmoothedFrequency
from unveil.adversary.encoding import ENCODINGS, Categorical, Continuous, Encoding
from unveil.adversary.exact import NearestNeighbours

__all__ = [
    "ADVERSARIES",
    "ENCODINGS",
    "Adversary",
    "Categorical",
    "Classifier",
    "ConditionalFrequency",
    "Continuous",
    "CountingAdversary",
    "EncodedNaiveBayes",
    "Encoding",
    "NaiveBayes",
    "NearestNeighbours",
    "SmoothedFrequency",
    "UpdatingAdversary",
    "adversary_named",
    "as_prior",
    "prior_for",
    "reweighed",
]
