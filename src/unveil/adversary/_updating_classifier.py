"""A classifier that forgets one released record exactly, instead of being trained anew without it.

Models that follow from sums over their records allow it; see `exact_learner`. What forgetting
cannot settle is trained anew: a record that takes the last of a generalization with it, where
generalizations are the features, and tables on which the model has no exact answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.adversary._adversary import UpdatingAdversary
from unveil.adversary._classifier import Classifier, Model
from unveil.adversary._estimators import written
from unveil.adversary.encoding import Lessons, chunks
from unveil.adversary.exact import ExactModel, NearestNeighbours, exact_learner
from unveil.errors import InputError
from unveil.microdata import Kind, Release

__all__ = ["UpdatingClassifier"]


@dataclass(frozen=True)
class UpdatingClassifier(Classifier, UpdatingAdversary):
    """What `Classifier` makes of a model that can forget."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if exact_learner(self.estimator) is None:
            raise InputError(f"{written(self.estimator)} cannot forget; make a Classifier of it")

    def predict_without(
        self, release: Release, codes: NDArray[np.int32], rows: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        beliefs = np.full((len(rows), release.sensitive.size), np.nan)
        if len(release) == 1:
            return beliefs
        there = np.flatnonzero(release.totals)
        lessons = Lessons.of(release, self._encoding, codes)
        forgettable = np.flatnonzero(~self._takes_features_along(lessons, rows))
        some = replace(lessons, codes=codes[:, forgettable])
        beliefs[forgettable] = self._forgotten(some, there, rows[forgettable])
        for target in np.flatnonzero(np.isnan(beliefs).any(axis=1)):
            beliefs[target] = self._anew(release, codes[:, [target]], int(rows[target]))
        return beliefs

    def _trained(self, rows: NDArray[np.float64], counts: NDArray[np.int64]) -> Model:
        exact = self._learned(rows, counts)

        def ask(points: NDArray[np.float64]) -> NDArray[np.float64]:
            found = exact.predict(points)
            unknown = np.isnan(found).any(axis=1)
            if unknown.any() and not isinstance(self.estimator, NearestNeighbours):
                found[unknown] = Classifier._trained(self, rows, counts)(points[unknown])
            return found

        return ask

    def _learned(self, rows: NDArray[np.float64], counts: NDArray[np.int64]) -> ExactModel:
        learner = exact_learner(self.estimator)
        assert learner is not None  # made sure of when it was made
        return learner(rows, counts)

    def _takes_features_along(self, lessons: Lessons, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether a record is the last of one of its generalizations, and those are features."""
        last, release = np.zeros(len(rows), dtype=bool), lessons.release
        if self._encoding.follows_generalizations:
            for column, features in zip(release.quasi, lessons.features, strict=True):
                if features is not None and column.kind is not Kind.NUMERIC:
                    sizes = np.bincount(features.row_of, weights=release.sizes)
                    last |= sizes[features.row_of[release.class_of[rows]]] == 1
        return last

    def _forgotten(
        self, lessons: Lessons, there: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        release = lessons.release
        beliefs = np.zeros((len(rows), release.sensitive.size))
        values = np.searchsorted(there, release.sensitive.codes[rows])
        for lesson in lessons:
            model = self._learned(lesson.rows, lesson.counts[:, there])
            for some in chunks(lesson.targets, lesson.rows.shape[1]):
                left_out = lessons.class_features(lesson, release.class_of[rows[some]])
                beliefs[np.ix_(some, there)] = model.predict_without(
                    lessons.points(some), left_out, values[some]
                )
        return beliefs

    def _anew(self, release: Release, codes: NDArray[np.int32], row: int) -> NDArray[np.float64]:
        """The belief about one target from the release without a row; NaN if there is none."""
        try:
            return self.predict(_without(release, row), codes)[0]
        except Exception as error:  # a table that this model cannot be trained on
            self._heard.add(type(error), str(error))
            return np.full(release.sensitive.size, np.nan)


def _without(release: Release, row: int) -> Release:
    """The release without one record, and without its class if that is empty then."""
    kept = np.delete(np.arange(len(release)), row)
    classes, class_of = np.unique(release.class_of[kept], return_inverse=True)
    return replace(
        release,
        sensitive=release.sensitive.take(kept),
        class_of=class_of.astype(np.int32),
        regions=tuple(regions.take(classes) for regions in release.regions),
    )
