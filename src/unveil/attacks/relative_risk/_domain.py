"""Which nonsensitive tuples there are at all: the R of the method, on which its result depends.

*Observed*: the tuples of the original table, which the attacker is then taken to know.
*Product*: every combination of the columns' values; numbered only where that is feasible.
*Covered*: what the release itself covers with its groups, all together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.relative_risk._boxes import Boxes
from unveil.attacks.relative_risk._kernels import covered_tuples, product_keys
from unveil.errors import InputError, did_you_mean

__all__ = [
    "DOMAINS",
    "Domain",
    "DomainName",
    "Members",
    "TooManyCoveredError",
    "checked_domain",
    "covered_domain",
    "members_of",
    "observed_domain",
    "product_domain",
    "tuples_once",
]

DomainName: TypeAlias = Literal["observed", "product", "covered"]
DOMAINS: tuple[DomainName, ...] = get_args(DomainName)

Members: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32]]
"""The tuples of each set: those of set g are ``members[start[g]:start[g + 1]]``, ascending."""

# Tuples of all boxes together that are written out, which takes some 100 bytes each. There is
# another way for products; what is covered can only be told by writing it out.
_MOST_NUMBERED, _MOST_COVERED = 8_000_000, 16_000_000
_LOOKED_UP = 8  # tuples of a box, at most, each of which is searched for in the domain


class TooManyCoveredError(InputError):
    """Nobody can tell how many tuples a release covers."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Domain:
    """The tuples that there are.

    Attributes
    ----------
    name : {"observed", "product", "covered"}
    sizes : array
        How many values each column has.
    size : int
        How many tuples there are.
    codes : array (columns × tuples), optional
        Those that are numbered, each once and in order: all that a record of the release may
        have. None where they are too many.
    """

    name: DomainName
    sizes: NDArray[np.int64]
    size: int
    codes: NDArray[np.int32] | None

    def find(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """The numbers of tuples (columns × tuples), -1 where they have none."""
        assert self.codes is not None
        if math.prod(int(one) for one in self.sizes) >= 2**62:
            return _find_by_sorting(self.codes, codes)
        keys, wanted = self._keys, codes.T @ _strides(self.sizes)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        # A code that the column does not have could make the key of another tuple.
        inside = ((codes >= 0) & (codes < self.sizes[:, None])).all(axis=0)
        return np.where(inside & (keys[place] == wanted), place, -1).astype(np.int64)

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """One number for each tuple; they ascend, as the tuples are in order."""
        assert self.codes is not None
        return np.asarray(self.codes.T @ _strides(self.sizes), dtype=np.int64)

    def has(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether tuples (columns × tuples) are in the domain."""
        if self.name == "product":
            inside = (codes >= 0) & (codes < self.sizes[:, None])
            return np.asarray(inside.all(axis=0))
        return self.find(codes) >= 0


def checked_domain(name: str) -> DomainName:
    """The name of a domain, if it is one."""
    for known in DOMAINS:
        if name == known:
            return known
    raise InputError(
        f"domain must be 'observed', 'product' or 'covered', but got {name!r}"
        f"{did_you_mean(str(name), DOMAINS)}"
    )


def observed_domain(codes: NDArray[np.int32], sizes: NDArray[np.int64]) -> Domain:
    """The tuples of a table (columns × records)."""
    distinct, _ = tuples_once(codes)
    return Domain(name="observed", sizes=sizes, size=distinct.shape[1], codes=distinct)


def product_domain(boxes: Boxes, sizes: NDArray[np.int64]) -> tuple[Domain, Members | None]:
    """All combinations of the columns' values; numbered are those in boxes, if not too many."""
    size = math.prod(int(one) for one in sizes)
    if size >= 2**62 or boxes.volumes.sum() > _MOST_NUMBERED:
        return Domain(name="product", sizes=sizes, size=size, codes=None), None
    codes, members = _written_out(boxes, sizes)
    return Domain(name="product", sizes=sizes, size=size, codes=codes), members


def covered_domain(boxes: Boxes, sizes: NDArray[np.int64]) -> tuple[Domain, Members]:
    """What the boxes cover, all together."""
    tuples = boxes.volumes.sum()
    if math.prod(int(one) for one in sizes) >= 2**62 or tuples > _MOST_COVERED:
        raise TooManyCoveredError(
            f"the groups of the release cover {tuples:,.0f} tuples in all, those of several "
            f"counted again, which are too many to tell how many they are together; take "
            "domain='product', or domain='observed' if the original table may be used"
        )
    codes, members = _written_out(boxes, sizes)
    return Domain(name="covered", sizes=sizes, size=codes.shape[1], codes=codes), members


def _written_out(boxes: Boxes, sizes: NDArray[np.int64]) -> tuple[NDArray[np.int32], Members]:
    strides = _strides(sizes)
    start = np.concatenate([[0], np.cumsum(boxes.volumes)]).astype(np.int64)
    keys = np.empty(start[-1], dtype=np.int64)
    product_keys(boxes.region, boxes.start, boxes.members, strides, start, keys)
    distinct, members = np.unique(keys, return_inverse=True)
    codes = (distinct[None, :] // strides[:, None]) % sizes[:, None]
    return codes.astype(np.int32), (start, members.ravel().astype(np.int32))


def members_of(boxes: Boxes, domain: Domain) -> Members:
    """Which tuples of a domain that is written out lie in each box.

    Those of small boxes are looked up: to look at all tuples for each of a million boxes that are
    one tuple each would take minutes.
    """
    assert domain.codes is not None
    few = boxes.volumes <= _LOOKED_UP
    # Without the original, and nobody asked about, there may be no tuple to look up.
    if not domain.codes.shape[1] or math.prod(int(one) for one in domain.sizes) >= 2**62:
        few[:] = False
    parts = [(few, _looked_up(boxes, domain, few)), (~few, _gone_through(boxes, domain, ~few))]
    counts = np.zeros(len(boxes), dtype=np.int64)
    for which, (begins, _) in parts:
        counts[which] = np.diff(begins)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    found = np.empty(start[-1], dtype=np.int32)
    for which, (begins, members) in parts:
        shift = np.repeat(start[:-1][which] - begins[:-1], np.diff(begins))
        found[np.arange(len(members)) + shift] = members
    return start, found


def _looked_up(boxes: Boxes, domain: Domain, which: NDArray[np.bool_]) -> Members:
    """All tuples of some boxes are written out, and those kept that the domain has."""
    volumes = boxes.volumes[which].astype(np.int64)
    begins = np.concatenate([[0], np.cumsum(volumes)]).astype(np.int64)
    keys = np.empty(begins[-1], dtype=np.int64)
    region = np.ascontiguousarray(boxes.region[which])
    product_keys(region, boxes.start, boxes.members, _strides(domain.sizes), begins, keys)
    place = np.minimum(np.searchsorted(domain._keys, keys), len(domain._keys) - 1)
    there = domain._keys[place] == keys
    box = np.repeat(np.arange(len(volumes)), volumes)[there]
    counts = np.bincount(box, minlength=len(volumes))
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return start, place[there].astype(np.int32)


def _gone_through(boxes: Boxes, domain: Domain, which: NDArray[np.bool_]) -> Members:
    """All tuples of the domain are looked at for some boxes, many at a time."""
    offset = np.concatenate([[0], np.cumsum(domain.sizes)]).astype(np.int64)
    region = np.ascontiguousarray(boxes.region[which])
    start = np.zeros(len(region) + 1, dtype=np.int64)
    found = np.empty(0, dtype=np.int32)
    if not len(region):
        return start, found
    codes = np.ascontiguousarray(domain.codes)  # one kind of array: compiled once
    for _ in range(2):  # how many first, then which
        n = covered_tuples(region, boxes.start, boxes.members, codes, offset, start, found)
        found = np.empty(n, dtype=np.int32) if len(found) == 0 else found
    return start, found


def tuples_once(codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Tuples (columns × records), each once and in order, and which of them each record has."""
    order = np.lexsort(codes[::-1])
    ordered = codes[:, order]
    new = np.ones(codes.shape[1], dtype=bool)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    which = np.empty(codes.shape[1], dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return np.ascontiguousarray(ordered[:, new], dtype=np.int32), which


def _find_by_sorting(codes: NDArray[np.int32], wanted: NDArray[np.int32]) -> NDArray[np.int64]:
    """The places of tuples among others, which are all different; -1 where they are not."""
    both, number = tuples_once(np.hstack([codes, wanted]))
    places = np.full(both.shape[1], -1, dtype=np.int64)
    known = codes.shape[1]
    places[number[:known]] = np.arange(known)
    return places[number[known:]]


def _strides(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.cumprod(sizes[:0:-1])[::-1], [1]]).astype(np.int64)
