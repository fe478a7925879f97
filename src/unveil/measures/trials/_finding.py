"""What remedies found: who is at risk, and what each coarser form would change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import pandas as pd

from unveil._text import percent, percents
from unveil.errors import SMALLEST, Amount, Cell, File, InputError, Known, Message, Text
from unveil.findings import (
    Axis,
    Chart,
    Figure,
    Finding,
    Follows,
    Question,
    Series,
    Story,
    Table,
    cell,
    numbers,
)
from unveil.measures.trials._classes import Classes, Numbers
from unveil.measures.trials._coarser import coarser_forms
from unveil.measures.trials._groups import Group
from unveil.measures.trials._trials import (
    Trial,
    best_of,
    best_of_each,
    efficient,
    enough_of,
    most_of,
    risk_of,
)
from unveil.microdata import Release

_LISTED = 12  # trials in a table
_AGAIN = (
    "These trials count classes and do nothing else: audit the changed release before it is "
    "published."
)
_ONE_VALUE = Figure(
    name="one_value_in_class", title="people in classes of a single value", share=True,
    question=Question.INFERENCE, follows_from=Follows.RELEASE, averages=True,
    says="share of the people in whose class a single sensitive value is left",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Remedies(Finding):
    """Who is at risk by the classes of a release, and what coarser columns would change.

    Attributes
    ----------
    now : Numbers
        What the classes say as they are published.
    singles, several : tuple of Trial
        Coarser forms of single columns, and of several at once: those that protect most people for
        what they cost come first, and those that protect nobody last. None where nobody is at risk.
    groups : tuple of Group
        Everybody, and groups of people of whom more are at risk.
    by : {"below", "one_value"}
        Whom the trials are ranked by: people in classes of fewer than ``least``, or, if there are
        none, people in classes with a single sensitive value.
    least : int
        The size that classes should have.
    known : tuple of str
        The quasi-identifiers that the attacker knows, which are tried.
    records, people : int
        Published records, and the people whose they are.
    sensitive, made_by : str
    of : Release
        What was tried.
    """

    entry: ClassVar[str] = "remedies"
    follows_from: ClassVar[Follows] = Follows.RELEASE

    made_by: str
    known: tuple[str, ...]
    least: int
    by: str
    sensitive: str
    records: int
    people: int
    now: Numbers
    singles: tuple[Trial, ...]
    several: tuple[Trial, ...]
    groups: tuple[Group, ...]
    notes: tuple[Text, ...]
    of: Release

    @property
    def at_risk(self) -> int:
        """How many people are at risk, by what the trials are ranked by."""
        return risk_of(self.now, self.by)

    @property
    def best(self) -> Trial | None:
        """The single coarser column that protects most people for what it costs.

        Of those that protect at least a tenth of the people at risk, if there are any; None if no
        trial protects anybody.
        """
        return best_of(self.singles, self.at_risk)

    @property
    def enough(self) -> Trial | None:
        """The cheapest trial, of one column or several, that leaves nobody at risk."""
        return enough_of((*self.singles, *self.several), self.by)

    def release(self, trial: Trial) -> Release:
        """The release with the coarser columns of a trial: to be audited, and then published."""
        classes = Classes(self.of, self.known, self.least)
        changed = {}
        for name, how in trial.changes.items():
            if name not in self.known:
                raise InputError("no trial is of the column {name}", name=Cell(name))
            forms = coarser_forms(classes.cells[name], classes.crowd_of(name), self.least)
            found = [one.cells for one in forms if one.form.how == how]
            if not found:
                raise InputError("{change} is none of the trials of this release; take one of "
                                 "singles or several", change=Cell(trial.change))  # fmt: skip
            changed[name] = found[0]
        return classes.release(changed, f"{self.made_by}, with {trial.change}")

    def to_frame(self) -> pd.DataFrame:
        """One row per trial; the first is the release as it is."""
        now = {"change": "", "columns": 0, **asdict(self.now), "cost": 0.0, "protected": 0}
        rows = [
            {"change": one.change, "columns": len(one.changes), **asdict(one.numbers),
             "cost": one.cost, "protected": one.protected}
            for one in (*self.singles, *self.several)
        ]  # fmt: skip
        return pd.DataFrame([now, *rows])

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            **self.attributes("known least by records people sensitive"),
            "now": asdict(self.now),
            "trials": [
                {"changes": dict(one.changes), **asdict(one.numbers), "cost": one.cost,
                 "protected": one.protected}
                for one in (*self.singles, *self.several)
            ],
        }  # fmt: skip

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {
            "groups": [
                {"cells": one.cells, "people": one.people, "alone": one.alone, "below": one.below,
                 "one_value": one.one_value}
                for one in self.groups
            ]
        }  # fmt: skip

    # The story -------------------------------------------------------------------------------

    def story(self, release: Text | None = None) -> Story:
        return Story(
            title=Message("What to change in the release by {made_by}: {n:trial} of coarser "
                          "columns", made_by=File(self.made_by, bare=True),
                          n=len(self.singles) + len(self.several)),
            verdict=self._verdict(release),
            sentences=[*self._sentences(), *([_AGAIN] if self.singles else [])],
            tables=[one for one in (*self._who(), *self._what()) if one.rows],
            charts=self._charts(release),
        )  # fmt: skip

    def _verdict(self, release: Text | None) -> Message:
        under = "" if release is None else Message("Under {release}, ", release=release)
        nobody = "Nobody" if release is None else "nobody"
        if not self.at_risk:
            said = "{under}{nobody} is in a class of fewer than {least}, and no class has a single "
            said += "{secret}: by its classes nobody is at risk, and no coarser column was tried."
            return Message(said, under=under, least=Known(str(self.least)),
                           secret=Known(self.sensitive), nobody=nobody)  # fmt: skip
        return Message("{under}{now}. {best} {enough}", under=under, now=self._now(nobody),
                       best=self._would(self.best), enough=self._ending())  # fmt: skip

    def _now(self, nobody: str) -> Message:
        alone = Known(f", {self.now.alone:,} of them alone" if self.now.alone else "")
        if self.by == "below":
            few, every = self.now.below, f"{self.people:,} people"
            share = f"{few:,} ({percent(few / self.people)}) of {every}"
            if few == self.people:
                share = f"{'All' if nobody == 'Nobody' else 'all'} {every}"
            return Message(
                "{n} {are} in a class of fewer than {least}{alone}",
                n=Known(share),
                are="is" if few == 1 else "are", least=Known(str(self.least)), alone=alone,
            )  # fmt: skip
        return Message(
            "{nobody} is in a class of fewer than {least}, but {n} in a class with a single "
            "{secret}", nobody=nobody, least=Known(str(self.least)),
            n=self._of_one_value(self.now.one_value), secret=Known(self.sensitive),
        )  # fmt: skip

    def _of_one_value(self, people: int) -> Amount:
        verb = "is" if people == 1 else "are"
        return Amount(
            _ONE_VALUE, people / self.people, people=self.people,
            form=lambda _: f"{people:,} ({percent(people / self.people)}) {verb}",
            ranged=lambda low, high: f"{percents(low, high)} of the people are",
        )  # fmt: skip

    def _would(self, trial: Trial | None) -> Message:
        """What one change would do, and what it costs."""
        if trial is None:
            return Message(
                "No coarser form of a single column protects any of them ({n} were tried).",
                n=Known(f"{len(self.singles):,}"),
            )  # fmt: skip
        new, now = trial.numbers, self.now
        parts: dict[str, Any] = {
            "action": Known(_capital(trial.action)), "cost": Known(_points(trial.cost)),
            "loss": Known(f"{now.loss:.1%}"), "new": Known(f"{new.loss:.1%}"),
            "raised": Known(f"raise k from {now.k:,} to {new.k:,}, and " * (new.k > now.k)),
            "stays": Known("" if new.k > now.k else f"; k stays {now.k:,}"),
        }  # fmt: skip
        if self.by == "below":
            left = f"leave {new.below:,} instead of {now.below:,} people in a class of fewer than "
            left += f"{self.least}"
            if now.alone:
                left += f", {new.alone:,} instead of {now.alone:,} of them alone"
            parts["left"] = Known(left)
        else:
            parts["left"] = Message(
                "leave {n} instead of {now} of the people in a class with a single {secret}",
                n=self._share_of(new.one_value), now=self._share_of(now.one_value),
                secret=Known(self.sensitive),
            )  # fmt: skip
        said = "{action} would {raised}{left}{stays}. It costs {cost} of information (a loss of "
        return Message(said + "{new} instead of {loss}).", **parts)

    def _ending(self) -> Message:
        """What would protect all of them."""
        enough, best = self.enough, self.best
        if enough is not None and best is not None and enough.changes == best.changes:
            return Message("This protects all of them.")
        if enough is not None:
            return Message(
                "The cheapest change that protects all of them is {action}: it costs {cost}.",
                action=Known(enough.action), cost=Known(_points(enough.cost)),
            )  # fmt: skip
        most = most_of((*self.singles, *self.several))
        if most is None or (best is not None and most.changes == best.changes):
            return Message("Nothing that was tried protects all of them ({n} changes of one column "
                           "or several).", n=self._tried)  # fmt: skip
        left = risk_of(most.numbers, self.by)
        return Message(
            "Nothing that was tried protects all of them ({n} changes of one column or several). "
            "What protects most is {action}: it leaves {left} at risk, and costs {cost}.",
            n=self._tried, action=Known(most.action), cost=Known(_points(most.cost)),
            left=Known(f"{left:,}") if self.by == "below" else self._share_of(left),
        )  # fmt: skip

    @property
    def _tried(self) -> Known:
        return Known(f"{len(self.singles) + len(self.several):,}")

    def _share_of(self, people: int) -> Amount:
        return Amount(_ONE_VALUE, people / self.people, people=self.people,
                      form=lambda _: f"{people:,} ({percent(people / self.people)})",
                      ranged=percents)  # fmt: skip

    def _sentences(self) -> list[Text]:
        """What else there is to say: the values of classes, and pairs."""
        said: list[Text] = []
        if self.by == "below" and self.now.one_value:
            said.append(Message("{n} in a class with a single {secret}.", secret=self.sensitive,
                                n=self._of_one_value(self.now.one_value)))  # fmt: skip
        useless = sum(one.protected <= 0 for one in self.singles)
        if useless and self.best is not None:
            said.append(Message("{n} of the {all:form} of single columns would protect nobody.",
                                n=useless, all=len(self.singles)))  # fmt: skip
        return said

    def _who(self) -> list[Table]:
        """Groups of people, and how many of each are at risk."""
        if self.by == "below":
            return [
                Table(
                    title="Who is at risk",
                    says=f"Groups of which more are in classes of fewer than {self.least} than of "
                    "everybody; somebody may be in several.",
                    columns=["people with", "people", "in small classes", "share", "alone"],
                    rows=[[one.who, one.people, one.below, cell(one.below / one.people, "%"),
                           _count(one)] for one in self.groups],
                    follows_from=Follows.QUASI,
                )
            ]  # fmt: skip
        return [
            Table(
                title=f"Whose {self.sensitive} is given away by their class",
                says=f"Groups of which more are in classes with a single {self.sensitive} than of "
                "everybody; somebody may be in several.",
                columns=["people with", "people", f"in a class with a single {self.sensitive}",
                         "share"],
                rows=[[one.who, one.people, one.one_value, cell(one.one_value / one.people, "%")]
                      for one in self.groups],
            )
        ]  # fmt: skip

    def _what(self) -> list[Table]:
        """Trials: what is left at risk, and what that costs."""
        if not self.singles:
            return []
        below = "in small classes"
        one_value = f"in a class with a single {self.sensitive}"
        each = best_of_each(self.singles, self.at_risk)[:_LISTED]
        front = _spread(efficient((*self.singles, *self.several)))
        # The order follows from what the trials are ranked by.
        follows = Follows.QUASI if self.by == "below" else Follows.RELEASE

        def rows(some: list[Trial], what: Callable[[Numbers], list[Any]]) -> list[list[Any]]:
            return [
                ["as it is", *what(self.now), cell(None)],
                *([one.change, *what(one.numbers), cell(one.cost, _briefly)] for one in some),
            ]

        def sizes(one: Numbers) -> list[Any]:
            return [one.k, one.below, one.alone, cell(one.loss, ".1%")]

        def values(one: Numbers) -> list[Any]:
            return [one.l, one.one_value, cell(one.one_value / self.people, "%")]

        tables = [
            Table(
                title="What one coarser column would change",
                says="The best form of each column that was tried: that which protects most people "
                f"for what it costs. Small classes have fewer than {self.least} people.",
                columns=["change", "k", below, "alone", "information loss", "it costs"],
                rows=rows(each, sizes), follows_from=follows,
            ),
            Table(
                title="What would protect more people, the cheapest first",
                says="Changes of one column or several. Each protects more people than all that "
                "cost less.",
                columns=["change", "k", below, "alone", "information loss", "it costs"],
                rows=rows(front, sizes), follows_from=follows,
            ),
            Table(
                title=f"The same for classes with a single {self.sensitive}",
                columns=["change", "ℓ", one_value, "share", "it costs"],
                rows=rows(list({one.change: one for one in (*each, *front)}.values()), values),
            ),
        ]  # fmt: skip
        if not front:
            del tables[1]
        return tables if self.now.one_value else tables[:-1]

    def _charts(self, release: Text | None) -> list[Chart]:
        every = (*self.singles, *self.several)
        if not any(one.protected > 0 for one in every):
            return []
        prefix = "" if release is None else Message("{release}: ", release=release)
        label = (
            f"people in a class of fewer than {self.least}" if self.by == "below"
            else f"people in a class with a single {self.sensitive}"
        )  # fmt: skip
        named = {one.change for one in (self.best, self.enough) if one is not None}

        def series(name: str, trials: list[tuple[Text, Numbers]]) -> Series:
            return Series(
                name=Message("{prefix}{name}", prefix=prefix, name=name),
                x=numbers(one.loss for _, one in trials),
                y=numbers(risk_of(one, self.by) / self.people for _, one in trials),
                marks=[mark for mark, _ in trials],
            )

        def marked(trials: tuple[Trial, ...]) -> list[tuple[Text, Numbers]]:
            return [(one.change if one.change in named else "", one.numbers) for one in trials]

        return [
            Chart(
                kind="points",
                title=Message("What coarser columns would change: {label}", label=label),
                says="Each point is a trial. The further down, the fewer people are at risk; the "
                "further to the right, the more information is lost.",
                x=Axis(label="information loss", share=True),
                y=Axis(label=label, share=True),
                series=[
                    series("as it is", [("", self.now)]),
                    series("one coarser column", marked(self.singles)),
                    *([series("several", marked(self.several))] if self.several else []),
                ],
                follows_from=Follows.QUASI if self.by == "below" else Follows.RELEASE,
            )
        ]  # fmt: skip


def _count(group: Group) -> Any:
    """How many of a group are alone; of those who are described, not exactly if they are few."""
    few = bool(group.cells) and 0 < group.alone < SMALLEST
    return (None, f"<{SMALLEST}") if few else group.alone


def _spread(found: Sequence[Trial]) -> list[Trial]:
    """As many as can be read, from the first to the last."""
    if len(found) <= _LISTED:
        return list(found)
    return [found[round(n * (len(found) - 1) / (_LISTED - 1))] for n in range(_LISTED)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _points(share: float) -> str:
    """A difference of two shares, for people."""
    return f"{_digits(share)} percentage point{'' if _digits(share) == '1' else 's'}"


def _briefly(share: float) -> str:
    """The same in a table."""
    return f"{_digits(share)} point{'' if _digits(share) == '1' else 's'}"


def _digits(share: float) -> str:
    return f"{100 * share:.3g}" if share >= 0.1 else f"{100 * share:.2g}"
