"""How much more than one sanitization does the exact test of every record cost?

Measured side by side in one run:

(a) one sanitization,
(b) the exact test of all records by the fast path, sanitizing and adversary included,
(c) the general path, which sanitizes anew for each record, on a sample, extrapolated to all
    distinct records (both paths test equal records once).

On Internet Usage for several k and ℓ, on all of Adult, and on a million records: Adult drawn with
replacement, its numeric columns changed a little, once by whole numbers (few distinct values) and
once by real ones (all values distinct, which is the hardest case).

    python benchmarks/differential_inference.py [--data FOLDER] [--largest 1000000]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import unveil as uv
from unveil.microdata import Kind, Microdata

SAMPLE = 60


def main() -> None:
    options = _options()
    uv.differential_inference(uv.datasets.census(300), uv.Mondrian(k=3), path="fast")  # compiles
    uv.differential_inference(uv.datasets.census(300), uv.Mondrian(k=3), path="general", targets=2)
    heads = ("classes", "(a) s", "(b) s", "(c) s", "(b)/(a)", "(c)/(b)", "δ", "peak memory")
    widths = (8, 8, 8, 9, 8, 8, 6, 12)
    print(" " * 45, *(head.rjust(width) for head, width in zip(heads, widths, strict=True)))
    internet = uv.datasets.internet_usage(options.data)
    for goal in ({"k": 2}, {"k": 5}, {"k": 20}, {"k": 80}, {"l": 2}, {"l": 3}):
        measure("Internet Usage", internet, uv.Mondrian(**goal))
    adult = uv.datasets.adult(options.data)
    for goal in ({"k": 2}, {"k": 5}, {"k": 80}, {"l": 3}):
        measure("Adult", adult, uv.Mondrian(**goal))
    for size in (100_000, 300_000, 1_000_000):
        for real in (False, True):
            if size <= options.largest:
                name = "Adult, real changes" if real else "Adult, whole changes"
                measure(name, resampled(adult, size, real=real), uv.Mondrian(k=5), sample=3)


def measure(name: str, table: Microdata, sanitizer: uv.Mondrian, sample: int = SAMPLE) -> None:
    """Print one line of the table."""
    repeats = 7 if len(table) < 100_000 else 1
    distinct = len(table.distinct)
    sanitize = statistics.median(seconds(lambda: sanitizer.sanitize(table)) for _ in range(repeats))
    findings = [
        uv.differential_inference(table, sanitizer, adversary="naive-bayes", path="fast")
        for _ in range(min(repeats, 3))
    ]
    finding = findings[0]
    everyone = statistics.median(f.seconds for f in findings)
    general = uv.differential_inference(
        table, sanitizer, adversary="naive-bayes", path="general", targets=sample
    )
    anew = general.seconds / len(np.unique(table.distinct_of[general.targets])) * distinct
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    row = [
        f"{name:>20} {len(table):>9,}",
        f"{sanitizer.label:>14}",
        f"{finding.n_classes:>8,}",
        f"{sanitize:>8.3f}",
        f"{everyone:>8.2f}",
        f"{anew:>9,.0f}",
        f"{everyone / sanitize:>8.1f}",
        f"{anew / everyone:>8,.0f}",
        f"{finding.delta:>6.3f}",
        f"{peak:>6.1f} GB",
    ]
    print(*row, flush=True)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def resampled(table: Microdata, n: int, *, real: bool, seed: int = 0) -> Microdata:
    """n records drawn with replacement, with small random changes in the numeric columns."""
    rng = np.random.default_rng(seed)
    drawn = table.take(rng.integers(0, len(table), n))
    columns = []
    for column in drawn.columns:
        if column.kind is Kind.NUMERIC:
            change = rng.normal(0, 1.5, n) if real else rng.integers(-3, 4, n)
            values, codes = np.unique(column.decode() + change, return_inverse=True)
            column = replace(column, values=values, codes=codes.astype(np.int32), hierarchy=None)
        columns.append(column)
    return replace(drawn, columns=tuple(columns))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", default=os.environ.get("UNVEIL_DATA", beside))
    parser.add_argument("--largest", type=int, default=1_000_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
