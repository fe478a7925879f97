"""A Dask scheduler and two worker processes of their own, on loopback."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

_START = "from distributed.cli.dask_{0} import main; main()"


@dataclass(frozen=True)
class Cluster:
    """Where the scheduler listens, and the workers' processes."""

    address: str
    workers: tuple[subprocess.Popen[bytes], ...]


@contextmanager
def dask_cluster(folder: Path, n_workers: int = 2) -> Iterator[Cluster]:
    """Start the processes, and end those that are still there."""
    with ExitStack() as processes:
        told = folder / "scheduler.json"
        local = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        processes.enter_context(
            _started("scheduler", [*local, "--scheduler-file", str(told)], folder)
        )
        _wait_for(told)
        workers = tuple(
            processes.enter_context(
                _started(
                    "worker",
                    ["--scheduler-file", str(told), "--no-nanny", "--nthreads", "1",
                     "--host", "127.0.0.1", "--no-dashboard",
                     "--local-directory", str(folder / f"worker-{number}")],
                    folder,
                )
            )
            for number in range(n_workers)
        )  # fmt: skip
        yield Cluster(address=_address(told), workers=workers)


@contextmanager
def _started(what: str, options: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    log = (folder / "dask.log").open("ab")
    process = subprocess.Popen(
        [sys.executable, "-c", _START.format(what), *options], stdout=log, stderr=log
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        log.close()


def _wait_for(file: Path, seconds: float = 60) -> None:
    ends = time.monotonic() + seconds
    while not (file.exists() and file.read_text().strip().endswith("}")):
        if time.monotonic() > ends:
            log = file.with_name("dask.log").read_text()
            raise TimeoutError(f"the Dask scheduler did not start: {log}")
        time.sleep(0.05)


def _address(file: Path) -> str:
    import json

    return str(json.loads(file.read_text())["address"])
