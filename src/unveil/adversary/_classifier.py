"""An adversary out of any scikit-learn classifier.

The released records are the training data, their cells encoded as numbers; the target's own
quasi-identifiers, encoded alike, are what the model is asked about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.adversary._adversary import Adversary
from unveil.adversary._estimators import (
    accepts_weights,
    answers_depend_on_company,
    check_estimator,
    learns_the_same_from_weights,
    prior_of_its_own,
    prototype,
    written,
)
from unveil.adversary._heard import Heard
from unveil.adversary._taught import Taught
from unveil.adversary.encoding import Encoding, Lesson, Lessons, chunks
from unveil.adversary.exact import exact_learner
from unveil.errors import InputError
from unveil.microdata import Microdata, Release

__all__ = ["Classifier", "Model"]

Model: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From features to probabilities."""


@dataclass(frozen=True)
class Classifier(Adversary):
    """Trains a scikit-learn classifier on the released records.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline, or NearestNeighbours
        Must know probabilities (``predict_proba``). It is never fitted itself: every training
        starts from a copy. Wherever a ``random_state`` is left open, the seed is put in.
        ``n_jobs`` is 1 and libraries are kept to one thread, for there are workers around it.
    encoding : Encoding or str
        How cells become numbers, such as ``"bounds-hot-after"``. With ``relative`` parts every
        target has a training table of their own, and so a model.
    weighted : bool, optional
        Train on distinct records weighted by how many there are of them, instead of on each.
        Default: only where that is known to give the same model (naive Bayes of bits and counts,
        single trees that do not count rows). True wants a model whose ``fit`` takes
        ``sample_weight``.
    seed : int
        On which the model's random choices hang.

    Notes
    -----
    A value that the release does not have has the belief 0; if it has but one, that one has 1.
    Models that follow from sums (naive Bayes, discriminant analysis, `NearestNeighbours`) make an
    `UpdatingAdversary`, who can forget one record without learning anew.
    Records come to the model in the order of their features, so that the order of the table plays
    no part.

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
    seed: int = 0
    _heard: Heard = field(default_factory=Heard, init=False, repr=False, compare=False)
    _taught: Taught[Model] = field(default_factory=Taught, init=False, repr=False, compare=False)
    _blank: Any = field(default=None, init=False, repr=False, compare=False)

    def __new__(cls, estimator: Any = None, *_: Any, **options: Any) -> Classifier:
        """A classifier that can forget a record exactly, where the model allows it."""
        weights_matter = options.get("weighted") and not learns_the_same_from_weights(estimator)
        if cls is Classifier and not weights_matter and exact_learner(estimator) is not None:
            from unveil.adversary._updating_classifier import UpdatingClassifier

            return super().__new__(UpdatingClassifier)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check_estimator(self.estimator)
        if not isinstance(self.seed, int | np.integer) or not 0 <= self.seed < 2**32:
            raise InputError(f"seed must be a whole number from 0 up, got {self.seed!r}")
        if self.weighted not in (None, True, False):
            raise InputError(f"weighted must be True, False or None, got {self.weighted!r}")
        if self.weighted and not accepts_weights(self.estimator):
            raise InputError(
                f"{written(self.estimator)} takes no sample_weight; leave weighted=True out"
            )
        object.__setattr__(self, "encoding", Encoding.named(self.encoding))
        object.__setattr__(self, "_blank", prototype(self.estimator, int(self.seed)))

    @property
    def _encoding(self) -> Encoding:
        return Encoding.named(self.encoding)

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
    def notes(self) -> tuple[str, ...]:
        """What the trainings in this process have warned of."""
        return self._heard.notes(written(self.estimator))

    @property
    def own_prior(self) -> str | None:
        return prior_of_its_own(self.estimator)

    def prepared(self, microdata: Microdata) -> Microdata:
        return self._encoding.prepared(microdata)

    def with_seed(self, seed: int) -> Classifier:
        other = replace(self, seed=seed % 2**32)
        object.__setattr__(other, "_heard", self._heard)  # what its trainings say is ours
        return other

    def predict(self, release: Release, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        distinct, where = np.unique(codes, axis=1, return_inverse=True)
        beliefs = np.zeros((distinct.shape[1], release.sensitive.size))
        there = np.flatnonzero(release.totals)
        if len(there) == 1:  # which some models refuse to learn
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
            # All targets are the same point, so equal lessons have one answer.
            if lesson.signature not in known:
                model = self._trained(lesson.rows, lesson.counts[:, there])
                known[lesson.signature] = model(lessons.points(lesson.targets[:1]))
            beliefs[np.ix_(lesson.targets, there)] = known[lesson.signature]

    def _model(self, lessons: Lessons, lesson: Lesson, there: NDArray[np.intp]) -> Model:
        def learn() -> Model:
            return self._trained(lesson.rows, lesson.counts[:, there])

        # Where nothing is relative to the target, one model serves whoever is asked about later.
        return learn() if lessons.some_relative else self._taught.model(lessons.release, learn)

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
                    f"{len(points)} targets and {values} values"
                )
            return found.astype(np.float64)

        return ask
