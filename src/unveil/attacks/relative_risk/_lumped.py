# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The saturated model made small: tuples that a release does not distinguish become one atom.

With one probability per tuple and the same β for all of them, the latent rows of one sensitive
value are independent of those of another, and only groups with rows of that value matter to it.
Tuples in the same of these groups are interchangeable. It is enough to know how many rows have one
of them: an *atom* of weight β times its number of tuples, each of which has an equal share.

Where a group is a single atom, the atom of its rows is certain. So the published sets need not be
disjoint for a closed form: those of each sensitive value have to be.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil._compiled import compiled
from unveil.attacks.relative_risk._boxes import starts
from unveil.attacks.relative_risk._domain import Members

_MOST_ENTRIES = 32_000_000  # of all sets, counted once per sensitive value


class Cells(NamedTuple):
    """Cells: the rows of a group with one sensitive value.

    Attributes
    ----------
    value_start : array
        The first cell of each sensitive value.
    value, group, rows : arrays
        The sensitive value, the group and the number of rows of each cell.
    row_start : array
        The first row of each cell, if rows are stored cell after cell.
    """

    value_start: NDArray[np.int64]
    value: NDArray[np.int64]
    group: NDArray[np.int64]
    rows: NDArray[np.int64]
    row_start: NDArray[np.int64]


def cells_of(counts: NDArray[np.int64]) -> Cells:
    """The cells of a release, given its rows (groups × sensitive values)."""
    group, value = (part.astype(np.int64) for part in np.nonzero(counts.T)[::-1])
    rows = counts[group, value]
    return Cells(
        value_start=np.searchsorted(value, np.arange(counts.shape[1] + 1)).astype(np.int64),
        value=value, group=group, rows=rows, row_start=starts(rows),
    )  # fmt: skip


class Lumped(NamedTuple):
    """Cells, and the atoms that their rows may have.

    Attributes
    ----------
    cells : Cells
    atom_start : array
        The first atom of each sensitive value.
    first, last : arrays
        The atoms of cell i are ``atoms[first[i]:last[i]]``, ascending, counted from the first
        atom of its sensitive value.
    atoms : array
    size : array
        The number of tuples of each atom.
    volume, largest : arrays
        The number of tuples of each cell, and of its largest atom.
    atom_of : array (sensitive values × tuples)
        The atom of each tuple, -1 if no group with such a row has it.
    longest : int
        The largest number of atoms of a cell.
    """

    cells: Cells
    atom_start: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    atoms: NDArray[np.int32]
    size: NDArray[np.int64]
    volume: NDArray[np.int64]
    largest: NDArray[np.int64]
    atom_of: NDArray[np.int32]
    longest: int

    @property
    def is_settled(self) -> NDArray[np.bool_]:
        """Which cells are a single atom."""
        return self.last - self.first == 1

    def of_cell(self, cell: int) -> NDArray[np.int64]:
        """The atoms of a cell."""
        atoms = self.atoms[self.first[cell] : self.last[cell]]
        return atoms + self.atom_start[self.cells.value[cell]]


def lumped(counts: NDArray[np.int64], members: Members, tuples: int, *, together: bool) -> Lumped:
    """Find the atoms of each sensitive value; without ``together`` every tuple is one.

    If one list of atoms per sensitive value would be too long, only tuples that no group at all
    distinguishes are put together.
    """
    cells, (start, listed) = cells_of(counts), members
    values, number = counts.shape[1], np.arange(tuples, dtype=np.int32)
    if together and np.diff(start)[cells.group].sum() <= _MOST_ENTRIES:
        atom_of = np.empty((values, tuples), dtype=np.int32)
        found = [
            _divided(cells.group[a:b], members, atom_of[s])
            for s, (a, b) in enumerate(pairwise(cells.value_start))
        ]
        border = starts(np.concatenate([np.diff(ends) for ends, _, _ in found]))
        first, last, atoms = border[:-1], border[1:], np.concatenate([one for _, one, _ in found])
        sizes = [size for _, _, size in found]
    else:
        atoms, size = listed, np.ones(tuples, dtype=np.int64)
        if together:
            start, atoms, size = _divided(np.arange(len(counts)), members, number)
        first, last, sizes = start[cells.group], start[cells.group + 1], [size] * values
        atom_of = np.broadcast_to(number, (values, tuples)).copy()
    atom_start = starts([len(size) for size in sizes])
    for s, first_atom in enumerate(atom_start[:-1]):
        atom_of[s][atom_of[s] >= 0] += np.int32(first_atom)
    lumps = Lumped(
        cells=cells, atom_start=atom_start, first=first, last=last, atoms=atoms,
        size=np.concatenate(sizes), volume=np.empty_like(cells.rows),
        largest=np.empty_like(cells.rows), atom_of=atom_of,
        longest=int((last - first).max(initial=1)),
    )  # fmt: skip
    _measure(lumps)
    return lumps


def _divided(
    active: NDArray[np.int64], members: Members, number: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Where the atoms of each active set begin, these atoms, and the size of each atom.

    The atom of each tuple is written to ``number``.
    """
    start, listed = members
    border, size = np.zeros(len(active) + 1, dtype=np.int64), np.empty(len(number), dtype=np.int64)
    atoms = np.empty(int((start[active + 1] - start[active]).sum()), dtype=np.int32)
    used = _lump(active, start, listed, number, size, border, atoms)
    return border, atoms[: border[-1]].copy(), size[:used].copy()


def expected_rows(lumps: Lumped) -> NDArray[np.float64]:
    """The rows of its sensitive value in each cell's set, if all rows are scattered evenly."""
    rows = lumps.cells.rows
    found = np.empty(len(rows))
    _scattered(lumps, rows / lumps.volume, np.zeros(len(lumps.size)), found)
    return found


# Kernels --------------------------------------------------------------------------------------


@compiled()
def _lump(active, start, members, class_of, size, cell_start, cell_atoms):
    """Put tuples into one atom if every active set has all or none of them.

    ``start`` and ``members`` are the tuples of each set. Written are ``class_of`` (the atom of
    each tuple, -1 if it is in no active set), ``size`` (the tuples of each atom), and the atoms of
    each active set, ascending, as ``cell_atoms[cell_start[i]:cell_start[i + 1]]``. Returns the
    number of atoms.
    """
    class_of.fill(0)  # all tuples begin in one class, which each set then divides
    total = np.int64(1)
    for i in range(len(active)):
        total += start[active[i] + 1] - start[active[i]]
    divided_by, divided_into = np.full(total, -1, np.int64), np.empty(total, np.int64)
    used = np.int64(1)
    for i in range(len(active)):
        for p in range(start[active[i]], start[active[i] + 1]):
            old = class_of[members[p]]
            if divided_by[old] != i:
                divided_by[old], divided_into[old] = i, used
                used += 1
            class_of[members[p]] = divided_into[old]
    # Numbered in the order of the sets, so that the atoms of a set are near in memory.
    atom_of = divided_into
    atom_of.fill(-1)
    atoms = np.int64(0)
    for i in range(len(active)):
        for p in range(start[active[i]], start[active[i] + 1]):
            old = class_of[members[p]]
            if atom_of[old] < 0:
                atom_of[old] = atoms
                size[atoms] = 0
                atoms += 1
    for t in range(len(class_of)):
        class_of[t] = -1 if class_of[t] == 0 else atom_of[class_of[t]]
        if class_of[t] >= 0:
            size[class_of[t]] += 1
    # From the sets of each atom to the atoms of each set, so that these ascend.
    seen, of_atom = np.full(atoms, -1, np.int64), np.zeros(atoms + 1, np.int64)
    for i in range(len(active)):
        cell_start[i + 1] = cell_start[i]
        for p in range(start[active[i]], start[active[i] + 1]):
            a = class_of[members[p]]
            if seen[a] != i:
                seen[a] = i
                cell_start[i + 1] += 1
                of_atom[a + 1] += 1
    for a in range(atoms):
        of_atom[a + 1] += of_atom[a]
        seen[a] = -1
    sets, filled = np.empty(of_atom[atoms], np.int32), of_atom.copy()
    for i in range(len(active)):
        for p in range(start[active[i]], start[active[i] + 1]):
            a = class_of[members[p]]
            if seen[a] != i:
                seen[a] = i
                sets[filled[a]] = i
                filled[a] += 1
    cursor = cell_start.copy()
    for a in range(atoms):
        for p in range(of_atom[a], of_atom[a + 1]):
            cell_atoms[cursor[sets[p]]] = a
            cursor[sets[p]] += 1
    return atoms


@compiled()
def _measure(lumps):
    """Find the number of tuples of each cell, and of its largest atom."""
    for cell in range(len(lumps.cells.value)):
        lumps.volume[cell], lumps.largest[cell] = 0, 0
        for k in range(lumps.first[cell], lumps.last[cell]):
            one = lumps.size[lumps.atom_start[lumps.cells.value[cell]] + lumps.atoms[k]]
            lumps.volume[cell] += one
            lumps.largest[cell] = max(lumps.largest[cell], one)


@compiled()
def _scattered(lumps, rows_per_tuple, each, found):
    """Scatter the rows of each cell over its atoms (``each``), and add up what each cell has."""
    for cell in range(len(lumps.cells.value)):
        base = lumps.atom_start[lumps.cells.value[cell]]
        for k in range(lumps.first[cell], lumps.last[cell]):
            atom = base + lumps.atoms[k]
            each[atom] += rows_per_tuple[cell] * lumps.size[atom]
    for cell in range(len(lumps.cells.value)):
        base, total = lumps.atom_start[lumps.cells.value[cell]], 0.0
        for k in range(lumps.first[cell], lumps.last[cell]):
            total += each[base + lumps.atoms[k]]
        found[cell] = total
