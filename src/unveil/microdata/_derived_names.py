"""The values that a column without order has, as far as its cells tell: those that they name."""

from __future__ import annotations

from collections.abc import Iterable

from unveil.errors import InputError
from unveil.microdata._cell_sets import MARKS, in_marks
from unveil.microdata._notations import (
    Notation,
    Spans,
    in_house_list,
    in_list,
    spans_of,
    unquoted,
)

__all__ = ["bare", "named_values"]


def bare(text: str) -> str:
    """The cell without blanks around it; a list of one text is the cell in it.

    >>> bare("['20-30']"), bare(" (missing) ")
    ('20-30', '(missing)')
    """
    text = text.strip()
    if text.startswith("frozenset({") and text.endswith("})"):
        return text[len("frozenset(") : -1]
    items = _in_brackets(text)
    return text if items is None or len(items[0]) > 1 or not items[1] else bare(items[0][0])


def named_values(
    name: str, cells: Iterable[tuple[int, str]], notation: Notation | None
) -> list[str]:
    """All values that the cells, given with the rows in which they stand, name.

    Raises
    ------
    InputError
        If a cell may be one value or several, and nothing in the column tells.
    """
    if notation is Notation.VALUE:
        return list(dict.fromkeys(unquoted(text.strip()) for _, text in cells))
    known: dict[str, None] = {}
    alone: dict[str, str] = {}
    doubtful: dict[str, int] = {}
    for row, cell in cells:
        text = bare(cell)
        items = _listed(text)
        if len(items) > 1 or _in_braces(text):
            known.update(dict.fromkeys(items))
        elif items:  # [Lyon], which is Lyon if there is one
            alone[text] = items[0]
        elif unquoted(text) == text and any(mark in text for mark in MARKS):
            doubtful.setdefault(text, row)
        else:
            known[unquoted(text)] = None
    known.update({text: None for text, item in alone.items() if item not in known})
    if notation is Notation.SET:
        for text in doubtful:
            mark = next(mark for mark in MARKS if mark in text)
            known.update({part.strip(): None for part in text.split(mark)})
    places = {value: place for place, value in enumerate(known)}
    for text, row in doubtful.items():
        if text not in known and not _is_set_of(text, places):
            raise InputError(
                f"row {row}, column {name!r}: the cell {text!r} may be one value or a set of "
                f'several; say which is meant: notation={{"{name}": "value"}} or '
                f'notation={{"{name}": "set"}}'
            )
    known.pop("", None)
    return list(known)


def _listed(text: str) -> list[str]:
    """What stands in braces or brackets, if anything does."""
    if _in_braces(text):
        inner = text[1:-1]
        items = in_house_list(inner)
        program = in_list(inner)
        quoted = all(item[:1] == item[-1:] == "'" and len(item) > 1 for item in items)
        return program[0] if program is not None and quoted else items
    items_in_brackets = _in_brackets(text)
    return [] if items_in_brackets is None else items_in_brackets[0]


def _in_braces(text: str) -> bool:
    return text[:1] + text[-1:] == "{}"


def _in_brackets(text: str) -> tuple[list[str], bool] | None:
    """The items of a list as programs write it, and whether they are in quotes."""
    return in_list(text[1:-1]) if text[:1] + text[-1:] in ("[]", "()") else None


def _is_set_of(text: str, places: dict[str, int]) -> bool:
    """Whether all that stands between some mark are values that other cells name."""

    def member(part: str) -> Spans | None:
        return spans_of([places[part]]) if part in places else None

    return any(
        in_marks(text, mark, member, max((value.count(mark) for value in places), default=0), [])
        for mark in MARKS
        if mark in text
    )
