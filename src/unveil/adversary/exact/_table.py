"""What models with exact updates share: their training table, priors and beliefs.

A release is a short list of classes with counts, so such a model learns from distinct feature rows
and the number of records with these features and each sensitive value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.errors import Cell, InputError, Row

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]
Counts: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

_ENTRIES = 2**20  # numbers in the largest array of a portion: 8 MB


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Distinct feature rows, and the number of records with these features and each value.

    >>> table = TrainingTable.of([[1, 0], [2, 5], [1, 0]], [[1, 0], [0, 2], [0, 1]])
    >>> table.features.tolist(), table.counts.tolist()
    ([[1.0, 0.0], [2.0, 5.0]], [[1, 1], [0, 2]])
    """

    features: Floats
    counts: Counts

    @classmethod
    def of(cls, features: ArrayLike, counts: ArrayLike) -> TrainingTable:
        """Merge equal rows, in an order that does not depend on the given one."""
        features = np.asarray(features, dtype=np.float64)
        counts = np.asarray(counts)
        if counts.ndim != 2 or len(counts) != len(features):
            raise InputError(
                f"counts of shape {counts.shape} do not fit {len(features)} feature rows; give one "
                "row per feature row, one column per sensitive value"
            )
        if counts.dtype.kind not in "iu" or (counts < 0).any() or not counts.any():
            raise InputError(
                "counts of records must be whole numbers, none of them negative and not all zero"
            )
        held = counts.any(axis=1)  # a row without records must not be a neighbour
        rows, place = np.unique(features[held], axis=0, return_inverse=True)
        merged = np.zeros((len(rows), counts.shape[1]), dtype=np.int64)
        np.add.at(merged, place.ravel(), counts[held])
        return cls(rows, merged)

    @cached_property
    def totals(self) -> Counts:
        """Records of each sensitive value."""
        return self.counts.sum(axis=0)

    @cached_property
    def _place_of(self) -> dict[bytes, int]:
        return {row.tobytes(): place for place, row in enumerate(self.features)}

    def points(self, points: Floats) -> Floats:
        """Check that points have the table's features."""
        if points.shape[1] != self.features.shape[1]:
            width = self.features.shape[1]
            raise InputError(
                f"points with {points.shape[1]} features do not fit a model trained on {width}"
            )
        return points

    def places(self, points: Floats, rows: Floats, values: Places) -> Places:
        """Rows of the table with the records to forget, one per point; all must be in it."""
        if not len(points) == len(rows) == len(values):
            raise InputError(
                f"{len(points)} points cannot forget {len(rows)} rows with {len(values)} values; "
                "give one record per point"
            )
        places = np.array([self._place_of.get(row.tobytes(), -1) for row in rows], dtype=np.intp)
        fits = (places >= 0) & (values >= 0) & (values < self.counts.shape[1])
        fits[fits] = self.counts[places[fits], values[fits]] > 0
        if not fits.all():
            target = int(np.flatnonzero(~fits)[0])
            raise InputError(
                "{target} cannot forget a record with sensitive value {value}: no such record of "
                "the training table has these features",
                target=Row(target, "target"), value=Cell(values[target], bare=True),
            )  # fmt: skip
        return places


def _checked_features(rows: ArrayLike) -> Floats:
    """Rows of finite features."""
    rows = np.asarray(rows, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError(
            f"features of shape {rows.shape} are not a table; give one row per record, one column "
            "per feature"
        )
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise InputError(
            "feature {feature} of {row} is {value}; features must be finite numbers",
            feature=int(column), row=Row(int(row)), value=Cell(rows[row, column], bare=True),
        )  # fmt: skip
    return np.ascontiguousarray(rows + 0.0)  # -0.0 becomes 0.0: equal rows have equal bytes


@dataclass(frozen=True, eq=False)
class Prior:
    """The share of each sensitive value that a model starts from: as counted, equal, or given."""

    given: Floats | None = None
    """One number per sensitive value that has records."""
    equal: bool = False

    def shares(self, totals: Counts, left: Counts) -> Floats:
        """Shares if ``left`` records (targets × values) of the ``totals`` are left.

        Given numbers are for all values: NaN for a target that lacks one.
        """
        if self.given is None:
            weights = (left > 0).astype(np.float64) if self.equal else left
            with np.errstate(invalid="ignore"):
                return weights / weights.sum(axis=1, keepdims=True)
        if len(self.given) != (totals > 0).sum():
            raise InputError(
                f"the estimator is given {len(self.given)} prior probabilities, but "
                f"{(totals > 0).sum()} sensitive values have records; give one for each of these"
            )
        whole = np.zeros(len(totals))
        whole[totals > 0] = self.given
        complete = ((left > 0) == (totals > 0)).all(axis=1, keepdims=True)
        return np.where(complete, whole, np.nan)


def _beliefs(scores: Floats, left: Counts) -> Floats:
    """Beliefs from unscaled logarithms; 0 for values without records.

    NaN if a score is. If only one value is left it has belief 1, whatever its score.

    >>> _beliefs(np.log([[3.0, 1.0, 5.0]]), np.array([[2, 7, 0]]))
    array([[0.75, 0.25, 0.  ]])
    """
    held = left > 0
    only = held & (held.sum(axis=1, keepdims=True) == 1)
    scores = np.where(only, 0.0, np.where(held, scores, -np.inf))
    with np.errstate(invalid="ignore"):
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


def portions(targets: int, entries: int) -> Iterator[slice]:
    """Slices of the targets for which an array of so many entries per target stays small."""
    step = max(1, _ENTRIES // entries)
    for first in range(0, targets, step):
        yield slice(first, min(first + step, targets))


class Forgotten(NamedTuple):
    """The record that each target forgets."""

    places: Places
    """Its row in the training table."""
    values: Places
    """Its sensitive value."""


@dataclass(eq=False)
class ExactModel(ABC):
    """A model trained on a table of counts, which can forget any one of its records."""

    features: InitVar[ArrayLike]
    counts: InitVar[ArrayLike]

    def __post_init__(self, features: ArrayLike, counts: ArrayLike) -> None:
        self.table = TrainingTable.of(self.seen(_checked_features(features)), counts)

    def seen(self, rows: Floats) -> Floats:
        """Feature rows as the model uses them."""
        return rows

    @abstractmethod
    def beliefs(self, points: Floats, gone: Forgotten | None) -> Floats:
        """Beliefs about the points, by the table without the forgotten records, if any."""

    def predict(self, points: ArrayLike) -> Floats:
        """Beliefs about points (targets × features): one row per target, one column per value.

        Rows sum to one, with 0 for values without records. A row of NaN means that this target's
        belief cannot be computed exactly here: ask the estimator itself, which may refuse to be
        trained on such a table, or to predict such a point.
        """
        return self.beliefs(self._rows(points), None)

    def predict_without(self, points: ArrayLike, rows: ArrayLike, values: ArrayLike) -> Floats:
        """The same, each by the model trained without one record with these features and value.

        If only one value is left it has belief 1.
        """
        asked, values = self._rows(points), np.asarray(values, dtype=np.intp)
        gone = Forgotten(self.table.places(asked, self._rows(rows), values), values)
        return self.beliefs(asked, gone)

    def _rows(self, rows: ArrayLike) -> Floats:
        return self.table.points(self.seen(_checked_features(rows)))


@dataclass(eq=False)
class ScoringModel(ExactModel):
    """A model that gives each sensitive value a score, the logarithm of an unscaled belief.

    If a score cannot be computed exactly, it and the belief about that target are NaN.
    """

    prior: Prior

    def __post_init__(self, features: ArrayLike, counts: ArrayLike) -> None:
        super().__post_init__(features, counts)
        self._log_prior(self.table.totals[np.newaxis])  # refuses a prior that does not fit

    @property
    def entries(self) -> int:
        """Size of the largest array that the model needs for one target."""
        return max(self.table.counts.shape[1], self.table.features.shape[1])

    @abstractmethod
    def scores(self, points: Floats, left: Counts, gone: Forgotten | None) -> Floats:
        """Scores of the points (targets × values), without the prior.

        ``left`` is the number of remaining records of each value (targets × values).
        """

    def beliefs(self, points: Floats, gone: Forgotten | None) -> Floats:
        beliefs = np.empty((len(points), len(self.table.totals)))
        for some in portions(len(points), self.entries):
            left, here = np.tile(self.table.totals, (len(points[some]), 1)), None
            if gone is not None:
                here = Forgotten(gone.places[some], gone.values[some])
                left[np.arange(len(left)), here.values] -= 1
            with np.errstate(all="ignore"):
                scores = self.scores(points[some], left, here) + self._log_prior(left)
            beliefs[some] = _beliefs(scores, left)
        return beliefs

    def _log_prior(self, left: Counts) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.prior.shares(self.table.totals, left))
