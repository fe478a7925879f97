"""How a published column was coarsened: the words are tried, the most specific first.

A reading is claimed only if it holds for all matched rows. Where none does, the best one is told
with the number of rows that disagree, and nothing is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
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
        known = self.p.as_numbers
        place = self.usable.tobytes()
        if place not in known:
            known[place] = numbers_in(self.p.texts, self.usable)
        found: list[Numbers] = known[place]
        return found

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
        if self.joint is None or self.joint.is_nearly_function:
            for words, view in self._words():
                match = matched_by(parse_how(words), view, self.p, self.usable)
                if match is not None:
                    yield match
            yield from self._levels()
        yield from self._as_written()
        if self.joint is not None and self.joint.is_function:
            yield from self._table(self.joint)

    def _unchanged(self) -> Iterator[Match]:
        """Equal texts, numbers or dates."""
        how, text = parse_how("unchanged"), self.o.views[0]
        tried = self.p.sample(self.usable)
        known = self.o.number_of
        if 10 * sum(_in(known, self.p, one) for one in tried) >= len(tried):
            key = np.array([known.get(canon, -1) for canon in self.p.canon], dtype=np.int64)
            yield Match(how=how, view=text, ways=(self.o.numbers,),
                        key=np.where(self.usable, key, -1))  # fmt: skip
        for one in self.o.views[1:]:
            for other in self.p.views[1:]:
                if one.kind == other.kind and (one.form, other.form) != (None, None):
                    yield _same_values(how, one, other)

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
        lengths, longest = self.o.text_lengths, max(self.o.text_lengths, default=0)
        if self.o.view("number") is not None and (len(lengths) > 1 or longest < 3):
            return []
        tried = self.p.sample(self.usable)
        return [
            length for length in self.p.lengths
            if 0 < length < longest
            and 2 * sum(text[:length] in self.o.starts(length) for text in tried) >= len(tried)
        ]  # fmt: skip

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
            match = matched_by(parse_how(f"level {level}"), View(column, place), self.p,
                               self.usable)  # fmt: skip
            if match is not None:
                yield match

    def _as_written(self) -> Iterator[Match]:
        """Bands of numbers and dates; sets, lists and masks of texts."""
        for view in (*self.o.views[1:], self.o.views[0]):
            how = parse_how("set" if view.kind == "text" else "bands")
            match = matched_by(how, view, self.p, self.usable)
            if match is not None:
                yield match

    def _table(self, joint: Joint) -> Iterator[Match]:
        """What each value is published as, learned from the rows."""
        if 2 * len(joint.o) > joint.rows:
            return  # to write it down takes more than it tells
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


def _in(known: Mapping[str, int], p: Cells, text: str) -> bool:
    return text in known or p.canon[p.place_of[text]] in known


def _same_values(how: Coarsening, one: View, other: View) -> Match:
    """Equal numbers or dates, whatever the form."""
    kind = "datetime64[us]" if one.kind == "date" else "float64"
    ours, theirs = (view.column.values.astype(kind) for view in (one, other))
    place = np.searchsorted(ours, theirs)
    place = np.where(ours[np.minimum(place, len(ours) - 1)] == theirs, place, -1)
    key = np.where(other.place >= 0, np.append(place, -1)[other.place], -1)
    return Match(how=how, view=one, ways=(one.place,), key=key)


def _are_years(values: NDArray[np.float64]) -> bool:
    return bool(len(values)) and bool(((values >= 1800) & (values <= 2100)).all())
