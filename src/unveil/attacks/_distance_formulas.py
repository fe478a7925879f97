"""Distances between beliefs that need to know nothing about the sensitive values.

Each takes two tables of beliefs (people × values, every row sums to one): with the person's record
and without it. Most people's beliefs hardly move, so the formulas are written such that they keep
their digits where the two are nearly alike; equal beliefs give exactly 0, and what is infinite is
infinite without a warning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Beliefs",
    "BoundDistance",
    "Distance",
    "bhattacharyya",
    "hellinger",
    "jensen_shannon",
    "kullback_leibler",
    "l1",
    "max_ratio",
    "total_variation",
]

Beliefs: TypeAlias = NDArray[np.float64]

Distance: TypeAlias = Callable[[Beliefs, Beliefs], NDArray[np.float64]]
"""From two tables of beliefs (people × sensitive values) to one number a person."""


@dataclass(frozen=True, kw_only=True)
class BoundDistance:
    """A distance that is ready to measure beliefs about one sensitive column.

    Attributes
    ----------
    name : str
        For people: ``total variation``.
    measure : callable
        From two tables of beliefs to one number a person.
    largest : float
        The largest possible value; infinite where there is none, or where it is not known.
    explained : str
        What 0 and the largest value mean, in one line.
    is_metric : bool
        Whether it is symmetric and keeps the triangle inequality.
    notes : tuple of str
        What a reader of the results has to know besides.
    """

    name: str
    measure: Distance
    largest: float
    explained: str
    is_metric: bool
    notes: tuple[str, ...] = ()


def l1(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """Σ |p − q|, from 0 to 2.

    >>> l1(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))
    array([1.])
    """
    return np.abs(p - q).sum(axis=1)


def total_variation(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """½ Σ |p − q|, from 0 to 1: the share of belief that moves.

    It is the earth mover's distance where any two values are equally far apart.

    >>> total_variation(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))
    array([0.5])
    """
    return l1(p, q) / 2


def kullback_leibler(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """Σ p ln(p/q), from 0 to infinity, in nats; infinite where p has what q rules out.

    >>> kullback_leibler(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.5, 0.5], [1.0, 0.0]]))
    array([0.69314718,        inf])
    """
    terms = np.multiply(p, _log_ratio(p, q), out=np.zeros_like(p), where=p > 0)
    # Σ p = Σ q, so p − q adds nothing; but with it no term is negative, and small ones keep their
    # digits.
    return np.maximum(terms - (p - q), 0).sum(axis=1)


def jensen_shannon(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """√ of the Jensen–Shannon divergence in bits, from 0 to 1.

    >>> jensen_shannon(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([1.])
    """
    both = p + q
    t = np.divide(p - q, both, out=np.zeros_like(p), where=both > 0)
    # A value contributes both/4 · [(1+t) ln(1+t) + (1−t) ln(1−t)]. For small t the two logarithms
    # nearly cancel; written with artanh they do not.
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
    overlap = (np.sqrt(p) * np.sqrt(q)).sum(axis=1)  # √(p q) may lose what is very unlikely
    far = overlap < 0.5
    log = np.full(len(p), -np.inf)
    np.log(overlap, out=log, where=far & (overlap > 0))
    # Σ √(p q) = 1 − Hellinger², which keeps its digits where the overlap is nearly complete.
    np.log1p(-_squared_hellinger(p, q), out=log, where=~far)
    return np.abs(log)


def max_ratio(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """Largest |ln(p/q)| of any value: the ε by which its probability changes.

    0/0 counts as 1: nothing changes. Infinite where a value is possible on one side only.

    >>> max_ratio(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.25, 0.75], [0.5, 0.5]]))
    array([0.69314718,        inf])
    """
    # The larger over the smaller: the same number, to the last digit, whichever comes first.
    return _log_ratio(np.maximum(p, q), np.minimum(p, q)).max(axis=1)


def _squared_hellinger(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    return np.minimum(((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=1) / 2, 1)


def _log_ratio(p: Beliefs, q: Beliefs) -> Beliefs:
    """ln(p/q): 0 where both are 0, infinite where one of them is."""
    alike = np.abs(p - q) < q / 2
    ratio = np.log1p(np.divide(p - q, q, out=np.zeros_like(p), where=alike))
    log_p, log_q = (np.log(x, out=np.full_like(x, -np.inf), where=x > 0) for x in (p, q))
    # The difference of logarithms and not the logarithm of p/q, which may be too large a number.
    np.subtract(log_p, log_q, out=ratio, where=~alike & ((p > 0) | (q > 0)))
    return ratio
