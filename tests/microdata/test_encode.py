"""Kinds, domains and orders of single columns."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import HierarchyError, InputError
from unveil.microdata import Hierarchy, Kind, flat_hierarchy, read_csv, read_table


def column(values, **options):
    """One column, read from a table in memory."""
    table = {"x": values, "s": ["a"] * len(values)}
    if isinstance(values, pd.Series):
        table = pd.DataFrame(table)
    return read_table(table, quasi="x", sensitive="s", **options)["x"]


def cells(tmp_path, texts, **options):
    """One column, read from the cells of a CSV file."""
    file = tmp_path / "survey.csv"
    file.write_text("".join(f"{text};a\n" for text in ["x", *texts]).replace("x;a", "x;s", 1))
    return read_csv(file, quasi="x", sensitive="s", **options)["x"]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["3", "20", "-1"], [-1, 3, 20]),
        (["+3", "0"], [0, 3]),
        (["0.5", "1e3", ".25", "7."], [0.25, 0.5, 7, 1000]),
        (["1", "1.0", "2"], [1, 2]),
        (["999999999999999999"], [999999999999999999]),
    ],
)
def test_texts_that_are_numbers(tmp_path, texts, values):
    found = cells(tmp_path, texts)
    assert found.kind is Kind.NUMERIC
    assert found.values.tolist() == values
    assert found.values.dtype == (np.int64 if all("." not in t and "e" not in t for t in texts)
                                  else np.float64)  # fmt: skip


@pytest.mark.parametrize(
    "texts",
    [
        ["01234", "56789"],
        ["-01"],
        ["00"],
        ["1", "2", "three"],
        ["nan"],
        ["inf", "1"],
        ["1e999"],
        ["1_000"],
        ["1,5", "2", "x"],
        ["0x10"],
        ["١"],
        ["12345678901234567890"],
        ["2024-02-30"],
        ["2024-2-3", "1"],
        ["2024-01-01", "1"],
    ],
)
def test_texts_that_are_not_numbers(tmp_path, texts):
    found = cells(tmp_path, texts)
    assert found.kind is Kind.CATEGORICAL
    assert found.values.tolist() == sorted(texts)


def test_dates_in_a_csv_file_have_their_order(tmp_path):
    found = cells(tmp_path, ["2024-02-29", "1984-05-23"])
    assert found.kind is Kind.NUMERIC
    assert found.texts == ("1984-05-23", "2024-02-29")
    assert found.positions[0] < found.positions[1]


DAYS = [datetime.date(2024, 2, 29), datetime.date(1984, 5, 23)]


@pytest.mark.parametrize(
    "values",
    [
        DAYS,
        pa.array(DAYS).cast(pa.date64()),
        pa.array(DAYS).cast(pa.timestamp("ns")),
        pa.array(DAYS).cast(pa.timestamp("ms")).cast(pa.timestamp("ms", "UTC")),
        pd.to_datetime(pd.Series(DAYS)),
        pl.Series(DAYS),
    ],
)
def test_dates_look_alike_from_every_table(values):
    found = column(values)
    assert found.kind is Kind.NUMERIC
    assert found.texts == ("1984-05-23", "2024-02-29")
    assert found.codes.tolist() == [1, 0]


def test_moments_are_what_clocks_showed():
    midnight = pd.Series(pd.to_datetime(["2024-01-01", "2024-07-01"]).tz_localize("Europe/Rome"))
    assert column(midnight).texts == ("2024-01-01", "2024-07-01")


def test_moments_are_written_without_needless_digits():
    moments = [datetime.datetime(2024, 1, 1, 12), datetime.datetime(2024, 1, 1, 13)]
    assert column(pd.Series(moments)).texts == ("2024-01-01T12:00:00", "2024-01-01T13:00:00")
    assert column([moments[0].replace(microsecond=5)]).texts == ("2024-01-01T12:00:00.000005",)


@pytest.mark.parametrize("values", [["3", "20"], pd.Series(["3", "20"]), pl.Series(["3", "20"]),
                                    pd.Categorical([3, 20])])  # fmt: skip
def test_texts_and_categories_of_a_table_stay_what_they_are(values):
    found = column(values)
    assert found.kind is Kind.CATEGORICAL
    assert found.values.tolist() == ["20", "3"]


def test_blanks_around_texts_of_a_table_stay_but_blank_texts_are_missing():
    assert column([" a", "a"]).values.tolist() == [" a", "a"]
    with pytest.raises(InputError, match="1 of 2 records in table has missing values"):
        column(["  ", "a"])


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2], pa.decimal128(5, 2)),
        pa.array([1, 2], pa.uint64()),
        pa.array([1, 2], pa.float32()),
        np.array([1, 2], dtype=np.float16),
        pa.array([1, 2], pa.int8()),
        pd.Series(pd.arrays.SparseArray([1, 2])),
    ],
)
def test_numbers_of_every_type(values):
    found = column(values)
    assert found.kind is Kind.NUMERIC
    assert found.texts == ("1", "2")


def test_pandas_numbers_with_gaps_are_written_as_whole_numbers():
    found = column(pd.Series([39, None, 17]), missing="drop")
    assert found.texts == ("17", "39")


def test_zero_has_no_sign():
    assert column([0.0, -0.0, 1.0]).values.tolist() == [0, 1]
    assert column([0.0, -0.0, 1.0], categorical="x").codes.tolist() == [0, 0, 1]


def test_large_whole_numbers_stay_exact():
    large = 2**63 + 1
    assert column(pa.array([large, large + 1], pa.uint64())).values.tolist() == [large, large + 1]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(pd.Categorical(["low", "high"], ["low", "mid", "high"], ordered=True)),
        pl.Series(["low", "high"], dtype=pl.Enum(["low", "mid", "high"])),
    ],
)
def test_categories_with_an_order_are_ordinal(values):
    found = column(values)
    assert found.kind is Kind.ORDINAL
    assert found.values.tolist() == ["low", "mid", "high"]
    assert found.codes.tolist() == [0, 2]


def test_the_users_word_goes_before_an_order_in_the_table():
    ordered = pd.Series(pd.Categorical(["low", "high"], ["low", "mid", "high"], ordered=True))
    assert column(ordered, categorical="x").values.tolist() == ["high", "low"]
    assert column(ordered, ordinal={"x": ["high", "low"]}).codes.tolist() == [1, 0]


def test_unordered_categories_that_nobody_has_are_not_in_the_domain():
    assert column(pd.Series(pd.Categorical(["b", "a"], ["c", "b", "a"]))).values.tolist() == [
        "a",
        "b",
    ]


def test_a_row_filter_leaves_no_value_of_dropped_records():
    found = column([1, 2, 3, None], missing="drop")
    assert found.values.tolist() == [1, 2, 3]
    assert read_table({"x": [1, 2], "s": ["a", None]}, quasi="x", sensitive="s",
                      missing="drop")["x"].values.tolist() == [1]  # fmt: skip


def test_numbers_declared_categorical_become_texts(tmp_path):
    assert column([10, 9, 1], categorical=["x"]).values.tolist() == ["1", "10", "9"]
    assert cells(tmp_path, ["10", "9"], categorical=["x"]).values.tolist() == ["10", "9"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [(["07", "1e2"], [7, 100]), ([True, False], [0, 1]), (["2024-01-02"], None)],
)
def test_columns_declared_numeric(values, expected):
    found = column(values, numeric="x")
    assert found.kind is Kind.NUMERIC
    assert expected is None or found.values.tolist() == expected


def test_texts_declared_numeric_that_are_not(tmp_path):
    with pytest.raises(InputError) as error:
        cells(tmp_path, ["1", "2", "Not-Say"], numeric="x")
    assert str(error.value) == (
        "column 'x' of survey.csv was declared numeric, but has 'Not-Say' in row 3; if that "
        "means missing, give missing_values={'x': ['Not-Say']}"
    )


def test_ordinal_levels():
    found = column([2, 1, 2], ordinal={"x": [3, 2, 1]})
    assert found.kind is Kind.ORDINAL
    assert found.values.tolist() == ["3", "2", "1"]
    assert found.codes.tolist() == [1, 2, 1]
    assert found.positions.tolist() == [0, 1, 2]


def test_values_that_are_not_among_their_levels():
    with pytest.raises(InputError) as error:
        column(["low", "hihg"], ordinal={"x": ["low", "high"]})
    assert str(error.value) == (
        "column 'x' of table has 'hihg' in row 2, which is not among its levels; did you mean "
        "'high'? (levels: low, high)"
    )


AGES = Hierarchy.from_paths(
    [("30", "adult", "*"), ("9", "child", "*"), ("18", "adult", "*"), ("4", "child", "*")],
    source="ages.csv",
)


def test_the_hierarchy_of_a_numeric_column_has_its_order():
    found = column([30, 9, 18, 9], hierarchies={"x": AGES})
    assert found.kind is Kind.NUMERIC
    assert found.values.tolist() == [9, 18, 30]
    assert found.hierarchy.leaves == found.texts
    assert found.hierarchy.source == "ages.csv"
    adult = found.hierarchy.node("adult")
    assert (found.hierarchy.first[adult], found.hierarchy.last[adult]) == (1, 2)


def test_the_hierarchy_of_a_numeric_column_must_have_its_values():
    with pytest.raises(HierarchyError) as error:
        column([9, 19, 19], hierarchies={"x": AGES})
    assert str(error.value) == (
        "hierarchy ages.csv does not have '19' of column 'x' (2 records, the first in row 2 of "
        "table); did you mean '9'? (its leaves: 30, 18, 9, 4); use the same spelling in both"
    )


def test_the_hierarchy_of_a_numeric_column_must_not_skip_values():
    parity = Hierarchy.from_paths([("1", "odd", "*"), ("2", "even", "*"), ("3", "odd", "*")])
    with pytest.raises(HierarchyError) as error:
        column([1, 2, 3], hierarchies={"x": parity})
    assert str(error.value) == (
        "hierarchy built in code: 'odd' covers '3' but not '2', which comes before it in the "
        "order of column 'x'; if its order has no meaning, make it categorical with "
        "categorical=['x']"
    )
    assert column([1, 2, 3], hierarchies={"x": parity}, categorical="x").texts == parity.leaves


def test_the_hierarchy_of_an_ordinal_column():
    levels = ["none", "low", "high"]
    tree = Hierarchy.from_paths([("low", "some", "*"), ("high", "some", "*"), ("none", "*")])
    found = column(["low", "high"], ordinal={"x": levels}, hierarchies={"x": tree})
    assert found.kind is Kind.ORDINAL
    assert found.hierarchy.leaves == ("none", "low", "high")
    with pytest.raises(HierarchyError) as error:
        column(["low"], ordinal={"x": ["low", "hig"]}, hierarchies={"x": tree})
    assert str(error.value) == (
        "hierarchy built in code does not have 'hig', a level of column 'x'; did you mean 'high'?"
    )


def test_a_categorical_column_has_all_leaves_as_its_domain():
    found = column(["b"], hierarchies={"x": flat_hierarchy(["c", "b", "a"])})
    assert found.values.tolist() == ["c", "b", "a"]
    assert found.codes.tolist() == [1]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=20))
def test_missing_as_a_category_keeps_everybody(values):
    if not any(values):
        return
    found = column(values, missing="category")
    assert found.decode().tolist() == [value or "(missing)" for value in values]


@given(st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=20))
def test_dropping_keeps_all_others_in_order(values):
    if all(value is None for value in values):
        return
    found = column(values, missing="drop")
    assert found.decode().tolist() == [value for value in values if value is not None]
