"""What the exact answers of both likelihoods have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._answer import Table
from unveil.attacks.relative_risk._problem import Vertical
from unveil.attacks.relative_risk._ratio import Part, Ratios

__all__ = ["groups_of", "marginal", "shares_of"]


def groups_of(problem: Vertical) -> list[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    ends = zip(problem.start[:-1], problem.start[1:], problem.counts, strict=True)
    return [(problem.tuples[a:b], counts) for a, b, counts in ends]


def marginal(
    counts: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    distinct, which = np.unique(counts, axis=0, return_inverse=True)
    return distinct, np.bincount(which.ravel(), weights=probabilities).astype(np.float64)


def shares_of(of_tuples: list[list[Part]], values: int) -> Table:
    """E[f(s | r, π)] of each tuple."""
    laws = {
        law for parts in of_tuples for part in parts for state in part.laws for law in state
    }  # fmt: skip
    if not of_tuples:
        return np.zeros((values, 0))
    ratios = Ratios(laws)
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
