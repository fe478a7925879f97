"""Whose row is whose: by their order, by a key, or by nothing.

A correspondence of rows is claimed if columns agree under it far more often than chance would let
them. Readings are used that need no rows: equal values, the year of a date, bands as they are
written. Each is compared with what rows drawn at random would give.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.aligning._detection import PairOfColumns
from unveil.aligning._evidence import Match
from unveil.aligning._names import SAME, likeness
from unveil.aligning._result import Rows
from unveil.aligning._sheets import Cells, Sheet, View
from unveil.errors import Column, File, InputError, Message, Option, Text

_BITS = 13.0  # one chance in eight thousand
_SPREAD = 6.0  # standard deviations
_USELESS = 0.9  # columns in which chance alone lets so many rows agree
_ALONE = 0.9
_SEED = 20240229
_PATTERNS = 64
_COVERED = 0.95
_UNREAD = 0.05
_COMMON = 0.5
_BY_CHANCE = 3.0  # standard deviations


@dataclass(frozen=True, eq=False)
class Relation:
    """A reading of a published column that needs no rows."""

    o: Cells
    p: Cells
    match: Match
    usable: NDArray[np.bool_]

    @cached_property
    def chance(self) -> float:
        """The share of rows that agree by chance."""
        shares = self.match.shares(self.o)
        counts = np.where(self.usable, self.p.counts, 0)
        return float((shares * counts).sum() / max(counts.sum(), 1))

    @cached_property
    def is_counter(self) -> bool:
        """Whether both columns are numbers that only rise: then they say nothing of the order."""
        both = [cells.view("number") for cells in (self.o, self.p)]
        if str(self.match.how) != "unchanged" or None in both:
            return False
        return all(_rises(view, cells) for view, cells in zip(both, (self.o, self.p), strict=True))

    @property
    def is_by_keys(self) -> bool:
        """Whether cells do not overlap."""
        return self.match.spans is None and len(self.match.ways) == 1

    @cached_property
    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number of rows with each key, in the original and in the published file."""
        way, key = self.match.ways[0], np.where(self.usable, self.match.key, -1)
        size = int(max(way.max(initial=-1), key.max(initial=-1))) + 1
        ours = np.bincount(way[way >= 0], self.o.counts[way >= 0], size).astype(np.int64)
        theirs = np.bincount(key[key >= 0], self.p.counts[key >= 0], size).astype(np.int64)
        return ours, theirs

    @cached_property
    def unread(self) -> int:
        """Published cells that say something and are no cell of this reading."""
        if self.match.spans is not None:
            told = np.array([bool(one) for one in self.match.spans], dtype=bool)
        else:
            told = self.match.key >= 0
        return int(self.p.counts[self.usable & ~told].sum())

    @cached_property
    def excess(self) -> int:
        """Published cells beyond those that the original's rows can have."""
        if not self.is_by_keys:
            return self.unread
        ours, theirs = self.counts
        return int(np.maximum(theirs - ours, 0).sum()) + self.unread

    def keys_of_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The key of each row on both sides; -1 for none, -2 where the published cell is hidden."""
        way = np.append(self.match.ways[0], -1)[self.o.codes]
        key = np.append(np.where(self.usable, self.match.key, -2), -2)[self.p.codes]
        return way, key

    def agreement(self, of: NDArray[np.int64]) -> tuple[int, int]:
        """Rows that agree under a correspondence, and rows that can be compared."""
        rows = np.flatnonzero(of >= 0)
        here, there = self.p.codes[rows].astype(np.int64), self.o.codes[of[rows]].astype(np.int64)
        told = (here >= 0) & (there >= 0)
        told &= np.append(self.usable, False)[here]
        pairs, n = np.unique(there[told] * (len(self.p.texts) + 1) + here[told], return_counts=True)
        width = len(self.p.texts) + 1
        fits = self.match.fits(pairs // width, pairs % width)
        return int(n[fits].sum()), int(n.sum())

    def evidence(self, of: NDArray[np.int64], tried: int) -> Evidence | None:
        """What speaks for a correspondence, if it is more than chance."""
        agree, rows = self.agreement(of)
        if rows < 5 or self.chance >= _USELESS or self.is_counter:
            return None
        chance = max(self.chance, 1 / max(len(of), 2))
        # In sorted files neighbours are alike: what counts is how often the value changes. And
        # there are no more bits than orders.
        free = min(rows, self.runs)
        bits = min(-math.log2(chance) * free, math.lgamma(free + 1) / math.log(2))
        spread = math.sqrt(rows * chance * (1 - chance))
        beyond = (agree - rows * chance) / spread * math.sqrt(free / rows)
        certain = agree == rows and bits - math.log2(tried) >= _BITS
        if certain or (beyond >= _SPREAD and 2 * agree >= rows and free >= 20):
            return Evidence(self, agree, rows, chance, beyond)
        return None

    @cached_property
    def runs(self) -> int:
        """How often the published value changes from row to row."""
        return int(np.count_nonzero(np.diff(self.p.codes))) + 1

    def speaks_against(self, of: NDArray[np.int64]) -> bool:
        """Whether rows agree no more often than by chance, though the values are the same."""
        if self.excess or self.chance >= _COMMON or self.is_counter:
            return False
        agree, rows = self.agreement(of)
        free = min(rows, self.runs)
        spread = math.sqrt(max(rows * self.chance * (1 - self.chance), 1e-9))
        beyond = (agree - rows * self.chance) / spread * math.sqrt(free / max(rows, 1))
        return free >= 20 and beyond < _BY_CHANCE


@dataclass(frozen=True, eq=False)
class Evidence:
    """How many rows agree in a column, and how many would by chance."""

    relation: Relation
    agree: int
    rows: int
    chance: float
    beyond: float

    @property
    def said(self) -> Message:
        """In words."""
        return Message(
            "{agree} of {rows} rows agree in {column}, where chance gives {chance}",
            agree=self.agree, rows=self.rows, column=Column(self.relation.p.name),
            chance=round(self.rows * self.chance),
        )  # fmt: skip


def _rises(view: View | None, cells: Cells) -> bool:
    """Whether a column's numbers rise from row to row."""
    assert view is not None
    numbers = view.place[cells.codes[cells.codes >= 0]]
    return len(numbers) > 1 and bool((np.diff(numbers) > 0).all())


def relations(original: Sheet, published: Sheet) -> list[Relation]:
    """Readings of published columns that need no rows: the first that nearly fits each pair."""
    pairs = [(o, p) for p in published.columns.values() for o in original.columns.values()]
    return [one for o, p in pairs if (one := _relation(o, p)) is not None]


def named_relations(original: Sheet, published: Sheet) -> list[Relation]:
    """Those of columns whose names are the same: enough to see whether rows are in order."""
    pairs = [(o, p) for p in published.columns.values() for o in original.columns.values()
             if likeness(o.name, p.name) >= SAME]  # fmt: skip
    return [one for o, p in pairs if (one := _relation(o, p)) is not None]


def _relation(o: Cells, p: Cells) -> Relation | None:
    pair = PairOfColumns(o, p)
    usable = pair.usable
    filled = int(p.counts[usable].sum())
    for match in pair.matches() if filled else ():
        one = Relation(o, p, match, usable)
        if one.unread <= _UNREAD * filled and _meets(one, filled):
            return one
    return None


def _meets(one: Relation, filled: int) -> bool:
    """Whether nearly all published cells stand for some value of the original."""
    shares = one.match.shares(one.o)
    counts = np.where(one.usable, one.p.counts, 0)
    return float(counts[shares > 0].sum()) >= 0.8 * filled


def find_rows(original: Sheet, published: Sheet, key: str | None) -> Rows:
    """How the rows of two files correspond."""
    ours, theirs = original.n_rows, published.n_rows
    if key is not None:
        return _declared_key(original, published, key)
    same = _same_order(named_relations(original, published), ours, theirs)
    if same is not None:
        return same
    found = relations(original, published)
    same = _same_order(found, ours, theirs)
    if same is not None:
        return same
    for one in _keys(found):
        by_key = _by_key(one, found)
        if by_key is not None:
            return by_key
    if theirs < ours:
        in_order = _in_order(found, ours, theirs)
        if in_order is not None:
            return in_order
    return _shuffled(found, ours, theirs) or Rows(
        kind="unclear", matched=0, only_original=0, only_published=0,
        reason="no order, key or combination of columns agrees more often than by chance",
    )  # fmt: skip


def _same_order(found: Sequence[Relation], ours: int, theirs: int) -> Rows | None:
    """Row by row, if both files have equally many."""
    of = np.arange(theirs, dtype=np.int64)
    evidence = _best(found, of) if ours == theirs else None
    against = sum(one.speaks_against(of) for one in found) if evidence is not None else 0
    if evidence is None or against > sum(
        one.evidence(of, max(len(found), 1)) is not None for one in found
    ):
        return None
    return Rows(kind="same order", matched=theirs, only_original=0, only_published=0,
                reason=evidence.said, of=of)  # fmt: skip


def _best(found: Sequence[Relation], of: NDArray[np.int64]) -> Evidence | None:
    evidence = [one.evidence(of, max(len(found), 1)) for one in found]
    return max((one for one in evidence if one is not None), key=lambda e: e.beyond, default=None)


def _keys(found: Sequence[Relation]) -> Iterator[Relation]:
    """Columns on both sides that tell nearly all rows apart, and are equal."""
    for one in found:
        if str(one.match.how) != "unchanged" or not one.is_by_keys:
            continue
        if one.o.alone >= _ALONE and one.p.alone >= _ALONE and one.p.filled >= 2:
            yield one


def _row_of(one: Relation) -> NDArray[np.int64]:
    """For each published row the original's row with the same key, if both are alone with it."""
    ours, theirs = one.keys_of_rows()
    row_of = np.full(int(ours.max(initial=-1)) + 2, -1, dtype=np.int64)
    count = np.bincount(ours[ours >= 0], minlength=len(row_of))
    row_of[ours[ours >= 0]] = np.flatnonzero(ours >= 0)
    row_of[: len(count)][count > 1] = -1
    again = np.bincount(theirs[theirs >= 0], minlength=len(row_of)) > 1
    of = np.where(theirs >= 0, row_of[np.maximum(theirs, 0)], -1)
    of[(theirs >= 0) & again[np.maximum(theirs, 0)]] = -1
    return of


def _by_key(one: Relation, found: Sequence[Relation]) -> Rows | None:
    """Rows by a key, unless its values are numbers that other columns do not confirm."""
    of = _row_of(one)
    matched = int((of >= 0).sum())
    if 2 * matched < len(of):
        return None
    others = [other for other in found if other.p is not one.p and other.o is not one.o]
    evidence = _best(others, of)
    if evidence is None and (one.o.view("number") is not None or matched < 5):
        return None
    reason: Text = Message("{matched} of {rows} values of the key are in both files",
                           matched=matched, rows=len(of))  # fmt: skip
    if evidence is not None:
        reason = Message("{key}; {evidence}", key=reason, evidence=evidence.said)
    return Rows(
        kind="by key", matched=matched, only_original=len(one.o.codes) - matched,
        only_published=len(of) - matched, key=(one.o.name, one.p.name), reason=reason, of=of,
    )  # fmt: skip


def _declared_key(original: Sheet, published: Sheet, key: str) -> Rows:
    """Rows by the key that the user named."""
    original.source.check_has(key)
    published.source.check_has(key)
    o, p = original.columns[key], published.columns[key]
    pair = PairOfColumns(o, p)
    of = _row_of(Relation(o, p, next(pair.matches()), pair.usable))
    matched = int((of >= 0).sum())
    if not matched:
        raise InputError(
            "{option}: no value of {column} is once in {original} and once in {published}",
            option=Option("key"), column=Column(key), original=File(original.name, bare=True),
            published=File(published.name, bare=True),
        )  # fmt: skip
    return Rows(
        kind="by key", matched=matched, only_original=original.n_rows - matched,
        only_published=published.n_rows - matched, key=(key, key),
        reason=Message("{matched} of {rows} values of {key}, as declared, are in both files",
                       matched=matched, rows=len(of), key=Column(key)), of=of,
    )  # fmt: skip


def _joinable(found: Sequence[Relation], ours: int, theirs: int) -> list[Relation]:
    """For each published column the reading that its numbers of rows allow, and tells most."""
    best: dict[str, Relation] = {}
    for one in found:
        fits = one.is_by_keys and one.excess == 0 and one.chance < _USELESS and not one.is_counter
        if fits and (one.p.name not in best or one.chance < best[one.p.name].chance):
            best[one.p.name] = one
    used: dict[str, Relation] = {}
    for one in best.values():  # two published columns of one original say the same
        if one.o.name not in used or one.chance < used[one.o.name].chance:
            used[one.o.name] = one
    return list(used.values())


def _together(
    keys: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One key for several columns."""
    ours, theirs = keys[0]
    split = len(ours)
    both = np.concatenate([ours, theirs])
    for one, other in keys[1:]:
        more = np.concatenate([one, other])
        _, both = np.unique(both * (more.max() + 3) + more + 2, return_inverse=True)
        both = both.astype(np.int64)
    return both[:split], both[split:]


def _in_order(found: Sequence[Relation], ours: int, theirs: int) -> Rows | None:
    """The same order with rows missing in between."""
    used = _joinable(found, ours, theirs)
    for left_out in (None, *used):
        chosen = [one for one in used if one is not left_out]
        if len(chosen) < 1:
            continue
        keys = [one.keys_of_rows() for one in chosen]
        first = _embedded(keys, np.arange(ours))
        if first is None:
            continue
        # In another order of the original's rows, it must not be possible.
        shuffled = np.random.default_rng(_SEED).permutation(ours)
        if _embedded(keys, shuffled) is not None:
            return None
        last = _embedded([(one[::-1], other[::-1]) for one, other in keys], np.arange(ours))
        assert last is not None
        of = np.where(first == (ours - 1 - last[::-1]), first, -1)
        return Rows(
            kind="same order", matched=theirs, only_original=ours - theirs, only_published=0,
            reason=Message("all {rows} rows agree with rows in this order in {n:column}, and "
                           "with no other order that was tried", rows=theirs, n=len(chosen)),
            of=of,
        )  # fmt: skip
    return None


def _embedded(
    keys: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], order: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """The first row of the original, in an order, for each published row in turn; None if none."""
    rows = list(zip(*(one[order].tolist() for one, _ in keys), strict=True))
    wanted = list(zip(*(other.tolist() for _, other in keys), strict=True))
    of = np.empty(len(wanted), dtype=np.int64)
    at, spare = 0, len(rows) - len(wanted)
    for place, want in enumerate(wanted):
        while True:
            if at - place > spare:
                return None
            row = rows[at]
            at += 1
            if row == want or all(b in (-2, a) for a, b in zip(row, want, strict=True)):
                break
        of[place] = at - 1
    return of


def _shuffled(found: Sequence[Relation], ours: int, theirs: int) -> Rows | None:
    """Whether the published combinations of values are the original's, beyond chance."""
    if theirs > ours:
        return None
    used = _joinable(found, ours, theirs)
    if len(used) < 2:
        return None
    keys = [one.keys_of_rows() for one in used]
    matched = _covered(keys)
    random = np.random.default_rng(_SEED)
    chance = np.mean([
        _covered([(one, random.permutation(other)) for one, other in keys]) for _ in range(3)
    ])  # fmt: skip
    share = float(chance) / theirs
    spread = math.sqrt(max(theirs * share * (1 - share), 1.0))
    if matched < _COVERED * theirs or matched - float(chance) < _SPREAD * spread:
        return None
    return Rows(
        kind="shuffled", matched=matched, only_original=ours - matched,
        only_published=theirs - matched,
        reason=Message("the combinations of {n:column} in {matched} of {rows} published rows are "
                       "in the original, where chance gives {chance}; they are in another order",
                       n=len(used), matched=matched, rows=theirs, chance=round(float(chance))),
    )  # fmt: skip


def _covered(keys: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> int:
    """Published rows whose combination is in the original; hidden cells fit everything."""
    hidden = np.stack([other == -2 for _, other in keys])
    patterns, pattern_of = np.unique(hidden, axis=1, return_inverse=True)
    pattern_of = pattern_of.ravel()
    covered = 0
    for number in range(min(patterns.shape[1], _PATTERNS)):
        rows = np.flatnonzero(pattern_of == number)
        told = [pair for pair, is_hidden in zip(keys, patterns[:, number], strict=True)
                if not is_hidden]  # fmt: skip
        if not told:
            covered += len(rows)
            continue
        one, other = _together([(a, b[rows]) for a, b in told])
        covered += int(np.isin(other, one).sum())
    return covered
