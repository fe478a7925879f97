"""Discriminant analysis on counts, with and without a record, is scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from training_tables import (
    assert_as_scikit_learn,
    random_table,
    repeated,
    scikit_learn,
    training_tables,
)

from unveil.adversary.exact._discriminant import LinearModel, QuadraticModel
from unveil.adversary.exact._learners import _divisor, exact_learner
from unveil.adversary.exact._table import Prior

SEEDS = st.integers(0, 2**32 - 1)


def shares(n):
    """Unequal prior probabilities of n values."""
    return np.arange(1, n + 1) / np.arange(1, n + 1).sum()


LINEAR = {
    "svd": lambda n: LinearDiscriminantAnalysis(),
    "svd, priors": lambda n: LinearDiscriminantAnalysis(priors=shares(n)),
    "svd, much tolerance": lambda n: LinearDiscriminantAnalysis(tol=0.3),
    "svd, little tolerance": lambda n: LinearDiscriminantAnalysis(tol=1e-6),
    "lsqr": lambda n: LinearDiscriminantAnalysis(solver="lsqr"),
    "lsqr, priors": lambda n: LinearDiscriminantAnalysis(solver="lsqr", priors=shares(n)),
    "lsqr, shrinkage": lambda n: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
    "eigen": lambda n: LinearDiscriminantAnalysis(solver="eigen"),
    "eigen, both": lambda n: LinearDiscriminantAnalysis(
        solver="eigen", shrinkage=0.1, priors=shares(n)
    ),
}
QUADRATIC = {
    "quadratic": lambda n: QuadraticDiscriminantAnalysis(),
    "quadratic, priors": lambda n: QuadraticDiscriminantAnalysis(priors=shares(n)),
    "quadratic, regular": lambda n: QuadraticDiscriminantAnalysis(reg_param=0.1),
    "quadratic, tolerance": lambda n: QuadraticDiscriminantAnalysis(tol=0.05),
    "quadratic, eigen": lambda n: QuadraticDiscriminantAnalysis(solver="eigen"),
    "quadratic, shrinkage": lambda n: QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.2),
}
ESTIMATORS = LINEAR | QUADRATIC


@pytest.mark.parametrize("kind", list(ESTIMATORS))
@examples(40)
@given(table=training_tables(), seed=SEEDS)
def test_it_equals_scikit_learn_or_abstains(kind, table, seed):
    features, counts = table
    estimator = ESTIMATORS[kind](int(counts.any(axis=0).sum()))
    model = exact_learner(estimator)(features, counts)
    assert_as_scikit_learn(estimator, model, table, seed, may_abstain=True)


@pytest.mark.parametrize("kind", ["svd", "svd, priors", "svd, little tolerance"])
@examples(40)
@given(table=training_tables(kinds=("bits", "few", "constant", "copy")), seed=SEEDS)
def test_on_whole_numbers_the_default_never_abstains(kind, table, seed):
    features, counts = table
    estimator = LINEAR[kind](int(counts.any(axis=0).sum()))
    model = exact_learner(estimator)(features, counts)
    assert_as_scikit_learn(estimator, model, table, seed)


def hot_table(seed, size=250):
    """Features as an encoding makes them: scaled numbers, and bits that sum to one."""
    rng = np.random.default_rng(seed)
    bits = [np.eye(n)[rng.choice(n, size, p=rng.dirichlet(np.ones(n)))] for n in (3, 9)]
    features = np.hstack([rng.integers(0, 60, (size, 2)) / 59, *bits])
    counts = rng.poisson(0.6, (size, 5))
    counts[:, 4] = np.arange(size) < 12  # a rare value
    return features, counts


WELL_MADE = {
    "dependent features": hot_table(1),
    "independent features": random_table(3, 120, ("real", "few", "bits", "few"), 5),
    "few classes": random_table(4, 6, ("real", "few", "bits", "few", "few"), 3, most=40),
}


@pytest.mark.parametrize("name", list(WELL_MADE))
@pytest.mark.parametrize("kind", list(ESTIMATORS))
def test_on_larger_tables_it_answers(name, kind):
    table = WELL_MADE[name]
    estimator = ESTIMATORS[kind](table[1].shape[1])
    model = exact_learner(estimator)(*table)
    abstained, of = assert_as_scikit_learn(estimator, model, table, 1, may_abstain=True)
    invertible = name == "independent features" or "shrinkage" in kind or "both" in kind
    if "svd" in kind or invertible:
        assert abstained == 0
    assert of == 18


@pytest.mark.parametrize("name", list(WELL_MADE))
@pytest.mark.parametrize("kind", ["svd", "svd, priors", "lsqr"])
def test_the_update_equals_training_anew(name, kind):
    """Records are forgotten by a stretch of coordinates, or by decomposing their own covariance."""
    features, counts = WELL_MADE[name]
    learn = exact_learner(LINEAR[kind](counts.shape[1]))
    quick, plain = learn(features, counts), learn(features, counts)
    plain._white = None
    places, values = np.nonzero(counts)
    rng = np.random.default_rng(2)
    for points in (features[places], features[rng.permutation(places)]):
        ours = quick.predict_without(points, features[places], values)
        theirs = plain.predict_without(points, features[places], values)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11)
    answered = kind != "lsqr" or name == "independent features"
    assert np.isnan(ours).any() != answered


def test_the_update_is_used_and_left_where_it_must_be(monkeypatch):
    features, counts = hot_table(1)
    model = exact_learner(LinearDiscriminantAnalysis())(features, counts)
    places, values = np.nonzero(counts)
    trained = []
    monkeypatch.setattr(
        LinearModel, "_anew", lambda self, points, taken, left: trained.append(len(points)) or 0.0
    )
    model.predict_without(features[places], features[places], values)
    assert trained == []
    points = features[places] + np.eye(features.shape[1])[3] / 2  # bits that sum to 1.5
    model.predict_without(points, features[places], values)
    assert sum(trained) == len(places)


def test_a_feature_that_varies_by_one_record_only():
    """Without that record the feature is constant, and the covariance has one rank less."""
    rng = np.random.default_rng(0)
    features = np.column_stack([rng.normal(size=30), np.zeros(30), rng.integers(0, 5, 30)])
    features[7, 1] = 1
    counts = np.eye(2, dtype=int)[rng.integers(0, 2, 30)]
    value = counts[7].argmax()
    left = counts.copy()
    left[7, value] = 0
    for kind in ("svd", "svd, little tolerance"):
        estimator = LINEAR[kind](2)
        model = exact_learner(estimator)(features, counts)
        points = features[:8]
        ours = model.predict_without(points, np.tile(features[7], (8, 1)), np.full(8, value))
        theirs = scikit_learn(estimator, features, left, points)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_a_record_far_from_all_others():
    """What is left of the scatter must not be a rounding error of what was there."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(40, 3))
    features[5] = [1e7, -3e6, 2e7]
    counts = np.eye(2, dtype=int)[np.arange(40) % 2]
    left = counts.copy()
    left[5, 1] = 0
    for kind in ("svd", "lsqr", "quadratic"):
        estimator = ESTIMATORS[kind](2)
        model = exact_learner(estimator)(features, counts)
        ours = model.predict_without(features[:4], np.tile(features[5], (4, 1)), np.ones(4, int))
        theirs = scikit_learn(estimator, features, left, features[:4])
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_where_rounding_decides_there_is_no_belief():
    """A fraction that is the same for all records of a value has a mean that is off by rounding.

    scikit-learn divides by the spread that this seems to be.
    """
    features = np.array([[0.1, 1], [0.1, 2], [0.1, 4], [0.7, 2], [0.7, 3], [0.7, 7]])
    counts = np.repeat(np.eye(2, dtype=int), 3, axis=0)
    model = exact_learner(LinearDiscriminantAnalysis())(features, counts)
    assert np.isnan(model.predict(features)).all()
    whole = exact_learner(LinearDiscriminantAnalysis())(features * [10, 1], counts)
    assert not np.isnan(whole.predict(features)).any()


@pytest.mark.parametrize("kind", list(ESTIMATORS))
def test_a_value_that_vanished_has_belief_0(kind):
    features, counts = random_table(3, 60, ("real", "few", "real"), 3)
    counts[:, 2] = np.arange(60) == 11
    estimator = ESTIMATORS[kind](3)
    model = exact_learner(estimator)(features, counts)
    belief = model.predict_without(features[:1], features[11:12], [2])[0]
    if "priors" in kind or "both" in kind:
        assert np.isnan(belief).all()
    else:
        assert belief[2] == 0
        np.testing.assert_allclose(belief.sum(), 1)


@pytest.mark.parametrize("kind", list(ESTIMATORS))
def test_the_last_value_has_belief_1(kind):
    learn = exact_learner(ESTIMATORS[kind](2))
    model = learn([[0.0], [1.0], [5.0]], [[0, 3], [0, 2], [1, 0]])
    assert model.predict_without([[1.0]], [[5.0]], [0]).tolist() == [[0, 1]]


def plain_linear(rows, values, points, lost):
    """Linear discriminant analysis as in a textbook, for covariances of full rank."""
    kinds = np.unique(values)
    means = np.array([rows[values == v].mean(axis=0) for v in kinds])
    off = rows - means[values]
    covariance = off.T @ off / (len(rows) - (len(kinds) if lost else 0))
    planes = np.linalg.solve(covariance, means.T).T
    heights = np.log(np.bincount(values)) - (means * planes).sum(axis=1) / 2
    scores = points @ planes.T + heights
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def plain_quadratic(rows, values, points, lost):
    """The same for a covariance a value."""
    scores = []
    for value in np.unique(values):
        own = rows[values == value]
        covariance = np.atleast_2d(np.cov(own.T, ddof=int(lost)))
        off = points - own.mean(axis=0)
        distance = (off * np.linalg.solve(covariance, off.T).T).sum(axis=1)
        scores.append(np.log(len(own)) - (distance + np.linalg.slogdet(covariance)[1]) / 2)
    scores = np.array(scores).T
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


PLAIN = {LinearModel: plain_linear, QuadraticModel: plain_quadratic}


@pytest.mark.parametrize("model", list(PLAIN))
@pytest.mark.parametrize("divisor", ["records", "degrees"])
def test_both_ways_of_dividing_a_scatter(model, divisor):
    """Versions of scikit-learn differ in this, so textbook formulas stand in for them."""
    features, counts = random_table(8, 60, ("real", "few", "real"), 3)
    learned = model(features, counts, Prior(), divisor=divisor)
    points, lost = features[:5], divisor == "degrees"
    np.testing.assert_allclose(
        learned.predict(points), PLAIN[model](*repeated(features, counts), points, lost), atol=1e-11
    )
    for place, value in np.argwhere(counts > 0)[::9]:
        left = counts.copy()
        left[place, value] -= 1
        ours = learned.predict_without(points, np.tile(features[place], (5, 1)), np.full(5, value))
        theirs = PLAIN[model](*repeated(features, left), points, lost)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11)


@pytest.mark.parametrize("model", list(PLAIN))
@pytest.mark.parametrize("lost", [False, True, None])
def test_how_the_installed_version_divides_is_found_out(model, lost):
    class Version:
        def fit(self, rows, values):
            self.trained = rows, values
            return self

        def predict_proba(self, points):
            if lost is None:
                return np.full((len(points), 2), 0.5)
            return PLAIN[model](*self.trained, points, lost)

    expected = {False: "records", True: "degrees", None: None}
    assert _divisor(Version, model) == expected[lost]


def test_the_installed_version_divides_one_way_or_the_other():
    assert _divisor(LinearDiscriminantAnalysis, LinearModel) in ("records", "degrees")
    assert _divisor(QuadraticDiscriminantAnalysis, QuadraticModel) in ("records", "degrees")
