"""Nearest neighbours, trained on counts, and without one record.

Releases have many records with the same features, so the k nearest are rarely unique. A model that
chooses k of them by the order of rows depends on that order. Here the records at the k-th distance
share the remaining places equally, and no order matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from unveil.adversary.exact._table import Counts, Floats, Places, TrainingTable, portions
from unveil.errors import InputError, did_you_mean

Metric = Literal["euclidean", "manhattan", "hamming"]
Weights = Literal["uniform", "distance"]

_NAMES = {"euclidean": "euclidean", "manhattan": "cityblock", "hamming": "hamming"}  # scipy's
_SAME = 1e-9  # relative difference of two distances that is only rounding


@dataclass(frozen=True, kw_only=True)
class NearestNeighbours:
    """The shares of the sensitive values among the k nearest records.

    Parameters
    ----------
    k
        Number of neighbours. If there are fewer records, all count.
    metric
        ``"euclidean"``, ``"manhattan"`` (sum of differences) or ``"hamming"`` (share of features
        that differ).
    weights
        ``"uniform"``: all neighbours have the same weight. ``"distance"``: the weight is one over
        the distance; if some are at distance zero, only these count.

    Examples
    --------
    >>> model = NearestNeighbours(k=3).learn([[0], [1], [5]], [[1, 0], [2, 2], [9, 0]])
    >>> model.predict([[0]])             # four records share the two places after the first
    array([[0.66666667, 0.33333333]])
    >>> model.predict_without([[0]], [[1]], [0]).round(4)
    array([[0.5556, 0.4444]])
    """

    k: int = 5
    metric: Metric = "euclidean"
    weights: Weights = "uniform"

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise InputError(f"k must be a whole number from 1 up, got {self.k!r}")
        for name, choices in (("metric", get_args(Metric)), ("weights", get_args(Weights))):
            given = getattr(self, name)
            if given not in choices:
                near = did_you_mean(str(given), choices)
                raise InputError(f"no {name} {given!r}{near} (known: {', '.join(choices)})")

    def learn(self, features: ArrayLike, counts: ArrayLike) -> _NeighboursModel:
        """Learn from feature rows, and the number of records with these and each value."""
        return _NeighboursModel(TrainingTable.of(features, counts), self)


@dataclass(frozen=True, eq=False)
class _NeighboursModel:
    """Keeps the table, and searches it for neighbours when asked."""

    table: TrainingTable
    settings: NearestNeighbours

    def predict(self, points: ArrayLike) -> Floats:
        """Beliefs about the points (targets × values)."""
        points = self.table.points(points)
        nobody = np.full(len(points), -1)
        return self._beliefs(points, nobody, nobody)

    def predict_without(self, points: ArrayLike, rows: ArrayLike, values: ArrayLike) -> Floats:
        """Beliefs about each point by the model trained without the record given for it."""
        points = self.table.points(points)
        values = np.asarray(values, dtype=np.intp)
        return self._beliefs(points, self.table.places(points, rows, values), values)

    def _beliefs(self, points: Floats, places: Places, values: Places) -> Floats:
        votes = np.empty((len(points), self.table.counts.shape[1]))
        metric = _NAMES[self.settings.metric]
        for some in portions(len(points), 2 * len(self.table.features)):
            distances = cdist(points[some], self.table.features, metric)
            votes[some] = self._votes(distances, places[some], values[some])
        with np.errstate(invalid="ignore"):  # nobody is left to vote
            return votes / votes.sum(axis=1, keepdims=True)

    def _votes(self, distances: Floats, places: Places, values: Places) -> Floats:
        """Weighted neighbours of each value (targets × values), without the forgotten record.

        Every row of the table has a record, so the k + 1 nearest rows have k records that are not
        forgotten. Only these pairs of targets and rows matter.
        """
        k = min(self.settings.k, distances.shape[1] - 1)
        reach = np.partition(distances, k, axis=1)[:, [k]]
        targets, rows = np.nonzero(distances <= reach * (1 + _SAME))
        near = distances[targets, rows]
        own = rows == places[targets]
        records = self.table.counts.sum(axis=1)[rows] - own
        weights = self._weights(targets, near, records, len(distances))
        votes = np.empty((len(distances), self.table.counts.shape[1]))
        for value in range(votes.shape[1]):
            held = self.table.counts[rows, value] - (own & (values[targets] == value))
            votes[:, value] = np.bincount(targets, weights * held, len(votes))
        return votes

    def _weights(self, targets: Places, near: Floats, records: Counts, size: int) -> Floats:
        """The weight of each record, for pairs of targets and rows with so many records."""
        farthest = _kth(self.settings.k, targets, near, records, size)[targets]
        nearer = near < farthest * (1 - _SAME)
        tied = (near <= farthest * (1 + _SAME)) & ~nearer
        places = self.settings.k - np.bincount(targets, records * nearer, size)
        with np.errstate(divide="ignore", invalid="ignore"):  # where there are no ties
            share = np.minimum(places / np.bincount(targets, records * tied, size), 1.0)
        weights = np.where(tied, share[targets], nearer)
        if self.settings.weights == "uniform":
            return weights
        here = near == 0
        alone = np.bincount(targets, records * here, size)[targets] > 0
        return np.where(alone, here, weights / np.where(here, np.inf, near))


def _kth(k: int, targets: Places, near: Floats, records: Counts, size: int) -> Floats:
    """The distance of each target's k-th record; infinite if there are fewer."""
    order = np.lexsort((near, targets))
    within = records[order].cumsum()
    before = np.concatenate([[0], np.bincount(targets, records, size).cumsum()[:-1]])
    reached = order[within - before[targets[order]] >= k]
    farthest = np.full(size, np.inf)
    np.minimum.at(farthest, targets[reached], near[reached])
    return farthest
