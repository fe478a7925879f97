"""Compiled kernels that turn a release into the arrays that samplers work on."""

from __future__ import annotations

from functools import partial

import numba
import numpy as np

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)


@_inner
def _inside(low, high, mask_at, mask, x, code):
    """Whether the region x covers the code."""
    if code < low[x] or code > high[x]:
        return False
    return mask_at[x] < 0 or mask[mask_at[x] + code - low[x]]


@_jit()
def covered_tuples(
    region, start, members, low, high, mask_at, mask, codes, by_code, first, offset, begins, found,
):  # fmt: skip
    """Which of the tuples (``codes``: columns × tuples) lie in each box.

    ``by_code`` (columns × tuples) lists the tuples by their code in each column, those of code v
    of column c from ``first[offset[c] + v]`` on. Only the tuples that a box's most selective
    column lets through are looked at.

    Writes the tuples of each box, ascending, to ``found`` where there is room, and where each
    box's begin to ``begins``. Returns how many there are in all.
    """
    columns = region.shape[1]
    n = np.int64(0)
    for box in range(len(region)):
        best, least = 0, np.int64(codes.shape[1] + 1)
        for c in range(columns):
            x, through = region[box, c], np.int64(0)
            for i in range(start[x], start[x + 1]):
                at = offset[c] + members[i]
                through += first[at + 1] - first[at]
            if through < least:
                best, least = c, through
        x = region[box, best]
        for i in range(start[x], start[x + 1]):
            at = offset[best] + members[i]
            for p in range(first[at], first[at + 1]):
                t, there = by_code[best, p], True
                for c in range(columns):
                    if c != best and not _inside(low, high, mask_at, mask, region[box, c],
                                                 codes[c, t]):  # fmt: skip
                        there = False
                        break
                if there:
                    if n < len(found):
                        found[n] = t
                    n += 1
        begins[box + 1] = n
        if n <= len(found):
            found[begins[box] : n].sort()
    return n


@_jit()
def product_keys(region, start, members, strides, begins, keys):
    """The numbers of all tuples of each box in the product of the columns, box after box."""
    columns = region.shape[1]
    place = np.zeros(columns, np.int64)
    for box in range(len(region)):
        place[:] = 0
        for at in range(begins[box], begins[box + 1]):
            key = np.int64(0)
            for c in range(columns):
                key += strides[c] * members[start[region[box, c]] + place[c]]
            keys[at] = key
            c = columns - 1
            while c >= 0:  # the next tuple, the last column running fastest
                place[c] += 1
                if place[c] < start[region[box, c] + 1] - start[region[box, c]]:
                    break
                place[c] = 0
                c -= 1


@_jit()
def lump(active, start, members, class_of, size, cell_start, cell_atoms):
    """Put tuples together that the active sets never tell apart.

    Two tuples are in the same atom if every active set has both or neither. Tuples in no active
    set get -1.

    Parameters: ``active``, the sets; ``start`` and ``members``, the tuples of each set. Written:
    ``class_of`` (the atom of each tuple), ``size`` (how many tuples each atom has) and the atoms
    of each active set, ascending: ``cell_atoms[cell_start[i]:cell_start[i + 1]]``.

    Returns how many atoms there are.
    """
    class_of[:] = 0  # all tuples in one class, which each set then divides
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
    atom_of = divided_into  # of each class, in the order of its first tuple
    atom_of[:] = -1
    atoms = np.int64(0)
    for t in range(len(class_of)):
        old = class_of[t]
        if old == 0:
            class_of[t] = -1
            continue
        if atom_of[old] < 0:
            atom_of[old] = atoms
            size[atoms] = 0
            atoms += 1
        class_of[t] = atom_of[old]
        size[class_of[t]] += 1
    seen = np.full(atoms, -1, np.int64)
    n = np.int64(0)
    for i in range(len(active)):
        begun = n
        for p in range(start[active[i]], start[active[i] + 1]):
            a = class_of[members[p]]
            if seen[a] != i:
                seen[a] = i
                cell_atoms[n] = a
                n += 1
        cell_atoms[begun:n].sort()
        cell_start[i + 1] = n
    return atoms


@_jit()
def overlapping(
    box, region, start, members, low, high, mask_at, mask, holders, first, offset, seen, found,
):  # fmt: skip
    """Which boxes share a tuple with this one; at most as many as ``found`` has room for.

    ``holders`` lists, from ``first[offset[c] + v]`` on, the boxes whose region in column c has
    code v. ``seen`` (one a box) is scratch and must not hold ``box``.

    Returns how many there are, or -1 if there is not room enough.
    """
    columns = region.shape[1]
    best, least = 0, np.int64(-1)
    for c in range(columns):
        x, through = region[box, c], np.int64(0)
        for i in range(start[x], start[x + 1]):
            at = offset[c] + members[i]
            through += first[at + 1] - first[at]
        if least < 0 or through < least:
            best, least = c, through
    n = np.int64(0)
    x = region[box, best]
    for i in range(start[x], start[x + 1]):
        at = offset[best] + members[i]
        for p in range(first[at], first[at + 1]):
            other = holders[p]
            if seen[other] == box:
                continue
            seen[other] = box
            meet = True
            for c in range(columns):
                a, b = region[box, c], region[other, c]
                if a == b or c == best:
                    continue
                if start[a + 1] - start[a] > start[b + 1] - start[b]:
                    a, b = b, a
                meet = False
                for q in range(start[a], start[a + 1]):
                    if _inside(low, high, mask_at, mask, b, members[q]):
                        meet = True
                        break
                if not meet:
                    break
            if meet:
                if n == len(found):
                    return np.int64(-1)
                found[n] = other
                n += 1
    return n
