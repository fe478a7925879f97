"""The earth mover's distance: how much belief moves, times how far.

Moving belief from one sensitive value to another costs the *ground distance* between them. With
ground distance 1 between any two values it is the total variation; other grounds say that flu and
a cold are nearer than flu and cancer. Where the values lie on a line or in a tree the cheapest way
is known, so those grounds need no solver:

- on a line, what has to pass between two neighbours is the difference of the two cumulated beliefs;
- in a tree, what has to pass through an edge is the difference of the beliefs beneath it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from unveil.attacks._distance_formulas import Beliefs, BoundDistance, Distance, total_variation
from unveil.attacks._distance_matrix import (
    GroundMatrix,
    find_solver,
    keeps_triangle,
    metric_transport,
    transport,
)
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column, Hierarchy, Kind

__all__ = ["GROUNDS", "EarthMovers", "Ground"]

Ground: TypeAlias = Literal["unit", "path", "ordered", "numeric"]

GROUNDS: tuple[Ground, ...] = ("unit", "path", "ordered", "numeric")


@dataclass(frozen=True, eq=False)
class EarthMovers:
    """The earth mover's distance with a ground distance between sensitive values.

    Parameters
    ----------
    ground : {"unit", "path", "ordered", "numeric"} or matrix
        - ``"unit"``: 1 between any two values, which is the total variation;
        - ``"path"``: the number of steps between them in the sensitive column's hierarchy;
        - ``"ordered"``: how many ranks apart they are, as a share of the largest number, for
          numeric and ordinal columns;
        - ``"numeric"``: the difference of the numbers (of dates: in days);
        - a square array, in the order of the column's values, or a pandas table labelled by them
          on both sides. Needs POT: ``pip install 'unveil[transport]'``.

    Examples
    --------
    >>> import unveil as uv
    >>> table = uv.read_table(
    ...     {"age": [20, 30, 40], "income": [1000, 2000, 4000]}, quasi="age", sensitive="income")
    >>> distance = EarthMovers("numeric").bound(table["income"])
    >>> distance.measure(np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.0, 0.5]]))
    array([1000.])
    >>> distance.largest
    3000.0
    """

    ground: Ground | Any = "unit"
    _matrix: GroundMatrix | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        if not isinstance(self.ground, str):
            object.__setattr__(self, "_matrix", GroundMatrix.read(self.ground))
        elif self.ground not in GROUNDS:
            raise InputError(
                f"no ground distance {self.ground!r}{did_you_mean(self.ground, GROUNDS)} "
                f"(known: {', '.join(GROUNDS)}; or a matrix)"
            )

    def bound(self, sensitive: Column | None) -> BoundDistance:
        """The distance between beliefs about this column.

        Without a column only what does not depend on it is checked, and nothing can be measured.
        """
        if self._matrix is not None:
            return _by_matrix(self._matrix, sensitive)
        ground = cast(Ground, self.ground)
        if ground == "unit":
            return BoundDistance(
                name=_name(ground),
                measure=total_variation,
                largest=1.0,
                explained="the share of belief that moves: 0 is nothing, 1 all of it",
                is_metric=True,
            )
        if sensitive is None:
            return _not_yet(_name(ground))
        return _LINES_AND_TREES[ground](sensitive)


_WORDS = {"unit": "unit", "path": "path length", "ordered": "ordered", "numeric": "numeric"}


def _name(ground: Ground) -> str:
    return f"earth mover's ({_WORDS[ground]})"


def _not_yet(name: str) -> BoundDistance:
    """A distance that has been checked as far as that goes without the data."""
    return BoundDistance(
        name=name,
        measure=partial(_cannot_measure, name=name),
        largest=float("inf"),
        explained="depends on the sensitive column",
        is_metric=True,
    )


def _cannot_measure(p: Beliefs, q: Beliefs, *, name: str) -> NDArray[np.float64]:
    raise InputError(f"{name} cannot measure before it is bound to a sensitive column")


def _by_path(sensitive: Column) -> BoundDistance:
    tree = sensitive.hierarchy
    if tree is None:
        raise InputError(
            "the earth mover's distance by path length needs a hierarchy of the sensitive column "
            f"{sensitive.name!r}, which has none: give it one, or use another ground distance"
        )
    # A tree with one way from the root down to its first fork has nothing to move there.
    inner = np.arange(len(tree.names)) != tree.root
    inner &= (tree.first > 0) | (tree.last < tree.n_leaves - 1)
    spans, steps = np.unique(
        np.stack([tree.first[inner], tree.last[inner]]), axis=1, return_counts=True
    )
    longest = _longest_path(tree)
    return _by_distance_moved(
        _name("path"),
        partial(through_edges, spans=spans, steps=steps),
        largest=float(longest),
        unit=f"steps in the hierarchy of {sensitive.name}",
        most=f"{longest} all of it between the values farthest apart",
    )


def _by_rank(sensitive: Column) -> BoundDistance:
    if not sensitive.is_ordered:
        raise InputError(
            "the earth mover's distance between ordered values needs an order, and the sensitive "
            f"column {sensitive.name!r} is categorical: declare it ordinal, with its levels, or "
            "use another ground distance"
        )
    ranks = sensitive.size - 1
    return _by_distance_moved(
        _name("ordered"),
        partial(along_line, gaps=np.full(ranks, 1 / max(1, ranks))),
        largest=float(ranks > 0),
        unit=f"the share of the order of {sensitive.name} it passes",
        most="1 all of it from one end to the other",
    )


def _by_number(sensitive: Column) -> BoundDistance:
    if sensitive.kind is not Kind.NUMERIC:
        order = ' ("ordered" needs only an order)' if sensitive.is_ordered else ""
        raise InputError(
            "the earth mover's distance between numbers needs a numeric column, and the sensitive "
            f"column {sensitive.name!r} is {sensitive.kind}: use another ground distance{order}"
        )
    places, unit = sensitive.positions, f"units of {sensitive.name}"
    if sensitive.values.dtype.kind == "M":
        places, unit = places / 86_400e6, "days"  # from microseconds
    span = float(places[-1]) - float(places[0])
    if not np.isfinite(span):
        raise InputError(
            f"the values of the sensitive column {sensitive.name!r} are too far apart to be "
            "subtracted: use another unit, or another ground distance"
        )
    return _by_distance_moved(
        _name("numeric"),
        partial(along_line, gaps=np.diff(places)),
        largest=span,
        unit=unit,
        most=f"{span:g} all of it from one end to the other",
    )


_LINES_AND_TREES: dict[Ground, Callable[[Column], BoundDistance]] = {
    "path": _by_path,
    "ordered": _by_rank,
    "numeric": _by_number,
}


def _by_matrix(matrix: GroundMatrix, sensitive: Column | None) -> BoundDistance:
    name = "earth mover's (given distances)"
    costs = matrix.costs if sensitive is None else matrix.of(sensitive)
    apart = costs[~np.eye(len(costs), dtype=bool)]
    largest = float(apart.max(initial=0))
    if (apart == largest).all():  # any two values alike: no program to solve
        measure: Distance = partial(_scaled_total_variation, scale=largest)
        is_metric = True
    else:
        find_solver()  # a missing solver is told before the long work
        is_metric = keeps_triangle(costs)
        measure = partial(metric_transport if is_metric else transport, costs=costs)
    if sensitive is None:
        return _not_yet(name)
    bound = _by_distance_moved(
        name, measure, largest=largest, unit="the distances given",
        most=f"{largest:g} all of it between the values farthest apart",
        notes=() if (apart > 0).all() else _SAME_PLACE,
    )  # fmt: skip
    if is_metric:
        return bound
    return BoundDistance(
        name=name, measure=measure, largest=largest, is_metric=False,
        explained=f"{bound.explained}; no metric", notes=(*_NO_METRIC, *bound.notes),
    )  # fmt: skip


_NO_METRIC = (
    "the given ground distances break the triangle inequality (a way round is shorter than the "
    "direct one), so the distance between beliefs is no metric",
)
_SAME_PLACE = (
    "some sensitive values are at ground distance 0 from each other: belief that moves between "
    "them does not count",
)


def _by_distance_moved(
    name: str, measure: Distance, *, largest: float, unit: str, most: str,
    notes: tuple[str, ...] = (),
) -> BoundDistance:  # fmt: skip
    return BoundDistance(
        name=name,
        measure=measure,
        largest=largest,
        explained=f"the share of belief that moves times how far, in {unit}: 0 is nothing, {most}",
        is_metric=True,
        notes=notes,
    )


def _scaled_total_variation(p: Beliefs, q: Beliefs, *, scale: float) -> NDArray[np.float64]:
    return scale * total_variation(p, q)


def along_line(p: Beliefs, q: Beliefs, *, gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Earth mover's distance between values on a line with these gaps between neighbours.

    >>> along_line(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0]]), gaps=np.array([2, 5]))
    array([7.])
    """
    passing = np.abs(np.cumsum((p - q)[:, :-1], axis=1))
    return (passing * gaps).sum(axis=1)


def through_edges(
    p: Beliefs, q: Beliefs, *, spans: NDArray[np.integer], steps: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Earth mover's distance in a tree whose edges lie above these spans of leaves.

    >>> pairs = np.array([[0, 1, 2, 3, 0, 2], [0, 1, 2, 3, 1, 3]])  # two and two of four leaves
    >>> p, q = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0]]), np.array([[0, 0, 0, 1.0], [0, 0, 0, 1]])
    >>> through_edges(p, q, spans=pairs, steps=np.ones(6))
    array([4., 2.])
    """
    moved = p - q
    total = np.zeros(len(p))
    for (first, last), times in zip(spans.T, steps, strict=True):
        total += times * np.abs(moved[:, first : last + 1].sum(axis=1))
    return total


def _longest_path(tree: Hierarchy) -> int:
    """The number of steps between the two leaves that are farthest apart."""
    longest = 0
    for node in range(tree.n_leaves, len(tree.names)):
        below = tree.children(node)
        if len(below) > 1:
            deepest = sorted(
                int(tree.levels[tree.first[child] : tree.last[child] + 1].max()) for child in below
            )
            longest = max(longest, deepest[-1] + deepest[-2] - 2 * int(tree.levels[node]))
    return longest
