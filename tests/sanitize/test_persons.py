"""Sanitizers count people where a person may have several rows, and leave all of them out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from left_out import BOTH, assert_exact
from proofs import examples
from random_tables import visits_and_goals

import unveil as uv
from unveil.errors import InputError


@examples(60)
@given(visits_and_goals(), st.sampled_from(BOTH))
def test_unsanitized_tables_without_each_person(case, statistic):
    table, everybody = case[0], np.arange(len(case[0]))
    assert uv.Identity().leaves_out(table)
    assert_exact(uv.Identity(), table, everybody, statistic)


@examples(30)
@given(visits_and_goals(), st.data())
def test_without_a_record_is_without_all_of_its_person(case, data):
    table = case[0]
    record = data.draw(st.integers(0, len(table) - 1))
    rest = table.without(record)
    kept = table.persons.of != table.persons.of[record]
    np.testing.assert_array_equal(rest.rows, np.flatnonzero(kept))
    np.testing.assert_array_equal(rest.codes, table.codes[:, kept])


def test_noise_is_that_of_a_row():
    table = uv.datasets.visits(40)
    counts = uv.LaplaceCounts(epsilon=1, seed=1)
    for sanitizer in (counts, uv.RandomizedResponse(epsilon=1)):
        said = "for a person with m rows it is up to m times as large"
        assert any(said in str(note) for note in sanitizer.sanitize(table).notes)
    rest = counts.sanitize_without(table, 0)
    assert rest.exact.counts.sum() == len(table.without(0)) < len(table) - 1
    assert rest.left_out is None


def test_anatomy_says_what_counts_people_instead():
    table = uv.datasets.visits(40)
    said = r"use Mondrian\(l=2\) or Recoding\(l=2\), which count people"
    for run in (uv.Anatomy(l=2).sanitize, lambda one: uv.Anatomy(l=2).sanitize_without(one, 0)):
        with pytest.raises(InputError, match=said):
            run(table)
