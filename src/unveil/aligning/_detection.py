"""How a published column was coarsened: the words are tried, the most specific first.

A reading is claimed only if it holds for all matched rows. Where none does, the best one is told
with the number of rows that disagree, and nothing is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.aligning._evidence import Explanation, Joint, Match, explained, hidden_texts, matched_by
from unveil.aligning._figures import Numbers, Pairs, age_words, number_words, numbers_in
from unveil.aligning._sheets import Cells, View
from unveil.microdata import Column, Hierarchy, Kind, Role
from unveil.microdata.coarsening import Coarsening, parse_how

_PERIODS = ("year", "month", "quarter", "decade")
_FILLERS = "*xX#?_.-–•… "


@dataclass(frozen=True, eq=False)
class PairOfColumns:
    """A column of the original and a published one, tried as a pair.

    Attributes
    ----------
    o, p : Cells
    joint : Joint, optional
        Which texts occur together; None if rows do not correspond.
    tree : Hierarchy, optional
        Of the original's column.
    """

    o: Cells
    p: Cells
    joint: Joint | None = None
    tree: Hierarchy | None = None

    @cached_property
    def hidden(self) -> NDArray[np.bool_]:
        """Which published texts hide a value."""
        return hidden_texts(self.o, self.p)

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Which published texts say something."""
        return ~self.hidden & ~self.p.blank

    @cached_property
    def numbers(self) -> list[Numbers]:
        """The published texts as numbers."""
        return numbers_in(self.p.texts, self.usable)

    def explanations(self) -> Iterator[Explanation]:
        """How each reading fits the matched rows."""
        assert self.joint is not None
        for match in self.matches():
            found = explained(match, self.o, self.joint)
            yield found.costing(_cost(match, self.joint)) if match.table is not None else found

    def matches(self) -> Iterator[Match]:
        """The readings that the texts allow, the most specific first."""
        if not self.usable.any():
            return
        yield from self._unchanged()
        if self.joint is None or self.joint.is_function:
            for words, view in self._words():
                match = matched_by(parse_how(words), view, self.p.texts, self.usable)
                if match is not None:
                    yield match
            yield from self._levels()
        yield from self._as_written()
        if self.joint is not None and self.joint.is_function:
            yield from self._table(self.joint)

    def _unchanged(self) -> Iterator[Match]:
        """Equal texts, numbers or dates."""
        how, text = parse_how("unchanged"), self.o.views[0]
        yield _by_keys(how, text, [None if blank else canon for blank, canon in
                                   zip(self.o.blank.tolist(), self.o.canon, strict=True)],
                       [canon if use else None for use, canon in
                        zip(self.usable.tolist(), self.p.canon, strict=True)])  # fmt: skip
        for one in self.o.views[1:]:
            for other in self.p.views[1:]:
                if one.kind == other.kind and (one.form, other.form) != (None, None):
                    yield _by_keys(how, one, _values(one), _values(other))

    def _words(self) -> Iterator[tuple[str, View]]:
        """Words to try, each with the way to read the original."""
        for view in self.o.views:
            if view.kind == "date":
                yield from ((word, view) for word in _PERIODS)
                yield from ((words, view) for words in self._ages(view))
            elif view.kind == "number":
                for words in self._of_numbers(view):
                    yield words, view
        for length in self._lengths():
            yield f"prefix {length}", self.o.views[0]

    def _ages(self, view: View) -> Iterator[str]:
        if self.joint is not None and len(self.joint.o):
            values = view.column.values[view.place[self.joint.o]]
            yield from age_words(values, self.joint.p, self.p.texts, self.usable)

    def _of_numbers(self, view: View) -> Iterator[str]:
        values = view.column.positions
        for numbers in self.numbers:
            if self.joint is None:
                pairs = Pairs(values, numbers.value[self.usable], together=False)
            else:
                pairs = Pairs(values[view.place[self.joint.o]], numbers.value[self.joint.p],
                              together=True)  # fmt: skip
            if len(pairs.v) and np.isfinite(pairs.c).any():
                yield from number_words(pairs, numbers)
                if _are_years(values):
                    yield "decade"

    def _lengths(self) -> list[int]:
        """Lengths of beginnings; of numbers only if all have equally many digits."""
        texts = self.o.filled_texts
        lengths = {len(text) for text in texts}
        longest = max(lengths, default=0)
        if self.o.view("number") is not None and (len(lengths) > 1 or longest < 3):
            return []
        found = []
        for fillers in (_FILLERS, "*"):
            stripped = [text.rstrip(fillers) for text, use in
                        zip(self.p.texts, self.usable.tolist(), strict=True) if use]  # fmt: skip
            length = max(map(len, stripped), default=0)
            if 0 < length < longest and length not in found:
                found.append(length)
        return found

    def _levels(self) -> Iterator[Match]:
        if self.tree is None or not set(self.o.filled_texts) <= set(self.tree.leaves):
            return
        leaves = np.array([*self.tree.leaves, None], dtype=object)[:-1]
        column = Column(
            name=self.o.name, role=Role.OTHER, kind=Kind.CATEGORICAL,
            codes=np.zeros(0, dtype=np.int32), values=leaves, hierarchy=self.tree,
        )  # fmt: skip
        texts = zip(self.o.texts, self.o.blank.tolist(), strict=True)
        leaf = [-1 if blank else self.tree.leaf(text) for text, blank in texts]
        place = np.array(leaf, dtype=np.int64)
        for level in range(1, self.tree.depth - 1):
            match = matched_by(parse_how(f"level {level}"), View(column, place), self.p.texts,
                               self.usable)  # fmt: skip
            if match is not None:
                yield match

    def _as_written(self) -> Iterator[Match]:
        """Bands of numbers and dates; sets, lists and masks of texts."""
        for view in (*self.o.views[1:], self.o.views[0]):
            how = parse_how("set" if view.kind == "text" else "bands")
            match = matched_by(how, view, self.p.texts, self.usable)
            if match is not None:
                yield match

    def _table(self, joint: Joint) -> Iterator[Match]:
        """What each value is published as, learned from the rows."""
        key = np.arange(len(self.p.texts), dtype=np.int64)
        way = np.full(len(self.o.texts), -1, dtype=np.int64)
        way[joint.o] = joint.p
        values: dict[str, list[str]] = {}
        for o, p in zip(joint.o.tolist(), joint.p.tolist(), strict=True):
            values.setdefault(self.p.texts[p], []).append(self.o.texts[o])
        merged = any(len(one) > 1 for one in values.values())
        yield Match(
            how=parse_how("set" if merged else "recoded"), view=self.o.views[0], ways=(way,),
            key=key, table={text: tuple(sorted(one)) for text, one in sorted(values.items())},
        )  # fmt: skip


def _cost(match: Match, joint: Joint) -> float:
    """Bits that it takes to write a table down."""
    texts = len(np.unique(joint.p))
    return len(np.unique(joint.o)) * math.log2(max(texts, 2))


def _by_keys(how: Coarsening, view: View, ours: list[object], theirs: list[object]) -> Match:
    number = {one: i for i, one in enumerate(dict.fromkeys(one for one in ours if one is not None))}
    way = np.array([number.get(one, -1) for one in ours], dtype=np.int64)
    key = np.array([number.get(one, -1) for one in theirs], dtype=np.int64)
    return Match(how=how, view=view, ways=(way,), key=key)


def _values(view: View) -> list[object]:
    values = [value.isoformat() if hasattr(value, "isoformat") else value
              for value in view.column.values.tolist()]  # fmt: skip
    return [None if place < 0 else values[place] for place in view.place.tolist()]


def _are_years(values: NDArray[np.float64]) -> bool:
    return bool(len(values)) and bool(((values >= 1800) & (values <= 2100)).all())
