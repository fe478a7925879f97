"""An adversary out of any scikit-learn classifier.

The training data are the released records, with their cells encoded as numbers; the model predicts
the target from its quasi-identifiers, encoded alike.

A model that follows from sums over its records forgets one record exactly, instead of being
retrained without it; see `exact_learner`. It is retrained where that is not possible: if the record
is the last of a generalization that is a feature, and on tables for which the model has no exact
answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from unveil.adversary._adversary import EncodedAdversary, UpdatingAdversary
from unveil.adversary._encoding import Encoding, chunks
from unveil.adversary._training import (
    Heard,
    Lesson,
    Lessons,
    accepts_weights,
    answers_depend_on_company,
    check_estimator,
    learns_the_same_from_weights,
    prior_of_its_own,
    prototype,
    written,
)
from unveil.adversary.exact import ExactModel, NearestNeighbours, exact_learner
from unveil.errors import InputError, Text
from unveil.microdata import Kind, Release
from unveil.options import check_fields

Model: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From features to probabilities."""


class _Taught(WeakKeyDictionary[Release, Model]):
    """The model trained on each release, for as long as the release exists. It is not pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _Taught, ()


@dataclass(frozen=True)
class Classifier(EncodedAdversary):
    """Trains a scikit-learn classifier on the released records.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline, or NearestNeighbours
        Must have probabilities (``predict_proba``). It is not fitted itself: every training starts
        from a copy. Each ``random_state`` that is None is set to the seed. ``n_jobs`` is 1 and
        libraries use one thread, because the training runs in workers.
    encoding : Encoding or str
        How cells become numbers, such as ``"bounds-hot-after"``. With ``relative`` parts every
        target has its own training table and model.
    weighted : bool, optional
        Train on distinct records weighted by their number, instead of on each record. Default:
        only if that is known to give the same model (naive Bayes of bits and counts, single trees
        that do not count rows). True needs a model whose ``fit`` takes ``sample_weight``.
    seed : int
        Random seed of the model.

    Notes
    -----
    A value that is not in the release has belief 0; if there is only one value, it has belief 1.
    Models that follow from sums (naive Bayes, discriminant analysis, `NearestNeighbours`) make an
    `UpdatingAdversary`, which can forget one record without retraining.
    Records are given to the model in the order of their features, so that the order of the table
    does not matter.

    Examples
    --------
    >>> import unveil as uv
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> survey = uv.datasets.election_survey()
    >>> tree = Classifier(DecisionTreeClassifier(max_depth=3), "bounds-hot")
    >>> tree.label
    'DecisionTreeClassifier(max_depth=3) on bounds-hot'
    >>> release = uv.Mondrian(k=20).sanitize(survey)
    >>> tree.predict(release, survey.codes[:, :1]).round(2)
    array([[0.15, 0.21, 0.11, 0.03, 0.11, 0.2 , 0.18]])
    """

    estimator: Any
    encoding: Encoding | str = "relative-relative"
    _: KW_ONLY
    weighted: bool | None = None
    seed: Annotated[int, Ge(0), Le(2**32 - 1)] = 0
    _heard: Heard = field(default_factory=Heard, init=False, repr=False, compare=False)
    _taught: _Taught = field(default_factory=_Taught, init=False, repr=False, compare=False)
    _blank: Any = field(default=None, init=False, repr=False, compare=False)

    def __new__(cls, estimator: Any = None, *_: Any, **options: Any) -> Classifier:
        """A classifier that can forget a record exactly, if the model allows it."""
        weights_matter = options.get("weighted") and not learns_the_same_from_weights(estimator)
        if cls is Classifier and not weights_matter and exact_learner(estimator) is not None:
            return super().__new__(UpdatingClassifier)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check_estimator(self.estimator)
        check_fields(self)
        if self.weighted and not accepts_weights(self.estimator):
            raise InputError(
                f"{written(self.estimator)} takes no sample_weight; leave weighted=True out"
            )
        super().__post_init__()
        object.__setattr__(self, "_blank", prototype(self.estimator, int(self.seed)))

    @property
    def label(self) -> str:
        """The model and the encoding."""
        return f"{written(self.estimator)} on {self.encoding}"

    @property
    def explained(self) -> str:
        return (
            "knows everybody's quasi-identifiers and trains this model on the released records, "
            f"whose cells are encoded as {self.encoding}"
        )

    @property
    def notes(self) -> tuple[Text, ...]:
        """The warnings of the trainings in this process."""
        return self._heard.notes(written(self.estimator))

    @property
    def own_prior(self) -> str | None:
        return prior_of_its_own(self.estimator)

    def with_seed(self, seed: int) -> Classifier:
        other = replace(self, seed=seed % 2**32)
        object.__setattr__(other, "_heard", self._heard)  # its warnings are noted here, too
        return other

    def predict(self, release: Release, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        distinct, where = np.unique(codes, axis=1, return_inverse=True)
        beliefs = np.zeros((distinct.shape[1], release.sensitive.size))
        there = np.flatnonzero(release.totals)
        if len(there) == 1:  # some models refuse to learn from one value
            beliefs[:, there] = 1
        else:
            self._ask(Lessons.of(release, self._encoding, distinct), there, beliefs)
        return beliefs[where.ravel()]

    def _ask(self, lessons: Lessons, there: NDArray[np.intp], beliefs: NDArray[np.float64]) -> None:
        """Fill in the beliefs about all targets."""
        known: dict[bytes, NDArray[np.float64]] = {}
        for lesson in lessons:
            if not lessons.all_relative:
                model = self._model(lessons, lesson, there)
                for some in chunks(lesson.targets, lesson.rows.shape[1]):
                    beliefs[np.ix_(some, there)] = model(lessons.points(some))
                continue
            # All targets are the same point, so equal lessons have the same answer.
            if lesson.signature not in known:
                model = self._trained(lesson.rows, lesson.counts[:, there])
                known[lesson.signature] = model(lessons.points(lesson.targets[:1]))
            beliefs[np.ix_(lesson.targets, there)] = known[lesson.signature]

    def _model(self, lessons: Lessons, lesson: Lesson, there: NDArray[np.intp]) -> Model:
        # If nothing is relative to the target, one model serves all later targets.
        model = None if lessons.some_relative else self._taught.get(lessons.release)
        if model is None:
            model = self._trained(lesson.rows, lesson.counts[:, there])
            if not lessons.some_relative:
                self._taught[lessons.release] = model
        return model

    def _trained(self, rows: NDArray[np.float64], counts: NDArray[np.int64]) -> Model:
        """A function from features to probabilities of the values that ``counts`` has."""
        from sklearn.base import clone

        model, values = clone(self._blank), counts.shape[1]
        weighted = self.weighted
        if weighted is None:
            weighted = learns_the_same_from_weights(self.estimator)
        number, value = np.nonzero(counts)
        times = counts[number, value]
        with self._heard.listening():
            if weighted:
                model.fit(rows[number], value, sample_weight=times.astype(np.float64))
            else:
                model.fit(rows[np.repeat(number, times)], np.repeat(value, times))

        alone = answers_depend_on_company(self.estimator)

        def ask(points: NDArray[np.float64]) -> NDArray[np.float64]:
            groups = np.split(points, len(points)) if alone else [points]
            with self._heard.listening():
                found = np.vstack([model.predict_proba(group) for group in groups])
            if found.shape != (len(points), values):
                raise InputError(
                    f"{written(self.estimator)} gave probabilities of shape {found.shape} for "
                    f"{len(points):,} targets and {values} values"
                )
            return found.astype(np.float64)

        return ask


@dataclass(frozen=True)
class UpdatingClassifier(Classifier, UpdatingAdversary):
    """The `Classifier` of a model that can forget."""

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
        assert learner is not None  # checked by __post_init__
        return learner(rows, counts)

    def _takes_features_along(self, lessons: Lessons, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether a record is the last one with a generalization that is a feature."""
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
        """The belief about one target, retrained without a row; NaN if that is not possible."""
        try:
            rest = release.take(np.delete(np.arange(len(release)), row))
            return self.predict(rest, codes)[0]
        except Exception as error:  # the model cannot be trained on this table
            self._heard.add(type(error), str(error))
            return np.full(release.sensitive.size, np.nan)
