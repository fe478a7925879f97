"""How long does it take where a person may have several rows?

Each part prints its own figures, and both sides of a ratio are measured in one run, as CPU time.

- ``leave-one-out``: Mondrian's release without each person, exactly and for all people, beside one
  run of the sanitizer, and beside running it again without each person. The latter is sampled: the
  mean of the runs without some people, times the number of people. *visits* are synthetic hospital
  visits; in *fine* no value of a number occurs twice, so that whoever is missing moves nearly every
  median, which is the worst case.

    python benchmarks/persons.py [--only PART ...] [--people 30000] [--again 20]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np


def leave_one_out(options: argparse.Namespace) -> None:
    """Mondrian without each person, beside one run and beside a run without each person."""
    import unveil as uv
    from unveil.microdata import Statistic

    print(f"{'table':>7} {'rows':>8} {'people':>7} {'goal':>8} {'counts':>6} {'once s':>7} "
          f"{'all s':>7} {'/ once':>7} {'again s':>8} {'again / all':>11}")  # fmt: skip
    rng = np.random.default_rng(0)
    for name, table in (("visits", uv.datasets.visits(options.people)),
                        ("fine", _fine(options.people, rng))):  # fmt: skip
        people, everybody = table.persons.count, np.arange(len(table))
        some = rng.choice(len(table), options.again, replace=False)
        for goal in ({"k": 5}, {"k": 5, "l": 2}):
            f = uv.Mondrian(**goal)
            f.leave_one_out(table, some, Statistic.COVER)  # so that all is compiled
            once = _cpu(lambda f=f, table=table: f.sanitize(table), times=5)
            again = _cpu(
                lambda f=f, table=table: [f.sanitize_without(table, int(i)) for i in some]
            ) / len(some) * people  # fmt: skip
            for statistic in (Statistic.JOINT, Statistic.COVER):
                all_of_them = _cpu(
                    lambda f=f, table=table, statistic=statistic, everybody=everybody:
                    f.leave_one_out(table, everybody, statistic, jobs=1)
                )  # fmt: skip
                shown = ", ".join(f"{n}={v}" for n, v in goal.items())
                print(f"{name:>7} {len(table):>8,} {people:>7,} {shown:>8} {statistic:>6} "
                      f"{once:>7.3f} {all_of_them:>7.2f} {all_of_them / once:>7.1f} "
                      f"{again:>8,.0f} {again / all_of_them:>11,.0f}", flush=True)  # fmt: skip


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


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {"leave-one-out": leave_one_out}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--people", type=int, default=30_000)
    parser.add_argument("--again", type=int, default=20, help="people without whom it is run again")
    options = parser.parse_args()
    for name in options.only:
        print(f"{name}:")
        PARTS[name](options)


if __name__ == "__main__":
    main()
