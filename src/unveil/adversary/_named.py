"""The adversaries that can be asked for by name: ``naive-bayes``, ``forest@bounds-hot``."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from unveil._named_options import name_and_options, options_in
from unveil.adversary._adversary import (
    Adversary,
    ConditionalFrequency,
    EncodedNaiveBayes,
    NaiveBayes,
    SmoothedFrequency,
)
from unveil.adversary._classifier import Classifier
from unveil.adversary._encoding import Encoding
from unveil.adversary._training import scikit_learn
from unveil.adversary.exact import NearestNeighbours
from unveil.errors import Cell, Foreign, InputError, Listed, did_you_mean
from unveil.registry import Plugin, plugins

if TYPE_CHECKING:
    from sklearn.base import ClassifierMixin

    AdversaryLike: TypeAlias = Adversary | ClassifierMixin | NearestNeighbours | str


class _Model(NamedTuple):
    explained: str
    kind: str
    settings: dict[str, Any] = {}  # noqa: RUF012  (those that differ from scikit-learn's defaults)


_MODELS = {
    "tree": _Model("a decision tree", "sklearn.tree:DecisionTreeClassifier"),
    "forest": _Model("a random forest", "sklearn.ensemble:RandomForestClassifier"),
    # All features are between 0 and 1, but 100 iterations are not always enough.
    "logistic": _Model(
        "logistic regression", "sklearn.linear_model:LogisticRegression", {"max_iter": 1000}
    ),
    "boosting": _Model("gradient boosting", "sklearn.ensemble:HistGradientBoostingClassifier"),
    "neighbours": _Model("nearest neighbours", "unveil.adversary.exact:NearestNeighbours"),
    "gaussian-nb": _Model("Gaussian naive Bayes", "sklearn.naive_bayes:GaussianNB"),
}


ADVERSARIES: dict[str, str] = {
    "naive-bayes": "Bernoulli naive Bayes",
    "conditional-frequency": "the shares among the records that fit",
    "smoothed-frequency": "the same, with one record of each value added",
    **{name: model.explained for name, model in _MODELS.items()},
}
"""The names of the built-in ones, and what they stand for."""

_LOOK_AT_CELLS: dict[str, Adversary] = {
    "conditional-frequency": ConditionalFrequency(),
    "smoothed-frequency": SmoothedFrequency(),
}


def _plugged() -> dict[str, Plugin]:
    """Adversaries of plug-ins (``unveil.adversaries``) by name."""
    found = {}
    for plugin in plugins("adversaries"):
        if plugin.name.lower() in ADVERSARIES:
            plugin.refuse(f"there is a built-in adversary {plugin.name!r}")
        else:
            found[plugin.name.lower()] = plugin
    return found


def adversary_names() -> list[str]:
    """The names of all adversaries, those of plug-ins included."""
    return [*ADVERSARIES, *_plugged()]


def adversary_named(adversary: AdversaryLike, *, seed: int = 0) -> Adversary:
    """An adversary as it is, the adversary of that name, or one that uses that model.

    Models and naive Bayes take an encoding after ``@``, and settings after a colon. The seed is
    that of adversaries made here.

    >>> adversary_named("naive-bayes")
    NaiveBayes()
    >>> adversary_named("naive-bayes@bounds-hot").label
    'naive Bayes on bounds-hot'
    >>> adversary_named("forest@bounds-hot:n_estimators=50").label
    'RandomForestClassifier(n_estimators=50) on bounds-hot'
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> adversary_named(DecisionTreeClassifier()).label
    'DecisionTreeClassifier() on relative-relative'
    """
    if isinstance(adversary, Adversary):
        return adversary
    if isinstance(adversary, type) and issubclass(adversary, Adversary):
        raise InputError("{name} is a class; give an instance: {name}()", name=adversary.__name__)
    if isinstance(adversary, NearestNeighbours) or hasattr(adversary, "get_params"):
        return Classifier(adversary, seed=seed)
    form = name_and_options(adversary) if isinstance(adversary, str) else None
    name, at, encoding = (form[0] if form else "").partition("@")
    name = name.strip().lower()
    plugged = _plugged()
    known = [*ADVERSARIES, *plugged]
    if form is None or name not in known:
        raise InputError(
            "no adversary {given}{near} (known: {known}; or an unveil.adversary.Adversary of your "
            "own)",
            given=Cell(adversary), near=did_you_mean(name, known), known=Listed(known),
        )  # fmt: skip
    how, text = encoding.strip() if at else None, form[1]
    if name in plugged:
        return _of_plugin(plugged[name], how, text, seed)
    if name in _MODELS:
        return _model_named(name, how, text, seed)
    if name not in _LOOK_AT_CELLS:
        chosen = _encoding_of(name, how, options_in(text, name, ["encoding", "quantiles"]))
        return NaiveBayes() if chosen == Encoding() else EncodedNaiveBayes(chosen)
    _refuse_encoding(name, how)
    options_in(text, name, [])
    return _LOOK_AT_CELLS[name]


def _refuse_encoding(name: str, encoding: str | None) -> None:
    if encoding is not None:
        raise InputError(
            f"{name} looks at cells as they are and has no encoding; leave @{encoding} out"
        )


def _of_plugin(plugin: Plugin, encoding: str | None, text: str, seed: int) -> Adversary:
    """An adversary of a plug-in, which may also make a scikit-learn classifier."""
    known = list(inspect.signature(plugin.value).parameters)
    given = {name: _value(one) for name, one in options_in(text, plugin.name, known).items()}
    made = plugin.value(**given)
    if isinstance(made, Adversary):
        _refuse_encoding(plugin.name, encoding)
        return made if "seed" in given else made.with_seed(seed)
    if hasattr(made, "get_params"):
        return Classifier(made, _encoding_of(plugin.name, encoding, {}), seed=seed)
    raise InputError(
        "the plug-in {name} of {package} makes a {kind}, which is neither an Adversary nor a "
        "scikit-learn classifier; tell its author",
        name=repr(plugin.name), package=plugin.package, kind=type(made).__name__,
    )  # fmt: skip


def _model_named(name: str, encoding: str | None, text: str, seed: int) -> Classifier:
    """The model of that name on an encoding, with the options in the text."""
    model = _MODELS[name]
    if model.kind.startswith("sklearn"):
        scikit_learn()  # says what to install
    estimator = resolve_name(model.kind)(**model.settings)
    if isinstance(estimator, NearestNeighbours):
        known = [option.name for option in fields(estimator)]
    else:
        known = list(estimator.get_params(deep=False))
    given = options_in(text, name, [*known, "encoding", "quantiles", "weighted", "seed"])
    said = {option: _value(given.pop(option)) for option in ("weighted", "seed") if option in given}
    ours = {"seed": seed, **said}
    how = _encoding_of(name, encoding, given)
    settings = {option: _value(value) for option, value in given.items()}
    if isinstance(estimator, NearestNeighbours):
        return Classifier(replace(estimator, **settings), how, **ours)
    estimator.set_params(**settings)
    _validate(name, estimator)
    return Classifier(estimator, how, **ours)


def _encoding_of(name: str, encoding: str | None, given: dict[str, str]) -> Encoding:
    """The encoding after ``@`` or among the options, from which it is removed."""
    if encoding is not None and "encoding" in given:
        raise InputError(f"{name} is given the option 'encoding' twice")
    how = given.pop("encoding", encoding or "relative-relative")
    parts = given.pop("quantiles", None)
    return Encoding.named(how, quantiles=None if parts is None else _value(parts))


def _value(text: str) -> Any:
    """The number, truth value, None or text that a text stands for."""
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
    """Let scikit-learn check the settings now, and not in the middle of the work."""
    check = getattr(estimator, "_validate_params", None)
    if check is not None:
        try:
            check()
        except ValueError as error:
            raise InputError("{name}: {said}", name=name, said=Foreign(str(error))) from None
