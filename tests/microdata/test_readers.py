"""Readers: every way in gives the same microdata, and what is wrong is told."""

import gzip
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import HierarchyError, InputError, MissingValuesError
from unveil.microdata import (
    Kind,
    Role,
    flat_hierarchy,
    interval_hierarchy,
    prefix_hierarchy,
    read_csv,
    read_parquet,
    read_table,
)

PEOPLE = {
    "name": ["Ann", "Bob", "Cid", "Dot", "Eve"],
    "age": [31, 45, 31, 62, 45],
    "weight": [70.5, 80.0, 61.25, 70.5, 55.0],
    "city": ["Rome", "Lyon", "Nice", "Rome", "Lyon"],
    "member": [True, False, True, True, False],
    "income": ["low", "high", "low", "mid", "low"],
}
ROLES = {"quasi": ["city", "age", "weight"], "sensitive": "income", "identifier": "name"}


def same(a, b):
    """Whether two microdata are equal in all but where they come from."""
    assert [c.name for c in a.columns] == [c.name for c in b.columns]
    for left, right in zip(a.columns, b.columns, strict=True):
        assert (left.role, left.kind) == (right.role, right.kind)
        np.testing.assert_array_equal(left.codes, right.codes)
        np.testing.assert_array_equal(left.values, right.values)
        assert left.texts == right.texts
    np.testing.assert_array_equal(a.rows, b.rows)
    assert a.notes == b.notes
    return True


@pytest.fixture
def csv_file(tmp_path):
    """A function that writes a CSV file and returns its path."""

    def write(content, name="survey.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def message_of(call, kind=InputError):
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


# What comes out


def test_columns_stand_in_the_order_of_their_roles():
    table = read_table(PEOPLE, **ROLES)
    assert [(c.name, c.role, c.kind) for c in table.columns] == [
        ("city", Role.QUASI, Kind.CATEGORICAL),
        ("age", Role.QUASI, Kind.NUMERIC),
        ("weight", Role.QUASI, Kind.NUMERIC),
        ("income", Role.SENSITIVE, Kind.CATEGORICAL),
        ("name", Role.IDENTIFIER, Kind.CATEGORICAL),
        ("member", Role.OTHER, Kind.CATEGORICAL),
    ]


def test_codes_and_domains():
    table = read_table(PEOPLE, **ROLES)
    assert table["city"].values.tolist() == ["Lyon", "Nice", "Rome"]
    assert table["city"].codes.tolist() == [2, 0, 1, 2, 0]
    assert table["age"].values.tolist() == [31, 45, 62]
    assert table["age"].codes.tolist() == [0, 1, 0, 2, 1]
    assert table["age"].codes.dtype == np.int32
    assert table["member"].values.tolist() == ["False", "True"]
    assert table.rows.tolist() == [0, 1, 2, 3, 4]
    assert table.rows.dtype == np.int64
    assert table.notes == ()


@pytest.mark.parametrize(
    ("make", "source"),
    [
        (pd.DataFrame, "pandas table"),
        (pl.DataFrame, "polars table"),
        (pl.LazyFrame, "polars table"),
        (pa.table, "Arrow table"),
        (pa.RecordBatch.from_pydict, "Arrow table"),
        (lambda people: {name: np.array(values) for name, values in people.items()}, "table"),
        (lambda people: pd.DataFrame(people).convert_dtypes(dtype_backend="pyarrow"),
         "pandas table"),
        (lambda people: pd.DataFrame(people).astype({"city": object, "age": "Int16"}),
         "pandas table"),
        (lambda people: pd.DataFrame(people).astype({"city": "category"}), "pandas table"),
        (lambda people: pl.DataFrame(people).cast({"city": pl.Categorical, "age": pl.UInt8}),
         "polars table"),
    ],
)  # fmt: skip
def test_all_tables_are_alike(make, source):
    table = read_table(make(PEOPLE), **ROLES)
    assert same(table, read_table(PEOPLE, **ROLES))
    assert table.source == source


def test_files_are_like_tables(tmp_path):
    frame = pd.DataFrame(PEOPLE)
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet")
    assert same(read_csv(tmp_path / "people.csv", **ROLES), read_table(frame, **ROLES))
    assert same(read_parquet(tmp_path / "people.parquet", **ROLES), read_table(frame, **ROLES))


def test_an_index_stored_in_parquet_is_not_a_column(tmp_path):
    frame = pd.DataFrame(PEOPLE, index=[9, 3, 7, 7, 1])
    frame.to_parquet(tmp_path / "people.parquet")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "people.parquet").names
    assert same(read_parquet(tmp_path / "people.parquet", **ROLES), read_table(PEOPLE, **ROLES))


@pytest.mark.parametrize(
    "index",
    [
        [4, 2, 0, 1, 3],
        [7, 7, 7, 7, 7],
        list("abcde"),
        pd.MultiIndex.from_tuples([(0, 1), (0, 1), (1, 0), (1, 1), (2, 2)]),
        pd.Index([4, 2, 0, 1, 3], name="age"),
    ],
)
def test_a_pandas_index_means_nothing(index):
    frame = pd.DataFrame(PEOPLE).set_axis(index, axis=0)
    assert same(read_table(frame, **ROLES), read_table(PEOPLE, **ROLES))


def test_a_filtered_pandas_table_is_read_by_position():
    frame = pd.DataFrame(PEOPLE)
    frame = frame.sort_values("weight")
    frame = frame[frame["age"] < 60]
    expected = read_table({name: list(frame[name]) for name in frame}, **ROLES)
    assert same(read_table(frame, **ROLES), expected)


def test_importing_the_package_imports_no_table_library():
    code = "import sys, unveil.microdata; print([m for m in sys.argv[1:] if m in sys.modules])"
    heavy = ["pandas", "polars", "pyarrow", "narwhals"]
    done = subprocess.run(
        [sys.executable, "-c", code, *heavy],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[]"


@given(
    st.lists(
        st.tuples(
            st.integers(-99, 99),
            st.text(st.characters(codec="utf-8"), max_size=4).map(lambda text: f"<{text}>"),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_codes_decode_to_the_values(rows):
    numbers, texts, floats = (list(column) for column in zip(*rows, strict=True))
    table = read_table({"n": numbers, "t": texts, "f": floats}, quasi=["t", "f"], sensitive="n")
    assert table["n"].decode().tolist() == numbers
    assert table["t"].decode().tolist() == texts
    assert table["f"].decode().tolist() == floats
    for column in table.columns:
        assert column.values.tolist() == sorted(set(column.values.tolist()))
        assert set(column.codes.tolist()) == set(range(column.size))


# CSV

ROWS = [("31", "Rome", "low"), ("45", "Lyon", "high")]
SIMPLE = {"quasi": ["age", "city"], "sensitive": "income"}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ", ", " ;"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found_out(csv_file, delimiter, end):
    lines = [delimiter.join(row) for row in [("age", "city", "income"), *ROWS]]
    table = read_csv(csv_file(end.join(lines)), **SIMPLE)
    assert table["age"].decode().tolist() == [31, 45]
    assert table["city"].decode().tolist() == ["Rome", "Lyon"]
    assert table.source == "survey.csv"


def test_a_delimiter_that_only_some_lines_have_is_not_it(csv_file):
    table = read_csv(csv_file("age;city;income\n1;a,b,c,d;x\n2;c;y\n"), **SIMPLE)
    assert table["city"].decode().tolist() == ["a,b,c,d", "c"]


def test_the_delimiter_can_be_given(csv_file):
    table = read_csv(csv_file("age:city:income\n1:a,b:x\n2:c,d:y\n"), delimiter=":", **SIMPLE)
    assert table["city"].decode().tolist() == ["a,b", "c,d"]


def test_quoted_cells(csv_file):
    text = 'age,city,"income"\n1,"Rome, Italy","say ""x"""\n2,"two\nlines",y\n'
    table = read_csv(csv_file(text), **SIMPLE)
    assert table["city"].decode().tolist() == ["Rome, Italy", "two\nlines"]
    assert table["income"].decode().tolist() == ['say "x"', "y"]


def test_a_header_may_have_line_ends_too(csv_file):
    table = read_csv(csv_file('"a\nb",c\n1,2\n'), quasi="a\nb", sensitive="c")
    assert table["c"].decode().tolist() == [2]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252", "utf-8", "utf-8-sig"])
def test_encodings(csv_file, encoding):
    file = csv_file("age,city,income\n1,Zürich,x\n".encode(encoding))
    assert read_csv(file, encoding=encoding, **SIMPLE)["city"].decode().tolist() == ["Zürich"]


def test_a_byte_order_mark_is_not_part_of_a_name(csv_file):
    assert len(read_csv(csv_file("\ufeffage,city,income\n1,a,x\n"), **SIMPLE)) == 1


def test_packed_files(csv_file):
    file = csv_file(gzip.compress(b"age,city,income\n1,a,x\n"), "survey.csv.gz")
    assert len(read_csv(file, **SIMPLE)) == 1


def test_files_without_a_header(csv_file):
    file = csv_file("31,x,Rome,low\n45,y,Lyon,high\n")
    all_named = read_csv(file, columns=["age", "z", "city", "income"], **SIMPLE)
    some_named = read_csv(file, columns={3: "income", 0: "age", 2: "city"}, **SIMPLE)
    assert all_named["income"].decode().tolist() == ["low", "high"]
    assert [c.name for c in some_named.columns] == ["age", "city", "income"]
    assert some_named["income"].decode().tolist() == ["low", "high"]


def test_comments_are_skipped(csv_file):
    text = "|made by hand\nage,city,income\n|1,a,x\n2,|,y\n"
    table = read_csv(csv_file(text), comment="|", delimiter=",", **SIMPLE)
    assert table["city"].decode().tolist() == ["|"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "survey.csv is empty"),
        (" \n\n", {}, "survey.csv is empty"),
        ("\x1f", {},
         "column 1 of survey.csv has no name; name it, or leave it out (pandas writes its index as "
         "such a column unless index=False is given)"),
        ("age,city,income\n", {}, "survey.csv has no rows"),
        ("age,city,age\n1,2,3\n", {},
         "survey.csv has two columns called 'age'; rename one of them"),
        (",age,city,income\n0,1,a,x\n", {},
         "column 1 of survey.csv has no name; name it, or leave it out (pandas writes its index "
         "as such a column unless index=False is given)"),
        ("age,city,income\n1,a,x\n\n2,b\n", {},
         "line 4 of survey.csv has 2 cells where the first line has 3; if ',' is not its "
         "delimiter, give delimiter="),
        ("age,city,income\n1,a,x\n1,a,x,5\n", {},
         "line 3 of survey.csv has 4 cells where the first line has 3; if ',' is not its "
         "delimiter, give delimiter="),
        ("#c\nage,city,income\n1,a,x\n#d\n1\n", {"comment": "#"},
         "line 5 of survey.csv has 1 cell where the first line has 3; if ',' is not its "
         "delimiter, give delimiter="),
        ("age,city,income\n1,Zürich,x\n".encode("latin-1"), {"encoding": "utf-8"},
         "line 2 of survey.csv is not utf-8; give the file's encoding, for instance "
         "encoding='cp1252'"),
        ("age,city,income\n1,a,x\n".encode("utf-16"), {"encoding": "utf-8"},
         "line 1 of survey.csv is not utf-8; give the file's encoding, for instance "
         "encoding='utf-16'"),
        ("age,city,income\n1,a,x\n", {"encoding": "martian"}, "encoding 'martian' is unknown"),
        ("age,city,income\n1,a,x\n", {"delimiter": ", "},
         "delimiter= must be one ASCII character, but ', ' was given"),
        ("age,city,income\n1,a,x\n", {"comment": ""},
         "comment= is empty; give the text that comment lines begin with"),
        ("1,a,x\n", {"columns": ["age", "city"]},
         "columns= has 2 names, but survey.csv has 3 columns; to read only some of them, map "
         "positions to names: columns={0: 'age', 3: 'country'}"),
        ("1,a,x\n", {"columns": {1: "age", 3: "city"}},
         "columns= has position 3, but survey.csv has 3 columns, counted from 0 to 2"),
        ("1,a,x\n", {"columns": "age"}, "columns= must be a sequence of names, but 'age' was "
                                        "given"),
        ("1,a,x\n", {"columns": ["age", "city", "age"]},
         "columns for survey.csv has two columns called 'age'; rename one of them"),
    ],
)  # fmt: skip
def test_csv_files_that_cannot_be_read(csv_file, content, options, message):
    assert message_of(lambda: read_csv(csv_file(content), **options, **SIMPLE)) == message


@pytest.mark.parametrize("read", [read_csv, read_parquet])
def test_paths_that_lead_nowhere(tmp_path, read):
    def told(path):
        return message_of(lambda: read(path, quasi="a", sensitive="b"))

    assert told(tmp_path / "none.csv") == f"the file '{tmp_path}/none.csv' does not exist"
    assert told(tmp_path) == f"'{tmp_path}' is a folder, not a file"
    assert told(pd.DataFrame({"a": [1]})) == (
        "a file must be given by its path, but DataFrame was given; for a table in memory use "
        "read_table"
    )


def test_a_file_that_is_not_parquet(csv_file):
    with pytest.raises(InputError, match=r"^cannot read survey\.csv as Parquet: "):
        read_parquet(csv_file("age,income\n1,2\n"), quasi="age", sensitive="income")


@pytest.mark.parametrize("quote", ["", '"'])
def test_large_files_are_read_in_many_pieces(csv_file, quote):
    n = 60_000  # several of Arrow's blocks, each with a dictionary of its own
    lines = [f"{i % 97},{quote}city {i % 1_009}{quote},{quote}v{i}{quote}" for i in range(n)]
    table = read_csv(csv_file("\n".join(["age,city,income", *lines])), **SIMPLE)
    assert table["age"].decode().tolist() == [i % 97 for i in range(n)]
    assert table["city"].decode().tolist() == [f"city {i % 1_009}" for i in range(n)]
    assert table["income"].decode().tolist() == [f"v{i}" for i in range(n)]


# Roles and options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quasi": ["agee"]},
         "column 'agee' is not in table; did you mean 'age'? "
         "(columns: name, age, weight, city, member, income)"),
        ({"sensitive": "xyz"},
         "column 'xyz' is not in table (columns: name, age, weight, city, member, income)"),
        ({"identifier": "nam"},
         "column 'nam' is not in table; did you mean 'name'? "
         "(columns: name, age, weight, city, member, income)"),
        ({"quasi": "age,city"},
         "column 'age,city' is not in table; give several columns as a list: quasi=['age', "
         "'city']"),
        ({"quasi": []}, "quasi= is empty; name at least one quasi-identifier"),
        ({"quasi": ["age", "city", "age"]}, "column 'age' is named twice in quasi="),
        ({"quasi": ["age", 3]}, "quasi= must be column names, but 3 was given"),
        ({"quasi": ["age", "income"]},
         "column 'income' cannot be both quasi-identifier and sensitive"),
        ({"identifier": ["name", "age"]},
         "column 'age' cannot be both quasi-identifier and identifier"),
        ({"sensitive": ["income"]}, "sensitive= must be one column name, but ['income'] was given"),
        ({"numeric": ["wieght"]},
         "column 'wieght' is not in table; did you mean 'weight'? "
         "(columns: name, age, weight, city, member, income)"),
        ({"categorical": "xyz"},
         "column 'xyz' is not in table (columns: name, age, weight, city, member, income)"),
        ({"ordinal": {"xyz": ["a"]}},
         "column 'xyz' is not in table (columns: name, age, weight, city, member, income)"),
        ({"hierarchies": {"xyz": flat_hierarchy}},
         "column 'xyz' is not in table (columns: name, age, weight, city, member, income)"),
        ({"missing_values": {"xyz": ["?"]}},
         "column 'xyz' is not in table (columns: name, age, weight, city, member, income)"),
        ({"numeric": ["age"], "categorical": ["age"]},
         "column 'age' cannot be both numeric and categorical"),
        ({"ordinal": ["income"]},
         "ordinal= must map a column to its levels in order, such as {'education': ['low', "
         "'high']}, but ['income'] was given"),
        ({"ordinal": {"income": "low"}}, "ordinal= must list the levels of column 'income', but "
                                         "'low' was given"),
        ({"ordinal": {"income": ["low", "mid", "low"]}},
         "ordinal= lists the level 'low' of column 'income' twice"),
        ({"missing": "ignore"}, "missing='ignore' is not possible: it must be 'error', 'drop', "
                                "'category' or 'keep'"),
        ({"hierarchies": 3},
         "hierarchies= must be a folder or a mapping from columns to hierarchies, but int was "
         "given"),
        ({"hierarchies": {"city": 3}},
         "hierarchies= must have a Hierarchy, a file or a function of the values for column "
         "'city', but int was given"),
        ({"hierarchies": {"city": len}},
         "hierarchies= for column 'city' must return a Hierarchy, but returned int"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(options, message):
    given_options = {"quasi": ["age", "city"], "sensitive": "income", **options}
    assert message_of(lambda: read_table(PEOPLE, **given_options)) == message


def test_one_quasi_identifier_may_be_named_alone():
    assert [c.name for c in read_table(PEOPLE, quasi="age", sensitive="income").quasi] == ["age"]


def test_a_sensitive_column_of_one_value_can_be_read():
    table = read_table({"a": [1, 2], "s": ["x", "x"]}, quasi="a", sensitive="s")
    assert table.sensitive.size == 1


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2],
         "cannot read a table from list; give a pandas, polars or Arrow table, or a mapping "
         "from column names to values"),
        (pd.Series([1, 2]),
         "cannot read a table from pandas.Series; give a pandas, polars or Arrow table, or a "
         "mapping from column names to values"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]),
         "pandas table has two columns called 'a'; rename one of them"),
        (pd.DataFrame([[1, 2]]),
         "column names must be texts, but column 1 of pandas table is called 0"),
        (pa.table([[1], [2]], names=["a", "a"]),
         "Arrow table has two columns called 'a'; rename one of them"),
        (pd.DataFrame({"a": [], "s": []}), "pandas table has no rows"),
        ({"a": [], "s": []}, "table has no rows"),
        ({}, "table has no rows"),
        ({"a": [1, 2], "s": [1]}, "the columns of table differ in length: a 2, s 1"),
        ({"a": "xy", "s": [1, 2]},
         "column 'a' of table must be a sequence of values, but str was given"),
        ({"a": {1, 2}, "s": [1, 2]},
         "column 'a' of table must be a sequence of values, but set was given"),
        ({"a": [None, None], "s": [1, 2]},
         "column 'a' of table is empty: it has no value at all"),
        (pd.DataFrame({"a": [1, "x"], "s": [1, 2]}),
         "column 'a' of pandas table mixes values of type int and str; make them all texts or "
         "all numbers"),
        ({"a": [1, "x", 2.5, True, b""], "s": [1, 2, 3, 4, 5]},
         "column 'a' of table mixes values of type bool, bytes, float and others; make them all "
         "texts or all numbers"),
        ({"a": [1j, 2j], "s": [1, 2]},
         "column 'a' of table has values of type complex, which cannot be used; make them all "
         "texts or all numbers"),
        (pd.DataFrame({"a": [1j, 2j], "s": [1, 2]}),
         "column 'a' of pandas table has values of type complex, which cannot be used; make "
         "them all texts or all numbers"),
        ({"a": [[1], [2]], "s": [1, 2]},
         "column 'a' of table has values of type list<item: int64>, which cannot be used; "
         "convert them to numbers, texts or dates first"),
        ({"a": [b"x", b"y"], "s": [1, 2]},
         "column 'a' of table has values of type binary, which cannot be used; convert them to "
         "numbers, texts or dates first"),
        (pl.DataFrame({"a": [{"x": 1}], "s": [1]}),
         "column 'a' of polars table has values of type struct<x: int64>, which cannot be used; "
         "convert them to numbers, texts or dates first"),
        ({"a": [1.0, float("inf")], "s": [1, 2]},
         "column 'a' of table has the value inf in row 2; numeric columns need finite numbers"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_read(table, message):
    assert message_of(lambda: read_table(table, quasi="a", sensitive="s")) == message


def test_a_column_of_no_use_that_cannot_be_read_is_left_out_and_noted():
    frame = pd.DataFrame({"a": [1, 2], "s": [1, 2], "x": [[1], [2]], "y": [1, "z"]})
    table = read_table(frame, quasi="a", sensitive="s")
    assert [c.name for c in table.columns] == ["a", "s"]
    assert table.notes == (
        "column 'x' was left out: its values cannot be read",
        "column 'y' was left out: its values cannot be read",
    )


# Missing values

GAPS = {
    "age": [31, None, 45, 62],
    "city": ["Rome", "Lyon", "", None],
    "income": ["low", "high", "low", "mid"],
    "weight": [None, 1.5, 2.5, 3.5],
}
GAPS_CSV = "age,city,income,weight\n31,Rome,low,\n,Lyon,high,1.5\n45, ,low,2.5\n62,,mid,3.5\n"


@pytest.fixture(params=["table", "pandas", "polars", "csv"])
def gaps(request, csv_file):
    """A function that reads the table with gaps, from everywhere."""
    return {
        "table": lambda **o: read_table(GAPS, **SIMPLE, **o),
        "pandas": lambda **o: read_table(pd.DataFrame(GAPS), **SIMPLE, **o),
        "polars": lambda **o: read_table(pl.DataFrame(GAPS), **SIMPLE, **o),
        "csv": lambda **o: read_csv(csv_file(GAPS_CSV), **SIMPLE, **o),
    }[request.param]


def test_missing_values_are_refused_unless_somebody_says_what_they_mean(csv_file):
    told = message_of(lambda: read_csv(csv_file(GAPS_CSV), **SIMPLE), MissingValuesError)
    assert told == (
        "3 of 4 records in survey.csv have missing values (age 1, city 2); choose how to treat "
        "them: missing='keep' makes missing a value of quasi-identifiers and leaves out people "
        "without a sensitive value, missing='drop' drops all these records, missing='category' "
        "makes missing a value of every column"
    )


def test_missing_values_are_refused_from_everywhere(gaps):
    with pytest.raises(
        MissingValuesError, match=r"^3 of 4 records in .* \(age 1, city 2\); choose"
    ):
        gaps()


def test_missing_values_dropped(gaps):
    table = gaps(missing="drop")
    assert len(table) == 1
    assert table.rows.tolist() == [0]
    assert table.notes == ("3 of 4 records with missing values dropped (age 1, city 2)",)
    assert table["city"].values.tolist() == ["Rome"]
    assert table["age"].values.tolist() == [31]


def test_missing_values_as_a_category(gaps):
    table = gaps(missing="category", categorical=["age"])
    assert table["city"].decode().tolist() == ["Rome", "Lyon", "(missing)", "(missing)"]
    assert table["city"].values.tolist() == ["Lyon", "Rome", "(missing)"]
    assert table["age"].decode().tolist() == ["31", "(missing)", "45", "62"]
    assert table.notes == (
        "3 of 4 records have missing values (age 1, city 2), kept as '(missing)'",
    )


def test_gaps_in_columns_of_no_use_do_not_matter(gaps):
    table = gaps(missing="category", categorical=["age"])
    np.testing.assert_array_equal(table["weight"].decode(), [np.nan, 1.5, 2.5, 3.5])


def test_columns_of_no_use_may_be_empty():
    people = {
        "a": [1, 2],
        "s": [1, 2],
        "x": [None, None],
        "y": np.array([np.nan, np.nan]),
        "z": pa.array([None, 5], pa.timestamp("s")),
    }
    table = read_table(people, quasi="a", sensitive="s")
    assert table["x"].decode().tolist() == ["(missing)", "(missing)"]
    assert np.isnan(table["y"].decode()).all()
    assert np.isnat(table["z"].decode()).tolist() == [True, False]
    assert table.notes == ()


def test_numbers_have_no_place_for_missing():
    assert message_of(
        lambda: read_table(GAPS, **SIMPLE, missing="category"), MissingValuesError
    ) == (
        "column 'age' of table is numeric and cannot have missing values; drop these records "
        "with missing='drop', or make the column categorical with categorical=['age']"
    )


def test_an_order_has_no_place_for_missing_unless_given_one():
    levels = ["Lyon", "Rome"]
    options = {"quasi": "city", "sensitive": "income", "missing": "category"}
    told = message_of(
        lambda: read_table(GAPS, ordinal={"city": levels}, **options), MissingValuesError
    )
    assert told == (
        "column 'city' of table is ordinal, and its order has no place for missing values; drop "
        "these records with missing='drop', or add '(missing)' to its levels"
    )
    table = read_table(GAPS, ordinal={"city": ["(missing)", *levels]}, **options)
    assert table["city"].codes.tolist() == [2, 1, 0, 0]


def test_missing_in_a_hierarchy_is_a_leaf_beneath_the_root():
    options = {"quasi": "city", "sensitive": "income", "missing": "category"}
    table = read_table(GAPS, hierarchies={"city": flat_hierarchy}, **options)
    tree = table["city"].hierarchy
    assert table["city"].texts == tree.leaves == ("Lyon", "Rome", "(missing)")
    assert tree.path(2) == ("(missing)", "*")
    own = flat_hierarchy(["(missing)", "Rome", "Lyon"])
    table = read_table(GAPS, hierarchies={"city": own}, **options)
    assert table["city"].codes.tolist() == [1, 2, 0, 0]


def test_a_value_called_missing_and_a_missing_value_are_one():
    table = read_table({"a": ["(missing)", None, "x"], "s": [1, 2, 3]}, quasi="a", sensitive="s",
                       missing="category")  # fmt: skip
    assert table["a"].values.tolist() == ["(missing)", "x"]
    assert table["a"].codes.tolist() == [0, 0, 1]


@pytest.mark.parametrize("markers", [["?", "-1"], {"age": ["-1"], "city": ["?"]}, ["?", -1]])
def test_markers_of_missing_values(csv_file, markers):
    content = "age,city,income\n-1,Rome,low\n45, ? ,high\n62,Nice,low\n"
    options = {"missing": "drop", "missing_values": markers, **SIMPLE}
    from_file = read_csv(csv_file(content), **options)
    table = {"age": [-1, 45, 62], "city": ["Rome", "?", "Nice"], "income": ["low", "high", "low"]}
    assert from_file.rows.tolist() == [2]
    assert from_file["age"].kind is Kind.NUMERIC
    assert same(from_file, read_table(table, **options))


def test_one_marker_may_be_given_alone(csv_file):
    file = csv_file("age,city,income\n1,?,low\n45,Rome,high\n")
    assert len(read_csv(file, missing="drop", missing_values="?", **SIMPLE)) == 1


def test_typical_markers_are_not_taken_for_missing_unasked(csv_file):
    file = csv_file("age,city,income\n1,NA,low\n2,?,null\n3,nan,None\n")
    assert read_csv(file, **SIMPLE)["city"].values.tolist() == ["?", "NA", "nan"]


def test_nobody_left(csv_file):
    file = csv_file("age,city,income\n,Rome,low\n45,,high\n")
    assert message_of(lambda: read_csv(file, missing="drop", **SIMPLE), MissingValuesError) == (
        "missing='drop' leaves no record of survey.csv: each of its 2 has a missing value (age "
        "1, city 1)"
    )


# Hierarchies

CITIES = "Rome;Italy;*\nBari;Italy;*\nLyon;France;*\nNice;France;*\n"


@pytest.fixture
def folder(tmp_path):
    """A folder of hierarchies."""
    place = tmp_path / "trees"
    place.mkdir()
    (place / "survey_city.csv").write_text(CITIES)
    return place


@pytest.mark.parametrize("as_text", [True, False])
def test_hierarchies_from_a_folder(folder, as_text):
    given_folder = str(folder) if as_text else folder
    table = read_table(PEOPLE, hierarchies=given_folder, **ROLES)
    column = table["city"]
    assert column.values.tolist() == ["Rome", "Bari", "Lyon", "Nice"]
    assert column.codes.tolist() == [0, 2, 3, 0, 2]
    assert column.hierarchy.source == "survey_city.csv"
    assert table["age"].hierarchy is None


def test_hierarchies_from_a_mapping(folder):
    table = read_table(
        {**PEOPLE, "zip": ["00100", "69001", "06000", "00100", "69002"]},
        quasi=["age", "city", "zip"],
        sensitive="income",
        hierarchies={
            "city": folder / "survey_city.csv",
            "age": partial(interval_hierarchy, widths=(10, 20)),
            "zip": prefix_hierarchy,
            "income": flat_hierarchy(["high", "mid", "low", "none"]),
        },
    )
    assert table["city"].hierarchy.n_leaves == 4
    assert table["age"].kind is Kind.NUMERIC
    assert table["age"].hierarchy.path(1) == ("45", "[40, 50)", "[40, 60)", "*")
    assert table["zip"].hierarchy.path(0) == ("00100", "0010*", "001**", "00***", "0****", "*")
    assert table["income"].values.tolist() == ["high", "mid", "low", "none"]


def test_a_builder_is_given_the_numbers_of_a_csv_column(csv_file):
    file = csv_file("age,city,income\n1.50,a,x\n1.5,b,y\n20,b,y\n")
    table = read_csv(file, hierarchies={"age": interval_hierarchy}, **SIMPLE)
    assert table["age"].hierarchy.leaves == ("1.5", "20")


def test_files_for_columns_of_no_use_do_not_go_to_others(folder):
    (folder / "survey_other_age.csv").write_text("a;*\n")
    people = {**PEOPLE, "other_age": ["a"] * 5}
    table = read_table(people, hierarchies=folder, **ROLES)
    assert table["age"].hierarchy is None
    assert table["other_age"].hierarchy is None


def test_a_folder_that_is_for_columns_of_no_use_only(folder):
    told = message_of(
        lambda: read_table(PEOPLE, quasi="age", sensitive="income", hierarchies=folder),
        HierarchyError,
    )
    assert told == (
        f"the hierarchies in {str(folder)!r} are for city, which are neither quasi-identifiers "
        "nor sensitive (those are age, income)"
    )


def test_values_that_are_not_in_their_hierarchy(folder):
    people = {**PEOPLE, "city": ["Rome", "Lion", "Oslo", "Lion", "Nice"]}
    told = message_of(lambda: read_table(people, hierarchies=folder, **ROLES), HierarchyError)
    assert told == (
        "hierarchy survey_city.csv does not have 'Lion' and 1 more of column 'city' (3 records, "
        "the first in row 2 of table); did you mean 'Lyon'? (its leaves: Rome, Bari, Lyon, "
        "Nice); use the same spelling in both"
    )
    people["city"][1:4] = ["Rome", "Rome", "Oslo"]
    told = message_of(lambda: read_table(people, hierarchies=folder, **ROLES), HierarchyError)
    assert told == (
        "hierarchy survey_city.csv does not have 'Oslo' of column 'city' (1 record, the first "
        "in row 4 of table) (its leaves: Rome, Bari, Lyon, Nice); use the same spelling in both"
    )


def test_rows_in_messages_are_rows_of_the_source(folder):
    people = {**PEOPLE, "age": [None, 45, 31, 62, 45], "city": [*["Rome"] * 3, "Oslo", "Rome"]}
    told = message_of(
        lambda: read_table(people, hierarchies=folder, missing="drop", **ROLES), HierarchyError
    )
    assert "(1 record, the first in row 4 of table)" in told


def test_values_of_dropped_records_need_not_be_in_a_hierarchy(folder):
    people = {**PEOPLE, "age": [31, None, 31, 62, 45], "city": ["Rome", "Oslo", *["Nice"] * 3]}
    table = read_table(people, hierarchies=folder, missing="drop", **ROLES)
    assert table.rows.tolist() == [0, 2, 3, 4]


def test_one_word_among_numbers_is_told(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("age,zip,vote\n30,01234,a\n?,01235,b\n41,01236,a\n")
    survey = read_csv(path, quasi=["age", "zip"], sensitive="vote")
    (note,) = survey.notes
    assert note == (
        "age is read as words, not as numbers, because of '?'; if that means missing, give "
        "missing_values={'age': ['?']}"
    )
    assert not read_csv(path, quasi="age", sensitive="vote", categorical="age").notes


def test_decimal_commas_are_told(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("weight;vote\n34,5;a\n71;b\n60,25;a\n")
    survey = read_csv(path, quasi="weight", sensitive="vote")
    assert survey.notes == ("weight is read as numbers written as 1.234,56",)
    assert survey["weight"].values.tolist() == [34.5, 60.25, 71]


def test_the_leaf_of_missing_values_is_there_whether_or_not_one_is_missing():
    tree = flat_hierarchy(["a", "b"])
    for town in (["a", "b", None], ["a", "b", "a"]):
        table = {"town": town, "vote": ["x", "y", "x"]}
        survey = read_table(
            table, quasi="town", sensitive="vote", hierarchies={"town": tree}, missing="category"
        )
        assert survey["town"].texts == ("a", "b", "(missing)")
