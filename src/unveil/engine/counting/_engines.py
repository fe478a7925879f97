"""The engines that count: DuckDB within this process, Spark, or whatever Ibis can talk to."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from typing import TYPE_CHECKING, Any

from unveil.engine._durations import parse_memory
from unveil.errors import InputError, MissingExtraError, UnveilError, did_you_mean

if TYPE_CHECKING:
    import ibis

__all__ = ["ENGINES", "connected"]

ENGINES = ("duckdb", "spark")
"""The engines that are opened by their name. Others come with a table of theirs."""

_NO_JAVA = (
    "engine 'spark' needs Java 17 or newer: none was found on the PATH, nor through JAVA_HOME; "
    "install one (a package such as openjdk-17-jre-headless), or count with engine='duckdb'"
)


def connected(engine: Any, memory: str | int | None) -> ibis.BaseBackend:
    """Open an engine by its name, or take a connection that is open."""
    import ibis

    if isinstance(engine, ibis.BaseBackend):
        return engine
    if engine == "duckdb":
        return _duckdb(memory)
    if engine == "spark":
        return _spark(memory)
    raise InputError(
        f"engine {engine!r} is not known{did_you_mean(str(engine), ENGINES)} (engines: "
        f"{', '.join(ENGINES)}; any other that Ibis can connect to, by giving a table of its "
        "connection in place of a file)"
    )


def _megabytes(memory: str | int) -> int:
    most = parse_memory(memory)
    assert most is not None
    return max(1, most // 10**6)


def _duckdb(memory: str | int | None) -> ibis.BaseBackend:
    import ibis

    spill = tempfile.mkdtemp(prefix="unveil-")
    atexit.register(shutil.rmtree, spill, ignore_errors=True)
    limit = {} if memory is None else {"memory_limit": f"{_megabytes(memory)}MB"}
    return ibis.duckdb.connect(
        temp_directory=spill,  # what does not fit into memory goes here, not into the user's folder
        preserve_insertion_order=False,
        autoinstall_known_extensions=False,
        **limit,
    )


def _spark(memory: str | int | None) -> ibis.BaseBackend:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "engine 'spark' needs PySpark: install it with pip install 'unveil[spark]'"
        ) from None
    import ibis
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession() or _local_session(memory)
    return ibis.pyspark.connect(session)


def _local_session(memory: str | int | None) -> Any:
    """A session in this machine's processes, for those who have not opened one of their own."""
    import os

    from pyspark.sql import SparkSession

    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and os.path.exists(f"{home}/bin/java")):
        raise UnveilError(_NO_JAVA)
    builder = (
        SparkSession.builder.master("local[*]")
        .appName("unveil")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", str(2 * (os.cpu_count() or 1)))
    )
    if memory is not None:
        builder = builder.config("spark.driver.memory", f"{_megabytes(memory)}m")
    try:
        return builder.getOrCreate()
    except Exception as error:  # Java's own errors, too old a Java among them
        reason = str(error).strip().splitlines()
        raise UnveilError(
            f"Spark could not be started: {reason[0] if reason else type(error).__name__}"
        ) from error
