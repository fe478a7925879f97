"""Mondrian counts people where a person may have several rows, and leaves all of them out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from left_out import BOTH, assert_exact
from plain_closeness import is_close, tables_and_closeness
from plain_mondrian import plain_classes
from proofs import examples
from random_tables import (
    random_microdata,
    tables_and_crowds,
    tables_and_goals,
    visits_and_goals,
    with_persons,
)

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.microdata import Persons
from unveil.sanitize import _weights
from unveil.sanitize.mondrian import _people


def released(sanitizer, table):
    """The release; a table that cannot meet the goal is no example."""
    try:
        return sanitizer.sanitize(table)
    except GoalError:
        assume(False)


def assert_classes(release, plain):
    found = [np.flatnonzero(release.class_of == g).tolist() for g in range(release.n_classes)]
    assert sorted(found) == sorted(sorted(records) for records, _ in plain)


# The release ------------------------------------------------------------------------------------


@examples(300)
@given(visits_and_goals())
def test_classes_are_those_of_the_brute_force(case):
    table, options = case
    release = released(uv.Mondrian(**options), table)
    assert_classes(release, plain_classes(table, options["k"], options["l"]))


@examples(200)
@given(tables_and_closeness(), st.integers(0, 2**32 - 1), st.data())
def test_with_t_and_crowds_they_are_those_of_the_brute_force(case, seed, data):
    table, options = case
    people = data.draw(st.integers(1, len(table)))
    table = with_persons(table, np.random.default_rng(seed), people)
    release = released(uv.Mondrian(**{**options, "k": min(2, people)}), table)

    def close(records):
        return is_close(table, records, options["t"], options["t_distance"])

    plain = plain_classes(table, min(2, people), options["l"], options["crowds"], close)
    assert_classes(release, plain)


@examples(150)
@given(visits_and_goals(), st.sampled_from([None, 0.2, 0.5]))
def test_measures_by_person_find_what_was_promised(case, t):
    table, options = case
    assume(table.several is not None and len(table.quasi) > 0)
    release = released(uv.Mondrian(**options, t=t, t_distance=t and "equal"), table)
    figures = {one.figure.name: one.value for one in uv.measures(release).figures}
    assert figures["k"] >= options["k"]
    assert figures["l"] >= options["l"]
    assert figures["alpha"] <= 1 / options["l"] + 1e-9
    if t is not None:
        assert figures["t"] <= t + 1e-9
    assert release.persons is table.persons
    assert release.notes == table.notes


def by_person(table, options, seed):
    """A table with one row per person, its rules, and what they need to go through people."""
    whose = np.random.default_rng(seed).permutation(len(table))
    weighed = _weights.Weighed(
        Persons(("who",), whose), np.full(len(table), _weights.WHOLE),
        table.sensitive_counts * _weights.WHOLE,
    )  # fmt: skip
    return weighed, uv.Mondrian(**options)._rules(table, None, weighed)


@examples(200)
@given(tables_and_goals(), st.integers(0, 2**32 - 1), st.sampled_from(BOTH))
def test_with_one_row_each_people_are_counted_like_rows(case, seed, statistic):
    table, options = case
    sanitizer = uv.Mondrian(**options)
    weighed, rules = by_person(table, options, seed)
    ordinary = sanitizer.partition(table)
    partition = _people.grown(table, rules, None, weighed)
    np.testing.assert_array_equal(partition.class_of, ordinary.class_of)
    np.testing.assert_array_equal(partition.tree.region, ordinary.tree.region)
    everybody = np.arange(len(table))
    expected = sanitizer.leave_one_out(table, everybody, statistic, jobs=1)
    found = _people.leave_people_out(
        table, everybody, statistic, rules=rules, asked=None, weighed=weighed, jobs=1,
        done=lambda _: None, possible=weighed.possible_without(table, *sanitizer.least),
    )  # fmt: skip
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_column_of_persons_with_one_row_each_changes_nothing():
    table = random_microdata(3, 300, ("numeric", "tree", "flat"))
    same = replace(table, persons=Persons(("who",), np.arange(300)))
    for options in ({"k": 4}, {"k": 2, "l": 2}, {"k": 2, "t": 0.3}):
        ours, theirs = (uv.Mondrian(**options).sanitize(one) for one in (same, table))
        np.testing.assert_array_equal(ours.class_of, theirs.class_of)
        assert ours.cells() == theirs.cells()
        assert ours.notes == theirs.notes


# Without each person ----------------------------------------------------------------------------


@examples(300)
@given(visits_and_goals(), st.sampled_from(BOTH), st.integers(1, 2))
def test_every_person_of_small_tables(case, statistic, jobs):
    table, options = case
    sanitizer = uv.Mondrian(**options)
    released(sanitizer, table)
    assert_exact(sanitizer, table, np.arange(len(table)), statistic, jobs)


@examples(200)
@given(tables_and_crowds(), st.integers(0, 2**32 - 1), st.sampled_from(BOTH), st.data())
def test_every_person_of_tables_in_which_some_ask_for_crowds(case, seed, statistic, data):
    table, options = case
    people = data.draw(st.integers(1, len(table)))
    table = with_persons(table, np.random.default_rng(seed), people)
    sanitizer = uv.Mondrian(**{**options, "k": min(2, people)})
    released(sanitizer, table)
    assert_exact(sanitizer, table, np.arange(len(table)), statistic)


@examples(60)
@given(visits_and_goals(), st.sampled_from(BOTH), st.data())
def test_records_in_any_order_and_any_number_of_times(case, statistic, data):
    table, options = case
    sanitizer = uv.Mondrian(**options)
    released(sanitizer, table)
    some = st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=12)
    records = np.array(data.draw(some), dtype=np.intp)
    assert_exact(sanitizer, table, records, statistic)


MIXTURES = [("fine", "fine"), ("numeric", "tree", "flat"), ("fine", "flat", "tree", "numeric")]


@pytest.mark.parametrize("regions", ["tight", "cut"])
@pytest.mark.parametrize(("n", "k", "l"), [(300, 3, 1), (900, 2, 2), (1500, 5, 1)])
def test_larger_tables_in_many_small_steps(n, k, l, regions, monkeypatch):  # noqa: E741
    monkeypatch.setattr(_people, "_STEP", 16)
    for seed, kinds in enumerate(MIXTURES):
        rng = np.random.default_rng(seed)
        table = random_microdata(seed, n, kinds, sensitive_values=9)
        table = with_persons(table, rng, n // (2 + 2 * seed))
        records = rng.choice(n, 12, replace=False)
        f = uv.Mondrian(k=k, l=l, regions=regions)
        for statistic in BOTH:
            assert_exact(f, table, records, statistic, jobs=3)


def test_visits():
    table = uv.datasets.visits(600, seed=1)
    records = np.random.default_rng(0).choice(len(table), 15, replace=False)
    for options in ({"k": 5}, {"k": 3, "l": 2, "regions": "cut"}):
        for statistic in BOTH:
            assert_exact(uv.Mondrian(**options), table, records, statistic)


def test_one_who_has_a_third_of_the_rows_and_all_of_a_category():
    """Without them another column is the widest, values are gone and rows are far outside."""
    ages = [*range(20), *range(100, 110)]
    table = uv.read_table(
        {"who": [*range(20), *[99] * 10], "age": ages, "town": [*list("abcab") * 4, *["z"] * 10],
         "s": list("xyz") * 10}, quasi=["age", "town"], sensitive="s", person="who",
    )  # fmt: skip
    for regions in ("tight", "cut"):
        for statistic in BOTH:
            f = uv.Mondrian(k=3, regions=regions)
            assert_exact(f, table, np.arange(30), statistic)


# What is refused ----------------------------------------------------------------------------------


def test_what_depends_on_the_whole_table_is_run_again_without_each_person():
    table = uv.datasets.visits(50)
    f = uv.Mondrian(k=2, t=0.4)
    assert f.leaves_one_out
    assert not f.leaves_out(table)
    with pytest.raises(InputError, match=r"because of t=0.4; run sanitize_without for each"):
        f.leave_one_out(table, np.arange(3), BOTH[0])
    assert uv.Mondrian(k=2, l=2).leaves_out(table)


def test_goals_that_too_few_people_can_meet():
    rows = {"who": list("aaabb"), "age": [1, 2, 3, 4, 5], "s": list("xxyxx")}
    table = uv.read_table(rows, quasi="age", sensitive="s", person="who")
    with pytest.raises(GoalError, match="the 5 records of table are of 2 people, fewer than k=3"):
        uv.Mondrian(k=3).sanitize(table)
    with pytest.raises(GoalError, match="are of 2 people, fewer than l=3; the largest possible l"):
        uv.Mondrian(l=3).sanitize(table)
    with pytest.raises(GoalError, match=r"'x' is the 's' of 83.3% of the 2 people .* l is 1"):
        uv.Mondrian(l=2).sanitize(table)
    alone = uv.read_table({**rows, "s": list("xyxyx")}, quasi="age", sensitive="s", person="who")
    alone = replace(alone, persons=Persons(("who",), None))
    with pytest.raises(InputError, match="nobody knows whose these rows are"):
        uv.Mondrian(k=2).sanitize(alone)
