"""Ctrl-C in the middle of compiled code is an interrupt, and no crash."""

import subprocess
import sys

# Timers go off while a kernel is running; what it returns is made when it ends.
PROGRAM = """
import signal
import unveil as uv

table, f = uv.datasets.census(4000), uv.Mondrian(k=3)

def sanitize():
    f.sanitize(table)

def test():
    finding = uv.differential_inference(table, f, jobs=1)
    if "interrupted" in finding.not_tested:
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, signal.default_int_handler)
for work in (sanitize, test):
    work()
    interrupts = 0
    for number in range(40):
        signal.setitimer(signal.ITIMER_REAL, 0.0005 * (number + 1))
        try:
            while True:
                work()
        except KeyboardInterrupt:
            interrupts += 1
    print(interrupts)
"""


def test_an_interrupt_while_kernels_are_running():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["40", "40"]
