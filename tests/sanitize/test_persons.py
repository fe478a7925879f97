"""Sanitizers count people where a person may have several rows, and leave all of them out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from left_out import BOTH, assert_exact
from proofs import examples
from random_tables import visits_and_goals

import unveil as uv


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
