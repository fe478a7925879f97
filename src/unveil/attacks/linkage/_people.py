"""The finding of linkage where a person may have several rows: its words, tables and charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import counted, of_all, percent
from unveil.attacks.linkage import LINKED, LINKED_ALL_ROWS, ONE_VALUE
from unveil.attacks.linkage._about_people import (
    OF_SECRETS,
    AboutPeople,
    counts_and_shares,
    rightly_so,
)
from unveil.attacks.people import Covers, External
from unveil.attacks.tolerance import Near
from unveil.errors import File, Known, Message, Option, Text
from unveil.findings import (
    Axis,
    Chart,
    Follows,
    Story,
    Table,
    Value,
    distribution,
)
from unveil.microdata import Release


@dataclass(frozen=True, eq=False, kw_only=True)
class RowLinks:
    """What an attacker sees by each row of the list.

    Attributes
    ----------
    candidates : array
        How many people have a row that covers it; suppressed rows only if no other does.
    values : array
        How many sensitive values these rows have.
    likeliest, share : arrays
        The code of the value that most of these people have (-1: there is none), and their share.
    one_value : array
        Whether all these rows have the same value, or one guess is near enough to all; or whether
        they are all of one person.
    suppressed : array
        Whether they are the suppressed rows, because no other covers it.
    """

    candidates: NDArray[np.int64]
    values: NDArray[np.int64]
    likeliest: NDArray[np.int64]
    share: NDArray[np.float64]
    one_value: NDArray[np.bool_]
    suppressed: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class RightPeople:
    """What is true of it.

    Attributes
    ----------
    in_table : array, one a person
        Who is in the original.
    among : array, one a row
        Whether the person is among the candidates of this row.
    all_among : array, one a person
        Whether they are among those of all their rows together.
    value, chance : arrays, one a row
        The share of the candidates, and of all people, with the value of the row, or one near it;
        nan where it is not known.
    one_value : array, one a row
        Whether the only value of the candidates is one of the person's own.
    """

    in_table: NDArray[np.bool_]
    among: NDArray[np.bool_]
    all_among: NDArray[np.bool_]
    value: NDArray[np.float64]
    chance: NDArray[np.float64]
    one_value: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PersonLinkage(AboutPeople):
    """Who of a list is found in a release in which a person may have several rows.

    Attributes
    ----------
    release : Release
    people : External
        Whom the attacker knows: the first row of each in the list.
    known : tuple of str
        The quasi-identifiers that they know.
    whose : array
        The person of each row of the list.
    links : RowLinks
        What the attacker sees by each row.
    all_rows : array, one a person
        How many people have rows that cover all of the person's; from 16 on at most so many, where
        cells overlap.
    right : RightPeople or None
        What is true of it, if that is known.
    covers : Covers
        Who is found where.
    near : Near
        How near a guess of a sensitive value must be; words must be the same.
    released : int
        How many people have rows in the release.
    """

    unit: ClassVar[str] = "people"
    none: ClassVar[str] = "no row can be that person's"
    looked_for: ClassVar[str] = " by the row that tells most"

    release: Release
    people: External
    known: tuple[str, ...]
    whose: NDArray[np.intp]
    links: RowLinks
    all_rows: NDArray[np.int64]
    right: RightPeople | None
    covers: Covers
    near: Near
    released: int
    notes: tuple[Text, ...] = ()

    @cached_property
    def best(self) -> NDArray[np.intp]:
        """The row of each person for which there are the fewest candidates, and values."""
        some = np.where(self.links.candidates > 0, self.links.candidates, len(self.release) + 1)
        order = np.lexsort((self.links.values, ~self.links.one_value, some, self.whose))
        return order[np.unique(self.whose[order], return_index=True)[1]]

    @property
    def candidates(self) -> NDArray[np.int64]:
        """Among how many people each person is looked for by the row that tells most."""
        return self.links.candidates[self.best]

    @property
    def values(self) -> NDArray[np.int64]:
        """How many sensitive values these people have there."""
        return self.links.values[self.best]

    def _of_person(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of whom one of the rows is so."""
        return np.bincount(self.whose, rows, minlength=len(self)) > 0

    @cached_property
    def _may_be_linked(self) -> NDArray[np.bool_]:
        """Which rows are not some of too many for the suppressed ones.

        Some of these are then of people who are not in the release, and the attacker does not know
        of whom; unless it is known who is in it.
        """
        only = self.links.suppressed
        if only.sum() <= self.release.suppressed:
            return np.ones(len(only), dtype=bool)
        is_in = np.zeros(len(self), dtype=bool) if self.right is None else self.right.in_table
        return ~only | is_in[self.whose]

    @property
    def unique(self) -> NDArray[np.bool_]:
        """Who is linked to a single person by one of their rows."""
        return self._of_person((self.links.candidates == 1) & self._may_be_linked)

    @property
    def one_value(self) -> NDArray[np.bool_]:
        """Who is linked to a single sensitive value, or to the values of a single person."""
        return self._of_person(self.links.one_value & self._may_be_linked)

    @property
    def unique_by_all(self) -> NDArray[np.bool_]:
        """Who is linked to a single person by all of their rows together."""
        return (self.all_rows == 1) & ~self._of_person(~self._may_be_linked)

    @property
    def own_among(self) -> int | None:
        """How many of them are among the candidates of each of their rows."""
        if self.right is None:
            return None
        return int((self.right.in_table & ~self._of_person(~self.right.among)).sum())

    @property
    def unique_right(self) -> int | None:
        """How many of those who are linked to a single person are linked to themselves."""
        if self.right is None:
            return None
        linked = (self.links.candidates == 1) & self._may_be_linked & self.right.among
        return int(self._of_person(linked).sum())

    @property
    def unique_by_all_right(self) -> int | None:
        """The same by all rows together."""
        return (
            None if self.right is None else int((self.unique_by_all & self.right.all_among).sum())
        )

    @property
    def one_value_right(self) -> int | None:
        """How many of those who are linked to a single value are linked to one of their own."""
        if self.right is None:
            return None
        linked = self.links.one_value & self._may_be_linked & self.right.one_value
        return int(self._of_person(linked).sum())

    @property
    def person_right(self) -> float | None:
        """Of those in the original, the expected share of right links by a random row of theirs.

        The attacker picks one of the candidates at random.
        """
        if self.right is None:
            return None
        among = self.right.among
        return self._mean(np.where(among, 1 / np.maximum(self.links.candidates, 1), 0.0))

    @property
    def value_right(self) -> float | None:
        """The expected share of right values, guessed in the same way; None if not known."""
        return None if self.right is None else self._mean(self.right.value)

    @property
    def value_by_chance(self) -> float | None:
        """The same if anybody of the release is picked, whomever their cells cover."""
        return None if self.right is None else self._mean(self.right.chance)

    def _mean(self, rows: NDArray[np.float64]) -> float | None:
        """The mean over people in the original of the means over their rows."""
        if self.right is None:
            return None
        known = self.right.in_table[self.whose] & ~np.isnan(rows)
        if not known.any():
            return None
        number = np.bincount(self.whose[known], minlength=len(self))
        sums = np.bincount(self.whose[known], rows[known], minlength=len(self))
        return float((sums[number > 0] / number[number > 0]).mean())

    def candidates_of(self, person: int | str) -> pd.DataFrame:
        """What the candidates of one person have: a row for each sensitive value.

        By the row of the person that tells most. ``people`` are parts of people where one has
        several values; ``share`` is theirs of all candidates.
        """
        cover = int(self.covers.of[self.best[self.people.number_of(person)]])
        there = self.covers.inside(cover)
        return pd.DataFrame(
            {
                "value": self.release.sensitive.values[there.values],
                "people": there.weights,
                "share": there.weights / max(1, len(there.persons)),
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per person: who it is, what an attacker sees, and what is true of it.

        ``name``, ``row`` (the first of theirs in the external table, from 0), ``rows`` (how many
        they have there), ``candidates`` and ``values`` (by the row that tells most),
        ``likeliest`` (the value that most candidates have) and ``share`` of them, ``all_rows``;
        with the original also ``in_table``, ``own_among`` and ``own_value`` of that row.
        """
        best, texts = self.best, np.array([*self.release.sensitive.texts, None], dtype=object)
        frame = pd.DataFrame(
            {
                "name": pd.Series(self.people.names, dtype=object),
                "row": self.people.rows,
                "rows": np.bincount(self.whose, minlength=len(self)),
                "candidates": self.candidates,
                "values": self.values,
                "likeliest": pd.Series(texts[self.links.likeliest[best]], dtype=object),
                "share": self.links.share[best],
                "all_rows": self.all_rows,
            }
        )
        if self.right is not None:
            frame["in_table"] = self.right.in_table
            frame["own_among"] = self.right.among[best]
            frame["own_value"] = self.right.value[best]
        return frame

    @property
    def figures(self) -> tuple[Value, ...]:
        return (
            LINKED.of(self.unique.mean()),
            ONE_VALUE.of(self.one_value.mean()),
            LINKED_ALL_ROWS.of(self.unique_by_all.mean()),
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "external": self.people.source,
            "made_by": self.release.made_by,
            "known": self.known,
            "sensitive": self.release.sensitive.name,
            "people": len(self),
            "rows": len(self.whose),
            "unique": int(self.unique.sum()),
            "unique_by_all": int(self.unique_by_all.sum()),
            "one_value": int(self.one_value.sum()),
            "tolerance": self.near.fact,
            "published": len(self.release),
            "published_people": self.released,
            "suppressed": self.release.suppressed,
            **self.attributes(
                "found in_table own_among unique_right unique_by_all_right one_value_right "
                "person_right value_right value_by_chance"
            ),
        }

    def story(self, release: Text | None = None) -> Story:
        return Story(
            title=Message(
                "Linkage: {n:person} with {rows:row} of {source} against {release}", n=len(self),
                rows=len(self.whose), source=File(self.people.source, bare=True),
                release=File(self.release.in_short, bare=True),
            ),
            about=[f"known of them: {', '.join(self.known)}"],
            verdict=self._verdict(release),
            sentences=self._explained(),
            tables=[self._table()],
            charts=self._charts(release or self.release.made_by),
        )  # fmt: skip

    def _verdict(self, release: Text | None) -> Message:
        n, unique, one = len(self), int(self.unique.sum()), int(self.one_value.sum())
        every = int(self.unique_by_all.sum())
        said = (
            "{under}, of {n}, {unique} linked to a single person by one of their rows{rightly}, "
            "and {one} to a single {secret}{one_rightly}. By all of their rows together "
            "{every} linked to a single person{all_rightly}"
        )
        if self.right is None:
            said += "; whether these links are right is not known."
        elif not self.in_table:
            said += "; none of them is in the table, so every link is wrong."
        else:
            said += (
                ". Of the {people} in the table, an attacker who knows one row and picks a "
                "candidate at random finds the right person for {person}"
            )
            said += (
                ", and the right {secret} for {value} ({chance} by picking anybody)."
                if self.value_right is not None else "."
            )  # fmt: skip
        return Message(
            said, n=Known(counted(n, "person")),
            secret=Known(f"{self.release.sensitive.name}{self.near.in_brackets}"),
            under=self._under(release),
            unique=self._linked(LINKED, unique),
            one=self._share(ONE_VALUE, one / n, lambda _: of_all(one, n)),
            every=self._linked(LINKED_ALL_ROWS, every),
            rightly=rightly_so(unique, self.unique_right, LINKED),
            one_rightly=rightly_so(one, self.one_value_right, ONE_VALUE),
            all_rightly=rightly_so(every, self.unique_by_all_right, LINKED_ALL_ROWS),
            people=Known(counted(self.in_table or 0, "person")),
            person=Known(percent(self.person_right or 0.0)),
            value=self._share(OF_SECRETS, self.value_right),
            chance=self._share(OF_SECRETS, self.value_by_chance),
        )  # fmt: skip

    def _table(self) -> Table:
        n, in_table = len(self), self.in_table
        secret = f"{self.release.sensitive.name}{self.near.in_brackets}"
        unique, one, every = (
            int(some.sum()) for some in (self.unique, self.one_value, self.unique_by_all)
        )
        counts = [
            ("with candidates", self.found, n),
            ("linked to a single person by one row", unique, n),
            ("  and rightly so", self.unique_right, unique),
            (f"linked to a single {secret} by one row", one, n),
            ("  and rightly so", self.one_value_right, one),
            ("linked to a single person by all rows", every, n),
            ("  and rightly so", self.unique_by_all_right, every),
            ("in the table", in_table, n),
            ("  among the candidates of all rows", self.own_among, in_table),
        ]
        shares = {
            "  right person, one row, a candidate picked at random": self.person_right,
            f"  right {secret}, one row, a candidate picked at random": self.value_right,
            f"  right {secret}, anybody picked at random": self.value_by_chance,
        }
        return counts_and_shares(counts, shares)

    def _explained(self) -> list[Text]:
        said: list[Text] = [
            Message(
                "Candidates are people: those who have a row whose cells cover a row of the person "
                "in every known column. The release has {rows:row} of {people:person}. By one row: "
                "the row for which there are the fewest candidates. By all rows: the people who "
                "have a row for each of them.",
                rows=len(self.release), people=self.released,
            )
        ]  # fmt: skip
        if self.release.suppressed:
            said.append(
                Message(
                    "{gone:row} of the release {are} suppressed and {cover} everybody. They count "
                    "only where no other row covers a row of the person.",
                    gone=self.release.suppressed,
                    are="is" if self.release.suppressed == 1 else "are",
                    cover="covers" if self.release.suppressed == 1 else "cover",
                )
            )  # fmt: skip
        if self.right is None:
            said.append(Message("To count which links are right, give the original, {microdata}; "
                                "the release must have its rows in their order.",
                                microdata=Option("microdata")))  # fmt: skip
        return said

    def _charts(self, name: Text) -> list[Chart]:
        charts = [
            ("Among how many people a person is, by one row", self.candidates),
            ("Among how many people a person is, by all rows", self.all_rows),
        ]
        return [
            Chart(
                kind="distribution", title=title,
                says=Message("{name}: half of the people have at most {half:candidate}", name=name,
                             half=int(np.median(numbers))),
                x=Axis(label="candidates of a person", scale="log"),
                y=Axis(label="share of people", share=True),
                series=[distribution(name, numbers, floor=0.5)], follows_from=Follows.QUASI,
            )
            for title, numbers in charts
        ]  # fmt: skip
