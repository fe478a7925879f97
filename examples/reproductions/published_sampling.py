"""Noisy counts tested as the 2019 report did: by sampling, each sensitive value on its own.

C_k = 1 + max(0, c_k + Laplace(1/ε)), belief p_k = C_k / Σ C; so many samples with somebody's record
and so many without it; and for each sensitive value the mean difference of the order statistics.
½ Σ over the values, as everywhere in the reports' tables.

Two samples of the *same* beliefs are not at distance 0 either, so the number is too large on
average. How large it is where the record makes no difference is the *floor*.

Records whose cells have the same counts, with the same one at their own value, have the same
beliefs up to the order of the values: one *case*, which is sampled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.engine import Task, run_tasks
from unveil.microdata import Microdata

__all__ = ["Cases", "Sampled", "apart", "beliefs", "cases_of", "sample", "sample_all"]

Array = NDArray[np.float64]


class Cases(NamedTuple):
    """Records that must have the same distance."""

    counts: NDArray[np.int64]
    """Cases × sensitive values: the count at the record's own value first, the others ascending."""
    which: NDArray[np.intp]
    """The case of each record that was asked about."""


class Sampled(NamedTuple):
    """What samples say about a few records."""

    distance: Array
    """As published."""
    floor: Array
    """The same between two samples *with* the record."""


def cases_of(table: Microdata, records: NDArray[np.intp]) -> Cases:
    """The cases that these records fall into."""
    secret = table.sensitive.codes[records]
    counts = table.cells.counts[table.cells.cell_of[records]]
    own = np.take_along_axis(counts, secret[:, None], axis=1)
    others = np.ones(counts.shape, dtype=bool)
    np.put_along_axis(others, secret[:, None], False, axis=1)
    rest = np.sort(counts[others].reshape(len(counts), -1), axis=1)
    found, which = np.unique(np.hstack([own, rest]), axis=0, return_inverse=True)
    return Cases(found, which.ravel())


def beliefs(
    counts: NDArray[np.integer], epsilon: float, samples: int, rng: np.random.Generator
) -> Array:
    """Samples of what is believed after noisy counts: sensitive values × samples.

    >>> beliefs(np.array([1, 0]), np.inf, 2, np.random.default_rng(0)).tolist()
    [[0.6666666666666666, 0.6666666666666666], [0.3333333333333333, 0.3333333333333333]]
    """
    shape = (len(counts), samples)
    noise = rng.laplace(0, 1 / epsilon, shape) if np.isfinite(epsilon) else np.zeros(shape)
    noisy = 1 + np.maximum(0, counts[:, None] + noise)
    return noisy / noisy.sum(axis=0)


def apart(x: Array, y: Array) -> float:
    """½ Σ over the values of the mean absolute difference of order statistics.

    >>> apart(np.array([[0.25, 0.5]]), np.array([[0.75, 0.5]]))
    0.125
    """
    return float(np.abs(np.sort(x, axis=1) - np.sort(y, axis=1)).mean(axis=1).sum() / 2)


def sample(
    counts: NDArray[np.integer], own: int, epsilon: float, samples: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Beliefs about somebody with this value in a cell with these counts, with and without them."""
    without = counts.copy()
    without[own] -= 1
    return beliefs(counts, epsilon, samples, rng), beliefs(without, epsilon, samples, rng)


def sample_all(
    cases: Cases, epsilon: float, samples: int, *, seed: int = 0, jobs: int | None = None
) -> Sampled:
    """The published distances of all records, and their floors, each case sampled once."""
    n = len(cases.counts)
    samples = samples if np.isfinite(epsilon) else 1  # without noise all of them are the same
    distance, floor = np.empty(n), np.empty(n)

    def task_for(case: int) -> Task:
        def task() -> tuple[Task, ...]:
            rng = np.random.default_rng([seed, case])
            counts = cases.counts[case]
            present, absent = sample(counts, 0, epsilon, samples, rng)
            distance[case] = apart(present, absent)
            floor[case] = apart(present, beliefs(counts, epsilon, samples, rng))
            return ()

        return task

    run_tasks([task_for(case) for case in range(n)], jobs)
    return Sampled(distance[cases.which], floor[cases.which])
