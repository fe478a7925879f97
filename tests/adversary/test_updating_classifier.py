"""Forgetting one record equals training without it, on every encoding."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

import unveil as uv
from unveil.adversary import ENCODINGS, Classifier, NearestNeighbours, UpdatingAdversary
from unveil.adversary._classifier import UpdatingClassifier
from unveil.errors import InputError

TABLE = random_microdata(5, 40, ("numeric", "tree", "ordinal", "fine"), sensitive_values=3)
FORGETTING = [
    BernoulliNB(),
    GaussianNB(var_smoothing=1e-2),
    MultinomialNB(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
    NearestNeighbours(k=4),
]


def anew(adversary, table, records):
    """The sanitizer run again without each record, and the model trained again."""
    return np.vstack(
        [
            adversary.predict(uv.Identity().sanitize(table.without(int(i))), table.codes[:, [i]])
            for i in records
        ]
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("model", FORGETTING, ids=lambda model: type(model).__name__)
def test_forgetting_is_training_without(model, encoding):
    adversary = Classifier(model, encoding)
    assert isinstance(adversary, UpdatingAdversary)
    table = adversary.prepared(TABLE)
    release, records = uv.Identity().sanitize(table), np.arange(0, 40, 3)
    found = adversary.predict_without(release, table.codes[:, records], records)
    np.testing.assert_allclose(found, anew(adversary, table, records), rtol=0, atol=1e-9)


@examples(60)
@given(tables(max_size=12), st.sampled_from(ENCODINGS))
def test_it_does_so_on_any_table(table, encoding):
    """Values that vanish, generalizations that vanish, tables of one record."""
    adversary = Classifier(BernoulliNB(), encoding)
    table = adversary.prepared(table)
    release, records = uv.Identity().sanitize(table), np.arange(len(table))
    found = adversary.predict_without(release, table.codes, records)
    if len(table) == 1:
        assert np.isnan(found).all()
    else:
        np.testing.assert_allclose(found, anew(adversary, table, records), rtol=0, atol=1e-9)


def test_where_every_record_takes_a_generalization_with_it():
    table = uv.read_table(
        {"a": [1, 2, 3], "b": ["x", "y", "z"], "s": ["u", "v", "u"]},
        quasi=["a", "b"],
        sensitive="s",
    )
    adversary = Classifier(BernoulliNB(), "relative-hot-after")
    found = adversary.predict_without(uv.Identity().sanitize(table), table.codes, np.arange(3))
    np.testing.assert_allclose(found, anew(adversary, table, range(3)), atol=1e-9)


def test_nobody_to_ask_about():
    release, nobody = uv.Identity().sanitize(TABLE), np.empty(0, dtype=np.intp)
    adversary = Classifier(BernoulliNB())
    assert adversary.predict(release, TABLE.codes[:, nobody]).shape == (0, 3)
    assert adversary.predict_without(release, TABLE.codes[:, nobody], nobody).shape == (0, 3)


def test_predictions_are_those_of_scikit_learn_itself():
    """Which a plain classifier, made past the choice of the quicker one, fits."""
    release = uv.Mondrian(k=3).sanitize(TABLE)
    for model in FORGETTING[:4]:
        exact = Classifier(model, "bounds-hot")
        plain = object.__new__(Classifier)
        plain.__init__(model, "bounds-hot")
        assert type(exact) is UpdatingClassifier
        assert type(plain) is Classifier
        np.testing.assert_allclose(
            exact.predict(release, TABLE.codes), plain.predict(release, TABLE.codes), atol=1e-9
        )


def test_it_travels_to_other_processes():
    adversary = Classifier(GaussianNB(), "bounds-hot")
    again = pickle.loads(pickle.dumps(adversary))
    release, records = uv.Identity().sanitize(TABLE), np.arange(5)
    np.testing.assert_array_equal(
        again.predict_without(release, TABLE.codes[:, :5], records),
        adversary.predict_without(release, TABLE.codes[:, :5], records),
    )


def test_a_model_that_cannot_forget_is_refused():
    with pytest.raises(InputError) as error:
        UpdatingClassifier(LogisticRegression())
    assert str(error.value) == "LogisticRegression() cannot forget; make a Classifier of it"


def test_who_can_forget():
    assert isinstance(Classifier(GaussianNB()), UpdatingAdversary)
    assert isinstance(Classifier(BernoulliNB(), weighted=True), UpdatingAdversary)
    assert not isinstance(Classifier(GaussianNB(), weighted=True), UpdatingAdversary)
    assert not isinstance(Classifier(LogisticRegression()), UpdatingAdversary)


def test_tables_that_a_model_cannot_be_trained_on_leave_no_belief():
    """scikit-learn's quadratic discriminant wants two records of every value."""
    table = uv.read_table(
        {"q": [1.0, 2, 4, 7, 3, 9], "s": ["a", "a", "a", "a", "b", "b"]}, quasi="q", sensitive="s"
    )
    adversary = Classifier(QuadraticDiscriminantAnalysis(), "scaling-hot")
    release = uv.Identity().sanitize(table)
    found = adversary.predict_without(release, table.codes, np.arange(6))
    assert np.isnan(found[4:]).all()
    assert not np.isnan(found[:4]).any()
    assert "training QuadraticDiscriminantAnalysis() warned: " in adversary.notes[0]


def test_neighbours_need_no_scikit_learn_and_say_what_they_are():
    adversary = Classifier(NearestNeighbours(k=3))
    assert adversary.label == "NearestNeighbours(k=3) on relative-relative"
    release = uv.Mondrian(k=3).sanitize(TABLE)
    np.testing.assert_allclose(adversary.predict(release, TABLE.codes).sum(axis=1), 1)


def test_a_differential_test_takes_the_quick_way_to_the_same_numbers():
    adversary = Classifier(GaussianNB(), "bounds-hot")
    quick = uv.differential_inference(TABLE, uv.Identity(), adversary=adversary)
    slow = uv.differential_inference(
        TABLE, uv.Identity(), adversary=Classifier(GaussianNB(), "bounds-hot"), path="general"
    )
    np.testing.assert_allclose(quick.distances, slow.distances, rtol=0, atol=1e-9)
