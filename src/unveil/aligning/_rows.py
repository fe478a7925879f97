"""Whose row is whose: by their order, by a key, or by nothing.

A correspondence of rows is claimed if columns agree under it far more often than chance would let
them. Readings are used that need no rows: equal values, the year of a date, bands as they are
written. Each is compared with what rows drawn at random would give.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.aligning._detection import PairOfColumns
from unveil.aligning._relations import (
    SPREAD,
    USELESS,
    Evidence,
    Relation,
    named_relations,
    relations,
)
from unveil.aligning._result import Rows
from unveil.aligning._sheets import Sheet
from unveil.errors import Column, File, InputError, Message, Option, Text

_ALONE = 0.9
_SEED = 20240229
_PATTERNS = 64
_COVERED = 0.95


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
    match = next(pair.matches(), None)  # none where a column is empty, or is of other values
    of = np.full(len(p.codes), -1) if match is None else _row_of(
        Relation(o, p, match, pair.usable)
    )  # fmt: skip
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
        fits = one.is_by_keys and one.excess == 0 and one.chance < USELESS and not one.is_counter
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
    if matched < _COVERED * theirs or matched - float(chance) < SPREAD * spread:
        return None
    return Rows(
        kind="shuffled", matched=matched, only_original=ours - matched,
        only_published=theirs - matched,
        reason=Message("the combinations of {n:column} in {matched} of {rows} published rows are "
                       "in the original ({chance} would be by chance); they are in another order",
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
