"""The earth mover's distance: how much belief moves, times how far.

Moving belief from one sensitive value to another costs the *ground distance* between them. With
ground distance 1 between any two values it is the total variation; other ground distances say that
flu and a cold are nearer than flu and cancer. On a line and in a tree the cheapest way is known:
what passes between two neighbours is the difference of the cumulated beliefs, and what passes
through an edge the difference of the beliefs beneath it. For any other ground distances, given as a
matrix, it is a linear program, solved by POT (an extra).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.errors import (
    Cell,
    Foreign,
    InputError,
    Listed,
    MissingExtraError,
    Option,
    UnveilError,
    did_you_mean,
)
from unveil.errors import Column as ColumnName
from unveil.microdata import Column, Hierarchy, Kind, value_text

Ground: TypeAlias = Literal["unit", "path", "ordered", "numeric"]

_SYMMETRIC = 1e-9  # relative difference allowed between the two halves of a matrix
_STEPS = 10_000_000  # of the solver; it needs a few hundred
_FARTHEST = "between the values farthest apart"
_ENDS = "from one end to the other"

Beliefs: TypeAlias = NDArray[np.float64]

Distance: TypeAlias = Callable[[Beliefs, Beliefs], NDArray[np.float64]]
"""From two tables of beliefs (people × sensitive values) to one number per person."""


@dataclass(frozen=True, kw_only=True)
class BoundDistance:
    """A distance between beliefs about one sensitive column.

    Attributes
    ----------
    name : str
        As printed: ``total variation``.
    measure : callable
        From two tables of beliefs to one number per person.
    largest : float
        The largest possible value; infinite where there is none, or it is not known.
    explained : str
        What 0 and the largest value mean, in one line.
    is_metric : bool
        Whether it is symmetric and satisfies the triangle inequality.
    notes : tuple of str
        What a reader of the results must know.
    """

    name: str
    measure: Distance
    largest: float
    explained: str
    is_metric: bool = True
    notes: tuple[str, ...] = ()


def l1(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """Σ |p − q|, from 0 to 2.

    >>> l1(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))
    array([1.])
    """
    return np.abs(p - q).sum(axis=1)


def total_variation(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    """½ Σ |p − q|, from 0 to 1: the share of belief that moves.

    It is the earth mover's distance where any two values are equally far apart.

    >>> total_variation(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))
    array([0.5])
    """
    return l1(p, q) / 2


@dataclass(frozen=True, eq=False)
class EarthMovers:
    """The earth mover's distance with a ground distance between sensitive values.

    Parameters
    ----------
    ground : {"unit", "path", "ordered", "numeric"} or matrix
        - ``"unit"``: 1 between any two values, which is the total variation;
        - ``"path"``: the number of steps between them in the sensitive column's hierarchy;
        - ``"ordered"``: the number of ranks between them, as a share of the largest such number,
          for numeric and ordinal columns;
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
    _matrix: pd.DataFrame | None = field(init=False, repr=False, default=None)
    """Checked ground distances; labelled by values if they were given so."""

    def __post_init__(self) -> None:
        if not isinstance(self.ground, str):
            object.__setattr__(self, "_matrix", _checked_matrix(self.ground))
        elif self.ground not in get_args(Ground):
            raise InputError(
                "{option} is not known{near} (known: {known}; or a matrix)",
                option=Option("ground", self.ground), known=Listed(get_args(Ground)),
                near=did_you_mean(self.ground, get_args(Ground)),
            )  # fmt: skip

    def bound(self, sensitive: Column | None) -> BoundDistance:
        """The distance between beliefs about this column.

        Without a column only what does not depend on it is checked, and nothing can be measured.
        """
        if self._matrix is not None:
            found, words = _by_matrix(self._matrix, sensitive), "given distances"
        elif self.ground == "unit":
            found, words = TOTAL_VARIATION, "unit"
        else:
            by, words = _GROUNDS[self.ground]
            found = _UNBOUND if sensitive is None else by(sensitive)
        return replace(found, name=f"earth mover's ({words})")


def _cannot_measure(p: Beliefs, q: Beliefs) -> NDArray[np.float64]:
    raise InputError(
        "an earth mover's distance cannot measure before it is bound to a sensitive column"
    )


TOTAL_VARIATION = BoundDistance(
    name="total variation", measure=total_variation, largest=1.0,
    explained="the share of belief that moves: 0 is nothing, 1 all of it",
)  # fmt: skip
_UNBOUND = BoundDistance(
    name="", measure=_cannot_measure, largest=inf, explained="depends on the sensitive column"
)


def _distance_moved(
    measure: Distance, largest: float, unit: str, most: str, **more: Any
) -> BoundDistance:
    explained = (
        f"the share of belief that moves times how far, in {unit}: 0 is nothing, {largest:g} all "
        f"of it {most}"
    )
    return BoundDistance(name="", measure=measure, largest=largest, explained=explained, **more)


def _unfit(sensitive: Column, text: str, **parts: Any) -> InputError:
    return InputError(text, column=ColumnName(sensitive.name), **parts)


def _by_path(sensitive: Column) -> BoundDistance:
    tree = sensitive.hierarchy
    if tree is None:
        raise _unfit(
            sensitive,
            "the earth mover's distance by path length needs a hierarchy of the sensitive column "
            "{column}, which has none: give it one, or use another ground distance",
        )
    # Above its first fork a tree has nothing to move.
    inner = np.arange(len(tree.names)) != tree.root
    inner &= (tree.first > 0) | (tree.last < tree.n_leaves - 1)
    spans, steps = np.unique(
        np.stack([tree.first[inner], tree.last[inner]]), axis=1, return_counts=True
    )
    measure = partial(through_edges, spans=spans, steps=steps)
    unit = f"steps in the hierarchy of {sensitive.name}"
    return _distance_moved(measure, float(_longest_path(tree)), unit, _FARTHEST)


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


def _by_rank(sensitive: Column) -> BoundDistance:
    if not sensitive.is_ordered:
        raise _unfit(
            sensitive,
            "the earth mover's distance between ordered values needs an order, and the sensitive "
            "column {column} is categorical: declare it ordinal, with its levels, or use another "
            "ground distance",
        )
    ranks = sensitive.size - 1
    measure = partial(along_line, gaps=np.full(ranks, 1 / max(1, ranks)))
    unit = f"the share of the order of {sensitive.name} it passes"
    return _distance_moved(measure, float(ranks > 0), unit, _ENDS)


def _by_number(sensitive: Column) -> BoundDistance:
    if sensitive.kind is not Kind.NUMERIC:
        raise _unfit(
            sensitive,
            "the earth mover's distance between numbers needs a numeric column, and the sensitive "
            "column {column} is {kind}: use another ground distance{order}",
            kind=sensitive.kind,
            order=' ("ordered" needs only an order)' if sensitive.is_ordered else "",
        )
    places, unit = sensitive.positions, f"units of {sensitive.name}"
    if sensitive.values.dtype.kind == "M":
        places, unit = places / 86_400e6, "days"  # from microseconds
    span = float(places[-1]) - float(places[0])
    if not np.isfinite(span):
        raise _unfit(
            sensitive,
            "the values of the sensitive column {column} are too far apart to be subtracted: use "
            "another unit, or another ground distance",
        )
    measure = partial(along_line, gaps=np.diff(places))
    return _distance_moved(measure, span, unit, _ENDS)


def along_line(p: Beliefs, q: Beliefs, *, gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Earth mover's distance between values on a line with these gaps between neighbours.

    >>> along_line(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0]]), gaps=np.array([2, 5]))
    array([7.])
    """
    passing = np.abs(np.cumsum((p - q)[:, :-1], axis=1))
    return (passing * gaps).sum(axis=1)


_GROUNDS: dict[str, tuple[Callable[[Column], BoundDistance], str]] = {
    "path": (_by_path, "path length"),
    "ordered": (_by_rank, "ordered"),
    "numeric": (_by_number, "numeric"),
}


def _by_matrix(matrix: pd.DataFrame, sensitive: Column | None) -> BoundDistance:
    costs = matrix.to_numpy() if sensitive is None else _costs_between(matrix, sensitive)
    apart = costs[~np.eye(len(costs), dtype=bool)]
    largest, is_metric = float(apart.max(initial=0)), True
    if (apart == largest).all():  # the same between any two values: no program to solve
        measure: Distance = partial(_scaled_total_variation, scale=largest)
    else:
        find_solver()  # report a missing solver before the long work
        is_metric = keeps_triangle(costs)
        solve = metric_transport if is_metric else transport
        measure = partial(solve, costs=costs)
    if sensitive is None:
        return _UNBOUND
    notes = []
    if not is_metric:
        notes.append(
            "the given ground distances violate the triangle inequality (an indirect way is "
            "shorter than the direct one), so the distance between beliefs is not a metric"
        )
    if not (apart > 0).all():
        notes.append(
            "some sensitive values are at ground distance 0 from each other: belief that moves "
            "between them does not count"
        )
    most = _FARTHEST if is_metric else f"{_FARTHEST}; not a metric"
    return _distance_moved(
        measure, largest, "the distances given", most, is_metric=is_metric, notes=tuple(notes)
    )


def _scaled_total_variation(p: Beliefs, q: Beliefs, *, scale: float) -> NDArray[np.float64]:
    return scale * total_variation(p, q)


def _costs_between(matrix: pd.DataFrame, sensitive: Column) -> NDArray[np.float64]:
    """The ground distances between the values of a column, in their order there."""
    texts = list(sensitive.texts)
    if isinstance(matrix.index, pd.RangeIndex):
        if len(matrix) != len(texts):
            raise _unfit(
                sensitive,
                "the matrix of ground distances is {size} × {size}, but the sensitive column "
                "{column} has {values} values ({some}); give one row and one column per value, in "
                "this order, or a pandas table labelled by them",
                size=len(matrix), values=len(texts), some=_some(texts),
            )  # fmt: skip
        return matrix.to_numpy()
    labels = list(matrix.index)
    for code, text in enumerate(texts):
        if text not in labels:
            raise _unfit(
                sensitive,
                "the table of ground distances has no row for {value}, a value of the sensitive "
                "column {column}{near} (it has {some})",
                value=Cell(text, int((sensitive.codes == code).sum())),
                near=_near(text, labels), some=_some(labels),
            )  # fmt: skip
    return matrix.loc[texts, texts].to_numpy()


def _checked_matrix(given: Any) -> pd.DataFrame:
    """Symmetric distances from an array, nested lists, or a table labelled on both sides."""
    labels: pd.Index | None = None
    if isinstance(given, pd.DataFrame):
        given = given.rename(index=value_text, columns=value_text)
        _check_labels(given)
        given, labels = given[given.index], given.index
    try:
        costs = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "ground distances must be numbers in a square table, got {given}", given=Cell(given)
        ) from None
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or costs.size == 0:
        shape = " × ".join(str(length) for length in costs.shape) or "a single number"
        raise InputError(
            "the ground distances are {shape}; give a square matrix, with one row and one column "
            "per sensitive value",
            shape=shape,
        )
    for wrong, why in (
        (~np.isfinite(costs), "every ground distance must be a finite number"),
        (costs < 0, "no ground distance may be negative"),
        (np.diag(np.diag(costs) != 0), "a value must be at distance 0 from itself"),
        (~np.isclose(costs.T, costs, rtol=_SYMMETRIC, atol=0),
         "the matrix must be symmetric: the same both ways"),
    ):  # fmt: skip
        if wrong.any():
            i, j = np.argwhere(wrong)[0].tolist()
            here, there = (f"value {k}" if labels is None else Cell(labels[k]) for k in (i, j))
            raise InputError(
                "the ground distance from {here} to {there} is {to}, and back {back}; {why}",
                here=here, there=there, to=f"{costs[i, j]:g}", back=f"{costs[j, i]:g}", why=why,
            )  # fmt: skip
    return pd.DataFrame((costs + costs.T) / 2, index=labels, columns=labels)


def _check_labels(table: pd.DataFrame) -> None:
    """Refuse a table whose rows and columns are not the same values, each once."""
    sides = {"row": table.index, "column": table.columns}
    for side, labels in sides.items():
        if not labels.is_unique:
            raise InputError(
                "the table of ground distances has the {side} {label} twice",
                side=side, label=Cell(labels[labels.duplicated()][0]),
            )  # fmt: skip
    for has, lacks in (("row", "column"), ("column", "row")):
        for label in sides[has].difference(sides[lacks], sort=False):
            raise InputError(
                "the table of ground distances has a {has} {label} but no such {lacks}{near}",
                has=has, label=Cell(label), lacks=lacks, near=_near(label, list(sides[lacks])),
            )  # fmt: skip


def _some(texts: Sequence[str], most: int = 5) -> Listed:
    more = ["…"] if len(texts) > most else []
    return Listed([*(Cell(text, bare=True) for text in texts[:most]), *more])


def _near(text: str, known: Sequence[str]) -> Cell | str:
    near = did_you_mean(text, known)
    return Cell(near, bare=True) if near else ""


def keeps_triangle(costs: NDArray[np.float64]) -> bool:
    """Whether the costs satisfy the triangle inequality."""
    slack = 1e-12 * costs.max()
    return all((costs <= costs[:, [via]] + costs[via] + slack).all() for via in range(len(costs)))


def find_solver() -> Callable[..., Any]:
    """POT's solver for transport problems."""
    try:
        import ot
    except ImportError as error:
        raise MissingExtraError(
            "the earth mover's distance with a matrix of ground distances needs POT; install it "
            "with: pip install 'unveil[transport]'"
        ) from error
    return ot.emd2


def metric_transport(p: Beliefs, q: Beliefs, *, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least cost of turning q into p where the costs satisfy the triangle inequality.

    Belief that is in both places stays where it is, and only what differs is moved. Where a single
    value gains or loses it all, there is only one way to do so, and no program to solve.

    >>> line = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    >>> metric_transport(np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 0.5, 0.5]]), costs=line)
    array([1.])
    """
    gained, lost = np.maximum(p - q, 0), np.maximum(q - p, 0)
    winners, losers = (gained > 0).sum(axis=1), (lost > 0).sum(axis=1)
    cost = np.zeros(len(p))
    one = (winners == 1) & (losers > 0)
    cost[one] = (lost[one] * costs[gained[one].argmax(axis=1)]).sum(axis=1)
    one = (losers == 1) & (winners > 1)
    cost[one] = (gained[one] * costs[lost[one].argmax(axis=1)]).sum(axis=1)
    for person in np.flatnonzero((winners > 1) & (losers > 1)):
        cost[person] = _solved(gained[person], lost[person], costs)
    return cost


def transport(p: Beliefs, q: Beliefs, *, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least cost of turning q into p for any costs (0 from a value to itself).

    Without the triangle inequality it may pay to move belief that is in both places.
    """
    cost = np.zeros(len(p))
    for person in np.flatnonzero((p != q).any(axis=1)):
        cost[person] = _solved(p[person], q[person], costs)
    return cost


def _solved(
    here: NDArray[np.float64], there: NDArray[np.float64], costs: NDArray[np.float64]
) -> float:
    """The least cost of moving one distribution of mass to another.

    The solver needs masses of exactly 1 on both sides; rounding may have left them a little apart.
    """
    a, b = here[here > 0], there[there > 0]
    least, report = find_solver()(
        a / a.sum(), b / b.sum(), costs[np.ix_(here > 0, there > 0)],
        numItermax=_STEPS, center_dual=False, log=True,
    )  # fmt: skip
    if report["warning"] is not None:
        raise UnveilError(
            "POT could not solve a transport problem: {said}", said=Foreign(str(report["warning"]))
        )
    return max(0.0, float(least)) * float(a.sum() + b.sum()) / 2
