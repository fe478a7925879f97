"""Counting the worlds of a component: all of them, or as many as are drawn.

A component is some classes of the release whose secrets hang together through attempts. People of
a class who fall into the same parts of all attempts are a *block*: exchanging them changes nothing.
So a world is, for each class, a table of blocks × sensitive values with the sizes of the blocks and
the histogram of the class as its margins.

*All worlds.* Values are placed one after the other, a few of each into every block, with the
hypergeometric probability of doing so. As soon as all attempts are refused whatever comes, the
rest is any world: what is still to be placed is expected in proportion to the room that is left.
Values so rare that they cannot make any part fail need not be placed at all.

*Draws.* Secrets are shuffled within classes. *Walks*: exchanges of two people of a class, each
taken if all attempts are still refused.

Everything is in this one file because numba's cache does not notice changes in other files. What
is called from Python returns a number, for the reason given in Mondrian's kernels.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numba
import numpy as np

SIZE, EXTRA, ATTEMPT = 0, 1, 2  # columns of Parts.part
LIMIT, MARGIN, SIZE_BEFORE, EXTRA_BEFORE = 0, 1, 2, 3  # columns of Parts.attempt
CLASS, VALUE, NUMBER, ROOM = 0, 1, 2, 3  # columns of an item

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)


class Parts(NamedTuple):
    """The parts of all attempts of a component.

    Attributes
    ----------
    part : parts × (SIZE, EXTRA, ATTEMPT)
        Those that may fail or not; a part's records, what suppressing it adds, and whose it is.
    attempt : attempts × (LIMIT, MARGIN, SIZE_BEFORE, EXTRA_BEFORE)
        When it is refused, and what the parts that always fail contribute to that.
    base : parts × values
        The secrets in each part that are known.
    start, listed : arrays
        The parts of block b are ``listed[start[b]:start[b + 1]]``.
    """

    part: Any
    attempt: Any
    base: Any
    start: Any
    listed: Any


@_inner
def _is_far(hist, size, goal):
    """Whether a part is further than t from the whole table."""
    moved = 0.0
    for row in range(len(goal.stretch)):
        inside = 0
        for s in range(goal.stretch[row, 0], goal.stretch[row, 1] + 1):
            inside += hist[s]
        extra = inside * goal.records - goal.stretch[row, 3] * size
        moved += float(goal.stretch[row, 2]) * float(abs(extra))
    return moved > goal.far * float(size) * float(goal.records)


@_inner
def _fails(hist, size, goal):
    if goal.l > 1:
        for s in range(len(hist)):
            if hist[s] * goal.l > size:
                return True
    return len(goal.stretch) > 0 and _is_far(hist, size, goal)


@_jit()
def failing(hists, sizes, goal, fails):
    """Which parts with these histograms fail; returns how many."""
    number = 0
    for p in range(len(sizes)):
        fails[p] = _fails(hists[p], sizes[p], goal)
        number += fails[p]
    return number


@_inner
def _all_refused(parts, hist, goal, sums):
    """Whether all attempts are refused; ``sums`` (attempts × 2) is scratch."""
    for a in range(len(sums)):
        sums[a, 0] = parts.attempt[a, SIZE_BEFORE]
        sums[a, 1] = parts.attempt[a, EXTRA_BEFORE]
    for p in range(len(parts.part)):
        a = parts.part[p, ATTEMPT]
        if sums[a, 0] > parts.attempt[a, LIMIT] or sums[a, 1] > parts.attempt[a, MARGIN]:
            continue
        if _fails(hist[p], parts.part[p, SIZE], goal):
            sums[a, 0] += parts.part[p, SIZE]
            sums[a, 1] += parts.part[p, EXTRA]
    for a in range(len(sums)):
        if sums[a, 0] <= parts.attempt[a, LIMIT] and sums[a, 1] <= parts.attempt[a, MARGIN]:
            return False
    return True


# All worlds -------------------------------------------------------------------------------------


@_inner
def _is_refused(parts, sums, a):
    return sums[a, 0] > parts.attempt[a, LIMIT] or sums[a, 1] > parts.attempt[a, MARGIN]


@_inner
def _put(parts, hist, over, sums, goal, block, s, number):
    """Place ``number`` (or take away, if negative) of value s in a block; returns newly refused.

    ``over`` counts for each part the values that are too frequent for ℓ.
    """
    change = 0
    for at in range(parts.start[block], parts.start[block + 1]):
        p = parts.listed[at]
        size, a = parts.part[p, SIZE], parts.part[p, ATTEMPT]
        was = hist[p, s] * goal.l > size
        hist[p, s] += number
        now = hist[p, s] * goal.l > size
        if goal.l < 2 or was == now:
            continue
        over[p] += 1 if now else -1
        if over[p] != (1 if now else 0):
            continue
        before = _is_refused(parts, sums, a)
        sums[a, 0] += parts.part[p, SIZE] if now else -parts.part[p, SIZE]
        sums[a, 1] += parts.part[p, EXTRA] if now else -parts.part[p, EXTRA]
        change += _is_refused(parts, sums, a) - np.int64(before)
    return change


@_inner
def _begun(parts, goal, hist, over, sums):
    """What is known before anything is placed; returns how many attempts are refused already."""
    for a in range(len(sums)):
        sums[a, 0] = parts.attempt[a, SIZE_BEFORE]
        sums[a, 1] = parts.attempt[a, EXTRA_BEFORE]
    for p in range(len(over)):
        over[p] = 0
        for s in range(hist.shape[1]):
            hist[p, s] = parts.base[p, s]
            if goal.l > 1 and hist[p, s] * goal.l > parts.part[p, SIZE]:
                over[p] += 1
        if over[p]:
            sums[parts.part[p, ATTEMPT], 0] += parts.part[p, SIZE]
            sums[parts.part[p, ATTEMPT], 1] += parts.part[p, EXTRA]
    refused = 0
    for a in range(len(sums)):
        refused += _is_refused(parts, sums, a)
    return refused


@_jit()
def all_worlds(parts, goal, items, room, first, of_class, choose, steps, placed, left):
    """Go through all worlds; returns the share of those kept, or -1 after too many steps.

    Parameters
    ----------
    items : items × (CLASS, VALUE, NUMBER, ROOM)
        What is placed, in this order; ROOM is what its class has left before.
    room : array
        The size of each block; those of a class stand together.
    first : array
        The first block of each class, and where the last one ends.
    of_class : array
        The class of each block.
    choose : array
        Binomial coefficients.
    steps : int
        How many placements are tried at most.
    placed : blocks × values
        Is given the expected number of records of what was placed, times the share kept.
    left : (items + 1) × blocks
        Is given, for worlds that were known to be kept after so many items, the share of what was
        left of its class that each block has.
    """
    depths = 0
    for i in range(len(items)):
        depths += first[items[i, CLASS] + 1] - first[items[i, CLASS]]
    item, block = np.empty(depths + 1, np.int64), np.empty(depths + 1, np.int64)
    at = 0
    for i in range(len(items)):
        for b in range(first[items[i, CLASS]], first[items[i, CLASS] + 1]):
            item[at], block[at] = i, b
            at += 1
    item[depths], block[depths] = len(items), -1
    hist, over = parts.base.copy(), np.zeros(len(parts.part), np.int64)
    sums = np.zeros((len(parts.attempt), 2), np.int64)
    scratch = sums.copy()
    refused = _begun(parts, goal, hist, over, sums)
    cap = room.copy()
    choice, most = np.zeros(depths + 1, np.int64), np.zeros(depths + 1, np.int64)
    rest, behind = np.zeros(depths + 1, np.int64), np.zeros(depths + 1, np.int64)
    weight = np.ones(depths + 1)
    depth, down, done, mass = 0, True, 0, 0.0
    while depth >= 0:
        if not down:
            b, s = block[depth], items[item[depth], VALUE]
            cap[b] += choice[depth]
            refused += _put(parts, hist, over, sums, goal, b, s, -choice[depth])
            if choice[depth] == most[depth]:
                depth -= 1
                continue
            choice[depth] += 1
        else:
            done += 1
            if done > steps:
                return -1.0
            begins = depth == 0 or depth == depths or item[depth] != item[depth - 1]
            if begins and (depth == depths or refused == len(sums)):
                if refused == len(sums) or _all_refused(parts, hist, goal, scratch):
                    mass += weight[depth]
                    _note(items, block, item, choice, depth, weight[depth], cap, first, of_class,
                          placed, left)  # fmt: skip
                depth, down = depth - 1, False
                continue
            b = block[depth]
            if begins:
                number, all_room = items[item[depth], NUMBER], items[item[depth], ROOM]
                rest[depth], behind[depth] = number, all_room
                weight[depth] /= choose[all_room, number]
            else:
                rest[depth] = rest[depth - 1] - choice[depth - 1]
                behind[depth] = behind[depth - 1] - (cap[block[depth - 1]] + choice[depth - 1])
            choice[depth] = max(0, rest[depth] - (behind[depth] - cap[b]))
            most[depth] = min(cap[b], rest[depth])
        b, s = block[depth], items[item[depth], VALUE]
        weight[depth + 1] = weight[depth] * choose[cap[b], choice[depth]]
        cap[b] -= choice[depth]
        refused += _put(parts, hist, over, sums, goal, b, s, choice[depth])
        depth, down = depth + 1, True
    return mass


@_inner
def _note(items, block, item, choice, depth, weight, cap, first, of_class, placed, left):
    """Add the worlds that go on from here to what is expected."""
    for at in range(depth):
        placed[block[at], items[item[at], VALUE]] += weight * choice[at]
    for c in range(len(first) - 1):
        total = 0
        for b in range(first[c], first[c + 1]):
            total += cap[b]
        if total == 0:
            continue
        for b in range(first[c], first[c + 1]):
            left[item[depth], b] += weight * cap[b] / total


# Some worlds ------------------------------------------------------------------------------------


@_inner
def _count(parts, block_of, secrets, hist):
    """The histograms of all parts in a world."""
    hist[:] = parts.base
    for i in range(len(secrets)):
        for at in range(parts.start[block_of[i]], parts.start[block_of[i] + 1]):
            hist[parts.listed[at], secrets[i]] += 1


@_jit()
def draw(parts, goal, block_of, class_start, secrets, rng, draws, kept, refused):
    """Shuffle secrets within classes, again and again; returns how many worlds are kept.

    ``secrets`` are those of the people, class by class. ``kept`` and ``refused`` (blocks × values)
    are given the records in both kinds of worlds.
    """
    hist = parts.base.copy()
    sums = np.zeros((len(parts.attempt), 2), np.int64)
    number = 0
    for _ in range(draws):
        for c in range(len(class_start) - 1):
            for i in range(class_start[c + 1] - 1, class_start[c], -1):
                other = class_start[c] + np.int64(rng.random() * (i + 1 - class_start[c]))
                secrets[i], secrets[other] = secrets[other], secrets[i]
        _count(parts, block_of, secrets, hist)
        if _all_refused(parts, hist, goal, sums):
            number += 1
            for i in range(len(secrets)):
                kept[block_of[i], secrets[i]] += 1
        else:
            for i in range(len(secrets)):
                refused[block_of[i], secrets[i]] += 1
    return number


@_inner
def _exchange(parts, hist, from_block, to_block, s):
    """Take one record of value s from a block to another."""
    for at in range(parts.start[from_block], parts.start[from_block + 1]):
        hist[parts.listed[at], s] -= 1
    for at in range(parts.start[to_block], parts.start[to_block + 1]):
        hist[parts.listed[at], s] += 1


@_jit()
def walk(parts, goal, block_of, class_start, of_class, secrets, rng, sweeps, kept):
    """Exchange secrets as long as all attempts stay refused; returns how many were exchanged.

    A sweep proposes as many exchanges as there are people. ``kept`` (blocks × values) is given the
    records after each sweep.
    """
    hist = parts.base.copy()
    sums = np.zeros((len(parts.attempt), 2), np.int64)
    _count(parts, block_of, secrets, hist)
    taken, n = 0, len(secrets)
    for _ in range(sweeps):
        for _ in range(n):
            i = np.int64(rng.random() * n)
            start, end = class_start[of_class[i]], class_start[of_class[i] + 1]
            j = start + np.int64(rng.random() * (end - start))
            s, z, b, d = secrets[i], secrets[j], block_of[i], block_of[j]
            if s == z:
                continue
            if b != d:
                _exchange(parts, hist, b, d, s)
                _exchange(parts, hist, d, b, z)
                if not _all_refused(parts, hist, goal, sums):
                    _exchange(parts, hist, d, b, s)
                    _exchange(parts, hist, b, d, z)
                    continue
            secrets[i], secrets[j] = z, s
            taken += 1
        for i in range(n):
            kept[block_of[i], secrets[i]] += 1
    return taken
