"""The finding of empirical inference: what it says in numbers, words, a table and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import percent
from unveil.adversary import Adversary
from unveil.attacks.estimates import CONFIDENCE, Estimate, bars, figured, largest
from unveil.attacks.inference import ACCURACY, GAIN
from unveil.attacks.inference._guesses import Guesses, TwoSides
from unveil.attacks.shared import named
from unveil.attacks.tolerance import Near
from unveil.errors import Amount, Chosen, File, Known, Message, Option, Text
from unveil.findings import Axis, Chart, Finding, Story, Table, Value, cell
from unveil.microdata import AnyRelease, Microdata, Release

_PRIOR, _OUTSIDE, _INSIDE = "prior", "not in the release", "in the release"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Inference(Finding):
    """How well adversaries guess sensitive values, of people in the release and of others.

    Attributes
    ----------
    microdata : Microdata
        Everybody: those in the release and those held out.
    made_by : str
        The sanitizer, or who made the release.
    releases : tuple of AnyRelease
        What was published: one release, or one without each fold.
    folds : int or None
        Number of folds; None if there is one release.
    against : dict of str to TwoSides
        By adversary, what they guess about people in the release and about others.
    by_any : Guesses
        About people in the release, for each the best of all adversaries' answers: more than an
        attacker can do who chooses among them without the truth.
    prior, prior_outside : Guesses
        What somebody who only knows how frequent the values are guesses about the same people.
    confidence : float
        Belief in one value from which an adversary is sure.
    near : Near
        How near a guess must be to be right; words must be guessed exactly.
    """

    entry: ClassVar[str] = "inference"

    microdata: Microdata
    made_by: str
    releases: tuple[AnyRelease, ...]
    folds: int | None
    against: dict[str, TwoSides]
    by_any: Guesses
    prior: Guesses
    prior_outside: Guesses | None
    confidence: float
    near: Near
    seed: int
    seconds: float
    notes: tuple[Text, ...] = ()

    @cached_property
    def strongest(self) -> str:
        """The adversary who is right most often about people in the release."""
        return max(self.against, key=lambda name: self.against[name].inside.accuracy.value)

    @cached_property
    def widest(self) -> str | None:
        """The adversary with the largest gap; None without people held out."""
        gaps = {name: one.gap.value for name, one in self.against.items() if one.gap is not None}
        return max(gaps, key=gaps.__getitem__, default=None)

    @property
    def adversary(self) -> Adversary:
        """The strongest one."""
        return self.against[self.strongest].adversary

    @property
    def inside(self) -> Guesses:
        """What the strongest adversary guesses about people in the release."""
        return self.against[self.strongest].inside

    @property
    def outside(self) -> Guesses | None:
        """What they guess about people who are not; None if there are none."""
        return self.against[self.strongest].outside

    @property
    def gap(self) -> Estimate | None:
        """How much more often they are right about people in the release."""
        return self.against[self.strongest].gap

    @cached_property
    def most_right(self) -> Estimate:
        """The figure ``accuracy``: that of the strongest. Its interval allows for the choice."""
        return largest([one.inside.accuracy_within for one in self.against.values()])

    @cached_property
    def largest_gap(self) -> Estimate | None:
        """The figure ``gain``: the largest gap of all. Its interval allows for the choice."""
        if self.widest is None:
            return None
        return largest([one.gap_within for one in self.against.values()])

    @property
    def prior_gap(self) -> Estimate | None:
        """How much more often the prior alone is right about people in the release.

        If that is not about 0, people held out differ from the others. With folds they are the same
        people.
        """
        if self.prior_outside is None:
            return None
        return TwoSides(adversary=self.adversary, inside=self.prior, outside=self.prior_outside).gap

    @property
    def accuracy(self) -> float:
        """The share of the people in the release about whom they are right."""
        return self.inside.accuracy.value

    @property
    def baseline(self) -> float:
        """The same for somebody who only knows how frequent the values are."""
        return self.prior.accuracy.value

    @property
    def belief(self) -> NDArray[np.float64]:
        """The belief in the true value of each person in the release, or NaN."""
        return self.inside.beliefs

    @property
    def release(self) -> AnyRelease:
        """The release, or the first of them."""
        return self.releases[0]

    def to_frame(self, adversary: str | None = None) -> pd.DataFrame:
        """One row per person: belief in the true value and chance of a right guess, in and out.

        Parameters
        ----------
        adversary : str, optional
            One of the names in `against`. Default: the strongest.

        Returns
        -------
        DataFrame
            ``record`` and ``row`` are those of the person's first record, if there are several.
            ``belief_inside`` is the mean over the releases that the person is in, NaN if there is
            none; ``belief_outside`` that of releases without the person; ``belief_gap`` their
            difference, for people who are asked about on both sides. The same for ``right``.
        """
        name = self.strongest if adversary is None else adversary
        sides = named(self.against, name, "adversary")
        inside, outside = (
            pd.DataFrame({"belief": [], "right": []}) if one is None
            else pd.DataFrame({"belief": one.beliefs, "right": one.right}, one.records)
            for one in (sides.inside, sides.outside)
        )  # fmt: skip
        columns: dict[str, Any] = {}
        for what in ("belief", "right"):
            columns |= {
                f"{what}_inside": inside[what], f"{what}_outside": outside[what],
                f"{what}_gap": inside[what] - outside[what],
            }  # fmt: skip
        frame = pd.DataFrame(columns).sort_index().rename_axis("record").reset_index()
        frame.insert(1, "row", self.microdata.rows[frame["record"]])
        return frame

    @property
    def figures(self) -> tuple[Value, ...]:
        return (
            figured(ACCURACY, self.most_right, by=self.strongest, people=len(self.inside)),
            figured(GAIN, self.largest_gap, by=self.widest, people=self._fewest),
        )

    @property
    def _fewest(self) -> int:
        """How many people there are on the smaller side."""
        return min(len(self.inside), len(self.inside if self.outside is None else self.outside))

    @property
    def facts(self) -> Mapping[str, Any]:
        smallest = [int(one.class_sizes.min()) for one in self.releases if len(one.sizes)]
        facts: dict[str, Any] = {
            "source": self.microdata.source,
            "release": self.made_by,
            "adversary": self.adversary.label,
            "quasi": [column.name for column in self.microdata.quasi],
            "sensitive": self.microdata.sensitive.name,
            "records": len(self.microdata),
            "releases": len(self.releases),
            "folds": self.folds,
            "smallest_class": min(smallest, default=None),
            **self.attributes("accuracy baseline"),
            "sure_from": self.confidence,
            "tolerance": self.near.fact,
            "confidence": CONFIDENCE,
            "prior": _side(self.prior),
            "prior_outside": _side(self.prior_outside),
            "prior_gap": self.prior_gap,
            "most_right": self.most_right,
            "largest_gap": self.largest_gap,
            "largest_gap_by": self.widest,
            "right_by_any": self.by_any.accuracy,
            "adversaries": [
                {
                    "adversary": label,
                    "inside": _side(sides.inside),
                    "outside": _side(sides.outside),
                    "gap": sides.gap,
                    "belief_gap": sides.belief_gap,
                }
                for label, sides in self.against.items()
            ],
            **self.attributes("seed"),
        }
        if isinstance(self.release, Release) and len(self.releases) == 1:
            facts |= {
                "released": len(self.release),
                "suppressed": self.release.suppressed,
                "classes": len(self.release.class_sizes),
            }
        return facts

    def content(self, *, records: bool) -> dict[str, Any]:
        """Individuals are listed for every adversary, not only for the strongest."""
        from unveil.render import plain

        content = super().content(records=False)
        if records:
            for one in content["adversaries"]:
                frame = self.to_frame(one["adversary"])
                one["each"] = {name: plain(frame[name].to_numpy()) for name in frame.columns}
        return content

    def story(self, release: Text | None = None) -> Story:
        made_by = Message("{it}", it=File(self.made_by, bare=True))
        called = made_by if release is None else release
        return Story(
            title=Message("Empirical inference: {release} on {source}", release=made_by,
                          source=File(self.microdata.source, bare=True)),
            about=[self._how()],
            verdict=self._verdict(called),
            sentences=self._explained(),
            tables=[self._table()],
            charts=[self._chart(called, self.strongest)],
            closer=[self._chart(called, *self.against)] if len(self.against) > 1 else [],
        )  # fmt: skip

    def _how(self) -> Text:
        people = len(self.inside)
        if self.folds is not None:
            return Message("{people} people in {folds} folds, each held out of one release and in "
                           "all others", people=people, folds=self.folds)  # fmt: skip
        others = "" if self.outside is None else f"; {len(self.outside):,} who are not in it"
        return Message("{people} people of {release}{others}", people=people, others=others,
                       release=File(self.release.in_short, bare=True))  # fmt: skip

    def _verdict(self, release: Text) -> Message:
        """What the strongest adversary can do, and how much is a breach, whoever shows it."""
        said = (
            "Under {release}, {adversary} is right about the {secret} of {inside} of the people "
            "in the release"
        )
        parts: dict[str, Any] = {
            "release": release, "adversary": Chosen(self.adversary.label, instead="an attacker"),
            "secret": Known(f"{self.microdata.sensitive.name}{self.near.in_brackets}"),
            "inside": self._guessed(self.accuracy),
            "prior": self._guessed(self.baseline),
        }  # fmt: skip
        if self.outside is None or self.gap is None or self.prior_gap is None:
            said += (
                ", where the prior alone gives {prior}; without people who are not in it, a "
                "breach cannot be distinguished from knowledge about the population."
            )
            return Message(said, **parts)
        said += " and of {outside} of people who are not in it, where the prior alone gives "
        parts |= {
            "outside": self._guessed(self.outside.accuracy.value),
            "gap": self._added(self.gap),
        }
        if self.prior_outside is not None and not self.prior_gap.low <= 0 <= self.prior_gap.high:
            parts["prior_outside"] = self._guessed(self.prior_outside.accuracy.value)
            said += (
                "{prior} and {prior_outside}: these people differ from those in the release, "
                "so the difference of {gap} does not show what people's own records add; hold out "
                "people who are like those in the release."
            )
            return Message(said, **parts)
        said += "{prior}: "
        if self.gap.low > 0:
            said += (
                "{gap} come from people's own records, the rest is knowledge about the population."
            )
        elif self.largest_gap is not None and self.largest_gap.low > 0:
            said += "people's own records add {gap} to that."
        else:
            said += "a breach is not certain: people's own records add {gap} to that."
        if self.widest != self.strongest and self.largest_gap is not None:
            parts |= {"widest": Chosen(str(self.widest)), "most": self._added(self.largest_gap)}
            said += " They add most to what {widest} guesses: {most}."
        return Message(said, **parts)

    def _guessed(self, share: float) -> Amount:
        return Amount(ACCURACY, share, percent, people=self._fewest)

    def _added(self, gap: Estimate) -> Amount:
        """What people's own records add, in points."""
        return Amount(
            GAIN, gap.value, lambda _: _points(gap), people=self._fewest,
            ranged=lambda low, high: f"{100 * low:.4g} to {100 * high:.4g} points",
        )  # fmt: skip

    def _explained(self) -> list[Text]:
        said: list[Text] = []
        if self.outside is None:
            said.append(Message("Give people who are not in the release as {held_out}, or the "
                                "sanitizer instead of its release.",
                                held_out=Option("held_out")))  # fmt: skip
        exact, near = self.near.is_exact, f"{self.near.words} of"
        said += [
            f"right: share of the people whose value is {'' if exact else near + ' '}the one "
            f"{'believed most' if exact else 'guessed'}; ties count by their share. In brackets: "
            f"{CONFIDENCE:.0%} intervals.",
            f"belief: mean belief in {'' if exact else 'values ' + near + ' '}the true value. "
            f"sure: share of the people about whom one {'value is believed' if exact else 'guess'}"
            f"{' ' if exact else ' is believed right '}from {100 * self.confidence:g}% up.",
            "prior: knows how frequent the values are, and has seen no release.",
        ]
        if len(self.against) > 1:
            said.append(Message("At least one of these attackers is right about {share:%} of the "
                                "people in the release. Whoever chooses among their guesses is "
                                "not right more often.",
                                share=self.by_any.accuracy.value))  # fmt: skip
        if self.folds is not None:
            said.append("People of a fold share the release that they are held out from; intervals "
                        "count folds as well as people.")  # fmt: skip
        elif self.outside is not None:
            said.append("Intervals take the release as given.")
        for label, sides in self.against.items():
            outside = 0 if sides.outside is None else sides.outside.not_believed
            if silent := sides.inside.not_believed + outside:
                said.append(f"NO BELIEF of {label} about {silent:,} people, who count as not right")
        return [*said, *(f"{label}: {sides.adversary.explained}."
                         for label, sides in self.against.items())]  # fmt: skip

    def _table(self) -> Table:
        """One line per attacker and kind of people, so that it can be sorted."""
        about = "" if self.folds else _INSIDE  # in folds the prior is asked about everybody
        rows: list[list[Any]] = [[_PRIOR, about, *_cells(self.prior)]]
        if self.prior_outside is not None and self.folds is None:
            rows.append([_PRIOR, _OUTSIDE, *_cells(self.prior_outside)])
        for label, sides in self.against.items():
            rows.append([label, _INSIDE, *_cells(sides.inside)])
            if sides.outside is not None and sides.gap is not None and sides.belief_gap is not None:
                gaps = [
                    (gap.value, _points(gap).replace(" points", ""))
                    for gap in (sides.gap, sides.belief_gap)
                ]
                rows += [[label, _OUTSIDE, *_cells(sides.outside)],
                         [label, "difference, points", "", *gaps, "", ""]]  # fmt: skip
        return Table(
            title="What each attacker guesses" if len(self.against) > 1 else "",
            columns=["attacker", "about", "people", "right", "belief", "sure",
                     "right if sure"],
            rows=rows,
        )  # fmt: skip

    def _chart(self, release: Text, *names: str) -> Chart:
        """The guesses of some adversaries, beside those of the prior."""
        sides: dict[str, Guesses | None] = {"prior: how frequent the values are": self.prior}
        for name in names:
            by = f", by {name}" if len(names) > 1 else ""
            sides[f"people who are not in the release{by}"] = self.against[name].outside
            sides[f"people in the release{by}"] = self.against[name].inside
        some = len(names) < len(self.against)
        which = "by the attacker who is right most often, " if some else ""
        return bars(
            release, {name: None if one is None else one.accuracy for name, one in sides.items()},
            title="How often guesses are right" + (", by attacker" if len(names) > 1 else ""),
            says=f"{which}with 95% intervals; what is guessed about people who are not in the "
            "table is knowledge about the population",
            y=Axis(label="guessed right", share=True), people=self._fewest,
        )  # fmt: skip


def _points(estimate: Estimate) -> str:
    """A difference of shares.

    >>> _points(Estimate(0.0312, -0.004, 0.0664))
    '3.1 points (-0.4 to 6.6)'
    """
    value, low, high = (
        f"{100 * x + 0.0:.1f}" for x in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} points ({low} to {high})".replace("-0.0", "0.0")


def _side(guesses: Guesses | None) -> dict[str, Any] | None:
    if guesses is None:
        return None
    names = ("accuracy", "belief", "sure", "accuracy_if_sure", "not_believed")
    return {"people": len(guesses), **{name: getattr(guesses, name) for name in names}}


def _cells(guesses: Guesses) -> list[Any]:
    shares = [(one.value, one.in_percent()) for one in (guesses.accuracy, guesses.belief)]
    sure = [cell(share, "%") for share in (guesses.sure.value, guesses.accuracy_if_sure)]
    return [len(guesses), *shares, *sure]
