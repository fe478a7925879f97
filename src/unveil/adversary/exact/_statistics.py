"""Sums, moments and scatters of a training table, and the same without one record.

Subtracting a record from a sum costs nothing, but if hardly anything is left, the difference
consists of rounding errors. That happens to few entries, because one record must hold almost the
whole sum; they are summed again. A scatter is the matrix of summed products of deviations from a
mean; forgetting a record subtracts a matrix of rank one from the scatter of its value.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

import numpy as np

from unveil.adversary.exact._table import Bools, Counts, Floats, Places, TrainingTable

_CANCELS = 1e-4  # share of a sum that is left, below which it is summed again
_SCATTER_CANCELS = 1e-2  # the same for a feature's summed deviations
THIN = 1e-5  # share of variance in a direction, below which a scatter is too imprecise
NEAR = 1e-3  # relative distance from a tolerance, within which rounding may decide


class ProcessWide:
    """A state of the whole process, such as a number of threads, that several threads may need.

    The first thread that enters sets it up, the last one that leaves restores what was before.
    """

    def __init__(self, state: Callable[[], AbstractContextManager[Any]]) -> None:
        self._state, self._in_place = state, ExitStack()
        self._lock, self._inside = Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._in_place.enter_context(self._state())
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._in_place.close()


@cache
def _libraries() -> Any:
    # threadpoolctl comes with scikit-learn, without which there is nothing to train.
    return import_module("threadpoolctl").ThreadpoolController()


# On a busy machine, threads that wait for each other at every small step make a thousand small
# decompositions take more than ten times as long.
one_thread = ProcessWide(lambda: _libraries().limit(limits=1))
"""Keeps numerical libraries to one thread, for work that is too small to share."""


def _whole_numbers(features: Floats) -> Bools:
    """Which features are whole numbers in every row, so that their sums are exact."""
    return ((features == np.rint(features)) & (np.abs(features) < 2**31)).all(axis=0)


class Sums:
    """Sums of the features over several histograms of one table, none of them negative.

    >>> sums = Sums(np.array([[1.0, 0.5], [4.0, 0.0]]), np.array([[3], [1]]))
    >>> sums.of
    array([[7. , 1.5]])
    >>> sums.without(np.array([0, 1]), np.array([0, 0]))
    array([[6. , 1. ],
           [3. , 1.5]])
    """

    def __init__(self, features: Floats, counts: Counts) -> None:
        self._features, self._counts = features, counts
        self.of: Floats = counts.T @ features
        self._rounds = ~_whole_numbers(features)

    def without(self, places: Places, histograms: Places) -> Floats:
        """The histogram's sums without one record at that place (targets × features)."""
        whole = self.of[histograms]
        left: Floats = whole - self._features[places]
        redo = self._rounds & (left <= _CANCELS * whole) & (whole > 0)

        def anew(place: int, histogram: int, column: int) -> float:
            weights = _weights_without(self._counts, place, histogram)
            return float(weights @ self._features[:, column])

        _replace(redo, places, histograms, anew, (left,))
        return left


class Moments:
    """Means and summed squared deviations of the features over several histograms of one table.

    Features are centred first (``centre``), and so are the means.

    >>> moments = Moments(np.array([[1.0], [5.0]]), np.array([[3], [1]]))
    >>> moments.means + moments.centre, moments.deviations
    (array([[2.]]), array([[12.]]))
    >>> means, deviations = moments.without(np.array([0]), np.array([0]))
    >>> (means + moments.centre).round(3), deviations.round(3)
    (array([[2.333]]), array([[10.667]]))
    """

    def __init__(self, features: Floats, counts: Counts) -> None:
        # The centre must not be an outlier: the other rows would lose digits.
        self.centre: Floats = np.sort(features, axis=0)[len(features) // 2]
        self.features: Floats = features - self.centre
        self.counts = counts
        self.totals: Counts = counts.sum(axis=0)
        self.means = np.zeros((counts.shape[1], features.shape[1]))
        self.deviations = np.zeros_like(self.means)
        for h in range(counts.shape[1]):
            held = counts[:, h] > 0
            if held.any():
                moments = _moments(self.features[held], counts[held, h])
                self.means[h], self.deviations[h] = moments

    def without(self, places: Places, histograms: Places) -> tuple[Floats, Floats]:
        """Both for the histogram without one record at that place (targets × features).

        Zero if the record was the only one.
        """
        n = self.totals[histograms, np.newaxis]
        left = np.maximum(n - 1, 1)
        off = self.features[places] - self.means[histograms]
        means = np.where(n > 1, self.means[histograms] - off / left, 0.0)
        whole = self.deviations[histograms]
        deviations = np.where(n > 2, whole - off**2 * n / left, 0.0)
        redo = (n > 1) & (whole > 0) & (deviations <= _CANCELS * whole)

        def anew(place: int, histogram: int, column: int) -> Floats:
            weights = _weights_without(self.counts, place, histogram)
            held = weights > 0
            return np.concatenate(_moments(self.features[held][:, [column]], weights[held]))

        _replace(redo, places, histograms, anew, (means, deviations))
        return means, deviations


def _moments(features: Floats, weights: Counts) -> tuple[Floats, Floats]:
    total = weights.sum()
    mean = weights @ features / total
    # The sum of the deviations says by how much rounding the mean is off.
    mean = mean + weights @ (features - mean) / total
    # A constant must not seem to vary by rounding errors, which scaling would enlarge.
    mean = np.where((features == features[0]).all(axis=0), features[0], mean)
    return mean, weights @ (features - mean) ** 2


def _weights_without(counts: Counts, place: int, histogram: int) -> Counts:
    weights = counts[:, histogram].copy()
    weights[place] -= 1
    return weights


def _replace(
    redo: Bools,
    places: Places,
    histograms: Places,
    anew: Callable[[int, int, int], float | Floats],
    results: tuple[Floats, ...],
) -> None:
    """Write the results of ``anew`` into the entries (targets × features) to redo."""
    targets, columns = np.nonzero(redo)
    if not len(targets):
        return
    cases = np.stack([places[targets], histograms[targets], columns])
    cases, which = np.unique(cases, axis=1, return_inverse=True)
    found = np.array([anew(*case) for case in cases.T.tolist()]).reshape(cases.shape[1], -1)
    for result, numbers in zip(results, found[which.ravel()].T, strict=True):
        result[targets, columns] = numbers


@dataclass(frozen=True, eq=False)
class Taken:
    """What forgetting one record per target does to the scatter of its value."""

    places: Places
    values: Places
    means: Floats
    """The value's means without the record (targets × features)."""
    off: Floats
    """The record's deviations from the value's means with it."""
    factor: Floats
    """The scatter decreases by this factor times the products of ``off``."""


class Scatter(Moments):
    """Means and scatter of each sensitive value, of centred features.

    >>> table = TrainingTable.of([[0.0, 0.0], [2.0, 4.0]], [[1, 3], [1, 0]])
    >>> scatter = Scatter(table)
    >>> scatter.of.tolist()
    [[[2.0, 4.0], [4.0, 8.0]], [[0.0, 0.0], [0.0, 0.0]]]
    """

    def __init__(self, table: TrainingTable) -> None:
        super().__init__(table.features, table.counts)
        self.whole = _whole_numbers(table.features)
        self._sizes: Floats = np.abs(table.features).max(axis=0)
        values, width = self.means.shape
        self.of = np.empty((values, width, width))
        for value in range(values):
            self.of[value] = self._of(table.counts[:, value], self.means[value])

    def _of(self, weights: Counts, mean: Floats) -> Floats:
        held = weights > 0
        off = self.features[held] - mean
        return (weights[held, np.newaxis] * off).T @ off

    def taken(self, places: Places, values: Places) -> Taken:
        """The change in means and scatter of the values without a record at that place."""
        means, _ = self.without(places, values)
        n = self.totals[values]
        return Taken(
            places, values, means,
            off=self.features[places] - self.means[values],
            factor=np.where(n > 1, n / np.maximum(n - 1, 1), 0.0),
        )  # fmt: skip

    def pooled(self, weights: Floats, taken: Taken | None = None) -> tuple[Floats, Bools, Bools]:
        """Weighted sums of the scatters (targets × features × features).

        ``weights`` are targets × values. Also returned: which features are constant within each
        value (targets × features), and for which targets this is not certain: scikit-learn's means
        of fractional features have rounding errors, so a constant may seem to vary there.
        """
        sums = np.tensordot(weights, self.of, axes=1)
        if taken is not None:
            sums = self._less(sums, weights, taken)
        left: Floats = np.diagonal(sums, axis1=1, axis2=2)
        # Whole numbers that vary have deviations of at least one half.
        least = np.where(weights > 0, weights, np.inf).min(axis=1, keepdims=True) / 4
        constant = left < np.where(self.whole, least, (1e-10 * self._sizes) ** 2)
        constant |= left <= 0
        sums[constant] = 0.0
        sums.swapaxes(1, 2)[constant] = 0.0
        return sums, constant, np.any(constant & ~self.whole, axis=1)

    def _less(self, sums: Floats, weights: Floats, taken: Taken) -> Floats:
        own = weights[np.arange(len(weights)), taken.values]
        column = np.sqrt(own * taken.factor)[:, np.newaxis] * taken.off
        less: Floats = sums - column[:, :, np.newaxis] * column[:, np.newaxis]
        whole = np.diagonal(sums, axis1=1, axis2=2)
        left = np.diagonal(less, axis1=1, axis2=2)
        gone = self.whole & (left < own[:, np.newaxis] / 4)
        redo = ((left <= _SCATTER_CANCELS * whole) & (whole > 0) & ~gone).any(axis=1)
        for target in np.flatnonzero(redo):
            each, value = self.of.copy(), taken.values[target]
            counts = _weights_without(self.counts, taken.places[target], value)
            each[value] = self._of(counts, taken.means[target])
            less[target] = np.tensordot(weights[target], each, axes=1)
        return less


def shrunk(covariances: Floats, shrinkage: float) -> Floats:
    """Covariances moved towards the identity times their mean variance."""
    if not shrinkage:
        return covariances
    width = covariances.shape[-1]
    mean = np.trace(covariances, axis1=1, axis2=2) / width
    return (1 - shrinkage) * covariances + shrinkage * mean[:, np.newaxis, np.newaxis] * np.eye(
        width
    )


def decomposed(covariances: Floats, spreads: Floats) -> tuple[Floats, Floats]:
    """Shares of variance and directions of covariances of features divided by their spreads.

    Differences times a direction, divided by the root of its share, are uncorrelated and have
    variance one.
    """
    scaled = covariances / (spreads[:, :, np.newaxis] * spreads[:, np.newaxis])
    with one_thread:
        shares, directions = np.linalg.eigh(scaled)
    return shares, directions / spreads[:, :, np.newaxis]
