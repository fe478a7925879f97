"""Compiled kernels of recoding: the classes of one node of the lattice, and greedy merging.

**A node.** The table is a list of distinct combinations of quasi-identifiers and, for each, its
*entries*: how many records with which sensitive value. `visit` groups the combinations by what
their codes become at the levels of the node, and judges each class by the goal. `visit_without`
then goes through the entries and answers, for each of them, what the same node would lose if one
record of that entry were missing. Only the class that it is in has to be judged again.

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

TUPLE, SECRET, COUNT = 0, 1, 2  # columns of Table.entry
SIZE, WEIGHT, FAILS, START = 0, 1, 2, 3  # columns of Scratch.classes
FAILING, LOSS, TOO_SMALL = 0, 1, 2  # columns of Scratch.sums

LINE, NODE, SET = 0, 1, 2
"""What a column's cells are while classes are merged: ranges, hierarchy nodes, sets of values."""
KIND, OFFSET, UNIT, WORDS = 0, 1, 2, 3  # columns of Cells.column
PARENT, FIRST, LAST, LOST = 0, 1, 2, 3  # columns of Cells.node

NOT_MET = -1  # instead of a number of classes: everybody together misses the goal

_SPAN = 2**62  # keys below it fit into 64 bits
_SLACK = 1e-12  # by which rounding may push a distance over t

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)


class Table(NamedTuple):
    """Distinct combinations of codes (columns × combinations), and their entries.

    An entry is a row (combination, sensitive value, number of records). The entries of a
    combination need not stand together.
    """

    codes: Any
    entry: Any


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


class Scratch(NamedTuple):
    """Where kernels write: what they found, and what they need on the way."""

    class_of: Any
    classes: Any
    order: Any
    sums: Any
    keys: Any
    slots: Any
    hist: Any
    tree: Any


@_inner
def _renumber(keys, span, slots, class_of):
    """Number the keys by first appearance; return how many there are.

    Keys within a short span have a slot each; others are looked for from where their hash is.
    """
    n_slots = len(slots)
    direct = span <= n_slots
    used = span if direct else n_slots
    for i in range(used):
        slots[i] = -1
    found = 0
    for i in range(len(keys)):
        key = keys[i]
        if direct:
            at = key
        else:
            mixed = key * -7046029254386353131
            at = (mixed ^ (mixed >> 29)) & (n_slots - 1)
            while slots[at] >= 0 and keys[slots[at]] != key:
                at = (at + 1) & (n_slots - 1)
        if slots[at] < 0:
            slots[at] = i
            class_of[i] = found
            found += 1
        else:
            class_of[i] = class_of[slots[at]]
    return found


@_inner
def _classes(codes, group, at, scratch):
    """The class of each combination at a node; ``at``: each column's part of `group`, its width."""
    keys, class_of = scratch.keys, scratch.class_of
    n = codes.shape[1]
    for i in range(n):
        keys[i] = 0
    span = 1
    for j in range(codes.shape[0]):
        offset, width = at[j, 0], at[j, 1]
        if span > _SPAN // width:
            span = _renumber(keys[:n], span, scratch.slots, class_of)
            for i in range(n):
                keys[i] = class_of[i]
        for i in range(n):
            keys[i] = keys[i] * width + group[offset + codes[j, i]]
        span *= width
    return _renumber(keys[:n], span, scratch.slots, class_of)


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
def _in_classes(table, n_classes, scratch):
    """Add up the classes, and put their entries together in ``order``."""
    classes, class_of, order = scratch.classes, scratch.class_of, scratch.order
    for c in range(n_classes + 1):
        classes[c, SIZE] = 0
        classes[c, START] = 0
    for e in range(len(table.entry)):
        c = class_of[table.entry[e, TUPLE]]
        classes[c, SIZE] += table.entry[e, COUNT]
        classes[c + 1, START] += 1
    for c in range(n_classes):
        classes[c + 1, START] += classes[c, START]
    # Filling moves each start to the next class's; going backwards brings it home.
    for e in range(len(table.entry) - 1, -1, -1):
        c = class_of[table.entry[e, TUPLE]]
        classes[c + 1, START] -= 1
        order[classes[c + 1, START]] = e
    for c in range(n_classes):
        classes[c, START] = classes[c + 1, START]
    classes[n_classes, START] = len(table.entry)


@_inner
def _count(table, c, scratch):
    """The histogram of a class; returns the records of its most frequent value."""
    most = 0
    for place in range(scratch.classes[c, START], scratch.classes[c + 1, START]):
        e = scratch.order[place]
        s = table.entry[e, SECRET]
        scratch.hist[s] += table.entry[e, COUNT]
        most = max(most, scratch.hist[s])
    return most


@_inner
def _forget(table, c, scratch):
    """Empty the histogram again."""
    for place in range(scratch.classes[c, START], scratch.classes[c + 1, START]):
        scratch.hist[table.entry[scratch.order[place], SECRET]] = 0


@_jit
def visit(table, group, weight, at, goal, everything, scratch):
    """Make the classes of a node and judge them; returns how many there are.

    ``scratch.sums`` then has the records in classes that miss the goal, what all lose if those
    lose ``everything``, and the records in classes that are too small whatever is in them.
    """
    n_classes = _classes(table.codes, group, at, scratch)
    classes, class_of = scratch.classes, scratch.class_of
    _in_classes(table, n_classes, scratch)
    for c in range(n_classes):
        classes[c, WEIGHT] = -1
    for i in range(table.codes.shape[1]):
        c = class_of[i]
        if classes[c, WEIGHT] < 0:  # alike in all of a class: it depends on the cells alone
            total = 0
            for j in range(table.codes.shape[0]):
                total += weight[at[j, 0] + table.codes[j, i]]
            classes[c, WEIGHT] = total
    looks_inside = goal.l > 1 or goal.distance != NO_DISTANCE
    least = max(goal.k, goal.l)  # ℓ values that are frequent alike need ℓ records
    failing, loss, too_small = 0, 0, 0
    for c in range(n_classes):
        size = classes[c, SIZE]
        fails = size < least
        if fails:
            too_small += size
        elif looks_inside:
            most = _count(table, c, scratch)
            fails = _misses(scratch.hist, size, most, goal, scratch.tree)
            _forget(table, c, scratch)
        classes[c, FAILS] = fails
        failing += size if fails else 0
        loss += size * (everything if fails else classes[c, WEIGHT])
    scratch.sums[FAILING] = failing
    scratch.sums[LOSS] = loss
    scratch.sums[TOO_SMALL] = too_small
    return n_classes


@_inner
def _misses_without(hist, size, s, most, n_most, goal, tree):
    """Whether a class misses the goal without one of its records, whose value is s."""
    hist[s] -= 1
    # Only where no other value is as frequent does the most frequent one become less so.
    without = most - 1 if n_most == 1 and hist[s] == most - 1 else most
    misses = _misses(hist, size - 1, without, goal, tree)
    hist[s] += 1
    return misses


@_jit
def visit_without(table, goal, everything, scratch, is_target, node, limit, best):
    """After `visit`: let each target, an entry, have this node if it is the best without it.

    Without one record of the entry, that is. ``best`` has the loss and the number of the best
    node so far for each entry. Returns for how many targets at most ``limit`` records have to be
    suppressed at this node. ``goal`` is that of the table without a target.
    """
    classes, hist = scratch.classes, scratch.hist
    looks_inside = goal.l > 1 or goal.distance != NO_DISTANCE
    known = np.empty(len(hist), dtype=np.int8)  # by sensitive value: misses the goal or not
    meeting = 0
    c = 0
    while classes[c, START] < len(table.entry):
        size, lost, fails = classes[c, SIZE], classes[c, WEIGHT], classes[c, FAILS]
        failing = scratch.sums[FAILING] - (size if fails else 0)
        loss = scratch.sums[LOSS] - size * (everything if fails else lost)
        most, n_most = 0, 0
        if looks_inside:
            most = _count(table, c, scratch)
            for place in range(classes[c, START], classes[c + 1, START]):
                known[table.entry[scratch.order[place], SECRET]] = -1
            for place in range(classes[c, START], classes[c + 1, START]):
                s = table.entry[scratch.order[place], SECRET]
                if known[s] == -1:
                    known[s] = -2
                    n_most += hist[s] == most
        for place in range(classes[c, START], classes[c + 1, START]):
            e = scratch.order[place]
            if not is_target[e]:
                continue
            misses = size - 1 < goal.k
            if looks_inside and not misses:
                s = table.entry[e, SECRET]
                if known[s] < 0:
                    known[s] = _misses_without(hist, size, s, most, n_most, goal, scratch.tree)
                misses = known[s] == 1
            if failing + (size - 1 if misses else 0) > limit:
                continue
            meeting += 1
            now = loss + (size - 1) * (everything if misses else lost)
            if now < best[e, 0] or (now == best[e, 0] and node < best[e, 1]):
                best[e, 0] = now
                best[e, 1] = node
        if looks_inside:
            _forget(table, c, scratch)
        c += 1
    return meeting


@_jit
def most_diverse(table, goal, n_classes, scratch, diversity):
    """After `visit`: the largest ℓ that each class meets, 0 where it misses the rest of the goal.

    ``goal`` is one that asks for no ℓ.
    """
    for c in range(n_classes):
        size = scratch.classes[c, SIZE]
        most = _count(table, c, scratch)
        misses = _misses(scratch.hist, size, most, goal, scratch.tree)
        diversity[c] = 0 if misses else size // most
        _forget(table, c, scratch)


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
def _class_misses(table, classes, c, goal, hist, tree):
    """Whether a class misses the goal, from its chain of entries."""
    if goal.l <= 1 and goal.distance == NO_DISTANCE:
        return classes.size[c] < goal.k
    most = 0
    e = classes.head[c]
    while e >= 0:
        s = table.entry[e, SECRET]
        hist[s] += table.entry[e, COUNT]
        most = max(most, hist[s])
        e = classes.next[e]
    misses = _misses(hist, classes.size[c], most, goal, tree)
    e = classes.head[c]
    while e >= 0:
        hist[table.entry[e, SECRET]] = 0
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
def merge(table, cells, classes, goal, everything, limit, hist, tree):
    """Merge classes until all meet the goal; returns how many are left, or ``NOT_MET``.

    Up to ``limit`` records are suppressed where that loses less: their class leads to -1.
    """
    n_alive = len(classes.alive)
    for c in range(n_alive):
        classes.fails[c] = _class_misses(table, classes, c, goal, hist, tree)
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
            classes.fails[kept] = _class_misses(table, classes, kept, goal, hist, tree)
            n_alive = _bury(classes.alive, n_alive, gone)
