"""How long does it take to look for 100,000 people in 1,000,000 released records?

A synthetic census is published by several sanitizers; people are looked for who are in it, or
nearly (a fifth of them a year older by now). Beside it, in the same run: the plain way, a
person beside every *class* (or record of Anatomy's), for a few of the people, and counted up to all
of them. Both must find the same. The memory is what the attack has at most, in a second run.

    python benchmarks/linkage.py [--people 100000] [--records 1000000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import tracemalloc

import numpy as np

import unveil as uv
from unveil.microdata import Intervals, Microdata, Permuted, Release


class EachByItself:
    """Cells of any width around each value, and some hidden: classes overlap as they like."""

    def sanitize(self, microdata: Microdata) -> Release:
        rng, n = np.random.default_rng(4), len(microdata)
        regions = []
        for column in microdata.quasi:
            reach = max(1, column.size // 8)
            low = np.maximum(column.codes - rng.integers(0, reach, n), 0)
            high = np.minimum(column.codes + rng.integers(0, reach, n), column.size - 1)
            hidden = rng.random(n) < 0.1
            low[hidden], high[hidden] = 0, column.size - 1
            regions.append(Intervals(low.astype(np.int32), high.astype(np.int32)))
        return Release(
            quasi=microdata.quasi, sensitive=microdata.sensitive,
            class_of=np.arange(n, dtype=np.int32), regions=tuple(regions), made_by="nobody",
        )  # fmt: skip


SANITIZERS = {
    "Mondrian, k = 5": lambda: uv.Mondrian(k=5),
    "Mondrian, k = 5, cut": lambda: uv.Mondrian(k=5, regions="cut"),
    "global recoding, k = 5": lambda: uv.Recoding(k=5, suppression=0.05),
    "as it is": lambda: uv.Identity(),
    "Anatomy, l = 2": lambda: uv.Anatomy(l=2),
    "each record by itself": lambda: EachByItself(),
}
FEW = 100  # people for whom every class is looked at


def main() -> None:
    options = _options()
    if options.one:
        return one(options.one, options.people, options.records)
    print(f"{options.people:,} people, {options.records:,} records\n")
    print(f"{'release':24} classes   index and search s    MB most   plain way s    ratio")
    for name in SANITIZERS:
        command = [sys.executable, __file__, "--one", name]
        command += ["--people", str(options.people), "--records", str(options.records)]
        subprocess.run(command, check=True)
    return None


def one(name: str, people: int, records: int) -> None:
    """Print the line of one sanitizer."""
    census = uv.datasets.census(records)
    register = known_people(census, people)
    small = census.take(np.arange(2_000))
    uv.linkage(SANITIZERS[name]().sanitize(small), small)  # compiles
    release = SANITIZERS[name]().sanitize(census)
    assert isinstance(release, Release | Permuted)
    _ = release.counts  # not made by the attack
    start = time.perf_counter()
    finding = uv.linkage(release, register, progress=False)
    fast = time.perf_counter() - start
    tracemalloc.start()
    uv.linkage(release, register, progress=False)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    few = np.random.default_rng(3).choice(people, FEW, replace=False)
    start = time.perf_counter()
    counts = np.concatenate([release.joint_counts(register.codes[:, [i]]) for i in few])
    plain = (time.perf_counter() - start) * people / FEW
    np.testing.assert_array_equal(finding.candidates[few], counts.sum(axis=1).round())
    np.testing.assert_array_equal(finding.values[few], (counts > 0).sum(axis=1))
    print(
        f"{name:24} {len(release.sizes):7,} {fast:20.2f} {memory / 2**20:10,.0f} {plain:13,.0f} "
        f"{plain / fast:8,.0f}",
        flush=True,
    )


def known_people(census: Microdata, people: int) -> Microdata:
    """Some of those who are in it; a fifth of them a year older by now."""
    rng = np.random.default_rng(2)
    some = census.take(rng.choice(len(census), people, replace=False))
    age = census["age"]
    ages = some["age"].codes + (rng.random(people) < 0.2).astype(np.int32)
    some["age"].codes[:] = np.minimum(ages, age.size - 1)
    return some


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
