"""t-closeness: no class's sensitive values are further than t from the whole table's.

The earth mover's distance with the three ground distances of N. Li, T. Li, S. Venkatasubramanian,
*t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity*, ICDE 2007. A distance never looks at a
value that the class does not have: a class of two records costs the same whether the sensitive
attribute has five values or five thousand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms, Secret
from unveil.errors import (
    Cell,
    Column,
    File,
    HierarchyError,
    InputError,
    Listed,
    Option,
    Text,
    did_you_mean,
)
from unveil.findings import Figure, Story
from unveil.measures._classes import (
    ClassMeasure,
    ExactSum,
    SecretLooking,
    measured,
    shares_of,
)
from unveil.measures._counted import Counting, count
from unveil.measures._declared import T
from unveil.measures._texts import in_words
from unveil.microdata import MISSING, Hierarchy

_DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TCloseness(ClassMeasure):
    """How far the sensitive values of a class are from those of the whole table.

    Attributes
    ----------
    t : float
        The distance of the furthest class.
    mean : float
        The distance of a record's class, on average over all records. Where classes overlap, a
        record counts once in each of its classes.
    distance : str
        The ground distance: ``"equal"``, ``"ordered"`` or ``"hierarchical"``.
    distance_in_words : str
    shares : dict of str to float
        The share of each sensitive value in the whole table.
    deciding : Deciding
        The furthest classes.
    """

    entry: ClassVar[str] = "t-closeness"
    numbers: ClassVar[Mapping[Figure, str]] = {T: "t"}
    said: ClassVar[str] = "t mean distance distance_in_words"

    t: float
    mean: float
    distance: str
    distance_in_words: str
    shares: dict[str, float]

    @property
    def _in_class(self) -> dict[str, float]:
        """The share of each sensitive value in a furthest class."""
        furthest = self.deciding.classes[0]
        return {value: furthest.counts.get(value, 0) / furthest.records for value in self.shares}

    def to_frame(self) -> pd.DataFrame:
        """One row per sensitive value: its share of the table, and of a furthest class."""
        frame = pd.DataFrame({"table": self.shares, "class": self._in_class})
        return frame.rename_axis("value").reset_index()

    def story(self, release: Text | None = None) -> Story:
        t, furthest = f"t = {in_words(self.t)}", self.deciding.classes[0]
        return Story(
            title=f"t-closeness of {self.source}: {t} in {self.sensitive}",
            about=[
                f"distance {self.distance_in_words}",
                f"on average over the records {in_words(self.mean)}",
                self.decided_by,
            ],
            charts=[
                self.value_chart(
                    t,
                    {"a class furthest off": self._in_class, "the whole table": self.shares},
                    label=f"share, in {furthest.records:,} and in {self.records:,} records",
                    share=True,
                )
            ],
        )


class TClosenessLooking(SecretLooking):
    """Looks for the furthest classes."""

    measure = "t-closeness"

    def __init__(self, counts: Contingency, *, distance: str | Hierarchy | None = None) -> None:
        super().__init__(counts)
        self._distance = _chosen(counts, self._secret, distance)
        self._sum = ExactSum()
        self._in_classes = 0

    def look(self, block: Histograms) -> None:
        distances = self._distance(block)
        self._extreme.look(block, distances)
        in_classes = block.weights * block.sizes
        self._sum.add(in_classes * distances)
        self._in_classes += int(in_classes.sum())

    def finding(self) -> TCloseness:
        return TCloseness(
            **self._measured(),
            t=self._extreme.score,
            mean=self._sum.value / self._in_classes,
            distance=self._distance.name,
            distance_in_words=self._distance.said,
            shares=self._named(shares_of(self._counts)),
        )


def t_closeness(
    table: Any, *, distance: str | Hierarchy | None = None, **counting: Unpack[Counting]
) -> TCloseness:
    """t-closeness: how far a class's sensitive values are from the table's (Li et al. 2007).

    The distance is the earth mover's, from 0 to 1. Moving a share from one value to another costs

    - ``"equal"``: 1 between any two values.
    - ``"ordered"``: the difference of their ranks, over that of the first and the last value.
      Ranks are those in the whole domain: all declared levels, or all numbers that the table was
      read with, even if nobody has them.
    - ``"hierarchical"``: the height of the lowest node above both, over that of the root. The
      height of a node is the length of the longest path down to a leaf.

    Parameters
    ----------
    table : Release, Microdata, data frame, path, Ibis table or Contingency
    distance : {"equal", "ordered", "hierarchical"} or Hierarchy, optional
        By default ``"hierarchical"`` if the sensitive column has a hierarchy, else ``"ordered"``
        if it has an order, else ``"equal"``. A hierarchy given here is used instead of its own.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> staff = uv.read_table(
    ...     {"age": ["2*", "2*", "2*", "3*", "3*", "3*"], "salary": [3, 4, 5, 4, 5, 6]},
    ...     quasi=["age"], sensitive="salary")
    >>> uv.t_closeness(staff)
    t-closeness of table: t = 0.1667 in salary
      distance ordered: by rank among 4 values of salary
      on average over the records 0.1667
      decided by 2 classes: age=2* (3 records); age=3* (3 records)
    >>> uv.t_closeness(staff, distance="equal").to_frame().head(2)
      value     table     class
    0     3  0.166667  0.333333
    1     4  0.333333  0.333333
    """
    check_distance(distance)
    counts = count(table, **counting)
    return measured(counts, TClosenessLooking(counts, distance=distance))


_EQUAL = Option("distance", "equal")


class _Equal:
    """Any two values are 1 apart: total variation.

    Every ground distance has a name, and is said in words. It is called with some classes, and
    gives the distance of each from the whole table, from 0 to 1.
    """

    name = "equal"
    said = "equal: any two values are 1 apart"

    def __init__(self, counts: Contingency) -> None:
        self._shares = shares_of(counts)

    def __call__(self, block: Histograms) -> NDArray[np.float64]:
        # What the class has too much of is what it has too little of elsewhere.
        surplus = block.shares - self._shares[block.codes]
        return block.add_up(np.maximum(surplus, 0.0))


class _Ordered:
    """Values are as far apart as their ranks, the first and the last being 1 apart."""

    name = "ordered"

    def __init__(self, counts: Contingency, secret: Secret) -> None:
        if not secret.ordered:
            raise InputError(
                "{column} has no order: give its levels with {ordinal}, or use {equal}",
                column=Column(secret.name),
                ordinal=Option("ordinal", {secret.name: ["…", "…"]}),
                equal=_EQUAL,
            )
        gap = [code for code, value in enumerate(secret.values) if value is None]
        if counts.totals[gap].any():
            raise InputError(
                "{column} is missing in {records:record} of {source}, and a missing value has no "
                "place in an order: use {equal}, or give {ordinal} with {missing} among the levels",
                column=Column(secret.name), records=int(counts.totals[gap].sum()),
                source=File(counts.source, bare=True), equal=_EQUAL,
                ordinal=Option("ordinal", {secret.name: ["…", "…"]}), missing=repr(MISSING),
            )  # fmt: skip
        self._m = len(secret.values)
        nobody = int((counts.totals == 0).sum())
        unused = f", {nobody:,} of which nobody has" if nobody else ""
        self.said = f"ordered: by rank among {self._m:,} values of {secret.name}{unused}"
        self._rows = counts.rows
        # The last rank is left out: there both cumulated distributions are 1.
        self._upto = np.cumsum(counts.totals)[:-1]
        self._summed = np.concatenate([[0], np.cumsum(self._upto)])

    def __call__(self, block: Histograms) -> NDArray[np.float64]:
        """The mean difference of two cumulated distributions, over all ranks but the last.

        The class's is constant from one of its values to the next, and the table's ascends. So
        within such a stretch the table's is below the class's up to one rank, which bisection
        finds, and above it from there on. Sums over ranks are differences of prefix sums.
        """
        if self._m == 1:
            return np.zeros(len(block))
        begin, end, inside = _stretches(block, self._m - 1)
        starts = block.start[:-1] + np.arange(len(block))
        size = np.repeat(block.sizes, block.distinct + 1).astype(np.float64)
        # Both are multiplied by the records of class and table: whole numbers do not round.
        level = inside * float(self._rows)
        turn = np.clip(np.searchsorted(self._upto, level / size), begin, end)
        below = level * (turn - begin) - size * (self._summed[turn] - self._summed[begin])
        above = size * (self._summed[end] - self._summed[turn]) - level * (end - turn)
        moved = np.add.reduceat(np.maximum(below + above, 0.0), starts)
        return np.asarray(moved / (block.sizes * float(self._rows) * (self._m - 1)))


def _stretches(
    block: Histograms, ranks: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Ranks between which a class's cumulated number is constant, and that number.

    A class has one stretch more than values: the first lies before its first value.
    """
    cells = len(block.codes) + len(block)
    head = block.start[:-1] + np.arange(len(block))
    tails = np.ones(cells, dtype=bool)
    tails[head] = False
    begin = np.zeros(cells, dtype=np.int64)
    begin[tails] = block.codes
    end = np.full(cells, ranks, dtype=np.int64)
    end[np.flatnonzero(tails) - 1] = block.codes
    upto = np.cumsum(block.numbers)
    before = (upto - block.numbers)[block.start[:-1]] if len(block) else upto
    inside = np.zeros(cells, dtype=np.int64)
    inside[tails] = upto - before[block.class_of]
    return begin, end, inside


class _OverTree:
    """The distance of two values is the height of the lowest node above both; the root has 1.

    The height of a node is its longest path down to a leaf, so leaves may lie at any depth.
    Distances only grow on the way up. So it is best to move as much as possible below each node
    and to pass on the rest: the cost at a node is its height, times what its children can give
    each other.
    """

    name = "hierarchical"

    def __init__(self, counts: Contingency, secret: Secret, tree: Hierarchy) -> None:
        self._leaf_of = _leaves(counts, secret, tree)
        self.said = f"hierarchical: by the height of the node above, in the hierarchy {tree.source}"
        height = _heights(tree)
        self._height = height / int(height[tree.root])
        self._at_level = _by_level(tree)
        of_leaf = np.zeros(tree.n_leaves + 1, dtype=np.int64)
        np.add.at(of_leaf, self._leaf_of, counts.totals)
        upto = np.concatenate([[0], np.cumsum(of_leaf[:-1])])
        self._shares = (upto[tree.last + 1] - upto[tree.first]) / max(1, counts.rows)

    def __call__(self, block: Histograms) -> NDArray[np.float64]:
        """Level by level from the leaves to the root, over the nodes above values of the class.

        No other node has anything to give. A node is an interval of leaves: in the order of
        their leaves, the cells of a class that lie below a node are adjacent.
        """
        leaf = self._leaf_of[block.codes]
        order = np.lexsort((leaf, block.class_of))
        leaf, numbers = leaf[order], block.numbers[order]
        begins_class = np.zeros(len(leaf), dtype=bool)
        begins_class[block.start[:-1]] = True
        moved = np.zeros(len(block))
        begin = np.zeros(0, dtype=np.int64)
        extra = np.zeros(0)
        for node_of in self._at_level[::-1]:
            node = node_of[leaf]
            begins = begins_class.copy()
            begins[1:] |= node[1:] != node[:-1]
            # The nodes of the level below offer their surplus to one another here.
            parent = np.cumsum(begins)[begin] - 1
            offered = np.bincount(parent, np.maximum(extra, 0.0), minlength=int(begins.sum()))
            number = np.add.reduceat(numbers, np.flatnonzero(begins))
            there = node[begins] >= 0  # above some leaves the tree does not reach so deep
            begin, offered, number = np.flatnonzero(begins)[there], offered[there], number[there]
            class_of, node = block.class_of[begin], node[begin]
            extra = number / block.sizes[class_of] - self._shares[node]
            lacked = np.maximum(offered - extra, 0.0)
            cost = self._height[node] * np.minimum(offered, lacked)
            moved += np.bincount(class_of, cost, minlength=len(block))
        return moved


def _heights(tree: Hierarchy) -> NDArray[np.int64]:
    """The length of the longest path from each node down to a leaf."""
    height = np.zeros(len(tree.names), dtype=np.int64)
    for level in range(tree.depth - 1, 0, -1):
        nodes = np.flatnonzero(tree.levels == level)
        np.maximum.at(height, tree.parent[nodes], height[nodes] + 1)
    return height


def _by_level(tree: Hierarchy) -> NDArray[np.int64]:
    """For each level from the root down, the node there above each leaf; -1 below the leaf."""
    found = np.full((tree.depth, tree.n_leaves), -1, dtype=np.int64)
    leaves = np.arange(tree.n_leaves)
    node = leaves
    for _ in range(tree.depth):
        there = node >= 0
        found[tree.levels[node[there]], leaves[there]] = node[there]
        node = np.where(there, tree.parent[node], -1)
    return found


def _leaves(counts: Contingency, secret: Secret, tree: Hierarchy) -> NDArray[np.int64]:
    """The leaf of each value; values that nobody has need no leaf."""
    places = {name: leaf for leaf, name in enumerate(tree.leaves)}
    for code in np.flatnonzero(counts.totals).tolist():
        text = secret.texts[code]
        if text not in places:
            raise HierarchyError(
                "{text}, a value of {column}, is not a leaf of the hierarchy {tree}{near}; "
                + ("add it with Hierarchy.with_leaf" if text == MISSING else "add it, or use {eq}"),
                text=Cell(text, people=int(counts.totals[code])), column=Column(secret.name),
                tree=File(tree.source, bare=True), near=did_you_mean(text, tree.leaves), eq=_EQUAL,
            )  # fmt: skip
    return np.array([places.get(text, tree.n_leaves) for text in secret.texts], dtype=np.int64)


def check_distance(distance: str | Hierarchy | None) -> None:
    """Refuse an unknown ground distance."""
    if distance is None or isinstance(distance, Hierarchy) or distance in _DISTANCES:
        return
    raise InputError(
        "there is no distance {given}{near} (distances: {known}, or a Hierarchy)",
        given=repr(distance),
        near=did_you_mean(str(distance), _DISTANCES),
        known=Listed(_DISTANCES),
    )


def _chosen(
    counts: Contingency, secret: Secret, distance: str | Hierarchy | None
) -> _Equal | _Ordered | _OverTree:
    """The ground distance that was asked for, or the default of the attribute."""
    check_distance(distance)
    if isinstance(distance, Hierarchy):
        return _OverTree(counts, secret, distance)
    if distance is None:
        ordered = "ordered" if secret.ordered else "equal"
        distance = ordered if secret.hierarchy is None else "hierarchical"
    if distance == "equal":
        return _Equal(counts)
    if distance == "ordered":
        return _Ordered(counts, secret)
    if secret.hierarchy is None:
        raise InputError(
            "{column} has no hierarchy: give one with {option}",
            column=Column(secret.name),
            option=Option("hierarchies"),
        )
    return _OverTree(counts, secret, secret.hierarchy)
