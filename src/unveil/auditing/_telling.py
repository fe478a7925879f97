"""What a part of an audit tells, as plain data: sentences, charts and tables.

All of it goes into the audit's JSON, and the pages are made from that JSON alone. So a chart is
numbers with names, and whoever draws it decides how.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Axis",
    "Chart",
    "ChartKind",
    "Column",
    "Matrix",
    "Row",
    "Series",
    "Table",
    "Telling",
    "numbers",
    "thinned_distribution",
]

ChartKind: TypeAlias = Literal["distribution", "histogram", "bars", "heatmap", "points", "curves"]

Row: TypeAlias = Sequence[tuple[float | None, str] | str]
"""A row of a table: texts, and numbers with their texts."""

_STEPS = 256
"""How many steps of a distribution are kept: more cannot be seen."""


def numbers(values: Iterable[float] | NDArray[Any]) -> list[float | None]:
    """Numbers for JSON, which knows neither infinity nor what is no number.

    >>> numbers([0.5, float("nan"), 1])
    [0.5, None, 1.0]
    """
    return [float(value) if math.isfinite(value) else None for value in values]


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What stands along an axis."""

    label: str
    scale: Literal["linear", "log", "names"] = "linear"
    share: bool = False
    """Whether its numbers are shares, written in percent."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """What belongs together in a chart: x and y of each mark, and how exact y is."""

    name: str
    x: Sequence[float | str | None]
    y: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    marks: Sequence[str] = ()
    """What each mark is called, if they have names."""


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """The cells of a heat map, row by row."""

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[float | None]]


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture as data.

    Attributes
    ----------
    kind : str
        ``distribution`` (steps that rise from 0 to 1), ``histogram`` (x are the edges of the bins,
        so there is one more of them than of y), ``bars``, ``points`` or ``heatmap``.
    title : str
    says : str
        What is to be seen, for those who do not see it.
    x, y : Axis
    series : sequence of Series
    matrix : Matrix, optional
        Of a heat map, instead of series.
    """

    kind: ChartKind
    title: str
    says: str
    x: Axis
    y: Axis
    series: Sequence[Series] = ()
    matrix: Matrix | None = None


@dataclass(frozen=True, kw_only=True)
class Column:
    """The head of a table's column."""

    title: str
    number: bool = True


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of texts and numbers. A number comes with its text, which is what is shown."""

    title: str
    says: str = ""
    columns: Sequence[Column]
    rows: Sequence[Row]


@dataclass(frozen=True, kw_only=True)
class Telling:
    """What one part says about all releases."""

    sentences: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()


def thinned_distribution(
    name: str, values: NDArray[np.floating[Any]], *, floor: float = 0.0
) -> Series:
    """The distribution function of values, with at most so many steps as can be seen.

    The largest value is always kept, and each kept step is a true point of the distribution.

    >>> thinned_distribution("d", np.array([0.3, 0.1, 0.3, 0.0]), floor=0.01)
    Series(name='d', x=[0.01, 0.1, 0.3], y=[0.25, 0.5, 1.0], low=(), high=(), marks=())
    """
    finite = np.sort(values[np.isfinite(values)])
    at, last = np.unique(np.maximum(finite, floor), return_index=True)
    upto = np.append(last[1:], len(finite)) / max(1, int((~np.isnan(values)).sum()))
    if len(at) > _STEPS:
        # Evenly over the people, and the ends as they are.
        kept = np.searchsorted(upto, np.linspace(upto[0], upto[-1], _STEPS))
        kept = np.unique(np.append(kept, [0, len(at) - 1]))
        at, upto = at[kept], upto[kept]
    return Series(name=name, x=numbers(at), y=numbers(upto))
