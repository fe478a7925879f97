"""Sums, means and squared deviations of a table, and the same with one record less.

Taking a record off a sum costs nothing, but where hardly anything is left the difference is made
of rounding errors. This happens to few entries, as one record must hold almost the whole sum: they
are summed anew.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moments", "Sums", "whole_numbers"]

_CANCELS = 1e-4  # what is left, as a share of what was, below which it is summed anew


def whole_numbers(features: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which features are whole numbers in every row, so that sums of them have no rounding."""
    return ((features == np.rint(features)) & (np.abs(features) < 2**31)).all(axis=0)


class Sums:
    """Sums of the features over several histograms of one table, none of them negative.

    Examples
    --------
    >>> sums = Sums(np.array([[1.0, 0.5], [4.0, 0.0]]), np.array([[3], [1]]))
    >>> sums.of
    array([[7. , 1.5]])
    >>> sums.without(np.array([0, 1]), np.array([0, 0]))
    array([[6. , 1. ],
           [3. , 1.5]])
    """

    def __init__(self, features: NDArray[np.float64], counts: NDArray[np.int64]) -> None:
        self._features, self._counts = features, counts
        self.of: NDArray[np.float64] = counts.T @ features
        self._rounds = ~whole_numbers(features)

    def without(
        self, places: NDArray[np.intp], histograms: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """The histogram's sums less one record at that place (targets × features)."""
        whole = self.of[histograms]
        left: NDArray[np.float64] = whole - self._features[places]
        redo = self._rounds & (left <= _CANCELS * whole) & (whole > 0)

        def anew(place: int, histogram: int, column: int) -> float:
            weights = _weights_without(self._counts, place, histogram)
            return float(weights @ self._features[:, column])

        _replace(redo, places, histograms, anew, (left,))
        return left


class Moments:
    """Means and summed squared deviations of the features over several histograms of one table.

    Features are centred first (``centre``), and so are the means.

    Examples
    --------
    >>> moments = Moments(np.array([[1.0], [5.0]]), np.array([[3], [1]]))
    >>> moments.means + moments.centre, moments.deviations
    (array([[2.]]), array([[12.]]))
    >>> means, deviations = moments.without(np.array([0]), np.array([0]))
    >>> (means + moments.centre).round(3), deviations.round(3)
    (array([[2.333]]), array([[10.667]]))
    """

    def __init__(self, features: NDArray[np.float64], counts: NDArray[np.int64]) -> None:
        # An outlier must not be the middle: the others would lose digits on the way there.
        self.centre: NDArray[np.float64] = np.sort(features, axis=0)[len(features) // 2]
        self.features: NDArray[np.float64] = features - self.centre
        self.counts = counts
        self.totals: NDArray[np.int64] = counts.sum(axis=0)
        self.means = np.zeros((counts.shape[1], features.shape[1]))
        self.deviations = np.zeros_like(self.means)
        for h in range(counts.shape[1]):
            held = counts[:, h] > 0
            if held.any():
                moments = _moments(self.features[held], counts[held, h])
                self.means[h], self.deviations[h] = moments

    def without(
        self, places: NDArray[np.intp], histograms: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both for the histogram less one record at that place (targets × features).

        Zero where the record was the only one.
        """
        n = self.totals[histograms, np.newaxis]
        left = np.maximum(n - 1, 1)
        off = self.features[places] - self.means[histograms]
        means = np.where(n > 1, self.means[histograms] - off / left, 0.0)
        whole = self.deviations[histograms]
        deviations = np.where(n > 2, whole - off**2 * n / left, 0.0)
        redo = (n > 1) & (whole > 0) & (deviations <= _CANCELS * whole)

        def anew(place: int, histogram: int, column: int) -> NDArray[np.float64]:
            weights = _weights_without(self.counts, place, histogram)
            held = weights > 0
            return np.concatenate(_moments(self.features[held][:, [column]], weights[held]))

        _replace(redo, places, histograms, anew, (means, deviations))
        return means, deviations


def _moments(
    features: NDArray[np.float64], weights: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    total = weights.sum()
    mean = weights @ features / total
    # The rounded mean is off by a little; what the deviations sum to says by how much.
    mean = mean + weights @ (features - mean) / total
    # A constant must not seem to vary by rounding errors, which scaling would blow up.
    mean = np.where((features == features[0]).all(axis=0), features[0], mean)
    return mean, weights @ (features - mean) ** 2


def _weights_without(counts: NDArray[np.int64], place: int, histogram: int) -> NDArray[np.int64]:
    weights = counts[:, histogram].copy()
    weights[place] -= 1
    return weights


def _replace(
    redo: NDArray[np.bool_],
    places: NDArray[np.intp],
    histograms: NDArray[np.intp],
    anew: Callable[[int, int, int], float | NDArray[np.float64]],
    results: tuple[NDArray[np.float64], ...],
) -> None:
    """Write into the results (targets × features) what ``anew`` says about entries to redo."""
    targets, columns = np.nonzero(redo)
    if not len(targets):
        return
    cases = np.stack([places[targets], histograms[targets], columns])
    cases, which = np.unique(cases, axis=1, return_inverse=True)
    found = np.array([anew(*case) for case in cases.T.tolist()]).reshape(cases.shape[1], -1)
    for result, numbers in zip(results, found[which.ravel()].T, strict=True):
        result[targets, columns] = numbers
