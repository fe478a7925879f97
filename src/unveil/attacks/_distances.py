"""How far two beliefs about one person are apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean

__all__ = ["DISTANCES", "Distance", "distance_named", "l1", "total_variation"]

Distance: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""From two tables of beliefs (people × sensitive values) to one number a person."""


def l1(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ |p − q|, from 0 to 2.

    >>> l1(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))
    array([1.])
    """
    return np.abs(p - q).sum(axis=1)


def total_variation(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """½ Σ |p − q|, from 0 to 1: the share of belief that moves.

    It is the earth mover's distance where any two values are equally far apart.

    >>> total_variation(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))
    array([0.5])
    """
    return l1(p, q) / 2


DISTANCES: dict[str, Distance] = {"total-variation": total_variation, "l1": l1}


def distance_named(distance: Distance | str) -> tuple[str, Distance]:
    """A distance and what to call it."""
    if callable(distance):
        return getattr(distance, "__name__", "a distance of one's own").replace("_", " "), distance
    if isinstance(distance, str) and distance in DISTANCES:
        return distance.replace("-", " "), DISTANCES[distance]
    near = did_you_mean(distance, DISTANCES) if isinstance(distance, str) else ""
    raise InputError(
        f"no distance {distance!r}{near} (known: {', '.join(DISTANCES)}; "
        "or a function of two tables of beliefs)"
    )
