"""Sampling a generalization under naive Bayes whose sets are boxes: each column separately.

Given the sensitive values, neither the population nor a box makes columns depend on each other. So
each column is a small problem of the saturated kind. The expected number of rows with a tuple is a
product over the columns: for each group, the shares of the tuple's values among its rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._beliefs import Beliefs
from unveil.attacks.relative_risk._domain import Domain, members_of
from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers import _kernels as kernels
from unveil.attacks.relative_risk.samplers import atoms
from unveil.attacks.relative_risk.samplers._info import (
    Algorithm,
    Draws,
    Info,
    Random,
    Traces,
    random_state,
)

__all__ = ["State", "init", "kernel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The value of each row in each column's problem, and the random state."""

    of_rows: tuple[NDArray[np.int32], ...]
    random: Random
    parts: tuple[Horizontal, ...]
    algorithm: Algorithm


def init(
    problem: Horizontal, seed: int | np.random.SeedSequence, algorithm: Algorithm = "collapsed"
) -> State:
    """Rows scattered over their regions."""
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    columns = range(len(problem.domain.sizes))
    parts = tuple(replace(problem.column(c), apart=True) for c in columns)
    seeds = np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, 0)).spawn(len(parts))
    begun = (atoms.init(part, one, "gibbs") for part, one in zip(parts, seeds, strict=True))
    return State(
        of_rows=tuple(state.of_row for state in begun), random=random_state(root), parts=parts,
        algorithm=algorithm,
    )  # fmt: skip


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and record the state after every ``thin`` sweeps."""
    random = state.random.copy()
    of_rows = tuple(of_row.copy() for of_row in state.of_rows)
    together = _Together(problem, state, random, of_rows)
    traces = Traces(problem, kept, conditional=conditional)
    watched = _Watched(problem, problem.watched, traces)
    panel = _Watched(problem, problem.watched[:, problem.panel], traces)

    def draw(some: _Watched, found: Beliefs) -> None:
        kernels.draw_conditional_columns(
            random, traces.population, some.places, together.count, found
        )

    for i in range(kept):
        together.sweep(thin)
        panel.expect(together.lists, together.share, traces.rows[i])
        panel.look(together.expected, traces.density[i])
        traces.end_record(draw, panel, watched)
    rows, density = np.empty((2, problem.values, problem.watched.shape[1]))
    watched.expect(together.lists, together.sum_share / kept, rows)
    watched.look(together.sum_expected / kept, density)
    info = traces.info(rows, density, kept * thin)
    return replace(state, of_rows=of_rows, random=random), info


class _Column:
    """One column in progress."""

    def __init__(
        self, part: Horizontal, algorithm: Algorithm, random: Random, of_row: NDArray[np.int32]
    ) -> None:
        plan = atoms.planned(part) if algorithm == "collapsed" else None
        self.part, self.walk = part, atoms.Walk(part, plan, random, of_row)
        lumps = part.lumped
        widths = lumps.last - lumps.first
        # Cells of one group share its list of codes, but not their shares of these.
        self.last = np.cumsum(widths)
        self.first = self.last - widths
        listed = [lumps.atoms[a:b] for a, b in zip(lumps.first, lumps.last, strict=True)]
        self.atoms = np.concatenate(listed)
        self._now = np.empty(len(lumps.size))

    def cell_of(self, first_cell: int) -> NDArray[np.int64]:
        """The cell of each box and sensitive value, -1 if there is none."""
        lumps, part = self.part.lumped, self.part
        found = np.full(part.counts.shape, -1, dtype=np.int64)
        found[lumps.group, lumps.value] = first_cell + np.arange(len(lumps.group))
        return found[part.group_of_class]

    def sweep(self, sweeps: int, share: Beliefs, expected: Beliefs, count: Beliefs) -> None:
        """Write the shares of its cells, and the expected and actual rows with each value."""
        self.walk.sweep(sweeps, self._now, share, self.first)
        expected[:] = self._now.reshape(expected.shape)
        count[:] = self.walk.rows_there().reshape(count.shape)


class _Lists(NamedTuple):
    """The codes of all columns' cells.

    ``cell_of`` (columns × boxes × sensitive values) is the cell of a column, whose rows have the
    codes ``atoms[first:last]``.
    """

    cell_of: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    atoms: NDArray[np.int32]


class _Together:
    """All columns in progress, and sums over the recorded states."""

    def __init__(
        self, problem: Horizontal, state: State, random: Random,
        of_rows: tuple[NDArray[np.int32], ...],
    ) -> None:  # fmt: skip
        parts = zip(state.parts, of_rows, strict=True)
        self._columns = [_Column(part, state.algorithm, random, row) for part, row in parts]
        cells = np.cumsum([0] + [len(one.first) for one in self._columns]).tolist()
        entries = np.cumsum([0] + [len(one.atoms) for one in self._columns]).tolist()
        each = list(zip(self._columns, cells[:-1], entries[:-1], strict=True))
        self.lists = _Lists(
            cell_of=np.stack([one.cell_of(cell) for one, cell, _ in each]),
            first=np.concatenate([one.first + entry for one, _, entry in each]),
            last=np.concatenate([one.last + entry for one, _, entry in each]),
            atoms=np.concatenate([one.atoms for one in self._columns]),
        )
        self.share, self.sum_share = np.empty(entries[-1]), np.zeros(entries[-1])
        self._entries = [slice(a, b) for a, b in pairwise(entries)]
        ends = np.cumsum([0, *problem.domain.sizes]).tolist()
        self._values = [slice(a, b) for a, b in pairwise(ends)]
        shape = (problem.values, ends[-1])
        self.expected, self.count = np.empty(shape), np.empty(shape)
        self.sum_expected = np.zeros(shape)

    def sweep(self, sweeps: int) -> None:
        """Draw all rows of all columns anew, ``sweeps`` times; add up what is then expected."""
        places = zip(self._columns, self._entries, self._values, strict=True)
        for one, entries, values in places:
            one.sweep(sweeps, self.share[entries], self.expected[:, values], self.count[:, values])
        self.sum_share += self.share
        self.sum_expected += self.expected


class _Inside(NamedTuple):
    """The tuples (``codes``: tuples × columns) in box g: ``inside[begins[g]:begins[g + 1]]``."""

    begins: NDArray[np.int64]
    inside: NDArray[np.int32]
    codes: NDArray[np.int64]


class _Watched:
    """Tuples (columns × tuples) that the answer is about."""

    def __init__(self, problem: Horizontal, codes: NDArray[np.int32], traces: Traces) -> None:
        assert problem.boxes is not None
        self._counts, self._population = problem.counts, traces.population
        sizes = problem.domain.sizes
        listed = Domain(name="covered", sizes=sizes, size=codes.shape[1], codes=codes)
        of_tuples = np.ascontiguousarray(codes.T, dtype=np.int64)
        self._inside = _Inside(*members_of(problem.boxes, listed), of_tuples)
        self.places = of_tuples + self._population.offset[:-1]

    def expect(self, lists: _Lists, share: NDArray[np.float64], found: Beliefs) -> None:
        """Write the expected rows."""
        kernels.join_columns(lists, share, self._counts, self._inside, found)

    def look(self, count: NDArray[np.float64], found: Beliefs) -> None:
        """Write E[f(r | s, π)]."""
        kernels.look_columns(self._population, self.places, count, found)
