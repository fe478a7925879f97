"""The classes of a node of the lattice, and the search for the node that loses least.

A table is the list of its distinct combinations of quasi-identifiers, each with its *entries*: the
number of records with each sensitive value. A node is good if few enough records are in classes
that miss the goal; of the good ones, the node with the least loss is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Microdata
from unveil.sanitize._sanitizer import combinations
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._lattice import Lattice, Loss, Node, Weights, domain_of, sweep


def looks_inside(goal: kernels.Goal) -> bool:
    """Whether a goal depends on the sensitive values of a class, not only on its size."""
    return bool(goal.l > 1 or len(goal.stretch) > 0)


def suppressible(share: float, records: int) -> int:
    """How many records a share allows to suppress; the share is taken as it is written.

    >>> suppressible(0.29, 100)
    29
    """
    return int(Fraction(repr(float(share))) * records)


_DENSE = 16  # counters per entry up to which counting beats sorting


class Table(NamedTuple):
    """Distinct combinations of codes (columns × combinations), and their entries.

    An entry is a row: a combination, a sensitive value, and the number of records with both.
    Entries are sorted.
    """

    codes: NDArray[np.int32]
    entry: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Number of combinations."""
        return self.codes.shape[1]

    def rolled_up(self, classes: Classes, values: int) -> Table:
        """The table of the classes: one combination of each, and the entries of all."""
        flat = classes.class_of[self.entry[:, kernels.TUPLE]] * values
        flat += self.entry[:, kernels.SECRET]
        number = self.entry[:, kernels.COUNT]
        room = len(classes.first) * values
        if room <= _DENSE * len(flat):
            counts = np.bincount(flat, weights=number, minlength=room)
            found = np.flatnonzero(counts)
            number = counts[found].astype(np.int64)
        else:
            found, which = np.unique(flat, return_inverse=True)
            number = np.bincount(which, weights=number).astype(np.int64)
        rows = np.stack([found // values, found % values, number], axis=1)
        return Table(np.ascontiguousarray(self.codes[:, classes.first]), rows)

    def without_secrets(self) -> Table:
        """The same with one sensitive value for all, for goals that do not depend on it."""
        sizes = np.bincount(self.entry[:, kernels.TUPLE], weights=self.entry[:, kernels.COUNT])
        rows = np.zeros((len(sizes), 3), dtype=np.int64)
        rows[:, kernels.TUPLE], rows[:, kernels.COUNT] = np.arange(len(sizes)), sizes
        return Table(self.codes, rows)


@dataclass(frozen=True, eq=False)
class Distinct:
    """A table, and the combination and entry of each record."""

    table: Table
    tuple_of: NDArray[np.int64]
    entry_of: NDArray[np.int64]


def distinct(microdata: Microdata) -> Distinct:
    """Count the combinations of a table.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 20, 30], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> distinct(survey).table.entry
    array([[0, 1, 1],
           [1, 0, 2]])
    """
    codes, combination = combinations(microdata)
    entry_of, secret = microdata.distinct_of, microdata.sensitive.codes[microdata.distinct]
    rows = np.stack([combination, secret, np.bincount(entry_of)], axis=1).astype(np.int64)
    return Distinct(Table(codes, rows), combination[entry_of], entry_of)


class Classes(NamedTuple):
    """The class of each combination, the first combination and the records of each class."""

    class_of: NDArray[np.int64]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]


class Classifier:
    """Puts the combinations of a table, or of a smaller one, into classes and judges these."""

    def __init__(self, table: Table, group: NDArray[np.int32], goal: kernels.Goal) -> None:
        self.goal = goal
        self._group = group
        self._work = np.zeros((3, table.size), dtype=np.int64)
        self._slots = np.zeros(1 << max(4, (2 * table.size).bit_length()), dtype=np.int64)

    def classes(self, table: Table, at: NDArray[np.int64]) -> Classes:
        """The classes of a node; ``at`` as `Lattice.at` gives it."""
        n = kernels.classes(table.codes, self._group, at, self._work, self._slots)
        class_of = self._work[kernels.CLASS, : table.size].copy()
        sizes = np.bincount(
            class_of[table.entry[:, kernels.TUPLE]], weights=table.entry[:, kernels.COUNT]
        )
        first = self._work[kernels.FIRST_OF, :n].copy()
        return Classes(class_of, first, sizes.astype(np.int64))

    def misses(self, table: Table, classes: Classes) -> NDArray[np.bool_]:
        """Which classes miss the goal."""
        misses = self.misses_within(table, classes, int(classes.sizes.sum()))
        assert misses is not None  # no more records than there are
        return misses

    def misses_within(
        self, table: Table, classes: Classes, limit: int, *, spared: bool = False
    ) -> NDArray[np.bool_] | None:
        """The same; None if more than ``limit`` records are in classes that miss the goal.

        With ``spared`` the largest such class does not count.
        """
        # ℓ values with at most 1/ℓ each need ℓ records: this is known without looking inside.
        misses = classes.sizes < max(self.goal.k, self.goal.l)
        missing = classes.sizes[misses]
        known = int(missing.sum() - (missing.max(initial=0) if spared else 0))
        if known <= limit and looks_inside(self.goal):
            known = kernels.judge(
                table.entry, classes.class_of, classes.sizes, self.goal, int(spared), limit, misses
            )
        return misses if known <= limit else None

    def too_small(self, classes: Classes) -> int:
        """Number of records in classes that are too small for the goal."""
        return int(classes.sizes[classes.sizes < max(self.goal.k, self.goal.l)].sum())

    def misses_without(
        self, table: Table, classes: Classes, is_target: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """For each entry that is a target, whether its class misses the goal without one of it."""
        class_of_entry = classes.class_of[table.entry[:, kernels.TUPLE]]
        misses: NDArray[np.bool_] = (classes.sizes <= self.goal.k)[class_of_entry]
        if looks_inside(self.goal):
            kernels.judge_without(
                table.entry, classes.class_of, classes.sizes, self.goal, is_target, misses
            )
        return misses


_REMEMBERED = 12  # nodes whose classes are kept, for nodes above to start from


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its lattice, a goal, and the number of records that may be suppressed.

    ``one`` is that of the goal's `Stretches`.
    """

    microdata: Microdata
    lattice: Lattice
    goal: kernels.Goal
    limit: int
    loss: Loss
    one: int

    @cached_property
    def distinct(self) -> Distinct:
        """The combinations of the table."""
        return distinct(self.microdata)

    @cached_property
    def table(self) -> Table:
        """The same, without the sensitive values if the goal does not depend on them."""
        whole = self.distinct.table
        return whole if looks_inside(self.goal) else whole.without_secrets()

    @cached_property
    def counts(self) -> list[NDArray[np.int64]]:
        """Number of records with each code of each column."""
        return [np.bincount(c.codes, minlength=c.size) for c in self.microdata.quasi]

    def weights(self, lacking: Sequence[int] | None = None) -> Weights:
        """The loss at each level; ``lacking``: a value per column that is gone, -1 for none."""
        gone = [-1] * len(self.microdata.quasi) if lacking is None else lacking
        columns = zip(self.microdata.quasi, gone, strict=True)
        domains = [domain_of(column, self.loss, lacking=code) for column, code in columns]
        return Weights.of(self.lattice, domains, self.counts)

    def classifier(self, goal: kernels.Goal | None = None) -> Classifier:
        """A classifier for the goal or another one."""
        return Classifier(self.table, self.lattice.group, self.goal if goal is None else goal)


@dataclass(frozen=True, eq=False)
class Judged:
    """The classes of one node, and which of them miss the goal."""

    node: Node
    classes: Classes
    misses: NDArray[np.bool_]


def judged(problem: Problem, node: Node, goal: kernels.Goal | None = None) -> Judged:
    """The classes of a node, judged by the goal or another one."""
    classifier = problem.classifier(goal)
    classes = classifier.classes(problem.table, problem.lattice.at(node))
    return Judged(node, classes, classifier.misses(problem.table, classes))


def least_loss(problem: Problem) -> Judged | None:
    """The node that loses least, the first of several; None if no node is good."""
    search = _Search(problem)
    sweep(search.weights.bounds, search.visit, search.enough)
    return None if search.best is None else judged(problem, search.best[1])


class _Search:
    """A search in progress: the best node so far."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.weights = problem.weights()
        self.classifier = problem.classifier()
        self.shrinking = Shrinking(problem.table, problem.goal.values)
        self.best: tuple[int, Node] | None = None

    def visit(self, node: Node) -> bool:
        """Whether nodes below may be good: see `_lattice`."""
        problem = self.problem
        table, at = self.shrinking.table_for(node), problem.lattice.at(node)
        classes = self.classifier.classes(table, at)
        self.shrinking.remember(node, table, classes)
        misses = self.classifier.misses_within(table, classes, problem.limit)
        if misses is not None:
            lost = self.weights.of_classes(table.codes[:, classes.first], at)
            found = (int(classes.sizes @ np.where(misses, self.weights.everything, lost)), node)
            self.best = found if self.best is None else min(self.best, found)
        if sinks(problem.goal, problem.limit):
            return misses is not None
        return self.classifier.too_small(classes) <= problem.limit

    def enough(self, bound: int) -> bool:
        """Whether no node with this bound can be better, or as good and come first."""
        return self.best is not None and bound > self.best[0]


def sinks(goal: kernels.Goal, limit: int) -> bool:
    """Whether all nodes below a bad one are bad: see `_lattice`."""
    return not looks_inside(goal) or limit == 0


class Shrinking:
    """Smaller tables, made of the classes of a node, to start from instead of the whole."""

    def __init__(self, table: Table, values: int) -> None:
        self._whole = table
        self._values = values
        self._rolled: list[_Rolled] = []

    def table_for(self, node: Node) -> Table:
        """The smallest known table from which this node's classes can be made."""
        fitting = [one for one in self._rolled if one.is_below(node)]
        if not fitting:
            return self._whole
        return min(fitting, key=lambda one: len(one.classes.first)).table

    def remember(self, node: Node, table: Table, classes: Classes) -> None:
        """Keep the classes of a node if they are few enough to be useful."""
        if 2 * len(classes.first) < table.size:
            self._rolled = self._rolled[1 - _REMEMBERED :]
            self._rolled.append(_Rolled(node, table, classes, self._values))


@dataclass(frozen=True, eq=False)
class _Rolled:
    """The classes of a node, and the table made of them."""

    node: Node
    source: Table
    classes: Classes
    values: int

    def is_below(self, node: Node) -> bool:
        """Whether the classes of a node consist of whole classes of this one."""
        return all(low <= high for low, high in zip(self.node, node, strict=True))

    @cached_property
    def table(self) -> Table:
        return self.source.rolled_up(self.classes, self.values)


def largest_l(problem: Problem) -> int:
    """The largest ℓ for which there is a good node, with all other options unchanged."""
    table, goal = problem.distinct.table, problem.goal._replace(l=1)
    classifier = Classifier(table, problem.lattice.group, goal)
    largest = 0

    def visit(node: Node) -> bool:
        nonlocal largest
        classes = classifier.classes(table, problem.lattice.at(node))
        entry = table.rolled_up(classes, goal.values).entry
        most = np.zeros(len(classes.sizes), dtype=np.int64)
        np.maximum.at(most, entry[:, kernels.TUPLE], entry[:, kernels.COUNT])
        diverse = np.where(classifier.misses(table, classes), 0, classes.sizes // most)
        # The least diverse are suppressed first; the next in line decides.
        order = np.argsort(diverse)
        kept = order[np.cumsum(classes.sizes[order]) > problem.limit]
        largest = max(largest, int(diverse[kept[0]]))
        return classifier.too_small(classes) <= problem.limit

    sweep(problem.weights().bounds, visit, lambda bound: False)
    return largest
