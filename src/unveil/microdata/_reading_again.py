"""Cells read again in another column: one with more numbers, or that of other people.

Regions are codes of the column that they were read in. Where people come from another table, the
texts of the cells are what both tables have in common, and they are read among the values there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.microdata._cell_line import Line
from unveil.microdata._column import Column, Kind, Role
from unveil.microdata._microdata import Microdata
from unveil.microdata._regions import Intervals, Regions, Sets
from unveil.microdata._release_reader import read_release

__all__ = ["as_values", "numbers_among", "read_again", "read_cells"]

_DAY = len("1984-05-23")


def numbers_among(texts: Sequence[str], column: Column) -> dict[str, str]:
    """Texts that are numbers (or points in time) which the column does not have, plainly written.

    >>> ages = Column(name="age", role=Role.QUASI, kind=Kind.NUMERIC,
    ...               codes=np.zeros(1, dtype=np.int32), values=np.array([30, 41]))
    >>> list(numbers_among(["35", "M", "30-39", "36.5", "41"], ages))
    ['35', '36.5']
    """
    line = Line(column)
    found = {}
    for text in texts:
        plain = text.strip().replace("−", "-")
        place = line.find(plain)
        if place is None or place.comma or not np.isfinite(place.order):
            continue
        if line.is_dates and len(plain) < _DAY:  # a month or a year is no moment
            continue
        if place.below == place.upto:
            found[text] = plain
    return found


def as_values(numbers: Sequence[str], column: Column) -> NDArray[Any]:
    """Numbers, or points in time, as values of a column."""
    if column.values.dtype.kind == "M":
        return np.array(numbers, dtype="datetime64")
    values = np.array([float(text) for text in numbers])
    if column.values.dtype.kind == "i" and (values == np.round(values)).all():
        return values.astype(np.int64)
    return values


def read_cells(texts: Sequence[str], column: Column) -> Regions:
    """What cells cover in a column, a region each.

    Parameters
    ----------
    texts : sequence of str
        The cells; how they are written is found out from all of them together.
    column : Column
        Its values and its hierarchy are what they are about; its records do not matter.

    Examples
    --------
    >>> ages = Column(name="age", role=Role.QUASI, kind=Kind.NUMERIC,
    ...               codes=np.zeros(1, dtype=np.int32), values=np.array([30, 41, 52]))
    >>> read_cells(["30-45", "*", "30-45"], ages).covers(1).tolist()
    [True, True, True]
    """
    distinct, of_cell = np.unique(np.array(texts, dtype=object), return_inverse=True)
    secret = Column(
        name=f"{column.name} of nobody", role=Role.SENSITIVE, kind=Kind.CATEGORICAL,
        codes=np.zeros(len(distinct), dtype=np.int32), values=np.array(["-"], dtype=object),
    )  # fmt: skip
    people = Microdata(
        columns=(replace(column, role=Role.QUASI, codes=secret.codes), secret),
        rows=np.arange(len(distinct)),
    )
    cells = {column.name: distinct.tolist(), secret.name: ["-"] * len(distinct)}
    release = read_release(cells, people)
    return release.regions[0].take(release.class_of).take(of_cell.ravel())


def read_again(regions: Regions, column: Column, wide: Column) -> tuple[Regions, list[str]]:
    """What cells of a column cover in a wider one, and what to tell about it.

    Parameters
    ----------
    regions : Regions
    column : Column
        The column whose codes the regions mean.
    wide : Column
        The same with more numbers, and without a hierarchy, which knows nothing of them.
    """
    try:
        return read_cells(regions.texts(column), wide), []
    except InputError:
        note = (
            f"{column.name}: the cells do not say where they end, so they are taken to reach as "
            f"far as the next {column.name} that the release has"
        )
        return _stretched(regions, column, wide), [note]


def _stretched(regions: Regions, column: Column, wide: Column) -> Regions:
    """Regions as they are, and beyond both ends up to the next of the old numbers.

    Cells such as ``young`` tell no bounds. Whoever may be meant is not to be missed.
    """
    place = np.searchsorted(wide.values, column.values)
    before = np.concatenate([[0], place[:-1] + 1])
    after = np.concatenate([place[1:] - 1, [wide.size - 1]])
    if isinstance(regions, Intervals):
        some = regions.low <= regions.high
        low, high = np.zeros(len(regions), np.int32), np.full(len(regions), -1, np.int32)
        low[some] = before[regions.low[some].clip(0)]
        high[some] = after[regions.high[some].clip(max=column.size - 1)]
        return Intervals(low, high)
    assert isinstance(regions, Sets)
    rows = np.repeat(np.arange(len(regions)), np.diff(regions.start))
    lengths = (after - before + 1)[regions.members]
    ends = np.cumsum(lengths)
    codes = np.arange(ends[-1] if len(ends) else 0) - np.repeat(
        ends - lengths - before[regions.members], lengths
    )
    pairs = np.unique(np.repeat(rows, lengths) * wide.size + codes)
    start = np.searchsorted(pairs, np.arange(len(regions) + 1) * wide.size)
    return Sets(start, (pairs % wide.size).astype(np.int32))
