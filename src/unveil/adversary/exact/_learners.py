"""Which scikit-learn estimators can forget one training record exactly, without retraining.

A leave-one-out test trains one model per record. If a model follows from sums over its records,
subtracting a record from the sums gives the model without it, in a fraction of the time. Naive
Bayes of every kind, discriminant analysis and nearest neighbours are of this sort.

Logistic regression, support vector machines, trees, forests, boosting, neural networks and Gaussian
process classifiers are not. They result from a search or a series of choices that any record may
change, so they have to be retrained.

Releases have many records with the same features, so the k nearest neighbours are rarely unique. A
model that chooses k of them by the order of rows depends on that order. In `NearestNeighbours` the
records at the k-th distance share the remaining places equally, and no order matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from numbers import Real
from typing import Annotated, Any, Literal, TypeAlias, get_args

import numpy as np
from annotated_types import Ge
from numpy.typing import ArrayLike, NDArray

from unveil.adversary.exact._discriminant import Divisor, LinearModel, QuadraticModel
from unveil.adversary.exact._naive_bayes import (
    BernoulliModel,
    CategoricalModel,
    ComplementModel,
    GaussianModel,
    MultinomialModel,
)
from unveil.adversary.exact._table import (
    Counts,
    ExactModel,
    Floats,
    Forgotten,
    Places,
    Prior,
    portions,
)
from unveil.options import check_fields

Metric = Literal["euclidean", "manhattan", "hamming"]
Weights = Literal["uniform", "distance"]

_NAMES = {"euclidean": "euclidean", "manhattan": "cityblock", "hamming": "hamming"}  # scipy's
_SAME = 1e-9  # relative difference of two distances that is only rounding

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
    try:
        return None if learner_of is None else learner_of(estimator)
    except _NoExactWayError:
        return None


class _NoExactWayError(Exception):
    """A setting for which there is no exact way."""


def _need(usual: object) -> None:
    if not usual:
        raise _NoExactWayError


def _gaussian(estimator: Any) -> ExactLearner:
    smoothing = _real(estimator.var_smoothing, 0)
    return partial(GaussianModel, prior=_whole_prior(estimator), smoothing=smoothing)


def _multinomial(estimator: Any) -> ExactLearner:
    return partial(MultinomialModel, prior=_discrete_prior(estimator), alpha=_alphas(estimator))


def _complement(estimator: Any) -> ExactLearner:
    prior, alpha = _discrete_prior(estimator), _alphas(estimator)
    return partial(ComplementModel, prior=prior, alpha=alpha, norm=bool(estimator.norm))


def _bernoulli(estimator: Any) -> ExactLearner:
    # With one alpha per feature, scikit-learn fails or confuses features with values.
    prior, alpha = _discrete_prior(estimator), _alpha(estimator)
    above = None if estimator.binarize is None else _real(estimator.binarize, 0)
    return partial(BernoulliModel, prior=prior, alpha=alpha, above=above)


def _categorical(estimator: Any) -> ExactLearner:
    given = estimator.min_categories
    at_least = np.asarray(0 if given is None else given)
    _need(at_least.dtype.kind == "i" and at_least.ndim <= 1)
    prior, alpha = _discrete_prior(estimator), _alpha(estimator)
    return partial(CategoricalModel, prior=prior, alpha=alpha, at_least=at_least)


def _linear(estimator: Any) -> ExactLearner:
    learn = partial(LinearModel, prior=_whole_prior(estimator))
    shrinkage = 0.0 if estimator.shrinkage is None else _real(estimator.shrinkage, 0, 1)
    _need(estimator.covariance_estimator is None and estimator.n_components is None)
    if estimator.solver == "svd":
        _need(estimator.shrinkage is None)
        _need(divisor := _divisor(estimator.__class__, LinearModel))
        return partial(learn, tol=_real(estimator.tol, 1e-6), divisor=divisor)
    _need(estimator.solver in ("lsqr", "eigen"))
    return partial(learn, tol=None, shrinkage=shrinkage)


def _quadratic(estimator: Any) -> ExactLearner:
    tol, towards_one = _real(estimator.tol, 0), _real(estimator.reg_param, 0, 1)
    learn = partial(QuadraticModel, prior=_whole_prior(estimator), tol=tol)
    solver = getattr(estimator, "solver", "svd")  # older versions have no other
    shrinkage = getattr(estimator, "shrinkage", None)
    _need(getattr(estimator, "covariance_estimator", None) is None)
    if solver == "svd" and shrinkage is None:
        _need(divisor := _divisor(estimator.__class__, QuadraticModel))
        return partial(learn, towards_one=towards_one, divisor=divisor)
    _need(solver == "eigen")
    shrinkage = 0.0 if shrinkage is None else _real(shrinkage, 0, 1)
    return partial(learn, shrinkage=shrinkage, record_a_feature=False)


_LEARNERS: dict[str, Callable[[Any], ExactLearner]] = {
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


def _real(number: Any, least: float, most: float = np.inf) -> float:
    _need(isinstance(number, Real) and not isinstance(number, bool))
    _need(least <= float(number) <= most)
    return float(number)


def _numbers(given: ArrayLike, least: float) -> NDArray[np.float64]:
    numbers = np.asarray(given, dtype=np.float64)
    _need(numbers.ndim == 1 and np.isfinite(numbers).all() and (numbers >= least).all())
    return numbers


def _whole_prior(estimator: Any) -> Prior:
    if estimator.priors is None:
        return Prior()
    shares = _numbers(estimator.priors, 0)
    _need(np.isclose(shares.sum(), 1.0))
    return Prior(given=shares)


def _discrete_prior(estimator: Any) -> Prior:
    if estimator.class_prior is None:
        return Prior(equal=not estimator.fit_prior)
    return Prior(given=_numbers(estimator.class_prior, 0))


def _alpha(estimator: Any) -> float:
    """The smoothing, unless it is so small that scikit-learn changes it or takes log(0)."""
    return _real(estimator.alpha, 1e-10)


def _alphas(estimator: Any) -> float | NDArray[np.float64]:
    """The same for estimators that may have one per feature."""
    one = isinstance(estimator.alpha, Real)
    return _alpha(estimator) if one else _numbers(estimator.alpha, 1e-10)


@dataclass(frozen=True, kw_only=True)
class NearestNeighbours:
    """The shares of the sensitive values among the k nearest records.

    Parameters
    ----------
    k
        Number of neighbours. If there are fewer records, all count.
    metric
        ``"euclidean"``, ``"manhattan"`` (sum of differences) or ``"hamming"`` (share of features
        that differ).
    weights
        ``"uniform"``: all neighbours have the same weight. ``"distance"``: the weight is one over
        the distance; if some are at distance zero, only these count.

    Examples
    --------
    >>> model = NearestNeighbours(k=3).learn([[0], [1], [5]], [[1, 0], [2, 2], [9, 0]])
    >>> model.predict([[0]])             # four records share the two places after the first
    array([[0.66666667, 0.33333333]])
    >>> model.predict_without([[0]], [[1]], [0]).round(4)
    array([[0.5556, 0.4444]])
    """

    k: Annotated[int, Ge(1)] = 5
    metric: Metric = "euclidean"
    weights: Weights = "uniform"

    def __post_init__(self) -> None:
        check_fields(self)

    def learn(self, features: ArrayLike, counts: ArrayLike) -> _NeighboursModel:
        """Learn from feature rows, and the number of records with these and each value."""
        return _NeighboursModel(features, counts, self)


@dataclass(eq=False)
class _NeighboursModel(ExactModel):
    """Keeps the table, and searches it for neighbours when asked."""

    settings: NearestNeighbours

    def beliefs(self, points: Floats, gone: Forgotten | None) -> Floats:
        from scipy.spatial.distance import cdist

        places, values = gone or Forgotten(*np.full((2, len(points)), -1))  # nobody
        votes = np.empty((len(points), self.table.counts.shape[1]))
        metric = _NAMES[self.settings.metric]
        for some in portions(len(points), 2 * len(self.table.features)):
            distances = cdist(points[some], self.table.features, metric)
            votes[some] = self._votes(distances, places[some], values[some])
        with np.errstate(invalid="ignore"):  # nobody is left to vote
            return votes / votes.sum(axis=1, keepdims=True)

    def _votes(self, distances: Floats, places: Places, values: Places) -> Floats:
        """Weighted neighbours of each value (targets × values), without the forgotten record.

        Every row of the table has a record, so the k + 1 nearest rows have k records that are not
        forgotten. Only these pairs of targets and rows matter.
        """
        k = min(self.settings.k, distances.shape[1] - 1)
        reach = np.partition(distances, k, axis=1)[:, [k]]
        targets, rows = np.nonzero(distances <= reach * (1 + _SAME))
        near = distances[targets, rows]
        own = rows == places[targets]
        records = self.table.counts.sum(axis=1)[rows] - own
        weights = self._weights(targets, near, records, len(distances))
        votes = np.empty((len(distances), self.table.counts.shape[1]))
        for value in range(votes.shape[1]):
            held = self.table.counts[rows, value] - (own & (values[targets] == value))
            votes[:, value] = np.bincount(targets, weights * held, len(votes))
        return votes

    def _weights(self, targets: Places, near: Floats, records: Counts, size: int) -> Floats:
        """The weight of each record, for pairs of targets and rows with so many records."""
        farthest = _kth(self.settings.k, targets, near, records, size)[targets]
        nearer = near < farthest * (1 - _SAME)
        tied = (near <= farthest * (1 + _SAME)) & ~nearer
        places = self.settings.k - np.bincount(targets, records * nearer, size)
        with np.errstate(divide="ignore", invalid="ignore"):  # where there are no ties
            share = np.minimum(places / np.bincount(targets, records * tied, size), 1.0)
        weights = np.where(tied, share[targets], nearer)
        if self.settings.weights == "uniform":
            return weights
        here = near == 0
        alone = np.bincount(targets, records * here, size)[targets] > 0
        return np.where(alone, here, weights / np.where(here, np.inf, near))


def _kth(k: int, targets: Places, near: Floats, records: Counts, size: int) -> Floats:
    """The distance of each target's k-th record; infinite if there are fewer."""
    order = np.lexsort((near, targets))
    within = records[order].cumsum()
    before = np.concatenate([[0], np.bincount(targets, records, size).cumsum()[:-1]])
    reached = order[within - before[targets[order]] >= k]
    farthest = np.full(size, np.inf)
    np.minimum.at(farthest, targets[reached], near[reached])
    return farthest
