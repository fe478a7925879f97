"""What a sanitizer must have tried and refused, and which classes that ties together.

An *attempt* puts people into parts. In a world, each part meets the sanitizer's goal or fails. A
cut of Mondrian is refused if any part fails. A node of Recoding's lattice is refused if more people
are in failing parts than may be suppressed, or if suppressing them loses more than the node that
was taken. Both are

    records in failing parts > limit    or    what suppressing them adds > margin.

The sanitizer makes the same release of a world exactly if all attempts are refused in it.

*Mondrian.* Exchanging sensitive values within classes leaves the histogram of every class, and so
of every node of the tree, as it is: whatever was cut can be cut. Every refused cut must stay
refused: at a class, the cuts of all columns that can be cut; at a node that was cut, those of the
columns before the one that was taken. Which cuts are tried, and in which order, follows from the
quasi-identifiers alone.

*Recoding.* A node is preferred if it loses less, or loses as much and comes first in the order of
levels. A class that fails is suppressed and loses everything, so the loss depends on who has which
value. A node v with bound b(v), its loss if nobody is suppressed, is refused in a world if more
than the limit is suppressed, or if

    b(v) + Σ over failing classes: records · (everything − what they lose)

exceeds the loss of the node that was taken (or equals it, and v comes later). Without suppression,
a goal that all parts meet is met by the whole: nodes beneath a refused one are refused (see
`sanitize.recoding._lattice`), and only the highest preferred nodes count. With suppression all do.
The suppressed records, all in one class, are the classes of the chosen node that missed the goal;
each of them must miss it in the world, too. The release tells its levels.

*What ties classes together.* Many parts fail, or do not fail, regardless of who has which value:
they are too small; they consist of whole classes, whose histograms are published; or the classes
that they cut through have so many or so few records of each value that the outcome is the same in
all worlds. An attempt that is refused by such parts alone tells nothing. Any other attempt ties
together the classes that its open parts cut through. Classes that nothing ties together are
independent, and so are *components* of classes that are tied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality import _kernels
from unveil.microdata import Column, Microdata, Release
from unveil.sanitize import Crowds, Mondrian, Recoding, distance_between, no_stretches, stretches
from unveil.sanitize.mondrian import Partition, cut_kind, extents, kernels
from unveil.sanitize.recoding import Judged, Node, Problem

_NEVER = 2**62  # a margin that nothing exceeds
_SLACK = 1e-12  # by which rounding may push a distance over t: as sanitizers have it


class Goal(NamedTuple):
    """The goal for the sensitive values of a part, as the kernels want it.

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
    stretch: NDArray[np.int64]
    far: float
    records: int

    @property
    def looks_inside(self) -> bool:
        """Whether sensitive values matter at all."""
        return self.l > 1 or len(self.stretch) > 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Attempt:
    """Something finer that was tried.

    Attributes
    ----------
    what : str
        What it was, in words that follow "it did not".
    people : array
        The records that it is about.
    part_of : array
        The part of each of them.
    sizes : array
        Records in each part.
    small : array
        Which parts fail by their size alone, regardless of who has which value.
    extra : array
        What suppressing each part adds to the loss.
    limit, margin : int
        Refused if more records fail than the limit, or more is added than the margin.
    parts : tuple of str
        The parts in words, if they are few.
    """

    what: str
    people: NDArray[np.intp]
    part_of: NDArray[np.intp]
    sizes: NDArray[np.int64]
    small: NDArray[np.bool_]
    extra: NDArray[np.int64]
    limit: int = 0
    margin: int = _NEVER
    parts: tuple[str, ...] = ()

    def is_refused(self, fails: NDArray[np.bool_]) -> bool:
        """Whether it is refused if these parts fail."""
        added = int(self.extra[fails].sum())
        return int(self.sizes[fails].sum()) > self.limit or added > self.margin

    @property
    def tells_nothing(self) -> bool:
        """Whether it is refused regardless of who has which value."""
        return self.is_refused(self.small)


def tried(sanitizer: Mondrian | Recoding, microdata: Microdata) -> tuple[Goal, list[Attempt]]:
    """The goal for sensitive values, and all refused attempts that sizes would have allowed."""
    goal = _goal(sanitizer, microdata)
    if not goal.looks_inside:
        return goal, []
    if isinstance(sanitizer, Mondrian):
        return goal, _mondrian_attempts(sanitizer, microdata)
    return goal, _recoding_attempts(sanitizer, microdata)


def _goal(sanitizer: Mondrian | Recoding, microdata: Microdata) -> Goal:
    secret, t, apart = microdata.sensitive, sanitizer.t, None
    if t is not None:
        apart = stretches(secret, distance_between(secret, sanitizer.t_distance))
    first, last, weight, whole = apart or no_stretches()
    totals = np.bincount(secret.codes, minlength=secret.size)
    upto = np.concatenate([[0], np.cumsum(totals)])
    stretch = np.stack([first, last, weight, upto[last + 1] - upto[first]], axis=1)
    return Goal(
        l=int(sanitizer.l or 1),
        stretch=stretch.astype(np.int64),
        far=0.0 if t is None else (t + _SLACK) * whole,
        records=len(secret.codes),
    )


# Mondrian ---------------------------------------------------------------------------------------


def _mondrian_attempts(sanitizer: Mondrian, microdata: Microdata) -> list[Attempt]:
    asked = None if not sanitizer.crowds else Crowds.of(sanitizer.crowds).asked(microdata)
    partition = sanitizer.partition(microdata)
    whole, needed = extents(microdata), max(int(sanitizer.k or 1), int(sanitizer.l or 1))
    found = []
    for people, taken in _nodes(partition):
        if len(people) < 2 * int(sanitizer.k or 1):
            continue
        codes = microdata.codes[:, people]
        for j in _columns_tried(microdata, codes, whole, taken):
            part_of, names = _cut(microdata.quasi[j], codes[j])
            sizes = np.bincount(part_of)
            small = sizes < needed
            if asked is not None:
                most = np.zeros(len(sizes), dtype=np.int64)
                np.maximum.at(most, part_of, asked[people])
                small |= sizes < most
            attempt = Attempt(
                what=f"cut by {microdata.quasi[j].name}", people=people, part_of=part_of,
                sizes=sizes, small=small, extra=np.zeros_like(sizes), parts=names,
            )  # fmt: skip
            if not attempt.tells_nothing:
                found.append(attempt)
    return found


def _nodes(partition: Partition) -> Iterator[tuple[NDArray[np.intp], int]]:
    """The records of every node of the tree, and the column that it was cut by (LEAF: none)."""
    for node in partition.tree.node[: partition.n_nodes]:
        records = partition.order[0, node[kernels.START] : node[kernels.END]]
        yield records.astype(np.intp), int(node[kernels.COLUMN])


def _columns_tried(
    microdata: Microdata, codes: NDArray[np.int32], whole: NDArray[np.float64], taken: int
) -> list[int]:
    """The columns that were tried, the widest first, up to the one that was taken."""
    width = np.zeros(len(codes))
    low, high = codes.min(axis=1), codes.max(axis=1)
    for j, column in enumerate(microdata.quasi):
        if low[j] < high[j] and whole[j] > 0:
            width[j] = _width(column, codes[j], int(low[j]), int(high[j])) / whole[j]
    order = [int(j) for j in np.argsort(-width, kind="stable") if width[j] > 0]
    return order[: order.index(taken)] if taken in order else order


def _width(column: Column, codes: NDArray[np.int32], low: int, high: int) -> float:
    kind = cut_kind(column)
    if kind == kernels.SPAN:
        return float(column.positions[high] - column.positions[low])
    if kind == kernels.FLAT:
        return float(len(np.unique(codes)) - 1)
    tree = column.hierarchy
    assert tree is not None  # cut_kind says so
    node = tree.lowest_common_ancestor(low, high)
    return float(tree.last[node] - tree.first[node] + 1)


def _cut(column: Column, codes: NDArray[np.int32]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """The part of each record by the one cut of a column, and the parts in words."""
    if cut_kind(column) == kernels.TREE:
        tree = column.hierarchy
        assert tree is not None  # cut_kind says so
        node = tree.lowest_common_ancestor(int(codes.min()), int(codes.max()))
        children = tree.children(node)
        children = children[np.argsort(tree.first[children])]
        child = np.searchsorted(tree.last[children], codes)
        there, part_of = np.unique(child, return_inverse=True)
        return part_of, tuple(f"{column.name} {tree.names[children[c]]}" for c in there)
    there, counts = np.unique(codes, return_counts=True)
    left = np.cumsum(counts)[:-1]
    best = int(np.argmin(np.abs(2 * left - len(codes))))  # the lower place of two
    texts = column.texts
    if cut_kind(column) == kernels.SPAN:
        words = (f"{column.name} ≤ {texts[there[best]]}", f"{column.name} > {texts[there[best]]}")
    else:
        words = (
            f"{column.name} {_from_to(texts[there[0]], texts[there[best]])}",
            f"{column.name} {_from_to(texts[there[best + 1]], texts[there[-1]])}",
        )
    return (codes > there[best]).astype(np.intp), words


def _from_to(first: str, last: str) -> str:
    """The values of a part in words.

    >>> _from_to("Bonn", "Rome"), _from_to("Bonn", "Bonn")
    ('Bonn to Rome', 'Bonn')
    """
    return first if first == last else f"{first} to {last}"


# Recoding ---------------------------------------------------------------------------------------


def _recoding_attempts(sanitizer: Recoding, microdata: Microdata) -> list[Attempt]:
    problem, chosen = sanitizer.searched(microdata)
    whose = problem.distinct.tuple_of
    found = _suppressed(problem, chosen)
    weights, classifier = problem.weights(), problem.classifier()
    table = problem.distinct.table
    taken = _loss(problem, chosen)
    everybody, needed = np.arange(len(microdata)), max(problem.goal.k, problem.goal.l)
    for node, bound in _preferred(problem, weights.bounds, chosen.node, taken):
        at = problem.lattice.at(node)
        classes = classifier.classes(table, at)
        lost = weights.of_classes(table.codes[:, classes.first], at)
        attempt = Attempt(
            what=f"publish {_levels(problem, node)}",
            people=everybody,
            part_of=classes.class_of[whose].astype(np.int32),
            sizes=classes.sizes,
            small=classes.sizes < needed,
            extra=classes.sizes * (weights.everything - lost),
            limit=problem.limit,
            margin=taken - bound - (node > chosen.node),
        )
        if not attempt.tells_nothing:
            found.append(attempt)
    return found


def _loss(problem: Problem, chosen: Judged) -> int:
    """The loss of the node that was taken."""
    weights = problem.weights()
    codes = problem.distinct.table.codes[:, chosen.classes.first]
    lost = weights.of_classes(codes, problem.lattice.at(chosen.node))
    return int(chosen.classes.sizes @ np.where(chosen.misses, weights.everything, lost))


def _preferred(
    problem: Problem, bounds: list[list[int]], chosen: Node, taken: int
) -> list[tuple[Node, int]]:
    """The nodes that might be better than the one taken, with their bounds."""
    found: list[tuple[Node, int]] = []
    for node in product(*(range(levels) for levels in problem.lattice.shape)):
        bound = sum(column[level] for column, level in zip(bounds, node, strict=True))
        if node != chosen and (bound, node) < (taken, chosen):
            found.append((node, bound))
    return found if problem.limit else _highest(found)


def _highest(nodes: list[tuple[Node, int]]) -> list[tuple[Node, int]]:
    """The nodes that have no other one above them."""
    kept: list[tuple[Node, int]] = []
    levels = np.zeros((0, 0), dtype=np.int64)
    for node, bound in sorted(nodes, key=lambda one: -sum(one[0])):
        if not len(levels) or not (levels >= node).all(axis=1).any():
            kept.append((node, bound))
            levels = np.array([one for one, _ in kept])
    return kept


def _suppressed(problem: Problem, chosen: Judged) -> list[Attempt]:
    """Each suppressed class by itself: it was not published."""
    found = []
    class_of: NDArray[np.int64] = chosen.classes.class_of[problem.distinct.tuple_of]
    needed = max(problem.goal.k, problem.goal.l)
    for g in np.flatnonzero(chosen.misses):
        people = np.flatnonzero(class_of == g)
        sizes = np.array([len(people)])
        attempt = Attempt(
            what="publish some of the suppressed as a class of their own",
            people=people,
            part_of=np.zeros(len(people), dtype=np.intp),
            sizes=sizes,
            small=sizes < needed,
            extra=np.zeros(1, dtype=np.int64),
        )
        if not attempt.tells_nothing:
            found.append(attempt)
    return found


def _levels(problem: Problem, node: Node) -> str:
    columns = zip(problem.microdata.quasi, node, strict=True)
    return ", ".join(f"{column.name} at level {level}" for column, level in columns)


# What attempts tie together ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Binding:
    """An attempt that tells something.

    Attributes
    ----------
    attempt : Attempt
    open : array
        The parts that may fail or not.
    sure : array
        Which parts always fail.
    piece : array
        Rows (class, part, people of the class in the part).
    cut : array
        The classes that an open part cuts through.
    """

    attempt: Attempt
    open: NDArray[np.intp]
    sure: NDArray[np.bool_]
    piece: NDArray[np.int64]
    cut: NDArray[np.intp]


def binding(attempt: Attempt, release: Release, goal: Goal) -> Binding | None:
    """What an attempt leaves open; None if it tells nothing."""
    n_parts = len(attempt.sizes)
    keys = release.class_of[attempt.people].astype(np.int64) * n_parts + attempt.part_of
    found, number = np.unique(keys, return_counts=True)
    piece = np.stack([found // n_parts, found % n_parts, number], axis=1)
    fails, open_ = _known(attempt, piece, release, goal)
    if attempt.is_refused(fails):
        return None
    cut = piece[(number < release.sizes[piece[:, 0]]) & open_[piece[:, 1]], 0]
    return Binding(attempt, np.flatnonzero(open_), fails, piece, np.unique(cut).astype(np.intp))


def _known(
    attempt: Attempt, piece: NDArray[np.int64], release: Release, goal: Goal
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which parts fail in all worlds, and which may fail in some only, as far as bounds tell."""
    inside, number = release.counts[piece[:, 0]], piece[:, 2, None]
    outside = release.sizes[piece[:, 0], None] - number
    shape = (len(attempt.sizes), release.sensitive.size)
    most, least = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    np.add.at(most, piece[:, 1], np.minimum(inside, number))
    np.add.at(least, piece[:, 1], np.maximum(inside - outside, 0))
    fails = np.zeros(len(attempt.sizes), dtype=bool)
    constant = (most == least).all(axis=1)
    if constant.any():
        some = np.zeros(int(constant.sum()), dtype=bool)
        _kernels.failing(most[constant], attempt.sizes[constant], goal, some)
        fails[constant] = some
    known = constant | attempt.small
    fails |= attempt.small
    if goal.l > 1:
        bound = attempt.sizes[:, None]
        too_much = (least * goal.l > bound).any(axis=1)
        fails |= too_much
        known |= too_much
        if not len(goal.stretch):
            known |= (most * goal.l <= bound).all(axis=1)
    return fails, ~known


@dataclass(frozen=True, eq=False)
class Component:
    """Classes that are tied together, as the kernels want them.

    Attributes
    ----------
    classes : array
    bindings : tuple of Binding
    people : array
        The records of the classes, class by class, block by block.
    class_start : array
        Where the people of each class begin, and where those of the last one end.
    block_of : array
        The block of each person.
    class_of_block : array
    room : array
        The size of each block.
    parts : _kernels.Parts
    """

    classes: NDArray[np.intp]
    bindings: tuple[Binding, ...]
    people: NDArray[np.intp]
    class_start: NDArray[np.int64]
    block_of: NDArray[np.int64]
    class_of_block: NDArray[np.int64]
    room: NDArray[np.int64]
    parts: _kernels.Parts

    @property
    def first_block(self) -> NDArray[np.int64]:
        """The first block of each class, and where those of the last one end."""
        return np.searchsorted(self.class_of_block, np.arange(len(self.classes) + 1))


def components(bindings: Sequence[Binding], release: Release) -> list[Component]:
    """The components of classes that attempts tie together."""
    above = np.arange(release.n_classes)

    def top(c: int) -> int:
        while above[c] != c:
            above[c] = above[above[c]]
            c = int(above[c])
        return c

    for one in bindings:
        tops = [top(int(c)) for c in one.cut]
        above[tops] = min(tops)
    members: dict[int, list[int]] = {}
    for c in sorted({int(c) for one in bindings for c in one.cut}):
        members.setdefault(top(c), []).append(c)
    tied: dict[int, list[Binding]] = {}
    for one in bindings:
        tied.setdefault(top(int(one.cut[0])), []).append(one)
    by_class = np.argsort(release.class_of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(release.sizes)])
    where = np.full(len(release), -1, dtype=np.int64)
    return [
        _component(np.array(classes), tied[c], release, by_class, starts, where)
        for c, classes in members.items()
    ]


def _component(
    classes: NDArray[np.intp],
    bindings: Sequence[Binding],
    release: Release,
    by_class: NDArray[np.intp],
    starts: NDArray[np.int64],
    where: NDArray[np.int64],
) -> Component:
    """``where`` is scratch, one per record: -1 before and after."""
    people = np.concatenate([by_class[starts[c] : starts[c + 1]] for c in classes])
    sizes = release.sizes[classes]
    key = np.repeat(np.arange(len(classes)), sizes)
    part_at = np.empty((len(bindings), len(people)), dtype=np.int32)
    begin = 0
    for a, one in enumerate(bindings):
        number = np.full(len(one.attempt.sizes), -1)
        number[one.open] = begin + np.arange(len(one.open))
        where[one.attempt.people] = number[one.attempt.part_of]
        part_at[a] = where[people]
        where[one.attempt.people] = -1
        begin += len(one.open)
        key = np.unique(key * (begin + 2) + part_at[a] + 1, return_inverse=True)[1].ravel()
    # Keys begin with the class, so the blocks of a class are next to each other.
    order = np.argsort(key, kind="stable")
    people, block_of, part_at = people[order], key[order], part_at[:, order]
    _, one_of = np.unique(block_of, return_index=True)
    class_start = np.concatenate([[0], np.cumsum(sizes)])
    listed = [row[row >= 0] for row in part_at[:, one_of].T]
    return Component(
        classes=classes,
        bindings=tuple(bindings),
        people=people,
        class_start=class_start,
        block_of=block_of.astype(np.int64),
        class_of_block=np.repeat(np.arange(len(classes)), sizes)[one_of],
        room=np.bincount(block_of),
        parts=_parts(bindings, classes, release, listed),
    )


def _parts(
    bindings: Sequence[Binding],
    classes: NDArray[np.intp],
    release: Release,
    listed: list[NDArray[np.int32]],
) -> _kernels.Parts:
    """The open parts; ``listed`` are those of each block."""
    parts, attempts, base = [], [], []
    for a, one in enumerate(bindings):
        attempt = one.attempt
        before = attempt.sizes[one.sure].sum(), attempt.extra[one.sure].sum()
        attempts.append((attempt.limit, attempt.margin, *before))
        sizes, extra = attempt.sizes[one.open], attempt.extra[one.open]
        parts.append(np.stack([sizes, extra, np.full(len(one.open), a)], axis=1))
        # Classes of other components are in a part as a whole: their histograms are known.
        known = np.zeros((len(attempt.sizes), release.sensitive.size), dtype=np.int64)
        others = one.piece[~np.isin(one.piece[:, 0], classes)]
        np.add.at(known, others[:, 1], release.counts[others[:, 0]])
        base.append(known[one.open])
    return _kernels.Parts(
        part=np.concatenate(parts).astype(np.int64),
        attempt=np.array(attempts, dtype=np.int64),
        base=np.concatenate(base),
        start=np.concatenate([[0], np.cumsum([len(row) for row in listed])]).astype(np.int64),
        listed=np.concatenate(listed).astype(np.int64),
    )
