"""What does a round of hardening cost, and what does hardening achieve?

Both strategies on Internet Usage and on all of Adult: δ before and after, what it took, and the
time of one round beside that of one test of the table as it is.

    python benchmarks/hardening.py [--data FOLDER] [--delta 0.05] [--rounds 20]
"""

from __future__ import annotations

import argparse
import os
import statistics
from pathlib import Path

import unveil as uv
from unveil.microdata import Microdata


def main() -> None:
    options = _options()
    uv.harden(uv.datasets.census(300), uv.Mondrian(k=3), strategy="both", rounds=1)  # compiles
    heads = ("test s", "round s", "ratio", "rounds", "holds", "δ before", "δ best", "removed",
             "enlarged", "loss before", "loss best")  # fmt: skip
    widths = (7, 7, 6, 7, 6, 9, 8, 8, 9, 12, 10)
    print(" " * 60, *(head.rjust(width) for head, width in zip(heads, widths, strict=True)))
    tables = {
        "Internet Usage": uv.datasets.internet_usage(options.data),
        "Adult": uv.datasets.adult(options.data),
    }
    for name, table in tables.items():
        for sanitizer in (uv.Mondrian(k=5), uv.Mondrian(k=5, regions="cut")):
            measure(name, table, sanitizer, options)


def measure(
    name: str, table: Microdata, sanitizer: uv.Mondrian, options: argparse.Namespace
) -> None:
    """Print a line for each strategy."""
    tests = [uv.differential_inference(table, sanitizer).seconds for _ in range(3)]
    test = statistics.median(tests)
    found = uv.harden(table, sanitizer, strategy="both", delta=options.delta, rounds=options.rounds)
    for course in found.courses.values():
        before, best = course.rounds[0], course.best
        one = statistics.median(one.seconds for one in course.rounds[1:] or course.rounds)
        row = [
            f"{name:>15} {len(table):>7,} {sanitizer.label:>29}",
            f"{course.strategy:>6}",
            f"{test:>7.2f}",
            f"{one:>7.2f}",
            f"{one / test:>6.1f}",
            f"{len(course.rounds) - 1:>7}",
            f"{'yes' if best.holds else 'no':>6}",
            f"{before.delta:>9.3f}",
            f"{best.delta:>8.3f}",
            f"{best.removed:>8,}",
            f"{best.enlarged:>9,}",
            f"{before.loss:>12.1%}",
            f"{best.loss:>10.1%}",
        ]
        print(*row, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", default=os.environ.get("UNVEIL_DATA", beside))
    parser.add_argument("--delta", type=float, default=0.05)
    parser.add_argument("--rounds", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()
