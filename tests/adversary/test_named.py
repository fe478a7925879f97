"""Adversaries by name, and what is said about those nobody knows."""

import builtins

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from unveil.adversary import (
    ADVERSARIES,
    Adversary,
    Classifier,
    ConditionalFrequency,
    EncodedNaiveBayes,
    Encoding,
    NaiveBayes,
    NearestNeighbours,
    UpdatingAdversary,
    adversary_named,
)
from unveil.errors import InputError, MissingExtraError

KNOWN = (
    "(known: naive-bayes, conditional-frequency, smoothed-frequency, tree, forest, logistic, "
    "boosting, neighbours, "
    "gaussian-nb; or an unveil.adversary.Adversary of your own)"
)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_names_are_known(name):
    adversary = adversary_named(name)
    assert isinstance(adversary, Adversary)
    assert adversary_named(adversary) is adversary
    assert adversary.label
    assert adversary.explained
    assert ADVERSARIES[name]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Naive-Bayes", "Bernoulli naive Bayes"),
        ("naive-bayes@relative-relative", "Bernoulli naive Bayes"),
        ("naive-bayes@bounds-hot", "naive Bayes on bounds-hot"),
        (
            "naive-bayes:encoding=quantiles-after-hot,quantiles=7",
            "naive Bayes on quantiles-after-hot of 7 parts",
        ),
        ("conditional-frequency", "conditional frequency"),
        ("tree", "DecisionTreeClassifier() on relative-relative"),
        ("tree(max_depth=3)", "DecisionTreeClassifier(max_depth=3) on relative-relative"),
        ("forest@bounds-hot", "RandomForestClassifier() on bounds-hot"),
        (
            " forest @ bounds-hot : n_estimators = 50 , max_features = none ",
            "RandomForestClassifier(max_features=None, n_estimators=50) on bounds-hot",
        ),
        (
            "forest:encoding=bounds-hot-after,n_estimators=50,bootstrap=no",
            "RandomForestClassifier(bootstrap=False, n_estimators=50) on bounds-hot-after",
        ),
        ("logistic:C=0.5", "LogisticRegression(C=0.5, max_iter=1000) on relative-relative"),
        (
            "boosting:learning_rate=1e-2",
            "HistGradientBoostingClassifier(learning_rate=0.01) on relative-relative",
        ),
        ("neighbours:k=3,metric=hamming", "NearestNeighbours(k=3, metric='hamming') on relative-"),
        ("gaussian-nb@scaling-hot", "GaussianNB() on scaling-hot"),
    ],
)
def test_encodings_and_settings(text, label):
    assert adversary_named(text).label.startswith(label)


def test_which_kinds_they_are():
    assert adversary_named("naive-bayes") == NaiveBayes()
    assert adversary_named("naive-bayes@bounds-hot") == EncodedNaiveBayes("bounds-hot")
    assert adversary_named("conditional-frequency") == ConditionalFrequency()
    assert isinstance(adversary_named("neighbours"), UpdatingAdversary)
    assert isinstance(adversary_named("gaussian-nb"), UpdatingAdversary)
    assert adversary_named("forest:seed=7,weighted=true").seed == 7


def test_models_of_ones_own():
    forest = RandomForestClassifier(n_estimators=3)
    adversary = adversary_named(forest)
    assert isinstance(adversary, Classifier)
    assert adversary.estimator is forest
    assert adversary.encoding == Encoding()
    assert isinstance(adversary_named(NearestNeighbours(k=2)), UpdatingAdversary)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("naive-baies", f"no adversary 'naive-baies'; did you mean 'naive-bayes'? {KNOWN}"),
        ("forrest@bounds", f"no adversary 'forrest@bounds'; did you mean 'forest'? {KNOWN}"),
        ("", f"no adversary '' {KNOWN}"),
        (3, f"no adversary 3 {KNOWN}"),
        (NaiveBayes, "NaiveBayes is a class; give an instance: NaiveBayes()"),
        (
            DecisionTreeClassifier,
            "DecisionTreeClassifier is a class; give an instance: DecisionTreeClassifier()",
        ),
        (
            LinearSVC(),
            "LinearSVC() has no probabilities (predict_proba); wrap it: "
            "sklearn.calibration.CalibratedClassifierCV(LinearSVC(…))",
        ),
        (
            "conditional-frequency@bounds-hot",
            "conditional-frequency looks at cells as they are and has no encoding; leave "
            "@bounds-hot out",
        ),
        (
            "conditional-frequency:k=3",
            "conditional-frequency has no option 'k' (it has none)",
        ),
        (
            "naive-bayes:encodin=bounds-hot",
            "naive-bayes has no option 'encodin'; did you mean 'encoding'? (options: encoding, "
            "quantiles)",
        ),
        (
            "neighbours:kk=3",
            "neighbours has no option 'kk'; did you mean 'k'? (options: k, metric, weights, "
            "encoding, quantiles, weighted, seed)",
        ),
        ("tree:max_depth", "cannot read 'max_depth' in the options of tree; write name=value, "
         "with commas between several, such as tree:ccp_alpha=5"),
        ("tree:max_depth=3,max_depth=4", "tree is given the option 'max_depth' twice"),
        ("tree@bounds-hot:encoding=hot-hot", "tree is given the option 'encoding' twice"),
        (
            "tree:quantiles=many",
            "quantiles='many' is not possible: it must be a whole number from 1 up",
        ),
        (
            "neighbours:k=some",
            "k='some' is not possible: it must be a whole number from 1 up",
        ),
    ],
)  # fmt: skip
def test_others_are_not(given, message):
    with pytest.raises(InputError) as error:
        adversary_named(given)
    assert str(error.value) == message


def test_wrong_settings_are_told_before_the_work():
    with pytest.raises(InputError, match=r"^forest: The 'max_depth' parameter of RandomForest"):
        adversary_named("forest:max_depth=deep")


def test_without_scikit_learn_only_its_models_are_missing(monkeypatch):
    real_import = builtins.__import__

    def without_scikit_learn(name, *rest):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_scikit_learn)
    for name in ("naive-bayes", "naive-bayes@bounds-hot", "conditional-frequency", "neighbours"):
        assert adversary_named(name).label
    with pytest.raises(MissingExtraError, match=r"pip install 'unveil\[models\]'"):
        adversary_named("forest")
