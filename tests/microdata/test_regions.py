"""Regions: which codes they cover, how they count, and how they are written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.microdata import Column, Hierarchy, Intervals, Kind, Role, Sets

CITIES = Hierarchy.from_paths(
    [("Lyon", "France", "*"), ("Nice", "France", "*"), ("Rome", "Italy", "*"), ("Bonn", "*")]
)


def column(values, kind=Kind.CATEGORICAL, hierarchy=None):
    return Column(
        name="q", role=Role.QUASI, kind=kind, codes=np.zeros(1, dtype=np.int32),
        values=np.array(values, dtype=None if kind is Kind.NUMERIC else object),
        hierarchy=hierarchy,
    )  # fmt: skip


def intervals(*pairs, cuts=False):
    low, high = np.array(pairs, dtype=np.int32).T
    return Intervals(low, high, cuts)


def sets(*members):
    start = np.cumsum([0, *(len(some) for some in members)])
    return Sets(start, np.array([c for some in members for c in some], dtype=np.int32))


codes = st.integers(0, 5)
some_intervals = st.lists(st.tuples(codes, codes), min_size=1, max_size=6).map(
    lambda pairs: intervals(*pairs)
)
some_sets = st.lists(st.sets(codes, min_size=1).map(sorted), min_size=1, max_size=6).map(
    lambda members: sets(*members)
)


@given(st.one_of(some_intervals, some_sets), st.integers(0, 2**32 - 1))
def test_cover_counts_add_up_the_classes_that_cover_each_code(regions, seed):
    counts = np.random.default_rng(seed).integers(0, 9, (len(regions), 3))
    table = regions.cover_counts(counts, 6)
    for code in range(6):
        assert table[code].tolist() == counts[regions.covers(code)].sum(axis=0).tolist()


@given(st.one_of(some_intervals, some_sets), st.data())
def test_taking_rows_takes_their_codes(regions, data):
    rows = data.draw(st.lists(st.integers(0, len(regions) - 1), max_size=8))
    taken = regions.take(np.array(rows, dtype=np.intp))
    assert len(taken) == len(rows)
    for code in range(6):
        assert taken.covers(code).tolist() == [bool(regions.covers(code)[row]) for row in rows]


def test_an_interval_whose_ends_have_crossed_covers_nothing():
    empty = intervals((3, 2), (1, 1))
    assert empty.covers(2).tolist() == [False, False]
    assert empty.cover_counts(np.array([[5], [7]]), 4).ravel().tolist() == [0, 7, 0, 0]


def test_ranges_are_written_with_their_ends():
    ages = column([28, 36, 47.5], Kind.NUMERIC)
    assert intervals((0, 2), (1, 1), (1, 2)).texts(ages) == ["[28, 47.5]", "36", "[36, 47.5]"]


def test_cuts_are_written_as_cuts():
    ages = column([28, 36, 47, 53], Kind.NUMERIC)
    regions = intervals((0, 1), (2, 2), (3, 3), (0, 3), cuts=True)
    assert regions.texts(ages) == ["≤ 36", "(36, 47]", "> 47", "*"]


def test_sets_are_written_as_a_value_a_node_or_in_braces():
    cities = column(CITIES.leaves, hierarchy=CITIES)
    regions = sets([0], [0, 1], [1, 2], [0, 1, 2, 3], [2])
    assert regions.texts(cities) == ["Lyon", "France", "{Nice, Rome}", "*", "Rome"]
    flat = column(["Lyon", "Rome"])
    assert sets([0, 1], [1]).texts(flat) == ["{Lyon, Rome}", "Rome"]


@pytest.mark.parametrize(
    ("value", "alone", "in_a_set"),
    [
        ("a, b", "a, b", '{"a, b", z}'),
        ("{a}", "{a}", '{"{a}", z}'),
        ('say "a"', 'say "a"', '{"say ""a""", z}'),
        (" a", " a", '{" a", z}'),
        ("*", '"*"', "{*, z}"),
        ("<18", "<18", "{<18, z}"),
    ],
)
def test_what_could_be_taken_for_notation_is_quoted(value, alone, in_a_set):
    assert sets([0], [0, 1]).texts(column([value, "z"])) == [alone, in_a_set]


def test_notation_never_reads_like_the_name_of_a_value():
    names = column(["a", "b", "{a, b}"])
    assert sets([0, 1], [2]).texts(names) == ['{"a", "b"}', "{a, b}"]
    levels = column(["a", "b", "[a, b]", "≤ b"], Kind.ORDINAL)
    assert intervals((0, 1), (2, 2)).texts(levels) == ['["a", "b"]', "[a, b]"]
    assert intervals((0, 1), (2, 3), cuts=True).texts(levels) == ['≤ "b"', "> b"]


def test_cells_that_were_read_are_written_as_they_stood():
    read = Intervals(np.array([0, 1]), np.array([1, 1]), written=("[20, 35]", "35"))
    assert read.take(np.array([1, 1, 0])).texts(column([20, 35], Kind.NUMERIC)) == [
        "35", "35", "[20, 35]",
    ]  # fmt: skip
