"""The domain of a column, from the cells that a release has in it and nothing else.

First it has to be found out whether the cells are about numbers, days or names. The rules are
those by which cells are read with the original; what they do not settle is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unveil.errors import InputError
from unveil.microdata._column import Kind, Role
from unveil.microdata._derived import Derived, listed_values
from unveil.microdata._derived_names import bare, named_values
from unveil.microdata._derived_numbers import derived_numbers
from unveil.microdata._encode import MISSING, Wish, encode, stray_texts
from unveil.microdata._notations import EMPTY_WORDS, Notation, mask_bounds, unquoted
from unveil.microdata._regions import EVERYTHING
from unveil.microdata._release_columns import Empty
from unveil.microdata._release_source import Cells
from unveil.microdata._ruler import Ruler

__all__ = ["derived_domain", "is_hidden"]

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_CLOCK = re.compile(r"\d:\d\d", re.ASCII)
# What looks like a number and is rather a code.
_CODE = re.compile(r"(?<![\d.,])0\d|\d{19}", re.ASCII)
_RANGES = (Notation.RANGE, Notation.INTERVAL)


def derived_domain(
    cells: Cells, *, kind: Kind | None, notation: Notation | None, empty: Empty | None
) -> Derived:
    """The values that a column has, as far as its cells tell.

    Parameters
    ----------
    cells : Cells
    kind : Kind, optional
        What the user says that the column is: numeric or categorical.
    notation : Notation, optional
        What the user says that its cells are.
    empty : {"suppressed", "missing"}, optional
        What the user says that its empty cells mean.

    Raises
    ------
    InputError
        If the cells do not tell, with what to say instead.
    """
    return _Derivation(cells, kind, notation).domain(empty)


def is_hidden(text: str) -> bool:
    """Whether a cell tells nothing."""
    return text.strip() in EMPTY_WORDS or not text.strip().strip(EVERYTHING)


class _Derivation:
    """One column's cells, asked what they are about."""

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
                f"column {self.name!r} of {self.cells.distinct.source} tells nothing, for all its "
                "cells are suppressed; say which values there are, as in "
                f'domains={{"{self.name}": […]}}, or leave it out of quasi'
            )
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
        """The numbers or days that there are, if there is nothing else; found as in a table."""
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
        """Masks, which cover whatever values there are, unless they are of digits of numbers."""
        if self.notation is Notation.VALUE:
            return
        for position, text in self.shown:
            mask = bare(text)
            if "*" not in mask or unquoted(mask) != mask:
                continue
            digits = mask_bounds(mask) is not None and self.notation is not Notation.PREFIX
            if digits and self.kind is Kind.NUMERIC:
                continue
            numeric = f'; if they are whole numbers, say numeric=["{self.name}"]'
            raise InputError(
                f"{self._place(position)} what the cell {text!r} covers depends on which values "
                "there are, which is not known without the original; say them, as in "
                f'domains={{"{self.name}": [{_examples(mask)}…]}}, or give a hierarchy that has '
                f'them, as in hierarchies={{"{self.name}": "{self.name}.csv"}}'
                f"{numeric if digits and self.kind is None else ''}"
            )

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
        """Of moments only those can be told that are values."""
        if any(is_range) or self.kind is Kind.NUMERIC:
            position, text = self.shown[is_range.index(True) if any(is_range) else 0]
            raise InputError(
                f"{self._place(position)} the cell {text!r} leaves open which moments there are; "
                f'say them, as in domains={{"{self.name}": pandas.date_range(…)}}'
            )

    def _ask_for_kind(self, unread: Sequence[tuple[int, str]], a_range: str, *, days: bool) -> None:
        what = "day" if days else "number"
        if unread:
            position, text = unread[0]
            raise InputError(
                f"{self._place(position)} the cell {text!r} is no {what}, though others are "
                f"ranges of {what}s, such as {a_range!r}; correct it, or say that all of them are "
                f'names: categorical=["{self.name}"]'
            )
        raise InputError(
            f"column {self.name!r}: cells such as {a_range!r} may be ranges of numbers, or names, "
            f'for some have leading zeros as codes do; say numeric=["{self.name}"] or '
            f'categorical=["{self.name}"]'
        )

    def _names(self, empty: Empty | None) -> Derived:
        distinct = self.cells.distinct
        rows = [(distinct.first_row(position), text) for position, text in self.shown]
        values = named_values(self.name, rows, self.notation)
        empties = any(text.strip() in EMPTY_WORDS for text in distinct.texts())
        if empty == "missing" and (empties or distinct.missing.any()):
            values.append(MISSING)
        domain = listed_values(self.name, values, distinct.source)
        words = (
            f"the {len(values):,} {'value' if len(values) == 1 else 'values'} that its cells name"
        )
        stray = [] if self.kind is Kind.CATEGORICAL else stray_texts(domain)
        if stray:
            words += f", as words and not as numbers because of {sorted(stray)[0]!r}"
        return Derived(domain.values, words)

    def _place(self, position: int) -> str:
        return f"row {self.cells.distinct.first_row(position)}, column {self.name!r}:"


def _examples(mask: str) -> str:
    """Two values that a mask of digits fits, for a message."""
    if not re.fullmatch(r"\d+\*+", mask, re.ASCII):
        return ""
    zeros = mask.replace("*", "0")
    return f'"{zeros}", "{zeros[:-1]}1", '
