"""Tuples that a release does not tell apart, put together: the saturated model made small.

With one probability a tuple and the same β for all of them, the latent rows of one sensitive value
have nothing to do with those of another, and of the groups only those with rows of that value
matter to it. Tuples that are in the same of these groups are interchangeable: what matters is how
many rows have one of them, an *atom* of weight β times its tuples, and each has its even share.

Where a group is a single atom nothing is left to chance: its rows are there. So the published sets
need not be disjoint for an exact answer; it is enough that those of each sensitive value are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._domain import Members
from unveil.attacks.relative_risk._kernels import lump, measure_cells

__all__ = ["Lumped", "lumped"]


_MOST_ENTRIES = 32_000_000  # of sets, counted again for each sensitive value


@dataclass(frozen=True, eq=False, kw_only=True)
class Lumped:
    """Cells (a group's rows of one sensitive value) and the atoms that their rows may be in.

    The cells of sensitive value s are ``value_start[s]`` to ``value_start[s + 1]``, its atoms
    ``atom_start[s]`` to ``atom_start[s + 1]``. The atoms of cell i are, counted from the first of
    its sensitive value, ``atoms[first[i]:last[i]]``, ascending. ``group`` and ``rows`` are the
    group and the number of rows of each cell, ``size`` the number of tuples of each atom, and
    ``atom_of`` (sensitive values × tuples) the atom of each tuple, -1 if no group with such a row
    has it.
    """

    value_start: NDArray[np.int64]
    group: NDArray[np.int64]
    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    atoms: NDArray[np.int32]
    atom_start: NDArray[np.int64]
    size: NDArray[np.int64]
    atom_of: NDArray[np.int32]

    @cached_property
    def value(self) -> NDArray[np.int64]:
        """The sensitive value of each cell."""
        return np.repeat(np.arange(len(self.value_start) - 1), np.diff(self.value_start))

    @cached_property
    def row_start(self) -> NDArray[np.int64]:
        """Where the rows of each cell begin, if they are put one cell after the other."""
        return np.concatenate([[0], np.cumsum(self.rows)]).astype(np.int64)

    @cached_property
    def is_settled(self) -> NDArray[np.bool_]:
        """Which cells are a single atom."""
        return self.last - self.first == 1

    @property
    def volume(self) -> NDArray[np.int64]:
        """How many tuples the rows of each cell may have."""
        return self._measured[0]

    @property
    def largest(self) -> NDArray[np.int64]:
        """How many tuples the largest atom of each cell has."""
        return self._measured[1]

    @cached_property
    def _measured(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        volume, largest = np.empty_like(self.rows), np.empty_like(self.rows)
        measure_cells(
            self.value, self.first, self.last, self.atoms, self.atom_start, self.size, volume,
            largest,
        )  # fmt: skip
        return volume, largest

    def of_cell(self, cell: int) -> NDArray[np.int64]:
        """The atoms of a cell."""
        atoms = self.atoms[self.first[cell] : self.last[cell]]
        return atoms + self.atom_start[self.value[cell]]


def lumped(counts: NDArray[np.int64], members: Members, tuples: int, *, together: bool) -> Lumped:
    """The atoms of each sensitive value; without ``together``, every tuple is one of its own.

    Where the sets are so large that a list for each sensitive value would be too long, tuples are
    put together that no group at all tells apart.
    """
    lengths = np.diff(members[0])
    group, value = (part.astype(np.int64) for part in np.nonzero(counts.T)[::-1])
    value_start = np.searchsorted(value, np.arange(counts.shape[1] + 1)).astype(np.int64)
    if together and lengths[group].sum() <= _MOST_ENTRIES:
        first, last, atoms, sizes, atom_of = _by_value(group, value_start, members, tuples)
    else:
        begins, atoms, size, number = _for_all(members, tuples, together=together)
        first, last = begins[group], begins[group + 1]
        sizes = [size] * counts.shape[1]
        atom_of = np.broadcast_to(number, (counts.shape[1], tuples)).copy()
    atom_start = np.concatenate([[0], np.cumsum([len(size) for size in sizes])]).astype(np.int64)
    for s, first_atom in enumerate(atom_start[:-1]):
        atom_of[s][atom_of[s] >= 0] += np.int32(first_atom)
    return Lumped(
        value_start=value_start, group=group, rows=counts[group, value], first=first, last=last,
        atoms=atoms, atom_start=atom_start, size=np.concatenate(sizes), atom_of=atom_of,
    )  # fmt: skip


def _by_value(
    group: NDArray[np.int64], value_start: NDArray[np.int64], members: Members, tuples: int
) -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], list[NDArray[np.int64]],
    NDArray[np.int32],
]:  # fmt: skip
    """Cells' first and last entries, their atoms, and sizes and numbers of these by value."""
    values = len(value_start) - 1
    atom_of = np.empty((values, tuples), dtype=np.int32)
    size, sizes, atoms = np.empty(tuples, dtype=np.int64), [], []
    ends, n = [np.zeros(1, np.int64)], 0
    for s in range(values):
        active = group[value_start[s] : value_start[s + 1]]
        end, listed, used = _divided(active, members, atom_of[s], size)
        sizes.append(size[:used].copy())
        atoms.append(listed)
        ends.append(end[1:] + n)
        n += len(listed)
    border = np.concatenate(ends)
    return border[:-1], border[1:], np.concatenate(atoms), sizes, atom_of


def _for_all(
    members: Members, tuples: int, *, together: bool
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """The same for all groups at once: where each begins, atoms, sizes and numbers."""
    number = np.arange(tuples, dtype=np.int32)
    size = np.ones(tuples, dtype=np.int64)
    if not together:
        return members[0], members[1], size, number
    border, atoms, used = _divided(np.arange(len(members[0]) - 1), members, number, size)
    return border, atoms, size[:used].copy(), number


def _divided(
    active: NDArray[np.int64], members: Members, number: NDArray[np.int32],
    size: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:  # fmt: skip
    start, listed = members
    border = np.zeros(len(active) + 1, dtype=np.int64)
    atoms = np.empty(int((start[active + 1] - start[active]).sum()), dtype=np.int32)
    used = lump(active, start, listed, number, size, border, atoms)
    return border, atoms[: border[-1]].copy(), used
