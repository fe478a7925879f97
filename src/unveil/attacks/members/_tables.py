"""Two tables of different people as one, so that a code means the same value for everybody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, Text, did_you_mean
from unveil.microdata import (
    Column,
    Kind,
    Mapped,
    Microdata,
    Role,
    checked_mapping,
    likely_mapping,
    mapping_said,
    other_codes,
    recoded,
    same_in_other_words,
    values_listed,
    values_of,
)

__all__ = ["joined"]


def joined(microdata: Microdata, others: Microdata, mapping: Mapped = None) -> Microdata:
    """The records of one table and then those of another with the same columns.

    Numbers and plain categories of either are values of both. Levels and hierarchies were
    declared; those must agree. Other names for the same values would tell everybody apart who is
    in one table from those who are in the other: they are refused, unless the mapping says what
    values of the other table are called here.

    Examples
    --------
    >>> import unveil as uv
    >>> here = uv.read_table({"age": [30, 41], "vote": ["a", "b"]}, quasi="age", sensitive="vote")
    >>> there = uv.read_table({"age": [35], "vote": ["b"]}, quasi="age", sensitive="vote")
    >>> joined(here, there)["age"].decode().tolist()
    [30, 41, 35]
    """
    ours = (*microdata.quasi, microdata.sensitive)
    said = checked_mapping(mapping, [column.name for column in ours])
    columns, notes = [], []
    for column in ours:
        other = _same(column, microdata, others)
        if column.name in said:
            words = column.kind is not Kind.NUMERIC
            other = recoded(other, said[column.name], kind=Kind.CATEGORICAL if words else None)
            other = replace(other, kind=column.kind if words else other.kind)
        columns.append(_joined(column, other, others))
        notes += _strangers(column, other, others)
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
        notes=tuple(dict.fromkeys((*microdata.notes, *others.notes, *notes))),
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
            f"column {column.name!r} has {_sort(column)} values here ({values_of(column)}) and "
            f"{_sort(other)} values in the table of those held out, {others.source} "
            f"({values_of(other)}); read both alike, or say what its values are called here: "
            f"{mapping_said(column.name, other.texts, column.texts)}"
        )
    if column.texts == other.texts:
        return replace(column, codes=np.concatenate([column.codes, other.codes]))
    declared = column.hierarchy is not None or column.kind is Kind.ORDINAL
    unknown = [text for text in other.texts if text not in column.places]
    if declared and unknown:
        raise InputError(
            f"{_other(column, other, unknown, others)}; or read both with the same levels and "
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


def _other(column: Column, other: Column, unknown: list[str], others: Microdata) -> Text:
    """Say that those held out have values that the members' table does not."""
    codes = [other.places[text] for text in unknown]
    records = int(np.isin(other.codes, codes).sum())
    return other_codes(
        column, unknown, source=f"the table of those held out, {others.source},",
        where=f"{records:,} {'record' if records == 1 else 'records'}",
        who=f"{'is' if len(unknown) == 1 else 'are'} not among its values here",
    )  # fmt: skip


def _strangers(column: Column, other: Column, others: Microdata) -> list[str]:
    """Refuse words that are ours in another form; tell of a column that has none of ours."""
    if column.kind is not Kind.CATEGORICAL or column.hierarchy is not None:
        return []
    theirs = [other.texts[code] for code in np.unique(other.codes)]
    unknown = [text for text in theirs if text not in column.places]
    same = same_in_other_words(unknown, column.texts)
    nothing_alike = bool(unknown) and len(unknown) == len(theirs)
    if nothing_alike and likely_mapping(unknown, column.texts):
        same = {text: text for text in unknown}
    if same:
        raise InputError(_other(column, other, list(same), others))
    if not nothing_alike:
        return []
    return [
        f"{column.name}: nobody in the table of those held out, {others.source}, has a value that "
        f"a member has ({values_listed(theirs)} there, {values_listed(column.texts)} here); if "
        "these are other names for the same, members are told apart by that alone: say which, "
        f"{mapping_said(column.name, unknown, column.texts)}"
    ]


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
