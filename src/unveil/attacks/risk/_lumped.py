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

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.risk._domain import Members
from unveil.attacks.risk._kernels import lump

__all__ = ["Lumped", "lumped"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Lumped:
    """Cells (a group's rows of one sensitive value) and the atoms that their rows may be in.

    The cells of sensitive value s are ``value_start[s]`` to ``value_start[s + 1]``, its atoms
    ``atom_start[s]`` to ``atom_start[s + 1]``. The atoms of cell i are
    ``atoms[start[i]:start[i + 1]]``, ascending, and ``upto`` how many tuples they have up to each
    of them. ``group`` and ``rows`` are the group and the number of rows of each cell, ``size`` the
    number of tuples of each atom, and ``atom_of`` (sensitive values × tuples) the atom of each
    tuple, -1 if no group with such a row has it.
    """

    value_start: NDArray[np.int64]
    group: NDArray[np.int64]
    rows: NDArray[np.int64]
    start: NDArray[np.int64]
    atoms: NDArray[np.int32]
    upto: NDArray[np.int64]
    atom_start: NDArray[np.int64]
    size: NDArray[np.int64]
    atom_of: NDArray[np.int32]

    @property
    def value(self) -> NDArray[np.int64]:
        """The sensitive value of each cell."""
        return np.repeat(np.arange(len(self.value_start) - 1), np.diff(self.value_start))

    @property
    def is_settled(self) -> NDArray[np.bool_]:
        """Which cells are a single atom."""
        return np.diff(self.start) == 1

    def per_tuple(
        self, of_atoms: NDArray[np.float64], tuples: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Even shares of what atoms have: sensitive values × tuples (-1: in no group)."""
        atom = np.where(tuples >= 0, self.atom_of[:, tuples], -1)
        return np.where(atom >= 0, of_atoms[atom] / self.size[atom], 0.0)


def lumped(counts: NDArray[np.int64], members: Members, tuples: int, *, together: bool) -> Lumped:
    """The atoms of each sensitive value; without ``together``, every tuple is one of its own."""
    start, listed = members
    values = counts.shape[1]
    atom_of = np.empty((values, tuples), dtype=np.int32)
    size_of = np.empty(tuples, dtype=np.int64)
    value_start, atom_start = np.zeros(values + 1, np.int64), np.zeros(values + 1, np.int64)
    groups, rows, starts, atoms, sizes = [], [], [np.zeros(1, np.int64)], [], []
    n = 0
    for s in range(values):
        active = np.flatnonzero(counts[:, s])
        cell_start = np.zeros(len(active) + 1, dtype=np.int64)
        cell_atoms = np.empty(int((start[active + 1] - start[active]).sum()), dtype=np.int32)
        if together:
            used = lump(active, start, listed, atom_of[s], size_of, cell_start, cell_atoms)
            sizes.append(size_of[:used].copy())
        else:
            used = tuples
            _apart(active, start, listed, cell_start, cell_atoms)
            atom_of[s] = np.arange(tuples)
            sizes.append(np.ones(tuples, dtype=np.int64))
        shift = atom_start[s]
        atom_of[s][atom_of[s] >= 0] += shift
        groups.append(active)
        rows.append(counts[active, s])
        starts.append(cell_start[1:] + n)
        atoms.append((cell_atoms[: cell_start[-1]] + shift).astype(np.int32))
        n += int(cell_start[-1])
        value_start[s + 1] = value_start[s] + len(active)
        atom_start[s + 1] = shift + used
    begins, size, all_atoms = np.concatenate(starts), np.concatenate(sizes), np.concatenate(atoms)
    upto = np.cumsum(size[all_atoms])
    before = np.concatenate([[0], upto])[begins[:-1]]
    upto -= np.repeat(before, np.diff(begins))
    return Lumped(
        value_start=value_start, group=np.concatenate(groups), rows=np.concatenate(rows),
        start=begins, atoms=all_atoms, upto=upto, atom_start=atom_start, size=size,
        atom_of=atom_of,
    )  # fmt: skip


def _apart(
    active: NDArray[np.intp],
    start: NDArray[np.int64],
    listed: NDArray[np.int32],
    cell_start: NDArray[np.int64],
    cell_atoms: NDArray[np.int32],
) -> None:
    lengths = start[active + 1] - start[active]
    cell_start[1:] = np.cumsum(lengths)
    within = np.arange(cell_start[-1]) - np.repeat(cell_start[:-1], lengths)
    cell_atoms[:] = listed[np.repeat(start[active], lengths) + within]
