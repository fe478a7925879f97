"""t-closeness: how far the sensitive values of a class are from those of the whole table.

After N. Li, T. Li, S. Venkatasubramanian, *t-Closeness: Privacy Beyond k-Anonymity and
ℓ-Diversity*, ICDE 2007. With each of its ground distances, the earth mover's distance is a sum over
*stretches* of neighbouring values: the number of records that the class has too many or too few in
a stretch, times a weight. For ``"ordered"`` the stretches are the first value, the first two, the
first three, …: every record too many has to be carried over the end. For ``"hierarchical"`` they
are the nodes of the tree, and the weight is how much higher the parent is: a surplus goes up to the
parent and down again elsewhere, half of the way each. ``"equal"`` is a tree without inner nodes.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Column as Named
from unveil.errors import InputError, Option
from unveil.microdata import Column, Hierarchy

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]
DISTANCES: tuple[str, ...] = get_args(Distance)


def distance_between(secret: Column, wanted: Distance | None) -> Distance:
    """The ground distance that was asked for, or the default of `unveil.t_closeness`."""
    if wanted == "ordered" and not secret.is_ordered:
        raise _lacks(secret, "order", Option("ordinal", {secret.name: ["…"]}))
    if wanted == "hierarchical" and secret.hierarchy is None:
        raise _lacks(secret, "hierarchy", Option("hierarchies", {secret.name: "…"}))
    if wanted is not None:
        return wanted
    if secret.hierarchy is not None:
        return "hierarchical"
    return "ordered" if secret.is_ordered else "equal"


def _lacks(secret: Column, what: str, remedy: Option) -> InputError:
    return InputError(
        "column {column} has no {what}: give one with {remedy}, or use {equal}",
        column=Named(secret.name), what=what, remedy=remedy, equal=Option("t_distance", "equal"),
    )  # fmt: skip


def heights(tree: Hierarchy) -> NDArray[np.int64]:
    """The number of steps on the longest path from each node down to a leaf."""
    height = np.zeros(len(tree.names), dtype=np.int64)
    for level in range(tree.depth - 1, 0, -1):
        nodes = np.flatnonzero(tree.levels == level)
        np.maximum.at(height, tree.parent[nodes], height[nodes] + 1)
    return height


class Stretches(NamedTuple):
    """A ground distance as a sum over stretches of values.

    Attributes
    ----------
    first, last : arrays
        The codes at the ends of each. Stretches with the same first code are adjacent, the
        shorter ones first.
    weight : array
        The cost of carrying one record out of it.
    whole : int
        The sum for a distance of 1, per record.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    weight: NDArray[np.int64]
    whole: int


def no_stretches() -> Stretches:
    """The stretches of a goal without t: no class is ever too far away."""
    none = np.zeros(0, dtype=np.int64)
    return Stretches(none, none, none, 0)


def stretches(secret: Column, distance: Distance) -> Stretches:
    """The stretches of a column's values.

    >>> import unveil as uv
    >>> pay = uv.read_table({"age": [1, 1, 2], "pay": [3, 4, 6]}, quasi="age", sensitive="pay")
    >>> stretches(pay.sensitive, "ordered")[1:]
    (array([0, 1]), array([1, 1]), 2)
    >>> stretches(pay.sensitive, "equal")[1:]
    (array([0, 1, 2]), array([1, 1, 1]), 2)
    """
    if distance == "ordered":
        last = np.arange(secret.size - 1, dtype=np.int64)
        return Stretches(np.zeros_like(last), last, np.ones_like(last), secret.size - 1)
    if distance == "equal":
        code = np.arange(secret.size, dtype=np.int64)
        return Stretches(code, code, np.ones_like(code), 2)
    tree = secret.hierarchy
    assert tree is not None  # distance_between says so
    height = heights(tree)
    below = np.flatnonzero(tree.parent >= 0)
    order = below[np.lexsort((tree.last[below], tree.first[below]))]
    return Stretches(
        tree.first[order].astype(np.int64),
        tree.last[order].astype(np.int64),
        height[tree.parent[order]] - height[order],
        2 * int(height[tree.root]),
    )
