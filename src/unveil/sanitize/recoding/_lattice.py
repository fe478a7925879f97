"""The lattice of a table's full-domain recodings: all combinations of one level per column.

**Levels.** They lead from every value as it is to ``*``. A hierarchy may be ragged, so a level is
not a step from the leaf: at level L a value becomes the highest node above it from which no leaf is
more than L steps away. Then the nodes of a level never overlap, every level consists of whole nodes
of the one before, and where all leaves are equally deep, it is L steps up. Levels that change
nothing (a node with one child) are left out. A column without a hierarchy has two: the value, and
``*``.

**Losses** are whole numbers, so that sums are exact and ties are ties. A cell that covers v of a
column's n values loses (v − 1) / (n − 1): a single value loses nothing, ``*`` everything. Where
ranges are measured by their width, a cell of an ordered column loses its width over the column's.
All losses are multiplied by the *scale*: the least number that makes all fractions whole, or 2³²
where that is smaller. The number of values must never depend on a record that was left out: ordinal
levels and the leaves of a categorical hierarchy are declared; of numbers, and of categories without
a hierarchy, those count that occur in the table.

**Search.** A node loses at least what its levels lose without suppression, a sum over the columns
that is known beforehand. This bound only grows on the way up. So the nodes are visited by their
bound, the least first, until the bound exceeds the best loss found.

**Pruning.** Going up merges classes. If a goal that is met by all parts is met by the whole, and
nothing may be suppressed, every node above a good one is good, and every node below a bad one is
bad. This holds for k (the whole is larger), for ℓ (a value with at most 1/ℓ of each part has at
most 1/ℓ of the whole) and for t (the earth mover's distance is convex). With suppression it holds
for k alone: a record in a class of k stays in one, so on the way up fewer records are suppressed.
It does *not* hold for ℓ and t: a class that meets them may be merged with a larger one that does
not. For these only records in classes of fewer than max(k, ℓ) count, whose number does fall on the
way up.

So a bad node rules out all below it. To rule out as much as possible, the highest bad node is
looked for by bisection on a path from there to the top, as in F. Kohlmayer, F. Prasser et al.,
*Flash: Efficient, Stable and Optimal k-Anonymity* (2012).
"""

from __future__ import annotations

import bisect
import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Hierarchy, Kind
from unveil.sanitize._goals import heights


@dataclass(frozen=True, eq=False)
class _Ladder:
    """For each level and code, the cell that it becomes.

    Attributes
    ----------
    low, high : arrays
        The first and last code of the cell.
    node : array
        The hierarchy's node; for a column without one, the code itself or -1.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    node: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def group(self) -> NDArray[np.int32]:
        """For each level and code, the number of its cell."""
        new = np.zeros(self.low.shape, dtype=np.int32)
        new[:, 1:] = self.low[:, 1:] != self.low[:, :-1]
        return np.cumsum(new, axis=1, dtype=np.int32)


def _ladder_of(column: Column) -> _Ladder:
    """All levels of a column.

    >>> from unveil.microdata import Kind, Role
    >>> tree = Hierarchy.from_paths([("Lyon", "France", "*"), ("Nice", "France", "*"),
    ...                              ("Rome", "*")])
    >>> town = Column(name="town", role=Role.QUASI, kind=Kind.CATEGORICAL, hierarchy=tree,
    ...               codes=np.zeros(1, dtype=np.int32), values=np.array(tree.leaves))
    >>> _ladder_of(town).group
    array([[0, 1, 2],
           [0, 0, 1],
           [0, 0, 0]], dtype=int32)
    """
    tree = column.hierarchy
    nodes = _without_hierarchy(column) if tree is None else _at_levels(tree)
    if tree is None:
        low, high = np.where(nodes < 0, 0, nodes), np.where(nodes < 0, column.size - 1, nodes)
    else:
        low, high = tree.first[nodes], tree.last[nodes]
    changes = np.ones(len(nodes), dtype=bool)
    changes[1:] = (low[1:] != low[:-1]).any(axis=1)
    return _Ladder(low[changes], high[changes], nodes[changes])


def _without_hierarchy(column: Column) -> NDArray[np.int32]:
    """The code, and above it everything."""
    codes = np.arange(column.size, dtype=np.int32)
    return np.stack([codes, np.full_like(codes, -1)])


def _at_levels(tree: Hierarchy) -> NDArray[np.int32]:
    """For each level and leaf, the node that it becomes."""
    height = heights(tree)
    node = np.arange(tree.n_leaves, dtype=np.int32)
    found = [node]
    for level in range(1, int(height[tree.root]) + 1):
        while True:
            above = tree.parent[node]
            rises = (above >= 0) & (height[above] <= level)
            if not rises.any():
                break
            node = np.where(rises, above, node)
        found.append(node)
    return np.array(found, dtype=np.int32)


Loss: TypeAlias = Literal["values", "width"]

_FINEST = 2**32  # times a record's columns times the records of a table: it fits into 64 bits


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of a column, relative to which losses are measured.

    Attributes
    ----------
    there : array
        The codes that count, ascending.
    line : array or None
        Where each code lies, if ranges are measured by their width.
    """

    there: NDArray[np.intp]
    line: NDArray[np.float64] | None

    @property
    def denominator(self) -> int:
        """The number that makes the losses of this column whole."""
        return max(1, len(self.there) - 1) if self.line is None else _FINEST

    @property
    def everything(self) -> bool:
        """Whether there is anything to lose."""
        return len(self.there) > 1

    def of_ranges(
        self, low: NDArray[np.integer], high: NDArray[np.integer], scale: int
    ) -> NDArray[np.int64]:
        """The loss of cells from code `low` to code `high`."""
        if not self.everything:
            return np.zeros(low.shape, dtype=np.int64)
        first = np.searchsorted(self.there, low)
        last = np.searchsorted(self.there, high, side="right") - 1
        some = np.minimum(first, len(self.there) - 1)
        if self.line is None:
            lost = (last - some) * scale // (len(self.there) - 1)
        else:
            points = self.line[self.there]
            share = (points[last] - points[some]) / (points[-1] - points[0])
            lost = np.rint(share * scale).astype(np.int64)
        return np.where(first <= last, lost, 0)  # a cell that covers no value is never used


def is_declared(column: Column) -> bool:
    """Whether the values of a column are known without looking at any record."""
    tree = column.kind is Kind.CATEGORICAL and column.hierarchy is not None
    return column.kind is Kind.ORDINAL or tree


def domain_of(column: Column, loss: Loss, *, lacking: int = -1) -> Domain:
    """The values of a column that count, less the one that is lacking."""
    if is_declared(column):
        there = np.arange(column.size)
    else:
        there = np.flatnonzero(np.bincount(column.codes, minlength=column.size))
        there = there[there != lacking]
    return Domain(there, column.positions if loss == "width" and column.is_ordered else None)


def common_scale(domains: Sequence[Domain]) -> int:
    """The scale for these columns.

    >>> common_scale([Domain(np.arange(4), None), Domain(np.arange(3), None)])
    6
    """
    return min(_FINEST, math.lcm(*(domain.denominator for domain in domains)))


Node: TypeAlias = tuple[int, ...]
"""The level of each column."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """The levels of all columns, laid out for the kernels."""

    ladders: tuple[_Ladder, ...]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Lattice:
        """The lattice of these columns."""
        return cls(tuple(_ladder_of(column) for column in columns))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return tuple(len(ladder) for ladder in self.ladders)

    @cached_property
    def group(self) -> NDArray[np.int32]:
        """The cells of all columns, levels and codes, one after the other."""
        return np.concatenate([ladder.group.ravel() for ladder in self.ladders])

    @cached_property
    def _begin(self) -> list[int]:
        sizes = [ladder.group.size for ladder in self.ladders]
        return [0, *np.cumsum(sizes).tolist()]

    def at(self, node: Node) -> NDArray[np.int64]:
        """For each column, where a node's level begins in `group`, and how many cells it has."""
        rows = []
        for begin, ladder, level in zip(self._begin, self.ladders, node, strict=False):
            codes = ladder.group.shape[1]
            rows.append((begin + level * codes, int(ladder.group[level, -1]) + 1))
        return np.array(rows, dtype=np.int64)

    def number(self, node: Node) -> int:
        """The place of a node in the lexicographic order of levels."""
        return int(np.ravel_multi_index(node, self.shape))

    def node(self, number: int) -> Node:
        """The node at that place."""
        return tuple(map(int, np.unravel_index(number, self.shape)))


@dataclass(frozen=True, eq=False)
class Weights:
    """The loss of every code at every level, laid out as `Lattice.group`.

    Attributes
    ----------
    weight : array
    everything : int
        Loss of a suppressed record.
    bounds : list of lists
        For each column and level, the loss of the whole table if nothing is suppressed.
    """

    weight: NDArray[np.int64]
    everything: int
    bounds: list[list[int]]

    @classmethod
    def of(
        cls, lattice: Lattice, domains: Sequence[Domain], counts: Sequence[NDArray[np.int64]]
    ) -> Weights:
        """``counts``: how many records have each code of each column."""
        # Columns of two levels lose all or nothing, on any scale.
        deep = [d for d, ladder in zip(domains, lattice.ladders, strict=True) if len(ladder) > 2]
        scale = common_scale(deep)
        weights = [
            d.of_ranges(one.low, one.high, scale)
            for d, one in zip(domains, lattice.ladders, strict=True)
        ]
        return cls(
            weight=np.concatenate([weight.ravel() for weight in weights]),
            everything=scale * sum(domain.everything for domain in domains),
            bounds=[(weight @ n).tolist() for weight, n in zip(weights, counts, strict=True)],
        )

    def of_classes(self, codes: NDArray[np.integer], at: NDArray[np.int64]) -> NDArray[np.int64]:
        """The loss of a record of each class, given the codes of any one member."""
        total: NDArray[np.int64] = self.weight[at[:, :1] + codes].sum(axis=0)
        return total


def sweep(
    bounds: Sequence[Sequence[int]],
    visit: Callable[[Node], bool],
    enough: Callable[[int], bool],
) -> None:
    """Visit the nodes by their bound.

    ``bounds`` has the loss of each level of each column, ascending. ``visit(node)`` returns whether
    nodes below it may be good. ``enough(bound)`` returns whether to stop at that bound.
    """
    bad, seen = _Bad(len(bounds)), set[Node]()

    def is_good(node: Node) -> bool:
        if bad.has(node):
            return False
        if node in seen:
            return True
        seen.add(node)
        good = visit(node)
        if not good:
            bad.add(node)
        return good

    bottom: Node = (0,) * len(bounds)
    waiting = [(sum(column[0] for column in bounds), bottom, 0)]
    while waiting:
        bound, node, column = heapq.heappop(waiting)
        if enough(bound):
            return
        if not bad.has(node) and not is_good(node):
            # Where the path becomes good is found by bisection, which rules out what is below.
            bisect.bisect_left(_path_up(node, bounds), True, key=is_good)
        # Every node has one path from the bottom on which columns rise in order.
        for j in range(column, len(node)):
            if node[j] + 1 < len(bounds[j]):
                above = (*node[:j], node[j] + 1, *node[j + 1 :])
                more = bounds[j][node[j] + 1] - bounds[j][node[j]]
                heapq.heappush(waiting, (bound + more, above, j))


class _Bad:
    """The nodes at or below one that was found bad."""

    def __init__(self, columns: int) -> None:
        self._highest = np.zeros((0, columns), dtype=np.int64)

    def has(self, node: Node) -> bool:
        return bool((self._highest >= node).all(axis=1).any())

    def add(self, node: Node) -> None:
        below = (self._highest <= node).all(axis=1)
        self._highest = np.concatenate([self._highest[~below], [node]])


def _path_up(node: Node, bounds: Sequence[Sequence[int]]) -> list[Node]:
    """A path from here to the top, by the step of least loss each time."""
    path: list[Node] = []
    levels = list(node)
    while True:
        steps = [
            (bounds[j][level + 1] - bounds[j][level], j)
            for j, level in enumerate(levels)
            if level + 1 < len(bounds[j])
        ]
        if not steps:
            return path
        levels[min(steps)[1]] += 1
        path.append(tuple(levels))
