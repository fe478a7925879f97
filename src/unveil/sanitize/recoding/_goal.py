"""What every class has to meet, as the kernels want it; and how many may be suppressed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, flat_hierarchy
from unveil.sanitize._closeness import Distance, distance_between, heights
from unveil.sanitize.recoding import _kernels as kernels

__all__ = ["goal_for", "looks_inside", "suppressible"]


def goal_for(
    secret: Column,
    totals: NDArray[np.int64],
    *,
    k: int | None,
    l: int | None,  # noqa: E741  (it is called l everywhere in this field)
    t: float | None,
    distance: Distance | None,
) -> kernels.Goal:
    """A goal for the kernels; ``totals``: how many records of the table have each value."""
    parent = height = np.zeros(1, dtype=np.int64)
    kind = kernels.NO_DISTANCE
    if t is not None:
        name = distance_between(secret, distance)
        if name == "ordered":
            kind = kernels.ORDERED
        else:
            kind = kernels.TREE
            parent, height = _tree(secret, name)
    return kernels.Goal(
        k=int(k or 1),
        l=int(l or 1),
        t=0.0 if t is None else float(t),
        distance=kind,
        parent=parent,
        height=height,
        totals=totals.astype(np.int64),
        records=int(totals.sum()),
    )


def looks_inside(goal: kernels.Goal) -> bool:
    """Whether a goal is about the sensitive values of a class, and not its size alone."""
    return bool(goal.l > 1 or goal.distance != kernels.NO_DISTANCE)


def _tree(secret: Column, name: Distance) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Parents and heights of a tree above the sensitive values, children before parents."""
    tree = secret.hierarchy if name == "hierarchical" else flat_hierarchy(range(secret.size))
    assert tree is not None  # distance_between says so
    # Inner nodes are numbered from the root down: the other way round, children come first.
    leaves, nodes = tree.n_leaves, len(tree.names)
    order = np.concatenate([np.arange(leaves), np.arange(nodes - 1, leaves - 1, -1)])
    place = np.append(np.argsort(order), -1)
    return place[tree.parent[order]].astype(np.int64), heights(tree)[order]


def suppressible(share: float, records: int) -> int:
    """How many records a share allows to suppress, the share taken as it is written.

    >>> suppressible(0.29, 100)
    29
    """
    return int(Fraction(repr(float(share))) * records)
