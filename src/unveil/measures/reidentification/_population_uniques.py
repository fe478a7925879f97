"""How many people of a population are alone with their keys, estimated from a sample.

Three estimators, and the rule of F. K. Dankar, K. El Emam, A. Neisa, T. Roffey, *Estimating the
re-identification risk of clinical data sets*, BMC Medical Informatics and Decision Making 12:66
(2012), which of them to trust. With s_j classes of j records in a sample of n of N people,
π = n / N:

*Zayatz* (1991) takes the class sizes of the sample for those of the population, and asks by Bayes'
rule how likely somebody alone in the sample is alone in the population. Since small classes are
more frequent in a sample, it says too much, the more so the smaller the sample.

*Pitman* (Hoshino 2001): see `_pitman`.

*SNB*, the slide negative binomial model (G. Chen, S. Keller-McNulty, *Estimation of identification
disclosure risk in microdata*, Journal of Official Statistics 14, 1998): the sizes of the K classes
of the population are 1 + NB(a, b), so K·b^a people are alone. K is Shlosser's estimate in the form
of P. J. Haas and L. Stokes (1998); a and b are those that expect the s₁ and s₂ that were found.

The rule: Pitman, if π ≤ 0.1; else the smaller of SNB and Zayatz.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.measures.reidentification._class_sizes import ClassSizes
from unveil.measures.reidentification._pitman import expected_alone, fit_pitman

__all__ = ["PopulationUniques", "population_uniques", "slide_negative_binomial", "zayatz"]

_SMALL_SAMPLE = 0.1


@dataclass(frozen=True, kw_only=True)
class PopulationUniques:
    """Estimates of how many people of the population are alone with their keys.

    Attributes
    ----------
    number : float
        The one to trust, by the rule of Dankar and others.
    estimator : {"zayatz", "pitman", "snb"}
        Whose it is.
    zayatz, pitman : float
    snb : float or None
        None where no parameters of the model fit the class sizes.
    """

    number: float
    estimator: str
    zayatz: float
    pitman: float
    snb: float | None

    def to_dict(self) -> dict[str, Any]:
        """The estimates as plain values, for JSON."""
        return {
            "number": self.number,
            "estimator": self.estimator,
            "zayatz": self.zayatz,
            "pitman": self.pitman,
            "snb": self.snb,
        }


def population_uniques(found: ClassSizes, population: int) -> PopulationUniques:
    """All estimates, and which to trust.

    Examples
    --------
    >>> found = ClassSizes()
    >>> found.look(np.array([1, 2, 3, 10]), np.array([60, 15, 5, 2]))
    >>> estimates = population_uniques(found, 1250)
    >>> estimates.estimator, round(estimates.pitman), round(estimates.zayatz)
    ('pitman', 218, 337)
    """
    by_zayatz = zayatz(found, population)
    if found.alone == 0:  # nobody is alone among the records: nothing says that anybody else is
        return PopulationUniques(number=0.0, estimator="zayatz", zayatz=0.0, pitman=0.0, snb=0.0)
    by_pitman = expected_alone(*fit_pitman(found), population)
    by_snb = slide_negative_binomial(found, population)
    if found.records <= _SMALL_SAMPLE * population:
        estimator, number = "pitman", by_pitman
    elif by_snb is not None and by_snb <= by_zayatz:
        estimator, number = "snb", by_snb
    else:
        estimator, number = "zayatz", by_zayatz
    return PopulationUniques(
        number=number,
        estimator=estimator,
        zayatz=by_zayatz,
        pitman=by_pitman,
        snb=by_snb,
    )


def zayatz(found: ClassSizes, population: int) -> float:
    """Zayatz's estimate."""
    if found.alone == 0:
        return 0.0
    fraction = found.records / population
    draws_one = _one_drawn(found.sizes, found.records, population)
    unique = found.alone * fraction / float(found.numbers @ draws_one)
    return found.alone * unique / fraction


def _one_drawn(sizes: NDArray[np.int64], records: int, population: int) -> NDArray[np.float64]:
    """The probability that a sample has exactly one of so many people."""
    from scipy.special import gammaln

    missed = population - records
    possible = sizes - 1 <= missed  # or else the sample has two of them for certain
    others = np.minimum(sizes - 1, missed)
    logarithm = (
        np.log(sizes) + np.log(records / population)
        + (gammaln(missed + 1) - gammaln(missed - others + 1))
        - (gammaln(population) - gammaln(population - others))
    )  # fmt: skip
    return np.where(possible, np.exp(logarithm), 0.0)


def slide_negative_binomial(found: ClassSizes, population: int) -> float | None:
    """The estimate by the slide negative binomial model; None where it does not fit."""
    from scipy.optimize import root

    fraction = found.records / population
    pairs = found.number_of(2)
    if found.alone == 0 or pairs == 0 or fraction >= 1.0:
        return float(found.alone) if fraction >= 1.0 else None
    classes = _shlosser(found, fraction)

    def missed(point: NDArray[np.float64]) -> list[float]:
        """How far the expected numbers of classes of one and two are off, as logarithms."""
        a, log_b = float(np.exp(point[0])), -float(np.logaddexp(0.0, -point[1]))
        rest = -np.expm1(log_b)  # 1 − b
        seen = (1 - fraction) * rest
        left = a * log_b - (a + 2) * np.log1p(-seen)  # ln of b^a / (1 − seen)^(a + 2)
        ones = left + np.log1p(-seen) + np.log1p(-seen + a * seen)
        twos = left + np.log(fraction / 2 * a * rest * (2 - (1 - a) * seen))
        log_scale = np.log(classes * fraction)
        return [log_scale + ones - np.log(found.alone), log_scale + twos - np.log(pairs)]

    for start in ((0.0, -2.0), (-1.0, -3.0), (1.0, 0.0), (-2.0, -5.0)):
        with np.errstate(all="ignore"):  # where it strays too far it fails, and the next start is
            solved = root(missed, start)
        if solved.success:
            a, log_b = float(np.exp(solved.x[0])), -float(np.logaddexp(0.0, -solved.x[1]))
            return float(classes * np.exp(a * log_b))
    return None


def _shlosser(found: ClassSizes, fraction: float) -> float:
    """How many classes the population has."""
    sizes, numbers = found.sizes.astype(np.float64), found.numbers
    square = fraction**2
    twice = float(numbers @ (sizes * square * (1 - square) ** (sizes - 1)))
    between = float(numbers @ ((1 - square) ** sizes - (1 - fraction) ** sizes))
    unseen = float(numbers @ (1 - fraction) ** sizes)
    once = float(numbers @ (sizes * fraction * (1 - fraction) ** (sizes - 1)))
    return found.classes + found.alone * twice / between * (unseen / once) ** 2
