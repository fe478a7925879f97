"""Compiled kernels of recoding: the classes of one node of the lattice, and greedy merging.

**A node.** The table is a list of distinct combinations of quasi-identifiers and, for each, its
*entries*: how many records with which sensitive value. `classes` groups the combinations by the
cells of their codes at the levels of the node. Where the goal depends on more than the size of a
class, `judge` looks into the classes, and `judge_without` again for each entry, as if one of its
records were missing.

**Merging.** `merge` is the local recoding: see `_local`.

Everything is in this one file because numba's cache does not notice changes in other files. What
the main thread calls returns a number or nothing, for the reason given in Mondrian's kernels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unveil._compiled import compiled, inner

TUPLE, SECRET, COUNT, PERSON = 0, 1, 2, 3  # columns of an entry
KEY, CLASS, FIRST_OF = 0, 1, 2  # rows of what `classes` works on
FROM, TO, WEIGHT, EXPECTED = range(4)  # columns of Goal.stretch

PARENT, FIRST, LAST, LOST = 0, 1, 2, 3  # columns of Cells.node
BEGIN, END, UNIT = 0, 1, 2  # columns of Cells.column
SIZE, FAILS, LOSES, HEAD, TAIL, INTO, ALIVE = range(7)  # columns of Classes.info

NOT_MET = -1  # instead of a number of classes: all records together miss the goal

_SPAN = 2**62  # keys below it fit into 64 bits
_ODD = np.int64(-7046029254386353131)  # a number without a pattern, to spread keys by


class Goal(NamedTuple):
    """What every class has to meet; k = l = 1 and no stretches demand nothing.

    ``values`` is the number of sensitive values, ``records`` that of the table's records; for
    ``stretch`` and ``far`` see `Stretches`. Where a person may have several rows, ``share`` has the
    weight of each of c rows of a person by c (otherwise it is empty), ``records`` is the number of
    people, and what is in ``stretch`` is weight.
    """

    k: Any
    l: Any  # noqa: E741
    values: Any
    records: Any
    stretch: Any
    far: Any
    share: Any


@inner
def _renumber(work, n, span, slots):
    """Number the keys by first appearance; return how many there are.

    Keys within a short span have a slot each; others are looked for from where their hash is.
    """
    n_slots = len(slots)
    direct = span <= n_slots
    for at in range(span if direct else n_slots):
        slots[at] = -1
    found = 0
    for i in range(n):
        key = work[KEY, i]
        at = key
        if not direct:
            mixed = key * _ODD
            at = (mixed ^ (mixed >> 29)) & (n_slots - 1)
            while slots[at] >= 0 and work[KEY, slots[at]] != key:
                at = (at + 1) & (n_slots - 1)
        if slots[at] < 0:
            slots[at] = i
            work[CLASS, i] = found
            work[FIRST_OF, found] = i
            found += 1
        else:
            work[CLASS, i] = work[CLASS, slots[at]]
    return found


@compiled()
def classes(codes, group, at, work, slots):
    """Put combinations (columns × combinations) into classes; returns how many there are.

    ``at`` tells where each column's cells begin in ``group``, and how many there are. ``work`` then
    has the class of each combination in its row ``CLASS``, and the first combination of each class
    in its row ``FIRST_OF``. There are a power of two of slots, more than twice the combinations.
    """
    n = codes.shape[1]
    for i in range(n):
        work[KEY, i] = 0
    span = 1
    for j in range(codes.shape[0]):
        offset, width = at[j, 0], at[j, 1]
        if span > _SPAN // width:
            span = _renumber(work, n, span, slots)
            for i in range(n):
                work[KEY, i] = work[CLASS, i]
        for i in range(n):
            work[KEY, i] = work[KEY, i] * width + group[offset + codes[j, i]]
        span *= width
    return _renumber(work, n, span, slots)


@inner
def _is_far(hist, size, goal):
    """Whether a class is further than t from the whole table."""
    moved, inside, first, after = 0, 0, -1, 0
    for stretch in range(len(goal.stretch)):
        if goal.stretch[stretch, FROM] != first:
            first, inside = goal.stretch[stretch, FROM], 0
            after = first
        while after <= goal.stretch[stretch, TO]:  # the one before may have begun at the same value
            inside += hist[after]
            after += 1
        extra = inside * goal.records - goal.stretch[stretch, EXPECTED] * size
        moved += goal.stretch[stretch, WEIGHT] * abs(extra)
    return float(moved) > goal.far * float(size) * float(goal.records)


@inner
def _misses(hist, size, most, goal):
    """Whether a class misses the goal; ``most``: records of its most frequent value."""
    return size < goal.k or most * goal.l > size or _is_far(hist, size, goal)


@inner
def _in_order(entry, class_of, n_classes):
    """Where the entries of each class begin in a list of all, and that list."""
    start, order = np.zeros(n_classes + 1, np.int64), np.empty(len(entry), np.int64)
    for e in range(len(entry)):
        start[class_of[entry[e, TUPLE]]] += 1
    for c in range(n_classes):
        start[c + 1] += start[c]
    for e in range(len(entry) - 1, -1, -1):  # from the end of each class, which is then its start
        c = class_of[entry[e, TUPLE]]
        start[c] -= 1
        order[start[c]] = e
    return start, order


@compiled()
def judge(entry, class_of, sizes, goal, spared, limit, misses):
    """Which classes miss the goal; returns how many records are in them.

    With ``spared`` the largest such class is not counted. Above ``limit`` the rest is not looked
    at.
    """
    start, order = _in_order(entry, class_of, len(sizes))
    hist = np.zeros(goal.values, np.int64)
    missing, largest = 0, 0
    for c in range(len(sizes)):
        most = 0
        for e in order[start[c] : start[c + 1]]:
            hist[entry[e, SECRET]] += entry[e, COUNT]
            most = max(most, hist[entry[e, SECRET]])
        misses[c] = _misses(hist, sizes[c], most, goal)
        for e in order[start[c] : start[c + 1]]:
            hist[entry[e, SECRET]] = 0
        if misses[c]:
            missing += sizes[c]
            largest = max(largest, sizes[c] * spared)
            if missing - largest > limit:
                break
    return missing - largest


@compiled()
def judge_without(entry, class_of, sizes, goal, is_target, misses):
    """Which targets (entries) are in a class that would miss the goal without one of its records.

    ``goal`` is that of the table without a record of that entry.
    """
    start, order = _in_order(entry, class_of, len(sizes))
    hist = np.zeros(goal.values, np.int64)
    known = np.full(
        goal.values, -1
    )  # for the class without a record of each value; below 0: not yet
    for c in range(len(sizes)):
        entries, most, n_most = order[start[c] : start[c + 1]], 0, 0
        for e in entries:
            hist[entry[e, SECRET]] += entry[e, COUNT]
            most = max(most, hist[entry[e, SECRET]])
        for e in entries:
            s = entry[e, SECRET]
            if known[s] == -1:
                known[s] = -2
                n_most += hist[s] == most
        for e in entries:
            s = entry[e, SECRET]
            if is_target[e] and known[s] < 0:
                # Where another value is as frequent, the most frequent one stays so.
                without = most - 1 if n_most == 1 and hist[s] == most else most
                hist[s] -= 1
                known[s] = _misses(hist, sizes[c] - 1, without, goal)
                hist[s] += 1
            misses[e] = known[s] == 1
        for e in entries:
            hist[entry[e, SECRET]], known[entry[e, SECRET]] = 0, -1


# Where a person may have several rows, an entry is of one person. People are counted, and weigh the
# same: each of c rows of a person in a class counts 1/c.


@inner
def _is_far_by_weight(weights, people, goal):
    """Whether a class of so many people is further than t from the whole table."""
    moved, inside, first, after = 0.0, 0, -1, 0
    for stretch in range(len(goal.stretch)):
        if goal.stretch[stretch, FROM] != first:
            first, inside = goal.stretch[stretch, FROM], 0
            after = first
        while after <= goal.stretch[stretch, TO]:
            inside += weights[after]
            after += 1
        expected = float(goal.stretch[stretch, EXPECTED]) / float(goal.records)
        off = abs(float(inside) / float(people) - expected)
        moved += float(goal.stretch[stretch, WEIGHT]) * off
    return moved > goal.far * float(goal.share[1])


@inner
def _judge_people(entry, some, goal, weights, rows):
    """How many people have some entries, the largest weight of a value, and if they miss the goal.

    ``weights`` and ``rows`` are to work in, and are all 0.
    """
    people, most = 0, 0
    for e in some:
        if rows[entry[e, PERSON]] == 0:
            people += 1
        rows[entry[e, PERSON]] += entry[e, COUNT]
    for e in some:
        secret = entry[e, SECRET]
        weights[secret] += entry[e, COUNT] * goal.share[rows[entry[e, PERSON]]]
        most = max(most, weights[secret])
    misses = (
        people < max(goal.k, goal.l)
        or most > people * goal.share[1] // goal.l
        or _is_far_by_weight(weights, people, goal)
    )
    for e in some:
        weights[entry[e, SECRET]] = rows[entry[e, PERSON]] = 0
    return people, most, misses


@compiled()
def judge_people(entry, class_of, goal, people, found):
    """For each class its people, the largest weight of a value, and if it misses the goal.

    There are so many ``people``. ``found`` has a row for each class.
    """
    start, order = _in_order(entry, class_of, len(found))
    weights, rows = np.zeros(goal.values, np.int64), np.zeros(people, np.int64)
    for c in range(len(found)):
        some = order[start[c] : start[c + 1]]
        found[c, 0], found[c, 1], found[c, 2] = _judge_people(entry, some, goal, weights, rows)


class Cells(NamedTuple):
    """The columns while classes are merged, those of hierarchy nodes first, those of sets last.

    ``begin``: the first column of ranges, the first of sets, and the number of columns. ``column``
    has a row for each: where its part of ``node``, or its words of `Classes.members`, begin and
    end, and the loss of one more value of a set.
    """

    begin: Any
    column: Any
    node: Any


class Classes(NamedTuple):
    """Classes while they are merged.

    ``info`` has a row for each: its records, whether it misses the goal, the loss of a record, the
    first and last of its entries, which ``following`` chains, and the class that it was merged
    into; the column ALIVE, independent of the others, lists the classes that are left.

    ``cell`` has two numbers for each class and column: the number of a node, twice; or the ends of
    a range, whose difference is its loss. ``members`` has a bit for each value of a set.
    """

    info: Any
    cell: Any
    members: Any
    following: Any


@inner
def _bits(word):
    """How many bits of a word are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def _above(cells, j, a, b):
    """The lowest node of column j above two nodes."""
    offset = cells.column[j, BEGIN]
    first, last = cells.node[offset + b, FIRST], cells.node[offset + b, LAST]
    while cells.node[offset + a, FIRST] > first or cells.node[offset + a, LAST] < last:
        a = cells.node[offset + a, PARENT]
    return a


@inner
def _in_both(cells, classes, j, a, b):
    """How many values two classes' sets in column j have together."""
    both = 0
    for word in range(cells.column[j, BEGIN], cells.column[j, END]):
        both += _bits(classes.members[a, word] | classes.members[b, word])
    return both


@inner
def _nearest(cells, classes, a, n_alive, joined):
    """The class whose merging with `a` adds the least loss, the first of several.

    ``joined`` is filled with the loss of each node once it is joined with a's.
    """
    ranges, sets, columns = cells.begin[0], cells.begin[1], cells.begin[2]
    for j in range(ranges):
        begin = cells.column[j, BEGIN]
        for node in range(begin, cells.column[j, END]):
            above = _above(cells, j, classes.cell[a, 2 * j], node - begin)
            joined[node] = cells.node[begin + above, LOST]
    nearest, least = np.int64(-1), np.int64(_SPAN)
    for place in range(n_alive):
        b = classes.info[place, ALIVE]
        both = classes.info[a, SIZE] + classes.info[b, SIZE]
        had = (
            classes.info[a, SIZE] * classes.info[a, LOSES]
            + classes.info[b, SIZE] * classes.info[b, LOSES]
        )
        lost = np.int64(0)
        for j in range(ranges):
            lost += joined[cells.column[j, BEGIN] + classes.cell[b, 2 * j]]
        for j in range(ranges, sets):
            low = min(classes.cell[a, 2 * j], classes.cell[b, 2 * j])
            high = max(classes.cell[a, 2 * j + 1], classes.cell[b, 2 * j + 1])
            lost += high - low
        for j in range(sets, columns):
            if both * lost - had > least:
                break
            lost += (_in_both(cells, classes, j, a, b) - 1) * cells.column[j, UNIT]
        more = both * lost - had
        if (more < least or (more == least and b < nearest)) and b != a:
            nearest, least = b, more
    return nearest, least


@inner
def _take(cells, classes, a, b):
    """Merge class b into class a."""
    ranges, sets, columns = cells.begin[0], cells.begin[1], cells.begin[2]
    cell, lost = classes.cell, 0
    for j in range(ranges):
        cell[a, 2 * j] = _above(cells, j, cell[a, 2 * j], cell[b, 2 * j])
        cell[a, 2 * j + 1] = cell[a, 2 * j]
        lost += cells.node[cells.column[j, BEGIN] + cell[a, 2 * j], LOST]
    for j in range(ranges, sets):
        cell[a, 2 * j] = min(cell[a, 2 * j], cell[b, 2 * j])
        cell[a, 2 * j + 1] = max(cell[a, 2 * j + 1], cell[b, 2 * j + 1])
        lost += cell[a, 2 * j + 1] - cell[a, 2 * j]
    for j in range(sets, columns):
        lost += (_in_both(cells, classes, j, a, b) - 1) * cells.column[j, UNIT]
    for word in range(classes.members.shape[1]):
        classes.members[a, word] |= classes.members[b, word]
    classes.info[a, LOSES] = lost
    classes.info[a, SIZE] += classes.info[b, SIZE]
    classes.following[classes.info[a, TAIL]] = classes.info[b, HEAD]
    classes.info[a, TAIL] = classes.info[b, TAIL]
    classes.info[b, INTO] = a


@inner
def _people_miss(entry, classes, c, goal, hist, rows):
    """Whether the people of a class miss the goal, from its chain of entries."""
    number, e = 0, classes.info[c, HEAD]
    while e >= 0:
        number += 1
        e = classes.following[e]
    some, at, e = np.empty(number, np.int64), 0, classes.info[c, HEAD]
    while e >= 0:
        some[at] = e
        at += 1
        e = classes.following[e]
    return _judge_people(entry, some, goal, hist, rows)[2]


@inner
def _class_misses(entry, classes, c, goal, hist, rows):
    """Whether a class misses the goal, from its chain of entries."""
    if len(goal.share) > 0:
        return _people_miss(entry, classes, c, goal, hist, rows)
    if goal.l <= 1 and len(goal.stretch) == 0:
        return classes.info[c, SIZE] < goal.k
    most, e = 0, classes.info[c, HEAD]
    while e >= 0:
        hist[entry[e, SECRET]] += entry[e, COUNT]
        most = max(most, hist[entry[e, SECRET]])
        e = classes.following[e]
    misses = _misses(hist, classes.info[c, SIZE], most, goal)
    hist[:] = 0
    return misses


@inner
def _smallest_failing(classes, n_alive):
    """The smallest class that misses the goal, the first of several; -1 if none does."""
    smallest = np.int64(-1)
    for place in range(n_alive):
        c = classes.info[place, ALIVE]
        if not classes.info[c, FAILS]:
            continue
        size = classes.info[c, SIZE]
        if smallest < 0 or size < classes.info[smallest, SIZE] or (
            size == classes.info[smallest, SIZE] and c < smallest
        ):  # fmt: skip
            smallest = c
    return smallest


@inner
def _bury(classes, n_alive, c):
    """Remove a class from the unordered list of those left; returns the length of the list."""
    for place in range(n_alive):
        if classes.info[place, ALIVE] == c:
            classes.info[place, ALIVE] = classes.info[n_alive - 1, ALIVE]
    return n_alive - 1


@compiled()
def merge(entry, cells, classes, goal, everything, limit, people):
    """Merge classes until all meet the goal; returns how many are left, or ``NOT_MET``.

    Up to ``limit`` records are suppressed where that loses less: their class is merged into -1.
    ``people``: how many there are, if they are counted.
    """
    n_alive = len(classes.info)
    hist, joined = np.zeros(goal.values, np.int64), np.zeros(len(cells.node), np.int64)
    rows = np.zeros(people, np.int64)
    for c in range(n_alive):
        classes.info[c, FAILS] = _class_misses(entry, classes, c, goal, hist, rows)
    while True:
        a = _smallest_failing(classes, n_alive)
        if a < 0:
            return n_alive
        b, more = _nearest(cells, classes, a, n_alive, joined)
        size = classes.info[a, SIZE]
        if size <= limit and (b < 0 or size * (everything - classes.info[a, LOSES]) < more):
            limit -= size
            classes.info[a, INTO] = -1
            n_alive = _bury(classes, n_alive, a)
        elif b < 0:
            return NOT_MET
        else:
            kept, gone = min(a, b), max(a, b)
            _take(cells, classes, kept, gone)
            classes.info[kept, FAILS] = _class_misses(entry, classes, kept, goal, hist, rows)
            n_alive = _bury(classes, n_alive, gone)
