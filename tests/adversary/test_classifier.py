"""Any scikit-learn classifier on any encoding: the same as fitting it on the records one by one."""

import builtins
import pickle
import threading
import warnings

import numpy as np
import pytest
from plain_encodings import plain_records
from random_tables import random_microdata
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier
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
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

import unveil as uv
from unveil.adversary import ENCODINGS, Adversary, Classifier, Encoding
from unveil.adversary._training import learns_the_same_from_weights
from unveil.errors import InputError, MissingExtraError

TABLE = random_microdata(11, 30, ("numeric", "tree", "ordinal", "fine"), sensitive_values=3)

MODELS = {
    "tree": DecisionTreeClassifier(random_state=3),
    "forest": RandomForestClassifier(n_estimators=4, random_state=3),
    "logistic": LogisticRegression(max_iter=500),
    "histogram boosting": HistGradientBoostingClassifier(
        max_iter=1, min_samples_leaf=2, random_state=3
    ),
    "boosting": GradientBoostingClassifier(n_estimators=2, random_state=3),
    "neighbours": KNeighborsClassifier(n_neighbors=4),
    "bernoulli": BernoulliNB(),
    "gaussian": GaussianNB(var_smoothing=1e-2),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
}


def one_by_one(model, release, encoding, codes):
    """Every target's belief from a model of their own, fitted on all records."""
    beliefs = np.zeros((codes.shape[1], release.sensitive.size))
    for t, target in enumerate(codes.T):
        records, point = plain_records(release, encoding, target)
        features, secrets = zip(*records, strict=True)
        with threadpool_limits(1):  # on tables as small as these they only wait for one another
            fitted = clone(model).fit(np.array(features, dtype=float), np.array(secrets))
            beliefs[t, fitted.classes_] = fitted.predict_proba(np.array([point], dtype=float))[0]
    return beliefs


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", MODELS)
def test_it_is_the_model_fitted_on_all_records(name, encoding):
    model, encoding = MODELS[name], Encoding.named(encoding, quantiles=3)
    adversary = Classifier(model, encoding)
    table = adversary.prepared(TABLE)
    release = uv.Mondrian(k=3).sanitize(table.take(np.arange(1, 30)))
    codes = table.codes[:, [0, 7, 7]]  # one was left out; one is asked about twice
    found = adversary.predict(release, codes)
    expected = one_by_one(model, release, encoding, codes[:, :2])
    np.testing.assert_allclose(found, expected[[0, 1, 1]], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found[1], found[2])


def test_values_that_the_release_lacks_have_no_belief():
    there = np.flatnonzero(TABLE.sensitive.codes != 1)
    release = uv.Identity().sanitize(TABLE.take(there))
    found = Classifier(DecisionTreeClassifier()).predict(release, TABLE.codes)
    assert (found[:, 1] == 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_the_only_value_left_is_certain():
    """Logistic regression would refuse to learn it."""
    there = np.flatnonzero(TABLE.sensitive.codes == 2)
    release = uv.Identity().sanitize(TABLE.take(there))
    found = Classifier(LogisticRegression()).predict(release, TABLE.codes[:, :4])
    assert found.tolist() == [[0, 0, 1]] * 4


def test_the_order_of_the_records_plays_no_part():
    adversary = Classifier(RandomForestClassifier(n_estimators=3), "bounds-hot")
    turned = TABLE.take(np.random.default_rng(1).permutation(30))
    beliefs = [
        adversary.predict(uv.Mondrian(k=3).sanitize(table), TABLE.codes)
        for table in (TABLE, turned)
    ]
    np.testing.assert_array_equal(*beliefs)


class Watched(KNeighborsClassifier):
    """Remembers about how many points it was asked at once."""

    asked: list = []  # noqa: RUF012

    def predict_proba(self, points):
        Watched.asked.append(len(points))
        return super().predict_proba(points)


@pytest.mark.parametrize("model", [Watched(), make_pipeline(StandardScaler(), Watched())])
def test_neighbours_are_asked_about_one_point_at_a_time(model):
    """Of those equally far away scikit-learn takes others when it is asked about many at once."""
    Watched.asked.clear()
    release = uv.Identity().sanitize(TABLE)
    Classifier(model, "scaling-hot").predict(release, TABLE.codes)
    assert Watched.asked == [1] * np.unique(TABLE.codes, axis=1).shape[1]


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted on, and how it was set."""

    fits: list = []  # noqa: RUF012

    def __init__(self, random_state=None, n_jobs=None):
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, rows, y):
        Recorder.fits.append((np.array(rows), np.array(y), self.random_state, self.n_jobs))
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, points):
        return np.full((len(points), len(self.classes_)), 1 / len(self.classes_))


@pytest.fixture
def fits():
    Recorder.fits.clear()
    return Recorder.fits


@pytest.mark.parametrize("encoding", ["bounds-hot", "quantiles-after-hot-after"])
def test_one_model_serves_all_targets_unless_the_encoding_is_relative(fits, encoding):
    release = uv.Mondrian(k=3).sanitize(TABLE)
    Classifier(Recorder(), encoding).predict(release, TABLE.codes)
    assert len(fits) == 1
    assert len(fits[0][0]) == 30


def test_targets_with_the_same_training_table_share_a_model(fits):
    table = uv.read_table(
        {"a": [1, 2, 3, 4], "b": ["x", "x", "y", "y"], "s": ["u", "v", "u", "v"]},
        quasi=["a", "b"],
        sensitive="s",
    )
    release = uv.read_release(
        {"a": ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"], "b": ["*"] * 4, "s": list("uvuv")}, table
    )
    Classifier(Recorder()).predict(release, table.codes)
    # 1 and 2 are covered by the same cells; and so are 3 and 4, by others that count the same.
    assert len(fits) == 1
    Classifier(Recorder(), "relative-hot").predict(release, table.codes)
    assert len(fits) == 1 + 2


def test_the_seed_goes_wherever_randomness_was_left_open(fits):
    release = uv.Mondrian(k=3).sanitize(TABLE)
    for estimator, state in ((Recorder(), 5), (Recorder(random_state=8, n_jobs=2), 8)):
        Classifier(estimator, "bounds-hot", seed=5).predict(release, TABLE.codes)
        assert fits[-1][2] == state
        assert fits[-1][3] in (None, 1)
        assert estimator.random_state in (None, 8)
    pipeline = make_pipeline(StandardScaler(), Recorder())
    Classifier(pipeline, "bounds-hot", seed=6).predict(release, TABLE.codes)
    assert fits[-1][2] == 6


def test_the_same_seed_gives_the_same_beliefs_and_another_one_others():
    release = uv.Mondrian(k=3).sanitize(TABLE)
    beliefs = [
        Classifier(RandomForestClassifier(n_estimators=3), seed=seed).predict(release, TABLE.codes)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(beliefs[0], beliefs[1])
    assert (beliefs[0] != beliefs[2]).any()


def test_it_travels_to_other_processes():
    adversary = Classifier(DecisionTreeClassifier(max_depth=2), "bounds-hot", seed=4)
    again = pickle.loads(pickle.dumps(adversary))
    release = uv.Mondrian(k=3).sanitize(TABLE)
    np.testing.assert_array_equal(
        adversary.predict(release, TABLE.codes), again.predict(release, TABLE.codes)
    )
    assert again.label == adversary.label


SAME_FROM_WEIGHTS = [
    BernoulliNB(alpha=0.5),
    MultinomialNB(),
    ComplementNB(),
    CategoricalNB(min_categories=2),
    DecisionTreeClassifier(),
    DecisionTreeClassifier(criterion="entropy", max_depth=3, max_features=2),
    DecisionTreeClassifier(max_leaf_nodes=4, min_impurity_decrease=0.01, ccp_alpha=0.005),
    DecisionTreeClassifier(min_weight_fraction_leaf=0.1, splitter="random"),
    ExtraTreeClassifier(max_depth=5),
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("model", SAME_FROM_WEIGHTS, ids=str)
def test_weights_are_used_where_they_give_the_same_model(model, seed):
    assert learns_the_same_from_weights(model)
    table = random_microdata(seed, 60, ("numeric", "tree", "numeric", "flat"), 4)
    release, some = uv.Mondrian(k=4).sanitize(table), table.codes[:, ::5]
    for encoding in ("relative-relative", "quantiles-after-hot"):
        beliefs = [
            Classifier(model, encoding, weighted=weighted, seed=seed).predict(release, some)
            for weighted in (None, True, False)
        ]
        np.testing.assert_array_equal(beliefs[0], beliefs[1])
        np.testing.assert_allclose(beliefs[0], beliefs[2], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(min_samples_leaf=5),
        DecisionTreeClassifier(min_samples_split=10),
        DecisionTreeClassifier(class_weight="balanced"),
        GaussianNB(),  # smooths by the variance of the rows, unweighted
        RandomForestClassifier(),
        LogisticRegression(),
        Recorder(),
    ],
    ids=str,
)
def test_elsewhere_they_are_not(model):
    assert not learns_the_same_from_weights(model)


def test_settings_that_count_rows_do_differ():
    """Why these trees are left out."""
    table = random_microdata(3, 60, ("numeric", "tree", "numeric", "flat"), 4)
    release = uv.Mondrian(k=4).sanitize(table)
    model = DecisionTreeClassifier(min_samples_leaf=5)
    beliefs = [
        Classifier(model, weighted=weighted).predict(release, table.codes)
        for weighted in (None, True, False)
    ]
    np.testing.assert_array_equal(beliefs[0], beliefs[2])
    assert np.abs(beliefs[1] - beliefs[2]).max() > 0.01


def test_labels_say_model_and_encoding():
    assert Classifier(RandomForestClassifier(n_estimators=50)).label == (
        "RandomForestClassifier(n_estimators=50) on relative-relative"
    )
    encoding = Encoding("quantiles-after", "hot", 7)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(C=2.0))
    adversary = Classifier(pipeline, encoding)
    assert adversary.label == (
        "StandardScaler() → LogisticRegression(C=2.0) on quantiles-after-hot of 7 parts"
    )
    assert adversary.explained.endswith("encoded as quantiles-after-hot of 7 parts")
    assert isinstance(adversary, Adversary)


class Grumbler(DummyClassifier):
    """A model that warns whenever it is trained."""

    def fit(self, rows, y, sample_weight=None):
        warnings.warn(f"it is {len(rows)} rows of work. Nobody asked", stacklevel=1)
        return super().fit(rows, y)


def test_warnings_are_noted_once_and_not_shown():
    release = uv.Mondrian(k=3).sanitize(TABLE)
    adversary = Classifier(Grumbler(), "scaling-hot")
    assert adversary.notes == ()
    for _ in range(3):
        adversary.predict(release, TABLE.codes)
    assert adversary.notes == ("training Grumbler() warned: UserWarning: it is 30 rows of work",)
    stubborn = Classifier(LogisticRegression(max_iter=1), "scaling-hot")
    stubborn.predict(release, TABLE.codes)
    assert "ConvergenceWarning: lbfgs failed to converge" in stubborn.notes[0]


def test_other_threads_keep_their_warnings():
    """And the filters are as before, whoever ends last."""
    release, before = uv.Mondrian(k=3).sanitize(TABLE), list(warnings.filters)
    adversary = Classifier(Grumbler())
    shown = []

    def train():
        for _ in range(5):
            adversary.predict(release, TABLE.codes[:, :5])

    with warnings.catch_warnings(record=True) as elsewhere:
        warnings.simplefilter("always")
        threads = [threading.Thread(target=train) for _ in range(3)]
        for thread in threads:
            thread.start()
        warnings.warn("mine", stacklevel=1)
        for thread in threads:
            thread.join()
        shown = [str(warning.message) for warning in elsewhere]
    assert shown == ["mine"]
    assert list(warnings.filters) == before


class Counter(Recorder):
    """Remembers how many threads the libraries had when it was trained."""

    def fit(self, rows, y):
        Recorder.fits.append(threads())
        self.classes_ = np.unique(y)
        return self


def threads():
    return [library["num_threads"] for library in threadpool_info()]


def test_every_training_has_one_thread(fits):
    with threadpool_limits(2):
        before = threads()
        Classifier(Counter(), "scaling-hot").predict(uv.Identity().sanitize(TABLE), TABLE.codes)
        assert set(fits[0]) == {1}
        assert threads() == before


NO_PROBABILITIES = "has no probabilities (predict_proba); wrap it: sklearn.calibration."


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Classifier(RandomForestClassifier),
            "RandomForestClassifier is a class; give an instance: RandomForestClassifier()",
        ),
        (
            lambda: Classifier(DecisionTreeRegressor()),
            "DecisionTreeRegressor predicts numbers; an adversary needs a classifier, such as "
            "DecisionTreeClassifier()",
        ),
        (
            lambda: Classifier(make_pipeline(StandardScaler(), DecisionTreeRegressor())),
            "Pipeline predicts numbers; an adversary needs a classifier, such as "
            "DecisionTreeClassifier()",
        ),
        (
            lambda: Classifier(LinearSVC(C=2.0)),
            f"LinearSVC(C=2.0) {NO_PROBABILITIES}CalibratedClassifierCV(LinearSVC(…))",
        ),
        (
            lambda: Classifier(RidgeClassifier()),
            f"RidgeClassifier() {NO_PROBABILITIES}CalibratedClassifierCV(RidgeClassifier(…))",
        ),
        (
            lambda: Classifier(SVC()),
            f"SVC() {NO_PROBABILITIES}CalibratedClassifierCV(SVC(…))",
        ),
        (
            lambda: Classifier("forest"),
            "'forest' is not a model; give a scikit-learn classifier or pipeline, such as "
            "RandomForestClassifier()",
        ),
        (
            lambda: Classifier(KNeighborsClassifier(), weighted=True),
            "KNeighborsClassifier() takes no sample_weight; leave weighted=True out",
        ),
        (
            lambda: Classifier(BernoulliNB(), weighted="yes"),
            "weighted='yes' is not possible: it must be true or false",
        ),
        (
            lambda: Classifier(BernoulliNB(), seed=-1),
            "seed=-1 is not possible: it must be a whole number from 0 to 4294967295",
        ),
    ],
)
def test_what_cannot_be_an_adversary_is_told_at_once(make, message):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == message


def test_hard_votes_have_no_probabilities_and_calibrated_models_do():
    voting = VotingClassifier([("a", BernoulliNB()), ("b", DecisionTreeClassifier())])
    with pytest.raises(InputError, match="has no probabilities"):
        Classifier(voting)
    table = random_microdata(1, 60, ("numeric", "flat"), 2)
    release = uv.Mondrian(k=5).sanitize(table)
    for model in (voting.set_params(voting="soft"), CalibratedClassifierCV(LinearSVC())):
        found = Classifier(model, "scaling-hot").predict(release, table.codes)
        np.testing.assert_allclose(found.sum(axis=1), 1)


def test_a_model_whose_answer_has_the_wrong_shape():
    class Short(Recorder):
        def predict_proba(self, points):
            return np.ones((len(points), 1))

    release = uv.Mondrian(k=3).sanitize(TABLE)
    with pytest.raises(InputError) as error:
        Classifier(Short()).predict(release, TABLE.codes[:, :1])
    assert (
        str(error.value) == "Short() gave probabilities of shape (1, 1) for 1 targets and 3 values"
    )


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    real_import = builtins.__import__

    def without_scikit_learn(name, *rest):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_scikit_learn)
    with pytest.raises(MissingExtraError) as error:
        Classifier(MODELS["tree"])
    assert str(error.value) == (
        "classifiers need scikit-learn; install it with: pip install 'unveil[models]'"
    )


def test_one_training_serves_all_who_are_asked_about_a_release_later(fits):
    """Unless something is relative to the target, however many calls there are."""
    release = uv.Mondrian(k=3).sanitize(TABLE)
    adversary = Classifier(Recorder(), "scaling-hot")
    together = adversary.predict(release, TABLE.codes)
    before = len(fits)
    apart = [adversary.predict(release, TABLE.codes[:, [i]])[0] for i in range(5)]
    assert len(fits) == before
    np.testing.assert_array_equal(apart, together[:5])
    adversary.predict(uv.Mondrian(k=3).sanitize(TABLE), TABLE.codes)  # another release, if alike
    assert len(fits) == before + 1
