"""Which scikit-learn estimators can forget one training record exactly, without retraining.

A leave-one-out test trains one model per record. If a model follows from sums over its records,
subtracting a record from the sums gives the model without it, in a fraction of the time. Naive
Bayes of every kind, discriminant analysis and nearest neighbours are of this sort.

Logistic regression, support vector machines, trees, forests, boosting, neural networks and Gaussian
process classifiers are not. They result from a search or a series of choices that any record may
change, so they have to be retrained.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from numbers import Real
from typing import Any, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.adversary.exact._discriminant import Divisor, LinearModel, QuadraticModel
from unveil.adversary.exact._naive_bayes import (
    BernoulliModel,
    CategoricalModel,
    ComplementModel,
    GaussianModel,
    MultinomialModel,
)
from unveil.adversary.exact._neighbours import NearestNeighbours
from unveil.adversary.exact._table import Prior


class ExactModel(Protocol):
    """A trained model that can forget any one of its records."""

    def predict(self, points: ArrayLike) -> NDArray[np.float64]:
        """Beliefs about points (targets × features): one row per target, one column per value.

        Rows sum to one, with 0 for values without records. A row of NaN means that this target's
        belief cannot be computed exactly here: ask the estimator itself, which may refuse to be
        trained on such a table, or to predict such a point.
        """
        ...

    def predict_without(
        self, points: ArrayLike, rows: ArrayLike, values: ArrayLike
    ) -> NDArray[np.float64]:
        """The same, each by the model trained without one record with these features and value.

        If only one value is left it has belief 1.
        """
        ...


ExactLearner: TypeAlias = Callable[[ArrayLike, ArrayLike], ExactModel]
"""From feature rows, and the number of records with these features and each value, to a model."""


def exact_learner(estimator: object) -> ExactLearner | None:
    """How to train this estimator so that it can forget; None if there is no exact way.

    There is one for scikit-learn's five kinds of naive Bayes, for linear and quadratic discriminant
    analysis, and for `NearestNeighbours`. There is none for scikit-learn's
    ``KNeighborsClassifier``: of equally distant neighbours it takes the first ones, so its answer
    depends on the order of the rows, which a table of counts does not have. Nor is there one for
    parameters that make scikit-learn warn or fail, or for subclasses, which may do anything.

    Parameters
    ----------
    estimator
        An estimator, trained or not. It is not changed.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> learn = exact_learner(GaussianNB())
    >>> model = learn([[1], [2], [4], [6]], [[1, 0], [1, 0], [0, 1], [1, 1]])
    >>> model.predict_without([[2]], [[2]], [0]).round(4)
    array([[0.9678, 0.0322]])
    >>> exact_learner(LogisticRegression()) is None
    True
    """
    if isinstance(estimator, NearestNeighbours):
        return estimator.learn
    kind = type(estimator)
    learner_of = _LEARNERS.get(f"{kind.__module__}.{kind.__qualname__}")
    return learner_of(estimator) if learner_of is not None else None


def _gaussian(estimator: Any) -> ExactLearner | None:
    prior = _prior(estimator.priors, sums_to_one=True)
    if prior is None or not _is_real(estimator.var_smoothing, 0):
        return None
    return partial(GaussianModel, prior=prior, smoothing=float(estimator.var_smoothing))


def _multinomial(estimator: Any) -> ExactLearner | None:
    prior, alpha = _discrete_prior(estimator), _alphas(estimator)
    if prior is None or alpha is None:
        return None
    return partial(MultinomialModel, prior=prior, alpha=alpha)


def _complement(estimator: Any) -> ExactLearner | None:
    prior, alpha = _discrete_prior(estimator), _alphas(estimator)
    if prior is None or alpha is None:
        return None
    return partial(ComplementModel, prior=prior, alpha=alpha, norm=bool(estimator.norm))


def _bernoulli(estimator: Any) -> ExactLearner | None:
    # With one alpha per feature, scikit-learn fails or confuses features with values.
    prior, alpha = _discrete_prior(estimator), _alpha(estimator)
    above = estimator.binarize
    if prior is None or alpha is None or not (above is None or _is_real(above, 0)):
        return None
    return partial(BernoulliModel, prior=prior, alpha=alpha, above=above)


def _categorical(estimator: Any) -> ExactLearner | None:
    prior, alpha = _discrete_prior(estimator), _alpha(estimator)
    given = estimator.min_categories
    at_least = np.asarray(0 if given is None else given)
    if prior is None or alpha is None or at_least.dtype.kind != "i" or at_least.ndim > 1:
        return None
    return partial(CategoricalModel, prior=prior, alpha=alpha, at_least=at_least)


def _linear(estimator: Any) -> ExactLearner | None:
    prior = _prior(estimator.priors, sums_to_one=True)
    shrinkage = 0.0 if estimator.shrinkage is None else estimator.shrinkage
    usual = estimator.covariance_estimator is None and estimator.n_components is None
    if prior is None or not usual or not _is_real(shrinkage, 0, 1):
        return None
    if estimator.solver == "svd":
        divisor = _divisor(estimator.__class__, LinearModel)
        if estimator.shrinkage is not None or not _is_real(estimator.tol, 1e-6) or not divisor:
            return None
        return partial(LinearModel, prior=prior, tol=float(estimator.tol), divisor=divisor)
    if estimator.solver in ("lsqr", "eigen"):
        return partial(LinearModel, prior=prior, tol=None, shrinkage=float(shrinkage))
    return None


def _quadratic(estimator: Any) -> ExactLearner | None:
    prior = _prior(estimator.priors, sums_to_one=True)
    if prior is None or not (_is_real(estimator.tol, 0) and _is_real(estimator.reg_param, 0, 1)):
        return None
    solver = getattr(estimator, "solver", "svd")  # older versions have no other
    shrinkage = getattr(estimator, "shrinkage", None)
    if getattr(estimator, "covariance_estimator", None) is not None:
        return None
    learn = partial(QuadraticModel, prior=prior, tol=float(estimator.tol))
    if solver == "svd" and shrinkage is None:
        divisor = _divisor(estimator.__class__, QuadraticModel)
        towards_one = float(estimator.reg_param)
        return partial(learn, towards_one=towards_one, divisor=divisor) if divisor else None
    if solver == "eigen" and (shrinkage is None or _is_real(shrinkage, 0, 1)):
        return partial(learn, shrinkage=float(shrinkage or 0), record_a_feature=False)
    return None


_LEARNERS: dict[str, Callable[[Any], ExactLearner | None]] = {
    "sklearn.naive_bayes.GaussianNB": _gaussian,
    "sklearn.naive_bayes.MultinomialNB": _multinomial,
    "sklearn.naive_bayes.ComplementNB": _complement,
    "sklearn.naive_bayes.BernoulliNB": _bernoulli,
    "sklearn.naive_bayes.CategoricalNB": _categorical,
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis": _linear,
    "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis": _quadratic,
}


@cache
def _divisor(kind: type[Any], model: type[LinearModel] | type[QuadraticModel]) -> Divisor | None:
    """The divisor of a scatter in the installed scikit-learn; None if it is neither.

    Versions differ, and a small table shows which it is.
    """
    rows, values = np.array([[0.0], [1.0], [3.0], [2.0], [5.0], [6.0]]), np.repeat([0, 1], 3)
    theirs = kind().fit(rows, values).predict_proba(rows)
    for divisor in get_args(Divisor):
        ours = model(rows, np.eye(2, dtype=np.int64)[values], Prior(), divisor=divisor)
        if np.allclose(ours.predict(rows), theirs, rtol=0, atol=1e-9):
            return divisor
    return None


def _is_real(number: object, least: float, most: float = np.inf) -> bool:
    real = isinstance(number, Real) and not isinstance(number, bool)
    return real and bool(least <= float(number) <= most)  # type: ignore[arg-type]


def _prior(given: ArrayLike | None, *, sums_to_one: bool, equal: bool = False) -> Prior | None:
    if given is None:
        return Prior(equal=equal)
    shares = np.asarray(given, dtype=np.float64)
    usable = shares.ndim == 1 and np.isfinite(shares).all() and (shares >= 0).all()
    if not usable or (sums_to_one and not np.isclose(shares.sum(), 1.0)):
        return None
    return Prior(given=shares)


def _discrete_prior(estimator: Any) -> Prior | None:
    return _prior(estimator.class_prior, sums_to_one=False, equal=not estimator.fit_prior)


def _alpha(estimator: Any) -> float | None:
    """The smoothing, unless it is so small that scikit-learn changes it or takes log(0)."""
    return float(estimator.alpha) if _is_real(estimator.alpha, 1e-10) else None


def _alphas(estimator: Any) -> float | NDArray[np.float64] | None:
    """The same for estimators that may have one per feature."""
    if isinstance(estimator.alpha, Real):
        return _alpha(estimator)
    alpha = np.asarray(estimator.alpha, dtype=np.float64)
    usable = alpha.ndim == 1 and np.isfinite(alpha).all() and (alpha >= 1e-10).all()
    return alpha if usable else None
