"""Cells that are read again in a wider column, and in one of other people."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.microdata import (
    Column,
    Intervals,
    Kind,
    Role,
    Sets,
    as_values,
    numbers_among,
    read_again,
    read_cells,
)

NUMBERS = st.lists(st.integers(-30, 90), min_size=2, max_size=12, unique=True).map(sorted)


def column(values, kind=Kind.NUMERIC, **more):
    values = np.array(values, dtype=None if kind is Kind.NUMERIC else object)
    codes = np.zeros(1, dtype=np.int32)
    return Column(name="age", role=Role.QUASI, kind=kind, codes=codes, values=values, **more)


def covered(regions, size):
    return np.stack([regions.covers(code) for code in range(size)], axis=1)


@given(NUMBERS, NUMBERS, st.data())
def test_intervals_cover_what_lies_between_their_ends(own, others, data):
    narrow, wide = column(own), column(sorted({*own, *others}))
    ends = st.tuples(st.integers(0, len(own) - 1), st.integers(0, len(own) - 1)).map(sorted)
    low, high = np.array(data.draw(st.lists(ends, min_size=1, max_size=6))).T
    regions = Intervals(low.astype(np.int32), high.astype(np.int32))
    again, notes = read_again(regions, narrow, wide)
    assert notes == []
    values = wide.values
    between = (values >= narrow.values[low][:, None]) & (values <= narrow.values[high][:, None])
    assert (covered(again, wide.size) == between).all()


@given(NUMBERS, NUMBERS, st.data())
def test_sets_without_bounds_reach_up_to_the_next_number(own, others, data):
    narrow, wide = column(own), column(sorted({*own, *others}))
    some = st.lists(st.integers(0, len(own) - 1), min_size=1, unique=True).map(sorted)
    members = data.draw(st.lists(some, min_size=1, max_size=5))

    class Unreadable(Sets):
        def texts(self, column):
            return [f"crowd {number}" for number in range(len(self))]

    start = np.cumsum([0, *map(len, members)])
    regions = Unreadable(start, np.concatenate(members).astype(np.int32))
    again, (note,) = read_again(regions, narrow, wide)
    assert note.startswith("age: the cells do not give their ends")
    for one, row in zip(members, covered(again, wide.size), strict=True):
        for value, inside in zip(wide.values.tolist(), row, strict=True):
            # The nearest of its own numbers on either side, one of which the cell has.
            below = [code for code, number in enumerate(own) if number <= value][-1:]
            above = [code for code, number in enumerate(own) if number >= value][:1]
            assert inside == bool({*below, *above} & {*one})


def test_cells_in_a_column_of_other_people():
    towns = column(["Lyon", "Nice", "Rome"], Kind.CATEGORICAL)
    regions = read_cells(["{Lyon, Rome}", "Nice", "{Lyon, Rome}", "*"], towns)
    assert covered(regions, 3).tolist() == [
        [True, False, True], [False, True, False], [True, False, True], [True, True, True],
    ]  # fmt: skip
    with pytest.raises(
        InputError, match="'Roma' is not a value of the column; did you mean 'Rome'"
    ):
        read_cells(["Roma", "Nice"], towns)


def test_numbers_that_a_column_does_not_have():
    ages = column([30, 41])
    assert numbers_among(["35", " 36.50", "41.0", "M", "30-39", "inf", "3,5"], ages) == {
        "35": "35", " 36.50": "36.50",
    }  # fmt: skip
    assert as_values(["35", "36"], ages).dtype == np.int64
    assert as_values(["35", "36.5"], ages).tolist() == [35, 36.5]


def test_days_that_a_column_does_not_have():
    days = column(np.array(["1984-05-23", "1990-01-01"], dtype="datetime64[D]"))
    found = numbers_among(["1985-01-02", "1985", "1985-01", "1984-05-23", "2/1/1985"], days)
    assert list(found) == ["1985-01-02"]
    assert as_values(["1985-01-02"], days).tolist() == np.array(
        ["1985-01-02"], dtype="datetime64[D]").tolist()  # fmt: skip
