"""The generalization tree of a column.

Nodes are integers. The leaves are 0, 1, …, L-1 in depth-first order and the inner nodes follow, so
that every node covers *one interval of leaves*: ``first[node] … last[node]``. Generalizing,
comparing and intersecting nodes is then arithmetic on two integers, and never on names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unveil.errors import HierarchyError, did_you_mean
from unveil.microdata._paths import checked_paths

__all__ = ["BUILT_IN_CODE", "Hierarchy"]

BUILT_IN_CODE = "built in code"

# A tree's repr shows this many nodes: enough to see its shape, little enough for a terminal.
REPR_NODES = 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hierarchy:
    """A generalization tree, normally made by `read_hierarchy` or `Hierarchy.from_paths`.

    Attributes
    ----------
    names : tuple of str
        The names of all nodes, leaves first.
    parent : int32 array
        The parent of each node, -1 for the root.
    first, last : int32 arrays
        The leaves beneath each node, as an inclusive range. A leaf covers itself.
    child_start, child_list : int32 arrays
        The children of ``node`` are ``child_list[child_start[node]:child_start[node + 1]]``,
        in the order of the leaves they cover.
    source : str
        The file it was read from, for messages.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("Engineer", "Professional", "*"),
    ...                              ("Lawyer", "Professional", "*"),
    ...                              ("Dancer", "Artist", "*")])
    >>> tree.leaves
    ('Engineer', 'Lawyer', 'Dancer')
    >>> node = tree.node("Professional")
    >>> int(tree.first[node]), int(tree.last[node])
    (0, 1)
    >>> tree
    Hierarchy built in code: 3 leaves, 3 levels
      *
        Professional
          Engineer
          Lawyer
        Artist
          Dancer
    """

    names: tuple[str, ...]
    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    child_start: NDArray[np.int32]
    child_list: NDArray[np.int32]
    n_leaves: int
    source: str = BUILT_IN_CODE

    @classmethod
    def from_paths(
        cls,
        paths: Iterable[Sequence[str]],
        *,
        source: str = BUILT_IN_CODE,
        lines: Sequence[int] | None = None,
    ) -> Hierarchy:
        """Build the tree from one path a leaf: ``(leaf, parent, …, top)``.

        Labels are stripped of surrounding blanks, empty labels are dropped, and a label repeated
        right after itself is one node, which is how ARX pads short paths. The children of a node
        stand in the order in which they first appear.

        Parameters
        ----------
        paths : iterable of sequences of str
        source : str
            Named in messages.
        lines : sequence of int, optional
            The line of the source each path stands in, for messages.

        Raises
        ------
        HierarchyError
            Where the paths do not form one tree.
        """
        return _built(checked_paths(paths, source=source, lines=lines), source)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The names of the leaves."""
        return self.names[: self.n_leaves]

    @cached_property
    def root(self) -> int:
        """The node above all others."""
        return int(np.flatnonzero(self.parent < 0)[0])

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """How many steps each node lies beneath the root, whose level is 0."""
        levels = np.zeros(len(self.names), dtype=np.int32)
        above = self.parent.copy()
        while (above >= 0).any():
            levels += above >= 0
            above = np.where(above >= 0, self.parent[above], -1)
        return _frozen(levels)

    @cached_property
    def depth(self) -> int:
        """The number of levels on the longest path, leaf and root included."""
        return int(self.levels.max()) + 1

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def node(self, name: str) -> int:
        """The number of the node called `name`, leaf or not."""
        try:
            return self._numbers[name]
        except KeyError:
            raise HierarchyError(
                f"{name!r} is not in the hierarchy {self.source}{did_you_mean(name, self.names)}"
            ) from None

    def leaf(self, name: str) -> int:
        """The number of the leaf called `name`."""
        number = self._numbers.get(name, len(self.names))
        if number < self.n_leaves:
            return number
        if number < len(self.names):
            raise HierarchyError(
                f"{name!r} is not a leaf of the hierarchy {self.source} but a node above leaves"
            )
        raise HierarchyError(
            f"{name!r} is not a leaf of the hierarchy {self.source}"
            f"{did_you_mean(name, self.leaves)}"
        )

    def children(self, node: int) -> NDArray[np.int32]:
        """The children of a node, in the order of the leaves they cover."""
        return self.child_list[self.child_start[node] : self.child_start[node + 1]]

    def ancestors(self, node: int) -> tuple[int, ...]:
        """The node itself and every node above it, up to the root."""
        found = []
        while node >= 0:
            found.append(int(node))
            node = int(self.parent[node])
        return tuple(found)

    def path(self, leaf: int) -> tuple[str, ...]:
        """The names from a leaf up to the root.

        >>> Hierarchy.from_paths([("Lyon", "France", "*"), ("Rome", "Italy", "*")]).path(1)
        ('Rome', 'Italy', '*')
        """
        return tuple(self.names[node] for node in self.ancestors(leaf))

    def lowest_common_ancestor(self, first_leaf: int, last_leaf: int) -> int:
        """The smallest node that covers both leaves, and so all leaves between them.

        >>> tree = Hierarchy.from_paths([("Lyon", "France", "*"), ("Nice", "France", "*"),
        ...                              ("Rome", "Italy", "*")])
        >>> tree.names[tree.lowest_common_ancestor(0, 1)]
        'France'
        """
        low, high = min(first_leaf, last_leaf), max(first_leaf, last_leaf)
        node = low
        while self.last[node] < high:
            node = int(self.parent[node])
        return node

    def distance(self, a: str, b: str) -> int:
        """The number of steps from the node called `a` to the one called `b`.

        >>> tree = Hierarchy.from_paths([
        ...     ("Engineer", "Professional", "ANY"), ("Lawyer", "Professional", "ANY"),
        ...     ("Dancer", "Artist", "ANY"), ("Writer", "Artist", "ANY")])
        >>> tree.distance("Engineer", "Artist"), tree.distance("Dancer", "Writer")
        (3, 2)
        """
        from_a, from_b = self.ancestors(self.node(a)), self.ancestors(self.node(b))
        shared = len(set(from_a) & set(from_b))
        return len(from_a) + len(from_b) - 2 * shared

    def with_leaf(self, name: str) -> Hierarchy:
        """The same tree with one more leaf, the last, directly beneath the root.

        >>> flat = Hierarchy.from_paths([("Yes", "*"), ("No", "*")])
        >>> flat.with_leaf("(missing)").leaves
        ('Yes', 'No', '(missing)')
        """
        if name in self._numbers:
            raise HierarchyError(f"{name!r} is already in the hierarchy {self.source}")
        paths = [self.path(leaf) for leaf in range(self.n_leaves)]
        return _built([*paths, (name, self.names[self.root])], self.source)

    def restricted(self, leaves: Sequence[str]) -> Hierarchy:
        """The tree of some of the leaves, in the order given; nodes left empty go.

        Every node must cover neighbours in that order, for a node is an interval.

        >>> ages = Hierarchy.from_paths([("30", "adult", "*"), ("9", "child", "*"),
        ...                              ("18", "adult", "*")])
        >>> ages.restricted(["18", "30"]).names
        ('18', '30', '*', 'adult')
        """
        tree = _built([self.path(self.leaf(name)) for name in leaves], self.source)
        for placed, wanted in zip(tree.leaves, leaves, strict=True):
            if placed != wanted:
                node = next(n for n in self.path(self.leaf(placed)) if tree._splits(n, leaves))
                raise HierarchyError(
                    f"hierarchy {self.source}: {node!r} covers {placed!r} but not "
                    f"{wanted!r}, which comes before it"
                )
        return tree

    def _splits(self, name: str, order: Sequence[str]) -> bool:
        """Whether the leaves beneath a node do not stand side by side in `order`."""
        node = self.node(name)
        below = set(self.names[self.first[node] : self.last[node] + 1])
        places = [place for place, leaf in enumerate(order) if leaf in below]
        return places[-1] - places[0] + 1 != len(places)

    def __repr__(self) -> str:
        head = f"Hierarchy {self.source}" if self.source == BUILT_IN_CODE else (
            f"Hierarchy from {self.source}")  # fmt: skip
        leaves = "leaf" if self.n_leaves == 1 else "leaves"
        lines = [f"{head}: {self.n_leaves:,} {leaves}, {self.depth} levels"]
        waiting = [self.root]
        while waiting and len(lines) <= REPR_NODES:
            node = waiting.pop()
            lines.append("  " * (1 + int(self.levels[node])) + self.names[node])
            waiting.extend(int(child) for child in self.children(node)[::-1])
        hidden = len(self.names) - (len(lines) - 1)
        return "\n".join([*lines, f"  … and {hidden:,} more"] if hidden else lines)


def _frozen(array: NDArray[np.int32]) -> NDArray[np.int32]:
    array.setflags(write=False)
    return array


def _built(paths: Sequence[tuple[str, ...]], source: str) -> Hierarchy:
    """Number the nodes of paths that are known to form a tree."""
    children: dict[str, dict[str, None]] = {}
    for path in paths:
        for child, above in pairwise(path):
            children.setdefault(above, {})[child] = None
    leaves: list[str] = []
    inner: list[str] = []
    waiting = [paths[0][-1]]
    while waiting:
        name = waiting.pop()
        (inner if name in children else leaves).append(name)
        waiting.extend(reversed(children.get(name, {})))

    names = (*leaves, *inner)
    number = {name: i for i, name in enumerate(names)}
    parent = np.full(len(names), -1, dtype=np.int32)
    first = np.arange(len(names), dtype=np.int32)
    last = first.copy()
    n_children = np.zeros(len(names) + 1, dtype=np.int32)
    child_list: list[int] = []
    for name in inner:
        below = [number[child] for child in children[name]]
        parent[below] = number[name]
        n_children[number[name] + 1] = len(below)
        child_list += below
    for name in reversed(inner):  # inner nodes are numbered from the root down
        below = [number[child] for child in children[name]]
        first[number[name]], last[number[name]] = first[below[0]], last[below[-1]]
    return Hierarchy(
        names=names,
        parent=_frozen(parent),
        first=_frozen(first),
        last=_frozen(last),
        child_start=_frozen(np.cumsum(n_children, dtype=np.int32)),
        child_list=_frozen(np.array(child_list, dtype=np.int32)),
        n_leaves=len(leaves),
        source=source,
    )
