"""Compiled kernels of all samplers: random numbers, sweeps, and expectations given the state.

A sweep changes the latent rows in place. Random numbers come from a state of four words
(xoshiro256++) that is passed in, so that results do not depend on threads.

All kernels are in this file because numba's cache does not notice changes in other files. None
returns an array, because an interrupt while one is created would crash the process. Problems and
plans are named tuples of arrays: ``lumps`` is a `Lumped`, ``packed`` a `Packed`, ``cells`` a
`Cells`, ``population`` a `_Population`; the others are classes of the sampler's own file. (The
cache stores these classes by name: after renaming one, delete ``__pycache__``.) Functions that are
called per row get only what they need: passing a large tuple on is slower.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from unveil._compiled import compiled, inner

# Indices are unsigned in the innermost loops: for a signed index numba checks whether it counts
# from the end.
_place = np.uint64
_FEW = np.uint64(32)  # numbers up to which a linear search is faster

# Random numbers -------------------------------------------------------------------------------


@inner
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


@inner
def _uniform(random):
    """A number from 0 up to, but not including, 1."""
    return np.float64(_word(random) >> np.uint64(11)) * 1.1102230246251565e-16


@inner
def _below(random, n):
    """An integer from 0 to n - 1."""
    return np.int64(_uniform(random) * n)


# Marsaglia and Tsang's ziggurat: half of the normal density in strips of equal area, the lowest of
# which includes the tail; the widths of the strips, and the density there.
_STRIPS, _TAIL, _AREA = 256, 3.6541528853610088, 0.00492867323399
_WIDTH = np.zeros(_STRIPS + 1)
_WIDTH[:2] = _AREA * np.exp(_TAIL**2 / 2), _TAIL
for _i in range(1, _STRIPS - 1):
    _above = _AREA / _WIDTH[_i] + np.exp(-(_WIDTH[_i] ** 2) / 2)
    _WIDTH[_i + 1] = np.sqrt(-2 * np.log(_above))
_HEIGHT = np.exp(-(_WIDTH**2) / 2)


@inner
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


@inner
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


@inner
def _beta(random, a, b):
    """A Beta variable; 1 if b is 0."""
    if b <= 0:
        return 1.0
    x = _gamma(random, a)
    y = _gamma(random, b)
    return x / (x + y) if x + y > 0 else np.float64(_uniform(random) * (a + b) < a)


@inner
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


@inner
def _cumulate(weight, base, atoms, first, width, cumulated):
    """Cumulate the weights of a cell's atoms; returns their sum."""
    total = cumulated.dtype.type(0)
    base, first = _place(base), _place(first)
    for k in range(_place(width)):
        total += weight[base + _place(atoms[first + k])]
        cumulated[k] = total
    return total


@inner
def _share_out(rows, total, weight, base, atoms, first, width, expected, share, at):
    """Add to each of a cell's atoms its share of the rows, by weight.

    Unless ``at`` is negative, the shares are written to ``share`` from there on.
    """
    factor = rows / total
    base, first = _place(base), _place(first)
    for k in range(_place(width)):
        atom = base + _place(atoms[first + k])
        expected[atom] += factor * weight[atom]
        if at >= 0:
            share[_place(at) + k] = weight[atom] / total


# Horizontal, saturated: rows have atoms ---------------------------------------------------------


@compiled()
def scatter(random, lumps, of_row):
    """Give every row an atom of its cell, with a probability in proportion to the atom's size."""
    cumulated = np.empty(lumps.longest)
    first, atoms, row_start = lumps.first, lumps.atoms, lumps.cells.row_start
    for cell in range(len(first)):
        base, width = lumps.atom_start[lumps.cells.value[cell]], lumps.last[cell] - first[cell]
        total = 0.0
        for k in range(width):
            total += lumps.size[base + atoms[first[cell] + k]]
            cumulated[k] = total
        for j in range(row_start[cell], row_start[cell + 1]):
            k = _first_above(cumulated, width, _uniform(random) * total)
            of_row[j] = base + atoms[first[cell] + k]


@inner
def _found(atoms, first, last, atom):
    """The position of an atom among the ascending atoms of a cell."""
    low, high = first, last
    while low < high:
        middle = (low + high) >> 1
        if atoms[middle] < atom:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _is_member(atoms, first, last, atom):
    """Whether an atom is one of a cell."""
    at = _found(atoms, first, last, atom)
    return at < last and atoms[at] == atom


_Set = namedtuple("_Set", "first last base prior largest is_all begin end")
# The atoms of a cell (``first`` to ``last`` in the list, counted from ``base``), their prior
# weight, the size of the largest, whether they are all atoms of the sensitive value, and the rows
# of the sensitive value (``begin`` to ``end``).


@inner
def _copy_or_not(random, cell, j, atoms, size, of_row):
    """An atom for row j: that of a tuple drawn by β, or of another row of its sensitive value.

    Rows whose atom is not in the cell are rejected.
    """
    while True:
        x = _uniform(random) * (cell.prior + (cell.end - cell.begin - 1))
        if x >= cell.prior:
            other = cell.begin + np.int64(x - cell.prior)
            if other >= j:
                other += 1
            if other < cell.end:
                atom = of_row[other]
                if cell.is_all or _is_member(atoms, cell.first, cell.last, atom - cell.base):
                    return np.int64(atom)
            continue
        while True:  # an atom with a probability in proportion to its size
            atom = cell.base + atoms[cell.first + _below(random, cell.last - cell.first)]
            if cell.largest == 1 or _uniform(random) * cell.largest < size[atom]:
                return np.int64(atom)


# If π is integrated out, weights are integers, and ``plan.one`` is the weight of a row: so adding
# and subtracting leaves no rounding errors, and sums are twice as fast as with floats.


@compiled()
def sweep_atoms(random, beta, sweeps, lumps, plan, weight, of_row, expected, share, share_start):
    """Draw all rows anew, cell after cell.

    With π integrated out the rows of a cell are drawn jointly: the first from the weights without
    them, each further one from these or, as from a Pólya urn, like one before. If ``plan.one`` is
    0, π is drawn before each sweep, and the rows given π, as published. In the last sweep the
    expected number of rows in each atom, each cell given all others or π, is written to
    ``expected``; for cells drawn by copying, the actual rows are counted. Unless ``share`` is
    empty, the same is written to it as shares of each cell, from ``share_start`` on.
    """
    cumulated, one, collapsed = np.empty(lumps.longest, weight.dtype), plan.one, plan.one > 0
    cells, atom_start, row_start = lumps.cells, lumps.atom_start, lumps.cells.row_start
    first, last, atoms, size = lumps.first, lumps.last, lumps.atoms, lumps.size
    count, shares = np.empty(0 if collapsed else len(weight), np.int64), len(share) > 0
    expected.fill(0)
    for sweep in range(sweeps):
        look = sweep == sweeps - 1
        if not collapsed:
            count.fill(0)
            for j in range(len(of_row)):
                count[of_row[j]] += 1
            for a in range(len(weight)):
                weight[a] = _gamma(random, beta * size[a] + count[a])
        for cell in range(len(first)):
            s, at, width = cells.value[cell], first[cell], last[cell] - first[cell]
            base, begin, end = atom_start[s], row_start[cell], row_start[cell + 1]
            if collapsed and width == 1:
                if look:
                    expected[base + atoms[at]] += end - begin
                    if shares:
                        share[share_start[cell]] = 1.0
                continue
            if plan.by_copy[cell] and not (look and shares):
                others = row_start[cells.value_start[s]]
                until = row_start[cells.value_start[s + 1]]
                tuples = _Set(
                    at, last[cell], base, beta * lumps.volume[cell], lumps.largest[cell],
                    width == atom_start[s + 1] - base, others, until,
                )  # fmt: skip
                for j in range(begin, end):
                    weight[of_row[j]] -= one
                    of_row[j] = _copy_or_not(random, tuples, j, atoms, size, of_row)
                    weight[of_row[j]] += one
                    if look:
                        expected[of_row[j]] += 1.0
                continue
            if collapsed:
                for j in range(_place(begin), _place(end)):
                    weight[_place(of_row[j])] -= one
            total = _cumulate(weight, base, atoms, at, width, cumulated)
            if look:
                to = share_start[cell] if shares else -1
                _share_out(end - begin, total, weight, base, atoms, at, width, expected, share, to)
            urn = total
            for j in range(_place(begin), _place(end)):
                x = weight.dtype.type(_uniform(random) * urn)
                if x < total or not collapsed:
                    k = _place(at + _first_above(cumulated, width, x))
                    atom = _place(base + atoms[k])
                else:
                    atom = _place(of_row[_place(begin + (x - total) // one)])
                of_row[j] = atom
                if collapsed:
                    weight[atom] += one
                    urn += one


@inner
def _normalize(found):
    """Divide each column by its sum; a column of zeros becomes even."""
    values, n = found.shape
    for w in range(n):
        whole = 0.0
        for s in range(values):
            whole += found[s, w]
        for s in range(values):
            found[s, w] = found[s, w] / whole if whole > 0 else 1.0 / values


@compiled()
def draw_conditional(random, population, place, size, count, found):
    """f(s | r, π) for tuples, with π drawn given the number of rows at each place.

    ``place`` (sensitive values × tuples) is -1 where no row can be.
    """
    values, n = place.shape
    beta, totals = population.beta, population.totals
    of_value = np.empty(values)
    for s in range(values):
        of_value[s] = _gamma(random, population.weight[s])
    for w in range(n):
        for s in range(values):
            rows, m = 0.0, 1.0
            if place[s, w] >= 0:
                rows, m = count[place[s, w]], size[place[s, w]]
            rest = beta * (population.tuples - m) + (totals[s] - rows)
            share = _beta(random, beta * m + rows, rest)
            if m > 1:
                share *= _beta(random, beta, beta * (m - 1))
            found[s, w] = of_value[s] * share
    _normalize(found)


# Horizontal, naive Bayes: rows have tuples ------------------------------------------------------

# ``lumps`` has one atom for every tuple. ``codes`` (tuples × columns) are positions in a list of
# the values of all columns; ``count`` (sensitive values × values) is the number of rows with each.


@compiled()
def sweep_collapsed_columns(random, beta, sweeps, lumps, codes, count, of_row, expected):
    """Draw all rows anew, one by one, with π integrated out.

    In the last sweep the probabilities from which each row was drawn are added up in ``expected``.
    """
    cells, members = lumps.cells, lumps.atoms
    cumulated, columns = np.empty(lumps.longest), codes.shape[1]
    expected.fill(0)
    for sweep in range(sweeps):
        look = sweep == sweeps - 1
        for cell in range(len(lumps.first)):
            s, at = cells.value[cell], lumps.first[cell]
            width = lumps.last[cell] - at
            for j in range(cells.row_start[cell], cells.row_start[cell + 1]):
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


@compiled()
def sweep_gibbs_columns(random, beta, sweeps, lumps, codes, count, of_row, expected):
    """Draw π of every column given the rows, then the rows given π; ``expected`` as above."""
    members, row_start, value_start = lumps.atoms, lumps.cells.row_start, lumps.cells.value_start
    cumulated, columns = np.empty(lumps.longest), codes.shape[1]
    expected.fill(0)
    weight, share = np.empty(len(codes)), np.empty(count.shape[1])
    for sweep in range(sweeps):
        look = sweep == sweeps - 1
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
                at, width, total = lumps.first[cell], lumps.last[cell] - lumps.first[cell], 0.0
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


@compiled()
def look_columns(population, codes, count, found):
    """E[f(r | s, π)] of tuples (× columns), given the number of rows with each value."""
    beta, offset = population.beta, population.offset
    for s in range(len(count)):
        for w in range(len(codes)):
            share = 1.0
            for c in range(codes.shape[1]):
                whole = beta * (offset[c + 1] - offset[c]) + population.totals[s]
                share *= (beta + count[s, codes[w, c]]) / whole
            found[s, w] = share


@compiled()
def draw_conditional_columns(random, population, codes, count, found):
    """f(s | r, π) for tuples (× columns), with π of every column drawn given the rows."""
    values, columns, offset = len(count), codes.shape[1], population.offset
    share = np.empty(count.shape[1])
    for s in range(values):
        of_value = _gamma(random, population.weight[s])
        for c in range(columns):
            whole = 0.0
            for v in range(offset[c], offset[c + 1]):
                share[v] = _gamma(random, population.beta + count[s, v])
                whole += share[v]
            for v in range(offset[c], offset[c + 1]):
                share[v] /= whole
        for w in range(len(codes)):
            found[s, w] = of_value
            for c in range(columns):
                found[s, w] *= share[codes[w, c]]
    _normalize(found)


# Vertical: tuples have sensitive values ---------------------------------------------------------

# ``count`` and ``weight`` (sensitive values × tuples, or × values of all columns) are the number of
# rows, and π before it is normalized. ``dealt.codes`` (tuples × columns) are positions in them; in
# the saturated model a tuple is its own only column.


@compiled()
def shuffle(random, start, of_row):
    """Shuffle the sensitive values of each group."""
    for g in range(len(start) - 1):
        for i in range(start[g + 1] - 1, start[g], -1):
            j = start[g] + _below(random, i - start[g] + 1)
            of_row[i], of_row[j] = of_row[j], of_row[i]


@inner
def _odds(beta, codes, count, weight, s, r, z, q):
    """The probability that two rows (s, r) and (z, q) exchange their sensitive values.

    π is integrated out, or given by ``weight`` unless that is empty.
    """
    stay, swap, collapsed = 1.0, 1.0, weight.size == 0
    for c in range(codes.shape[1]):
        a, b = codes[r, c], codes[q, c]
        if a == b:
            continue
        if collapsed:
            stay *= (beta + count[s, a] - 1) * (beta + count[z, b] - 1)
            swap *= (beta + count[s, b]) * (beta + count[z, a])
        else:
            stay *= weight[s, a] * weight[z, b]
            swap *= weight[s, b] * weight[z, a]
    return swap / (stay + swap) if stay + swap > 0 else 0.5


@inner
def _exchange(codes, count, s, r, z, q):
    for c in range(codes.shape[1]):
        a, b = codes[r, c], codes[q, c]
        if a != b:
            count[s, a] -= 1
            count[z, b] -= 1
            count[s, b] += 1
            count[z, a] += 1


@compiled()
def sweep_swaps(random, beta, sweeps, dealt, count, weight, of_row):
    """As many random pairs of each group as it has rows may exchange their sensitive values.

    π is integrated out, or drawn before each sweep unless ``weight`` is empty.
    """
    start, tuples, codes = dealt.start, dealt.tuples, dealt.codes
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
                odds = _odds(beta, codes, count, weight, s, r, z, q)
                if _uniform(random) < odds:
                    of_row[i], of_row[j] = z, s
                    _exchange(codes, count, s, r, z, q)


_SMALL_GROUP = 16  # rows up to which all pairs are considered


@compiled()
def look_swaps(beta, dealt, count, weight, of_row, expected):
    """The expected number of rows (s, r) if each row may exchange values with another.

    In large groups the actual rows are counted. ``weight`` is as in `sweep_swaps`.
    """
    start, tuples, codes = dealt.start, dealt.tuples, dealt.codes
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
                moved = _odds(beta, codes, count, weight, s, r, z, q) / (end - begin - 1)
                expected[s, r] -= moved
                expected[z, r] += moved
                expected[z, q] -= moved
                expected[s, q] += moved


# Horizontal, naive Bayes on boxes: each column separately ---------------------------------------


@compiled()
def join_columns(lists, share, counts, watched, found):
    """The expected number of rows (s, r): columns are independent given the sensitive value."""
    found.fill(0)
    boxes, values = counts.shape
    first, last, atoms, codes = lists.first, lists.last, lists.atoms, watched.codes
    for g in range(boxes):
        for s in range(values):
            if counts[g, s] == 0:
                continue
            for p in range(watched.begins[g], watched.begins[g + 1]):
                w, rows = watched.inside[p], np.float64(counts[g, s])
                for c in range(codes.shape[1]):
                    cell = lists.cell_of[c, g, s]
                    k = _found(atoms, first[cell], last[cell], codes[w, c]) - first[cell]
                    rows *= share[lists.share_start[cell] + k]
                found[s, w] += rows


# Horizontal, saturated, on boxes that are not enumerated: rows have tuples, as words -------------

# ``words`` (rows × words) are the tuples of rows, ``number`` their numbers among the watched
# tuples, or -1.

_Ranges = namedtuple("_Ranges", "guard low high")
_Regions = namedtuple("_Regions", "region start members word shift")


@inner
def _within(ranges, box, words, row):
    """Whether no code of a row is too small or too large for a box."""
    for w in range(len(ranges.guard)):
        x, guard = words[row, w], ranges.guard[w]
        if ((x | guard) - ranges.low[box, w]) & (ranges.high[box, w] - x) & guard != guard:
            return False
    return True


@inner
def _not_in_gap(packed, box, words, row):
    """Whether no code of a row is in a gap of a box."""
    boxes = packed.boxes
    for c in range(len(packed.word)):
        x = boxes.region[box, c]
        if boxes.mask_at[x] < 0:
            continue
        code = (words[row, packed.word[c]] >> packed.shift[c]) & packed.field[c]
        if not boxes.mask[boxes.mask_at[x] + np.int64(code) - boxes.low[x]]:
            return False
    return True


@inner
def _slot(words, row, slots, known):
    """The position of a tuple in a hash table of the numbers of known tuples."""
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


@compiled()
def fill_slots(known, slots):
    """Fill the hash table of `_slot`, whose length is a power of 2."""
    slots.fill(-1)
    for w in range(len(known)):
        at = _slot(known, w, slots, known)
        if slots[at] < 0:
            slots[at] = w


@inner
def _regions(packed):
    boxes = packed.boxes
    return _Regions(boxes.region, boxes.start, boxes.members, packed.word, packed.shift)


@inner
def _random_tuple(random, regions, box, words, row):
    for w in range(words.shape[1]):
        words[row, w] = 0
    start = regions.start
    for c in range(len(regions.word)):
        x = regions.region[box, c]
        code = np.uint64(regions.members[start[x] + _below(random, start[x + 1] - start[x])])
        words[row, regions.word[c]] |= code << regions.shift[c]


@compiled()
def scatter_in_boxes(random, cells, packed, words):
    """Give every row a random tuple of its box."""
    regions = _regions(packed)
    for cell in range(len(cells.group)):
        for j in range(cells.row_start[cell], cells.row_start[cell + 1]):
            _random_tuple(random, regions, cells.group[cell], words, j)


@compiled()
def number_rows(words, watched, number):
    """The number of each row's tuple among the watched ones."""
    for j in range(len(words)):
        number[j] = watched.slots[_slot(words, j, watched.slots, watched.known)]


@inner
def _row_to_copy(random, prior, begin, end, j, ranges, box, words):
    """A row within the ranges of the box that row j may copy; -1 for a random tuple instead."""
    while True:
        x = _uniform(random) * (prior + (end - begin))
        if x < prior:
            return np.int64(-1)
        row = begin + np.int64(x - prior)
        if row != j and row < end and _within(ranges, box, words, row):
            return row


@inner
def _listed(cell, plan, row_start, ranges, box, words, rows):
    """List the rows of other cells that are within the ranges of the cell's box."""
    n = 0
    for k in range(plan.near_start[cell], plan.near_start[cell + 1]):
        if plan.near[k] == cell:
            continue
        for row in range(row_start[plan.near[k]], row_start[plan.near[k] + 1]):
            rows[n] = row
            n += _within(ranges, box, words, row)
    return n


@inner
def _without_gaps(packed, box, words, rows, n):
    """Keep those of n rows that are in the box, which has gaps."""
    kept = 0
    for i in range(n):
        rows[kept] = rows[i]
        kept += _not_in_gap(packed, box, words, rows[i])
    return kept


@inner
def _expect(factor, beta, s, box, watched, count, expected):
    """Add what is expected of one row, or several, for each watched tuple of the box."""
    for p in range(watched.begins[box], watched.begins[box + 1]):
        w = watched.inside[p]
        expected[s, w] += factor * (beta + count[s, w])


@inner
def _count_numbers(cells, number, count):
    """Count the rows with each watched tuple, by sensitive value."""
    count.fill(0)
    for cell in range(len(cells.value)):
        for j in range(cells.row_start[cell], cells.row_start[cell + 1]):
            if number[j] >= 0:
                count[cells.value[cell], number[j]] += 1


@compiled()
def sweep_boxes(random, beta, sweeps, plan, packed, watched, words, number, count, expected):
    """Draw all rows anew with π integrated out: each copies another one, or has a random tuple.

    In the last sweep the expected number of rows (s, r) of watched tuples, those of a cell given
    all others, is written to ``expected``, and the actual number to ``count``. If no cells are
    listed for a cell, the number of rows in its box is unknown. Then that a row got a random tuple
    stands for the probability of it, which is right on average.
    """
    others, cells = np.empty(plan.most + 1, np.int64), plan.cells
    row_start, value_start = cells.row_start, cells.value_start
    ranges, regions = _Ranges(packed.guard, packed.low, packed.high), _regions(packed)
    expected.fill(0)
    for sweep in range(sweeps):
        look = sweep == sweeps - 1
        if look:
            _count_numbers(cells, number, count)
        for cell in range(len(cells.group)):
            s, box, prior = cells.value[cell], cells.group[cell], beta * plan.volume[cell]
            begin, end, n = row_start[cell], row_start[cell + 1], 0
            listed = plan.near_start[cell + 1] > plan.near_start[cell]
            if listed:
                n = _listed(cell, plan, row_start, ranges, box, words, others)
                if packed.has_gaps[box]:
                    n = _without_gaps(packed, box, words, others, n)
                if look:
                    for j in range(begin, end):
                        if number[j] >= 0:
                            count[s, number[j]] -= 1
                    _expect((end - begin) / (prior + n), beta, s, box, watched, count, expected)
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
                        row = _row_to_copy(random, prior, first, last, j, ranges, box, words)
                        if row < 0 or not packed.has_gaps[box]:
                            break
                        if _not_in_gap(packed, box, words, row):
                            break
                    if look:
                        if number[j] >= 0:
                            count[s, number[j]] -= 1
                        if row < 0:
                            _expect(1 / prior, beta, s, box, watched, count, expected)
                if row < 0:
                    _random_tuple(random, regions, box, words, j)
                    number[j] = watched.slots[_slot(words, j, watched.slots, watched.known)]
                else:
                    for w in range(words.shape[1]):
                        words[j, w] = words[row, w]
                    number[j] = number[row]
                if look and number[j] >= 0:
                    count[s, number[j]] += 1
