"""Published cells, read back into the parts of a column's domain that they cover.

The notation is the one releases are written in: a value, ``[20, 35]``, ``(36, 53]``, ``≤ 36``,
``> 53``, ``{France, Germany}``, the name of a hierarchy node, ``*``. A text in double quotes is
taken literally, and the name of a value or node before it is taken for notation: a level called
``<18`` is that level. Bounds and numbers need not occur in the original table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata._column import Column, Kind
from unveil.microdata._regions import EVERYTHING, Intervals, Regions, Sets

__all__ = ["parse_cells"]

_BOUNDED = re.compile(r"([\[(])(.*)([\])])", re.DOTALL)
_ONE_SIDED = re.compile(r"(≤|<=|<|≥|>=|>)\s*(.*)", re.DOTALL)
# One of a list: in quotes, or up to the next comma.
_ITEM = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(,|\Z)')


class _UnknownCellError(InputError):
    """A cell that is no value, interval, set or node of its column."""


def parse_cells(column: Column, texts: Sequence[str], row_of: Callable[[int], int]) -> Regions:
    """Regions of the distinct cells of one column, in their order.

    ``row_of`` says, for messages, in which row of the table a distinct cell first stands.
    """
    parse = _interval if column.is_ordered else _members
    read = []
    for position, text in enumerate(texts):
        try:
            read.append(parse(column, text))
        except _UnknownCellError as error:
            raise InputError(
                f"row {row_of(position)}, column {column.name!r}: cannot read the cell {text!r}: "
                f"{error}; cells may be a value, an interval such as [20, 35] or ≤ 36, a set such "
                "as {France, Germany}, a hierarchy node, or *"
            ) from None
    if column.is_ordered:
        bounds = np.array(read, dtype=np.int32)
        return Intervals(bounds[:, 0], bounds[:, 1], written=tuple(texts))
    start = np.concatenate([[0], np.cumsum([len(codes) for codes in read])]).astype(np.int64)
    return Sets(start, np.concatenate(read).astype(np.int32), written=tuple(texts))


def _interval(column: Column, text: str) -> tuple[int, int]:
    """First and last code an ordered column's cell covers."""
    last = column.size - 1
    if text == EVERYTHING:
        return 0, last
    if (code := column.places.get(text)) is not None:
        return code, code
    if (node := _node(column, text)) is not None:
        return node
    if (found := _ONE_SIDED.fullmatch(text)) is not None:
        sign, bound = found[1], _unquoted(found[2])
        if sign in ("≤", "<=", "<"):
            return 0, _last_code(column, bound, closed=sign != "<")
        return _first_code(column, bound, closed=sign != ">"), last
    if (found := _BOUNDED.fullmatch(text)) is not None:
        bounds = _listed(found[2])
        if len(bounds) == 2:
            if _position(column, bounds[0]) > _position(column, bounds[1]):
                raise _UnknownCellError("its bounds run backwards")
            low = _first_code(column, bounds[0], closed=found[1] == "[")
            return low, _last_code(column, bounds[1], closed=found[3] == "]")
    value = _unquoted(text)
    return _first_code(column, value, closed=True), _last_code(column, value, closed=True)


def _first_code(column: Column, text: str, *, closed: bool) -> int:
    side: Literal["left", "right"] = "left" if closed else "right"
    return int(np.searchsorted(column.positions, _position(column, text), side=side))


def _last_code(column: Column, text: str, *, closed: bool) -> int:
    side: Literal["left", "right"] = "right" if closed else "left"
    return int(np.searchsorted(column.positions, _position(column, text), side=side)) - 1


def _position(column: Column, text: str) -> float:
    """Where a value lies on the line of an ordered column."""
    if (code := column.places.get(text)) is not None:
        return float(column.positions[code])
    if column.kind is Kind.NUMERIC and not math.isnan(number := _number(column, text)):
        return number
    raise _unknown(column, text)


def _number(column: Column, text: str) -> float:
    """A number or date that the original need not have; NaN if the text is none."""
    try:
        if np.issubdtype(column.values.dtype, np.datetime64):
            moment = np.datetime64(text, "us")
            return math.nan if np.isnat(moment) else float(moment.astype(np.float64))
        return float(text)
    except ValueError:
        return math.nan


def _members(column: Column, text: str) -> NDArray[np.int64]:
    """The codes a categorical column's cell covers."""
    if text == EVERYTHING:
        return np.arange(column.size)
    if (code := column.places.get(text)) is not None:
        return np.array([code])
    if (node := _node(column, text)) is not None:
        return np.arange(node[0], node[1] + 1)
    if text.startswith("{") and text.endswith("}"):
        codes = []
        for value in _listed(text[1:-1]):
            if value not in column.places:
                raise _unknown(column, value)
            codes.append(column.places[value])
        return np.unique(codes)
    if (code := column.places.get(_unquoted(text))) is not None:
        return np.array([code])
    raise _unknown(column, text)


def _node(column: Column, text: str) -> tuple[int, int] | None:
    """The codes beneath a hierarchy node of that name."""
    tree = column.hierarchy
    if tree is None or text not in tree:
        return None
    node = tree.node(text)
    return int(tree.first[node]), int(tree.last[node])


def _listed(text: str) -> list[str]:
    """Values between commas, quoted ones whole."""
    values, at = [], 0
    while (item := _ITEM.match(text, at)) is not None:
        values.append(item[2].strip() if item[1] is None else item[1].replace('""', '"'))
        at = item.end()
        if not item[3]:
            break
    return values


def _unquoted(text: str) -> str:
    """What stands within the quotes, if the whole text is in quotes."""
    item = _ITEM.fullmatch(text)
    return text if item is None or item[1] is None or item[3] else item[1].replace('""', '"')


def _unknown(column: Column, text: str) -> _UnknownCellError:
    known = [*column.texts, *(column.hierarchy.names if column.hierarchy else ())]
    what = "no number" if column.kind is Kind.NUMERIC else "no value of the column"
    return _UnknownCellError(f"{text!r} is {what}{did_you_mean(text, known)}")
