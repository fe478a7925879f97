"""The cuts that Mondrian tried and refused.

Exchanging secrets within classes leaves the histogram of every class as it is, so of every node of
the tree: whatever was cut can be cut. What has to be kept besides is every cut that was refused: at
a class, all columns that are wider than nothing; at a node that was cut, the columns before the one
that was taken. Which cut is tried, and in which order, follows from the quasi-identifiers alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimal._attempts import Attempt, Goal, goal_of
from unveil.microdata import Column, Microdata
from unveil.sanitize import Crowds, Mondrian, distance_between, stretches
from unveil.sanitize.mondrian import Partition, cut_kind, extents, kernels

__all__ = ["mondrian_attempts", "mondrian_goal"]


def mondrian_goal(sanitizer: Mondrian, microdata: Microdata) -> Goal:
    """What Mondrian asks of the secrets of a part."""
    secret, apart = microdata.sensitive, None
    if sanitizer.t is not None:
        apart = stretches(secret, distance_between(secret, sanitizer.t_distance))
    return goal_of(secret, l=sanitizer.l, t=sanitizer.t, apart=apart)


def mondrian_attempts(sanitizer: Mondrian, microdata: Microdata) -> list[Attempt]:
    """All refused cuts that could have been taken by their sizes."""
    asked = None if not sanitizer.crowds else Crowds.of(sanitizer.crowds).asked(microdata)
    partition = sanitizer.partition(microdata)
    whole, needed = extents(microdata), max(int(sanitizer.k or 1), int(sanitizer.l or 1))
    found = []
    for people, taken in _nodes(partition):
        if len(people) < 2 * int(sanitizer.k or 1):
            continue
        codes = microdata.codes[:, people]
        for j in _tried(microdata, codes, whole, taken):
            part_of, names = _cut(microdata.quasi[j], codes[j])
            sizes = np.bincount(part_of)
            small = sizes < needed
            if asked is not None:
                most = np.zeros(len(sizes), dtype=np.int64)
                np.maximum.at(most, part_of, asked[people])
                small |= sizes < most
            attempt = Attempt(
                what=f"cut by {microdata.quasi[j].name}", people=people, part_of=part_of,
                sizes=sizes, small=small, extra=np.zeros_like(sizes), parts=names,
            )  # fmt: skip
            if not attempt.tells_nothing:
                found.append(attempt)
    return found


def _nodes(partition: Partition) -> Iterator[tuple[NDArray[np.intp], int]]:
    """The records of every node of the tree, and the column that it was cut by (LEAF: none)."""
    for node in partition.tree.node[: partition.n_nodes]:
        records = partition.order[0, node[kernels.START] : node[kernels.END]]
        yield records.astype(np.intp), int(node[kernels.COLUMN])


def _tried(
    microdata: Microdata, codes: NDArray[np.int32], whole: NDArray[np.float64], taken: int
) -> list[int]:
    """The columns that were tried, the widest first, up to the one that was taken."""
    width = np.zeros(len(codes))
    low, high = codes.min(axis=1), codes.max(axis=1)
    for j, column in enumerate(microdata.quasi):
        if low[j] < high[j] and whole[j] > 0:
            width[j] = _width(column, codes[j], int(low[j]), int(high[j])) / whole[j]
    order = [int(j) for j in np.argsort(-width, kind="stable") if width[j] > 0]
    return order[: order.index(taken)] if taken in order else order


def _width(column: Column, codes: NDArray[np.int32], low: int, high: int) -> float:
    kind = cut_kind(column)
    if kind == kernels.SPAN:
        return float(column.positions[high] - column.positions[low])
    if kind == kernels.FLAT:
        return float(len(np.unique(codes)) - 1)
    tree = column.hierarchy
    assert tree is not None  # cut_kind says so
    node = tree.lowest_common_ancestor(low, high)
    return float(tree.last[node] - tree.first[node] + 1)


def _cut(column: Column, codes: NDArray[np.int32]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """The part of each record by the one cut of a column, and the parts in words."""
    if cut_kind(column) == kernels.TREE:
        tree = column.hierarchy
        assert tree is not None  # cut_kind says so
        node = tree.lowest_common_ancestor(int(codes.min()), int(codes.max()))
        children = tree.children(node)
        children = children[np.argsort(tree.first[children])]
        child = np.searchsorted(tree.last[children], codes)
        there, part_of = np.unique(child, return_inverse=True)
        return part_of, tuple(f"{column.name} {tree.names[children[c]]}" for c in there)
    there, counts = np.unique(codes, return_counts=True)
    left = np.cumsum(counts)[:-1]
    best = int(np.argmin(np.abs(2 * left - len(codes))))  # the lower place of two
    texts = column.texts
    if cut_kind(column) == kernels.SPAN:
        words = (f"{column.name} ≤ {texts[there[best]]}", f"{column.name} > {texts[there[best]]}")
    else:
        words = (
            f"{column.name} {_from_to(texts[there[0]], texts[there[best]])}",
            f"{column.name} {_from_to(texts[there[best + 1]], texts[there[-1]])}",
        )
    return (codes > there[best]).astype(np.intp), words


def _from_to(first: str, last: str) -> str:
    """The values of a part in words.

    >>> _from_to("Bonn", "Rome"), _from_to("Bonn", "Bonn")
    ('Bonn to Rome', 'Bonn')
    """
    return first if first == last else f"{first} to {last}"
