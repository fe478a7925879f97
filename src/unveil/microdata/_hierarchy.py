"""The generalization tree of a column.

Nodes are integers. The leaves are 0, 1, …, L-1 in depth-first order and the inner nodes follow, so
every node covers *one interval of leaves*: ``first[node] … last[node]``. Generalizing, comparing
and intersecting nodes is arithmetic on two integers, never on names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, File, HierarchyError, Message, Row, Text
from unveil.microdata._messages import value_meant

_BUILT_IN_CODE = "built in code"
_REPR_NODES = 20  # shown in a repr: enough to see the shape, few enough for a terminal

_Path = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hierarchy:
    """A generalization tree, made by `read_hierarchy` or `Hierarchy.from_paths`.

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
        The file it was read from.

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
    source: str = _BUILT_IN_CODE

    @classmethod
    def from_paths(
        cls,
        paths: Iterable[Sequence[str]],
        *,
        source: str = _BUILT_IN_CODE,
        lines: Sequence[int] | None = None,
    ) -> Hierarchy:
        """Build the tree from one path per leaf: ``(leaf, parent, …, top)``.

        Labels are stripped, empty labels are dropped, and a label repeated right after itself is
        one node, which is how ARX pads short paths. Children keep the order of first appearance.

        Parameters
        ----------
        paths : iterable of sequences of str
        source : str
            Named in messages.
        lines : sequence of int, optional
            The line of the source that each path is in, for messages.

        Raises
        ------
        HierarchyError
            If the paths do not form one tree.
        """
        return _built(_Check(source, lines).tree(paths), source)

    @property
    def file(self) -> File:
        """Where it comes from, for messages."""
        return File(self.source, bare=True)

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
        """Number of steps from the root to each node; the root has level 0."""
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
            raise self._error("{label} is not in the hierarchy {file}{hint}", label=Cell(name),
                              hint=value_meant(name, self.names)) from None  # fmt: skip

    def _error(self, text: str, **parts: Any) -> HierarchyError:
        return HierarchyError(text, file=self.file, **parts)

    def check_has(self, leaves: Iterable[str], what: Text) -> None:
        """Refuse leaves that it does not have; ``what`` says what they are."""
        for name in leaves:
            if self._numbers.get(name, self.n_leaves) >= self.n_leaves:
                raise self._error(
                    "hierarchy {file} does not have {value}, {what}{hint}", value=Cell(name),
                    what=what, hint=value_meant(name, self.leaves),
                )  # fmt: skip

    def leaf(self, name: str) -> int:
        """The number of the leaf called `name`."""
        number = self._numbers.get(name, len(self.names))
        if number < self.n_leaves:
            return number
        is_inner = number < len(self.names)
        hint = " but a node above leaves" if is_inner else value_meant(name, self.leaves)
        raise self._error(
            "{label} is not a leaf of the hierarchy {file}{hint}", label=Cell(name), hint=hint
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
        """The same tree with one more leaf, placed last, directly below the root.

        >>> flat = Hierarchy.from_paths([("Yes", "*"), ("No", "*")])
        >>> flat.with_leaf("(missing)").leaves
        ('Yes', 'No', '(missing)')
        """
        if name in self._numbers:
            raise self._error("{label} is already in the hierarchy {file}", label=Cell(name))
        paths = [self.path(leaf) for leaf in range(self.n_leaves)]
        return _built([*paths, (name, self.names[self.root])], self.source)

    def restricted(self, leaves: Sequence[str]) -> Hierarchy:
        """The tree of some of the leaves, in the order given; empty nodes are dropped.

        Every node must cover neighbours in that order, because a node is an interval.

        >>> ages = Hierarchy.from_paths([("30", "adult", "*"), ("9", "child", "*"),
        ...                              ("18", "adult", "*")])
        >>> ages.restricted(["18", "30"]).names
        ('18', '30', '*', 'adult')
        """
        tree = _built([self.path(self.leaf(name)) for name in leaves], self.source)
        for placed, wanted in zip(tree.leaves, leaves, strict=True):
            if placed != wanted:
                node = next(n for n in self.path(self.leaf(placed)) if tree._splits(n, leaves))
                raise self._error(
                    "hierarchy {file}: {node} covers {leaf} but not {other}, which comes before it",
                    node=Cell(node), leaf=Cell(placed), other=Cell(wanted),
                )  # fmt: skip
        return tree

    def _splits(self, name: str, order: Sequence[str]) -> bool:
        """Whether the leaves below a node are not neighbours in `order`."""
        node = self.node(name)
        below = set(self.names[self.first[node] : self.last[node] + 1])
        places = [place for place, leaf in enumerate(order) if leaf in below]
        return places[-1] - places[0] + 1 != len(places)

    def __repr__(self) -> str:
        head = f"Hierarchy {self.source}" if self.source == _BUILT_IN_CODE else (
            f"Hierarchy from {self.source}")  # fmt: skip
        leaves = "leaf" if self.n_leaves == 1 else "leaves"
        lines = [f"{head}: {self.n_leaves:,} {leaves}, {self.depth} levels"]
        waiting = [self.root]
        while waiting and len(lines) <= _REPR_NODES:
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


class _Check:
    """Checks that paths form one tree; if not, says which lines contradict each other."""

    def __init__(self, source: str, lines: Sequence[int] | None) -> None:
        self._source = source
        self._lines = lines
        self._parent_of: dict[str, tuple[str, int]] = {}

    def tree(self, paths: Iterable[Sequence[str]]) -> list[_Path]:
        """The paths, cleaned and without repetitions."""
        cleaned = [self._clean(i, path) for i, path in enumerate(paths)]
        if not cleaned:
            raise HierarchyError(
                "hierarchy {file} is empty; it needs one path per value",
                file=File(self._source, bare=True),
            )
        self._check_leaves(cleaned)
        for i, path in enumerate(cleaned):
            self._check_parents(i, path)
        self._check_top(cleaned)
        return list(dict.fromkeys(cleaned))

    def _line(self, i: int) -> Row:
        return Row(i + 1, "path") if self._lines is None else Row(self._lines[i], "line")

    def _error(self, text: str, i: int, **parts: Any) -> HierarchyError:
        file = File(self._source, bare=True)
        return HierarchyError("hierarchy {file}, {line}" + text, file=file, line=self._line(i),
                              **parts)  # fmt: skip

    def _clean(self, i: int, labels: Sequence[str]) -> _Path:
        if isinstance(labels, str):
            raise self._error(
                ": {label} is a text, not a sequence of labels", i, label=Cell(labels)
            )
        path: list[str] = []
        for cell in labels:
            label = cell.strip()
            if label and (not path or label != path[-1]):
                path.append(label)
        if len(path) < 2:
            raise self._error(
                " has {what}; write a value, then the labels above it, up to a common top such as "
                "'*'", i, what=Message("only {label}", label=Cell(path[0])) if path else "no label",
            )  # fmt: skip
        for position, label in enumerate(path):
            if label in path[:position]:
                raise self._error(
                    ": {label} appears again above itself ({path})", i, label=Cell(label),
                    path=Cell(" → ".join(path), bare=True),
                )  # fmt: skip
        return tuple(path)

    def _check_leaves(self, paths: Sequence[_Path]) -> None:
        """No leaf is also an inner node."""
        leaf_in = {path[0]: i for i, path in reversed(list(enumerate(paths)))}
        for i, path in enumerate(paths):
            for label in path[1:]:
                if label in leaf_in:
                    raise self._error(
                        ": {label} is a value, but in {other} it is a node above {child}; rename "
                        "one of the two", leaf_in[label], label=Cell(label), other=self._line(i),
                        child=Cell(path[path.index(label) - 1]),
                    )  # fmt: skip

    def _check_parents(self, i: int, path: _Path) -> None:
        """Every node has one parent and is not above its own ancestor."""
        for child, above in pairwise(path):
            known = self._parent_of.get(child)
            if known is not None and known[0] == above:
                continue
            self._check_cycle(i, child, above)
            if known is None:
                self._parent_of[child] = (above, i)
                continue
            raise self._error(
                ": the {word} {child} is below {above} here but below {known} in {other}; it can "
                "have only one parent", i, word="value" if child == path[0] else "node",
                child=Cell(child), above=Cell(above), known=Cell(known[0]),
                other=self._line(known[1]),
            )  # fmt: skip

    def _check_cycle(self, i: int, child: str, above: str) -> None:
        node = above
        while node in self._parent_of:
            node, seen = self._parent_of[node]
            if node == child:
                raise self._error(
                    ": {above} is above {child} here but below it in {other}", i,
                    above=Cell(above), child=Cell(child), other=self._line(seen),
                )  # fmt: skip

    def _check_top(self, paths: Sequence[_Path]) -> None:
        top = paths[0][-1]
        for i, path in enumerate(paths):
            if path[-1] != top:
                raise self._error(
                    " ends in {end} but {other} in {top}; a tree has one top, so end all paths in "
                    "a common one such as '*'", i, end=Cell(path[-1]), other=self._line(0),
                    top=Cell(top),
                )  # fmt: skip
