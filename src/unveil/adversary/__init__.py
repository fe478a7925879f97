"""Adversaries: from a release to beliefs about its people."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.adversary._adversary import (
        Adversary,
        ConditionalFrequency,
        CountingAdversary,
        EncodedNaiveBayes,
        NaiveBayes,
        SmoothedFrequency,
        UpdatingAdversary,
    )
    from unveil.adversary._classifier import Classifier
    from unveil.adversary._encoding import ENCODINGS, Categorical, Continuous, Encoding
    from unveil.adversary._named import ADVERSARIES, adversary_named, adversary_names
    from unveil.adversary._priors import as_prior, prior_for, reweighed
    from unveil.adversary.exact import NearestNeighbours

__all__, __getattr__ = lazily(__name__)
