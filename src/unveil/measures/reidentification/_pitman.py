"""Pitman's sampling formula, fitted to class sizes by maximum likelihood.

With s_j classes of j records, u classes and n records in all, the logarithm of the likelihood is

    Σ_{i=1}^{u−1} ln(θ + iα) − Σ_{i=1}^{n−1} ln(θ + i) + Σ_j s_j Σ_{i=1}^{j−1} ln(i − α)

for 0 ≤ α < 1 and θ > −α. See N. Hoshino, Journal of Official Statistics 17 (2001).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.measures.reidentification._class_sizes import ClassSizes

__all__ = ["expected_alone", "fit_pitman", "summing"]

_NEAR_ONE = 1.0 - 1e-9
_LOG_RANGE = (-25.0, 30.0)  # of θ + α: beyond, more makes no difference
_ONE_BY_ONE = 1024


def fit_pitman(found: ClassSizes) -> tuple[float, float]:
    """α and θ.

    Where all records are alone, likelihood grows with α towards 1, where everybody in the
    population is alone; where all are in one class, α and θ vanish. A single record is both, and
    is taken to be alone: that is on the safe side.

    Examples
    --------
    >>> found = ClassSizes()
    >>> found.look(np.array([1, 2, 3, 10]), np.array([60, 15, 5, 2]))
    >>> alpha, theta = fit_pitman(found)
    >>> round(alpha, 3), round(theta, 2)
    (0.502, 38.35)
    """
    from scipy.optimize import minimize

    records, classes = found.records, found.classes
    if classes == records:
        return 1.0, 0.0
    if classes == 1:
        return 0.0, 0.0
    likelihood = _Likelihood(found)
    start = np.array([0.5, np.log(classes / 4 + 1)])
    best = minimize(
        likelihood, start, jac=True, method="L-BFGS-B", bounds=[(0.0, _NEAR_ONE), _LOG_RANGE],
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 1000},
    )  # fmt: skip
    alpha, log_sum = float(best.x[0]), float(best.x[1])
    return alpha, float(np.exp(log_sum)) - alpha


def expected_alone(alpha: float, theta: float, population: int) -> float:
    """How many of so many people are alone in their class."""
    from scipy.special import gammaln

    if theta + alpha == 0.0:
        return 0.0  # all are in one class
    # Γ(θ+1)/Γ(θ+α) · N · Γ(θ+α+N−1)/Γ(θ+N), which is about the first ratio times N^α.
    logarithm = (
        gammaln(theta + 1) - gammaln(theta + alpha)
        + gammaln(theta + alpha + population - 1) - gammaln(theta + population)
    )  # fmt: skip
    return float(population * np.exp(logarithm))


class _Likelihood:
    """Minus the likelihood's logarithm a record, and its slope, at (α, ln(θ + α))."""

    def __init__(self, found: ClassSizes) -> None:
        self._sizes, self._numbers = found.sizes, found.numbers
        self._records = found.records
        self._places, self._weights = summing(found.classes - 1)

    def __call__(self, point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        from scipy.special import digamma, gammaln

        alpha, together = float(point[0]), float(np.exp(point[1]))
        theta, n = together - alpha, self._records
        classes = theta + self._places * alpha
        sizes, numbers = self._sizes, self._numbers
        value = (
            self._sum(np.log(classes))
            - (gammaln(theta + n) - gammaln(theta + 1))
            + float(numbers @ (gammaln(sizes - alpha) - gammaln(1 - alpha)))
        )
        by_theta = self._sum(1 / classes) - (digamma(theta + n) - digamma(theta + 1))
        by_alpha = self._sum(self._places / classes) - float(
            numbers @ (digamma(sizes - alpha) - digamma(1 - alpha))
        )
        slope = np.array([by_alpha - by_theta, by_theta * together])
        return -float(value) / n, -slope / n

    def _sum(self, values: Any) -> float:
        return float(self._weights @ values)


def summing(terms: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places and weights with which g(1) + … + g(terms) is summed for a smooth g.

    One by one at first, and then sixteen places for each doubling: the sum is an integral from
    half a step before to half a step after, which Gauss's rule gives.

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
