"""The same seed, options and key: the same bytes, whatever else is different."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unveil.auditing import write_key

ROLES = ["--quasi", "age,town", "--sensitive", "vote", "--seed", "3"]
COMMANDS = {
    "audit": [
        "audit", "survey.csv", "--sanitizer", "mondrian:k=3", "--sanitizer", "anatomy:l=2",
        "--sanitizer", "microaggregation:k=3", "--json", "o.json", "--report", "o.html", "--junit",
        "o.xml", "--plot", "o.svg", "--key", "the.key", "--budget", "60 runs", *ROLES,
    ],
    "audit of everything": [
        "audit", "survey.csv", "--sanitizer", "mondrian:k=3", "--attack", "all", "--json",
        "o.json", "--key", "the.key", *ROLES,
    ],
    "differential-inference": [
        "differential-inference", "survey.csv", "--sanitizer", "microaggregation:k=3",
        "--adversary", "naive-bayes", "--adversary", "tree", "--budget", "30 runs", "--json",
        "o.json", "--csv", "o.csv", "--plot", "o.svg", *ROLES,
    ],
    "relative-risk": [
        "relative-risk", "survey.csv", "--sanitizer", "mondrian:k=5", "--exact", "never",
        "--likelihood", "naive-bayes", "--budget", "400 sweeps", "--json", "o.json", "--plot",
        "o.svg", *ROLES,
    ],
}  # fmt: skip
QUICK = ("differential-inference", "relative-risk")


def outputs(
    command: list[str], folder: Path, *, hashes: int, jobs: int, busy: bool = False
) -> dict[str, bytes]:
    """What a process of its own prints and writes; one on a busy machine is stopped often."""
    for file in folder.glob("o.*"):
        file.unlink()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": f"{hashes}",
           "LOKY_MAX_CPU_COUNT": f"{jobs}", "NUMBA_NUM_THREADS": f"{jobs}"}  # fmt: skip
    with (folder / "said").open("wb") as said, (folder / "errors").open("wb") as errors:
        running = subprocess.Popen(
            [sys.executable, "-m", "unveil", *command], cwd=folder, stdout=said, stderr=errors,
            env=env,
        )  # fmt: skip
        chance = random.Random(hashes)
        while busy and running.poll() is None:
            for number in (signal.SIGSTOP, signal.SIGCONT):
                time.sleep(chance.uniform(0.01, 0.1))
                running.send_signal(number)
        code = running.wait()
    assert code == 0, (folder / "errors").read_text()
    written = {file.name: file.read_bytes() for file in folder.glob("o.*")}
    return {"stdout": (folder / "said").read_bytes(), **written}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.chaos, id=name)
        for name in COMMANDS
    ],
)
def test_two_processes_with_other_hashes_workers_and_pauses(table, name):
    folder = table.parent
    write_key("ab" * 32, folder / "the.key")
    # The number of workers must not be in the command, which reports show.
    one = outputs(COMMANDS[name], folder, hashes=1, jobs=1)
    two = outputs(COMMANDS[name], folder, hashes=2, jobs=2, busy=True)
    assert one.keys() == two.keys()
    assert len(one) > 1
    for file in one:
        assert one[file] == two[file], file
