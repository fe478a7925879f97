"""Smoothed shares of noisy counts: their expectation, without sampling.

A cell has the counts c_1, …, c_m. With noise they become C_j = 1 + max(0, c_j + Laplace(1/ε)),
and the adversary believes in the shares p_j = C_j / ΣC. The expectation of such a ratio is an
integral over one variable, for 1/ΣC = ∫ exp(-t ΣC) dt over t from 0 up, and the noise of each
count is its own:

    E[p_j] = ∫ E[C_j exp(-t C_j)] · Π_{i≠j} E[exp(-t C_i)] dt .

Both expectations under the integral have closed forms. Substituting t = exp(x) leaves a smooth
function that vanishes quickly at both ends, for which the trapezoidal rule converges faster than
any power of its step. Since the shares sum to one, so must the results: what is missing is the
error, and is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["Configurations", "ExpectedShares", "configurations", "expected_shares"]

_STEP = 0.2  # of x; the rule's own error is about exp(-π² / step)
_NEGLIGIBLE = 1e-14
_FAR = 745.0  # exp(-t) is nought beyond
_CHUNK = 2**22  # entries of cells × nodes held together
_SMALL = 0.05  # where the series of `_ramp` takes over


class Configurations(NamedTuple):
    """Cells that are the same but for the order of their counts, each once."""

    values: NDArray[np.int64]
    """The counts that occur anywhere, ascending."""
    times: csr_array
    """Configurations × values: how many counts of a configuration have each value."""
    which: NDArray[np.intp]
    """The configuration of each cell."""


@dataclass(frozen=True, eq=False)
class ExpectedShares:
    """E[p_j] of counts in configurations."""

    values: NDArray[np.int64]
    shares: NDArray[np.float64]
    """Configurations × values: the expected share of one count of that value."""
    error: float
    """By how much the shares of a configuration miss one, at most."""

    def of(self, which: NDArray[np.intp], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The expected shares of counts in given configurations (of shapes that broadcast)."""
        return self.shares[which, np.searchsorted(self.values, counts)]


def configurations(cells: NDArray[np.int64]) -> Configurations:
    """Sort cells (a row each, a column a sensitive value) by what counts they have."""
    distinct, which = _distinct_rows(np.sort(cells, axis=1))
    values, place = np.unique(distinct, return_inverse=True)
    place = place.reshape(distinct.shape)
    row = np.repeat(np.arange(len(distinct)), distinct.shape[1])
    ones = np.ones(distinct.size)
    times = csr_array((ones, (row, place.ravel())), shape=(len(distinct), len(values)))
    times.sum_duplicates()
    return Configurations(values, times, which)


def _distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Each row once, and where each row is among them: by a checksum, which is checked."""
    weights = np.random.default_rng(0).integers(2**63, size=rows.shape[1], dtype=np.uint64)
    sums = (rows.astype(np.uint64) * weights).sum(axis=1)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    if not (rows[first][which] == rows).all():  # two rows with one checksum
        distinct, which = np.unique(rows, axis=0, return_inverse=True)
        return distinct, which.ravel()
    return rows[first], which.ravel()


def expected_shares(cells: Configurations, epsilon: float) -> ExpectedShares:
    """The expected share of every count of every configuration.

    >>> two = configurations(np.array([[3, 0], [0, 0]]))
    >>> found = expected_shares(two, epsilon=1.0)
    >>> found.of(two.which, np.array([3, 0])).round(6), found.error < 1e-9
    (array([0.724483, 0.5     ]), True)
    """
    values, times = cells.values.astype(np.float64), cells.times
    if np.isinf(epsilon):
        sums = times @ (values + 1)
        shares = (values + 1)[None, :] / sums[:, None]
        return ExpectedShares(cells.values, shares, 0.0)
    t, weights = _nodes(values.max(), epsilon, int(times.sum(axis=1).max()))
    damped, weighted = _transforms(values[:, None], t[None, :], epsilon)
    # Where a factor is too small for a number, so is the product that it is a factor of.
    there = damped > 0
    log_damped = np.log(damped, out=np.full_like(damped, -np.inf), where=there)
    ratio = np.divide(weighted, damped, out=np.zeros_like(damped), where=there)
    n, chunk = times.shape[0], max(1, _CHUNK // len(t))
    shares = np.empty((n, len(values)))
    for first in range(0, n, chunk):
        some = slice(first, first + chunk)
        # The factor exp(-t) of each of the m counts is in log_damped, too.
        shares[some] = (np.exp(times[some] @ log_damped) * weights) @ ratio.T
    error = float(np.abs(times.multiply(shares).sum(axis=1) - 1).max(initial=0))
    return ExpectedShares(cells.values, shares, error)


def _nodes(
    largest: float, epsilon: float, counts: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where to evaluate, and with what weights: t = exp(x) for x in equal steps."""
    # Below the first node the integral is at most E[C] times its t; beyond the last there is
    # less than exp(-t) for each of the counts.
    low = np.log(_NEGLIGIBLE / (2 + largest + 1 / epsilon))
    high = np.log(min(_FAR, -np.log(_NEGLIGIBLE) + 5) / max(1, counts) + 1e-300)
    x = np.arange(low, high + _STEP, _STEP)
    t = np.exp(x)
    return t, _STEP * t


def _transforms(
    c: NDArray[np.float64], t: NDArray[np.float64], epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E[exp(-tC)] and E[C exp(-tC)] for C = 1 + max(0, c + Laplace(1/ε)).

    Let X = max(0, c + Laplace(1/ε)). It is 0 with probability exp(-εc)/2, and has the density
    ε/2 · exp(-ε|x - c|) above 0, which is integrated below c and above c.
    """
    none, at_count = np.exp(-epsilon * c) / 2, np.exp(-t * c)
    half, above = epsilon / 2, 1 / (epsilon + t)
    gap = np.abs(epsilon - t)
    # ∫ from 0 to c of exp(-ε(c - x)) exp(-tx) dx, the smaller exponent drawn out: no overflow
    start = np.exp(-np.minimum(epsilon, t) * c)
    below = start * c * _rise(gap * c)
    damped = none + half * (below + at_count * above)
    # ∫ of x times the same: from the end at which the integrand is the larger
    ramp = np.where(
        t < epsilon,
        start * (c * c) * (_rise(gap * c) - _ramp(gap * c)),
        start * (c * c) * _ramp(gap * c),
    )
    times_x = half * (ramp + at_count * (c * above + above**2))
    return np.exp(-t) * damped, np.exp(-t) * (damped + times_x)


def _rise(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """∫ from 0 to 1 of exp(-uy) dy."""
    safe = np.where(u == 0, 1.0, u)
    return np.where(u == 0, 1.0, -np.expm1(-safe) / safe)


def _ramp(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """∫ from 0 to 1 of y exp(-uy) dy, for u ≥ 0; a series where the formula would cancel."""
    small = u < _SMALL
    safe = np.where(small, 1.0, u)
    series, term = np.zeros_like(u), np.ones_like(u)
    few = np.where(small, u, 0.0)
    for k in range(9):
        series += term / (k + 2)
        term = term * -few / (k + 1)
    return np.where(small, series, (-np.expm1(-safe) - safe * np.exp(-safe)) / safe**2)
