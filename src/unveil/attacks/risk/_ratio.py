"""The learner of eq. 5, E[f(s | r, π)], without sampling: the expectation of a ratio.

Given the latent rows, f(s | r, π) = Y_s / ΣY with independent Y_s = G · X_1 · X_2 …: G a Gamma
variable (π_S is a normalized vector of them, and the norm cancels) and each X a Beta variable, the
share of the tuple, or of its value in a column, in a Dirichlet vector. Since 1/ΣY = ∫ exp(-t ΣY) dt
over t from 0 up,

    E[Y_s / ΣY] = ∫ E[Y_s exp(-t Y_s)] · Π_{u≠s} E[exp(-t Y_u)] dt .

The powers of such a product of variables have expectations in Gamma functions, M(z) = E[Y^z], and
E[exp(-tY)] is the Mellin inversion of Γ(z) M(-z): an integral along a line on which the integrand
dies off like exp(-π|ω|/2). Both integrals are smooth and vanish at both ends, so that the
trapezoidal rule (in log t, and along the line) converges faster than any power of its step. The
results must sum to one; by how much they miss is the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import loggamma

__all__ = ["Law", "Part", "Ratios"]

Law: TypeAlias = tuple[float, tuple[tuple[float, float], ...]]
"""The shape of the Gamma variable, and (a, b) of each Beta variable."""

_STEP = 0.25  # of log t: the rule's own error is about exp(-π² / step)
_TINY = 37.0  # -log of what may be missed
_HALF = 0.5  # how far from the poles the lines of integration stay, at most
_LAST_FREQUENCY = 30.0
_CHUNK = 2**22  # entries of nodes × frequencies held together


@dataclass(frozen=True)
class Part:
    """Sensitive values whose latent rows hang together: what may be, and how likely it is.

    Attributes
    ----------
    values : sequence of int
    probabilities : array
    laws : list of lists
        For each of what may be, the law of each of the values.
    """

    values: Sequence[int]
    probabilities: NDArray[np.float64]
    laws: Sequence[Sequence[Law]]


class Ratios:
    """Expected shares for any laws out of a known collection.

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
        # Beyond the ends there is less than exp(-_TINY): t E[Y] below, t to the power of less
        # than minus the least exponent above.
        low = -_TINY - np.log(means.max())
        high = _TINY / least + 2.0 - np.log(means.min())
        self._x = np.arange(low, high + _STEP, _STEP)
        self._damped, self._weighted = _transforms(listed, means, self._x, least)

    def of(self, parts: Sequence[Part], values: int) -> NDArray[np.float64]:
        """E[Y_s / ΣY] for each sensitive value, the parts being independent."""
        shares = np.zeros(values)
        together = [self._together(part) for part in parts]
        for i, (_, weighted) in enumerate(together):
            others = np.ones_like(self._x)
            for j, (damped, _) in enumerate(together):
                if j != i:
                    others = others * damped
            shares[list(parts[i].values)] = _STEP * (weighted @ others)
        return shares

    def _together(self, part: Part) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """E[exp(-t ΣY)] over a part, and t E[Y_s exp(-t ΣY)] for each of its values."""
        damped, n = np.zeros_like(self._x), len(part.values)
        weighted = np.zeros((n, len(self._x)))
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
    """E[exp(-tY)] and t E[Y exp(-tY)] for t = exp(x): laws × nodes each.

    To the right of the pole at 0 where tY is large, to the left of it (whose residue is 1) where
    it is small: so that no large terms cancel.
    """
    right = _along(laws, x, min(_HALF, least / 2))
    left = _along(laws, x, -_HALF)
    small = x[None, :] + np.log(means)[:, None] < 0
    return np.where(small, 1 + left[0], right[0]), np.where(small, left[1], right[1])


def _along(
    laws: Sequence[Law], x: NDArray[np.float64], line: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    step = 2 * np.pi * abs(line) / _TINY
    frequencies = np.arange(0, _LAST_FREQUENCY, step)
    z = np.asarray(line + 1j * frequencies, dtype=np.complex128)
    weight = np.full(len(z), step / np.pi)  # both directions, being conjugate, at once
    weight[0] /= 2
    gamma = loggamma(z)
    terms = np.stack([np.exp(gamma + _log_moment(law, -z)) * weight for law in laws])
    damped, weighted = np.empty((len(laws), len(x))), np.empty((len(laws), len(x)))
    chunk = max(1, _CHUNK // len(z))
    for first in range(0, len(x), chunk):
        some = slice(first, first + chunk)
        waves = np.exp(-np.outer(z, x[some]))
        damped[:, some] = (terms @ waves).real
        weighted[:, some] = ((terms * z) @ waves).real
    return damped, weighted
