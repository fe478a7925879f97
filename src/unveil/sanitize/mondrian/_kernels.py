"""Compiled kernels of Mondrian: growing a partition, and the same partition without each record.

A node of a partition is a slice ``[start, end)`` of ``order``, an array with one row per column
that lists the node's records sorted by that column's code. So a column's range is given by the two
ends of its slice, its median cut is near the middle, a hierarchy's children are runs, and a cut is
a stable distribution of the slices. Once a node is cut, its slice is sorted only within its
children.

**Without one record.** The partition of D without i differs from that of D only below the first
node on i's path at which another cut is chosen. `_decide` answers "which cut without i?" in
constant time from a few numbers of the node. Targets whose cut stays the same go down together. The
others leave as a *case*: the node's records, the new cut, the targets. Given the cut, the parts no
longer depend on *which* target is missing, so a case is grown once for all its targets, which then
walk down the new tree in the same way. Nothing is approximated.

For each target the adversary's sufficient counts are kept: ``cover[t, j, s]``, the released records
with sensitive value s whose cell in column j covers the target's value, and ``joint[t, s]``, those
whose cells cover it in every column. A changed node subtracts its old classes from ``cover`` and
adds its new ones.

**Crowds.** A record may ask for a larger class than k. A part then has to be as large as the
largest crowd that one of its members asks for; the left-out record asks for nothing.

**t-closeness.** The distance of a part from the whole table is a sum over *stretches* of sensitive
values (see `_closeness`), in whole numbers: shares are multiplied by the records of part and table,
so that equal shares are equal. Without a record the whole table has one less of its sensitive
value, which moves every part. So only targets with the same sensitive value go down together, by
the rules of the table without one of them.

Everything is in this one file because numba's cache does not notice changes in other files.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unveil._compiled import compiled, inner

SPAN, TREE, FLAT = 0, 1, 2
"""How a column is cut: by value along a line, by hierarchy children, by value in sorted order."""

LEAF, OWN = -1, -2  # instead of a column: not cut; to be decided
_ANY_CODE = np.iinfo(np.int32).max

# Not called from Python, so no code is made to unpack Python's objects: a fifth of the waiting.

# New users wait for compilation. It takes longer with every mixture of integer types. So there are
# few, wide arrays with named columns, everything but records and codes is int64, and plain numbers
# that become arguments are cast, because numba compiles a function again for each literal.
#
# The main thread must not call what returns more than a number. To return an array or a named
# tuple, numba runs Python's own code, which then notices a pending interrupt (Ctrl-C), and numba
# does not notice that it has failed: the process would crash. Other threads are not interrupted.

# The table is one int32 array: a row of codes for each quasi-identifier, then the row
# `Rules.secret` with the codes of the sensitive column and, where someone asks for a larger class
# than k, one more row with the class size that each record asks for.

# Columns of Rules.column: how it is cut, where its part of a shared list begins (SPAN: `position`,
# TREE: `node`, FLAT: `alone` and `View.run`), and its last code.
KIND, OFFSET, LAST_OF_ALL = range(3)
# Columns of Rules.node, the nodes of all hierarchies. FIRST, LAST: leaf codes below it. CHILDREN:
# where its children begin in NODE_LIST, a list of nodes that shares the rows but is separate.
PARENT, FIRST, LAST, CHILDREN, NODE_LIST = range(5)
# Columns of Rules.stretch: first and last sensitive value, the cost of one record too many or too
# few, and how many records of the whole table are in it.
FROM, TO, WEIGHT, EXPECTED = range(4)


class Rules(NamedTuple):
    """Everything that decides a cut."""

    column: Any
    position: Any  # where each code of a SPAN column lies on its line
    extent: Any  # width of each whole column, which normalizes the width of a node
    node: Any  # one row more than there are nodes
    alone: Any  # FLAT: whether only the left-out record has a code, so it is no value without it
    stretch: Any  # sensitive values over which the distance to the whole table is summed; t only
    secret: int  # the row of the sensitive column
    most_parts: int  # the most parts one cut can have
    n_sensitive: int
    k: int
    l: int  # noqa: E741  (it is called l everywhere in this field)
    records: int  # of the whole table, less the left-out one
    far: float  # largest sum over stretches, per record of part and of table
    inside: bool  # whether the goal is about sensitive values: ℓ or t
    crowds: bool  # whether someone asks for a larger class than k
    tight: bool  # publish members' ranges and sets, or the regions of the cuts


# Columns of Tree.node. COLUMN: LEAF, or what was cut. CUT: the last code of the left part (SPAN,
# FLAT), or the hierarchy node (TREE). CHILD: the first of N_CHILDREN consecutive ones. UPTO: the
# last code of the parent's cut column that goes here.
START, END, COLUMN, CUT, CHILD, N_CHILDREN, UPTO = range(7)


class Tree(NamedTuple):
    """A partition; its root is node 0."""

    node: Any
    region: Any  # nodes × columns × (low, high): the region of the cuts; empty if tight
    leaf: Any  # at a leaf's start: (its end, its node)


class Grown(NamedTuple):
    """A table, its rules, and what is made of them: records sorted by each column, and the tree."""

    table: Any
    rules: Rules
    order: Any
    tree: Tree


class Targets(NamedTuple):
    """The record of each target, and its counts; ``cover`` is empty if it is not needed."""

    record: Any
    cover: Any
    joint: Any


# Columns of View.column. LOW2 and HIGH2 belong to the next record: they differ if only one record
# has the smallest or largest code. NODE, N_PARTS, FAILING: the hierarchy node whose children are
# the parts, how many have records, and how many of these miss the goal. LEFT, CODE: size of the
# left part and its last code, for each of three candidate cuts; LEFT is 0 if there is none.
LOW, LOW2, HIGH, HIGH2, DISTINCT, MEASURED, TRIED, NODE, N_PARTS, FAILING, LEFT, CODE = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13
)  # fmt: skip
# Rows of View.width: with all, and without the record in question.
WITH_ALL, WITHOUT = 0, 1
# Columns of View.part. MOST: the largest count of a sensitive value. TIES: how many reach it.
# LAST_CODE: the last leaf code below a hierarchy child. ASKED, ASKED2: the largest crowd asked for,
# and the largest without one record that asks for it. FAR, FAR2: whether it is further than t from
# the whole table, with all and without one record of the sensitive value that all targets have; -1
# until it is needed.
SIZE, MOST, TIES, LAST_CODE, ASKED, ASKED2, FAR, FAR2 = range(8)


class View(NamedTuple):
    """What `_decide` needs to know of one node, filled in when needed."""

    column: Any
    width: Any
    part: Any  # columns × parts
    counts: Any  # columns × parts × sensitive values; the last part is all
    run: Any  # FLAT: how many records have each code


class Scratch(NamedTuple):
    """Memory to work in, for one thread."""

    part_of: Any  # an entry per record
    rank: Any  # an entry per record
    view: View


@inner
def _new_scratch(rules, records):
    """Memory for looking at nodes, one at a time."""
    columns, parts = len(rules.column), rules.most_parts
    # Without ℓ and t only the counts of whole nodes are needed.
    rows, all_parts = (columns, parts + 1) if rules.inside else (1, 1)
    view = View(
        np.empty((columns, 16), np.int64),
        np.empty((2, columns), np.float64),
        np.empty((columns, parts, 8), np.int64),
        np.empty((rows, all_parts, rules.n_sensitive), np.int64),
        np.empty(len(rules.alone), np.int64),
    )
    return Scratch(np.empty(records, np.int32), np.empty(records, np.int32), view)


# Searching a sorted slice ---------------------------------------------------------------------


@inner
def _code(table, order, j, place):
    return np.int64(table[j, order[j, place]])


@inner
def _first_above(codes, line, start, end, code):
    """First place in ``line[start:end]`` of a record with a higher code, else ``end``."""
    while start < end:
        middle = (start + end) >> 1
        if codes[line[middle]] > code:
            end = middle
        else:
            start = middle + 1
    return start


@inner
def _common_node(rules, j, low, high):
    """Lowest node of column j's hierarchy above both leaves, so above all between."""
    node = rules.column[j, OFFSET] + low
    while rules.node[node, LAST] < high:
        node = rules.node[node, PARENT]
    return node


# What a node offers ---------------------------------------------------------------------------


@inner
def _count_values(table, rules, order, j, start, end, counts):
    """Sensitive values in ``[start, end)``, into ``counts``."""
    counts[:] = 0
    for place in range(start, end):
        counts[table[rules.secret, order[j, place]]] += 1


@inner
def _asked(table, rules, order, j, start, end):
    """The largest crowd that a record in ``[start, end)`` asks for, and the next largest."""
    most, next_most = np.int64(0), np.int64(0)
    for place in range(start, end):
        crowd = np.int64(table[rules.secret + 1, order[j, place]])
        if crowd > next_most:
            next_most = min(crowd, most)
            most = max(crowd, most)
    return most, next_most


@inner
def _look(table, rules, order, start, end, view):
    """Begin a view of the node ``[start, end)``, which has at least two records."""
    for j in range(len(rules.column)):
        view.column[j, LOW] = _code(table, order, j, start)
        view.column[j, LOW2] = _code(table, order, j, start + 1)
        view.column[j, HIGH] = _code(table, order, j, end - 1)
        view.column[j, HIGH2] = _code(table, order, j, end - 2)
        view.column[j, MEASURED] = 0
        if rules.column[j, KIND] == FLAT:
            distinct, place = np.int64(0), start
            while place < end:
                code = _code(table, order, j, place)
                after = place + 1
                while after < end and _code(table, order, j, after) == code:
                    after += 1
                view.run[rules.column[j, OFFSET] + code] = after - place
                distinct += 1
                place = after
            view.column[j, DISTINCT] = distinct
        view.width[WITH_ALL, j] = _width(rules, view, j, np.int64(_ANY_CODE))


@inner
def _measure_part(table, rules, order, start, end, view, j, part):
    """Note the size of the part ``[start, end)``, its largest count, and the crowd asked for."""
    view.part[j, part, SIZE] = end - start
    if rules.crowds:
        asked, asked2 = _asked(table, rules, order, j, start, end)
        view.part[j, part, ASKED], view.part[j, part, ASKED2] = asked, asked2
    if rules.inside:
        view.part[j, part, FAR], view.part[j, part, FAR2] = -1, -1
        most, ties = np.int64(0), np.int64(0)
        for s in range(rules.n_sensitive):
            count = view.counts[j, part, s]
            if count > most:
                most, ties = count, 1
            elif count == most:
                ties += 1
        view.part[j, part, MOST], view.part[j, part, TIES] = most, ties


@inner
def _measure_cuts(table, rules, order, start, end, view, j):
    """The cuts next to the middle: the last two at or below it, and the first above.

    Taking one record out moves the middle by half a record, so one of these three is the best,
    whichever record is missing.
    """
    if rules.inside:
        _count_values(table, rules, order, j, start, end, view.counts[j, rules.most_parts])
    middle = start + (end - start) // 2
    code = _code(table, order, j, middle)
    below = _first_above(table[j], order[j], start, middle, code - 1)
    bound = start
    if below > start:
        before = _code(table, order, j, below - 1)
        bound = _first_above(table[j], order[j], start, below, before - 1)
    for t in range(3):
        if t == 1:
            bound = below
        elif t == 2:
            bound = _first_above(table[j], order[j], middle, end, code)
        view.column[j, LEFT + t] = 0
        if bound <= start or bound >= end:
            continue
        view.column[j, LEFT + t] = bound - start
        view.column[j, CODE + t] = _code(table, order, j, bound - 1)
        if rules.inside:
            _count_values(table, rules, order, j, start, bound, view.counts[j, 2 * t])
            for s in range(rules.n_sensitive):
                view.counts[j, 2 * t + 1, s] = (
                    view.counts[j, rules.most_parts, s] - view.counts[j, 2 * t, s]
                )
        _measure_part(table, rules, order, start, bound, view, j, 2 * t)
        _measure_part(table, rules, order, bound, end, view, j, 2 * t + 1)


@inner
def _measure_children(table, rules, order, start, end, view, j, node):
    """The children of a hierarchy node; returns how many of those with records miss the goal."""
    part, failing, none = np.int64(0), np.int64(0), np.int64(-1)
    place = _first_above(table[j], order[j], start, end, rules.node[node, FIRST] - 1)
    for c in range(rules.node[node, CHILDREN], rules.node[node + 1, CHILDREN]):
        last = rules.node[rules.node[c, NODE_LIST], LAST]
        after = _first_above(table[j], order[j], place, end, last)
        if after == place:
            continue
        if rules.inside:
            _count_values(table, rules, order, j, place, after, view.counts[j, part])
        _measure_part(table, rules, order, place, after, view, j, part)
        view.part[j, part, LAST_CODE] = last
        if not _holds(rules, view, j, part, none, none):
            failing += 1
        part += 1
        place = after
    view.column[j, N_PARTS] = part
    return failing


@inner
def _holds(rules, view, j, part, missing, crowd):
    """Whether a part meets k, ℓ, t and its members' crowds without one of its records.

    ``missing`` is the record's sensitive value, ``crowd`` the class size it asked for; -1 for
    none. No value over 1/ℓ of a class implies at least ℓ distinct values.
    """
    size = view.part[j, part, SIZE] - (1 if missing >= 0 else 0)
    if size < rules.k:
        return False
    if rules.crowds:
        asked = view.part[j, part, ASKED]
        if size < (view.part[j, part, ASKED2] if crowd == asked else asked):
            return False
    if not rules.inside:
        return True
    most = view.part[j, part, MOST]
    if missing >= 0 and view.part[j, part, TIES] == 1 and view.counts[j, part, missing] == most:
        most -= 1
    if most * rules.l > size:
        return False
    if len(rules.stretch) == 0:
        return True
    far = FAR if missing < 0 else FAR2
    if view.part[j, part, far] < 0:
        view.part[j, part, far] = _is_far(rules, view, j, part, size, missing)
    return view.part[j, part, far] == 0


@inner
def _is_far(rules, view, j, part, size, missing):
    """Whether a part of that size is further than t from the whole table; as in `_holds`.

    The sum is of whole numbers, which a float holds exactly up to 2^53.
    """
    moved, inside = 0.0, np.int64(0)
    first, after = np.int64(-1), np.int64(0)
    for stretch in range(len(rules.stretch)):
        last = rules.stretch[stretch, TO]
        if rules.stretch[stretch, FROM] != first:
            first, inside = rules.stretch[stretch, FROM], 0
            after = first
        while after <= last:  # the one before may have begun at the same value
            inside += view.counts[j, part, after]
            if after == missing:
                inside -= 1
            after += 1
        extra = inside * rules.records - rules.stretch[stretch, EXPECTED] * size
        moved += float(rules.stretch[stretch, WEIGHT]) * float(abs(extra))
    return moved > rules.far * float(size) * float(rules.records)


# Which cut? -----------------------------------------------------------------------------------


@inner
def _range_without(view, j, code):
    """Smallest and largest code in column j without one record that has ``code``."""
    low, high = view.column[j, LOW], view.column[j, HIGH]
    if code == low:
        low = view.column[j, LOW2]
    if code == high:
        high = view.column[j, HIGH2]
    return low, high


@inner
def _matters(rules, view, j, code):
    """Whether column j looks different without one record that has ``code``."""
    if code == view.column[j, LOW] and code != view.column[j, LOW2]:
        return True
    if code == view.column[j, HIGH] and code != view.column[j, HIGH2]:
        return True
    return rules.column[j, KIND] == FLAT and view.run[rules.column[j, OFFSET] + code] == 1


@inner
def _width(rules, view, j, code):
    """Normalized width of column j without one record that has ``code`` (_ANY_CODE: with all)."""
    low, high = _range_without(view, j, code)
    distinct = np.int64(0)
    if rules.column[j, KIND] == FLAT:
        distinct = view.column[j, DISTINCT]
        if code != _ANY_CODE and view.run[rules.column[j, OFFSET] + code] == 1:
            distinct -= 1
    return _width_between(rules, j, low, high, distinct)


@inner
def _width_between(rules, j, low, high, distinct):
    """Normalized width of column j between two codes; ``distinct``: values there (FLAT)."""
    if low == high or rules.extent[j] <= 0:
        return 0.0
    kind, offset = rules.column[j, KIND], rules.column[j, OFFSET]
    if kind == SPAN:
        return (rules.position[offset + high] - rules.position[offset + low]) / rules.extent[j]
    if kind == TREE:
        node = _common_node(rules, j, low, high)
        return (rules.node[node, LAST] - rules.node[node, FIRST] + 1) / rules.extent[j]
    return (distinct - 1) / rules.extent[j]


@inner
def _cut_between(rules, view, j, n, code, missing, crowd):
    """Last code left of the most even cut of column j, the lower of two; -1 if it misses the goal.

    ``code`` is that of the left-out record (_ANY_CODE for none), ``missing`` and ``crowd`` are as
    in `_holds`, and n counts the others. The most even cut has the largest smaller part, so if it
    misses k, every cut does.
    """
    best, least, nobody = np.int64(-1), np.int64(0), np.int64(-1)
    for t in range(3):
        left = view.column[j, LEFT + t]
        if left == 0:
            continue
        if code <= view.column[j, CODE + t]:
            left -= 1
        if left <= 0 or left >= n:
            continue
        uneven = abs(2 * left - n)
        if best < 0 or uneven < least:
            best, least = t, uneven
    if best < 0:
        return -1
    in_left = code <= view.column[j, CODE + best]
    left_missing, right_missing = (missing, nobody) if in_left else (nobody, missing)
    left_crowd, right_crowd = (crowd, nobody) if in_left else (nobody, crowd)
    if not _holds(rules, view, j, 2 * best, left_missing, left_crowd):
        return -1
    if not _holds(rules, view, j, 2 * best + 1, right_missing, right_crowd):
        return -1
    return view.column[j, CODE + best]


@inner
def _cut_children(table, rules, order, start, end, view, j, code, missing, crowd):
    """The hierarchy node all records but the left-out one share, if its children meet the goal."""
    node, failing = view.column[j, NODE], view.column[j, FAILING]
    if missing < 0:
        return node if failing == 0 else -1
    low, high = _range_without(view, j, code)
    if _common_node(rules, j, low, high) != node:
        # Only the left-out record needed the higher node; it has no part below the lower one.
        view.column[j, MEASURED] = 0
        node = _common_node(rules, j, low, high)
        failing = _measure_children(table, rules, order, start, end, view, j, node)
        return node if failing == 0 else -1
    part, beyond = np.int64(0), view.column[j, N_PARTS] - 1
    while part < beyond:  # the first part whose last code is not below the record's
        middle = (part + beyond) >> 1
        if view.part[j, middle, LAST_CODE] < code:
            part = middle + 1
        else:
            beyond = middle
    if not _holds(rules, view, j, part, np.int64(-1), np.int64(-1)):
        failing -= 1
    # A part that only the left-out record was in does not exist without it.
    alone = view.part[j, part, SIZE] == 1
    if failing == 0 and (alone or _holds(rules, view, j, part, missing, crowd)):
        return node
    return -1


@inner
def _decide(table, rules, order, start, end, view, record):
    """Column and cut of a node without ``record`` (-1: with all); (LEAF, -1) if none."""
    n, missing, crowd = end - start, np.int64(-1), np.int64(-1)
    if record >= 0:
        n -= 1
        missing = np.int64(table[rules.secret, record])
        if rules.crowds:
            crowd = np.int64(table[rules.secret + 1, record])
    if n < 2 * rules.k:
        return LEAF, -1
    columns = len(rules.column)
    for j in range(columns):
        width = view.width[WITH_ALL, j]
        if record >= 0 and _matters(rules, view, j, np.int64(table[j, record])):
            width = _width(rules, view, j, np.int64(table[j, record]))
        view.width[WITHOUT, j] = width
        view.column[j, TRIED] = width <= 0
    while True:
        j = np.int64(-1)
        for other in range(columns):
            if view.column[other, TRIED] == 0 and (
                j < 0 or view.width[WITHOUT, other] > view.width[WITHOUT, j]
            ):
                j = other
        if j < 0:
            return LEAF, -1
        view.column[j, TRIED] = 1
        code = np.int64(table[j, record]) if record >= 0 else np.int64(_ANY_CODE)
        measured = view.column[j, MEASURED] == 1
        view.column[j, MEASURED] = 1
        if rules.column[j, KIND] == TREE:
            if not measured:
                node = _common_node(rules, j, view.column[j, LOW], view.column[j, HIGH])
                view.column[j, NODE] = node
                view.column[j, FAILING] = _measure_children(
                    table, rules, order, start, end, view, j, node
                )
            cut = _cut_children(table, rules, order, start, end, view, j, code, missing, crowd)
        else:
            if not measured:
                _measure_cuts(table, rules, order, start, end, view, j)
            cut = _cut_between(rules, view, j, n, code, missing, crowd)
        if cut >= 0:
            return j, cut


# Carrying out a cut ---------------------------------------------------------------------------


@inner
def _new_tree(rules, n, region, classes):
    """Room for a partition of n records into at most so many classes.

    ``region`` is the root's: low and high of each column.
    """
    most = 2 * classes
    columns = 0 if rules.tight else len(rules.column)
    tree = Tree(
        np.empty((most, 7), np.int64),
        np.empty((most, columns, 2), np.int64),
        np.empty((n, 2), np.int64),
    )
    for j in range(columns):
        tree.region[0, j, 0], tree.region[0, j, 1] = region[2 * j], region[2 * j + 1]
    return tree


@inner
def _add_children(grown, node, used, part_of):
    """Append a node's children as its cut has them, and note which record goes where."""
    table, rules, order, tree = grown
    start, end = tree.node[node, START], tree.node[node, END]
    j, cut = tree.node[node, COLUMN], tree.node[node, CUT]
    place, parts = start, np.int64(0)
    by_tree = rules.column[j, KIND] == TREE
    c = rules.node[cut, CHILDREN] if by_tree else np.int64(0)
    last = rules.node[cut + 1, CHILDREN] if by_tree else np.int64(2)
    for child in range(c, last):
        if by_tree:
            first = rules.node[rules.node[child, NODE_LIST], FIRST]
            upto = rules.node[rules.node[child, NODE_LIST], LAST]
        else:
            first = np.int64(0) if child == 0 else cut + 1
            upto = cut if child == 0 else np.int64(_ANY_CODE)
        after = _first_above(table[j], order[j], place, end, upto)
        if after == place:
            continue
        new = used + parts
        tree.node[new, START], tree.node[new, END], tree.node[new, UPTO] = place, after, upto
        if not rules.tight:
            for i in range(2 * len(rules.column)):
                tree.region[new, i // 2, i % 2] = tree.region[node, i // 2, i % 2]
            tree.region[new, j, 0] = max(first, tree.region[node, j, 0])
            tree.region[new, j, 1] = min(upto, tree.region[node, j, 1])
        for p in range(place, after):
            part_of[order[j, p]] = parts
        parts += 1
        place = after
    tree.node[node, N_CHILDREN] = parts


@inner
def _distribute(rules, order, tree, node, part_of, spare, cursor):
    """Put the records of each child together in every column but the cut one, where they are."""
    parts, child = tree.node[node, N_CHILDREN], tree.node[node, CHILD]
    if parts == 0:
        return
    start, end = tree.node[node, START], tree.node[node, END]
    for i in range(len(rules.column)):
        if i == tree.node[node, COLUMN]:
            continue
        for part in range(parts):
            cursor[part] = tree.node[child + part, START]
        for p in range(start, end):
            part = part_of[order[i, p]]
            spare[cursor[part]] = order[i, p]
            cursor[part] += 1
        for p in range(start, end):
            order[i, p] = spare[p]


# Counting who is covered ----------------------------------------------------------------------


@inner
def _is_alone(rules, j, code):
    """Whether the value is gone with its only record; cuts do not cover such values."""
    return rules.column[j, KIND] == FLAT and rules.alone[rules.column[j, OFFSET] + code]


@inner
def _is_whole(rules, tree, node, j):
    """Whether column j has not been cut on the path to a node, so that everything is covered."""
    last = rules.column[j, LAST_OF_ALL]
    return tree.region[node, j, 0] <= 0 and tree.region[node, j, 1] >= last


@inner
def _row_above(codes, line, rank, code):
    """The row of the first value above ``code``; one more than the last if there is none."""
    place = _first_above(codes, line, np.int64(0), len(line), code)
    return rank[line[place]] if place < len(line) else rank[line[-1]] + 1


@inner
def _tabulate(grown, start, end, j, line, rank, counts):
    """For column j, how many records of each sensitive value cover each value in the slice.

    ``line`` has the slice's records sorted by column j. Writes each record's row into ``rank``.
    """
    table, rules, order, tree = grown
    distinct = np.int64(0)
    for p in range(len(line)):
        if p > 0 and table[j, line[p]] != table[j, line[p - 1]]:
            distinct += 1
        rank[line[p]] = distinct
    as_range = rules.column[j, KIND] == SPAN or not rules.tight
    total = np.zeros((distinct + 2, rules.n_sensitive), np.int32)
    place = start
    while place < end:
        after = tree.leaf[place, 0]
        if as_range:  # note where the class begins and ends to cover, and sum up below
            low, high = rank[order[j, place]], rank[order[j, after - 1]] + 1
            if not rules.tight:
                node = tree.leaf[place, 1]
                low = _row_above(table[j], line, rank, tree.region[node, j, 0] - 1)
                high = _row_above(table[j], line, rank, tree.region[node, j, 1])
            for p in range(place, after):
                total[low, table[rules.secret, order[j, p]]] += 1
                total[high, table[rules.secret, order[j, p]]] -= 1
        else:
            _count_values(table, rules, order, j, place, after, counts)
            for p in range(place, after):
                if p == place or _code(table, order, j, p) != _code(table, order, j, p - 1):
                    for s in range(rules.n_sensitive):
                        total[rank[order[j, p]], s] += counts[s]
        place = after
    if as_range:
        for r in range(1, distinct + 1):
            for s in range(rules.n_sensitive):
                total[r, s] += total[r - 1, s]
    if rules.column[j, KIND] == FLAT and not rules.tight:
        _correct_alone(grown, start, end, j, line, rank, counts, total)
    return total


@inner
def _correct_alone(grown, start, end, j, line, rank, counts, total):
    """For values that are gone, count only the classes for which column j was not cut."""
    table, rules, order, tree = grown
    counts[:] = 0
    place = start
    while place < end:
        after = tree.leaf[place, 0]
        if _is_whole(rules, tree, tree.leaf[place, 1], j):
            for p in range(place, after):
                counts[table[rules.secret, order[j, p]]] += 1
        place = after
    for p in range(len(line)):
        if _is_alone(rules, j, np.int64(table[j, line[p]])):
            for s in range(rules.n_sensitive):
                total[rank[line[p]], s] = counts[s]


@inner
def _count_cover(grown, start, end, lines, sign, who, targets, rank):
    """Add (or take away) what the classes in ``[start, end)`` cover of the targets ``who``.

    ``lines`` has the records of the slice (and of all targets) sorted by the first column, then
    by the second, and so on.
    """
    rules, record, cover = grown.rules, targets.record, targets.cover
    if len(cover) == 0:
        return
    counts = np.empty(rules.n_sensitive, np.int64)
    n = len(lines) // len(rules.column)
    for j in range(len(rules.column)):
        line = lines[j * n : (j + 1) * n]
        total = _tabulate(grown, start, end, j, line, rank, counts)
        for t in who:
            row = rank[record[t]]
            for s in range(rules.n_sensitive):
                cover[t, j, s] += sign * total[row, s]


# Growing, and walking down without each target ------------------------------------------------


# Columns of Cases.head. RECORDS, TARGETS: how many. CASE_COLUMN, CASE_CUT: as in Tree.node, or OWN
# if the node is to decide. COUNTED: 1 if the classes of its own cut are in the counts already.
# SLICE: where the records lay in the tree the case comes from. RECORDS_AT, TARGETS_AT: where they
# begin in the lists of all cases.
RECORDS, TARGETS, CASE_COLUMN, CASE_CUT, COUNTED, SLICE, RECORDS_AT, TARGETS_AT = range(8)


class Cases(NamedTuple):
    """Targets that left a tree, with the records and the cut to go on with; flat, growing."""

    head: Any  # a row per case
    region: Any  # of the node, a row per case: low and high of each column
    records: Any  # `order` of each case, row after row
    targets: Any
    used: Any  # how many cases, entries of records, entries of targets


@inner
def _no_cases(rules):
    return Cases(
        np.empty((16, 8), np.int64),
        np.empty((16, 2 * len(rules.column)), np.int64),
        np.empty(1024, np.int32),
        np.empty(64, np.int32),
        np.zeros(3, np.int64),
    )


@inner
def _room(array, used, needed):
    """The array, or a larger copy of its ``used`` entries where ``needed`` would not fit."""
    if needed <= len(array):
        return array
    larger = np.empty((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    # Assigning a slice would compile the texts of errors, too.
    for i in range(used * (array.size // len(array))):
        larger.flat[i] = array.flat[i]
    return larger


@inner
def _add_case(cases, grown, node, column, cut, counted, who):
    """Append a case: the node's records, sorted because it is not cut yet, with another cut."""
    rules, order, tree = grown.rules, grown.order, grown.tree
    start, end = tree.node[node, START], tree.node[node, END]
    columns, n = len(rules.column), end - start
    case, at, to = cases.used[0], cases.used[1], cases.used[2]
    head = _room(cases.head, case, case + 1)
    region = _room(cases.region, case, case + 1)
    records = _room(cases.records, at, at + columns * n)
    targets = _room(cases.targets, to, to + len(who))
    head[case, RECORDS], head[case, TARGETS], head[case, SLICE] = n, len(who), start
    head[case, RECORDS_AT], head[case, TARGETS_AT] = at, to
    head[case, CASE_COLUMN], head[case, CASE_CUT], head[case, COUNTED] = column, cut, counted
    for j in range(columns):
        if not rules.tight:
            region[case, 2 * j] = tree.region[node, j, 0]
            region[case, 2 * j + 1] = tree.region[node, j, 1]
        for p in range(start, end):
            records[at] = order[j, p]
            at += 1
    for t in who:
        targets[to] = t
        to += 1
    cases.used[0], cases.used[1], cases.used[2] = case + 1, at, to
    return Cases(head, region, records, targets, cases.used)


@inner
def _leave_class(grown, node, view, counts, t, i, targets):
    """Target t (record i) leaves its class, which publishes what the others still cover.

    ``counts`` are the class's sensitive values.
    """
    table, rules, order, tree = grown
    cover, joint = targets.cover, targets.joint
    start, end = tree.node[node, START], tree.node[node, END]
    inside = True
    for j in range(len(rules.column)):
        code, still = np.int64(table[j, i]), end - start > 1
        if not rules.tight and _is_alone(rules, j, code) and not _is_whole(rules, tree, node, j):
            inside = False  # and the class has not been counted for this target
            continue
        if rules.tight and still:
            low, high = _range_without(view, j, code)
            still = low <= code <= high
            if still and rules.column[j, KIND] != SPAN:
                place = _first_above(table[j], order[j], start, end, code - 1)
                still = place + 1 < end and _code(table, order, j, place + 1) == code
        inside = inside and still
        if len(cover) > 0:
            if still:
                cover[t, j, table[rules.secret, i]] -= 1
            else:
                for s in range(rules.n_sensitive):
                    cover[t, j, s] -= counts[s]
    for s in range(rules.n_sensitive):
        joint[t, s] = counts[s] if inside else 0
    if inside:
        joint[t, table[rules.secret, i]] -= 1


@inner
def _sort_into_groups(who, goes, first, last, n_groups, spare):
    """Put the targets ``who[first:last]`` of each group together; those of group -1 are dropped.

    Returns where each group begins.
    """
    begins = np.zeros(n_groups + 1, np.int64)
    for w in range(first, last):
        if goes[w] >= 0:
            begins[goes[w] + 1] += 1
    begins[0] = first
    for group in range(n_groups):
        begins[group + 1] += begins[group]
    place = begins.copy()
    for w in range(first, last):
        if goes[w] >= 0:
            spare[place[goes[w]]] = who[w]
            place[goes[w]] += 1
    for w in range(first, begins[n_groups]):
        who[w] = spare[w]
    return begins


@inner
def _send(grown, node, who, goes, first, last, targets, view, keys):
    """Decide where each target goes from a node without its own record, into ``goes``.

    It goes into one of the node's parts (0, 1, …), or on with another cut (parts + its place in
    ``keys``), or nowhere (-1) because it has left its class. Returns the keys and their number.
    """
    table, rules, order, tree = grown
    start, end = tree.node[node, START], tree.node[node, END]
    column, cut = tree.node[node, COLUMN], tree.node[node, CUT]
    parts, child = tree.node[node, N_CHILDREN], tree.node[node, CHILD]
    n_keys = np.int64(0)
    counts = view.counts[0, view.counts.shape[1] - 1]
    if column == LEAF and first < last:
        _count_values(table, rules, order, np.int64(0), start, end, counts)
    for w in range(first, last):
        t = np.int64(who[w])
        i = np.int64(targets.record[t])
        new_column, new_cut = _decide(table, rules, order, start, end, view, i)
        if new_column != column or new_cut != cut:
            key = 0
            while key < n_keys and (keys[key, 0] != new_column or keys[key, 1] != new_cut):
                key += 1
            if key == n_keys:
                keys = _room(keys, n_keys, n_keys + 1)
                keys[key, 0], keys[key, 1] = new_column, new_cut
                n_keys += 1
            goes[w] = parts + key
        elif column == LEAF:
            _leave_class(grown, node, view, counts, t, i, targets)
            goes[w] = -1
        else:
            part, beyond = np.int64(0), parts - 1
            while part < beyond:  # the first part whose last code is not below the record's
                middle = (part + beyond) >> 1
                if tree.node[child + middle, UPTO] < table[column, i]:
                    part = middle + 1
                else:
                    beyond = middle
            goes[w] = part
    return keys, n_keys


@inner
def _grow(grown, column, cut, who, stop, targets, scratch, cases):
    """Partition all of ``order`` and take the targets ``who`` down, each without its own record.

    ``order`` is rearranged so that classes are contiguous, and ``who`` is overwritten. The root
    takes the given cut, or decides for itself if the column is OWN. Targets that reach a class are
    done. Those that need another cut become cases, as do those in nodes of at most ``stop``
    records, which are continued elsewhere. Returns the number of nodes, and ``cases`` with the new
    ones.
    """
    table, rules, order, tree = grown
    part_of, _, view = scratch
    n = order.shape[1]
    spare, spare_who = np.empty(n, np.int32), np.empty(len(who), np.int32)
    goes, cursor = np.empty(len(who), np.int64), np.empty(rules.most_parts, np.int64)
    keys = np.empty((16, 2), np.int64)
    todo = np.empty((len(tree.node), 3), np.int64)
    todo[0, 0], todo[0, 1], todo[0, 2] = 0, 0, len(who)
    waiting, used, own, none = np.int64(1), np.int64(1), np.int64(OWN), np.int64(-1)
    tree.node[0, START], tree.node[0, END], tree.node[0, UPTO] = 0, n, _ANY_CODE
    while waiting > 0:
        waiting -= 1
        node, first, last = todo[waiting, 0], todo[waiting, 1], todo[waiting, 2]
        start, end = tree.node[node, START], tree.node[node, END]
        if end - start <= stop and first < last:
            some = who[first:last]
            cases = _add_case(cases, grown, node, own, none, np.int64(1), some)
            last = first
        if end - start >= 2 * rules.k or (first < last and end - start > 1):
            _look(table, rules, order, start, end, view)
        if node > 0 or column == OWN:
            column, cut = _decide(table, rules, order, start, end, view, none)
        tree.node[node, COLUMN], tree.node[node, CUT] = column, cut
        tree.node[node, CHILD], tree.node[node, N_CHILDREN] = used, 0
        if column == LEAF:
            tree.leaf[start, 0], tree.leaf[start, 1] = end, node
        else:
            _add_children(grown, node, used, part_of)
        parts = tree.node[node, N_CHILDREN]
        keys, n_keys = _send(grown, node, who, goes, first, last, targets, view, keys)
        begins = _sort_into_groups(who, goes, first, last, parts + n_keys, spare_who)
        for key in range(n_keys):
            some = who[begins[parts + key] : begins[parts + key + 1]]
            cases = _add_case(cases, grown, node, keys[key, 0], keys[key, 1], np.int64(0), some)
        for part in range(parts):
            todo[waiting, 0] = used + part
            todo[waiting, 1], todo[waiting, 2] = begins[part], begins[part + 1]
            waiting += 1
        _distribute(rules, order, tree, node, part_of, spare, cursor)
        used += parts
    return used, cases


@compiled()
def walk_cases(table, rules, given, first, last, stop, targets):
    """Grow each of the given cases ``[first, last)`` and take its targets down.

    Returns the order and the tree of the last of them, and new cases.
    """
    columns, record, cases = len(rules.column), targets.record, _no_cases(rules)
    scratch = _new_scratch(rules, table.shape[1])
    zero, more, less = np.int64(0), np.int64(1), np.int64(-1)
    for case in range(first, last):
        head = given.head[case]
        column, cut, at, to = head[CASE_COLUMN], head[CASE_CUT], head[RECORDS_AT], head[TARGETS_AT]
        lines = given.records[at : at + columns * head[RECORDS]]
        who = given.targets[to : to + head[TARGETS]]
        outside = np.int64(-1)
        if column >= 0 and rules.column[column, KIND] == TREE:
            # A target outside the hierarchy node that the others share has no part.
            code = table[column, record[who[0]]]
            if code < rules.node[cut, FIRST] or code > rules.node[cut, LAST]:
                outside = np.int64(record[who[0]])
        kept = lines[lines != outside]
        order = kept.reshape(columns, len(kept) // columns)
        n = order.shape[1]
        # Every class has at least k records, but for one that may hold only a left-out record.
        tree = _new_tree(rules, n, given.region[case], n // rules.k + 2)
        grown = Grown(table, rules, order, tree)
        walkers = who.copy()
        if outside >= 0:
            walkers = walkers[:0]
            for t in who:  # the same record, if more than once
                for s in range(rules.n_sensitive):
                    targets.joint[t, s] = 0
        old = cases.used[0]
        used, cases = _grow(grown, column, cut, walkers, stop, targets, scratch, cases)
        if head[COUNTED] == 0:
            _count_cover(grown, zero, n, lines, more, who, targets, scratch.rank)
        for new in range(old, cases.used[0]):
            head = cases.head[new]
            if head[COUNTED] == 0:
                start, at, to = head[SLICE], head[RECORDS_AT], head[TARGETS_AT]
                lines = cases.records[at : at + columns * head[RECORDS]]
                who = cases.targets[to : to + head[TARGETS]]
                end = start + head[RECORDS]
                _count_cover(grown, start, end, lines, less, who, targets, scratch.rank)
    return order, Tree(tree.node[:used], tree.region[:used], tree.leaf), cases
