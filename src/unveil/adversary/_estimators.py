"""What has to be known about scikit-learn's estimators to train them over and over again.

Trainings are many and small, and run in workers. So warnings are noted instead of being shown
thousands of times, and each training has one thread: threads within it would wait for one another
longer than they work, and sums would depend on the machine's cores.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

from unveil.adversary.exact import NearestNeighbours, one_thread
from unveil.errors import Cell, Foreign, InputError, Message, MissingExtraError

# Models that only add up, so that a record of weight 5 equals five records exactly.
_ADDING_UP = ("BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB")
# Trees compare sums of integers, which are exact either way. But these settings count rows.
_TREES = ("DecisionTreeClassifier", "ExtraTreeClassifier")
_COUNTING_ROWS = {"min_samples_split": 2, "min_samples_leaf": 1, "class_weight": None}

# Settings with which naive Bayes, discriminant analysis and others learn shares as they are.
_LEARNS_SHARES = {"fit_prior": True, "class_prior": None, "priors": None, "class_weight": None}


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


# Warning filters and library threads belong to the whole process, and several threads may train at
# the same time: the first sets everything up, the last restores it.
_lock = threading.Lock()
_here = threading.local()
_in_place = ExitStack()
_listeners = 0


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
        _begin()
        _here.heard = self
        try:
            yield
        finally:
            _here.heard = outer
            _end()

    def add(self, category: type[Exception], message: str) -> None:
        """Note the first sentence or line of a warning: the rest is often numbers."""
        first = message.strip().partition("\n")[0].partition(". ")[0].rstrip(".:")
        with _lock:
            self._said[f"{category.__name__}: {first}"] = None

    def notes(self, what: str) -> tuple[Message, ...]:
        """A sentence for each kind of warning."""
        return tuple(
            Message("training {model} warned: {said}", model=what, said=Foreign(said))
            for said in self._said
        )


def _begin() -> None:
    global _listeners
    with _lock:
        _listeners += 1
        if _listeners > 1:
            return
        _in_place.enter_context(one_thread)
        _in_place.enter_context(warnings.catch_warnings())
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            heard: Heard | None = getattr(_here, "heard", None)
            if heard is None:
                others(message, category, *where, **more)
            else:
                heard.add(category, str(message))

        warnings.simplefilter("always")
        warnings.showwarning = show


def _end() -> None:
    global _listeners
    with _lock:
        _listeners -= 1
        if _listeners == 0:
            _in_place.close()
