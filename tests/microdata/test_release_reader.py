"""Releases read back from tables: whatever unveil writes, it reads as the same release."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import CountsError, InputError
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


@examples(100)
@given(tables_and_goals())
def test_what_mondrian_publishes_reads_back(case):
    microdata, options = case
    assert_reads_back(uv.Mondrian(**options).sanitize(microdata), microdata)


names = st.text(st.sampled_from('ab,"*{}[]() <≤=>\n-'), min_size=1, max_size=5).filter(str.strip)


@examples(150)
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
    assert release.notes == (
        "1 of 2 records with missing values dropped (q 1)",
        "all quasi-identifiers of all records are hidden: the release does not tell people apart",
    )


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
            {"age": ["*", "*"], "gender": ["*", "*"], "disease": ["Flu", "Flue"]},
            "row 2: 'Flue' is not a value of disease in the original; did you mean 'Flu'?",
        ),
        (
            {"age": [1, print], "gender": ["*", "*"], "disease": ["Flu", "Flu"]},
            "row 2, column 'age' of table: a builtin_function_or_method cannot be read as a cell; "
            "write it as a text",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(table, message):
    with pytest.raises(InputError) as error:
        read_release(table, PATIENTS)
    assert str(error.value) == message


AGES = uv.read_table(
    {"age": [21, 25, 31, 38, 44], "vote": list("aabba")}, quasi="age", sensitive="vote"
)


def covered(release, column=0):
    """For each released record, the values that its cell covers."""
    texts = np.array(release.quasi[column].texts)
    return [list(texts[row]) for row in bits(release)[column]]


def test_intervals_of_pandas():
    cut = pd.cut(pd.Series([21, 25, 31, 38, 44]), [20, 30, 40], right=False)
    expected = [["21", "25"]] * 2 + [["31", "38"]] * 2 + [list(AGES["age"].texts)]
    for cells in (cut, cut.astype(object), pd.Series(pd.IntervalIndex(cut))):
        release = read_release(pd.DataFrame({"age": cells, "vote": list("aabba")}), AGES)
        assert covered(release) == expected
        assert release.cells()[0][0] == "[20, 30)"


def test_intervals_of_days():
    days = pd.Series(pd.date_range("2020-01-01", periods=6))
    original = uv.read_table({"d": days, "s": list("xyxyxy")}, quasi="d", sensitive="s")
    cells = pd.cut(days, pd.date_range("2019-12-31", periods=4, freq="2D"))
    release = read_release(pd.DataFrame({"d": cells, "s": list("xyxyxy")}), original)
    assert covered(release)[2] == ["2020-01-03", "2020-01-04"]


def test_categories_and_mixed_cells():
    everything = ["21", "25", "31", "38", "44"]
    for cells in (
        pd.Categorical(["20-30", "20-30", "30-40", "30-40", None]),
        pd.Series(["20-30", "20-30", pd.Interval(30, 40), [31, 38], pd.NA], dtype=object),
        [[21, 25], {21, 25}, "30-40", "30-40", float("nan")],
    ):
        release = read_release({"age": cells, "vote": list("aabba")}, AGES)
        assert covered(release) == [["21", "25"]] * 2 + [["31", "38"]] * 2 + [everything]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_lists_in_tables_of_all_sorts(make):
    table = {"age": [28, 36, 47], "city": ["Lyon", "Nice", "Rome"], "s": ["x", "y", "x"]}
    original = uv.read_table(table, quasi=["age", "city"], sensitive="s")
    cells = {
        "age": [[28, 47], [28, 36, 47], [36]],
        "city": [["Lyon", "Nice"], ["Rome", "Lyon"], ["Rome"]],
        "s": ["x", "y", "x"],
    }
    release = read_release(make(cells), original)
    assert covered(release, 0) == [["28", "47"], ["28", "36", "47"], ["36"]]
    assert covered(release, 1) == [["Lyon", "Nice"], ["Lyon", "Rome"], ["Rome"]]
    again = read_release(release.to_frame(), original)
    assert covered(again, 0) == covered(release, 0)
    assert covered(again, 1) == covered(release, 1)


def test_sets_of_numbers_count_like_any_other_region():
    table = {"age": ["{21, 38}", "*", "30-40", "44", "21;44"], "vote": list("aabba")}
    release = read_release(table, AGES)
    assert release.to_frame()["age"].tolist() == table["age"]
    expected = np.zeros((5, 2), dtype=int)
    for values, vote in zip(covered(release), release.sensitive.codes, strict=True):
        for value in values:
            expected[AGES["age"].places[value], vote] += 1
    np.testing.assert_array_equal(release.cover_counts(AGES.codes)[:, 0], expected)
    np.testing.assert_array_equal(release.joint_counts(AGES.codes), expected)


def test_files(tmp_path):
    frame = pd.DataFrame(CELLS)
    frame.to_csv(tmp_path / "plain.csv", index=False)
    frame.to_csv(tmp_path / "with index.csv", sep=";")  # pandas' index has no name
    frame.to_csv(tmp_path / "latin.txt", sep="~", index=False, encoding="latin-1")
    frame.to_parquet(tmp_path / "release.parquet")
    for name, options in {
        "plain.csv": {},
        "with index.csv": {},
        "latin.txt": {"delimiter": "~", "encoding": "latin-1"},
        "release.parquet": {},
    }.items():
        for path in (tmp_path / name, str(tmp_path / name)):
            release = read_release(path, PATIENTS, **options)
            assert release.to_frame().to_dict("list") == CELLS


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match=r"the file 'nowhere\.csv' does not exist"):
        read_release("nowhere.csv", PATIENTS)


def test_suppressed_and_missing_records_are_counted():
    table = {
        "age": ["*", None, "30-40", "NA"],
        "gender": ["*", " ", "*", "null"],
        "disease": ["Flu", "Cancer", "Flu", "*"],
    }
    four = PATIENTS.take([0, 1, 2, 2])
    release = read_release(table, four)
    assert (len(release), release.suppressed, release.dropped) == (3, 2, 1)
    assert release.n_classes == 2
    assert release.notes[:2] == (
        "2 of 3 records are suppressed and form no class: all their quasi-identifiers are hidden",
        "1 of 4 records is not in the release, or in it without a sensitive value",
    )
    assert release.to_frame()["age"].tolist() == ["*", "*", "30-40"]


def test_a_release_that_tells_no_secret():
    with pytest.raises(InputError, match="no row of the release has a value of 'disease'"):
        read_release({"age": [28], "gender": ["M"], "disease": [None]}, PATIENTS)


HOLES = uv.read_table(
    {"city": ["Lyon", None, "Rome"], "s": ["x", "y", None]},
    quasi="city", sensitive="s", missing="category",
)  # fmt: skip


def test_empty_is_missing_where_the_original_has_that():
    table = {"city": [None, "Lyon", "(missing)"], "s": ["x", "", "y"]}
    release = read_release(table, HOLES)
    assert covered(release) == [["(missing)"], ["Lyon"], ["(missing)"]]
    assert release.sensitive.decode().tolist() == ["x", "(missing)", "y"]
    assert (release.suppressed, release.dropped, release.n_classes) == (0, 0, 2)
    assert release.notes[1:3] == (
        "1 empty cell of city read as '(missing)', which is a value of the original; if they "
        "are suppressed, give empty='suppressed'",
        "1 empty cell of s read as '(missing)', which is a value of the original; if they are "
        "suppressed, give empty='suppressed'",
    )


def test_empty_is_what_the_user_says():
    table = {"city": [None, "Lyon", "(missing)"], "s": ["x", "", "y"]}
    release = read_release(table, HOLES, empty="suppressed")
    assert covered(release) == [["Lyon", "Rome", "(missing)"], ["(missing)"]]
    assert (release.suppressed, release.dropped) == (1, 1)
    with pytest.raises(InputError) as error:
        read_release({"age": ["NA"], "vote": ["a"]}, AGES, empty="missing")
    assert str(error.value) == (
        "row 1, column 'age': the cell 'NA' cannot be a missing value, because the original has "
        "none in this column; if it is suppressed, give empty='suppressed'"
    )
    with pytest.raises(
        InputError, match="empty='no' is not possible: it must be 'suppressed' or 'missing'"
    ):
        read_release(table, HOLES, empty="no")


def test_rows_that_stand_for_several_records():
    table = {"age": ["20-30", "30-50", "30-50"], "vote": ["a", "b", "a"], "count": [2, 2, 1],
             "n": ["2", "1", "1"]}  # fmt: skip
    release = read_release(table, AGES)
    assert (release.sizes.tolist(), release.dropped) == ([2, 3], 0)
    assert release.notes == (
        "the column 'count' gives the number of records of each row: 3 rows, 5 records",
    )
    fewer = read_release(table, AGES, count="n")
    assert (fewer.sizes.tolist(), fewer.dropped) == ([2, 2], 1)
    # Of numbers that do not add up to the records nobody knows what they are, unless that is said.
    with pytest.raises(CountsError, match="looks like a table of counts"):
        read_release(table | {"count": [2, 2, 2], "n": [1, 1, 1]}, AGES)
    assert len(read_release(table | {"count": [2, 2, 2]}, AGES, count=False)) == 3
    assert len(read_release(table | {"n": [2, 0, 1]}, AGES, count="n")) == 3
    with pytest.raises(InputError) as error:
        read_release(table | {"n": [2, -1, 1]}, AGES, count="n")
    assert str(error.value) == "row 2, column 'n' of table: '-1' is not a number of records"


def test_a_column_count_of_the_original_is_no_such_column():
    table = {"age": [1, 2, 3], "count": [1, 1, 1], "vote": ["a", "b", "a"]}
    original = uv.read_table(table, quasi="age", sensitive="vote")
    assert len(read_release({"age": ["*"], "count": [3], "vote": ["a"]}, original)) == 1


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([10, 20], [10.0, "20.0"]),
        ([10, 20], [" 10 ", "2e1"]),
        ([True, False], ["TRUE", " false"]),
        (["yes", "no"], [" yes ", "no"]),
        (["*", "NA"], ["*", "NA"]),
    ],
)
def test_secrets_are_known_however_they_are_written(values, told):
    original = uv.read_table({"q": [1, 2], "s": values}, quasi="q", sensitive="s")
    release = read_release({"q": ["*", "*"], "s": told}, original)
    assert release.sensitive.codes.tolist() == original.sensitive.codes.tolist()


def test_cells_are_remembered_for_tables_without_a_record():
    """Reading again, from a table that shares its domain, gives the same release."""
    table = {"age": ["20-30", "20-30", "[31, 38]", "[31, 38]", "*"], "vote": list("aabba")}
    whole = read_release(table, AGES)
    part = read_release({k: v[1:] for k, v in table.items()}, AGES.without(0))
    np.testing.assert_array_equal(bits(part)[0], bits(whole)[0][1:])


def test_people_who_were_left_out_of_the_original_may_be_meant():
    people = {"town": ["Rome", "Rome", "Lyon", "Bern"], "vote": ["a", "b", "a", None]}
    published = {"town": ["Rome", "Rome", "Lyon", "Bern"], "vote": ["a", "b", "a", "b"]}
    for missing, hint in (("drop", True), ("category", False)):
        table = uv.read_table(people, quasi="town", sensitive="vote", missing=missing)
        with pytest.raises(InputError) as told:
            uv.read_release({**published, "town": ["Rome", "Rome", "Lyon", "Ulm"]}, table)
        assert "'Ulm' is not a value of the column" in str(told.value)
        assert str(told.value).endswith("keep them there with missing='keep'") is hint
