"""The basic Mondrian of the reports: the compiled one equals the one told in plain words."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from basic_mondrian import BasicMondrian
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.microdata import Kind, Role, Statistic, flat_hierarchy
from unveil.sanitize import LeavesOneOut

BOTH = [Statistic.COVER, Statistic.JOINT]
GOALS = st.one_of(
    st.builds(lambda k: {"k": k}, st.integers(1, 6)),
    st.builds(lambda l: {"l": l}, st.integers(1, 4)),  # noqa: E741
)
COMPARISONS = st.sampled_from(["text", "number"])


# The brute force: parts are lists of records, what is known of a column is a pair of codes (an
# ordered column's range) or a node (a hierarchy). It shares no code with the compiled one.


def plain_classes(table, *, k=None, l=None):  # noqa: E741
    """The classes, each a pair (records, what is known of each column)."""
    known = [
        (0, c.size - 1) if c.is_ordered else c.hierarchy.root for c in table.quasi
    ]  # fmt: skip
    return plain_walk(table, list(range(len(table))), known, k, l) if len(table) else []


def plain_walk(table, records, known, k, l):  # noqa: E741
    allowed = list(range(len(known)))
    while allowed:
        j = max(allowed, key=lambda j: (plain_width(table.quasi[j], known[j]), -j))
        column = table.quasi[j]
        if column.is_ordered:
            parts = plain_numeric_split(table, records, known, j, k, l)
        else:
            parts = plain_hierarchy_split(table, records, known, j, k, l)
        if parts:
            return [
                found
                for part, now in parts
                for found in plain_walk(table, part, [*known[:j], now, *known[j + 1 :]], k, l)
            ]
        allowed.remove(j)
    return [(records, known)]


def plain_width(column, known):
    if column.is_ordered:
        low, high = column.positions[[known[0], known[1]]]
        whole = column.positions[-1] - column.positions[0]
        return (high - low) / whole if whole else 0.0
    tree = column.hierarchy
    if len(tree.children(known)) == 0:
        return 0.0
    return (tree.last[known] - tree.first[known] + 1) / tree.n_leaves


def plain_numeric_split(table, records, known, j, k, l):  # noqa: E741
    codes = table.quasi[j].codes
    counted = Counter(int(codes[i]) for i in records)
    present = sorted(counted)
    if k is not None:  # trying the column shows its actual range
        known[j] = (present[0], present[-1])
    half = len(records) // 2
    if half < (k or l) or len(present) < 2:
        return []
    reached = 0
    for split in present:
        reached += counted[split]
        if reached >= half:
            break
    if split == present[-1]:
        return []
    follows = present[present.index(split) + 1]
    left = [i for i in records if codes[i] <= split]
    right = [i for i in records if codes[i] > split]
    if l is not None and not (plain_diverse(table, left, l) and plain_diverse(table, right, l)):
        return []
    return [(left, (known[j][0], split)), (right, (follows, known[j][1]))]


def plain_hierarchy_split(table, records, known, j, k, l):  # noqa: E741
    column = table.quasi[j]
    parts = []
    for child in column.hierarchy.children(known[j]):
        first, last = column.hierarchy.first[child], column.hierarchy.last[child]
        part = [i for i in records if first <= column.codes[i] <= last]
        if not part:
            continue
        if not (len(part) >= k if k is not None else plain_diverse(table, part, l)):
            return []
        parts.append((part, int(child)))
    return parts


def plain_diverse(table, records, l):  # noqa: E741
    values = Counter(int(table.sensitive.codes[i]) for i in records)
    return (
        len(records) >= l and len(values) >= l and max(values.values()) <= Fraction(len(records), l)
    )


def plain_covers(column, known, code, compare):
    """Whether what a class publishes for a column covers a code."""
    if not column.is_ordered:
        return column.hierarchy.first[known] <= code <= column.hierarchy.last[known]
    if compare == "text" and column.kind is Kind.NUMERIC:
        low, high = (column.texts[end] for end in known)
        return low <= column.texts[code] <= high
    return known[0] <= code <= known[1]


def plain_counts(classes, table, target_codes, compare, statistic):
    """What the classes of a table say of somebody with these codes."""
    shape = (len(table.quasi), table.sensitive.size)
    counts = np.zeros(shape if statistic is Statistic.COVER else shape[1:], dtype=int)
    for records, known in classes:
        covered = [
            plain_covers(column, what, code, compare)
            for column, what, code in zip(table.quasi, known, target_codes, strict=True)
        ]
        values = np.bincount(table.sensitive.codes[records], minlength=shape[1])
        if statistic is Statistic.COVER:
            counts[covered] += values
        elif all(covered):
            counts += values
    return counts


def with_hierarchies(table):
    """The same table with a hierarchy for the columns that lack one."""
    columns = tuple(
        replace(c, hierarchy=flat_hierarchy(c.values))
        if c.role is Role.QUASI and c.kind is Kind.CATEGORICAL and c.hierarchy is None
        else c
        for c in table.columns
    )
    return replace(table, columns=columns)


def assert_exact(table, goal, compare, statistic, records, jobs=1):
    found = BasicMondrian(**goal, compare=compare).leave_one_out(
        table, records, statistic, jobs=jobs
    )
    whole = plain_classes(table, **goal)
    for place, record in enumerate(records):
        codes, rest = table.codes[:, record], table.without(record)
        expected = plain_counts(whole, table, codes, compare, statistic)
        np.testing.assert_array_equal(found.present[place], expected)
        expected = plain_counts(plain_classes(rest, **goal), rest, codes, compare, statistic)
        np.testing.assert_array_equal(found.absent[place], expected, f"record {record}")
    assert found.possible.all() == (len(table) > 1)


@examples(60)
@given(tables(), GOALS)
def test_the_classes_of_small_tables(table, goal):
    table = with_hierarchies(table)
    release = BasicMondrian(**goal).sanitize(table)
    expected = plain_classes(table, **goal)
    groups = [np.flatnonzero(release.class_of == c).tolist() for c in range(release.n_classes)]
    assert groups == [sorted(records) for records, _ in expected]
    for column, regions in enumerate(release.regions):
        for code in range(table.quasi[column].size):
            covered = [
                plain_covers(table.quasi[column], known[column], code, "number")
                for _, known in expected
            ]
            assert regions.covers(code).tolist() == covered


@examples(60)
@given(tables(max_size=25), GOALS, COMPARISONS, st.sampled_from(BOTH))
def test_every_record_of_small_tables_left_out(table, goal, compare, statistic):
    table = with_hierarchies(table)
    assert_exact(table, goal, compare, statistic, np.arange(len(table)))


@pytest.mark.parametrize("goal", [{"k": 3}, {"l": 2}], ids=str)
def test_some_records_of_larger_tables_left_out(goal):
    for seed, kinds in enumerate([("fine", "tree"), ("numeric", "tree", "ordinal", "tree")]):
        table = with_hierarchies(random_microdata(seed, 400, kinds, sensitive_values=6))
        records = np.random.default_rng(seed).choice(400, 8)  # in any order, some perhaps twice
        assert_exact(table, goal, "text", Statistic.COVER, records, jobs=2)


@pytest.mark.real
@pytest.mark.parametrize("goal", [{"k": 5}, {"l": 3}], ids=str)
def test_some_records_of_internet_usage_left_out(internet_usage, goal):
    table = internet_usage()
    finding = uv.differential_inference(table, BasicMondrian(**goal, compare="text"))
    assert finding.way == "fast"
    some = np.append(np.random.default_rng(0).choice(len(table), 2), finding.worst_places(1))
    assert_exact(table, goal, "text", Statistic.COVER, some)


def test_the_right_part_may_be_smaller_than_k():
    ages = uv.read_table(
        {"age": [1, 2, 2, 2, 2, 9], "s": list("ababab")}, quasi="age", sensitive="s"
    )
    release = BasicMondrian(k=2).sanitize(ages)
    assert release.cells() == [["[1, 2]", "9"]]
    assert release.sizes.tolist() == [5, 1]


def test_the_whole_range_is_published_until_diversity_splits_it():
    ages = uv.read_table({"age": [1, 5, 9], "s": ["a", "a", "b"]}, quasi="age", sensitive="s")
    assert BasicMondrian(l=2).sanitize(ages.take([0, 1])).cells() == [["[1, 9]"]]
    assert BasicMondrian(k=2).sanitize(ages.take([0, 1])).cells() == [["[1, 5]"]]


def test_what_it_is_called_and_how_it_goes():
    assert BasicMondrian(k=5, compare="text").label == "BasicMondrian(k=5, compare='text')"
    assert isinstance(BasicMondrian(l=2), LeavesOneOut)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "the basic Mondrian has one goal: give k, such as k=5, or l"),
        ({"k": 2, "l": 2}, "the basic Mondrian has one goal: give k, such as k=5, or l"),
        ({"k": 0}, "k and l must be whole numbers from 1 up, got 0"),
        ({"k": 2, "compare": "texts"}, 'compare must be "text" or "number", got \'texts\''),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(InputError) as error:
        BasicMondrian(**options)
    assert str(error.value) == message


def test_tables_that_it_cannot_do():
    table = uv.read_table({"city": list("abc"), "s": list("xyx")}, quasi="city", sensitive="s")
    with pytest.raises(InputError, match="needs a hierarchy for the column 'city'"):
        BasicMondrian(k=2).sanitize(table)
    with pytest.raises(GoalError, match="has no records"):
        BasicMondrian(k=2).sanitize(table.take([]))
