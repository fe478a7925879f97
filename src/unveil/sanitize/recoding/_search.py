"""The node of the lattice that loses least, of those at which few enough records miss the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Microdata
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._lattice import Lattice, Node, Weights, sweep
from unveil.sanitize.recoding._losses import Loss, domain_of
from unveil.sanitize.recoding._table import (
    Distinct,
    distinct,
    looks_inside,
    rolled_up,
    scratch_for,
    without_secrets,
)

__all__ = ["Judged", "Problem", "largest_l", "least_loss"]

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
        return distinct(self.microdata)

    @cached_property
    def table(self) -> kernels.Table:
        """The table, without the sensitive values if the goal does not look at them."""
        whole = self.distinct.table
        return whole if looks_inside(self.goal) else without_secrets(whole)

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

    @property
    def sinks(self) -> bool:
        """Whether beneath a node at which too many miss the goal there are only such (`_lattice`)."""
        return not looks_inside(self.goal) or self.limit == 0


@dataclass(frozen=True, eq=False)
class Judged:
    """The classes of one node."""

    node: Node
    class_of: NDArray[np.int32]
    """The class of each combination."""
    fails: NDArray[np.bool_]
    """Which classes miss the goal."""


def judged(
    problem: Problem, weights: Weights, node: Node, goal: kernels.Goal | None = None
) -> Judged:
    """The classes of a node, and which of them miss the goal (or another one)."""
    goal = problem.goal if goal is None else goal
    scratch = scratch_for(problem.table, goal)
    n_classes = kernels.visit(
        problem.table, problem.lattice.group, weights.weight, problem.lattice.at(node), goal,
        weights.everything, scratch,
    )  # fmt: skip
    fails = scratch.classes[:n_classes, kernels.FAILS].astype(bool)
    return Judged(node, scratch.class_of, fails)


def least_loss(problem: Problem) -> Judged | None:
    """The node that loses least; of several, the first in the order of levels. None: no node."""
    search = _Search(problem)
    sweep(search.weights.bounds, search.visit, search.enough)
    return None if search.best is None else judged(problem, search.weights, search.best[1])


class _Search:
    """A search on its way: the best node so far, and tables rolled up."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.weights = problem.weights()
        self.scratch = scratch_for(problem.table, problem.goal)
        self.best: tuple[int, Node] | None = None
        bottom: Node = (0,) * len(problem.lattice.shape)
        self.whole = _Rolled(bottom, problem.table, None, len(problem.goal.totals))
        self.rolled: list[_Rolled] = []

    def visit(self, node: Node) -> bool:
        problem, below = self.problem, self._beneath(node)
        n_classes = kernels.visit(
            below.table, problem.lattice.group, self.weights.weight, problem.lattice.at(node),
            problem.goal, self.weights.everything, self.scratch,
        )  # fmt: skip
        sums = self.scratch.sums.tolist()
        if sums[kernels.FAILING] <= problem.limit:
            found = (sums[kernels.LOSS], node)
            self.best = found if self.best is None else min(self.best, found)
        combinations = below.table.codes.shape[1]
        if 2 * n_classes < combinations:
            class_of = self.scratch.class_of[:combinations].copy()
            self.rolled = self.rolled[1 - _REMEMBERED :]
            self.rolled.append(_Rolled(node, below.table, class_of, below.values))
        missing = sums[kernels.FAILING if problem.sinks else kernels.TOO_SMALL]
        return bool(missing <= problem.limit)

    def enough(self, bound: int) -> bool:
        return self.best is not None and bound > self.best[0]

    def _beneath(self, node: Node) -> _Rolled:
        """The smallest table at hand from which this node's classes can be made."""
        fitting = [one for one in self.rolled if one.is_beneath(node)]
        return min([self.whole, *fitting], key=lambda one: one.combinations)


class _Rolled:
    """The table with the classes of a node for combinations; made when first asked for."""

    def __init__(
        self, node: Node, source: kernels.Table, class_of: NDArray[np.int32] | None, values: int
    ) -> None:
        self.node, self.values = node, values
        self._source, self._class_of = source, class_of
        self.combinations = (
            source.codes.shape[1] if class_of is None else int(class_of.max()) + 1
        )

    def is_beneath(self, node: Node) -> bool:
        return all(low <= high for low, high in zip(self.node, node, strict=True))

    @cached_property
    def table(self) -> kernels.Table:
        if self._class_of is None:
            return self._source
        return rolled_up(self._source, self._class_of, self.values)


def largest_l(problem: Problem) -> int:
    """The largest ℓ for which there is a node, all else being as it is; 0 if there is none."""
    asked, weights = problem.goal, problem.weights()
    goal = asked._replace(l=1)
    table = problem.distinct.table
    scratch = scratch_for(table, goal)
    diversity = np.zeros(table.codes.shape[1], dtype=np.int64)
    largest = 0

    def visit(node: Node) -> bool:
        nonlocal largest
        n_classes = kernels.visit(
            table, problem.lattice.group, weights.weight, problem.lattice.at(node), goal,
            weights.everything, scratch,
        )  # fmt: skip
        kernels.most_diverse(table, goal, n_classes, scratch, diversity)
        sizes = scratch.classes[:n_classes, kernels.SIZE]
        order = np.argsort(diversity[:n_classes])
        # The least diverse are suppressed first; the next in line decides.
        gone = np.cumsum(sizes[order]) <= problem.limit
        kept = order[~gone]
        largest = max(largest, int(diversity[kept[0]]) if len(kept) else asked.l)
        return bool(scratch.sums[kernels.TOO_SMALL] <= problem.limit)

    sweep(weights.bounds, visit, lambda bound: False)
    return largest
