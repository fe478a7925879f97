"""How long does it take to learn across the groups of a million records?

A synthetic census is published by Anatomy with several ℓ and by Mondrian, and attacked. Beside
it, in the same run: one round of re-weighing by looking at every world of a group, for a few of
the groups, counted up to all of them. Both must believe the same.

    python benchmarks/definetti.py [--rows 45222 1000000] [--l 3 5 8]
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np
from numpy.typing import NDArray

import unveil as uv
from unveil.attacks.definetti._groups import Groups
from unveil.attacks.definetti._learning import Model
from unveil.microdata import Permuted, Release

FEW = 20  # groups whose worlds are all looked at
MOST = 8  # people of such a group
ROUNDS = 30


def main() -> None:
    options = _options()
    small = people(300)
    for sanitizer in (uv.Anatomy(l=2), uv.Mondrian(k=5)):
        uv.definetti(sanitizer.sanitize(small), small, progress=False)  # compiles
    print(
        f"{'records':>10}  {'release':<20} {'groups':>8} {'exact':>6} {'rounds':>6} {'seconds':>8} "
        f"{'a round':>8} {'plain round':>12} {'ratio':>8}   right: shares, re-weighted, model"
    )
    for rows in options.rows:
        table = people(rows)
        sanitizers = [uv.Anatomy(l=one, seed=1) for one in options.l]
        for sanitizer in (*sanitizers, uv.Mondrian(k=5, l=2)):
            release = sanitizer.sanitize(table)
            assert isinstance(release, Release | Permuted)
            measure(sanitizer.label, release, table)


def people(rows: int) -> uv.Microdata:
    """A census whose secret is the age, in steps of six years: ℓ may be large."""
    census = uv.datasets.census(rows, seed=1)
    table = {c.name: c.decode() for c in (*census.quasi, census.sensitive)}
    table["age"] = np.char.add("from ", (table["age"] // 6 * 6).astype(str)).astype(object)
    return uv.read_table(
        table, quasi=[name for name in table if name != "age"], sensitive="age",
        categorical=["zip"],
    )  # fmt: skip


def measure(label: str, release: Release | Permuted, table: uv.Microdata) -> None:
    """Print a line for one release."""
    finding = uv.definetti(release, table, progress=False)
    once = _seconds(lambda: uv.definetti(release, table, rounds=1, progress=False))
    # Enough of them to stand out from what comes before and after.
    more = _seconds(
        lambda: uv.definetti(release, table, rounds=1 + ROUNDS, settled=0, progress=False)
    )
    a_round = (more - once) / ROUNDS
    plain = plain_round(finding)
    three = (finding.random_worlds, finding.reweighted, finding.population)
    print(
        f"{len(table):>10,}  {label:<20} {len(finding.groups):>8,} "
        f"{1 - finding.learned.approximate.mean():>6.0%} {finding.learned.rounds:>6} "
        f"{finding.seconds:>8.1f} {a_round:>8.2f} {plain:>12,.0f} {plain / a_round:>7,.0f}×   "
        + ", ".join(f"{one.accuracy:.1%}" for one in three),
        flush=True,
    )


def plain_round(finding: uv.DeFinetti) -> float:
    """Seconds that re-weighing all groups world by world would take, by a few small ones."""
    groups, model = finding.groups, finding.learned.model
    small = np.flatnonzero((groups.sizes <= MOST) & ~finding.learned.approximate)[:FEW]
    if not len(small):
        return float("nan")
    started = time.perf_counter()
    found = [every_world(groups, model, int(g)) for g in small]
    seconds = time.perf_counter() - started
    for g, beliefs in zip(small, found, strict=True):
        ours = finding.learned.beliefs[groups.entry[g] : groups.entry[g + 1]]
        assert np.abs(beliefs.ravel() - ours).max() < 1e-9
    return seconds / len(small) * len(groups)


def every_world(groups: Groups, model: Model, g: int) -> NDArray[np.float64]:
    """Beliefs about the rows of a group, from the definition."""
    rows = np.arange(groups.start[g], groups.start[g + 1])
    values = slice(groups.value_start[g], groups.value_start[g + 1])
    secrets, numbers = groups.values[values], groups.numbers[values]
    log_x = np.zeros((len(rows), len(secrets)))
    for k, row in enumerate(rows):
        for first, code in zip(model.offset, model.codes[groups.tuple_of[row]], strict=True):
            log_x[k] += model.table[first + code, secrets]
    people = np.repeat(np.arange(len(rows)), groups.people[rows])
    x = np.exp(log_x - log_x.max(axis=1, keepdims=True))[people]
    whole, each = 0.0, np.zeros(x.shape)
    places = np.repeat(np.arange(len(secrets)), numbers)
    for world in set(itertools.permutations(places.tolist())):
        chosen = np.arange(len(people)), np.array(world)
        weight = x[chosen].prod()
        whole += weight
        each[chosen] += weight
    beliefs = np.zeros(log_x.shape)
    np.add.at(beliefs, people, each / whole)
    return beliefs / groups.people[rows][:, None]


def _seconds(run: object) -> float:
    started = time.perf_counter()
    assert callable(run)
    run()
    return time.perf_counter() - started


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[45_222, 1_000_000])
    parser.add_argument("--l", type=int, nargs="+", default=[3, 5, 8])
    return parser.parse_args()


if __name__ == "__main__":
    main()
