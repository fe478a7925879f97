"""Naive Bayes of any encoding: scikit-learn's on the same records, and the product where mixed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_encodings import plain_records
from proofs import examples
from random_tables import random_microdata, tables_and_goals
from sklearn.naive_bayes import BernoulliNB, GaussianNB

import unveil as uv
from unveil.adversary import ENCODINGS, Adversary, EncodedNaiveBayes, Encoding, NaiveBayes
from unveil.errors import InputError
from unveil.microdata import Kind

SMOOTHING = 1e-3
REAL = ("scaling", "bounds")


def which_are_quantities(release, encoding):
    """For each feature, whether it is a quantity."""
    real = []
    for column, regions in zip(release.quasi, release.regions, strict=True):
        made = encoding.features(column, regions)
        numbers = column.kind is Kind.NUMERIC and encoding.continuous in REAL
        real += [numbers] * (1 if made is None else made.width)
    return np.array(real)


def scikit_learn(release, encoding, target):
    """BernoulliNB of the bits times GaussianNB of the quantities, each with half the prior."""
    records, point = plain_records(release, encoding, target)
    rows, secrets = np.array([r for r, _ in records], dtype=float), [s for _, s in records]
    point, real = np.array([point], dtype=float), which_are_quantities(release, encoding)
    there, counts = np.unique(secrets, return_counts=True)
    log_odds = np.log(counts / counts.sum())
    flat = np.full(len(there), 1 / len(there))
    if (~real).any():
        bits = BernoulliNB(class_prior=flat).fit(rows[:, ~real], secrets)
        log_odds = log_odds + bits.predict_joint_log_proba(point[:, ~real])[0]
    if real.any() and (rows[:, real] != rows[0, real]).any():
        numbers = GaussianNB(priors=flat, var_smoothing=SMOOTHING).fit(rows[:, real], secrets)
        log_odds = log_odds + numbers.predict_joint_log_proba(point[:, real])[0]
    odds = np.exp(log_odds - log_odds.max())
    belief = np.zeros(release.sensitive.size)
    belief[there] = odds / odds.sum()
    return belief


@examples(120)
@given(tables_and_goals(max_size=20), st.sampled_from(ENCODINGS), st.data())
def test_it_is_scikit_learns_naive_bayes(case, name, data):
    microdata, options = case
    encoding = Encoding.named(name, quantiles=3)
    adversary = EncodedNaiveBayes(encoding, var_smoothing=SMOOTHING)
    microdata = adversary.prepared(microdata)
    release = uv.Mondrian(**options).sanitize(microdata)
    records = data.draw(st.lists(st.integers(0, len(microdata) - 1), min_size=1, max_size=3))
    found = adversary.predict(release, microdata.codes[:, records])
    for belief, record in zip(found, records, strict=True):
        expected = scikit_learn(release, encoding, microdata.codes[:, record])
        np.testing.assert_allclose(belief, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("bounds-hot", GaussianNB()),
        ("scaling-hot", GaussianNB()),
        ("binary-hot-after", BernoulliNB()),
        ("relative-relative", BernoulliNB()),
        ("quantiles-after-binary", BernoulliNB()),
    ],
)
def test_one_kind_of_features_is_one_model_of_scikit_learn(name, model):
    """With its own prior and its default smoothing."""
    kinds = ("numeric", "fine", "numeric") if isinstance(model, GaussianNB) else ("tree", "numeric")
    table = random_microdata(2, 80, kinds, 3)
    release, encoding = uv.Mondrian(k=3).sanitize(table), Encoding.named(name)
    found = EncodedNaiveBayes(name).predict(release, table.codes[:, :5])
    for belief, target in zip(found, table.codes[:, :5].T, strict=True):
        records, point = plain_records(release, encoding, target)
        model.fit(np.array([r for r, _ in records], dtype=float), [s for _, s in records])
        np.testing.assert_allclose(belief, model.predict_proba([point])[0], atol=1e-9)


@examples(30)
@given(tables_and_goals(max_size=30))
def test_on_relative_relative_it_is_the_counting_adversary(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    np.testing.assert_allclose(
        EncodedNaiveBayes().predict(release, microdata.codes),
        NaiveBayes().predict(release, microdata.codes),
        atol=1e-12,
    )


@pytest.mark.parametrize("name", ENCODINGS)
def test_many_targets_are_as_each_alone(name):
    adversary = EncodedNaiveBayes(name)
    table = adversary.prepared(random_microdata(7, 60, ("numeric", "tree", "fine", "flat"), 4))
    release = uv.Mondrian(k=4).sanitize(table)
    together = adversary.predict(release, table.codes)
    alone = np.vstack([adversary.predict(release, table.codes[:, [i]]) for i in range(60)])
    np.testing.assert_allclose(together, alone, atol=1e-12)
    np.testing.assert_allclose(together.sum(axis=1), 1)


def test_quantities_that_do_not_vary_say_nothing():
    table = uv.read_table(
        {"q": [5, 5, 5, 9], "s": ["a", "a", "b", "b"]}, quasi="q", sensitive="s"
    ).take([0, 1, 2])
    release = uv.Identity().sanitize(table)
    found = EncodedNaiveBayes("bounds-hot").predict(release, np.array([[0, 1]], dtype=np.int32))
    np.testing.assert_allclose(found, [[2 / 3, 1 / 3]] * 2)


def test_a_value_that_vanished_has_probability_0():
    table = uv.read_table({"q": [1, 1, 2], "s": ["a", "b", "c"]}, quasi="q", sensitive="s")
    release = uv.Identity().sanitize(table.without(2))
    for name in ("binary-hot", "relative-hot"):
        assert (EncodedNaiveBayes(name).predict(release, table.codes)[:, 2] == 0).all()


def test_it_says_what_it_is():
    adversary = EncodedNaiveBayes("bounds-hot")
    assert adversary.label == "naive Bayes on bounds-hot"
    assert adversary.explained.endswith("encoded as bounds-hot")
    assert isinstance(adversary, Adversary)
    with pytest.raises(InputError, match="=0 is not possible: it must be a number above 0"):
        EncodedNaiveBayes(var_smoothing=0)
