"""Naive Bayes on bits, events and categories, trained on counts, and without one record.

All of these need a few sums by sensitive value, and forgetting a record takes it off the sums of
its value. Beliefs equal those of scikit-learn's models of the same names, trained on one row a
record.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.adversary.exact._statistics import Sums
from unveil.adversary.exact._table import Prior, ScoringModel
from unveil.errors import InputError

__all__ = ["BernoulliModel", "CategoricalModel", "ComplementModel", "MultinomialModel"]


class _CountingModel(ScoringModel):
    """Models that need the sum of each feature by value."""

    def __init__(
        self,
        features: ArrayLike,
        counts: ArrayLike,
        prior: Prior,
        *,
        alpha: float | NDArray[np.float64] = 1.0,
    ) -> None:
        super().__init__(features, counts, prior)
        width = self.table.features.shape[1]
        if np.ndim(alpha) and np.shape(alpha) != (width,):
            raise InputError(
                f"the estimator is given alpha for {len(np.asarray(alpha))} features, but there "
                f"are {width}; give one number, or one a feature"
            )
        self._alpha = np.broadcast_to(np.asarray(alpha, dtype=np.float64), (width,))
        self._sums = Sums(self.table.features, self.table.counts)


def _non_negative(features: NDArray[np.float64], estimator: str) -> None:
    if (features < 0).any():
        row, column = np.argwhere(features < 0)[0]
        raise InputError(
            f"{estimator} needs features that are not negative; feature {column} is "
            f"{features[row, column]} in a training row: choose another encoding or estimator"
        )


class MultinomialModel(_CountingModel):
    """Features are numbers of events, and each value has its own shares of events.

    Examples
    --------
    >>> model = MultinomialModel([[2, 0], [1, 1]], [[1, 0], [0, 2]], Prior())
    >>> model.predict([[1, 0]]).round(4)
    array([[0.4286, 0.5714]])
    """

    def __init__(
        self,
        features: ArrayLike,
        counts: ArrayLike,
        prior: Prior,
        *,
        alpha: float | NDArray[np.float64] = 1.0,
    ) -> None:
        super().__init__(features, counts, prior, alpha=alpha)
        _non_negative(self.table.features, "MultinomialNB")

    def scores(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return points @ self._logarithms(self._sums.of).T

    def scores_without(
        self,
        points: NDArray[np.float64],
        places: NDArray[np.intp],
        values: NDArray[np.intp],
        left: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        scores = self.scores(points)
        own = self._logarithms(self._sums.without(places, values))
        scores[np.arange(len(points)), values] = (points * own).sum(axis=1)
        return scores

    def _logarithms(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        smoothed = sums + self._alpha
        return np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))


class ComplementModel(_CountingModel):
    """A value is the likelier the less the events resemble those of all other values.

    Examples
    --------
    >>> model = ComplementModel([[2, 0], [1, 1]], [[1, 0], [0, 2]], Prior())
    >>> model.predict([[1, 0]]).round(4)
    array([[0.6, 0.4]])
    """

    def __init__(
        self,
        features: ArrayLike,
        counts: ArrayLike,
        prior: Prior,
        *,
        alpha: float | NDArray[np.float64] = 1.0,
        norm: bool = False,
    ) -> None:
        super().__init__(features, counts, prior, alpha=alpha)
        _non_negative(self.table.features, "ComplementNB")
        self._norm = norm
        others = self.table.counts.sum(axis=1, keepdims=True) - self.table.counts
        self._sums = Sums(self.table.features, others)

    def _log_prior(self, left: NDArray[np.int64]) -> NDArray[np.float64]:
        # scikit-learn's model ignores its prior, but not that numbers given do not fit.
        return np.where(np.isnan(super()._log_prior(left)), np.nan, 0.0)

    def scores(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return points @ self._weights(self._sums.of).T

    def scores_without(
        self,
        points: NDArray[np.float64],
        places: NDArray[np.intp],
        values: NDArray[np.intp],
        left: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        scores = self.scores(points)  # right for the record's own value, as it is not among others
        for value in range(scores.shape[1]):
            other = values != value
            sums = self._sums.without(places[other], np.full(other.sum(), value))
            scores[other, value] = (points[other] * self._weights(sums)).sum(axis=1)
        return scores

    def _weights(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        smoothed = sums + self._alpha
        logarithms = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
        return logarithms / logarithms.sum(axis=1, keepdims=True) if self._norm else -logarithms


class BernoulliModel(_CountingModel):
    """Features are bits, and each value has its own share of ones.

    Examples
    --------
    >>> model = BernoulliModel([[1, 0], [1, 1]], [[3, 0], [0, 1]], Prior())
    >>> model.predict([[1, 1]]).round(4)
    array([[0.5192, 0.4808]])
    """

    def __init__(
        self,
        features: ArrayLike,
        counts: ArrayLike,
        prior: Prior,
        *,
        alpha: float = 1.0,
        above: float | None = 0.0,
    ) -> None:
        self._above = above
        super().__init__(features, counts, prior, alpha=alpha)
        self._twice = 2 * alpha

    def seen(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows if self._above is None else (rows > self._above).astype(np.float64)

    def scores(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        ones, zeros = self._logarithms(self._sums.of, self.table.totals)
        return points @ (ones - zeros).T + zeros.sum(axis=1)

    def scores_without(
        self,
        points: NDArray[np.float64],
        places: NDArray[np.intp],
        values: NDArray[np.intp],
        left: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        scores = self.scores(points)
        targets = np.arange(len(points))
        sums = self._sums.without(places, values)
        ones, zeros = self._logarithms(sums, left[targets, values])
        scores[targets, values] = (points * (ones - zeros) + zeros).sum(axis=1)
        return scores

    def _logarithms(
        self, sums: NDArray[np.float64], totals: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        ones = np.log(sums + self._alpha) - np.log(totals + self._twice)[:, np.newaxis]
        return ones, np.log(1 - np.exp(ones))  # rounds as scikit-learn does where alpha is tiny


class CategoricalModel(ScoringModel):
    """Features are categories 0, 1, …, and each value has its own shares of each feature's.

    A feature has as many categories as the largest one in the table says, or ``at_least`` so many.
    Nothing is known about a target beyond these, so the belief about it is NaN.

    Examples
    --------
    >>> model = CategoricalModel([[0], [1], [2]], [[2, 0], [1, 1], [0, 1]], Prior())
    >>> model.predict([[1]]).round(4)
    array([[0.5556, 0.4444]])
    >>> model.predict([[3]])
    array([[nan, nan]])
    """

    def __init__(
        self,
        features: ArrayLike,
        counts: ArrayLike,
        prior: Prior,
        *,
        alpha: float = 1.0,
        at_least: int | NDArray[np.int64] = 0,
    ) -> None:
        super().__init__(features, counts, prior)
        _non_negative(self.table.features, "CategoricalNB")
        self._alpha = alpha
        self._categories = self.table.features.astype(np.int64)
        width = self._categories.shape[1]
        if np.ndim(at_least) and np.shape(at_least) != (width,):
            raise InputError(
                f"the estimator is given min_categories for {len(np.asarray(at_least))} features, "
                f"but there are {width}; give one number, or one a feature"
            )
        self._at_least = np.broadcast_to(np.asarray(at_least), (width,))
        self._tables = [self._by_category(j) for j in range(width)]

    def _by_category(self, j: int) -> NDArray[np.int64]:
        categories = self._categories[:, j]
        size = max(int(categories.max()) + 1, int(self._at_least[j]))
        counted = np.zeros((size, self.table.counts.shape[1]), dtype=np.int64)
        np.add.at(counted, categories, self.table.counts)
        return counted

    def seen(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.trunc(rows)

    def scores(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.zeros((len(points), len(self.table.totals)))
        for counted, categories in zip(self._tables, points.T, strict=True):
            known = (categories >= 0) & (categories < len(counted))
            held = counted[np.where(known, categories, 0).astype(np.intp)]
            scores += np.log(held + self._alpha)
            scores -= np.log(self.table.totals + self._alpha * len(counted))
            scores[~known] = np.nan
        return scores

    def scores_without(
        self,
        points: NDArray[np.float64],
        places: NDArray[np.intp],
        values: NDArray[np.intp],
        left: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        targets = np.arange(len(points))
        scores = np.zeros((len(points), len(self.table.totals)))
        for j, counted in enumerate(self._tables):
            forgotten, categories = self._categories[places, j], points[:, j]
            sizes = self._sizes_without(j)[forgotten]
            known = (categories >= 0) & (categories < sizes)
            held = counted[np.where(known, categories, 0).astype(np.intp)]
            held[targets, values] -= categories == forgotten
            scores += np.log(held + self._alpha)
            scores -= np.log(left + self._alpha * sizes[:, np.newaxis])
            scores[~known] = np.nan
        return scores

    def _sizes_without(self, j: int) -> NDArray[np.int64]:
        """How many categories the feature has without one record of each category."""
        held = self._tables[j].sum(axis=1)
        sizes = np.full(len(held), len(held))
        filled = np.flatnonzero(held)
        if held[filled[-1]] == 1:  # without this record the next one is the largest
            following = filled[-2] + 1 if len(filled) > 1 else 0
            sizes[filled[-1]] = max(following, self._at_least[j])
        return sizes
