"""Mondrian without each record: runs the kernels over all targets, on a few threads.

See `_kernels` for why this is exact and fast. Here the targets are grouped by the rules of the
table without them, and the work is distributed. Each group has a tree of its own. Rules depend on
the widths of the columns (only a record that is alone at the end of a column changes these, so
there are a handful of groups) and, for t-closeness, on the sensitive values of the whole table (so
there is a group per sensitive value).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.engine import Task, run_tasks, workers
from unveil.microdata import Microdata, Statistic
from unveil.sanitize._sanitizer import LeaveOneOut
from unveil.sanitize.mondrian import _kernels as kernels
from unveil.sanitize.mondrian._partition import (
    Partition,
    alone_in_flat_columns,
    extents_without,
    rules_without,
    whole_region,
)

_SHARES = 8  # tasks per worker, so that the workers finish together
_SMALLEST = 4096  # records below which a task is not worth a thread of its own


def leave_one_out(
    microdata: Microdata,
    records: NDArray[np.intp],
    statistic: Statistic,
    *,
    rules: kernels.Rules,
    asked: NDArray[np.int32] | None,
    possible: NDArray[np.bool_],
    jobs: int | None,
    done: Callable[[int], None],
) -> LeaveOneOut:
    """Count ``statistic`` for each of the records in the partition with and without it."""
    n, columns, values = len(records), len(microdata.quasi), microdata.sensitive.size
    partition = Partition.grow(microdata, rules, asked)
    present = kernels.Targets(
        records.astype(np.int32),
        np.zeros((n if statistic is Statistic.COVER else 0, columns, values), dtype=np.int32),
        np.zeros((n, values), dtype=np.int32),
    )
    size = len(microdata)
    kernels.count_cover(
        partition.grown, 0, size, partition.lines.ravel(), 1, np.arange(n, dtype=np.int32),
        present, np.empty(size, dtype=np.int32),
    )  # fmt: skip
    kernels.count_joint(partition.grown, present)
    absent = present._replace(cover=present.cover.copy(), joint=present.joint.copy())
    walk = _Walk(
        partition.grown.table, rules, partition.lines, whole_region(microdata), absent,
        workers(jobs), done,
    )  # fmt: skip
    tasks: list[Task] = []
    for variant, members in _variants(microdata, rules, records):
        who = np.flatnonzero(members & possible).astype(np.int32)
        if variant is not rules and statistic is Statistic.COVER:
            absent.cover[who] = 0
        tasks += replace(walk, rules=variant).tasks(who, counted=variant is rules)
    run_tasks(tasks, walk.jobs)
    if statistic is Statistic.COVER:
        return LeaveOneOut(present.cover, absent.cover, possible)
    return LeaveOneOut(present.joint, absent.joint, possible)


def _variants(
    microdata: Microdata, rules: kernels.Rules, records: NDArray[np.intp]
) -> Iterator[tuple[kernels.Rules, NDArray[np.bool_]]]:
    """The rules of the table without some of the records, and which records these are.

    For most records they are the rules of the whole table.
    """
    extent = extents_without(microdata, records)
    asks_for_secrets = len(rules.stretch) > 0
    secret = microdata.sensitive.codes[records] if asks_for_secrets else np.full(len(records), -1)
    same = (extent == rules.extent).all(axis=1) & (secret < 0)
    yield rules, same
    # A target that alone has a value of a FLAT column changes that column's width, so only the
    # variants below need to know which values are gone.
    alone = alone_in_flat_columns(microdata)
    keys = np.column_stack([extent, secret])[~same]
    variants, variant_of = np.unique(keys, axis=0, return_inverse=True)
    for v, key in enumerate(variants):
        members = np.zeros(len(records), dtype=bool)
        members[np.flatnonzero(~same)[variant_of.ravel() == v]] = True
        value = int(key[-1]) if asks_for_secrets else None
        yield rules_without(rules, extent=key[:-1], alone=alone, secret=value), members


@dataclass(frozen=True)
class _Walk:
    """Targets on their way down a partition, each without its own record."""

    table: NDArray[np.int32]
    rules: kernels.Rules
    lines: NDArray[np.int32]
    region: NDArray[np.int64]
    targets: kernels.Targets
    jobs: int
    done: Callable[[int], None]

    def tasks(self, who: NDArray[np.int32], *, counted: bool) -> list[Task]:
        """Tasks that take them down and correct their counts.

        ``counted`` tells whether the counts include the whole partition's classes.
        """
        if len(who) == 0:
            return []
        # One thread takes the targets down while the parts are large; then they are distributed.
        n = self.lines.shape[1]
        stop = 0 if self.jobs == 1 else max(_SMALLEST, n // (_SHARES * self.jobs))
        return [self._task(self._whole_table(who, counted), 0, 1, 0, 0, stop)]

    def _whole_table(self, who: NDArray[np.int32], counted: bool) -> kernels.Cases:
        """The first case: all records, to be cut by the rules."""
        cases = kernels.new_cases(self.rules)
        cases.head[0] = (self.lines.shape[1], len(who), kernels.OWN, -1, counted, 0)
        cases.region[0] = self.region
        cases.used[:] = (1, self.lines.size, len(who))
        return cases._replace(records=self.lines.ravel(), targets=who)

    def _task(
        self, cases: kernels.Cases, first: int, last: int, at: int, to: int, stop: int = 0
    ) -> Task:
        """Continue the cases ``[first, last)``, whose records and targets begin at at, to."""

        def task() -> Iterable[Task]:
            scratch = kernels.new_scratch(self.rules, self.lines.shape[1])
            more = kernels.walk_cases(
                self.table, self.rules, cases, first, last, at, to, stop, self.targets, scratch,
                kernels.new_cases(self.rules),
            )  # fmt: skip
            self.done(int(cases.head[first:last, kernels.TARGETS].sum() - more.used[2]))
            return list(self._tasks_for(more))

        return task

    def _tasks_for(self, cases: kernels.Cases) -> Iterable[Task]:
        """Cases as tasks of about equal size, none too small."""
        n_cases = int(cases.used[0])
        if n_cases == 0:
            return
        head = cases.head[:n_cases]
        records = head[:, kernels.RECORDS]
        at = np.concatenate([[0], np.cumsum(records * len(self.lines))])
        to = np.concatenate([[0], np.cumsum(head[:, kernels.TARGETS])])
        total = np.cumsum(records)
        share = max(_SMALLEST, int(total[-1]) // (_SHARES * self.jobs) + 1)
        cuts = np.flatnonzero(np.diff((total - 1) // share)) + 1
        for some in np.split(np.arange(n_cases), cuts):
            first, last = int(some[0]), int(some[-1]) + 1
            yield self._task(cases, first, last, int(at[first]), int(to[first]))
