"""What classes publish, written so that it is read back as what it means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Hierarchy, Intervals, Sets, cell_reader, span

__all__ = ["node_regions", "range_regions", "set_regions"]

_HIDDEN = "*"


def range_regions(
    column: Column,
    low: NDArray[np.integer],
    high: NDArray[np.integer],
    hidden: NDArray[np.bool_],
) -> Intervals:
    """Cells from one code to another, ``*`` where a class is hidden."""
    regions = _covering(column, low, high, hidden)
    texts = zip(regions.texts(column), hidden, strict=True)
    return _written(regions, [_HIDDEN if gone else text for text, gone in texts])


def node_regions(
    column: Column, tree: Hierarchy, node: NDArray[np.integer], hidden: NDArray[np.bool_]
) -> Intervals:
    """Cells that are nodes of a hierarchy, ``*`` where a class is hidden.

    They have the nodes' names, unless these would be read as something else: of a column with an
    order, ``20-30`` is a range, whatever a node of that name covers.
    """
    regions = _covering(column, tree.first[node], tree.last[node], hidden)
    names = {int(one): _name(column, tree, int(one)) for one in np.unique(node)}
    texts = regions.texts(column)
    for g, (one, gone) in enumerate(zip(node.tolist(), hidden, strict=True)):
        texts[g] = _HIDDEN if gone else names[one] or texts[g]
    return _written(regions, texts)


def _name(column: Column, tree: Hierarchy, node: int) -> str | None:
    """The name of a node above leaves, if it is read as that."""
    if node < tree.n_leaves:
        return None
    read = cell_reader(column).read(tree.names[node]).only
    meant = span(int(tree.first[node]), int(tree.last[node]))
    return tree.names[node] if read is not None and read.reading.spans == meant else None


def _covering(
    column: Column,
    low: NDArray[np.integer],
    high: NDArray[np.integer],
    hidden: NDArray[np.bool_],
) -> Intervals:
    low, high = np.where(hidden, 0, low), np.where(hidden, column.size - 1, high)
    return Intervals(low.astype(np.int32), high.astype(np.int32))


def _written(regions: Intervals, texts: Sequence[str]) -> Intervals:
    return Intervals(regions.low, regions.high, written=tuple(texts))


def set_regions(
    column: Column, members: Sequence[NDArray[np.integer]], hidden: NDArray[np.bool_]
) -> Sets:
    """Cells of any values, ``*`` where a class is hidden."""
    whole = np.arange(column.size)
    codes = [whole if gone else some for some, gone in zip(members, hidden, strict=True)]
    start = np.concatenate([[0], np.cumsum([len(some) for some in codes])]).astype(np.int64)
    plain = Sets(start, np.concatenate(codes).astype(np.int32))
    texts = plain.texts(column)
    written = (_HIDDEN if gone else text for text, gone in zip(texts, hidden, strict=True))
    return Sets(plain.start, plain.members, written=tuple(written))
