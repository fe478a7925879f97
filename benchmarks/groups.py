"""How long do Anatomy and Microaggregation take, up to a million records?

Both on the synthetic census (six quasi-identifiers, ten diagnoses), each a few times, kernels
compiled beforehand. Microaggregation also with smaller and larger blocks: how long it takes, and
how far records are from the middle of their group (squared, in the distance that it minimizes, by
record; the distance from the middle of everybody is 100 %).

    python benchmarks/groups.py [--rows 10000 100000 1000000] [--k 5] [--repeats 3]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import unveil as uv
from unveil.microdata import Microdata
from unveil.sanitize._microaggregation import _Similar, _similar_groups

BLOCKS = (2_500, 20_000)


def main() -> None:
    options = _options()
    small = uv.datasets.census(300, seed=1)
    uv.Anatomy(l=2).sanitize(small)  # compiles
    uv.Microaggregation(k=5).sanitize(small)
    print(f"{'records':>10}  {'sanitizer':<40} {'seconds':>8}  {'groups':>8}  {'distance':>8}")
    for rows in options.rows:
        table = uv.datasets.census(rows, seed=1)
        measure(table, uv.Anatomy(l=2, seed=1), options.repeats)
        for block in BLOCKS:
            f = uv.Microaggregation(k=options.k, block=block)
            measure(table, f, options.repeats)


def measure(table: Microdata, f: uv.Anatomy | uv.Microaggregation, repeats: int) -> None:
    """Print a line for one sanitizer."""
    # Without what an earlier run has remembered of the table.
    seconds = [
        _seconds(lambda: f.sanitize(table.take(np.arange(len(table))))) for _ in range(repeats)
    ]
    similar = _Similar.of(table)
    if isinstance(f, uv.Anatomy):
        groups, distance = f.sanitize(table).n_groups, ""
    else:
        group_of, groups = _similar_groups(similar, f.k, f.block)
        everybody = np.zeros(len(group_of), dtype=np.int32)
        distance = f"{_within(similar, group_of) / _within(similar, everybody):.1%}"
    print(
        f"{len(table):>10,}  {f.label:<40} {statistics.median(seconds):>8.2f}  {groups:>8,}  "
        f"{distance:>8}"
    )


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _within(similar: _Similar, group_of: NDArray[np.int32]) -> float:
    """Squared distances of all records from the middles of their groups."""
    sizes = np.bincount(group_of, weights=similar.weights)
    total = 0.0
    for line in similar.points:
        means = np.bincount(group_of, weights=similar.weights * line) / sizes
        total += float(similar.weights @ (line - means[group_of]) ** 2)
    for j in similar.named:
        values = int(similar.codes[j].max()) + 1
        pairs = group_of.astype(np.int64) * values + similar.codes[j]
        found, place = np.unique(pairs, return_inverse=True)
        most = np.zeros(len(sizes))
        np.maximum.at(most, found // values, np.bincount(place.ravel(), weights=similar.weights))
        total += float(sizes.sum() - most.sum())
    return total


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
