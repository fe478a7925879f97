"""Mondrian makes the classes that the plain brute force makes, and keeps what it promises."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_mondrian import plain_classes
from proofs import examples
from random_tables import KINDS, random_microdata, tables_and_goals

import unveil as uv
from unveil.errors import GoalError, InputError, UnveilError
from unveil.microdata import Hierarchy, Intervals, Microdata, Role

PATIENTS = uv.read_table(
    {
        "age": [28, 36, 47, 53, 72],
        "gender": ["M", "M", "F", "M", "F"],
        "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"],
    },
    quasi=["age", "gender"],
    sensitive="disease",
)


def classes_of(release):
    """The classes as sets of records."""
    return {
        frozenset(np.flatnonzero(release.class_of == g).tolist()) for g in range(release.n_classes)
    }


def published(release, j, g):
    """The codes that class g publishes for column j."""
    size = release.quasi[j].size
    return [code for code in range(size) if release.regions[j].covers(code)[g]]


def expected(microdata, j, records, bounds, regions):
    """The codes that a class of these records has to publish for column j."""
    column = microdata.quasi[j]
    if regions == "cut":
        within = list(range(bounds[0], bounds[1] + 1))
        is_flat = column.kind == "categorical" and column.hierarchy is None
        if not is_flat or bounds == (0, column.size - 1):
            return within
        # A cut through sorted categories says nothing of those that nobody has.
        return [code for code in within if code in column.codes]
    codes = sorted({int(column.codes[i]) for i in records})
    return list(range(codes[0], codes[-1] + 1)) if column.is_ordered else codes


@examples(500)
@given(tables_and_goals(max_size=60))
def test_classes_and_regions_are_those_of_the_brute_force(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    plain = plain_classes(microdata, options["k"], options["l"])
    assert classes_of(release) == {frozenset(records) for records, _ in plain}
    for records, region in plain:
        g = release.class_of[records[0]]
        for j, bounds in enumerate(region):
            assert published(release, j, g) == expected(
                microdata, j, records, bounds, options["regions"]
            )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("l", [1, 2])
def test_larger_tables_of_one_kind_equal_the_brute_force(kind, l):  # noqa: E741
    microdata = random_microdata(7, 400, (kind, kind, "numeric"), sensitive_values=8)
    release = uv.Mondrian(k=4, l=l).sanitize(microdata)
    assert classes_of(release) == {frozenset(r) for r, _ in plain_classes(microdata, 4, l)}


@examples(100)
@given(tables_and_goals())
def test_every_class_keeps_k_and_l_and_nobody_is_lost(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    assert len(release) == len(microdata) == release.sizes.sum()
    assert release.sizes.min() >= options["k"]
    assert (release.counts.max(axis=1) * options["l"] <= release.sizes).all()
    assert ((release.counts > 0).sum(axis=1) >= options["l"]).all()
    assert (release.totals == microdata.sensitive_counts).all()
    for j, column in enumerate(microdata.quasi):
        for i in range(len(microdata)):
            assert release.regions[j].covers(int(column.codes[i]))[release.class_of[i]]


@examples(100)
@given(tables_and_goals(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(case, random):
    microdata, options = case
    order = list(range(len(microdata)))
    random.shuffle(order)
    f = uv.Mondrian(**options)
    straight, shuffled = f.sanitize(microdata), f.sanitize(microdata.take(order))
    pd.testing.assert_frame_equal(
        straight.to_frame().iloc[order].reset_index(drop=True), shuffled.to_frame()
    )


def with_unused_numbers(microdata: Microdata) -> Microdata:
    """The same records, with numbers below, between and above theirs in the numeric domains."""
    columns = []
    for column in microdata.columns:
        if column.role is Role.QUASI and column.values.dtype.kind == "f":
            first, last = column.values[0], column.values[-1]
            between = (column.values[1:] + column.values[:-1]) / 2
            values = np.unique(np.concatenate([[first - 9], column.values, between, [last + 9]]))
            codes = np.searchsorted(values, column.decode()).astype(np.int32)
            column = replace(column, values=values, codes=codes)
        columns.append(column)
    return replace(microdata, columns=tuple(columns))


def with_unused_categories(microdata: Microdata) -> Microdata:
    """The same records, with categories nobody has in the domains without a hierarchy."""
    columns = []
    for column in microdata.columns:
        if column.role is Role.QUASI and not column.is_ordered and column.hierarchy is None:
            values = np.array(sorted([*column.values, "u", "v1.5", "w"]), dtype=object)
            place = {value: code for code, value in enumerate(values)}
            codes = np.array([place[v] for v in column.decode()], dtype=np.int32)
            column = replace(column, values=values, codes=codes)
        columns.append(column)
    return replace(microdata, columns=tuple(columns))


@examples(100)
@given(tables_and_goals())
def test_unused_numbers_of_a_domain_do_not_matter(case):
    microdata, options = case
    f = uv.Mondrian(**options)
    wide = f.sanitize(with_unused_numbers(microdata))
    pd.testing.assert_frame_equal(f.sanitize(microdata).to_frame(), wide.to_frame())


@examples(100)
@given(tables_and_goals())
def test_unused_categories_of_a_domain_do_not_matter(case):
    microdata, options = case
    f = uv.Mondrian(**options)
    wide = f.sanitize(with_unused_categories(microdata))
    pd.testing.assert_frame_equal(f.sanitize(microdata).to_frame(), wide.to_frame())


def test_one_record_is_one_class():
    one = uv.read_table({"age": [30], "vote": ["a"]}, quasi="age", sensitive="vote")
    assert uv.Mondrian(k=1).sanitize(one).cells() == [["30"]]
    assert uv.Mondrian(k=1, regions="cut").sanitize(one).cells() == [["*"]]


def test_k_of_the_whole_table_makes_one_class():
    release = uv.Mondrian(k=5).sanitize(PATIENTS)
    assert release.cells() == [["[28, 72]"], ["{F, M}"]]
    assert release.class_of.tolist() == [0] * 5


def test_equal_records_are_never_parted():
    same = uv.read_table({"age": [30] * 4, "vote": list("abab")}, quasi="age", sensitive="vote")
    assert uv.Mondrian(k=2).sanitize(same).n_classes == 1


def test_the_lower_of_two_equally_even_cuts_is_taken():
    three = uv.read_table({"age": [1, 2, 3], "vote": list("aab")}, quasi="age", sensitive="vote")
    assert uv.Mondrian(k=1, regions="cut").sanitize(three).cells() == [["≤ 1", "(1, 2]", "> 2"]]
    four = uv.read_table({"age": [1, 2, 2, 3], "vote": ["a"] * 4}, quasi="age", sensitive="vote")
    assert uv.Mondrian(l=1).sanitize(four).cells() == [["1", "2", "3"]]
    five = uv.read_table({"age": [1, 1, 2, 3, 3], "v": ["a"] * 5}, quasi="age", sensitive="v")
    assert uv.Mondrian(k=2).sanitize(five).cells() == [["1", "[2, 3]"]]


def test_equally_wide_columns_are_cut_in_the_order_they_are_named():
    table = {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "vote": list("xyxy")}
    first = uv.read_table(table, quasi=["a", "b"], sensitive="vote")
    assert uv.Mondrian(k=2).sanitize(first).class_of.tolist() == [0, 0, 1, 1]
    second = uv.read_table(table, quasi=["b", "a"], sensitive="vote")
    assert uv.Mondrian(k=2).sanitize(second).class_of.tolist() == [0, 1, 0, 1]


def test_a_hierarchy_is_cut_into_its_children_and_publishes_nodes():
    tree = Hierarchy.from_paths(
        [("Lyon", "France", "*"), ("Nice", "France", "*"), ("Rome", "Italy", "*")]
    )
    people = uv.read_table(
        {"city": ["Lyon", "Nice", "Rome", "Rome"], "vote": list("abab")},
        quasi="city", sensitive="vote", hierarchies={"city": tree},
    )  # fmt: skip
    for regions, italy in (("tight", "Rome"), ("cut", "Rome")):
        release = uv.Mondrian(k=2, regions=regions).sanitize(people)
        assert release.to_frame()["city"].tolist() == ["France", "France", italy, italy]


def test_cut_regions_are_intervals_even_of_categories():
    release = uv.Mondrian(k=2, regions="cut").sanitize(PATIENTS)
    assert all(isinstance(regions, Intervals) for regions in release.regions)


def test_it_says_who_made_it_and_what_was_decided_before():
    holes = {"age": [1, 2, None], "vote": ["a", "b", "a"]}
    table = uv.read_table(holes, quasi="age", sensitive="vote", missing="drop")
    release = uv.Mondrian(k=2).sanitize(table)
    assert release.made_by == "Mondrian(k=2)"
    assert release.notes == ("1 of 3 records with missing values dropped (age 1)",)


@pytest.mark.parametrize(
    ("sanitizer", "label"),
    [
        (uv.Mondrian(k=1), "Mondrian(k=1)"),
        (uv.Mondrian(k=5, regions="cut"), "Mondrian(k=5, regions='cut')"),
        (uv.Mondrian(k=np.int64(5), l=3), "Mondrian(k=5, l=3)"),
        (uv.Identity(), "Identity()"),
    ],
)
def test_labels_say_the_goal_and_leave_out_defaults(sanitizer, label):
    assert sanitizer.label == label


@pytest.mark.parametrize("options", [{}, {"k": None}, {"regions": "cut"}])
def test_a_goal_is_needed(options):
    with pytest.raises(InputError, match="Mondrian needs a goal: give k=5, l=2 or"):
        uv.Mondrian(**options)


@pytest.mark.parametrize("value", [0, -1, "5", 2.0, True])
@pytest.mark.parametrize("name", ["k", "l"])
def test_k_and_l_are_whole_numbers_from_1_up(name, value):
    with pytest.raises(InputError) as error:
        uv.Mondrian(**{name: value})
    said = f"{name}={value!r} is not possible: it must be a whole number from 1 up"
    assert str(error.value) == said


def test_regions_are_tight_or_cut():
    with pytest.raises(InputError) as error:
        uv.Mondrian(k=2, regions="loose")
    assert str(error.value) == ("regions='loose' is not possible: it must be 'tight' or 'cut'")


def test_a_k_larger_than_the_table_is_told_the_largest_possible():
    with pytest.raises(GoalError) as error:
        uv.Mondrian(k=6).sanitize(PATIENTS)
    assert str(error.value) == (
        "Mondrian(k=6) cannot be met: table has 5 records, fewer than k=6; "
        "the largest possible k is 5"
    )
    assert isinstance(error.value, UnveilError)


def test_an_l_too_large_is_told_the_largest_possible():
    with pytest.raises(GoalError) as error:
        uv.Mondrian(l=2).sanitize(PATIENTS)
    assert str(error.value) == (
        "Mondrian(l=2) cannot be met: 'Flu' is the 'disease' of 4 of the 5 records of table, more "
        "than 1/2 of them; the largest possible l is 1"
    )


@examples(50)
@given(tables_and_goals())
def test_the_largest_possible_goals_are_possible_and_the_next_are_not(case):
    microdata, _ = case
    n, most = len(microdata), int(microdata.sensitive_counts.max())
    assert uv.Mondrian(k=n, l=n // most).sanitize(microdata).n_classes >= 1
    for impossible in (uv.Mondrian(k=n + 1), uv.Mondrian(l=n // most + 1)):
        with pytest.raises(GoalError):
            impossible.sanitize(microdata)


@pytest.mark.parametrize("sanitizer", [uv.Mondrian(k=2), uv.Identity(), uv.Oracle(len)])
def test_a_plain_table_is_told_to_become_microdata(sanitizer):
    kind = type(sanitizer).__name__
    with pytest.raises(InputError) as error:
        sanitizer.sanitize(pd.DataFrame({"age": [1, 2]}))
    assert str(error.value) == (
        f"{kind} needs microdata, a table whose columns have roles, and got a DataFrame; make it "
        "with unveil.read_table(table, quasi=[…], sensitive=…)"
    )
