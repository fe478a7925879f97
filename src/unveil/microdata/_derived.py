"""The domain of a column, inferred from the cells of a release and nothing else.

First it is decided whether the cells are about numbers, days or names, by the rules for reading
cells with the original. What those rules do not settle must be given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from unveil._text import counted
from unveil.errors import Cell, InputError, Listed, Message, Option, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import Cells, Empty
from unveil.microdata._distinct import Distinct, listed_values
from unveil.microdata._encode import MISSING, Wish, encode, stray_texts
from unveil.microdata._messages import hierarchy_option
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


class Derivation:
    """Decides what the cells of one column are about, with kind and notation as declared."""

    def __init__(self, cells: Cells, kind: Kind | None, notation: Notation | None) -> None:
        self.cells, self.kind, self.notation = cells, kind, notation
        self.distinct, self.name = cells.distinct, cells.distinct.name
        texts = enumerate(self.distinct.texts())
        self.shown = [(position, text) for position, text in texts if not is_hidden(text)]
        self.texts = [text for _, text in self.shown]

    def domain(self, empty: Empty | None) -> Derived:
        """The values that the column has; if the cells do not determine them, what to give."""
        if not self.shown:
            raise InputError(
                "{where} has only suppressed cells; give its values, as in {domains}, or leave it "
                "out of {quasi}", where=self.distinct.where, quasi=Option("quasi"),
                domains=domains_option(self.name, "[…]"),
            )  # fmt: skip
        is_open = self.kind is not Kind.CATEGORICAL
        if is_open and (plain := self._plain_numbers()) is not None:
            return plain
        self._refuse_masks()
        ruler = self._ruler() if is_open else None
        if ruler is None:
            return self._names(empty)
        return derived_numbers(self.cells, ruler, self.notation)

    def _plain_numbers(self) -> Derived | None:
        """The numbers or days, if there is nothing else; detected as in a table."""
        distinct = self.distinct
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
            raise self.distinct.error(
                position, "the values that the cell {cell} covers are unknown without the "
                "original; give them, as in {domains}, or give a hierarchy that has them, as in "
                "{hierarchies}{numeric}", cell=Cell(text), numeric=numeric,
                domains=domains_option(self.name, f"[{_examples(mask)}…]"),
                hierarchies=hierarchy_option(self.name),
            )  # fmt: skip

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
        a_range = self.shown[is_range.index(True) if any(is_range) else 0]
        if days and any(_CLOCK.search(text) for text in self.texts):
            if any(is_range) or self.kind is Kind.NUMERIC:
                raise self.distinct.error(
                    a_range[0], "the cell {cell} does not determine the moments of the column; "
                    "give them, as in {domains}", cell=Cell(a_range[1]),
                    domains=domains_option(self.name, "pandas.date_range(…)"),
                )  # fmt: skip
            return None  # moments can be inferred only if they are values
        if self.kind is Kind.NUMERIC:
            return ruler
        unread = [found for found, some in zip(self.shown, readings, strict=True) if not some]
        coded = any(_CODE.search(text) for text in self.texts) and not days
        if any(is_range) and (unread or coded):
            raise self._unclear(unread, Cell(a_range[1]), "day" if days else "number")
        return None if unread or coded else ruler

    def _unclear(self, unread: Sequence[tuple[int, str]], a_range: Cell, what: str) -> InputError:
        """Some cells are ranges, and others are not numbers, or are codes."""
        names = Option("categorical", [self.name])
        if unread:
            position, text = unread[0]
            return self.distinct.error(
                position, "the cell {cell} is not a {what}, although others are ranges of {what}s, "
                "such as {range}; correct it, or declare all of them names: {names}",
                cell=Cell(text), what=what, range=a_range, names=names,
            )  # fmt: skip
        return InputError(
            "column {column}: cells such as {range} may be ranges of numbers, or names, because "
            "some have leading zeros as codes do; give {numbers} or {names}",
            column=ColumnName(self.name), range=a_range, names=names,
            numbers=Option("numeric", [self.name]),
        )  # fmt: skip

    def _names(self, empty: Empty | None) -> Derived:
        distinct = self.distinct
        values = _named_values(distinct, self.shown, self.notation)
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
    distinct: Distinct, cells: Iterable[tuple[int, str]], notation: Notation | None
) -> list[str]:
    """All values that some of the distinct cells name.

    A cell that may be one value or several is refused, unless the column decides.
    """
    if notation is Notation.VALUE:
        return list(dict.fromkeys(unquoted(text.strip()) for _, text in cells))
    known: dict[str, None] = {}
    alone: dict[str, str] = {}
    doubtful: dict[str, int] = {}
    for position, cell in cells:
        text = _bare(cell)
        items = _listed(text)
        if len(items) > 1 or _in_braces(text):
            known.update(dict.fromkeys(items))
        elif items:  # [Lyon], which is Lyon if there is one
            alone[text] = items[0]
        elif unquoted(text) == text and any(mark in text for mark in MARKS):
            doubtful.setdefault(text, position)
        else:
            known[unquoted(text)] = None
    known.update({text: None for text, item in alone.items() if item not in known})
    if notation is Notation.SET:
        for text in doubtful:
            mark = next(mark for mark in MARKS if mark in text)
            known.update({part.strip(): None for part in text.split(mark)})
    places = {value: place for place, value in enumerate(known)}
    for text, position in doubtful.items():
        if text not in known and not _is_set_of(text, places):
            both = [Option("notation", {distinct.name: word}) for word in ("value", "set")]
            raise distinct.error(
                position, "the cell {cell} may be one value or a set of several; give {options}",
                cell=Cell(text), options=Listed(both, "or"),
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
