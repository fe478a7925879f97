"""Releases read back from tables: whatever unveil writes, it reads as the same release."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import read_release

PATIENTS = uv.read_table(
    {"age": [28, 36, 47], "gender": ["M", "M", "F"], "disease": ["Flu", "Flu", "Cancer"]},
    quasi=["age", "gender"],
    sensitive="disease",
)
CELLS = {"age": ["[28, 36]", "[28, 36]", "*"], "gender": ["M", "M", "*"],
         "disease": ["Flu", "Flu", "Cancer"]}  # fmt: skip


def bits(release):
    """For each released record, which codes of each column its cells cover; and its secret."""
    columns = [
        np.stack([regions.covers(code) for code in range(column.size)], axis=1)[release.class_of]
        for column, regions in zip(release.quasi, release.regions, strict=True)
    ]
    return [*columns, release.sensitive.codes]


def assert_reads_back(release, microdata):
    again = read_release(release.to_frame(), microdata)
    for written, read in zip(bits(release), bits(again), strict=True):
        np.testing.assert_array_equal(written, read)
    assert sorted(map(tuple, again.counts.tolist())) == sorted(map(tuple, release.counts.tolist()))
    pd.testing.assert_frame_equal(again.to_frame(), release.to_frame())


@settings(max_examples=100, deadline=None)
@given(tables_and_goals())
def test_what_mondrian_publishes_reads_back(case):
    microdata, options = case
    assert_reads_back(uv.Mondrian(**options).sanitize(microdata), microdata)


names = st.text(st.sampled_from('ab,"*{}[]() <≤=>\n-'), min_size=1, max_size=5).filter(str.strip)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(names, min_size=1, max_size=5, unique=True),
    st.booleans(),
    st.integers(1, 3),
    st.sampled_from(["tight", "cut"]),
)
def test_values_with_the_strangest_names_read_back(values, ordinal, k, regions):
    if {"*", '"*"'} <= set(values):  # the first is written as the second: one has to give way
        values.remove('"*"')
    table = {"q": values * 2, "s": ["x", "y"] * len(values)}
    kind = {"ordinal": {"q": values}} if ordinal else {"categorical": "q"}
    microdata = uv.read_table(table, quasi="q", sensitive="s", **kind)
    for size in (k, 2 * k):
        if size <= len(microdata):
            f = uv.Mondrian(k=size, regions=regions)
            assert_reads_back(f.sanitize(microdata), microdata)


def test_dates_and_fractions_read_back():
    days = np.arange(np.datetime64("2020-02-25"), np.datetime64("2020-03-06"))
    tenths = np.arange(10) / 10 + 1e-9
    table = {"born": days, "x": tenths, "s": ["x", "y"] * 5}
    microdata = uv.read_table(table, quasi=["born", "x"], sensitive="s")
    for regions in ("tight", "cut"):
        for f in (uv.Mondrian(k=3, regions=regions), uv.Identity()):
            assert_reads_back(f.sanitize(microdata), microdata)


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_of_all_sorts(make):
    release = read_release(make(CELLS), PATIENTS, made_by="the office")
    assert release.to_frame().to_dict("list") == CELLS
    assert release.made_by == "the office"
    assert release.n_classes == 2


def test_columns_in_another_order_and_more_of_them():
    table = pd.DataFrame(CELLS)[["disease", "gender", "age"]].assign(more=1)
    table.index = [7, 7, 7]
    assert read_release(table, PATIENTS).to_frame().to_dict("list") == CELLS


def test_a_release_may_have_other_records_than_the_original():
    release = read_release({"age": [28], "gender": ["*"], "disease": ["Cancer"]}, PATIENTS)
    assert len(release) == 1
    assert release.totals.tolist() == [1, 0]


def test_sensitive_numbers_are_numbers_however_they_come():
    table = uv.read_table({"q": [1, 2], "pay": [10, 20]}, quasi="q", sensitive="pay")
    for pay in ([10.0, 20.0], ["10", "20"], [10, 20]):
        assert read_release({"q": ["*", "*"], "pay": pay}, table).totals.tolist() == [1, 1]


def test_what_was_decided_about_the_original_is_passed_on():
    holes = uv.read_table(
        {"q": [1, None], "s": ["a", "b"]}, quasi="q", sensitive="s", missing="drop"
    )
    release = read_release({"q": ["*"], "s": ["a"]}, holes)
    assert release.notes == ("1 of 2 records with missing values dropped (q 1)",)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"agee": [1], "gender": ["M"], "disease": ["Flu"]},
            "column 'age' is not in table; did you mean 'agee'? (columns: agee, gender, disease)",
        ),
        ({"age": [1], "gender": ["M"]}, "column 'disease' is not in table (columns: age, gender)"),
        ({"age": [], "gender": [], "disease": []}, "table has no rows"),
        (
            {"age": ["1", None], "gender": ["M", "M"], "disease": ["Flu", "Flu"]},
            "row 2, column 'age' of table is empty; publish * for a cell that says nothing",
        ),
        (
            {"age": ["*", "*"], "gender": ["*", " "], "disease": ["Flu", "Flu"]},
            "row 2, column 'gender' of table is empty; publish * for a cell that says nothing",
        ),
        (
            {"age": ["*", "*"], "gender": ["*", "*"], "disease": ["Flu", "Flue"]},
            "row 2: 'Flue' is no disease of the original; did you mean 'Flu'?",
        ),
        (
            {"age": [1, "x"], "gender": ["*", "*"], "disease": ["Flu", "Flu"]},
            "column 'age' of table mixes values of type int and str",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(table, message):
    with pytest.raises(InputError) as error:
        read_release(table, PATIENTS)
    assert str(error.value) == message
