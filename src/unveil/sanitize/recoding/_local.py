"""Local recoding: classes are merged until they meet the goal, each publishing cells of its own.

After J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu, *Utility-Based Anonymization Using Local
Recoding*, KDD 2006, from the bottom up. People with equal quasi-identifiers are a class to start
with. The smallest class that misses the goal is merged with the one with which least is lost in
addition, counted over the records of both; then the next. Of several equally small or near, the
first in the order of the columns' values is taken. So the same value may be published as it is in
one class and within a set in another: cells overlap.

A class publishes for each column the least cell of its kind that covers its members: the lowest
node of the column's hierarchy; without one, the range of an ordered column, the common beginning
of codes (texts of at least three digits, all of one length, such as ZIP: ``4550*``), and the set of
values of any other column.

A class is suppressed rather than merged where that loses less and the limit allows it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Hierarchy, Kind, Microdata, Regions, prefix_hierarchy
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._cells import node_regions, range_regions, set_regions
from unveil.sanitize.recoding._losses import Domain, Loss, common_scale, domain_of
from unveil.sanitize.recoding._table import Table, distinct

__all__ = ["Merged", "merged"]

_WORD = 64
_SHORTEST_CODE = 3  # digits


class Merged(NamedTuple):
    """Classes that all meet the goal; the last one, if any, is that of the suppressed.

    Attributes
    ----------
    class_of : array
        The class of each record.
    regions : tuple of Regions
    suppressed : int
        How many records are.
    """

    class_of: NDArray[np.int32]
    regions: tuple[Regions, ...]
    suppressed: int


def merged(microdata: Microdata, goal: kernels.Goal, limit: int, loss: Loss) -> Merged:
    """Merge the classes of a table that, taken as a whole, meets the goal."""
    found = distinct(microdata)
    columns = _Columns(microdata, loss)
    owner = columns.merged(found.table, goal, limit)
    kept, class_of_combination = np.unique(owner, return_inverse=True)
    if kept[0] < 0:  # the suppressed come last
        class_of_combination = (class_of_combination - 1) % len(kept)
    class_of = class_of_combination[found.tuple_of].astype(np.int32)
    hidden = np.arange(len(kept)) == len(kept) - (kept[0] < 0)
    regions = tuple(
        columns.regions(j, codes, class_of_combination, hidden)
        for j, codes in enumerate(found.table.codes)
    )
    return Merged(class_of, regions, int(hidden[class_of].sum()))


class _Columns:
    """The columns as the kernels want them: hierarchies first, then ranges, then sets."""

    def __init__(self, microdata: Microdata, loss: Loss) -> None:
        self.quasi = microdata.quasi
        self.trees = [column.hierarchy or _prefixes(column) for column in self.quasi]
        self.domains = [domain_of(column, loss) for column in self.quasi]
        self.scale = common_scale(self.domains)
        self.everything = self.scale * sum(domain.everything for domain in self.domains)

    def merged(self, table: Table, goal: kernels.Goal, limit: int) -> NDArray[np.int64]:
        """For each combination, that with which its class begins; -1 if it is suppressed."""
        order, cells = self._cells()
        for allowed in (limit, 0):
            classes = self._start(table, order, cells)
            left = kernels.merge(
                table.entry, cells, classes, goal, self.everything, allowed,
                np.zeros(len(goal.totals), dtype=np.int64),
                np.zeros((len(goal.parent), 2), dtype=np.int64),
                np.zeros(len(cells.node), dtype=np.int64),
            )  # fmt: skip
            if left != kernels.NOT_MET:
                break
            # Once some are suppressed, the others may be too much alike; then nobody is.
        return _ends(classes.info[:, kernels.INTO])

    def _cells(self) -> tuple[list[int], kernels.Cells]:
        """The columns in the order of the kernels, and what these have to know of them."""
        nodes, ranges, sets = self._kinds()
        trees = [_nodes(self.trees[j], self.domains[j], self.scale) for j in nodes]
        bounds = np.cumsum([0, *map(len, trees)]).tolist()
        rows = [(bounds[i], bounds[i + 1], 0) for i in range(len(nodes))]
        rows += [(0, 0, 0)] * len(ranges)
        word = 0
        for j in sets:
            end = word - (-self.quasi[j].size // _WORD)
            rows.append((word, end, self.scale // max(1, len(self.domains[j].there) - 1)))
            word = end
        begin = np.array([len(nodes), len(nodes) + len(ranges), len(rows)])
        stacked = np.concatenate([np.zeros((0, 4), dtype=np.int64), *trees])
        return [*nodes, *ranges, *sets], kernels.Cells(begin, np.array(rows), stacked)

    def _kinds(self) -> tuple[list[int], list[int], list[int]]:
        """The columns whose cells are nodes, ranges and sets."""
        nodes = [j for j, tree in enumerate(self.trees) if tree is not None]
        others = [j for j, tree in enumerate(self.trees) if tree is None]
        ranges = [j for j in others if self.quasi[j].is_ordered]
        return nodes, ranges, [j for j in others if not self.quasi[j].is_ordered]

    def _start(self, table: Table, order: list[int], cells: kernels.Cells) -> kernels.Classes:
        """A class for each combination."""
        first_range, first_set, _ = cells.begin.tolist()
        n = table.size
        cell = np.zeros((n, 2 * len(order)), dtype=np.int64)
        members = np.zeros(
            (n, int(cells.column[first_set:, kernels.END].max(initial=0))), np.uint64
        )
        for place, j in enumerate(order):
            codes = table.codes[j]
            if place < first_range:  # a leaf's number is its code
                cell[:, 2 * place] = codes
            elif place < first_set:
                where = self.domains[j].of_ranges(np.zeros_like(codes), codes, self.scale)
                cell[:, 2 * place] = cell[:, 2 * place + 1] = where
            else:
                bit = np.uint64(1) << (codes % _WORD).astype(np.uint64)
                members[np.arange(n), cells.column[place, kernels.BEGIN] + codes // _WORD] = bit
        owner = table.entry[:, kernels.TUPLE]
        count = len(owner)
        # Entries are sorted by their combination: each is followed by the next of the same.
        follows = np.append(np.where(owner[1:] == owner[:-1], np.arange(1, count), -1), -1)
        info = np.zeros((n, 7), dtype=np.int64)
        info[:, kernels.SIZE] = np.bincount(owner, weights=table.entry[:, kernels.COUNT])
        info[:, kernels.HEAD] = np.searchsorted(owner, np.arange(n))
        info[:, kernels.TAIL] = np.searchsorted(owner, np.arange(n), side="right") - 1
        info[:, kernels.INTO] = info[:, kernels.ALIVE] = np.arange(n)
        return kernels.Classes(info, cell, members, follows)

    def regions(
        self,
        j: int,
        codes: NDArray[np.int32],
        class_of: NDArray[np.integer],
        hidden: NDArray[np.bool_],
    ) -> Regions:
        """What classes publish for column j; the codes and classes are those of combinations."""
        column, tree = self.quasi[j], self.trees[j]
        order = np.lexsort([codes, class_of])
        starts = np.searchsorted(class_of[order], np.arange(len(hidden)))
        if tree is None and not column.is_ordered:
            groups = np.split(codes[order], starts[1:])
            return set_regions(column, [np.unique(some) for some in groups], hidden)
        low = codes[order[starts]]
        high = codes[order[np.append(starts[1:], len(order)) - 1]]
        if tree is not None:
            pairs = zip(low.tolist(), high.tolist(), strict=True)
            node = np.array([tree.lowest_common_ancestor(*pair) for pair in pairs])
            return node_regions(column, tree, node, hidden)
        return range_regions(column, low, high, hidden)


def _nodes(tree: Hierarchy | None, domain: Domain, scale: int) -> NDArray[np.int64]:
    """The rows of `kernels.Cells.node` for one hierarchy."""
    assert tree is not None  # `_kinds` says so
    lost = domain.of_nodes(tree, scale)
    return np.stack([tree.parent, tree.first, tree.last, lost], axis=1).astype(np.int64)


def _ends(into: NDArray[np.int64]) -> NDArray[np.int64]:
    """The class that each class has ended in, -1 if it is suppressed."""
    end = np.append(into, -1)
    while not np.array_equal(end[end], end):
        end = end[end]
    return end[:-1]


def _prefixes(column: Column) -> Hierarchy | None:
    """The beginnings of a column of codes; None for any other column."""
    texts = column.texts
    of_codes = (
        column.kind is Kind.CATEGORICAL
        and len({len(text) for text in texts}) == 1
        and len(texts[0]) >= _SHORTEST_CODE
        and all(text.isdecimal() for text in texts)
    )
    # Sorted, texts with a common beginning are neighbours, as the leaves of a node must be.
    return prefix_hierarchy(texts) if of_codes and list(texts) == sorted(texts) else None
