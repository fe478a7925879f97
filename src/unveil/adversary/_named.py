"""The adversaries that can be asked for by name: ``naive-bayes``, ``forest@bounds-hot``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from unveil._named_options import name_and_options, options_in
from unveil.adversary._adversary import Adversary
from unveil.adversary._classifier import Classifier
from unveil.adversary._conditional_frequency import ConditionalFrequency
from unveil.adversary._encoded_naive_bayes import EncodedNaiveBayes
from unveil.adversary._naive_bayes import NaiveBayes
from unveil.adversary._named_models import MODELS, encoding_of, model_named
from unveil.adversary._smoothed_frequency import SmoothedFrequency
from unveil.adversary.encoding import Encoding
from unveil.adversary.exact import NearestNeighbours
from unveil.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from sklearn.base import ClassifierMixin

    AdversaryLike: TypeAlias = Adversary | ClassifierMixin | NearestNeighbours | str

__all__ = ["ADVERSARIES", "adversary_named"]

ADVERSARIES: dict[str, str] = {
    "naive-bayes": "Bernoulli naive Bayes",
    "conditional-frequency": "the shares among the records that fit",
    "smoothed-frequency": "the same, with one record of each value added",
    **{name: model.explained for name, model in MODELS.items()},
}
"""The names, and what they stand for."""
_LOOK_AT_CELLS: dict[str, type[Adversary]] = {
    "conditional-frequency": ConditionalFrequency,
    "smoothed-frequency": SmoothedFrequency,
}


def adversary_named(adversary: AdversaryLike, *, seed: int = 0) -> Adversary:
    """An adversary; or the one of that name; or one who uses that model.

    Models and naive Bayes take an encoding after ``@``, and their settings after a colon. Those
    that are made here draw by the seed.

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
        raise InputError(
            f"{adversary.__name__} is a kind of adversary; make one: {adversary.__name__}()"
        )
    if isinstance(adversary, NearestNeighbours) or hasattr(adversary, "get_params"):
        return Classifier(adversary, seed=seed)
    form = name_and_options(adversary) if isinstance(adversary, str) else None
    name, at, encoding = (form[0] if form else "").partition("@")
    name = name.strip().lower()
    if form is None or name not in ADVERSARIES:
        raise InputError(
            f"no adversary {adversary!r}{did_you_mean(name, ADVERSARIES)} (known: "
            f"{', '.join(ADVERSARIES)}; or an unveil.adversary.Adversary of your own)"
        )
    how = encoding.strip() if at else None
    if name in MODELS:
        return model_named(name, how, form[1], seed)
    return _counting(name, how, form[1])


def _counting(name: str, encoding: str | None, text: str) -> Adversary:
    """Those who need no model of somebody else's."""
    if name in _LOOK_AT_CELLS:
        if encoding is not None:
            raise InputError(
                f"{name} looks at cells as they are and has no encoding; leave @{encoding} out"
            )
        options_in(text, name, [])
        return _LOOK_AT_CELLS[name]()
    how = encoding_of(name, encoding, options_in(text, name, ["encoding", "quantiles"]))
    return NaiveBayes() if how == Encoding() else EncodedNaiveBayes(how)
