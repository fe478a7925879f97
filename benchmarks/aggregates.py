"""How long does it take to find out how small and how large every hidden cell can be?

All tables of two of the columns sex, race, marital status, education and occupation of Adult are
published; cells under 5 are hidden, 0 among them, and the others are rounded to 5. All ends of all
hidden cells together are beside one linear and one integer program for each end. Of these some are
solved, drawn at random; their mean, times the number of ends, is the time for all (an integer
program is given up after a minute). Both are CPU time of one run. The number of columns grows; with
``--people`` there is also what follows about people.

    python benchmarks/aggregates.py [--data FOLDER] [--ends 10] [--columns 3 4 5] [--people]

FOLDER is that of the public microdata (by default UNVEIL_DATA, or ../shared/data).
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

COLUMNS = ["sex", "race", "marital-status", "education", "occupation"]
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def tables_of(folder: Path, columns: list[str]) -> Any:
    """The release, and the people."""
    import unveil as uv

    table = uv.read_csv(
        folder / "adult_arx" / "adult.csv", quasi=columns[:-1], sensitive=columns[-1]
    )
    pairs = list(itertools.combinations(columns, 2))
    return uv.CrossTables(tables=pairs, suppress=5, round=5, totals=False).sanitize(table), table


def one_by_one(release: Any, ends: int, rng: np.random.Generator) -> float:
    """The mean time of two programs for one end, of some ends."""
    hidden = rng.choice(np.flatnonzero(release.is_hidden), ends)
    started = time.process_time()
    for place, cell in enumerate(hidden.tolist()):
        cost = release.incidence[[cell]].toarray().ravel() * (1 if place % 2 else -1)
        for whole in (0, 1):
            milp(
                cost, integrality=np.full(len(cost), whole), bounds=Bounds(0, np.inf),
                constraints=LinearConstraint(release.incidence, release.low, release.high),
                options={"time_limit": 60.0},
            )  # fmt: skip
    return (time.process_time() - started) / ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("UNVEIL_DATA", SHARED)))
    parser.add_argument("--ends", type=int, default=10)
    parser.add_argument("--columns", type=int, nargs="+", default=[3, 4, 5])
    parser.add_argument("--people", action="store_true")
    options = parser.parse_args()

    import unveil as uv

    heads = [
        ("columns", 7),
        ("combinations", 12),
        ("cells", 6),
        ("hidden", 6),
        ("exact", 6),
        ("known", 6),
        ("programs", 8),
        ("all s", 7),
        ("each s", 7),
        ("each / all", 10),
    ]
    print(" ".join(f"{head:>{width}}" for head, width in heads))
    rng = np.random.default_rng(0)
    for number in options.columns:
        release, table = tables_of(options.data, COLUMNS[-number:])
        started = time.process_time()
        found = uv.tables(release, only_cells=True)
        spent = time.process_time() - started
        each = one_by_one(release, options.ends, rng) * 2 * len(found.hidden)
        facts = found.facts
        print(f"{number:>7} {release.incidence.shape[1]:>12,} {facts['cells']:>6,} "
              f"{facts['hidden']:>6,} {facts['exact']:>6,} {facts['disclosed']:>6,} "
              f"{facts['programs']:>8,} {spent:>7.1f} {each:>7.0f} {each / spent:>10.1f}",
              flush=True)  # fmt: skip
        if options.people:
            started = time.process_time()
            found = uv.tables(release, table)
            print(f"{'':>7} about {facts['combinations'] or len(found.claims.combinations):,} "
                  f"combinations of people: {time.process_time() - started:.1f} s, "
                  f"{found.facts['programs']:,} programs")  # fmt: skip


if __name__ == "__main__":
    main()
