"""What do all measures cost beside the one grouped count that they follow from?

Generated tables, five keys and ten sensitive values, once with 400 classes and once with nearly
every record alone in its class, as Parquet files. Each line is a process of its own with a limit
on the engine's memory: first the bare ``GROUP BY`` with a count, then all measures, turn by turn;
the time of both is the median, the memory what the process had at most.

And pycanon, for k, ℓ and t of the smallest of these tables, in a virtual environment of its own.

    python benchmarks/measures.py [--rows 100000 10000000 100000000] [--folder FOLDER]
                                  [--memory 3GB] [--engine duckdb|spark] [--without-pycanon]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path

KEYS = ["k0", "k1", "k2", "k3", "k4"]
DOMAINS = {"400 classes": (5, 4, 4, 5, 1), "mostly unique": (90, 2, 100, 1000, 600)}


def main() -> None:
    options = _options()
    if options.one:
        return _one(options)
    folder = Path(options.folder or tempfile.mkdtemp(prefix="unveil-bench-"))
    print(f"{'table':>14} {'rows':>11} {'classes':>11} {'bare s':>8} {'all s':>8} {'ratio':>6} "
          f"{'GB':>5}")  # fmt: skip
    for kind in DOMAINS:
        for rows in options.rows:
            file = folder / f"{kind.replace(' ', '-')}-{rows}.parquet"
            if not file.exists():
                _generate(file, kind, rows)
            found = _apart(file, options)
            print(f"{kind:>14} {rows:>11,} {found['classes']:>11,} {found['bare']:>8.3f} "
                  f"{found['all']:>8.3f} {found['all'] / found['bare']:>6.2f} "
                  f"{found['memory']:>5.1f}", flush=True)  # fmt: skip
    if not options.without_pycanon:
        _beside_pycanon(folder, min(options.rows))
    return None


def _generate(file: Path, kind: str, rows: int) -> None:
    import duckdb

    columns = ", ".join(
        f"(hash(i * 7 + {j}) % {size})::INT AS k{j}" for j, size in enumerate(DOMAINS[kind])
    )
    duckdb.sql(f"COPY (SELECT {columns}, 'v' || (hash(i * 13 + 5) % 10) AS s "
               f"FROM range({rows}) t(i)) TO '{file}' (FORMAT parquet)")  # fmt: skip


def _apart(file: Path, options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(file), "--memory", options.memory,
               "--engine", options.engine]  # fmt: skip
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def _one(options: argparse.Namespace) -> None:
    import unveil as uv
    from unveil.engine.counting import connected

    connection = connected(options.engine, options.memory)
    table = connection.read_parquet(options.one)
    counted = table.group_by([*KEYS, "s"]).aggregate(n=table.count())
    bare = counted.aggregate(cells=counted.count(), rows=counted.n.sum())

    def everything() -> int:
        return uv.measures(
            options.one, quasi=KEYS, sensitive="s", engine=connection
        ).k_anonymity.classes

    bare.to_pyarrow()  # the first one also opens the file
    repeats = 1 if "100000000" in options.one else 5
    times: dict[str, list[float]] = {"bare": [], "all": []}
    for _ in range(repeats):
        times["bare"].append(_seconds(bare.to_pyarrow))
        times["all"].append(_seconds(everything))
    found = {name: statistics.median(seconds) for name, seconds in times.items()}
    found["classes"] = everything() if repeats > 1 else _last[0]
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps(found))


_last: list[object] = [None]


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    _last[0] = work()
    return time.perf_counter() - begun


_PYCANON = """
import sys, time
import pandas as pd
from pycanon import anonymity
table = pd.read_parquet(sys.argv[1])
keys = ["k0", "k1", "k2", "k3", "k4"]
begun = time.perf_counter()
found = (anonymity.k_anonymity(table, keys), anonymity.l_diversity(table, keys, ["s"]),
         anonymity.t_closeness(table, keys, ["s"]))
print(time.perf_counter() - begun, *found)
"""


def _beside_pycanon(folder: Path, rows: int) -> None:
    """k, ℓ and t of the mostly unique table, by both."""
    import unveil as uv

    python = folder / "pycanon" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "pycanon", with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "pycanon", "pyarrow"]
        subprocess.run(install, check=True)
    file = folder / f"mostly-unique-{rows}.parquet"
    said = subprocess.run([str(python), "-c", _PYCANON, str(file)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split()  # fmt: skip

    def ours() -> tuple[object, ...]:
        counts = uv.count(str(file), quasi=KEYS, sensitive="s")
        return (
            uv.k_anonymity(counts).k,
            uv.l_diversity(counts).distinct,
            uv.t_closeness(counts, distance="equal").t,
        )

    ours()
    seconds = statistics.median(_seconds(ours) for _ in range(5))
    theirs = float(said[0])
    print(f"\npycanon, k, ℓ and t of {rows:,} mostly unique records: {theirs:.1f} s "
          f"(k={said[1]}, ℓ={said[2]}, t={said[3]}); unveil {seconds:.3f} s {_last[0]}: "
          f"{theirs / seconds:,.0f} × faster")  # fmt: skip


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 10_000_000, 100_000_000])
    parser.add_argument("--folder", help="where the generated tables are, or go")
    parser.add_argument("--memory", default="3GB", help="what the engine may use")
    parser.add_argument("--engine", default="duckdb", choices=["duckdb", "spark"])
    parser.add_argument("--without-pycanon", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
