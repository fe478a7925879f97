"""Local recoding: classes are merged until they meet the goal, and each publishes its own cells.

After J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu, *Utility-Based Anonymization Using Local
Recoding*, KDD 2006, from the bottom up. People with equal quasi-identifiers are a class at first.
The smallest class that misses the goal is merged with the one that adds the least loss, summed over
the records of both; then the next. Ties go to the first in the order of the columns' values. So the
same value may be published as it is in one class and within a set in another: cells overlap. A
class is suppressed instead of merged where that loses less and the limit allows it.

A class publishes for each column the least cell of its kind that covers its members: the lowest
node of the column's hierarchy; without one, the range of an ordered column, the common prefix of
codes (texts of at least three digits, all of one length, such as ZIP: ``4550*``), or the set of
values of any other column. Cells are written so that they are read back as what they mean.

No two classes have the same cells: to join a class that has the cells already adds less loss than
to make others that wide. So where people have several rows, each class can be judged by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import (
    Column,
    Hierarchy,
    Intervals,
    Kind,
    Microdata,
    Regions,
    Sets,
    cell_reader,
    prefix_hierarchy,
    span,
)
from unveil.sanitize._weights import Weighed
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._lattice import Loss, common_scale, domain_of
from unveil.sanitize.recoding._search import Table, distinct

_HIDDEN = "*"


def range_regions(
    column: Column, low: NDArray[np.integer], high: NDArray[np.integer], hidden: NDArray[np.bool_]
) -> Intervals:
    """Cells from one code to another, ``*`` where a class is hidden."""
    low, high = np.where(hidden, 0, low), np.where(hidden, column.size - 1, high)
    plain = Intervals(low.astype(np.int32), high.astype(np.int32))
    return replace(plain, written=_hiding(plain.texts(column), hidden))


def node_regions(
    column: Column, tree: Hierarchy, node: NDArray[np.integer], hidden: NDArray[np.bool_]
) -> Intervals:
    """Cells that are nodes of a hierarchy, ``*`` where a class is hidden.

    They have the nodes' names, unless these would be read as something else: in a column with an
    order, ``20-30`` is a range, whatever a node of that name covers.
    """
    plain = range_regions(column, tree.first[node], tree.last[node], hidden)
    names = {int(one): _name(column, tree, int(one)) for one in np.unique(node)}
    ranges = zip(node.tolist(), plain.texts(column), strict=True)
    return replace(plain, written=_hiding([names[one] or text for one, text in ranges], hidden))


def _set_regions(
    column: Column, members: Sequence[NDArray[np.integer]], hidden: NDArray[np.bool_]
) -> Sets:
    """Cells of any values, ``*`` where a class is hidden."""
    whole = np.arange(column.size)
    codes = [whole if gone else some for some, gone in zip(members, hidden, strict=True)]
    start = np.concatenate([[0], np.cumsum([len(some) for some in codes])]).astype(np.int64)
    plain = Sets(start, np.concatenate(codes).astype(np.int32))
    return replace(plain, written=_hiding(plain.texts(column), hidden))


def _hiding(texts: Sequence[str], hidden: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(_HIDDEN if gone else text for text, gone in zip(texts, hidden, strict=True))


def _name(column: Column, tree: Hierarchy, node: int) -> str | None:
    """The name of an inner node, if it is read as that."""
    if node < tree.n_leaves:
        return None
    read = cell_reader(column).read(tree.names[node]).only
    meant = span(int(tree.first[node]), int(tree.last[node]))
    return tree.names[node] if read is not None and read.reading.spans == meant else None


_WORD = 64  # bits
_SHORTEST_CODE = 3  # digits


class _Merged(NamedTuple):
    """The class of each record, and the cells; the suppressed are the last class."""

    class_of: NDArray[np.int32]
    regions: tuple[Regions, ...]


def merged(
    microdata: Microdata, goal: kernels.Goal, limit: int, loss: Loss, weighed: Weighed | None
) -> _Merged:
    """Merge the classes of a table that, taken as a whole, meets the goal."""
    found = distinct(microdata, weighed)
    columns = _Columns(microdata, loss)
    people = 0 if weighed is None else weighed.persons.count
    owner = columns.merged(found.table, goal, limit, people)
    kept, class_of_combination = np.unique(owner, return_inverse=True)
    if kept[0] < 0:  # the suppressed come last
        class_of_combination = (class_of_combination - 1) % len(kept)
    class_of = class_of_combination[found.tuple_of].astype(np.int32)
    hidden = np.arange(len(kept)) == len(kept) - (kept[0] < 0)
    regions = tuple(
        columns.regions(j, codes, class_of_combination, hidden)
        for j, codes in enumerate(found.table.codes)
    )
    return _Merged(class_of, regions)


class _Columns:
    """The columns as the kernels need them: hierarchies first, then ranges, then sets."""

    def __init__(self, microdata: Microdata, loss: Loss) -> None:
        self.quasi = microdata.quasi
        self.trees = [column.hierarchy or _prefixes(column) for column in self.quasi]
        self.domains = [domain_of(column, loss) for column in self.quasi]
        self.scale = common_scale(self.domains)
        self.everything = self.scale * sum(domain.everything for domain in self.domains)

    def merged(
        self, table: Table, goal: kernels.Goal, limit: int, people: int
    ) -> NDArray[np.int64]:
        """For each combination, the first one of its class; -1 if it is suppressed."""
        order, cells = self._cells()
        for allowed in (limit, 0):
            classes = self._start(table, order, cells)
            left = kernels.merge(
                table.entry, cells, classes, goal, self.everything, allowed, people
            )
            if left != kernels.NOT_MET:
                break
            # Once some are suppressed, the others may be too much alike; then none is suppressed.
        return _ends(classes.info[:, kernels.INTO])

    def _cells(self) -> tuple[list[int], kernels.Cells]:
        """The columns in the order of the kernels, and their description."""
        nodes, ranges, sets = self._kinds()
        trees = [self._rows_of(j) for j in nodes]
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

    def _rows_of(self, j: int) -> NDArray[np.int64]:
        """The rows of `kernels.Cells.node` for the hierarchy of column j."""
        tree = self.trees[j]
        assert tree is not None  # `_kinds` says so
        lost = self.domains[j].of_ranges(tree.first, tree.last, self.scale)
        return np.stack([tree.parent, tree.first, tree.last, lost], axis=1).astype(np.int64)

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
        """The cells of column j; the codes and classes are those of combinations."""
        column, tree = self.quasi[j], self.trees[j]
        order = np.lexsort([codes, class_of])
        starts = np.searchsorted(class_of[order], np.arange(len(hidden)))
        if tree is None and not column.is_ordered:
            groups = np.split(codes[order], starts[1:])
            return _set_regions(column, [np.unique(some) for some in groups], hidden)
        low = codes[order[starts]]
        high = codes[order[np.append(starts[1:], len(order)) - 1]]
        if tree is not None:
            pairs = zip(low.tolist(), high.tolist(), strict=True)
            node = np.array([tree.lowest_common_ancestor(*pair) for pair in pairs])
            return node_regions(column, tree, node, hidden)
        return range_regions(column, low, high, hidden)


def _ends(into: NDArray[np.int64]) -> NDArray[np.int64]:
    """The class that each class ended up in, -1 if it is suppressed."""
    end = np.append(into, -1)
    while not np.array_equal(end[end], end):
        end = end[end]
    return end[:-1]


def _prefixes(column: Column) -> Hierarchy | None:
    """The prefixes of a column of codes; None for any other column."""
    texts = column.texts
    of_codes = (
        column.kind is Kind.CATEGORICAL
        and len({len(text) for text in texts}) == 1
        and len(texts[0]) >= _SHORTEST_CODE
        and all(text.isdecimal() for text in texts)
    )
    # In sorted order, texts with a common prefix are neighbours, as the leaves of a node must be.
    return prefix_hierarchy(texts) if of_codes and list(texts) == sorted(texts) else None
