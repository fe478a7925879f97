"""How far the sensitive values of a class are from the whole table's, as t-closeness asks.

The earth mover's distance with each of the ground distances of N. Li, T. Li,
S. Venkatasubramanian, *t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity*, ICDE 2007, is a
sum over *stretches* of neighbouring values: how many records of a stretch the class has too many or
too few, times a weight. For ``"ordered"`` the stretches are the first value, the first two, the
first three, …, for every record too many there has to be carried over the end. For
``"hierarchical"`` they are the nodes of the tree, the weight being how much higher the parent is:
what a node has too much of goes up to the parent, and down again elsewhere, half of the way each.
``"equal"`` is a tree without inner nodes.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column, Hierarchy

__all__ = [
    "Distance",
    "Stretches",
    "check_t_distance",
    "distance_between",
    "heights",
    "no_stretches",
    "stretches",
]

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]


_DISTANCES = get_args(Distance)


def check_t_distance(who: str, given: Any, t: float | None) -> None:
    """Refuse a ground distance that there is not, or one without t."""
    if given is None:
        return
    if given not in _DISTANCES:
        words = " or ".join(f'"{word}"' for word in _DISTANCES)
        near = did_you_mean(str(given), _DISTANCES)
        raise InputError(f"{who} t_distance must be {words}, got {given!r}{near}")
    if t is None:
        raise InputError(f"{who} t_distance is that of t; give t, such as t=0.2")


def distance_between(secret: Column, wished: Distance | None) -> Distance:
    """The ground distance that was wished for, or the one that `unveil.t_closeness` would take."""
    if wished == "ordered" and not secret.is_ordered:
        raise InputError(
            f"{secret.name} has no order: say which one with "
            f'ordinal={{"{secret.name}": […]}}, or use t_distance="equal"'
        )
    if wished == "hierarchical" and secret.hierarchy is None:
        raise InputError(
            f"{secret.name} has no hierarchy: give one with "
            f'hierarchies={{"{secret.name}": …}}, or use t_distance="equal"'
        )
    if wished is not None:
        return wished
    if secret.hierarchy is not None:
        return "hierarchical"
    return "ordered" if secret.is_ordered else "equal"


def heights(tree: Hierarchy) -> NDArray[np.int64]:
    """The number of steps on the longest way from each node down to a leaf."""
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
        The codes at the ends of each; those with the same first one stand together, the shorter
        ones first.
    weight : array
        What it adds to carry one record out of it.
    whole : int
        What the sum is for a distance of 1, a record.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    weight: NDArray[np.int64]
    whole: int


def no_stretches() -> Stretches:
    """Those of a goal without t: nothing is ever too far away."""
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
