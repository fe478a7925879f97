"""How fast do samplers of relative risk come to an answer: collapsed against published Gibbs?

Generated tables with six skewed columns and fourteen sensitive values, in overlapping groups like
those of local recoding (a relaxed Mondrian: records of the median value fall on either side of a
cut). All samplers run in turns, chunk after chunk, in one process on one core, and every sweep is
looked at. Printed for each: sweeps a second; effective samples a second of the worst victim of a
panel, by the traces of the attacker's belief; and its standard error after a second, which also
weighs how much the traces vary. Of the last two, how many times faster than Gibbs as published,
and than Gibbs with tuples put together that the release does not tell apart (which is ours).

    python benchmarks/relative_risk.py [--rows 5692 100000 1000000] [--seconds 20]
                                       [--converge] [--product]

``--converge``: four chains in threads, until the panel has an R-hat below 1.05. ``--product``:
100,000 rows whose domain is a product of a million tuples and of up to a milliard.
"""

from __future__ import annotations

import argparse
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from arviz_stats.base import array_stats
from numpy.typing import NDArray

from unveil.attacks.relative_risk import Horizontal, horizontal_problem
from unveil.attacks.relative_risk.samplers import Sampler, sampler_for
from unveil.microdata import Column, Intervals, Kind, Microdata, Release, Role

COLUMNS = {2: 0.5, 5: 2.5, 7: 1.6, 16: 1.2, 9: 3.0, 42: 4.2}
"""How many values columns have, and how quickly the frequent ones give way to the rare."""
PRODUCTS = (
    {10: 1.2, 11: 1.2, 12: 1.6, 14: 1.2, 9: 3.0, 6: 2.0},
    {30: 1.2, 31: 1.2, 32: 1.6, 34: 1.2, 33: 3.0},
    {20: 1.2, 19: 1.2, 18: 1.6, 21: 1.2, 22: 3.0, 17: 2.0, 16: 1.1},
)
"""Columns whose products are of a million, of 33 million and of almost a milliard tuples."""
VALUES = 14
TYPES = 12  # of people, for whom other values are the frequent ones
PANEL = 30
K = 5
WARM_UP = 100
LONG = 2500  # sweeps that it takes to tell effective samples
CHAINS, CHUNK, AGREE = 4, 50, 1.05


def main() -> None:
    options = _options()
    if options.product:
        for columns in PRODUCTS:
            large(100_000, columns, options.seconds)
        return
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
        if options.converge:
            converge(problem)
        else:
            compare(problem, options.seconds)
        print(f"{'':>20} {_peak()}")


def people(n: int, columns: dict[int, float] = COLUMNS, seed: int = 0) -> Microdata:
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

    quasi = [column(f"q{size}", Role.QUASI, size, spread) for size, spread in columns.items()]
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
    state: object = None
    seconds: float = 0.0
    traces: list[NDArray[np.float64]] = field(default_factory=list)

    def begin(self, sweeps: int, seed: int = 3) -> None:
        self.state = self.sampler.init(self.problem, seed)
        self.state, _ = self.sampler.kernel(self.problem, self.state, kept=1, thin=sweeps)

    def go_on(self, kept: int) -> None:
        begun = time.thread_time()
        self.state, info = self.sampler.kernel(self.problem, self.state, kept=kept)
        self.seconds += time.thread_time() - begun
        self.traces.append(info.rows / info.rows.sum(axis=1, keepdims=True))

    @property
    def sweeps(self) -> int:
        return sum(len(trace) for trace in self.traces)

    @property
    def trace(self) -> NDArray[np.float64]:
        """What the attacker believes: sweeps × (value and victim)."""
        whole = np.concatenate(self.traces)
        return whole.reshape(len(whole), -1)


def compare(problem: Horizontal, seconds: float) -> None:
    plain = replace(problem, apart=True)
    runs = [
        Run("collapsed", problem, sampler_for(problem, algorithm="collapsed")),
        Run("collapsed, plain", plain, sampler_for(plain, algorithm="collapsed")),
        Run("gibbs", problem, sampler_for(problem, algorithm="gibbs")),
        Run("gibbs, as published", plain, sampler_for(plain, algorithm="gibbs")),
    ]
    for run in runs:
        run.begin(WARM_UP)
    in_turns(runs, seconds)
    show(runs)


def in_turns(runs: list[Run], seconds: float) -> None:
    """Until all have had their time, and are long enough to tell how good they are."""
    while unfinished := [run for run in runs if run.seconds < seconds or run.sweeps < LONG]:
        run = min(unfinished, key=lambda run: run.seconds)
        each = run.seconds / run.sweeps if run.sweeps else 0.5
        run.go_on(int(np.clip(seconds / 20 / each, 25, 2000)))  # chains go on in rounds of 25


def varying(traces: NDArray[np.float64]) -> NDArray[np.float64]:
    """Traces (chains × sweeps × numbers) of what is not settled."""
    return traces[:, :, traces.var(axis=(0, 1)) > 1e-12]


def show(runs: list[Run]) -> None:
    print(f"{'':>20} {'sweeps/s':>9} {'ESS/s':>8} {'× publ.':>8} {'× gibbs':>8} {'± in 1 s':>9} "
          f"{'× publ.':>8} {'× gibbs':>8} {'worst ESS':>10}")  # fmt: skip
    found = []
    for run in runs:
        chain = varying(run.trace[None])
        bulk, mean = (
            array_stats.ess(chain, chain_axis=0, draw_axis=1, method=method)
            for method in ("bulk", "mean")
        )
        error = np.sqrt(chain.var(axis=(0, 1)) / mean * run.seconds).max()
        found.append((bulk.min(), bulk.min() / run.seconds, error))
    (_, ours, our_error), (_, published, published_error) = found[-2:]
    for run, (worst, ess, error) in zip(runs, found, strict=True):
        # To be twice as sure takes four times as long.
        print(f"{run.name:>20} {run.sweeps / run.seconds:>9.1f} {ess:>8.2f} "
              f"{ess / published:>8.1f} {ess / ours:>8.1f} {error:>9.4f} "
              f"{(published_error / error) ** 2:>8.1f} {(our_error / error) ** 2:>8.1f} "
              f"{worst:>10.0f}", flush=True)  # fmt: skip


def converge(problem: Horizontal) -> None:
    """How long do four chains take until they agree about every victim of the panel?"""
    begun, sampler = time.perf_counter(), sampler_for(problem)
    chains = [Run(f"chain {i}", problem, sampler) for i in range(CHAINS)]
    with ThreadPoolExecutor(CHAINS) as pool:
        list(pool.map(lambda pair: pair[1].begin(WARM_UP, seed=pair[0]), enumerate(chains)))
        worst = np.inf
        while worst >= AGREE:
            list(pool.map(lambda run: run.go_on(CHUNK), chains))
            traces = varying(np.stack([run.trace for run in chains]))
            worst = float(array_stats.rhat(traces, chain_axis=0, draw_axis=1).max())
    seconds = time.perf_counter() - begun
    ess = array_stats.ess(traces, chain_axis=0, draw_axis=1).min()
    print(f"{'':>20} {CHAINS} chains agree (R-hat {worst:.3f}, worst ESS {ess:.0f}) after "
          f"{WARM_UP} + {chains[0].sweeps} sweeps, {seconds:.1f} s", flush=True)  # fmt: skip


def large(rows: int, columns: dict[int, float], seconds: float) -> None:
    """A product of columns, its tuples written out where they are few enough, or not at all."""
    table = people(rows, columns)
    release = relaxed(table, K)
    begun = time.perf_counter()
    watched = np.unique(table.codes, axis=1)
    problem = horizontal_problem(release, table, domain="product")
    problem = with_panel(problem.watching(watched))
    written = problem.members is not None
    run = Run("", problem, sampler_for(problem))
    run.begin(3)
    prepared = time.perf_counter() - begun
    while run.seconds < seconds:
        run.go_on(10)
    print(f"{'':>20} product of {problem.domain.size:,} tuples, {problem.boxes.volumes.sum():,.0f} "
          f"in all sets, {'' if written else 'not '}written out: {run.sweeps / run.seconds:.1f} "
          f"sweeps/s, prepared in {prepared:.1f} s; {_peak()}", flush=True)  # fmt: skip


def _peak() -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return f"peak memory so far {peak:.2f} GB"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[5_692, 100_000, 1_000_000])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each sampler")
    parser.add_argument("--converge", action="store_true", help="four chains until they agree")
    parser.add_argument("--product", action="store_true", help="product domains, large ones")
    return parser.parse_args()


if __name__ == "__main__":
    main()
