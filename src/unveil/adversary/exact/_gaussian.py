"""Gaussian naive Bayes, trained on counts, and without one record.

It needs the mean and the variance of each feature by sensitive value, and the largest variance of
all, of which it adds a share to every other. Beliefs equal those of scikit-learn's ``GaussianNB``,
trained on one row a record.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.adversary.exact._statistics import Moments
from unveil.adversary.exact._table import Prior, ScoringModel

__all__ = ["GaussianModel"]

# Variances below this, for features of size one, may be nothing but rounding errors.
_NO_VARIANCE = 1e-20


class GaussianModel(ScoringModel):
    """Every feature normal given the value, its variance enlarged by a share of the largest one.

    Examples
    --------
    >>> model = GaussianModel([[1], [2], [4], [6]], [[1, 0], [1, 0], [0, 1], [0, 1]], Prior())
    >>> model.predict([[3.0]]).round(4)
    array([[0.141, 0.859]])
    >>> model.predict_without([[3.0]], [[1]], [0]).round(4)        # one record left of value 0
    array([[0., 1.]])
    """

    def __init__(
        self, features: ArrayLike, counts: ArrayLike, prior: Prior, *, smoothing: float = 1e-9
    ) -> None:
        super().__init__(features, counts, prior)
        self._smoothing = smoothing
        table = self.table
        everybody = table.counts.sum(axis=1, keepdims=True)  # as if it were one more value
        self._moments = Moments(table.features, np.hstack([table.counts, everybody]))
        self._least = _NO_VARIANCE * np.abs(table.features).max(axis=0) ** 2

    def scores(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        moments = self._moments
        variances = moments.deviations / np.maximum(moments.totals, 1)[:, np.newaxis]
        added = np.full(len(points), self._smoothing * variances[-1].max())
        return self._densities(points, moments.means[:-1], variances[:-1], added)

    def scores_without(
        self,
        points: NDArray[np.float64],
        places: NDArray[np.intp],
        values: NDArray[np.intp],
        left: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        moments = self._moments
        variances = moments.deviations / np.maximum(moments.totals, 1)[:, np.newaxis]
        everybody = np.full_like(values, len(moments.totals) - 1)
        _, deviations = moments.without(places, everybody)
        added = self._smoothing * deviations.max(axis=1) / left.sum(axis=1)
        own_means, own_deviations = moments.without(places, values)
        own = left[np.arange(len(values)), values][:, np.newaxis]
        return self._densities(
            points,
            moments.means[:-1],
            variances[:-1],
            added,
            changed=(values, own_means, own_deviations / np.maximum(own, 1)),
        )

    def _densities(
        self,
        points: NDArray[np.float64],
        means: NDArray[np.float64],
        variances: NDArray[np.float64],
        added: NDArray[np.float64],
        changed: tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]] | None = None,
    ) -> NDArray[np.float64]:
        """Logarithms of the densities; one value a target may have changed moments."""
        points = points - self._moments.centre
        rows = np.arange(len(points))
        scores = np.zeros((len(points), len(means)))
        for j in range(points.shape[1]):
            mean = np.tile(means[:, j], (len(points), 1))
            variance = np.tile(variances[:, j], (len(points), 1))
            if changed is not None:
                values, own_means, own_variances = changed
                mean[rows, values] = own_means[:, j]
                variance[rows, values] = own_variances[:, j]
            variance += added[:, np.newaxis]
            variance[variance <= self._least[j]] = np.nan
            scores -= (np.log(variance) + (points[:, [j]] - mean) ** 2 / variance) / 2
        return scores
