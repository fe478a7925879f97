"""The nodes of the lattice that global Recoding would have preferred, and refused.

A node is preferred that loses less, or as much and comes first in the order of levels. What it
loses, and whether few enough records miss the goal there, depends on who has which secret: a class
that fails is suppressed, and loses everything. So a node v with bound b(v), what it loses if nobody
is suppressed, is refused in a world if more than the limit is suppressed, or if

    b(v) + Σ over failing classes: records · (everything − what they lose)

is more than the loss of the node that was taken (or the same, and v comes later).

Without suppression a goal that all parts meet is met by the whole: nodes beneath one that is
refused are refused (see `sanitize.recoding._lattice`). Then only the highest of the preferred nodes
have to be looked at. With suppression this is not so, and all are.

The suppressed, all in one class, are the classes of the node taken that missed the goal; each of
them has to miss it in the world, too. The release tells its levels.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimal._attempts import Attempt, Goal, goal_of
from unveil.microdata import Microdata
from unveil.sanitize import Recoding, distance_between, stretches
from unveil.sanitize.recoding import Judged, Node, Problem

__all__ = ["recoding_attempts", "recoding_goal"]


def recoding_goal(sanitizer: Recoding, microdata: Microdata) -> Goal:
    """What Recoding asks of the secrets of a class."""
    secret, apart = microdata.sensitive, None
    if sanitizer.t is not None:
        apart = stretches(secret, distance_between(secret, sanitizer.t_distance))
    return goal_of(secret, l=sanitizer.l, t=sanitizer.t, apart=apart)


def recoding_attempts(sanitizer: Recoding, microdata: Microdata) -> list[Attempt]:
    """All refused nodes that could have been taken by their classes' sizes."""
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
    """What the node that was taken loses."""
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
    """Those of some nodes that no other one is above."""
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
