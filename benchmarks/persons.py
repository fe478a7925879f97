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
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np


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
