"""The scatter of each sensitive value, and the algebra that discriminant analysis does on it.

A scatter is the matrix of summed products of deviations from a mean. Forgetting a record takes a
matrix of rank one off the scatter of its value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.adversary.exact._statistics import Moments, whole_numbers
from unveil.adversary.exact._table import TrainingTable
from unveil.adversary.exact._threads import one_thread

__all__ = ["NEAR", "THIN", "Scatter", "Taken", "decomposed", "shrunk"]

THIN = 1e-5  # share of variance in a direction below which a scatter is too imprecise
NEAR = 1e-3  # relative distance from a tolerance within which rounding may decide
_CANCELS = 1e-2  # what is left of a feature's deviations below which they are summed anew


@dataclass(frozen=True, eq=False)
class Taken:
    """What forgetting one record a target does to the scatter of its value."""

    places: NDArray[np.intp]
    values: NDArray[np.intp]
    means: NDArray[np.float64]
    """The value's means without the record (targets × features)."""
    off: NDArray[np.float64]
    """How far the record is from the value's means with it."""
    factor: NDArray[np.float64]
    """The scatter without it is less by this times the products of ``off``."""


class Scatter:
    """Means and scatter of each sensitive value, of features centred first.

    Examples
    --------
    >>> table = TrainingTable.of([[0.0, 0.0], [2.0, 4.0]], [[1, 3], [1, 0]])
    >>> scatter = Scatter(table)
    >>> scatter.of.tolist()
    [[[2.0, 4.0], [4.0, 8.0]], [[0.0, 0.0], [0.0, 0.0]]]
    """

    def __init__(self, table: TrainingTable) -> None:
        self._moments = Moments(table.features, table.counts)
        self.centre, self.features = self._moments.centre, self._moments.features
        self.totals, self.means = self._moments.totals, self._moments.means
        self.whole = whole_numbers(table.features)
        self._sizes: NDArray[np.float64] = np.abs(table.features).max(axis=0)
        values, width = self.means.shape
        self.of = np.empty((values, width, width))
        for value in range(values):
            self.of[value] = self._of(table.counts[:, value], self.means[value])

    def _of(self, weights: NDArray[np.int64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        held = weights > 0
        off = self.features[held] - mean
        return (weights[held, np.newaxis] * off).T @ off

    def taken(self, places: NDArray[np.intp], values: NDArray[np.intp]) -> Taken:
        """The change in means and scatter of the values without a record at that place."""
        means, _ = self._moments.without(places, values)
        n = self.totals[values]
        return Taken(
            places, values, means,
            off=self.features[places] - self.means[values],
            factor=np.where(n > 1, n / np.maximum(n - 1, 1), 0.0),
        )  # fmt: skip

    def pooled(
        self, weights: NDArray[np.float64], taken: Taken | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Weighted sums of the scatters (targets × features × features).

        ``weights`` are targets × values. Also returned: which features are the same in all records
        of each value (targets × features), and for which targets this cannot be told, because
        scikit-learn's means of features with a fraction are off by rounding errors, so that it may
        take a constant for one that varies.
        """
        sums = np.tensordot(weights, self.of, axes=1)
        if taken is not None:
            sums = self._less(sums, weights, taken)
        left: NDArray[np.float64] = np.diagonal(sums, axis1=1, axis2=2)
        # Whole numbers that vary have deviations of at least one half.
        least = np.where(weights > 0, weights, np.inf).min(axis=1, keepdims=True) / 4
        constant = left < np.where(self.whole, least, (1e-10 * self._sizes) ** 2)
        constant |= left <= 0
        sums[constant] = 0.0
        sums.swapaxes(1, 2)[constant] = 0.0
        return sums, constant, np.any(constant & ~self.whole, axis=1)

    def _less(
        self, sums: NDArray[np.float64], weights: NDArray[np.float64], taken: Taken
    ) -> NDArray[np.float64]:
        own = weights[np.arange(len(weights)), taken.values]
        column = np.sqrt(own * taken.factor)[:, np.newaxis] * taken.off
        less: NDArray[np.float64] = sums - column[:, :, np.newaxis] * column[:, np.newaxis]
        whole = np.diagonal(sums, axis1=1, axis2=2)
        left = np.diagonal(less, axis1=1, axis2=2)
        gone = self.whole & (left < own[:, np.newaxis] / 4)
        redo = ((left <= _CANCELS * whole) & (whole > 0) & ~gone).any(axis=1)
        for target in np.flatnonzero(redo):
            each = self.of.copy()
            each[taken.values[target]] = self._anew(taken, int(target))
            less[target] = np.tensordot(weights[target], each, axes=1)
        return less

    def _anew(self, taken: Taken, target: int) -> NDArray[np.float64]:
        weights = self._moments.counts[:, taken.values[target]].copy()
        weights[taken.places[target]] -= 1
        return self._of(weights, taken.means[target])


def shrunk(covariances: NDArray[np.float64], shrinkage: float) -> NDArray[np.float64]:
    """Covariances moved that far towards the identity times their mean variance."""
    if not shrinkage:
        return covariances
    width = covariances.shape[-1]
    mean = np.trace(covariances, axis1=1, axis2=2) / width
    return (1 - shrinkage) * covariances + shrinkage * mean[:, np.newaxis, np.newaxis] * np.eye(
        width
    )


def decomposed(
    covariances: NDArray[np.float64], spreads: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of variance and directions of covariances, each feature first divided by its spread.

    The directions are such that differences times a direction, divided by the root of its share,
    are uncorrelated with variance one.
    """
    scaled = covariances / (spreads[:, :, np.newaxis] * spreads[:, np.newaxis])
    with one_thread:
        shares, directions = np.linalg.eigh(scaled)
    return shares, directions / spreads[:, :, np.newaxis]
