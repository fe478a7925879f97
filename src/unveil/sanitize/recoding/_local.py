"""Local recoding: classes are merged until they meet the goal, each publishing cells of its own.

After J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu, *Utility-Based Anonymization Using Local
Recoding*, KDD 2006, from the bottom up. People with equal quasi-identifiers are a class to start
with. The smallest class that misses the goal is merged with the one with which least is lost in
addition, counted over the records of both; then the next. Of several equally small or near, the
first in the order of the columns' values is taken. So the same value may be published as it is in
one class and within a set in another: cells overlap.

A class publishes for each column the least cell of its kind that covers its members: the lowest
node of the column's hierarchy; without one, the range of an ordered column, the common beginning
of codes (texts of one length, all with a digit, such as ZIP: ``4550*``), and the set of values of
any other column.

A class is suppressed rather than merged where that loses less and the limit allows it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Hierarchy, Kind, Microdata, Regions, prefix_hierarchy
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._cells import range_regions, set_regions
from unveil.sanitize.recoding._losses import Domain, Loss, common_scale, domain_of
from unveil.sanitize.recoding._table import Distinct, Table, distinct

__all__ = ["Merged", "merged"]

_WORD = 64


class Merged:
    """Classes that all meet the goal; the last one, if any, is that of the suppressed.

    Attributes
    ----------
    class_of : array
        The class of each record.
    regions : tuple of Regions
    suppressed : int
        How many records are.
    """

    def __init__(
        self, microdata: Microdata, table: Distinct, columns: _Columns, classes: kernels.Classes
    ) -> None:
        kept = np.flatnonzero(classes.into == np.arange(len(classes.into)))
        owner = _owners(classes.into)
        number = np.append(np.full(len(owner), -1), len(kept))  # the last: of those suppressed
        number[kept] = np.arange(len(kept))
        self.class_of = number[owner[table.tuple_of]].astype(np.int32)
        gone = self.class_of == len(kept)
        self.suppressed = int(gone.sum())
        hidden = np.zeros(len(kept) + bool(self.suppressed), dtype=bool)
        hidden[len(kept) :] = True
        rows = np.append(kept, [0] if self.suppressed else []).astype(np.intp)
        self.regions = tuple(
            columns.regions(j, column, classes, rows, hidden)
            for j, column in enumerate(microdata.quasi)
        )


def merged(microdata: Microdata, goal: kernels.Goal, limit: int, loss: Loss) -> Merged:
    """Merge the classes of a table that, taken as a whole, meets the goal."""
    table = distinct(microdata)
    columns = _Columns(microdata, loss)
    for allowed in dict.fromkeys([limit, 0]):
        classes = columns.start(table.table)
        left = kernels.merge(
            table.table.entry, columns.cells, classes, goal, columns.everything, allowed,
            np.zeros(len(goal.totals), dtype=np.int64),
            np.zeros((len(goal.parent), 2), dtype=np.int64),
        )  # fmt: skip
        if left != kernels.NOT_MET:
            break
        # Once some are suppressed, the others may be too much alike; then nobody is.
    return Merged(microdata, table, columns, classes)


class _Columns:
    """The columns as the kernels want them."""

    def __init__(self, microdata: Microdata, loss: Loss) -> None:
        self.sizes = [column.size for column in microdata.quasi]
        self.trees = [column.hierarchy or _prefixes(column) for column in microdata.quasi]
        domains = [domain_of(column, loss) for column in microdata.quasi]
        scale = common_scale(domains)
        self.everything = scale * sum(domain.everything for domain in domains)
        rows, places, nodes, words = [], [np.zeros(0, np.int64)], [np.zeros((0, 4), np.int64)], 0
        for column, tree, domain in zip(microdata.quasi, self.trees, domains, strict=True):
            if tree is not None:
                rows.append((kernels.NODE, sum(map(len, nodes)), 0, 0))
                nodes.append(_nodes(tree, domain, scale))
            elif column.is_ordered:
                rows.append((kernels.LINE, sum(map(len, places)), 0, 0))
                codes = np.arange(column.size)
                places.append(domain.of_ranges(np.zeros_like(codes), codes, scale))
            else:
                unit = scale // max(1, len(domain.there) - 1)
                rows.append((kernels.SET, words, unit, -(-column.size // _WORD)))
                words += rows[-1][-1]
        self.words = words
        self.cells = kernels.Cells(
            np.array(rows, dtype=np.int64), np.concatenate(places), np.concatenate(nodes)
        )

    def start(self, table: Table) -> kernels.Classes:
        """A class for each combination."""
        columns, n = table.codes.shape
        cell = np.zeros((n, columns, 3), dtype=np.int64)
        cell[:, :, 0] = cell[:, :, 1] = table.codes.T  # a leaf's number is its code
        members = np.zeros((n, self.words), dtype=np.uint64)
        for codes, (kind, offset, *_) in zip(table.codes, self.cells.column, strict=True):
            if kind == kernels.SET:
                bit = np.uint64(1) << (codes % _WORD).astype(np.uint64)
                members[np.arange(n), offset + codes // _WORD] = bit
        owner = table.entry[:, kernels.TUPLE]
        count = len(owner)
        # Entries are sorted by their combination: each is followed by the next of the same.
        follows = np.append(np.where(owner[1:] == owner[:-1], np.arange(1, count), -1), -1)
        return kernels.Classes(
            size=np.bincount(owner, weights=table.entry[:, kernels.COUNT]).astype(np.int64),
            fails=np.zeros(n, dtype=bool),
            cell=cell,
            members=members,
            head=np.searchsorted(owner, np.arange(n)),
            tail=np.searchsorted(owner, np.arange(n), side="right") - 1,
            next=follows,
            into=np.arange(n),
            alive=np.arange(n),
        )

    def regions(
        self,
        j: int,
        column: Column,
        classes: kernels.Classes,
        rows: NDArray[np.intp],
        hidden: NDArray[np.bool_],
    ) -> Regions:
        """What the classes in these rows publish for column j."""
        kind, offset, _, words = self.cells.column[j].tolist()
        if kind == kernels.SET:
            inside = classes.members[rows, offset : offset + words]
            return set_regions(column, [_codes(some) for some in inside], hidden)
        low, high = classes.cell[rows, j, 0], classes.cell[rows, j, 1]
        tree = self.trees[j]
        if tree is not None:
            low, high = tree.first[low], tree.last[high]
        return range_regions(column, low, high, hidden, tree)


def _nodes(tree: Hierarchy, domain: Domain, scale: int) -> NDArray[np.int64]:
    lost = domain.of_nodes(tree, scale)
    return np.stack([tree.parent, tree.first, tree.last, lost], axis=1).astype(np.int64)


def _codes(words: NDArray[np.uint64]) -> NDArray[np.intp]:
    """The codes whose bits are set."""
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)


def _owners(into: NDArray[np.int64]) -> NDArray[np.int64]:
    """The class that each has ended in, -1 if it is suppressed."""
    owner = np.append(into, -1)
    while not np.array_equal(owner[owner], owner):
        owner = owner[owner]
    return owner[:-1]


def _prefixes(column: Column) -> Hierarchy | None:
    """The beginnings of a column of codes; None for any other column."""
    texts = column.texts
    of_codes = (
        column.kind is Kind.CATEGORICAL
        and len({len(text) for text in texts}) == 1
        and len(texts[0]) > 1
        and all(any(letter.isdigit() for letter in text) and "*" not in text for text in texts)
    )
    # Sorted texts with a common beginning are neighbours, as the leaves of a node must be.
    return prefix_hierarchy(texts) if of_codes and list(texts) == sorted(texts) else None
