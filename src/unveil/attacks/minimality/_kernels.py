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

from typing import Any, NamedTuple

import numpy as np

from unveil._compiled import compiled, inner

SIZE, EXTRA, ATTEMPT = 0, 1, 2  # columns of Parts.part
LIMIT, MARGIN, SIZE_BEFORE, EXTRA_BEFORE = 0, 1, 2, 3  # columns of Parts.attempt
CLASS, VALUE, NUMBER, ROOM = 0, 1, 2, 3  # columns of an item

_SHUFFLED = 60  # people of a class, up to which it is shuffled as a whole
_PAIRS = 4  # exchanges per block of a class and sweep


class Goal(NamedTuple):
    """The goal for the sensitive values of a part.

    Attributes
    ----------
    l : int
        No value in more than 1/ℓ of the records; 1 asks for nothing.
    stretch : array
        Rows (first value, last value, weight, records of the table) of t; none without t.
    far : float
        Maximum of the sum over stretches, per record of the part and of the table.
    records : int
        Of the whole table.
    """

    l: int  # noqa: E741  (it is called l everywhere in this field)
    stretch: Any
    far: float
    records: int


class Parts(NamedTuple):
    """The parts of all attempts that tie some classes together.

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


class Blocks(NamedTuple):
    """Who is in which block; apart from the parts, which are handed on in every step.

    Attributes
    ----------
    room : array
        The size of each block. Blocks of a class are next to each other.
    first : array
        The first block of each class, and where those of the last one end.
    block_of : array
        The block of each person. People are ordered by block.
    class_start : array
        Where the people of each class begin, and where those of the last one end.
    """

    room: Any
    first: Any
    block_of: Any
    class_start: Any


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


@inner
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


@inner
def _fails(hist, size, goal):
    if goal.l > 1:
        for s in range(len(hist)):
            if hist[s] * goal.l > size:
                return True
    return len(goal.stretch) > 0 and _is_far(hist, size, goal)


@compiled()
def failing(hists, sizes, goal, fails):
    """Which parts with these histograms fail; returns how many."""
    number = 0
    for p in range(len(sizes)):
        fails[p] = _fails(hists[p], sizes[p], goal)
        number += fails[p]
    return number


@inner
def _is_refused(parts, sums, a):
    return sums[a, 0] > parts.attempt[a, LIMIT] or sums[a, 1] > parts.attempt[a, MARGIN]


@inner
def _all_refused(parts, goal, hist, sums):
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


@inner
def _turn(parts, sums, p, fails):
    """A part fails now, or does so no more; returns how many more attempts are refused."""
    a, sign = parts.part[p, ATTEMPT], np.int64(1 if fails else -1)
    before = np.int64(_is_refused(parts, sums, a))
    sums[a, 0] += sign * parts.part[p, SIZE]
    sums[a, 1] += sign * parts.part[p, EXTRA]
    return np.int64(_is_refused(parts, sums, a)) - before


@inner
def _begin(parts, goal):
    """The state before anything is placed, and how many attempts are refused already."""
    n = len(parts.part)
    state = State(
        parts.base.copy(), np.zeros(n, np.int64), np.zeros(n, np.bool_),
        parts.attempt[:, SIZE_BEFORE:].copy(),
    )  # fmt: skip
    refused = 0
    for a in range(len(state.sums)):
        refused += _is_refused(parts, state.sums, a)
    for p in range(n):
        for s in range(parts.base.shape[1]):
            state.over[p] += goal.l > 1 and parts.base[p, s] * goal.l > parts.part[p, SIZE]
        if state.over[p]:
            refused += _turn(parts, state.sums, p, True)
    return state, refused


@inner
def _put(parts, goal, state, block, s, number):
    """Place ``number`` of value s in a block (or remove, if negative); returns newly refused."""
    hist, over, l = state.hist, state.over, goal.l  # noqa: E741
    change = 0
    for at in range(parts.start[block], parts.start[block + 1]):
        p = parts.listed[at]
        size = parts.part[p, SIZE]
        was = hist[p, s] * l > size
        hist[p, s] += number
        now = hist[p, s] * l > size
        if l < 2 or was == now:
            continue
        over[p] += 1 if now else -1
        if over[p] == (1 if now else 0) and not state.far[p]:
            change += _turn(parts, state.sums, p, now)
    return change


# All worlds -------------------------------------------------------------------------------------


@compiled()
def all_worlds(parts, goal, blocks, items, choose, steps, placed, left):
    """Enumerate all worlds; returns the share of those kept, or -1 after too many steps.

    Parameters
    ----------
    items : items × (CLASS, VALUE, NUMBER, ROOM)
        What is placed, in this order; ROOM is the room left in its class before.
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
    first, depths = blocks.first, 0
    for i in range(len(items)):
        depths += first[items[i, CLASS] + 1] - first[items[i, CLASS]]
    item, block = np.empty(depths + 1, np.int64), np.empty(depths + 1, np.int64)
    at = 0
    for i in range(len(items)):
        for b in range(first[items[i, CLASS]], first[items[i, CLASS] + 1]):
            item[at], block[at] = i, b
            at += 1
    item[depths], block[depths] = len(items), -1
    state, refused = _begin(parts, goal)  # distances are checked in the end
    attempts, scratch = len(state.sums), state.sums.copy()
    cap = blocks.room.copy()
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
            if begins and (depth == depths or refused == attempts):
                if refused == attempts or _all_refused(parts, goal, state.hist, scratch):
                    mass += weight[depth]
                    for at in range(depth):
                        placed[block[at], items[item[at], VALUE]] += weight[depth] * choice[at]
                    _note_room(first, cap, weight[depth], left[item[depth]])
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


@inner
def _note_room(first, cap, weight, left):
    """Add each block's share of the room that its class still has."""
    for c in range(len(first) - 1):
        total = 0
        for b in range(first[c], first[c + 1]):
            total += cap[b]
        if total > 0:
            for b in range(first[c], first[c + 1]):
                left[b] += weight * cap[b] / total


# Some worlds ------------------------------------------------------------------------------------


@inner
def _shuffle(values, start, end, rng):
    for i in range(end - 1, start, -1):
        j = start + np.int64(rng.random() * (i + 1 - start))
        values[i], values[j] = values[j], values[i]


@compiled()
def draw(parts, goal, blocks, secrets, rng, draws, kept, refused):
    """Shuffle values within classes, again and again; returns how many worlds are kept.

    ``secrets`` are the people's values, class by class. ``kept`` and ``refused`` (blocks × values)
    receive the records in both kinds of worlds.
    """
    block_of, hist = blocks.block_of, parts.base.copy()
    sums = np.zeros((len(parts.attempt), 2), np.int64)
    number = 0
    for _ in range(draws):
        for c in range(len(blocks.class_start) - 1):
            _shuffle(secrets, blocks.class_start[c], blocks.class_start[c + 1], rng)
        hist[:] = parts.base
        for i in range(len(secrets)):
            for at in range(parts.start[block_of[i]], parts.start[block_of[i] + 1]):
                hist[parts.listed[at], secrets[i]] += 1
        records = refused
        if _all_refused(parts, goal, hist, sums):
            number += 1
            records = kept
        for i in range(len(secrets)):
            records[block_of[i], secrets[i]] += 1
    return number


@inner
def _look(parts, goal, state, p):
    """Check whether a part is too far from the table; returns how many more are refused."""
    now = _is_far(state.hist[p], parts.part[p, SIZE], goal)
    if now == state.far[p]:
        return 0
    state.far[p] = now
    return _turn(parts, state.sums, p, now) if state.over[p] == 0 else 0


@inner
def _look_at_block(parts, goal, state, block):
    change = 0
    if len(goal.stretch) > 0:
        for at in range(parts.start[block], parts.start[block + 1]):
            change += _look(parts, goal, state, parts.listed[at])
    return change


@inner
def _exchange(parts, goal, state, b, d, s, z):
    """Value s goes from block b to d, and z the other way; returns newly refused attempts."""
    change = _put(parts, goal, state, b, s, -1)
    change += _put(parts, goal, state, b, z, 1)
    change += _put(parts, goal, state, d, z, -1)
    change += _put(parts, goal, state, d, s, 1)
    change += _look_at_block(parts, goal, state, b)
    return change + _look_at_block(parts, goal, state, d)


@inner
def _replace(parts, goal, block_of, state, start, end, old, new):
    """Give the people from start to end new values; returns newly refused attempts."""
    change = 0
    for i in range(start, end):
        if old[i] != new[i]:
            change += _put(parts, goal, state, block_of[i], old[i], -1)
            change += _put(parts, goal, state, block_of[i], new[i], 1)
    for i in range(start, end):
        if i == start or block_of[i] != block_of[i - 1]:
            change += _look_at_block(parts, goal, state, block_of[i])
    return change


@compiled()
def walk(parts, goal, blocks, secrets, rng, sweeps, kept):
    """Walk from a world to others; returns how many attempts are not refused in the end.

    A step is taken if no fewer attempts are refused after it than before. So the walk goes from any
    world to one that is kept, or gets stuck before; and from one that is kept to others.

    A sweep shuffles every small class, and then exchanges people of two blocks of a class, several
    times per block. Blocks are picked with equal probability, whatever their size, which treats
    both people of a pair alike: small blocks are those that decide. ``kept`` (blocks × values)
    receives the records after each sweep.
    """
    block_of, first, room = blocks.block_of, blocks.first, blocks.room
    begin = np.cumsum(room) - room
    state, refused = _begin(parts, goal)
    for i in range(len(secrets)):
        refused += _put(parts, goal, state, block_of[i], secrets[i], 1)
    if len(goal.stretch) > 0:
        for p in range(len(state.far)):
            refused += _look(parts, goal, state, p)
    other = secrets.copy()
    for _ in range(sweeps):
        for c in range(len(blocks.class_start) - 1):
            start, end = blocks.class_start[c], blocks.class_start[c + 1]
            if end - start <= _SHUFFLED:
                other[start:end] = secrets[start:end]
                _shuffle(other, start, end, rng)
                change = _replace(parts, goal, block_of, state, start, end, secrets, other)
                if change < 0:
                    _replace(parts, goal, block_of, state, start, end, other, secrets)
                else:
                    secrets[start:end] = other[start:end]
                    refused += change
            many = first[c + 1] - first[c]
            for _ in range(_PAIRS * many):
                b = first[c] + np.int64(rng.random() * many)
                d = first[c] + np.int64(rng.random() * many)
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
