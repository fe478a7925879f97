"""Crowds: who asks for a larger class gets one, and nothing else changes."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from plain_mondrian import plain_classes
from proofs import examples
from random_tables import random_microdata, tables_and_crowds, tables_and_goals, texts_of

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.microdata import Statistic
from unveil.sanitize import Crowds, sanitizer_named

AGES = uv.read_table(
    {"age": [20, 21, 30, 31, 40, 41, 50, 51], "s": list("abababab")}, quasi="age", sensitive="s"
)


def classes_of(release):
    return {
        frozenset(np.flatnonzero(release.class_of == g).tolist()) for g in range(release.n_classes)
    }


@examples(400)
@given(tables_and_crowds(max_size=60))
def test_classes_are_those_of_the_brute_force(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    plain = plain_classes(microdata, options["k"], options["l"], options["crowds"])
    assert classes_of(release) == {frozenset(records) for records, _ in plain}
    asked = [options["crowds"].get(texts_of(microdata, i), 0) for i in range(len(microdata))]
    assert (release.sizes[release.class_of] >= asked).all()


@examples(60)
@given(tables_and_goals())
def test_crowds_no_larger_than_k_change_nothing(case):
    microdata, options = case
    crowds = {texts_of(microdata, i): options["k"] for i in range(len(microdata))}
    plain, asked = uv.Mondrian(**options), uv.Mondrian(**options, crowds=crowds)
    assert classes_of(plain.sanitize(microdata)) == classes_of(asked.sanitize(microdata))


def test_refusing_a_cut_leaves_them_with_their_neighbours():
    assert uv.Mondrian(k=2).sanitize(AGES).cells() == [
        ["[20, 21]", "[30, 31]", "[40, 41]", "[50, 51]"]
    ]
    assert uv.Mondrian(k=2, crowds={20: 3}).sanitize(AGES).cells() == [
        ["[20, 31]", "[40, 41]", "[50, 51]"]
    ]
    assert uv.Mondrian(k=2, crowds={20: 5}).sanitize(AGES).n_classes == 1


def test_who_is_left_out_asks_for_nothing():
    f = uv.Mondrian(k=2, crowds={20: 8})
    assert f.sanitize(AGES).n_classes == 1
    assert f.sanitize(AGES.without(0)).n_classes == 3
    found = f.leave_one_out(AGES, np.arange(8), Statistic.JOINT)
    assert found.possible.tolist() == [True] + [False] * 7


def test_several_may_ask_for_everybody_only_if_nobody_is_left_out():
    f = uv.Mondrian(k=2, crowds={20: 8, 51: 8})
    assert not f.leave_one_out(AGES, np.arange(8), Statistic.JOINT).possible.any()


def test_a_crowd_larger_than_the_table():
    with pytest.raises(GoalError, match="8 records, fewer than the crowd of 9 that someone asks"):
        uv.Mondrian(k=2, crowds={20: 9}).sanitize(AGES)
    uv.Mondrian(k=2, crowds={19: 9}).sanitize(AGES)  # nobody is 19


def test_ways_to_write_them():
    crowds = {(34, "Bachelors"): 20, (71.0, "Doctorate"): 40}
    expected = Crowds(((("34", "Bachelors"), 20), (("71", "Doctorate"), 40)))
    assert Crowds.of(crowds) == expected
    assert Crowds.of(pd.Series(crowds)) == expected
    frame = pd.DataFrame({"age": [71, 34], "degree": ["Doctorate", "Bachelors"], "crowd": [40, 20]})
    assert Crowds.of(frame) == expected
    assert Crowds.of(expected) is expected
    assert Crowds.of({34: 20, "34": 30}) == Crowds(((("34",), 30),))


def test_a_sanitizer_with_crowds_is_a_value_like_any_other():
    f = uv.Mondrian(k=5, crowds={(34, "Bachelors"): 20})
    assert f.label == "Mondrian(k=5, crowds=1 kind of people)"
    assert f == uv.Mondrian(k=5, crowds={("34", "Bachelors"): 20})
    assert hash(f) == hash(pickle.loads(pickle.dumps(f)))
    assert f != uv.Mondrian(k=5)
    assert uv.Mondrian(k=5, crowds={}).sanitize(AGES).n_classes == 1


@pytest.mark.parametrize(
    ("crowds", "message"),
    [
        ({20: 0}, "the crowd for 20 must be a whole number from 1 up, got 0"),
        ({20: 2.5}, "the crowd for 20 must be a whole number"),
        ({20: True}, "the crowd for 20 must be a whole number"),
        ([20], "crowds= must map quasi-identifiers to class sizes"),
    ],
)
def test_what_are_no_crowds(crowds, message):
    with pytest.raises(InputError, match=message):
        uv.Mondrian(k=2, crowds=crowds)


def test_a_crowd_names_all_quasi_identifiers():
    with pytest.raises(
        InputError, match=r"given for 20, a, but .* has 1 quasi-identifiers: 'age';"
    ):
        uv.Mondrian(k=2, crowds={(20, "a"): 3}).sanitize(AGES)


def test_they_are_not_for_the_command_line():
    with pytest.raises(InputError) as error:
        sanitizer_named("mondrian:k=5,crowds=3")
    assert str(error.value) == (
        "mondrian has no option 'crowds' (options: k, l, t, t_distance, regions)"
    )


def test_crowds_are_those_of_the_combinations():
    microdata = random_microdata(3, 200, ("fine", "fine", "tree", "flat"))
    crowds = Crowds.of({texts_of(microdata, i): i + 1 for i in range(0, 200, 3)})
    asked = crowds.asked(microdata)
    assert asked[::3].tolist() == list(range(1, 201, 3))
    assert np.count_nonzero(asked) == 67
