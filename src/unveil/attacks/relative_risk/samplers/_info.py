"""What samplers share: cells, the random state, and what they record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import Answer, Beliefs, saturated_density
from unveil.attacks.relative_risk._problem import Horizontal, Problem
from unveil.attacks.relative_risk.samplers import _kernels as kernels

Algorithm: TypeAlias = Literal["collapsed", "gibbs"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)

Draws: TypeAlias = Literal["none", "panel", "watched"]
"""The tuples for which f(s | r, π) is drawn whenever the state is recorded."""

Random: TypeAlias = NDArray[np.uint64]
"""The four words of a chain's random state."""


def random_state(seed: int | np.random.SeedSequence) -> Random:
    """The random state at the start of a chain."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return sequence.generate_state(4, np.uint64).astype(np.uint64)


class Cells(NamedTuple):
    """The rows of a generalization by sensitive value and group.

    Attributes
    ----------
    value_start : array
        The first cell of each sensitive value.
    value, group, rows : arrays
        The sensitive value, the group and the number of rows of each cell.
    row_start : array
        The first row of each cell, if rows are stored cell after cell.
    first, last, members : arrays
        The tuples of cell i are ``members[first[i]:last[i]]``; empty if they are not numbered.
    codes : array (tuples × columns)
        Positions in a list of the values of all columns.
    longest : int
        The most tuples of a cell.
    """

    value_start: NDArray[np.int64]
    value: NDArray[np.int64]
    group: NDArray[np.int64]
    rows: NDArray[np.int64]
    row_start: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    members: NDArray[np.int32]
    codes: NDArray[np.int64]
    longest: int


def cells_of(problem: Horizontal) -> Cells:
    """The cells of a problem."""
    group, value = (part.astype(np.int64) for part in np.nonzero(problem.counts.T)[::-1])
    rows = problem.counts[group, value]
    offset = _offset(problem)[:-1]
    first = last = np.empty(0, dtype=np.int64)
    members, codes = np.empty(0, dtype=np.int32), np.empty((0, len(offset)), dtype=np.int64)
    if problem.members is not None and problem.domain.codes is not None:
        start, members = problem.members
        first, last = start[group], start[group + 1]
        codes = np.ascontiguousarray(problem.domain.codes.T + offset, dtype=np.int64)
    return Cells(
        value_start=np.searchsorted(value, np.arange(problem.values + 1)).astype(np.int64),
        value=value, group=group, rows=rows, first=first, last=last, members=members, codes=codes,
        row_start=np.concatenate([[0], np.cumsum(rows)]).astype(np.int64),
        longest=int((last - first).max(initial=1)),
    )  # fmt: skip


def _offset(problem: Problem) -> NDArray[np.int64]:
    """Where each column begins in a list of the values of all columns."""
    return np.concatenate([[0], np.cumsum(problem.domain.sizes)]).astype(np.int64)


class _Population(NamedTuple):
    """The posterior of π, for kernels that draw from it.

    Attributes
    ----------
    weight : array
        α plus the number of rows of each sensitive value.
    beta, tuples : float
        β, and the size of the domain.
    totals : array
        The number of rows of each sensitive value.
    offset : array
        Where each column begins in a list of the values of all columns.
    """

    weight: NDArray[np.float64]
    beta: float
    tuples: float
    totals: NDArray[np.float64]
    offset: NDArray[np.int64]


def _population_of(problem: Problem) -> _Population:
    return _Population(
        weight=problem.alpha + problem.totals, beta=problem.beta,
        tuples=float(problem.domain.size), totals=problem.totals.astype(np.float64),
        offset=_offset(problem),
    )  # fmt: skip


def draw_population(
    problem: Problem, there: NDArray[np.float64], size: NDArray[np.float64], seed: int, draws: int
) -> NDArray[np.float64]:
    """Draws of f(s | r, π) of one tuple, given the rows in its atoms and the atoms' sizes."""
    random, found = random_state(seed), np.empty((draws, problem.values, 1))
    place = np.arange(problem.values, dtype=np.int64)[:, None]
    population = _population_of(problem)
    for one in found:
        kernels.draw_conditional(random, population, place, size, there, one)
    return found[:, :, 0]


@dataclass(frozen=True, eq=False, kw_only=True)
class Info:
    """What some sweeps of a chain have shown.

    Attributes
    ----------
    kept : int
        The number of recorded states.
    sweeps : int
        The number of sweeps.
    answer : Answer
        Means over the recorded states, for all watched tuples. ``answer.conditional`` is None
        unless f(s | r, π) was drawn for all of them.
    rows, density : arrays (recorded × sensitive values × panel)
        Traces of the panel: the expected number of rows, and E[f(r | s, π)], given the state.
    conditional : array (recorded × sensitive values × panel), optional
        f(s | r, π) of a π drawn given the state, if it was requested.
    """

    kept: int
    sweeps: int
    answer: Answer
    rows: NDArray[np.float64]
    density: NDArray[np.float64]
    conditional: NDArray[np.float64] | None


class Traces:
    """Traces of the panel in the making, and sums of draws of f(s | r, π)."""

    def __init__(self, problem: Problem, kept: int, *, conditional: Draws) -> None:
        self.problem, self.population, self.n = problem, _population_of(problem), 0
        shape = (kept, problem.values, len(problem.panel))
        self.rows, self.density = np.empty(shape), np.empty(shape)
        self._conditional = None if conditional == "none" else np.empty(shape)
        watched = (problem.values, problem.watched.shape[1])
        self._shares = np.zeros(watched) if conditional == "watched" else None

    def end_record(self, draw: Callable[[Any, Beliefs], None], panel: Any, watched: Any) -> None:
        """Draw f(s | r, π) for the panel or all watched tuples, if requested."""
        if self._shares is not None and self._conditional is not None:
            now = np.empty(self._shares.shape)
            draw(watched, now)
            self._shares += now
            self._conditional[self.n] = now[:, self.problem.panel]
        elif self._conditional is not None:
            draw(panel, self._conditional[self.n])
        self.n += 1

    def info(self, rows: Beliefs, density: Beliefs, sweeps: int) -> Info:
        """All records, and the means for all watched tuples."""
        shares = None if self._shares is None else self._shares / self.n
        return Info(
            kept=self.n, sweeps=sweeps, rows=self.rows, density=self.density,
            conditional=self._conditional,
            answer=Answer(rows=rows, density=density, conditional=shares),
        )  # fmt: skip


class Notes(Traces):
    """Records of the saturated model, whose rows are at places (atoms or tuples).

    ``place`` (sensitive values × watched tuples) is the place of a watched tuple, -1 if no row can
    have it. ``size`` is the number of tuples at each place.
    """

    def __init__(
        self, problem: Problem, place: NDArray[np.int64], size: NDArray[np.int64], kept: int,
        *, conditional: Draws,
    ) -> None:  # fmt: skip
        super().__init__(problem, kept, conditional=conditional)
        self._size, self._sums = size.astype(np.float64), np.zeros(len(size))
        self._place = np.ascontiguousarray(place)
        self._panel = np.ascontiguousarray(place[:, problem.panel])

    def add(
        self, random: Random, expected: NDArray[np.float64],
        count: Callable[[], NDArray[np.float64]],
    ) -> None:  # fmt: skip
        """Record the expected rows and, if needed, the actual rows (``count``) at each place."""

        def draw(place: NDArray[np.int64], found: Beliefs) -> None:
            kernels.draw_conditional(random, self.population, place, self._size, count(), found)

        kernels.note_down(expected, self._panel, self._size, self._sums, self.rows[self.n])
        self.end_record(draw, self._panel, self._place)

    def finished(self, sweeps: int) -> Info:
        """All records."""
        rows, means = np.empty(self._place.shape), self._sums / self.n
        kernels.note_down(means, self._place, self._size, np.zeros_like(means), rows)
        self.density = saturated_density(self.problem, self.rows)
        return self.info(rows, saturated_density(self.problem, rows), sweeps)


class ColumnNotes(Traces):
    """Records of naive Bayes. The columns begin at ``offset`` in a list of all values."""

    def __init__(self, problem: Problem, kept: int, *, conditional: Draws) -> None:
        super().__init__(problem, kept, conditional=conditional)
        self.offset = self.population.offset
        self._codes = np.ascontiguousarray(problem.watched.T + self.offset[:-1])
        self._panel = np.ascontiguousarray(self._codes[problem.panel])
        shape = (problem.values, len(self._codes))
        self._rows, self._density, self._now = (np.zeros(shape) for _ in range(3))

    def add(self, random: Random, rows: Beliefs, counted: NDArray[np.int64]) -> None:
        """Record the expected rows of the watched tuples, and the rows with each value."""
        count = counted.astype(np.float64)

        def draw(codes: NDArray[np.int64], found: Beliefs) -> None:
            kernels.draw_conditional_columns(random, self.population, codes, count, found)

        self._rows += rows
        self.rows[self.n] = rows[:, self.problem.panel]
        kernels.look_columns(self.population, self._codes, count, self._now)
        self._density += self._now
        self.density[self.n] = self._now[:, self.problem.panel]
        self.end_record(draw, self._panel, self._codes)

    def finished(self, sweeps: int) -> Info:
        """All records."""
        return self.info(self._rows / self.n, self._density / self.n, sweeps)
