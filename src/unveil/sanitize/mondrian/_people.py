"""Mondrian where a person may have several rows: its partition, and the same without each person.

As in `_partition`, with people for records. The targets are grouped by the rules of the table
without their person, that is by the widths of the columns. People are distributed over the threads,
and not cases: a person's rows may be in several cases, and each of these corrects what is counted
for the person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.engine import Task, run_tasks, workers
from unveil.microdata import Column, Kind, Microdata, Persons, Statistic, histograms_at
from unveil.sanitize._sanitizer import LeaveOneOut
from unveil.sanitize._weights import Weighed, shares
from unveil.sanitize.mondrian import _kernels as kernels
from unveil.sanitize.mondrian._by_person import Counted, People, walk_people
from unveil.sanitize.mondrian._partition import (
    Partition,
    cut_kind,
    extents,
    rows_of,
    whole_table,
)

_STEP, _STEPS = 4096, 16  # records of a step of the work, and how many steps the table has


class _Asked(NamedTuple):
    """What is asked: how it is counted for people, and where the counts of each target are.

    Attributes
    ----------
    people : People
    row : array of shape (targets, columns)
        The row of `Counted.cover` of each target's code.
    """

    people: People
    row: NDArray[np.intp]


def grown(
    microdata: Microdata, rules: kernels.Rules, asked: NDArray[np.int32] | None, weighed: Weighed
) -> Partition:
    """The partition of a table in which a person may have several rows."""
    nobody = np.zeros(0, dtype=np.intp)
    people = _asked_of(microdata, weighed, rules.k, nobody, cover=False).people
    nothing = np.zeros((0, microdata.sensitive.size), dtype=np.int32)
    return Partition.grow(microdata, rules, asked, Counted(nothing, nothing), people)


def _asked_of(
    microdata: Microdata, weighed: Weighed, least: int, records: NDArray[np.intp], *, cover: bool
) -> _Asked:
    """Whose the records are, as the kernels need it, and what is asked of some of them.

    That is what covers them in every column and, with ``cover``, in each.
    """
    n, columns = weighed.persons.count, microdata.quasi
    begin = np.zeros((len(columns), n + 1), dtype=np.int64)
    row = np.zeros((len(records), len(columns)), dtype=np.intp)
    codes: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
    used = 0
    for j, column in enumerate(columns if cover else ()):
        keys = weighed.whose[records] * column.size + column.codes[records]
        keys, row[:, j] = np.unique(keys, return_inverse=True)
        row[:, j] += used
        begin[j] = used + np.searchsorted(keys, np.arange(n + 1) * column.size)
        codes.append((keys % column.size).astype(np.int32))
        used += len(keys)
    asked = np.full(len(microdata), -1, dtype=np.int64)
    asked[records] = 0
    asked[asked == 0] = np.arange((asked == 0).sum())
    of = weighed.whose.astype(np.int32)
    share = shares(int(weighed.persons.rows.max()))
    return _Asked(People(of, share, least, begin, np.concatenate(codes), asked), row)


def _owner(column: Column, persons: Persons) -> NDArray[np.int64]:
    """The only person who has each value of a column; -1 if there are several, or nobody."""
    assert persons.of is not None
    first = np.full(column.size, persons.count)
    last = np.full(column.size, -1)
    np.minimum.at(first, column.codes, persons.of)
    np.maximum.at(last, column.codes, persons.of)
    return np.where(first == last, first, -1)


def extents_without_people(microdata: Microdata, persons: Persons) -> NDArray[np.float64]:
    """The width of each whole column without each person."""
    assert persons.of is not None
    widths = np.repeat(extents(microdata)[None], persons.count, axis=0)
    for j, column in enumerate(microdata.quasi):
        kind = cut_kind(column)
        owner = _owner(column, persons)
        if kind == kernels.FLAT:
            widths[:, j] -= np.bincount(owner[owner >= 0], minlength=persons.count)
        elif column.kind is Kind.NUMERIC:
            present = np.unique(column.codes)
            # Only who alone has the lowest or the highest value makes the column narrower.
            for person in {int(owner[present[0]]), int(owner[present[-1]])} - {-1}:
                rest = column.codes[persons.of != person]
                ends = column.positions[[rest.min(), rest.max()]] if len(rest) else np.zeros(2)
                widths[person, j] = ends[1] - ends[0]
    return widths


def leave_people_out(
    microdata: Microdata,
    records: NDArray[np.intp],
    statistic: Statistic,
    *,
    rules: kernels.Rules,
    asked: NDArray[np.int32] | None,
    weighed: Weighed,
    possible: NDArray[np.bool_],
    jobs: int | None,
    done: Callable[[int], None],
) -> LeaveOneOut:
    """Count ``statistic`` for each record in the partition with and without its person.

    ``possible``: for each person, whether the table without them can be partitioned at all.
    """
    values, cover = microdata.sensitive.size, statistic is Statistic.COVER
    people, row = _asked_of(microdata, weighed, rules.k, records, cover=cover)
    present = Counted(
        np.zeros((len(people.code), values), dtype=np.int32),
        np.zeros((int(people.asked.max()) + 1, values), dtype=np.int32),
    )
    partition = Partition.grow(microdata, rules, asked, present, people)
    # Boxes are disjoint: only in a record's own class do the cells cover it in every column.
    class_of, there = partition.class_of, np.flatnonzero(people.asked >= 0)
    present.joint[:] = histograms_at(class_of[there], class_of, microdata.sensitive)
    absent = Counted(present.cover.copy(), present.joint.copy())
    tested = np.zeros(len(possible), dtype=bool)
    tested[people.of[there]] = True
    times = np.bincount(records, minlength=len(microdata))
    walk = _Walk(microdata, partition, rules, people, absent, times, workers(jobs), done)
    tasks: list[Task] = []
    for variant, among in _variants(microdata, rules, weighed.persons, tested & possible):
        if variant is not rules and cover:
            absent.cover[row[among[people.of[records]]]] = 0
        tasks += replace(walk, rules=variant).first(among, counted=variant is rules)
    run_tasks(tasks, walk.jobs)
    possible = possible[people.of[records]]
    if cover:
        return LeaveOneOut(present.cover[row], absent.cover[row], possible)
    place = people.asked[records]
    return LeaveOneOut(present.joint[place], absent.joint[place], possible)


def _variants(
    microdata: Microdata, rules: kernels.Rules, persons: Persons, asked: NDArray[np.bool_]
) -> Iterator[tuple[kernels.Rules, NDArray[np.bool_]]]:
    """The rules of the table without some of the people, and which people these are.

    For most people they are the rules of the whole table.
    """
    extent = extents_without_people(microdata, persons)
    same = (extent == rules.extent).all(axis=1)
    yield rules, same & asked
    # Who alone has a value of a FLAT column changes that column's width, so only the variants below
    # need to know which values are gone.
    flat = [c for c in microdata.quasi if cut_kind(c) == kernels.FLAT]
    alone = [_owner(c, persons) >= 0 for c in flat]
    rules = rules._replace(alone=np.concatenate([*alone, np.zeros(0, dtype=bool)]))
    others = np.flatnonzero(asked & ~same)
    variants, variant_of = np.unique(extent[others], axis=0, return_inverse=True)
    for v, widths in enumerate(variants):
        members = np.zeros(persons.count, dtype=bool)
        members[others[variant_of.ravel() == v]] = True
        yield rules._replace(extent=widths.copy()), members


class _Some(NamedTuple):
    """Some cases that are to be continued; nodes of at most ``stop`` records are put off."""

    cases: kernels.Cases
    first: int
    last: int
    stop: int = 0


@dataclass(frozen=True)
class _Walk:
    """People on their way down a partition, each without their own rows."""

    microdata: Microdata
    partition: Partition
    rules: kernels.Rules
    people: People
    counted: Counted
    times: NDArray[np.int64]
    """How often each record is a target."""
    jobs: int
    done: Callable[[int], None]

    def first(self, among: NDArray[np.bool_], *, counted: bool) -> Iterator[Task]:
        """Tasks that take people down and correct their targets' counts; as in `_partition`."""
        for some in np.array_split(np.flatnonzero(among), self.jobs):
            if len(some):
                who = rows_of(self.people, some)
                cases = whole_table(self.microdata, self.partition.lines, who, counted=counted)
                # Small nodes are put off at first: so the work is in steps that can be seen.
                stop = max(_STEP, len(self.microdata) // _STEPS)
                yield self._task([_Some(cases, 0, 1, stop)])

    def _task(self, waiting: list[_Some]) -> Task:
        """Continue the last of the cases, and then the others and what they leave, one by one."""

        def task() -> Iterable[Task]:
            cases, first, last, stop = waiting.pop()
            _, _, more = walk_people(
                self.partition.table, self.rules, self.people, cases, first, last, stop,
                self.counted,
            )  # fmt: skip
            begin = cases.head[first, kernels.TARGETS_AT]
            upto = begin + cases.head[first:last, kernels.TARGETS].sum()
            gone = self._asked(cases.targets[begin:upto])
            self.done(gone - self._asked(more.targets[: more.used[2]]))
            waiting.extend(self._steps(more))
            return [self._task(waiting)] if waiting else ()

        return task

    def _asked(self, rows: NDArray[np.int32]) -> int:
        """How many targets some rows are."""
        return int(self.times[rows].sum())

    def _steps(self, cases: kernels.Cases) -> Iterator[_Some]:
        """Cases in steps of about equal size, none too small."""
        number = int(cases.used[0])
        if number:
            total = np.cumsum(cases.head[:number, kernels.RECORDS])
            share = max(_STEP, len(self.microdata) // _STEPS)
            cuts = np.flatnonzero(np.diff((total - 1) // share)) + 1
            for first, last in pairwise([0, *cuts.tolist(), number]):
                yield _Some(cases, first, last)
