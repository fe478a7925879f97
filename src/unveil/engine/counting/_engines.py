"""The engines that count: DuckDB within this process, Spark, or whatever Ibis can talk to."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any

from unveil.engine._durations import parse_memory
from unveil.engine.counting._spark import spark_session
from unveil.engine.counting._words import quietly
from unveil.errors import InputError, did_you_mean

if TYPE_CHECKING:
    import ibis

__all__ = ["ENGINES", "connected"]

ENGINES = ("duckdb", "spark")
"""The engines that are opened by their name. Others come with a table of theirs."""


def connected(engine: Any, memory: str | int | None) -> ibis.BaseBackend:
    """Open an engine by its name, or take a connection that is open."""
    import ibis

    if isinstance(engine, ibis.BaseBackend):
        return engine
    if engine == "duckdb":
        return _duckdb(_megabytes(memory))
    if engine == "spark":
        session = spark_session(_megabytes(memory))
        with quietly():
            return ibis.pyspark.connect(session)
    raise InputError(
        f"engine {engine!r} is not known{did_you_mean(str(engine), ENGINES)} (engines: "
        f"{', '.join(ENGINES)}; any other that Ibis can connect to, by giving a table of its "
        "connection in place of a file)"
    )


def _megabytes(memory: str | int | None) -> int | None:
    return None if memory is None else max(1, parse_memory(memory) // 10**6)


def _duckdb(megabytes: int | None) -> ibis.BaseBackend:
    import ibis

    spill = tempfile.mkdtemp(prefix="unveil-")
    limit = {} if megabytes is None else {"memory_limit": f"{megabytes}MB"}
    connection = ibis.duckdb.connect(
        temp_directory=spill,  # what does not fit into memory goes here, not into the user's folder
        preserve_insertion_order=False,
        autoinstall_known_extensions=False,
        **limit,
    )
    # As soon as nobody counts with it any more, and at the end at the latest.
    weakref.finalize(connection, shutil.rmtree, spill, ignore_errors=True)
    return connection
