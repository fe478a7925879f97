"""Microdata as the kernels want it: distinct combinations, entries, goals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.microdata import Column, Microdata, flat_hierarchy
from unveil.sanitize.recoding import _kernels as kernels
from unveil.sanitize.recoding._levels import heights

__all__ = [
    "Distance",
    "Distinct",
    "distinct",
    "goal_for",
    "looks_inside",
    "rolled_up",
    "scratch_for",
    "suppressible",
    "without_secrets",
]

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]

_SPAN = 2**62


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct combinations of quasi-identifiers, sorted, and their entries.

    Attributes
    ----------
    table : Table
        An entry is a combination, a sensitive value, and how many records have both.
    tuple_of, entry_of : arrays
        The combination and the entry of each record.
    """

    table: kernels.Table
    tuple_of: NDArray[np.int64]
    entry_of: NDArray[np.int64]


def distinct(microdata: Microdata) -> Distinct:
    """Count the combinations of a table.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 20, 30], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> distinct(survey).table.entry
    array([[0, 1, 1],
           [1, 0, 2]])
    """
    codes, secret = microdata.codes, microdata.sensitive
    keys, span = np.zeros(len(microdata), dtype=np.int64), 1
    for row, column in zip(codes, microdata.quasi, strict=True):
        if span > _SPAN // column.size:  # count only the combinations that there are
            kept, keys = np.unique(keys, return_inverse=True)
            span = len(kept)
        keys = keys * column.size + row
        span *= column.size
    _, first, tuple_of = np.unique(keys, return_index=True, return_inverse=True)
    flat = tuple_of * secret.size + secret.codes
    found, entry_of, number = np.unique(flat, return_inverse=True, return_counts=True)
    rows = np.stack([found // secret.size, found % secret.size, number], axis=1)
    table = kernels.Table(np.ascontiguousarray(codes[:, first]), rows.astype(np.int64))
    return Distinct(table, tuple_of, entry_of)


def rolled_up(table: kernels.Table, class_of: NDArray[np.int32], values: int) -> kernels.Table:
    """The table of the classes: the first combination of each, and all its entries."""
    # Classes are numbered by their first combination.
    first = np.searchsorted(np.maximum.accumulate(class_of), np.arange(class_of.max() + 1))
    flat = class_of[table.entry[:, kernels.TUPLE]] * np.int64(values)
    flat += table.entry[:, kernels.SECRET]
    found, which = np.unique(flat, return_inverse=True)
    number = np.bincount(which, weights=table.entry[:, kernels.COUNT])
    rows = np.stack([found // values, found % values, number.astype(np.int64)], axis=1)
    return kernels.Table(np.ascontiguousarray(table.codes[:, first]), rows)


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
        name = distance or _suggested(secret)
        if name == "ordered":
            kind = kernels.ORDERED
            _check_order(secret)
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
    )


def looks_inside(goal: kernels.Goal) -> bool:
    """Whether a goal is about the sensitive values of a class, and not its size alone."""
    return bool(goal.l > 1 or goal.distance != kernels.NO_DISTANCE)


def _suggested(secret: Column) -> Distance:
    """The ground distance that the measure of t-closeness would take, too."""
    if secret.hierarchy is not None:
        return "hierarchical"
    return "ordered" if secret.is_ordered else "equal"


def _check_order(secret: Column) -> None:
    if not secret.is_ordered:
        raise InputError(
            f"{secret.name} has no order: say which one with "
            f'ordinal={{"{secret.name}": […]}}, or use t_distance="equal"'
        )


def _tree(secret: Column, name: Distance) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Parents and heights of a tree above the sensitive values, children before parents."""
    tree = secret.hierarchy if name == "hierarchical" else flat_hierarchy(range(secret.size))
    if tree is None:
        raise InputError(
            f"{secret.name} has no hierarchy: give one with "
            f'hierarchies={{"{secret.name}": …}}, or use t_distance="equal"'
        )
    # Inner nodes are numbered from the root down: the other way round, children come first.
    leaves, nodes = tree.n_leaves, len(tree.names)
    order = np.concatenate([np.arange(leaves), np.arange(nodes - 1, leaves - 1, -1)])
    place = np.append(np.argsort(order), -1)
    return place[tree.parent[order]].astype(np.int64), heights(tree)[order]


def scratch_for(table: kernels.Table, goal: kernels.Goal) -> kernels.Scratch:
    """Room for the kernels to work on this table, or on a smaller one."""
    combinations, rows = table.codes.shape[1], len(table.entry)
    slots = 1 << max(4, (2 * combinations).bit_length())
    return kernels.Scratch(
        class_of=np.zeros(combinations, dtype=np.int32),
        classes=np.zeros((combinations + 1, 4), dtype=np.int64),
        order=np.zeros(rows, dtype=np.int64),
        sums=np.zeros(3, dtype=np.int64),
        keys=np.zeros(combinations, dtype=np.int64),
        slots=np.zeros(slots, dtype=np.int64),
        hist=np.zeros(len(goal.totals), dtype=np.int64),
        tree=np.zeros((len(goal.parent), 2), dtype=np.int64),
    )


def suppressible(share: float, records: int) -> int:
    """How many records a share allows to suppress, the share taken as it is written.

    >>> suppressible(0.29, 100)
    29
    """
    return int(Fraction(repr(float(share))) * records)


def without_secrets(table: kernels.Table) -> kernels.Table:
    """The same table with all sensitive values alike, for goals that do not look at them."""
    sizes = np.bincount(table.entry[:, kernels.TUPLE], weights=table.entry[:, kernels.COUNT])
    rows = np.zeros((len(sizes), 3), dtype=np.int64)
    rows[:, kernels.TUPLE], rows[:, kernels.COUNT] = np.arange(len(sizes)), sizes
    return kernels.Table(table.codes, rows)
