"""What several chains find, and how far off that may be: they know nothing of each other."""

from __future__ import annotations

import numpy as np

CHAINS = 24
ERRORS = 8.0  # of 23 degrees of freedom: once in twenty million


def chain_means(problem, sampler, *, kept, thin=1, first=100, conditional="none", seed=0):
    """The answers of chains, one after the other."""
    found = []
    for one in np.random.SeedSequence(seed).spawn(CHAINS):
        state, _ = sampler.kernel(problem, sampler.init(problem, one), kept=1, thin=first)
        _, info = sampler.kernel(problem, state, kept=kept, thin=thin, conditional=conditional)
        found.append(info.answer)
    return found


def assert_chains_find(expected, answers, names=("rows", "density", "conditional")):
    """Their mean is the exact answer but for its standard error, and that is small."""
    for name in names:
        means = np.stack([getattr(answer, name) for answer in answers])
        error = means.std(axis=0, ddof=1) / np.sqrt(len(means))
        off = np.abs(means.mean(axis=0) - getattr(expected, name))
        assert (off <= ERRORS * error + 1e-9).all(), (name, (off / (error + 1e-9)).max())
        assert error.mean() < 0.01, (name, error.mean())
