"""How much a reading explains, against what chance would.

A reading of a published column says which values each text stands for. It *holds* if every matched
row's own value is among them. That may be chance: where a text stands for half of all people, a
wrong row fits it every second time. So a reading earns one bit for each halving: a row whose text
stands for a share ``q`` of the original's rows adds ``-log2(q)`` bits. By chance, ``b`` bits come
about with probability ``2**-b``.

A table that was learned from the rows themselves costs what it takes to write it down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.aligning._sheets import Cells, View
from unveil.microdata.coarsening import Coarsening, Key

CERTAIN = 30.0
"""Bits that are enough, whatever the names: one chance in a thousand millions."""

LIKELY = 10.0
"""Bits that are enough for two columns whose names agree."""

_SPREAD = 6.0  # standard deviations beyond chance


@dataclass(frozen=True, eq=False)
class Joint:
    """Which values and texts occur together in the matched rows.

    Attributes
    ----------
    o, p : int arrays
        Distinct texts of the original and published ones, both with a value, one entry per pair.
    n : int array
        Number of rows with the pair.
    filled_gaps : int
        Rows without a value in the original that have a text in the published file.
    blanked : int
        Rows with a value whose published cell is empty.
    hidden : int
        Rows with a value whose published cell is hidden by a mark.
    """

    o: NDArray[np.int64]
    p: NDArray[np.int64]
    n: NDArray[np.int64]
    filled_gaps: int
    blanked: int
    hidden: int

    @property
    def rows(self) -> int:
        """Rows with a value and a text."""
        return int(self.n.sum())

    @cached_property
    def is_function(self) -> bool:
        """Whether each value is published as one text."""
        return len(np.unique(self.o)) == len(self.o)

    @cached_property
    def is_nearly_function(self) -> bool:
        """Whether nearly all rows with a value have the same text."""
        most = np.zeros(int(self.o.max(initial=-1)) + 1, dtype=np.int64)
        np.maximum.at(most, self.o, self.n)
        return int(most.sum()) >= _NEARLY * self.rows


_NEARLY = 0.8


def joint_of(o: Cells, p: Cells, of: NDArray[np.int64], hidden: NDArray[np.bool_]) -> Joint:
    """Count pairs in the matched rows; ``of`` has the original's row of each published row."""
    rows = np.flatnonzero(of >= 0)
    here, there = p.codes[rows].astype(np.int64), o.codes[of[rows]].astype(np.int64)
    gap_o = (there < 0) | np.append(o.blank, True)[there]
    gap_p = here < 0
    marked = ~gap_p & np.append(hidden, False)[here]
    filled = ~gap_o & ~gap_p & ~marked
    width = len(p.texts) + 1
    pairs, n = np.unique(there[filled] * width + here[filled], return_counts=True)
    return Joint(
        pairs // width, pairs % width, n,
        filled_gaps=int((gap_o & ~gap_p & ~marked).sum()),
        blanked=int((~gap_o & gap_p).sum()), hidden=int((~gap_o & marked).sum()),
    )  # fmt: skip


def hidden_texts(o: Cells, p: Cells) -> NDArray[np.bool_]:
    """Which published texts hide a value: marks and words that the original does not have."""
    hidden = p.hiding.copy()
    for place in np.flatnonzero(hidden).tolist():
        hidden[place] = p.canon[place] not in o.number_of
    return hidden


@dataclass(frozen=True, eq=False, kw_only=True)
class Match:
    """A reading of a published column, applied to one of the original.

    Attributes
    ----------
    how : Coarsening
    view : View
        How the original's column is read.
    ways : sequence of int arrays
        For each distinct text of the original the key that is published; -1 for none. More than
        one if a value can be published in several ways.
    key : int array
        For each published text its key; -1 if it is no cell of this reading.
    runs : tuple of arrays, optional
        Instead of keys, for texts that overlap: for each published text its first run of codes,
        and the number of runs; further runs are in ``more``.
    """

    how: Coarsening
    view: View
    ways: Sequence[NDArray[np.int64]]
    key: NDArray[np.int64]
    spans: Sequence[tuple[tuple[int, int], ...] | None] | None = None
    table: dict[str, tuple[str, ...]] | None = None

    def fits(self, o: NDArray[np.int64], p: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pairs of texts fit."""
        if self.spans is not None:
            return self._within(self.view.place[o], p)
        key = self.key[p]
        fitting = np.zeros(len(o), dtype=bool)
        for way in self.ways:
            fitting |= way[o] == key
        return fitting & (key >= 0)

    def _within(self, code: NDArray[np.int64], p: NDArray[np.int64]) -> NDArray[np.bool_]:
        fitting = np.zeros(len(p), dtype=bool)
        order = np.argsort(p, kind="stable")
        starts = np.flatnonzero(np.diff(p[order], prepend=-1))
        for start, end in zip(starts, [*starts[1:], len(p)], strict=True):
            places = order[start:end]
            for first, last in (self.spans or [])[p[places[0]]] or ():
                fitting[places] |= (code[places] >= first) & (code[places] <= last)
        return fitting

    def shares(self, o: Cells) -> NDArray[np.float64]:
        """For each published text, the share of the original's rows that it stands for."""
        weights = np.where(o.blank, 0, o.counts).astype(np.float64)
        total = max(weights.sum(), 1.0)
        if self.spans is not None:
            by_code = np.bincount(self.view.place[self.view.place >= 0],
                                  weights[self.view.place >= 0], self.view.column.size)  # fmt: skip
            below = np.append(0.0, np.cumsum(by_code))
            return np.array([sum(below[last + 1] - below[first] for first, last in spans or ())
                             for spans in self.spans]) / total  # fmt: skip
        way = self.ways[0]
        size = int(max(way.max(initial=-1), self.key.max(initial=-1))) + 1
        by_key = np.bincount(way[way >= 0], weights[way >= 0], size)
        return np.append(by_key, 0.0)[self.key] / total


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation:
    """How well a reading explains the matched rows."""

    match: Match
    rows: int
    disagree: int
    bits: float
    chance: float
    """The share of rows that would fit by chance."""

    @property
    def words(self) -> str:
        """The reading, in words."""
        return str(self.match.how)

    @property
    def holds(self) -> bool:
        """Whether it holds for all rows."""
        return self.disagree == 0 and self.rows > 0

    @property
    def agree(self) -> float:
        """The share of rows that fit."""
        return 1 - self.disagree / max(self.rows, 1)

    @property
    def beyond_chance(self) -> bool:
        """Whether more rows fit than chance explains."""
        spread = math.sqrt(max(self.chance * (1 - self.chance), 1e-9) / max(self.rows, 1))
        return self.rows >= 5 and self.agree > self.chance + _SPREAD * spread

    def costing(self, bits: float) -> Explanation:
        """The same with fewer bits."""
        return replace(self, bits=self.bits - bits)


def explained(match: Match, o: Cells, joint: Joint) -> Explanation:
    """Compare a reading with the matched rows."""
    fitting = match.fits(joint.o, joint.p)
    shares = match.shares(o)[joint.p]
    rows = joint.rows
    with np.errstate(divide="ignore"):
        bits = -np.log2(np.minimum(np.maximum(shares, 1e-12), 1.0))
    return Explanation(
        match=match, rows=rows + joint.filled_gaps,
        disagree=int(joint.n[~fitting].sum()) + joint.filled_gaps,
        bits=float((bits * joint.n)[fitting].sum()),
        chance=float((shares * joint.n).sum() / max(rows, 1)),
    )  # fmt: skip


def matched_by(how: Coarsening, view: View, p: Cells, usable: NDArray[np.bool_]) -> Match | None:
    """A reading whose cells follow from the words; None if it cannot read the usable texts."""
    if how.why_not(view.column) is not None or not usable.any():
        return None
    if how.is_as_written or how.steps[-1].word == "bands":
        return _as_written(how, view, p, usable)
    keys = how.ways(view.column)
    cells = how.cells(view.column, keys[0])
    tried = p.sample(usable)
    if 2 * sum(cells.key(text) in cells.known for text in tried) < len(tried):
        return None
    number: dict[Key, int] = {}
    key = np.full(len(p.texts), -1, dtype=np.int64)
    for place in np.flatnonzero(usable).tolist():
        one = cells.key(p.texts[place])
        if one is not None:
            key[place] = number.setdefault(one, len(number))
    if (key[usable] < 0).mean() > _STRANGE:
        return None
    ways = []
    for one_way in keys:
        of = np.array([number.get(one, -1) for one in one_way.tolist()] + [-1], dtype=np.int64)
        ways.append(of[view.place])
    return Match(how=how, view=view, ways=ways, key=key)


_STRANGE = 0.1  # of the texts may be something else: marks that are not known, or mistakes
_MOST_TEXTS = 20_000


def _as_written(how: Coarsening, view: View, p: Cells, usable: NDArray[np.bool_]) -> Match | None:
    """Cells as they are written; by keys, unless they overlap."""
    places = np.flatnonzero(usable).tolist()
    tried = p.sample(usable)
    if not places or len(places) > _MOST_TEXTS or 2 * sum(map(str.isalpha, tried)) > len(tried):
        return None
    first = how.regions(view.column, tried)
    if sum(one is None for one in first) > _STRANGE * len(first):
        return None
    found = how.regions(view.column, [p.texts[i] for i in places])
    if sum(one is None for one in found) > _STRANGE * len(found):
        return None
    spans: list[tuple[tuple[int, int], ...] | None] = [None] * len(p.texts)
    for place, one in zip(places, found, strict=True):
        spans[place] = one
    keys = _without_overlap(spans, view.column.size)
    if keys is None:
        none = np.full(len(p.texts), -1, dtype=np.int64)
        return Match(how=how, view=view, ways=(), key=none, spans=spans)
    of, key = keys
    return Match(how=how, view=view, ways=(np.append(of, -1)[view.place],), key=key)


def _without_overlap(
    spans: Sequence[tuple[tuple[int, int], ...] | None], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Keys of codes and texts, if every code is in one cell at most."""
    of = np.full(size, -1, dtype=np.int64)
    key = np.full(len(spans), -1, dtype=np.int64)
    number: dict[tuple[tuple[int, int], ...], int] = {}
    for place, one in enumerate(spans):
        if one is None:
            continue
        if one not in number:
            number[one] = len(number)
            for first, last in one:
                if (of[first : last + 1] >= 0).any():
                    return None
                of[first : last + 1] = number[one]
        key[place] = number[one]
    return of, key
