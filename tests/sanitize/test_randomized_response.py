"""Randomized response keeps the true value as often as it says, and says so."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables

import unveil as uv
from unveil.attacks.relative_risk import horizontal_problem
from unveil.errors import GoalError, InputError
from unveil.sanitize import sanitizer_named
from unveil.sanitize._noise import _randomized

SURVEY = uv.read_table(
    {"age": [20, 20, 30, 41, 41, 60], "vote": ["a", "a", "b", "c", "b", "a"]},
    quasi="age",
    sensitive="vote",
)


@pytest.mark.parametrize("values", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_no_true_value_makes_a_published_one_more_than_e_to_the_epsilon_times_as_likely(
    values, epsilon
):
    keeps = uv.RandomizedResponse(epsilon=epsilon).keeps(values)
    other = (1 - keeps) / (values - 1)
    assert keeps == pytest.approx(math.exp(epsilon) / (math.exp(epsilon) + values - 1))
    assert keeps / other == pytest.approx(math.exp(epsilon))


def test_values_are_published_as_often_as_they_should_be():
    n, values, true = 200_000, 4, 2
    keeps = uv.RandomizedResponse(epsilon=1).keeps(values)
    rng = np.random.default_rng(0)
    drawn = _randomized(np.full(n, true, dtype=np.int32), values, keeps, rng)
    found = np.bincount(drawn, minlength=values)
    expected = np.full(values, n * (1 - keeps) / (values - 1))
    expected[true] = n * keeps
    # χ² with three degrees of freedom is over 30.7 once in a million.
    assert ((found - expected) ** 2 / expected).sum() < 30.7


@examples(100)
@given(tables(), st.floats(0.01, 10), st.integers(0, 2**64 - 1))
def test_quasi_identifiers_are_exact_and_nobody_is_lost(table, epsilon, seed):
    f = uv.RandomizedResponse(epsilon=epsilon, seed=seed)
    release = f.sanitize(table)
    exact = uv.Identity().sanitize(table)
    assert len(release) == len(table)
    assert release.cells() == exact.cells()
    assert np.array_equal(release.class_of, exact.class_of)
    assert release.sensitive.values is table.sensitive.values
    assert (
        (release.sensitive.codes >= 0) & (release.sensitive.codes < release.sensitive.size)
    ).all()
    assert release.perturbed == (table.sensitive.name,)
    again = f.sanitize(table)
    assert np.array_equal(release.sensitive.codes, again.sensitive.codes)


@examples(60)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    f = uv.RandomizedResponse(epsilon=1, seed=4)
    frames = [f.sanitize(one).to_frame() for one in (table, table.take(order))]
    rows = [Counter(map(tuple, frame.itertuples(index=False))) for frame in frames]
    assert rows[0] == rows[1]


def test_without_privacy_nothing_is_changed():
    release = uv.RandomizedResponse(epsilon=float("inf")).sanitize(SURVEY)
    assert release.sensitive.codes.tolist() == SURVEY.sensitive.codes.tolist()
    one = uv.read_table({"age": [1, 2], "vote": ["a", "a"]}, quasi="age", sensitive="vote")
    assert uv.RandomizedResponse(epsilon=0.1).sanitize(one).sensitive.codes.tolist() == [0, 0]


def test_it_says_how_often_values_are_true_but_not_its_seed():
    release = uv.RandomizedResponse(epsilon=1, seed=777).sanitize(SURVEY)
    assert release.notes[0] == (
        "each vote is the true one with probability 0.576, and otherwise one of the 2 others by "
        "chance"
    )
    assert release.made_by == "RandomizedResponse(epsilon=1)"
    assert "777" not in repr(release)


def test_values_from_the_data_are_not_private():
    [_, note, simulated] = uv.RandomizedResponse(epsilon=1).sanitize(SURVEY).notes
    assert note.startswith("not locally differentially private: the possible values come from the")
    assert simulated.startswith("a simulation, for tests only")
    with pytest.raises(uv.UnveilError, match="domains=declared is not true of 'vote': the values"):
        uv.RandomizedResponse(epsilon=1, domains="declared").sanitize(SURVEY)
    declared = uv.read_table(
        {"age": [20, 30], "vote": ["a", "b"]}, quasi="age", sensitive="vote",
        ordinal={"vote": ["a", "b", "c"]},
    )  # fmt: skip
    f = uv.RandomizedResponse(epsilon=1, domains="declared")
    release = f.sanitize(declared)  # the quasi-identifiers are not protected anyway
    assert release.notes == (
        "each vote is the true one with probability 0.576, and otherwise one of the 2 others by "
        "chance", simulated,
    )  # fmt: skip
    assert release.made_by == "RandomizedResponse(epsilon=1, domains='declared')"
    [_, note] = uv.RandomizedResponse(epsilon=float("inf")).sanitize(SURVEY).notes
    assert note.endswith("epsilon is infinite, so every value is the true one")


def test_seeds():
    many = uv.datasets.election_survey()
    secret = [uv.RandomizedResponse(epsilon=1).sanitize(many).sensitive.codes for _ in range(2)]
    assert not np.array_equal(*secret)
    assert uv.RandomizedResponse(epsilon=1).with_seed(3) == uv.RandomizedResponse(epsilon=1, seed=3)


def test_the_table_comes_back_from_files(tmp_path):
    release = uv.RandomizedResponse(epsilon=1, seed=0).sanitize(SURVEY)
    frame = release.to_frame()
    frame.to_csv(tmp_path / "r.csv", index=False)
    frame.to_parquet(tmp_path / "r.parquet", index=False)
    for name in ("r.csv", "r.parquet"):
        back = uv.read_release(tmp_path / name, SURVEY, may_change=True)
        assert back.to_frame().equals(frame)


def test_differential_inference_by_hand():
    """Two people, two values. With their record, belief is certain of what they publish, the truth
    with probability p. Without it, belief is certain of what the other one publishes, and the
    other one's truth is the other value. So the share of their value is 1 with probability p, or
    with probability 1 - p: 2p - 1 apart.
    """
    two = uv.read_table({"age": [1, 2], "vote": ["a", "b"]}, quasi="age", sensitive="vote")
    f = uv.RandomizedResponse(epsilon=1.5)
    finding = uv.differential_inference(two, f, adversary="conditional-frequency", samples=600)
    assert finding.way == "sampled"
    expected = 2 * f.keeps(2) - 1
    assert expected == pytest.approx(math.tanh(0.75))
    assert (np.abs(finding.distances - expected) <= finding.sampling.error).all()
    assert any("the true one with probability 0.818" in note for note in finding.notes)


def test_it_is_sampled_unasked_and_alike_whatever_the_workers():
    finding = uv.differential_inference(SURVEY, uv.RandomizedResponse(epsilon=1), targets=[0])
    assert finding.way == "sampled"
    assert (finding.sampling.samples == 1000).all()
    options = {"samples": 10, "seed": 2}
    one = uv.differential_inference(SURVEY, uv.RandomizedResponse(epsilon=1), jobs=1, **options)
    two = uv.differential_inference(
        SURVEY, uv.RandomizedResponse(epsilon=1, seed=5), jobs=2, backend="threading", **options
    )
    assert np.array_equal(one.distances, two.distances)


@pytest.mark.parametrize(
    ("attack", "what"),
    [
        (lambda release: horizontal_problem(release, SURVEY), "relative risk"),
        (lambda release: uv.skewness(release, SURVEY), "skewness"),
        (lambda release: uv.identity_disclosure(release, SURVEY), "identity disclosure"),
    ],
)
def test_what_takes_values_for_true_says_that_they_need_not_be(attack, what):
    release = uv.RandomizedResponse(epsilon=1, seed=1).sanitize(SURVEY)
    with pytest.raises(InputError) as error:
        attack(release)
    assert str(error.value) == (
        f"{what} assumes that published values are true, and RandomizedResponse(epsilon=1) "
        "publishes values of vote that need not be; differential_inference and membership do not "
        "need that"
    )


def test_measures_of_what_is_published():
    release = uv.RandomizedResponse(epsilon=1, seed=1).sanitize(SURVEY)
    found = uv.measures(release)
    assert found.k_anonymity.k == 1
    assert uv.information_loss(release, SURVEY).loss == 0


def test_by_name():
    assert sanitizer_named("randomized-response:epsilon=2") == uv.RandomizedResponse(epsilon=2.0)
    typed = "RandomizedResponse(epsilon=0.5, seed=1)"
    assert sanitizer_named(typed) == uv.RandomizedResponse(epsilon=0.5, seed=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"epsilon": 0},
            "epsilon=0 is not possible: it must be a number above 0, such as "
            "0.5 or 1 (the smaller, the more noise; inf is none)",
        ),
        ({"epsilon": float("nan")}, "epsilon=nan is not possible: it must"),
        ({"epsilon": "1"}, "epsilon='1' is not possible: it must be"),
        (
            {"epsilon": 1, "seed": 1.5},
            "seed=1.5 is not possible: it must be a whole number from 0 to",
        ),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(InputError) as error:
        uv.RandomizedResponse(**options)
    assert str(error.value).startswith(message)


def test_nothing_cannot_be_published():
    with pytest.raises(GoalError) as error:
        uv.RandomizedResponse(epsilon=1).sanitize(SURVEY.take([]))
    assert str(error.value) == "RandomizedResponse(epsilon=1) cannot be met: table has no records"
