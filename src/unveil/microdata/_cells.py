"""A published cell, read into the part of its column's domain that it covers.

A cell may be written in many ways (`_notations`), and one text may mean more than one thing. So a
cell is read into *all* its readings; the column as a whole then tells which holds
(`_release_columns`). Two things go before any notation: the text of a value of the original is
that value, and, where a column has no order, the name of a hierarchy node is that node. A text in
double quotes is taken literally.

Bounds and numbers need not occur in the original table, and a cell may cover none of its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from unveil.microdata._cell_domain import Domain
from unveil.microdata._cell_line import Line
from unveil.microdata._cell_sets import MARKS, in_braces, in_marks, members
from unveil.microdata._column import Column
from unveil.microdata._notations import (
    EMPTY_WORDS,
    Notation,
    Reading,
    bounded,
    in_list,
    one_sided,
    range_parts,
    span,
    split_bounds,
    unquoted,
)
from unveil.microdata._regions import EVERYTHING

__all__ = ["EMPTY", "Cell", "CellReader", "Settled", "cell_reader", "settle"]

# The style of cells that say nothing because there is nothing in them.
EMPTY = "empty"

_MOST_KNOWN = 200_000  # cells remembered for a column: one release has far fewer
_BACKWARDS = "its bounds run backwards"
_FROZEN_SET = re.compile(r"frozenset\((\{.*\})\)", re.DOTALL)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)


class Settled(NamedTuple):
    """A cell and the reading that holds.

    Cells with one ``key`` are one: they are spellings of the same value, set or suppressed cell.
    """

    written: str
    reading: Reading
    key: object


class Cell(NamedTuple):
    """All readings of a cell; and the one that holds in every column but one of lists."""

    readings: tuple[Reading, ...]
    only: Settled | None


def settle(text: str, reading: Reading) -> Settled:
    """A cell of which it is known what it means."""
    if reading.notation is Notation.SUPPRESSED:
        return Settled(EVERYTHING, reading, EVERYTHING)
    text = text if reading.notation is Notation.VALUE else text.strip()
    listed = reading.notation in (Notation.VALUE, Notation.SET, Notation.LIST)
    return Settled(text, reading, reading.spans if listed and reading.spans else text)


class CellReader:
    """Reads the cells of one column, whatever release they are from, and remembers them."""

    def __init__(self, column: Column) -> None:
        self.domain = Domain(column)
        self._known: dict[str, Cell] = {}

    def read(self, text: str) -> Cell:
        """All readings of a cell."""
        cell = self._known.get(text)
        if cell is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
                if self.domain.line is not None:
                    self.domain.line.forget()
            readings = self._read(text, [])
            strong = [reading for reading in readings if not reading.weak]
            one = len({reading.spans for reading in strong}) == 1
            only = settle(text, strong[0]) if one else None
            cell = self._known[text] = Cell(tuple(readings), only)
        return cell

    def read_all(self, texts: Iterable[str]) -> list[Cell]:
        """All readings of each of many cells."""
        known = self._known  # most have been met in another release
        return [known.get(text) or self.read(text) for text in texts]

    def why_not(self, text: str) -> str:
        """Why a cell without a reading has none."""
        blame: list[str] = []
        self._read(text, blame)
        if _BACKWARDS in blame:
            return _BACKWARDS
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
        if is_hidden:
            style = EMPTY if text in EMPTY_WORDS else "stars"
            return [Reading(Notation.SUPPRESSED, whole, style)]
        return readings

    def _forms(self, text: str, blame: list[str]) -> Iterator[Reading]:
        """The readings of a text that is no value or node, by what it looks like."""
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
        if self.domain.line is not None:
            yield from self._on_line(text, self.domain.line, blame)
        if text[0] + text[-1] in ("[]", "()"):
            yield from self._list(text, blame)
        if "*" in text:
            yield from self._mask(text)
        for mark in MARKS:
            if mark in text:
                yield from self._marked(text, mark, blame)

    def _on_line(self, text: str, line: Line, blame: list[str]) -> Iterator[Reading]:
        """Values, ranges and intervals of an ordered column."""
        if (place := line.find(text)) is not None:
            style = "decimal comma" if place.comma else "value"
            yield _run(Notation.VALUE, place.below, place.upto - 1, style)
            if _THOUSANDS.fullmatch(text) is not None:
                place = line.number(float(text.replace(",", "")))
                yield _run(Notation.VALUE, place.below, place.upto - 1, "thousands")
            return
        if (sided := one_sided(text)) is not None:
            sign, bound = sided
            if (place := line.find(bound)) is not None:
                first = {"≥": place.below, ">": place.upto}.get(sign, 0)
                last = {"<": place.below, "≤": place.upto}.get(sign, self.domain.size) - 1
                style = "decimal comma" if place.comma else "one-sided"
                yield _run(Notation.INTERVAL, first, last, style)
                return
            blame.append(bound)
        if (brackets := bounded(text)) is not None:
            for low, high in split_bounds(brackets.inner):
                yield from self._between(
                    line, low, high, Notation.INTERVAL, blame,
                    closed=(brackets.low_closed, brackets.high_closed),
                )  # fmt: skip
        else:
            pairs = list(range_parts(text))
            doubts: list[str] = []
            for low, high in pairs:
                yield from self._between(line, low, high, Notation.RANGE, doubts)
            if len(pairs) == 1 or _BACKWARDS in doubts:  # else which dash was meant is not known
                blame += doubts

    def _between(
        self,
        line: Line,
        low: str,
        high: str,
        notation: Notation,
        blame: list[str],
        *,
        closed: tuple[bool, bool] = (True, True),
    ) -> Iterator[Reading]:
        """From one bound to another."""
        start, end = line.find(low), line.find(high)
        if start is None or end is None:
            if notation is Notation.INTERVAL or start is not None or end is not None:
                blame.append(low if start is None else high)
            return
        if start.order > end.order:
            blame.append(_BACKWARDS)
            return
        first = start.below if closed[0] else start.upto
        last = (end.upto if closed[1] else end.below) - 1
        style = "decimal comma" if start.comma or end.comma else str(notation)
        yield _run(notation, first, last, style)

    def _list(self, text: str, blame: list[str]) -> Iterator[Reading]:
        """Lists as programs write them; a list of one is the cell itself."""
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
            # Two bare items in brackets are rather bounds: of an interval, or in an order of
            # which this column knows nothing.
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
    """A column's domain, equal to that of every column with the very same values and hierarchy."""

    def __init__(self, column: Column) -> None:
        # Without the codes: many tables, large ones among them, may share a domain.
        self.column = replace(column, codes=np.zeros(0, dtype=np.int32))
        self._key = (id(column.values), id(column.hierarchy), column.kind)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameDomain) and self._key == other._key


def cell_reader(column: Column) -> CellReader:
    """The reader of a column's cells: one for all tables that share the column's domain.

    So the releases of a table without each of its records, which publish nearly the same cells,
    are read once.
    """
    return _reader(_SameDomain(column))


@lru_cache(maxsize=256)
def _reader(domain: _SameDomain) -> CellReader:
    return CellReader(domain.column)
