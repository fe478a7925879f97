"""Engines for the tests: DuckDB in this process, PostgreSQL on loopback, Spark on this machine."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unveil.engine.counting import _expressions, _in_engine, connected


@pytest.fixture(scope="session")
def duckdb() -> Any:
    """One connection for many small tables."""
    return connected("duckdb", None)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes every limit tiny, so that small tables are counted as large ones."""

    def set_limits(*, wide: int = 32, fetched: int = 4_000_000, kept: int = 0) -> None:
        monkeypatch.setattr(_in_engine, "PROBED", 1)
        monkeypatch.setattr(_in_engine, "FEW", -1.0 if fetched else 1.0)
        monkeypatch.setattr(_in_engine, "FETCHED", fetched)
        monkeypatch.setattr(_in_engine, "WIDE", wide)
        monkeypatch.setattr(_in_engine, "KEPT", kept)
        monkeypatch.setattr(_in_engine, "_BLOCK", 3)
        monkeypatch.setattr(_expressions, "_STREAMED", 2)

    return set_limits


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server of our own, and a connection to it."""
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("psycopg")
    if shutil.which("initdb") is None:
        pytest.skip("no initdb on the PATH: PostgreSQL is not installed")
    with tempfile.TemporaryDirectory(prefix="unveil-pg-") as folder:
        server, port = _started(Path(folder))
        try:
            connection = _answering(ibis, server, port)
            yield connection
            connection.disconnect()
        finally:
            server.send_signal(signal.SIGINT)  # without waiting for those who are connected
            server.wait()


def _started(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    # PostgreSQL refuses to be run by root.
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        who = {"user": "nobody", "group": "nogroup"}
        shutil.chown(folder, "nobody", "nogroup")
    data = folder / "data"
    made = subprocess.run(
        ["initdb", "--pgdata", data, "--username", "unveil", "--auth", "trust", "--no-sync",
         "--encoding", "UTF8", "--locale", "C.UTF-8"],
        capture_output=True, text=True, cwd=folder, check=False, **who,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (folder / "log").open("wb")
    server = subprocess.Popen(
        ["postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", "", "-F"],
        stdout=log, stderr=log, cwd=folder, **who,
    )  # fmt: skip
    log.close()
    return server, port


def _answering(ibis: Any, server: subprocess.Popen[bytes], port: int) -> Any:
    last = time.monotonic() + 60
    while True:
        try:
            return ibis.postgres.connect(
                host="127.0.0.1", port=port, user="unveil", database="postgres"
            )
        except Exception:
            if server.poll() is not None or time.monotonic() > last:
                raise
            time.sleep(0.05)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local Spark session, and a connection to it."""
    connection = connected("spark", "1GB")
    yield connection
    connection.disconnect()
