"""What classes publish, written so that it is read back as what it means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Hierarchy, Intervals, Sets
from unveil.microdata._cells import cell_reader
from unveil.microdata._notations import span

__all__ = ["range_regions", "set_regions"]

_HIDDEN = "*"


def range_regions(
    column: Column,
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    hidden: NDArray[np.bool_],
    tree: Hierarchy | None,
) -> Intervals:
    """Cells from one code to another, ``*`` where a class is hidden.

    Parameters
    ----------
    column : Column
    low, high : arrays, one a class
    hidden : bool array, one a class
        These publish nothing.
    tree : Hierarchy, optional
        Of whose nodes the cells are. They have its names, unless these would be read as something
        else: of a column with an order, ``20-30`` is a range, whatever a node of that name covers.
    """
    low = np.where(hidden, 0, low).astype(np.int32)
    high = np.where(hidden, column.size - 1, high).astype(np.int32)
    texts = Intervals(low, high).texts(column)
    known: dict[tuple[int, int], str] = {}
    for g, cell in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if hidden[g]:
            texts[g] = _HIDDEN
        elif tree is not None and cell[0] < cell[1]:
            if cell not in known:
                known[cell] = _named(column, cell, tree, otherwise=texts[g])
            texts[g] = known[cell]
    return Intervals(low, high, written=tuple(texts))


def _named(column: Column, cell: tuple[int, int], tree: Hierarchy, otherwise: str) -> str:
    """The name of the node that covers these codes, if it is read as that."""
    name = tree.names[tree.lowest_common_ancestor(*cell)]
    read = cell_reader(column).read(name).only
    return name if read is not None and read.reading.spans == span(*cell) else otherwise


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
