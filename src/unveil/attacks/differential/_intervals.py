"""The mean distance of all people, from those who were tested.

Of N people n were drawn at random, and d is between 0 and a largest value. How large, and how
small, can the mean of all be? Scale d to 0 to 1, and let x be the mean of those drawn, μ that of
all. W. Hoeffding (*Probability Inequalities for Sums of Bounded Random Variables*, JASA 1963,
theorems 1 and 4, the latter for draws without replacement) has

    Pr[x ≤ c] ≤ exp(-n KL(c, μ)) for c ≤ μ,    KL(c, μ) = c ln(c/μ) + (1 - c) ln((1 - c)/(1 - μ)),

and the same for Pr[x ≥ c] with c ≥ μ. So μ is at most the largest number with n KL(x, μ) ≤
ln(1/α), with confidence 1 - α, whatever the distances of the others are: a few of them may be as
far as possible, and a normal interval would not know.

*Stratified draws.* Each of the n_h people drawn from a stratum of N_h counts with the weight
w = N_h / (N n_h). The numbers n w d have the mean μ on average, and are at most c = max n w. The
moment generating function of each is at most that of a number that is 0 or c, their product is
largest if all means are the same (its logarithm is concave in them), and what follows is the bound
above for x/c and μ/c. Of a stratum that nobody was drawn from, nothing is known.

*Worst first.* Those of the front are known, except for those whom the test did not reach; the bound
above holds for the mean of all others.

*Any other choice.* Nothing is random: those who were not tested may have any distance.

Targets that could not be tested were drawn like the others. They count as largest for the upper
bound, and as 0 for the lower.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr

from unveil.attacks.differential._targets import AT_RANDOM, Chosen

_STEPS = 60  # of bisection; more than the digits of a number


class Ends(NamedTuple):
    """Lower and upper ends, one of each target; NaN for those that could not be tested."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def mean_of_all(
    tested: Ends,
    population: int,
    largest: float,
    *,
    confidence: float = 0.95,
    how: Chosen = "random",
    strata: tuple[ArrayLike, ArrayLike] = ((), ()),
) -> tuple[float, float]:
    """Bounds of the mean of all records, given those that were tested.

    Parameters
    ----------
    tested : Ends
        Numbers whose mean encloses that of the targets' distances; equal where these are known.
    population : int
        Number of records.
    largest : float
        The largest distance that there can be; perhaps infinite.
    confidence : float
        Of both bounds together, as to the draw.
    how : {"worst-first", "random", "stratified", "exposed", "all", "chosen"}
        How the targets were chosen.
    strata : (array, array), optional
        For ``"stratified"`` and ``"worst-first"``: the stratum of each target, and the size of each
        stratum.

    Examples
    --------
    >>> found = np.array([0.3, 0.0, 0.0, 0.0])
    >>> mean_of_all(Ends(found, found), 4, 1.0)
    (0.075, 0.075)
    >>> low, high = mean_of_all(Ends(found, found), 400, 1.0)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0008 0.7157
    """
    low = np.where(np.isnan(tested.low), 0.0, tested.low)
    high = np.where(np.isnan(tested.high), largest, tested.high)
    others = population - len(low)
    # What was seen is certain.
    least = max(0.0, low.sum() / population)
    most = min(largest, (high.sum() + (largest * others if others else 0.0)) / population)
    if how not in AT_RANDOM or not others or not 0 < largest < math.inf:
        return float(least), float(most)
    if how == "worst-first":
        at_random, (_, rest, unreached) = np.asarray(strata[0]) == 1, np.asarray(strata[1])
        if not at_random.any():
            return float(least), float(most)
        by_chance = Ends(tested.low[at_random], tested.high[at_random])
        lower, upper = mean_of_all(by_chance, int(rest), largest, confidence=confidence)
        lower = low[~at_random].sum() + rest * lower
        upper = high[~at_random].sum() + rest * upper + unreached * largest
        return float(max(least, lower / population)), float(min(most, upper / population))
    # A simple random draw has a single stratum.
    of, sizes = strata if how == "stratified" else (np.zeros(len(low)), [population])
    of, sizes = (np.asarray(part, dtype=np.int64) for part in (of, sizes))
    drawn = np.bincount(of, minlength=len(sizes))
    reached = float(sizes[drawn > 0].sum() / population)
    weight = sizes[of] / (population * drawn[of])
    scale, enough = len(low) * weight.max() * largest, math.log(2 / (1 - confidence)) / len(low)
    upper = scale * _furthest(float(weight @ high) / scale, 1.0, enough)
    lower = scale * _furthest(float(weight @ low) / scale, 0.0, enough)
    upper = min(upper, reached * largest) + (1 - reached) * largest
    return float(max(least, lower)), float(min(most, upper))


def _furthest(x: float, end: float, enough: float) -> float:
    """The number from x towards ``end`` whose divergence from x is just ``enough``."""
    near = min(max(x, 0.0), 1.0)
    x, far = near, end
    for _ in range(_STEPS):
        middle = (near + far) / 2
        if rel_entr(x, middle) + rel_entr(1 - x, 1 - middle) <= enough:
            near = middle
        else:
            far = middle
    return far
