"""Which attempts tell anything, and which classes they tie together.

Many parts fail, or do not fail, regardless of who has which value: they are too small; they consist
of whole classes, whose histograms are published; or the classes that they cut through have so many
or so few records of each value that the outcome is the same in all worlds. An attempt that is
refused by such parts alone tells nothing. Any other attempt ties together the classes that its open
parts cut through. Classes that nothing ties together are independent, and so are *components* of
classes that are tied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality import _kernels as kernels
from unveil.attacks.minimality._attempts import Attempt, Goal
from unveil.microdata import Release

__all__ = ["Component", "binding", "components"]


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
        kernels.failing(most[constant], attempt.sizes[constant], goal, some)
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
    parts : kernels.Parts
    """

    classes: NDArray[np.intp]
    bindings: tuple[Binding, ...]
    people: NDArray[np.intp]
    class_start: NDArray[np.int64]
    block_of: NDArray[np.int64]
    class_of_block: NDArray[np.int64]
    room: NDArray[np.int64]
    parts: kernels.Parts

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
) -> kernels.Parts:
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
    return kernels.Parts(
        part=np.concatenate(parts).astype(np.int64),
        attempt=np.array(attempts, dtype=np.int64),
        base=np.concatenate(base),
        start=np.concatenate([[0], np.cumsum([len(row) for row in listed])]).astype(np.int64),
        listed=np.concatenate(listed).astype(np.int64),
    )
