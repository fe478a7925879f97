"""Which classes of a release cover people, looked up and not compared one by one.

The regions of a column are dealt into *layers*, so that those of one layer have no code in common:
in a layer, a code is in one region or in none. Published tables mostly have one layer a column, or
two where some cells are hidden. Classes whose regions are in the same layers, column by column, are
of one *pattern*. Under one pattern a person's codes name one region per column, and the classes
that have exactly these regions are found in a sorted list. So all people are placed in n log n
steps for each pattern, however many classes there are.

Where regions overlap in many ways, as those of Mondrian do, there are too many patterns, and
`joint_counts` compares people with classes instead.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._regions import Histograms, Intervals, Regions, Sets

Codes = NDArray[np.int64]

_LAYERS = 32  # of a column; with more, there are too many patterns
_PATTERNS = 256
_KEYS = 2**62
_TABLE = 2**21  # sums of histograms that are a table
_CELLS = 2**25  # codes of all layers of a column


@dataclass(frozen=True, eq=False)
class Layers:
    """The regions of one column.

    Attributes
    ----------
    at : array, layers × codes
        The region that covers each code; -1 where none does.
    region, layer : arrays, one per class
        The class's region and its layer; -1 where it covers nothing.
    size : int
        How many regions there are.
    """

    at: NDArray[np.int32]
    region: Codes
    layer: Codes
    size: int

    @classmethod
    def of(cls, regions: Regions, domain: int) -> Layers | None:
        """Deal out regions; None where that takes too many layers."""
        if isinstance(regions, Intervals):
            return _of_intervals(regions, domain)
        return _of_sets(regions, domain) if isinstance(regions, Sets) else None

    def take(self, classes: NDArray[np.integer]) -> Layers:
        """The same of some classes, which may repeat."""
        return Layers(self.at, self.region[classes], self.layer[classes], self.size)

    def cover_counts(self, by_region: Histograms, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Sum the histograms of the classes that cover each of some codes."""
        if not isinstance(by_region, np.ndarray):
            return _summed(self.covering(codes), by_region)
        # After the last region comes nothing, which is also where -1 points.
        found: NDArray[np.int64] = by_region[self.at[0, codes]]
        for layer in self.at[1:]:
            found += by_region[layer[codes]]
        return found

    def by_region(self, counts: Histograms) -> Histograms:
        """The sums of the classes' histograms (classes × values), by region; of few a table."""
        from scipy.sparse import csr_array

        there = np.flatnonzero(self.region >= 0)
        each = np.ones(len(there), dtype=np.int64)
        shape = self.size + 1, len(self.region)
        found = csr_array((each, (self.region[there], there)), shape=shape) @ csr_array(counts)
        return found.toarray() if math.prod(found.shape) <= _TABLE else found.tocsr()

    def covering(self, codes: NDArray[np.integer]) -> tuple[Codes, Codes]:
        """The regions that cover codes: where those of each code begin and end, and which."""
        found = self.at[:, codes].T
        row, layer = np.nonzero(found >= 0)
        start = np.searchsorted(row, np.arange(len(codes) + 1))
        return start, found[row, layer].astype(np.int64)


def _of_intervals(regions: Intervals, domain: int) -> Layers | None:
    low = np.maximum(regions.low, 0).astype(np.int64)
    high = np.minimum(regions.high, domain - 1).astype(np.int64)
    there = np.flatnonzero(low <= high)
    low, high = low[there], high[there]
    # Those that begin first come first; of these, the widest.
    keys, which = np.unique(low * domain + (domain - 1 - high), return_inverse=True)
    low, high = keys // domain, domain - 1 - keys % domain
    layer = _stacked(low, high)
    if layer is None or (int(layer.max(initial=0)) + 1) * domain > _CELLS:
        return None
    at = np.full((int(layer.max(initial=0)) + 1, domain), -1, dtype=np.int32)
    widths = high - low + 1
    code = np.arange(widths.sum()) - np.repeat(np.cumsum(widths) - widths - low, widths)
    at[np.repeat(layer, widths), code] = np.repeat(np.arange(len(low)), widths)
    if regions.there is not None:  # only what covers everything covers what does not occur
        whole = np.append((low == 0) & (high == domain - 1), False)
        at[:, ~regions.there] = np.where(whole[at], at, -1)[:, ~regions.there]
    return _layers(at, there, which.ravel(), layer, len(regions))


def _stacked(low: Codes, high: Codes) -> Codes | None:
    """The layer of each interval, by ascending ``low``: the one that has been free for longest."""
    if (high[:-1] < low[1:]).all():
        return np.zeros(len(low), dtype=np.int64)
    found = np.empty(len(low), dtype=np.int64)
    ends: list[tuple[int, int]] = []
    for place, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if ends and ends[0][0] < first:
            layer = ends[0][1]
            heapq.heapreplace(ends, (last, layer))
        else:
            layer = len(ends)
            if layer == _LAYERS:
                return None
            heapq.heappush(ends, (last, layer))
        found[place] = layer
    return found


def _of_sets(regions: Sets, domain: int) -> Layers | None:
    known: dict[bytes, int] = {}
    distinct: list[NDArray[np.int32]] = []
    which = np.full(len(regions), -1, dtype=np.int64)
    starts = regions.start.tolist()
    for place, (start, stop) in enumerate(itertools.pairwise(starts)):
        if start == stop:
            continue
        members = regions.members[start:stop]
        which[place] = known.setdefault(members.tobytes(), len(distinct))
        if which[place] == len(distinct):
            distinct.append(members)
    layer = np.zeros(len(distinct), dtype=np.int64)
    rows: list[NDArray[np.int32]] = []
    # The largest first: those that cover everything have layers of their own.
    for number in sorted(range(len(distinct)), key=lambda one: -len(distinct[one])):
        free = (k for k, row in enumerate(rows) if (row[distinct[number]] < 0).all())
        layer[number] = next(free, len(rows))
        if layer[number] == len(rows):
            if len(rows) == _LAYERS or (len(rows) + 1) * domain > _CELLS:
                return None
            rows.append(np.full(domain, -1, dtype=np.int32))
        rows[layer[number]][distinct[number]] = number
    there = np.flatnonzero(which >= 0)
    at = np.stack(rows) if rows else np.full((1, domain), -1, dtype=np.int32)
    return _layers(at, there, which[there], layer, len(regions))


def _layers(
    at: NDArray[np.int32], there: NDArray[np.intp], which: Codes, layer: Codes, classes: int
) -> Layers:
    region, of_class = np.full((2, classes), -1, dtype=np.int64)
    region[there], of_class[there] = which, layer[which]
    return Layers(at, region, of_class, len(layer))


@dataclass(frozen=True, eq=False)
class _Pattern:
    """The classes of one pattern, sorted by their regions.

    Attributes
    ----------
    layers : array, one per column
    cuts : list of (columns, keys)
        Regions of so many columns make a key; keys are then numbered by their place in a list.
    """

    layers: Codes
    cuts: list[tuple[list[int], Codes]]
    classes: NDArray[np.intp]
    keys: Codes


@dataclass(frozen=True, eq=False)
class Lookup:
    """The classes of a release, to be found by the codes of people."""

    columns: tuple[Layers, ...]
    patterns: tuple[_Pattern, ...]
    classes: int

    @classmethod
    def of(cls, regions: Sequence[Regions], domains: Sequence[int]) -> Lookup | None:
        """Sort classes; None where people have to be compared with them.

        >>> ages = Intervals(np.array([0, 2, 0]), np.array([1, 3, 3]))
        >>> start, classes = Lookup.of([ages], [4]).covering(np.array([[1, 2]]))
        >>> start.tolist(), classes.tolist()
        ([0, 2, 4], [2, 0, 2, 1])
        """
        columns = []
        for region, domain in zip(regions, domains, strict=True):
            layers = Layers.of(region, domain)
            if layers is None:
                return None
            columns.append(layers)
        return None if not columns else cls.over(tuple(columns))

    @classmethod
    def over(cls, columns: tuple[Layers, ...]) -> Lookup | None:
        """The same, of columns whose regions are in layers already."""
        layer = np.stack([column.layer for column in columns])
        some = np.flatnonzero((layer >= 0).all(axis=0))
        kinds, pattern = np.unique(layer[:, some], axis=1, return_inverse=True)
        if kinds.shape[1] > _PATTERNS:
            return None
        found = [
            _sorted(columns, kind, some[pattern.ravel() == number])
            for number, kind in enumerate(kinds.T)
        ]
        return cls(columns, tuple(found), layer.shape[1])

    def covering(self, codes: NDArray[np.integer]) -> tuple[Codes, NDArray[np.intp]]:
        """The classes that cover people (columns × people) in all columns.

        Returns where those of each person begin and end, and which they are.
        """
        first, last = self._found(codes)
        number = last - first
        start = np.concatenate([[0], np.cumsum(number.sum(axis=0))])
        each = number.T.ravel()  # person by person, and pattern by pattern
        ends = np.cumsum(each)
        place = np.arange(start[-1]) - np.repeat(ends - each - first.T.ravel(), each)
        classes = [pattern.classes for pattern in self.patterns]
        return start, np.concatenate([*classes, np.zeros(0, dtype=np.intp)])[place]

    def number(self, codes: NDArray[np.integer]) -> Codes:
        """How many classes cover each person."""
        first, last = self._found(codes)
        found: Codes = (last - first).sum(axis=0)
        return found

    def joint_counts(self, counts: Histograms, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Sum the histograms of the classes that cover each person."""
        return _summed(self.covering(codes), counts)

    def _found(self, codes: NDArray[np.integer]) -> tuple[Codes, Codes]:
        """For each pattern and person, the places of the classes among those of all patterns."""
        found = np.zeros((2, len(self.patterns), codes.shape[1]), dtype=np.int64)
        before = 0
        for number, pattern in enumerate(self.patterns):
            left, key = np.arange(codes.shape[1]), np.zeros(codes.shape[1], dtype=np.int64)
            for columns, known in pattern.cuts:
                for j in columns:
                    of_code = self.columns[j].at[pattern.layers[j]]
                    region = of_code[codes[j, left]]
                    left, key, region = (some[region >= 0] for some in (left, key, region))
                    key = key * self.columns[j].size + region
                place = np.searchsorted(known, key)
                there = known[np.minimum(place, len(known) - 1)] == key
                left, key = left[there], place[there]
            found[0, number, left] = before + np.searchsorted(pattern.keys, key, side="left")
            found[1, number, left] = before + np.searchsorted(pattern.keys, key, side="right")
            before += len(pattern.classes)
        return found[0], found[1]


def _sorted(columns: Sequence[Layers], layers: Codes, classes: NDArray[np.intp]) -> _Pattern:
    key, size = np.zeros(len(classes), dtype=np.int64), 1
    cuts: list[tuple[list[int], Codes]] = []
    some: list[int] = []
    for j, column in enumerate(columns):
        if size * column.size >= _KEYS:  # numbered anew, with smaller numbers
            known, key = np.unique(key, return_inverse=True)
            cuts.append((some, known))
            some, size = [], len(known)
        key = key * column.size + column.region[classes]
        some, size = [*some, j], size * column.size
    known, key = np.unique(key, return_inverse=True)
    order = np.argsort(key, kind="stable")
    return _Pattern(layers, [*cuts, (some, known)], classes[order], key[order])


def _summed(which: tuple[Codes, NDArray[np.integer]], counts: Histograms) -> NDArray[np.int64]:
    """The sums of some rows of histograms for each person, from where they begin and end."""
    from scipy.sparse import csr_array

    start, rows = which
    each = np.ones(len(rows), dtype=np.int64)
    matrix = csr_array((each, rows, start), shape=(len(start) - 1, counts.shape[0]))
    found = matrix @ counts
    plain: NDArray[np.int64] = found if isinstance(found, np.ndarray) else found.toarray()
    return plain
