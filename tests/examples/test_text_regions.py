"""Ranges read by somebody who compares texts: as brute force over the texts says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from text_regions import TextIntervals, ranks_as_text

import unveil as uv
from unveil.microdata import Intervals

NUMBERS = st.lists(
    st.one_of(
        st.integers(0, 120), st.integers(-20, 3000), st.floats(0, 99).map(lambda x: round(x, 1))
    ),
    min_size=1,
    max_size=30,
    unique=True,
)


def column_of(numbers):
    values = {"x": numbers, "s": ["a"] * len(numbers)}
    return uv.read_table(values, quasi="x", sensitive="s", numeric=["x"])["x"]


@examples(100)
@given(NUMBERS, st.data())
def test_what_they_cover(numbers, data):
    column = column_of(numbers)
    ends = st.tuples(*[st.integers(0, column.size - 1)] * 2).map(sorted)
    low, high = np.array(data.draw(st.lists(ends, min_size=1, max_size=8)), dtype=np.int32).T
    regions = TextIntervals(low, high, ranks_as_text(column))
    texts = column.texts
    expected = np.array(
        [[texts[a] <= text <= texts[b] for a, b in zip(low, high, strict=True)] for text in texts]
    )
    for code in range(column.size):
        np.testing.assert_array_equal(regions.covers(code), expected[code])
    counts = np.arange(2 * len(low)).reshape(-1, 2) + 1
    np.testing.assert_array_equal(
        regions.cover_counts(counts, column.size), expected.astype(int) @ counts
    )
    rows = np.array([len(low) - 1, 0, 0])
    np.testing.assert_array_equal(regions.take(rows).covers(0), regions.covers(0)[rows])
    assert regions.texts(column) == Intervals(low, high).texts(column)


@pytest.mark.parametrize(
    ("low", "high", "covered"),
    [(5, 41, []), (5, 63, [5, 6, 55, 63]), (6, 6, [6]), (41, 80, [41, 5, 6, 55, 63, 7, 80])],
)
def test_five_comes_after_forty_one(low, high, covered):
    column = column_of([5, 6, 7, 41, 55, 63, 80])
    places = column.places
    one = TextIntervals(
        np.array([places[str(low)]]), np.array([places[str(high)]]), ranks_as_text(column)
    )
    inside = {v for v, code in zip(column.values, range(column.size), strict=True)
              if one.covers(code)[0]}  # fmt: skip
    assert inside == set(covered)
