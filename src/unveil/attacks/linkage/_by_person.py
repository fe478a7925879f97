"""Linkage where a person may have several rows: candidates are people, and not records.

The attacker knows a person by

- *one row*: the candidates are the people who have a row whose cells cover it. The row that tells
  most counts: of all rows of the person that for which there are the fewest candidates;
- *all rows*: the people who have rows whose cells cover all of them, a row for each.

With one row per person both are the ordinary attack. In the rows that cover a row of the attacker's
list all people weigh the same: one of c rows there adds 1/c for each value. Suppressed rows are
candidates only where nothing else is: for one row, if no other row covers it; for all rows, if
nobody's other rows cover all of them.

Which links are right is known if the release has the rows of the original in their order, as that
of a sanitizer has: then it is known whose each is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.linkage._people import PersonLinkage, RightPeople, RowLinks
from unveil.attacks.people import Covers, External, Index, Placing, people_of, suppressed_in
from unveil.attacks.tolerance import Near
from unveil.engine import Progress
from unveil.microdata import Microdata, Release

_VERIFIED = 16  # people of whom it is looked in detail whether they have a row for each
_BY_PERSON = (
    "candidates are people: those who have a row that covers what the attacker knows, which is the "
    "row of a person that tells most, or all of their rows together"
)
_ORDER = (
    "the release does not have the original's rows in their order, so it is not known which links "
    "are right"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """The rows of the attacker's list.

    Attributes
    ----------
    whose : array
        The person of each row, numbered from 0 as they come.
    record : array
        The record of each row in the original; -1 where that is not known.
    person : array, one a person
        Their number in the original; -1 for people who are not in it, or if that is not known.
    """

    whose: NDArray[np.intp]
    record: NDArray[np.int64]
    person: NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Search:
    """A list of people, and the release in which they are looked for.

    Attributes
    ----------
    covers : Covers
        Of the rows of the list.
    rows : Rows
    near : Near
        How near a guess of a sensitive value must be.
    """

    covers: Covers
    rows: Rows
    near: Near

    @property
    def release(self) -> Release:
        """Where they are looked for."""
        return self.covers.release

    @cached_property
    def suppressed(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Who has suppressed rows, and how many."""
        gone = suppressed_in(self.release)
        if gone is None:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        whose = self.covers.persons[gone[self.release.class_of]]
        return np.unique(whose, return_counts=True)

    def one_row(self) -> RowLinks:
        """What the attacker sees by each row of the list."""
        covers, of = self.covers, self.covers.of
        n = len(covers.boxes)
        values, likeliest, share = np.zeros(n, dtype=np.int64), np.full(n, -1), np.zeros(n)
        one = np.zeros(n, dtype=bool)
        least, most = np.full(n, -1), np.full(n, -1)
        for cover in range(1, n):
            there = covers.inside(cover)
            values[cover] = len(there.values)
            top = int(np.flatnonzero(there.weights >= there.weights.max() - 1e-12)[0])
            likeliest[cover] = there.values[top]
            share[cover] = there.weights[top] / len(there.persons)
            least[cover], most[cover] = there.values[0], there.values[-1]
        some = np.flatnonzero(values)
        one[some] = self.near.one_guess(least[some], most[some])
        # Whatever values a single person has, they are that person's.
        one |= covers.counted == 1
        return RowLinks(
            candidates=covers.counted[of], values=values[of], likeliest=likeliest[of],
            share=share[of], one_value=one[of], suppressed=covers.resorted[of],
        )  # fmt: skip

    def all_rows(self, progress: bool | None) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
        """Who has rows for all of each person's: how many people, and which.

        People whose rows have the same covers are looked for once.
        """
        order = np.argsort(self.rows.whose, kind="stable")
        starts = np.searchsorted(self.rows.whose[order], np.arange(len(self.rows.person) + 1))
        found: list[NDArray[np.int64]] = []
        known: dict[bytes, NDArray[np.int64]] = {}
        with Progress("looking for people", len(starts) - 1, progress, unit="people") as shown:
            for first, last in pairwise(starts.tolist()):
                own = np.sort(self.covers.of[order[first:last]])
                if own.tobytes() not in known:
                    known[own.tobytes()] = self._with_all(own.tolist())
                found.append(known[own.tobytes()])
                shown.advance(1)
        return np.array([len(one) for one in found], dtype=np.int64), found

    def _with_all(self, own: Sequence[int]) -> NDArray[np.int64]:
        """The people who have a row for each of some rows, which have these covers."""
        nobody = np.empty(0, dtype=np.int64)
        if 0 in own:
            return nobody
        needed = Counter(own)
        covers = sorted(needed, key=lambda cover: self.covers.counted[cover])
        fit: NDArray[np.int64] | None = None
        for cover in covers:
            there = self.covers.inside(cover)
            some = there.persons[there.rows >= needed[cover]]
            fit = some if fit is None else fit[np.isin(fit, some, assume_unique=True)]
        assert fit is not None
        if len(covers) > 1 and self.covers.overlap(covers):
            fit = self._each_for_one(fit, covers, [needed[cover] for cover in covers])
        return fit if len(fit) else self._with_suppressed(needed)

    def _each_for_one(
        self, people: NDArray[np.int64], covers: Sequence[int], needed: Sequence[int]
    ) -> NDArray[np.int64]:
        """Those who have a row of their own for each, where a row may be in several covers.

        From so many of them on the others are not looked at, and counted.
        """
        kept: list[int] = []
        for place, person in enumerate(people.tolist()):
            if len(kept) == _VERIFIED:
                return np.concatenate([np.array(kept, dtype=np.int64), people[place:]])
            if self.covers.fits(person, covers, needed):
                kept.append(person)
        return np.array(kept, dtype=np.int64)

    def _with_suppressed(self, needed: Counter[int]) -> NDArray[np.int64]:
        """Those who do if suppressed rows may stand for any: the last resort."""
        people, gone = self.suppressed
        matched = gone.copy()
        for cover, n in needed.items():
            if self.covers.resorted[cover] or not len(people):
                continue  # its rows are the suppressed ones
            there = self.covers.inside(cover)
            place = np.minimum(np.searchsorted(there.persons, people), len(there.persons) - 1)
            matched += np.where(there.persons[place] == people, np.minimum(there.rows[place], n), 0)
        return people[matched >= needed.total()]

    def right(
        self, microdata: Microdata, released: NDArray[np.int64], found: Sequence[NDArray[np.int64]]
    ) -> RightPeople:
        """What is true of it; ``released`` is the number in the release of each of its people."""
        rows, covers, of = self.rows, self.covers, self.covers.of
        in_table = rows.person >= 0
        own = np.where(in_table, released[rows.person], -1)
        place = {text: code for code, text in enumerate(self.release.sensitive.texts)}
        column = microdata[self.release.sensitive.name]
        secrets = np.array([place.get(text, -1) for text in column.texts])[column.codes]
        among = np.zeros(len(of), dtype=bool)
        value = np.full(len(of), np.nan)
        rightly = np.zeros(len(of), dtype=bool)
        theirs = self._values_of_people(microdata, secrets)
        for row, cover in enumerate(of.tolist()):
            person, record = rows.person[rows.whose[row]], rows.record[row]
            if person < 0:
                continue
            there = covers.inside(cover)
            among[row] = own[rows.whose[row]] in there.persons
            if record >= 0:
                value[row] = self._share_of(there.values, there.weights, secrets[record])
            if cover and self.near.one_guess(there.values[0], there.values[-1]):
                rightly[row] = self.near.accepts(
                    there.values[0], there.values[-1], theirs[person]
                ).any()
            else:  # those of a single person
                rightly[row] = among[row]
        all_among = np.array([who in some for who, some in zip(own, found, strict=True)])
        return RightPeople(
            in_table=in_table, among=among, all_among=all_among & in_table, value=value,
            chance=self._by_chance(secrets), one_value=rightly,
        )  # fmt: skip

    def _share_of(
        self, values: NDArray[np.int64], weights: NDArray[np.float64], secret: int
    ) -> float:
        """The share of the candidates that have a value, or one near it."""
        if secret < 0 or not len(values):
            return 0.0
        low, high = secret, secret + 1
        if not self.near.is_exact:
            first, stop = self.near.similar
            low, high = first[secret], stop[secret]
        return float(weights[(low <= values) & (values < high)].sum() / weights.sum())

    def _by_chance(self, secrets: NDArray[np.int64]) -> NDArray[np.float64]:
        """For each row, the share of all people who have its value; nan where it is not known."""
        whose, codes = self.covers.persons, self.release.sensitive.codes
        rows = np.bincount(whose)[whose]
        weights = np.zeros(self.release.sensitive.size)
        np.add.at(weights, codes, 1 / rows)
        found = np.full(len(self.rows.record), np.nan)
        every = np.arange(len(weights))
        of_value = {
            secret: self._share_of(every, weights, secret)
            for secret in np.unique(secrets[self.rows.record[self.rows.record >= 0]]).tolist()
        }
        for row in np.flatnonzero(self.rows.record >= 0).tolist():
            found[row] = of_value[int(secrets[self.rows.record[row]])]
        return found

    def _values_of_people(
        self, microdata: Microdata, secrets: NDArray[np.int64]
    ) -> list[NDArray[np.int64]]:
        """The values of each person of the original."""
        whose = people_of(microdata)
        order = np.argsort(whose, kind="stable")
        return np.split(secrets[order], np.cumsum(np.bincount(whose))[:-1])


def released_as(
    release: Release, persons: NDArray[np.int64], microdata: Microdata, placing: Placing
) -> NDArray[np.int64] | None:
    """The number in the release of each person of the original; None if it is not known.

    It is, if the release has the original's rows in their order. The original is the second table
    of the placing.
    """
    if len(release) != len(microdata):
        return None
    codes, own = placing.codes[1], people_of(microdata)
    index = Index.of(release, placing.regions, placing.sizes, placing.everything)
    column = microdata[release.sensitive.name]
    texts = np.array(release.sensitive.texts, dtype=object)[release.sensitive.codes]
    changed = release.sensitive.name in release.perturbed
    if not changed and (texts != np.array(column.texts, dtype=object)[column.codes]).any():
        return None
    if not index.covered(release.class_of.astype(np.int64), codes).all():
        return None
    pairs = np.unique(own * (int(persons.max()) + 1) + persons)
    if not len(pairs) == len(np.unique(own)) == len(np.unique(persons)):
        return None
    found = np.full(int(own.max()) + 1, -1)
    found[own] = persons
    return found


def looked_for(
    search: Search, people: External, names: Sequence[str], microdata: Microdata | None,
    released: NDArray[np.int64] | None, notes: Sequence[Any], progress: bool | None,
) -> PersonLinkage:  # fmt: skip
    """Look for the people of a list; who is right is known if the original is."""
    links = search.one_row()
    number, found = search.all_rows(progress)
    right, told = None, [*notes, _BY_PERSON]
    if microdata is not None and released is not None:
        right = search.right(microdata, released, found)
    elif microdata is not None:
        told.append(_ORDER)
    return PersonLinkage(
        release=search.release, people=people, known=tuple(names), whose=search.rows.whose,
        links=links, all_rows=number, right=right, covers=search.covers,
        near=search.near,
        released=len(np.unique(search.covers.persons)), notes=tuple(dict.fromkeys(told)),
    )  # fmt: skip
