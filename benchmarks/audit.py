"""How long does an audit take: five releases of the Adult records, each with the default attacks?

    python benchmarks/audit.py                        (UNVEIL_DATA names the folder of public data)
    python benchmarks/audit.py --sweep                Mondrian with k = 2, 4, …, 64
    python benchmarks/audit.py --rows 1000000         a generated census, as it is and Mondrian
    python benchmarks/audit.py --cold                 the first run ever, kernels being compiled

Every run is a process of its own. Printed: for each release, how long it took to make it and for
each part to look at it; in all, wall, processor time of all threads, and peak memory; and what the
same attacks take one by one with their own functions, as a ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

import unveil as uv
from unveil.auditing.parts import DEFAULT

FIVE = ("identity", "mondrian:k=5", "mondrian:k=5,l=3", "anatomy:l=3",
        "recoding:k=5,suppression=0.05")  # fmt: skip
SWEEP = ("mondrian:k=2..64",)
LARGE = ("identity", "mondrian:k=5", "mondrian:k=50")


def main() -> None:
    options = _options()
    if options.run:
        print(json.dumps(run(options)))
        return
    with tempfile.TemporaryDirectory() as empty:
        cache = {"NUMBA_CACHE_DIR": empty} if options.cold else {}
        first = in_a_process(cache)
        if options.cold:
            show("the first run, kernels being compiled", first)
        show("kernels compiled", whole := in_a_process(cache))
        alone = in_a_process(cache, "--alone")
    print(f"\nThe same attacks one by one, each with a release of its own: {alone['wall']:.1f} s "
          f"wall, {alone['cpu']:.1f} s of processors; the audit takes "
          f"{whole['cpu'] / alone['cpu']:.2f} times their processor time")  # fmt: skip


def in_a_process(cache: dict[str, str], *more: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, *sys.argv[1:], "--run", *more],
        check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **cache},
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Audit, or every attack by itself, and say what it took."""
    table, names = _table(options)
    wall, cpu = time.perf_counter(), time.process_time()
    took = one_by_one(table, names) if options.alone else audited(table, names)
    return {
        "records": len(table), "took": took, "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }  # fmt: skip


def audited(table: uv.Microdata, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    audit = uv.audit(table, list(names), progress=False)
    return {
        one.name: {part: looked.seconds for part, looked in one.looked.items()}
        for one in audit.releases
    }


def one_by_one(table: uv.Microdata, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """An audit of a single attack and release each: all of it is made anew, nothing is shared."""
    took: dict[str, dict[str, float]] = {}
    for name in names:
        for part in DEFAULT:
            for one in uv.audit(table, name, attacks=[part], progress=False).releases:
                took.setdefault(one.name, {})[part] = one.looked[part].seconds
    return took


def show(title: str, found: dict[str, Any]) -> None:
    print(f"\n{found['records']:,} records, {title}: {found['wall']:.1f} s wall, "
          f"{found['cpu']:.1f} s of processors, peak memory {found['peak']:.2f} GB")  # fmt: skip
    width = max(map(len, found["took"]))
    print(f"{'seconds':>{width}} " + "".join(f"{part[:14]:>15}" for part in DEFAULT))
    for name, parts in found["took"].items():
        print(f"{name:>{width}} " + "".join(f"{parts.get(part, 0):>15.2f}" for part in DEFAULT))


def _table(options: argparse.Namespace) -> tuple[uv.Microdata, tuple[str, ...]]:
    if options.rows is not None:
        return uv.datasets.census(options.rows, seed=0), LARGE
    return uv.datasets.adult(), SWEEP if options.sweep else FIVE


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, help="of a generated census, instead of Adult")
    parser.add_argument("--sweep", action="store_true", help="a series of k")
    parser.add_argument("--cold", action="store_true", help="with an empty cache of kernels first")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
