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
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.attacks.differential._formulas import (
    Beliefs,
    BoundDistance,
    Distance,
    along_line,
    find_solver,
    keeps_triangle,
    metric_transport,
    through_edges,
    total_variation,
    transport,
)
from unveil.errors import Cell, InputError, Listed, Option, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata import Column, Hierarchy, Kind, value_text

Ground: TypeAlias = Literal["unit", "path", "ordered", "numeric"]

GROUNDS: tuple[Ground, ...] = ("unit", "path", "ordered", "numeric")

_ROUNDING = 1e-9  # relative difference allowed between the two halves of a matrix
_WORDS = {"unit": "unit", "path": "path length", "ordered": "ordered", "numeric": "numeric"}


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
    _matrix: _GroundMatrix | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        if not isinstance(self.ground, str):
            object.__setattr__(self, "_matrix", _GroundMatrix.read(self.ground))
        elif self.ground not in GROUNDS:
            raise InputError(
                "{option} is not known{near} (known: {known}; or a matrix)",
                option=Option("ground", self.ground), near=did_you_mean(self.ground, GROUNDS),
                known=Listed(GROUNDS),
            )  # fmt: skip

    def bound(self, sensitive: Column | None) -> BoundDistance:
        """The distance between beliefs about this column.

        Without a column only what does not depend on it is checked, and nothing can be measured.
        """
        if self._matrix is not None:
            return _by_matrix(self._matrix, sensitive)
        ground = cast(Ground, self.ground)
        if ground == "unit":
            return BoundDistance(
                name=_name(ground), measure=total_variation, largest=1.0, is_metric=True,
                explained="the share of belief that moves: 0 is nothing, 1 all of it",
            )  # fmt: skip
        return _not_yet(_name(ground)) if sensitive is None else _BY_GROUND[ground](sensitive)


def _name(ground: Ground) -> str:
    return f"earth mover's ({_WORDS[ground]})"


def _not_yet(name: str) -> BoundDistance:
    """A distance that is checked as far as possible without the data."""
    return BoundDistance(
        name=name, measure=partial(_cannot_measure, name=name), largest=float("inf"),
        explained="depends on the sensitive column", is_metric=True,
    )  # fmt: skip


def _cannot_measure(p: Beliefs, q: Beliefs, *, name: str) -> NDArray[np.float64]:
    raise InputError("{name} cannot measure before it is bound to a sensitive column", name=name)


def _by_path(sensitive: Column) -> BoundDistance:
    tree = sensitive.hierarchy
    if tree is None:
        raise InputError(
            "the earth mover's distance by path length needs a hierarchy of the sensitive column "
            "{column}, which has none: give it one, or use another ground distance",
            column=ColumnName(sensitive.name),
        )
    # Above its first fork a tree has nothing to move.
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
            "column {column} is categorical: declare it ordinal, with its levels, or use another "
            "ground distance",
            column=ColumnName(sensitive.name),
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
        raise InputError(
            "the earth mover's distance between numbers needs a numeric column, and the sensitive "
            "column {column} is {kind}: use another ground distance{order}",
            column=ColumnName(sensitive.name), kind=sensitive.kind,
            order=' ("ordered" needs only an order)' if sensitive.is_ordered else "",
        )  # fmt: skip
    places, unit = sensitive.positions, f"units of {sensitive.name}"
    if sensitive.values.dtype.kind == "M":
        places, unit = places / 86_400e6, "days"  # from microseconds
    span = float(places[-1]) - float(places[0])
    if not np.isfinite(span):
        raise InputError(
            "the values of the sensitive column {column} are too far apart to be subtracted: use "
            "another unit, or another ground distance",
            column=ColumnName(sensitive.name),
        )
    return _by_distance_moved(
        _name("numeric"),
        partial(along_line, gaps=np.diff(places)),
        largest=span,
        unit=unit,
        most=f"{span:g} all of it from one end to the other",
    )


_BY_GROUND: dict[Ground, Callable[[Column], BoundDistance]] = {
    "path": _by_path,
    "ordered": _by_rank,
    "numeric": _by_number,
}

_NO_METRIC = (
    "the given ground distances violate the triangle inequality (an indirect way is shorter than "
    "the direct one), so the distance between beliefs is not a metric",
)
_SAME_PLACE = (
    "some sensitive values are at ground distance 0 from each other: belief that moves between "
    "them does not count",
)


def _by_matrix(matrix: _GroundMatrix, sensitive: Column | None) -> BoundDistance:
    name = "earth mover's (given distances)"
    costs = matrix.costs if sensitive is None else matrix.of(sensitive)
    apart = costs[~np.eye(len(costs), dtype=bool)]
    largest, is_metric = float(apart.max(initial=0)), True
    if (apart == largest).all():  # the same between any two values: no program to solve
        measure: Distance = partial(_scaled_total_variation, scale=largest)
    else:
        find_solver()  # report a missing solver before the long work
        is_metric = keeps_triangle(costs)
        measure = partial(metric_transport if is_metric else transport, costs=costs)
    if sensitive is None:
        return _not_yet(name)
    notes = () if (apart > 0).all() else _SAME_PLACE
    return _by_distance_moved(
        name, measure, largest=largest, unit="the distances given", is_metric=is_metric,
        most=f"{largest:g} all of it between the values farthest apart"
        + ("" if is_metric else "; not a metric"),
        notes=notes if is_metric else (*_NO_METRIC, *notes),
    )  # fmt: skip


def _by_distance_moved(
    name: str, measure: Distance, *, largest: float, unit: str, most: str,
    is_metric: bool = True, notes: tuple[str, ...] = (),
) -> BoundDistance:  # fmt: skip
    explained = f"the share of belief that moves times how far, in {unit}: 0 is nothing, {most}"
    return BoundDistance(
        name=name, measure=measure, largest=largest, explained=explained, is_metric=is_metric,
        notes=notes,
    )  # fmt: skip


def _scaled_total_variation(p: Beliefs, q: Beliefs, *, scale: float) -> NDArray[np.float64]:
    return scale * total_variation(p, q)


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


@dataclass(frozen=True, eq=False)
class _GroundMatrix:
    """Ground distances between values, which ``labels`` name if they are known by name."""

    costs: NDArray[np.float64]
    labels: tuple[str, ...] | None

    @classmethod
    def read(cls, given: Any) -> _GroundMatrix:
        """Check an array, nested lists, or a pandas table labelled by values on both sides."""
        labels = None
        if isinstance(given, pd.DataFrame):
            given, labels = _in_order_of_rows(given)
        try:
            costs = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                "ground distances must be numbers in a square table, got {given}", given=Cell(given)
            ) from None
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or costs.size == 0:
            shape = " × ".join(str(length) for length in costs.shape) or "a single number"
            raise InputError(
                "the ground distances are {shape}; give a square matrix, with one row and one "
                "column per sensitive value",
                shape=shape,
            )
        _check_numbers(costs, labels)
        costs = (costs + costs.T) / 2
        costs.setflags(write=False)
        return cls(costs, labels)

    def of(self, sensitive: Column) -> NDArray[np.float64]:
        """The distances between the values of a column, in their order there."""
        if self.labels is None:
            if len(self.costs) != sensitive.size:
                raise InputError(
                    "the matrix of ground distances is {size} × {size}, but the sensitive column "
                    "{column} has {values} values ({some}); give one row and one column per "
                    "value, in this order, or a pandas table labelled by them",
                    size=len(self.costs), column=ColumnName(sensitive.name),
                    values=sensitive.size, some=_some(sensitive.texts),
                )  # fmt: skip
            return self.costs
        place = {label: i for i, label in enumerate(self.labels)}
        for code, text in enumerate(sensitive.texts):
            if text not in place:
                people = int((sensitive.codes == code).sum())
                raise InputError(
                    "the table of ground distances has no row for {value}, a value of the "
                    "sensitive column {column}{near} (it has {some})",
                    value=Cell(text, people), column=ColumnName(sensitive.name),
                    near=_near(text, self.labels), some=_some(self.labels),
                )  # fmt: skip
        order = [place[text] for text in sensitive.texts]
        return self.costs[np.ix_(order, order)]


def _in_order_of_rows(table: Any) -> tuple[Any, tuple[str, ...]]:
    """A labelled table with its columns in the order of its rows, and the labels."""
    rows, columns = ([value_text(v) for v in axis] for axis in (table.index, table.columns))
    for labels, side in ((rows, "row"), (columns, "column")):
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise InputError(
                "the table of ground distances has the {side} {label} twice",
                side=side, label=Cell(twice),
            )  # fmt: skip
    for label in (*rows, *columns):
        if label not in columns or label not in rows:
            has, lacks = ("row", "column") if label in rows else ("column", "row")
            raise InputError(
                "the table of ground distances has a {has} {label} but no such {lacks}{near}",
                has=has, label=Cell(label), lacks=lacks,
                near=_near(label, columns if label in rows else rows),
            )  # fmt: skip
    return table.iloc[:, [columns.index(label) for label in rows]], tuple(rows)


def _check_numbers(costs: NDArray[np.float64], labels: tuple[str, ...] | None) -> None:
    def refuse(wrong: NDArray[np.bool_], why: str) -> None:
        if wrong.any():
            i, j = (int(k) for k in np.argwhere(wrong)[0])
            here, there = (Cell(labels[k]) if labels else f"value {k}" for k in (i, j))
            raise InputError(
                "the ground distance from {here} to {there} is {to}, and back {back}; {why}",
                here=here, there=there, to=f"{costs[i, j]:g}", back=f"{costs[j, i]:g}", why=why,
            )  # fmt: skip

    refuse(~np.isfinite(costs), "every ground distance must be a finite number")
    refuse(costs < 0, "no ground distance may be negative")
    refuse(np.diag(np.diag(costs) != 0), "a value must be at distance 0 from itself")
    uneven = np.abs(costs - costs.T) > _ROUNDING * costs
    refuse(uneven, "the matrix must be symmetric: the same both ways")


def _some(texts: Sequence[str], most: int = 5) -> Listed:
    more = ["…"] if len(texts) > most else []
    return Listed([*(Cell(text, bare=True) for text in texts[:most]), *more])


def _near(text: str, known: Sequence[str]) -> Cell | str:
    near = did_you_mean(text, known)
    return Cell(near, bare=True) if near else ""
