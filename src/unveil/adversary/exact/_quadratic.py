"""Quadratic discriminant analysis, trained on counts, and without one record.

Every sensitive value has a covariance of its own, so a forgotten record changes that of its value
only. scikit-learn refuses to train where a value has one record or a covariance without full rank;
the belief is NaN there, and where a direction is too near its tolerance to tell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.adversary.exact._discriminant import Divisor
from unveil.adversary.exact._scatter import NEAR, THIN, Scatter, Taken, decomposed, shrunk
from unveil.adversary.exact._table import Prior, ScoringModel, portions
from unveil.adversary.exact._threads import one_thread

__all__ = ["QuadraticModel"]


class QuadraticModel(ScoringModel):
    """Normal features with a covariance for each value.

    ``towards_one`` moves each covariance that far towards the identity, ``shrinkage`` towards a
    multiple of it that has the same mean variance. ``record_a_feature`` is for the solver "svd",
    which refuses values with fewer records than there are features.

    Examples
    --------
    >>> rows, counts = [[1.0], [2.0], [4.0], [6.0]], [[1, 0], [1, 1], [1, 1], [0, 2]]
    >>> model = QuadraticModel(rows, counts, Prior())
    >>> model.predict([[3.0]]).round(4)
    array([[0.5655, 0.4345]])
    >>> model.predict_without([[3.0]], [[4.0]], [0]).round(4)
    array([[0.027, 0.973]])
    """

    def __init__(
        self,
        features: ArrayLike,
        counts: ArrayLike,
        prior: Prior,
        *,
        tol: float = 1e-4,
        towards_one: float = 0.0,
        shrinkage: float = 0.0,
        divisor: Divisor = "records",
        record_a_feature: bool = True,
    ) -> None:
        super().__init__(features, counts, prior)
        self._tol, self._towards_one, self._shrinkage = tol, towards_one, shrinkage
        self._means_taken = int(divisor == "degrees")
        self._fewest = max(2, self.table.features.shape[1] if record_a_feature else 0)
        self._scatter = Scatter(self.table)
        self._roots, self._logs = self._trained(np.diag(self._weights(self.table.totals)))

    def _weights(self, totals: NDArray[np.int64]) -> NDArray[np.float64]:
        divisors = np.maximum(totals - self._means_taken, 1)
        return np.where(totals >= self._fewest, 1 / divisors, 0.0)

    def scores(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        points = points - self._scatter.centre
        scores = np.empty((len(points), len(self._logs)))
        for value, (mean, root, log) in enumerate(
            zip(self._scatter.means, self._roots, self._logs, strict=True)
        ):
            scores[:, value] = -((((points - mean) @ root) ** 2).sum(axis=1) + log) / 2
        return scores

    def scores_without(
        self,
        points: NDArray[np.float64],
        places: NDArray[np.intp],
        values: NDArray[np.intp],
        left: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        scores = self.scores(points)
        points = points - self._scatter.centre
        refused = np.isnan(self._logs) & (self.table.totals > 0)
        hopeful = np.flatnonzero(refused.sum() == refused[values])  # no other value is refused
        for portion in portions(len(hopeful), points.shape[1] ** 2):
            some = hopeful[portion]
            taken = self._scatter.taken(places[some], values[some])
            own = some, values[some]
            weights = np.zeros((len(some), scores.shape[1]))
            weights[np.arange(len(some)), taken.values] = self._weights(left[own])
            roots, logs = self._trained(weights, taken)
            off = ((points[some] - taken.means)[:, np.newaxis] @ roots)[:, 0]
            scores[own] = -((off**2).sum(axis=1) + logs) / 2
        return scores

    def _trained(
        self, weights: NDArray[np.float64], taken: Taken | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates of variance one, and the logarithms of determinants, which may be NaN."""
        covariances, _, _ = self._scatter.pooled(weights, taken)
        covariances = (1 - self._towards_one) * shrunk(covariances, self._shrinkage)
        covariances += self._towards_one * np.eye(covariances.shape[-1])
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        spreads = np.sqrt(np.where(variances > 0, variances, 1.0))
        extents, directions = decomposed(covariances, spreads)
        least = self._tol * (1 + NEAR) + 1e-12 * variances.sum(axis=1)
        with one_thread:
            narrowest = np.linalg.eigvalsh(covariances)[:, 0]
        sure = (narrowest > least) & (extents[:, 0] >= THIN)
        sure &= weights.any(axis=1)
        extents = np.maximum(extents, THIN)
        logs = np.log(extents).sum(axis=1) + 2 * np.log(spreads).sum(axis=1)
        return directions / np.sqrt(extents)[:, np.newaxis], np.where(sure, logs, np.nan)
