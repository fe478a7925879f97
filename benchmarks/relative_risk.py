"""How fast do samplers of relative risk come to an answer: collapsed against published Gibbs?

Generated tables with six skewed columns and fourteen sensitive values, in overlapping groups like
those of local recoding (a relaxed Mondrian: records of the median value fall on either side of a
cut). Both samplers run in turns, chunk after chunk, in one process on one core. Printed for each:
sweeps a second; effective samples a second of the worst victim of a panel, by the trace of the
attacker's belief; and its standard error after a second, which also weighs how much the traces
vary. Of both, how many times faster than Gibbs. "Plain" has every tuple by itself, as published;
otherwise those that the release does not tell apart are one.

    python benchmarks/relative_risk.py [--rows 5692 100000 1000000] [--seconds 20] [--product]
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.risk import Horizontal, horizontal_problem
from unveil.attacks.risk.samplers import Sampler, sampler_for
from unveil.microdata import Column, Intervals, Kind, Microdata, Release, Role

COLUMNS = {2: 0.5, 5: 2.5, 7: 1.6, 16: 1.2, 9: 3.0, 42: 4.2}
"""How many values columns have, and how quickly the frequent ones give way to the rare."""
VALUES = 14
TYPES = 12  # of people, for whom other values are the frequent ones
PANEL = 30
K = 5


def main() -> None:
    options = _options()
    for rows in options.rows:
        begun = time.perf_counter()
        table = people(rows)
        release = relaxed(table, K)
        made = time.perf_counter()
        problem = with_panel(horizontal_problem(release, table))
        problem.lumped  # noqa: B018  (made before the clock runs)
        prepared = time.perf_counter() - made
        start = problem.members[0]
        print(f"\n{rows:,} rows, {problem.domain.size:,} tuples, {len(problem.counts):,} groups of "
              f"{np.diff(start).mean():.0f} tuples (at most {np.diff(start).max():,}); generated "
              f"in {made - begun:.1f} s, prepared in {prepared:.1f} s", flush=True)  # fmt: skip
        compare(problem, options.seconds)
        if options.product:
            large(release, table, options.seconds)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{'peak memory':>24} {peak:.2f} GB")


def people(n: int, seed: int = 0) -> Microdata:
    """A table like a census: skewed columns that hang together, and so does the secret."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(TYPES, size=n)

    def column(name: str, role: Role, size: int, spread: float) -> Column:
        frequent = np.stack([rng.permutation(size) for _ in range(TYPES)])
        weights = 1.0 / (1 + np.arange(size)) ** spread
        rank = rng.choice(size, n, p=weights / weights.sum())
        texts = np.array([f"{name}{v}" for v in range(size)], dtype=object)
        return Column(name=name, role=role, kind=Kind.ORDINAL, values=texts,
                      codes=frequent[kind, rank].astype(np.int32))  # fmt: skip

    quasi = [column(f"q{size}", Role.QUASI, size, spread) for size, spread in COLUMNS.items()]
    secret = column("secret", Role.SENSITIVE, VALUES, 0.7)
    return Microdata(columns=(*quasi, secret), rows=np.arange(n), source="generated")


def relaxed(table: Microdata, k: int, seed: int = 1) -> Release:
    """Median cuts, the records of the median value falling on either side at random."""
    rng = np.random.default_rng(seed)
    codes, extent = table.codes, np.array([column.size - 1.0 for column in table.quasi])
    class_of, ranges, todo = np.empty(len(table), np.int32), [], [np.arange(len(table))]
    while todo:
        rows = todo.pop()
        here = codes[:, rows]
        low, high = here.min(axis=1), here.max(axis=1)
        widest = int(np.argmax((high - low) / extent))
        if len(rows) < 2 * k or high[widest] == low[widest]:
            class_of[rows] = len(ranges)
            ranges.append((low, high))
            continue
        order = np.argsort(here[widest] + rng.random(len(rows)))
        todo += [rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]]
    lows, highs = np.array(ranges, dtype=np.int32).transpose(1, 2, 0)
    regions = tuple(Intervals(a, b) for a, b in zip(lows, highs, strict=True))
    return Release(quasi=table.quasi, sensitive=table.sensitive, class_of=class_of,
                   regions=regions, made_by="relaxed Mondrian")  # fmt: skip


def with_panel(problem: Horizontal, seed: int = 2) -> Horizontal:
    rng = np.random.default_rng(seed)
    n = problem.watched.shape[1]
    return problem.with_panel(rng.choice(n, min(PANEL, n), replace=False))


@dataclass
class Run:
    """A chain, its traces and the time it has taken."""

    name: str
    problem: Horizontal
    sampler: Sampler
    thin: int
    state: object = None
    seconds: float = 0.0
    sweeps: int = 0
    traces: list[NDArray[np.float64]] = field(default_factory=list)

    def begin(self) -> None:
        self.state = self.sampler.init(self.problem, 3)
        self.state, _ = self.sampler.kernel(self.problem, self.state, kept=1, thin=1)

    def warm_up(self, sweeps: int) -> None:
        self.state, _ = self.sampler.kernel(self.problem, self.state, kept=1, thin=sweeps)

    def go_on(self, kept: int) -> None:
        begun = time.thread_time()
        self.state, info = self.sampler.kernel(self.problem, self.state, kept=kept, thin=self.thin)
        self.seconds += time.thread_time() - begun
        self.sweeps += info.sweeps
        self.traces.append(info.rows / info.rows.sum(axis=1, keepdims=True))

    @property
    def trace(self) -> NDArray[np.float64]:
        """What the attacker believes: looked at × (value and victim) that vary."""
        whole = np.concatenate(self.traces)
        return whole.reshape(len(whole), -1)


def compare(problem: Horizontal, seconds: float) -> None:
    plain = replace(problem, apart=True)
    thin, warm_up = (3, 1000) if len(problem.counts) < 5_000 else (10, 2000)
    if len(problem.counts) > 50_000:
        warm_up = 300
    runs = [
        Run("collapsed", problem, sampler_for(problem, algorithm="collapsed"), thin=thin),
        Run("gibbs", problem, sampler_for(problem, algorithm="gibbs"), thin=max(1, thin // 3)),
        Run("collapsed, plain", plain, sampler_for(plain, algorithm="collapsed"), thin=thin),
        Run("gibbs, plain", plain, sampler_for(plain, algorithm="gibbs"), thin=max(1, thin // 3)),
    ]
    for run in runs:
        run.begin()
        run.warm_up(warm_up)
    in_turns(runs, seconds)
    show(runs)


def in_turns(runs: list[Run], seconds: float) -> None:
    while min(run.seconds for run in runs) < seconds:
        run = min(runs, key=lambda run: run.seconds)
        each = run.seconds / len(np.concatenate(run.traces)) if run.traces else 0.5
        run.go_on(int(np.clip(seconds / 20 / each, 1, 2000)))


def show(runs: list[Run]) -> None:
    from arviz_stats.base import array_stats

    print(
        f"{'':>24} {'sweeps/s':>9} {'ESS/s':>9} {'× gibbs':>8} {'± after 1 s':>12} {'× gibbs':>8}"
    )
    found = []
    for run in runs:
        trace = run.trace
        chain = trace[None][:, :, trace.var(axis=0) > 1e-12]
        bulk, mean = (
            array_stats.ess(chain, chain_axis=0, draw_axis=1, method=method)
            for method in ("bulk", "mean")
        )
        error = np.sqrt(chain.var(axis=(0, 1)) / mean * run.seconds).max()
        found.append((run.sweeps / run.seconds, bulk.min() / run.seconds, error))
    for i, (run, (sweeps, ess, error)) in enumerate(zip(runs, found, strict=True)):
        _, other_ess, other_error = found[i - i % 2 + 1]
        # To be twice as sure takes four times as long.
        print(f"{run.name:>24} {sweeps:>9.1f} {ess:>9.2f} {ess / other_ess:>8.1f} {error:>12.4f} "
              f"{(other_error / error) ** 2:>8.1f}", flush=True)  # fmt: skip


def large(release: Release, table: Microdata, seconds: float) -> None:
    """The product of the columns, not written out."""
    watched = np.unique(table.codes, axis=1)
    problem = horizontal_problem(release, table, domain="product", watched=watched)
    problem = with_panel(replace(problem, members=None))
    run = Run("product, boxes", problem, sampler_for(problem), thin=3)
    run.begin()
    in_turns([run], seconds / 2)
    print(f"{run.name:>24} {run.sweeps / run.seconds:>9.1f} sweeps/s of {problem.domain.size:,} "
          "tuples", flush=True)  # fmt: skip


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[5_692, 100_000, 1_000_000])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each sampler")
    parser.add_argument("--product", action="store_true", help="sample the product domain, too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
