"""The domain of a column, asked what the words in a cell stand for."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from unveil.errors import did_you_mean
from unveil.microdata._cell_line import Line
from unveil.microdata._cell_sets import MARKS
from unveil.microdata._column import Column, Kind
from unveil.microdata._notations import Spans, mask_bounds, span, spans_of, unquoted

__all__ = ["Domain"]


class Domain:
    """The values of a column, its hierarchy nodes and, if it has an order, its line.

    Attributes
    ----------
    line : Line or None
        None for a column without order.
    most_marks : dict of str to int
        How often a mark, such as a comma, stands within one value at the most.
    """

    def __init__(self, column: Column) -> None:
        self.size = column.size
        self.texts = column.texts
        self.places = column.places
        self.is_numeric = column.kind is Kind.NUMERIC
        self.line = Line(column) if column.is_ordered else None
        self._tree = column.hierarchy
        # By their texts without the blanks around, if these are still apart.
        trimmed = {text.strip(): code for text, code in self.places.items()}
        self._trimmed = trimmed if len(trimmed) == len(self.places) else {}
        truths = () if column.given is None else column.given
        self._truths = {str(v).lower(): c for c, v in enumerate(truths) if isinstance(v, bool)}

    @cached_property
    def most_marks(self) -> dict[str, int]:
        inside = {mark: max((text.count(mark) for text in self.texts), default=0) for mark in MARKS}
        return dict.fromkeys(MARKS, 0) if self.is_numeric else inside

    def plain(self, text: str) -> int | None:
        """The code of a value that stands there as it is, but for blanks or TRUE for True."""
        code = self._trimmed.get(text)
        return self._truths.get(text.lower()) if code is None else code

    def value(self, text: str) -> int | None:
        """The code of a value, however it is written: ``1.0`` for 1, or in quotes."""
        code = self.places.get(text)
        if code is not None:
            return code
        text = text.strip()
        code = self.plain(text)
        if code is None and self.is_numeric and self.line is not None:
            place = self.line.find(text)
            if place is not None and place.upto == place.below + 1 and not place.comma:
                code = place.below
        return self.places.get(unquoted(text)) if code is None else code

    def node(self, text: str) -> Spans | None:
        """The codes beneath the hierarchy node of that name."""
        if self._tree is None or text not in self._tree:
            return None
        node = self._tree.node(text)
        return span(int(self._tree.first[node]), int(self._tree.last[node]))

    def member(self, text: str) -> Spans | None:
        """What one of a list covers: a value or a node; numbers need not be in the original."""
        code = self.places.get(text)
        if code is not None:
            return span(code, code)
        if self.line is not None and (place := self.line.find(text)) is not None:
            return span(place.below, place.upto - 1)
        return self.node(text)

    def masked_digits(self, mask: str) -> tuple[int, int] | None:
        """First and last code of the numbers that a mask whose stars come last stands for.

        The stars are digits: ``2*`` is 20 to below 30, so that 25.5 is covered. None, if this is
        no such mask, or the column is not one of numbers.
        """
        bounds = mask_bounds(mask) if self.is_numeric else None
        if bounds is None or self.line is None or self.line.is_dates:
            return None
        near, far = (self.line.number(bound) for bound in bounds)
        negative = bounds[0] > bounds[1]
        return (far.upto, near.upto - 1) if negative else (near.below, far.below - 1)

    def masked(self, mask: str) -> Spans:
        """The values whose text a mask fits, each star one character."""
        start = mask.rstrip("*")
        if "*" not in start:
            return self.beginning(start, len(mask))
        pattern = re.compile(re.escape(mask).replace(r"\*", "."), re.DOTALL)
        return spans_of(c for t, c in self.places.items() if pattern.fullmatch(t))

    def beginning(self, start: str, length: int | None = None) -> Spans:
        """The values that begin so, of that length if one is given."""
        codes = []
        for text, code in self._by_text[bisect_left(self._by_text, (start, -1)) :]:
            if not text.startswith(start):
                break
            if length is None or len(text) == length:
                codes.append(code)
        return spans_of(codes)

    @cached_property
    def _by_text(self) -> list[tuple[str, int]]:
        return sorted(self.places.items())

    def describe(self, spans: Spans) -> str:
        """What a reading covers, in few words."""
        if not spans:
            return "nothing"
        runs = []
        for first, last in spans[:3]:
            ends = (first, last) if first < last else (first,)
            names = (
                self.texts[code] if self.is_numeric else repr(self.texts[code]) for code in ends
            )
            runs.append(" to ".join(names))
        return ", ".join([*runs, "…"] if spans[3:] else runs)

    def not_in_it(self, text: str) -> str:
        """Say that a text is nothing here, and what was perhaps meant."""
        known = [*self.texts, *(self._tree.names if self._tree else ())]
        what = "no value of the column"
        if self.is_numeric and self.line is not None:
            what = "no date" if self.line.is_dates else "no number"
        return f"{text!r} is {what}{did_you_mean(text, known)}"
