"""Backward: which value of a coarsening a published text names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from unveil.microdata._coarse_steps import NUMBER_WORDS, Key, Step, comparable_number
from unveil.microdata._microdata import Column, Kind
from unveil.microdata._notations import one_sided
from unveil.microdata._period_cells import PERIODS, number_cells, period_cells

_FILLERS = frozenset("*xX#?_-–.•… ")


class CellsOf:
    """Published texts, read as cells of a coarsening of a column."""

    def __init__(self, steps: Sequence[Step], column: Column, known: set[Key]) -> None:
        self.known, self._steps, self._word = known, steps, steps[0].word
        self._last = [step for step in steps if step.word not in ("top", "bottom")][-1:]
        self._caps = {step.word: step.number for step in steps if step.word in NUMBER_WORDS}
        for word in ("floor", "rounded"):
            self._caps.pop(word, None)
        values = column.values
        self._whole = column.kind is Kind.NUMERIC and (
            values.dtype.kind in "iuM" or bool((column.positions % 1 == 0).all())
        )

    def key(self, text: str) -> Key | None:
        """The key that a text names; None if it is no cell, or may be several."""
        named = dict.fromkeys(self._named(text))
        there = [key for key in named if key in self.known]
        if len(there) == 1:
            return there[0]
        return next(iter(named)) if len(named) == 1 else None

    def _named(self, text: str) -> Iterator[Key]:
        if self._word == "level":
            if text in self.known:
                yield text
        elif self._word == "prefix":
            yield from self._starts(text, int(self._steps[0].value))
        elif (sided := one_sided(text)) is not None:
            yield from self._open_end(*sided)
        else:
            for number in self._numbers(text):
                within = self._caps.get("bottom", -math.inf) <= number
                if within and number <= self._caps.get("top", math.inf):
                    yield comparable_number(number)

    def _starts(self, text: str, length: int) -> Iterator[str]:
        """The first characters of a text, if nothing but fillers follows them."""
        if text and set(text[length:]) <= _FILLERS:
            yield text[:length]

    def _open_end(self, sign: str, bound: str) -> Iterator[float]:
        """The cap that ``80+``, ``>79`` or ``<=25`` name; of whole numbers, >79 is 80 or more."""
        word = "top" if sign in "≥>" else "bottom"
        cap = self._caps.get(word)
        for number in self._numbers(bound):
            if sign in "<>":
                if not self._whole:
                    continue
                number += 1 if word == "top" else -1
            if number == cap:
                yield cap

    def _numbers(self, text: str) -> Iterator[float]:
        """The numbers that a text may be, if the last step but for caps makes such numbers."""
        last = self._last[0] if self._last else None
        if last is not None and last.word in PERIODS:
            yield from period_cells(last.word, text)
            return
        if last is not None and last.word == "floor" and last.number in (5, 10, 100):
            text = text.removesuffix("s")
        for number in filter(math.isfinite, number_cells(text)):
            if last is not None and last.word in ("floor", "rounded"):
                steps = number / last.number
                whole = math.isclose(steps, round(steps), rel_tol=1e-9, abs_tol=1e-9)
                if not whole and number not in self._caps.values():
                    continue
            if last is not None and last.word == "age" and number != int(number):
                continue
            yield number
