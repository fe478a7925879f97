"""Exact expectations over the tables that are consistent with a small release.

*Enumeration.* Rows of the same group and sensitive value are exchangeable, so a state is the number
of rows with each tuple. Groups are added one after the other; ways that lead to the same counts are
merged into one state with their number.

*The learner of eq. 5*, E[f(s | r, π)], is the expectation of a ratio, which needs no sampling.
Given the latent rows, f(s | r, π) = Y_s / ΣY with independent Y_s = G · X_1 · X_2 …. G is a Gamma
variable (π_S is a normalized vector of them, and the norm cancels). Each X is a Beta variable: the
share of the tuple, or of its value in a column, in a Dirichlet vector. Since 1/ΣY = ∫ exp(-t ΣY) dt
over t ≥ 0,

    E[Y_s / ΣY] = ∫ E[Y_s exp(-t Y_s)] · Π_{u≠s} E[exp(-t Y_u)] dt .

The moments M(z) = E[Y^z] of such a product are ratios of Gamma functions, and E[exp(-tY)] is the
Mellin inversion of Γ(z) M(-z): an integral along a curve on which the integrand decays
exponentially. Both integrands are smooth and vanish at both ends, so the trapezoidal rule (in
log t, and along the curve) converges faster than any power of its step. The results must sum to
one; the difference is the error.

With a small α or β, the integrand over log t has a tail as long as 1/β. There it is a sum of
exponentials, and the nodes lie further and further apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import loggamma

Weigh: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
"""Maps counts (states × values × places) and the places to logarithms of weights."""


class TooManyError(Exception):
    """There are too many states to enumerate."""


_A_STEP = 64  # numbers copied in the time of one step


@dataclass
class Steps:
    """The number of steps that may still be taken."""

    left: int

    def check(self, steps: int) -> None:
        """Give up at once if at least this many will be needed."""
        if steps > self.left:
            raise TooManyError

    def take(self, steps: int = 1, width: int = 1) -> None:
        """Take steps that copy ``width`` numbers each, or give up."""
        self.left -= steps * (1 + width // _A_STEP)
        if self.left < 0:
            raise TooManyError


@dataclass(frozen=True, eq=False)
class Latent:
    """The counts that some sensitive values and tuples (or atoms) may have together.

    Attributes
    ----------
    values, places : arrays
        The sensitive values, and the tuples or atoms.
    counts : array (states × values × places)
    probabilities : array
    """

    values: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    def expected(self) -> NDArray[np.float64]:
        """Expected counts: values × places."""
        return np.tensordot(self.probabilities, self.counts.astype(np.float64), axes=1)


def components(sets: Sequence[NDArray[np.integer]]) -> list[list[int]]:
    """Group sets that share members, directly or through other sets."""
    if not sets:
        return []
    from scipy.sparse.csgraph import connected_components  # takes a quarter of a second to import

    members = np.concatenate(sets) + len(sets)
    owner = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    shape = (int(members.max()) + 1,) * 2
    graph = csr_array((np.ones(len(members)), (owner, members)), shape=shape)
    found: dict[int, list[int]] = {}
    for i, label in enumerate(connected_components(graph, directed=False)[1][: len(sets)].tolist()):
        found.setdefault(label, []).append(i)
    return list(found.values())


def horizontal_latent(
    value: int, rows: Sequence[int], sets: Sequence[NDArray[np.integer]], weigh: Weigh,
    budget: Steps,
) -> Latent:  # fmt: skip
    """The places that the rows of one sensitive value may have, cell by cell."""
    # The number of ways is known in advance, so that hopeless cases end at once.
    for n, members in zip(rows, sets, strict=True):
        budget.take(math.comb(n + len(members) - 1, n), width=len(members))
    places = np.unique(np.concatenate(sets))
    states = {(0,) * len(places): 1}
    for n, members in zip(rows, sets, strict=True):
        at = np.searchsorted(places, members).tolist()
        ways = [(parts, _multinomial(parts)) for parts in _rows_within(n, [n] * len(at))]
        states = _grown(states, at, ways, budget)
    return _finished(np.array([value]), places, states, weigh)


def vertical_latent(
    values: int, groups: Sequence[tuple[NDArray[np.integer], NDArray[np.int64]]], weigh: Weigh,
    budget: Steps,
) -> Latent:  # fmt: skip
    """The ways to assign the sensitive values of groups (tuples, counts by value) to tuples."""
    places = np.unique(np.concatenate([tuples for tuples, _ in groups]))
    states = {(0,) * (values * len(places)): 1}
    for tuples, counts in groups:
        distinct, times = np.unique(tuples, return_counts=True)
        at = np.add.outer(np.searchsorted(places, distinct), np.arange(values) * len(places))
        ways = list(_tables(times.tolist(), counts.tolist(), budget))
        states = _grown(states, at.ravel().tolist(), ways, budget)
    return _finished(np.arange(values), places, states, weigh)


States: TypeAlias = dict[tuple[int, ...], int]
"""Counts, and the number of ways that lead to them."""


def _grown(
    states: States, at: list[int], ways: list[tuple[tuple[int, ...], int]], budget: Steps
) -> States:
    """Add counts at some positions, in every way, to every state."""
    budget.take(len(states) * len(ways), width=len(next(iter(states))))
    grown: States = {}
    for state, so_far in states.items():
        for parts, number in ways:
            new = list(state)
            for place, count in zip(at, parts, strict=True):
                new[place] += count
            key = tuple(new)
            grown[key] = grown.get(key, 0) + so_far * number
    return grown


def marginal(
    counts: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The distinct rows of counts, and their probabilities."""
    distinct, which = np.unique(counts, axis=0, return_inverse=True)
    return distinct, np.bincount(which.ravel(), weights=probabilities).astype(np.float64)


def _finished(
    values: NDArray[np.int64], places: NDArray[np.int64], states: States, weigh: Weigh
) -> Latent:
    shape = (len(states), len(values), len(places))
    counts = np.array(list(states), dtype=np.int64).reshape(shape)
    logs = np.array([math.log(number) for number in states.values()]) + weigh(counts, places)
    weights = np.exp(logs - logs.max())
    return Latent(values, places.astype(np.int64), counts, weights / weights.sum())


def _multinomial(parts: Sequence[int]) -> int:
    return math.factorial(sum(parts)) // math.prod(math.factorial(part) for part in parts)


def _tables(
    times: list[int], counts: list[int], budget: Steps
) -> Iterator[tuple[tuple[int, ...], int]]:
    """All tables with these row and column sums, row by row, and their numbers of assignments."""
    if not times:
        yield (), 1
        return
    for row in _rows_within(times[0], counts):
        budget.take()
        left = [count - taken for count, taken in zip(counts, row, strict=True)]
        for rest, number in _tables(times[1:], left, budget):
            yield (*row, *rest), number * _multinomial(row)


def _rows_within(n: int, limits: list[int]) -> Iterator[tuple[int, ...]]:
    """All ordered ways to write n as a sum of numbers from 0 up to these limits."""
    if not limits:
        yield ()
        return
    for first in range(max(0, n - sum(limits[1:])), min(n, limits[0]) + 1):
        for rest in _rows_within(n - first, limits[1:]):
            yield (first, *rest)


# The expectation of a ratio ---------------------------------------------------------------------

Law: TypeAlias = tuple[float, tuple[tuple[float, float], ...]]
"""The shape of the Gamma variable, and (a, b) of each Beta variable."""

Points: TypeAlias = NDArray[np.complex128]

_STEP = 0.25  # of log t: the rule's own error is about exp(-π² / step)
_TINY = 37.0  # -log of the truncation error
_LEFT = 0.5  # distance of the line of integration to the left of the pole at 0
_LAST_FREQUENCY = 30.0
_TILT = 0.2  # of the curve to the right of the pole
_LAST_POINT = 60.0
_CHUNK = 2**22  # nodes × points of a curve held in memory


@dataclass(frozen=True)
class Part:
    """Sensitive values whose latent rows depend on each other.

    Attributes
    ----------
    values : sequence of int
    probabilities : array
        The probability of each state.
    laws : list of lists
        For each state, the law of each of the values.
    """

    values: Sequence[int]
    probabilities: NDArray[np.float64]
    laws: Sequence[Sequence[Law]]


def shares_of(of_tuples: list[list[Part]], values: int) -> NDArray[np.float64]:
    """E[f(s | r, π)] of each tuple: sensitive values × tuples."""
    if not of_tuples:
        return np.zeros((values, 0))
    ratios = Ratios(
        {law for parts in of_tuples for part in parts for state in part.laws for law in state}
    )
    known: dict[object, NDArray[np.float64]] = {}
    found = []
    for parts in of_tuples:
        key = tuple(
            (tuple(p.values), p.probabilities.tobytes(), tuple(map(tuple, p.laws))) for p in parts
        )
        if key not in known:
            known[key] = ratios.of(parts, values)
        found.append(known[key])
    return np.stack(found, axis=1)


class Ratios:
    """Expected shares for laws out of a given set.

    >>> one = (3.0, ((1.0, 2.0),))
    >>> two = (1.0, ((1.0, 1.0),))
    >>> ratios = Ratios({one, two})
    >>> sure = np.ones(1)
    >>> parts = [Part([0], sure, [[one]]), Part([1], sure, [[two]])]
    >>> shares = ratios.of(parts, 2)
    >>> shares.round(6), round(float(shares.sum()), 10)
    (array([0.644934, 0.355066]), 1.0)
    """

    def __init__(self, laws: set[Law]) -> None:
        listed = sorted(laws)
        self._place = {law: i for i, law in enumerate(listed)}
        least = min(min(c, *(a for a, _ in betas)) if betas else c for c, betas in listed)
        means = np.array([_mean(law) for law in listed])
        # Beyond the ends there is less than exp(-_TINY): the integrand is t E[Y] at the lower end,
        # and a power of t below minus the least exponent at the upper one.
        low = -_TINY - np.log(means.max())
        bend = 3.0 + max(0.0, -float(np.log(means.min())))
        high = bend + np.log1p(_TINY / least)
        places = np.arange(low, high + _STEP, _STEP)
        stretch = np.exp(places - bend)
        self._weights = _STEP * (1 + stretch)
        self._damped, self._weighted = _transforms(listed, means, places + stretch, least)

    def of(self, parts: Sequence[Part], values: int) -> NDArray[np.float64]:
        """E[Y_s / ΣY] for each sensitive value; the parts are independent."""
        shares = np.zeros(values)
        together = [self._together(part) for part in parts]
        for i, (_, weighted) in enumerate(together):
            others = self._weights
            for j, (damped, _) in enumerate(together):
                if j != i:
                    others = others * damped
            shares[list(parts[i].values)] = weighted @ others
        return shares

    def _together(self, part: Part) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """E[exp(-t ΣY)] of a part, and t E[Y_s exp(-t ΣY)] of each of its values."""
        damped, n = np.zeros_like(self._weights), len(part.values)
        weighted = np.zeros((n, len(damped)))
        for probability, laws in zip(part.probabilities, part.laws, strict=True):
            at = [self._place[law] for law in laws]
            single = self._damped[at]
            damped += probability * single.prod(axis=0)
            for i in range(n):
                others = np.delete(single, i, axis=0).prod(axis=0)
                weighted[i] += probability * self._weighted[at[i]] * others
        return damped, weighted


def _mean(law: Law) -> float:
    shape, betas = law
    return shape * float(np.prod([a / (a + b) for a, b in betas]))


def _log_moment(law: Law, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """log E[Y^z]."""
    shape, betas = law
    found = loggamma(shape + z) - loggamma(shape)
    for a, b in betas:
        found = found + loggamma(a + z) - loggamma(a) + loggamma(a + b) - loggamma(a + b + z)
    return found


def _transforms(
    laws: Sequence[Law], means: NDArray[np.float64], x: NDArray[np.float64], least: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E[exp(-tY)] and t E[Y exp(-tY)] for t = exp(x), ascending: laws × nodes each.

    The curve is to the right of the pole at 0 where tY is large, and to the left (the residue is
    1) where it is small, so that no large terms cancel.
    """
    small = x[None, :] + np.log(means)[:, None] < 0
    last, first = int(small.any(axis=0).sum()), int(small.all(axis=0).sum())
    found = []
    for residue, left, right in zip(
        (1.0, 0.0), _along(laws, x[:last], *_line()), _along(laws, x[first:], *_curve(least)),
        strict=True,
    ):  # fmt: skip
        both = np.empty(small.shape)
        both[:, first:] = right
        np.copyto(both[:, :last], left + residue, where=small[:, :last])
        found.append(both)
    return found[0], found[1]


def _line() -> tuple[Points, Points]:
    """Points of the upper half of a line to the left of 0, and their weights."""
    step = 2 * np.pi * _LEFT / _TINY
    z = np.asarray(-_LEFT + 1j * np.arange(0, _LAST_FREQUENCY, step), dtype=np.complex128)
    return z, np.full_like(z, 1j * step)


def _curve(least: float) -> tuple[Points, Points]:
    """The same for a hyperbola that crosses the axis between 0 and the least other pole.

    Its points are dense near that pole, however small it is. It leans to the right, so that the
    integrand decays instead of oscillating where t is large.
    """
    focus = min(1.0, least)
    step = 2 * np.pi * _TILT / _TINY
    along = np.arange(0, np.arccosh(_LAST_POINT / focus), step)
    grown = focus / 2 * np.exp(along + 1j * (np.pi / 2 - _TILT))
    shrunk = (focus / 2) ** 2 / grown
    return grown + shrunk, (grown - shrunk) * step  # hyperbolic cosine, and its derivative


def _along(
    laws: Sequence[Law], x: NDArray[np.float64], z: Points, weight: Points
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The integrals along a curve, whose lower half is conjugate to the upper half."""
    gamma = loggamma(z)
    terms = np.stack([np.exp(gamma + _log_moment(law, -z)) * weight for law in laws]) / np.pi
    terms[:, 0] /= 2  # the end of both halves
    damped, weighted = np.empty((len(laws), len(x))), np.empty((len(laws), len(x)))
    chunk = max(1, _CHUNK // len(z))
    for first in range(0, len(x), chunk):
        some = slice(first, first + chunk)
        waves = np.exp(-np.outer(z, x[some]))
        damped[:, some] = (terms @ waves).imag
        weighted[:, some] = ((terms * z) @ waves).imag
    return damped, weighted
