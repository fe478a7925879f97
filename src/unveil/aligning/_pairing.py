"""Which column of the original a published column was made from, and how.

By rows, if they correspond: of all columns whose values explain the published ones, the one whose
name agrees is taken, then the one that needs no table, then the one that explains most. Without
rows, values and their numbers must fit, and less is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.aligning._detection import PairOfColumns
from unveil.aligning._evidence import CERTAIN, LIKELY, Explanation, Joint, Match, joint_of
from unveil.aligning._names import NAMED, SAME, likeness
from unveil.aligning._relations import Relation
from unveil.aligning._sheets import Cells, Sheet
from unveil.errors import Message, Text
from unveil.microdata import Hierarchy

_ALIKE = 0.05
_FEW_DIFFER = 0.5
_NEAR = 0.5  # rank correlation of numbers that were disturbed
_MANY_KEYS = 3
_SOME = 2_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairing:
    """A published column, and what it was made from.

    Attributes
    ----------
    p : Cells
    o : Cells, optional
        None: it is new.
    how : str
    reason : str or Message
    joint : Joint, optional
    match : Match, optional
    disagree : int
    forms : tuple of str
        The forms of the original's dates or numbers under which ``how`` holds.
    others : tuple of str
        Other columns of the original that fit as well.
    likeness : float
    doubtful : bool
        Whether it must be asked which column it was made from.
    """

    p: Cells
    o: Cells | None
    how: str
    reason: Text
    joint: Joint | None = None
    match: Match | None = None
    disagree: int = 0
    forms: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    likeness: float = 0.0
    doubtful: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidate:
    """One column of the original for a published one."""

    o: Cells
    likeness: float
    how: str
    match: Match | None
    joint: Joint | None
    bits: float
    holds: bool
    disagree: int = 0
    rows: int = 0
    forms: tuple[str, ...] = ()
    reason: Text = ""

    @property
    def merit(self) -> float:
        """How well names and values speak for it."""
        named = self.likeness if self.likeness >= NAMED else 0.0
        if self.how == "unchanged":
            return named + 0.6
        return named + (0.4 if self.match is not None and self.match.table is None else 0.0)


@dataclass(frozen=True, eq=False)
class Pairs:
    """The columns of two files, and how their rows correspond."""

    original: Sheet
    published: Sheet
    of: NDArray[np.int64] | None
    rename: Mapping[str, str]
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    shuffled: bool = False

    @cached_property
    def _some(self) -> NDArray[np.int64] | None:
        """The correspondence of some of the rows, if there are many."""
        if self.of is None or len(self.of) <= 2 * _SOME:
            return None
        some = np.full(len(self.of), -1, dtype=np.int64)
        places = np.arange(0, len(self.of), len(self.of) // _SOME)
        some[places] = self.of[places]
        return some

    def pairings(self) -> list[Pairing]:
        """What each published column was made from."""
        return [self._pairing(p) for p in self.published.columns.values()]

    def _pairing(self, p: Cells) -> Pairing:
        said = self.rename.get(p.name)
        ours = self.original.columns if said is None else {said: self.original.columns[said]}
        found = [one for o in ours.values() for one in self._candidates(o, p, said is not None)]
        holding = sorted((one for one in found if one.holds),
                         key=lambda one: (one.merit, one.bits), reverse=True)  # fmt: skip
        named = sorted((one for one in found if not one.holds),
                       key=lambda one: (one.likeness, -one.disagree), reverse=True)  # fmt: skip
        if holding and not (named and named[0].likeness >= SAME and holding[0].bits < CERTAIN
                            and holding[0].likeness < NAMED):  # fmt: skip
            best = holding[0]
            others = tuple(one.o.name for one in holding[1:]
                           if best.likeness < NAMED and one.merit > best.merit - _ALIKE
                           and one.match is not None and one.match.table is None)  # fmt: skip
            return _paired(p, best, others)
        if named:
            return _paired(p, named[0], ())
        return Pairing(p=p, o=None, how="suppressed" if not _usable(p).any() else "new",
                       reason="no column of the original explains it")  # fmt: skip

    def _candidates(self, o: Cells, p: Cells, declared: bool) -> Iterator[Candidate]:
        alike = 1.0 if declared else likeness(o.name, p.name)
        found = (self._by_counts if self.of is None else self._by_rows)(o, p, alike)
        if found is not None:
            yield found

    def _by_rows(self, o: Cells, p: Cells, alike: float) -> Candidate | None:
        """What the matched rows tell."""
        assert self.of is not None
        pair = PairOfColumns(o, p)
        if alike < NAMED and self._some is not None:
            some = joint_of(o, p, self._some, pair.hidden)
            if not some.is_function and not _is_notation(p, pair.usable):
                return None  # what does not hold for some rows does not hold for all
        joint = joint_of(o, p, self.of, pair.hidden)
        if not joint.rows:
            if alike < SAME:
                return None
            return _only_by_name(o, alike, joint, "all cells are hidden" if joint.hidden or
                                 joint.blanked else "no row has a value on both sides")  # fmt: skip
        if not joint.is_function and alike < NAMED and not _is_notation(p, pair.usable):
            return None
        pair = PairOfColumns(o, p, joint, self.trees.get(o.name))
        best: Explanation | None = None
        holding: dict[str | None, Explanation] = {}
        for one in pair.explanations():
            form = one.match.view.form
            if one.holds and _is_enough(one, alike):
                if not holding or (form is not None and form not in holding):
                    holding[form] = one
                if len(o.views) < 3 or form is None:
                    break
            elif one.match.table is None and (best is None or one.agree > best.agree):
                best = one
        if holding:
            first = next(iter(holding.values()))
            return Candidate(
                o=o, likeness=alike, how=first.words, match=first.match, joint=joint,
                bits=first.bits, holds=True, rows=first.rows,
                forms=tuple(form for form in holding if form is not None),
                reason=_holding(first, alike),
            )  # fmt: skip
        return None if alike < NAMED else self._inexact(o, p, alike, joint, best)

    def _inexact(
        self, o: Cells, p: Cells, alike: float, joint: Joint, best: Explanation | None
    ) -> Candidate | None:
        """A column of the same name whose values are not those of the rows."""
        if best is not None and best.holds:
            reason: Text = Message(
                "all {rows} rows agree with {how}, but that may be chance: {chance} rows would, "
                "drawn at random", rows=best.rows, how=f"'{best.words}'",
                chance=round(best.rows * best.chance),
            )  # fmt: skip
            return _disagreeing(o, alike, "unclear", joint, 0, reason)
        if best is not None and best.beyond_chance and best.agree >= _FEW_DIFFER:
            reason = Message(
                "{disagree} of {rows} rows do not agree with {how}, the best reading",
                disagree=best.disagree, rows=best.rows, how=f"'{best.words}'",
            )  # fmt: skip
            return _disagreeing(o, alike, "perturbed", joint, best.disagree, reason)
        near = _correlation(o, p, joint)
        if near is not None and near >= _NEAR and joint.rows >= 20:
            differ = joint.rows if best is None else best.disagree
            reason = Message("numbers near the original's, but others in {n} of {rows} rows",
                             n=differ, rows=joint.rows)  # fmt: skip
            return _disagreeing(o, alike, "perturbed", joint, differ, reason)
        if alike < SAME:
            return None
        differ = joint.rows if best is None else best.disagree
        reason = Message(
            "the name agrees, but no reading was found that holds for more rows than chance "
            "explains ({n} of {rows} disagree)", n=differ, rows=joint.rows,
        )  # fmt: skip
        return _disagreeing(o, alike, "unclear", joint, differ, reason)

    def _by_counts(self, o: Cells, p: Cells, alike: float) -> Candidate | None:
        """What values and their numbers of rows tell, where rows do not correspond."""
        pair = PairOfColumns(o, p, None, self.trees.get(o.name))
        told = int(p.counts[pair.usable].sum())
        if not told:
            return _only_by_name(o, alike, None, "all cells are hidden") if alike >= SAME else None
        slack = abs(self.original.n_rows - self.published.n_rows) + p.filled - told
        slack += len(p.codes) - p.filled
        for match in pair.matches():
            one = Relation(o, p, match, pair.usable)
            if one.excess and (self.published.n_rows <= self.original.n_rows or one.unread):
                continue
            if not one.is_by_keys:
                if match.how.is_computed and not self.shuffled:
                    continue  # nothing says that the rows are those of the original
                if alike >= NAMED and (match.shares(o)[pair.usable] > 0).all():
                    return self._counted(o, alike, match, "every text stands for some of its "
                                         "values; rows do not correspond", 0.0)  # fmt: skip
                continue
            ours, theirs = one.counts
            differ = int(np.abs(ours - theirs).sum())
            keys = int((theirs > 0).sum())
            surprise = _surprise(ours, theirs)
            if match.how.is_computed and not self.shuffled and surprise < LIKELY:
                continue  # likewise
            if alike < NAMED and (differ > slack or keys < _MANY_KEYS or surprise < LIKELY):
                continue
            reason = Message(
                "its {n:value} occur as often in both files{but}; rows do not correspond",
                n=keys, but=Message(", but for {differ} of {rows} rows", differ=differ, rows=told)
                if differ else "",
            )  # fmt: skip
            return self._counted(o, alike, match, reason, surprise)
        if alike < SAME:
            return None
        return Candidate(o=o, likeness=alike, how="unclear", match=None, joint=None, bits=0,
                         holds=False, reason="the name agrees, but more rows have some of its "
                         "values than in the original, or none has")  # fmt: skip

    def _counted(
        self, o: Cells, alike: float, match: Match, reason: Text, bits: float
    ) -> Candidate:
        form = match.view.form
        return Candidate(
            o=o, likeness=alike, how=str(match.how), match=match, joint=None, bits=bits,
            holds=True, forms=() if form is None else (form,), reason=reason,
        )  # fmt: skip


def _paired(p: Cells, best: Candidate, others: tuple[str, ...]) -> Pairing:
    unsure = best.holds and best.likeness < NAMED and best.bits < CERTAIN / 2
    return Pairing(p=p, o=best.o, how=best.how, reason=best.reason, joint=best.joint,
                   doubtful=unsure or bool(others),
                   match=best.match, disagree=best.disagree, forms=best.forms, others=others,
                   likeness=best.likeness)  # fmt: skip


def _disagreeing(
    o: Cells, alike: float, how: str, joint: Joint, disagree: int, reason: Text
) -> Candidate:
    return Candidate(o=o, likeness=alike, how=how, match=None, joint=joint, bits=0, holds=False,
                     disagree=disagree, rows=joint.rows, reason=reason)  # fmt: skip


def _only_by_name(o: Cells, alike: float, joint: Joint | None, why: str) -> Candidate:
    hidden = why == "all cells are hidden"
    return Candidate(o=o, likeness=alike, how="suppressed" if hidden else "unclear", match=None,
                     joint=joint, bits=0, holds=False, reason=why)  # fmt: skip


def _usable(p: Cells) -> NDArray[np.bool_]:
    return PairOfColumns(Cells("", [], np.zeros(0, dtype=np.int32)), p).usable


def _is_notation(p: Cells, usable: NDArray[np.bool_]) -> bool:
    """Whether texts look like bands, sets or masks, which may overlap."""
    tried = p.sample(usable)
    return 2 * sum(not text.isalnum() for text in tried) >= len(tried)


def _is_enough(one: Explanation, alike: float) -> bool:
    """Whether a reading that holds is more than chance, given the names."""
    if one.bits >= CERTAIN:
        return True
    if alike >= NAMED and one.bits >= LIKELY:
        return True
    # What is written out needs no proof, if the names say what it is.
    return alike >= SAME and one.match.how.is_as_written and one.match.table is None


def _holding(one: Explanation, alike: float) -> Message:
    named = "the name agrees, and " if alike >= NAMED else ""
    return Message(
        "{named}all {rows} rows agree ({chance} would by chance)", named=named, rows=one.rows,
        chance=round(one.rows * one.chance),
    )  # fmt: skip


def _correlation(o: Cells, p: Cells, joint: Joint) -> float | None:
    """The rank correlation of two columns of numbers in the matched rows."""
    view, numbers = o.view("number"), PairOfColumns(o, p).numbers
    if view is None or not numbers:
        return None
    v = view.column.positions[view.place[joint.o]]
    c = numbers[0].value[joint.p]
    kept = np.isfinite(v) & np.isfinite(c)
    if kept.sum() < 3:
        return None
    ranks = [np.unique(one[kept], return_inverse=True)[1].astype(float) for one in (v, c)]
    if any(one.std() == 0 for one in ranks):
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _surprise(ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> float:
    """Bits that equal counts are worth: each of a count of c is right by chance once in √(2πc)."""
    equal = (ours == theirs) & (theirs > 0)
    return float(sum(math.log2(math.sqrt(2 * math.pi * n) + 1) for n in theirs[equal].tolist()))


def published_twice(pairings: Sequence[Pairing]) -> dict[str, str]:
    """Published columns of an original column that was published before, and which one."""
    first: dict[str, str] = {}
    found = {}
    for one in pairings:
        if one.o is None:
            continue
        if one.o.name in first:
            found[one.p.name] = first[one.o.name]
        first.setdefault(one.o.name, one.p.name)
    return found
