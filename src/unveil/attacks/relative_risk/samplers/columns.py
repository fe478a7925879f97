"""Sampling a generalization whose sets are whole boxes, naive Bayes: every column by itself.

Given the sensitive values, neither the population nor a box ties one column to another. So each
column is a problem of its own, of the saturated kind and small, and what is expected of a tuple
is a product over the columns: for each group, the shares that its rows have of the tuple's values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._answer import Answer, Table
from unveil.attacks.relative_risk._domain import Domain, members_of
from unveil.attacks.relative_risk._problem import Horizontal
from unveil.attacks.relative_risk.samplers import collapsed, gibbs
from unveil.attacks.relative_risk.samplers._info import Draws, Info, Random, random_state
from unveil.attacks.relative_risk.samplers._kernels import (
    draw_conditional_columns,
    join_columns,
    look_columns,
)

__all__ = ["Algorithm", "State", "init", "kernel"]

Algorithm: TypeAlias = Literal["collapsed", "gibbs"]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """The value of each row in each column's own problem, and the random numbers to come."""

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
    begun = (gibbs.init(part, one) for part, one in zip(parts, seeds, strict=True))
    return State(
        of_rows=tuple(state.of_row for state in begun), random=random_state(root), parts=parts,
        algorithm=algorithm,
    )  # fmt: skip


def kernel(
    problem: Horizontal, state: State, *, kept: int, thin: int = 1, conditional: Draws = "none"
) -> tuple[State, Info]:
    """Sweep ``kept`` × ``thin`` times, and look at the state after every ``thin`` of them."""
    random = state.random.copy()
    of_rows = tuple(of_row.copy() for of_row in state.of_rows)
    together = _Together(problem, state, random, of_rows)
    panel, codes = problem.watched[:, problem.panel], problem.watched
    shape = (kept, problem.values, panel.shape[1])
    rows, density = np.empty(shape), np.empty(shape)
    drawn = None if conditional == "none" else np.empty(shape)
    everybody, one = _Watched(problem, codes), _Watched(problem, panel)
    shares = None
    if conditional == "watched":
        shares = np.zeros((problem.values, codes.shape[1]))
    for i in range(kept):
        together.sweep(thin)
        one.rows(together, together.share, rows[i])
        one.density(together.expected, density[i])
        if shares is not None and drawn is not None:
            now = everybody.draw(random, together.count)
            shares += now
            drawn[i] = now[:, problem.panel]
        elif drawn is not None:
            drawn[i] = one.draw(random, together.count)
    answer = Answer(
        rows=everybody.rows(together, together.sum_share / kept),
        density=everybody.density(together.sum_expected / kept),
        conditional=None if shares is None else shares / kept,
    )  # fmt: skip
    info = Info(
        kept=kept, sweeps=kept * thin, answer=answer, rows=rows, density=density, conditional=drawn
    )
    return replace(state, of_rows=of_rows, random=random), info


class _Column:
    """One column on its way."""

    def __init__(
        self, part: Horizontal, algorithm: Algorithm, random: Random, of_row: NDArray[np.int32]
    ) -> None:
        self.part, self.walk = part, _walk(part, algorithm, random, of_row)
        lumps = part.lumped
        widths = lumps.last - lumps.first
        # Cells of one group share its list of codes, but not their shares of these.
        self.last = np.cumsum(widths)
        self.first = self.last - widths
        listed = [lumps.atoms[a:b] for a, b in zip(lumps.first, lumps.last, strict=True)]
        self.atoms = np.concatenate(listed)
        self._now = np.empty(len(lumps.size))

    def cell_of(self, first_cell: int) -> NDArray[np.int64]:
        """The cell of each box and sensitive value, -1 where there is none."""
        lumps, part = self.part.lumped, self.part
        found = np.full(part.counts.shape, -1, dtype=np.int64)
        found[lumps.group, lumps.value] = first_cell + np.arange(len(lumps.group))
        return found[part.group_of_class]

    def sweep(self, sweeps: int, share: NDArray[np.float64], expected: Table, count: Table) -> None:
        """Write the shares of its cells, and the rows that its values should have and do have."""
        self.walk.sweep(sweeps, self._now, share, self.first)
        expected[:] = self._now.reshape(expected.shape)
        count[:] = self.walk.rows_there().reshape(count.shape)


def _walk(
    part: Horizontal, algorithm: Algorithm, random: Random, of_row: NDArray[np.int32]
) -> collapsed.Walk | gibbs.Walk:
    if algorithm == "collapsed":
        return collapsed.Walk(part, collapsed.planned(part), random, of_row)
    return gibbs.Walk(part, random, of_row)


class _Together:
    """All columns on their way, and what was seen of them."""

    def __init__(
        self, problem: Horizontal, state: State, random: Random,
        of_rows: tuple[NDArray[np.int32], ...],
    ) -> None:  # fmt: skip
        parts = zip(state.parts, of_rows, strict=True)
        self._columns = [_Column(part, state.algorithm, random, row) for part, row in parts]
        cells = np.cumsum([0] + [len(one.first) for one in self._columns]).tolist()
        entries = np.cumsum([0] + [len(one.atoms) for one in self._columns]).tolist()
        each = list(zip(self._columns, cells[:-1], entries[:-1], strict=True))
        self.cell_of = np.stack([one.cell_of(cell) for one, cell, _ in each])
        self.first = np.concatenate([one.first + entry for one, _, entry in each])
        self.last = np.concatenate([one.last + entry for one, _, entry in each])
        self.atoms = np.concatenate([one.atoms for one in self._columns])
        self.share, self.sum_share = np.empty(entries[-1]), np.zeros(entries[-1])
        self._entries = [slice(a, b) for a, b in pairwise(entries)]
        ends = np.cumsum([0, *problem.domain.sizes]).tolist()
        self._values = [slice(a, b) for a, b in pairwise(ends)]
        shape = (problem.values, ends[-1])
        self.expected, self.count = np.empty(shape), np.empty(shape)
        self.sum_expected = np.zeros(shape)

    def sweep(self, sweeps: int) -> None:
        """Draw all rows of all columns anew, so many times; add up what is then expected."""
        places = zip(self._columns, self._entries, self._values, strict=True)
        for one, entries, values in places:
            one.sweep(sweeps, self.share[entries], self.expected[:, values], self.count[:, values])
        self.sum_share += self.share
        self.sum_expected += self.expected


class _Watched:
    """Tuples (columns × tuples) that are asked about."""

    def __init__(self, problem: Horizontal, codes: NDArray[np.int32]) -> None:
        assert problem.boxes is not None
        self._problem = problem
        self._codes = np.ascontiguousarray(codes.T, dtype=np.int64)
        self._offset = np.concatenate([[0], np.cumsum(problem.domain.sizes)]).astype(np.int64)
        self._places = self._codes + self._offset[:-1]
        sizes = problem.domain.sizes
        listed = Domain(name="covered", sizes=sizes, size=codes.shape[1], codes=codes)
        self._begins, self._inside = members_of(problem.boxes, listed)
        self._shape = problem.alpha + problem.totals

    def rows(
        self, together: _Together, share: NDArray[np.float64], found: Table | None = None
    ) -> Table:
        found = np.empty((self._problem.values, len(self._codes))) if found is None else found
        join_columns(
            together.cell_of, together.first, together.last, together.atoms, share,
            self._problem.counts, self._begins, self._inside, self._codes, found,
        )  # fmt: skip
        return found

    def density(self, count: NDArray[np.float64], found: Table | None = None) -> Table:
        found = np.empty((self._problem.values, len(self._codes))) if found is None else found
        problem = self._problem
        look_columns(problem.beta, problem.domain.sizes, problem.totals, self._places, count, found)
        return found

    def draw(self, random: Random, count: NDArray[np.float64]) -> Table:
        found = np.empty((self._problem.values, len(self._codes)))
        draw_conditional_columns(
            random, self._shape, self._problem.beta, self._offset, self._places, count, found
        )
        return found
