"""Try many inputs that are nearly right, and tell which of them are a fault.

An input that is a fault is kept as a file; move it to tests/fuzz/corpus/ once it is mended. A
worker that crashes or hangs for good is ended, and the input that it was at is one, too.

    python tools/fuzz.py --inputs 100000 --seed 0
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil

SUPPORT = Path(__file__).resolve().parents[1] / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

from fuzzing import Fault, judged, made  # noqa: E402

STUCK = 30.0
"""Seconds of the processor for one input; those of the clock would tell of other programs."""
WAITING = 900.0
"""Seconds of the clock, for an input that only waits."""


def work(seed: int, numbers: range, at: Path, into: Path, only: str | None) -> None:
    """Try some inputs, and note at which one we are."""
    for number in numbers:
        at.write_text(f"{number} {time.process_time()}")
        case = made(seed, number, only=only)
        fault = judged(case)
        if fault is not None:
            keep(into, seed, number, fault, only)
    at.write_text("done")


def keep(into: Path, seed: int, number: int, fault: Fault, only: str | None) -> None:
    """Write an input that is a fault, and what was wrong."""
    case = made(seed, number, only=only)
    file = into / f"{case.reader}-{seed}-{number}.json"
    file.write_text(case.dump())
    file.with_suffix(".txt").write_text(f"{fault.where}\n{fault.told}\n")


def main() -> None:
    """Both cores, until all inputs are tried."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--inputs", type=int, default=100_000)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--first", type=int, default=0)
    words.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    words.add_argument("--only", default=None)
    words.add_argument("--into", type=Path, default=Path("fuzz-out"))
    words.add_argument("--part", default=None, help=argparse.SUPPRESS)
    given = words.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    if given.part is not None:
        first, last, step = map(int, given.part.split(":"))
        at = given.into / f"at-{first % step}"
        work(given.seed, range(first, last, step), at, given.into, given.only)
        return
    began = time.monotonic()
    watch(given)
    found = Counter(file.read_text().partition("\n")[0] for file in given.into.glob("*.txt"))
    for where, times in found.most_common():
        print(f"{times:6}  {where}")
    print(f"{given.inputs:,} inputs with seed {given.seed} in {time.monotonic() - began:.0f} s: "
          f"{sum(found.values()):,} faults, {len(found)} causes")  # fmt: skip
    sys.exit(bool(found))


def watch(given: argparse.Namespace) -> None:
    """Start the workers anew after the input at which one ended or got stuck."""
    last, step = given.first + given.inputs, given.jobs
    ahead = {place: given.first + place for place in range(step)}
    running: dict[int, subprocess.Popen[bytes]] = {}
    while ahead:
        for place, first in list(ahead.items()):
            at = given.into / f"at-{first % step}"
            if place not in running:
                at.write_text(f"{first} 0")
                part = f"{first}:{last}:{step}"
                running[place] = subprocess.Popen(
                    [sys.executable, __file__, *sys.argv[1:], "--part", part]
                )
            process = running[place]
            stuck = is_stuck(process, at)
            if process.poll() is None and not stuck:
                continue
            if stuck:
                process.kill()
                process.wait()
            del running[place]
            if at.read_text() == "done":
                del ahead[place]
                at.unlink()
                continue
            number = int(at.read_text().split()[0])
            how = "hangs" if stuck else f"ends the process with {process.returncode}"
            reader = made(given.seed, number, only=given.only).reader
            keep(given.into, given.seed, number, Fault("crash", f"{reader} {how}", ""), given.only)
            ahead[place] = number + step
            if ahead[place] >= last:
                del ahead[place]
        time.sleep(0.2)


def is_stuck(process: subprocess.Popen[bytes], at: Path) -> bool:
    """Whether a worker has been at one input for too long."""
    waited, began = time.time() - at.stat().st_mtime, at.read_text().split()[1:]
    if process.poll() is not None or waited < STUCK or not began:
        return False
    times = psutil.Process(process.pid).cpu_times()
    return times.user + times.system - float(began[0]) > STUCK or waited > WAITING


if __name__ == "__main__":
    main()
