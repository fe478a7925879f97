"""People's values among those of a release.

Codes of another table mean nothing here, so values are compared by what is written. A number that
no record of the original has still lies somewhere, and the cells (``(36, 53]``) say whether they
cover it: they are read again with it in the column. A word that the release does not have is most
likely another name for one that it has, so it is refused unless the user says what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil._text import counted
from unveil.attacks.people._external import External, Texts
from unveil.attacks.people._kernels import ANY
from unveil.errors import (
    Cell,
    Column,
    File,
    InputError,
    Message,
    MissingValuesError,
    Option,
    Text,
    did_you_mean,
)
from unveil.microdata import (
    EMPTY_WORDS,
    EVERYTHING,
    MISSING,
    Domain,
    Intervals,
    Kind,
    Line,
    Permuted,
    Regions,
    Release,
    as_values,
    likely_mapping,
    numbers_among,
    other_codes,
    read_again,
    values_of,
)
from unveil.options import MissingPeople, Unknown

Said: TypeAlias = Mapping[str, Mapping[str, str | None]]

_APART = -2  # a value that only a region of the whole column covers
_GONE = -3  # a missing value of somebody who is left out
_NO_REGIONS = Intervals(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))


@dataclass(frozen=True, eq=False)
class Placing:
    """The values of some tables among those of a release.

    Attributes
    ----------
    regions : tuple of Regions
        What the classes cover, in domains that have the tables' numbers too.
    sizes : tuple of int
        Of these domains.
    everything : tuple of bool arrays
        For each column, whose cells cover values that the release does not know, too.
    codes : list of arrays
        For each table, people × columns. `ANY` where nothing is known; the size of the domain
        where only a region of the whole column covers the value.
    gone : list of bool arrays
        For each table, who is to be left out for missing values.
    notes : tuple of str
    """

    regions: tuple[Regions, ...]
    sizes: tuple[int, ...]
    everything: tuple[NDArray[np.bool_], ...]
    codes: list[NDArray[np.int32]]
    gone: list[NDArray[np.bool_]]
    notes: tuple[Text, ...]

    @classmethod
    def of(
        cls,
        release: Release | Permuted,
        tables: Sequence[External],
        *,
        recode: Said,
        unknown: Unknown = "error",
        missing: MissingPeople = "error",
    ) -> Placing:
        """Place the values of tables; columns that a table lacks are not known of its people."""
        columns = [
            _Placed(release, j, tables, recode.get(column.name, {}), unknown, missing)
            for j, column in enumerate(release.quasi)
        ]
        each = zip(*(column.codes for column in columns), strict=True)  # table by table
        codes = [np.ascontiguousarray(np.stack(some, axis=1)) for some in each]
        gone = [(some == _GONE).any(axis=1) for some in codes]
        sizes = tuple(column.size for column in columns)
        for some in codes:
            some[some == _GONE] = ANY
            np.copyto(some, np.array(sizes, dtype=np.int32), where=some == _APART)
        notes = [note for column in columns for note in column.notes]
        regions = tuple(column.regions for column in columns)
        everything = tuple(column.everything() for column in columns)
        return cls(regions, sizes, everything, codes, gone, tuple(notes))

    def kept(self, people: External) -> NDArray[np.intp]:
        """Who of the first table is not left out; somebody has to be."""
        left = np.flatnonzero(~self.gone[0])
        if not len(left):
            raise MissingValuesError(
                "{option} leaves nobody of {source}: everybody lacks a value",
                option=Option("missing_people", "drop"), source=File(people.source, bare=True),
            )  # fmt: skip
        return left


class _Placed:
    """One column of a release, with the values of all tables in it."""

    def __init__(
        self,
        release: Release | Permuted,
        j: int,
        tables: Sequence[External],
        recode: Mapping[str, str | None],
        unknown: Unknown,
        missing: MissingPeople,
    ) -> None:
        self._release, self._column = release, release.quasi[j]
        self._released = self._column
        self._recode, self._unknown, self._missing = recode, unknown, missing
        self._domain = Domain(self._column)
        self.notes: list[Text] = []
        self._elsewhere: set[str] = set()
        self.regions: Regions = _NO_REGIONS if isinstance(release, Permuted) else release.regions[j]
        self.size = self._column.size
        self._check_recode()
        theirs = [table.columns.get(self._column.name) for table in tables]
        self._widen([one for one in theirs if one is not None])
        self.codes = [
            np.full(len(table), ANY, dtype=np.int32)
            if texts is None
            else self._placed(texts, table)
            for table, texts in zip(tables, theirs, strict=True)
        ]

    def everything(self) -> NDArray[np.bool_]:
        """Which classes' cells cover values that are not in the domain: ``*``, and a tree's top."""
        found = np.zeros(len(self.regions), dtype=bool)
        if not any((codes == _APART).any() for codes in self.codes) or not len(found):
            return found
        rows = np.flatnonzero(self.regions.covers(0) & self.regions.covers(self.size - 1))
        tree = self._column.hierarchy
        nothing = EMPTY_WORDS if tree is None else EMPTY_WORDS | {tree.names[tree.root]}
        texts = self.regions.take(rows).texts(self._column)
        found[rows] = [t in nothing or not t.strip().strip(EVERYTHING) for t in texts]
        return found

    def _check_recode(self) -> None:
        for theirs, ours in self._recode.items():
            if ours is not None and self._domain.value(ours) is None:
                raise InputError(
                    "{option} of {column} makes {theirs} {ours}, which is not a value of it in the "
                    "release by {release}{near}",
                    option=Option("recode"), column=Column(self._column.name), ours=Cell(ours),
                    theirs=Cell(theirs), release=File(self._release.made_by, bare=True),
                    near=Cell(
                        f"{did_you_mean(ours, self._column.texts)} ({values_of(self._column)})",
                        bare=True,
                    ),
                )  # fmt: skip

    def _widen(self, theirs: Sequence[Texts]) -> None:
        """Make room for numbers that the release's column has not."""
        if self._column.kind is not Kind.NUMERIC:
            return
        there = {one.texts[place] for one in theirs for place in one.occurring}
        texts = {self._recode.get(text, text) for text in there}
        new = numbers_among(
            sorted(t for t in texts if t and self._domain.value(t) is None), self._column
        )
        if isinstance(self._release, Permuted):  # publishes values as they are, and not these
            self._elsewhere = set(new)
            return
        if not new:
            return
        values = np.union1d(self._column.values, as_values(list(new.values()), self._column))
        wide = replace(self._column, values=values, hierarchy=None, given=None)
        self.regions, notes = read_again(self.regions, self._column, wide)
        self.notes += notes
        self._column, self._domain, self.size = wide, Domain(wide), wide.size

    def _placed(self, texts: Texts, table: External) -> NDArray[np.int32]:
        """The code of everybody's value."""
        place = np.full(len(texts.texts) + 1, _APART, dtype=np.int32)
        strange, gaps = [], []
        for position in texts.occurring:
            text = texts.texts[position]
            meant = self._recode.get(text, text)
            code = None if meant is None else self._domain.value(meant)
            if code is not None:
                place[position] = code
            elif meant in self._elsewhere:
                continue
            elif text == MISSING:
                gaps.append(position)
            elif meant is not None:
                strange.append(position)
        if strange:
            self._told_apart(strange, texts, table)
        nobody = int((texts.codes < 0).sum() + np.isin(texts.codes, gaps).sum())
        if nobody:
            gap = self._gap(nobody, table)
            place[gaps], place[-1] = gap, gap
        self._say_if_outside(texts, table)
        codes = place[texts.codes]
        there = self.regions.there if isinstance(self.regions, Intervals) else None
        if there is not None:
            # Of values that nobody has, a cut between two others tells nothing.
            codes[(codes >= 0) & ~there[codes]] = _APART
        return codes

    def _say_if_outside(self, texts: Texts, table: External) -> None:
        """Tell of numbers of which most are none that a record may have: perhaps they are codes."""
        if self._released.kind is not Kind.NUMERIC:
            return
        line = Line(self._released)
        found = [line.find(self._recode.get(t, t) or "") for t in texts.texts]
        outside = [
            place for place, one in enumerate(found)
            if one is not None and one.below == one.upto and one.below in (0, self._released.size)
        ]  # fmt: skip
        people = int(np.isin(texts.codes, outside).sum())
        if people > len(table) / 2:
            first, last = self._released.texts[0], self._released.texts[-1]
            self.notes.append(
                Message(
                    "{people} of {all} people have a value of {column} outside {first} to {last}, "
                    "the range of the release; check whether the table of people uses other codes",
                    people=people, all=len(table), column=self._released.name,
                    first=Cell(first, bare=True), last=Cell(last, bare=True),
                )
            )  # fmt: skip

    def _told_apart(self, strange: Sequence[int], texts: Texts, table: External) -> None:
        """Refuse values that the release does not know, or take them for other values."""
        people = int(np.isin(texts.codes, strange).sum())
        if self._unknown == "apart":
            has = "has a value" if people == 1 else "have values"
            self.notes.append(
                f"{people:,} of {len(table):,} people {has} of {self._column.name} that the "
                "release does not have: only cells that cover the whole column cover them"
            )
            return
        places = sorted(strange, key=texts.first)
        row, theirs = int(table.rows[texts.first(places[0])]) + 1, [texts.texts[p] for p in places]
        told = other_codes(
            self._column, theirs, source=table.source,
            where=f"{counted(people, 'person')}, the first in row {row:,}",
            who=f"the release by {self._release.made_by} does not know",
        )  # fmt: skip
        is_flat = self._column.kind is Kind.CATEGORICAL and self._column.hierarchy is None
        grouped = is_flat and not likely_mapping(theirs, self._column.texts)
        raise InputError(
            "{told}{groups}; if these people have values that nobody in the release has, say "
            "{apart}",
            told=told, apart=Option("unknown", "apart"),
            groups=Message(
                "; if the release's values are groups of them, read it with {hierarchies}",
                hierarchies=Option("hierarchies"),
            ) if grouped else "",
        )  # fmt: skip

    def _gap(self, people: int, table: External) -> int:
        """What stands for a missing value."""
        told = Message(
            "{people} of {all} people in {source} {have} no value of {column}",
            people=people, all=len(table), source=File(table.source, bare=True),
            have="has" if people == 1 else "have", column=self._column.name,
        )  # fmt: skip
        options = {way: Option("missing_people", way) for way in ("any", "drop", "category")}
        if self._missing == "error":
            raise MissingValuesError(
                "{told}; say what to do: {any} treats it as unknown, so that every cell may cover "
                "it, {drop} leaves these people out, {category} treats it as the release's value "
                "{missing}",
                told=told, missing=repr(MISSING), **options,
            )  # fmt: skip
        if self._missing == "category":
            code = self._domain.value(MISSING)
            if code is None:
                raise MissingValuesError(
                    "{told}, and {missing} is not a value of it in the release by {release}; say "
                    "{any} or {drop}", told=told, missing=repr(MISSING),
                    release=File(self._release.made_by, bare=True), **options,
                )  # fmt: skip
            return code
        done = "left out" if self._missing == "drop" else "treated as unknown: any cell covers it"
        self.notes.append(Message("{told}: {done}", told=told, done=done))
        return _GONE if self._missing == "drop" else ANY
