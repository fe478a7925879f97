"""Which estimators have an exact way, and what all models with one have in common."""

import pickle
from contextlib import ExitStack
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from sklearn.covariance import LedoitWolf
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import ThreadpoolController
from training_tables import random_table

from unveil.adversary import NearestNeighbours
from unveil.adversary.exact import _table, exact_learner, one_thread
from unveil.adversary.exact._statistics import Moments, Sums
from unveil.errors import InputError

EXACT = [
    BernoulliNB(),
    CategoricalNB(),
    ComplementNB(),
    GaussianNB(),
    MultinomialNB(),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    NearestNeighbours(weights="distance"),
]


class OwnNaiveBayes(GaussianNB):
    """A subclass, of which nothing is known."""


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(),
        LogisticRegression(),
        GaussianProcessClassifier(),
        make_pipeline(StandardScaler(), GaussianNB()),
        OwnNaiveBayes(),
        GaussianNB,
        "GaussianNB",
        GaussianNB(var_smoothing=-1),
        GaussianNB(priors=[0.5, 0.6]),
        GaussianNB(priors=[1.5, -0.5]),
        BernoulliNB(alpha=0),
        BernoulliNB(alpha=1e-12, force_alpha=False),
        BernoulliNB(alpha=[1, 2]),
        BernoulliNB(binarize=-1),
        BernoulliNB(class_prior=[0.5, np.nan]),
        MultinomialNB(alpha=[1, 0]),
        ComplementNB(alpha=[[1, 1]]),
        CategoricalNB(alpha="much"),
        CategoricalNB(min_categories=2.5),
        LinearDiscriminantAnalysis(shrinkage=0.5),
        LinearDiscriminantAnalysis(tol=1e-9),
        LinearDiscriminantAnalysis(n_components=1),
        LinearDiscriminantAnalysis(priors=[0.2, 0.2]),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=LedoitWolf()),
        LinearDiscriminantAnalysis(solver="newton"),
        QuadraticDiscriminantAnalysis(reg_param=2),
        QuadraticDiscriminantAnalysis(shrinkage=0.5),
        QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
        QuadraticDiscriminantAnalysis(solver="eigen", covariance_estimator=LedoitWolf()),
    ],
    ids=str,
)
def test_there_is_no_exact_way(estimator):
    assert exact_learner(estimator) is None


@pytest.mark.parametrize("estimator", EXACT, ids=str)
class TestEveryModel:
    def table(self):
        return random_table(6, 40, ("few", "bits", "few", "real"), 4)

    def test_rows_may_be_repeated_split_or_empty(self, estimator):
        features, counts = self.table()
        learn = exact_learner(estimator)
        once = learn(features, counts)
        more = np.concatenate([features, features[:9] + 0.25, features])
        spread = np.concatenate([counts // 2, np.zeros_like(counts[:9]), counts - counts // 2])
        np.testing.assert_array_equal(once.predict(features), learn(more, spread).predict(features))

    def test_work_in_small_portions_gives_the_same(self, estimator, monkeypatch):
        features, counts = self.table()
        model = exact_learner(estimator)(features, counts)
        places, values = np.nonzero(counts)
        asked = features[places[::-1]], features[places], values
        whole = model.predict(features), model.predict_without(*asked)
        monkeypatch.setattr(_table, "_ENTRIES", 100)
        parts = model.predict(features), model.predict_without(*asked)
        for one, other in zip(whole, parts, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-13)
            assert not np.isnan(one).any()

    def test_no_targets_have_no_beliefs(self, estimator):
        features, counts = self.table()
        model = exact_learner(estimator)(features, counts)
        assert model.predict(features[:0]).shape == (0, 4)
        none = model.predict_without(features[:0], features[:0], np.array([], dtype=int))
        assert none.shape == (0, 4)

    def test_values_without_records_have_belief_0(self, estimator):
        features, counts = self.table()
        counts = np.insert(counts, 2, 0, axis=1)
        model = exact_learner(estimator)(features, counts)
        places, values = np.nonzero(counts)
        for beliefs in (
            model.predict(features),
            model.predict_without(features[places], features[places], values),
        ):
            assert (beliefs[:, 2] == 0).all()
            np.testing.assert_allclose(beliefs.sum(axis=1), 1)

    def test_a_learner_can_be_sent_to_a_worker(self, estimator):
        features, counts = self.table()
        learn = exact_learner(estimator)
        sent = pickle.loads(pickle.dumps(learn))
        np.testing.assert_array_equal(
            learn(features, counts).predict(features), sent(features, counts).predict(features)
        )

    def test_what_cannot_be_forgotten_is_named(self, estimator):
        features, counts = self.table()
        counts[:, 1], counts[0, 0] = 0, 1
        model = exact_learner(estimator)(features, counts)
        values = np.array([0, 1])
        with pytest.raises(
            InputError, match="target 1 cannot forget a record with sensitive value"
        ):
            model.predict_without(features[:2], np.tile(features[0], (2, 1)), values)
        with pytest.raises(InputError, match=r"target 0 cannot forget .* value 9"):
            model.predict_without(features[:1], features[:1], [9])
        counts[0, 0] = 0
        model = exact_learner(estimator)(np.vstack([features[:1] * 0, features[1:]]), counts)
        with pytest.raises(InputError, match=r"target 0 cannot forget .* no such record"):
            model.predict_without(features[:1], features[:1] * 0, [0])

    def test_each_target_forgets_one_record(self, estimator):
        features, counts = self.table()
        model = exact_learner(estimator)(features, counts)
        with pytest.raises(InputError, match="3 points cannot forget 2 rows with 1 values"):
            model.predict_without(features[:3], features[:2], [0])

    def test_features_are_checked(self, estimator):
        learn = exact_learner(estimator)
        with pytest.raises(InputError, match="feature 1 of row 0 is nan"):
            learn([[1.0, np.nan]], [[1]])
        with pytest.raises(InputError, match=r"shape \(3,\) are not a table"):
            learn([1.0, 2.0, 3.0], [[1]])
        with pytest.raises(InputError, match=r"shape \(2, 1\) do not fit 1 feature rows"):
            learn([[1.0]], [[1], [2]])
        for counts in ([[-1]], [[0]], [[0.5]]):
            with pytest.raises(InputError, match="counts of records must be whole numbers"):
                learn([[1.0]], counts)
        with pytest.raises(InputError, match=r"points with 2 features do not fit a model .* on 1"):
            learn([[1.0], [2.0]], [[1], [1]]).predict([[1.0, 2.0]])


def test_priors_must_be_as_many_as_values_with_records():
    learn = exact_learner(GaussianNB(priors=[0.2, 0.3, 0.5]))
    with pytest.raises(InputError, match="given 3 prior probabilities, but 2 sensitive values"):
        learn([[1.0], [2.0]], [[1, 0, 0], [0, 1, 0]])


def test_linear_algebra_gets_its_threads_back():
    """Two come in, and the first to come leaves first."""
    controller = ThreadpoolController()

    def threads():
        infos = controller.info()
        return [info["num_threads"] for info in infos if info["user_api"] == "blas"]

    before = threads()
    with ExitStack() as first, ExitStack() as second:
        first.enter_context(one_thread)
        second.enter_context(one_thread)
        assert set(threads()) == {1}
        first.close()
        assert set(threads()) == {1}
    assert threads() == before


# Squares of smaller numbers are below what has all its digits.
wild = st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-100) | st.sampled_from(
    [0.0, 1.0, 0.1, 1e-9]
)


@examples(150)
@given(st.data())
def test_sums_and_moments_without_a_record_have_no_cancellation(data):
    """Also where one record holds nearly all of a sum: against exact arithmetic on what is left."""
    size = data.draw(st.integers(2, 6))
    column = data.draw(st.lists(wild, min_size=size, max_size=size, unique=True))
    counts = data.draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    features, table = np.array(column)[:, np.newaxis], np.array(counts)[:, np.newaxis]
    moments, sums = Moments(features, table), Sums(np.abs(features), table)
    for place in range(size):
        left = np.array(counts) - (np.arange(size) == place)
        at, one = np.array([place]), np.array([0])
        total = sum(Fraction(abs(x)) * int(w) for x, w in zip(column, left, strict=True))
        assert sums.without(at, one)[0, 0] == pytest.approx(float(total), rel=1e-11)
        centred = [Fraction(float(x)) for x in moments.features[:, 0]]
        mean = sum(x * int(w) for x, w in zip(centred, left, strict=True)) / int(left.sum())
        off = sum((x - mean) ** 2 * int(w) for x, w in zip(centred, left, strict=True))
        ours, deviations = moments.without(at, one)
        spread = float(max(abs(x) for x, w in zip(centred, left, strict=True) if w))
        assert abs(ours[0, 0] - float(mean)) <= 1e-11 * spread
        assert abs(deviations[0, 0] - float(off)) <= 1e-11 * float(off) + (1e-15 * spread) ** 2
