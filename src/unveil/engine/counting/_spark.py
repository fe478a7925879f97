"""A Spark session in this machine's processes, for those who have not opened one of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from unveil.engine.counting._words import quietly, what_it_said
from unveil.errors import MissingExtraError, UnveilError

__all__ = ["spark_session"]

_NO_JAVA = (
    "engine 'spark' needs Java 17 or newer: none was found on the PATH, nor through JAVA_HOME; "
    "install one (a package such as openjdk-17-jre-headless), or count with engine='duckdb'"
)


def spark_session(megabytes: int | None) -> Any:
    """The session that is open, or else a local one."""
    try:
        import pyspark
    except ImportError:
        raise MissingExtraError(
            "engine 'spark' needs PySpark: install it with pip install 'unveil[spark]'"
        ) from None
    with quietly():
        from pyspark.sql import SparkSession

        if (session := SparkSession.getActiveSession()) is not None:
            return session
        if pyspark.SparkContext._gateway is not None:  # a Java is running: another thread's, say
            return SparkSession.builder.config(map=_settings(megabytes)).getOrCreate()
        _need_java()
        return _started(_settings(megabytes))


def _need_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if home and os.path.exists(os.path.join(home, "bin", "java")):
        return
    if home or shutil.which("java") is None:  # Spark looks nowhere else where JAVA_HOME is given
        raise UnveilError(_NO_JAVA)


def _settings(megabytes: int | None) -> dict[str, str]:
    given = {} if megabytes is None else {"spark.driver.memory": f"{megabytes}m"}
    return {
        "spark.master": "local[*]",
        "spark.app.name": "unveil",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
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
    # Java's chatter goes to a file of its own. It is looked into only if Java does not start, and
    # it ends with this process, whose end of a pipe Java listens to.
    with tempfile.TemporaryFile() as said, _on_loopback():
        try:
            gateway = launch_gateway(conf, {"stdout": said, "stderr": said})
            return SparkSession(SparkContext(gateway=gateway, conf=conf))
        except Exception as error:
            said.seek(0)
            reason = _complaint(said.read().decode(errors="replace")) or what_it_said(error)
            raise UnveilError(f"Spark could not be started: {reason}") from error


def _complaint(said: str) -> str:
    """The first line in which Java speaks of an error."""
    return next((line.strip() for line in said.splitlines() if "rror" in line), "")


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Let Spark listen to this machine alone, unless it was told otherwise."""
    if "SPARK_LOCAL_IP" in os.environ:
        yield
        return
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    try:
        yield
    finally:
        del os.environ["SPARK_LOCAL_IP"]
