"""How many people of a population are like the records of a class, given only the sample.

Of a class with f records in a sample, the F people in the population are f and those whom the
sample missed. Both models say that these follow a negative binomial distribution:

    F − f  ~  NB(f − α, π),        P(F = f | f) = π^(f − α)

*Benedetti and Franconi* (Statistical and technological solutions for controlled data
dissemination, 1998) take α = 0 and for π the sampling fraction n / N. They look at each class by
itself, and know nothing of how classes are spread: someone alone in a sample of 10 % is alone in
the population with probability 10 %, in every table. Where most people are alone in the
population, that is far too low.

*Pitman's sampling formula* (N. Hoshino, Applying Pitman's sampling formula to microdata disclosure
risk assessment, Journal of Official Statistics 17, 2001) learns that from the class sizes: α and θ
are fitted to them, and a further person joins a class of f among n with probability
(f − α) / (n + θ). Over N − n further people that gives the distribution above with
π = (θ + n) / (θ + N), up to terms of order 1 / n. With α = θ = 0 it is Benedetti's and Franconi's.

What is asked for follows by the hypergeometric and the incomplete beta function:

    E[1/F | f] = (π / f) · ₂F₁(1, 1 + α; f + 1; 1 − π),     P(F ≤ m | f) = I_π(f − α, m − f + 1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.measures.reidentification._class_sizes import ClassSizes
from unveil.measures.reidentification._pitman import fit_pitman

__all__ = ["ESTIMATORS", "PopulationModel", "population_model"]

ESTIMATORS = ("pitman", "benedetti-franconi")

# scipy's hyp2f1 is wrong, and even infinite, for many of the arguments that occur here. Below this
# size, 128 places give the integral to twelve digits even if one in a billion was sampled; from it
# on, the 64th term of the series is below 10⁻²⁵ of the sum.
_LARGE = 32
_TERMS = 64


@dataclass(frozen=True, kw_only=True)
class PopulationModel:
    """What a model says of the F people behind a class of f records.

    Attributes
    ----------
    name : str
    discount : float
        α, from 0 to 1: the more, the more people are alone; at 1 everybody is.
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
        return np.minimum(expected, 1 / sizes)  # which rounding may exceed

    def _by_quadrature(self, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """E[1/F] as the integral of E[tᶠ⁻¹], along the logarithm of what stands below there."""
        length = -np.log(self.fraction)
        if length == 0.0:
            return 1.0 / sizes
        nodes, shares = np.polynomial.legendre.leggauss(128)
        x = (nodes + 1) / 2
        inside = (np.expm1(length * x) / np.expm1(length)) ** (sizes[:, None] - 1)
        weights = shares / 2 * np.exp(self.discount * length * (1 - x))
        return np.asarray(inside @ weights * (length / np.expm1(length)))

    def _by_series(self, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """The hypergeometric series, whose terms vanish quickly for large classes."""
        k = np.arange(_TERMS)
        ratios = (1 + self.discount + k) / (sizes[:, None] + 1 + k) * (1 - self.fraction)
        return np.asarray(self.fraction / sizes * (1 + np.cumprod(ratios, axis=1).sum(axis=1)))

    def at_most(self, people: int, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probability that F is not above so many people."""
        from scipy.special import betainc

        room = np.maximum(people - sizes + 1.0, 1.0)
        missed = sizes - self.discount  # none at all where everybody is taken to be alone
        inside = betainc(np.where(missed > 0, missed, 1.0), room, self.fraction)
        return np.where(sizes <= people, np.where(missed > 0, inside, 1.0), 0.0)

    def people(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The expected F."""
        missed = (sizes - self.discount) * (1.0 - self.fraction) / self.fraction
        return np.asarray(sizes + missed, dtype=np.float64)


def population_model(found: ClassSizes, population: int, estimator: str | None) -> PopulationModel:
    """The model asked for, fitted to the class sizes; by default Pitman's."""
    records = found.records
    if estimator == "benedetti-franconi":
        return PopulationModel(name=estimator, discount=0.0, fraction=records / population)
    alpha, theta = fit_pitman(found)
    fraction = (theta + records) / (theta + population)
    return PopulationModel(name="pitman", discount=alpha, spread=theta, fraction=fraction)
