"""Hardening where a person has several rows: people are removed with all of them."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables, visits_and_goals

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.hardening import Merged
from unveil.hardening._merged import crowds_of
from unveil.microdata import Persons
from unveil.sanitize import Crowds

FREQUENCY = {"adversary": "conditional-frequency"}


def part(share, n):
    """So many of n, by decimal fractions."""
    return floor(Fraction(str(share)) * n)


def plainly(table, sanitizer, goal, rounds, at_most, at_a_time):
    """The same by hand, with a set of people in place of arrays of rows."""
    of = table.persons.of
    people = len(set(of.tolist()))
    at_most, at_a_time = part(at_most, people), max(1, part(at_a_time, people))
    gone, history = set(), []
    while True:
        kept = np.flatnonzero(~np.isin(of, list(gone)))
        try:
            finding = uv.differential_inference(table.take(kept), sanitizer, jobs=1, **FREQUENCY)
        except GoalError:
            return history
        history.append((len(gone), finding.delta))
        if (finding.delta <= goal and not finding.not_tested) or len(history) > rounds:
            return history
        over = [(-d, of[kept[target]])
                for d, target in zip(finding.distances, finding.targets, strict=True)
                if d > goal]  # fmt: skip
        allowed = min(at_a_time, at_most - len(gone))
        if not over or allowed <= 0:
            return history
        # The worst first; of those who are as badly off whoever comes first in the table.
        gone |= {who for _, who in sorted(over, key=lambda pair: pair[0])[:allowed]}


@examples(60)
@given(visits_and_goals(25), st.sampled_from([0.05, 0.3]), st.sampled_from([0.3, 0.9]),
       st.sampled_from([0.01, 0.2]))  # fmt: skip
def test_rounds_are_those_done_by_hand(case, goal, at_most, at_a_time):
    table, options = case
    f, limits = uv.Mondrian(**options), {"rounds": 4, "at_most": at_most, "at_a_time": at_a_time}
    try:
        hardening = uv.harden(table, f, delta=goal, jobs=1, **limits, **FREQUENCY)
    except GoalError:
        return
    found = [(one.removed, one.delta) for one in hardening.rounds]
    np.testing.assert_array_equal(found, plainly(table, f, goal, **limits))
    # Nobody is there in part.
    of = table.persons.of
    assert not set(of[hardening.removed]) & set(np.delete(of, hardening.removed))
    assert hardening.best.removed == len(set(of[hardening.removed].tolist()))


@examples(20)
@given(tables(20), st.sampled_from([0.05, 0.3]))
def test_with_one_row_each_it_is_the_ordinary_one(table, goal):
    class Forced(Persons):
        repeat = True

    f, options = uv.Identity(), {"delta": goal, "rounds": 3, "at_a_time": 0.1, "jobs": 1}
    plain = uv.harden(table, f, **options)
    forced = replace(table, persons=Forced(("who",), np.arange(len(table))))
    found = uv.harden(forced, f, **options)
    assert [(one.removed, one.holds) for one in found.rounds] == [
        (one.removed, one.holds) for one in plain.rounds
    ]
    np.testing.assert_array_equal(found.removed, plain.removed)


def test_words_and_limits():
    table = uv.datasets.visits(60)
    hardening = uv.harden(table, uv.Mondrian(k=6), delta=0.35, at_a_time=0.1, at_most=0.2,
                          rounds=2, jobs=1)  # fmt: skip
    assert hardening.limits.at_a_time == 6
    assert hardening.limits.at_most == 12
    assert hardening.facts["people"] == 60
    said = str(hardening)
    assert "People are removed with all of their records" in said
    assert f"removing {hardening.best.removed} people" in said
    assert len(hardening.microdata.people) == 60 - hardening.best.removed
    stopped = uv.harden(table, uv.Mondrian(k=6), delta=0.01, at_most=0.02, rounds=9, jobs=1)
    assert "people are over the goal, but no more than 1 may be removed" in str(stopped)


def test_sampled():
    table = uv.datasets.visits(8)
    hardening = uv.harden(table, uv.RandomizedResponse(epsilon=1), delta=0.05, rounds=1, samples=4,
                          at_a_time=0.3, at_most=0.3, jobs=1, **FREQUENCY)  # fmt: skip
    assert [one.removed for one in hardening.rounds] == [0, 2]
    assert "for all people and all rounds together" in str(hardening)


@pytest.mark.parametrize("f", [uv.Mondrian(k=2, regions="cut"), uv.Recoding(k=2), uv.Identity()],
                         ids=str)  # fmt: skip
def test_classes_are_merged_until_they_have_enough_people(f):
    table = uv.datasets.visits(25)
    hardening = uv.harden(table, f, strategy="merge", delta=0.3, at_most=0.9, at_a_time=1 - 1e-9,
                          rounds=3, jobs=1, **FREQUENCY)  # fmt: skip
    assert len(hardening.rounds) > 1
    attempt = hardening.course.attempt
    assert len(attempt.microdata) == len(table)
    crowds = crowds_of(attempt.sanitizer)
    asked, release = crowds.asked(table), attempt.release
    assert asked.max() <= 25
    of, class_of = table.persons.of, release.class_of
    for number in range(release.n_classes):
        inside = class_of == number
        assert len(set(of[inside].tolist())) >= asked[inside].max()


def test_many_rows_of_one_are_no_crowd():
    """A class of a person with four rows is merged though a crowd of three is asked for."""
    table = uv.read_table({"who": list("aaaabcd"), "age": [1, 1, 1, 1, 2, 2, 3],
                           "ill": list("xyxyxyx")}, quasi="age", sensitive="ill",
                          person="who")  # fmt: skip
    merged = Merged(uv.Identity(), Crowds.of({1: 3})).sanitize(table)
    assert sorted(merged.sizes.tolist()) == [1, 6]
    with pytest.raises(GoalError, match="4 people are fewer than the largest crowd"):
        Merged(uv.Identity(), Crowds.of({1: 5})).sanitize(table)


def test_where_nobody_knows_whose_rows_are_nothing_is_merged():
    table = uv.datasets.visits(10)

    def reversed_(frame):
        return frame.iloc[::-1]

    with pytest.raises(InputError, match="nobody knows whose the rows of"):
        uv.harden(table, uv.Oracle(reversed_), strategy="merge", jobs=1)
