"""When a guess of a number is right, and which guess is best, beside a plain search."""

import numpy as np
import pandas as pd
import pytest
from plain_guesses import plainly

import unveil as uv
from unveil.attacks.inference._guesses import answers
from unveil.attacks.relative_risk._beliefs import ROUNDING, AtRisk
from unveil.attacks.tolerance import Near
from unveil.errors import InputError
from unveil.microdata import Role


@pytest.mark.parametrize("of_value", [False, True])
def test_best_guesses_as_by_trying_all(of_value):
    rng = np.random.default_rng(5)
    several = 0
    for _ in range(150):
        n = int(rng.integers(1, 12))
        values = np.sort(rng.choice(np.arange(-20, 60) / 2, n, replace=False))
        amount = float(rng.choice([0.05, 0.25, 0.5]) if of_value else rng.choice([0.5, 1, 2.75, 8]))
        weights = rng.integers(0, 4, (6, n)) + (rng.integers(0, n, (6, 1)) == np.arange(n))
        beliefs = weights / weights.sum(axis=1, keepdims=True)
        near = Near(values=values, amount=amount, of_value=of_value)
        row_of, true = (a.ravel() for a in np.indices((6, n)))
        got = near.guess(beliefs, row_of, true)
        for row in range(6):
            best, guesses, off = plainly(values.tolist(), beliefs[row].tolist(), amount, of_value)
            assert got.chance[row] == pytest.approx(best, abs=1e-12)
            assert got.tied[row] == len(guesses)
            several += len(guesses) > 1
            for x in range(n):
                one = row * n + x
                hits = [abs(g - values[x]) <= off[x] * (1 + 1e-9) + 1e-12 for g in guesses]
                assert got.hits[one] == sum(hits)
                similar = np.abs(values - values[x]) <= off[x] * (1 + 1e-12)
                assert got.own[one] == pytest.approx(beliefs[row, similar].sum(), abs=1e-12)
    assert several > 100


def test_a_tolerance_that_reaches_nobody_else_is_an_exact_match():
    rng = np.random.default_rng(2)
    values = np.array([-3.0, 0.0, 1.0, 7.5, 100.0])
    near, exact = Near(values=values, amount=0.25), Near(values=np.zeros(0))
    weights = rng.integers(0, 3, (40, 5)) + np.eye(5, dtype=int)[rng.integers(0, 5, 40)]
    beliefs = weights / weights.sum(axis=1, keepdims=True)
    beliefs[7] = np.nan
    true = rng.integers(0, 5, 40)
    np.testing.assert_allclose(answers(beliefs, true, 0.5, near), answers(beliefs, true, 0.5))
    assert np.array_equal(answers(beliefs, true, 0.5, exact), answers(beliefs, true, 0.5))
    both = [
        AtRisk(beliefs=beliefs.T, tuple_of=np.arange(40), secret=true, within=ROUNDING, near=one)
        for one in (near, None)
    ]
    for ties in ("full", "fraction", "none"):
        np.testing.assert_allclose(both[0].counted(ties), both[1].counted(ties))
    assert np.array_equal(both[0].tied, both[1].tied)
    np.testing.assert_allclose(both[0].of_truth, both[1].of_truth)


def test_a_guess_between_two_values_is_near_both():
    near = Near(values=np.array([10.0, 12.0, 50.0]), amount=1)
    got = near.guess(np.array([[0.3, 0.3, 0.4]]), np.zeros(3, dtype=int), np.arange(3))
    assert got.chance[0] == pytest.approx(0.6)
    assert got.hits.tolist() == [1, 1, 0]
    assert near.one_guess(np.array([0, 0, 2]), np.array([1, 2, 2])).tolist() == [True, False, True]
    assert (
        Near(values=np.array([0.2, 0.3]), amount=0.05).one_guess(np.array([0]), np.array([1])).all()
    )  # although 0.3 - 0.05 is above 0.2 + 0.05


def column_of(values):
    table = uv.read_table({"q": ["a"] * len(values), "s": values}, quasi="q", sensitive="s")
    return table.sensitive, table.sensitive_counts


def usual(values):
    return Near.of(*column_of(values))


def test_by_default_within_a_twentieth_of_the_interquartile_range():
    incomes = np.round(np.random.default_rng(0).lognormal(10, 0.6, 5000), 2)
    near = usual(incomes)
    quarters = np.quantile(incomes, [0.25, 0.75])
    assert near.amount == float(f"{0.05 * (quarters[1] - quarters[0]):.1e}")
    assert not near.of_value
    assert f"within {near.amount:,.0f} of the true value" in str(near.note)
    assert "5% of the interquartile range; for another tolerance give tolerance=" in str(near.note)
    for scale, shift in ((100, 0), (1, 1e6)):  # the unit and the zero do not matter
        assert usual(np.round(incomes * scale + shift, 2)).amount == pytest.approx(
            near.amount * scale
        )
    # Whoever has seen nothing is then right about one person in twenty, if the column is a bell.
    bell = np.random.default_rng(1).normal(0, 1, 20_000)
    column, counts = column_of(bell)
    got = Near.of(column, counts).guess(
        (counts / counts.sum())[None], np.zeros(len(bell), dtype=int), column.codes
    )
    assert got.hits.mean() == pytest.approx(got.chance[0], abs=1e-9)
    assert 0.045 < got.chance[0] < 0.065


def test_values_that_most_people_share_do_not_hide_the_others():
    rng = np.random.default_rng(3)
    gains = np.concatenate([np.zeros(900), rng.uniform(1000, 9000, 100)])
    near = usual(gains)
    assert near.amount == pytest.approx(200, rel=0.2)
    assert "of the people without the most frequent value" in str(near.note)
    alone = np.concatenate([np.zeros(3000), np.full(300, 5.5), np.arange(40) + 0.5])
    assert usual(alone).is_exact
    assert "most values are equal" in str(usual(alone).note)


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ([0, 1] * 30, None),
        ([1.0, 1.3, 1.7, 2.0, 2.3] * 9, None),
        (list(range(17, 91)), "74 different whole numbers, as codes are"),
        (["a", "b"] * 4, None),
    ],
)
def test_codes_and_grades_and_words_must_be_exact(values, note):
    near = usual(values)
    assert near.is_exact
    assert near.fact is None
    assert near.in_brackets == ""
    assert (near.note is None) == (note is None)
    assert note is None or note in str(near.note)


def test_dates_have_a_tolerance_in_days():
    days = pd.date_range("2020-01-01", periods=400, freq="D")
    column, counts = column_of(days)
    near = Near.of(column, counts)
    assert near.words == "within 10 days"
    assert Near.of(column, counts, 3).one_guess(np.array([0, 0]), np.array([6, 7])).tolist() == [
        True, False,
    ]  # fmt: skip
    with pytest.raises(InputError, match="has dates; give a number of days"):
        Near.of(column, counts, "5%")


def test_a_given_tolerance():
    column, counts = column_of([0, 100, 104, 111, 200])
    share = Near.of(column, counts, "5%")
    assert share.of_value
    assert share.words == "within 5%"
    # 100 and 111: 105 is within 5% of 100, but 5.4% off 111; 104.5 for 100 and 104.
    assert share.one_guess(np.array([0, 1, 1]), np.array([1, 2, 3])).tolist() == [
        False, True, False,
    ]  # fmt: skip
    assert Near.of(column, counts, "4").one_guess(np.array([1]), np.array([2])).all()
    exact = Near.of(column, counts, 0)
    assert exact.is_exact
    assert "exactly the true value" in str(exact.note)
    words, numbers = column_of(["a", "b"])
    with pytest.raises(InputError, match=r"tolerance='5%' is for numbers, and .* is categorical"):
        Near.of(words, numbers, "5%")


def test_values_of_another_table_have_the_same_tolerance():
    column, counts = column_of(np.arange(0, 400) + 0.5)
    near = Near.of(column, counts)
    other, _ = column_of([1.5, 2.5, 700.5])
    assert near.on(other).amount == near.amount
    assert near.on(other).values.tolist() == [1.5, 2.5, 700.5]
    assert other.role is Role.SENSITIVE
