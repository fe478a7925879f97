"""Models that can be asked for by name, with their own settings as options."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field, fields, replace
from typing import Any

from unveil._named_options import options_in
from unveil.adversary._classifier import Classifier
from unveil.adversary._estimators import scikit_learn
from unveil.adversary.encoding import Encoding
from unveil.adversary.exact import NearestNeighbours
from unveil.errors import InputError

__all__ = ["MODELS", "encoding_of", "model_named"]


@dataclass(frozen=True)
class _Model:
    explained: str
    module: str
    kind: str
    settings: dict[str, Any] = field(default_factory=dict)
    """Where scikit-learn's defaults would not do."""

    def make(self) -> Any:
        if self.module.startswith("sklearn"):
            scikit_learn()  # which says what to install
        return getattr(importlib.import_module(self.module), self.kind)(**self.settings)


MODELS = {
    "tree": _Model("a decision tree", "sklearn.tree", "DecisionTreeClassifier"),
    "forest": _Model("a random forest", "sklearn.ensemble", "RandomForestClassifier"),
    # All features lie between 0 and 1, but 100 steps are not always enough.
    "logistic": _Model(
        "logistic regression", "sklearn.linear_model", "LogisticRegression", {"max_iter": 1000}
    ),
    "boosting": _Model("gradient boosting", "sklearn.ensemble", "HistGradientBoostingClassifier"),
    "neighbours": _Model(
        "nearest neighbours", "unveil.adversary.exact._neighbours", "NearestNeighbours"
    ),
    "gaussian-nb": _Model("Gaussian naive Bayes", "sklearn.naive_bayes", "GaussianNB"),
}


def model_named(name: str, encoding: str | None, text: str, seed: int = 0) -> Classifier:
    """The model of that name on an encoding, with the options in the text."""
    estimator = MODELS[name].make()
    if isinstance(estimator, NearestNeighbours):
        known = [option.name for option in fields(estimator)]
    else:
        known = list(estimator.get_params(deep=False))
    given = options_in(text, name, [*known, "encoding", "quantiles", "weighted", "seed"])
    said = {option: _value(given.pop(option)) for option in ("weighted", "seed") if option in given}
    ours = {"seed": seed, **said}
    how = encoding_of(name, encoding, given)
    settings = {option: _value(value) for option, value in given.items()}
    if isinstance(estimator, NearestNeighbours):
        return Classifier(replace(estimator, **settings), how, **ours)
    estimator.set_params(**settings)
    _validate(name, estimator)
    return Classifier(estimator, how, **ours)


def encoding_of(name: str, encoding: str | None, given: dict[str, str]) -> Encoding:
    """The encoding after ``@`` or among the options, which are taken out."""
    if encoding is not None and "encoding" in given:
        raise InputError(f"{name} is given the option 'encoding' twice")
    how = given.pop("encoding", encoding or "relative-relative")
    parts = given.pop("quantiles", None)
    return Encoding.named(how, quantiles=None if parts is None else _value(parts))


def _value(text: str) -> Any:
    """A text as the value that it looks like."""
    words = {"none": None, "true": True, "yes": True, "false": False, "no": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _validate(name: str, estimator: Any) -> None:
    """Have scikit-learn check the settings now, and not in the middle of the work."""
    check = getattr(estimator, "_validate_params", None)
    if check is not None:
        try:
            check()
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
