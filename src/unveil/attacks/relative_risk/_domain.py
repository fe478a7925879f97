# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The domain R: which tuples of quasi-identifiers exist. The result depends on it.

*Observed*: the tuples of the original table, which the attacker is then assumed to know.
*Product*: every combination of the columns' values; numbered only where that is feasible.
*Covered*: the tuples that the groups of the release cover together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._boxes import Boxes, compiled, inner, starts
from unveil.errors import InputError, Option
from unveil.microdata import Layers, Lookup, Sets

DomainName: TypeAlias = Literal["observed", "product", "covered"]

Members: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32]]
"""``(start, members)``: the tuples of set g are ``members[start[g]:start[g + 1]]``, ascending."""

# The most tuples of all boxes together that are enumerated, at about 100 bytes each. A product
# needs no enumeration; the size of what is covered is known only after one.
_MOST_NUMBERED, _MOST_COVERED = 8_000_000, 16_000_000
_MOST_SCANNED = 2**26  # pairs of a box and a tuple; of more, boxes are looked up if possible
_LOOKED_UP = 8  # the tuples of a box up to this volume are looked up one by one
_TOO_LARGE = 2**62  # for one int64 key per tuple


class TooManyCoveredError(InputError):
    """The release covers too many tuples to count them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Domain:
    """The tuples that exist.

    Attributes
    ----------
    name : {"observed", "product", "covered"}
    sizes : array
        The number of values of each column.
    size : int
        The number of tuples.
    codes : array (columns × tuples), optional
        The numbered tuples, distinct and sorted: all that a record of the release may have. None
        if they are too many.
    """

    name: DomainName
    sizes: NDArray[np.int64]
    size: int
    codes: NDArray[np.int32] | None

    @property
    def numbered(self) -> NDArray[np.int32]:
        """The numbered tuples; none if they are too many."""
        return np.zeros((len(self.sizes), 0), np.int32) if self.codes is None else self.codes

    def find(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """The numbers of tuples (columns × tuples); -1 for those that have none."""
        assert self.codes is not None
        if _product(self.sizes) >= _TOO_LARGE:
            return _find_by_sorting(self.codes, codes)
        keys, wanted = self._keys, codes.T @ _strides(self.sizes)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        # A code that the column does not have could give the key of another tuple.
        inside = ((codes >= 0) & (codes < self.sizes[:, None])).all(axis=0)
        return np.where(inside & (keys[place] == wanted), place, -1).astype(np.int64)

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """One number per tuple; ascending, as the tuples are sorted."""
        assert self.codes is not None
        return np.asarray(self.codes.T @ _strides(self.sizes), dtype=np.int64)

    def has(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether tuples (columns × tuples) are in the domain."""
        if self.name == "product":
            inside = (codes >= 0) & (codes < self.sizes[:, None])
            return np.asarray(inside.all(axis=0))
        return self.find(codes) >= 0


def observed_domain(codes: NDArray[np.int32], sizes: NDArray[np.int64]) -> Domain:
    """The tuples of a table (columns × records)."""
    distinct, _ = tuples_once(codes)
    return Domain(name="observed", sizes=sizes, size=distinct.shape[1], codes=distinct)


def product_domain(boxes: Boxes, sizes: NDArray[np.int64]) -> tuple[Domain, Members | None]:
    """All combinations of the columns' values; those in boxes are numbered, if not too many."""
    size = _product(sizes)
    if size >= _TOO_LARGE or boxes.volumes.sum() > _MOST_NUMBERED:
        return Domain(name="product", sizes=sizes, size=size, codes=None), None
    codes, members = _written_out(boxes, sizes)
    return Domain(name="product", sizes=sizes, size=size, codes=codes), members


def covered_domain(boxes: Boxes, sizes: NDArray[np.int64]) -> tuple[Domain, Members]:
    """The tuples that the boxes cover together."""
    tuples = boxes.volumes.sum()
    if _product(sizes) >= _TOO_LARGE or tuples > _MOST_COVERED:
        raise TooManyCoveredError(
            "the groups of the release cover {tuples} tuples in all, counted once per group: too "
            "many to find the distinct ones; use {product}, or {observed} if the original table "
            "may be used",
            tuples=f"{tuples:,.0f}", product=Option("domain", "product"),
            observed=Option("domain", "observed"),
        )  # fmt: skip
    codes, members = _written_out(boxes, sizes)
    return Domain(name="covered", sizes=sizes, size=codes.shape[1], codes=codes), members


def _written_out(boxes: Boxes, sizes: NDArray[np.int64]) -> tuple[NDArray[np.int32], Members]:
    strides = _strides(sizes)
    start = starts(boxes.volumes)
    keys = np.empty(start[-1], dtype=np.int64)
    _product_keys(boxes.region, boxes.start, boxes.members, strides, start, keys)
    distinct, members = np.unique(keys, return_inverse=True)
    codes = (distinct[None, :] // strides[:, None]) % sizes[:, None]
    return codes.astype(np.int32), (start, members.ravel().astype(np.int32))


def members_of(boxes: Boxes, domain: Domain) -> Members:
    """The tuples of a numbered domain that lie in each box.

    The tuples of small boxes are looked up in the domain: scanning all tuples for each of a
    million boxes of one tuple each would take minutes.
    """
    assert domain.codes is not None
    few = boxes.volumes <= _LOOKED_UP
    # Without the original table and without victims the domain may be empty.
    if not domain.codes.shape[1] or _product(domain.sizes) >= _TOO_LARGE:
        few[:] = False
    parts = [(few, _looked_up(boxes, domain, few)), (~few, _scanned(boxes, domain, ~few))]
    counts = np.zeros(boxes.number, dtype=np.int64)
    for which, (begins, _) in parts:
        counts[which] = np.diff(begins)
    start = starts(counts)
    found = np.empty(start[-1], dtype=np.int32)
    for which, (begins, members) in parts:
        shift = np.repeat(start[:-1][which] - begins[:-1], np.diff(begins))
        found[np.arange(len(members)) + shift] = members
    return start, found


def _looked_up(boxes: Boxes, domain: Domain, which: NDArray[np.bool_]) -> Members:
    """Enumerate all tuples of some boxes, and keep those of the domain."""
    volumes = boxes.volumes[which].astype(np.int64)
    begins = starts(volumes)
    keys = np.empty(begins[-1], dtype=np.int64)
    region = np.ascontiguousarray(boxes.region[which])
    _product_keys(region, boxes.start, boxes.members, _strides(domain.sizes), begins, keys)
    place = np.minimum(np.searchsorted(domain._keys, keys), len(domain._keys) - 1)
    there = domain._keys[place] == keys
    box = np.repeat(np.arange(len(volumes)), volumes)[there]
    counts = np.bincount(box, minlength=len(volumes))
    start = starts(counts)
    return start, place[there].astype(np.int32)


def _scanned(boxes: Boxes, domain: Domain, which: NDArray[np.bool_]) -> Members:
    """Scan all tuples of the domain for some boxes, many at a time."""
    offset = starts(domain.sizes)
    region = np.ascontiguousarray(boxes.region[which])
    start = np.zeros(len(region) + 1, dtype=np.int64)
    found = np.empty(0, dtype=np.int32)
    if not len(region):
        return start, found
    assert domain.codes is not None
    if len(region) * domain.codes.shape[1] > _MOST_SCANNED:
        lookup = _lookup(boxes, domain, region)
        if lookup is not None:
            return _by_box(lookup, domain.codes)
    codes = np.ascontiguousarray(domain.codes)  # one memory layout: compiled once
    for _ in range(2):  # first how many, then which
        n = _covered_tuples(region, boxes.start, boxes.members, codes, offset, start, found)
        found = np.empty(n, dtype=np.int32) if len(found) == 0 else found
    return start, found


def _lookup(boxes: Boxes, domain: Domain, region: NDArray[np.integer]) -> Lookup | None:
    """The boxes to be found by tuples; None where their regions overlap in too many ways."""
    columns = []
    for size, ours in zip(domain.sizes.tolist(), region.T, strict=True):
        distinct, which = np.unique(ours, return_inverse=True)
        lists = [boxes.codes(x) for x in distinct]
        regions = Sets(starts([len(one) for one in lists]), np.concatenate(lists).astype(np.int32))
        layers = Layers.of(regions, size)
        if layers is None:
            return None
        columns.append(layers.take(which.ravel()))
    return Lookup.over(tuple(columns))


def _by_box(lookup: Lookup, codes: NDArray[np.int32]) -> Members:
    begins, box = lookup.covering(codes)
    number = np.repeat(np.arange(codes.shape[1], dtype=np.int32), np.diff(begins))
    order = np.argsort(box, kind="stable")
    return starts(np.bincount(box, minlength=lookup.classes)), number[order]


def tuples_once(codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The distinct tuples (columns × records), sorted, and the tuple of each record."""
    order = np.lexsort(codes[::-1])
    ordered = codes[:, order]
    new = np.ones(codes.shape[1], dtype=bool)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    which = np.empty(codes.shape[1], dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return np.ascontiguousarray(ordered[:, new], dtype=np.int32), which


def _find_by_sorting(codes: NDArray[np.int32], wanted: NDArray[np.int32]) -> NDArray[np.int64]:
    """The positions of tuples in a list of distinct ones; -1 for those that are not in it."""
    both, number = tuples_once(np.hstack([codes, wanted]))
    places = np.full(both.shape[1], -1, dtype=np.int64)
    known = codes.shape[1]
    places[number[:known]] = np.arange(known)
    return places[number[known:]]


def _strides(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.cumprod(sizes[:0:-1])[::-1], [1]]).astype(np.int64)


def _product(sizes: NDArray[np.int64]) -> int:
    return math.prod(int(one) for one in sizes)


# Kernels --------------------------------------------------------------------------------------

_WORDS = 64  # of 64 tuples each, scanned together
_PLACE_OF_BIT = np.zeros(64, np.int64)  # by the top six bits of the bit times _SPREAD
_SPREAD = np.uint64(0x03F79D71B4CB0A89)
for _bit in range(64):
    _PLACE_OF_BIT[(int(_SPREAD) << _bit) % 2**64 >> 58] = _bit


@inner
def _mark(region, start, members, codes, from_tuple, offset, of_value, of_region):
    """Mark as bits which of some tuples have each value, and which lie in each region."""
    columns, n = codes.shape
    of_value.fill(0)
    for c in range(columns):
        for t in range(from_tuple, min(n, from_tuple + 64 * _WORDS)):
            word, bit = (t - from_tuple) >> 6, np.uint64((t - from_tuple) & 63)
            of_value[offset[c] + codes[c, t], word] |= np.uint64(1) << bit
    of_region.fill(0)
    done = np.zeros(len(of_region), np.bool_)
    for box in range(len(region)):
        for c in range(columns):
            x = region[box, c]
            if done[x]:
                continue
            done[x] = True
            for i in range(start[x], start[x + 1]):
                for word in range(_WORDS):
                    of_region[x, word] |= of_value[offset[c] + members[i], word]


@compiled()
def _covered_tuples(region, start, members, codes, offset, begins, found):
    """List the tuples (``codes``: columns × tuples) that lie in each box, ascending.

    ``offset`` is where each column begins in a list of the values of all columns. The lists are
    written to ``found`` from ``begins`` on; if ``found`` is empty, only ``begins`` is computed.
    Returns the number of entries.
    """
    boxes, columns = region.shape
    of_value = np.empty((offset[columns], _WORDS), np.uint64)
    of_region = np.empty((len(start) - 1, _WORDS), np.uint64)
    cursor, counted = begins.copy(), np.zeros(boxes, np.int64)
    for from_tuple in range(0, codes.shape[1], 64 * _WORDS):
        _mark(region, start, members, codes, from_tuple, offset, of_value, of_region)
        for box in range(boxes):
            for word in range(_WORDS):
                bits = of_region[region[box, 0], word]
                for c in range(1, columns):
                    bits &= of_region[region[box, c], word]
                while bits != 0:
                    lowest = bits & (~bits + np.uint64(1))
                    bits ^= lowest
                    counted[box] += 1
                    if len(found) > 0:
                        bit = _PLACE_OF_BIT[(lowest * _SPREAD) >> np.uint64(58)]
                        found[cursor[box]] = from_tuple + 64 * word + bit
                        cursor[box] += 1
    begins[0] = 0
    for box in range(boxes):
        begins[box + 1] = begins[box] + counted[box]
    return begins[boxes]


@compiled()
def _product_keys(region, start, members, strides, begins, keys):
    """The keys of all tuples of each box, box after box."""
    columns = region.shape[1]
    place = np.zeros(columns, np.int64)
    for box in range(len(region)):
        place[:] = 0
        for at in range(begins[box], begins[box + 1]):
            key = np.int64(0)
            for c in range(columns):
                key += strides[c] * members[start[region[box, c]] + place[c]]
            keys[at] = key
            c = columns - 1
            while c >= 0:  # the next tuple, the last column running fastest
                place[c] += 1
                if place[c] < start[region[box, c] + 1] - start[region[box, c]]:
                    break
                place[c] = 0
                c -= 1
