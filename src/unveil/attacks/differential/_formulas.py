"""Distances between beliefs, as pure functions.

Each takes two tables of beliefs (people × values, every row sums to 1): with the person's record
and without it. Most beliefs hardly move, so the formulas are written such that they stay exact
where the two are nearly alike. Equal beliefs give exactly 0, and infinite distances give no
warning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Foreign, MissingExtraError, UnveilError

_STEPS = 10_000_000  # of the solver; it needs a few hundred


Beliefs: TypeAlias = NDArray[np.float64]

Distance: TypeAlias = Callable[[Beliefs, Beliefs], NDArray[np.float64]]
"""From two tables of beliefs (people × sensitive values) to one number per person."""


@dataclass(frozen=True, kw_only=True)
class BoundDistance:
    """A distance between beliefs about one sensitive column.

    Attributes
    ----------
    name : str
        As printed: ``total variation``.
    measure : callable
        From two tables of beliefs to one number per person.
    largest : float
        The largest possible value; infinite where there is none, or it is not known.
    explained : str
        What 0 and the largest value mean, in one line.
    is_metric : bool
        Whether it is symmetric and satisfies the triangle inequality.
    notes : tuple of str
        What a reader of the results must know.
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
    """Largest |ln(p/q)| of any value: the ε by which its probability changes.

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


def along_line(p: Beliefs, q: Beliefs, *, gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Earth mover's distance between values on a line with these gaps between neighbours.

    >>> along_line(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0]]), gaps=np.array([2, 5]))
    array([7.])
    """
    passing = np.abs(np.cumsum((p - q)[:, :-1], axis=1))
    return (passing * gaps).sum(axis=1)


def through_edges(
    p: Beliefs, q: Beliefs, *, spans: NDArray[np.integer], steps: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Earth mover's distance in a tree whose edges lie above these spans of leaves.

    >>> pairs = np.array([[0, 1, 2, 3, 0, 2], [0, 1, 2, 3, 1, 3]])  # two and two of four leaves
    >>> p, q = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0]]), np.array([[0, 0, 0, 1.0], [0, 0, 0, 1]])
    >>> through_edges(p, q, spans=pairs, steps=np.ones(6))
    array([4., 2.])
    """
    moved = p - q
    total = np.zeros(len(p))
    for (first, last), times in zip(spans.T, steps, strict=True):
        total += times * np.abs(moved[:, first : last + 1].sum(axis=1))
    return total


def keeps_triangle(costs: NDArray[np.float64]) -> bool:
    """Whether the costs satisfy the triangle inequality."""
    slack = 1e-12 * costs.max()
    return all((costs <= costs[:, [via]] + costs[via] + slack).all() for via in range(len(costs)))


def find_solver() -> Callable[..., Any]:
    """POT's solver for transport problems."""
    try:
        import ot
    except ImportError as error:
        raise MissingExtraError(
            "the earth mover's distance with a matrix of ground distances needs POT; install it "
            "with: pip install 'unveil[transport]'"
        ) from error
    return ot.emd2


def metric_transport(p: Beliefs, q: Beliefs, *, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least cost of turning q into p where the costs satisfy the triangle inequality.

    Belief that is in both places stays where it is, and only what differs is moved. Where a single
    value gains or loses it all, there is only one way to do so, and no program to solve.

    >>> line = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    >>> metric_transport(np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 0.5, 0.5]]), costs=line)
    array([1.])
    """
    gained, lost = np.maximum(p - q, 0), np.maximum(q - p, 0)
    winners, losers = (gained > 0).sum(axis=1), (lost > 0).sum(axis=1)
    cost = np.zeros(len(p))
    one = (winners == 1) & (losers > 0)
    cost[one] = (lost[one] * costs[gained[one].argmax(axis=1)]).sum(axis=1)
    one = (losers == 1) & (winners > 1)
    cost[one] = (gained[one] * costs[lost[one].argmax(axis=1)]).sum(axis=1)
    for person in np.flatnonzero((winners > 1) & (losers > 1)):
        cost[person] = _solved(gained[person], lost[person], costs)
    return cost


def transport(p: Beliefs, q: Beliefs, *, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least cost of turning q into p for any costs (0 from a value to itself).

    Without the triangle inequality it may pay to move belief that is in both places.
    """
    cost = np.zeros(len(p))
    for person in np.flatnonzero((p != q).any(axis=1)):
        cost[person] = _solved(p[person], q[person], costs)
    return cost


def _solved(
    here: NDArray[np.float64], there: NDArray[np.float64], costs: NDArray[np.float64]
) -> float:
    """The least cost of moving one distribution of mass to another.

    The solver needs masses of exactly 1 on both sides; rounding may have left them a little apart.
    """
    a, b = here[here > 0], there[there > 0]
    least, report = find_solver()(
        a / a.sum(), b / b.sum(), costs[np.ix_(here > 0, there > 0)],
        numItermax=_STEPS, center_dual=False, log=True,
    )  # fmt: skip
    if report["warning"] is not None:
        raise UnveilError(
            "POT could not solve a transport problem: {said}", said=Foreign(str(report["warning"]))
        )
    return max(0.0, float(least)) * float(a.sum() + b.sum()) / 2
