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

from unveil.microdata import Microdata, distinct_rows
from unveil.sanitize._sanitizer import combinations
from unveil.sanitize._weights import WHOLE, Weighed
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


class Table(NamedTuple):
    """Distinct combinations of codes (columns × combinations), and their entries.

    An entry is a row: a combination, a sensitive value, and the number of records with both.
    Entries are sorted. Where a person may have several rows, the records of an entry are one
    person's, whose number is last.
    """

    codes: NDArray[np.int32]
    entry: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Number of combinations."""
        return self.codes.shape[1]


@dataclass(frozen=True, eq=False)
class Distinct:
    """A table, and the combination and entry of each record."""

    table: Table
    tuple_of: NDArray[np.int64]
    entry_of: NDArray[np.int64]


def distinct(microdata: Microdata, weighed: Weighed | None = None) -> Distinct:
    """Count the combinations of a table.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 20, 30], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> distinct(survey).table.entry
    array([[0, 1, 1],
           [1, 0, 2]])
    """
    codes, combination = combinations(microdata)
    if weighed is not None:
        tuple_of = combination[microdata.distinct_of].astype(np.int64)
        of = weighed.whose
        first, entry_of = distinct_rows([tuple_of, microdata.sensitive.codes, of])
        secret = microdata.sensitive.codes[first]
        people = np.stack([tuple_of[first], secret, np.bincount(entry_of), of[first]], axis=1)
        return Distinct(Table(codes, people.astype(np.int64)), tuple_of, entry_of)
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

    def diversity(self, table: Table, classes: Classes) -> NDArray[np.int64]:
        """The largest ℓ that each class meets."""
        flat = classes.class_of[table.entry[:, kernels.TUPLE]] * self.goal.values
        found, which = np.unique(flat + table.entry[:, kernels.SECRET], return_inverse=True)
        number = np.bincount(which, weights=table.entry[:, kernels.COUNT])
        most = np.zeros(len(classes.sizes), dtype=np.int64)
        np.maximum.at(most, found // self.goal.values, number.astype(np.int64))
        return np.asarray(classes.sizes // most)

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


class PeopleClassifier(Classifier):
    """The same where people are counted, who may have several rows; see `_kernels`."""

    def __init__(
        self, table: Table, group: NDArray[np.int32], goal: kernels.Goal, people: int
    ) -> None:
        super().__init__(table, group, goal)
        self._table, self._people = table, people
        self._last: tuple[Classes, NDArray[np.int64]] | None = None

    def _judged(self, classes: Classes) -> NDArray[np.int64]:
        """For each class its people, the largest weight of a value, and if it misses the goal."""
        if self._last is None or self._last[0] is not classes:
            found = np.zeros((len(classes.sizes), 3), dtype=np.int64)
            kernels.judge_people(
                self._table.entry, classes.class_of, self.goal, self._people, found
            )
            self._last = classes, found
        return self._last[1]

    def misses_within(
        self, table: Table, classes: Classes, limit: int, *, spared: bool = False
    ) -> NDArray[np.bool_] | None:
        assert not spared  # that is for records that are left out
        misses = self._judged(classes)[:, 2] == 1
        return misses if int(classes.sizes[misses].sum()) <= limit else None

    def too_small(self, classes: Classes) -> int:
        few = self._judged(classes)[:, 0] < max(self.goal.k, self.goal.l)
        return int(classes.sizes[few].sum())

    def diversity(self, table: Table, classes: Classes) -> NDArray[np.int64]:
        people, most, _ = self._judged(classes).T
        return np.minimum(people, people * WHOLE // most)


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its lattice, a goal, and the number of records that may be suppressed.

    ``one`` is that of the goal's `Stretches`; ``weighed`` is there where people are counted.
    """

    microdata: Microdata
    lattice: Lattice
    goal: kernels.Goal
    limit: int
    loss: Loss
    one: int
    weighed: Weighed | None = None

    @cached_property
    def distinct(self) -> Distinct:
        """The combinations of the table."""
        return distinct(self.microdata, self.weighed)

    @property
    def table(self) -> Table:
        """The same, without the place of each record."""
        return self.distinct.table

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
        goal = self.goal if goal is None else goal
        if self.weighed is None:
            return Classifier(self.table, self.lattice.group, goal)
        people = self.weighed.persons.count
        return PeopleClassifier(self.table, self.lattice.group, goal, people)


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
        self.best: tuple[int, Node] | None = None

    def visit(self, node: Node) -> bool:
        """Whether nodes below may be good: see `_lattice`."""
        problem = self.problem
        table, at = problem.table, problem.lattice.at(node)
        classes = self.classifier.classes(table, at)
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
    """Whether all nodes below a bad one are bad: see `_lattice`.

    Where people have several rows, a class that is merged of two with at most 1/ℓ of a value may
    have more of it: of someone's two rows that have another value, each weighs half as much there.
    """
    return not looks_inside(goal) or (limit == 0 and len(goal.share) == 0)


def largest_l(problem: Problem) -> int:
    """The largest ℓ for which there is a good node, with all other options unchanged."""
    table, goal = problem.distinct.table, problem.goal._replace(l=1)
    classifier = problem.classifier(goal)
    largest = 0

    def visit(node: Node) -> bool:
        nonlocal largest
        classes = classifier.classes(table, problem.lattice.at(node))
        misses = classifier.misses(table, classes)
        diverse = np.where(misses, 0, classifier.diversity(table, classes))
        # The least diverse are suppressed first; the next in line decides.
        order = np.argsort(diverse)
        kept = order[np.cumsum(classes.sizes[order]) > problem.limit]
        largest = max(largest, int(diverse[kept[0]]))
        return classifier.too_small(classes) <= problem.limit

    sweep(problem.weights().bounds, visit, lambda bound: False)
    return largest
