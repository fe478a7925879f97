"""The best node without each record, for all records at once.

Without record i, every node has the classes that it has with i, but for one that has a record
less. So a node is visited once for all records: what it loses, and how many miss the goal, is
known for the whole table, and for each i only its own class is judged again. The search goes on
until the bound on a node's loss exceeds the worst of what the records have found. Nothing is
approximated, and nobody's search is run twice.

Two things may hang on i beyond its class, and records are searched for together where they are
alike in both: which values a column has (`_losses`), and, for t-closeness, the sensitive values of
the whole table, which lack i's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Statistic
from unveil.sanitize._sanitizer import LeaveOneOut
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._lattice import Node, Weights, sweep
from unveil.sanitize.recoding._losses import is_declared
from unveil.sanitize.recoding._search import Judged, Problem, judged
from unveil.sanitize.recoding._table import looks_inside, scratch_for

__all__ = ["leave_one_out"]

_NONE = np.iinfo(np.int64).max


class _Alike(NamedTuple):
    """Targets that are searched for together: the entries they are, and what they all change."""

    entries: NDArray[np.intp]
    goal: kernels.Goal
    weights: Weights


def leave_one_out(
    problem: Problem,
    chosen: Judged,
    records: NDArray[np.intp],
    statistic: Statistic,
    *,
    limit: int,
    done: Callable[[int], None],
) -> LeaveOneOut:
    """Count ``statistic`` for each of the records in the release with and without it.

    ``chosen`` is the node of the whole table; ``limit``: how many records of the table without
    one may be suppressed.
    """
    microdata = problem.microdata
    secrets, combinations = microdata.sensitive.codes[records], problem.distinct.tuple_of[records]
    shape = (len(records), len(microdata.quasi), microdata.sensitive.size)
    present = np.zeros(shape if statistic is Statistic.COVER else shape[::2], dtype=np.int32)
    present[:] = _Counted(problem, chosen).of(statistic, combinations)
    absent, possible = present.copy(), np.zeros(len(records), dtype=bool)
    if len(microdata) > 1:
        for which, goal, node in _best_nodes(problem, records, limit):
            without = _Counted(problem, judged(problem, problem.weights(), node, goal))
            absent[which] = without.of(statistic, combinations[which])
            possible[which] = True
            done(len(which))
    # Wherever i's own class went, i was covered by i's own cells, in every column.
    absent[np.arange(len(records)), ..., secrets] -= 1
    return LeaveOneOut(present, absent, possible)


def _best_nodes(
    problem: Problem, records: NDArray[np.intp], limit: int
) -> Iterator[tuple[NDArray[np.intp], kernels.Goal, Node]]:
    """Places among the records, their goal, and the best node without each of them."""
    inside = looks_inside(problem.goal)
    entry_of = (problem.distinct.entry_of if inside else problem.distinct.tuple_of)[records]
    for alike in _groups(problem, np.unique(entry_of)):
        numbers = _search(problem, alike, limit)
        for number in np.unique(numbers[numbers != _NONE]):
            which = np.flatnonzero(np.isin(entry_of, alike.entries[numbers == number]))
            yield which, alike.goal, problem.lattice.node(int(number))


def _groups(problem: Problem, entries: NDArray[np.int64]) -> Iterator[_Alike]:
    """The entries of which one record is to be left out, those together that change the same."""
    table, columns = problem.table, problem.microdata.quasi
    codes = table.codes[:, table.entry[entries, kernels.TUPLE]]
    lacking = np.full(codes.shape, -1, dtype=np.int64)
    for j, (column, counts) in enumerate(zip(columns, problem.counts, strict=True)):
        # With two levels, a column loses all or nothing, however many values it has.
        shallow = len(problem.lattice.ladders[j]) < 3 and (counts > 0).sum() > 2
        if not is_declared(column) and not shallow:
            alone = counts[codes[j]] == 1
            lacking[j, alone] = codes[j, alone]
    far = problem.goal.distance != kernels.NO_DISTANCE
    secrets = table.entry[entries, kernels.SECRET] if far else np.full(len(entries), -1)
    keys, which = np.unique(np.vstack([lacking, secrets]), axis=1, return_inverse=True)
    for g, key in enumerate(keys.T):
        goal = problem.goal
        if far:
            totals = goal.totals.copy()
            totals[key[-1]] -= 1
            goal = goal._replace(totals=totals)
        yield _Alike(entries[which.ravel() == g], goal, problem.weights(key[:-1].tolist()))


def _search(problem: Problem, alike: _Alike, limit: int) -> NDArray[np.int64]:
    """The number of the best node for each entry; `_NONE` where there is none."""
    table, lattice, weights = problem.table, problem.lattice, alike.weights
    scratch = scratch_for(table, alike.goal)
    best = np.full((len(table.entry), 2), _NONE)
    is_target = np.zeros(len(table.entry), dtype=bool)
    is_target[alike.entries] = True
    sinks = not looks_inside(alike.goal) or limit == 0
    worst = _NONE

    def visit(node: Node) -> bool:
        nonlocal worst
        kernels.visit(
            table, lattice.group, weights.weight, lattice.at(node), alike.goal,
            weights.everything, scratch,
        )  # fmt: skip
        meeting = kernels.visit_without(
            table, alike.goal, weights.everything, scratch, is_target, lattice.number(node), limit,
            best,
        )  # fmt: skip
        worst = int(best[alike.entries, 0].max())
        if sinks:
            return bool(meeting > 0)
        # The record left out may itself have been in a class that was too small.
        return bool(scratch.sums[kernels.TOO_SMALL] - 1 <= limit)

    # The record left out loses no more than everything.
    sweep(weights.bounds, visit, lambda bound: bound - weights.everything > worst)
    return best[alike.entries, 1]


class _Counted:
    """How many released records cover each cell, once a node's classes are published."""

    def __init__(self, problem: Problem, judged: Judged) -> None:
        self.table, self.ladders = problem.distinct.table, problem.lattice.ladders
        self.values = problem.microdata.sensitive.size
        self.judged = judged
        combination, secret, number = self.table.entry.T
        self.hidden = judged.fails[judged.class_of[combination]]
        self.suppressed = np.bincount(
            secret, weights=number * self.hidden, minlength=self.values
        ).astype(np.int64)

    def of(
        self, statistic: Statistic, combinations: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """The statistic of targets with these combinations."""
        if statistic is Statistic.JOINT:
            return self._counts(self.judged.class_of, combinations)
        rows = []
        for codes, ladder, level in zip(
            self.table.codes, self.ladders, self.judged.node, strict=True
        ):
            rows.append(self._counts(ladder.group[level][codes], combinations))
        return np.stack(rows, axis=1)

    def _counts(
        self, cell_of: NDArray[np.int32], combinations: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Records in the same cell as each target, and all that are suppressed."""
        combination, secret, number = self.table.entry.T
        flat = cell_of[combination].astype(np.int64) * self.values + secret
        size = (int(cell_of.max()) + 1) * self.values
        counts = np.bincount(flat, weights=number * ~self.hidden, minlength=size)
        counts = counts.reshape(-1, self.values)[cell_of[combinations]]
        return np.asarray(counts, dtype=np.int64) + self.suppressed
