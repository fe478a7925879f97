"""Naive Bayes on counts, with and without a record, is scikit-learn's on one row a record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from sklearn.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
)
from training_tables import (
    assert_as_scikit_learn,
    random_table,
    scikit_learn,
    trained,
    training_tables,
)

from unveil.adversary.exact import exact_learner
from unveil.errors import InputError

SEEDS = st.integers(0, 2**32 - 1)


def shares(n):
    """Unequal prior probabilities of n values."""
    return np.arange(1, n + 1) / np.arange(1, n + 1).sum()


# Each is made for a number of values that have records, as priors must be given for these.
ESTIMATORS = {
    "Gaussian, much smoothing": lambda n, f: GaussianNB(var_smoothing=1e-2),
    "Gaussian, priors": lambda n, f: GaussianNB(var_smoothing=1e-2, priors=shares(n)),
    "Bernoulli": lambda n, f: BernoulliNB(),
    "Bernoulli, threshold": lambda n, f: BernoulliNB(alpha=0.01, binarize=1.5, fit_prior=False),
    "Bernoulli, priors": lambda n, f: BernoulliNB(alpha=3, class_prior=shares(n)),
    "Bernoulli, fractions": lambda n, f: BernoulliNB(alpha=1e-8, binarize=None),
    "multinomial": lambda n, f: MultinomialNB(),
    "multinomial, by feature": lambda n, f: MultinomialNB(alpha=np.arange(1, f + 1) / 3),
    "multinomial, equal priors": lambda n, f: MultinomialNB(alpha=1e-8, fit_prior=False),
    "multinomial, priors": lambda n, f: MultinomialNB(class_prior=10 * shares(n)),
    "complement": lambda n, f: ComplementNB(),
    "complement, norm": lambda n, f: ComplementNB(alpha=0.5, norm=True),
    "complement, by feature": lambda n, f: ComplementNB(alpha=np.arange(1, f + 1) / 3),
    "complement, priors": lambda n, f: ComplementNB(class_prior=shares(n)),
    "categorical": lambda n, f: CategoricalNB(),
    "categorical, least": lambda n, f: CategoricalNB(alpha=0.3, min_categories=9, fit_prior=False),
    "categorical, by feature": lambda n, f: CategoricalNB(min_categories=[2] * f),
    "categorical, priors": lambda n, f: CategoricalNB(alpha=1e-8, class_prior=shares(n)),
}


@pytest.mark.parametrize("kind", list(ESTIMATORS))
@examples(35)
@given(table=training_tables(), seed=SEEDS)
def test_it_equals_scikit_learn(kind, table, seed):
    features, counts = table
    estimator = ESTIMATORS[kind](int(counts.any(axis=0).sum()), features.shape[1])
    model = exact_learner(estimator)(features, counts)

    def constant(left):
        """The smoothing is a share of no variance at all, or of rounding errors."""
        return "Gaussian" in kind and not np.ptp(features[left.any(axis=1)], axis=0).any()

    assert_as_scikit_learn(estimator, model, table, seed, may_abstain=constant)


@pytest.mark.parametrize("smoothing", [0.0, 1e-9])
@examples(80)
@given(table=training_tables(), seed=SEEDS)
def test_gaussian_with_hardly_any_smoothing(smoothing, table, seed):
    """Where a feature is constant, log densities of some billions are compared.

    Their rounding errors, scikit-learn's and ours, are all that the tolerance adds. Without any
    smoothing scikit-learn divides by the variance of a constant, which is a rounding error or
    zero; there is no belief then.
    """
    features, counts = table
    estimator = GaussianNB(var_smoothing=smoothing)

    def tolerance(left, points):
        model = trained(estimator, features, left)
        with np.errstate(all="ignore"):
            size = np.abs(model.predict_joint_log_proba(points).max(axis=1))
        return 1e-9 + 4 * np.finfo(float).eps * np.nan_to_num(size)

    def constant(left):
        held = features[left.any(axis=1)]
        return smoothing == 0 or not np.ptp(held, axis=0).any()

    model = exact_learner(estimator)(features, counts)
    with np.errstate(all="ignore"):
        assert_as_scikit_learn(
            estimator, model, table, seed, tolerance=tolerance, may_abstain=constant
        )


def test_gaussian_without_the_record_that_holds_all_the_variance():
    """What is left of the sum of squares must not be a rounding error of what was there."""
    near = np.array([1.0, 1.1, 1.2, 1.3])
    features = np.stack([np.append(near, 3e7), np.append(near[::-1] ** 2, 0.7)], axis=1)
    counts = np.array([[2, 0], [1, 1], [0, 2], [1, 1], [1, 0]])
    left = counts - np.array([[0, 0]] * 4 + [[1, 0]])
    for smoothing in (0.0, 1e-9, 1e-2):
        estimator = GaussianNB(var_smoothing=smoothing)
        model = exact_learner(estimator)(features, counts)
        points = features[:4] + 0.01
        ours = model.predict_without(points, np.tile(features[4], (4, 1)), np.zeros(4, dtype=int))
        theirs = scikit_learn(estimator, features, left, points)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
        assert 0.001 < ours.min() < ours.max() < 0.999


def test_multinomial_without_the_record_that_holds_the_whole_sum():
    features = np.array([[1e9 + 0.3, 1e-9], [1e-6 / 3, 0.2], [2e-6 / 3, 0.7], [0.1, 0.9]])
    counts = np.array([[1, 0], [2, 0], [0, 1], [0, 3]])
    left = counts - np.array([[1, 0], [0, 0], [0, 0], [0, 0]])
    for kind in (MultinomialNB, ComplementNB):
        estimator = kind(alpha=1e-8)
        model = exact_learner(estimator)(features, counts)
        points = np.array([[0.4, 2.0]])
        ours = model.predict_without(points, features[:1], [0])
        theirs = scikit_learn(estimator, features, left, points)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", list(ESTIMATORS))
def test_a_value_that_vanished_has_belief_0(kind):
    features = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]])
    counts = np.array([[2, 0, 0], [1, 3, 0], [0, 0, 1]])
    estimator = ESTIMATORS[kind](3, 2)
    model = exact_learner(estimator)(features, counts)
    belief = model.predict_without(features[:1], features[2:], [2])[0]
    if "priors" in kind and "equal" not in kind:  # three numbers say nothing about two values
        assert np.isnan(belief).all()
    elif "fractions" not in kind:
        assert belief[2] == 0
        assert belief[:2].sum() == pytest.approx(1)
        assert (belief[:2] > 0).all()


def test_the_last_value_has_belief_1():
    for make in ESTIMATORS.values():
        model = exact_learner(make(2, 1))([[0.0], [1.0]], [[0, 3], [1, 0]])
        assert model.predict_without([[1.0]], [[1.0]], [0]).tolist() == [[0, 1]]
        model = exact_learner(make(1, 1))([[0.0], [1.0]], [[0, 3], [0, 1]])
        assert model.predict([[1.0]]).tolist() == [[0, 1]]


def test_where_no_record_is_left_there_is_no_belief():
    for make in ESTIMATORS.values():
        model = exact_learner(make(1, 1))([[1.0]], [[1]])
        assert np.isnan(model.predict_without([[1.0]], [[1.0]], [0])).all()


def test_a_category_that_only_the_forgotten_record_has_is_unknown_without_it():
    features, counts = np.array([[0.0], [1.0], [5.0]]), np.array([[2, 1], [1, 1], [1, 0]])
    model = exact_learner(CategoricalNB())(features, counts)
    assert np.isnan(model.predict_without(features[2:], features[2:], [0])).all()
    with_room = exact_learner(CategoricalNB(min_categories=6))(features, counts)
    belief = with_room.predict_without(features[2:], features[2:], [0])
    np.testing.assert_allclose(belief.sum(), 1)


@pytest.mark.parametrize("kind", [MultinomialNB, ComplementNB, CategoricalNB])
def test_negative_features_are_refused(kind):
    with pytest.raises(InputError, match=rf"{kind.__name__} needs features that are not negative"):
        exact_learner(kind())([[1.0, 2.0], [3.0, -4.0]], [[1], [1]])


def test_numbers_by_feature_must_be_as_many():
    with pytest.raises(InputError, match="alpha for 3 features, but there are 2"):
        exact_learner(MultinomialNB(alpha=[1, 2, 3]))([[1.0, 2.0]], [[1]])
    with pytest.raises(InputError, match="min_categories for 3 features, but there are 2"):
        exact_learner(CategoricalNB(min_categories=[1, 2, 3]))([[1.0, 2.0]], [[1]])


@pytest.mark.parametrize("kind", list(ESTIMATORS))
def test_on_a_larger_table(kind):
    features, counts = random_table(5, 300, ("few", "bits", "real", "few", "bits"), 6)
    estimator = ESTIMATORS[kind](6, 5)
    model = exact_learner(estimator)(features, counts)
    assert_as_scikit_learn(estimator, model, (features, counts), 1)
