"""Mondrian's partition of a table, and the same without each record.

Microdata is laid out as the kernels need it, and these are run on a few threads. See `_kernels` for
why the counts without each record are exact and fast. Here the targets are grouped by the rules of
the table without them, and the work is distributed. Each group has a tree of its own. Rules depend
on the widths of the columns (only a record that is alone at the end of a column changes these, so
there are a handful of groups) and, for t-closeness, on the sensitive values of the whole table (so
there is a group per sensitive value).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil.engine import Task, run_tasks, workers
from unveil.microdata import Column, Kind, Microdata, Statistic, histograms_at
from unveil.sanitize._goals import Stretches, rows_without
from unveil.sanitize._sanitizer import LeaveOneOut
from unveil.sanitize.mondrian import _kernels as kernels

if TYPE_CHECKING:
    from unveil.sanitize.mondrian._by_person import Counted, People

_SHARES = 8  # tasks per worker, so that the workers finish together
_SMALLEST = 4096  # records below which a task is not worth a thread of its own


def cut_kind(column: Column) -> int:
    """Numbers and ordinal levels are cut along their line, the rest by hierarchy or sorted."""
    if column.kind is not Kind.CATEGORICAL:
        return kernels.SPAN
    return kernels.FLAT if column.hierarchy is None else kernels.TREE


def extents(microdata: Microdata) -> NDArray[np.float64]:
    """The width of each whole column, relative to which the width of a part is measured.

    It depends only on the records in the table and on what was declared (ordinal levels,
    hierarchies), never on a record that was left out.
    """
    return extents_without(microdata, np.array([-1]))[0]


def extents_without(microdata: Microdata, records: NDArray[np.intp]) -> NDArray[np.float64]:
    """The same without each of some records, one at a time (-1: none is missing)."""
    widths = np.empty((len(records), len(microdata.quasi)))
    for j, column in enumerate(microdata.quasi):
        kind = cut_kind(column)
        if kind == kernels.TREE:
            widths[:, j] = column.size
            continue
        if column.kind is Kind.ORDINAL:
            widths[:, j] = column.size - 1
            continue
        counts = np.bincount(column.codes, minlength=column.size)
        present = np.flatnonzero(counts)
        alone = (records >= 0) & (counts[column.codes[records]] == 1)
        if kind == kernels.FLAT:
            widths[:, j] = len(present) - 1 - alone
            continue
        code = column.codes[records]
        second, last_but_one = present[min(1, len(present) - 1)], present[max(-2, -len(present))]
        low = np.where(alone & (code == present[0]), second, present[0])
        high = np.where(alone & (code == present[-1]), last_but_one, present[-1])
        widths[:, j] = column.positions[high] - column.positions[low]
    return widths


def make_rules(
    microdata: Microdata,
    *,
    k: int,
    l: int,  # noqa: E741  (it is called l everywhere in this field)
    stretches: Stretches,
    tight: bool,
    crowds: bool,
) -> kernels.Rules:
    """The rules for a table."""
    columns = microdata.quasi
    rows = np.zeros((len(columns), 3), dtype=np.int64)
    positions: list[NDArray[np.float64]] = []
    nodes: list[NDArray[np.int64]] = []
    children: list[NDArray[np.int32]] = []
    n_positions = n_nodes = n_flat = 0
    most_parts = 6  # three candidate cuts with two parts each
    for j, column in enumerate(columns):
        kind = cut_kind(column)
        rows[j, kernels.KIND] = kind
        rows[j, kernels.LAST_OF_ALL] = column.size - 1
        if kind == kernels.SPAN:
            rows[j, kernels.OFFSET] = n_positions
            positions.append(column.positions)
            n_positions += column.size
        elif kind == kernels.FLAT:
            rows[j, kernels.OFFSET] = n_flat
            n_flat += column.size
        else:
            tree = column.hierarchy
            assert tree is not None  # cut_kind says so
            rows[j, kernels.OFFSET] = n_nodes
            parent = np.where(tree.parent < 0, -1, tree.parent + n_nodes)
            starts = tree.child_start[:-1] + sum(len(some) for some in children)
            nodes.append(np.stack([parent, tree.first, tree.last, starts], axis=1))
            children.append(tree.child_list + n_nodes)
            most_parts = max(most_parts, int(np.diff(tree.child_start).max()))
            n_nodes += len(tree.names)
    return kernels.Rules(
        column=rows,
        position=np.concatenate([*positions, np.zeros(0)]),
        extent=extents(microdata),
        node=_node_rows(nodes, children),
        alone=np.zeros(n_flat, dtype=bool),
        stretch=stretches.rows,
        secret=len(columns),
        most_parts=most_parts,
        n_sensitive=microdata.sensitive.size,
        k=k,
        l=l,
        records=len(microdata),
        far=stretches.far,
        inside=l > 1 or len(stretches.rows) > 0,
        crowds=crowds,
        tight=tight,
    )


def _node_rows(
    nodes: list[NDArray[np.int64]], children: list[NDArray[np.int32]]
) -> NDArray[np.int64]:
    """The nodes of all hierarchies, and beside them one list of all their children.

    A tree has fewer children than nodes, so the list fits. The last row says where the children of
    the last node end.
    """
    listed = np.concatenate([*children, np.zeros(0, dtype=np.int32)])
    rows = np.full((sum(len(some) for some in nodes) + 1, 5), -1, dtype=np.int64)
    if nodes:
        rows[:-1, : kernels.NODE_LIST] = np.concatenate(nodes)
    rows[-1, kernels.CHILDREN] = len(listed)
    rows[: len(listed), kernels.NODE_LIST] = listed
    return rows


def _sorted_lines(microdata: Microdata) -> NDArray[np.int32]:
    """The records sorted by each column's code, one row per column."""
    lines = np.empty(microdata.codes.shape, dtype=np.int32)
    for j, column in enumerate(microdata.quasi):
        small = column.size <= np.iinfo(np.uint16).max  # numpy sorts these by radix
        codes = column.codes.astype(np.uint16) if small else column.codes
        lines[j] = np.argsort(codes, kind="stable")
    return lines


@dataclass(frozen=True, eq=False)
class Partition:
    """A Mondrian tree over all records of a table.

    Attributes
    ----------
    table : array
        The codes of all records, as the kernels need them.
    lines : array
        The records sorted by each column, one row per column.
    order : array
        The same with the records of each class together.
    tree : kernels.Tree
    """

    table: NDArray[np.int32]
    rules: kernels.Rules
    lines: NDArray[np.int32]
    order: NDArray[np.int32]
    tree: kernels.Tree

    @classmethod
    def grow(
        cls,
        microdata: Microdata,
        rules: kernels.Rules,
        asked: NDArray[np.int32] | None,
        targets: kernels.Targets | Counted | None = None,
        people: People | None = None,
    ) -> Partition:
        """Cut the table and count what covers the targets.

        ``asked`` are the class sizes asked for, if some exceed k; ``people`` whose the records are,
        if a person may have several, and then what covers them is counted.
        """
        below = [microdata.sensitive.codes] if asked is None else [microdata.sensitive.codes, asked]
        table = np.vstack([microdata.codes, *below]).astype(np.int32)
        lines = _sorted_lines(microdata)
        if people is not None:  # it is not targets that go down, but the rows of their people
            who = rows_of(people, people.of[people.asked >= 0])
        elif targets is None:
            who = np.zeros(0, dtype=np.int32)
            targets = kernels.Targets(who, who.reshape(0, 0, 0), who.reshape(0, 0))
        else:
            assert isinstance(targets, kernels.Targets)
            who = np.arange(len(targets.record), dtype=np.int32)
        cases = whole_table(microdata, lines, who, counted=False)
        found: list[tuple[NDArray[np.int32], kernels.Tree]] = []

        def task() -> Iterable[Task]:
            # No target is taken down: they stop where all records still are.
            stop = len(microdata)
            walked = walk(table, rules, people, cases, 0, 1, stop, targets)
            found.append(walked[:2])
            return ()

        run_tasks([task], 1)
        return cls(table, rules, lines, *found[0])

    @property
    def class_starts(self) -> NDArray[np.int64]:
        """Where each class begins in `order`, ascending."""
        nodes = self.tree.node
        return np.sort(nodes[nodes[:, kernels.COLUMN] == kernels.LEAF, kernels.START])

    @property
    def class_of(self) -> NDArray[np.int32]:
        """The class of each record."""
        starts, n = self.class_starts, self.order.shape[1]
        class_of = np.empty(n, dtype=np.int32)
        class_of[self.order[0]] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, n)))
        return class_of


def rows_of(people: People, some: NDArray[np.integer]) -> NDArray[np.int32]:
    """The rows of some people, person by person."""
    asked = np.zeros(people.begin.shape[1] - 1, dtype=bool)
    asked[some] = True
    rows = np.flatnonzero(asked[people.of])
    return rows[np.argsort(people.of[rows], kind="stable")].astype(np.int32)


def walk(
    table: NDArray[np.int32],
    rules: kernels.Rules,
    people: People | None,
    cases: kernels.Cases,
    first: int,
    last: int,
    stop: int,
    targets: kernels.Targets | Counted | None,
) -> tuple[NDArray[np.int32], kernels.Tree, kernels.Cases]:
    """Continue the cases ``[first, last)``: see the kernels."""
    if people is None:
        return kernels.walk_cases(table, rules, cases, first, last, stop, targets)
    from unveil.sanitize.mondrian._by_person import walk_people  # most tables need no such code

    return walk_people(table, rules, people, cases, first, last, stop, targets)


def whole_table(
    microdata: Microdata, lines: NDArray[np.int32], who: NDArray[np.int32], *, counted: bool
) -> kernels.Cases:
    """The first case: all records, to be cut by the rules.

    ``counted`` tells whether the targets' counts include the whole partition's classes.
    """
    region = [end for column in microdata.quasi for end in (0, column.size - 1)]
    return kernels.Cases(
        head=np.array([[len(microdata), len(who), kernels.OWN, -1, counted, 0, 0, 0]]),
        region=np.array([region]),
        records=lines.ravel(),
        targets=who,
        used=np.array([1, lines.size, len(who)]),
    )


# Without each record ----------------------------------------------------------------------------


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
    n, secret, counts_cover = len(records), microdata.sensitive, statistic is Statistic.COVER
    present = kernels.Targets(
        records.astype(np.int32),
        np.zeros((n if counts_cover else 0, len(microdata.quasi), secret.size), dtype=np.int32),
        np.zeros((n, secret.size), dtype=np.int32),
    )
    partition = Partition.grow(microdata, rules, asked, present)
    # Boxes are disjoint: only in a target's own class do the cells cover it in every column.
    class_of = partition.class_of
    present.joint[:] = histograms_at(class_of[records], class_of, secret)
    absent = present._replace(cover=present.cover.copy(), joint=present.joint.copy())
    walk = _Walk(microdata, partition, rules, absent, workers(jobs), done)
    tasks: list[Task] = []
    for variant, among in _variants(microdata, rules, records):
        who = np.flatnonzero(among & possible).astype(np.int32)
        if variant is not rules and counts_cover:
            absent.cover[who] = 0
        if len(who):
            tasks.append(replace(walk, rules=variant).first(who, counted=variant is rules))
    run_tasks(tasks, walk.jobs)
    if counts_cover:
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
    flat = [c for c in microdata.quasi if cut_kind(c) == kernels.FLAT]
    alone = [np.bincount(c.codes, minlength=c.size) == 1 for c in flat]
    rules = rules._replace(alone=np.concatenate([*alone, np.zeros(0, dtype=bool)]))
    keys = np.column_stack([extent, secret])[~same]
    variants, variant_of = np.unique(keys, axis=0, return_inverse=True)
    for v, key in enumerate(variants):
        members = np.zeros(len(records), dtype=bool)
        members[np.flatnonzero(~same)[variant_of.ravel() == v]] = True
        variant = rules._replace(extent=key[:-1].copy())
        if asks_for_secrets:
            stretch = rows_without(rules.stretch, int(key[-1]))
            variant = variant._replace(stretch=stretch, records=rules.records - 1)
        yield variant, members


@dataclass(frozen=True)
class _Walk:
    """Targets on their way down a partition, each without its own record."""

    microdata: Microdata
    partition: Partition
    rules: kernels.Rules
    targets: kernels.Targets
    jobs: int
    done: Callable[[int], None]

    def first(self, who: NDArray[np.int32], *, counted: bool) -> Task:
        """A task that takes targets down and corrects their counts; ``counted``: `whole_table`."""
        cases = whole_table(self.microdata, self.partition.lines, who, counted=counted)
        # One thread takes the targets down while the parts are large; then they are distributed.
        share = max(_SMALLEST, len(self.microdata) // (_SHARES * self.jobs))
        return self._task(cases, 0, 1, 0 if self.jobs == 1 else share)

    def _task(self, cases: kernels.Cases, first: int, last: int, stop: int = 0) -> Task:
        """Continue the cases ``[first, last)``."""

        def task() -> Iterable[Task]:
            _, _, more = walk(
                self.partition.table, self.rules, None, cases, first, last, stop, self.targets
            )
            self.done(int(cases.head[first:last, kernels.TARGETS].sum() - more.used[2]))
            return list(self._tasks_for(more))

        return task

    def _tasks_for(self, cases: kernels.Cases) -> Iterable[Task]:
        """Cases as tasks of about equal size, none too small."""
        n_cases = int(cases.used[0])
        if n_cases == 0:
            return
        total = np.cumsum(cases.head[:n_cases, kernels.RECORDS])
        share = max(_SMALLEST, int(total[-1]) // (_SHARES * self.jobs) + 1)
        cuts = np.flatnonzero(np.diff((total - 1) // share)) + 1
        for some in np.split(np.arange(n_cases), cuts):
            yield self._task(cases, int(some[0]), int(some[-1]) + 1)
