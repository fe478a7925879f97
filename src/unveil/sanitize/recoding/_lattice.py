"""The lattice of a table's full-domain recodings: one level a column, and all combinations of them.

A node loses at least what its levels lose without any suppression, which is a sum over the columns
and known beforehand. That bound only grows on the way up. So the nodes are visited by their bound,
the least first, and none need be visited any more once the bound exceeds what has been found.

**What need not be visited either.** Going up merges classes. Where a goal, once met by all parts,
is met by the whole, and all classes have to meet it (nothing may be suppressed), every node above
one that is good is good, and every node beneath one that is bad is bad. This holds for k (the whole
is larger), for ℓ (a value that has at most 1/ℓ of each part has at most 1/ℓ of the whole) and for t
(the earth mover's distance is convex). With suppression it holds for k alone: whoever is in a
class of k stays in one, so on the way up the records to be suppressed only become fewer. It does
*not* hold for ℓ and t: a class that meets them may be merged with a larger one that does not, and
more has to be suppressed than before. For these only what is too small counts: records in classes
of fewer than max(k, ℓ), whose number does fall on the way up.

So a bad node tells about all beneath it. To learn as much as possible from one, the worst node is
looked for on a way from there to the top, by bisection; A. Kohlmayer, F. Prasser et al., *Flash:
Efficient, Stable and Optimal k-Anonymity* (2012), go through the lattice in such ways.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column
from unveil.sanitize.recoding._levels import Ladder, ladder_of
from unveil.sanitize.recoding._losses import Domain, common_scale

__all__ = ["Lattice", "Node", "Weights", "sweep"]

Node: TypeAlias = tuple[int, ...]
"""The level of each column."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """The levels of all columns, laid out for the kernels."""

    ladders: tuple[Ladder, ...]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Lattice:
        """The lattice of these columns."""
        return cls(tuple(ladder_of(column) for column in columns))

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
        number = 0
        for level, levels in zip(node, self.shape, strict=True):
            number = number * levels + level
        return number

    def node(self, number: int) -> Node:
        """The node at that place."""
        levels = []
        for size in reversed(self.shape):
            number, level = divmod(number, size)
            levels.append(level)
        return tuple(reversed(levels))


@dataclass(frozen=True, eq=False)
class Weights:
    """What every code loses at every level, laid out as `Lattice.group`.

    Attributes
    ----------
    weight : array
    everything : int
        What a suppressed record loses.
    bounds : list of lists
        For each column and level, what the whole table loses there if nothing is suppressed.
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
        weights = [d.of_levels(one, scale) for d, one in zip(domains, lattice.ladders, strict=True)]
        return cls(
            weight=np.concatenate([weight.ravel() for weight in weights]),
            everything=scale * sum(domain.everything for domain in domains),
            bounds=[(weight @ n).tolist() for weight, n in zip(weights, counts, strict=True)],
        )

    def of_classes(self, codes: NDArray[np.integer], at: NDArray[np.int64]) -> NDArray[np.int64]:
        """What a record of each class loses; it depends on the cells alone, so on any member."""
        total: NDArray[np.int64] = self.weight[at[:, :1] + codes].sum(axis=0)
        return total


def sweep(
    bounds: Sequence[Sequence[int]],
    visit: Callable[[Node], bool],
    enough: Callable[[int], bool],
) -> None:
    """Visit the nodes by their bound until it is enough.

    Parameters
    ----------
    bounds : sequence of sequences of int
        What each level of each column loses, nowhere less than the level before.
    visit : callable
        Told a node, answers whether nodes beneath it may be good.
    enough : callable
        Told a bound, answers whether nodes with that bound, or a larger one, are of no use.
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
            _climb(_way_up(node, bounds), is_good)
        # Every node has one way from the bottom on which columns rise in their order.
        for j in range(column, len(node)):
            if node[j] + 1 < len(bounds[j]):
                above = (*node[:j], node[j] + 1, *node[j + 1 :])
                more = bounds[j][node[j] + 1] - bounds[j][node[j]]
                heapq.heappush(waiting, (bound + more, above, j))


class _Bad:
    """The nodes at or beneath one that was found bad."""

    def __init__(self, columns: int) -> None:
        self._highest = np.zeros((0, columns), dtype=np.int64)

    def has(self, node: Node) -> bool:
        return bool((self._highest >= node).all(axis=1).any())

    def add(self, node: Node) -> None:
        beneath = (self._highest <= node).all(axis=1)
        self._highest = np.concatenate([self._highest[~beneath], [node]])


def _way_up(node: Node, bounds: Sequence[Sequence[int]]) -> list[Node]:
    """Nodes from here to the top, each one step above the other, at the least loss a step."""
    way: list[Node] = []
    levels = list(node)
    while True:
        steps = [
            (bounds[j][level + 1] - bounds[j][level], j)
            for j, level in enumerate(levels)
            if level + 1 < len(bounds[j])
        ]
        if not steps:
            return way
        levels[min(steps)[1]] += 1
        way.append(tuple(levels))


def _climb(way: Sequence[Node], is_good: Callable[[Node], bool]) -> None:
    """Find by bisection where a way up becomes good; what is bad beneath is then known."""
    low, high = 0, len(way)
    while low < high:
        middle = (low + high) // 2
        if is_good(way[middle]):
            high = middle
        else:
            low = middle + 1
