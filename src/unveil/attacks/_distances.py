"""How far two beliefs about one person are apart: the distances by name.

`distance_named` turns a name, an `EarthMovers` or a function of one's own into a distance that is
ready to measure beliefs about one sensitive column, and tells what is wrong before any long work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._distance_formulas import (
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
from unveil.attacks._transport import GROUNDS, EarthMovers
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column

__all__ = [
    "DISTANCES",
    "BoundDistance",
    "Distance",
    "EarthMovers",
    "distance_named",
    "l1",
    "total_variation",
]

INFINITE = float("inf")

_ROUNDING = -1e-12  # a distance of one's own may come out this far below 0

_NEEDING_NOTHING = {
    "total-variation": BoundDistance(
        name="total variation", measure=total_variation, largest=1.0, is_metric=True,
        explained="the share of belief that moves: 0 is nothing, 1 all of it",
    ),
    "l1": BoundDistance(
        name="l1", measure=l1, largest=2.0, is_metric=True,
        explained="twice the share of belief that moves: 0 is nothing, 2 all of it",
    ),
    "kl": BoundDistance(
        name="Kullback-Leibler", measure=kullback_leibler, largest=INFINITE, is_metric=False,
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
        name="Bhattacharyya", measure=bhattacharyya, largest=INFINITE, is_metric=False,
        explained="0 is the same belief, infinite that no value is possible both with the record "
        "and without",
    ),
    "max-ratio": BoundDistance(
        name="max ratio", measure=max_ratio, largest=INFINITE, is_metric=True,
        explained="natural logarithm of the largest factor by which any value's probability "
        "changes, to be compared with ε: 0 is none, infinite where a value is possible only with "
        "the record, or only without",
    ),
}  # fmt: skip

_EARTH_MOVERS = {f"emd:{ground}": EarthMovers(ground) for ground in GROUNDS}

DISTANCES: dict[str, BoundDistance | EarthMovers] = {
    "total-variation": _NEEDING_NOTHING["total-variation"],
    "l1": _NEEDING_NOTHING["l1"],
    **_EARTH_MOVERS,
    **_NEEDING_NOTHING,
}
"""The distances that have names. Those from the earth mover's family need a column to bind to."""

# What else people call them: not taken for a name, but answered with the right one.
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
    """A distance, ready to measure beliefs about a sensitive column.

    Parameters
    ----------
    distance : str, EarthMovers or callable
        One of `DISTANCES`, an earth mover's distance, or a function from two tables of beliefs
        (people × values; with the person's record, and without) to one number a person.
    sensitive : Column, optional
        Without it only what can be known beforehand is checked.

    Raises
    ------
    InputError
        Where there is no such distance, or it does not fit the column.

    Examples
    --------
    >>> distance_named("hellinger").largest
    1.0
    >>> distance_named("emd")
    Traceback (most recent call last):
    unveil.errors.InputError: 'emd' lacks its ground distance: emd:unit, emd:path, emd:ordered or
    emd:numeric (or EarthMovers with a matrix)
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
    for built_in in _NEEDING_NOTHING.values():
        if distance is built_in.measure:
            return built_in
    return _of_ones_own(distance, sensitive)


def _written(name: str) -> str:
    """What is printed can be typed: ``total variation``, ``Jensen-Shannon``."""
    return name.strip().lower().replace(" ", "-").replace("_", "-")


def _unknown(distance: Any) -> InputError:
    if isinstance(distance, type):
        return InputError(
            f"the distance is the class {distance.__name__}; make one of it, such as "
            f"{distance.__name__}(…)"
        )
    listed = f"(known: {', '.join(DISTANCES)}; or a function of two tables of beliefs)"
    if not isinstance(distance, str):
        return InputError(f"no distance {distance!r} {listed}")
    name = _written(distance)
    if _ALSO_CALLED.get(name, name) == "emd":
        *grounds, last = _EARTH_MOVERS
        return InputError(
            f"{distance!r} lacks its ground distance: {', '.join(grounds)} or {last} "
            "(or EarthMovers with a matrix)"
        )
    near = did_you_mean(_ALSO_CALLED.get(name, name), DISTANCES)
    return InputError(f"no distance {distance!r}{near} {listed}")


def _of_ones_own(function: Callable[..., Any], sensitive: Column | None) -> BoundDistance:
    name = getattr(function, "__name__", "a distance of one's own")
    measure = partial(_checked, function=function, name=name)
    if sensitive is not None:
        # Two beliefs with nothing special about them: a function that does not return what it
        # should is told before the long work.
        even = np.full(sensitive.size, 1.0)
        uneven = even + np.arange(sensitive.size)
        some = np.stack([even / even.sum(), uneven / uneven.sum()])
        measure(some, some[::-1].copy())
    return BoundDistance(
        name="a distance of one's own" if name == "<lambda>" else name.replace("_", " "),
        measure=measure,
        largest=INFINITE,
        explained="a function of one's own; 0 should be that nothing moves",
        is_metric=False,
    )


def _checked(
    p: Beliefs, q: Beliefs, *, function: Callable[..., Any], name: str
) -> NDArray[np.float64]:
    """What a function of one's own returned, if it is one distance a person."""
    if not len(p):
        return np.zeros(0)
    returned = function(p, q)
    must = f"the distance {name} must return one number a person, from 0 up"
    try:
        distances = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{must}; it returned {type(returned).__name__}") from None
    if distances.shape != (len(p),):
        raise InputError(
            f"{must}; for {len(p):,} people and {p.shape[1]:,} values it returned an array of "
            f"shape {distances.shape}"
        )
    for wrong, what in ((np.isnan(distances), "NaN"), (distances < _ROUNDING, "a negative number")):
        if wrong.any():
            person = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"{must}; it returned {what}"
                f"{'' if what == 'NaN' else f' ({distances[person]:g})'} for the beliefs "
                f"{_belief(p[person])} with the record and {_belief(q[person])} without"
            )
    return np.maximum(distances, 0)


def _belief(row: NDArray[np.float64], shown: int = 6) -> str:
    more = ", …" if len(row) > shown else ""
    return f"({', '.join(f'{share:.3g}' for share in row[:shown])}{more})"
