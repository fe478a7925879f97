"""The same audit, byte for byte, with one worker and with two, alone and on a busy machine."""

import subprocess
import sys
from contextlib import ExitStack, contextmanager

import pytest

import unveil as uv

KEY = "5" * 64
BURN = "import time\nend = time.monotonic() + 600\nwhile time.monotonic() < end: pass"


@contextmanager
def busy(processes):
    """Other processes take the processor; they end by themselves if nobody ends them."""
    with ExitStack() as stack:
        for _ in range(processes):
            burning = stack.enter_context(subprocess.Popen([sys.executable, "-c", BURN]))
            stack.callback(burning.kill)
        yield


def decades(table):
    low = table["age"] // 10 * 10
    return table.assign(age=[f"[{a}, {a + 9}]" for a in low])


def results(folder, name, people, attacks, jobs):
    table = uv.datasets.election_survey().take(range(people))
    audit = uv.audit(table, {"ours": "mondrian:k=3", "theirs": uv.Oracle(decades)},
                     attacks=attacks, seed=3, key=KEY, jobs=jobs, progress=False)  # fmt: skip
    assert not audit.crashes
    page = folder / f"{name}.html"
    audit.save(page)
    return audit.to_json(), page.read_bytes()


def compared(folder, people, attacks, rounds, workers=2):
    alone = results(folder, "alone", people, attacks, 1)
    with busy(2):
        for number in range(rounds):
            for jobs in (1, 2)[-workers:]:
                found = results(folder, f"busy-{number}-{jobs}", people, attacks, jobs)
                assert found[0] == alone[0], f"JSON, {jobs} workers"
                assert found[1] == alone[1], f"page, {jobs} workers"


def test_a_few_attacks(tmp_path):
    """One worker alone, two on a busy machine; `make chaos` has the rest."""
    compared(tmp_path, 12, ["differential-inference", "measures"], 1, workers=1)


@pytest.mark.chaos
def test_all_attacks_again_and_again(tmp_path):
    compared(tmp_path, 60, "all", 4)
