"""The best node without each record, for all records at once.

Without record i, every node has the same classes, except that one has a record less. So a node is
visited once for all records: its loss and its records that miss the goal are known for the whole
table, and for each i only its own class is judged again. The search goes on until the bound on a
node's loss exceeds the worst of the best losses found. Nothing is approximated.

Two more things may depend on i, and records are searched for together where they agree in both:
the values that a column has (see `_lattice`), and, for t-closeness, the sensitive values of the
whole table, which lack i's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Statistic
from unveil.sanitize._goals import rows_without
from unveil.sanitize._sanitizer import LeaveOneOut
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._lattice import Node, Weights, is_declared, sweep
from unveil.sanitize.recoding._search import Judged, Problem, judged, sinks

_NONE = np.iinfo(np.int64).max


class _Alike(NamedTuple):
    """Targets that are searched for together: their entries, goal and weights."""

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

    ``chosen`` is the node of the whole table, ``limit`` the number of records that may be
    suppressed in the table without one.
    """
    microdata = problem.microdata
    secrets, combinations = microdata.sensitive.codes[records], problem.distinct.tuple_of[records]
    shape = (len(records), len(microdata.quasi), microdata.sensitive.size)
    present = np.zeros(shape if statistic is Statistic.COVER else shape[::2], dtype=np.int32)
    present[:] = _Counted(problem, chosen).of(statistic, combinations)
    absent, possible = present.copy(), np.zeros(len(records), dtype=bool)
    if len(microdata) > 1:
        for which, goal, node in _best_nodes(problem, records, limit):
            without = _Counted(problem, judged(problem, node, goal))
            absent[which] = without.of(statistic, combinations[which])
            possible[which] = True
            done(len(which))
    # In both releases i's own cells cover i in every column.
    absent[np.arange(len(records)), ..., secrets] -= 1
    return LeaveOneOut(present, absent, possible)


def _best_nodes(
    problem: Problem, records: NDArray[np.intp], limit: int
) -> Iterator[tuple[NDArray[np.intp], kernels.Goal, Node]]:
    """Places among the records, their goal, and the best node without each of them."""
    outlook, entry_of = _Outlook(problem, limit), problem.distinct.entry_of[records]
    for alike in _groups(problem, np.unique(entry_of)):
        search = _Search(problem, alike, limit, outlook)
        sweep(alike.weights.bounds, search.visit, search.enough)
        numbers = search.number
        for number in np.unique(numbers[numbers != _NONE]):
            which = np.flatnonzero(np.isin(entry_of, alike.entries[numbers == number]))
            yield which, alike.goal, problem.lattice.node(int(number))


def _groups(problem: Problem, entries: NDArray[np.int64]) -> Iterator[_Alike]:
    """The entries of which one record is left out, grouped by what that changes."""
    table, columns = problem.table, problem.microdata.quasi
    codes = table.codes[:, table.entry[entries, kernels.TUPLE]]
    lacking = np.full(codes.shape, -1, dtype=np.int64)
    for j, (column, counts) in enumerate(zip(columns, problem.counts, strict=True)):
        # With two levels a column loses all or nothing, however many values it has.
        shallow = len(problem.lattice.ladders[j]) < 3 and (counts > 0).sum() > 2
        if not is_declared(column) and not shallow:
            alone = counts[codes[j]] == 1
            lacking[j, alone] = codes[j, alone]
    far = len(problem.goal.stretch) > 0
    secrets = table.entry[entries, kernels.SECRET] if far else np.full(len(entries), -1)
    keys, which = np.unique(np.vstack([lacking, secrets]), axis=1, return_inverse=True)
    for g, key in enumerate(keys.T):
        goal = problem.goal
        if far:
            stretch = rows_without(goal.stretch, int(key[-1]))
            goal = goal._replace(stretch=stretch, records=goal.records - 1)
        yield _Alike(entries[which.ravel() == g], goal, problem.weights(key[:-1].tolist()))


class _Outlook:
    """What is known of a node without looking at each record, for all groups of targets."""

    def __init__(self, problem: Problem, limit: int) -> None:
        goal = problem.goal
        # One record less moves the whole table, and so every distance to it, by at most 1/(n − 1).
        lenient = goal._replace(far=goal.far + problem.one / max(1, goal.records - 1))
        self._classifier = problem.classifier(lenient)
        self._problem, self._limit = problem, limit
        self._known: dict[Node, tuple[bool, bool]] = {}

    def of(self, node: Node) -> tuple[bool, bool]:
        """Whether a node may be good without some record; and whether nodes below it may be.

        The latter follows from the classes that are too small, for every goal.
        """
        if node not in self._known:
            table = self._problem.table
            classes = self._classifier.classes(table, self._problem.lattice.at(node))
            # Without a target only its own class may meet a goal that it missed before.
            misses = self._classifier.misses_within(table, classes, self._limit, spared=True)
            # The target may itself have been in one of the classes that are too small.
            below = self._classifier.too_small(classes) - 1 <= self._limit
            self._known[node] = (misses is not None, below)
        return self._known[node]


class _Search:
    """A search for a group of targets: loss and number of the best node so far without each."""

    def __init__(self, problem: Problem, alike: _Alike, limit: int, outlook: _Outlook) -> None:
        self.table, self.lattice = problem.table, problem.lattice
        self.alike, self.limit, self.outlook = alike, limit, outlook
        self.classifier = problem.classifier(alike.goal)
        self.is_target = np.zeros(len(self.table.entry), dtype=bool)
        self.is_target[alike.entries] = True
        self.loss = np.full(len(alike.entries), _NONE)
        self.number = np.full(len(alike.entries), _NONE)

    def visit(self, node: Node) -> bool:
        """Whether nodes below may be good for any target: see `_lattice`."""
        may_be_good, below = self.outlook.of(node)
        good = may_be_good and self._judge_each(node)
        return good if sinks(self.alike.goal, self.limit) else below

    def _judge_each(self, node: Node) -> bool:
        """Note this node for each target for which it is the best; whether it is good for any."""
        at, everything = self.lattice.at(node), self.alike.weights.everything
        classes = self.classifier.classes(self.table, at)
        misses = self.classifier.misses(self.table, classes)
        alone = self.alike.weights.of_classes(self.table.codes[:, classes.first], at)
        missing = np.where(misses, classes.sizes, 0)
        loss = classes.sizes * np.where(misses, everything, alone)
        # Without a target only the class that it was in changes.
        entries = self.alike.entries
        own = classes.class_of[self.table.entry[entries, kernels.TUPLE]]
        rest = classes.sizes[own] - 1
        now = self.classifier.misses_without(self.table, classes, self.is_target)[entries]
        meets = missing.sum() - missing[own] + rest * now <= self.limit
        loss_now = loss.sum() - loss[own] + rest * np.where(now, everything, alone[own])
        number = self.lattice.number(node)
        first = (loss_now == self.loss) & (number < self.number)
        better = meets & ((loss_now < self.loss) | first)
        self.loss[better], self.number[better] = loss_now[better], number
        return bool(meets.any())

    def enough(self, bound: int) -> bool:
        """Whether no node with this bound can be better without any of the targets.

        The record left out loses at most everything.
        """
        return bound - self.alike.weights.everything > int(self.loss.max())


class _Counted:
    """The counts of released records that cover targets, for the release of a node."""

    def __init__(self, problem: Problem, judged: Judged) -> None:
        self.table, self.ladders = problem.table, problem.lattice.ladders
        self.values = problem.microdata.sensitive.size
        self.judged = judged
        combination, secret, number = self.table.entry.T
        self.hidden = judged.misses[judged.classes.class_of[combination]]
        self.suppressed = np.bincount(
            secret, weights=number * self.hidden, minlength=self.values
        ).astype(np.int64)

    def of(self, statistic: Statistic, combinations: NDArray[np.integer]) -> NDArray[np.int64]:
        """The statistic of targets with these combinations."""
        if statistic is Statistic.JOINT:
            return self._counts(self.judged.classes.class_of, combinations)
        rows = []
        for codes, ladder, level in zip(
            self.table.codes, self.ladders, self.judged.node, strict=True
        ):
            rows.append(self._counts(ladder.group[level][codes], combinations))
        return np.stack(rows, axis=1)

    def _counts(
        self, cell_of: NDArray[np.integer], combinations: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Records in the same cell as each target, and all that are suppressed."""
        combination, secret, number = self.table.entry.T
        flat = cell_of[combination].astype(np.int64) * self.values + secret
        size = (int(cell_of.max()) + 1) * self.values
        counts = np.bincount(flat, weights=number * ~self.hidden, minlength=size)
        counts = counts.reshape(-1, self.values)[cell_of[combinations]]
        return np.asarray(counts, dtype=np.int64) + self.suppressed
