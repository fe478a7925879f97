"""The finding of a membership test: what it says in numbers, words, a table and charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import percent, percents
from unveil.adversary import Adversary
from unveil.attacks.estimates import CONFIDENCE, Estimate, bars, figured
from unveil.attacks.held_out import People
from unveil.attacks.membership import ATTACKERS, MEMBERSHIP, REMOVAL, THREATS
from unveil.attacks.membership._attackers import Scores
from unveil.attacks.membership._roc import (
    RATES,
    Separation,
    Sides,
    area_under_curve,
    enough_for_a_low_end,
    largest_area,
    roc_points,
    separation,
)
from unveil.attacks.shared import INTERRUPTED, named
from unveil.errors import Amount, Chosen, File, InputError, Known, Message, Text
from unveil.findings import Axis, Chart, Figure, Finding, Series, Story, Table, Value, cell, numbers
from unveil.microdata import Microdata

_EVEN = 0.5  # the AUC of guessing
_GRID = 200  # points of a curve that are nearer to each other cannot be told apart


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Membership(Finding):
    """How well attackers can tell whose records are in a release.

    Attributes
    ----------
    people : People
        Who the members are, who was held out, and whose records the attacker has.
    played : dict of str to Scores
        By attacker, the scores of all whom they asked about, and why some have none.
    """

    entry: ClassVar[str] = "membership"

    people: People
    played: dict[str, Scores]
    sanitizer: str
    adversaries: tuple[Adversary, ...]
    n_classes: int | None
    smallest_class: int | None
    """None if the release has no classes, or groups, of records."""
    seed: int
    seconds: float
    notes: tuple[Text, ...] = ()

    @property
    def microdata(self) -> Microdata:
        """Everybody: members, those held out, and the attacker's own sample."""
        return self.people.everybody

    @cached_property
    def against(self) -> dict[str, Separation | None]:
        """By attacker, how well they tell members from others; None if they scored no one."""
        found: dict[str, Separation | None] = {}
        for attacker, scored in self.played.items():
            members, others, together = self._sides(scored)
            some = len(members) and len(others)
            found[attacker] = separation(members, others, together=together) if some else None
        return found

    @cached_property
    def threats(self) -> dict[str, Estimate | None]:
        """By figure, the largest AUC of its attackers; None if none of them scored anybody.

        The interval allows for the choice of the largest.
        """
        found: dict[str, Estimate | None] = {}
        for threat in THREATS:
            scored = [self.played[name] for name in self._of(threat)]
            every = [self._sides(one) for best in scored for one in (best, *best.others)]
            sides = [one for one in every if len(one[0]) and len(one[1])]
            found[threat.name] = largest_area(sides) if sides else None
        return found

    def models(self, attacker: str) -> dict[str, Estimate | None]:
        """By model, the AUC of an attacker; empty if the attacker has no model."""
        scored = self.played[attacker]
        found: dict[str, Estimate | None] = {}
        for one in (scored, *scored.others):
            members, others, together = self._sides(one)
            some = len(members) and len(others)
            if one.model is not None:
                found[one.model] = area_under_curve(members, others, together) if some else None
        return found

    def _of(self, threat: Figure) -> list[str]:
        """The attackers of a threat who scored people."""
        return [name for name in THREATS[threat] if name in self._told]

    def _sides(self, scored: Scores) -> Sides:
        members, others = self._of_sides(scored, scored.scores)
        together = scored.together
        if together is not None:
            _, together = self._of_sides(scored, together)
        return members, others, together

    @property
    def removals(self) -> int:
        """Number of releases without a random member that those held out were asked about with."""
        together = self.played["removal"].together if "removal" in self.played else None
        return 0 if together is None else len(np.unique(together[~self.people.is_member]))

    @property
    def strongest(self) -> str:
        """The attacker with the largest AUC of those who have one release.

        Of equal ones, it is the one who needs least. If none of them scored anybody, it is
        ``"removal"``.
        """
        return self._strongest(MEMBERSHIP) or "removal"

    def _strongest(self, threat: Figure) -> str | None:
        """The attacker of a threat with the largest AUC; None if none of them scored anybody."""
        auc = {name: self._told[name].auc.value for name in self._of(threat)}
        return max(auc, key=auc.__getitem__, default=None)

    def _attains(self, threat: Figure) -> str | None:
        """The same, as `Value.by` says it."""
        who = self._strongest(threat)
        if who is None:
            return None
        model = self.played[who].model
        return f"the attacker {who}" + ("" if model is None else f" ({model})")

    @property
    def not_scored(self) -> dict[str, dict[str, int]]:
        """By attacker, kinds of reasons why people could not be scored, and how many."""
        return {name: scored.reasons for name, scored in self.played.items() if scored.reasons}

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted the test; attackers who were done keep their scores."""
        return any(INTERRUPTED in reasons for reasons in self.not_scored.values())

    @property
    def too_few(self) -> tuple[str, ...]:
        """What so few people held out cannot show, in sentences."""
        texts = []
        for rate in RATES:
            lacking = [found.held_out for found in self._told.values() if found.tpr[rate] is None]
            if lacking:
                texts.append(
                    f"{min(lacking):,} people held out cannot show a rate of false alarms of "
                    f"{_rate(rate)}; {round(1 / rate):,} can."
                )
            enough = enough_for_a_low_end(rate)
            few = [
                f"{found.groups:,} for {who}"
                for who, found in self._told.items()
                if found.tpr[rate] is not None and found.groups < enough
            ]
            if few:
                texts.append(
                    f"at {_rate(rate)} false alarms an interval can begin above 0 only if "
                    f"{enough:,} people are held out (those who share a removal count as one); "
                    f"there are {', '.join(few)}."
                )
        return tuple(texts)

    @property
    def _told(self) -> dict[str, Separation]:
        """Attackers who could score people."""
        return {name: one for name, one in self.against.items() if one is not None}

    def roc(self, attacker: str | None = None) -> pd.DataFrame:
        """The ROC curve of an attacker, by default the strongest.

        One row per threshold, from high to low: the share of those held out (``fpr``) and of the
        members (``tpr``) who reach it. The first threshold is above all scores.
        """
        name = self.strongest if attacker is None else attacker
        if named(self.against, name, "attacker") is None:
            raise InputError(
                "the attacker {name} scored no one, so there is no ROC curve", name=repr(name)
            )
        threshold, fpr, tpr = roc_points(*self._sides(self.played[name])[:2])
        return pd.DataFrame({"threshold": threshold, "fpr": fpr, "tpr": tpr})

    def _of_sides(self, by: Scores, of: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """What the members have and what those held out have, of those who were scored."""
        scored, is_member = ~np.isnan(by.scores), self.people.is_member
        return of[scored & is_member], of[scored & ~is_member]

    def to_frame(self) -> pd.DataFrame:
        """One row per person: record, row of the source, whether a member, and the scores.

        Of several records of a person the first is named.

        If people held out are from a table of their own, their record numbers continue those of
        the first table, and their rows are those of their own. If errors are behind missing scores,
        a column for each attacker has them.
        """
        asked = self.people.first
        rows, is_member = self.microdata.rows[asked], self.people.is_member
        frame = pd.DataFrame({"record": asked, "row": rows, "member": is_member})
        for attacker, scored in self.played.items():
            frame[f"score: {attacker}"] = scored.scores
            if scored.failures:
                said = pd.Series(dict(scored.failures), dtype=object)
                first = dict(zip(self.people.asked, asked[self.people.whose], strict=True))
                said = said.groupby([first[record] for record in said.index]).first()
                frame[f"failure: {attacker}"] = frame["record"].map(said)
        return frame

    @property
    def figures(self) -> tuple[Value, ...]:
        return tuple(
            figured(threat, self.threats[threat.name], by=self._attains(threat),
                    people=self._fewest)
            for threat in THREATS
        )  # fmt: skip

    @property
    def _fewest(self) -> int:
        """How many people there are on the smaller side."""
        return min(self._counted())

    def _counted(self) -> tuple[int, int]:
        """How many members there are, and how many people held out."""
        members = int(self.people.is_member.sum())
        return members, len(self.people.first) - members

    @property
    def facts(self) -> Mapping[str, Any]:
        people, (members, held_out) = self.people, self._counted()
        several = self.microdata.several
        return {
            "source": self.microdata.source,
            "sanitizer": self.sanitizer,
            "adversaries": [one.label for one in self.adversaries],
            "quasi": [column.name for column in self.microdata.quasi],
            "sensitive": self.microdata.sensitive.name,
            "people": len(self.microdata) if several is None else several.count,
            "members": members,
            "held_out": held_out,
            "own": people.count(people.own),
            "removals": self.removals,
            "classes": self.n_classes,
            "smallest_class": self.smallest_class,
            "confidence": CONFIDENCE,
            "strongest": self.strongest,
            "attackers": [
                {
                    "attacker": name,
                    "who": ATTACKERS[name],
                    "model": self.played[name].model,
                    "models": self.models(name),
                    "not_scored": self.played[name].reasons,
                    **_numbers(one),
                }
                for name, one in self.against.items()
            ],
            **self.attributes("seed"),
        }

    def story(self, release: Text | None = None) -> Story:
        sanitizer = Message("{it}", it=File(self.sanitizer, bare=True))
        return Story(
            title=Message("Membership: {sanitizer} on {source}", sanitizer=sanitizer,
                          source=File(self.microdata.source, bare=True)),
            about=[self._who()],
            verdict=self._verdict(sanitizer if release is None else release),
            sentences=[*self._not_scored(), *self._explained()],
            tables=[self._table()],
            charts=[self._roc_chart(release), self._bars(release or sanitizer)],
            diagnostics=[f"Too few to tell: {text}" for text in self.too_few],
        )  # fmt: skip

    def _who(self) -> Message:
        people, classes, (members, held_out) = self.people, "", self._counted()
        own = people.count(people.own)
        if self.n_classes is not None:
            classes = "; release of {classes} classes, the smallest of {smallest}"
        return Message(
            "{members} members, {held_out} people held out{own}" + classes,
            members=members, held_out=held_out,
            own=f", {own:,} in the attacker's own sample" if own else "",
            classes=self.n_classes, smallest=self.smallest_class,
        )  # fmt: skip

    def _verdict(self, release: Text) -> Message:
        """What attackers can do: a sentence about one release, and one about two."""
        return Message(
            "Under {release}, {one} {two}", release=release, one=self._of_one_release(),
            two=self._of_two_releases(),
        )  # fmt: skip

    def _of_one_release(self) -> Message:
        who = self._strongest(MEMBERSHIP)
        if who is None:
            return Message("it is not known what attackers who have one release can tell.")
        found, played, known = self._told[who], self._of(MEMBERSHIP), self.threats[MEMBERSHIP.name]
        if known is None or known.low <= _EVEN:
            one = f"an attacker who {self._does(who)} is not"
            return Message(
                "{who} known to do better than guessing who is a member, as far as {people} people "
                "held out can show.",
                who=Known(
                    one if len(played) == 1 else "none of the attackers who have one release "
                    f"({', '.join(played)}) is"
                ),
                people=Known(f"{min(self._told[name].held_out for name in played):,}"),
            )  # fmt: skip
        return Message(
            "of a member and somebody who is not, the member is picked out in {often} by an "
            "attacker who {who}{more}.",
            often=self._how_often(found), who=Chosen(self._does(who)), more=self._of_members(found),
        )  # fmt: skip

    def _does(self, attacker: str) -> str:
        """What an attacker does, and by which model; continues "an attacker who …"."""
        model = self.played[attacker].model
        return ATTACKERS[attacker] + ("" if model is None else f" ({model})")

    def _of_two_releases(self) -> Message:
        who = self._strongest(REMOVAL)
        if who is None:
            return Message(
                "It is not known what an attacker who {who} can tell.", who=ATTACKERS["removal"]
            )
        found, known = self._told[who], self.threats[REMOVAL.name]
        if known is None or known.low <= _EVEN:
            return Message(
                "An attacker who {who} is not known to do better than guessing, as far as {people} "
                "people held out can show.", who=Known(self._does(who)),
                people=Known(f"{found.held_out:,}"),
            )  # fmt: skip
        return Message(
            "An attacker who {who} picks out the member in {often}{more}.",
            who=Known(self._does(who)), often=self._how_often(found), more=self._of_members(found),
        )  # fmt: skip

    def _how_often(self, found: Separation) -> Message:
        area = Amount(MEMBERSHIP, found.auc.value, percent, people=self._fewest,
                      ranged=percents)  # fmt: skip
        return Message("{area} of the cases", area=area)

    def _of_members(self, found: Separation) -> Text:
        """How many members are found at few false alarms, if known to be more than chance."""
        rate = RATES[0]
        share = found.tpr[rate]
        if share is None or share.low <= rate:
            return ""
        return Message(
            "; at {rate} false alarms they find {share} of the members", rate=Known(_rate(rate)),
            share=Amount(MEMBERSHIP, share.value, percent, people=self._fewest,
                         ranged=percents),
        )  # fmt: skip

    def _not_scored(self) -> list[str]:
        said = [
            f"NOT SCORED by {attacker}: {count:,} people: {reason}"
            for attacker, reasons in self.not_scored.items()
            for reason, count in reasons.items()
        ]
        said += [
            f"NOT SCORED by {attacker} with {one.model}: {count:,} people: {reason}"
            for attacker, scored in self.played.items()
            for one in scored.others
            for reason, count in one.reasons.items()
            if scored.reasons.get(reason) != count
        ]
        if any(scored.failures for scored in self.played.values()):
            said.append("The errors are listed with the values of individuals.")
        return said

    def _explained(self) -> list[str]:
        return [
            "AUC: how often a member has a higher score than somebody held out (guessing: 0.5). "
            "TPR: share of the members found while at most so many of those held out are taken for "
            f"members. Advantage: the largest difference of both shares. In brackets: "
            f"{CONFIDENCE:.0%} intervals, which take the release as given and people as drawn "
            "independently.",
            *(f"Attacker {name}: {ATTACKERS[name]}." for name in self.played),
            *self._known(),
        ]

    def _known(self) -> list[str]:
        """What the attackers know about a person, and whose beliefs they go by."""
        texts, secret = [], self.microdata.sensitive.name
        if "covered" in self.played:
            texts.append("The attacker covered knows a person's quasi-identifiers alone.")
        others = [name for name in self.played if name != "covered"]
        if others:
            texts.append(
                f"{'All' if len(others) == len(self.played) else 'All others'} know a person's "
                f"quasi-identifiers and {secret}, and ask whether that record is in the table."
            )
        if set(others) - {"covered-value"}:
            texts += [
                f"Beliefs are those of {one.label}, who {one.explained}."
                for one in self.adversaries
            ]
        for name, scored in self.played.items():
            if scored.others:
                areas = [
                    f"{label} {'–' if area is None else area}"
                    for label, area in self.models(name).items()
                ]
                texts.append(f"AUC of {name} by model, of which the largest counts: "
                             f"{', '.join(areas)}.")  # fmt: skip
        return texts

    def _table(self) -> Table:
        heads = ["AUC", *(f"TPR at {_rate(rate)}" for rate in RATES), "advantage"]
        rows: list[list[Any]] = []
        for name, found in self.against.items():
            if found is None:
                rows.append([name, *[cell(None)] * len(heads)])
                continue
            shares = (one and (one.value, one.in_percent()) for one in found.tpr.values())
            rows.append([
                name, (found.auc.value, str(found.auc)), *(one or cell(None) for one in shares),
                cell(found.advantage, ".3f"),
            ])  # fmt: skip
        return Table(columns=["attacker", *heads], rows=rows)

    def _roc_chart(self, release: Text | None) -> Chart:
        told = self._told
        # A log axis has no zero: it begins where not a single false alarm is allowed.
        floor = 1 / (2 * max(one.held_out for one in told.values()))
        series = []
        for name, one in told.items():
            _, fpr, tpr = roc_points(*self._sides(self.played[name])[:2])
            x, y = _steps(np.maximum(fpr, floor), np.maximum(tpr, floor), floor)
            called: Text = f"{name}: AUC {one.auc}"
            if release is not None:
                called = Message("{release}, {name}: AUC {auc}", release=release, name=name,
                                 auc=f"{one.auc.value:.2f}")  # fmt: skip
            series.append(Series(name=called, x=numbers(x), y=numbers(y)))
        series.append(Series(name="guessing", x=[floor, 1.0], y=[floor, 1.0]))
        return Chart(
            kind="curves",
            title="How many members attackers find, by the rate of false alarms (ROC)",
            says="the higher a curve is above guessing, the better members are told from others",
            x=Axis(label="false alarms: share of those held out", scale="log", share=True),
            y=Axis(label="share of the members found", scale="log", share=True),
            series=series,
        )

    def _bars(self, release: Text) -> Chart:
        areas = {name: None if found is None else found.auc for name, found in self.against.items()}
        return bars(
            release, areas, title="How well attackers tell who is in the data",
            says="area under the ROC curve with 95% intervals; one half is guessing",
            y=Axis(label="area under the curve"), people=self._fewest,
        )  # fmt: skip


def _rate(rate: float) -> str:
    """A rate of false alarms as it is called.

    >>> _rate(0.01), _rate(0.001)
    ('1%', '0.1%')
    """
    return f"{100 * rate:g}%"


def _numbers(found: Separation | None) -> dict[str, Any]:
    if found is None:
        nothing = dict.fromkeys(("auc", "tpr", "advantage"))
        return {"members": 0, "held_out": 0, "groups": 0, **nothing}
    return vars(found) | {"tpr": {f"{rate:g}": share for rate, share in found.tpr.items()}}


def _steps(
    fpr: NDArray[np.float64], tpr: NDArray[np.float64], floor: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A curve that rises where the next threshold is reached, thinned to what can be seen.

    >>> x, y = _steps(np.array([0.1, 0.1, 1.0]), np.array([0.1, 0.5, 1.0]), 0.1)
    >>> x.tolist(), y.tolist()
    ([0.1, 0.1, 1.0, 1.0], [0.1, 0.5, 0.5, 1.0])
    """
    x, y = np.repeat(fpr, 2)[1:], np.repeat(tpr, 2)[:-1]
    place = np.round(_GRID * np.log([x, y]) / np.log(floor))
    seen = np.append(True, (np.diff(place) != 0).any(axis=0))
    seen[-1] = True
    return x[seen], y[seen]
