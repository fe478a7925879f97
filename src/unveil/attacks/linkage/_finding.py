"""The finding of a linkage attack: what it says in numbers, words, tables and a chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from unveil.attacks.people import External, Index
from unveil.attacks.tolerance import Near
from unveil.errors import Call, File, Known, Listed, Message, Option, Text
from unveil.findings import (
    Axis,
    Chart,
    Follows,
    Story,
    Table,
    Value,
    distribution,
)
from unveil.microdata import Permuted, Release


@dataclass(frozen=True, eq=False, kw_only=True)
class Links:
    """What an attacker sees, for each person.

    Attributes
    ----------
    candidates : array
        How many records cover the person; suppressed ones only if no other does.
    classes : array
        In how many classes (of a permuted release: groups) they are.
    values : array
        How many sensitive values they have.
    likeliest : array
        The code of the value that most of them have, the first of several; -1: there is none.
    share : array
        The share of them that have it.
    one_value : array
        Whether all have the same value or, of numbers, one guess is near enough to all.
    suppressed : array
        Whether they are the suppressed records, because no other record covers the person.
    """

    candidates: NDArray[np.int64]
    classes: NDArray[np.int64]
    values: NDArray[np.int64]
    likeliest: NDArray[np.int64]
    share: NDArray[np.float64]
    one_value: NDArray[np.bool_]
    suppressed: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Right:
    """What is true of it, for each person.

    Attributes
    ----------
    in_table : array
        Who is in the original.
    among : array
        Whose own record is among the candidates.
    value : array
        The share of the candidates that have the person's own value, or one near it; 0 for people
        who are not in the original.
    chance : array
        The share of all records that have it.
    one_value : array
        Who is linked to a single value, and it is theirs.
    """

    in_table: NDArray[np.bool_]
    among: NDArray[np.bool_]
    value: NDArray[np.float64]
    chance: NDArray[np.float64]
    one_value: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Linkage(AboutPeople):
    """Who of an external table is found in a release, and what that tells.

    Attributes
    ----------
    release : Release or Permuted
    people : External
        Whom the attacker knows.
    known : tuple of str
        The quasi-identifiers that they know.
    links : Links
        What the attacker sees, for each person.
    right : Right or None
        What is true of it, if the original is known.
    persons : array
        How many of the people each box of the index covers: a class, or the records of a permuted
        release that are alike.
    near : Near
        How near a guess of a sensitive value must be; words must be the same.
    """

    unit: ClassVar[str] = "records"
    none: ClassVar[str] = "no record can be that person's"

    release: Release | Permuted
    people: External
    known: tuple[str, ...]
    links: Links
    right: Right | None
    persons: NDArray[np.int64]
    index: Index
    codes: NDArray[np.int32]
    seconds: float
    near: Near
    notes: tuple[Text, ...] = ()

    @property
    def candidates(self) -> NDArray[np.int64]:
        """How many records each person may be."""
        return self.links.candidates

    @property
    def values(self) -> NDArray[np.int64]:
        """How many sensitive values each person may have."""
        return self.links.values

    @property
    def unique(self) -> NDArray[np.bool_]:
        """Who is linked to a single record."""
        return (self.candidates == 1) & self._may_be_linked

    @property
    def one_value(self) -> NDArray[np.bool_]:
        """Who is linked to a single sensitive value, by one record or by several.

        Numbers count as one value if a single guess is near enough to all of them.
        """
        return self.links.one_value & self._may_be_linked

    @property
    def suppressed(self) -> int:
        """How many records are suppressed."""
        return self.release.suppressed if isinstance(self.release, Release) else 0

    @property
    def only_suppressed(self) -> int:
        """How many people no other than suppressed records cover."""
        return int(self.links.suppressed.sum())

    @property
    def suppressed_share(self) -> float:
        """The share of the records that are suppressed.

        For anybody in the release whom another record covers, the chance to be one of them is at
        most that, on average.
        """
        return self.suppressed / len(self.release)

    @property
    def _may_be_linked(self) -> NDArray[np.bool_]:
        """Who is not one of too many people for the suppressed records.

        If more people have no other candidate than there are suppressed records, some of them are
        not in the release, and the attacker does not know who; unless it is known who is in it.
        """
        if self.only_suppressed <= self.suppressed:
            return np.ones(len(self), dtype=bool)
        is_in = np.zeros(len(self), dtype=bool) if self.right is None else self.right.in_table
        return ~self.links.suppressed | is_in

    @property
    def own_among(self) -> int | None:
        """How many of them have their own record among their candidates."""
        return None if self.right is None else int(self.right.among.sum())

    @property
    def unique_right(self) -> int | None:
        """How many of those who are linked to a single record are linked to their own."""
        return None if self.right is None else int((self.unique & self.right.among).sum())

    @property
    def one_value_right(self) -> int | None:
        """How many of those who are linked to a single value are linked to their own."""
        return None if self.right is None else int((self.one_value & self.right.one_value).sum())

    @property
    def record_right(self) -> float | None:
        """Of those in the original, the expected share of right links to a record.

        The attacker picks one of the candidates at random: the mean of 1 / candidates, and 0
        where the own record is not among them.
        """
        return self._expected(lambda right: 1 / self.candidates[right.among])

    @property
    def value_right(self) -> float | None:
        """Of those in the original, the expected share of right values, guessed in the same way."""
        return self._expected(lambda right: right.value[right.in_table])

    @property
    def value_by_chance(self) -> float | None:
        """The same if any record of the release is picked, whomever its cells cover."""
        return self._expected(lambda right: right.chance[right.in_table])

    def _expected(self, chances: Callable[[Right], NDArray[np.float64]]) -> float | None:
        if self.right is None or not self.in_table:
            return None
        return float(chances(self.right).sum() / self.in_table)

    @property
    def records_of_one(self) -> int:
        """How many records have cells that cover exactly one of the people."""
        return int(self.index.records[self.persons == 1].sum())

    @property
    def records_of_nobody(self) -> int:
        """How many records have cells that cover none of the people."""
        return int(self.index.records[self.persons == 0].sum())

    def candidates_of(self, person: int | str) -> pd.DataFrame:
        """What one person's candidates have: a row for each sensitive value.

        Parameters
        ----------
        person : int or str
            Their number, counted from 0 as in `to_frame`, or their name.

        Returns
        -------
        pandas.DataFrame
            ``value``; ``records``, how many candidates have it (of a permuted release, how many
            are expected to); ``share``.
        """
        one = self.people.number_of(person)
        found = next(self.index.search(self.codes[one : one + 1]))
        order = np.argsort(found.value)
        value, number = found.value[order], found.number[order]
        exact = isinstance(self.release, Release)
        return pd.DataFrame(
            {
                "value": self.release.sensitive.values[value],
                "records": number.astype(np.int64) if exact else number,
                "share": number / max(1, int(found.records[0])),
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per person: who it is, what an attacker sees, and what is true of it.

        ``name``, ``row`` (of the external table, from 0), ``candidates``, ``classes``,
        ``values``, ``likeliest`` (the value that most candidates have) and ``share`` of them; with
        the original also ``in_table``, ``own_among`` and ``own_value``, the share of the
        candidates that have the person's own.
        """
        links, texts = self.links, np.array([*self.release.sensitive.texts, None], dtype=object)
        frame = pd.DataFrame(
            {
                "name": pd.Series(self.people.names, dtype=object),
                "row": self.people.rows,
                "candidates": links.candidates,
                "classes": links.classes,
                "values": links.values,
                "likeliest": pd.Series(texts[links.likeliest], dtype=object),
                "share": links.share,
            }
        )
        if self.right is not None:
            frame["in_table"] = self.right.in_table
            frame["own_among"] = self.right.among
            frame["own_value"] = self.right.value
        return frame

    @property
    def figures(self) -> tuple[Value, ...]:
        linked = self.unique.mean()  # whoever knows all rows of a person knows the only one
        return (
            LINKED.of(linked),
            ONE_VALUE.of(self.one_value.mean()),
            LINKED_ALL_ROWS.of(linked),
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "external": self.people.source,
            "made_by": self.release.made_by,
            "known": self.known,
            "sensitive": self.release.sensitive.name,
            "people": len(self),
            "unique": int(self.unique.sum()),
            "one_value": int(self.one_value.sum()),
            "tolerance": self.near.fact,
            "published": len(self.release),
            **self.attributes("suppressed suppressed_share only_suppressed"),
            **self.attributes(
                "found in_table own_among unique_right one_value_right record_right value_right "
                "value_by_chance records_of_one records_of_nobody"
            ),
        }

    def story(self, release: Text | None = None) -> Story:
        return Story(
            title=Message(
                "Linkage: {n:person} of {source} against {release}", n=len(self),
                source=File(self.people.source, bare=True),
                release=File(self.release.in_short, bare=True),
            ),
            about=[f"known of them: {', '.join(self.known)}"],
            verdict=self._verdict(release),
            sentences=[self._journalist(), *self._explained()],
            tables=[self._table()],
            charts=self._charts(release or self.release.made_by),
        )  # fmt: skip

    def _verdict(self, release: Text | None) -> Message:
        n, unique, one = len(self), int(self.unique.sum()), int(self.one_value.sum())
        said = (
            "{under}, of {n}, {unique} linked to a single record{rightly}, and {one} to a "
            "single {secret}{one_rightly}"
        )
        if self.right is None:
            said += "; whether these links are right is not known."
        elif not self.in_table:
            said += "; none of them is in the table, so every link is wrong."
        else:
            said += (
                ". Of the {people} in the table, an attacker who picks a candidate at "
                "random finds the right record for {record}, and the right {secret} for "
                "{value} ({chance} by picking any record)."
            )
        return Message(
            said, n=Known(counted(n, "person")),
            secret=Known(f"{self.release.sensitive.name}{self.near.in_brackets}"),
            under=self._under(release),
            unique=self._linked(LINKED, unique),
            one=self._share(ONE_VALUE, one / n, lambda _: of_all(one, n)),
            rightly=rightly_so(unique, self.unique_right, LINKED),
            one_rightly=rightly_so(one, self.one_value_right, ONE_VALUE),
            people=Known(counted(self.in_table or 0, "person")),
            record=Known(percent(self.record_right or 0.0)),
            value=self._share(OF_SECRETS, self.value_right),
            chance=self._share(OF_SECRETS, self.value_by_chance),
        )  # fmt: skip

    def _table(self) -> Table:
        n, in_table = len(self), self.in_table
        secret = f"{self.release.sensitive.name}{self.near.in_brackets}"
        unique, one = int(self.unique.sum()), int(self.one_value.sum())
        counts = [
            ("with candidates", self.found, n),
            ("  only suppressed records", self.only_suppressed if self.suppressed else None, n),
            ("linked to a single record", unique, n),
            ("  and rightly so", self.unique_right, unique),
            (f"linked to a single {secret}", one, n),
            ("  and rightly so", self.one_value_right, one),
            ("in the table", in_table, n),
            ("  own record among the candidates", self.own_among, in_table),
        ]
        shares = {
            "  right record, a candidate picked at random": self.record_right,
            f"  right {secret}, a candidate picked at random": self.value_right,
            f"  right {secret}, any record picked at random": self.value_by_chance,
        }
        return counts_and_shares(counts, shares)

    def _journalist(self) -> str:
        total = int(self.index.records.sum())
        return (
            f"Records whose cells cover exactly one of these people: "
            f"{of_all(self.records_of_one, total)}; nobody: "
            f"{of_all(self.records_of_nobody, total)}."
        )

    def _explained(self) -> list[Text]:
        said: list[Text] = [
            "Candidates of a person are the records whose cells cover the person in every known "
            "column."
        ]
        if isinstance(self.release, Permuted):
            said.append(
                "The release has quasi-identifiers as they are: a record is easily found, and its "
                f"{self.release.sensitive.name} is one of its group's."
            )
        if self.suppressed:
            said += self._about_suppressed()
        if self.right is None:
            said.append(Message("Give the original, {microdata}, to count which links are right.",
                                microdata=Option("microdata")))  # fmt: skip
        elif uncovered := int((self.right.in_table & (self.candidates == 0)).sum()):
            said.append(
                Message(
                    "{people} of those in the table have no candidate: no cell is true of them. "
                    "That does not make them safe, because an attacker may take the nearest "
                    "records instead; {others} test such releases.",
                    people=uncovered,
                    others=Listed([Call("differential_inference"), Call("membership")], "and"),
                )
            )
        return said

    def _about_suppressed(self) -> list[Text]:
        """What suppressed records mean for the links."""
        only, gone = self.only_suppressed, self.suppressed
        said: list[Text] = [
            Message(
                "{gone} of {records:record} {are} suppressed and {cover} everybody. They are "
                "candidates only of people whom no other record covers: {only:person}. Anybody "
                "else in the release is one of the suppressed with a chance of at most {share:%}, "
                "on average, and then their links are wrong.",
                gone=gone, records=len(self.release), only=only, share=self.suppressed_share,
                are="is" if gone == 1 else "are", cover="covers" if gone == 1 else "cover",
            )
        ]  # fmt: skip
        if only > gone:
            said.append(
                Message(
                    "At least {others} of the {only:person} {are} not in the release, because "
                    "there are fewer suppressed records. {who} not count as linked.",
                    others=only - gone, only=only, are="is" if only - gone == 1 else "are",
                    who="They do" if self.right is None else "Those who are not in the table do",
                )
            )  # fmt: skip
        return said

    def _charts(self, name: Text) -> list[Chart]:
        nobody, one = len(self) - self.found, int(self.one_value.sum())
        charts = [
            (
                "How many records a person may be", "candidates of a person", self.candidates,
                Message(
                    "{name}: half of the people have at most {half:candidate}{none}",
                    name=name, half=int(np.median(self.candidates)),
                    none=f"; {nobody:,} of {len(self):,} people have none" if nobody else "",
                ),
                Follows.QUASI,
            ),
            (
                "How many sensitive values a person may have",
                f"values of {self.release.sensitive.name} among the candidates", self.values,
                Message("{name}: {one} have a single one", name=name, one=of_all(one, len(self))),
                Follows.RELEASE,
            ),
        ]  # fmt: skip
        return [
            Chart(
                kind="distribution", title=title, says=says, x=Axis(label=label, scale="log"),
                y=Axis(label="share of people", share=True),
                series=[distribution(name, numbers, floor=0.5)], follows_from=follows,
            )
            for title, label, numbers, says, follows in charts
        ]  # fmt: skip
