"""Engines are opened, give way to Ctrl-C, and clean up after themselves."""

import gc
import os
import signal
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unveil.engine.counting import ENGINES, connected
from unveil.errors import InputError, MissingExtraError, UnveilError
from unveil.measures import count


def test_names_of_engines():
    assert ENGINES == ("duckdb", "spark")
    with pytest.raises(InputError, match="engine 'duckbd' is not known; did you mean 'duckdb'"):
        count({"k": [1]}, quasi="k", engine="duckbd")
    with pytest.raises(InputError, match=r"engine 'bigquery' is not known .*by giving a table of"):
        count({"k": [1]}, quasi="k", engine="bigquery")
    with pytest.raises(InputError, match="cannot read 'lots' as an amount of memory"):
        count({"k": [1]}, quasi="k", memory="lots")


def test_spark_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'unveil\[spark\]'"):
        connected("spark", None)


def test_spark_without_java(monkeypatch, tmp_path):
    from unveil.engine.counting._engines import _need_java

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(UnveilError, match="needs Java 17 or newer: none was found on the PATH"):
        _need_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UnveilError, match="or through JAVA_HOME"):
        _need_java()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").touch()
    _need_java()  # and Spark finds out the rest


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A million people, no two of them alike."""
    path = tmp_path_factory.mktemp("many") / "many.parquet"
    n = 1_000_000
    columns = {f"k{i}": pa.array(range(i, n + i)) for i in range(6)}
    pq.write_table(pa.table({**columns, "s": pa.array(["x", "y"] * (n // 2))}), path)
    return path


def test_what_does_not_fit_into_memory_goes_to_disk_and_is_removed(many):
    connection = connected("duckdb", "40MB")
    connection.raw_sql("SET threads = 2")  # each needs some of it
    spill = Path(connection.settings["temp_directory"])
    counts = count(many, quasi=[f"k{i}" for i in range(6)], sensitive="s", engine=connection)
    written = []
    watching = threading.Event()

    def watch():
        while not watching.wait(0.01):
            written.extend(spill.glob("*"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        (block,) = counts.blocks()
    finally:
        watching.set()
        watcher.join()
    assert written
    assert block.weights.tolist() == [500_000, 500_000]
    assert [block.key_of(g)[0] for g in (0, 1)] == [1, 0]
    assert spill.exists()
    del connection, counts, block
    gc.collect()
    assert not spill.exists()


def test_too_little_memory_is_said(many):
    with pytest.raises(
        InputError, match=r"duckdb cannot count many\.parquet: Out of Memory.*memory="
    ):
        list(count(many, quasi=["k0", "k1"], sensitive="s", memory="1MB").blocks())


def test_control_c_stops_it(many):
    """DuckDB makes another error of it; here, it is what it was."""
    counts = count(many, quasi=[f"k{i}" for i in range(6)], sensitive="s")
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()

    def forever():
        while True:
            list(counts.over(["k5", "k4", "k3", "k2", "k1", "k0"]).blocks())

    with pytest.raises(KeyboardInterrupt):
        forever()
    timer.join()
