"""The finding of a minimality attack: what it says in numbers, words, tables and charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import of_all, percents
from unveil.attacks.minimality import ABOVE_PROMISE
from unveil.attacks.minimality._attempts import Attempt
from unveil.attacks.minimality._solving import SETTLED
from unveil.attacks.shared import over_people, under
from unveil.attacks.tolerance import Guessed, Near
from unveil.errors import (
    Amount,
    Cell,
    File,
    InputError,
    Known,
    Message,
    Option,
    Person,
    Region,
    Text,
)
from unveil.findings import Axis, Chart, Finding, Story, Table, Value, cell, distribution
from unveil.microdata import Microdata, Release
from unveil.sanitize import Identity

_SURE = 1e-9  # belief that rounding may take from 1, or add to 0
_ERRORS = 4  # standard errors by which a drawn belief has to exceed a bound
_FEW = 3  # classes that are explained
_HOW = ("exact", "drawn", "walked")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Minimality(Finding):
    """What is believed about people by those who know how a release was made.

    Attributes
    ----------
    microdata : Microdata
    release : Release
    path : str
        ``"fast"``: the sanitizer was looked into; ``"general"``: it was run on worlds.
    asks_inside : bool
        Whether the goal is about sensitive values at all.
    belief : array
        Groups of people about whom the same is believed × sensitive values.
    group_of : array
        The group of each person.
    error, how : arrays
        For each group, the standard error of what is believed, and how it was found: ``"exact"``,
        ``"drawn"`` or ``"walked"``.
    alone : array of bool
        For each group, whether its class was looked at alone, without what ties it to others.
    kept : float
        The share of the worlds of which the sanitizer makes this release; nan if chains walked or
        classes were looked at alone.
    components : int
        Number of sets of classes that are tied together by something that was refused.
    rhat : float
        The worst R-hat of the chains; 1 without chains.
    refused : mapping
        For each class about which something is told, what was tried and refused.
    bound : array
        For each sensitive value, the largest belief that the goal promised.
    bound_in_words : str
    near : Near
        How near a guess must be for a value to count as known. What a goal promises is about
        single values, and so is what exceeds it.
    """

    entry: ClassVar[str] = "minimality"

    microdata: Microdata
    release: Release
    path: str
    asks_inside: bool
    belief: NDArray[np.float64]
    group_of: NDArray[np.int64]
    error: NDArray[np.float64]
    how: NDArray[np.object_]
    alone: NDArray[np.bool_]
    kept: float
    components: int
    rhat: float
    refused: dict[int, tuple[Attempt, ...]]
    bound: NDArray[np.float64]
    bound_in_words: str
    near: Near
    seconds: float
    notes: tuple[Text, ...] = ()

    def __len__(self) -> int:
        return len(self.microdata)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """What is believed from the release alone: classes × values."""
        shares: NDArray[np.float64] = self.release.counts / self.release.sizes[:, None]
        return shares

    @cached_property
    def _shares_of_groups(self) -> NDArray[np.float64]:
        class_of = np.zeros(len(self.belief), dtype=np.int64)
        class_of[self.group_of] = self.release.class_of
        return self.shares[class_of]

    @cached_property
    def _from_release(self) -> Guessed | None:
        """The best guesses from the release alone; None if they must be exact."""
        return self._guessed(self.shares, self.release.class_of)

    @cached_property
    def _from_both(self) -> Guessed | None:
        return self._guessed(self.belief, self.group_of)

    def _guessed(self, beliefs: NDArray[np.float64], row_of: NDArray[Any]) -> Guessed | None:
        if self.near.is_exact:
            return None
        return self.near.guess(beliefs, row_of, self.microdata.sensitive.codes)

    def _of_people(self, by_group: NDArray[Any]) -> NDArray[Any]:
        return by_group[self.group_of]

    @property
    def released_own(self) -> NDArray[np.float64]:
        """The belief in everybody's true value, or values near it, from the release alone."""
        if self._from_release is not None:
            return self._from_release.own
        return self.shares[self.release.class_of, self.microdata.sensitive.codes]

    @property
    def believed_own(self) -> NDArray[np.float64]:
        """The same, by those who know how the release was made."""
        if self._from_both is not None:
            return self._from_both.own
        return self.belief[self.group_of, self.microdata.sensitive.codes]

    @property
    def released_most(self) -> NDArray[np.float64]:
        """The belief in everybody's most likely value from the release alone."""
        return self._of_people(self._shares_of_groups.max(axis=1))

    @property
    def likeliest(self) -> NDArray[np.int64]:
        """The code of everybody's most likely value, by those who know how it was made."""
        return self._of_people(self.belief.argmax(axis=1))

    @property
    def believed_most(self) -> NDArray[np.float64]:
        """The belief in it."""
        return self._of_people(self.belief.max(axis=1))

    @property
    def error_of(self) -> NDArray[np.float64]:
        """The standard error of beliefs about everybody; 0 if all worlds were counted."""
        return self._of_people(self.error)

    @property
    def change(self) -> NDArray[np.float64]:
        """How far beliefs about everybody move: the total variation of both beliefs."""
        return self._of_people(np.abs(self.belief - self._shares_of_groups).sum(axis=1) / 2)

    @property
    def above_before(self) -> NDArray[np.bool_]:
        """About whom the release alone lets more be believed than the goal promised."""
        return self._of_people(np.any(self._shares_of_groups > self.bound + _SURE, axis=1))

    @property
    def above(self) -> NDArray[np.bool_]:
        """About whom more is believed than promised; by 4 standard errors if worlds are drawn."""
        sure = self.bound + _SURE + _ERRORS * self.error[:, None]
        return self._of_people(np.any(self.belief > sure, axis=1))

    @property
    def determined(self) -> NDArray[np.bool_]:
        """Whose value is certain, or known near enough, by counting all worlds."""
        best = self.belief.max(axis=1) if self._from_both is None else self._from_both.chance
        return self._of_people((best > 1 - _SURE) & (self.how == "exact"))

    @property
    def determined_before(self) -> NDArray[np.bool_]:
        """The same from the release alone."""
        if self._from_release is None:
            return self.released_most == 1
        return np.asarray(self._from_release.chance[self.release.class_of] > 1 - _SURE)

    @property
    def excluded(self) -> NDArray[np.int64]:
        """Number of values of the class that are ruled out, by counting all worlds."""
        gone = (self.belief < _SURE) & (self._shares_of_groups > 0)
        return self._of_people(gone.sum(axis=1) * (self.how == "exact"))

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """About whom nothing could be found out: too few worlds that are kept were found."""
        return self.error_of >= 1

    @property
    def looked_at_alone(self) -> NDArray[np.bool_]:
        """Whose class was looked at alone: an attacker who uses everything may know more."""
        return self._of_people(self.alone)

    @property
    def told(self) -> int:
        """Number of people about whom anything is told at all."""
        if self.path == "fast":
            return int(self.release.sizes[list(self.refused)].sum())
        return int((self.change > _SURE).sum())

    def people_by(self, how: str) -> int:
        """Number of people whose beliefs were found so: ``exact``, ``drawn`` or ``walked``."""
        return int((self._of_people(self.how) == how).sum())

    def of_person(self, person: int | str) -> Table:
        number, secret = self._number(person), self.release.sensitive.name
        frame = self.beliefs_of(number)
        heads = ["release alone", "and how it was made", "standard error"][: frame.shape[1] - 1]
        who = Person(int(self.microdata.rows[number]))
        return Table(
            title=Message("{who} of {source}. {why}", who=who, why=self._because(number, who),
                          source=File(self.microdata.source, bare=True)),
            columns=[secret, *heads],
            rows=[
                [Cell(value, bare=True), *(cell(one, ".3f") for one in beliefs)]
                for value, *beliefs in frame.to_numpy().tolist()
            ],
        )  # fmt: skip

    def beliefs_of(self, person: int) -> pd.DataFrame:
        """What is believed about one person: a row for each value of the class.

        Parameters
        ----------
        person : int
            The record, counted from 0.

        Returns
        -------
        pandas.DataFrame
            ``value``, ``released`` (believed from the release alone), ``believed``; and ``error``,
            if worlds were drawn.
        """
        group, g = self.group_of[self._number(person)], self.release.class_of[person]
        there = np.flatnonzero(self.shares[g])
        frame = pd.DataFrame(
            {
                "value": self.release.sensitive.values[there],
                "released": self.shares[g, there],
                "believed": self.belief[group, there],
            }
        )
        if self.how[group] != "exact":
            frame["error"] = self.error[group]
        return frame

    def why(self, person: int) -> str:
        """What was refused about a person's class, and what follows, in words."""
        return str(self._because(self._number(person), f"record {person}"))

    def _number(self, person: Any) -> int:
        if not isinstance(person, int | np.integer) or not 0 <= person < len(self):
            raise InputError("people are numbered from 0 to {last}, got {person}",
                             last=len(self) - 1, person=Cell(person))  # fmt: skip
        return int(person)

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The people about whom most is believed beyond the release, as in `to_frame`."""
        gain = self.believed_most - _ERRORS * self.error_of - self.released_most
        return self.to_frame().iloc[np.argsort(-gain, kind="stable")[:n]]

    def to_frame(self) -> pd.DataFrame:
        """One row per person.

        ``row`` of the table, ``class``, ``released_own`` and ``believed_own`` of the true value,
        ``released_most``, ``likeliest`` and ``believed_most``, ``change``, ``error``, ``alone``,
        ``above``, ``determined``, ``excluded``.
        """
        values = self.release.sensitive.values
        return pd.DataFrame(
            {
                "row": self.microdata.rows,
                "class": self.release.class_of,
                **self.attributes("released_own believed_own released_most"),
                "likeliest": values[self.likeliest],
                **self.attributes("believed_most change"),
                "error": self.error_of,
                "alone": self.looked_at_alone,
                **self.attributes("above determined excluded"),
            }
        )

    @property
    def figures(self) -> tuple[Value, ...]:
        return (ABOVE_PROMISE.of(self.above.mean()),)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "source": self.microdata.source,
            "made_by": self.release.made_by,
            "sensitive": self.release.sensitive.name,
            "path": self.path,
            "people": len(self),
            "classes": self.release.n_classes,
            "classes_told": len(self.refused),
            "people_told": self.told,
            "components": self.components,
            "worlds_kept": self.kept,
            "promised": self.bound_in_words,
            "above": int(self.above.sum()),
            "above_from_release": int(self.above_before.sum()),
            "determined": int(self.determined.sum()),
            "unknown": int(self.unknown.sum()),
            "excluded": int((self.excluded > 0).sum()),
            "largest_belief": float(self.believed_most.max()),
            "largest_from_release": float(self.released_most.max()),
            "mean_own": float(self.believed_own.mean()),
            "mean_own_from_release": float(self.released_own.mean()),
            **{how: self.people_by(how) for how in _HOW},
            "looked_at_alone": int(self.looked_at_alone.sum()),
            "largest_error": float(self.error_of.max()),
            "rhat": self.rhat if np.isfinite(self.rhat) else None,
            "tolerance": self.near.fact,
        }

    def story(self, release: Text | None = None) -> Story:
        inside = {"fast": "looked into", "general": "run on worlds"}[self.path]
        return Story(
            title=Message(
                "Minimality: {n} people of {source}, {release}", n=len(self),
                source=File(self.microdata.source, bare=True),
                release=File(self.release.in_short, bare=True),
            ),
            about=[f"the sanitizer was {inside}"],
            verdict=self._verdict(release),
            sentences=self._worst(),
            tables=[self._table()],
            charts=self._charts(release or self.release.made_by),
            diagnostics=self._diagnostics(),
        )  # fmt: skip

    def _nothing_because(self) -> str | None:
        """Why nothing is told, if that is so."""
        if self.release.made_by == Identity().label:
            return "every record is published as it is, regardless of who has which value"
        if not self.asks_inside:
            return (
                "its goal is about the sizes of classes alone, and these follow from the "
                "quasi-identifiers, regardless of who has which value"
            )
        if self.path == "fast" and not self.refused and not self.alone.any():
            return (
                "everything finer would have been refused regardless of who has which value: its "
                "parts are too small, or consist of whole classes"
            )
        if self.kept > 1 - _SURE and self.people_by("exact") == len(self):
            return "it makes the same release of every world"
        return None

    def _verdict(self, release: Text | None) -> Message:
        n, secret = len(self), self.release.sensitive.name
        it = File(self.release.made_by, bare=True) if release is None else "the sanitizer"
        because = self._nothing_because()
        if because is not None:
            return under(release, "How {it} works tells nothing beyond its release: {because}.",
                         it=it, because=because)  # fmt: skip
        several = (self.above, self.above_before, self.determined, self.excluded > 0)
        above, before, sure, ruled_out = (self._counted(some) for some in several)
        return under(
            release,
            "An attacker who knows how {it} works believes in some {secret} more strongly than was "
            "promised ({promised}) for {above} of {n} people (from the release alone: {before}). "
            "The {secret}{near} of {sure} is certain, and for {ruled_out} some {secret} of their "
            "class is ruled out.{open}",
            it=it, secret=Known(secret), promised=Known(self.bound_in_words), above=above,
            n=Known(f"{n:,}"), before=before, near=Known(self.near.in_brackets), sure=sure,
            ruled_out=ruled_out, open=self._left_open(),
        )  # fmt: skip

    def _counted(self, people: NDArray[np.bool_]) -> Amount:
        """How many of the people."""
        number = int(people.sum())
        return Amount(
            ABOVE_PROMISE, number / len(self), lambda _: of_all(number, len(self)),
            ranged=percents,
        )  # fmt: skip

    def _left_open(self) -> Message | str:
        """What was left out, or could not be found out, is not safe."""
        alone, unknown = int(self.looked_at_alone.sum()), int(self.unknown.sum())
        said: Message | str = ""
        if alone:
            said = Message(
                " The classes of {people} were looked at alone, because too many are tied "
                "together: an attacker who uses everything that was refused may know more.",
                people=self._counted(self.looked_at_alone),
            )
        if not unknown:
            return said
        return Message(
            "{said} About {people} nothing could be found out, because no worlds were found: give "
            "more {draws}, or take fewer people.",
            said=said, people=self._counted(self.unknown), draws=Option("draws"),
        )  # fmt: skip

    def _diagnostics(self) -> list[Text]:
        """How beliefs were found, and whether chains agree."""
        exact, drawn, walked = map(self.people_by, _HOW)
        found = [f"All worlds counted for {exact:,} of {len(self):,} people"]
        if drawn:
            found.append(f"worlds drawn for {drawn:,}")
        if walked:
            found.append(f"chains walked for {walked:,}")
        if drawn or walked:
            found.append(f"standard error up to {self.error_of.max():.2g}")
        said: list[Text] = [f"{', '.join(found)}."]
        if self.rhat > SETTLED:
            said.append(
                Message(
                    "The chains do not agree (R-hat {rhat:.2f}): the numbers of {people} people "
                    "are not reliable; give more {draws}.",
                    rhat=self.rhat,
                    people=walked,
                    draws=Option("draws"),
                )
            )
        return said

    def _table(self) -> Table:
        near = "" if self.near.is_exact else f"values {self.near.words} of "
        own, most = f"{near}the true value", "the most likely value"
        columns = ["belief in", "release alone", "and how it was made"]
        before = (self.released_own, self.released_most, self.above_before, self.determined_before)
        after = (self.believed_own, self.believed_most, self.above, self.determined)
        rows: list[list[Any]] = [[f"{own}, mean"], [f"{most}, mean"], [f"{most}, maximum"],
                ["people above what was promised"],
                [f"people whose value is certain{self.near.in_brackets}"]]  # fmt: skip
        for mine, likeliest, above, certain in (before, after):
            beliefs = (mine.mean(), likeliest.mean(), likeliest.max())
            # A goal about sizes promises nothing about beliefs.
            people = (int(above.sum()) if self.asks_inside else "–", int(certain.sum()))
            for row, one in zip(rows, [*(cell(b, "%") for b in beliefs), *people], strict=True):
                row.append(one)
        return Table(columns=columns, rows=rows)

    def _worst(self) -> list[Text]:
        """The classes about which most is told, each by the person about whom most is."""
        if not self.refused:
            return []
        order = self.worst(len(self)).index.to_numpy()
        classes = self.release.class_of[order]
        _, first = np.unique(classes, return_index=True)
        people = order[np.sort(first)[:_FEW]].tolist()
        return [self._because(one, "somebody in it") for one in people if self.change[one] > _SURE]

    def _because(self, person: int, who: Any) -> Message:
        """What was refused about a person's class, and what follows."""
        release = self.release
        g, value = int(release.class_of[person]), int(self.likeliest[person])
        size = int(release.sizes[g])
        cells = Region(cells_of(release, g), people=size)
        if g not in self.refused:
            return Message("The class {cells} ({size} people): nothing is told about it.",
                           cells=cells, size=size)  # fmt: skip
        tried = sorted(self.refused[g], key=lambda one: len(one.people))
        return Message(
            "The class {cells} ({size} people): {refused}{also}. So the belief that {who} has "
            "{value} is {after:%} instead of {before:%}.",
            cells=cells, size=size, who=who, refused=_refused(tried[0], size),
            also=f" ({len(tried):,} such attempts were refused)" if len(tried) > 1 else "",
            value=Cell(release.sensitive.texts[value], people=int(release.totals[value]),
                       bare=True),
            after=float(self.believed_most[person]), before=float(self.shares[g, value]),
        )  # fmt: skip

    def _charts(self, name: Text) -> list[Chart]:
        promised = f"; promised: {self.bound_in_words}" if self.asks_inside else ""
        return [
            over_people(
                "How far beliefs move by knowing how the release was made",
                "0: nothing is told beyond the release",
                Axis(label="change of the belief about a person"),
                [distribution(name, self.change)],
            ),
            over_people(
                "Belief in a person's most likely value",
                Message("{name}: {above} above what was promised{promised}", name=name,
                        above=of_all(int(self.above.sum()), len(self)), promised=promised),
                Axis(label=f"belief in the most likely {self.release.sensitive.name}", share=True),
                [
                    distribution("the release alone", self.released_most),
                    distribution("and how it was made", self.believed_most),
                ],
                rank=float(self.above.mean()),
            ),
        ]  # fmt: skip


def _refused(attempt: Attempt, size: int) -> Message:
    """What was tried, and why it tells something."""
    if not attempt.parts:
        return Message("the sanitizer did not {what}, which would have lost less",
                       what=attempt.what)  # fmt: skip
    whose = "it" if len(attempt.people) == size else f"{len(attempt.people):,} people around it"
    listed = list(zip(attempt.parts[:4], attempt.sizes.tolist(), strict=False))
    return Message(
        "the sanitizer did not {what} ({parts}), although all parts are large enough: the values "
        "of one must miss the goal",
        what=attempt.what.replace("cut", f"cut {whose}", 1),
        parts=Region([f"{text}: {number:,}" for text, number in listed],
                     people=min(number for _, number in listed)),
    )  # fmt: skip


def cells_of(release: Release, g: int) -> list[str]:
    """What one class publishes, column by column."""
    columns = zip(release.quasi, release.regions, strict=True)
    return [f"{column.name} {r.take(np.array([g])).texts(column)[0]}" for column, r in columns]
