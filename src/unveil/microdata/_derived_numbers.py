"""The numbers or days that a column has, as far as its cells tell.

Numbers that are named one by one are the column's values. Where there are ranges, these are the
whole numbers (or days) from the least to the largest that the cells reach. What the cells do not
tell, such as how far ``>=90`` reaches, is asked.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from unveil.errors import InputError
from unveil.microdata._derived import Derived
from unveil.microdata._notations import Notation
from unveil.microdata._release_source import Cells
from unveil.microdata._ruler import Covered, Ruler

__all__ = ["MOST_NUMBERS", "derived_numbers"]

MOST_NUMBERS = 100_000
"""So many whole numbers are taken for the values of a column at the most."""


def derived_numbers(name: str, cells: Cells, ruler: Ruler, notation: Notation | None) -> Derived:
    """The domain of a column whose cells can all be read on the ruler."""
    covered = ruler.covered(cells, notation)
    ask = _Ask(name, covered, ruler)
    for cell in np.flatnonzero(~covered.some | (covered.least > covered.most)):
        ask.about(cell, f"covers no {ask.whole}")
    if not covered.has_ranges:
        numbers = covered.points
        whole = bool(np.equal(np.floor(numbers), numbers).all())
        what = "days" if ruler.days else "numbers"
        words = f"the {len(numbers):,} {what} that its cells name"
    else:
        least, most = _reach(covered, ask)
        whole = True
        numbers = np.arange(least, most + 1, dtype=np.float64)
        words = f"the {ask.whole}s from {ask.written(least)} to {ask.written(most)}"
        endless = np.flatnonzero(np.isinf(covered.least) | np.isinf(covered.most))
        if len(endless):
            words += f", where cells such as {covered.texts[endless[0]]!r} are taken to end too"
    if ruler.days:
        return Derived(numbers.astype("datetime64[D]"), words)
    return Derived(numbers.astype(np.int64) if whole else numbers, words)


def _reach(covered: Covered, ask: _Ask) -> tuple[int, int]:
    """The least and the largest whole number that the cells cover."""
    for cell in np.flatnonzero(~covered.is_whole):
        ask.about(cell, f"is not about {ask.whole}s, so that what ranges cover is not known")
    closed_below, closed_above = np.isfinite(covered.least), np.isfinite(covered.most)
    # A bound alone says that there is more, so that what is known has to reach beyond it.
    most = covered.most[closed_above].max(initial=-np.inf)
    for cell in np.flatnonzero(~closed_above & ~(covered.least < most)):
        ask.about(cell, "has no upper end, and no other cell reaches further")
    least = covered.least[closed_below].min(initial=np.inf)
    for cell in np.flatnonzero(~closed_below & ~(covered.most > least)):
        ask.about(cell, "has no lower end, and no other cell reaches further")
    if most - least >= MOST_NUMBERS:
        ask.about_all(least, most)
    return int(least), int(most)


class _Ask:
    """Ask for what the cells do not tell."""

    def __init__(self, name: str, covered: Covered, ruler: Ruler) -> None:
        self._name = name
        self._covered = covered
        self._days = ruler.days
        self.written = ruler.written
        self.whole = "day" if ruler.days else "whole number"

    def about(self, cell: np.integer, problem: str) -> NoReturn:
        covered = self._covered
        raise InputError(
            f"row {covered.rows[cell]}, column {self._name!r}: the cell {covered.texts[cell]!r} "
            f"{problem}; say which {'days' if self._days else 'numbers'} there are, as in "
            f"{self._example()}"
        )

    def about_all(self, least: float, most: float) -> NoReturn:
        raise InputError(
            f"column {self._name!r}: from {self.written(least)} to {self.written(most)}, as its "
            f"cells reach, there are {int(most - least) + 1:,} {self.whole}s, too many to take "
            f"them all for its values ({MOST_NUMBERS:,} at the most); say which there are, as in "
            f"{self._example(', …')}"
        )

    def _example(self, step: str = "") -> str:
        """Such as ``domains={"age": range(17, …)}``, with the ends that are known."""
        covered = self._covered
        ends = covered.least.min(), covered.most.max()
        low, high = (self.written(end) if np.isfinite(end) else "…" for end in ends)
        if self._days:
            return f'domains={{"{self._name}": pandas.date_range("{low}", "{high}")}}'
        if covered.is_whole.all() and (covered.least <= covered.most).all():
            stop = "…" if high == "…" else self.written(ends[1] + 1)
            return f'domains={{"{self._name}": range({low}, {stop}{step})}}'
        return f'domains={{"{self._name}": [{low}, …]}}'
