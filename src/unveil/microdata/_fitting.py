"""The table of maximum entropy among those whose sums lie within given intervals.

With sums that are known exactly it is what iterative proportional fitting finds (W. E. Deming and
F. F. Stephan 1940). With intervals that comes near only after very many rounds, so the dual is
maximized: a factor for each sum, not below 1 if the sum is kept from being too small, and not
above 1 if it is kept from being too large (L. M. Bregman 1967).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_STEPS = 20_000
_NEAR = 0.01  # people: how far the expected count of a cell may be outside its interval
_ROUNDS = 500
_GRADIENT = 1e-5
_MOST = 60.0  # the logarithm of a count; steps that are too long reach further


def fitted(
    incidence: csr_array,
    tables: Sequence[NDArray[np.int64]],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """The expected count of each combination; None if no counts have all these sums.

    Parameters
    ----------
    incidence : sparse array
        Which combinations each sum counts: sums × combinations.
    tables : sequence of arrays
        The same, table by table: the sum that each combination is counted in; -1: none.
    low, high : arrays
        The interval of each sum; ``high`` may be infinite.

    Examples
    --------
    Three women and four men, six of the seven with a cold: who has it is independent of the sex.

    >>> from scipy.sparse import csr_array
    >>> sums = csr_array([[1., 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    >>> known = np.array([3., 4, 6, 1])
    >>> tables = [np.array([0, 0, 1, 1]), np.array([2, 3, 2, 3])]
    >>> (7 * fitted(sums, tables, known, known)).round(3).tolist()
    [18.0, 3.0, 24.0, 4.0]
    """
    from scipy.optimize import minimize

    never = np.asarray(incidence[high <= 0].sum(axis=0)).ravel() > 0
    kept = np.flatnonzero(high > 0)
    sums, least, most = incidence[kept][:, ~never], low[kept], high[kept]
    across = sums.T.tocsr()
    bounded = np.isfinite(most)
    ends = np.where(bounded, most, 0.0)
    people = max(1.0, float(least.max(initial=0)))
    start = np.log(people / max(1, sums.shape[1]))

    def counts_of(factors: NDArray[np.float64]) -> NDArray[np.float64]:
        up, down = np.split(factors, 2)
        found: NDArray[np.float64] = np.exp(np.minimum(start + across @ (up - down), _MOST))
        return found

    def dual(factors: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        up, down = np.split(factors, 2)
        counts = counts_of(factors)
        found = sums @ counts
        value = counts.sum() - least @ up + ends @ down
        return value / people, np.concatenate([found - least, ends - found]) / people

    limits = [(0.0, None)] * len(kept) + [(0.0, None if one else 0.0) for one in bounded]
    done = minimize(
        dual, np.zeros(2 * len(kept)), jac=True, method="L-BFGS-B", bounds=limits,
        options={"maxiter": _STEPS, "maxfun": 2 * _STEPS, "maxcor": 30, "ftol": 0.0,
                 "gtol": _GRADIENT / people},
    )  # fmt: skip
    counts = counts_of(done.x)
    every = np.zeros(incidence.shape[1])
    every[~never] = counts
    return _nearer(every, tables, low, high)


def _nearer(
    counts: NDArray[np.float64], tables: Sequence[NDArray[np.int64]],
    low: NDArray[np.float64], high: NDArray[np.float64],
) -> NDArray[np.float64] | None:  # fmt: skip
    """The same, with sums that are right: what is left is proportional fitting of a few rounds."""
    for _ in range(_ROUNDS):
        off = 0.0
        for cells in tables:
            there = cells >= 0
            sums = np.bincount(cells[there], weights=counts[there], minlength=len(low))
            here = np.unique(cells[there])
            wanted = np.clip(sums[here], low[here], high[here])
            off = max(off, float(np.abs(sums[here] - wanted).max(initial=0)))
            ratio = np.ones(len(low))
            ratio[here] = np.divide(wanted, sums[here], out=ratio[here], where=sums[here] > 0)
            counts[there] *= ratio[cells[there]]
        if off <= _NEAR / 10:
            break
    return counts if off <= _NEAR else None
