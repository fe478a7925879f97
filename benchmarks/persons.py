"""How long does it take where a person may have several rows?

Each part prints its own figures, and both sides of a ratio are measured in one run, as CPU time.

- ``leave-one-out``: Mondrian's release without each person, exactly and for all people, beside one
  run of the sanitizer, and beside running it again without each person. The latter is sampled: the
  mean of the runs without some people, times the number of people. *visits* are synthetic hospital
  visits; in *fine* no value of a number occurs twice, so that whoever is missing moves nearly every
  median, which is the worst case.
- ``engine``: the bare ``GROUP BY`` with ``COUNT(DISTINCT person)``, then k by persons, then all
  measures, with 400 classes and with many small ones; ten events of each person, in a Parquet file.
  Each line is a process of its own with a limit on the engine's memory: its time by the clock and
  its CPU time, of which the ratio is, and the memory that the process had at most.

    python benchmarks/persons.py [--only PART ...] [--people 30000] [--again 20]
                                 [--rows 1000000 100000000] [--what bare k measures]
                                 [--folder FOLDER] [--memory 3GB]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROLES = {"quasi": ["k0", "k1", "k2"], "sensitive": "s", "person": "person"}
DOMAINS = {"400 classes": (5, 8, 10), "small classes": (100, 100, 1000)}
ROWS_EACH = 10


def leave_one_out(options: argparse.Namespace) -> None:
    """Mondrian without each person, beside one run and beside a run without each person."""
    import unveil as uv

    print(f"{'table':>7} {'goal':>8} {'rows':>8} {'people':>7} {'counts':>6} {'once s':>7} "
          f"{'all s':>7} {'/ once':>7} {'again s':>8} {'again / all':>11}")  # fmt: skip
    rng = np.random.default_rng(0)
    for name, table in (("visits", uv.datasets.visits(options.people)),
                        ("fine", _fine(options.people, rng))):  # fmt: skip
        for goal in ({"k": 5}, {"k": 5, "l": 2}):
            for line in _without_each(uv.Mondrian(**goal), table, options.again, rng):
                print(f"{name:>7} {', '.join(f'{n}={v}' for n, v in goal.items()):>8} {line}",
                      flush=True)  # fmt: skip


def _without_each(f: Any, table: Any, again: int, rng: np.random.Generator) -> Iterator[str]:
    """A line for each of the counts that adversaries ask for."""
    from unveil.microdata import Statistic

    persons, everybody = table.persons, np.arange(len(table))
    some = persons.order[persons.starts[rng.choice(persons.count, again, replace=False)]]
    f.leave_one_out(table, some, Statistic.COVER)  # so that all is compiled
    once = _cpu(lambda: f.sanitize(table), times=5)
    anew = _cpu(lambda: [f.sanitize_without(table, int(one)) for one in some])
    anew *= persons.count / again
    for statistic in (Statistic.JOINT, Statistic.COVER):
        took = _cpu(partial(f.leave_one_out, table, everybody, statistic, jobs=1))
        yield (f"{len(table):>8,} {persons.count:>7,} {statistic:>6} {once:>7.3f} {took:>7.2f} "
               f"{took / once:>7.1f} {anew:>8,.0f} {anew / took:>11,.0f}")  # fmt: skip


def _fine(people: int, rng: np.random.Generator) -> Any:
    """A table of three columns of numbers without ties, of people with about three rows each."""
    import unveil as uv
    from unveil.microdata import Persons

    rows = 3 * people
    numbers = {name: rng.permutation(rows) for name in ("height", "weight", "pulse")}
    table = uv.read_table(
        {**numbers, "illness": rng.integers(0, 10, rows).astype(str)},
        quasi=list(numbers), sensitive="illness",
    )  # fmt: skip
    whose = np.concatenate([np.arange(people), rng.integers(0, people, rows - people)])
    return replace(table, persons=Persons(("who",), rng.permutation(whose)))


def _cpu(work: Callable[[], object], times: int = 1) -> float:
    """The least CPU time of several runs."""
    least = float("inf")
    for _ in range(times):
        begun = time.process_time()
        work()
        least = min(least, time.process_time() - begun)
    return least


def engine(options: argparse.Namespace) -> None:
    """k by persons beside the bare query, and all measures."""
    folder = Path(options.folder or tempfile.mkdtemp(prefix="unveil-bench-"))
    print(f"{'table':>14} {'rows':>11} {'people':>11} {'k':>6} {'what':>9} {'clock s':>8} "
          f"{'CPU s':>7} {'x bare':>6} {'GB':>5}")  # fmt: skip
    for kind in DOMAINS:
        for rows in options.rows:
            file = folder / f"{kind.replace(' ', '-')}-{rows}.parquet"
            if not file.exists():
                _events(file, kind, rows)
            bare = None
            for what in options.what:
                found = _apart(file, what, options)
                bare = found["cpu"] if what == "bare" else bare
                times = f"{found['cpu'] / bare:.2f}" if bare else ""
                print(f"{kind:>14} {rows:>11,} {found['people']:>11,} {found['k']:>6} {what:>9} "
                      f"{found['seconds']:>8.1f} {found['cpu']:>7.1f} {times:>6} "
                      f"{found['memory']:>5.1f}", flush=True)  # fmt: skip


def _events(file: Path, kind: str, rows: int) -> None:
    """Events of people who mostly stay where they are."""
    import duckdb

    people = rows // ROWS_EACH
    columns = ", ".join(
        f"(hash((p * 7 + {j}) * 1000 + CASE WHEN hash(i * 3 + {j}) % 10 < 7 THEN 0 ELSE i END) "
        f"% {size})::INT AS k{j}" for j, size in enumerate(DOMAINS[kind])
    )  # fmt: skip
    duckdb.sql(f"""COPY (SELECT p AS person, {columns}, 'v' || (hash(i * 13 + 5) % 5) AS s
        FROM (SELECT i, (hash(i) % {people})::BIGINT AS p FROM range({rows}) t(i))
        ) TO '{file}' (FORMAT parquet)""")


def _apart(file: Path, what: str, options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(file), "--what", what,
               "--memory", options.memory]  # fmt: skip
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def _one(options: argparse.Namespace) -> dict[str, float]:
    import unveil as uv
    from unveil.engine.counting import connected

    connection = connected("duckdb", options.memory)

    def bare() -> dict[str, int]:
        table = connection.read_parquet(options.one)
        classes = table.group_by(ROLES["quasi"]).aggregate(n=table.person.nunique())
        return {"k": int(classes.n.min().to_pyarrow().as_py()), "people": 0}

    def k() -> dict[str, int]:
        roles = {name: ROLES[name] for name in ("quasi", "person")}
        return {"k": uv.k_anonymity(options.one, **roles, engine=connection).k, "people": 0}

    def measures() -> dict[str, int]:
        found = uv.measures(options.one, **ROLES, engine=connection)
        return {"k": found.k, "people": found.people}

    work: dict[str, Callable[[], dict[str, int]]] = {"bare": bare, "k": k, "measures": measures}
    begun, used = time.perf_counter(), time.process_time()
    found = work[options.what[0]]()
    return {
        **found, "seconds": time.perf_counter() - begun, "cpu": time.process_time() - used,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }  # fmt: skip


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "leave-one-out": leave_one_out,
    "engine": engine,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--people", type=int, default=30_000)
    parser.add_argument("--again", type=int, default=20, help="people without whom it is run again")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 100_000_000])
    parser.add_argument("--what", nargs="+", default=["bare", "k", "measures"])
    parser.add_argument("--folder", help="where the tables of events are, or are written")
    parser.add_argument("--memory", default="3GB", help="limit of the engine")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(_one(options)))
        return
    for name in options.only:
        print(f"{name}:")
        PARTS[name](options)


if __name__ == "__main__":
    main()
