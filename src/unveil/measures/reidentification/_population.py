"""Estimates of a population from a sample: who is alone in it, and how many are like a class.

Of a class with f records in a sample, the F people in the population are these f and those whom
the sample missed. Both models say that these follow a negative binomial distribution:

    F − f  ~  NB(f − α, π),        P(F = f | f) = π^(f − α)

*Benedetti and Franconi* (Statistical and technological solutions for controlled data
dissemination, 1998) take α = 0, and the sampling fraction n / N for π. They look at each class by
itself, so somebody alone in a sample of 10 % is alone in the population with probability 10 %, in
every table. Where most people are alone in the population, that is far too low.

*Pitman's sampling formula* (N. Hoshino, Applying Pitman's sampling formula to microdata disclosure
risk assessment, Journal of Official Statistics 17, 2001) fits α and θ to the class sizes. A
further person joins a class of f among n with probability (f − α) / (n + θ). Over N − n further
people that gives the distribution above with π = (θ + n) / (θ + N), up to terms of order 1 / n.
With α = θ = 0 it is Benedetti's and Franconi's. The risk of a class then is

    E[1/F | f] = (π / f) · ₂F₁(1, 1 + α; f + 1; 1 − π),     P(F ≤ m | f) = I_π(f − α, m − f + 1)

The number of people who are alone in the population has three estimators, and the rule of
F. K. Dankar, K. El Emam, A. Neisa, T. Roffey, *Estimating the re-identification risk of clinical
data sets*, BMC Medical Informatics and Decision Making 12:66 (2012), which of them to trust. With
s_j classes of j records in a sample of n of N people, π = n / N:

*Zayatz* (1991) takes the class sizes of the sample for those of the population, and asks by Bayes'
rule how likely somebody alone in the sample is alone in the population. Small classes are more
frequent in a sample, so the estimate is too high, the more so the smaller the sample.

*Pitman* (Hoshino 2001): as above.

*SNB*, the slide negative binomial model (G. Chen, S. Keller-McNulty, *Estimation of identification
disclosure risk in microdata*, Journal of Official Statistics 14, 1998): the sizes of the K classes
of the population are 1 + NB(a, b), so K·b^a people are alone. K is Shlosser's estimate in the form
of P. J. Haas and L. Stokes (1998); a and b are those that expect the s₁ and s₂ that were found.

The rule: Pitman, if π ≤ 0.1; else the smaller of SNB and Zayatz.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.measures._classes import ClassSizes

_NEAR_ONE = 1.0 - 1e-9
_LOG_RANGE = (-25.0, 30.0)  # of θ + α: beyond, more makes no difference
_ONE_BY_ONE = 1024
_SMALL_SAMPLE = 0.1


# scipy's hyp2f1 is wrong, and even infinite, for many of the arguments that occur here. Below this
# size, 128 places give the integral to twelve digits even if one in a billion was sampled; from it
# on, the 64th term of the series is below 10⁻²⁵ of the sum.
_LARGE = 32
_TERMS = 64


@dataclass(frozen=True, kw_only=True)
class PopulationModel:
    """The distribution of the F people who match a class of f records.

    Attributes
    ----------
    name : str
    discount : float
        α, from 0 to 1: the higher, the more people are alone; at 1 everybody is.
    spread : float
        Pitman's θ; 0 for the other model.
    fraction : float
        π.

    Examples
    --------
    >>> model = PopulationModel(name="benedetti-franconi", discount=0.0, fraction=0.1)
    >>> round(float(model.risk(np.array([1]))[0]), 6)  # π / (1 − π) · ln(1 / π)
    0.255843
    """

    name: str
    discount: float
    fraction: float
    spread: float = 0.0

    def risk(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The expected 1 / F."""
        small = sizes < _LARGE
        expected = np.empty(len(sizes))
        expected[small] = self._by_quadrature(sizes[small].astype(np.float64))
        expected[~small] = self._by_series(sizes[~small].astype(np.float64))
        return np.minimum(expected, 1 / sizes)  # rounding may exceed it

    def _by_quadrature(self, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """E[1/F] as the integral of E[tᶠ⁻¹], along the logarithm of its denominator."""
        length = -np.log(self.fraction)
        if length == 0.0:
            return 1.0 / sizes
        nodes, shares = np.polynomial.legendre.leggauss(128)
        x = (nodes + 1) / 2
        inside = (np.expm1(length * x) / np.expm1(length)) ** (sizes[:, None] - 1)
        weights = shares / 2 * np.exp(self.discount * length * (1 - x))
        return np.asarray(inside @ weights * (length / np.expm1(length)))

    def _by_series(self, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """The hypergeometric series, which converges quickly for large classes."""
        k = np.arange(_TERMS)
        ratios = (1 + self.discount + k) / (sizes[:, None] + 1 + k) * (1 - self.fraction)
        return np.asarray(self.fraction / sizes * (1 + np.cumprod(ratios, axis=1).sum(axis=1)))

    def at_most(self, people: int, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probability that F is at most ``people``."""
        from scipy.special import betainc

        room = np.maximum(people - sizes + 1.0, 1.0)
        missed = sizes - self.discount  # 0 where everybody is assumed to be alone
        inside = betainc(np.where(missed > 0, missed, 1.0), room, self.fraction)
        return np.where(sizes <= people, np.where(missed > 0, inside, 1.0), 0.0)

    def people(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The expected F."""
        missed = (sizes - self.discount) * (1.0 - self.fraction) / self.fraction
        return np.asarray(sizes + missed, dtype=np.float64)


def population_model(found: ClassSizes, population: int, estimator: str | None) -> PopulationModel:
    """A model, by default Pitman's, fitted to the class sizes."""
    records = found.records
    if estimator == "benedetti-franconi":
        return PopulationModel(name=estimator, discount=0.0, fraction=records / population)
    alpha, theta = fit_pitman(found)
    fraction = (theta + records) / (theta + population)
    return PopulationModel(name="pitman", discount=alpha, spread=theta, fraction=fraction)


def fit_pitman(found: ClassSizes) -> tuple[float, float]:
    """α and θ of Pitman's sampling formula, by maximum likelihood.

    With s_j classes of j records, u classes and n records in all, the log-likelihood is

        Σ_{i=1}^{u−1} ln(θ + iα) − Σ_{i=1}^{n−1} ln(θ + i) + Σ_j s_j Σ_{i=1}^{j−1} ln(i − α)

    for 0 ≤ α < 1 and θ > −α. Where all records are alone, it grows with α towards 1, where
    everybody in the population is alone; where all are in one class, α and θ vanish. A single
    record is both, and is assumed to be alone, which is on the safe side.

    Examples
    --------
    >>> found = ClassSizes()
    >>> found.look(np.array([1, 2, 3, 10]), np.array([60, 15, 5, 2]))
    >>> alpha, theta = fit_pitman(found)
    >>> round(alpha, 3), round(theta, 2)
    (0.502, 38.35)
    """
    from scipy.optimize import minimize
    from scipy.special import digamma, gammaln

    records, classes = found.records, found.classes
    if classes == records:
        return 1.0, 0.0
    if classes == 1:
        return 0.0, 0.0
    sizes, numbers = found.sizes, found.numbers
    places, weights = summing(classes - 1)

    def likelihood(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Minus the log-likelihood per record, and its gradient, at (α, ln(θ + α))."""
        alpha, together = float(point[0]), float(np.exp(point[1]))
        theta = together - alpha
        each = theta + places * alpha
        value = (
            float(weights @ np.log(each))
            - (gammaln(theta + records) - gammaln(theta + 1))
            + float(numbers @ (gammaln(sizes - alpha) - gammaln(1 - alpha)))
        )
        by_theta = float(weights @ (1 / each)) - (digamma(theta + records) - digamma(theta + 1))
        by_alpha = float(weights @ (places / each)) - float(
            numbers @ (digamma(sizes - alpha) - digamma(1 - alpha))
        )
        slope = np.array([by_alpha - by_theta, by_theta * together])
        return -float(value) / records, -slope / records

    start = np.array([0.5, np.log(classes / 4 + 1)])
    best = minimize(
        likelihood, start, jac=True, method="L-BFGS-B", bounds=[(0.0, _NEAR_ONE), _LOG_RANGE],
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 1000},
    )  # fmt: skip
    alpha, log_sum = float(best.x[0]), float(best.x[1])
    return alpha, float(np.exp(log_sum)) - alpha


def expected_alone(alpha: float, theta: float, population: int) -> float:
    """The expected number of people who are alone in their class."""
    from scipy.special import gammaln

    if theta + alpha == 0.0:
        return 0.0  # all are in one class
    # Γ(θ+1)/Γ(θ+α) · N · Γ(θ+α+N−1)/Γ(θ+N), which is about the first ratio times N^α.
    logarithm = (
        gammaln(theta + 1) - gammaln(theta + alpha)
        + gammaln(theta + alpha + population - 1) - gammaln(theta + population)
    )  # fmt: skip
    return float(population * np.exp(logarithm))


def summing(terms: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights that sum g(1) + … + g(terms) for a smooth g.

    The first terms are summed one by one. Then each doubling has sixteen nodes: its sum is the
    integral from half a step before to half a step after, by Gauss's rule.

    >>> places, weights = summing(1_000_000)
    >>> len(places), round(float(weights @ (1 / places)), 6)
    (1184, 14.392727)
    """
    alone = min(terms, _ONE_BY_ONE)
    places, weights = [np.arange(1.0, alone + 1)], [np.ones(alone)]
    nodes, shares = np.polynomial.legendre.leggauss(16)
    low = alone + 0.5
    while low < terms:
        high = min(2 * low, terms + 0.5)
        places.append(low + (nodes + 1) * (high - low) / 2)
        weights.append(shares * (high - low) / 2)
        low = high
    return np.concatenate(places), np.concatenate(weights)


@dataclass(frozen=True, kw_only=True)
class PopulationUniques:
    """Estimates of the number of people who are alone in the population.

    Attributes
    ----------
    number : float
        The estimate to trust, by the rule of Dankar and others.
    estimator : {"zayatz", "pitman", "snb"}
        The estimator of ``number``.
    zayatz, pitman : float
    snb : float or None
        None if no parameters of the model fit the class sizes.
    """

    number: float
    estimator: str
    zayatz: float
    pitman: float
    snb: float | None

    def to_dict(self) -> dict[str, Any]:
        """The estimates as plain values, for JSON."""
        return asdict(self)


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
    if found.alone == 0:  # without anybody alone in the sample there is nothing to estimate
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
        number=number, estimator=estimator, zayatz=by_zayatz, pitman=by_pitman, snb=by_snb
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
    """The probability that a sample has exactly one person of a class of each size."""
    from scipy.special import gammaln

    missed = population - records
    possible = sizes - 1 <= missed  # else the sample certainly has two of them
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
    pairs = found[2]
    if found.alone == 0 or pairs == 0 or fraction >= 1.0:
        return float(found.alone) if fraction >= 1.0 else None
    classes = _shlosser(found, fraction)

    def missed(point: NDArray[np.float64]) -> list[float]:
        """Log ratios of expected to found numbers of classes of one and of two."""
        a, log_b = float(np.exp(point[0])), -float(np.logaddexp(0.0, -point[1]))
        rest = -np.expm1(log_b)  # 1 − b
        seen = (1 - fraction) * rest
        left = a * log_b - (a + 2) * np.log1p(-seen)  # ln of b^a / (1 − seen)^(a + 2)
        ones = left + np.log1p(-seen) + np.log1p(-seen + a * seen)
        twos = left + np.log(fraction / 2 * a * rest * (2 - (1 - a) * seen))
        log_scale = np.log(classes * fraction)
        return [log_scale + ones - np.log(found.alone), log_scale + twos - np.log(pairs)]

    for start in ((0.0, -2.0), (-1.0, -3.0), (1.0, 0.0), (-2.0, -5.0)):
        with np.errstate(all="ignore"):  # where it strays too far, the next start is tried
            solved = root(missed, start)
        if solved.success:
            a, log_b = float(np.exp(solved.x[0])), -float(np.logaddexp(0.0, -solved.x[1]))
            return float(classes * np.exp(a * log_b))
    return None


def _shlosser(found: ClassSizes, fraction: float) -> float:
    """The estimated number of classes in the population."""
    sizes, numbers = found.sizes.astype(np.float64), found.numbers
    square = fraction**2
    twice = float(numbers @ (sizes * square * (1 - square) ** (sizes - 1)))
    between = float(numbers @ ((1 - square) ** sizes - (1 - fraction) ** sizes))
    unseen = float(numbers @ (1 - fraction) ** sizes)
    once = float(numbers @ (sizes * fraction * (1 - fraction) ** (sizes - 1)))
    return found.classes + found.alone * twice / between * (unseen / once) ** 2
