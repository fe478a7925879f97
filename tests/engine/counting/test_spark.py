"""Spark counts what DuckDB counts. Needs the extra ``spark`` and Java; each question takes time."""

import os
import subprocess
import sys
from collections import Counter

import psutil
import pyarrow.parquet as pq
import pytest
from plain_counts import CELLS, check_counts, plain_classes, texts

import unveil as uv
from unveil.engine.counting import Held, InEngine, paired_in_engine
from unveil.errors import InputError
from unveil.measures import count

pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
pytestmark = pytest.mark.spark

# Every kind of value, in as many rows as the kind with the most values has, and gaps.
N = max(len(cells) for cells in CELLS.values()) + 1
EVERYTHING = {
    f"{kind}.`k": [[*cells, None][i % (len(cells) + 1)] for i in range(N)]
    for kind, cells in CELLS.items()
}
EVERYTHING["s"] = ["x", "y\\'", None, *["x"] * (N - 3)]
KEYS = list(EVERYTHING)[:-1]


@pytest.mark.parametrize(
    "limits", [None, {}, {"wide": 0}], ids=["fetched", "look-alikes", "streamed"]
)
def test_it_counts_like_a_dictionary(spark, tiny, limits):
    if limits is not None:
        tiny(**limits, kept=10_000)
    counts = count(EVERYTHING, quasi=KEYS, sensitive="s", engine=spark)
    assert isinstance(counts, Held if limits is None else InEngine)
    check_counts(counts, EVERYTHING, KEYS, "s")


@pytest.mark.parametrize("kind", ["text", "float", "moment", "decimal"])
def test_secrets_of_every_kind(spark, tiny, kind):
    """Their values are written into what is asked, so each kind must survive that."""
    tiny(kept=10_000)
    secret = f"{kind}.`k"
    counts = count(EVERYTHING, quasi="s", sensitive=secret, engine=spark)
    check_counts(counts, EVERYTHING, ["s"], secret)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, duckdb):
    """Three thousand people in a CSV file, a Parquet file, and a folder of two."""
    path = tmp_path_factory.mktemp("people")
    (path / "parts").mkdir()
    duckdb.raw_sql(f"""
        CREATE OR REPLACE TEMP TABLE three_thousand AS
        SELECT i * 7919 % 89 AS age, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '*' ELSE
               'town, ' || (i * i) % 13 END AS town, i % 3 = 0 AS "Sick", 'v' || (i * 31) % 41 AS s
        FROM range(3000) t(i);
        COPY three_thousand TO '{path / "people.csv"}';
        COPY three_thousand TO '{path / "people.parquet"}';
        COPY (FROM three_thousand WHERE "Sick") TO '{path / "parts" / "a.parquet"}';
        COPY (FROM three_thousand WHERE NOT "Sick") TO '{path / "parts" / "b.parquet"}';
    """)
    return path


def seen(counts):
    """All that a measure can see of the counts, in an order of its own."""
    found = []
    for block in counts.blocks():
        for g in range(len(block)):
            cells = slice(block.start[g], block.start[g + 1])
            histogram = (tuple(block.codes[cells]), tuple(block.numbers[cells]))
            found.append((histogram, int(block.weights[g]), texts(block.key_of(g))))
    return sorted(found), counts.totals.tolist(), counts.secret.values, counts.secret.ordered


@pytest.mark.parametrize("file", ["people.csv", "people.parquet", "parts"])
def test_files_give_the_same_as_with_duckdb(spark, folder, file):
    asked = {"quasi": ["age", "town"], "sensitive": "s"}
    ours, theirs = (count(folder / file, **asked, engine=e) for e in (spark, "duckdb"))
    assert seen(ours) == seen(theirs)


@pytest.mark.parametrize("wide", [0, 2], ids=["streamed", "look-alikes"])
def test_many_classes_give_the_same_as_with_duckdb(spark, folder, tiny, wide):
    tiny(wide=wide)
    asked = {"quasi": ["age", "town"], "sensitive": "Sick"}
    ours, theirs = (count(folder / "people.parquet", **asked, engine=e) for e in (spark, "duckdb"))
    assert isinstance(ours, InEngine)
    assert seen(ours) == seen(theirs)


def test_classes_are_found_in_a_population(spark, folder, tiny):
    tiny()
    sample = count(folder / "parts" / "a.parquet", quasi=["age", "town"], engine=spark)
    population = count(folder / "parts", quasi=["age", "town"], engine=spark)
    found, named = Counter(), {}
    for records, people, weights, key_of in paired_in_engine(sample, population):
        for g in range(len(weights)):
            found[int(records[g]), int(people[g])] += int(weights[g])
            named[int(records[g]), int(people[g])] = key_of(g)
    rows = pq.read_table(folder / "people.parquet").to_pylist()
    table = {name: [row[name] for row in rows] for name in rows[0]}
    sick = {name: [row[name] for row in rows if row["Sick"]] for name in rows[0]}
    ours, theirs = (plain_classes(t, ["age", "town"], None) for t in (sick, table))
    assert found == Counter((ours[key][""], theirs[key][""]) for key in ours)
    assert {pair: (ours[key][""], theirs[key][""]) for pair, key in named.items()} == {
        pair: pair for pair in found
    }


def test_a_line_that_is_wrong_is_named(spark, tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_text("a,b,s\n1,2,x\n2,3\n3,4,x\n")
    with pytest.raises(InputError, match=r"^line 3 of ragged\.csv has 2 cells where the first"):
        count(path, quasi="a", sensitive="b", engine=spark)
    path.write_bytes(b"a,s\n1,x\n2,\xe9\n")
    with pytest.raises(InputError, match=r"^line 3 of ragged\.csv is not utf-8"):
        count(path, quasi="a", sensitive="s", encoding="utf-8", engine=spark)
    found = count(path, quasi="a", sensitive="s", engine=spark)
    assert any("cp1252" in str(note) for note in found.notes)
    assert set(found.secret.values) == {"x", "é"}


def test_what_it_complains_of_is_one_line(spark, folder):
    counts = spark.read_parquet(str(folder / "people.parquet"))
    with pytest.raises(InputError, match=r"^pyspark cannot count .*\S") as error:
        count(counts.mutate(age=counts.town.cast("int64")), quasi="age")
    assert "\n" not in str(error.value)
    assert "org.apache" not in str(error.value)


PROGRAM = """
import os, sys, psutil
from unveil.engine.counting import connected
connected("spark", "512MB")
java = [one for one in psutil.Process().children(recursive=True) if "java" in one.name()]
for one in java:
    for socket in one.net_connections(kind="inet"):
        if socket.status == psutil.CONN_LISTEN:
            assert socket.laddr.ip in ("127.0.0.1", "::ffff:127.0.0.1", "::1"), socket
print(*[one.pid for one in java])
"""


def test_it_is_quiet_stays_on_this_machine_and_leaves_no_java_behind():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    pids = [int(word) for word in done.stdout.split()]
    assert pids
    left = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    assert psutil.wait_procs(left, timeout=60)[1] == []


def test_without_java(monkeypatch, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c",
         "import unveil as uv; uv.k_anonymity({'a': [1]}, quasi='a', engine='spark')"],
        capture_output=True, text=True, check=False,
        env={"PATH": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert "engine 'spark' needs Java 17 or newer: none was found on the PATH" in done.stderr


def test_people_are_counted_as_in_duckdb(spark, duckdb, folder):
    """Every figure, and the same people are drawn."""
    whose = {"quasi": ["age", "town"], "sensitive": "s", "person": "v"}
    path = folder / "people.parquet"
    table = pq.read_table(path)
    patients = [f"p{i * 31 % 977}" for i in range(len(table))]
    table = table.append_column("v", [patients])
    pq.write_table(table, folder / "stays.parquet")
    found, expected = (
        uv.measures(folder / "stays.parquet", **whose, engine=one) for one in (spark, duckdb)
    )
    assert (found.people, found.suppressed) == (977, expected.suppressed)
    assert found.one_row.people == expected.one_row.people
    assert found.all_rows.people == expected.all_rows.people
    assert (found.sizes, found.unicity) == (expected.sizes, expected.unicity)
    assert found.secrets == expected.secrets
