"""Compiled kernels of Mondrian where a person may have several rows.

A part must have k *people*, and in ℓ and t people weigh the same: each of the c rows that a person
has in a part counts 1/c, as a whole number of parts of a person (`People.share`). Which column is
cut, and where, goes by rows, as in `_kernels`; so a table with one row per person has the same
partition.

**Without one person.** All rows of a person go down the partition together, and part where a cut
parts them. At each node `_choose` answers "which cut without these rows?" from the numbers of the
node and the rows themselves. Where the cut stays the same, the parts without rows of that person
stay the same. People for whom it is another leave as a case, with the rows of all, as in
`_kernels`: given the cut, the parts do not depend on who is missing.

A person's rows may end in several classes and cases. Each of them changes what is published, so
what covers *any* of the person's rows is corrected wherever one of them leaves. It is counted once
for all rows of a person with the same code: ``cover[row, s]``, the released records with sensitive
value s whose cell covers the person's code in a column.

Functions of `_kernels` are used here: numba's cache does not notice when these change.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unveil._compiled import compiled, inner
from unveil.sanitize.mondrian._kernels import (
    CASE_COLUMN,
    CASE_CUT,
    CHILD,
    CHILDREN,
    COLUMN,
    COUNTED,
    CUT,
    DISTINCT,
    END,
    EXPECTED,
    FAILING,
    FIRST,
    FLAT,
    FROM,
    HIGH,
    KIND,
    LAST,
    LEAF,
    LOW,
    MEASURED,
    N_CHILDREN,
    N_PARTS,
    NODE,
    NODE_LIST,
    OFFSET,
    OWN,
    RECORDS,
    RECORDS_AT,
    SLICE,
    SPAN,
    START,
    TARGETS,
    TARGETS_AT,
    TO,
    TREE,
    TRIED,
    UPTO,
    WEIGHT,
    WITHOUT,
    Grown,
    Tree,
    _add_case,
    _add_children,
    _code,
    _common_node,
    _count_values,
    _distribute,
    _first_above,
    _is_alone,
    _is_whole,
    _look,
    _new_tree,
    _no_cases,
    _room,
    _sort_into_groups,
    _width_between,
)

_ANY_CODE = np.iinfo(np.int32).max
_CUTS = 8  # cuts of a column that are kept for a node: people move the middle in different ways

# Columns of PeopleView.part. PEOPLE: how many have rows there. SIZE: the rows. MOST: the largest
# weight of a sensitive value. ASKED, ASKED_BY, ASKED2: the largest crowd asked for, a person who
# asks for it, and the largest that anybody else asks for. LAST_CODE: the last leaf code below a
# hierarchy child. HOLDS: whether it meets the goal. MINE: rows of the person in question.
PEOPLE, SIZE, MOST, ASKED, ASKED_BY, ASKED2, LAST_CODE, HOLDS, MINE = range(9)


class People(NamedTuple):
    """Whose the records are, and what is asked of them."""

    of: Any
    share: Any  # the weight of each of c rows, by c
    least: int  # how many people a part must have
    begin: Any  # columns × people: where their codes begin in `code`; the next tells where they end
    code: Any  # the codes of each person that are asked for, ascending
    asked: Any  # the row of `Counted.joint` of each record, -1 if it is not asked for


class Counted(NamedTuple):
    """What covers the codes of each person (`People.code`), and each record that is asked for."""

    cover: Any  # empty if it is not needed
    joint: Any


class PeopleView(NamedTuple):
    """What `_choose` needs to know of one node, filled in when needed."""

    column: Any
    width: Any
    ends: Any  # the lowest and the highest code of each column without the person in question
    cut: Any  # how many records are left of each cut that is kept
    part: Any  # columns × parts
    counts: Any  # columns × parts × sensitive values: weights
    run: Any  # FLAT: how many records have each code
    tally: Any  # the same of the person in question; otherwise 0


class Workspace(NamedTuple):
    """Memory to work in, for one thread."""

    part_of: Any  # an entry per record
    rows: Any  # of each person, in the part in question; otherwise 0
    mine: Any  # the weights of the person in question; otherwise 0
    counts: Any  # an entry per sensitive value
    seen: PeopleView


@inner
def _new_workspace(rules, people, records):
    """Memory for looking at nodes, one at a time."""
    columns, parts = len(rules.column), max(2 * _CUTS, rules.most_parts)
    rows, all_parts = (columns, parts) if rules.inside else (1, 1)
    view = PeopleView(
        np.empty((columns, 16), np.int64),
        np.empty((2, columns), np.float64),
        np.empty((columns, 2), np.int64),
        np.empty((columns, _CUTS), np.int64),
        np.zeros((columns, parts, 9), np.int64),
        np.empty((rows, all_parts, rules.n_sensitive), np.int64),
        np.empty(len(rules.alone), np.int64),
        np.zeros(len(rules.alone), np.int64),
    )
    return Workspace(
        np.empty(records, np.int32),
        np.zeros(people.begin.shape[1] - 1, np.int64),
        np.zeros(rules.n_sensitive, np.int64),
        np.empty(rules.n_sensitive, np.int64),
        view,
    )


# Parts ----------------------------------------------------------------------------------------


@inner
def _measure(grown, people, j, start, end, part, space):
    """Note of the part ``[start, end)`` of column j what the goal is about."""
    table, rules, order, _ = grown
    rows, view, number = space.rows, space.seen, np.int64(0)
    asked, asked_by, asked2 = np.int64(0), np.int64(-1), np.int64(0)
    for place in range(start, end):
        record = order[j, place]
        if rows[people.of[record]] == 0:
            number += 1
        rows[people.of[record]] += 1
        if rules.crowds:
            crowd, person = np.int64(table[rules.secret + 1, record]), np.int64(people.of[record])
            if crowd > asked:
                if person != asked_by:
                    asked2 = asked
                asked, asked_by = crowd, person
            elif crowd > asked2 and person != asked_by:
                asked2 = crowd
    most = np.int64(0)
    if rules.inside:
        counts = view.counts[j, part]
        counts[:] = 0
        for place in range(start, end):
            record = order[j, place]
            counts[table[rules.secret, record]] += people.share[rows[people.of[record]]]
        for s in range(rules.n_sensitive):
            most = max(most, counts[s])
    for place in range(start, end):
        rows[people.of[order[j, place]]] = 0
    view.part[j, part, PEOPLE], view.part[j, part, SIZE] = number, end - start
    view.part[j, part, MOST], view.part[j, part, ASKED] = most, asked
    view.part[j, part, ASKED_BY], view.part[j, part, ASKED2] = asked_by, asked2
    view.part[j, part, HOLDS] = _holds(rules, people, space, j, part, np.int64(-1))


@inner
def _holds(rules, people, space, j, part, gone):
    """Whether a part meets the goal without the person ``gone``, who has rows there; -1: with all.

    That person's weights are in ``space.mine``. t is asked for with all alone.
    """
    view = space.seen
    number = view.part[j, part, PEOPLE] - (1 if gone >= 0 else 0)
    own_crowd = gone >= 0 and gone == view.part[j, part, ASKED_BY]
    crowd = view.part[j, part, ASKED2] if own_crowd else view.part[j, part, ASKED]
    if number < people.least or number < crowd:
        return False
    if not rules.inside:
        return True
    bound = (number * people.share[1]) // rules.l
    if view.part[j, part, MOST] > bound:
        if gone < 0:
            return False
        for s in range(rules.n_sensitive):
            if view.counts[j, part, s] - space.mine[s] > bound:
                return False
    return len(rules.stretch) == 0 or not _is_far(rules, people, view.counts[j, part], number)


@inner
def _is_far(rules, people, counts, number):
    """Whether a part of so many people is further than t from the whole table."""
    moved, inside = 0.0, np.int64(0)
    first, after = np.int64(-1), np.int64(0)
    for stretch in range(len(rules.stretch)):
        last = rules.stretch[stretch, TO]
        if rules.stretch[stretch, FROM] != first:
            first, inside = rules.stretch[stretch, FROM], np.int64(0)
            after = first
        while after <= last:  # the one before may have begun at the same value
            inside += counts[after]
            after += 1
        share = float(inside) / float(number)
        expected = float(rules.stretch[stretch, EXPECTED]) / float(rules.records)
        moved += float(rules.stretch[stretch, WEIGHT]) * abs(share - expected)
    return moved > rules.far * float(people.share[1])


@inner
def _holds_without(table, rules, people, space, j, part, own, low, high):
    """Whether a part meets the goal without its rows among ``own``, with codes in that range."""
    inside = np.int64(0)
    for record in own:
        if low <= table[j, record] <= high:
            inside += 1
    if inside == 0:
        return space.seen.part[j, part, HOLDS] == 1
    if rules.inside:
        for record in own:
            if low <= table[j, record] <= high:
                space.mine[table[rules.secret, record]] += people.share[inside]
    holds = _holds(rules, people, space, j, part, np.int64(people.of[own[0]]))
    if rules.inside:
        for record in own:
            space.mine[table[rules.secret, record]] = 0
    return holds


# Which cut? -----------------------------------------------------------------------------------


@inner
def _lowest(table, people, order, j, start, person):
    """The lowest code of column j from ``start`` on that somebody else has."""
    while people.of[order[j, start]] == person:
        start += 1
    return _code(table, order, j, start)


@inner
def _highest(table, people, order, j, end, person):
    """The highest code of column j before ``end`` that somebody else has."""
    while people.of[order[j, end - 1]] == person:
        end -= 1
    return _code(table, order, j, end - 1)


@inner
def _measure_width(grown, people, start, end, view, own, j):
    """The lowest and the highest code of column j without the rows ``own``, and the width."""
    table, rules, order, _ = grown
    low, high = view.column[j, LOW], view.column[j, HIGH]
    is_flat = rules.column[j, KIND] == FLAT
    distinct = view.column[j, DISTINCT] if is_flat else np.int64(0)
    at_low, at_high = False, False
    for record in own:
        code = table[j, record]
        at_low, at_high = at_low or code == low, at_high or code == high
        if is_flat:
            place = rules.column[j, OFFSET] + code
            view.tally[place] += 1
            if view.tally[place] == view.run[place]:
                distinct -= 1
    if is_flat:
        for record in own:
            view.tally[rules.column[j, OFFSET] + table[j, record]] = 0
    if at_low:
        low = _lowest(table, people, order, j, start, people.of[own[0]])
    if at_high:
        high = _highest(table, people, order, j, end, people.of[own[0]])
    view.ends[j, 0], view.ends[j, 1] = low, high
    view.width[WITHOUT, j] = _width_between(rules, j, low, high, distinct)


@inner
def _measured_cut(grown, people, start, end, j, left, space):
    """The place of the cut with so many records left of it, measured if it is not yet."""
    view = space.seen
    kept = view.column[j, MEASURED]
    for cut in range(min(kept, _CUTS)):
        if view.cut[j, cut] == left:
            return np.int64(cut)
    cut = kept % _CUTS
    view.cut[j, cut] = left
    _measure(grown, people, j, start, start + left, 2 * cut, space)
    _measure(grown, people, j, start + left, end, 2 * cut + 1, space)
    view.column[j, MEASURED] = kept + 1
    return cut


@inner
def _cut_between(grown, people, start, end, j, own, space):
    """Last code left of the most even cut of column j without ``own``; -1 if it misses the goal."""
    table, rules, order, _ = grown
    n = end - start - len(own)
    # The place with all of what is in the middle without them.
    middle, place = start + n // 2, np.int64(-1)
    upto = np.int64(0)
    while place != middle + upto:
        place = middle + upto
        code, upto = _code(table, order, j, place), np.int64(0)
        for record in own:
            if table[j, record] <= code:
                upto += 1
    below = _first_above(table[j], order[j], start, place, code - 1)
    above = _first_above(table[j], order[j], place, end, code)
    before = np.int64(0)
    for record in own:
        if table[j, record] < code:
            before += 1
    fewer, more = below - start - before, above - start - upto
    if fewer <= 0 and more >= n:
        return np.int64(-1)
    if fewer > 0 and (more >= n or abs(2 * fewer - n) <= abs(2 * more - n)):
        code = _code(table, order, j, below - 1)
        if len(own) > 0:
            code = _highest(table, people, order, j, below, people.of[own[0]])
        above = _first_above(table[j], order[j], start, below, code)
    cut = _measured_cut(grown, people, start, end, j, above - start, space)
    nothing = np.int64(-1)
    if not _holds_without(table, rules, people, space, j, 2 * cut, own, nothing, code):
        return nothing
    if not _holds_without(
        table, rules, people, space, j, 2 * cut + 1, own, code + 1, np.int64(_ANY_CODE)
    ):
        return nothing
    return code


@inner
def _measure_children(grown, people, start, end, j, node, space):
    """The children of a hierarchy node, and how many of those with records miss the goal."""
    table, rules, order, _ = grown
    view, part, failing = space.seen, np.int64(0), np.int64(0)
    place = _first_above(table[j], order[j], start, end, rules.node[node, FIRST] - 1)
    for c in range(rules.node[node, CHILDREN], rules.node[node + 1, CHILDREN]):
        last = rules.node[rules.node[c, NODE_LIST], LAST]
        after = _first_above(table[j], order[j], place, end, last)
        if after == place:
            continue
        _measure(grown, people, j, place, after, part, space)
        view.part[j, part, LAST_CODE] = last
        failing += 1 - view.part[j, part, HOLDS]
        part += 1
        place = after
    view.column[j, N_PARTS], view.column[j, FAILING] = part, failing
    view.column[j, NODE], view.column[j, MEASURED] = node, 1


@inner
def _part_with(view, j, code):
    """The first part of column j whose last code is not below that."""
    part, beyond = np.int64(0), view.column[j, N_PARTS] - 1
    while part < beyond:
        middle = (part + beyond) >> 1
        if view.part[j, middle, LAST_CODE] < code:
            part = middle + 1
        else:
            beyond = middle
    return part


@inner
def _cut_children(grown, people, start, end, j, own, space):
    """The lowest hierarchy node above all but ``own``, if its children meet the goal; else -1."""
    table, rules, view = grown.table, grown.rules, space.seen
    node = _common_node(rules, j, view.ends[j, 0], view.ends[j, 1])
    if view.column[j, MEASURED] == 0 or view.column[j, NODE] != node:
        _measure_children(grown, people, start, end, j, node, space)
    failing = view.column[j, FAILING]
    first, last = rules.node[node, FIRST], rules.node[node, LAST]
    for record in own:
        if first <= table[j, record] <= last:
            view.part[j, _part_with(view, j, table[j, record]), MINE] += 1
    for record in own:
        if table[j, record] < first or table[j, record] > last:
            continue
        part = _part_with(view, j, table[j, record])
        mine = view.part[j, part, MINE]
        if mine == 0:  # this part is done
            continue
        view.part[j, part, MINE] = 0
        failing -= 1 - view.part[j, part, HOLDS]
        # A part that only this person was in does not exist without them.
        if mine < view.part[j, part, SIZE]:
            low = first if part == 0 else view.part[j, part - 1, LAST_CODE] + 1
            high = view.part[j, part, LAST_CODE]
            if not _holds_without(table, rules, people, space, j, part, own, low, high):
                failing += 1
    return node if failing == 0 else np.int64(-1)


@inner
def _choose(grown, people, start, end, own, space):
    """Column and cut of a node without the rows ``own`` of one person; (LEAF, -1) if none."""
    rules, view = grown.rules, space.seen
    if end - start - len(own) < 2 * people.least:
        return LEAF, -1
    columns = len(rules.column)
    for j in range(columns):
        _measure_width(grown, people, start, end, view, own, j)
        view.column[j, TRIED] = view.width[WITHOUT, j] <= 0
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
        if rules.column[j, KIND] == TREE:
            cut = _cut_children(grown, people, start, end, j, own, space)
        else:
            cut = _cut_between(grown, people, start, end, j, own, space)
        if cut >= 0:
            return j, cut


# Counting who is covered ----------------------------------------------------------------------


@inner
def _people_with(people, who):
    """The people who have these rows; those of one person are adjacent."""
    found, number = np.empty(len(who), np.int64), 0
    for record in who:
        person = np.int64(people.of[record])
        if number == 0 or found[number - 1] != person:
            found[number] = person
            number += 1
    return found[:number]


@inner
def _place_in(codes, code):
    """The place of the first of some ascending codes that is not below that."""
    low, high = np.int64(0), np.int64(len(codes))
    while low < high:
        middle = (low + high) >> 1
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _tabulate(grown, start, end, j, asked):
    """For column j, how many records of each sensitive value cover each of the codes asked for.

    The codes ascend. The rows of the result are theirs, and one more.
    """
    table, rules, order, tree = grown
    total = np.zeros((len(asked) + 1, rules.n_sensitive), np.int32)
    as_range = rules.column[j, KIND] == SPAN or not rules.tight
    place = start
    while place < end:
        after, node = tree.leaf[place, 0], tree.leaf[place, 1]
        if as_range:  # note where the class begins and ends to cover, and sum up below
            low, high = _code(table, order, j, place), _code(table, order, j, after - 1)
            if not rules.tight:
                low, high = tree.region[node, j, 0], tree.region[node, j, 1]
            first, beyond = _place_in(asked, low), _place_in(asked, high + 1)
            if first < beyond:
                for p in range(place, after):
                    total[first, table[rules.secret, order[j, p]]] += 1
                    total[beyond, table[rules.secret, order[j, p]]] -= 1
        else:
            for p in range(place, after):
                code = _code(table, order, j, p)
                if p == place or code != _code(table, order, j, p - 1):
                    row = _place_in(asked, code)
                    if row < len(asked) and asked[row] == code:
                        for q in range(place, after):
                            total[row, table[rules.secret, order[j, q]]] += 1
        place = after
    if as_range:
        for r in range(1, len(asked)):
            for s in range(rules.n_sensitive):
                total[r, s] += total[r - 1, s]
    return total


@inner
def _count_whole(grown, start, end, j, counts):
    """The sensitive values of classes for which column j was not cut."""
    table, rules, order, tree = grown
    counts[:] = 0
    place = start
    while place < end:
        after = tree.leaf[place, 0]
        if _is_whole(rules, tree, tree.leaf[place, 1], j):
            for p in range(place, after):
                counts[table[rules.secret, order[j, p]]] += 1
        place = after


@inner
def _count_cover(grown, people, start, end, sign, who, counted, counts):
    """Add (or take away) what classes in ``[start, end)`` cover of the people with these rows."""
    rules = grown.rules
    if len(counted.cover) == 0:
        return
    those = _people_with(people, who)
    for j in range(len(rules.column)):
        begin, number = people.begin[j], np.int64(0)
        for person in those:
            number += begin[person + 1] - begin[person]
        codes, number = np.empty(number, np.int32), np.int64(0)
        for person in those:
            for row in range(begin[person], begin[person + 1]):
                codes[number] = people.code[row]
                number += 1
        codes.sort()
        distinct = np.int64(0)
        for place in range(number):
            if place == 0 or codes[place] != codes[distinct - 1]:
                codes[distinct] = codes[place]
                distinct += 1
        asked = codes[:distinct]
        total = _tabulate(grown, start, end, j, asked)
        if rules.column[j, KIND] == FLAT and not rules.tight:
            _count_whole(grown, start, end, j, counts)
            for place in range(distinct):
                if _is_alone(rules, j, np.int64(asked[place])):
                    for s in range(rules.n_sensitive):
                        total[place, s] = counts[s]
        for person in those:
            for row in range(begin[person], begin[person + 1]):
                place = _place_in(asked, people.code[row])
                for s in range(rules.n_sensitive):
                    counted.cover[row, s] += sign * total[place, s]


@inner
def _covers(grown, people, node, j, code, person, left):
    """Whether a class covers a code in column j with all, and without a person."""
    table, rules, order, tree = grown
    start, end = tree.node[node, START], tree.node[node, END]
    if not rules.tight:
        inside = tree.region[node, j, 0] <= code <= tree.region[node, j, 1]
        if inside and _is_alone(rules, j, code) and not _is_whole(rules, tree, node, j):
            inside = False  # and the class has not been counted for this person
        return inside, inside and left > 0
    if rules.column[j, KIND] == SPAN:
        low, high = _code(table, order, j, start), _code(table, order, j, end - 1)
        inside = low <= code <= high
        if not inside or left == 0:
            return inside, False
        low = _lowest(table, people, order, j, start, person)
        high = _highest(table, people, order, j, end, person)
        return inside, low <= code <= high
    place = _first_above(table[j], order[j], start, end, code - 1)
    inside = place < end and _code(table, order, j, place) == code
    while place < end and _code(table, order, j, place) == code:
        if people.of[order[j, place]] != person:
            return inside, True
        place += 1
    return inside, False


@inner
def _leave_class(grown, people, node, own, counted, counts):
    """The rows ``own`` of a person leave their class, which publishes what the others cover.

    ``counts`` are the class's sensitive values.
    """
    table, rules, order, tree = grown
    cover, joint, person = counted.cover, counted.joint, np.int64(people.of[own[0]])
    start, end = tree.node[node, START], tree.node[node, END]
    left = end - start - len(own)
    for j in range(len(rules.column) if len(cover) > 0 else 0):
        low, high = _code(table, order, j, start), _code(table, order, j, end - 1)
        if not rules.tight:
            low, high = tree.region[node, j, 0], tree.region[node, j, 1]
        begin, beyond = people.begin[j, person], people.begin[j, person + 1]
        codes = people.code[begin:beyond]
        for place in range(_place_in(codes, low), _place_in(codes, high + 1)):
            before, after = _covers(grown, people, node, j, np.int64(codes[place]), person, left)
            if after:
                for record in own:
                    cover[begin + place, table[rules.secret, record]] -= 1
            elif before:
                for s in range(rules.n_sensitive):
                    cover[begin + place, s] -= counts[s]
    for record in own:
        row = people.asked[record]
        if row < 0:
            continue
        inside = True
        for j in range(len(rules.column)):
            code = np.int64(table[j, record])
            inside = inside and _covers(grown, people, node, j, code, person, left)[1]
        for s in range(rules.n_sensitive):
            joint[row, s] = counts[s] if inside else 0
        if inside:
            for one in own:
                joint[row, table[rules.secret, one]] -= 1


# Growing, and walking down without each person ------------------------------------------------


@inner
def _send(grown, people, node, who, goes, first, last, counted, space, keys):
    """Decide where the rows of each person go from a node without them, into ``goes``.

    They go into the node's parts (0, 1, …), or on with another cut (parts + its place in ``keys``),
    or nowhere (-1) because they have left their class. Returns the keys and their number.
    """
    table, rules, order, tree = grown
    start, end = tree.node[node, START], tree.node[node, END]
    column, cut = tree.node[node, COLUMN], tree.node[node, CUT]
    parts, child = tree.node[node, N_CHILDREN], tree.node[node, CHILD]
    n_keys, begin = np.int64(0), first
    if column == LEAF and first < last:
        _count_values(table, rules, order, np.int64(0), start, end, space.counts)
    while begin < last:
        upto = begin + 1
        while upto < last and people.of[who[upto]] == people.of[who[begin]]:
            upto += 1
        own = who[begin:upto]
        new_column, new_cut = _choose(grown, people, start, end, own, space)
        if new_column != column or new_cut != cut:
            key = 0
            while key < n_keys and (keys[key, 0] != new_column or keys[key, 1] != new_cut):
                key += 1
            if key == n_keys:
                keys = _room(keys, n_keys, n_keys + 1)
                keys[key, 0], keys[key, 1] = new_column, new_cut
                n_keys += 1
            for w in range(begin, upto):
                goes[w] = parts + key
        elif column == LEAF:
            _leave_class(grown, people, node, own, counted, space.counts)
            for w in range(begin, upto):
                goes[w] = -1
        else:
            for w in range(begin, upto):
                part, beyond = np.int64(0), parts - 1
                while part < beyond:  # the first part whose last code is not below the record's
                    middle = (part + beyond) >> 1
                    if tree.node[child + middle, UPTO] < table[column, who[w]]:
                        part = middle + 1
                    else:
                        beyond = middle
                goes[w] = part
        begin = upto
    return keys, n_keys


@inner
def _grow(grown, people, column, cut, who, stop, counted, space, cases):
    """Partition all of ``order`` and take the rows ``who`` down, person by person.

    As in `_kernels`; rows of one person are adjacent in ``who``.
    """
    rules, order, tree = grown.rules, grown.order, grown.tree
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
        if end - start >= 2 * people.least:
            _look(grown.table, rules, order, start, end, space.seen)
        if node > 0 or column == OWN:
            column, cut = _choose(grown, people, start, end, who[:0], space)
        tree.node[node, COLUMN], tree.node[node, CUT] = column, cut
        tree.node[node, CHILD], tree.node[node, N_CHILDREN] = used, 0
        if column == LEAF:
            tree.leaf[start, 0], tree.leaf[start, 1] = end, node
        else:
            _add_children(grown, node, used, space.part_of)
        parts = tree.node[node, N_CHILDREN]
        keys, n_keys = _send(grown, people, node, who, goes, first, last, counted, space, keys)
        begins = _sort_into_groups(who, goes, first, last, parts + n_keys, spare_who)
        for key in range(n_keys):
            some = who[begins[parts + key] : begins[parts + key + 1]]
            cases = _add_case(cases, grown, node, keys[key, 0], keys[key, 1], np.int64(0), some)
        for part in range(parts):
            todo[waiting, 0] = used + part
            todo[waiting, 1], todo[waiting, 2] = begins[part], begins[part + 1]
            waiting += 1
        _distribute(rules, order, tree, node, space.part_of, spare, cursor)
        used += parts
    return used, cases


@inner
def _beneath(table, lines, j, first, last):
    """Those of some records whose codes of column j are in that range."""
    number = np.int64(0)
    for record in lines:
        if first <= table[j, record] <= last:
            number += 1
    kept, at = np.empty(number, np.int32), 0
    for record in lines:
        if first <= table[j, record] <= last:
            kept[at] = record
            at += 1
    return kept


@compiled()
def walk_people(table, rules, people, given, first, last, stop, counted):
    """Grow each of the given cases ``[first, last)`` and take the rows of its people down.

    Returns the order and the tree of the last of them, and new cases.
    """
    columns, cases = len(rules.column), _no_cases(rules)
    space = _new_workspace(rules, people, table.shape[1])
    zero, more, less = np.int64(0), np.int64(1), np.int64(-1)
    for case in range(first, last):
        head = given.head[case]
        column, cut, at, to = head[CASE_COLUMN], head[CASE_CUT], head[RECORDS_AT], head[TARGETS_AT]
        kept = given.records[at : at + columns * head[RECORDS]]
        who = given.targets[to : to + head[TARGETS]]
        walkers = who.copy()
        if column >= 0 and rules.column[column, KIND] == TREE:
            # Rows outside the hierarchy node are all of the person who is left out.
            low, high = rules.node[cut, FIRST], rules.node[cut, LAST]
            kept = _beneath(table, kept, column, low, high)
            walkers = _beneath(table, who, column, low, high)
            for record in who:
                if people.asked[record] >= 0 and not low <= table[column, record] <= high:
                    for s in range(rules.n_sensitive):
                        counted.joint[people.asked[record], s] = 0
        order = kept.copy().reshape(columns, len(kept) // columns)
        n = order.shape[1]
        tree = _new_tree(rules, n, given.region[case], n // people.least + rules.most_parts + 2)
        grown = Grown(table, rules, order, tree)
        old = cases.used[0]
        used, cases = _grow(grown, people, column, cut, walkers, stop, counted, space, cases)
        if head[COUNTED] == 0:
            _count_cover(grown, people, zero, n, more, who, counted, space.counts)
        for new in range(old, cases.used[0]):
            head = cases.head[new]
            if head[COUNTED] == 0:
                start, to = head[SLICE], head[TARGETS_AT]
                who = cases.targets[to : to + head[TARGETS]]
                end = start + head[RECORDS]
                _count_cover(grown, people, start, end, less, who, counted, space.counts)
    return order, Tree(tree.node[:used], tree.region[:used], tree.leaf), cases
