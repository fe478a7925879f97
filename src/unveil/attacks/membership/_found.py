"""The share of members found at a low rate of false alarms, and its interval.

It says more about an attack than the area under the curve does (N. Carlini et al., 2022). Two
things are uncertain. Where the limit is that only this share of *all* people who are no members
exceed, is known from those held out only; and of all members only some are there.

Of n people held out a binomial number r exceed the true limit, so it lies between the r-th and
the next of their scores; and given a limit, the share of members above it has the interval of
C. J. Clopper and E. S. Pearson (1934). Both are put together by averaging over r. A bootstrap
would not do: few people held out are above the limit, and drawing from them again does not tell
that there might as well have been none.

People who were asked about together may all exceed the limit or all not. Nothing is assumed about
that, so a group counts as a single person: it is the number of groups above that is binomial.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.membership._estimates import TAIL, Estimate, group_sizes

__all__ = ["enough_for_a_low_end", "found_at"]

_ROUNDING = 1e-9  # 0.001 · 3000 people are three of them, whatever floating point says
_NEGLIGIBLE = 1e-13  # a chance that changes nothing


def found_at(
    rate: float,
    members: NDArray[np.float64],
    held_out: NDArray[np.float64],
    together: NDArray[np.intp] | None,
) -> Estimate | None:
    """The share of members found at a rate of false alarms; None: too few to show such a rate.

    Examples
    --------
    >>> print(found_at(0.01, np.arange(50.0, 150), np.arange(100.0), None))
    0.510 (0.000 to 0.613)
    """
    m, n = len(members), len(held_out)
    if n * rate < 1 - _ROUNDING:
        return None
    limits, ascending = np.sort(held_out)[::-1], np.sort(members)
    above = m - np.searchsorted(ascending, limits, side="right")
    # The highest score that would be one false alarm too many: members must be above it.
    value = float(above[math.floor(rate * n + _ROUNDING)] / m)
    chances = _false_alarms(rate, group_sizes(n, together))
    # With r above the true limit, it is below the r-th score and not below the next.
    surely = np.concatenate([[0], above])[: len(chances)]
    perhaps = np.concatenate([above, [m]])[: len(chances)]
    low, high = _low_end(surely, m, chances), 1 - _low_end(m - perhaps, m, chances)
    return Estimate(value, min(low, value), max(high, value))


def enough_for_a_low_end(rate: float) -> int:
    """How many people must be held out for the interval to be able to begin above 0.

    With fewer it is too likely that none of them is above the true limit, which then may be
    above all scores.

    >>> enough_for_a_low_end(0.01), enough_for_a_low_end(0.001)
    (368, 3688)
    """
    return math.ceil(math.log(TAIL) / math.log1p(-rate))


def _false_alarms(rate: float, sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """The chances of 0, 1, 2, … people above a limit that each group exceeds at a rate.

    They are had from their Fourier transform, which is a product over the groups.

    >>> _false_alarms(0.1, np.array([2, 1, 2])).round(3).tolist()
    [0.729, 0.081, 0.162, 0.018, 0.009, 0.001]
    """
    from scipy.stats import binom

    groups = int(binom.isf(_NEGLIGIBLE, len(sizes), rate))
    numbers = 1 + min(int(sizes.sum()), int(sizes.max()) * groups)
    turn = -2j * np.pi * np.arange(numbers // 2 + 1) / numbers
    transformed = np.ones(len(turn), dtype=np.complex128)
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        transformed *= (1 - rate + rate * np.exp(turn * size)) ** count
    return np.fft.irfft(transformed, numbers).clip(0)


def _low_end(found: NDArray[np.intp], people: int, chances: NDArray[np.float64]) -> float:
    """The share that is too large with a small chance only, if found of people were counted."""
    from scipy.optimize import brentq
    from scipy.special import betainc

    counts, where = np.unique(found, return_inverse=True)
    weights = np.bincount(where.ravel(), weights=chances)
    nothing = float(weights[counts == 0].sum())
    if nothing >= TAIL:
        return 0.0
    counts, weights = counts[counts > 0], weights[counts > 0]

    def too_large(share: float) -> float:
        below = betainc(counts, people - counts + 1, share)
        return nothing + float(weights @ below) - TAIL

    return float(brentq(too_large, 0, 1))
