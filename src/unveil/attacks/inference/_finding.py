"""The finding of empirical inference: what it says in numbers, words, a table and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import percent
from unveil.adversary import Adversary
from unveil.attacks.estimates import CONFIDENCE, Estimate
from unveil.attacks.inference import ACCURACY, GAIN
from unveil.attacks.inference._guesses import Guesses, TwoSides
from unveil.errors import File, InputError, Message, Option, Text, did_you_mean
from unveil.findings import Axis, Chart, Finding, Series, Story, Table, Value, cell
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
    prior, prior_outside : Guesses
        What somebody who only knows how frequent the values are guesses about the same people.
    confidence : float
        Belief in one value from which an adversary is sure.
    """

    entry: ClassVar[str] = "inference"

    microdata: Microdata
    made_by: str
    releases: tuple[AnyRelease, ...]
    folds: int | None
    against: dict[str, TwoSides]
    prior: Guesses
    prior_outside: Guesses | None
    confidence: float
    seed: int
    seconds: float
    notes: tuple[Text, ...] = ()

    @property
    def strongest(self) -> str:
        """The adversary with the largest gap; without people held out, with the best accuracy."""

        def strength(name: str) -> float:
            gap = self.against[name].gap
            return self.against[name].inside.accuracy.value if gap is None else gap.value

        return max(self.against, key=strength)

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
            ``belief_inside`` is the mean over the releases that the person is in, NaN if there is
            none; ``belief_outside`` that of releases without the person; ``belief_gap`` their
            difference, for people who are asked about on both sides. The same for ``right``.
        """
        sides = self._of(adversary)
        outside = sides.outside
        parts = [sides.inside.records] + ([] if outside is None else [outside.records])
        records = np.unique(np.concatenate(parts))
        frame = pd.DataFrame({"record": records, "row": self.microdata.rows[records]})
        for what in ("belief", "right"):
            frame[f"{what}_inside"] = _column(sides.inside, what, records)
            frame[f"{what}_outside"] = _column(outside, what, records)
            frame[f"{what}_gap"] = frame[f"{what}_inside"] - frame[f"{what}_outside"]
        return frame

    def _of(self, adversary: str | None) -> TwoSides:
        name = self.strongest if adversary is None else adversary
        if name not in self.against:
            near = did_you_mean(name, self.against) if isinstance(name, str) else ""
            raise InputError(
                "this finding has no adversary {name}{near} (there are: {known})",
                name=repr(name), near=near, known=", ".join(self.against),
            )  # fmt: skip
        return self.against[name]

    @property
    def figures(self) -> tuple[Value, ...]:
        inside, gap = self.inside.accuracy, self.gap
        return (
            ACCURACY.of(inside.value, low=inside.low, high=inside.high),
            GAIN.of(None) if gap is None else GAIN.of(gap.value, low=gap.low, high=gap.high),
        )

    @property
    def facts(self) -> Mapping[str, Any]:
        smallest = [int(one.sizes.min()) for one in self.releases if len(one.sizes)]
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
            "accuracy": self.accuracy,
            "baseline": self.baseline,
            "sure_from": self.confidence,
            "confidence": CONFIDENCE,
            "prior": _side(self.prior),
            "prior_outside": _side(self.prior_outside),
            "prior_gap": self.prior_gap,
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
            "seed": self.seed,
            "seconds": self.seconds,
        }
        if isinstance(self.release, Release) and len(self.releases) == 1:
            facts |= {
                "released": len(self.release),
                "suppressed": self.release.suppressed,
                "classes": self.release.n_classes,
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
        return Story(
            title=Message(
                "Empirical inference: {release} on {source}",
                release=File(self.made_by, bare=True),
                source=File(self.microdata.source, bare=True),
            ),
            about=[Message("{how}; {seconds} s", how=self._how(), seconds=f"{self.seconds:.2g}")],
            verdict=self._verdict(File(self.made_by, bare=True) if release is None else release),
            sentences=self._explained(),
            tables=[self._table()],
            charts=[self._chart(release or Message("{it}", it=File(self.made_by, bare=True)))],
        )

    def _how(self) -> Text:
        if self.folds is not None:
            return (
                f"{len(self.inside):,} people in {self.folds} folds, each held out of one release "
                "and in all others"
            )
        others = "" if self.outside is None else f"; {len(self.outside):,} who are not in it"
        return Message("{people} people of {release}{others}", people=len(self.inside),
                       release=File(self.release.in_short, bare=True), others=others)  # fmt: skip

    def _verdict(self, release: Any) -> Message:
        """What the strongest adversary can do, and how much of it is a breach."""
        right = Message(
            "Under {release}, {adversary} is right about the {secret} of {inside} of the people in "
            "the release",
            release=release, adversary=self.adversary.label,
            secret=self.microdata.sensitive.name, inside=percent(self.accuracy),
        )  # fmt: skip
        prior = percent(self.baseline)
        if self.outside is None or self.gap is None:
            return Message(
                "{right}, where the prior alone gives {prior}; without people who are not in it, a "
                "breach cannot be distinguished from knowledge about the population.",
                right=right, prior=prior,
            )  # fmt: skip
        both = Message(
            "{right} and of {outside} of people who are not in it, where the prior alone gives "
            "{prior}",
            right=right, outside=percent(self.outside.accuracy.value), prior=prior,
        )  # fmt: skip
        gap, unlike = _points(self.gap), self.prior_gap
        if unlike is not None and not unlike.low <= 0 <= unlike.high:
            assert self.prior_outside is not None
            return Message(
                "{both} and {prior_outside}: these people differ from those in the release, so the "
                "difference of {gap} does not show what people's own records add; hold out people "
                "who are like those in the release.",
                both=both, prior_outside=percent(self.prior_outside.accuracy.value), gap=gap,
            )  # fmt: skip
        if self.gap.low > 0:
            return Message("{both}: {gap} come from people's own records, the rest is knowledge "
                           "about the population.", both=both, gap=gap)  # fmt: skip
        return Message("{both}: no breach is shown, because people's own records add {gap}.",
                       both=both, gap=gap)  # fmt: skip

    def _explained(self) -> list[Text]:
        said: list[Text] = []
        if self.outside is None:
            said.append(Message("Give people who are not in the release as {held_out}, or the "
                                "sanitizer instead of its release.",
                                held_out=Option("held_out")))  # fmt: skip
        said += [
            "right: share of the people whose value is the one believed most; ties count by their "
            f"share. In brackets: {CONFIDENCE:.0%} intervals.",
            "belief: mean belief in the true value. sure: share of the people about whom one value "
            f"is believed from {100 * self.confidence:g}% up.",
            "prior: knows how frequent the values are, and has seen no release.",
        ]
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
        rows: list[list[Any]] = [[_PRIOR if self.folds else f"{_PRIOR}, {_INSIDE}",
                                  *_cells(self.prior)]]  # fmt: skip
        if self.prior_outside is not None and self.folds is None:  # in folds: the same people
            rows.append([f"{_PRIOR}, {_OUTSIDE}", *_cells(self.prior_outside)])
        for label, sides in self.against.items():
            rows += [[label, *[""] * 5], [f"  {_INSIDE}", *_cells(sides.inside)]]
            if sides.outside is not None and sides.gap is not None and sides.belief_gap is not None:
                gaps = [
                    (gap.value, _points(gap).replace(" points", ""))
                    for gap in (sides.gap, sides.belief_gap)
                ]
                rows += [[f"  {_OUTSIDE}", *_cells(sides.outside)],
                         ["  difference, points", "", *gaps, "", ""]]  # fmt: skip
        heads = ("people", "right", "belief", "sure", "right if sure")
        return Table(
            columns=["", *heads],
            rows=rows,
        )

    def _chart(self, release: Text) -> Chart:
        sides: dict[str, Guesses | None] = {"prior: how frequent the values are": self.prior}
        for label, one in self.against.items():
            by = f", by {label}" if len(self.against) > 1 else ""
            sides[f"people who are not in the release{by}"] = one.outside
            sides[f"people in the release{by}"] = one.inside
        series = []
        for name, guesses in sides.items():
            found = None if guesses is None else guesses.accuracy
            value, low, high = (
                (None, None, None) if found is None else (found.value, found.low, found.high)
            )
            series.append(Series(name=name, x=[release], y=[value], low=[low], high=[high]))
        return Chart(
            kind="bars",
            title="How often guesses are right",
            says="with 95% intervals; what is guessed about people who are not in the table is "
            "knowledge about the population",
            x=Axis(label="", scale="names"),
            y=Axis(label="guessed right", share=True),
            series=series,
        )


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


def _cells(guesses: Guesses) -> list[tuple[float | None, str]]:
    rightly = guesses.accuracy_if_sure
    return [
        cell(len(guesses), ","),
        (guesses.accuracy.value, guesses.accuracy.in_percent()),
        (guesses.belief.value, guesses.belief.in_percent()),
        cell(guesses.sure.value, "%"),
        cell(rightly, "%"),
    ]


def _column(guesses: Guesses | None, what: str, records: NDArray[np.intp]) -> NDArray[np.float64]:
    """The numbers of some people; NaN for those about whom nobody was asked."""
    found = np.full(len(records), np.nan)
    if guesses is not None:
        numbers = guesses.beliefs if what == "belief" else guesses.right
        found[np.searchsorted(records, guesses.records)] = numbers
    return found
