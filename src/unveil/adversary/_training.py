"""Training over and over again: training tables, and what has to be known about estimators.

Released records with the same features are one row with a count for each sensitive value. If a
column is encoded relative to the target, targets with different values have different training
tables. So there is one *lesson* per pattern of cells that cover the target; targets whose values
are covered by the same cells share it. Rows are in the order of their features. So a lesson, and a
random model with a seed, depends neither on the order of records nor on that of classes.

Trainings are many and small, and run in workers. So warnings are noted instead of being shown
thousands of times, and each training has one thread: threads within it would wait for one another
longer than they work, and sums would depend on the machine's cores.
"""

from __future__ import annotations

import hashlib
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.adversary._encoding import Encoding, Features, distinct_rows
from unveil.adversary.exact import NearestNeighbours, ProcessWide, one_thread
from unveil.engine.counting import combined
from unveil.errors import Cell, Foreign, InputError, Message, MissingExtraError
from unveil.microdata import Release

# Models that only add up, so that a record of weight 5 equals five records exactly.
_ADDING_UP = ("BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB")
# Trees compare sums of integers, which are exact either way. But these settings count rows.
_TREES = ("DecisionTreeClassifier", "ExtraTreeClassifier")
_COUNTING_ROWS = {"min_samples_split": 2, "min_samples_leaf": 1, "class_weight": None}

# Settings with which naive Bayes, discriminant analysis and others learn shares as they are.
_LEARNS_SHARES = {"fit_prior": True, "class_prior": None, "priors": None, "class_weight": None}


class Lesson(NamedTuple):
    """One training table, and the targets to predict with it."""

    targets: NDArray[np.intp]
    """Positions among the targets."""
    rows: NDArray[np.float64]
    """Distinct records × features, in lexicographic order."""
    counts: NDArray[np.int64]
    """Distinct records × sensitive values: number of records."""
    bits: NDArray[np.bool_]
    """Classes × relative columns: whether the class's cell covers the targets' value."""

    @property
    def signature(self) -> bytes:
        """A digest that is equal for equal training tables."""
        digest = hashlib.blake2b(repr(self.rows.shape).encode(), digest_size=16)
        digest.update(self.rows.tobytes())
        digest.update(self.counts.tobytes())
        return digest.digest()


@dataclass(frozen=True, eq=False)
class Lessons:
    """All lessons for the targets ``codes`` (columns × targets)."""

    release: Release
    features: tuple[Features | None, ...]
    """Features of each column; None if they are relative to the target."""
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, release: Release, encoding: Encoding, codes: NDArray[np.int32]) -> Lessons:
        made = tuple(map(encoding.features, release.quasi, release.regions))
        return cls(release, made, codes)

    @property
    def all_relative(self) -> bool:
        """Whether every target is all ones, whatever their values."""
        return all(features is None for features in self.features)

    @property
    def some_relative(self) -> bool:
        """Whether targets may have different training tables."""
        return any(features is None for features in self.features)

    def __iter__(self) -> Iterator[Lesson]:
        """All lessons; every target is in one of them."""
        if self.codes.shape[1] == 0:
            return
        everybody = np.zeros(self.release.n_classes, dtype=np.int64)
        fixed = [features.row_of for features in self.features if features is not None]
        # Numbers of the classes, equal if they have the same features that are not relative.
        _, group = combined([everybody, *fixed])
        covers, patterns = self._patterns()
        _, pattern_of = combined([np.zeros(self.codes.shape[1], dtype=np.int64), *patterns])
        order = np.argsort(pattern_of, kind="stable")
        for targets in np.split(order, np.flatnonzero(np.diff(pattern_of[order])) + 1):
            bits = np.empty((self.release.n_classes, len(covers)), dtype=bool)
            for j, (answers, which) in enumerate(zip(covers, patterns, strict=True)):
                bits[:, j] = answers[which[targets[0]]]
            yield self._lesson(targets, group, bits)

    def class_features(self, lesson: Lesson, classes: NDArray[np.integer]) -> NDArray[np.float64]:
        """The features of records of these classes in a lesson."""
        relative = iter(lesson.bits[classes].T)
        return np.hstack(
            [
                next(relative)[:, None].astype(np.float64)
                if features is None
                else features.rows[features.row_of[classes]]
                for features in self.features
            ]
        )

    def points(self, targets: NDArray[np.intp]) -> NDArray[np.float64]:
        """The features of targets."""
        ones = np.ones((len(targets), 1))
        return np.hstack(
            [
                ones if features is None else features.of_values(row[targets])
                for features, row in zip(self.features, self.codes, strict=True)
            ]
        )

    def _lesson(
        self, targets: NDArray[np.intp], group: NDArray[np.intp], bits: NDArray[np.bool_]
    ) -> Lesson:
        example, group = combined([group, *bits.T.astype(np.int64)])
        counts = np.zeros((len(example), self.release.sensitive.size), dtype=np.int64)
        np.add.at(counts, group, self.release.counts)
        unordered = Lesson(targets, np.empty((0, 0)), counts, bits)
        rows = self.class_features(unordered, example)
        order = np.lexsort(rows.T[::-1])
        return Lesson(targets, rows[order], counts[order], bits)

    def _patterns(self) -> tuple[list[NDArray[np.bool_]], list[NDArray[np.intp]]]:
        """For each relative column, the distinct sets of classes that cover a target's value, and
        the set of each target."""
        covers, patterns = [], []
        for features, regions, row in zip(
            self.features, self.release.regions, self.codes, strict=True
        ):
            if features is None:
                values, of_target = np.unique(row, return_inverse=True)
                answers = np.stack([regions.covers(int(value)) for value in values])
                first, same = distinct_rows(answers)
                covers.append(answers[first])
                patterns.append(same[of_target])
        return covers, patterns


def scikit_learn() -> Any:
    """scikit-learn's base module, or an error that says what to install."""
    try:
        import sklearn.base
    except ImportError as error:
        raise MissingExtraError(
            "classifiers need scikit-learn; install it with: pip install 'unveil[models]'"
        ) from error
    return sklearn.base


def check_estimator(estimator: Any) -> None:
    """Refuse anything but a classifier with probabilities."""
    if isinstance(estimator, NearestNeighbours):
        return
    base = scikit_learn()
    if isinstance(estimator, type):
        raise InputError(
            f"{estimator.__name__} is a class; give an instance: {estimator.__name__}()"
        )
    if not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise InputError(
            "{given} is not a model; give a scikit-learn classifier or pipeline, such as "
            "RandomForestClassifier()",
            given=Cell(estimator),
        )
    name = type(estimator).__name__
    if base.is_regressor(estimator):
        raise InputError(
            f"{name} predicts numbers; an adversary needs a classifier, such as "
            "DecisionTreeClassifier()"
        )
    if not hasattr(estimator, "predict_proba"):
        raise InputError(
            f"{written(estimator)} has no probabilities (predict_proba); wrap it: "
            f"sklearn.calibration.CalibratedClassifierCV({name}(…))"
        )


def prototype(estimator: Any, seed: int) -> Any:
    """The estimator, unfitted, with the seed for each open ``random_state``, and one job."""
    if isinstance(estimator, NearestNeighbours):
        return estimator
    made = scikit_learn().clone(estimator)
    settings = {}
    for name, value in made.get_params(deep=True).items():
        if name.rpartition("__")[2] == "random_state" and value is None:
            settings[name] = seed
        if name.rpartition("__")[2] == "n_jobs" and value is not None:
            settings[name] = 1
    return made.set_params(**settings)


def prior_of_its_own(estimator: Any) -> str | None:
    """The setting with which a model does not learn the shares of the values as they are."""
    if isinstance(estimator, NearestNeighbours):
        return None
    for name, value in estimator.get_params(deep=True).items():
        usual = _LEARNS_SHARES.get(name.rpartition("__")[2], value)
        if value is not usual:
            return f"{name}={value!r}"
    return None


def accepts_weights(estimator: Any) -> bool:
    """Whether ``fit`` takes weights; a pipeline's earlier steps would not see them."""
    if isinstance(estimator, NearestNeighbours):
        return False
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(estimator, "sample_weight"))


def learns_the_same_from_weights(estimator: Any) -> bool:
    """Whether a row of weight n is known to give exactly the same model as n rows."""
    kind = type(estimator)
    if not kind.__module__.startswith("sklearn."):
        return False
    if kind.__name__ in _ADDING_UP:
        return True
    settings = estimator.get_params(deep=False)
    return kind.__name__ in _TREES and all(
        settings[name] == default for name, default in _COUNTING_ROWS.items()
    )


def answers_depend_on_company(estimator: Any) -> bool:
    """Whether the answer about one point may depend on the other points of the same call.

    scikit-learn's nearest neighbours are searched differently for many points than for few, and
    then others of the equally distant ones are taken.
    """
    from sklearn.neighbors._base import KNeighborsMixin

    parts = [estimator, *estimator.get_params(deep=True).values()]
    return any(isinstance(part, KNeighborsMixin) for part in parts)


def written(estimator: Any) -> str:
    """The estimator on one line, with the settings that differ from their defaults."""
    if is_dataclass(estimator):
        settings = {f.name: getattr(estimator, f.name) for f in fields(estimator)}
        changed = [f.name for f in fields(estimator) if settings[f.name] != f.default]
        listed = ", ".join(f"{name}={settings[name]!r}" for name in changed)
        return f"{type(estimator).__name__}({listed})"
    steps = getattr(estimator, "steps", None)
    if type(estimator).__name__ == "Pipeline" and steps is not None:
        return " → ".join(written(step) for _, step in steps)
    return " ".join(repr(estimator).split())


_here = threading.local()


@contextmanager
def _noted() -> Iterator[None]:
    """Warnings go to the `Heard` of the thread that raises them, if it has one."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            heard: Heard | None = getattr(_here, "heard", None)
            if heard is None:
                others(message, category, *where, **more)
            else:
                heard.add(category, str(message))

        warnings.simplefilter("always")
        warnings.showwarning = show
        yield


_listening = ProcessWide(_noted)  # warning filters belong to the whole process


class Heard:
    """The warnings of trainings.

    >>> heard = Heard()
    >>> with heard.listening():
    ...     warnings.warn("it did not converge")
    >>> [str(note) for note in heard.notes("a tree")]
    ['training a tree warned: UserWarning: it did not converge']
    """

    def __init__(self) -> None:
        self._said: dict[str, None] = {}  # each once, in the order of the first time

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Note the warnings of this thread; keep numerical libraries to one thread."""
        outer = getattr(_here, "heard", None)
        with one_thread, _listening:
            _here.heard = self
            try:
                yield
            finally:
                _here.heard = outer

    def add(self, category: type[Exception], message: str) -> None:
        """Note the first sentence or line of a warning: the rest is often numbers."""
        first = message.strip().partition("\n")[0].partition(". ")[0].rstrip(".:")
        self._said[f"{category.__name__}: {first}"] = None

    def notes(self, what: str) -> tuple[Message, ...]:
        """A sentence for each kind of warning."""
        return tuple(
            Message("training {model} warned: {said}", model=what, said=Foreign(said))
            for said in self._said
        )
