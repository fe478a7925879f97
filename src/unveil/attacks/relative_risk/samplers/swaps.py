"""Sampling a permuted release: pairs of rows of a group exchange their sensitive values.

A random pair exchanges with the probability that makes either way as likely as it is given all
other rows, π integrated out. Both likelihoods are the same to this: under the saturated model the
tuple is a row's only column.

What is noted down is how many rows (s, r) are expected if each row may yet exchange with another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._exact import Likelihood
from unveil.attacks.relative_risk._problem import Vertical
from unveil.attacks.relative_risk.samplers._info import (
    ColumnNotes,
    Draws,
    Info,
    Notes,
    Random,
    random_state,
)
from unveil.attacks.relative_risk.samplers._kernels import (
    count_dealt,
    look_swaps,
    shuffle,
    sweep_swaps,
    sweep_swaps_gibbs,
)

__all__ = ["State", "init", "kernel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The sensitive value of each row, and the random numbers to come."""

    of_row: NDArray[np.int32]
    random: Random
    likelihood: Likelihood


def init(
    problem: Vertical, seed: int | np.random.SeedSequence, likelihood: Likelihood = "saturated"
) -> State:
    """Sensitive values dealt out at random."""
    random = random_state(seed)
    groups, values = np.nonzero(problem.counts)
    of_row = np.repeat(values, problem.counts[groups, values]).astype(np.int32)
    shuffle(random, problem.start, of_row)
    return State(of_row=of_row, random=random, likelihood=likelihood)


def kernel(
    problem: Vertical, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    return swapped(problem, state, kept=kept, thin=thin, conditional=conditional, collapsed=True)


def swapped(
    problem: Vertical, state: State, *, kept: int, thin: int, conditional: Draws, collapsed: bool
) -> tuple[State, Info]:
    """The same with π integrated out, or drawn before the exchanges of each sweep."""
    assert problem.domain.codes is not None
    random, of_row = state.random.copy(), state.of_row.copy()
    tuples, numbers = problem.domain.codes.shape[1], problem.watched_numbers
    saturated = state.likelihood == "saturated"
    notes: Notes | ColumnNotes
    if saturated:
        codes = np.arange(tuples, dtype=np.int64)[:, None]
        base = np.arange(problem.values)[:, None] * tuples
        place = np.where(numbers >= 0, base + numbers, -1)
        size = np.ones(problem.values * tuples, dtype=np.int64)
        notes = Notes(problem, place, size, kept, conditional=conditional)
        width = tuples
    else:
        notes = ColumnNotes(problem, kept, conditional=conditional)
        codes = np.ascontiguousarray(problem.domain.codes.T + notes.offset[:-1], dtype=np.int64)
        width = int(notes.offset[-1])
    count = np.empty((problem.values, width), dtype=np.int64)
    count_dealt(problem.tuples, codes, of_row, count)
    weight = np.empty((0, 0) if collapsed else count.shape)
    expected = np.empty((problem.values, tuples))
    start, rows = problem.start, problem.tuples
    for _ in range(kept):
        if collapsed:
            sweep_swaps(random, problem.beta, thin, start, rows, codes, count, of_row)
        else:
            sweep_swaps_gibbs(random, problem.beta, thin, start, rows, codes, count, weight, of_row)
        look_swaps(problem.beta, collapsed, start, rows, codes, count, weight, of_row, expected)
        if isinstance(notes, Notes):
            notes.add(random, expected.ravel(), count.astype(np.float64).ravel)
        else:
            notes.add(random, np.where(numbers >= 0, expected[:, numbers], 0.0), count)
    return replace(state, of_row=of_row, random=random), notes.finished(kept * thin)
