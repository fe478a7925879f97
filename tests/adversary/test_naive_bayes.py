"""Naive Bayes on covering cells is scikit-learn's BernoulliNB, trained on the same bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables_and_goals
from sklearn.naive_bayes import BernoulliNB

import unveil as uv
from unveil.adversary import NaiveBayes
from unveil.microdata import read_release


def relative_bits(release, codes):
    """The encoding of the method: for each record and column, does the cell cover the target?"""
    each = zip(release.regions, codes, strict=True)
    bits = [regions.covers(int(code))[release.class_of] for regions, code in each]
    return np.stack(bits, axis=1).astype(int)


def scikit_learn(release, codes):
    """BernoulliNB's belief about one target; 0 for values that the release does not have."""
    model = BernoulliNB().fit(relative_bits(release, codes), release.sensitive.codes)
    belief = np.zeros(release.sensitive.size)
    belief[model.classes_] = model.predict_proba(np.ones((1, len(codes))))[0]
    return belief


def test_the_encoding_of_the_published_example():
    people = uv.read_table(
        {
            "age": [16, 20, 25],
            "gender": ["Male", "Female", "Male"],
            "country": ["France", "Germany", "Italy"],
            "secret": ["a", "b", "a"],
        },
        quasi=["age", "gender", "country"],
        sensitive="secret",
    )
    release = read_release(
        {
            "age": ["[15,25]", "[17,20]"],
            "gender": ["Female", "Male"],
            "country": ["{France, Germany}", "{Italy, Germany}"],
            "secret": ["a", "b"],
        },
        people,
    )
    target = people.codes[:, 0]
    assert relative_bits(release, target).tolist() == [[1, 0, 1], [0, 1, 0]]


@examples(60)
@given(tables_and_goals(max_size=25), st.data())
def test_it_equals_scikit_learn(case, data):
    microdata, options = case
    record = data.draw(st.integers(0, len(microdata) - 1))
    f, codes = uv.Mondrian(**options), microdata.codes[:, [record]]
    releases = [f.sanitize(microdata)]
    if len(microdata) > 1:
        releases.append(uv.Identity().sanitize(microdata.without(record)))
    for release in releases:
        belief = NaiveBayes().predict(release, codes)[0]
        np.testing.assert_allclose(belief, scikit_learn(release, codes[:, 0]), atol=1e-12)
        assert belief.sum() == pytest.approx(1)
        assert (belief[release.totals == 0] == 0).all()


def test_a_value_that_vanished_has_probability_0():
    table = uv.read_table({"q": [1, 1, 2], "s": ["a", "b", "c"]}, quasi="q", sensitive="s")
    release = uv.Identity().sanitize(table.without(2))
    belief = NaiveBayes().predict(release, table.codes)
    assert (belief[:, 2] == 0).all()
    np.testing.assert_allclose(belief[2], [0.5, 0.5, 0])


@pytest.mark.parametrize("columns", [60, 400])
def test_many_columns_do_not_underflow(columns):
    microdata = random_microdata(1, 3000 if columns < 100 else 200, ("fine",) * columns)
    release = uv.Identity().sanitize(microdata)
    for record in (0, 7):
        codes = microdata.codes[:, [record]]
        belief = NaiveBayes().predict(release, codes)[0]
        np.testing.assert_allclose(belief, scikit_learn(release, codes[:, 0]), atol=1e-12)


def test_totals_may_differ_from_target_to_target():
    counts = np.array([[[3, 0], [2, 1]], [[3, 0], [2, 1]]])
    totals = np.array([[3, 1], [4, 2]])
    both = NaiveBayes().from_counts(counts, totals)
    for t in range(2):
        np.testing.assert_array_equal(
            both[t], NaiveBayes().from_counts(counts[t : t + 1], totals[t])[0]
        )
