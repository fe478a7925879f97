"""Count the worlds of a component: all of them, or as many as are drawn.

A component is a set of classes that attempts tie together. People of a class who are in the same
parts of all attempts are a *block*: exchanging them changes nothing. So a world is, for each class,
a table of blocks × sensitive values whose margins are the sizes of the blocks and the histogram of
the class.

*All worlds.* Values are placed one after the other, some of each into every block, with the
hypergeometric probability of doing so. As soon as all attempts are refused whatever follows, the
rest is any world: values still to be placed are expected in proportion to the room that is left.
Values so rare that they cannot make any part fail are not placed at all.

*Draws* shuffle values within classes. *Walks* exchange two people of a class if no fewer attempts
are refused afterwards.

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

_SHUFFLED = 60  # people of a class, up to which it is shuffled as a whole
_PAIRS = 4  # exchanges per block of a class and sweep

_jit = partial(numba.njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_inner = _jit(no_cpython_wrapper=True)


class Parts(NamedTuple):
    """The parts of all attempts of a component.

    Attributes
    ----------
    part : parts × (SIZE, EXTRA, ATTEMPT)
        Those that may fail or not: records, what suppressing them adds, and the attempt.
    attempt : attempts × (LIMIT, MARGIN, SIZE_BEFORE, EXTRA_BEFORE)
        When it is refused, and what the parts that always fail contribute.
    base : parts × values
        The sensitive values in each part that are known.
    start, listed : arrays
        The parts of block b are ``listed[start[b]:start[b + 1]]``.
    """

    part: Any
    attempt: Any
    base: Any
    start: Any
    listed: Any


class State(NamedTuple):
    """The parts and attempts in a world, perhaps an unfinished one.

    Attributes
    ----------
    hist : parts × values
    over : array
        For each part, the number of values that are too frequent for ℓ.
    far : array
        For each part, whether it was found too far from the table, so that it fails in any case.
    sums : attempts × 2
        Records in failing parts, and what suppressing them adds.
    """

    hist: Any
    over: Any
    far: Any
    sums: Any


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
def _turn(parts, sums, p, fails):
    """A part fails now, or does so no more; returns how many more attempts are refused."""
    a, sign = parts.part[p, ATTEMPT], np.int64(1 if fails else -1)
    before = np.int64(_is_refused(parts, sums, a))
    sums[a, 0] += sign * parts.part[p, SIZE]
    sums[a, 1] += sign * parts.part[p, EXTRA]
    return np.int64(_is_refused(parts, sums, a)) - before


@_inner
def _put(parts, goal, state, block, s, number):
    """Place ``number`` of value s in a block (or remove, if negative); returns newly refused."""
    hist, over = state.hist, state.over
    change = 0
    for at in range(parts.start[block], parts.start[block + 1]):
        p = parts.listed[at]
        size = parts.part[p, SIZE]
        was = hist[p, s] * goal.l > size
        hist[p, s] += number
        now = hist[p, s] * goal.l > size
        if goal.l < 2 or was == now:
            continue
        over[p] += 1 if now else -1
        if over[p] == (1 if now else 0) and not state.far[p]:
            change += _turn(parts, state.sums, p, now)
    return change


@_inner
def _new_state(parts):
    """A state for `_begin` to fill."""
    return State(
        parts.base.copy(), np.zeros(len(parts.part), np.int64),
        np.zeros(len(parts.part), np.bool_), np.zeros((len(parts.attempt), 2), np.int64),
    )  # fmt: skip


@_inner
def _begin(parts, goal, state):
    """The state before anything is placed; returns how many attempts are refused already."""
    hist, over, sums = state.hist, state.over, state.sums
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
    """Enumerate all worlds; returns the share of those kept, or -1 after too many steps.

    Parameters
    ----------
    items : items × (CLASS, VALUE, NUMBER, ROOM)
        What is placed, in this order; ROOM is the room left in its class before.
    room : array
        The size of each block; blocks of a class are next to each other.
    first : array
        The first block of each class, and where the last one ends.
    of_class : array
        The class of each block.
    choose : array
        Binomial coefficients.
    steps : int
        Maximum number of placements.
    placed : blocks × values
        Receives the expected number of records of what was placed, times the share kept.
    left : (items + 1) × blocks
        Receives, for worlds known to be kept after so many items, the share of the room left in
        its class that each block has.
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
    state = _new_state(parts)  # distances are checked in the end
    hist, sums = state.hist, state.sums
    scratch = sums.copy()
    refused = _begin(parts, goal, state)
    cap = room.copy()
    choice, most = np.zeros(depths + 1, np.int64), np.zeros(depths + 1, np.int64)
    rest, behind = np.zeros(depths + 1, np.int64), np.zeros(depths + 1, np.int64)
    weight = np.ones(depths + 1)
    depth, down, done, mass = 0, True, 0, 0.0
    while depth >= 0:
        if not down:
            b, s = block[depth], items[item[depth], VALUE]
            cap[b] += choice[depth]
            refused += _put(parts, goal, state, b, s, -choice[depth])
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
        refused += _put(parts, goal, state, b, s, choice[depth])
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
    """Shuffle values within classes, again and again; returns how many worlds are kept.

    ``secrets`` are the people's values, class by class. ``kept`` and ``refused`` (blocks × values)
    receive the records in both kinds of worlds.
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
def _look(parts, goal, state, p):
    """Check whether a part is too far from the table; returns how many more are refused."""
    now = _is_far(state.hist[p], parts.part[p, SIZE], goal)
    if now == state.far[p]:
        return 0
    state.far[p] = now
    return _turn(parts, state.sums, p, now) if state.over[p] == 0 else 0


@_inner
def _look_at_block(parts, goal, state, block):
    change = 0
    if len(goal.stretch) > 0:
        for at in range(parts.start[block], parts.start[block + 1]):
            change += _look(parts, goal, state, parts.listed[at])
    return change


@_inner
def _exchange(parts, goal, state, b, d, s, z):
    """Value s goes from block b to d, and z the other way; returns newly refused attempts."""
    change = _put(parts, goal, state, b, s, -1)
    change += _put(parts, goal, state, b, z, 1)
    change += _put(parts, goal, state, d, z, -1)
    change += _put(parts, goal, state, d, s, 1)
    change += _look_at_block(parts, goal, state, b)
    return change + _look_at_block(parts, goal, state, d)


@_inner
def _replace(parts, goal, state, block_of, start, end, old, new):
    """Give the people from start to end new values; returns newly refused attempts."""
    change = 0
    for i in range(start, end):
        if old[i] != new[i]:
            change += _put(parts, goal, state, block_of[i], old[i], -1)
            change += _put(parts, goal, state, block_of[i], new[i], 1)
    if len(goal.stretch) > 0:
        for i in range(start, end):
            if i == start or block_of[i] != block_of[i - 1]:
                change += _look_at_block(parts, goal, state, block_of[i])
    return change


@_inner
def _shuffle(parts, goal, state, block_of, start, end, secrets, other, rng):
    """Shuffle the values of a class, if no fewer attempts are refused; returns how many more."""
    other[start:end] = secrets[start:end]
    for i in range(end - 1, start, -1):
        j = start + np.int64(rng.random() * (i + 1 - start))
        other[i], other[j] = other[j], other[i]
    change = _replace(parts, goal, state, block_of, start, end, secrets, other)
    if change >= 0:
        secrets[start:end] = other[start:end]
        return change
    _replace(parts, goal, state, block_of, start, end, other, secrets)
    return 0


@_jit()
def walk(parts, goal, block_of, first, room, class_start, secrets, rng, sweeps, kept):
    """Walk from a world to others; returns how many attempts are not refused in the end.

    A step is taken if no fewer attempts are refused after it than before. So the walk goes from any
    world to one that is kept, or gets stuck before; and from one that is kept to others.

    A sweep shuffles every small class, and then exchanges people of two blocks of a class, several
    times per block. Blocks are picked with equal probability, whatever their size, which treats
    both people of a pair alike: small blocks are those that decide. ``first`` and ``room`` are as
    in `all_worlds`; people are ordered by block. ``kept`` (blocks × values) receives the records
    after each sweep.
    """
    begin = np.zeros(len(room) + 1, np.int64)
    for b in range(len(room)):
        begin[b + 1] = begin[b] + room[b]
    state = _new_state(parts)
    refused = _begin(parts, goal, state)
    for i in range(len(secrets)):
        refused += _put(parts, goal, state, block_of[i], secrets[i], 1)
    if len(goal.stretch) > 0:
        for p in range(len(state.far)):
            refused += _look(parts, goal, state, p)
    other = secrets.copy()
    for _ in range(sweeps):
        for c in range(len(class_start) - 1):
            start, end = class_start[c], class_start[c + 1]
            if end - start <= _SHUFFLED:
                refused += _shuffle(parts, goal, state, block_of, start, end, secrets, other, rng)
            blocks = first[c + 1] - first[c]
            for _ in range(_PAIRS * blocks):
                b = first[c] + np.int64(rng.random() * blocks)
                d = first[c] + np.int64(rng.random() * blocks)
                i = begin[b] + np.int64(rng.random() * room[b])
                j = begin[d] + np.int64(rng.random() * room[d])
                s, z = secrets[i], secrets[j]
                if s == z or b == d:
                    continue
                change = _exchange(parts, goal, state, b, d, s, z)
                if change < 0:
                    _exchange(parts, goal, state, b, d, z, s)
                    continue
                secrets[i], secrets[j] = z, s
                refused += change
        for i in range(len(secrets)):
            kept[block_of[i], secrets[i]] += 1
    return len(state.sums) - refused
