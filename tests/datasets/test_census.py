"""The synthetic census is a valid, reproducible table whose columns hang together."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

from unveil.datasets import census
from unveil.datasets._census import _draw
from unveil.datasets._census_model import (
    age_table,
    diagnosis_table,
    education_table,
    marital_table,
    occupation_table,
    place_weights,
    sex_table,
)
from unveil.errors import InputError
from unveil.microdata import Kind, Role, read_table

QUASI = ["age", "sex", "education", "marital", "occupation", "zip"]


@pytest.fixture(scope="module")
def people():
    return census(40_000, seed=1)


@pytest.fixture(scope="module")
def table(people):
    return people.to_frame()


def _mutual_information(a, b):
    """In bits."""
    joint = np.zeros((a.size, b.size))
    np.add.at(joint, (a.codes, b.codes), 1 / len(a.codes))
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    some = joint > 0
    return float((joint[some] * np.log2(joint[some] / apart[some])).sum())


def _same(a, b):
    assert len(a.columns) == len(b.columns)
    for one in a.columns:
        other = b[one.name]
        assert one.role is other.role
        assert one.kind is other.kind
        assert one.codes.dtype == other.codes.dtype == np.int32
        np.testing.assert_array_equal(one.codes, other.codes)
        assert one.values.dtype == other.values.dtype
        np.testing.assert_array_equal(one.values, other.values)
        assert (one.hierarchy is None) == (other.hierarchy is None)
        if one.hierarchy is not None:
            assert one.hierarchy.names == other.hierarchy.names
            np.testing.assert_array_equal(one.hierarchy.parent, other.hierarchy.parent)
    np.testing.assert_array_equal(a.rows, b.rows)


def test_says_that_it_is_synthetic(people):
    assert people.source == "synthetic census (n=40000, seed=1)"
    assert any("synthetic" in note for note in people.notes)
    assert "synthetic" in repr(people)
    assert "synthetic" in census.__doc__


def test_roles_and_kinds(people):
    assert [c.name for c in people.quasi] == QUASI
    assert people.sensitive.name == "diagnosis"
    assert people.sensitive.size == 10
    assert {c.name for c in people.columns if c.role is Role.OTHER} == {"hours", "income"}
    numeric = {c.name for c in people.columns if c.kind is Kind.NUMERIC}
    assert numeric == {"age", "hours", "income"}
    assert {c.name for c in people.columns if c.hierarchy} == {
        "education", "marital", "occupation", "zip",
    }  # fmt: skip


@pytest.mark.parametrize("n", [1, 7, 300])
def test_equals_what_a_reader_makes_of_its_table(n):
    made = census(n, seed=5)
    _same(
        made,
        read_table(
            made.to_frame(),
            quasi=QUASI,
            sensitive="diagnosis",
            categorical=("zip",),
            hierarchies={c.name: c.hierarchy for c in made.columns if c.hierarchy},
        ),
    )


@examples(25)
@given(n=st.integers(1, 400), seed=st.integers(0, 2**64))
def test_is_valid_and_reproducible(n, seed):
    people, again = census(n, seed=seed), census(n, seed=seed)
    assert len(people) == n
    _same(people, again)
    for column in people.columns:
        assert column.codes.min() >= 0
        assert column.codes.max() < column.size
        if column.hierarchy is not None:
            assert column.hierarchy.leaves == column.texts
        else:  # only what occurs, ascending
            assert len(np.unique(column.codes)) == column.size
            assert (column.values[:-1] < column.values[1:]).all()


def test_another_seed_is_another_table():
    assert (census(500, seed=1).codes != census(500, seed=2).codes).any()


def test_numpy_integers_will_do():
    assert len(census(np.int64(12), seed=np.uint8(3))) == 12


@pytest.mark.parametrize("n", [0, -5, 10.0, "10", None, True, np.True_])
def test_refuses_what_is_not_a_number_of_people(n):
    with pytest.raises(InputError, match=r"n=.* must be a whole number from 1 up"):
        census(n)


@pytest.mark.parametrize("seed", [-1, 0.5, None, False])
def test_refuses_what_is_not_a_seed(seed):
    with pytest.raises(InputError, match=r"seed=.* must be a whole number from 0 up"):
        census(10, seed=seed)


def test_the_old_are_widowed_and_the_young_unmarried(table):
    age = table.groupby("marital")["age"].mean()
    assert age["Widowed"] > age["Married"] > age["Never married"] + 15
    assert (table[table["marital"] == "Widowed"]["sex"] == "Female").mean() > 0.65


def test_children_have_no_degrees(table):
    assert set(table[table["age"] < 18]["education"]) <= {
        "Up to 8th grade", "Some high school", "High school diploma",
    }  # fmt: skip


def test_work_follows_education_and_sex(table):
    by_work = table.groupby("occupation")
    assert (by_work["sex"].value_counts(normalize=True)["Nurse", "Female"]) > 0.75
    assert (by_work["sex"].value_counts(normalize=True)["Builder", "Male"]) > 0.85
    graduates = {"Master's degree", "Professional degree", "Doctorate"}
    assert set(table[table["occupation"] == "Physician"]["education"]) <= graduates
    assert by_work["age"].mean()["Retired"] > 65


def test_hours_peak_at_forty(table):
    idle = table["occupation"].isin(["Student", "Unemployed", "Homemaker", "Retired"])
    assert (table.loc[idle, "hours"] == 0).all()
    assert table.loc[~idle, "hours"].between(1, 80).all()
    assert table.loc[~idle, "hours"].mode().tolist() == [40]
    assert (table["hours"] == 40).sum() > 5 * (table["hours"] == 39).sum()


def test_income_follows_work_and_school(table):
    assert (table["income"] % 500 == 0).all()
    income = table.groupby("education")["income"].median()
    assert income["Doctorate"] > income["Bachelor's degree"] > income["High school diploma"]
    working = table[table["hours"] > 0]
    assert working["income"].corr(working["hours"]) > 0.25


def test_places_are_unequally_large(people):
    zips = people["zip"]
    sizes = np.sort(np.bincount(zips.codes, minlength=zips.size))[::-1]
    assert sizes[0] > 0.06 * len(people)
    assert sizes[:20].sum() > 0.3 * len(people)
    assert all(text[:3] in zips.hierarchy.path(i)[1] for i, text in enumerate(zips.texts))


@pytest.mark.parametrize(
    ("a", "b", "bits"),
    [
        ("age", "marital", 0.3),
        ("age", "education", 0.1),
        ("education", "occupation", 0.15),
        ("sex", "occupation", 0.05),
        ("age", "diagnosis", 0.1),
        ("sex", "diagnosis", 0.01),
        ("occupation", "diagnosis", 0.08),
    ],
)
def test_columns_tell_of_each_other(people, a, b, bits):
    assert _mutual_information(people[a], people[b]) > bits


@pytest.mark.parametrize(
    "rows",
    [
        place_weights()[None, :],
        age_table(),
        sex_table(),
        education_table(),
        marital_table(),
        occupation_table(),
        diagnosis_table(),
    ],
)
def test_every_row_is_a_distribution(rows):
    assert (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1)


class _Fixed:
    """A generator that always says the same."""

    def __init__(self, value):
        self.value = value

    def random(self, n):
        return np.full(n, self.value)


@pytest.mark.parametrize("u", [0.0, 0.5, np.nextafter(1, 0)])
def test_draw_never_leaves_its_row_nor_draws_the_impossible(u):
    rng = np.random.default_rng(0)
    rows = rng.random((5000, 6)) * (rng.random((5000, 6)) < 0.5)
    rows[:, 2] += 0.1
    rows /= rows.sum(axis=1, keepdims=True)
    drawn = _draw(_Fixed(u), rows, np.arange(5000))
    assert (rows[np.arange(5000), drawn] > 0).all()


def test_draw_has_the_frequencies_of_the_row():
    rows = np.array([[0.2, 0.0, 0.8], [0.5, 0.5, 0.0]])
    of = np.repeat([0, 1], 50_000)
    drawn = _draw(np.random.default_rng(3), rows, of)
    for row in (0, 1):
        shares = np.bincount(drawn[of == row], minlength=3) / 50_000
        np.testing.assert_allclose(shares, rows[row], atol=0.01)


def test_importing_is_light():
    # A fresh interpreter: here, pandas has long been imported.
    code = "import sys, unveil.datasets; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
