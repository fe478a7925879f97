"""Compiled kernels of all samplers: drawing random numbers, sweeping, and looking at the state.

A sweep changes the latent rows in place; looking at them (``look_…``) adds what is expected given
the state to running sums. The random numbers come from a state of four words that is handed in
(xoshiro256++), so that nothing depends on which thread runs what.

Everything is in this one file because numba's cache does not notice changes in other files, and
nothing returns an array, because an interrupt while one is made would crash the process.
"""

from __future__ import annotations

from functools import partial

import numba
import numpy as np

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_part = _jit(no_cpython_wrapper=True)

# Places in arrays are unsigned in the innermost loops: numba takes any other number for one that
# may count from the end, and looks.
_place = np.uint64
_FEW = np.uint64(32)  # numbers that are looked at one by one

# Random numbers -------------------------------------------------------------------------------


@_part
def _word(random):
    a, b, c, d = random[0], random[1], random[2], random[3]
    mixed = a + d
    found = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a
    shifted = b << np.uint64(17)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << np.uint64(45)) | (d >> np.uint64(19))
    random[0], random[1], random[2], random[3] = a, b, c, d
    return found


@_part
def _uniform(random):
    """From 0 to 1, without 1."""
    return np.float64(_word(random) >> np.uint64(11)) * 1.1102230246251565e-16


@_part
def _below(random, n):
    """A whole number from 0 to n - 1."""
    return np.int64(_uniform(random) * n)


# Half a bell in strips of the same area (Marsaglia and Tsang's ziggurat): how wide they are, the
# lowest standing for the tail, too, and how high the bell is there.
_STRIPS, _TAIL, _AREA = 256, 3.6541528853610088, 0.00492867323399
_WIDTH = np.zeros(_STRIPS + 1)
_WIDTH[:2] = _AREA * np.exp(_TAIL**2 / 2), _TAIL
for _i in range(1, _STRIPS - 1):
    _above = _AREA / _WIDTH[_i] + np.exp(-(_WIDTH[_i] ** 2) / 2)
    _WIDTH[_i + 1] = np.sqrt(-2 * np.log(_above))
_HEIGHT = np.exp(-(_WIDTH**2) / 2)


@_part
def _normal(random):
    while True:
        word = _word(random)
        strip, sign = word & np.uint64(255), 1.0 - 2.0 * np.float64((word >> np.uint64(8)) & 1)
        x = np.float64(word >> np.uint64(11)) * 1.1102230246251565e-16 * _WIDTH[strip]
        if x < _WIDTH[strip + np.uint64(1)]:
            return sign * x
        if strip == 0:
            while True:
                x = -np.log(1 - _uniform(random)) / _TAIL
                if -2 * np.log(1 - _uniform(random)) > x * x:
                    return sign * (_TAIL + x)
        low, high = _HEIGHT[strip], _HEIGHT[strip + np.uint64(1)]
        if low + _uniform(random) * (high - low) < np.exp(-0.5 * x * x):
            return sign * x


@_part
def _gamma(random, shape):
    """A Gamma variable, by Marsaglia and Tsang's method."""
    if shape == 1:
        return -np.log(1 - _uniform(random))
    boost = 1.0
    if shape < 1:
        boost = (1 - _uniform(random)) ** (1 / shape)
        shape += 1
    d = shape - 1 / 3
    c = 1 / np.sqrt(9 * d)
    while True:
        x = _normal(random)
        v = 1 + c * x
        if v <= 0:
            continue
        v = v * v * v
        u = 1 - _uniform(random)
        if u < 1 - 0.0331 * x * x * x * x or np.log(u) < 0.5 * x * x + d * (1 - v + np.log(v)):
            return d * v * boost


@_part
def _beta(random, a, b):
    """A Beta variable; 1 if b is 0."""
    if b <= 0:
        return 1.0
    x = _gamma(random, a)
    y = _gamma(random, b)
    return x / (x + y) if x + y > 0 else np.float64(_uniform(random) * (a + b) < a)


@_part
def _first_above(cumulated, n, x):
    """The first of n ascending numbers that is above x."""
    low, width = _place(0), _place(n)
    if width <= _FEW:  # without branches
        for k in range(width - _place(1)):
            low += _place(cumulated[k] <= x)
        return np.int64(low)
    while width > _place(1):
        half = width >> _place(1)
        if cumulated[low + half - _place(1)] <= x:
            low += half
        width -= half
    return np.int64(low)


@_part
def _cumulate(weight, base, atoms, first, width, cumulated):
    """Add up the weights of a cell's atoms, one after the other; returns the sum of all."""
    total = cumulated.dtype.type(0)
    base, first = _place(base), _place(first)
    for k in range(_place(width)):
        total += weight[base + _place(atoms[first + k])]
        cumulated[k] = total
    return total


@_part
def _share_out(rows, total, weight, base, atoms, first, width, expected):
    """Add to each of a cell's atoms its share of the rows, by weight."""
    factor = rows / total
    base, first = _place(base), _place(first)
    for k in range(_place(width)):
        atom = base + _place(atoms[first + k])
        expected[atom] += factor * weight[atom]


# Horizontal, saturated: rows in atoms ---------------------------------------------------------


@_jit()
def scatter(random, value, rows, row_start, first, last, atoms, atom_start, size, longest, of_row):
    """Put every row into an atom of its cell, as likely as the atom is large."""
    cumulated = np.empty(longest)
    for cell in range(len(rows)):
        base, width, total = atom_start[value[cell]], last[cell] - first[cell], 0.0
        for k in range(width):
            total += size[base + atoms[first[cell] + k]]
            cumulated[k] = total
        for j in range(row_start[cell], row_start[cell + 1]):
            k = _first_above(cumulated, width, _uniform(random) * total)
            of_row[j] = base + atoms[first[cell] + k]


# Weights are whole multiples of a small number, ``one`` of which make a row: so adding and taking
# away leaves no traces, and sums are twice as fast as with floats.


@_jit()
def weigh(beta, one, size, of_row, weight):
    """The weight of each atom: β for each of its tuples, and 1 for each row in it."""
    for a in range(len(weight)):
        weight[a] = np.int64(np.rint(beta * size[a] * one))
    for j in range(len(of_row)):
        weight[of_row[j]] += one


@_part
def _found(atoms, first, last, atom):
    """Where an atom stands, or would stand, among those of a cell, which ascend."""
    low, high = first, last
    while low < high:
        middle = (low + high) >> 1
        if atoms[middle] < atom:
            low = middle + 1
        else:
            high = middle
    return low


@_part
def _is_member(atoms, first, last, atom):
    """Whether an atom is among those of a cell."""
    at = _found(atoms, first, last, atom)
    return at < last and atoms[at] == atom


@_part
def _copy_or_not(
    random, beta, volume, j, begin, end, first, last, base, atoms, everything, size, largest,
    of_row,
):  # fmt: skip
    """An atom for row j: a tuple of its set by β, or that of another row of its sensitive value.

    A row outside of the set is as good as not proposed at all.
    """
    prior = beta * volume
    while True:
        x = _uniform(random) * (prior + (end - begin - 1))
        if x >= prior:
            other = begin + np.int64(x - prior)
            if other >= j:
                other += 1
            if other < end:
                atom = of_row[other]
                if everything or _is_member(atoms, first, last, atom - base):
                    return np.int64(atom)
            continue
        while True:  # an atom as likely as it is large
            atom = base + atoms[first + _below(random, last - first)]
            if largest == 1 or _uniform(random) * largest < size[atom]:
                return np.int64(atom)


@_jit()
def sweep_collapsed(
    random, beta, one, sweeps, value, value_start, row_start, first, last, atoms, atom_start, size,
    volume, by_copy, largest, longest, weight, of_row, expected, share, share_start,
):  # fmt: skip
    """Draw all rows anew, π integrated out, cell after cell.

    The rows of a cell are drawn together: the first from the weights without them, each further
    one from these or, as an urn would have it, like one of those before. In the last of the
    sweeps, how many rows each atom is expected to have, each cell given all others, is written to
    ``expected``; where rows are copied, those that are there are counted. ``share``, unless it is
    empty, gets the same for each cell as shares, from its ``share_start`` on.
    """
    cumulated = np.empty(longest, np.int64)
    expected.fill(0)
    shares = len(share) > 0
    for sweep in range(sweeps):
        look = sweep == sweeps - 1
        for cell in range(len(value)):
            s, at, width = value[cell], first[cell], last[cell] - first[cell]
            base, begin, end = atom_start[s], row_start[cell], row_start[cell + 1]
            if width == 1:
                if look:
                    expected[base + atoms[at]] += end - begin
                    if shares:
                        share[share_start[cell]] = 1.0
                continue
            if by_copy[cell] and not (look and shares):
                others, until = row_start[value_start[s]], row_start[value_start[s + 1]]
                everything = width == atom_start[s + 1] - base
                for j in range(begin, end):
                    weight[of_row[j]] -= one
                    of_row[j] = _copy_or_not(
                        random, beta, volume[cell], j, others, until, at, last[cell], base, atoms,
                        everything, size, largest[cell], of_row,
                    )  # fmt: skip
                    weight[of_row[j]] += one
                    if look:
                        expected[of_row[j]] += 1.0
                continue
            for j in range(_place(begin), _place(end)):
                weight[_place(of_row[j])] -= one
            total = _cumulate(weight, base, atoms, at, width, cumulated)
            if look:
                _share_out(end - begin, total, weight, base, atoms, at, width, expected)
                if shares:
                    for k in range(width):
                        share[share_start[cell] + k] = weight[base + atoms[at + k]] / total
            urn = total
            for j in range(_place(begin), _place(end)):
                x = _below(random, urn)
                if x < total:
                    k = _place(at + _first_above(cumulated, width, x))
                    atom = _place(base + atoms[k])
                else:
                    atom = _place(of_row[_place(begin + (x - total) // one)])
                of_row[j] = atom
                weight[atom] += one
                urn += one


@_jit()
def sweep_gibbs(
    random, beta, sweeps, value, row_start, first, last, atoms, atom_start, size, longest, count,
    weight, of_row, expected, share, share_start,
):  # fmt: skip
    """Draw π given the rows, then the rows given π, as it was published.

    In the last of the sweeps, how many rows each atom is expected to have, given π, is written to
    ``expected``, and to ``share`` as `sweep_collapsed` does.
    """
    cumulated = np.empty(longest)
    expected.fill(0)
    for sweep in range(sweeps):
        look = sweep == sweeps - 1
        for a in range(len(weight)):
            weight[a] = _gamma(random, beta * size[a] + count[a])
        count.fill(0)
        for cell in range(len(value)):
            width, base, at = last[cell] - first[cell], atom_start[value[cell]], first[cell]
            begin, end = row_start[cell], row_start[cell + 1]
            total = _cumulate(weight, base, atoms, at, width, cumulated)
            if look:
                _share_out(end - begin, total, weight, base, atoms, at, width, expected)
                if len(share) > 0:
                    for k in range(width):
                        share[share_start[cell] + k] = weight[base + atoms[at + k]] / total
            for j in range(_place(begin), _place(end)):
                k = _first_above(cumulated, width, _uniform(random) * total)
                atom = _place(base + atoms[at + k])
                of_row[j] = atom
                count[atom] += 1


@_jit()
def note_down(expected, place, size, sums, found):
    """Add the rows expected at all places to sums; of some tuples, find their even shares."""
    for a in range(len(expected)):
        sums[a] += expected[a]
    for s in range(len(place)):
        for w in range(place.shape[1]):
            a = place[s, w]
            found[s, w] = expected[a] / size[a] if a >= 0 else 0.0


@_jit()
def draw_conditional(random, shape, beta, tuples, totals, place, size, count, found):
    """f(s | r, π) for tuples, π drawn given how many rows there are at each place.

    ``place`` (sensitive values × tuples) is -1 where no row can be. ``shape`` is α and the rows of
    each sensitive value, ``tuples`` the size of the domain.
    """
    values, n = place.shape
    population = np.empty(values)
    for s in range(values):
        population[s] = _gamma(random, shape[s])
    for w in range(n):
        whole = 0.0
        for s in range(values):
            rows, m = 0.0, 1.0
            if place[s, w] >= 0:
                rows, m = count[place[s, w]], size[place[s, w]]
            share = _beta(random, beta * m + rows, beta * (tuples - m) + (totals[s] - rows))
            if m > 1:
                share *= _beta(random, beta, beta * (m - 1))
            found[s, w] = population[s] * share
            whole += found[s, w]
        for s in range(values):
            found[s, w] = found[s, w] / whole if whole > 0 else 1.0 / values


# Horizontal, naive Bayes: rows have tuples ----------------------------------------------------

# ``codes`` (tuples × columns) are places in a list of the values of all columns; ``count``
# (sensitive values × values) is how many rows have each of these.


@_jit()
def count_columns(of_cell, row_start, of_row, codes, count):
    """How many rows have each value of each column, by their sensitive values."""
    count.fill(0)
    for cell in range(len(of_cell)):
        for j in range(row_start[cell], row_start[cell + 1]):
            for c in range(codes.shape[1]):
                count[of_cell[cell], codes[of_row[j], c]] += 1


@_jit()
def scatter_tuples(random, row_start, first, last, members, of_row):
    """Give every row a tuple of its cell, all being alike."""
    for cell in range(len(first)):
        for j in range(row_start[cell], row_start[cell + 1]):
            of_row[j] = members[first[cell] + _below(random, last[cell] - first[cell])]


@_jit()
def sweep_collapsed_columns(
    random, beta, sweeps, value, row_start, first, last, members, codes, longest, count, of_row,
    expected,
):  # fmt: skip
    """Draw all rows anew, one by one, π integrated out.

    In the last of the sweeps, what each row was drawn from is added up in ``expected``, unless
    that is empty.
    """
    cumulated, columns = np.empty(longest), codes.shape[1]
    for sweep in range(sweeps):
        look = sweep == sweeps - 1 and len(expected) > 0
        for cell in range(len(first)):
            s, at, width = value[cell], first[cell], last[cell] - first[cell]
            for j in range(row_start[cell], row_start[cell + 1]):
                for c in range(columns):
                    count[s, codes[of_row[j], c]] -= 1
                total = 0.0
                for k in range(width):
                    r, weight = members[at + k], 1.0
                    for c in range(columns):
                        weight *= beta + count[s, codes[r, c]]
                    total += weight
                    cumulated[k] = total
                k = _first_above(cumulated, width, _uniform(random) * total)
                of_row[j] = members[at + k]
                for c in range(columns):
                    count[s, codes[of_row[j], c]] += 1
                if look:
                    before = 0.0
                    for k in range(width):
                        expected[s, members[at + k]] += (cumulated[k] - before) / total
                        before = cumulated[k]


@_jit()
def sweep_gibbs_columns(
    random, beta, sweeps, value, value_start, row_start, first, last, members, codes, longest,
    count, of_row, expected,
):  # fmt: skip
    """Draw π of every column given the rows, then the rows given π."""
    cumulated, columns = np.empty(longest), codes.shape[1]
    weight, share = np.empty(len(codes)), np.empty(count.shape[1])
    for sweep in range(sweeps):
        look = sweep == sweeps - 1 and len(expected) > 0
        for s in range(len(count)):
            if value_start[s] == value_start[s + 1]:
                continue
            for v in range(len(share)):
                share[v] = _gamma(random, beta + count[s, v])
                count[s, v] = 0
            for r in range(len(codes)):
                weight[r] = 1.0
                for c in range(columns):
                    weight[r] *= share[codes[r, c]]
            for cell in range(value_start[s], value_start[s + 1]):
                at, width, total = first[cell], last[cell] - first[cell], 0.0
                for k in range(width):
                    total += weight[members[at + k]]
                    cumulated[k] = total
                begin, end = row_start[cell], row_start[cell + 1]
                for j in range(begin, end):
                    k = _first_above(cumulated, width, _uniform(random) * total)
                    of_row[j] = members[at + k]
                    for c in range(columns):
                        count[s, codes[of_row[j], c]] += 1
                if look:
                    for k in range(width):
                        r = members[at + k]
                        expected[s, r] += (end - begin) * weight[r] / total


@_jit()
def look_columns(beta, sizes, totals, codes, count, found):
    """E[f(r | s, π)] of tuples (× columns), given how many rows have each value of a column."""
    for s in range(len(count)):
        for w in range(len(codes)):
            share = 1.0
            for c in range(codes.shape[1]):
                share *= (beta + count[s, codes[w, c]]) / (beta * sizes[c] + totals[s])
            found[s, w] = share


@_jit()
def draw_conditional_columns(random, shape, beta, offset, codes, count, found):
    """f(s | r, π) for tuples (× columns), π of every column drawn given the rows."""
    values, columns = len(count), codes.shape[1]
    share = np.empty(count.shape[1])
    for s in range(values):
        population = _gamma(random, shape[s])
        for c in range(columns):
            whole = 0.0
            for v in range(offset[c], offset[c + 1]):
                share[v] = _gamma(random, beta + count[s, v])
                whole += share[v]
            for v in range(offset[c], offset[c + 1]):
                share[v] /= whole
        for w in range(len(codes)):
            found[s, w] = population
            for c in range(columns):
                found[s, w] *= share[codes[w, c]]
    for w in range(len(codes)):
        whole = 0.0
        for s in range(values):
            whole += found[s, w]
        for s in range(values):
            found[s, w] = found[s, w] / whole if whole > 0 else 1.0 / values


# Vertical: sensitive values are dealt out to tuples -------------------------------------------

# ``count`` and ``weight`` (sensitive values × tuples, or × values of all columns) are how many rows
# there are, and π but for its norm. ``codes`` (tuples × columns) says where a tuple is in them:
# for the saturated model the tuple itself is its only column.


@_jit()
def shuffle(random, start, of_row):
    """Deal the sensitive values of each group out at random."""
    for g in range(len(start) - 1):
        for i in range(start[g + 1] - 1, start[g], -1):
            j = start[g] + _below(random, i - start[g] + 1)
            of_row[i], of_row[j] = of_row[j], of_row[i]


@_jit()
def count_dealt(tuples, codes, of_row, count):
    """How many rows there are at each place."""
    count.fill(0)
    for i in range(len(tuples)):
        for c in range(codes.shape[1]):
            count[of_row[i], codes[tuples[i], c]] += 1


@_part
def _odds(beta, codes, count, s, r, z, q):
    """How likely two rows (s, r) and (z, q) are to exchange their sensitive values."""
    stay, swap = 1.0, 1.0
    for c in range(codes.shape[1]):
        a, b = codes[r, c], codes[q, c]
        if a != b:
            stay *= (beta + count[s, a] - 1) * (beta + count[z, b] - 1)
            swap *= (beta + count[s, b]) * (beta + count[z, a])
    return swap / (stay + swap)


@_part
def _odds_given(codes, weight, s, r, z, q):
    """The same, given π."""
    stay, swap = 1.0, 1.0
    for c in range(codes.shape[1]):
        a, b = codes[r, c], codes[q, c]
        if a != b:
            stay *= weight[s, a] * weight[z, b]
            swap *= weight[s, b] * weight[z, a]
    return swap / (stay + swap) if stay + swap > 0 else 0.5


@_part
def _exchange(codes, count, s, r, z, q):
    for c in range(codes.shape[1]):
        a, b = codes[r, c], codes[q, c]
        if a != b:
            count[s, a] -= 1
            count[z, b] -= 1
            count[s, b] += 1
            count[z, a] += 1


@_jit()
def sweep_swaps(random, beta, sweeps, start, tuples, codes, count, of_row):
    """As many pairs of each group as it has rows may exchange values, π integrated out."""
    for _ in range(sweeps):
        for g in range(len(start) - 1):
            begin, n = start[g], start[g + 1] - start[g]
            if n < 2:
                continue
            for _ in range(n):
                i = begin + _below(random, n)
                j = begin + _below(random, n - 1)
                j += j >= i
                s, r, z, q = of_row[i], tuples[i], of_row[j], tuples[j]
                if s == z or r == q:
                    continue
                if _uniform(random) < _odds(beta, codes, count, s, r, z, q):
                    of_row[i], of_row[j] = z, s
                    _exchange(codes, count, s, r, z, q)


@_jit()
def sweep_swaps_gibbs(random, beta, sweeps, start, tuples, codes, count, weight, of_row):
    """Draw π given the rows; then the same exchanges given π."""
    for _ in range(sweeps):
        for s in range(len(weight)):
            for v in range(weight.shape[1]):
                weight[s, v] = _gamma(random, beta + count[s, v])
        for g in range(len(start) - 1):
            begin, n = start[g], start[g + 1] - start[g]
            if n < 2:
                continue
            for _ in range(n):
                i = begin + _below(random, n)
                j = begin + _below(random, n - 1)
                j += j >= i
                s, r, z, q = of_row[i], tuples[i], of_row[j], tuples[j]
                if s == z or r == q:
                    continue
                if _uniform(random) < _odds_given(codes, weight, s, r, z, q):
                    of_row[i], of_row[j] = z, s
                    _exchange(codes, count, s, r, z, q)


_SMALL_GROUP = 16  # rows up to which all pairs are looked at


@_jit()
def look_swaps(beta, collapsed, start, tuples, codes, count, weight, of_row, expected):
    """How many rows (s, r) are expected, if each row may exchange values with another.

    In large groups the rows that are there are counted.
    """
    expected.fill(0)
    for g in range(len(start) - 1):
        begin, end = start[g], start[g + 1]
        for i in range(begin, end):
            expected[of_row[i], tuples[i]] += 1.0
        if end - begin > _SMALL_GROUP:
            continue
        for i in range(begin, end):
            s, r = of_row[i], tuples[i]
            for j in range(i + 1, end):
                z, q = of_row[j], tuples[j]
                if s == z or r == q:
                    continue
                if collapsed:
                    moved = _odds(beta, codes, count, s, r, z, q)
                else:
                    moved = _odds_given(codes, weight, s, r, z, q)
                moved /= end - begin - 1
                expected[s, r] -= moved
                expected[z, r] += moved
                expected[z, q] -= moved
                expected[s, q] += moved


# Horizontal, naive Bayes on boxes: each column by itself --------------------------------------


@_jit()
def join_columns(cell_of, first, last, atoms, share, counts, begins, inside, codes, found):
    """How many rows (s, r) are expected, if columns are independent given the sensitive value.

    ``cell_of`` (columns × boxes × sensitive values) is the cell of a column, whose rows have the
    codes ``atoms[first:last]`` with the probabilities ``share``. The tuples (``codes``: tuples ×
    columns) in box g are ``inside[begins[g]:begins[g + 1]]``.
    """
    found.fill(0)
    boxes, values = counts.shape
    for g in range(boxes):
        for s in range(values):
            if counts[g, s] == 0:
                continue
            for p in range(begins[g], begins[g + 1]):
                rows = np.float64(counts[g, s])
                for c in range(codes.shape[1]):
                    cell = cell_of[c, g, s]
                    rows *= share[_found(atoms, first[cell], last[cell], codes[inside[p], c])]
                found[s, inside[p]] += rows


# Horizontal, saturated, on boxes that are not written out: rows have tuples, as words ---------

# ``boxes`` is a `Packed`; ``words`` (rows × words) are the tuples of rows, ``number`` which of the
# ``known`` ones that is, or -1.


# Of ``boxes``, what the innermost loops need is handed on as arrays: that is quicker than all.


@_part
def _within(guard, low, high, box, words, row):
    """Whether no code of a row is too small or too large for a box."""
    for w in range(len(guard)):
        x = words[row, w]
        if ((x | guard[w]) - low[box, w]) & (high[box, w] - x) & guard[w] != guard[w]:
            return False
    return True


@_part
def _not_in_gap(boxes, box, words, row):
    """Whether a box that lacks codes in between lacks none of a row's."""
    for c in range(len(boxes.word)):
        x = boxes.region[box, c]
        if boxes.mask_at[x] < 0:
            continue
        code = (words[row, boxes.word[c]] >> boxes.shift[c]) & boxes.field[c]
        if not boxes.mask[boxes.mask_at[x] + np.int64(code) - boxes.lowest[x]]:
            return False
    return True


@_part
def _slot(words, row, slots, known):
    """Where a tuple is, or would be, in a table of numbers of known tuples."""
    mixed = np.uint64(0)
    for w in range(words.shape[1]):
        mixed = (mixed ^ words[row, w]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    at = np.int64(mixed & np.uint64(len(slots) - 1))
    while slots[at] >= 0:
        same = True
        for w in range(words.shape[1]):
            same &= known[slots[at], w] == words[row, w]
        if same:
            return at
        at = (at + 1) & (len(slots) - 1)
    return at


@_jit()
def fill_slots(known, slots):
    """Put the numbers of tuples where `_slot` finds them; the table's length is a power of 2."""
    slots.fill(-1)
    for w in range(len(known)):
        at = _slot(known, w, slots, known)
        if slots[at] < 0:
            slots[at] = w


@_part
def _random_tuple(random, region, start, members, word, shift, box, words, row):
    for w in range(words.shape[1]):
        words[row, w] = 0
    for c in range(len(word)):
        x = region[box, c]
        code = np.uint64(members[start[x] + _below(random, start[x + 1] - start[x])])
        words[row, word[c]] |= code << shift[c]


@_jit()
def scatter_in_boxes(random, group, row_start, region, start, members, word, shift, words):
    """Give every row a tuple of its box, all being alike."""
    for cell in range(len(group)):
        for j in range(row_start[cell], row_start[cell + 1]):
            _random_tuple(random, region, start, members, word, shift, group[cell], words, j)


@_jit()
def number_rows(words, known, slots, number):
    """Which of the known tuples each row has."""
    for j in range(len(words)):
        number[j] = slots[_slot(words, j, slots, known)]


@_part
def _row_to_copy(random, prior, begin, end, j, guard, low, high, box, words):
    """A row, between the ends of the box, that row j may copy; -1 for a random tuple instead."""
    while True:
        x = _uniform(random) * (prior + (end - begin))
        if x < prior:
            return np.int64(-1)
        row = begin + np.int64(x - prior)
        if row != j and row < end and _within(guard, low, high, box, words, row):
            return row


@_part
def _listed(cell, near_start, near, row_start, guard, low, high, box, words, rows):
    """Write down the rows of other cells that lie between the ends of the cell's box."""
    n = 0
    for k in range(near_start[cell], near_start[cell + 1]):
        if near[k] == cell:
            continue
        for row in range(row_start[near[k]], row_start[near[k] + 1]):
            rows[n] = row
            n += _within(guard, low, high, box, words, row)
    return n


@_part
def _without_gaps(boxes, box, words, rows, n):
    """Keep of n rows those that are in the box, which lacks codes in between."""
    kept = 0
    for i in range(n):
        rows[kept] = rows[i]
        kept += _not_in_gap(boxes, box, words, rows[i])
    return kept


@_part
def _expect(factor, beta, s, box, begins, inside, count, expected):
    """Add what a row may expect of each known tuple of its box."""
    for p in range(begins[box], begins[box + 1]):
        w = inside[p]
        expected[s, w] += factor * (beta + count[s, w])


@_jit()
def sweep_boxes(
    random, beta, sweeps, value, value_start, group, row_start, volume, near_start, near, boxes,
    known, slots, begins, inside, most, words, number, count, expected,
):  # fmt: skip
    """Draw all rows anew, π integrated out: each copies another one, or has a random tuple.

    ``near`` lists, from ``near_start`` on, the cells from which a cell's rows may copy, with at
    most so many rows; where there are none, all rows of its value are tried.

    In the last of the sweeps, how many rows (s, r) are expected of known tuples, those of a cell
    given all others, is written to ``expected``, and to ``count`` how many there then are. Where
    no cells are listed, nobody knows how many rows lie in the box; that a row's tuple is a random
    one stands for the probability of that, which is right on average. ``begins``, ``inside``: the
    known tuples of each box.
    """
    others = np.empty(most + 1, np.int64)
    expected.fill(0)
    for sweep in range(sweeps):
        look = sweep == sweeps - 1
        if look:
            _count_numbers(value, row_start, number, count)
        for cell in range(len(group)):
            s, box, prior = value[cell], group[cell], beta * volume[cell]
            begin, end, n = row_start[cell], row_start[cell + 1], 0
            listed = near_start[cell + 1] > near_start[cell]
            if listed:
                n = _listed(
                    cell, near_start, near, row_start, boxes.guard, boxes.low, boxes.high, box,
                    words, others,
                )  # fmt: skip
                if boxes.has_gaps[box]:
                    n = _without_gaps(boxes, box, words, others, n)
                if look:
                    for j in range(begin, end):
                        if number[j] >= 0:
                            count[s, number[j]] -= 1
                    factor = (end - begin) / (prior + n)
                    _expect(factor, beta, s, box, begins, inside, count, expected)
            for j in range(begin, end):
                row = np.int64(-1)
                if listed:
                    urn = n + j - begin
                    x = _uniform(random) * (prior + urn)
                    if x >= prior and urn > 0:
                        i = min(np.int64(x - prior), urn - 1)
                        row = others[i] if i < n else begin + i - n
                else:
                    first, last = row_start[value_start[s]], row_start[value_start[s + 1]]
                    while True:
                        row = _row_to_copy(
                            random, prior, first, last, j, boxes.guard, boxes.low, boxes.high, box,
                            words,
                        )  # fmt: skip
                        if row < 0 or not boxes.has_gaps[box]:
                            break
                        if _not_in_gap(boxes, box, words, row):
                            break
                    if look:
                        if number[j] >= 0:
                            count[s, number[j]] -= 1
                        if row < 0:
                            _expect(1 / prior, beta, s, box, begins, inside, count, expected)
                if row < 0:
                    _random_tuple(
                        random, boxes.region, boxes.start, boxes.members, boxes.word, boxes.shift,
                        box, words, j,
                    )  # fmt: skip
                    number[j] = slots[_slot(words, j, slots, known)]
                else:
                    for w in range(words.shape[1]):
                        words[j, w] = words[row, w]
                    number[j] = number[row]
                if look and number[j] >= 0:
                    count[s, number[j]] += 1


@_part
def _count_numbers(value, row_start, number, count):
    """How many rows have each known tuple, by their sensitive values."""
    count.fill(0)
    for cell in range(len(value)):
        for j in range(row_start[cell], row_start[cell + 1]):
            if number[j] >= 0:
                count[value[cell], number[j]] += 1
