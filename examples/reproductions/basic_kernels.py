"""Compiled kernels of the basic Mondrian that the reports ran, with and without each record.

A *part* is one row of integers: ``[START, END)``, its slice of ``order``, a list of records; and
from STATE on two integers a column, what the walk has come to know of it, which is also what a
class publishes: the first and last code of an ordered column's range, a hierarchy's node twice.
`_decide` takes a part's histogram and its row and says which column splits it, and where.

**Without one record.** f(D without i) differs from f(D) only along i's way down. At each part on
it i is taken out of the histogram and `_decide` asked again. As long as column, split and state
come out the same, all the parts beside i's own stay as they were, and a class at the end of the way
loses i and nothing else. Where they do not, this one part is grown again without i: its old classes
are subtracted from the counts and its new ones added. Nothing is approximated.

Everything is in this one file because numba's cache does not notice changes in other files. Plain
loops in the place of array expressions halve the time it takes to compile.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numba
import numpy as np

_jit: Any = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)

NOT_SPLIT = -1

START, END, STATE = range(3)
# Columns of Rules.column: whether it is ordered, and where its codes begin in histograms and in
# `Rules.code`.
ORDERED, OFFSET = range(2)
# Columns of Rules.node, the nodes of all hierarchies: the leaf codes beneath it, and where its
# children begin in CHILD, a list of nodes that shares the rows but means its own.
FIRST, LAST, CHILDREN, CHILD = range(4)
# Rows of Rules.code: where a value lies on its line, and which place it has among all values when
# somebody compares them.
POSITION, RANK = range(2)
# Rows of Work.counts: of a whole part or of a hierarchy's child, of a left part, of a right one.
WHOLE, LEFT, RIGHT = range(3)
# Rows of Work.records: those being distributed, and room for it.
ORDER, SPARE = range(2)


class Rules(NamedTuple):
    """Everything that decides a split, and what a cell covers."""

    column: Any
    code: Any
    extent: Any  # the width of each whole column, or its hierarchy's number of leaves
    node: Any  # one row more than there are nodes
    goal: int  # k or ℓ
    diverse: bool  # whether it is ℓ


class Work(NamedTuple):
    """Room for growing a part."""

    records: Any
    histogram: Any  # codes of all columns × labels
    counts: Any
    stack: Any  # parts yet to be looked at
    found: Any  # classes, the last one first


def new_work(rules: Rules, n: int, labels: int) -> Work:
    """Room for parts of up to n records."""
    width = STATE + 2 * len(rules.column)
    return Work(
        np.empty((2, n), np.int32),
        np.zeros((rules.code.shape[1], labels), np.int64),
        np.zeros((3, labels), np.int64),
        np.empty((n + 1, width), np.int64),
        np.empty((n, width), np.int64),
    )


@_inner
def _low(j):
    """Where a part has what is known of column j."""
    return STATE + 2 * j


@_inner
def _copy(rows, row, part):
    for i in range(len(part)):
        rows[row, i] = part[i]


# Deciding -------------------------------------------------------------------------------------


@_inner
def _acceptable(rules, counts, row):
    """Whether a part with these counts of labels keeps the goal."""
    size = most = kinds = 0
    for label in range(counts.shape[1]):
        count = counts[row, label]
        size += count
        kinds += count > 0
        most = max(most, count)
    if rules.diverse and (kinds < rules.goal or most * rules.goal > size):
        return False
    return size >= rules.goal


@_inner
def _width(rules, part, j):
    """A column's normalized width, as far as it is known."""
    low, high = part[_low(j)], part[_low(j) + 1]
    if rules.column[j, ORDERED]:
        at = rules.column[j, OFFSET]
        width = rules.code[POSITION, at + high] - rules.code[POSITION, at + low]
    elif rules.node[low, CHILDREN] == rules.node[low + 1, CHILDREN]:
        width = 0.0
    else:
        width = rules.node[low, LAST] - rules.node[low, FIRST] + 1.0
    return width / rules.extent[j] if rules.extent[j] > 0 else 0.0


@_inner
def _try_ordered(rules, work, n, part, j):
    """The code at which an ordered column splits and the next one there is, or -1, -1.

    For k, trying it is what makes the column's actual range known.
    """
    counts, at, labels = work.counts, rules.column[j, OFFSET], work.counts.shape[1]
    for label in range(labels):
        counts[WHOLE, label] = counts[LEFT, label] = 0
    low = high = split = follows = -1
    below = 0
    for code in range(part[_low(j)], part[_low(j) + 1] + 1):
        here = 0
        for label in range(labels):
            count = work.histogram[at + code, label]
            here += count
            counts[WHOLE, label] += count
            if split < 0:
                counts[LEFT, label] += count
        if here > 0:
            low = code if low < 0 else low
            high = code
            if split >= 0 and follows < 0:
                follows = code
            below += here
            if split < 0 and below >= n // 2:
                split = code
    if not rules.diverse:
        part[_low(j)], part[_low(j) + 1] = low, high
    if n // 2 < rules.goal or split == high:  # the latter, too, if there is only one value
        return -1, -1
    if rules.diverse:
        for label in range(labels):
            counts[RIGHT, label] = counts[WHOLE, label] - counts[LEFT, label]
        if not (_acceptable(rules, counts, LEFT) and _acceptable(rules, counts, RIGHT)):
            return -1, -1
    return split, follows


@_inner
def _try_hierarchy(rules, work, part, j):
    """Whether the column's node splits into its children."""
    node, at, counts = part[_low(j)], rules.column[j, OFFSET], work.counts
    first, last = rules.node[node, CHILDREN], rules.node[node + 1, CHILDREN]
    for place in range(first, last):
        child = rules.node[place, CHILD]
        size = 0
        for label in range(counts.shape[1]):
            count = 0
            for code in range(rules.node[child, FIRST], rules.node[child, LAST] + 1):
                count += work.histogram[at + code, label]
            counts[WHOLE, label] = count
            size += count
        if size > 0 and not _acceptable(rules, counts, WHOLE):
            return False
    return first < last


@_inner
def _decide(rules, work, n, part):
    """Which column splits a part of n records, at which code, and the next one there is.

    ``work.histogram`` is the part's. The part's state learns from every column that is tried.
    """
    tried = np.zeros(len(rules.column), np.bool_)
    while True:
        best, widest = NOT_SPLIT, -1.0
        for j in range(len(rules.column)):
            if not tried[j]:
                width = _width(rules, part, j)
                if width > widest:
                    best, widest = j, width
        if best == NOT_SPLIT:
            return NOT_SPLIT, -1, -1
        if rules.column[best, ORDERED]:
            split, follows = _try_ordered(rules, work, n, part, best)
            if split >= 0:
                return best, split, follows
        elif _try_hierarchy(rules, work, part, best):
            return best, -1, -1
        tried[best] = True


# Growing --------------------------------------------------------------------------------------


@_inner
def _change(rules, work, table, label, record, by):
    """Put a record into ``work.histogram`` (1) or take it out (-1)."""
    for j in range(len(rules.column)):
        work.histogram[rules.column[j, OFFSET] + table[j, record], label[record]] += by


@_inner
def _fill(rules, work, table, label, part):
    """Make ``work.histogram`` that of a part."""
    work.histogram[:] = 0
    for place in range(part[START], part[END]):
        _change(rules, work, table, label, work.records[ORDER, place], 1)


@_inner
def _gather(table, records, j, start, end, low, high):
    """Put the records with codes from low to high first, and tell where the others begin."""
    inside, outside = start, 0
    for place in range(start, end):
        record = records[ORDER, place]
        if low <= table[j, record] <= high:
            records[ORDER, inside] = record
            inside += 1
        else:
            records[SPARE, outside] = record
            outside += 1
    for place in range(outside):
        records[ORDER, inside + place] = records[SPARE, place]
    return inside


@_inner
def _push(work, depth, part, start, end, j, low, high):
    """Put a part of a part on the stack, in which one column has become narrower."""
    if start == end:
        return depth
    _copy(work.stack, depth, part)
    work.stack[depth, START], work.stack[depth, END] = start, end
    work.stack[depth, _low(j)], work.stack[depth, _low(j) + 1] = low, high
    return depth + 1


@_inner
def _split(rules, work, table, depth, part, cut):
    """Distribute a part's records and put its parts on the stack, the last of them on top."""
    j, split, follows = cut
    start, end, low, high = part[START], part[END], part[_low(j)], part[_low(j) + 1]
    if rules.column[j, ORDERED]:
        middle = _gather(table, work.records, j, start, end, 0, split)
        depth = _push(work, depth, part, start, middle, j, low, split)
        return _push(work, depth, part, middle, end, j, follows, high)
    for place in range(rules.node[low, CHILDREN], rules.node[low + 1, CHILDREN]):
        child = rules.node[place, CHILD]
        first, last = rules.node[child, FIRST], rules.node[child, LAST]
        middle = _gather(table, work.records, j, start, end, first, last)
        depth = _push(work, depth, part, start, middle, j, child, child)
        start = middle
    return depth


@_jit
def grow(rules, work, table, label, part):
    """Split a part of ``work.records`` as far as it goes; returns how many classes were found.

    They lie side by side in ``work.records``, the last of them first in ``work.found``.
    """
    _copy(work.stack, 0, part)
    depth, classes = min(1, part[END] - part[START]), 0
    while depth > 0:
        depth -= 1
        now = work.found[classes]  # it becomes a class, if it is not overwritten
        for i in range(len(now)):
            now[i] = work.stack[depth, i]
        _fill(rules, work, table, label, now)
        cut = _decide(rules, work, now[END] - now[START], now)
        if cut[0] == NOT_SPLIT:
            classes += 1
        else:
            depth = _split(rules, work, table, depth, now, cut)
    return classes


# Counting -------------------------------------------------------------------------------------


@_inner
def _covers(rules, found, c, j, code):
    """Whether what class c publishes for column j covers a code."""
    low, high = found[c, _low(j)], found[c, _low(j) + 1]
    if rules.column[j, ORDERED]:
        at = rules.column[j, OFFSET]
        rank = rules.code[RANK, at + code]
        return rules.code[RANK, at + low] <= rank <= rules.code[RANK, at + high]
    return rules.node[low, FIRST] <= code <= rules.node[low, LAST]


@_inner
def _count(rules, work, c, start, end, table, secret, target, sign, joint, counts, row):
    """Add (sign 1) or take away (-1) what class c says of a target by its records [start, end).

    ``counts[row]`` has a row a column, or a single one for classes that cover it in all of them.
    """
    columns, covered = len(rules.column), 0
    for j in range(columns):
        if _covers(rules, work.found, c, j, table[j, target]):
            covered += 1
            if not joint:
                for place in range(start, end):
                    counts[row, j, secret[work.records[ORDER, place]]] += sign
    if joint and covered == columns:
        for place in range(start, end):
            counts[row, 0, secret[work.records[ORDER, place]]] += sign


@_inner
def _replace(rules, whole, again, table, label, secret, target, part, class_of, joint, counts, row):
    """Take a part's classes out of the counts and put those in that it has without the target."""
    for c in range(class_of[part[END] - 1], class_of[part[START]] + 1):
        start, end = whole.found[c, START], whole.found[c, END]
        _count(rules, whole, c, start, end, table, secret, target, -1, joint, counts, row)
    n = 0
    for place in range(part[START], part[END]):
        record = whole.records[ORDER, place]
        if record != target:
            again.records[ORDER, n] = record
            n += 1
    part[START], part[END] = 0, n
    for c in range(grow(rules, again, table, label, part)):
        start, end = again.found[c, START], again.found[c, END]
        _count(rules, again, c, start, end, table, secret, target, 1, joint, counts, row)


@_inner
def _stays(rules, work, table, label, record, cut, before, after):
    """Whether a part is split alike without one of its records, and as much becomes known of it."""
    n = before[END] - before[START] - 1
    if n == 0:
        return False
    then = before.copy()
    _change(rules, work, table, label, record, -1)
    same = _decide(rules, work, n, then) == cut
    _change(rules, work, table, label, record, 1)
    for i in range(len(then)):
        same = same and then[i] == after[i]
    return same


@_jit
def walk(rules, whole, again, table, label, secret, root, classes, waiting, joint, counts):
    """Take targets down the whole table's parts, each without its own record.

    ``whole`` is as `grow` left it, with so many classes; ``again`` is room for parts that are grown
    again. ``waiting`` has for each record its row in ``counts``, or -1. ``counts`` holds what the
    whole release says of each target, and becomes what it says without.
    """
    class_of = np.empty(table.shape[1], np.int64)
    for c in range(classes):
        for place in range(whole.found[c, START], whole.found[c, END]):
            class_of[place] = c
    _copy(whole.stack, 0, root)
    depth = 1
    while depth > 0:
        depth -= 1
        before = whole.stack[depth].copy()
        anybody = False
        for place in range(before[START], before[END]):
            anybody = anybody or waiting[whole.records[ORDER, place]] >= 0
        if not anybody:
            continue
        _fill(rules, whole, table, label, before)
        now = before.copy()
        cut = _decide(rules, whole, before[END] - before[START], now)
        for place in range(before[START], before[END]):
            record = whole.records[ORDER, place]
            row = waiting[record]
            if row < 0:
                continue
            if _stays(rules, whole, table, label, record, cut, before, now):
                if cut[0] == NOT_SPLIT:  # a class that loses the target and nothing else
                    c = class_of[place]
                    _count(
                        rules, whole, c, place, place + 1, table, secret, record, -1, joint,
                        counts, row,
                    )  # fmt: skip
            else:
                waiting[record] = -1
                _replace(
                    rules, whole, again, table, label, secret, record, before.copy(), class_of,
                    joint, counts, row,
                )  # fmt: skip
        if cut[0] != NOT_SPLIT:
            depth = _split(rules, whole, table, depth, now, cut)
