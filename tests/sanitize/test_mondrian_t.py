"""Mondrian with t-closeness makes the classes of the brute force, with and without each record."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_closeness import is_close, tables_and_closeness, with_secret
from plain_mondrian import plain_classes
from proofs import examples
from random_tables import random_microdata

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.microdata import Hierarchy, Statistic
from unveil.sanitize import Sanitizer, sanitizer_named
from unveil.sanitize.mondrian import _partition

BOTH = [Statistic.COVER, Statistic.JOINT]


def classes_of(release):
    return {
        frozenset(np.flatnonzero(release.class_of == g).tolist()) for g in range(release.n_classes)
    }


def plain(microdata, options):
    def close(records):
        return is_close(microdata, records, options["t"], options["t_distance"])

    found = plain_classes(microdata, options["k"], options["l"], options["crowds"], close)
    return {frozenset(records) for records, _ in found}


@examples(120)
@given(tables_and_closeness())
def test_classes_are_those_of_the_brute_force(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    assert classes_of(release) == plain(microdata, options)


@examples(60)
@given(tables_and_closeness())
def test_the_measures_find_what_was_promised(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    measured = uv.t_closeness(release, distance=options["t_distance"])
    assert measured.t <= options["t"] + 1e-12
    assert uv.k_anonymity(release).k >= options["k"]
    assert (release.counts.max(axis=1) * options["l"] <= release.sizes).all()


def assert_exact(f, microdata, records, statistic, jobs=1):
    finished = []
    found = f.leave_one_out(microdata, records, statistic, jobs=jobs, done=finished.append)
    release = f.sanitize(microdata)
    np.testing.assert_array_equal(
        found.present, release.statistic(statistic, microdata.codes[:, records])
    )
    for place, record in enumerate(records):
        try:
            without = f.sanitize(microdata.without(record))
        except GoalError:
            assert not found.possible[place]
            continue
        assert found.possible[place]
        expected = without.statistic(statistic, microdata.codes[:, [record]])[0]
        np.testing.assert_array_equal(found.absent[place], expected, str(record))
    assert sum(finished) == found.possible.sum()


@examples(120)
@given(tables_and_closeness(), st.sampled_from(BOTH), st.integers(1, 2))
def test_every_record_left_out_of_small_tables(case, statistic, jobs):
    microdata, options = case
    everybody = np.arange(len(microdata))
    assert_exact(uv.Mondrian(**options), microdata, everybody, statistic, jobs)


MIXTURES = [
    (("fine", "fine"), "flat"),
    (("numeric", "tree", "flat"), "ordinal"),
    (("tree", "fine", "ordinal"), "tree"),
    (("fine", "flat", "tree", "numeric"), "numeric"),
]


@pytest.mark.parametrize("statistic", BOTH)
@pytest.mark.parametrize("regions", ["tight", "cut"])
@pytest.mark.parametrize(("n", "k", "l", "t"), [(300, 3, None, 0.3), (900, None, 2, 0.2)])
def test_larger_tables_on_many_small_tasks(n, k, l, t, regions, statistic, monkeypatch):  # noqa: E741
    monkeypatch.setattr(_partition, "_SMALLEST", 16)
    for seed, (kinds, secret) in enumerate(MIXTURES):
        microdata = with_secret(random_microdata(seed, n, kinds, sensitive_values=9), secret, seed)
        records = np.sort(np.random.default_rng(seed).choice(n, 12, replace=False))
        f = uv.Mondrian(k=k, l=l, t=t, regions=regions)
        assert 1 < f.sanitize(microdata).n_classes < n / 3
        assert_exact(f, microdata, records, statistic, jobs=3)


def test_the_number_of_threads_does_not_matter(monkeypatch):
    microdata = with_secret(
        random_microdata(11, 2000, ("fine", "tree", "flat"), sensitive_values=9), "tree", 1
    )
    f, everybody = uv.Mondrian(k=3, t=0.3), np.arange(2000)
    alone = f.leave_one_out(microdata, everybody, Statistic.COVER, jobs=1)
    monkeypatch.setattr(_partition, "_SMALLEST", 8)
    many = f.leave_one_out(microdata, everybody, Statistic.COVER, jobs=4)
    for one, other in zip(alone, many, strict=True):
        np.testing.assert_array_equal(one, other)


@examples(60)
@given(tables_and_closeness(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(case, random):
    microdata, options = case
    order = list(range(len(microdata)))
    random.shuffle(order)
    f = uv.Mondrian(**options)
    straight, shuffled = f.sanitize(microdata), f.sanitize(microdata.take(order))
    pd.testing.assert_frame_equal(
        straight.to_frame().iloc[order].reset_index(drop=True), shuffled.to_frame()
    )


@examples(60)
@given(tables_and_closeness())
def test_a_t_of_1_asks_for_nothing(case):
    microdata, options = case
    wide = uv.Mondrian(**{**options, "t": 1}).sanitize(microdata)
    without = uv.Mondrian(**{**options, "t": None, "t_distance": None}).sanitize(microdata)
    np.testing.assert_array_equal(wide.class_of, without.class_of)


# By hand -----------------------------------------------------------------------------------------


def staff(salaries, **kinds):
    ages = list(range(20, 20 + len(salaries)))
    return uv.read_table(
        {"age": ages, "salary": salaries}, quasi="age", sensitive="salary", **kinds
    )


def test_ordered_values_worked_by_hand():
    # Salaries 3, 4 | 5, 6 of four: 1/2, 1 against 1/4, 1/2, 3/4 is (1/4 + 1/2 + 1/4) / 3 = 1/3.
    table = staff([3, 4, 5, 6])
    assert uv.Mondrian(k=2, t=1 / 3).sanitize(table).cells() == [["[20, 21]", "[22, 23]"]]
    assert uv.Mondrian(k=2, t=0.333).sanitize(table).cells() == [["[20, 23]"]]
    # Salaries 3, 5 | 4, 6 : 1/2, 1/2, 1 is (1/4 + 0 + 1/4) / 3 = 1/6.
    assert uv.Mondrian(k=2, t=1 / 6).sanitize(staff([3, 5, 4, 6])).n_classes == 2
    # Any two of four different values are 1/2 away if all are equally far apart.
    assert uv.Mondrian(t=0.49, t_distance="equal").sanitize(staff([3, 5, 4, 6])).n_classes == 1
    assert uv.Mondrian(t=0.5, t_distance="equal").sanitize(staff([3, 5, 4, 6])).n_classes == 2


def test_hierarchical_values_worked_by_hand():
    tree = Hierarchy.from_paths(
        [("flu", "lungs", "*"), ("cough", "lungs", "*"), ("ulcer", "stomach", "*"),
         ("cramp", "stomach", "*")]
    )  # fmt: skip
    # Each half has one of each organ: 1/4 moves within each organ, which costs 1/2 of the height.
    mixed = staff(["flu", "ulcer", "cough", "cramp"], hierarchies={"salary": tree})
    assert uv.Mondrian(t=0.25).sanitize(mixed).n_classes == 2
    assert uv.Mondrian(t=0.24).sanitize(mixed).n_classes == 1
    assert uv.Mondrian(t=0.25, t_distance="equal").sanitize(mixed).n_classes == 1
    # Each half has one organ: 1/2 has to move to the other.
    parted = staff(["flu", "cough", "ulcer", "cramp"], hierarchies={"salary": tree})
    assert uv.Mondrian(t=0.5).sanitize(parted).n_classes == 2
    assert uv.Mondrian(t=0.49).sanitize(parted).n_classes == 1


def test_a_t_of_0_allows_only_the_shares_of_the_whole_table():
    table = staff(["a", "b", "a", "b", "a", "b", "b", "a"])
    release = uv.Mondrian(t=0).sanitize(table)
    assert release.sizes.tolist() == [2, 2, 2, 2]
    assert uv.t_closeness(release).t == 0
    assert uv.Mondrian(t=0).sanitize(table.without(0)).n_classes == 1


def test_without_a_record_every_class_is_another_distance_away():
    """Leaving out record 0 forbids a cut elsewhere, on the way to a class that it is not in."""
    votes = ["a", "a", "b", "b", "a", "b", "a", "b"]
    table = staff(votes)
    f = uv.Mondrian(t=0)
    assert f.sanitize(table).sizes.tolist() == [4, 2, 2]
    assert f.sanitize(table.without(0)).sizes.tolist() == [7]
    for statistic in BOTH:
        assert_exact(f, table, np.arange(8), statistic)


class StartsAnew(Sanitizer):
    """The same without a fast path."""

    deterministic = True

    def sanitize(self, microdata):
        return uv.Mondrian(k=5, t=0.3).sanitize(microdata)


def test_the_differential_test_just_works():
    survey = uv.datasets.election_survey()
    f = uv.Mondrian(k=5, t=0.3)
    finding = uv.differential_inference(survey, f)
    again = uv.differential_inference(survey, f, jobs=1)
    np.testing.assert_array_equal(finding.distances, again.distances)
    assert finding.way == "fast"
    some = np.arange(0, 944, 190)
    slow = uv.differential_inference(survey, StartsAnew(), targets=some)
    np.testing.assert_allclose(finding.distances[some], slow.distances, rtol=0, atol=1e-12)


# What is asked -----------------------------------------------------------------------------------


def test_it_is_asked_for_by_name():
    assert sanitizer_named("mondrian:k=5,t=0.2") == uv.Mondrian(k=5, t=0.2)
    wished = sanitizer_named("mondrian:l=2,t=0.2,t_distance=equal")
    assert wished == uv.Mondrian(l=2, t=0.2, t_distance="equal")
    assert wished.label == "Mondrian(l=2, t=0.2, t_distance='equal')"
    assert sanitizer_named(wished.label) == wished


@pytest.mark.parametrize("t", [-0.1, 1.5, float("nan"), "0.2", True])
def test_t_is_a_number_from_0_to_1(t):
    with pytest.raises(InputError) as error:
        uv.Mondrian(t=t)
    assert str(error.value) == f"t={t!r} is not possible: it must be a number from 0 to 1"


def test_a_distance_that_there_is_not():
    with pytest.raises(InputError) as error:
        uv.Mondrian(t=0.2, t_distance="order")
    assert str(error.value) == (
        "t_distance='order' is not possible: it must be "
        "'equal', 'ordered' or 'hierarchical'; did you mean 'ordered'?"
    )


def test_a_distance_needs_t():
    with pytest.raises(InputError, match="cannot take t_distance='equal' without t; give t"):
        uv.Mondrian(k=2, t_distance="equal")


def test_values_without_an_order_or_a_hierarchy_are_told_how_to_get_one():
    table = staff(["a", "b"])
    with pytest.raises(InputError, match="'salary' has no order: give one with ordinal="):
        uv.Mondrian(t=0.2, t_distance="ordered").sanitize(table)
    with pytest.raises(InputError, match="'salary' has no hierarchy: give one with hierarchies="):
        uv.Mondrian(t=0.2, t_distance="hierarchical").sanitize(table)


def test_k_and_l_that_cannot_be_met_say_what_could_be():
    with pytest.raises(GoalError) as error:
        uv.Mondrian(k=5, t=0.2).sanitize(staff(["a", "b"]))
    assert str(error.value) == (
        "Mondrian(k=5, t=0.2) cannot be met: table has 2 records, fewer than k=5; the largest "
        "possible k is 2"
    )
