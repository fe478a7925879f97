"""Compiled kernels of recoding: the classes of one node of the lattice, and greedy merging.

**A node.** The table is a list of distinct combinations of quasi-identifiers and, for each, its
*entries*: how many records with which sensitive value. `classes` groups the combinations by what
their codes become at the levels of the node. Where the goal is about more than the size of a class,
`judge` looks into the classes, and `judge_without` once more for each entry, as if one of its
records were missing.

**Merging.** `merge` is the local recoding: see `_local`.

Whether a class is close enough to the whole table is decided with whole numbers: shares are taken
times the records of class and table, so that equal shares are equal.

Everything is in this one file because numba's cache does not notice changes in other files. What
the main thread calls returns a number or nothing, for the reason given in Mondrian's kernels.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numba
import numpy as np

NO_DISTANCE, ORDERED, TREE = 0, 1, 2
"""How far values are apart: nobody asks, by their ranks, by the node above both."""

TUPLE, SECRET, COUNT = 0, 1, 2  # columns of an entry
KEY, CLASS, FIRST_OF = 0, 1, 2  # rows of what `classes` works on
START, ORDER = 0, 1  # rows of the room in which entries are sorted

LINE, NODE, SET = 0, 1, 2
"""What a column's cells are while classes are merged: ranges, hierarchy nodes, sets of values."""
KIND, OFFSET, UNIT, WORDS = 0, 1, 2, 3  # columns of Cells.column
PARENT, FIRST, LAST, LOST = 0, 1, 2, 3  # columns of Cells.node

NOT_MET = -1  # instead of a number of classes: everybody together misses the goal

_SPAN = 2**62  # keys below it fit into 64 bits
_ODD = np.int64(-7046029254386353131)  # a number without a pattern, to spread keys by
_SLACK = 1e-12  # by which rounding may push a distance over t

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)


class Goal(NamedTuple):
    """What every class has to meet; k = l = 1 and ``NO_DISTANCE`` ask for nothing.

    ``parent`` and ``height`` are those of a tree whose leaves are the sensitive values, children
    before parents; ``totals`` are the records of each value in the whole table.
    """

    k: Any
    l: Any  # noqa: E741
    t: Any
    distance: Any
    parent: Any
    height: Any
    totals: Any


@_inner
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


@_jit
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


@_inner
def _moved(hist, size, goal, tree):
    """The earth mover's distance of a class to the table, times `_whole`; a whole number."""
    n = goal.totals.sum()
    if goal.distance == ORDERED:
        ahead, total = 0, 0
        for s in range(len(hist) - 1):
            ahead += hist[s] * n - goal.totals[s] * size
            total += abs(ahead)
        return total
    # Beneath each node as much as possible is moved, and the rest is handed on.
    total = 0
    for node in range(len(goal.parent)):
        tree[node, 0] = 0
        tree[node, 1] = 0
    for node in range(len(goal.parent)):
        if node < len(hist):
            extra = hist[node] * n - goal.totals[node] * size
        else:
            extra = tree[node, 0] - tree[node, 1]
            total += goal.height[node] * min(tree[node, 0], tree[node, 1])
        above = goal.parent[node]
        if above >= 0:
            if extra > 0:
                tree[above, 0] += extra
            else:
                tree[above, 1] -= extra
    return total


@_inner
def _whole(size, goal):
    """What `_moved` is for a distance of 1."""
    steps = len(goal.totals) - 1 if goal.distance == ORDERED else goal.height[-1]
    return float(size) * goal.totals.sum() * steps


@_inner
def _misses(hist, size, most, goal, tree):
    """Whether a class misses the goal; ``most``: records of its most frequent value."""
    if size < goal.k or most * goal.l > size:
        return True
    if goal.distance == NO_DISTANCE:
        return False
    return _moved(hist, size, goal, tree) > (goal.t + _SLACK) * _whole(size, goal)


@_inner
def _in_order(entry, class_of, n_classes, room):
    """Put the entries of each class together, and tell where each class begins."""
    for c in range(n_classes + 1):
        room[START, c] = 0
    for e in range(len(entry)):
        room[START, class_of[entry[e, TUPLE]] + 1] += 1
    for c in range(n_classes):
        room[START, c + 1] += room[START, c]
    # A class is filled from behind. Its end, kept with the next class, becomes its start on the
    # way, and is then moved to where it belongs.
    for e in range(len(entry) - 1, -1, -1):
        c = class_of[entry[e, TUPLE]]
        room[START, c + 1] -= 1
        room[ORDER, room[START, c + 1]] = e
    for c in range(n_classes):
        room[START, c] = room[START, c + 1]
    room[START, n_classes] = len(entry)


@_inner
def _count(entry, room, c, hist):
    """Fill the histogram of a class; returns the records of its most frequent value."""
    most = 0
    for place in range(room[START, c], room[START, c + 1]):
        e = room[ORDER, place]
        s = entry[e, SECRET]
        hist[s] += entry[e, COUNT]
        most = max(most, hist[s])
    return most


@_jit
def judge(entry, class_of, sizes, goal, room, hist, tree, misses):
    """Which classes miss the goal. ``room`` has two rows, longer than there are entries."""
    _in_order(entry, class_of, len(sizes), room)
    for c in range(len(sizes)):
        begin, end = room[START, c], room[START, c + 1]
        most = _count(entry, room, c, hist)
        misses[c] = _misses(hist, sizes[c], most, goal, tree)
        for place in range(begin, end):
            hist[entry[room[ORDER, place], SECRET]] = 0


@_jit
def judge_without(entry, class_of, sizes, goal, room, hist, known, tree, is_target, misses):
    """Which targets, entries, are in a class that would miss the goal without one of its records.

    One record of that entry, that is. ``goal`` is that of the table without it. ``known``, -1 to
    begin with, has what is known of the class without a record of each value.
    """
    _in_order(entry, class_of, len(sizes), room)
    for c in range(len(sizes)):
        begin, end = room[START, c], room[START, c + 1]
        most = _count(entry, room, c, hist)
        n_most = 0
        for place in range(begin, end):
            s = entry[room[ORDER, place], SECRET]
            if known[s] == -1:
                known[s] = -2
                n_most += hist[s] == most
        for place in range(begin, end):
            e = room[ORDER, place]
            s = entry[e, SECRET]
            if not is_target[e]:
                continue
            if known[s] < 0:
                # Where another value is as frequent, the most frequent one stays so.
                without = most - 1 if n_most == 1 and hist[s] == most else most
                hist[s] -= 1
                known[s] = _misses(hist, sizes[c] - 1, without, goal, tree)
                hist[s] += 1
            misses[e] = known[s] == 1
        for place in range(begin, end):
            s = entry[room[ORDER, place], SECRET]
            hist[s] = 0
            known[s] = -1


class Cells(NamedTuple):
    """The columns while classes are merged.

    ``column`` has a row for each: its kind, where its part of a shared list begins (LINE:
    ``place``, NODE: ``node``, SET: the words of `Classes.members`), for a SET what one value more
    loses, and its words. What a range loses is the difference of two places.
    """

    column: Any
    place: Any
    node: Any


class Classes(NamedTuple):
    """Classes on their way to be merged; those that have gone lead to the one they are in.

    ``cell``: for each class and column, first and last code (NODE: the node, twice) and what is
    lost of it. ``head``, ``tail``, ``next`` chain the entries of a class.
    """

    size: Any
    fails: Any
    cell: Any
    members: Any
    head: Any
    tail: Any
    next: Any
    into: Any
    alive: Any


@_inner
def _bits(word):
    """How many bits of a word are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@_inner
def _joined(cells, classes, a, b, j):
    """First and last code, or the node, of what covers two classes in column j; and its loss."""
    kind, offset = cells.column[j, KIND], cells.column[j, OFFSET]
    if kind == SET:
        both = 0
        for word in range(offset, offset + cells.column[j, WORDS]):
            both += _bits(classes.members[a, word] | classes.members[b, word])
        return 0, 0, (both - 1) * cells.column[j, UNIT]
    if kind == LINE:
        low = min(classes.cell[a, j, 0], classes.cell[b, j, 0])
        high = max(classes.cell[a, j, 1], classes.cell[b, j, 1])
        return low, high, cells.place[offset + high] - cells.place[offset + low]
    node, other = classes.cell[a, j, 0], classes.cell[b, j, 0]
    first, last = cells.node[offset + other, FIRST], cells.node[offset + other, LAST]
    while cells.node[offset + node, FIRST] > first or cells.node[offset + node, LAST] < last:
        node = cells.node[offset + node, PARENT]
    return node, node, cells.node[offset + node, LOST]


@_inner
def _nearest(cells, classes, a, n_alive):
    """The class whose merging with `a` loses least in addition, and that loss."""
    nearest, least = np.int64(-1), np.int64(0)
    for place in range(n_alive):
        b = classes.alive[place]
        if b == a:
            continue
        more = np.int64(0)
        for j in range(len(cells.column)):
            lost = _joined(cells, classes, a, b, j)[2]
            more += classes.size[a] * (lost - classes.cell[a, j, 2])
            more += classes.size[b] * (lost - classes.cell[b, j, 2])
            if nearest >= 0 and more > least:
                break
        else:
            if nearest < 0 or more < least or (more == least and b < nearest):
                nearest, least = b, more
    return nearest, least


@_inner
def _class_misses(entry, classes, c, goal, hist, tree):
    """Whether a class misses the goal, from its chain of entries."""
    if goal.l <= 1 and goal.distance == NO_DISTANCE:
        return classes.size[c] < goal.k
    most = 0
    e = classes.head[c]
    while e >= 0:
        s = entry[e, SECRET]
        hist[s] += entry[e, COUNT]
        most = max(most, hist[s])
        e = classes.next[e]
    misses = _misses(hist, classes.size[c], most, goal, tree)
    e = classes.head[c]
    while e >= 0:
        hist[entry[e, SECRET]] = 0
        e = classes.next[e]
    return misses


@_inner
def _take(cells, classes, a, b):
    """Let class a have all of class b."""
    for j in range(len(cells.column)):
        low, high, lost = _joined(cells, classes, a, b, j)
        classes.cell[a, j, 0] = low
        classes.cell[a, j, 1] = high
        classes.cell[a, j, 2] = lost
    for word in range(classes.members.shape[1]):
        classes.members[a, word] |= classes.members[b, word]
    classes.size[a] += classes.size[b]
    classes.next[classes.tail[a]] = classes.head[b]
    classes.tail[a] = classes.tail[b]
    classes.into[b] = a


@_inner
def _bury(alive, n_alive, c):
    """Take a class out of the list of those alive, which is in no order."""
    for place in range(n_alive):
        if alive[place] == c:
            alive[place] = alive[n_alive - 1]
            return n_alive - 1
    return n_alive


@_jit
def merge(entry, cells, classes, goal, everything, limit, hist, tree):
    """Merge classes until all meet the goal; returns how many are left, or ``NOT_MET``.

    Up to ``limit`` records are suppressed where that loses less: their class leads to -1.
    """
    n_alive = len(classes.alive)
    for c in range(n_alive):
        classes.fails[c] = _class_misses(entry, classes, c, goal, hist, tree)
    while True:
        a = np.int64(-1)
        for place in range(n_alive):
            c = classes.alive[place]
            if classes.fails[c] and (
                a < 0 or (classes.size[c], c) < (classes.size[a], a)
            ):  # fmt: skip
                a = c
        if a < 0:
            return n_alive
        b, more = _nearest(cells, classes, a, n_alive)
        alone = classes.size[a] * everything
        for j in range(len(cells.column)):
            alone -= classes.size[a] * classes.cell[a, j, 2]
        if classes.size[a] <= limit and (b < 0 or alone < more):
            limit -= classes.size[a]
            classes.into[a] = -1
            n_alive = _bury(classes.alive, n_alive, a)
        elif b < 0:
            return NOT_MET
        else:
            kept, gone = min(a, b), max(a, b)
            _take(cells, classes, kept, gone)
            classes.fails[kept] = _class_misses(entry, classes, kept, goal, hist, tree)
            n_alive = _bury(classes.alive, n_alive, gone)
