"""What samplers have in common: their start, what they note down, and how it is handed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._answer import Answer, Table, saturated_density
from unveil.attacks.relative_risk._problem import Problem
from unveil.attacks.relative_risk.samplers._kernels import (
    draw_conditional,
    draw_conditional_columns,
    look_columns,
    note_down,
)

__all__ = ["ColumnNotes", "Draws", "Info", "Notes", "Random", "random_state"]

Draws: TypeAlias = Literal["none", "panel", "watched"]
"""For which tuples f(s | r, π) is drawn whenever the state is looked at."""

Random: TypeAlias = NDArray[np.uint64]
"""The four words that a chain's random numbers come from."""


def random_state(seed: int | np.random.SeedSequence) -> Random:
    """The beginning of a chain's random numbers."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return sequence.generate_state(4, np.uint64).astype(np.uint64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Info:
    """What some sweeps of a chain have shown.

    Attributes
    ----------
    kept : int
        How often the state was looked at.
    sweeps : int
        How many sweeps there were.
    answer : Answer
        Means over what was looked at, for all watched tuples. ``answer.conditional`` is there
        only if it was asked for all of them.
    rows, density : arrays (looked at × sensitive values × panel)
        Traces for the panel: how many rows are expected, and E[f(r | s, π)], given the state.
    conditional : array (looked at × sensitive values × panel), optional
        f(s | r, π) of a π drawn given the state, if it was asked for.
    """

    kept: int
    sweeps: int
    answer: Answer
    rows: NDArray[np.float64]
    density: NDArray[np.float64]
    conditional: NDArray[np.float64] | None


class Notes:
    """What is noted down of the saturated model, whose rows are at places.

    ``place`` (sensitive values × watched tuples) is where the rows of a watched tuple are, -1 if
    nowhere, and ``size`` how many tuples share a place.
    """

    def __init__(
        self, problem: Problem, place: NDArray[np.int64], size: NDArray[np.int64], kept: int,
        *, conditional: Draws,
    ) -> None:  # fmt: skip
        self._problem, self._size = problem, size.astype(np.float64)
        self._place = np.ascontiguousarray(place)
        self._sums = np.zeros(len(size))
        self._shape = problem.alpha + problem.totals
        self._totals = problem.totals.astype(np.float64)
        self._panel = np.ascontiguousarray(place[:, problem.panel])
        self._rows = np.empty((kept, *self._panel.shape))
        self._conditional = None if conditional == "none" else np.empty_like(self._rows)
        self._shares = np.zeros(place.shape) if conditional == "watched" else None
        self._drawn = np.empty(place.shape if conditional == "watched" else (0, 0))
        self._n = 0

    def add(
        self, random: Random, expected: NDArray[np.float64],
        count: Callable[[], NDArray[np.float64]],
    ) -> None:  # fmt: skip
        """Note down the rows that are expected and, if need be, those there are at each place."""
        note_down(expected, self._panel, self._size, self._sums, self._rows[self._n])
        if self._conditional is not None:
            if self._shares is None:
                self._draw(random, self._panel, count(), self._conditional[self._n])
            else:
                self._draw(random, self._place, count(), self._drawn)
                self._shares += self._drawn
                self._conditional[self._n] = self._drawn[:, self._problem.panel]
        self._n += 1

    def _draw(
        self, random: Random, place: NDArray[np.int64], count: NDArray[np.float64], found: Table
    ) -> None:
        problem = self._problem
        draw_conditional(
            random, self._shape, problem.beta, float(problem.domain.size), self._totals, place,
            self._size, count, found,
        )  # fmt: skip

    def finished(self, sweeps: int) -> Info:
        """All that was noted down."""
        rows, means = np.empty(self._place.shape), self._sums / self._n
        note_down(means, self._place, self._size, np.zeros_like(means), rows)
        whole = self._problem.beta * self._problem.domain.size + self._problem.totals
        answer = Answer(
            rows=rows, density=saturated_density(self._problem, rows),
            conditional=None if self._shares is None else self._shares / self._n,
        )  # fmt: skip
        return Info(
            kept=self._n, sweeps=sweeps, answer=answer, rows=self._rows,
            density=(self._problem.beta + self._rows) / whole[:, None],
            conditional=self._conditional,
        )  # fmt: skip


class ColumnNotes:
    """What is noted down of naive Bayes.

    ``codes`` (watched tuples × columns) are places in the list of the values of all columns, which
    begin at ``offset``.
    """

    def __init__(self, problem: Problem, kept: int, *, conditional: Draws) -> None:
        self._problem = problem
        self.offset = np.concatenate([[0], np.cumsum(problem.domain.sizes)]).astype(np.int64)
        self.codes = np.ascontiguousarray(problem.watched.T + self.offset[:-1])
        shape = (problem.values, len(self.codes))
        self._panel = np.ascontiguousarray(self.codes[problem.panel])
        traces = (kept, problem.values, len(self._panel))
        self._rows, self._densities = np.empty(traces), np.empty(traces)
        self._conditional = None if conditional == "none" else np.empty(traces)
        self._sum_rows, self._sum_density, self._now = (np.zeros(shape) for _ in range(3))
        self._shares = np.zeros(shape) if conditional == "watched" else None
        self._shape = problem.alpha + problem.totals
        self._n = 0

    def add(self, random: Random, rows: Table, counted: NDArray[np.int64]) -> None:
        """Note down the expected rows of the watched tuples, and how many have each value."""
        problem, n, count = self._problem, self._n, counted.astype(np.float64)
        self._sum_rows += rows
        self._rows[n] = rows[:, problem.panel]
        look_columns(
            problem.beta, problem.domain.sizes, problem.totals, self.codes, count, self._now
        )
        self._sum_density += self._now
        self._densities[n] = self._now[:, problem.panel]
        if self._conditional is not None:
            if self._shares is None:
                self._draw(random, self._panel, count, self._conditional[n])
            else:
                self._draw(random, self.codes, count, self._now)
                self._shares += self._now
                self._conditional[n] = self._now[:, problem.panel]
        self._n += 1

    def _draw(
        self, random: Random, codes: NDArray[np.int64], count: NDArray[np.float64], found: Table
    ) -> None:
        draw_conditional_columns(
            random, self._shape, self._problem.beta, self.offset, codes, count, found
        )

    def finished(self, sweeps: int) -> Info:
        """All that was noted down."""
        answer = Answer(
            rows=self._sum_rows / self._n, density=self._sum_density / self._n,
            conditional=None if self._shares is None else self._shares / self._n,
        )  # fmt: skip
        return Info(
            kept=self._n, sweeps=sweeps, answer=answer, rows=self._rows, density=self._densities,
            conditional=self._conditional,
        )  # fmt: skip
