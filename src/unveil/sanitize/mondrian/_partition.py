"""Microdata as Mondrian's kernels need it: rules, sorted orders, and what a record changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Kind, Microdata
from unveil.sanitize._closeness import Stretches, no_stretches
from unveil.sanitize.mondrian import _kernels as kernels

_SLACK = 1e-12  # by which rounding may push a distance over t


def cut_kind(column: Column) -> int:
    """Numbers and ordinal levels are cut along their line, the rest by hierarchy or sorted."""
    if column.kind is not Kind.CATEGORICAL:
        return kernels.SPAN
    return kernels.FLAT if column.hierarchy is None else kernels.TREE


def extents(microdata: Microdata) -> NDArray[np.float64]:
    """The width of each whole column, relative to which the width of a part is measured.

    It depends only on the records in the table and on what was declared (ordinal levels,
    hierarchies), never on a record that was left out.
    """
    return extents_without(microdata, np.array([-1]))[0]


def extents_without(microdata: Microdata, records: NDArray[np.intp]) -> NDArray[np.float64]:
    """The same without each of some records, one at a time (-1: none is missing)."""
    widths = np.empty((len(records), len(microdata.quasi)))
    for j, column in enumerate(microdata.quasi):
        kind = cut_kind(column)
        if kind == kernels.TREE:
            widths[:, j] = column.size
            continue
        if column.kind is Kind.ORDINAL:
            widths[:, j] = column.size - 1
            continue
        counts = np.bincount(column.codes, minlength=column.size)
        present = np.flatnonzero(counts)
        alone = (records >= 0) & (counts[column.codes[records]] == 1)
        if kind == kernels.FLAT:
            widths[:, j] = len(present) - 1 - alone
            continue
        code = column.codes[records]
        second, last_but_one = present[min(1, len(present) - 1)], present[max(-2, -len(present))]
        low = np.where(alone & (code == present[0]), second, present[0])
        high = np.where(alone & (code == present[-1]), last_but_one, present[-1])
        widths[:, j] = column.positions[high] - column.positions[low]
    return widths


def alone_in_flat_columns(microdata: Microdata) -> NDArray[np.bool_]:
    """The codes of all FLAT columns that only one record has; they are gone without it."""
    flat = [c for c in microdata.quasi if cut_kind(c) == kernels.FLAT]
    counts = [np.bincount(c.codes, minlength=c.size) == 1 for c in flat]
    return np.concatenate([*counts, np.zeros(0, dtype=bool)])


def make_rules(
    microdata: Microdata,
    *,
    k: int,
    l: int,  # noqa: E741  (it is called l everywhere in this field)
    t: float | None,
    stretches: Stretches | None,
    tight: bool,
    crowds: bool,
) -> kernels.Rules:
    """The rules for a table; ``stretches`` define the distance of sensitive values, for t."""
    columns = microdata.quasi
    rows = np.zeros((len(columns), 3), dtype=np.int64)
    positions: list[NDArray[np.float64]] = []
    nodes: list[NDArray[np.int64]] = []
    children: list[NDArray[np.int32]] = []
    n_positions = n_nodes = n_flat = 0
    most_parts = 6  # three candidate cuts with two parts each
    for j, column in enumerate(columns):
        kind = cut_kind(column)
        rows[j, kernels.KIND] = kind
        rows[j, kernels.LAST_OF_ALL] = column.size - 1
        if kind == kernels.SPAN:
            rows[j, kernels.OFFSET] = n_positions
            positions.append(column.positions)
            n_positions += column.size
        elif kind == kernels.FLAT:
            rows[j, kernels.OFFSET] = n_flat
            n_flat += column.size
        else:
            tree = column.hierarchy
            assert tree is not None  # cut_kind says so
            rows[j, kernels.OFFSET] = n_nodes
            parent = np.where(tree.parent < 0, -1, tree.parent + n_nodes)
            starts = tree.child_start[:-1] + sum(len(some) for some in children)
            nodes.append(np.stack([parent, tree.first, tree.last, starts], axis=1))
            children.append(tree.child_list + n_nodes)
            most_parts = max(most_parts, int(np.diff(tree.child_start).max()))
            n_nodes += len(tree.names)
    stretch = _stretch_rows(stretches or no_stretches(), microdata.sensitive_counts)
    return kernels.Rules(
        column=rows,
        position=np.concatenate([*positions, np.zeros(0)]),
        extent=extents(microdata),
        node=_node_rows(nodes, children),
        alone=np.zeros(n_flat, dtype=bool),
        stretch=stretch,
        secret=len(columns),
        most_parts=most_parts,
        flat_size=n_flat,
        n_sensitive=microdata.sensitive.size,
        k=k,
        l=l,
        records=len(microdata),
        far=0.0 if t is None or stretches is None else (t + _SLACK) * stretches.whole,
        inside=l > 1 or len(stretch) > 0,
        crowds=crowds,
        tight=tight,
    )


def _stretch_rows(stretches: Stretches, totals: NDArray[np.int64]) -> NDArray[np.int64]:
    first, last, weight, _ = stretches
    upto = np.concatenate([[0], np.cumsum(totals)])
    return np.stack([first, last, weight, upto[last + 1] - upto[first]], axis=1).astype(np.int64)


def rules_without(
    rules: kernels.Rules,
    *,
    extent: NDArray[np.float64],
    alone: NDArray[np.bool_],
    secret: int | None,
) -> kernels.Rules:
    """The rules for a table without one record.

    ``extent`` comes from `extents_without`, ``alone`` from `alone_in_flat_columns`; ``secret`` is
    the record's sensitive value, which only t-closeness needs.
    """
    rules = rules._replace(extent=np.ascontiguousarray(extent), alone=alone)
    if secret is None:
        return rules
    first, last, _, _ = rules.stretch.T
    stretch = rules.stretch.copy()
    stretch[:, kernels.EXPECTED] -= (first <= secret) & (secret <= last)
    return rules._replace(stretch=stretch, records=rules.records - 1)


def _node_rows(
    nodes: list[NDArray[np.int64]], children: list[NDArray[np.int32]]
) -> NDArray[np.int64]:
    """The nodes of all hierarchies, and beside them one list of all their children.

    A tree has fewer children than nodes, so the list fits. The last row says where the children of
    the last node end.
    """
    listed = np.concatenate([*children, np.zeros(0, dtype=np.int32)])
    rows = np.full((sum(len(some) for some in nodes) + 1, 5), -1, dtype=np.int64)
    if nodes:
        rows[:-1, : kernels.NODE_LIST] = np.concatenate(nodes)
    rows[-1, kernels.CHILDREN] = len(listed)
    rows[: len(listed), kernels.NODE_LIST] = listed
    return rows


def _sorted_lines(microdata: Microdata) -> NDArray[np.int32]:
    """The records sorted by each column's code, one row per column."""
    lines = np.empty(microdata.codes.shape, dtype=np.int32)
    for j, column in enumerate(microdata.quasi):
        small = column.size <= np.iinfo(np.uint16).max  # numpy sorts these by radix
        codes = column.codes.astype(np.uint16) if small else column.codes
        lines[j] = np.argsort(codes, kind="stable")
    return lines


@dataclass(frozen=True, eq=False)
class Partition:
    """A Mondrian tree over all records of a table.

    Attributes
    ----------
    lines : array
        The records sorted by each column, one row per column; in ``grown.order`` the records of
        each class are together.
    """

    grown: kernels.Grown
    lines: NDArray[np.int32]
    n_nodes: int

    @classmethod
    def grow(
        cls, microdata: Microdata, rules: kernels.Rules, asked: NDArray[np.int32] | None
    ) -> Partition:
        """Cut the table; ``asked`` are the class sizes asked for, if some exceed k."""
        below = [microdata.sensitive.codes] if asked is None else [microdata.sensitive.codes, asked]
        table = np.vstack([microdata.codes, *below]).astype(np.int32)
        lines, n = _sorted_lines(microdata), len(microdata)
        new_tree: Any = kernels.new_tree
        tree = new_tree.py_func(rules, n, whole_region(microdata))
        grown = kernels.Grown(table, rules, lines.copy(), tree)
        nobody = np.zeros(0, dtype=np.int32)
        none = kernels.Targets(nobody, nobody.reshape(0, 0, 0), nobody.reshape(0, 0))
        n_nodes = kernels.partition(
            grown, none, nobody, kernels.new_scratch(rules, n), kernels.new_cases(rules)
        )
        return cls(grown, lines, n_nodes)

    @property
    def order(self) -> NDArray[np.int32]:
        """The records of each class together, one row per column."""
        order: NDArray[np.int32] = self.grown.order
        return order

    @property
    def tree(self) -> kernels.Tree:
        """The tree of cuts."""
        return self.grown.tree

    @property
    def class_starts(self) -> NDArray[np.int64]:
        """Where each class begins in `order`, ascending."""
        nodes = self.tree.node[: self.n_nodes]
        return np.sort(nodes[nodes[:, kernels.COLUMN] == kernels.LEAF, kernels.START])


def whole_region(microdata: Microdata) -> NDArray[np.int64]:
    """The region of no cuts at all: first and last code of every column."""
    return np.array([(0, c.size - 1) for c in microdata.quasi], dtype=np.int64).ravel()
