"""The node of the lattice that loses least, of those at which few enough records miss the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Microdata
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._goal import looks_inside
from unveil.sanitize.recoding._lattice import Lattice, Node, Weights, sweep
from unveil.sanitize.recoding._losses import Loss, domain_of
from unveil.sanitize.recoding._table import Classes, Classifier, Distinct, Table, distinct

__all__ = ["Judged", "Problem", "Shrinking", "judged", "largest_l", "least_loss", "sinks"]

_REMEMBERED = 12  # nodes whose classes are kept, so that nodes above need not start from the table


@dataclass(frozen=True, eq=False)
class Problem:
    """What is searched: a table, its lattice, a goal, and how many records may be suppressed."""

    microdata: Microdata
    lattice: Lattice
    goal: kernels.Goal
    limit: int
    loss: Loss

    @cached_property
    def distinct(self) -> Distinct:
        """The combinations of the table."""
        return distinct(self.microdata)

    @cached_property
    def table(self) -> Table:
        """The same, without the sensitive values if the goal does not look at them."""
        whole = self.distinct.table
        return whole if looks_inside(self.goal) else whole.without_secrets()

    @cached_property
    def counts(self) -> list[NDArray[np.int64]]:
        """How many records have each code of each column."""
        return [np.bincount(c.codes, minlength=c.size) for c in self.microdata.quasi]

    def weights(self, lacking: Sequence[int] | None = None) -> Weights:
        """What is lost at each level; ``lacking``: values that are not there, -1 for none."""
        gone = [-1] * len(self.microdata.quasi) if lacking is None else lacking
        columns = zip(self.microdata.quasi, gone, strict=True)
        domains = [domain_of(column, self.loss, lacking=code) for column, code in columns]
        return Weights.of(self.lattice, domains, self.counts)

    def classifier(self, goal: kernels.Goal | None = None) -> Classifier:
        """What makes and judges classes, by the goal or another one."""
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
    """The node that loses least; of several, the first in the order of levels. None: no node."""
    search = _Search(problem)
    sweep(search.weights.bounds, search.visit, search.enough)
    return None if search.best is None else judged(problem, search.best[1])


class _Search:
    """A search on its way: the best node so far."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.weights = problem.weights()
        self.classifier = problem.classifier()
        self.shrinking = Shrinking(problem.table, len(problem.goal.totals))
        self.best: tuple[int, Node] | None = None

    def visit(self, node: Node) -> bool:
        """Whether nodes beneath may be good: see `_lattice`."""
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
        """Whether nothing with this bound can be better, or as good and come first."""
        return self.best is not None and bound > self.best[0]


def sinks(goal: kernels.Goal, limit: int) -> bool:
    """Whether all nodes beneath one that is bad are bad: see `_lattice`."""
    return not looks_inside(goal) or limit == 0


class Shrinking:
    """Tables with the classes of a node for combinations, to start from instead of the whole."""

    def __init__(self, table: Table, values: int) -> None:
        self._whole = table
        self._values = values
        self._rolled: list[_Rolled] = []

    def table_for(self, node: Node) -> Table:
        """The smallest table at hand from which this node's classes can be made."""
        fitting = [one for one in self._rolled if one.is_beneath(node)]
        if not fitting:
            return self._whole
        return min(fitting, key=lambda one: len(one.classes.first)).table

    def remember(self, node: Node, table: Table, classes: Classes) -> None:
        """Keep the classes of a node, if they are few enough to be of use."""
        if 2 * len(classes.first) < table.size:
            self._rolled = self._rolled[1 - _REMEMBERED :]
            self._rolled.append(_Rolled(node, table, classes, self._values))


@dataclass(frozen=True, eq=False)
class _Rolled:
    """The classes of a node; as a table of their own when first asked for it."""

    node: Node
    source: Table
    classes: Classes
    values: int

    def is_beneath(self, node: Node) -> bool:
        """Whether the classes of a node are made of whole classes of this one."""
        return all(low <= high for low, high in zip(self.node, node, strict=True))

    @cached_property
    def table(self) -> Table:
        """The table rolled up."""
        return self.source.rolled_up(self.classes, self.values)


def largest_l(problem: Problem) -> int:
    """The largest ℓ for which there is a node, all else being as it is."""
    table, goal = problem.distinct.table, problem.goal._replace(l=1)
    classifier = Classifier(table, problem.lattice.group, goal)
    largest = 0

    def visit(node: Node) -> bool:
        nonlocal largest
        classes = classifier.classes(table, problem.lattice.at(node))
        entry = table.rolled_up(classes, len(goal.totals)).entry
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
