"""Distances between beliefs: their formulas, and how they are called.

Each formula takes two tables of beliefs (people × values, every row sums to 1): with the person's
record and without it. Most beliefs hardly move, so the formulas are written such that they stay
exact where the two are nearly alike. Equal beliefs give exactly 0, and infinite distances give no
warning.

`distance_named` turns a name, an `EarthMovers` or a function into a distance between beliefs about
one sensitive column, and reports what is wrong before any long work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.differential._earth_movers import (
    TOTAL_VARIATION,
    Beliefs,
    BoundDistance,
    Distance,
    EarthMovers,
    Ground,
    l1,
)
from unveil.errors import Cell, InputError, Listed, Option, did_you_mean
from unveil.microdata import Column

_NEGATIVE = -1e-12  # a user's distance may come out this far below 0


def kullback_leibler(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """Σ p ln(p/q), from 0 to infinity, in nats; infinite where p has what q rules out.

    >>> kullback_leibler(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.5, 0.5], [1.0, 0.0]]))
    array([0.69314718,        inf])
    """
    terms = np.multiply(p, _log_ratio(p, q), out=np.zeros_like(p), where=p > 0)
    # Σ p = Σ q, so p − q adds nothing, but with it no term is negative and small terms stay exact.
    return np.maximum(terms - (p - q), 0).sum(axis=1)


def jensen_shannon(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """√ of the Jensen–Shannon divergence in bits, from 0 to 1.

    >>> jensen_shannon(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([1.])
    """
    both = p + q
    t = np.divide(p - q, both, out=np.zeros_like(p), where=both > 0)
    # A value adds both/4 · [(1+t) ln(1+t) + (1−t) ln(1−t)]. For small t the two logarithms nearly
    # cancel; written with artanh they do not.
    small = np.where(np.abs(t) < 0.5, t, 0.0)
    precise = 2 * small * np.arctanh(small) + np.log1p(-small * small)
    ends = sum(
        np.multiply(part, np.log(part, out=np.zeros_like(p), where=part > 0))
        for part in (1 + t, 1 - t)
    )
    divergence = (both / 4 * np.where(np.abs(t) < 0.5, precise, ends)).sum(axis=1) / np.log(2)
    return np.sqrt(np.clip(divergence, 0, 1))


def hellinger(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """√(½ Σ (√p − √q)²), from 0 to 1.

    >>> hellinger(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([1.])
    """
    return np.sqrt(_squared_hellinger(p, q))


def bhattacharyya(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """−ln Σ √(p q), from 0 to infinity; infinite where no value is possible in both.

    >>> bhattacharyya(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])).round(4)
    array([0.3466])
    """
    overlap = (np.sqrt(p) * np.sqrt(q)).sum(axis=1)  # √(p q) may underflow
    far = overlap < 0.5
    log = np.full(len(p), -np.inf)
    np.log(overlap, out=log, where=far & (overlap > 0))
    # Σ √(p q) = 1 − Hellinger², which is exact where the overlap is nearly complete.
    np.log1p(-_squared_hellinger(p, q), out=log, where=~far)
    return np.abs(log)


def max_ratio(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """Largest |ln(p/q)| of any value.

    It is not the ε of differential privacy, which is about the releases and not about one belief.
    0/0 counts as 1. Infinite where a value is possible on one side only.

    >>> max_ratio(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.25, 0.75], [0.5, 0.5]]))
    array([0.69314718,        inf])
    """
    # The larger over the smaller: the same number, to the last digit, in either order.
    return _log_ratio(np.maximum(p, q), np.minimum(p, q)).max(axis=1)


def _squared_hellinger(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    return np.minimum(((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=1) / 2, 1)


def _log_ratio(p: Beliefs, q: Beliefs) -> Beliefs:
    """ln(p/q): 0 where both are 0, infinite where one of them is."""
    alike = np.abs(p - q) < q / 2
    ratio = np.log1p(np.divide(p - q, q, out=np.zeros_like(p), where=alike))
    log_p, log_q = (np.log(x, out=np.full_like(x, -np.inf), where=x > 0) for x in (p, q))
    # The difference of logarithms, not the logarithm of p/q, which may overflow.
    np.subtract(log_p, log_q, out=ratio, where=~alike & ((p > 0) | (q > 0)))
    return ratio


_SAME = "0 is the same belief, {} that no value is possible both with the record and without"

DISTANCES: dict[str, BoundDistance | EarthMovers] = {
    "total-variation": TOTAL_VARIATION,
    "l1": BoundDistance(
        name="l1", measure=l1, largest=2.0,
        explained="twice the share of belief that moves: 0 is nothing, 2 all of it",
    ),
    **{f"emd:{ground}": EarthMovers(ground) for ground in get_args(Ground)},
    "kl": BoundDistance(
        name="Kullback-Leibler", measure=kullback_leibler, largest=inf, is_metric=False,
        explained="nats that the record adds: 0 is nothing, infinite where a value is possible "
        "with it and impossible without",
    ),
    "jensen-shannon": BoundDistance(
        name="Jensen-Shannon", measure=jensen_shannon, largest=1.0,
        explained=f"root of the divergence in bits: {_SAME.format(1)}",
    ),
    "hellinger": BoundDistance(
        name="Hellinger", measure=hellinger, largest=1.0, explained=_SAME.format(1)
    ),
    "bhattacharyya": BoundDistance(
        name="Bhattacharyya", measure=bhattacharyya, largest=inf, is_metric=False,
        explained=_SAME.format("infinite"),
    ),
    "max-ratio": BoundDistance(
        name="max ratio", measure=max_ratio, largest=inf,
        explained="natural logarithm of the largest factor by which any value's probability "
        "changes: 0 is none, infinite where a value is possible only with the record, or only "
        "without. This is not the ε of differential privacy, and a small one does not bound ε",
    ),
}  # fmt: skip
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
    known: BoundDistance | EarthMovers | None = None
    if isinstance(distance, EarthMovers):
        known = distance
    elif isinstance(distance, str):
        known = DISTANCES.get(_written(distance))
    elif callable(distance) and not isinstance(distance, type):
        ours = (d for d in DISTANCES.values() if getattr(d, "measure", None) is distance)
        known = next(ours, None) or _custom(distance, sensitive)
    if known is None:
        raise _unknown(distance)
    return known.bound(sensitive) if isinstance(known, EarthMovers) else known


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
                option=option, known=Listed([n for n in DISTANCES if n.startswith("emd:")], "or"),
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
        measure=measure, largest=inf, is_metric=False,
        explained="a custom function; 0 should mean that nothing moves",
    )  # fmt: skip


def _checked(
    p: Beliefs, q: Beliefs, *, function: Callable[..., Any], name: str
) -> NDArray[np.float64]:
    """The result of a user's function, if it is one distance per person."""
    if not len(p):
        return np.zeros(0)
    returned = function(p, q)

    def refused(text: str, **parts: Any) -> InputError:
        must = f"the distance {name} must return one number per person, from 0 up"
        return InputError("{must}; " + text, must=must, **parts)

    try:
        distances = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError):
        raise refused("it returned {kind}", kind=type(returned).__name__) from None
    if distances.shape != (len(p),):
        raise refused(
            "for {people} people and {values} values it returned an array of shape {shape}",
            people=len(p), values=p.shape[1], shape=distances.shape,
        )  # fmt: skip
    wrong = np.isnan(distances) | (distances < _NEGATIVE)
    if wrong.any():
        person = int(wrong.argmax())
        value = distances[person]
        raise refused(
            "it returned {what} for the beliefs {present} with the record and {absent} without",
            what="NaN" if np.isnan(value) else f"a negative number ({value:g})",
            present=_belief(p[person]), absent=_belief(q[person]),
        )  # fmt: skip
    return np.maximum(distances, 0)


def _belief(row: NDArray[np.float64], shown: int = 6) -> Cell:
    more = ", …" if len(row) > shown else ""
    return Cell(f"({', '.join(f'{share:.3g}' for share in row[:shown])}{more})", bare=True)
