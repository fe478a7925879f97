"""The finding of a composition attack: what it says in numbers, words, tables and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import counted, of_all, percent
from unveil.attacks.composition import BELOW_K, DETERMINED
from unveil.attacks.composition._intersection import Left, Problem, candidates_of_one
from unveil.attacks.people import External
from unveil.attacks.shared import over_people
from unveil.attacks.tolerance import Near
from unveil.errors import File, Message, Text
from unveil.findings import Axis, Chart, Finding, Story, Table, Value, cell, distribution
from unveil.microdata import Permuted, Release


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Composition(Finding):
    """What several releases together tell about people, beside what each tells alone.

    Attributes
    ----------
    releases : tuple of Release or Permuted
    labels : tuple of str
        What they are called.
    people : External
        Whom the attacker looks for.
    known : tuple of str
        The quasi-identifiers that they know.
    texts : tuple of str
        All sensitive values; codes of values are places in it.
    k : int
        How many candidates a person should have.
    alone : tuple of Left
        For each release, what it leaves of everybody's candidates.
    left : Left
        What all of them together leave.
    is_known : array
        Whose own value is known.
    problem : Problem
        The releases as they are searched, to look somebody up.
    near : Near
        How near a guess must be, so that several numbers count as one; words must be the same.
    """

    entry: ClassVar[str] = "composition"

    releases: tuple[Release | Permuted, ...]
    labels: tuple[str, ...]
    people: External
    known: tuple[str, ...]
    texts: tuple[str, ...]
    k: int
    alone: tuple[Left, ...]
    left: Left
    is_known: NDArray[np.bool_]
    problem: Problem
    near: Near
    seconds: float
    notes: tuple[Text, ...] = ()

    def __len__(self) -> int:
        return len(self.people)

    @property
    def identified(self) -> bool:
        """Whether pseudonyms tell which records are the same person's.

        If so, the number of candidates that are left is exact; otherwise it is an upper bound.
        """
        return self.problem.joint is not None

    @property
    def sensitive(self) -> str:
        """The sensitive column."""
        return self.releases[0].sensitive.name

    @property
    def determined(self) -> NDArray[np.bool_]:
        """Who has one sensitive value left, or numbers to which one guess is near enough."""
        return self.left.determined

    @property
    def newly_determined(self) -> NDArray[np.bool_]:
        """Who has one value left, and several in each release alone."""
        before = np.any([left.determined for left in self.alone], axis=0)
        return self.determined & ~before

    @property
    def below_k(self) -> NDArray[np.bool_]:
        """Who has candidates left, but fewer than k."""
        return (self.left.candidates > 0) & (self.left.candidates < self.k)

    @property
    def newly_below_k(self) -> NDArray[np.bool_]:
        """Who has fewer than k left, and at least k in each release alone."""
        before = np.any([left.candidates < self.k for left in self.alone], axis=0)
        return self.below_k & ~before

    @property
    def suppressed(self) -> tuple[int, ...]:
        """How many records of each release are suppressed."""
        return tuple(one.suppressed if isinstance(one, Release) else 0 for one in self.releases)

    @property
    def contradicted(self) -> NDArray[np.bool_]:
        """Who has nothing left: they are not in all the tables, or suppressed in a release."""
        return self.left.values == 0

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Whose own value is known but not left, for the same reasons."""
        return self.is_known & ~self.left.own

    @property
    def determined_right(self) -> int | None:
        """How many are determined rightly; None if nobody's own value is known."""
        if not self.is_known.any():
            return None
        return int((self.determined & self.left.own).sum())

    def candidates_of(self, person: int | str) -> pd.DataFrame:
        """What is left of one person: a row for each sensitive value that any release has.

        Parameters
        ----------
        person : int or str
            Their number, counted from 0 as in `to_frame`, or their name.

        Returns
        -------
        pandas.DataFrame
            ``value``; for each release, under its name, how many candidates have it; and
            ``together``, how many are left (at most, unless `identified`).
        """
        numbers = candidates_of_one(self.problem, self.people.number_of(person))
        some = np.flatnonzero(numbers.any(axis=0))
        frame = pd.DataFrame(numbers[:, some].T, columns=[*self.labels, "together"])
        values = pd.Series([self.texts[value] for value in some], dtype=object)
        frame.insert(0, "value", values, allow_duplicates=True)
        return frame

    def of_person(self, person: int | str) -> Table:
        number = self.people.number_of(person)
        frame = self.candidates_of(number)
        who = self.people.described(number)
        if not len(frame):
            nobody = Message("{who} has no candidates: no record can be that person's", who=who)
            return Table(title=nobody)
        rows = sorted(frame.to_numpy().tolist(), key=lambda row: -row[-1])
        return Table(
            title=Message("{who}: {secret} of the candidates", who=who, secret=self.sensitive),
            columns=[self.sensitive, *map(_named, self.labels), "together"],
            rows=[[str(value), *counts] for value, *counts in rows],
        )  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """One row per person.

        ``name``, ``row`` (of the table of people, from 0), ``candidates`` and ``values`` that all
        releases together leave, the sensitive column (its value, if one is left); for each
        release ``candidates: …`` and ``values: …``; and ``own_left``, if own values are known.
        """
        texts = np.array([*self.texts, None], dtype=object)
        secret, only = self.sensitive, pd.Series(texts[self.left.value], dtype=object)
        last, several = texts[self.left.value_to], self.left.value != self.left.value_to
        only[several] = only[several] + " to " + last[several]
        taken = ("name", "row", "candidates", "values", "own_left")
        frame: dict[str, Any] = {
            "name": pd.Series(self.people.names, dtype=object),
            "row": self.people.rows,
            "candidates": self.left.candidates,
            "values": self.left.values,
            f"{secret} left" if secret in taken else secret: only,
        }
        for label, left in zip(self.labels, self.alone, strict=True):
            frame[f"candidates: {label}"] = left.candidates
            frame[f"values: {label}"] = left.values
        if self.is_known.any():
            own = self.left.own.astype(object)
            own[~self.is_known] = None
            frame["own_left"] = pd.Series(own, dtype=object)
        return pd.DataFrame(frame)

    @property
    def figures(self) -> tuple[Value, ...]:
        people = max(1, len(self))
        return (
            DETERMINED.of(self.determined.sum() / people),
            BELOW_K.of(self.below_k.sum() / people),
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "people": len(self),
            "source": self.people.source,
            **self.attributes("known sensitive k identified"),
            "tolerance": self.near.fact,
            "releases": [
                {"release": label, "made_by": release.made_by, "suppressed": suppressed,
                 **_counts(left, self.k)}
                for label, release, suppressed, left in zip(
                    self.labels, self.releases, self.suppressed, self.alone, strict=True)
            ],
            "together": _counts(self.left, self.k),
            "newly_determined": int(self.newly_determined.sum()),
            "newly_below_k": int(self.newly_below_k.sum()),
            "contradicted": int(self.contradicted.sum()),
            "own_known": int(self.is_known.sum()),
            "own_lost": int(self.lost.sum()),
            **self.attributes("determined_right"),
        }  # fmt: skip

    def story(self, release: Text | None = None) -> Story:
        return Story(
            title=Message(
                "Composition: {n:person} of {source} in {releases} releases", n=len(self),
                source=File(self.people.source, bare=True), releases=len(self.releases),
            ),
            about=[f"known of them: {', '.join(self.known)}"],
            verdict=self._verdict(),
            sentences=[*self._particulars(), *self._explained()],
            tables=[self._table()],
            charts=[self._chart()],
        )  # fmt: skip

    def _verdict(self) -> str:
        n, determined, below = len(self), int(self.determined.sum()), int(self.below_k.sum())
        together = "both" if len(self.releases) == 2 else "all"
        before = determined - int(self.newly_determined.sum())
        few = below - int(self.newly_below_k.sum())
        return (
            f"Of {counted(n, 'person')}, the {self.sensitive}"
            f"{self.near.in_brackets} of "
            f"{of_all(determined, n)} follows from {together} together (of {of_all(before, n)} "
            f"from one release alone), and {of_all(below, n)} {'is' if below < 2 else 'are'} left "
            f"with fewer than {self.k:,} candidates ({of_all(few, n)} in one release alone)."
        )

    def _particulars(self) -> list[Text]:
        """What is true only of some findings."""
        said: list[Text] = [*self._about_suppressed()]
        n, where = len(self), "they are not in all of the tables"
        if any(self.suppressed):
            where += ", or are suppressed in one of the releases"
        if new := int(self.newly_determined.sum()):
            said.append(f"Determined by all together, but by no release alone: {of_all(new, n)}.")
        if self.determined_right is not None and self.determined.any():
            rightly = of_all(self.determined_right, int(self.determined.sum()))
            said.append(f"Of those determined, rightly: {rightly}.")
        if self.contradicted.any():
            number = of_all(int(self.contradicted.sum()), n)
            said.append(f"Nothing is left for {number}: {where}.")
        if lost := int((self.lost & ~self.contradicted).sum()):
            said.append(
                f"Only values other than their own are left for {of_all(lost, n)}: {where}, and "
                "an attacker would be wrong about them."
            )
        return said

    def _about_suppressed(self) -> list[Text]:
        """How many records of the releases are suppressed, and what that means."""
        each = zip(self.labels, self.releases, self.suppressed, strict=True)
        said: list[Text] = [
            Message(
                "{gone} of {records:record} of {label} {are} suppressed: candidates only of people "
                "whom no other record of it covers. Anybody else in it is one of the suppressed "
                "with a chance of at most {share:%}, on average, and then their candidates are the "
                "wrong ones.",
                gone=gone, records=len(one), label=File(label, bare=True),
                share=gone / len(one), are="is" if gone == 1 else "are",
            )
            for label, one, gone in each if gone
        ]  # fmt: skip
        return said

    def _explained(self) -> list[str]:
        said = [
            "It is assumed that everybody is in all of the tables, with the same "
            f"{self.sensitive} in each.",
            f"Candidates are the published values of {self.sensitive} that may be the person's.",
        ]
        if not self.identified:
            said.append(
                "Which records of two releases are the same person's is not known. Together, the "
                "candidates are therefore at most as many as the release with the fewest has of "
                "each value, summed over the values that all releases have."
            )
        return said

    @property
    def _candidates_are(self) -> str:
        return f"candidates: values of {self.sensitive} that may be the person's"

    def _table(self) -> Table:
        sizes = [f"{len(release):,}" for release in self.releases]
        at_most = "" if self.identified else "≤ "
        rows: list[list[Any]] = []
        for (label, left), size in zip(self._sides("together"), [*sizes, ""], strict=True):
            fewest, *people = _counts(left, self.k).values()
            before = "" if size else at_most
            rows.append(
                [
                    label, size, cell(fewest, f"{before}{{:,}}".format),
                    *((n, f"{n:,} ({percent(n / len(self))})") for n in people),
                ]
            )  # fmt: skip
        heads = ["records", "fewest candidates", f"below {self.k:,}", "one value left"]
        return Table(columns=["", *heads], rows=rows)

    def _sides(self, together: str) -> list[tuple[Text, Left]]:
        """What each release leaves, and what all together do."""
        return [*zip(map(_named, self.labels), self.alone, strict=True), (together, self.left)]

    def _chart(self) -> Chart:
        n, bound = len(self), "" if self.identified else " (an upper bound)"
        return over_people(
            "How many candidates are left for a person",
            f"together, {of_all(int(self.below_k.sum()), n)} of {n:,} people have fewer than "
            f"{self.k:,} candidates, and {of_all(int(self.determined.sum()), n)} have one value "
            "left",
            Axis(label=self._candidates_are, scale="log"),
            [distribution(label, left.candidates, floor=0.5)
             for label, left in self._sides(f"together{bound}")],
        )  # fmt: skip


def _named(label: str) -> Message:
    return Message("{label}", label=File(label, bare=True))


def _counts(left: Left, k: int) -> dict[str, Any]:
    some = left.candidates[left.candidates > 0]
    return {
        "fewest_candidates": int(some.min()) if len(some) else None,
        "below_k": int((some < k).sum()),
        "determined": int(left.determined.sum()),
    }
