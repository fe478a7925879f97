"""The same table gives the same counts, whatever it comes in."""

import datetime as dt
import gzip
import math
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from plain_counts import check_counts, texts
from proofs import examples

import unveil as uv
from unveil.errors import InputError
from unveil.measures import count

FEWER = examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])

TABLE = {
    "age": [20, 20, None, 30, 20, None],
    "town": ["Rome", "Lyon", "*", "", "Rome", "*"],
    "born": [dt.date(2000, 1, 1), None, dt.date(1999, 12, 31), *[dt.date(2000, 1, 1)] * 3],
    "pay": [Decimal("1.50"), Decimal("2.25"), None, *[Decimal("1.50")] * 3],
    "well": [True, False, None, True, True, False],
    "share": [0.1, -0.0, math.nan, 0.0, 0.1, None],
    "s": ["flu", "aids", None, "flu", "flu", "aids"],
}
KEYS = ["age", "town", "born", "pay", "well", "share"]
ARROW = pa.table({name: pa.array(cells) for name, cells in TABLE.items()})


def in_pandas():
    frame = pd.DataFrame(TABLE).assign(born=TABLE["born"])
    frame.index = [7, 7, 7, 0, 1, -1]  # nobody looks at it
    return frame


def shuffled():
    order = [3, 1, 5, 0, 4, 2]
    return pl.DataFrame({name: [cells[i] for i in order] for name, cells in TABLE.items()})


def batched():
    return pa.Table.from_batches(ARROW.to_batches(max_chunksize=2))


@pytest.mark.parametrize(
    "make", [lambda: TABLE, in_pandas, lambda: pl.DataFrame(TABLE), shuffled,
             lambda: pl.LazyFrame(TABLE), lambda: ARROW, batched],
    ids=["dict", "pandas", "polars", "shuffled", "lazy", "arrow", "batches"],
)  # fmt: skip
def test_tables_in_memory(duckdb, make):
    check_counts(count(make(), quasi=KEYS, sensitive="s", engine=duckdb), TABLE, KEYS, "s")


def test_parquet_files(tmp_path):
    one, folder = tmp_path / "one.PARQUET", tmp_path / "several"
    pq.write_table(ARROW, one)
    (folder / "deeper").mkdir(parents=True)
    pq.write_table(ARROW.slice(0, 2), folder / "part-0.parquet")
    pq.write_table(ARROW.slice(2), folder / "deeper" / "part-1.parquet")
    (folder / "_SUCCESS").touch()
    for given_as in (one, str(one), folder, folder / "**" / "part-*.parquet"):
        check_counts(count(given_as, quasi=KEYS, sensitive="s"), TABLE, KEYS, "s")


def test_what_pandas_puts_into_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    frame = in_pandas()
    frame["s"] = pd.Categorical(frame["s"], ["none", "flu", "cold", "aids"], ordered=True)
    frame.to_parquet(path)
    counts = count(path, quasi=["town"], sensitive="s")
    assert counts.secret.values == ("none", "flu", "cold", "aids", None)
    assert counts.secret.ordered
    assert counts.totals.tolist() == [0, 3, 0, 2, 1]
    with pytest.raises(InputError, match=r"column '__index_level_0__' is not in t\.parquet"):
        count(path, quasi=["__index_level_0__"])


def test_columns_in_folders_of_their_own(tmp_path):
    for town in ("Rome", "Lyon"):
        (tmp_path / f"town={town}").mkdir()
        pq.write_table(ARROW.select(["age"]), tmp_path / f"town={town}" / "part.parquet")
    counts = count(tmp_path, quasi=["town", "age"])
    assert counts.where({"town": "Rome"}).tolist() == [6]


CELL = st.sampled_from(
    ["a", "b", "1", "1.0", "", " ", " a", "a b ", 'q"t', "c,d", "n\nl", "r\rl", "é", "*", "#", "'"]
)


@FEWER
@given(
    rows=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    packed=st.booleans(),
    bom=st.booleans(),
)
@example(
    rows=[("a", "1.0", "a"), ("a", "1", "b")], delimiter=",", newline="\n", packed=False, bom=False
)
@example(
    rows=[("a", "1.0", "a"), ("a", "*", "a")], delimiter=",", newline="\n", packed=False, bom=False
)
@example(rows=[("", "", "")], delimiter=",", newline="\n", packed=False, bom=True)
@example(rows=[("", "", "")], delimiter="\t", newline="\n", packed=False, bom=False)
def test_csv_files_are_read_as_microdata_is(
    tmp_path, duckdb, rows, delimiter, newline, packed, bom
):
    def quoted(cell):
        return '"' + cell.replace('"', '""') + '"' if set(cell) & set('",;\t|\n\r') else cell

    lines = [delimiter.join(quoted(cell) for cell in row) for row in [("k", "other", "s"), *rows]]
    data = (newline.join(lines) + newline).encode("utf-8-sig" if bom else "utf-8")
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(data) if packed else data)
    counts = count(path, quasi=["k", "other"], sensitive="s", delimiter=delimiter, engine=duckdb)
    stripped = [[cell.strip() or None for cell in row] for row in rows]
    table = dict(zip(("k", "other", "s"), map(list, zip(*stripped, strict=True)), strict=True))
    # Whether the secret is numbers is decided on its values: 1 and 1.0 are then the same.
    if {cell for cell in table["s"] if cell is not None} <= {"1", "1.0"}:
        table["s"] = [None if cell is None else float(cell) for cell in table["s"]]
    for key in ("k", "other"):  # likewise, whatever is hidden
        if {cell for cell in table[key] if cell not in (None, "*")} <= {"1", "1.0"}:
            table[key] = [cell if cell in (None, "*") else "1" for cell in table[key]]
    check_counts(counts, table, ["k", "other"], "s")


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"a,s\r1,x\r2,y\r", [("1", "x"), ("2", "y")]),
        (b"a,s\r\n1,x\n2,y\r\n", [("1", "x"), ("2", "y")]),
        (b"\n\na,s\n1,x\n\n\n2,y\n\n", [("1", "x"), ("2", "y")]),
        (b" a , s \n 1 ,\tx \n1,x", [("1", "x"), ("1", "x")]),
        (b'"a","b\nc",s\n1,"2\n3",x\n', [("1", "x")]),
        (b'a,s\n1, "x"\n2,y"z\n', [("1", '"x"'), ("2", 'y"z')]),
        (b"a,A,s\n1,2,x\n", [("1", "x")]),
        (b"a,s\n1,x\x00\n", [("1", "x\x00")]),
    ],
    ids=["CR", "mixed ends", "blank lines", "blanks", "header of two lines", "quotes", "a and A",
         "NUL"],
)  # fmt: skip
def test_csv_files_with_quirks(tmp_path, data, rows):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    counts = count(path, quasi="a", sensitive="s")
    table = {"a": [row[0] for row in rows], "s": [row[1] for row in rows]}
    check_counts(counts, table, ["a"], "s")
    assert len(uv.read_csv(path, quasi="a", sensitive="s")) == counts.rows


def test_csv_files_in_another_encoding(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a,s\né,x\n".encode("latin-1"))
    assert count(path, quasi="a", encoding="latin-1").where({"a": "é"}).tolist() == [1]
    found = count(path, quasi="a")
    assert found.where({"a": "é"}).tolist() == [1]
    assert "t.csv is not in UTF-8 and is read as cp1252" in str(found.notes[0])
    with pytest.raises(InputError, match=r"^line 2 of t\.csv is not utf-8; give the file's"):
        count(path, quasi="a", encoding="utf-8")


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        (b"2\n", r"^line 200,002 of t\.csv has 1 cell where the first line has 2; if ',' is not"),
        (b"2,y,z\n", r"^line 200,002 of t\.csv has 3 cells where the first line has 2"),
        (b"2,\x81\n", r"^t\.csv is in no encoding .*: line 200,002 is neither UTF-8 nor"),
    ],
    ids=["short", "long", "no encoding"],
)
def test_a_line_that_is_wrong_is_named_wherever_it_is(tmp_path, tail, message):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,s\n" + b'1,"x"\n' * 200_000 + tail)
    with pytest.raises(InputError, match=message):
        count(path, quasi="a", sensitive="s")


def test_files_that_cannot_be_counted(tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 or so")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("a,s\n")
    pq.write_table(ARROW.slice(0, 0), tmp_path / "empty.parquet")
    for name, message in {
        "none": "is a folder without a Parquet file",
        "nothing.csv": "does not exist",
        "nothing.parquet": "does not exist",
        "n*.parquet": "no file matches",
        "e*": "matches files that are not all Parquet",
        "broken.parquet": r"duckdb cannot count broken\.parquet: .*\S",
        "empty.csv": r"empty\.csv is empty",
        "header.csv": r"header\.csv has no records, only a header",
        "empty.parquet": r"empty\.parquet has no records: there is nothing to measure",
    }.items():
        with pytest.raises(InputError, match=message) as error:
            count(tmp_path / name, quasi="age")
        assert "\n" not in str(error.value)


def test_a_file_that_goes_away_meanwhile(tmp_path, tiny):
    tiny()
    path = tmp_path / "t.parquet"
    pq.write_table(ARROW, path)
    counts = count(path, quasi="age", sensitive="s")
    path.unlink()
    with pytest.raises(InputError, match=r"duckdb cannot count t\.parquet: .*No files found"):
        list(counts.blocks())


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[1], [2]], "has lists or records in its cells; write them as texts"),
        ([{"a": 1}, {"a": 2}], "has lists or records in its cells"),
        ([1, "x"], "mixes values of type int and str: make them all texts or all numbers"),
        ([object(), object()], "has values of type object, which cannot be used"),
    ],
    ids=["lists", "records", "mixed", "objects"],
)
def test_cells_that_cannot_be_counted(duckdb, cells, message):
    with pytest.raises(InputError, match=f"column 'k' of table {message}"):
        count({"k": cells}, quasi="k", engine=duckdb)


def test_columns_that_differ_in_capitals(duckdb):
    table = {"age": [1, 2], "Age": [1, 1], "s": ["x", "y"]}
    assert count(table, quasi="Age", sensitive="s", engine=duckdb).rows == 2
    with pytest.raises(InputError, match="DuckDB cannot tell the columns 'age' and 'Age' of table"):
        count(table, quasi=["age", "Age"], engine=duckdb)


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int8, np.float16, np.float32])
def test_narrow_numbers(duckdb, kind):
    cells = np.array([1, 2, 1, 100], dtype=kind)
    check_counts(
        count({"k": cells, "s": cells}, quasi="k", sensitive="s", engine=duckdb),
        {"k": cells.tolist(), "s": cells.tolist()}, ["k"], "s",
    )  # fmt: skip


def test_very_large_numbers(duckdb):
    cells = np.array([2**64 - 1, 1], dtype=np.uint64)
    counts = count({"k": cells}, quasi="k", engine=duckdb)
    assert counts.where({"k": 2**64 - 1}).tolist() == [1]


def test_times_are_as_clocks_showed_them(duckdb):
    moments = pd.Series(pd.to_datetime(["2020-06-01 00:30", "2020-06-01 12:00"]))
    for series in (moments, moments.dt.tz_localize("Asia/Tokyo"), moments.astype("datetime64[ns]")):
        counts = count({"k": series}, quasi="k", engine=duckdb)
        assert Counter(texts(counts.histograms.key_of(g)) for g in range(2)) == Counter(
            [("2020-06-01 00:30:00",), ("2020-06-01 12:00:00",)]
        )


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_categories_keep_their_order_as_levels(duckdb, kind):
    levels, cells = ["low", "mid", "high"], ["high", "low", "low"]
    column = (
        pl.Series(cells, dtype=pl.Enum(levels)) if kind == "polars"
        else pd.Series(pd.Categorical(cells, levels, ordered=True))
    )  # fmt: skip
    counts = count({"k": column, "s": column}, quasi="k", sensitive="s", engine=duckdb)
    assert counts.secret.ordered
    assert counts.secret.values == ("low", "mid", "high")
    check_counts(counts, {"k": cells, "s": cells}, ["k"], "s")


def test_categories_without_an_order_have_none(duckdb):
    column = pd.Series(pd.Categorical(["b", "a", "b"], ["b", "a", "c"]))
    counts = count({"k": column, "s": column}, quasi="k", sensitive="s", engine=duckdb)
    assert not counts.secret.ordered
    assert counts.secret.values == ("a", "b")
    check_counts(counts, {"k": ["b", "a", "b"], "s": ["b", "a", "b"]}, ["k"], "s")


def test_levels_in_a_file_belong_to_their_columns(tmp_path, duckdb):
    """Parquet gives columns in the order of the file, whatever the order they are asked for."""
    sizes = pd.Categorical(["lo", "hi", "lo"], ["lo", "mid", "hi"], ordered=True)
    marks = pd.Categorical(["b", "a", "a"], ["b", "a"], ordered=True)
    frame = pd.DataFrame({"size": sizes, "mark": marks, "age": [1, 1, 2]})
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    counts = count(tmp_path / "t.parquet", quasi=["age", "mark"], sensitive="size", engine=duckdb)
    assert counts.secret.ordered
    assert counts.secret.texts == ("lo", "mid", "hi")
