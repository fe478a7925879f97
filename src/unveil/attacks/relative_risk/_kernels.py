"""Compiled kernels that turn a release into the arrays that samplers work on."""

from __future__ import annotations

from functools import partial

import numba
import numpy as np

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)


_WORDS = 64  # of 64 tuples each, that are looked at together
_PLACE_OF_BIT = np.zeros(64, np.int64)  # by the top six bits of the bit times _SPREAD
_SPREAD = np.uint64(0x03F79D71B4CB0A89)
for _bit in range(64):
    _PLACE_OF_BIT[(int(_SPREAD) << _bit) % 2**64 >> 58] = _bit


@_inner
def _mark(region, start, members, codes, from_tuple, offset, of_value, of_region):
    """Which of some tuples have each value, and with it which lie in each region: as bits."""
    columns, n = codes.shape
    of_value.fill(0)
    for c in range(columns):
        for t in range(from_tuple, min(n, from_tuple + 64 * _WORDS)):
            word, bit = (t - from_tuple) >> 6, np.uint64((t - from_tuple) & 63)
            of_value[offset[c] + codes[c, t], word] |= np.uint64(1) << bit
    of_region.fill(0)
    done = np.zeros(len(of_region), np.bool_)
    for box in range(len(region)):
        for c in range(columns):
            x = region[box, c]
            if done[x]:
                continue
            done[x] = True
            for i in range(start[x], start[x + 1]):
                for word in range(_WORDS):
                    of_region[x, word] |= of_value[offset[c] + members[i], word]


@_jit()
def covered_tuples(region, start, members, codes, offset, begins, found):
    """Which of the tuples (``codes``: columns × tuples) lie in each box.

    ``offset`` is where the values of each column begin in a list of those of all. Writes the
    tuples of each box, ascending, to ``found`` and where each box's begin to ``begins``, which
    has to be right already unless ``found`` is empty. Returns how many there are in all.
    """
    boxes, columns = region.shape
    of_value = np.empty((offset[columns], _WORDS), np.uint64)
    of_region = np.empty((len(start) - 1, _WORDS), np.uint64)
    cursor, counted = begins.copy(), np.zeros(boxes, np.int64)
    for from_tuple in range(0, codes.shape[1], 64 * _WORDS):
        _mark(region, start, members, codes, from_tuple, offset, of_value, of_region)
        for box in range(boxes):
            for word in range(_WORDS):
                bits = of_region[region[box, 0], word]
                for c in range(1, columns):
                    bits &= of_region[region[box, c], word]
                while bits != 0:
                    lowest = bits & (~bits + np.uint64(1))
                    bits ^= lowest
                    counted[box] += 1
                    if len(found) > 0:
                        bit = _PLACE_OF_BIT[(lowest * _SPREAD) >> np.uint64(58)]
                        found[cursor[box]] = from_tuple + 64 * word + bit
                        cursor[box] += 1
    begins[0] = 0
    for box in range(boxes):
        begins[box + 1] = begins[box] + counted[box]
    return begins[boxes]


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
    class_of.fill(0)  # all tuples in one class, which each set then divides
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
    # Atoms are numbered as sets come upon them: those of a set lie together in memory.
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
    # From the sets of each atom to the atoms of each set: so these ascend.
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


@_jit()
def measure_cells(value, first, last, atoms, atom_start, size, volume, largest):
    """How many tuples each cell has, and how many the largest of its atoms."""
    for cell in range(len(value)):
        volume[cell], largest[cell] = 0, 0
        for k in range(first[cell], last[cell]):
            one = size[atom_start[value[cell]] + atoms[k]]
            volume[cell] += one
            largest[cell] = max(largest[cell], one)


@_jit()
def scattered(value, first, last, atoms, atom_start, size, rows_per_tuple, each, found):
    """Scatter each cell's rows over its atoms (``each``), and add up what its atoms then have."""
    for cell in range(len(value)):
        base = atom_start[value[cell]]
        for k in range(first[cell], last[cell]):
            each[base + atoms[k]] += rows_per_tuple[cell] * size[base + atoms[k]]
    for cell in range(len(value)):
        base, total = atom_start[value[cell]], 0.0
        for k in range(first[cell], last[cell]):
            total += each[base + atoms[k]]
        found[cell] = total


@_inner
def _all_meet(boxes, a, b):
    """Whether two boxes, whose ends overlap, share a code in every column."""
    for c in range(boxes.region.shape[1]):
        x, y = boxes.region[a, c], boxes.region[b, c]
        if x == y or (boxes.mask_at[x] < 0 and boxes.mask_at[y] < 0):
            continue
        if not _share_code(boxes, x, y):
            return False
    return True


@_inner
def _share_code(boxes, x, y):
    """Whether two regions share a code; one of them at least has gaps."""
    if boxes.start[x + 1] - boxes.start[x] > boxes.start[y + 1] - boxes.start[y]:
        x, y = y, x
    low, width = boxes.lowest[y], boxes.members[boxes.start[y + 1] - 1] - boxes.lowest[y]
    for i in range(boxes.start[x], boxes.start[x + 1]):
        code = boxes.members[i] - low
        if 0 <= code <= width and (boxes.mask_at[y] < 0 or boxes.mask[boxes.mask_at[y] + code]):
            return True
    return False


@_inner
def _any_bit(of_values, a, b):
    """Whether two boxes have a sensitive value in common."""
    common = np.uint64(0)
    for word in range(of_values.shape[1]):
        common |= of_values[a, word] & of_values[b, word]
    return common != 0


@_jit()
def meeting_boxes(boxes, of_values, order, begin, end, wanted, begins, found):
    """Which boxes share a tuple and a sensitive value with each of those that are wanted.

    ``of_values`` are the sensitive values of each box, as bits. ``order`` is that of the boxes by
    the lowest code (``begin``, in this order; ``end``, the highest) of one column: only boxes that
    begin before another ends can meet it. Writes to ``found``, from ``begins`` on, which has to be
    right already unless ``found`` is empty. Returns how many there are in all, each box counted as
    one that meets itself.
    """
    low, high, guard, words = boxes.low[order], boxes.high[order], boxes.guard, len(boxes.guard)
    is_wanted = wanted[order]
    degree, cursor = np.zeros(len(order), np.int64), begins.copy()
    for i in range(len(order)):
        a = order[i]
        for j in range(i, len(order)):
            if begin[j] > end[i]:
                break
            meet = is_wanted[i] or is_wanted[j]
            for w in range(words):
                left = (high[i, w] - low[j, w]) & (high[j, w] - low[i, w])
                meet &= left & guard[w] == guard[w]
            if not meet:
                continue
            b = order[j]
            if not _any_bit(of_values, a, b):
                continue
            if (boxes.has_gaps[a] or boxes.has_gaps[b]) and not _all_meet(boxes, a, b):
                continue
            for one, other in ((a, b), (b, a)):
                if wanted[one]:
                    degree[one] += 1
                    if len(found) > 0:
                        found[cursor[one]] = other
                        cursor[one] += 1
                if a == b:
                    break
    begins[0] = 0
    for box in range(len(order)):
        begins[box + 1] = begins[box] + degree[box]
    return begins[len(order)]
