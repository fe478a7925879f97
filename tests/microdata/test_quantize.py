"""Numbers in a few parts: every value is where its level says, and the rest stays as it was."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Kind, interval_hierarchy, quantize

AGES = [15, 29, 30, 44, 45, 62, 74, 75, 90]
SURVEY = uv.read_table(
    {"age": AGES, "sex": list("fmfmfmfmf"), "pay": [float(a) for a in range(9)], "row": range(9)},
    quasi=["age", "sex"],
    sensitive="pay",
    hierarchies={"age": interval_hierarchy(AGES, widths=(5,))},
)


def bounds(level):
    """A level's ends, and whether the upper one belongs to it; plain reading of its text."""
    if not level.startswith("["):
        return float(level), float(level), True
    low, high = level[1:-1].split(", ")
    return float(low), float(high), level.endswith("]")


def test_five_parts_of_equal_width():
    age = quantize(SURVEY, 5)["age"]
    assert age.texts == ("[15, 30)", "[30, 45)", "[45, 60)", "[60, 75)", "[75, 90]")
    assert age.codes.tolist() == [0, 0, 1, 1, 2, 3, 3, 4, 4]
    assert age.kind is Kind.ORDINAL
    assert age.hierarchy is None


def test_only_numeric_quasi_identifiers_unless_others_are_named():
    made = quantize(SURVEY, 3)
    for name in ("sex", "pay", "row"):
        assert made[name] is SURVEY[name]
    made = quantize(SURVEY, {"pay": 2})
    assert made["age"] is SURVEY["age"]
    assert made.sensitive.texts == ("[0, 4)", "[4, 8]")
    assert made.notes == ("pay was grouped into 2 parts beforehand: [0, 4), [4, 8]",)


def test_parts_of_equal_share():
    made = quantize(SURVEY, {"age": 3}, by="quantiles")["age"]
    assert made.texts == ("[15, 44)", "[44, 74)", "[74, 90]")
    assert np.bincount(made.codes).tolist() == [3, 3, 3]


def test_equal_shares_where_many_have_the_same_value():
    table = uv.read_table({"q": [1, 5, 5, 5, 5, 5], "s": list("ababab")}, quasi="q", sensitive="s")
    made = quantize(table, 4, by="quantiles")["q"]
    assert made.texts == ("[1, 5)", "5")
    assert made.codes.tolist() == [0, 1, 1, 1, 1, 1]
    same = uv.read_table({"q": [5, 5], "s": list("ab")}, quasi="q", sensitive="s")
    for by in ("width", "quantiles"):
        assert quantize(same, 4, by=by)["q"].texts == ("5",)


def test_dates():
    days = [datetime.date(2001, 1, day) for day in (1, 2, 10, 11)]
    table = uv.read_table({"q": days, "s": list("abab")}, quasi="q", sensitive="s")
    made = quantize(table, 3)["q"]
    assert made.texts == (
        "[2001-01-01, 2001-01-04)", "[2001-01-04, 2001-01-07)", "[2001-01-07, 2001-01-11]",
    )  # fmt: skip
    assert made.codes.tolist() == [0, 0, 2, 2]
    assert quantize(table.take([0, 1]), 40)["q"].size == 10  # no part is shorter than a day
    made = quantize(table, {"q": ["2001-01-01", "2001-01-10", "2001-02-01"]})["q"]
    assert made.texts == ("[2001-01-01, 2001-01-10)", "[2001-01-10, 2001-02-01]")
    assert made.codes.tolist() == [0, 0, 1, 1]


@examples(100)
@given(
    st.lists(st.one_of(st.integers(-50, 50), st.floats(-3, 3)), min_size=1, max_size=20),
    st.integers(1, 8),
    st.sampled_from(["width", "quantiles"]),
)
def test_every_value_is_where_its_level_says(values, parts, by):
    table = uv.read_table(
        {"q": np.array(values, dtype=float), "s": ["x"] * len(values)}, quasi="q", sensitive="s"
    )
    made = quantize(table, parts, by=by)
    assert len(set(made["q"].texts)) == made["q"].size <= parts
    for value, level in zip(table["q"].decode(), made["q"].decode(), strict=True):
        low, high, closed = bounds(level)
        assert low <= value < high or (closed and low <= value <= high)
    assert made.codes.max() < made["q"].size
    release = uv.Mondrian(k=1).sanitize(made)
    assert uv.read_release(release.to_frame(), made).n_classes == release.n_classes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parts": 0}, "column 'age' must have at least 1 part, but 0 was given"),
        (
            {"parts": {"sex": 2}},
            "column 'sex' of table is categorical; only numbers and dates can be grouped",
        ),
        (
            {"parts": {"agee": 2}},
            "column 'agee' is not in table; did you mean 'age'? (columns: age, sex, pay, row)",
        ),
        (
            {"parts": {"age": [0, 18, 65]}},
            "column 'age' of table has 74, which is outside the edges 0 to 65; move the end, "
            "which belongs to its part, or make it infinite",
        ),
        (
            {"parts": {"age": [0, 65, 18, 100]}},
            "column 'age' needs a number of parts, or their edges in ascending order with both "
            "ends, such as [0, 18, 65, 100], but [0, 65, 18, 100] was given",
        ),
        (
            {"parts": {"age": "many"}},
            "column 'age' needs a number of parts, or their edges in ascending order with both "
            "ends, such as [0, 18, 65, 100], but 'many' was given",
        ),
        ({"by": "breadth"}, "by='breadth' is not possible: it must be 'width' or 'quantiles'"),
    ],
)
def test_what_cannot_be_done(options, message):
    with pytest.raises(InputError) as error:
        quantize(SURVEY, **options)
    assert str(error.value) == message


def test_a_column_with_gaps_that_nobody_works_on():
    table = uv.read_table(
        {"q": [1, 2], "s": list("ab"), "other": [1.0, None]}, quasi="q", sensitive="s"
    )
    with pytest.raises(
        InputError, match="column 'other' of table is not a quasi-identifier or sens"
    ):
        quantize(table, {"other": 2})


def test_people_with_several_records_count_once():
    """The ends of a part are shown only if enough people have them, however many rows they have."""
    rows = {"who": list("aaaabc"), "age": [10, 10, 10, 10, 20, 30], "ill": list("xyxyxy")}
    cut = uv.quantize(uv.read_table(rows, quasi="age", sensitive="ill", person="who"), [10, 20, 40])
    assert cut["age"].bounds == {"10": 1, "20": 1}
    assert cut.several.count == 3
    plain = uv.read_table(rows, quasi="age", sensitive="ill", person=False)
    assert uv.quantize(plain, [10, 20, 40])["age"].bounds == {"10": 4, "20": 1}
