"""How far apart are two distributions over beliefs, of which there are only samples?

For each sensitive value on its own, the earth mover's distance between the samples of its belief
with and without somebody's record: the mean absolute difference of their order statistics. Summed
over the values this is the distance of the 2019 report (`between_samples`).

It is too large on average: two samples of the *same* distribution are not at distance 0. The
distance is the largest difference of means that any function with slopes up to one can show
(Kantorovich), and the function that is best on the samples at hand flatters itself. So the
correction (`without_bias`) finds that function on one part of the samples and takes the
difference of means on the rest. That is right for a distribution compared with itself, and where
the two are clearly apart; in between it is a little too small. The truth lies between the two in
expectation, and both errors vanish with more samples.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONFIDENCE", "Estimate", "between_samples", "estimate"]

CONFIDENCE = 0.95
_FOLDS = 5

Samples: TypeAlias = NDArray[np.float64]
"""Samples × sensitive values."""


class Estimate(NamedTuple):
    """A distance between two distributions, from samples of them."""

    distance: float
    """Corrected for the bias, and not below 0."""
    as_published: float
    """By order statistics, biased upwards."""
    bias: float
    """By how much `distance` may be too small on average, at most."""
    standard_error: float
    floor: float
    """About what `as_published` would be if the two distributions were the same."""


def between_samples(x: Samples, y: Samples) -> float:
    """Σ over the values of the mean absolute difference of order statistics.

    >>> between_samples(np.array([[0.25], [0.5]]), np.array([[0.75], [0.5]]))
    0.25
    """
    return float(np.abs(np.sort(x, axis=0) - np.sort(y, axis=0)).mean(axis=0).sum())


def estimate(x: Samples, y: Samples) -> Estimate:
    """The distance between the distributions that two equally large samples come from.

    >>> rng = np.random.default_rng(5)
    >>> same = estimate(rng.random((400, 1)), rng.random((400, 1)))
    >>> round(same.as_published, 3), round(same.distance, 3), round(same.standard_error, 3)
    (0.017, 0.0, 0.018)
    """
    published = between_samples(x, y)
    corrected, standard_error = _without_bias(x, y)
    distance = max(0.0, corrected)
    bias = max(0.0, published - distance)  # the truth is no larger than what was published
    return Estimate(distance, published, bias, standard_error, (_floor(x) + _floor(y)) / 2)


def _floor(x: Samples) -> float:
    """What is between halves of one sample, were each as large as the whole."""
    half = len(x) // 2
    return between_samples(x[:half], x[half : 2 * half]) / np.sqrt(len(x) / half)


def _without_bias(x: Samples, y: Samples) -> tuple[float, float]:
    """The corrected distance, which may be below 0, and its standard error."""
    n, folds = len(x), min(_FOLDS, len(x))
    x_scores, y_scores = np.zeros(n), np.zeros(n)
    for fold in range(folds):
        here = np.arange(n) % folds == fold
        for j in range(x.shape[1]):
            at, height = _potential(x[~here, j], y[~here, j])
            x_scores[here] += np.interp(x[here, j], at, height)
            y_scores[here] += np.interp(y[here, j], at, height)
    spread = x_scores.var(ddof=1) + y_scores.var(ddof=1)
    return float(y_scores.mean() - x_scores.mean()), float(np.sqrt(spread / n))


def _potential(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[Samples, Samples]:
    """The function whose means differ most: its slope is the sign of F(x) − F(y), from 0 on."""
    at = np.concatenate([x, y])
    order = np.argsort(at, kind="stable")
    ahead = np.cumsum(np.where(order < len(x), 1, -1))  # as many more of x as of y so far
    at = at[order]
    height = np.zeros(len(at))
    height[1:] = np.cumsum(np.sign(ahead[:-1]) * np.diff(at))
    return at, height
