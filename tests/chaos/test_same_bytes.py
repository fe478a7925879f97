"""The same seed, options and key: the same bytes, whatever else is different."""

from __future__ import annotations

import os
import subprocess
import sys
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


def outputs(command: list[str], folder: Path, *, hashes: int, jobs: int) -> dict[str, bytes]:
    """What a process of its own prints and writes."""
    for file in folder.glob("o.*"):
        file.unlink()
    done = subprocess.run(
        [sys.executable, "-m", "unveil", *command], cwd=folder, capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": f"{hashes}",
             "LOKY_MAX_CPU_COUNT": f"{jobs}", "NUMBA_NUM_THREADS": f"{jobs}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    written = {file.name: file.read_bytes() for file in folder.glob("o.*")}
    return {"stdout": done.stdout, **written}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.chaos, id=name)
        for name in COMMANDS
    ],
)
def test_two_processes_with_other_hashes_and_workers(table, name):
    folder = table.parent
    write_key("ab" * 32, folder / "the.key")
    # The number of workers must not be in the command, which reports show.
    one = outputs(COMMANDS[name], folder, hashes=1, jobs=1)
    two = outputs(COMMANDS[name], folder, hashes=2, jobs=2)
    assert one.keys() == two.keys()
    assert len(one) > 1
    for file in one:
        assert one[file] == two[file], file
