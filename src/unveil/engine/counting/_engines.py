"""The engines that count: connecting to them, asking them, and reporting their errors.

DuckDB runs in this process and Spark on this machine; any other engine that Ibis can connect to
comes with a table of its own.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine._care import temporary_folder
from unveil.engine._progress import parse_memory
from unveil.errors import (
    File,
    Foreign,
    InputError,
    Listed,
    Message,
    MissingExtraError,
    Option,
    UnveilError,
    did_you_mean,
)

if TYPE_CHECKING:
    import ibis

ENGINES = ("duckdb", "spark")
"""The engines that are opened by name."""

Fault = Callable[[], InputError | None]
"""Finds what is wrong with a file that an engine has refused."""

_LONGEST = 300  # characters of an engine's error message
_INTERRUPTED = frozenset({"Query interrupted", "INTERRUPT Error: Interrupted!"})
"""What DuckDB says after Ctrl-C."""


def connected(engine: Any, memory: str | int | None) -> ibis.BaseBackend:
    """Open an engine by name; an open connection is returned as it is."""
    import ibis

    if isinstance(engine, ibis.BaseBackend):
        return engine
    if engine == "duckdb":
        return _duckdb(_megabytes(memory))
    if engine == "spark":
        session = _spark_session(_megabytes(memory))
        with quietly():
            return ibis.pyspark.connect(session)
    raise InputError(
        "engine {given} is not known{near} (engines: {engines}; any other that Ibis can connect "
        "to, by giving a table of its connection in place of a file)",
        given=repr(engine), near=did_you_mean(str(engine), ENGINES), engines=Listed(ENGINES),
    )  # fmt: skip


def _megabytes(memory: str | int | None) -> int | None:
    return None if memory is None else max(1, parse_memory(memory) // 10**6)


def _duckdb(megabytes: int | None) -> ibis.BaseBackend:
    import ibis

    spill = str(temporary_folder())
    limit = {} if megabytes is None else {"memory_limit": f"{megabytes}MB"}
    connection = ibis.duckdb.connect(
        temp_directory=spill,  # for what does not fit in memory; the default is the user's folder
        preserve_insertion_order=False,
        autoinstall_known_extensions=False,
        **limit,
    )
    weakref.finalize(connection, shutil.rmtree, spill, ignore_errors=True)
    return connection


def _spark_session(megabytes: int | None) -> Any:
    """The session that is open, or a new one on this machine."""
    try:
        import pyspark
    except ImportError:
        raise MissingExtraError(
            "engine 'spark' needs PySpark; install it with: pip install 'unveil[spark]'"
        ) from None
    with quietly():
        from pyspark.sql import SparkSession

        if (session := SparkSession.getActiveSession()) is not None:
            return session
        if pyspark.SparkContext._gateway is not None:  # Java is running, perhaps in another thread
            return SparkSession.builder.config(map=_settings(megabytes)).getOrCreate()
        _need_java()
        return _started(_settings(megabytes))


def _need_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if home and os.path.exists(os.path.join(home, "bin", "java")):
        return
    if home or shutil.which("java") is None:  # if JAVA_HOME is set, Spark looks nowhere else
        raise UnveilError(
            "engine 'spark' needs Java 17 or newer: none was found on the PATH or through "
            "JAVA_HOME; install it (a package such as openjdk-17-jre-headless), or count with "
            "{option}",
            option=Option("engine", "duckdb"),
        )


def _settings(megabytes: int | None) -> dict[str, str]:
    given = {} if megabytes is None else {"spark.driver.memory": f"{megabytes}m"}
    return {
        "spark.master": "local[*]",
        "spark.app.name": "unveil",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(temporary_folder()),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.caseSensitive": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
        **given,
    }


def _started(settings: dict[str, str]) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    # Java's output goes to a file, which is read only if Java does not start. Java ends with this
    # process, because it listens to a pipe from it.
    with tempfile.TemporaryFile() as said, _on_loopback():
        try:
            gateway = launch_gateway(conf, {"stdout": said, "stderr": said})
            return SparkSession(SparkContext(gateway=gateway, conf=conf))
        except Exception as error:
            said.seek(0)
            lines = said.read().decode(errors="replace").splitlines()
            first = next((line.strip() for line in lines if "rror" in line), "")
            raise UnveilError(
                "Spark could not be started: {said}", said=Foreign(first or _what_it_said(error))
            ) from error


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Let Spark listen to this machine only, unless SPARK_LOCAL_IP says otherwise."""
    if "SPARK_LOCAL_IP" in os.environ:
        yield
        return
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    try:
        yield
    finally:
        del os.environ["SPARK_LOCAL_IP"]


@contextmanager
def quietly() -> Iterator[None]:
    """Ignore warnings that Ibis and the engines' clients raise about each other's versions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        yield


@contextmanager
def in_our_words(engine: str, source: str, fault: Fault | None = None) -> Iterator[None]:
    """Turn an engine's error into one of ours, on one line; ``fault`` finds it in a file."""
    try:
        with quietly():
            yield
    except (UnveilError, GeneratorExit):
        raise
    except Exception as error:
        if str(error).strip() in _INTERRUPTED:
            raise KeyboardInterrupt from None
        if (found := fault() if fault is not None else None) is not None:
            raise found from None
        said = Foreign(_what_it_said(error))
        remedy = Message("; give it more with {option}", option=Option("memory"))
        raise InputError(
            "{engine} cannot count {source}: {said}{remedy}",
            engine=engine, source=File(source, bare=True), said=said,
            remedy=remedy if "Out of Memory" in said.text else "",
        ) from error  # fmt: skip


def _what_it_said(error: Exception) -> str:
    """The line of an error that gives the reason.

    >>> _what_it_said(ValueError("Binder Error: no column x\\n\\nLINE 1: SELECT x"))
    'Binder Error: no column x'
    >>> _what_it_said(ValueError("calling o7.\\n: a.b.Oops: \\n\\tat a.b\\nCaused by: a.b.Oh: no!"))
    'no!'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    if causes:  # Java names the class of the exception before the reason
        said = causes[-1].removeprefix("Caused by: ").partition(": ")[2] or causes[-1]
    else:
        said = lines[0] if lines else type(error).__name__
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"


@dataclass(frozen=True, kw_only=True)
class Fetching:
    """Asks the engine of a table, whose name is ``source`` in messages."""

    source: str
    fault: Fault | None = None

    def table(self, expression: ibis.Table) -> Any:
        """The result of an expression as an Arrow table."""
        connection = expression.get_backend()
        _set_aside(connection)
        with in_our_words(connection.name, self.source, self.fault):
            if connection.name == "pyspark":  # Ibis uses pandas, which has no integer NULLs
                return connection.raw_sql(connection.compile(expression)).toArrow()
            return expression.to_pyarrow()

    def kept(self, expression: ibis.Table) -> ibis.Table:
        """The result as a table of the engine, until nothing refers to it any more."""
        connection = expression.get_backend()
        _set_aside(connection)
        with in_our_words(connection.name, self.source, self.fault):
            return expression.cache()

    def batches(self, expression: ibis.Table, rows: int) -> Iterator[Any]:
        """The result as Arrow batches of at most so many rows; only one is in memory."""
        connection = expression.get_backend()
        _set_aside(connection)
        with in_our_words(connection.name, self.source, self.fault):
            arriving = _arriving(connection, expression, rows)
        while True:
            # Not one block around the loop: errors of the caller must pass.
            with in_our_words(connection.name, self.source, self.fault):
                batch = next(arriving, None)
            if batch is None:
                return
            for first in range(0, batch.num_rows, rows):
                yield batch.slice(first, rows)


def _arriving(connection: Any, expression: ibis.Table, rows: int) -> Iterator[Any]:
    if connection.name == "pyspark":
        return _spark_batches(connection, expression, rows)
    batches = expression.to_pyarrow_batches(chunk_size=rows)
    return _Stream(connection, batches) if connection.name == "duckdb" else iter(batches)


def _spark_batches(connection: Any, expression: ibis.Table, rows: int) -> Iterator[Any]:
    import pyarrow as pa

    frame = connection.raw_sql(connection.compile(expression))
    schema = expression.schema().to_pyarrow()
    arriving = frame.toLocalIterator(prefetchPartitions=True)
    while some := [row.asDict(recursive=True) for row in itertools.islice(arriving, rows)]:
        yield pa.RecordBatch.from_pylist(some, schema=schema)


class _Stream:
    """A result that DuckDB sends in batches.

    Another query on the same connection ends the stream without an error: the rest would be
    missing. So the rest is written to disk before anything else is asked.
    """

    def __init__(self, connection: Any, batches: Any) -> None:
        self.connection = connection
        self._batches = batches
        _STREAMS.add(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return self._batches.read_next_batch()
        except StopIteration:
            _STREAMS.discard(self)
            raise

    def set_aside(self) -> None:
        """Write the rest to disk."""
        import pyarrow as pa

        file = tempfile.TemporaryFile(prefix="unveil-")  # noqa: SIM115 - it is read later
        weakref.finalize(self, file.close)
        with pa.ipc.new_stream(file, self._batches.schema) as rest:
            for batch in self._batches:
                rest.write_batch(batch)
        file.seek(0)
        self._batches = pa.ipc.open_stream(file)
        _STREAMS.discard(self)


_STREAMS: weakref.WeakSet[_Stream] = weakref.WeakSet()


def _set_aside(connection: Any) -> None:
    for stream in [one for one in _STREAMS if one.connection is connection]:
        stream.set_aside()


def numbers(column: Any) -> NDArray[np.int64]:
    """An Arrow column as integers."""
    return column.to_numpy(zero_copy_only=False).astype(np.int64)


def encoded(column: Any) -> tuple[NDArray[np.int64], tuple[object, ...]]:
    """Codes and values of an Arrow column: numbers ascend, texts are sorted, missing is last."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    coded = whole.dictionary_encode()
    order = pc.sort_indices(coded.dictionary).to_numpy()
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = len(order)
    values = coded.dictionary.take(pa.array(order)).to_pylist()
    places = coded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    if coded.indices.null_count:
        values.append(None)
    return rank[places], tuple(values)
