"""Whatever ends a process, nothing temporary of it stays: kills at random moments."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

WORK = """
import sys, time
from unveil.engine import for_a_while, started, temporary_folder
daemon = ("import os, time\\n"
          "if os.fork() == 0:\\n"
          "    os.setsid()\\n"
          "    os.fork() or time.sleep(600)\\n"
          "else:\\n"
          "    time.sleep(600)")
print("begun", flush=True)
while True:
    kept = temporary_folder()
    (kept / "table").write_bytes(bytes(100000))
    with for_a_while() as folder:
        (folder / "release").write_bytes(bytes(100000))
        started([sys.executable, "-I", "-S", "-c", daemon, sys.argv[1]])
        time.sleep(0.02)
"""


def having(word: str) -> list[str]:
    """The processes that have a word in their command line or environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            texts = [Path(f"/proc/{name}/{kind}").read_bytes() for kind in ("cmdline", "environ")]
        except OSError:
            continue
        if any(word.encode() in text for text in texts):
            found.append(name)
    return found


def until(true: Callable[[], bool]) -> bool:
    """Whether something comes about; the limit is for a machine that does nothing any more."""
    end = time.monotonic() + 120
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize(
    "kills", [4, pytest.param(120, marks=pytest.mark.chaos)], ids=["a few", "many"]
)
def test_kills_at_random_moments_leave_no_process_and_no_file(kills: int, tmp_path: Path) -> None:
    chance = random.Random(19)
    mark = f"mark-{tmp_path.name}-{os.getpid()}"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(kills):
        with subprocess.Popen(
            [sys.executable, "-c", WORK, mark], env=environment, stdout=subprocess.PIPE
        ) as running:
            assert running.stdout is not None
            assert running.stdout.readline() == b"begun\n"
            time.sleep(chance.expovariate(8))
            running.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        assert until(lambda: having(mark) == [])
        # A kill before there was one beside it leaves an empty folder, which the next one sweeps.
        assert until(
            lambda: {name for _, _, names in os.walk(tmp_path) for name in names} <= {"lock"}
        )
    with subprocess.Popen(
        [sys.executable, "-c", "from unveil.engine import sweep; sweep()"], env=environment
    ):
        pass
    assert list(tmp_path.iterdir()) == []
