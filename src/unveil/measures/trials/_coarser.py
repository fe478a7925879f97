"""Coarser forms of the published cells of a column.

A coarser form is a partition of the column's domain into blocks: bands of ten years, the nodes of a
level of the hierarchy, all values together. Each cell becomes the union of the blocks that it
touches. So a new cell covers all that the old one did, cells that were alike stay alike, and a
coarser form can only merge classes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.measures._losses import penalties
from unveil.microdata import (
    EVERYTHING,
    MISSING,
    Column,
    Hierarchy,
    Intervals,
    Kind,
    Regions,
    Sets,
    hidden_cells,
)

Codes: TypeAlias = NDArray[np.int64]
_Keyed: TypeAlias = tuple[Codes, Callable[[NDArray[np.intp]], Intervals | Sets]]
"""Which new cell each old one becomes, and what those that begin with some old ones cover."""

LEFT_OUT = "left out"
_WIDTHS = 5  # of bands that are tried in a column
_MOST_BANDS = 50  # more are hardly coarser than single values
_ENDS = (0.01, 0.03, 0.1)  # of the people, who are at most in the ends that become one value
_FEW = 0.01  # of the records: what fewer have is rare, besides values of a handful
_CODE = re.compile(r"[A-Za-z]{0,3}\d[\w.\-/]*")
_PERIODS = {"months": 1, "quarters": 3, "years": 12, "periods of 5 years": 60, "decades": 120}
_FROM_ZERO = 1970 * 12  # numpy counts months from 1970


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells:
    """The distinct cells of a column, and which of them each class has.

    Attributes
    ----------
    column : Column
    regions : Regions
        What each distinct cell covers.
    code_of : array
        The cell of each class.
    texts : tuple of str
        As they are published.
    """

    column: Column
    regions: Regions
    code_of: Codes
    texts: tuple[str, ...]

    @classmethod
    def of(cls, column: Column, regions: Regions) -> Cells:
        """The cells of all classes; those that are written alike are one."""
        written = np.array(regions.texts(column), dtype=object)
        codes, texts = pd.factorize(written)
        _, first = np.unique(codes, return_index=True)
        return cls(
            column=column, regions=regions.take(first), code_of=codes.astype(np.int64),
            texts=tuple(texts.tolist()),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.regions)

    @cached_property
    def hidden(self) -> NDArray[np.bool_]:
        """Which cells are suppressed."""
        return hidden_cells(self.column, self.regions)

    @cached_property
    def starred(self) -> NDArray[np.bool_]:
        """Which of them are ``*``."""
        return np.array([text == EVERYTHING for text in self.texts], dtype=bool)

    @cached_property
    def penalty(self) -> NDArray[np.float64]:
        """What each leaves open of the column, from 0 to 1: see `information_loss`."""
        return penalties(self.column, self.regions)

    @cached_property
    def members(self) -> tuple[Codes, Codes]:
        """Pairs of a cell and a code that it covers, ordered."""
        regions = self.regions
        if isinstance(regions, Intervals):
            return _covered(regions, self.column.size)
        assert isinstance(regions, Sets)
        cell = np.repeat(np.arange(len(regions)), np.diff(regions.start))
        return cell.astype(np.int64), regions.members.astype(np.int64)

    def coarsened(self, form: Form) -> Coarser:
        """The cells in a coarser form."""
        quick = isinstance(self.regions, Intervals) and self.regions.there is None
        if form.leaves_out:
            keyed = self._everything()
        else:
            keyed = self._in_runs(form) if quick and form.is_in_runs else self._any(form)
        key, regions_of = keyed
        _, first, to = np.unique(key, return_index=True, return_inverse=True)
        new = self._written(regions_of(first), first)
        cells = Cells(column=self.column, regions=new, code_of=to[self.code_of],
                      texts=tuple(new.written or ()))  # fmt: skip
        return Coarser(form=form, cells=cells, to=to.astype(np.int64))

    def _in_runs(self, form: Form) -> _Keyed:
        """Intervals, in blocks that are runs of codes: from the first block to the last."""
        regions, last = self.regions, self.column.size - 1
        assert isinstance(regions, Intervals)
        low, high = np.maximum(regions.low, 0), np.minimum(regions.high, last)
        some = low <= high
        block, number = form.block_of, int(form.block_of.max()) + 1
        begin = np.searchsorted(block, np.arange(number))
        end = np.searchsorted(block, np.arange(number), side="right") - 1
        from_, upto = block[np.where(some, low, 0)], block[np.where(some, high, 0)]
        key = np.where(some, from_ * number + upto, number**2 + np.arange(len(self)))

        def regions_of(first: NDArray[np.intp]) -> Intervals:
            low = np.where(some[first], begin[from_[first]], 1)
            high = np.where(some[first], end[upto[first]], 0)
            return Intervals(low.astype(np.int32), high.astype(np.int32))

        return key, regions_of

    def _any(self, form: Form) -> _Keyed:
        """Any cells and blocks: the union of all that are touched."""
        block, number = form.block_of, int(form.block_of.max()) + 1
        cell, code = self.members
        owner, touched = np.divmod(np.unique(cell * number + block[code]), number)
        sizes = np.bincount(owner, minlength=len(self))
        start = np.cumsum(sizes) - sizes
        key = number + np.arange(len(self))  # of cells that cover nobody's value
        key[sizes == 1] = touched[start[sizes == 1]]
        known: dict[bytes, int] = {}
        for one in np.flatnonzero(sizes > 1).tolist():
            blocks = touched[start[one] : start[one] + sizes[one]].tobytes()
            key[one] = number + known.setdefault(blocks, one)
        order = np.argsort(block, kind="stable")
        upto = np.concatenate([[0], np.cumsum(np.bincount(block))])

        def regions_of(first: NDArray[np.intp]) -> Sets:
            members = [order[:0]] + [
                np.sort(np.concatenate([
                    order[:0],
                    *(order[upto[b] : upto[b + 1]]
                      for b in touched[start[one] : start[one] + sizes[one]]),
                ]))
                for one in first
            ]  # fmt: skip
            ends = np.cumsum([len(some) for some in members]).astype(np.int64)
            return Sets(ends, np.concatenate(members).astype(np.int32))

        return key, regions_of

    def _everything(self) -> _Keyed:
        """One cell of everybody, whatever the old ones covered."""
        low, high = np.array([[0], [self.column.size - 1]], dtype=np.int32)
        return np.zeros(len(self), dtype=np.int64), Intervals(low, high).take

    def _written(self, new: Intervals | Sets, first: NDArray[np.intp]) -> Intervals | Sets:
        """New cells with their texts; one that covers nobody's value keeps its own."""
        size = self.column.size
        number = new.high - new.low + 1 if isinstance(new, Intervals) else np.diff(new.start)
        texts = [
            EVERYTHING if covered == size else text if covered > 0 else self.texts[old]
            for covered, text, old in zip(number, new.texts(self.column), first, strict=True)
        ]
        return replace(new, written=tuple(texts))


def _covered(regions: Intervals, domain: int) -> tuple[Codes, Codes]:
    low, high = np.maximum(regions.low, 0), np.minimum(regions.high, domain - 1)
    sizes = np.maximum(high.astype(np.int64) - low + 1, 0)
    cell = np.repeat(np.arange(len(regions)), sizes)
    code = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - low, sizes)
    if regions.there is not None:
        whole = (regions.low <= 0) & (regions.high >= domain - 1)
        kept = regions.there[code] | whole[cell]
        cell, code = cell[kept], code[kept]
    return cell.astype(np.int64), code.astype(np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Form:
    """A partition of a column's domain.

    Attributes
    ----------
    how : str
        What cells become: ``in bands of 10``, or `LEFT_OUT`. It names nobody's value.
    block_of : array
        The block of each code.
    names : tuple of str
        What blocks are called if that follows from a fixed grid, and so is nobody's value.
    """

    how: str
    block_of: Codes
    names: tuple[str, ...] = ()

    @property
    def is_in_runs(self) -> bool:
        """Whether every block is a run of codes, and they are numbered in the order of codes."""
        return bool((np.diff(self.block_of) >= 0).all())

    @property
    def leaves_out(self) -> bool:
        """Whether the column is not published."""
        return self.how == LEFT_OUT


@dataclass(frozen=True, eq=False, kw_only=True)
class Coarser:
    """The cells of a column in a coarser form.

    Attributes
    ----------
    form : Form
    cells : Cells
        The new ones.
    to : array
        For each old cell, which new one it becomes.
    """

    form: Form
    cells: Cells
    to: Codes


@dataclass(frozen=True, eq=False)
class Crowd:
    """How many are in each cell of a column: records, or people who may have several.

    Attributes
    ----------
    each : array
        How many are in each cell.
    once : array
        The same, where nobody is counted in two cells: in some cells are at least so many.
    unit : str
    """

    each: Codes
    once: Codes
    unit: str = "records"


def coarser_forms(cells: Cells, crowd: Crowd, handful: int) -> list[Coarser]:
    """The coarser forms of a column that are tried: those that merge any two of its cells.

    What fewer than a ``handful`` of the crowd have is rare.
    """
    found: dict[bytes, Coarser] = {}
    if len(cells) < 2:
        return []
    for form in _forms(cells, crowd, handful):
        coarser = cells.coarsened(form)
        new = len(coarser.cells)
        if new < len(cells) and (new > 1 or form.leaves_out):
            found.setdefault(_partition(coarser.to), coarser)
    return list(found.values())


def _partition(codes: Codes) -> bytes:
    """The same for the same partition, however its parts are numbered."""
    return _numbered(codes).tobytes()


def _forms(cells: Cells, crowd: Crowd, handful: int) -> Iterator[Form]:
    column = cells.column
    yield Form(how=LEFT_OUT, block_of=np.zeros(column.size, dtype=np.int64))
    if column.hierarchy is not None and column.hierarchy.n_leaves == column.size:
        yield from _levels(column.hierarchy)
    if column.kind is Kind.NUMERIC:
        yield from _periods(cells) if column.is_dates else _bands(cells)
        yield from _merged_bands(cells)
        yield from _ends(cells, crowd.once, handful)
    elif column.is_ordered:
        yield from _neighbours(column)
    elif column.hierarchy is None:
        yield from _beginnings(column)
        yield from _without_rare(cells, crowd, handful)


def _levels(tree: Hierarchy) -> Iterator[Form]:
    """Nodes of each level, counted from the values up; the top is the column left out."""
    node = np.arange(tree.n_leaves)
    for up in range(1, tree.depth - 1):
        node = np.where(tree.levels[node] >= tree.depth - up, tree.parent[node], node)
        yield Form(how=f"by level {up} of its hierarchy", block_of=_numbered(node))


def _numbered(labels: NDArray[Any]) -> Codes:
    """Blocks by the order in which they begin."""
    return pd.factorize(labels)[0].astype(np.int64)


def _bands(cells: Cells) -> Iterator[Form]:
    """Bands of round widths: the narrowest of which there are not too many, and wider ones."""
    values = cells.column.positions
    yield from _some(
        (_band_form(values, width) for width in _round_widths(values)),
        lambda form: len(np.unique(form.block_of)),
    )


def _some(forms: Iterator[Form], number: Callable[[Form], int]) -> Iterator[Form]:
    few = [form for form in forms if 2 <= number(form) <= _MOST_BANDS]
    yield from few[:_WIDTHS]


def _round_widths(values: NDArray[np.float64], *, also_least: bool = False) -> Iterator[float]:
    """1, 2 and 5 times powers of ten, from the least distance of two values to their range.

    The least distance itself makes no bands of several values; ``also_least`` has it, too.
    """
    if len(values) < 2:
        return
    least, most = float(np.diff(values).min()), float(values[-1] - values[0])
    if not (least > 0 and math.isfinite(most)):
        return
    power = math.floor(math.log10(least))
    while 10.0**power <= most:
        for width in (10.0**power, 2 * 10.0**power, 5 * 10.0**power):
            if width > least or (also_least and width == least):
                yield width
        power += 1


def _band_form(values: NDArray[np.float64], width: float) -> Form:
    band = np.floor(values / width + 1e-9)
    bands, block = np.unique(band, return_inverse=True)
    whole = bool((values == np.floor(values)).all()) and width >= 1

    def text(one: float) -> str:
        low, high = one * width, (one + 1) * width
        if whole:
            return f"{low:,.0f} to {high - 1:,.0f}"
        return f"{low:,.6g} to below {high:,.6g}"

    return Form(
        how=f"in bands of {width:,.6g}", block_of=block.astype(np.int64),
        names=tuple(map(text, bands.tolist())) if len(bands) <= _MOST_BANDS else (),
    )  # fmt: skip


def _periods(cells: Cells) -> Iterator[Form]:
    """Months, quarters, years and longer."""
    months = cells.column.values.astype("datetime64[M]").astype(np.int64) + _FROM_ZERO
    for words, length in _PERIODS.items():
        periods, block = np.unique(months // length, return_inverse=True)
        names = tuple(_period(int(one) * length, length) for one in periods)
        yield Form(how=f"in {words}", block_of=block.astype(np.int64), names=names)


def _period(month: int, length: int) -> str:
    year = month // 12
    if length > 12:
        return f"{year} to {year + length // 12 - 1}"
    if length == 12:
        return f"{year}"
    if length == 3:
        return f"{year} Q{month % 12 // 3 + 1}"
    return f"{year}-{month % 12 + 1:02d}"


def _merged_bands(cells: Cells) -> Iterator[Form]:
    """Neighbouring bands two by two, and four by four, where cells are bands beside each other."""
    regions = cells.regions
    if not isinstance(regions, Intervals):
        return
    told = ~cells.hidden & (regions.low <= regions.high)
    low, high = np.unique(np.stack([regions.low[told], regions.high[told]]), axis=1)
    if len(low) < 3 or (low == high).all() or (low[1:] <= high[:-1]).any():
        return
    band = np.clip(np.searchsorted(low, np.arange(cells.column.size), side="right") - 1, 0, None)
    for number, words in ((2, "two by two"), (4, "four by four")):
        if len(low) > number:
            yield Form(how=f"with its bands merged {words}", block_of=_grouped(band, number))


def _grouped(codes: NDArray[np.integer], number: int) -> Codes:
    """Neighbours together, so many each; the last alone joins those before it."""
    groups = (int(codes.max()) + 1) // number
    return np.minimum(codes // number, max(groups, 1) - 1).astype(np.int64)


def _ends(cells: Cells, people: Codes, handful: int) -> Iterator[Form]:
    """Bottom- and top-coding: what lies beyond a round number as one value.

    The number is on a fixed grid, and a handful of people or more are beyond it, so it is nobody's.
    """
    column = cells.column
    scale = column.positions
    if column.is_dates:
        scale = (column.values.astype("datetime64[Y]").astype(np.int64) + 1970).astype(np.float64)
    widths = _round_widths(np.unique(scale), also_least=True)
    width = next((one for one in widths if np.ptp(scale) / one < _MOST_BANDS), None)
    if width is None:
        return
    step = np.floor(scale / width + 1e-9).astype(np.int64)
    cell, code = cells.members
    least, most = np.full(len(cells), column.size), np.full(len(cells), -1)
    np.minimum.at(least, cell, code)
    np.maximum.at(most, cell, code)
    code, every = np.arange(column.size), int(people.sum())
    for share in _ENDS:
        low = high = None
        for at in range(int(step[0]) + 1, int(step[-1]) + 1):
            begin = int(np.searchsorted(step, at))
            if handful <= people[(most < begin) & (most >= 0)].sum() <= share * every:
                low = (at, begin)
            if high is None and handful <= people[least >= begin].sum() <= share * every:
                high = (at, begin)
        tops = f"everything from {_written(high[0] * width, column)} up" if high else ""
        if low is not None:
            how = f"with everything below {_written(low[0] * width, column)} as one value"
            block = np.maximum(code - low[1] + 1, 0)
            yield Form(how=how, block_of=block)
            if high is not None and low[1] < high[1]:
                block = np.minimum(block, block[high[1]])
                yield Form(how=f"{how} and {tops} as another", block_of=block)
        if high is not None:
            yield Form(how=f"with {tops} as one value", block_of=np.minimum(code, high[1]))


def _written(number: float, column: Column) -> str:
    """A number of a grid, for people."""
    if column.is_dates:
        return f"{number:.0f}"
    return f"{number:,.0f}" if number == round(number) else f"{number:,.6g}"


def _neighbours(column: Column) -> Iterator[Form]:
    """Neighbouring levels together."""
    for number, words in ((2, "two by two"), (4, "four by four")):
        if column.size > number:
            how = f"with neighbouring levels merged {words}"
            yield Form(how=how, block_of=_grouped(np.arange(column.size), number))


def _beginnings(column: Column) -> Iterator[Form]:
    """Codes by their first characters."""
    codes = [text for text in column.texts if text != MISSING]
    if not codes or not all(map(_CODE.fullmatch, codes)):
        return
    for length in range(max(map(len, codes)) - 1, 0, -1):
        starts = [text if text == MISSING else text[:length] for text in column.texts]
        block = _numbered(np.array(starts, dtype=object))
        characters = "character" if length == 1 else f"{length} characters"
        yield Form(how=f"by its first {characters}", block_of=block)


def _without_rare(cells: Cells, crowd: Crowd, handful: int) -> Iterator[Form]:
    """Rare values as one, where they are published as they are."""
    cell, code = cells.members
    alone = np.bincount(cell, minlength=len(cells))[cell] == 1
    people = np.bincount(code[alone], weights=crowd.each[cell[alone]], minlength=cells.column.size)
    for least in (handful, math.ceil(_FEW * int(crowd.once.sum()))):
        rare = people < least
        if 2 <= rare.sum() < cells.column.size:
            block = np.where(rare, 0, np.cumsum(~rare))
            how = f"with values of fewer than {least:,} {crowd.unit} as one"
            yield Form(how=how, block_of=block.astype(np.int64))


def grid_of(cells: Cells, most: int) -> Form | None:
    """Bands or periods of a fixed grid, of which the whole range has at most so many."""
    column = cells.column
    if column.kind is not Kind.NUMERIC or column.size < 2:
        return None
    if column.is_dates:
        forms: Iterator[Form] = _periods(cells)
    else:
        values = column.positions
        span = float(values[-1] - values[0])
        wide = (width for width in _round_widths(values) if span / width <= most - 1)
        forms = (_band_form(values, width) for width in wide)
    return next((form for form in forms if len(np.unique(form.block_of)) <= most), None)
