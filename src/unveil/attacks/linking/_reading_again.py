"""Cells read again in a column that has more numbers than the original's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.microdata import Column, Intervals, Kind, Microdata, Regions, Role, Sets, read_release
from unveil.microdata._cell_line import Line

__all__ = ["as_values", "numbers_among", "read_again"]

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
    texts, of_class = np.unique(np.array(regions.texts(column), dtype=object), return_inverse=True)
    secret = Column(
        name=f"{column.name} of nobody", role=Role.SENSITIVE, kind=Kind.CATEGORICAL,
        codes=np.zeros(len(texts), dtype=np.int32), values=np.array(["-"], dtype=object),
    )  # fmt: skip
    people = Microdata(
        columns=(replace(wide, role=Role.QUASI, codes=secret.codes), secret),
        rows=np.arange(len(texts)),
    )
    cells = {column.name: texts.tolist(), secret.name: ["-"] * len(texts)}
    try:
        release = read_release(cells, people)
    except InputError:
        note = (
            f"{column.name}: the cells do not say where they end, so they are taken to reach as "
            f"far as the next {column.name} that the release has"
        )
        return _stretched(regions, column, wide), [note]
    return release.regions[0].take(release.class_of).take(of_class.ravel()), []


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
