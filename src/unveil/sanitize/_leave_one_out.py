"""Mondrian without each record: drives the kernels over all targets, on a few threads.

See `_kernels` for why this is exact and fast. What is left to do here: group the targets by what
the rules are in the table without them, and hand out the work. Each group has a tree of its own.
Rules hang on the widths of the columns (only a record that is alone at the end of a column changes
these, so there are a handful of groups) and, for t-closeness, on the sensitive values of the whole
table (so there is a group a sensitive value).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.engine import Task, run_tasks, workers
from unveil.microdata import Microdata, Statistic
from unveil.sanitize import _kernels as kernels
from unveil.sanitize._partition import (
    Partition,
    alone_in_flat_columns,
    extents_without,
    rules_without,
    whole_region,
)
from unveil.sanitize._sanitizer import LeaveOneOut

__all__ = ["leave_one_out"]

_SHARES = 8  # pieces a worker's work is cut into, so that the workers end together
_SMALLEST = 4096  # records below which a piece of work is not worth a thread of its own


def leave_one_out(
    microdata: Microdata,
    records: NDArray[np.intp],
    statistic: Statistic,
    *,
    rules: kernels.Rules,
    asked: NDArray[np.int32] | None,
    possible: NDArray[np.bool_],
    n_jobs: int | None,
    done: Callable[[int], None],
) -> LeaveOneOut:
    """Count ``statistic`` for each of the records in the partition with and without it."""
    shape = (len(records), len(microdata.quasi), microdata.sensitive.size)
    record = records.astype(np.int32)
    partition = Partition.grow(microdata, rules, asked)
    present = _Counts.empty(shape, statistic, record)
    present.add(partition, np.arange(len(record), dtype=np.int32))
    kernels.count_joint(
        partition.table, partition.rules, partition.order, partition.tree, record, present.joint
    )
    absent = _Counts(present.cover.copy(), present.joint.copy(), record)
    walk = _Walk(
        partition.table, rules, partition.lines, whole_region(microdata), absent, workers(n_jobs),
        done,
    )  # fmt: skip
    tasks: list[Task] = []
    for variant, members in _variants(microdata, rules, records):
        who = _chosen(members & possible)
        if variant is not rules and statistic is Statistic.COVER:
            absent.cover[who] = 0
        tasks += replace(walk, rules=variant).tasks(who, counted=variant is rules)
    run_tasks(tasks, walk.n_jobs)
    if statistic is Statistic.COVER:
        return LeaveOneOut(present.cover, absent.cover, possible)
    return LeaveOneOut(present.joint, absent.joint, possible)


def _variants(
    microdata: Microdata, rules: kernels.Rules, records: NDArray[np.intp]
) -> Iterator[tuple[kernels.Rules, NDArray[np.bool_]]]:
    """The rules of the table without some of the records, and which of them these are.

    A record without which nothing changes has the rules of the whole table.
    """
    extent = extents_without(microdata, records)
    asks_for_secrets = len(rules.stretch) > 0
    secret = microdata.sensitive.codes[records] if asks_for_secrets else np.full(len(records), -1)
    same = (extent == rules.extent).all(axis=1) & (secret < 0)
    yield rules, same
    # A target who alone has a value of a FLAT column changes that column's width, so only those
    # below need to know that their value is gone with them.
    alone = alone_in_flat_columns(microdata)
    keys = np.column_stack([extent, secret])[~same]
    variants, variant_of = np.unique(keys, axis=0, return_inverse=True)
    for v, key in enumerate(variants):
        members = np.zeros(len(records), dtype=bool)
        members[np.flatnonzero(~same)[variant_of.ravel() == v]] = True
        value = int(key[-1]) if asks_for_secrets else None
        yield rules_without(rules, extent=key[:-1], alone=alone, secret=value), members


def _chosen(mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    return np.flatnonzero(mask).astype(np.int32)


@dataclass(frozen=True)
class _Counts:
    """Counts of all targets; ``cover`` is empty where nobody asks for it."""

    cover: NDArray[np.int32]
    joint: NDArray[np.int32]
    record: NDArray[np.int32]

    @classmethod
    def empty(
        cls, shape: tuple[int, int, int], statistic: Statistic, record: NDArray[np.int32]
    ) -> _Counts:
        targets, columns, values = shape
        rows = targets if statistic is Statistic.COVER else 0
        return cls(
            np.zeros((rows, columns, values), dtype=np.int32),
            np.zeros((targets, values), dtype=np.int32),
            record,
        )

    def add(self, partition: Partition, who: NDArray[np.int32]) -> None:
        """Add what a partition's classes cover of the targets ``who``."""
        n = partition.order.shape[1]
        kernels.count_cover(
            partition.table, partition.rules, partition.order, partition.tree, 0, n,
            partition.lines.ravel(), 1, who, self.record, self.cover, np.empty(n, dtype=np.int32),
        )  # fmt: skip


@dataclass(frozen=True)
class _Walk:
    """Targets on their way down a table's partition, each without its own record."""

    table: NDArray[np.int32]
    rules: kernels.Rules
    lines: NDArray[np.int32]
    region: NDArray[np.int64]
    counts: _Counts
    n_jobs: int
    done: Callable[[int], None]

    def tasks(self, who: NDArray[np.int32], *, counted: bool) -> list[Task]:
        """To take them down; ``counted``: whether the counts hold the whole partition's classes.

        Every step corrects the counts.
        """
        if len(who) == 0:
            return []
        # One thread takes the targets as far down as the parts are large; then they part.
        n = self.lines.shape[1]
        stop = 0 if self.n_jobs == 1 else max(_SMALLEST, n // (_SHARES * self.n_jobs))
        return [self._task(self._whole_table(who, counted), 0, 1, 0, 0, stop)]

    def _whole_table(self, who: NDArray[np.int32], counted: bool) -> kernels.Cases:
        """The case to start with: all records, and the cuts that the rules make of them."""
        cases = kernels.new_cases(self.rules)
        cases.head[0] = (self.lines.shape[1], len(who), kernels.OWN, -1, counted, 0)
        cases.region[0] = self.region
        cases.used[:] = (1, self.lines.size, len(who))
        return cases._replace(records=self.lines.ravel(), targets=who)

    def _task(
        self, cases: kernels.Cases, first: int, last: int, at: int, to: int, stop: int = 0
    ) -> Task:
        """Go on with the cases ``[first, last)``, whose records and targets begin at, to."""

        def task() -> Iterable[Task]:
            c, scratch = self.counts, np.empty((2, self.lines.shape[1]), dtype=np.int32)
            more = kernels.walk_cases(
                self.table, self.rules, cases, first, last, at, to, stop, c.record, c.cover,
                c.joint, scratch[0], scratch[1], kernels.new_view(self.rules),
                kernels.new_cases(self.rules),
            )  # fmt: skip
            self.done(int(cases.head[first:last, kernels.TARGETS].sum() - more.used[2]))
            return list(self._tasks_for(more))

        return task

    def _tasks_for(self, cases: kernels.Cases) -> Iterable[Task]:
        """Cases as tasks of about equal size, none needlessly small."""
        n_cases = int(cases.used[0])
        if n_cases == 0:
            return
        head = cases.head[:n_cases]
        records = head[:, kernels.RECORDS]
        at = np.concatenate([[0], np.cumsum(records * len(self.lines))])
        to = np.concatenate([[0], np.cumsum(head[:, kernels.TARGETS])])
        total = np.cumsum(records)
        share = max(_SMALLEST, int(total[-1]) // (_SHARES * self.n_jobs) + 1)
        cuts = np.flatnonzero(np.diff((total - 1) // share)) + 1
        for some in np.split(np.arange(n_cases), cuts):
            first, last = int(some[0]), int(some[-1]) + 1
            yield self._task(cases, first, last, int(at[first]), int(to[first]))
