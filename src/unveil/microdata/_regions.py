"""What the classes of a release publish for one column, as parts of the column's domain.

Two shapes are enough: *intervals* of codes (ranges of ordered columns, and hierarchy nodes, whose
leaves are neighbours by construction) and *sets* of codes. Both answer the same three questions:
which classes cover a code, how many released records cover each code, and how is it written?
`joint_counts` asks which classes cover a person in every column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._microdata import Column
from unveil.microdata._notations import EVERYTHING

_FEW = 2**16  # (target, class) pairs that are all compared
_CHUNK = 2**24  # most pairs compared at a time
_RESERVED = frozenset(',{}[]()"')

Histograms: TypeAlias = Any
"""Number of records: classes × values, as an array or, where most are 0, as a sparse one."""


class Regions(Protocol):
    """One region per class, for one column."""

    def __len__(self) -> int: ...

    def covers(self, code: int) -> NDArray[np.bool_]:
        """For each class, whether its region covers the code."""

    def covers_each(
        self, classes: NDArray[np.integer], codes: NDArray[np.integer]
    ) -> NDArray[np.bool_]:
        """For pairs of a class and a code, whether the class's region covers the code."""

    def cover_counts(self, counts: Histograms, domain: int) -> NDArray[np.int64]:
        """Sum the rows of ``counts`` (one per class) over the classes that cover each code."""

    def texts(self, column: Column) -> list[str]:
        """The cell that each class publishes."""

    def take(self, rows: NDArray[np.integer]) -> Regions:
        """The regions in these rows, which may repeat."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """From the code ``low`` to the code ``high``, both included; empty where low > high.

    ``cuts`` decides how they are written: as cuts through the whole domain (``≤ 36``,
    ``(36, 53]``, ``> 53``), or as the values of the members (``[28, 36]``). ``written`` has the
    cells of a release that was read.

    ``there`` marks the codes that occur in the table, for columns without order or hierarchy. A
    cut says nothing about values that do not occur; only an uncut column covers them.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    cuts: bool = False
    written: tuple[str, ...] | None = None
    there: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.low)

    def take(self, rows: NDArray[np.integer]) -> Intervals:
        written = _taken(self.written, rows)
        return Intervals(self.low[rows], self.high[rows], self.cuts, written, self.there)

    def _whole(self, domain: int) -> NDArray[np.bool_]:
        return (self.low <= 0) & (self.high >= domain - 1)

    def covers(self, code: int) -> NDArray[np.bool_]:
        if self.there is not None and not self.there[code]:
            return self._whole(len(self.there))
        return (self.low <= code) & (code <= self.high)

    def covers_each(
        self, classes: NDArray[np.integer], codes: NDArray[np.integer]
    ) -> NDArray[np.bool_]:
        inside = (self.low[classes] <= codes) & (codes <= self.high[classes])
        if self.there is not None:
            whole = self._whole(len(self.there))[classes]
            inside = np.where(self.there[codes], inside, whole)
        return inside

    def cover_counts(self, counts: Histograms, domain: int) -> NDArray[np.int64]:
        some = self.low <= self.high
        change = _summed(self.low[some], counts[some], domain + 1)
        change -= _summed(self.high[some] + 1, counts[some], domain + 1)
        total = np.cumsum(change[:-1], axis=0)
        if self.there is not None:
            total[~self.there] = counts[self._whole(domain)].sum(axis=0)
        return total

    def texts(self, column: Column) -> list[str]:
        if self.written is not None:
            return list(self.written)
        pairs, of_class = np.unique(
            np.stack([self.low, self.high], axis=1), axis=0, return_inverse=True
        )
        texts = [self._text(column, int(low), int(high)) for low, high in pairs]
        return [texts[i] for i in of_class.ravel()]

    def _text(self, column: Column, low: int, high: int) -> str:
        names = column.texts
        if self.cuts and low <= 0 and high >= column.size - 1:
            return EVERYTHING
        if not column.is_ordered:
            codes = np.arange(low, high + 1)
            return _set_text(column, codes[self.there[codes]] if self.there is not None else codes)
        if not self.cuts:
            if low == high:
                return _value_text(column, low)
            return _notation(column, "[", (names[low], names[high]), "]")
        if low <= 0:
            return _notation(column, "≤ ", (names[high],))
        if high >= column.size - 1:
            return _notation(column, "> ", (names[low - 1],))
        return _notation(column, "(", (names[low - 1], names[high]), "]")


@dataclass(frozen=True, eq=False)
class Sets:
    """Any codes: those of class g are ``members[start[g]:start[g + 1]]``, ascending.

    ``written`` has the cells of a release that was read.
    """

    start: NDArray[np.int64]
    members: NDArray[np.int32]
    written: tuple[str, ...] | None = None

    @classmethod
    def of_runs(
        cls, rows: NDArray[np.integer], low: NDArray[np.integer], high: NDArray[np.integer],
        length: int, written: tuple[str, ...] | None = None,
    ) -> Sets:  # fmt: skip
        """The codes from ``low`` to ``high`` in each of some rows; runs of a row may overlap."""
        sizes = high - low + 1
        codes = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - low, sizes)
        domain = codes.max(initial=0) + 1
        pairs = np.unique(np.repeat(rows, sizes) * domain + codes)
        start = np.searchsorted(pairs, np.arange(length + 1) * domain)
        return cls(start, (pairs % domain).astype(np.int32), written)

    def __len__(self) -> int:
        return len(self.start) - 1

    def take(self, rows: NDArray[np.integer]) -> Sets:
        sizes = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # The source of each member: its row's start and its position in the row.
        within = np.arange(start[-1]) - np.repeat(start[:-1], sizes)
        members = self.members[np.repeat(self.start[rows], sizes) + within]
        return Sets(start, members, _taken(self.written, rows))

    @property
    def _class_of_member(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def covers(self, code: int) -> NDArray[np.bool_]:
        covered = np.zeros(len(self), dtype=bool)
        covered[self._class_of_member[self.members == code]] = True
        return covered

    def covers_each(
        self, classes: NDArray[np.integer], codes: NDArray[np.integer]
    ) -> NDArray[np.bool_]:
        width = int(max(self.members.max(initial=0), codes.max(initial=0))) + 1
        ours = self._class_of_member * width + self.members  # ascending
        return np.isin(classes.astype(np.int64) * width + codes, ours)

    def cover_counts(self, counts: Histograms, domain: int) -> NDArray[np.int64]:
        return _summed(self.members, counts[self._class_of_member], domain)

    def texts(self, column: Column) -> list[str]:
        if self.written is not None:
            return list(self.written)
        known: dict[bytes, str] = {}
        texts = []
        for g in range(len(self)):
            codes = self.members[self.start[g] : self.start[g + 1]]
            key = codes.tobytes()
            if key not in known:
                known[key] = _set_text(column, codes)
            texts.append(known[key])
        return texts


def _summed(rows: NDArray[np.integer], counts: Histograms, number: int) -> NDArray[np.int64]:
    """The sums of histograms by the row that each belongs to."""
    if isinstance(counts, np.ndarray):
        total = np.zeros((number, counts.shape[1]), dtype=np.int64)
        np.add.at(total, rows, counts)
        return total
    from scipy.sparse import csr_array

    each = np.ones(len(rows), dtype=np.int64)
    belongs = csr_array((each, (rows, np.arange(len(rows)))), shape=(number, len(rows)))
    found: NDArray[np.int64] = (belongs @ counts).toarray()
    return found


def one_value(regions: Regions) -> NDArray[np.int64]:
    """The code that each class publishes as it is; -1 where a cell covers several, or none."""
    if isinstance(regions, Intervals):
        return np.where(regions.low == regions.high, regions.low, -1).astype(np.int64)
    assert isinstance(regions, Sets)
    found = np.full(len(regions), -1, dtype=np.int64)
    alone = np.flatnonzero(np.diff(regions.start) == 1)
    found[alone] = regions.members[regions.start[alone]]
    return found


def _taken(written: tuple[str, ...] | None, rows: NDArray[np.integer]) -> tuple[str, ...] | None:
    return None if written is None else tuple(np.array(written, dtype=object)[rows].tolist())


def _value_text(column: Column, code: int) -> str:
    """A single value is written as it is, because it is read before any notation; except ``*``."""
    text = column.texts[code]
    return _in_quotes(text) if text == EVERYTHING else text


def _notation(column: Column, before: str, values: Sequence[str], after: str = "") -> str:
    """Values in brackets or after a sign, never the exact name of a value or node."""
    text = before + ", ".join(_quoted(value) for value in values) + after
    if text in column.places or (column.hierarchy is not None and text in column.hierarchy):
        text = before + ", ".join(_in_quotes(value) for value in values) + after
    return text


def _quoted(text: str) -> str:
    """The text, in double quotes if a part of it could be read as notation."""
    return text if _RESERVED.isdisjoint(text) and text == text.strip() else _in_quotes(text)


def _in_quotes(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _set_text(column: Column, codes: NDArray[np.integer]) -> str:
    """``France``, the name of the node with exactly these leaves, or ``{France, Italy}``."""
    if len(codes) == 1:
        return _value_text(column, codes[0])
    tree = column.hierarchy
    if tree is not None and tree.n_leaves == column.size and len(codes) > 0:
        first, last = int(codes[0]), int(codes[-1])
        if last - first + 1 == len(codes):
            node = tree.lowest_common_ancestor(first, last)
            if tree.first[node] == first and tree.last[node] == last:
                return tree.names[node]
    return _notation(column, "{", [column.texts[code] for code in codes], "}")


def shortened(text: str, width: int) -> str:
    """A text that is cut off if it is too wide."""
    return text if len(text) <= width else text[: width - 1] + "…"


class _Left(NamedTuple):
    """Targets with the same values in the first columns, and the classes that cover those."""

    targets: NDArray[np.intp]
    column: int
    """The next column."""
    regions: Sequence[Regions]
    """Of the remaining classes, from that column on."""
    counts: Histograms

    @property
    def classes(self) -> int:
        """Number of remaining classes."""
        return int(self.counts.shape[0])


def joint_counts(
    regions: Sequence[Regions], counts: Histograms, codes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Sum the histograms (classes × values) of the classes that cover each target in all columns.

    Comparing every target with every class grows with the square of a table. So targets are split
    column by column: those with the same value share the remaining classes, mostly few. If few
    pairs remain, comparing all of them is faster. ``codes`` are columns × targets.

    >>> ages = Intervals(np.array([0, 2]), np.array([2, 3]))
    >>> joint_counts([ages], np.array([[3, 0], [1, 4]]), np.array([[1, 2, 3]])).tolist()
    [[3, 0], [4, 4], [1, 4]]
    """
    joint = np.zeros((codes.shape[1], counts.shape[1]), dtype=np.int64)
    # Few values first: every later column is then compared with the few classes that are left.
    order = np.argsort([len(np.unique(row)) for row in codes], kind="stable")
    regions, codes = [regions[place] for place in order], codes[order]
    # Integers far below 2⁵³ are exact as floats, and float products are much faster.
    everybody = _Left(np.arange(codes.shape[1]), 0, regions, counts.astype(np.float64))
    waiting = [everybody]
    while waiting:
        left = waiting.pop()
        pairs = len(left.targets) * left.classes
        if pairs > _FEW and len(left.targets) > 1 and left.regions:
            waiting += _split(left, codes)
        elif pairs:
            step = max(1, _CHUNK // left.classes)
            for first in range(0, len(left.targets), step):
                some = left.targets[first : first + step]
                joint[some] = _covering(left, codes[left.column :, some]) @ left.counts
    return joint


def _split(left: _Left, codes: NDArray[np.int32]) -> list[_Left]:
    """The targets by their value of the next column, each with the classes that cover it."""
    row = codes[left.column, left.targets]
    order = np.argsort(row, kind="stable")
    values, first = np.unique(row[order], return_index=True)
    found = []
    for value, some in zip(values, np.split(order, first[1:]), strict=True):
        classes = np.flatnonzero(left.regions[0].covers(int(value)))
        rest = [regions.take(classes) for regions in left.regions[1:]]
        found.append(_Left(left.targets[some], left.column + 1, rest, left.counts[classes]))
    return found


def _covering(left: _Left, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """1 where a class (columns) covers a target (rows) in all remaining columns, else 0."""
    inside = np.ones((codes.shape[1], left.classes), dtype=bool)
    for regions, row in zip(left.regions, codes, strict=True):
        values, which = np.unique(row, return_inverse=True)
        inside &= np.stack([regions.covers(int(v)) for v in values])[which]
    return inside.astype(np.float64)
