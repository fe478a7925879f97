"""Numbers grouped into a few parts before anything else: ``[15, 30)``, ``[30, 45)``.

The parts become the levels of an ordinal column. Parts of equal width depend on the column's domain
alone, which counts as declared; parts of equal share depend on all values, so a single record can
move them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Cell, InputError, Message, Region, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._microdata import Column, Kind, Microdata, Role
from unveil.microdata._numbers import date_position, position_text
from unveil.options import by_person, checked

_PartsWanted: TypeAlias = int | Sequence[Any]
"""Number of parts, or their edges with both ends."""


@dataclass(frozen=True, eq=False)
class _Parts:
    """Adjacent parts of a numeric column, by their ascending edges with both ends.

    Each part begins at its edge and ends before the next one; the last includes its end.
    """

    edges: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.edges) - 1

    def of(self, positions: NDArray[np.float64]) -> NDArray[np.intp]:
        """The part of each position.

        >>> _Parts(np.array([15.0, 30, 45, 60, 75, 90])).of(np.array([15, 29, 30, 90]))
        array([0, 0, 1, 4])
        """
        return np.searchsorted(self.edges[1:-1], positions, side="right")

    def texts(self, column: Column) -> tuple[str, ...]:
        """The parts as texts."""
        return tuple(self._text(column, part) for part in range(len(self)))

    def _text(self, column: Column, part: int) -> str:
        low, high = self.edges[part : part + 2]
        if np.isinf(low) and np.isinf(high):
            return "any"
        if np.isinf(low):
            return f"< {position_text(column, high)}"
        first, end = position_text(column, low), ")]"[part == len(self) - 1]
        if np.isinf(high):
            return f"≥ {first}"
        return first if low == high else f"[{first}, {position_text(column, high)}{end}"


def equal_width(column: Column, parts: int) -> _Parts:
    """Parts of equal width of a numeric column's domain; one part if it has one value.

    Edges are rounded to a ten-thousandth of the width, dates to the column's own unit.
    """
    low, high = float(column.positions[0]), float(column.positions[-1])
    if low == high:
        return _Parts(np.array([low, high]))
    width = (high - low) / parts
    inner = low + width * np.arange(1, parts)
    if column.is_dates:  # to the column's unit: days, seconds, …
        days = inner.astype("M8[us]").astype(column.values.dtype).astype("M8[us]")
        inner = np.unique(days.astype(np.float64))
        inner = inner[inner > low]
    else:
        digits = 4 - math.floor(math.log10(width))
        inner = np.array([round(edge, digits) for edge in inner.tolist()])
    return _Parts(np.array([low, *inner, high]))


@checked
@by_person
def quantize(
    microdata: Microdata,
    parts: _PartsWanted | Mapping[str, _PartsWanted] = 5,
    *,
    by: Literal["width", "quantiles"] = "width",
) -> Microdata:
    """The table with numbers grouped into a few parts, as ordinal columns.

    Parameters
    ----------
    microdata : Microdata
    parts : int, or mapping from columns to int or edges
        Number of parts of the numeric quasi-identifiers; or, by column, the number of parts, or
        their edges with both ends, which may be infinite. A part begins at its edge and ends
        before the next one; the last includes its end.
    by : {"width", "quantiles"}
        If edges are not given: parts of equal width of the column's domain, or with about equally
        many records each (fewer parts if many records have the same value).

    Returns
    -------
    Microdata
        Without the hierarchies of the grouped columns, whose leaves no longer exist.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [15, 29, 30, 62, 90], "vote": ["a", "b", "a", "b", "b"]},
    ...                        quasi="age", sensitive="vote")
    >>> quantize(survey, 5)["age"].decode().tolist()
    ['[15, 30)', '[15, 30)', '[30, 45)', '[60, 75)', '[75, 90]']
    >>> quantize(survey, {"age": [0, 18, 65, 100]})["age"].texts
    ('[0, 18)', '[18, 65)', '[65, 100]')
    >>> quantize(survey, {"age": [-np.inf, 18, 65, np.inf]})["age"].texts
    ('< 18', '[18, 65)', '≥ 65')
    """
    wanted: Mapping[str, _PartsWanted]
    if isinstance(parts, Mapping):
        wanted = parts
    else:
        wanted = {c.name: parts for c in microdata.quasi if c.kind is Kind.NUMERIC}
    made: dict[str, Column] = {}
    notes: list[Text] = []
    for name, want in wanted.items():
        column = microdata[name]
        cut = _parts(column, microdata, want, by)
        texts = cut.texts(column)
        made[name] = replace(
            column, kind=Kind.ORDINAL, hierarchy=None, given=None,
            codes=cut.of(column.positions).astype(np.int32)[column.codes],
            values=np.array(texts, dtype=object), declared=not isinstance(want, Integral),
            bounds=_bounds(column, _people_with(column, microdata), cut,
                           of_equal_width=isinstance(want, Integral) and by == "width"),
        )  # fmt: skip
        notes.append(Message(
            "{name} was grouped into {n:part} beforehand: {parts}", name=name, n=len(texts),
            parts=Region([*texts[:4], *(["…"] if len(texts) > 4 else [])],
                         people=len(microdata.people)),
        ))  # fmt: skip
    return replace(
        microdata,
        columns=tuple(made.get(column.name, column) for column in microdata.columns),
        notes=(*microdata.notes, *notes),
    )


def _people_with(column: Column, microdata: Microdata) -> NDArray[np.int64]:
    """How many people have each value of a column in one of their records."""
    codes, several = column.codes, microdata.several
    if several is not None and several.of is not None:
        codes = np.unique(np.stack([codes, several.of]), axis=1)[0]
    return np.bincount(codes, minlength=column.size)


def _bounds(
    column: Column, people: NDArray[np.int64], parts: _Parts, *, of_equal_width: bool
) -> dict[str, int]:
    """The edges that are somebody's number, or follow from it, and how many people have it."""
    have = {at: n for at, n in zip(column.positions.tolist(), people.tolist(), strict=True) if n}
    edges = parts.edges.tolist()
    if of_equal_width:  # any two edges tell both ends
        fewest = min(have.get(end, len(column.codes)) for end in (edges[0], edges[-1]))
        have = {edge: min(fewest, have.get(edge, fewest)) for edge in edges}
    return {position_text(column, edge): have[edge] for edge in edges if edge in have}


def _parts(column: Column, microdata: Microdata, want: _PartsWanted, by: str) -> _Parts:
    parts = {"column": ColumnName(column.name), "source": microdata.file}
    if column.kind is not Kind.NUMERIC:
        raise InputError("column {column} of {source} is {kind}; only numbers and dates can be "
                         "grouped", kind=str(column.kind), **parts)  # fmt: skip
    if np.isnan(column.positions).any() or column.role is Role.IDENTIFIER:
        raise InputError("column {column} of {source} is not a quasi-identifier or sensitive; only "
                         "those can be grouped", **parts)  # fmt: skip
    if not isinstance(want, Integral) or isinstance(want, bool):
        return _given(column, microdata, want)
    if want < 1:
        raise InputError("column {column} must have at least 1 part, but {given} was given",
                         given=int(want), column=parts["column"])  # fmt: skip
    return equal_width(column, int(want)) if by == "width" else _equal_share(column, int(want))


def _equal_share(column: Column, parts: int) -> _Parts:
    low, high = column.positions[0], column.positions[-1]
    values = column.positions[column.codes]
    shares = np.arange(1, parts) / parts
    # Edges that are values of the column can be written exactly.
    inner = np.quantile(values, shares, method="higher") if len(values) else np.empty(0)
    return _Parts(np.array([low, *np.unique(inner[inner > low]), high]))


def _given(column: Column, microdata: Microdata, want: Any) -> _Parts:
    try:
        if column.is_dates:
            edges = np.array([date_position(edge) for edge in want])
        else:
            edges = np.array(want, dtype=np.float64)
    except (TypeError, ValueError):
        edges = np.empty(0)
    if edges.ndim != 1 or len(edges) < 2 or not (edges[1:] > edges[:-1]).all():
        raise InputError(
            "column {column} needs a number of parts, or their edges in ascending order with both "
            "ends, such as [0, 18, 65, 100], but {given} was given",
            column=ColumnName(column.name), given=repr(want),
        )  # fmt: skip
    outside = (column.positions < edges[0]) | (column.positions > edges[-1])
    if outside.any():
        raise InputError(
            "column {column} of {source} has {value}, which is outside the edges {low} to {high}; "
            "move the end, which belongs to its part, or make it infinite",
            column=ColumnName(column.name), source=microdata.file,
            value=Cell(column.texts[int(np.argmax(outside))], bare=True),
            low=position_text(column, edges[0]), high=position_text(column, edges[-1]),
        )  # fmt: skip
    return _Parts(edges)
