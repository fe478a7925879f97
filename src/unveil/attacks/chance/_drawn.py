"""Some targets whose distances are between distributions of beliefs, not between two beliefs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._beliefs import Beliefs
from unveil.attacks._distance_formulas import Distance
from unveil.attacks.chance._sampling import Sampling
from unveil.attacks.chance._statistics import estimate

__all__ = ["Drawn", "Pair", "Request", "at_least", "compared"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked of a test with chance in it, checked."""

    factor: float
    """½ for total variation, 1 for l1: what the sum over the sensitive values is taken times."""
    measure: Distance
    """Between two beliefs, for the tails."""
    samples: int
    """How many there may be at most, with and without each record."""
    samples_asked_for: bool
    """Whether the user named that number."""
    error: float | None
    """How exact each distance has to be; None: take all samples."""
    epsilons: tuple[float, ...]
    seed: int

    def enough_for(self, error: float) -> bool:
        """Whether a distance is as exact as was asked for."""
        return self.error is not None and error <= self.error


@dataclass(frozen=True, kw_only=True)
class Drawn(Beliefs):
    """Beliefs are means here, and the distance does not follow from them."""

    distances: NDArray[np.float64]
    sampling: Sampling | None = None
    """None where nothing was sampled."""


Pair: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Samples of beliefs with and without a record: samples × sensitive values each."""


def compared(
    places: NDArray[np.intp], pair: Callable[[int], Pair | None], request: Request, values: int
) -> Drawn:
    """What follows from the samples of some targets; ``pair`` gives those of each row, if any."""
    n = len(places)
    found = Sampling.none(n, request.epsilons, request.error)
    distances, present = np.full(n, np.nan), np.full((n, values), np.nan)
    absent = present.copy()
    for row in range(n):
        samples = pair(row)
        if samples is None or any(np.isnan(side).any() for side in samples):
            continue
        x, y = samples
        guess = estimate(x, y)
        distances[row] = request.factor * guess.distance
        found.samples[row] = len(x)
        found.as_published[row] = request.factor * guess.as_published
        found.bias[row] = request.factor * guess.bias
        found.standard_error[row] = request.factor * guess.standard_error
        found.unseen[row] = 2 * request.factor / len(x)  # belief can move by 2 in all
        found.floor[row] = request.factor * guess.floor
        found.over[row] = at_least(request.measure(x, y), found.epsilons)
        found.by_chance[row] = at_least(request.measure(x, np.roll(x, 1, axis=0)), found.epsilons)
        present[row], absent[row] = x.mean(axis=0), y.mean(axis=0)
    return Drawn(places, present, absent, distances=distances, sampling=found)


def at_least(d: NDArray[np.float64], epsilons: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many distances are ε or more, for each ε (ascending).

    Rounding must not decide about distances that are ε.
    """
    below = np.searchsorted(np.sort(d), epsilons * (1 - 1e-12), side="left")
    return len(d) - below
