"""Distances between beliefs by name.

`distance_named` turns a name, an `EarthMovers` or a function into a distance between beliefs about
one sensitive column, and reports what is wrong before any long work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.differential._earth_movers import GROUNDS, EarthMovers
from unveil.attacks.differential._formulas import (
    Beliefs,
    BoundDistance,
    Distance,
    bhattacharyya,
    hellinger,
    jensen_shannon,
    kullback_leibler,
    l1,
    max_ratio,
    total_variation,
)
from unveil.errors import Cell, InputError, Listed, Option, did_you_mean
from unveil.microdata import Column

_ROUNDING = -1e-12  # a user's distance may come out this far below 0

_SIMPLE = {
    "total-variation": BoundDistance(
        name="total variation", measure=total_variation, largest=1.0, is_metric=True,
        explained="the share of belief that moves: 0 is nothing, 1 all of it",
    ),
    "l1": BoundDistance(
        name="l1", measure=l1, largest=2.0, is_metric=True,
        explained="twice the share of belief that moves: 0 is nothing, 2 all of it",
    ),
    "kl": BoundDistance(
        name="Kullback-Leibler", measure=kullback_leibler, largest=inf, is_metric=False,
        explained="nats that the record adds: 0 is nothing, infinite where a value is possible "
        "with it and impossible without",
    ),
    "jensen-shannon": BoundDistance(
        name="Jensen-Shannon", measure=jensen_shannon, largest=1.0, is_metric=True,
        explained="root of the divergence in bits: 0 is the same belief, 1 that no value is "
        "possible both with the record and without",
    ),
    "hellinger": BoundDistance(
        name="Hellinger", measure=hellinger, largest=1.0, is_metric=True,
        explained="0 is the same belief, 1 that no value is possible both with the record and "
        "without",
    ),
    "bhattacharyya": BoundDistance(
        name="Bhattacharyya", measure=bhattacharyya, largest=inf, is_metric=False,
        explained="0 is the same belief, infinite that no value is possible both with the record "
        "and without",
    ),
    "max-ratio": BoundDistance(
        name="max ratio", measure=max_ratio, largest=inf, is_metric=True,
        explained="natural logarithm of the largest factor by which any value's probability "
        "changes, to be compared with ε: 0 is none, infinite where a value is possible only with "
        "the record, or only without",
    ),
}  # fmt: skip

_EARTH_MOVERS = {f"emd:{ground}": EarthMovers(ground) for ground in GROUNDS}

DISTANCES: dict[str, BoundDistance | EarthMovers] = {
    "total-variation": _SIMPLE["total-variation"],
    "l1": _SIMPLE["l1"],
    **_EARTH_MOVERS,
    **_SIMPLE,
}
"""The distances by name. Earth mover's distances still have to be bound to a column."""

# Other names of them: not accepted, but answered with the right one.
_ALSO_CALLED = {
    "tv": "total-variation",
    "js": "jensen-shannon",
    "jsd": "jensen-shannon",
    "kullback-leibler": "kl",
    "wasserstein": "emd",
}


def distance_named(
    distance: Distance | EarthMovers | str, sensitive: Column | None = None
) -> BoundDistance:
    """A distance between beliefs about a sensitive column.

    Parameters
    ----------
    distance : str, EarthMovers or callable
        One of `DISTANCES`, an earth mover's distance, or a function from two tables of beliefs
        (people × values; with the person's record, and without) to one number per person.
    sensitive : Column, optional
        Without it only what does not depend on the column is checked.

    Raises
    ------
    InputError
        If there is no such distance, or it does not fit the column.

    Examples
    --------
    >>> distance_named("hellinger").largest
    1.0
    >>> distance_named("emd")
    Traceback (most recent call last):
    unveil.errors.InputError: distance='emd' lacks its ground distance; use emd:unit, emd:path,
    emd:ordered or emd:numeric (or EarthMovers with a matrix)
    """
    if isinstance(distance, str):
        known = DISTANCES.get(_written(distance))
        if known is None:
            raise _unknown(distance)
        return known.bound(sensitive) if isinstance(known, EarthMovers) else known
    if isinstance(distance, EarthMovers):
        return distance.bound(sensitive)
    if not callable(distance) or isinstance(distance, type):
        raise _unknown(distance)
    for simple in _SIMPLE.values():
        if distance is simple.measure:
            return simple
    return _custom(distance, sensitive)


def _written(name: str) -> str:
    """Printed names are accepted, too: ``total variation``, ``Jensen-Shannon``."""
    return name.strip().lower().replace(" ", "-").replace("_", "-")


def _unknown(distance: Any) -> InputError:
    if isinstance(distance, type):
        return InputError(
            "{option} is the class {name}; make an instance of it, such as {name}(…)",
            option=Option("distance"), name=distance.__name__,
        )  # fmt: skip
    option, near = Option("distance", distance), ""
    if isinstance(distance, str):
        name = _ALSO_CALLED.get(_written(distance), _written(distance))
        if name == "emd":
            return InputError(
                "{option} lacks its ground distance; use {known} (or EarthMovers with a matrix)",
                option=option, known=Listed(list(_EARTH_MOVERS), "or"),
            )  # fmt: skip
        near = did_you_mean(name, DISTANCES)
    return InputError(
        "{option} is not known{near} (known: {known}; or a function of two tables of beliefs)",
        option=option, near=near, known=Listed(list(DISTANCES)),
    )  # fmt: skip


def _custom(function: Callable[..., Any], sensitive: Column | None) -> BoundDistance:
    name = getattr(function, "__name__", "a custom distance")
    measure = partial(_checked, function=function, name=name)
    if sensitive is not None:
        # Two arbitrary beliefs: a function that returns something else fails before the long work.
        even = np.full(sensitive.size, 1.0)
        uneven = even + np.arange(sensitive.size)
        some = np.stack([even / even.sum(), uneven / uneven.sum()])
        measure(some, some[::-1].copy())
    return BoundDistance(
        name="a custom distance" if name == "<lambda>" else name.replace("_", " "),
        measure=measure,
        largest=inf,
        explained="a custom function; 0 should mean that nothing moves",
        is_metric=False,
    )


def _checked(
    p: Beliefs, q: Beliefs, *, function: Callable[..., Any], name: str
) -> NDArray[np.float64]:
    """The result of a user's function, if it is one distance per person."""
    if not len(p):
        return np.zeros(0)
    returned = function(p, q)
    must = f"the distance {name} must return one number per person, from 0 up"
    try:
        distances = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("{must}; it returned {kind}", must=must,
                         kind=type(returned).__name__) from None  # fmt: skip
    if distances.shape != (len(p),):
        raise InputError(
            "{must}; for {people} people and {values} values it returned an array of shape {shape}",
            must=must,
            people=len(p),
            values=p.shape[1],
            shape=distances.shape,
        )
    for wrong, what in ((np.isnan(distances), "NaN"), (distances < _ROUNDING, "a negative number")):
        if wrong.any():
            person = int(np.flatnonzero(wrong)[0])
            number = "" if what == "NaN" else f" ({distances[person]:g})"
            raise InputError(
                "{must}; it returned {what}{number} for the beliefs {present} with the record and "
                "{absent} without",
                must=must, what=what, number=number, present=_belief(p[person]),
                absent=_belief(q[person]),
            )  # fmt: skip
    return np.maximum(distances, 0)


def _belief(row: NDArray[np.float64], shown: int = 6) -> Cell:
    more = ", …" if len(row) > shown else ""
    return Cell(f"({', '.join(f'{share:.3g}' for share in row[:shown])}{more})", bare=True)
