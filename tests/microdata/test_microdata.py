"""The table of codes: taking records, distinct records, and how it prints."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.microdata import read_table

PEOPLE = {
    "name": ["Ann", "Bob", "Cid", "Dot"],
    "age": [31, 45, 31, 31],
    "city": ["Rome", "Lyon", "Rome", "Rome"],
    "income": ["low", "high", "low", "mid"],
}
SURVEY = read_table(PEOPLE, quasi=["age", "city"], sensitive="income", identifier="name")


def test_codes_are_one_row_a_quasi_identifier():
    assert SURVEY.codes.tolist() == [[0, 1, 0, 0], [1, 0, 1, 1]]
    assert SURVEY.sensitive_counts.tolist() == [1, 2, 1]


def test_distinct_records():
    assert len(SURVEY.distinct) == 3
    assert SURVEY.distinct_of[0] == SURVEY.distinct_of[2]


def test_taking_records_keeps_the_domains():
    some = SURVEY.take([3, 1])
    assert some["income"].decode().tolist() == ["mid", "high"]
    assert some["income"].values.tolist() == ["high", "low", "mid"]
    assert some.rows.tolist() == [3, 1]
    assert SURVEY.without(1).rows.tolist() == [0, 2, 3]


def test_a_frame_has_no_identifiers():
    frame = SURVEY.to_frame()
    assert list(frame.columns) == ["age", "city", "income"]
    assert frame["city"].tolist() == PEOPLE["city"]


def test_a_column_that_is_not_there():
    with pytest.raises(InputError) as error:
        SURVEY["agee"]
    assert str(error.value) == (
        "column 'agee' is not in table; did you mean 'age'? (columns: age, city, income, name)"
    )


def test_it_prints_what_it_is():
    assert repr(SURVEY).splitlines() == [
        "Microdata: 4 records from table",
        "  age: quasi-identifier, numeric, 2 values",
        "  city: quasi-identifier, categorical, 2 values",
        "  income: sensitive, categorical, 3 values",
        "  name: identifier, categorical, 4 values",
    ]


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=40))
def test_distinct_records_are_all_there_is(rows):
    a, b, s = (list(column) for column in zip(*rows, strict=True))
    table = read_table({"a": a, "b": b, "s": s}, quasi=["a", "b"], sensitive="s")
    assert sorted({rows[i] for i in table.distinct}) == sorted(set(rows))
    assert len(table.distinct) == len(set(rows))
    np.testing.assert_array_equal(
        [rows[i] for i in table.distinct[table.distinct_of]], np.array(rows)
    )
