"""What has to be known of scikit-learn's estimators to train them over and over again."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from unveil.adversary.exact import NearestNeighbours
from unveil.errors import InputError, MissingExtraError

__all__ = [
    "accepts_weights",
    "answers_depend_on_company",
    "check_estimator",
    "learns_the_same_from_weights",
    "prior_of_its_own",
    "prototype",
    "scikit_learn",
    "written",
]

# Models that only add up, so that a record that counts five times is five records, to the digit.
_ADDING_UP = ("BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB")
# Trees compare sums of whole numbers, which are exact in either way. But these settings count rows.
_TREES = ("DecisionTreeClassifier", "ExtraTreeClassifier")
_COUNTING_ROWS = {"min_samples_split": 2, "min_samples_leaf": 1, "class_weight": None}

# Settings under which naive Bayes, discriminant analysis and others learn shares as they are.
_LEARNS_SHARES = {"fit_prior": True, "class_prior": None, "priors": None, "class_weight": None}


def scikit_learn() -> Any:
    """scikit-learn's base module, or what to install."""
    try:
        import sklearn.base
    except ImportError as error:
        raise MissingExtraError(
            "classifiers need scikit-learn; install it with: pip install 'unveil[models]'"
        ) from error
    return sklearn.base


def check_estimator(estimator: Any) -> None:
    """Refuse what is no classifier with probabilities."""
    if isinstance(estimator, NearestNeighbours):
        return
    base = scikit_learn()
    if isinstance(estimator, type):
        raise InputError(
            f"{estimator.__name__} is a kind of model; make one: {estimator.__name__}()"
        )
    if not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise InputError(
            f"{estimator!r} is no model; give a scikit-learn classifier or pipeline, such as "
            "RandomForestClassifier()"
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
    """The estimator, unfitted, with the seed wherever it would draw as it likes.

    It works alone: there are workers around it.
    """
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
    """A setting by which a model does not learn the shares of the values as they are."""
    if isinstance(estimator, NearestNeighbours):
        return None
    for name, value in estimator.get_params(deep=True).items():
        usual = _LEARNS_SHARES.get(name.rpartition("__")[2], value)
        if value is not usual:
            return f"{name}={value!r}"
    return None


def accepts_weights(estimator: Any) -> bool:
    """Whether ``fit`` itself takes weights; a pipeline's earlier steps would not see them."""
    if isinstance(estimator, NearestNeighbours):
        return False
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(estimator, "sample_weight"))


def learns_the_same_from_weights(estimator: Any) -> bool:
    """Whether a row of weight n is known to teach exactly what n rows teach."""
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
    """Whether the answer about one point may depend on the points asked about with it.

    scikit-learn's neighbours search differently for many points than for few, and then take
    others of those equally far away.
    """
    from sklearn.neighbors._base import KNeighborsMixin

    parts = [estimator, *estimator.get_params(deep=True).values()]
    return any(isinstance(part, KNeighborsMixin) for part in parts)


def written(estimator: Any) -> str:
    """The estimator on one line, with the settings that are not at their default."""
    if is_dataclass(estimator):
        settings = {f.name: getattr(estimator, f.name) for f in fields(estimator)}
        changed = [f.name for f in fields(estimator) if settings[f.name] != f.default]
        listed = ", ".join(f"{name}={settings[name]!r}" for name in changed)
        return f"{type(estimator).__name__}({listed})"
    steps = getattr(estimator, "steps", None)
    if type(estimator).__name__ == "Pipeline" and steps is not None:
        return " → ".join(written(step) for _, step in steps)
    return " ".join(repr(estimator).split())
