"""How long does recoding take, and how much of the lattice does it look at?

ARX's Adult table with ARX's hierarchies: the best combination of levels by the pruned search beside
looking at all of them; the differential test of every record beside running the sanitizer anew
without a few of them; and local recoding.

    python benchmarks/recoding.py [--data FOLDER]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import unveil as uv
from unveil.microdata import Microdata, Statistic
from unveil.sanitize.recoding._search import _Search, judged

SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
GOALS: tuple[dict[str, Any], ...] = (
    {"k": 5, "suppression": 0.05},
    {"k": 5},
    {"k": 5, "l": 3, "suppression": 0.05},
    {"k": 5, "t": 0.3, "suppression": 0.05},
)
FEW = 5  # records without which the sanitizer is run anew


def main() -> None:
    folder = _options().data / "adult_arx"
    start = time.perf_counter()
    people = uv.read_csv(
        folder / "adult.csv", quasi=SEVEN, sensitive="occupation",
        hierarchies=folder / "hierarchies",
    )  # fmt: skip
    uv.Recoding(k=5, suppression=0.05).sanitize(people)
    print(f"reading, compiling and recoding: {time.perf_counter() - start:.1f} s\n")
    print(f"{'global':45} search s  visited  of all  all s  ratio  test s  anew s  ratio")
    for options in GOALS:
        compare(people, uv.Recoding(**options))
    for options in ({"k": 5}, {"k": 5, "l": 3}):
        local = uv.Recoding(**options, scheme="local")
        local.sanitize(people.take(np.arange(200)))  # compiles
        print(f"\n{local.label}: {seconds(lambda f=local: f.sanitize(people)):.2f} s")


def compare(people: Microdata, sanitizer: uv.Recoding) -> None:
    """Print a line: the search, the whole lattice, everybody's test, and a few runs anew."""
    sanitizer.leave_one_out(people, np.arange(2), Statistic.JOINT)  # compiles
    visited = []
    usual = _Search.visit

    def counted(self: _Search, node: tuple[int, ...]) -> bool:
        visited.append(node)
        return usual(self, node)

    _Search.visit = counted  # type: ignore[method-assign]
    searching = seconds(lambda: sanitizer.sanitize(people))
    _Search.visit = usual  # type: ignore[method-assign]
    problem = sanitizer._problem(people)
    nodes = list(product(*map(range, problem.lattice.shape)))
    everything = seconds(lambda: [judged(problem, node) for node in nodes])
    testing = seconds(
        lambda: uv.differential_inference(
            people, sanitizer, adversary="naive-bayes", progress=False
        )
    )
    anew = seconds(lambda: [sanitizer.sanitize(people.without(i)) for i in range(FEW)])
    anew *= len(people.distinct) / FEW  # equal records are left out once
    print(
        f"{sanitizer.label:45} {searching:8.2f} {len(visited):8,} {len(nodes):7,} "
        f"{everything:6.1f} {everything / searching:6.1f} {testing:7.2f} {anew:7.0f} "
        f"{anew / testing:6.0f}"
    )


def seconds(work: Callable[[], Any]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    default = Path(os.environ.get("UNVEIL_DATA", shared))
    parser.add_argument("--data", type=Path, default=default, help="folder of public microdata")
    return parser.parse_args()


if __name__ == "__main__":
    main()
