"""Another prior than the release's own: what it does to beliefs, and which priors are refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables_and_goals
from sklearn.naive_bayes import BernoulliNB

import unveil as uv
from unveil.adversary import NaiveBayes, as_prior, reweighed
from unveil.errors import InputError

TABLE = uv.read_table(
    {"age": [30, 41, 52], "vote": ["left", "right", "none"]}, quasi="age", sensitive="vote"
)
VOTES = TABLE.sensitive  # left, none, right


def shares(release):
    return release.totals / release.totals.sum()


@examples(40)
@given(tables_and_goals(max_size=20), st.integers(0, 2**32 - 1))
def test_naive_bayes_reweighed_is_scikit_learns_class_prior(case, seed):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(microdata.sensitive.size))
    record = int(rng.integers(len(microdata)))
    target = microdata.codes[:, [record]]
    belief = reweighed(NaiveBayes().predict(release, target), shares(release), prior)[0]

    each = zip(release.regions, target[:, 0], strict=True)
    bits = [regions.covers(int(code))[release.class_of] for regions, code in each]
    there = np.unique(release.sensitive.codes)
    model = BernoulliNB(class_prior=prior[there])
    model.fit(np.stack(bits, axis=1).astype(int), release.sensitive.codes)
    expected = np.zeros(microdata.sensitive.size)
    expected[there] = model.predict_proba(np.ones((1, len(target))))[0]
    np.testing.assert_allclose(belief, expected / expected.sum(), atol=1e-12)


def test_the_prior_that_was_learned_changes_nothing():
    beliefs, learned = np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([0.3, 0.7])
    np.testing.assert_allclose(reweighed(beliefs, learned, learned), beliefs)


def test_a_value_that_the_release_lacks_stays_impossible():
    belief = reweighed(
        np.array([[0.5, 0.5, 0.0]]), np.array([0.5, 0.5, 0]), np.array([0, 0.4, 0.6])
    )
    np.testing.assert_allclose(belief, [[0, 1, 0]])


def test_whom_the_prior_leaves_no_value_to_has_no_belief():
    beliefs, learned = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]), np.array([0.5, 0.5, 0])
    belief = reweighed(beliefs, learned, np.array([[0.0, 0.0, 1.0], [0.9, 0.1, 0.0]]))
    assert np.isnan(belief[0]).all()
    np.testing.assert_allclose(belief[1], [0, 1, 0])


def test_shares_may_differ_from_target_to_target():
    beliefs = np.array([[0.5, 0.5], [0.5, 0.5]])
    learned = np.array([[0.5, 0.5], [0.25, 0.75]])
    np.testing.assert_allclose(
        reweighed(beliefs, learned, np.array([0.5, 0.5])), [[0.5, 0.5], [0.75, 0.25]]
    )


@pytest.mark.parametrize(
    "prior",
    [
        {"right": 0.5, "left": 0.3, "none": 0.2},
        pd.Series({"right": 0.5, "left": 0.3, "none": 0.2}),
        [0.3, 0.2, 0.5],
        np.array([0.3, 0.2, 0.5]),
    ],
)
def test_one_prior_for_everybody(prior):
    np.testing.assert_allclose(as_prior(prior, VOTES, 3), [0.3, 0.2, 0.5])


def test_a_prior_for_each_record():
    rows = np.array([[0.3, 0.2, 0.5], [1, 0, 0], [0.2, 0.2, 0.6]])
    table = pd.DataFrame(rows[:, [2, 0, 1]], columns=["right", "left", "none"], index=[7, 7, 1])
    np.testing.assert_allclose(as_prior(table, VOTES, 3), rows)
    np.testing.assert_allclose(as_prior(rows, VOTES, 3), rows)


def test_values_that_are_no_texts_are_found():
    for values, prior in (
        ([True, False], {True: 0.25, False: 0.75}),
        ([1.0, 2.5], {2.5: 0.25, 1: 0.75}),
    ):
        table = uv.read_table({"q": [1, 2], "s": values}, quasi="q", sensitive="s")
        np.testing.assert_allclose(as_prior(prior, table.sensitive, 2), [0.75, 0.25])


def test_small_errors_of_rounding_are_mended():
    prior = as_prior([0.3333333, 0.3333333, 0.3333333], VOTES, 3)
    assert prior.sum() == pytest.approx(1, abs=1e-15)


VALUES = "(values: left, none, right)"


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (
            {"left": 0.5, "rigth": 0.3, "none": 0.2},
            "the prior has 'rigth', which is not a value of 'vote'; did you mean 'right'? "
            f"{VALUES}",
        ),
        (
            {"left": 0.5, "right": 0.5},
            "the prior lacks 'none', a value of 'vote'; give 0 to an impossible value",
        ),
        ({"left": 0.5, "right": 0.4, "none": 0}, "the prior sums to 0.9 instead of 1"),
        ({"left": 1.5, "right": -0.5, "none": 0}, "the prior has a negative number"),
        ([0.5, np.nan, 0.5], "the prior has a number that is missing or infinite"),
        (pd.Series([0.5, 0.5], index=["left", "left"]), "the prior has 'left' twice"),
        (
            [[0.5, 0.5, 0], [0.5, 0.5, 0.5], [0, 0, 1]],
            "the prior sums to 1.5 instead of 1 for record 1",
        ),
        (
            [[0.5, 0.5, 0], [0.5, 0.5, 0.5]],
            "the prior has 2 rows, but the table has 3 records; give one row per record, or one "
            "probability per value for all records",
        ),
        (
            pd.DataFrame({"left": [1.0], "right": [0.0], "none": [0.0]}),
            "the prior has 1 rows, but the table has 3 records; give one row per record, or one "
            "probability per value for all records",
        ),
        (
            [0.5, 0.5],
            "the prior has the shape (2,), but 'vote' has 3 values; give one probability for each "
            "of left, none, right, in this order",
        ),
        (
            1.0,
            "the prior has the shape (), but 'vote' has 3 values; give one probability for each "
            "of left, none, right, in this order",
        ),
        (
            "left",
            "the prior must be probabilities: a mapping from the sensitive values to numbers, one "
            "number per value, or one row of numbers per record; got 'left'",
        ),
    ],
)
def test_what_is_no_prior(prior, message):
    with pytest.raises(InputError) as error:
        as_prior(prior, VOTES, 3)
    assert str(error.value) == message
