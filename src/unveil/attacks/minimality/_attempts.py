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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality._kernels import Blocks, Goal, Parts, failing
from unveil.microdata import Column, Microdata, Release
from unveil.sanitize import Crowds, Mondrian, Recoding
from unveil.sanitize.mondrian import cut_kind, extents, kernels
from unveil.sanitize.recoding import Node, Problem

_NEVER = 2**62  # a margin that nothing exceeds


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
    part_of: NDArray[np.integer]
    sizes: NDArray[np.int64]
    small: NDArray[np.bool_]
    extra: NDArray[np.int64]
    limit: int = 0
    margin: int = _NEVER
    parts: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, what: str, people: NDArray[np.intp], part_of: NDArray[np.integer],
        needed: int | NDArray[np.integer], extra: NDArray[np.int64] | None = None, **more: Any,
    ) -> Attempt:  # fmt: skip
        """An attempt whose parts need so many records: all alike, or each its own number."""
        sizes = np.bincount(part_of)
        return cls(
            what=what, people=people, part_of=part_of, sizes=sizes, small=sizes < needed,
            extra=np.zeros_like(sizes) if extra is None else extra, **more,
        )  # fmt: skip

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
    apart, n = sanitizer.stretches(microdata), len(microdata)
    goal = Goal(l=int(sanitizer.l or 1), stretch=apart.rows, far=apart.far, records=n)
    if isinstance(sanitizer, Mondrian):
        attempts = _mondrian_attempts(sanitizer, microdata)
    else:
        attempts = _recoding_attempts(sanitizer, microdata)
    return goal, [one for one in attempts if not one.tells_nothing]


# Mondrian ---------------------------------------------------------------------------------------


def _mondrian_attempts(sanitizer: Mondrian, microdata: Microdata) -> Iterator[Attempt]:
    k, asked = int(sanitizer.k or 1), Crowds.of(sanitizer.crowds or {}).asked(microdata)
    partition, whole = sanitizer.partition(microdata), extents(microdata)
    for node in partition.tree.node:
        people = partition.order[0, node[kernels.START] : node[kernels.END]].astype(np.intp)
        if len(people) < 2 * k:
            continue
        codes = microdata.codes[:, people]
        for j in _columns_tried(microdata, codes, whole, int(node[kernels.COLUMN])):
            column = microdata.quasi[j]
            part_of, names = _cut(column, codes[j])
            needed = np.full(len(names), max(k, int(sanitizer.l or 1)))
            np.maximum.at(needed, part_of, asked[people])
            yield Attempt.of(f"cut by {column.name}", people, part_of, needed, parts=names)


def _columns_tried(
    microdata: Microdata, codes: NDArray[np.int32], whole: NDArray[np.float64], taken: int
) -> list[int]:
    """The columns that were tried, the widest first, up to the one taken (LEAF: all of them)."""
    width = np.zeros(len(codes))
    low, high = codes.min(axis=1), codes.max(axis=1)
    for j, column in enumerate(microdata.quasi):
        if low[j] < high[j] and whole[j] > 0:
            width[j] = _width(column, codes[j], int(low[j]), int(high[j])) / whole[j]
    order = [int(j) for j in np.argsort(-width, kind="stable") if width[j] > 0]
    return order[: order.index(taken)] if taken in order else order


def _width(column: Column, codes: NDArray[np.int32], low: int, high: int) -> float:
    kind, tree = cut_kind(column), column.hierarchy
    if kind == kernels.SPAN:
        return float(column.positions[high] - column.positions[low])
    if kind == kernels.FLAT:
        return float(len(np.unique(codes)) - 1)
    assert tree is not None  # cut_kind says so
    node = tree.lowest_common_ancestor(low, high)
    return float(tree.last[node] - tree.first[node] + 1)


def _cut(column: Column, codes: NDArray[np.int32]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """The part of each record by the one cut of a column, and the parts in words."""
    kind, tree, texts = cut_kind(column), column.hierarchy, column.texts
    if kind == kernels.TREE:
        assert tree is not None  # cut_kind says so
        children = tree.children(tree.lowest_common_ancestor(int(codes.min()), int(codes.max())))
        children = children[np.argsort(tree.first[children])]
        child = np.searchsorted(tree.last[children], codes)
        there, part_of = np.unique(child, return_inverse=True)
        words = [tree.names[children[c]] for c in there]
    else:
        there, counts = np.unique(codes, return_counts=True)
        left = np.cumsum(counts)[:-1]
        best = int(np.argmin(np.abs(2 * left - len(codes))))  # the lower place of two
        part_of = (codes > there[best]).astype(np.intp)
        if kind == kernels.SPAN:
            words = [f"≤ {texts[there[best]]}", f"> {texts[there[best]]}"]
        else:
            ends = [(texts[part[0]], texts[part[-1]]) for part in np.split(there, [best + 1])]
            words = [" to ".join(dict.fromkeys(both)) for both in ends]
    return part_of, tuple(f"{column.name} {text}" for text in words)


# Recoding ---------------------------------------------------------------------------------------


def _recoding_attempts(sanitizer: Recoding, microdata: Microdata) -> Iterator[Attempt]:
    problem, chosen = sanitizer.searched(microdata)
    whose, table, lattice = problem.distinct.tuple_of, problem.distinct.table, problem.lattice
    weights, classifier = problem.weights(), problem.classifier()
    needed = max(problem.goal.k, problem.goal.l)

    def lost(node: Node, first: NDArray[np.int64]) -> NDArray[np.int64]:
        return weights.of_classes(table.codes[:, first], lattice.at(node))

    # Each suppressed class by itself was not published.
    class_of = chosen.classes.class_of[whose]
    for g in np.flatnonzero(chosen.misses):
        people = np.flatnonzero(class_of == g)
        yield Attempt.of("publish some of the suppressed as a class of their own", people,
                         np.zeros(len(people), dtype=np.intp), needed)  # fmt: skip
    each = np.where(chosen.misses, weights.everything, lost(chosen.node, chosen.classes.first))
    taken = int(chosen.classes.sizes @ each)
    for node, bound in _preferred(problem, weights.bounds, chosen.node, taken):
        classes = classifier.classes(table, lattice.at(node))
        columns = zip(microdata.quasi, node, strict=True)
        levels = ", ".join(f"{column.name} at level {level}" for column, level in columns)
        yield Attempt.of(
            f"publish {levels}", np.arange(len(microdata)),
            classes.class_of[whose].astype(np.int32), needed,
            classes.sizes * (weights.everything - lost(node, classes.first)),
            limit=problem.limit, margin=taken - bound - (node > chosen.node),
        )  # fmt: skip


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
    constant, fails = (most == least).all(axis=1), np.zeros(len(attempt.sizes), dtype=bool)
    failing(most, attempt.sizes, goal, fails)
    fails = attempt.small | (fails & constant)
    known = attempt.small | constant
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
    """Classes that are tied together, and what is published about them.

    Attributes
    ----------
    classes : array
    bindings : tuple of Binding
    people : array
        The records of the classes, class by class, block by block.
    secrets : array
        Their sensitive values.
    counts : classes × values
        How many records have each sensitive value.
    parts, goal, blocks : Parts, Goal, Blocks
        For the kernels.
    """

    classes: NDArray[np.intp]
    bindings: tuple[Binding, ...]
    people: NDArray[np.intp]
    secrets: NDArray[np.int64]
    counts: NDArray[np.int64]
    parts: Parts
    goal: Goal
    blocks: Blocks

    @property
    def all(self) -> tuple[Parts, Goal, Blocks]:
        """What every kernel is given."""
        return self.parts, self.goal, self.blocks

    @property
    def class_of_block(self) -> NDArray[np.int64]:
        """The class of each block, as a place in ``classes``."""
        return np.repeat(np.arange(len(self.classes)), np.diff(self.blocks.first))


def components(bindings: Sequence[Binding], release: Release, goal: Goal) -> list[Component]:
    """The components of classes that attempts tie together, in the order of their first class."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not bindings:
        return []
    n = release.n_classes
    cut = np.concatenate([one.cut for one in bindings])
    whose = np.repeat(np.arange(len(bindings)), [len(one.cut) for one in bindings])
    nodes = n + len(bindings)
    edges = coo_array((np.ones(len(cut)), (cut, n + whose)), shape=(nodes, nodes))
    label = connected_components(edges, directed=False)[1]
    tied: dict[int, list[Binding]] = {}
    for one, c in zip(bindings, label[n:].tolist(), strict=True):
        tied.setdefault(c, []).append(one)
    by_label = np.argsort(label[:n], kind="stable")
    by_class = np.argsort(release.class_of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(release.sizes)])
    where = np.full(len(release), -1, dtype=np.int64)
    found = []
    for c in sorted(tied):
        first, last = np.searchsorted(label[:n], [c, c + 1], sorter=by_label)
        classes = by_label[first:last]
        people = np.concatenate([by_class[starts[g] : starts[g + 1]] for g in classes])
        found.append(_component(classes, people, tied[c], release, goal, where))
    return found


def _component(
    classes: NDArray[np.intp], people: NDArray[np.intp], bindings: Sequence[Binding],
    release: Release, goal: Goal, where: NDArray[np.int64],
) -> Component:  # fmt: skip
    """``people`` are those of the classes; ``where`` is scratch, -1 before and after."""
    sizes = release.sizes[classes]
    key = class_of = np.repeat(np.arange(len(classes)), sizes)
    part_at = np.empty((len(bindings), len(people)), dtype=np.int32)
    begin, parts, attempts, base = 0, [], [], []
    for a, one in enumerate(bindings):
        attempt, n_parts, many = one.attempt, len(one.attempt.sizes), len(one.open)
        number = np.full(n_parts, -1)
        number[one.open] = begin + np.arange(many)
        where[attempt.people] = number[attempt.part_of]
        part_at[a] = where[people]
        where[attempt.people] = -1
        begin += many
        key = np.unique(key * (begin + 2) + part_at[a] + 1, return_inverse=True)[1].ravel()
        before = attempt.sizes[one.sure].sum(), attempt.extra[one.sure].sum()
        attempts.append((attempt.limit, attempt.margin, *before))
        parts.append(
            np.stack([attempt.sizes[one.open], attempt.extra[one.open], np.full(many, a)], axis=1)
        )
        # Classes of other components are in a part as a whole: their histograms are known.
        known = np.zeros((n_parts, release.sensitive.size), dtype=np.int64)
        others = one.piece[~np.isin(one.piece[:, 0], classes)]
        np.add.at(known, others[:, 1], release.counts[others[:, 0]])
        base.append(known[one.open])
    # Keys begin with the class, so the blocks of a class are next to each other.
    order = np.argsort(key, kind="stable")
    people, block_of, part_at = people[order], key[order], part_at[:, order]
    _, one_of, room = np.unique(block_of, return_index=True, return_counts=True)
    listed = [row[row >= 0] for row in part_at[:, one_of].T]
    return Component(
        classes, tuple(bindings), people,
        secrets=release.sensitive.codes[people].astype(np.int64),
        counts=release.counts[classes],
        parts=Parts(
            part=np.concatenate(parts).astype(np.int64),
            attempt=np.array(attempts, dtype=np.int64),
            base=np.concatenate(base),
            start=np.concatenate([[0], np.cumsum([len(row) for row in listed])]).astype(np.int64),
            listed=np.concatenate(listed).astype(np.int64),
        ),
        goal=goal,
        blocks=Blocks(
            room=room,
            first=np.searchsorted(class_of[one_of], np.arange(len(classes) + 1)),
            block_of=block_of.astype(np.int64),
            class_start=np.concatenate([[0], np.cumsum(sizes)]),
        ),
    )  # fmt: skip
