"""Sampling a permuted release: pairs of rows of a group exchange their sensitive values.

*Collapsed*: a random pair exchanges with its conditional probability given all other rows, with π
integrated out. *Gibbs*: in turns π is drawn given the rows, and pairs exchange given π. Both serve
both likelihoods: in the saturated model the tuple is a row's only column.

The expected number of rows (s, r) if each row may exchange with another is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._problem import Vertical
from unveil.attacks.relative_risk.samplers import _kernels as kernels
from unveil.attacks.relative_risk.samplers._info import (
    Algorithm,
    ColumnNotes,
    Draws,
    Info,
    Notes,
    Random,
    random_state,
)

__all__ = ["State", "init", "kernel"]


class _Dealt(NamedTuple):
    """The rows of group g have the tuples ``tuples[start[g]:start[g + 1]]``.

    ``codes`` (tuples × columns) are positions in the counts of values.
    """

    start: NDArray[np.int64]
    tuples: NDArray[np.int32]
    codes: NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The sensitive value of each row, and the random state."""

    of_row: NDArray[np.int32]
    random: Random
    algorithm: Algorithm
    likelihood: Likelihood


def init(
    problem: Vertical, seed: int | np.random.SeedSequence, algorithm: Algorithm = "collapsed",
    likelihood: Likelihood = "saturated",
) -> State:  # fmt: skip
    """Sensitive values assigned at random."""
    random = random_state(seed)
    groups, values = np.nonzero(problem.counts)
    of_row = np.repeat(values, problem.counts[groups, values]).astype(np.int32)
    kernels.shuffle(random, problem.start, of_row)
    return State(of_row=of_row, random=random, algorithm=algorithm, likelihood=likelihood)


def kernel(
    problem: Vertical, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and record the state after every ``thin`` sweeps."""
    assert problem.domain.codes is not None
    random, of_row = state.random.copy(), state.of_row.copy()
    tuples, numbers = problem.domain.codes.shape[1], problem.watched_numbers
    notes: Notes | ColumnNotes
    if state.likelihood == "saturated":
        codes = np.arange(tuples, dtype=np.int64)[:, None]
        base = np.arange(problem.values)[:, None] * tuples
        place = np.where(numbers >= 0, base + numbers, -1)
        size = np.ones(problem.values * tuples, dtype=np.int64)
        notes, width = Notes(problem, place, size, kept, conditional=conditional), tuples
    else:
        notes = ColumnNotes(problem, kept, conditional=conditional)
        codes = np.ascontiguousarray(problem.domain.codes.T + notes.offset[:-1], dtype=np.int64)
        width = int(notes.offset[-1])
    dealt = _Dealt(problem.start, problem.tuples, codes)
    count = np.empty((problem.values, width), dtype=np.int64)
    kernels.count_dealt(dealt, of_row, count)
    weight = np.empty((0, 0) if state.algorithm == "collapsed" else count.shape)
    expected = np.empty((problem.values, tuples))
    for _ in range(kept):
        kernels.sweep_swaps(random, problem.beta, thin, dealt, count, weight, of_row)
        kernels.look_swaps(problem.beta, dealt, count, weight, of_row, expected)
        if isinstance(notes, Notes):
            notes.add(random, expected.ravel(), count.astype(np.float64).ravel)
        else:
            notes.add(random, np.where(numbers >= 0, expected[:, numbers], 0.0), count)
    return replace(state, of_row=of_row, random=random), notes.finished(kept * thin)
