"""The release of a node of the lattice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Intervals, Release
from unveil.sanitize.recoding._cells import node_regions, range_regions
from unveil.sanitize.recoding._search import Judged, Problem

__all__ = ["published"]


def published(problem: Problem, chosen: Judged, made_by: str) -> Release:
    """The classes that meet the goal, and all others as one class, the last, that is suppressed."""
    microdata = problem.microdata
    kept = np.flatnonzero(~chosen.misses)
    number = np.full(len(chosen.misses), len(kept))
    number[kept] = np.arange(len(kept))
    class_of = number[chosen.classes.class_of][problem.distinct.tuple_of].astype(np.int32)
    suppressed = int((class_of == len(kept)).sum())
    # One combination of each class; which one does not matter, nor that of the suppressed.
    rows = np.append(chosen.classes.first[kept], [0] if suppressed else []).astype(np.intp)
    hidden = np.arange(len(rows)) == len(kept)
    return Release(
        quasi=microdata.quasi,
        sensitive=microdata.sensitive,
        class_of=class_of,
        regions=tuple(
            _regions(problem, chosen, j, rows, hidden) for j in range(len(microdata.quasi))
        ),
        made_by=made_by,
        notes=(*microdata.notes, _note(problem, chosen, suppressed)),
        suppressed=suppressed,
    )


def _regions(
    problem: Problem,
    chosen: Judged,
    j: int,
    rows: NDArray[np.intp],
    hidden: NDArray[np.bool_],
) -> Intervals:
    """What the classes publish for column j."""
    column, codes = problem.microdata.quasi[j], problem.distinct.table.codes[j, rows]
    node = problem.lattice.ladders[j].node[chosen.node[j]][codes]
    if column.hierarchy is not None:
        return node_regions(column, column.hierarchy, node, hidden)
    return range_regions(column, codes, codes, hidden | (node < 0))


def _note(problem: Problem, chosen: Judged, suppressed: int) -> str:
    """To which levels the columns were brought, in words."""
    levels = ", ".join(
        f"{column.name} left out, as it has no hierarchy"
        if column.hierarchy is None and level
        else f"{column.name} to level {level} of {len(ladder) - 1}"
        for column, level, ladder in zip(
            problem.microdata.quasi, chosen.node, problem.lattice.ladders, strict=True
        )
    )
    n = len(problem.microdata)
    gone = f"; {suppressed:,} of {n:,} records are suppressed" if suppressed else ""
    return f"recoded: {levels}{gone}"
