"""How long does it take to put a published file beside its original, and to audit it?

    python benchmarks/alignment.py                    100,000 rows of 12 columns
    python benchmarks/alignment.py --rows 1000000
    python benchmarks/alignment.py --before ../other/src       and how many times as fast this is

Two pairs of files: rows in the same order, and rows shuffled. Every run is a process of its own.
Printed: wall and processor time, peak memory, and whether every column was read as it was made; and
the same of `unveil audit original.csv published.csv --report report.html`, with all that it does:
in an empty cache, where kernels are compiled, and again. The load of the machine is printed beside
each time: a busy one makes walls of no use.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import unveil as uv

MADE = {
    "birth_year": "year", "sex": "recoded", "zip3": "prefix 3", "admission": "month",
    "weight": "unchanged", "income": "rounded 1000", "job_group": "set", "children": "top 4",
    "region": "unchanged", "chapter": "prefix 3", "age": "age 2024-12-31",
}  # fmt: skip
PAIRS = ("ordered", "shuffled")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--before", type=Path, help="sources of another version, to compare with")
    parser.add_argument("--pairs", nargs="+", choices=PAIRS, default=PAIRS)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(run(options.run)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for pair in options.pairs:
            place = Path(folder) / pair
            write(place, options.rows, shuffled=pair == "shuffled")
            done = subprocess.run([sys.executable, __file__, "--run", str(place)], check=True,
                                  stdout=subprocess.PIPE, text=True)  # fmt: skip
            found = json.loads(done.stdout)
            print(f"{pair}: {found['wall']:.1f} s wall, {found['cpu']:.1f} s of processors, "
                  f"{found['memory']:,.0f} MB; rows {found['rows']}, {found['right']} of "
                  f"{len(MADE)} columns as they were made, others: {found['others']}")  # fmt: skip
            compiled = Path(folder) / "compiled"
            now = [audited(f"{pair}, audited {how}", place, compiled)
                   for how in ("with compilation", "again")][-1]  # fmt: skip
            if options.before:
                sources = options.before.resolve()
                before = audited(f"{pair}, audited before", place, compiled, sources)
                print(f"{pair}: {before / now:.1f} times as fast, by processor time")


def audited(what: str, place: Path, compiled: Path, sources: Path | None = None) -> float:
    """Align, propose roles, audit and write the page, as one command; its processor time."""
    places = {"NUMBA_CACHE_DIR": str(compiled)}
    if sources is not None:
        places["PYTHONPATH"] = str(sources)
    load = os.getloadavg()[0]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "unveil", "audit", "original.csv", "published.csv",
         "--report", "report.html",
         # Without order nobody knows what the values of sex are, and has to be told.
         *(["--how", "sex=perturbed"] if place.name == "shuffled" else [])],
        cwd=place, stdout=subprocess.PIPE, text=True, env={**os.environ, **places},
    )  # fmt: skip
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)  # of this one alone, and not of all so far
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == 2:  # it asks what it does not know, and audits nothing
        print(f"{what}: not audited before its questions are answered")
        return math.nan
    if process.returncode:
        sys.exit(f"{what}: exit code {process.returncode}")
    wall, cpu = time.perf_counter() - begun, used.ru_utime + used.ru_stime
    linked = next(line for line in said.splitlines() if "linked to one value" in line)
    print(f"{what}: {wall:.1f} s wall, {cpu:.1f} s of processors ({used.ru_stime:.1f} of the "
          f"system), up to {used.ru_maxrss / 1024:,.0f} MB; load {load:.1f} before, "
          f"{os.getloadavg()[0]:.1f} after; {' '.join(linked.split())}", flush=True)  # fmt: skip
    return cpu


def write(place: Path, rows: int, *, shuffled: bool) -> None:
    """People, and what is published of them."""
    place.mkdir()
    rng = np.random.default_rng(1)
    born = np.datetime64("1930-01-01") + rng.integers(0, 29_000, rows)
    admitted = np.datetime64("2022-01-01") + rng.integers(0, 900, rows)
    people = pd.DataFrame({
        "id": [f"P{number:08}" for number in rng.permutation(rows)],
        "name": [f"N{a} M{b}" for a, b in rng.integers(0, 4000, (rows, 2))],
        "born": pd.Series(born).dt.strftime("%d.%m.%Y"),
        "sex": rng.choice(["m", "f"], rows),
        "zip": [f"{code:05}" for code in rng.integers(1000, 99_999, rows)],
        "admitted": pd.Series(admitted).dt.strftime("%d.%m.%Y"),
        "weight": np.round(rng.normal(75, 15, rows), 1),
        "income": rng.integers(12_000, 140_000, rows),
        "job": rng.choice([f"job {number}" for number in range(120)], rows),
        "children": rng.integers(0, 7, rows),
        "region": rng.choice([f"R{number}" for number in range(16)], rows),
        "icd": [f"{a}{b}.{c}" for a, b, c in zip(rng.choice(list("CEFIJK"), rows),
                rng.integers(10, 99, rows), rng.integers(0, 9, rows), strict=True)],
    })  # fmt: skip
    date = pd.Series(born)
    birthday = date.dt.month * 100 + date.dt.day
    public = pd.DataFrame({
        "row": np.arange(rows), "birth_year": date.dt.year,
        "sex": people["sex"].map({"m": "male", "f": "female"}), "zip3": people["zip"].str[:3],
        "admission": pd.Series(admitted).dt.strftime("%Y-%m"), "weight": people["weight"],
        "income": (people["income"] / 1000).round().astype(int) * 1000,
        "job_group": [f"group {int(job[4:]) % 9}" for job in people["job"]],
        "children": people["children"].clip(upper=4), "region": people["region"],
        "chapter": people["icd"].str[:3], "age": 2024 - date.dt.year - (birthday > 1231),
    })  # fmt: skip
    public.loc[rng.random(rows) < 0.02, "zip3"] = "*"
    if shuffled:
        public = public.sample(frac=1, random_state=2)
    people.to_csv(place / "original.csv", index=False)
    public.to_csv(place / "published.csv", index=False, sep=";")


def run(place: Path) -> dict[str, object]:
    begun = time.perf_counter()
    found = uv.align(place / "original.csv", place / "published.csv")
    wall = time.perf_counter() - begun
    used = resource.getrusage(resource.RUSAGE_SELF)
    others = {name: how for name, how in found.how.items() if MADE.get(name, "new") != how}
    return {
        "wall": wall, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024,
        "rows": found.rows.kind, "right": len(MADE) - len(others), "others": others,
    }  # fmt: skip


if __name__ == "__main__":
    main()
