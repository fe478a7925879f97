"""The finding of a deFinetti attack: what it says in numbers, words, tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd
from annotated_types import Ge
from numpy.typing import NDArray

from unveil._text import counted, of_all, percent, percents
from unveil.attacks.definetti import REWEIGHTED
from unveil.attacks.definetti._groups import DOUBTED, NOWHERE, UNDECIDED, Groups, why_not
from unveil.attacks.definetti._learning import VIEWS, Judged, Learned, Views
from unveil.attacks.people import External
from unveil.attacks.relative_risk import ROUNDING
from unveil.attacks.shared import over_people, under
from unveil.attacks.tolerance import Near
from unveil.errors import Amount, Cell, File, InputError, Known, Message, Option, Text
from unveil.findings import Axis, Chart, Finding, Series, Story, Table, Value, cell, distribution
from unveil.microdata import Permuted, Release
from unveil.options import check

_TITLES = {"definetti": "deFinetti attack", "foreground": "Foreground knowledge"}
_SAID = {
    "random_worlds": ("random worlds (the group's shares)", "by the shares of the group"),
    "population": ("the model alone, without the group", "by what was learnt, without the group"),
    "reweighted": ("re-weighted by what groups tell", "by both"),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DeFinetti(Finding):
    """What is believed about the people of a release by what its groups tell about each other.

    Attributes
    ----------
    release : Release or Permuted
    people : External
        Whom the attacker knows.
    method : str
        ``definetti`` or ``foreground``.
    groups : Groups
        Who is in which group.
    learned : Learned
        The model, how it was learnt, and how groups were computed.
    views : Views
        What is believed about every tuple of quasi-identifiers.
    tuple_of : array, one per person
        Their tuple; -1: nothing is believed about them.
    secret, in_table : arrays, one per person
        Their own sensitive value (-1: not one of the release's), and whose is known.
    random_worlds, reweighted, population : Judged
        The three beliefs, for each person.
    nowhere, undecided, doubted : int
        About how many people nothing is believed: no record can be theirs; several classes may
        have them, or, where a value of theirs is not known, several records of a permuted release;
        their class has more people than records.
    near : Near, optional
        How near a guess must be to be right; None if no guess can be checked.
    """

    entry: ClassVar[str] = "definetti"

    release: Release | Permuted
    people: External
    method: str
    groups: Groups
    learned: Learned
    views: Views
    tuple_of: NDArray[np.int64]
    secret: NDArray[np.int64]
    in_table: NDArray[np.bool_]
    random_worlds: Judged
    reweighted: Judged
    population: Judged
    nowhere: int
    undecided: int
    doubted: int
    seconds: float
    near: Near | None = None
    notes: tuple[Text, ...] = ()

    def __len__(self) -> int:
        return len(self.people)

    @property
    def placed(self) -> NDArray[np.bool_]:
        """About whom something is believed."""
        return self.tuple_of >= 0

    @property
    def columns(self) -> tuple[str, ...]:
        """What was learnt from: each column, or the attribute of foreground knowledge."""
        return self.learned.model.names

    @property
    def knows_truth(self) -> bool:
        """Whether somebody's own sensitive value is known, so that guesses can be checked."""
        return bool((self.in_table & self.placed).any())

    @cached_property
    def promise(self) -> NDArray[np.float64]:
        """The largest share of a value in everybody's group: 1/ℓ in a group of ℓ different ones.

        It is the largest belief that the group promises. nan if nothing is believed.
        """
        return np.append(self.views.promise, np.nan)[self.tuple_of]

    @property
    def exceeding(self) -> NDArray[np.bool_]:
        """About whom more is believed than their group promises."""
        with np.errstate(invalid="ignore"):
            return self.reweighted.belief > self.promise + ROUNDING

    @property
    def exceeding_right(self) -> float | None:
        """How many of them are guessed right; None if that is not known."""
        if not self.knows_truth:
            return None
        return float(np.nansum(self.reweighted.right[self.exceeding]))

    def belief_about(self, person: int | str) -> pd.DataFrame:
        """What is believed about one person: a row for each sensitive value.

        Parameters
        ----------
        person : int or str
            Their number, counted from 0 as in `to_frame`, or their name.

        Returns
        -------
        pandas.DataFrame
            ``value``, and how likely it is by ``random_worlds``, ``reweighted`` and by the
            ``population``'s model.
        """
        one = int(self.tuple_of[self.people.number_of(person)])
        if one < 0:
            raise InputError(
                "nothing is believed about {person}: no group is known to have that person",
                person=Cell(person),
            )
        table: dict[str, Any] = {view: self.views.about(slice(one, one + 1), view)[0]
                                 for view in VIEWS}  # fmt: skip
        return pd.DataFrame({"value": self.release.sensitive.values, **table})

    def to_frame(self) -> pd.DataFrame:
        """One row per person: who it is, what is believed, and what is true of it.

        ``name``, ``row`` (of the table of people, from 0), ``promise``, then for each of
        ``random_worlds``, ``reweighted`` and ``population`` the most likely value (under that
        name) and the belief in it (``…_belief``), and ``exceeds``; with the original also
        ``…_own``, the belief in the person's own value, and ``…_right``.
        """
        texts = np.array([*self.release.sensitive.texts, None], dtype=object)
        table: dict[str, object] = {
            "name": pd.Series(self.people.names, dtype=object),
            "row": self.people.rows,
            "promise": self.promise,
            "exceeds": self.exceeding,
        }
        for name, view in self._three.items():
            table[name] = pd.Series(texts[view.likeliest], dtype=object)
            table[f"{name}_belief"] = view.belief
            if self.knows_truth:
                table[f"{name}_own"] = view.own
                table[f"{name}_right"] = view.right
        return pd.DataFrame(table)

    @property
    def _three(self) -> dict[str, Judged]:
        return self.attributes(" ".join(VIEWS))

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The people about whom most is believed beyond what their group promises."""
        check("n", Annotated[int, Ge(0)], n)
        beyond = np.nan_to_num(self.reweighted.belief / self.promise, nan=-1.0)
        first = np.argsort(-beyond, kind="stable")[:n]
        first = first[beyond[first] > 0]
        return self.to_frame().iloc[first].rename_axis("person").reset_index()

    def by_group(self) -> pd.DataFrame:
        """One row per group: what it promises, and whom it hurts most.

        ``group`` (its name, or the number of a class), ``records``, ``strangers`` (records for
        which nobody was found), ``promise``, ``exceeding`` (people about whom more is believed),
        ``worst`` (the strongest belief), ``value``, ``person`` (the first whom it is about) and
        ``exact``.
        """
        groups, beliefs = self.groups, self.learned.beliefs
        known = groups.tuple_of >= 0
        row, group = groups.entry_row, groups.group_of
        # Strangers are nobody whom it could hurt.
        mine = np.where(known[row], beliefs, -1.0)
        top = pd.Series(mine).groupby(group[row]).idxmax().to_numpy()
        of_row = np.full(len(known), -1.0)
        np.maximum.at(of_row, row, mine)
        above = known & (of_row > groups.promise[group] + ROUNDING)
        someone = np.full(len(groups.tuples) + 1, -1)
        everybody = np.flatnonzero(self.placed)[::-1]
        someone[self.tuple_of[everybody]] = everybody
        return pd.DataFrame(
            {
                "group": np.array(self.release.groups, dtype=object)[groups.place]
                if isinstance(self.release, Permuted) else groups.place,
                "records": groups.sizes,
                "strangers": np.bincount(
                    group[~known], groups.people[~known], minlength=len(groups)
                ).astype(np.int64),
                "promise": groups.promise,
                "exceeding": np.bincount(
                    group[above], groups.people[above], minlength=len(groups)
                ).astype(np.int64),
                "worst": mine[top],
                "value": self.release.sensitive.values[groups.values[groups.entry_value[top]]],
                "person": someone[groups.tuple_of[row[top]]],
                "exact": ~self.learned.approximate,
            }
        )  # fmt: skip

    def of_person(self, person: int | str) -> Table:
        number = self.people.number_of(person)
        who = self.people.described(number)
        if not self.placed[number]:
            return Table(title=Message("Nothing is believed about {who}: no group is known to have "
                                       "that person", who=who))  # fmt: skip
        secret = self.release.sensitive.name
        beliefs = self.belief_about(number)
        frame = beliefs.sort_values("reweighted", ascending=False, kind="stable")
        return Table(
            title=Message("{who}: belief in each {secret}", who=who, secret=secret),
            columns=[secret, "random worlds", "re-weighted", "model alone"],
            rows=[
                [str(value), *(cell(belief, "%") for belief in beliefs)]
                for value, *beliefs in frame.to_numpy().tolist()
            ],
        )  # fmt: skip

    def of_worst(self, n: int) -> Table:
        return Table(
            title=Message("The worst-placed under {release} (rows counted from 1)",
                          release=File(self.release.made_by, bare=True)),
            columns=["", "belief", "the group allows", self.release.sensitive.name],
            rows=[
                [
                    Cell(f"{one['name'] + ', ' if one['name'] else ''}row {one['row'] + 1}",
                         bare=True),
                    cell(one["reweighted_belief"], "%"),
                    cell(one["promise"], "%"),
                    Cell(one["reweighted"], bare=True),
                ]
                for one in self.worst(n).to_dict("records")
            ],
        )  # fmt: skip

    @property
    def figures(self) -> tuple[Value, ...]:
        return (REWEIGHTED.of(self.reweighted.accuracy, people=int(self.placed.sum())),)

    @property
    def facts(self) -> Mapping[str, Any]:
        learned = self.learned
        return {
            "method": self.method,
            "source": self.people.source,
            "made_by": self.release.made_by,
            "sensitive": self.release.sensitive.name,
            "learnt_from": self.columns,
            "people": len(self),
            "placed": int(self.placed.sum()),
            **self.attributes("nowhere undecided doubted"),
            "groups": len(self.groups),
            "approximate_groups": int(learned.approximate.sum()),
            "smoothing": learned.model.smoothing,
            "rounds": learned.rounds,
            "settled": learned.settled,
            "moved": learned.moved,
            "log_likelihood": float(learned.likelihood[-1]),
            "exceeding": int(self.exceeding.sum()),
            "exceeding_right": self.exceeding_right,
            "known": int((self.in_table & self.placed).sum()),
            "right": {name: view.accuracy for name, view in self._three.items()}
            if self.knows_truth else None,
            "tolerance": self.near.fact if self.near else None,
        }  # fmt: skip

    def story(self, release: Text | None = None) -> Story:
        name = release or self.release.made_by
        return Story(
            title=Message(
                "{title}: {n:person} of {source} against {release}",
                title=_TITLES[self.method], n=len(self),
                source=File(self.people.source, bare=True),
                release=File(self.release.in_short, bare=True),
            ),
            about=[
                Message(
                    "learnt from {columns}, smoothing {smoothing:.4g}; {rounds}",
                    columns=", ".join(self.columns), rounds=self._rounds(),
                    smoothing=self.learned.model.smoothing,
                )
            ],
            verdict=self._verdict(release),
            sentences=[*self._left_out(), *self._explained()],
            tables=[self._table()],
            charts=[*([self._bars(name)] if self.knows_truth else []), self._curves(name)],
            diagnostics=[self._computed()],
        )  # fmt: skip

    def _verdict(self, release: Text | None) -> Message:
        n, more = int(self.placed.sum()), int(self.exceeding.sum())
        made_by = File(self.release.made_by, bare=True)
        if not n:
            by = Message(" in the release by {made_by}", made_by=made_by)
            return under(release, "Nobody's group{by} is known.", by="" if release else by)
        said = under(
            release,
            "Of {n} in groups{of}, {more} {are} believed to have some {secret} more "
            "strongly than the shares of their group allow",
            n=Known(counted(n, "person")),
            of="" if release else Message(" of {made_by}", made_by=made_by),
            more=self._share(more / n, lambda _: of_all(more, n)), are="is" if more < 2 else "are",
            secret=Known(self.release.sensitive.name),
        )  # fmt: skip
        if 2 * n < len(self):
            said = Message("Only {n} of {all} people could be assigned to its groups. {said}",
                           n=Known(f"{n:,}"), all=Known(f"{len(self):,}"), said=said)  # fmt: skip
        shares, ours, model = (view.accuracy for view in self._three.values())
        if shares is None or ours is None or model is None:
            return Message("{said}; whether that is right is not known.", said=said)
        # A strong belief impresses; whether it is also true is what counts.
        stronger = more and ours <= shares
        return Message(
            "{said}. An attacker who learns across groups guesses {ours} right{near}, compared "
            "with {shares} by the shares of the group and {model} by what was learnt without "
            "the group.{gained}",
            said=said, ours=self._share(ours), shares=self._share(shares),
            model=self._share(model), near=Known(self.near.in_brackets if self.near else ""),
            gained=" So here beliefs are stronger, but not more often true." if stronger else "",
        )  # fmt: skip

    def _share(self, share: float, form: Callable[[float], str] = percent) -> Amount:
        people = int(self.placed.sum())
        return Amount(REWEIGHTED, share, form, people=people,
                      ranged=percents)  # fmt: skip

    def _rounds(self) -> Text:
        learned = self.learned
        if self.method == "foreground":
            return "once"
        if learned.settled:
            return f"{counted(learned.rounds, 'round')} until beliefs settled"
        return Message(
            "beliefs still moved by {moved:.2g} after {n} rounds (for more: {rounds})",
            moved=learned.moved, n=learned.rounds, rounds=Option("rounds"),
        )  # fmt: skip

    def _computed(self) -> Text:
        """How exact the beliefs are."""
        n, rough, astray = len(self.groups), self.learned.approximate.sum(), self.learned.astray
        if not rough:
            return f"{n:,} groups, all computed exactly." if n > 1 else "1 group, computed exactly."
        return Message(
            "{n:group}, {rough} by Bethe's approximation{astray} (for exact answers: {steps}).",
            n=n, rough=of_all(int(rough), n), steps=Option("steps"),
            astray=f", which had not settled in {astray:,}" if astray else "",
        )  # fmt: skip

    def _table(self) -> Table:
        placed, rows = self.placed, []
        for name, view in self._three.items():
            belief = view.belief[placed]
            median = float(np.median(belief)) if len(belief) else None
            right = [cell(view.accuracy, "%")] * self.knows_truth
            rows.append([_SAID[name][0], cell(median, "%"), int((belief > 0.5).sum()), *right])
        heads = ["median belief", "over one half", *["guessed right"] * self.knows_truth]
        return Table(columns=["", *heads], rows=rows)

    def _left_out(self) -> list[Text]:
        """About whom nothing is believed, and what could be done."""
        reasons = {NOWHERE: self.nowhere, UNDECIDED: self.undecided, DOUBTED: self.doubted}
        said: list[Text] = [
            Message("Nothing is believed about {n:person}: {why}.", n=n,
                    why=why_not(reason, self.release))
            for reason, n in reasons.items() if n
        ]  # fmt: skip
        strangers = int(self.groups.people[self.groups.tuple_of < 0].sum())
        if strangers:
            are = "record is a stranger's" if strangers == 1 else "records are strangers'"
            said.append(f"{strangers:,} {are}: nobody was found for them, and nothing is known.")
        return said

    def _explained(self) -> list[Text]:
        said: list[Text] = [
            "Beliefs within a group use up its values; the model is naive Bayes, learnt from the "
            "release."
        ]
        if not self.knows_truth:
            said.append(Message("Give the original, {microdata}, to count who is guessed right.",
                                microdata=Option("microdata")))  # fmt: skip
        return said

    def _bars(self, name: Text) -> Chart:
        return Chart(
            kind="bars",
            title="How often guesses within groups are right",
            says="by the group alone, by what was learnt across groups, and by both",
            x=Axis(label="", scale="names"), y=Axis(label="guessed right", share=True),
            series=[
                Series(name=side, x=[name], y=[self._three[view].accuracy],
                       people=int(self.placed.sum()))
                for view, (_, side) in _SAID.items()
            ],
        )  # fmt: skip

    def _curves(self, name: Text) -> Chart:
        more = int(self.exceeding.sum())
        return over_people(
            "Belief in a person's most likely value",
            Message("{name}: {more} exceed the shares of their group", name=name,
                    more=of_all(more, max(1, int(self.placed.sum())))),
            Axis(label=f"belief in the most likely {self.release.sensitive.name}", share=True),
            [
                distribution(side, self._three[view].belief[self.placed])
                for view, (_, side) in _SAID.items()
            ],
            rank=float(more / max(1, len(self))),
        )  # fmt: skip
