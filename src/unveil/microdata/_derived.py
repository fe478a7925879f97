"""The domain of a column, inferred from the cells of a release and nothing else.

First it is decided whether the cells are about numbers, days or names, by the rules for reading
cells with the original. What those rules do not settle must be given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from unveil.errors import Cell, InputError, Listed, Message, Option, Row, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import Cells, Empty
from unveil.microdata._distinct import listed_values
from unveil.microdata._encode import MISSING, Wish, encode, stray_texts
from unveil.microdata._messages import ValueOption, counted, hierarchy_option
from unveil.microdata._microdata import Kind, Role
from unveil.microdata._notations import (
    EMPTY_WORDS,
    MARKS,
    Notation,
    Spans,
    in_house_list,
    in_list,
    in_marks,
    is_hidden,
    mask_bounds,
    spans_of,
    unquoted,
)
from unveil.microdata._ruler import Derived, Ruler, derived_numbers, domains_option

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_CLOCK = re.compile(r"\d:\d\d", re.ASCII)
_CODE = re.compile(r"(?<![\d.,])0\d|\d{19}", re.ASCII)  # looks like a number, but is a code
_RANGES = (Notation.RANGE, Notation.INTERVAL)


def derived_domain(
    cells: Cells, *, kind: Kind | None, notation: Notation | None, empty: Empty | None
) -> Derived:
    """The values that a column has, inferred from its cells.

    ``kind``, ``notation`` and ``empty`` are as declared. If the cells do not determine the values,
    the error says what to give.
    """
    return _Derivation(cells, kind, notation).domain(empty)


class _Derivation:
    """Decides what the cells of one column are about."""

    def __init__(self, cells: Cells, kind: Kind | None, notation: Notation | None) -> None:
        self.cells = cells
        self.kind = kind
        self.notation = notation
        self.name = cells.distinct.name
        texts = enumerate(cells.distinct.texts())
        self.shown = [(position, text) for position, text in texts if not is_hidden(text)]
        self.texts = [text for _, text in self.shown]

    def domain(self, empty: Empty | None) -> Derived:
        if not self.shown:
            raise InputError(
                "{where} has only suppressed cells; give its values, as in {domains}, or leave it "
                "out of {quasi}", where=self.cells.distinct.where, domains=self._domains("[…]"),
                quasi=Option("quasi"),
            )  # fmt: skip
        if self.kind is Kind.CATEGORICAL:
            self._refuse_masks()
            return self._names(empty)
        plain = self._plain_numbers()
        if plain is not None:
            return plain
        self._refuse_masks()
        ruler = self._ruler()
        if ruler is None:
            return self._names(empty)
        return derived_numbers(self.name, self.cells, ruler, self.notation)

    def _plain_numbers(self) -> Derived | None:
        """The numbers or days, if there is nothing else; detected as in a table."""
        distinct = self.cells.distinct
        if distinct.is_text:
            texts = dict.fromkeys(text.strip() for text in self.texts)
            distinct = listed_values(self.name, list(texts), distinct.source)
        else:
            distinct = distinct.take(~distinct.missing)
        column = encode(distinct, Wish(role=Role.QUASI))
        if column.kind is not Kind.NUMERIC:
            return None
        what = "days" if column.values.dtype == "datetime64[D]" else "numbers"
        return Derived(column.values, f"the {column.size:,} {what} that its cells name")

    def _refuse_masks(self) -> None:
        """Refuse masks, which can cover any values, unless they are masks of digits."""
        if self.notation is Notation.VALUE:
            return
        for position, text in self.shown:
            mask = _bare(text)
            if "*" not in mask or unquoted(mask) != mask:
                continue
            digits = mask_bounds(mask) is not None and self.notation is not Notation.PREFIX
            if digits and self.kind is Kind.NUMERIC:
                continue
            numeric: Text = ""
            if digits and self.kind is None:
                numeric = Message("; if they are whole numbers, give {option}",
                                  option=Option("numeric", [self.name]))  # fmt: skip
            raise InputError(
                "{where} the values that the cell {cell} covers are unknown without the original; "
                "give them, as in {domains}, or give a hierarchy that has them, as in "
                "{hierarchies}{numeric}", where=self._place(position), cell=Cell(text),
                domains=self._domains(f"[{_examples(mask)}…]"), numeric=numeric,
                hierarchies=hierarchy_option(self.name),
            )  # fmt: skip

    def _domains(self, example: str) -> ValueOption:
        return domains_option(self.name, example)

    def _ruler(self) -> Ruler | None:
        """The line that the cells are read on; None if they are about names."""
        days = any(_DAY.search(text) for text in self.texts)
        ruler = Ruler(self.name, self.texts, days=days)
        readings = ruler.readings(self.texts)
        if self.notation is Notation.VALUE and not all(
            any(reading.notation is Notation.VALUE for reading in found) for found in readings
        ):
            return ruler if self.kind is Kind.NUMERIC else None
        is_range = [any(r.notation in _RANGES for r in found) for found in readings]
        if days and any(_CLOCK.search(text) for text in self.texts):
            self._ask_for_moments(is_range)
            return None
        if self.kind is Kind.NUMERIC:
            return ruler
        unread = [found for found, some in zip(self.shown, readings, strict=True) if not some]
        coded = any(_CODE.search(text) for text in self.texts) and not days
        if any(is_range) and (unread or coded):
            self._ask_for_kind(unread, self.texts[is_range.index(True)], days=days)
        return None if unread or coded else ruler

    def _ask_for_moments(self, is_range: Sequence[bool]) -> None:
        """Moments can be inferred only if they are values."""
        if any(is_range) or self.kind is Kind.NUMERIC:
            position, text = self.shown[is_range.index(True) if any(is_range) else 0]
            raise InputError(
                "{where} the cell {cell} does not determine the moments of the column; give them, "
                "as in {domains}", where=self._place(position), cell=Cell(text),
                domains=self._domains("pandas.date_range(…)"),
            )  # fmt: skip

    def _ask_for_kind(self, unread: Sequence[tuple[int, str]], a_range: str, *, days: bool) -> None:
        what = "day" if days else "number"
        names = Option("categorical", [self.name])
        if unread:
            position, text = unread[0]
            raise InputError(
                "{where} the cell {cell} is not a {what}, although others are ranges of {what}s, "
                "such as {range}; correct it, or declare all of them names: {names}",
                where=self._place(position), cell=Cell(text), what=what, range=Cell(a_range),
                names=names,
            )  # fmt: skip
        raise InputError(
            "column {column}: cells such as {range} may be ranges of numbers, or names, because "
            "some have leading zeros as codes do; give {numbers} or {names}",
            column=ColumnName(self.name), range=Cell(a_range),
            numbers=Option("numeric", [self.name]), names=names,
        )  # fmt: skip

    def _names(self, empty: Empty | None) -> Derived:
        distinct = self.cells.distinct
        rows = [(distinct.first_row(position), text) for position, text in self.shown]
        values = _named_values(self.name, rows, self.notation)
        empties = any(text.strip() in EMPTY_WORDS for text in distinct.texts())
        if empty == "missing" and (empties or distinct.missing.any()):
            values.append(MISSING)
        domain = listed_values(self.name, values, distinct.source)
        words: Text = f"the {counted(len(values), 'value')} that its cells name"
        stray = [] if self.kind is Kind.CATEGORICAL else stray_texts(domain)
        if stray:
            words = Message("{words}, as words and not as numbers because of {value}", words=words,
                            value=Cell(sorted(stray)[0]))  # fmt: skip
        return Derived(domain.values, words)

    def _place(self, position: int) -> Message:
        row = Row(self.cells.distinct.first_row(position))
        return Message("{row}, column {column}:", row=row, column=ColumnName(self.name))


def _examples(mask: str) -> str:
    """Two values that match a mask of digits, for a message."""
    if not re.fullmatch(r"\d+\*+", mask, re.ASCII):
        return ""
    zeros = mask.replace("*", "0")
    return f'"{zeros}", "{zeros[:-1]}1", '


def _bare(text: str) -> str:
    """The cell without blanks around it; a list of one text is that text.

    >>> _bare("['20-30']"), _bare(" (missing) ")
    ('20-30', '(missing)')
    """
    text = text.strip()
    if text.startswith("frozenset({") and text.endswith("})"):
        return text[len("frozenset(") : -1]
    items = _in_brackets(text)
    return text if items is None or len(items[0]) > 1 or not items[1] else _bare(items[0][0])


def _named_values(
    name: str, cells: Iterable[tuple[int, str]], notation: Notation | None
) -> list[str]:
    """All values that the cells (given with their rows) name.

    A cell that may be one value or several is refused, unless the column decides.
    """
    if notation is Notation.VALUE:
        return list(dict.fromkeys(unquoted(text.strip()) for _, text in cells))
    known: dict[str, None] = {}
    alone: dict[str, str] = {}
    doubtful: dict[str, int] = {}
    for row, cell in cells:
        text = _bare(cell)
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
            both = [Option("notation", {name: word}) for word in ("value", "set")]
            raise InputError(
                "{row}, column {column}: the cell {cell} may be one value or a set of several; "
                "give {options}", row=Row(row), column=ColumnName(name), cell=Cell(text),
                options=Listed(both, "or"),
            )  # fmt: skip
    known.pop("", None)
    return list(known)


def _listed(text: str) -> list[str]:
    """The items in braces or brackets, if any."""
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
    """Whether all parts between some mark are values that other cells name."""

    def member(part: str) -> Spans | None:
        return spans_of([places[part]]) if part in places else None

    return any(
        in_marks(text, mark, member, max((value.count(mark) for value in places), default=0), [])
        for mark in MARKS
        if mark in text
    )
