"""Published cells, read into the parts of a column's domain that they cover.

A cell may be written in many ways (`_notations`), and one text may have several meanings. So a
cell is read into *all* its readings; the column as a whole then decides which one holds
(`_cell_columns`). Two things come before any notation: the text of a value of the original is that
value, and, in a column without order, the name of a hierarchy node is that node. A text in double
quotes is taken literally.

Bounds and numbers need not occur in the original table, and a cell may cover none of its values.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from unveil.errors import Cell, Listed, Message
from unveil.microdata._messages import value_meant
from unveil.microdata._microdata import Column, Kind
from unveil.microdata._notations import (
    EMPTY_WORDS,
    EVERYTHING,
    MARKS,
    Notation,
    Reading,
    Spans,
    bounded,
    in_braces,
    in_list,
    in_marks,
    mask_bounds,
    members,
    one_sided,
    range_parts,
    span,
    spans_of,
    split_bounds,
    unquoted,
    without_units,
)
from unveil.microdata._numbers import Line, Way
from unveil.microdata.vocabulary import UNKNOWN_WORDS

EMPTY = "empty"
"""The style of empty cells."""

UNKNOWN = "word"
"""The style of suppressed cells in a word, such as unknown."""

# 11x, 116XX and 11### for 11*: behind a digit, where x is no letter of a name.
_OTHER_MASK = re.compile(r"(.*[0-9]\.?)([xX]+|#+)", re.DOTALL)
_MOST_KNOWN = 200_000  # cells remembered per column: one release has far fewer
_BACKWARDS = "its bounds run backwards"
_FROZEN_SET = re.compile(r"frozenset\((\{.*\})\)", re.DOTALL)


class Domain:
    """The values of a column, its hierarchy nodes and, if it has an order, its line.

    Attributes
    ----------
    line : Line or None
        None for a column without order.
    most_marks : dict of str to int
        The most often that a mark, such as a comma, occurs within one value.
    """

    def __init__(self, column: Column) -> None:
        self.size = column.size
        self.texts = column.texts
        self.places = column.places
        self.is_numeric = column.kind is Kind.NUMERIC
        self.line = Line(column) if column.is_ordered else None
        self._tree = column.hierarchy
        # By their stripped texts, if these are still distinct.
        trimmed = {text.strip(): code for text, code in self.places.items()}
        self._trimmed = trimmed if len(trimmed) == len(self.places) else {}
        truths = () if column.given is None else column.given
        self._truths = {str(v).lower(): c for c, v in enumerate(truths) if isinstance(v, bool)}

    @cached_property
    def most_marks(self) -> dict[str, int]:
        inside = {mark: max((text.count(mark) for text in self.texts), default=0) for mark in MARKS}
        return dict.fromkeys(MARKS, 0) if self.is_numeric else inside

    def plain(self, text: str) -> int | None:
        """The code of a value, up to blanks around it or TRUE for True."""
        code = self._trimmed.get(text)
        return self._truths.get(text.lower()) if code is None else code

    def value(self, text: str) -> int | None:
        """The code of a value in any spelling: ``1.0`` for 1, or in quotes."""
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
        """The codes below the hierarchy node of that name."""
        if self._tree is None or text not in self._tree:
            return None
        node = self._tree.node(text)
        return span(int(self._tree.first[node]), int(self._tree.last[node]))

    def member(self, text: str) -> Spans | None:
        """What an item of a list covers: a value or a node; numbers need not be in the original."""
        code = self.places.get(text)
        if code is not None:
            return span(code, code)
        if self.line is not None and (place := self.line.find(text)) is not None:
            return span(place.below, place.upto - 1)
        return self.node(text)

    def masked_digits(self, mask: str) -> tuple[int, int] | None:
        """First and last code of the numbers that a mask such as ``2*`` covers, or None.

        The stars are digits: ``2*`` is 20 to below 30, so 25.5 is covered.
        """
        bounds = mask_bounds(mask) if self.is_numeric else None
        if bounds is None or self.line is None or self.line.is_dates:
            return None
        near, far = (self.line.number(bound) for bound in bounds)
        negative = bounds[0] > bounds[1]
        return (far.upto, near.upto - 1) if negative else (near.below, far.below - 1)

    def masked(self, mask: str) -> Spans:
        """The values whose text matches a mask, each star one character."""
        start = mask.rstrip("*")
        if "*" not in start:
            return self.beginning(start, len(mask))
        pattern = re.compile(re.escape(mask).replace(r"\*", "."), re.DOTALL)
        return spans_of(c for t, c in self.places.items() if pattern.fullmatch(t))

    def beginning(self, start: str, length: int | None = None) -> Spans:
        """The values that begin with a text, of that length if given."""
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

    def describe(self, spans: Spans) -> Message:
        """What a reading covers, for messages."""
        runs: list[Message | str] = [] if spans else ["nothing"]
        for first, last in spans[:3]:
            ends = [Cell(self.texts[code], bare=self.is_numeric) for code in (first, last)]
            run = "{first} to {last}" if first < last else "{first}"
            runs.append(Message(run, first=ends[0], last=ends[1]))
        return Message("{runs}", runs=Listed([*runs, "…"] if spans[3:] else runs))

    def not_in_it(self, text: str) -> Message:
        """That a text is nothing here, and what was perhaps meant."""
        known = [*self.texts, *(self._tree.names if self._tree else ())]
        what = "a value of the column"
        if self.is_numeric and self.line is not None:
            what = "a date" if self.line.is_dates else "a number"
        return Message("{text} is not {what}{hint}", text=Cell(text), what=what,
                       hint=value_meant(text, known))  # fmt: skip


class Settled(NamedTuple):
    """A cell and the reading that holds.

    Cells with the same ``key`` are spellings of the same value, set or suppressed cell.
    """

    written: str
    reading: Reading
    key: object


class Readings(NamedTuple):
    """All readings of a cell, and the one that holds in every column that has no lists."""

    all: tuple[Reading, ...]
    only: Settled | None


def settle(text: str, reading: Reading) -> Settled:
    """A cell whose meaning is known."""
    if reading.notation is Notation.SUPPRESSED:
        return Settled(EVERYTHING, reading, EVERYTHING)
    text = text if reading.notation is Notation.VALUE else text.strip()
    listed = reading.notation in (Notation.VALUE, Notation.SET, Notation.LIST)
    return Settled(text, reading, reading.spans if listed and reading.spans else text)


class CellReader:
    """Reads the cells of one column, from any release, and remembers them."""

    def __init__(self, column: Column) -> None:
        self.domain = Domain(column)
        # Most cells of a release occurred in another one.
        self.read = lru_cache(_MOST_KNOWN)(self._readings)

    def _readings(self, text: str) -> Readings:
        """All readings of a cell."""
        readings = self._read(text, [])
        strong = [reading for reading in readings if not reading.weak]
        one = len({reading.spans for reading in strong}) == 1
        return Readings(tuple(readings), settle(text, strong[0]) if one else None)

    def read_all(self, texts: Iterable[str]) -> list[Readings]:
        """All readings of each of many cells."""
        return list(map(self.read, texts))

    def why_not(self, text: str) -> Message:
        """Why a cell has no reading."""
        blame: list[str] = []
        self._read(text, blame)
        if _BACKWARDS in blame:
            return Message(_BACKWARDS)
        return self.domain.not_in_it(blame[0] if blame else text)

    def _read(self, text: str, blame: list[str]) -> list[Reading]:
        domain = self.domain
        whole = span(0, domain.size - 1)
        if text == EVERYTHING:
            return [Reading(Notation.SUPPRESSED, whole, "stars")]
        code = domain.places.get(text)
        if code is not None:
            return [Reading(Notation.VALUE, span(code, code), "value")]
        if (trimmed := text.strip()) != text:
            return self._read(trimmed, blame)
        node = domain.node(text)
        is_hidden = node is None and (text in EMPTY_WORDS or not text.strip("*"))
        readings = [] if node is None else [Reading(Notation.NODE, node, "node")]
        if not is_hidden and (node is None or domain.line is not None):
            readings += self._forms(text, blame)
        if not readings and (code := domain.plain(text)) is not None:
            return [Reading(Notation.VALUE, span(code, code), "value")]
        if not readings and (masked := _OTHER_MASK.fullmatch(text)) is not None:
            return self._read(masked[1] + EVERYTHING * len(masked[2]), blame)
        if not readings and text.strip("()[]<>").casefold() in UNKNOWN_WORDS:
            return [Reading(Notation.SUPPRESSED, whole, UNKNOWN)]
        if is_hidden:
            style = EMPTY if text in EMPTY_WORDS else "stars"
            return [Reading(Notation.SUPPRESSED, whole, style)]
        return readings

    def _forms(self, text: str, blame: list[str]) -> Iterator[Reading]:
        """The readings of a text that is not a value or node, by its form."""
        if text.startswith('"') and (literal := unquoted(text)) != text:
            spans = self.domain.member(literal)
            if spans is None:
                blame.append(literal)
            else:
                yield Reading(Notation.VALUE, spans, "value")
            return
        frozen = _FROZEN_SET.fullmatch(text)
        text = text if frozen is None else frozen[1]
        if text[0] == "{" and text[-1] == "}":
            for spans in in_braces(
                text[1:-1], self.domain.member, self.domain.most_marks[","], blame
            ):
                yield Reading(Notation.SET, spans, "set in braces", house=True)
            return
        line, is_period = self.domain.line, False
        if line is not None:
            for reading in self._on_line(text, line, blame):
                is_period = line.is_dates
                yield reading
        if text[0] + text[-1] in ("[]", "()"):
            yield from self._list(text, blame)
        if "*" in text and not is_period:  # 196* is a decade
            yield from self._mask(text)
        for mark in MARKS:
            # One ~ between numbers is a range.
            if mark in text and (mark != "~" or self.domain.line is None or text.count(mark) > 1):
                yield from self._marked(text, mark, blame)

    def _on_line(self, text: str, line: Line, blame: list[str]) -> Iterator[Reading]:
        """Values, ranges and intervals of an ordered column, in every way to read its numbers."""
        text = without_units(text) if line.is_numeric else text
        found: dict[tuple[Notation, Spans], Reading] = {}
        for way in line.ways(text):
            for one in self._in_way(text, way, [] if found or blame else blame):
                key = (one.notation, one.spans)
                if key not in found:
                    style = way.style or one.style
                    found[key] = one._replace(style=style, weak=way.weak, own=way.own)
                elif way.style and found[key].style not in (one.style, way.style):
                    # What may be read in two ways alike says nothing about other cells.
                    found[key] = found[key]._replace(style=one.style)
        yield from found.values()

    def _in_way(self, text: str, way: Way, blame: list[str]) -> Iterator[Reading]:
        if (place := way.find(text)) is not None:
            yield _run(Notation.VALUE, place.below, place.upto - 1, "value")
            return
        if (sided := one_sided(text)) is not None:
            sign, bound = sided
            if (place := way.find(bound)) is not None:
                first = {"≥": place.below, ">": place.upto}.get(sign, 0)
                last = {"<": place.below, "≤": place.upto}.get(sign, self.domain.size) - 1
                yield _run(Notation.INTERVAL, first, last, "one-sided")
                return
            blame.append(bound)
        if (brackets := bounded(text)) is not None:
            for low, high in split_bounds(brackets.inner):
                yield from self._between(
                    way, low, high, Notation.INTERVAL, blame,
                    closed=(brackets.low_closed, brackets.high_closed),
                )  # fmt: skip
        else:
            pairs = list(range_parts(text))
            doubts: list[str] = []
            for low, high in pairs:
                yield from self._between(way, low, high, Notation.RANGE, doubts)
            if len(pairs) == 1 or _BACKWARDS in doubts:  # else the dash that was meant is unknown
                blame += doubts

    def _between(
        self,
        way: Way,
        low: str,
        high: str,
        notation: Notation,
        blame: list[str],
        *,
        closed: tuple[bool, bool] = (True, True),
    ) -> Iterator[Reading]:
        """From one bound to another."""
        if notation is Notation.RANGE and (sided := one_sided(high)) is not None:
            sign, bound = sided  # 20 to under 30
            if sign == "<":
                high, closed = bound, (True, False)
        start, end = way.find(low), way.find(high)
        if start is None or end is None:
            if notation is Notation.INTERVAL or start is not None or end is not None:
                blame.append(low if start is None else high)
            return
        if high[-1:] in ("k", "K") and low[-1:] not in ("k", "K") and start.order:
            blame.append(low)  # in 20-30k both may be thousands
            return
        if start.order > end.order:
            blame.append(_BACKWARDS)
            return
        first = start.below if closed[0] else start.upto
        last = (end.upto if closed[1] else end.below) - 1
        yield _run(notation, first, last, str(notation))

    def _list(self, text: str, blame: list[str]) -> Iterator[Reading]:
        """Lists as programs write them; a list of one item is the cell itself."""
        found = in_list(text[1:-1])
        if found is None:
            return
        items, in_quotes = found
        if len(items) == 1:
            spans = self.domain.member(items[0])
            if spans is not None:
                yield Reading(Notation.LIST, spans, "list")
            elif in_quotes:
                yield from self._read(items[0].strip(), blame)
            return
        spans = members(items, self.domain.member, [] if blame else blame)
        if spans is not None:
            # Two bare items in brackets are rather bounds, perhaps in an order that this column
            # does not have.
            single = in_quotes and "'" in text
            weak = len(items) == 2 and not (single or (in_quotes and self.domain.line is None))
            yield Reading(Notation.LIST, spans, "list", weak=weak)

    def _marked(self, text: str, mark: str, blame: list[str]) -> Iterator[Reading]:
        """Values with marks between them."""
        most = self.domain.most_marks[mark]
        for spans in in_marks(text, mark, self.domain.member, most, [] if blame else blame):
            yield Reading(Notation.SET, spans, f"set with {mark}")

    def _mask(self, text: str) -> Iterator[Reading]:
        """Texts with stars for characters: one each, or any number of them."""
        digits, start = self.domain.masked_digits(text), text.rstrip("*")
        prefixed = () if "*" in start else self.domain.beginning(start)
        if digits is not None:
            run = _run(Notation.MASK, *digits, "mask")
            yield run._replace(house=bool(run.spans))
        elif (masked := self.domain.masked(text)) or prefixed:
            yield Reading(Notation.MASK, masked, "mask", house=bool(masked))
        if prefixed:
            yield Reading(Notation.PREFIX, prefixed, "prefix")


def _run(notation: Notation, first: int, last: int, style: str) -> Reading:
    """A reading along the line of an ordered column."""
    spans, is_house = span(first, last), notation is Notation.INTERVAL
    return Reading(notation, spans, style, house=is_house, at=first)


class _SameDomain:
    """A column's domain, equal to that of columns with the identical values and hierarchy."""

    def __init__(self, column: Column) -> None:
        # Without the codes: many large tables may share a domain.
        self.column = replace(column, codes=np.zeros(0, dtype=np.int32))
        self._key = (id(column.values), id(column.hierarchy), column.kind)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameDomain) and self._key == other._key


def cell_reader(column: Column) -> CellReader:
    """The reader of a column's cells: one for all tables that share the column's domain.

    So the releases of a table without each of its records, which share most cells, are read once.
    """
    return _reader(_SameDomain(column))


@lru_cache(maxsize=256)
def _reader(domain: _SameDomain) -> CellReader:
    return CellReader(domain.column)
