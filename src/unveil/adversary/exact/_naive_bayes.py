"""Naive Bayes of bits, events, categories and quantities, on counts, and without one record.

The models need a few sums, means and variances by sensitive value, and forgetting a record only
changes those of its value. Beliefs equal those of scikit-learn's models of the same names, trained
on one row per record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.adversary.exact._statistics import Moments, Sums
from unveil.adversary.exact._table import Counts, Floats, Forgotten, ScoringModel
from unveil.errors import Cell, InputError

_NO_VARIANCE = 1e-20  # a variance below this, for features of size one, may be only rounding


def _non_negative(features: Floats, estimator: str) -> None:
    if (features < 0).any():
        row, column = np.argwhere(features < 0)[0]
        raise InputError(
            "{estimator} needs features that are not negative, but feature {feature} is {value} in "
            "a training row; choose another encoding or estimator",
            estimator=estimator, feature=int(column), value=Cell(features[row, column], bare=True),
        )  # fmt: skip


def _per_feature(name: str, given: ArrayLike, width: int) -> NDArray[Any]:
    """A setting of an estimator, one number per feature."""
    if np.ndim(given) and np.shape(given) != (width,):
        raise InputError(
            "the estimator is given {name} for {given} features, but there are {width}; give one "
            "number, or one per feature",
            name=name, given=len(np.asarray(given)), width=width,
        )  # fmt: skip
    return np.broadcast_to(np.asarray(given), (width,))


@dataclass(eq=False)
class _CountingModel(ScoringModel):
    """A model that needs the sum of each feature by value."""

    alpha: float | Floats = 1.0

    refuses_negatives: ClassVar[str] = ""
    """The estimator's name, if it refuses negative features."""

    def __post_init__(self, features: ArrayLike, counts: ArrayLike) -> None:
        super().__post_init__(features, counts)
        alpha = np.asarray(self.alpha, dtype=np.float64)
        self._alphas = _per_feature("alpha", alpha, self.table.features.shape[1])
        if self.refuses_negatives:
            _non_negative(self.table.features, self.refuses_negatives)
        self._sums = Sums(self.table.features, self._histograms)

    @property
    def _histograms(self) -> Counts:
        """Whose features are summed, for each value."""
        return self.table.counts


class MultinomialModel(_CountingModel):
    """Features are numbers of events, and each value has its own shares of events."""

    refuses_negatives = "MultinomialNB"

    def scores(self, points: Floats, left: Counts, gone: Forgotten | None) -> Floats:
        scores = points @ self._logarithms(self._sums.of).T
        if gone is not None:
            own = self._logarithms(self._sums.without(*gone))
            scores[np.arange(len(points)), gone.values] = (points * own).sum(axis=1)
        return scores

    def _logarithms(self, sums: Floats) -> Floats:
        smoothed = sums + self._alphas
        return np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))


@dataclass(eq=False)
class ComplementModel(_CountingModel):
    """A value is more likely the less the events resemble those of all other values."""

    norm: bool = False

    refuses_negatives: ClassVar[str] = "ComplementNB"

    @property
    def _histograms(self) -> Counts:
        return self.table.counts.sum(axis=1, keepdims=True) - self.table.counts

    def _log_prior(self, left: Counts) -> Floats:
        # scikit-learn's model ignores its prior, but refuses one that does not fit.
        return np.where(np.isnan(super()._log_prior(left)), np.nan, 0.0)

    def scores(self, points: Floats, left: Counts, gone: Forgotten | None) -> Floats:
        scores = points @ self._weights(self._sums.of).T
        if gone is not None:  # the record's own value is right: it is not among others
            for value in range(scores.shape[1]):
                other = gone.values != value
                sums = self._sums.without(gone.places[other], np.full(other.sum(), value))
                scores[other, value] = (points[other] * self._weights(sums)).sum(axis=1)
        return scores

    def _weights(self, sums: Floats) -> Floats:
        smoothed = sums + self._alphas
        logarithms = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
        return logarithms / logarithms.sum(axis=1, keepdims=True) if self.norm else -logarithms


@dataclass(eq=False)
class BernoulliModel(_CountingModel):
    """Features are bits, and each value has its own share of ones."""

    above: float | None = 0.0
    """A feature above this is a one; None if features are bits already."""

    def seen(self, rows: Floats) -> Floats:
        return rows if self.above is None else (rows > self.above).astype(np.float64)

    def scores(self, points: Floats, left: Counts, gone: Forgotten | None) -> Floats:
        ones, zeros = self._logarithms(self._sums.of, self.table.totals)
        scores = points @ (ones - zeros).T + zeros.sum(axis=1)
        if gone is not None:
            own = np.arange(len(points)), gone.values
            ones, zeros = self._logarithms(self._sums.without(*gone), left[own])
            scores[own] = (points * (ones - zeros) + zeros).sum(axis=1)
        return scores

    def _logarithms(self, sums: Floats, totals: Counts) -> tuple[Floats, Floats]:
        ones = np.log(sums + self._alphas) - np.log(totals + 2 * self.alpha)[:, np.newaxis]
        return ones, np.log(1 - np.exp(ones))  # rounds as scikit-learn does if alpha is tiny


@dataclass(eq=False)
class CategoricalModel(ScoringModel):
    """Features are categories 0, 1, …, and each value has its own shares of each feature's.

    The number of a feature's categories follows from the largest one in the table, but is
    ``at_least`` so many. The belief about a target beyond these is NaN.
    """

    alpha: float = 1.0
    at_least: int | Counts = 0

    def __post_init__(self, features: ArrayLike, counts: ArrayLike) -> None:
        super().__post_init__(features, counts)
        _non_negative(self.table.features, "CategoricalNB")
        self._categories = self.table.features.astype(np.int64)
        width = self._categories.shape[1]
        self._at_least = _per_feature("min_categories", self.at_least, width)
        self._tables = [self._by_category(j) for j in range(width)]

    def _by_category(self, j: int) -> Counts:
        categories = self._categories[:, j]
        size = max(int(categories.max()) + 1, int(self._at_least[j]))
        counted = np.zeros((size, self.table.counts.shape[1]), dtype=np.int64)
        np.add.at(counted, categories, self.table.counts)
        return counted

    def seen(self, rows: Floats) -> Floats:
        return np.trunc(rows) + 0.0  # -0.0 becomes 0.0: equal rows have equal bytes

    def scores(self, points: Floats, left: Counts, gone: Forgotten | None) -> Floats:
        scores = np.zeros(left.shape)
        for j, (counted, categories) in enumerate(zip(self._tables, points.T, strict=True)):
            sizes = np.full(len(points), len(counted))
            if gone is not None:
                forgotten = self._categories[gone.places, j]
                sizes = self._sizes_without(j)[forgotten]
            known = (categories >= 0) & (categories < sizes)
            held = counted[np.where(known, categories, 0).astype(np.intp)]
            if gone is not None:
                held[np.arange(len(points)), gone.values] -= categories == forgotten
            scores += np.log(held + self.alpha)
            scores -= np.log(left + self.alpha * sizes[:, np.newaxis])
            scores[~known] = np.nan
        return scores

    def _sizes_without(self, j: int) -> Counts:
        """Number of the feature's categories without one record of each category."""
        held = self._tables[j].sum(axis=1)
        sizes = np.full(len(held), len(held))
        filled = np.flatnonzero(held)
        if held[filled[-1]] == 1:  # without this record another one is the largest
            following = filled[-2] + 1 if len(filled) > 1 else 0
            sizes[filled[-1]] = max(following, self._at_least[j])
        return sizes


@dataclass(eq=False)
class GaussianModel(ScoringModel):
    """Features are normal given the value; a share of the largest variance is added to all."""

    smoothing: float = 1e-9

    def __post_init__(self, features: ArrayLike, counts: ArrayLike) -> None:
        super().__post_init__(features, counts)
        table = self.table
        everybody = table.counts.sum(axis=1, keepdims=True)  # as if it were one more value
        self._moments = Moments(table.features, np.hstack([table.counts, everybody]))
        self._least = _NO_VARIANCE * np.abs(table.features).max(axis=0) ** 2

    def scores(self, points: Floats, left: Counts, gone: Forgotten | None) -> Floats:
        moments = self._moments
        variances = moments.deviations / np.maximum(moments.totals, 1)[:, np.newaxis]
        added = np.full(len(points), self.smoothing * variances[-1].max())
        if gone is not None:
            own = np.arange(len(points)), gone.values
            everybody = np.full_like(gone.values, len(moments.totals) - 1)
            _, deviations = moments.without(gone.places, everybody)
            added = self.smoothing * deviations.max(axis=1) / left.sum(axis=1)
            own_means, own_deviations = moments.without(*gone)
            own_variances = own_deviations / np.maximum(left[own][:, np.newaxis], 1)
        points = points - moments.centre
        scores = np.zeros(left.shape)
        for j in range(points.shape[1]):
            mean = np.tile(moments.means[:-1, j], (len(points), 1))
            variance = np.tile(variances[:-1, j], (len(points), 1))
            if gone is not None:
                mean[own], variance[own] = own_means[:, j], own_variances[:, j]
            variance += added[:, np.newaxis]
            variance[variance <= self._least[j]] = np.nan
            scores -= (np.log(variance) + (points[:, [j]] - mean) ** 2 / variance) / 2
        return scores
