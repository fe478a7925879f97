"""The levels of a column: from every value as it is to nothing told at all.

A hierarchy may be ragged, so a level is not a step from the leaf: at level L a value becomes the
highest node above it from which no leaf is more than L steps away. Then the nodes of a level never
overlap, every level is made of whole nodes of the one before, and where all leaves lie equally
deep, it is L steps up. Levels that change nothing (a node with one child) are left out. A column
without a hierarchy has two levels: the value, and ``*``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Hierarchy
from unveil.sanitize._closeness import heights

__all__ = ["Ladder", "ladder_of"]


@dataclass(frozen=True, eq=False)
class Ladder:
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


def ladder_of(column: Column) -> Ladder:
    """All levels of a column.

    >>> from unveil.microdata import Kind, Role
    >>> tree = Hierarchy.from_paths([("Lyon", "France", "*"), ("Nice", "France", "*"),
    ...                              ("Rome", "*")])
    >>> town = Column(name="town", role=Role.QUASI, kind=Kind.CATEGORICAL, hierarchy=tree,
    ...               codes=np.zeros(1, dtype=np.int32), values=np.array(tree.leaves))
    >>> ladder_of(town).group
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
    return Ladder(low[changes], high[changes], nodes[changes])


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
