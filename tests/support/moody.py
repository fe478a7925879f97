"""An adversary who draws lots."""

from __future__ import annotations

import numpy as np

from unveil.adversary import Adversary, ConditionalFrequency

__all__ = ["Moody"]


class Moody(Adversary):
    """Believes what he counts, or, every other day, nothing."""

    def __init__(self, seed=0):
        self.seed = seed

    def with_seed(self, seed):
        return type(self)(seed)

    def predict(self, release, codes):
        if self.seed % 2:
            return np.full((codes.shape[1], release.sensitive.size), 1 / release.sensitive.size)
        return ConditionalFrequency().predict(release, codes)
