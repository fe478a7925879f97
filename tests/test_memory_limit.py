"""A limit of memory is kept: by refusing what would not fit, and at last by the system."""

import resource
import subprocess
import sys

import pytest
from command_line import run

import unveil as uv
from unveil._memory import TooLargeError, left, limited, room_for
from unveil.errors import InputError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit is kept on Linux")

LIMIT = 1_000_000_000
# The most memory since the program began: ru_maxrss begins with that of whoever started it.
AUDIT = r"""
import re, sys
import numpy as np, unveil as uv
rng = np.random.default_rng(0)
n = 6_000
table = uv.read_table(
    {"age": rng.integers(18, 90, n), "zip": rng.integers(0, 100, n), "pay": rng.permutation(n)},
    quasi=["age", "zip"], sensitive="pay")
limit = int(sys.argv[1]) or None
audit = uv.audit(table, "mondrian:k=5", attacks=["linkage", "measures", "relative-risk"],
                 memory_limit=limit, baseline=False, progress=False)
looked = audit.releases[0].looked
print(re.search(r"VmHWM:\s*(\d+) kB", open("/proc/self/status").read())[1] + "000")
print(*(looked[name].status for name in ("linkage", "measures", "relative-risk")), sep=",")
print(looked["relative-risk"].why)
"""
ALLOCATE = rf"""
import re, resource, subprocess, sys
import numpy as np
from unveil._faults import contained
from unveil._memory import limited
from unveil.engine import started
from unveil.errors import InternalError
free = resource.getrlimit(resource.RLIMIT_DATA)
with limited({LIMIT}):
    try:
        with contained():
            kept = [np.ones(2_000_000) for _ in range(200)]
    except InternalError as error:
        print(error)
    kept = None
    show = "import resource, sys; sys.stdin.read(); print(resource.getrlimit(resource.RLIMIT_DATA))"
    child = started([sys.executable, "-c", show], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    print(child.process.communicate()[0].decode().strip() == str(free))
print(resource.getrlimit(resource.RLIMIT_DATA) == free)
print(re.search(r"VmHWM:\s*(\d+) kB", open("/proc/self/status").read())[1] + "000")
"""


def lines(program, *words):
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_an_audit_stays_below_and_only_what_does_not_fit_fails():
    free, limit = lines(AUDIT, 0), lines(AUDIT, LIMIT)
    assert int(free[0]) > LIMIT  # or the limit would prove nothing
    assert free[1] == "done,done,done"
    assert int(limit[0]) < LIMIT
    assert limit[1] == "done,done,failed"
    assert "it would need about" in limit[2]


def test_what_nobody_asked_for_meets_the_limit_of_the_system():
    why, child, restored, peak = lines(ALLOCATE)
    assert why.startswith("out of memory")
    assert child == "True"  # programs have limits of their own
    assert restored == "True"
    assert int(peak) < LIMIT


def test_too_little_is_refused_up_front(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("age,vote\n1,a\n2,b\n3,a\n4,b\n")
    done = run("audit", table, "--quasi", "age", "--sensitive", "vote", "--sanitizer",
               "mondrian:k=2", "--attack", "measures", "--memory-limit", "50 MB",
               code=2)  # fmt: skip
    assert "--memory-limit" in done.output
    assert "unveil and its libraries need" in " ".join(done.output.split())
    with pytest.raises(InputError, match="as an amount of memory"):
        uv.audit(uv.datasets.election_survey(), "mondrian:k=5", memory_limit="much")


def test_the_estimate_counts_the_limit_as_the_machine():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = 20_000_000_000
    with limited(most):
        assert left() < most
        with pytest.raises(TooLargeError, match="it would need about 24 GB"):
            room_for(60_000, 50_000)
        assert resource.getrlimit(resource.RLIMIT_DATA) != before
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
