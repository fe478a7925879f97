"""Two tables of different people as one, so that a code means the same value for everybody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column, Kind, Microdata, Role

__all__ = ["joined"]


def joined(microdata: Microdata, others: Microdata) -> Microdata:
    """The records of one table and then those of another with the same columns.

    Numbers and plain categories of either are values of both. Levels and hierarchies were
    declared; those must agree.

    Examples
    --------
    >>> import unveil as uv
    >>> here = uv.read_table({"age": [30, 41], "vote": ["a", "b"]}, quasi="age", sensitive="vote")
    >>> there = uv.read_table({"age": [35], "vote": ["b"]}, quasi="age", sensitive="vote")
    >>> joined(here, there)["age"].decode().tolist()
    [30, 41, 35]
    """
    columns = [
        _joined(column, _same(column, microdata, others), others)
        for column in (*microdata.quasi, microdata.sensitive)
    ]
    # Other columns play no part here, but a sanitizer may look at those that both have.
    theirs = {column.name: column for column in others.columns if column.role is Role.OTHER}
    columns += [
        _joined(column, theirs[column.name], others)
        for column in microdata.columns
        if column.role is Role.OTHER and column.name in theirs
    ]
    return replace(
        microdata,
        columns=tuple(columns),
        rows=np.concatenate([microdata.rows, others.rows]),
        notes=tuple(dict.fromkeys((*microdata.notes, *others.notes))),
    )


def _same(column: Column, microdata: Microdata, others: Microdata) -> Column:
    """The column of that name and role in the other table."""
    theirs = {other.name: other for other in (*others.quasi, others.sensitive)}
    other = theirs.get(column.name)
    if other is None:
        raise InputError(
            f"column {column.name!r} of {microdata.source} is not in the table of those held out, "
            f"{others.source}{did_you_mean(column.name, theirs)}; read both with the same columns "
            f"as quasi-identifiers and sensitive (there: {', '.join(theirs)})"
        )
    if other.role is not column.role or len(theirs) != len(microdata.quasi) + 1:
        ours = ", ".join(one.name for one in (*microdata.quasi, microdata.sensitive))
        raise InputError(
            f"{microdata.source} and the table of those held out, {others.source}, have other "
            f"columns as quasi-identifiers and sensitive: {ours} here and {', '.join(theirs)} there"
        )
    return other


def _joined(column: Column, other: Column, others: Microdata) -> Column:
    if _sort(column) != _sort(other):
        raise InputError(
            f"column {column.name!r} has {_sort(column)} values here and {_sort(other)} values in "
            f"the table of those held out, {others.source}; read both alike"
        )
    if column.texts == other.texts:
        return replace(column, codes=np.concatenate([column.codes, other.codes]))
    declared = column.hierarchy is not None or column.kind is Kind.ORDINAL
    unknown = [text for text in other.texts if text not in column.places]
    if declared and unknown:
        raise InputError(
            f"column {column.name!r} of the table of those held out, {others.source}, has "
            f"{unknown[0]!r}, which is not among its values here"
            f"{did_you_mean(unknown[0], column.texts)}; read both with the same levels and "
            "hierarchies"
        )
    kept = declared or not unknown
    values = column.values if kept else _either(column, other)
    place = {text: code for code, text in enumerate(replace(column, values=values).texts)}
    codes = [
        np.array([place[text] for text in one.texts], dtype=np.int32)[one.codes]
        for one in (column, other)
    ]
    given = column.given if kept else _given(column, other, place)
    return replace(column, values=values, codes=np.concatenate(codes), given=given)


def _sort(column: Column) -> str:
    """What sort of values they are."""
    return "point-in-time" if column.values.dtype.kind == "M" else str(column.kind)


def _either(column: Column, other: Column) -> NDArray[Any]:
    """The values of both, in order."""
    if column.kind is Kind.NUMERIC:
        return np.union1d(column.values, other.values)
    return _objects(sorted({*column.texts, *other.texts}))


def _given(column: Column, other: Column, place: dict[str, int]) -> NDArray[Any] | None:
    """The values as they stood in the tables, where they were no texts."""
    if column.given is None and other.given is None:
        return None
    known: dict[str, Any] = {}
    for one in (other, column):
        known.update(zip(one.texts, one.values if one.given is None else one.given, strict=True))
    return _objects([known[text] for text in place])


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
