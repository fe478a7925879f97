"""Which boxes cover a point, without looking at all of them.

A class of a release is a box: one region a column, an interval of codes or a set of them. Boxes
are sorted into a tree. Each node knows how far the boxes beneath it reach in every column (and,
for columns with sets, roughly which codes they have), so that a search skips those that cannot
cover the point. The tree is cut by where boxes begin and by where they end, and not by their
middles: wide boxes are then kept apart from narrow ones, which would otherwise all be searched.

Nodes stand in the order in which a search comes by; ``AFTER`` says where to go on if nothing
beneath a node can cover the point.

Everything is in this one file because numba's cache does not notice changes in other files. What
the main thread calls returns a number or nothing, for the reason given in Mondrian's kernels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unveil._compiled import compiled, inner

ANY = -1
"""The code of a value that is not known: every region may cover it."""

NO_VALUE, ANY_VALUE = -1, -2
"""In place of the sensitive value of a point's own record: there is none; whatever it is."""

LOW, HIGH, START, STOP = 0, 1, 2, 3  # of a box in a column; a node has the first two
FIRST, LAST, AFTER = 0, 1, 2  # of a node: its boxes, and where a search goes on
RECORDS, GROUP, VALUES, END, LAST_RESORT = 0, 1, 2, 3, 4  # of a box: its values: VALUES to END
GROUPS, AMONG, FOUND, RESORTED = 1, 2, 3, 4  # of a point, after its records: FOUND ends its values

WORDS = 4  # of 64 bits, for the codes beneath a node; larger domains share bits
_FEW = 8  # boxes that are looked at one by one
_FAR = 2**31 - 1


class Boxes(NamedTuple):
    """Boxes × columns × (LOW, HIGH, START, STOP): codes from LOW to HIGH, both included.

    Where STOP is above START, only those among ``members[START:STOP]``, which ascend.
    """

    sides: Any
    members: Any


class Tree(NamedTuple):
    """The nodes of a tree; boxes stand in its order.

    Attributes
    ----------
    reach : nodes × columns × (LOW, HIGH)
    nodes : nodes × (FIRST, LAST, AFTER)
    bits : nodes × columns with sets × words
        Which codes the boxes beneath a node have.
    place : array, one a column
        Which of the bits are the column's; -1 if it has no sets.
    """

    reach: Any
    nodes: Any
    bits: Any
    place: Any


class Counts(NamedTuple):
    """What boxes count for.

    Attributes
    ----------
    boxes : boxes × (RECORDS, GROUP, VALUES, END, LAST_RESORT)
        A box is often a group by itself. A last resort, 1 and not 0, counts only for points that
        no other box covers.
    value, number : arrays
        Sensitive values and how many records have them.
    once : int
        1, if a group's values are counted once, not for each of its boxes.
    resorts : int
        How many boxes are last resorts.
    """

    boxes: Any
    value: Any
    number: Any
    once: Any
    resorts: Any


@inner
def _reach(boxes, order, first, last, least, most):
    """Write the range of where boxes begin (even places) and of where they end (odd ones)."""
    columns = boxes.sides.shape[1]
    for side in range(2 * columns):
        least[side], most[side] = _FAR, -_FAR
    for at in range(first, last):
        for side in range(2 * columns):
            bound = np.int64(boxes.sides[order[at], side // 2, side % 2])
            least[side] = min(least[side], bound)
            most[side] = max(most[side], bound)


@inner
def _parted(boxes, order, first, last, side, middle):
    """Put boxes whose begin (or end) is at most the middle first; say where the others begin."""
    here, there = first, last - 1
    while here <= there:
        box = order[here]
        if boxes.sides[box, side // 2, side % 2] <= middle:
            here += 1
        else:
            order[here] = order[there]
            order[there] = box
            there -= 1
    return here


@compiled()
def grow(boxes, order, reach, nodes, room):
    """Sort boxes into a tree; returns how many nodes it has.

    Parameters
    ----------
    boxes : Boxes
    order : array
        All boxes in any order; they are put into that of the tree.
    reach, nodes : arrays
        To be written, with room for twice as many nodes as there are boxes.
    room : array of shape (3 + 64 · columns, 2 · columns)
        To work in.
    """
    columns = boxes.sides.shape[1]
    least, most, whole, waiting = room[0], room[1], room[2], room[3:]
    _reach(boxes, order, np.int64(0), len(order), least, most)
    for side in range(2 * columns):
        whole[side] = max(1, most[side] - least[side])
    waiting[0, 0], waiting[0, 1] = 0, len(order)
    left, node = 1, 0
    while left:
        left -= 1
        first, last = waiting[left, 0], waiting[left, 1]
        _reach(boxes, order, first, last, least, most)
        for j in range(columns):
            reach[node, j, LOW], reach[node, j, HIGH] = least[2 * j], most[2 * j + 1]
        nodes[node, FIRST], nodes[node, LAST] = first, last
        node += 1
        # Cut along the side where boxes differ most, as a share of how much all of them do.
        widest, cut_by = 0.0, np.int64(-1)
        for side in range(2 * columns):
            spread = (most[side] - least[side]) / whole[side]
            if spread > widest:
                widest, cut_by = spread, side
        if last - first > _FEW and cut_by >= 0:
            middle = least[cut_by] + (most[cut_by] - least[cut_by]) // 2
            cut = _parted(boxes, order, first, last, cut_by, middle)
            waiting[left, 0], waiting[left, 1] = cut, last
            waiting[left + 1, 0], waiting[left + 1, 1] = first, cut
            left += 2
    return node


@inner
def _mark(bits, code):
    spot = code % (64 * WORDS)
    bits[spot // 64] |= np.uint64(1) << np.uint64(spot % 64)


@compiled()
def link(boxes, tree, begins):
    """Write where a search goes on after each node, and the bits.

    ``begins`` has one place more than there are boxes, and the number of nodes in each.
    """
    for node in range(len(tree.nodes) - 1, -1, -1):
        tree.nodes[node, AFTER] = begins[tree.nodes[node, LAST]]
        begins[tree.nodes[node, FIRST]] = node
        for j in range(len(tree.place)):
            if tree.place[j] < 0:
                continue
            bits = tree.bits[node, tree.place[j]]
            if tree.nodes[node, AFTER] != node + 1:
                right = tree.nodes[node + 1, AFTER]
                for word in range(WORDS):
                    bits[word] = (
                        tree.bits[node + 1, tree.place[j], word]
                        | tree.bits[right, tree.place[j], word]
                    )
                continue
            for at in range(tree.nodes[node, FIRST], tree.nodes[node, LAST]):
                side = boxes.sides[at, j]
                if side[STOP] > side[START]:
                    for k in range(side[START], side[STOP]):
                        _mark(bits, boxes.members[k])
                else:
                    for code in range(side[LOW], min(side[HIGH], side[LOW] + 64 * WORDS) + 1):
                        _mark(bits, code)


@inner
def _may_cover(tree, node, point):
    for j in range(len(point)):
        code = point[j]
        if code < 0:
            continue
        if code < tree.reach[node, j, LOW] or code > tree.reach[node, j, HIGH]:
            return False
        if tree.place[j] >= 0:
            spot = code % (64 * WORDS)
            word = tree.bits[node, tree.place[j], spot // 64]
            if (word >> np.uint64(spot % 64)) & np.uint64(1) == 0:
                return False
    return True


@inner
def _covers(boxes, box, point):
    for j in range(len(point)):
        code, side = point[j], boxes.sides[box, j]
        if code < 0:
            continue
        if code < side[LOW] or code > side[HIGH]:
            return False
        first, last = side[START], side[STOP]
        if first < last:
            while first < last:
                middle = (first + last) // 2
                if boxes.members[middle] < code:
                    first = middle + 1
                else:
                    last = middle
            if first == side[STOP] or boxes.members[first] != code:
                return False
    return True


@compiled()
def covered(boxes, box_of, points, found):
    """For each point, write whether the box named for it covers it."""
    for i in range(len(points)):
        found[i] = _covers(boxes, box_of[i], points[i])


@inner
def _has(counts, box, secret):
    if secret == ANY_VALUE:
        return 1
    for k in range(counts.boxes[box, VALUES], counts.boxes[box, END]):
        if counts.value[k] == secret:
            return 1
    return 0


@compiled()
def search(boxes, tree, counts, points, own, people, found, value, number, room):
    """Add up the boxes that cover each point; returns for how many points there was room.

    Parameters
    ----------
    boxes, tree, counts : Boxes, Tree, Counts
    points : points × columns
    own : points × (columns, sensitive value, weight)
        The codes and the value (or NO_VALUE, ANY_VALUE) of the point's own record, and how many
        people are there.
    people : array, one a box
        To which the weights are added of all points that the box covers.
    found : points × (RECORDS, GROUPS, AMONG, FOUND, RESORTED), all 0
        To be written: how many records and groups cover the point, whether one of them covers the
        point's own codes, too, and has its value, where the point's values end in the next, and
        whether these boxes are last resorts.
    value, number : arrays
        To be written: the sensitive values of these records, point by point, and how many have
        them.
    room : 2 arrays, as long as there are sensitive values, and one, as there are groups
        To work in; the first all 0, the last all -1.
    """
    sums, touched, seen = room
    columns, there = points.shape[1], np.int64(0)
    for i in range(len(points)):
        if there + len(sums) > len(value):
            return i
        point, node, values, resort = points[i], np.int64(0), 0, 0
        while True:
            if node >= len(tree.nodes):
                if resort or found[i, RECORDS] or not counts.resorts:
                    break
                node, resort = np.int64(0), 1
            if not _may_cover(tree, node, point):
                node = tree.nodes[node, AFTER]
                continue
            node += 1
            if tree.nodes[node - 1, AFTER] != node:
                continue
            for box in range(tree.nodes[node - 1, FIRST], tree.nodes[node - 1, LAST]):
                if counts.boxes[box, RECORDS] == 0 or counts.boxes[box, LAST_RESORT] != resort:
                    continue
                if not _covers(boxes, box, point):
                    continue
                found[i, RECORDS] += counts.boxes[box, RECORDS]
                people[box] += own[i, columns + 1]
                asked = own[i, columns] != NO_VALUE and not found[i, AMONG]
                if asked and _covers(boxes, box, own[i, :columns]):
                    found[i, AMONG] = _has(counts, box, own[i, columns])
                group = counts.boxes[box, GROUP]
                if seen[group] != i:
                    seen[group] = i
                    found[i, GROUPS] += 1
                elif counts.once:
                    continue
                for k in range(counts.boxes[box, VALUES], counts.boxes[box, END]):
                    s = counts.value[k]
                    if sums[s] == 0:
                        touched[values] = s
                        values += 1
                    sums[s] += counts.number[k]
        for k in range(values):
            s = touched[k]
            value[there], number[there] = s, sums[s]
            sums[s] = 0
            there += 1
        found[i, FOUND], found[i, RESORTED] = there, resort and found[i, RECORDS] > 0
    return len(points)
