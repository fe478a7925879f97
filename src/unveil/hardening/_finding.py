"""The finding of a hardening: attempts and rounds, its numbers and its story."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import counted
from unveil.attacks.differential import DifferentialInference
from unveil.errors import File, Message, Option, Text
from unveil.findings import Axis, Chart, Finding, Series, Story, Table, cell
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Mondrian, Sanitizer

CONFIDENCE = 0.95
"""With which the bounds of all rounds together hold, where distances are sampled."""

INTERRUPTED = "it was interrupted"
"""Why rounds end."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Attempt:
    """A table, its sanitizer and release, and the test of them."""

    kept: NDArray[np.intp]
    """The numbers of the records that are still in the table."""
    removed: NDArray[np.intp]
    """The numbers of those that are not."""
    without: int
    """How many people they are, where a person may have several; else how many records."""
    microdata: Microdata
    sanitizer: Sanitizer
    release: AnyRelease
    """Of a random sanitizer: one draw."""
    finding: DifferentialInference


@dataclass(frozen=True, kw_only=True)
class Round:
    """The figures of one round; round 0 is the test of the table as given.

    Attributes
    ----------
    number : int
    changed : int
        People removed, or put into larger classes, in this round.
    removed : int
        Records removed up to here; where a person may have several, people.
    enlarged : int
        Combinations of quasi-identifiers with larger classes up to here.
    delta, mean, share_over : float
        δ, the mean distance, and the share of the records whose distance is over the goal. Where a
        person may have several records, means and shares are of people.
    delta_at_most : float
        δ, or if it was sampled, its upper bound with 95% confidence for all records and all rounds
        together.
    sampled : bool
        Whether the distances were sampled.
    one_draw : bool
        Whether the sanitizer is random, because two runs differ, and the distances were not
        sampled: they are those of one draw.
    loss : float
        Information loss of the release, from 0 to 1, removed records counting as 1; see
        `unveil.information_loss`. NaN where no cells cover their records, as with `Anatomy`,
        `LaplaceCounts` and `Microaggregation`.
    classes, smallest_class : int
        0 classes, and the number of all records, if the release has no classes.
    not_tested : int
        Records that could not be tested.
    holds : bool
        Whether all records were tested and `delta_at_most` is not over the goal.
    seconds : float
    """

    number: int
    changed: int
    removed: int
    enlarged: int
    delta: float
    delta_at_most: float
    mean: float
    share_over: float
    loss: float
    classes: int
    smallest_class: int
    not_tested: int
    sampled: bool
    one_draw: bool
    holds: bool
    seconds: float

    def told(self) -> dict[str, Any]:
        """All of it, without the time, which depends on the machine."""
        return {name: one for name, one in asdict(self).items() if name != "seconds"}

    @property
    def rank(self) -> tuple[bool, bool, float, float]:
        """The smaller, the better: the goal, then all tested, then δ, then the loss.

        Where the goal holds, only the loss counts. For a sampled δ the bound counts: the smallest
        of several estimates is partly small by chance.
        """
        delta = math.inf if math.isnan(self.delta_at_most) else self.delta_at_most
        lost = self.removed if math.isnan(self.loss) else self.loss
        return not self.holds, self.not_tested > 0, 0.0 if self.holds else delta, lost


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """All rounds of one strategy, and the result of the best.

    Attributes
    ----------
    strategy : str
    rounds : tuple of Round
        From round 0, the test of the table as given.
    ended : str or Message
        Why there is no further round.
    attempt : Attempt
        The best round's table, sanitizer, release and test.
    """

    strategy: str
    rounds: tuple[Round, ...]
    ended: Text
    attempt: Attempt

    @property
    def best(self) -> Round:
        """The round in which the goal holds; if it never does, the one with the smallest δ.

        For a sampled δ the bound counts, `Round.delta_at_most`.
        """
        return min(self.rounds, key=lambda one: one.rank)

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted it."""
        return self.ended == INTERRUPTED

    @property
    def removed(self) -> NDArray[np.intp]:
        """The numbers of the records that are not in the best round's table."""
        return self.attempt.removed


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How far a strategy may go."""

    goal: float
    rounds: int
    at_a_time: int
    """People changed in one round: removing some changes the distances of all."""
    at_most: int
    """Records that may be removed in all, or the size that a class may be asked to have; where a
    person may have several records, people."""
    noun: str = "record"
    """What is removed and tested: records, or people who may have several."""

    @property
    def nouns(self) -> str:
        """More than one of them."""
        return "people" if self.noun == "person" else f"{self.noun}s"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hardening(Finding):
    """δ round by round, and the best round.

    Attributes
    ----------
    goal : float
        No distance should be over this. Where distances are sampled, the goal holds only if the
        upper bound of δ (`Round.delta_at_most`) is not over it.
    courses : dict of str to Course
        For each strategy, all of its rounds. The other attributes are those of the best strategy:
        one that reached the goal with the least loss, else the one with the smallest δ.
    """

    entry: ClassVar[str] = "hardening"

    goal: float
    limits: Limits
    courses: dict[str, Course]
    original: Microdata
    asked: str
    """The sanitizer that was hardened."""

    @property
    def course(self) -> Course:
        """The rounds of the best strategy."""
        return min(self.courses.values(), key=lambda course: course.best.rank)

    @property
    def strategy(self) -> str:
        """The best strategy."""
        return self.course.strategy

    @property
    def holds(self) -> bool:
        """Whether the goal holds: all records were tested, and none is over it.

        For a random sanitizer that was not sampled, only in one draw; see `Round.one_draw`.
        """
        return self.course.best.holds

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted it."""
        return any(course.interrupted for course in self.courses.values())

    @property
    def rounds(self) -> tuple[Round, ...]:
        """All rounds; round 0 is the test of the table as given."""
        return self.course.rounds

    @property
    def best(self) -> Round:
        """The best round of the best strategy."""
        return self.course.best

    @property
    def finding(self) -> DifferentialInference:
        """The test of the best round."""
        return self.course.attempt.finding

    @property
    def release(self) -> AnyRelease:
        """The release of the best round, made by `sanitizer` from `microdata`.

        If the sanitizer is random, it is one draw, and not one that the test has seen; a sampled
        test is about all possible draws.
        """
        return self.course.attempt.release

    @property
    def sanitizer(self) -> Sanitizer:
        """The sanitizer of the best round."""
        return self.course.attempt.sanitizer

    @property
    def microdata(self) -> Microdata:
        """The records of the best round."""
        return self.course.attempt.microdata

    @property
    def removed(self) -> NDArray[np.intp]:
        """The numbers of the removed records, counted from 0."""
        return self.course.removed

    def to_frame(self) -> pd.DataFrame:
        """One row per strategy and round."""
        return pd.DataFrame(
            [
                {"strategy": course.strategy, **one.told(), "best": one == course.best}
                for course in self.courses.values()
                for one in course.rounds
            ]
        )

    @property
    def notes(self) -> tuple[Text, ...]:  # type: ignore[override]
        """Notes of the test, and what has to be kept in mind about hardening."""
        return (*self.finding.notes, *_remarks(self))

    @property
    def facts(self) -> Mapping[str, Any]:
        found = self.finding.sampling
        return {
            "source": self.original.source,
            "sanitizer": self.asked,
            "adversary": self.finding.adversary.label,
            "distance": self.finding.distance,
            "quasi": [column.name for column in self.original.quasi],
            "sensitive": self.original.sensitive.name,
            "people": len(self.original.people),
            "most_rounds": self.limits.rounds,
            "most_removed": self.limits.at_most,
            "most_at_a_time": self.limits.at_a_time,
            "sampled": None if found is None else {
                "confidence": CONFIDENCE,
                "samples_least": found.least,
                "samples_most": found.most,
                "error_wanted": found.wanted,
            },
            "best_strategy": self.strategy,
            "strategies": [
                {
                    "strategy": course.strategy,
                    "holds": course.best.holds,
                    "best_round": course.best.number,
                    "ended": str(course.ended),
                    "rounds": [one.told() for one in course.rounds],
                }
                for course in self.courses.values()
            ],
            "seed": self.finding.seed,
            "remarks": _remarks(self),
            **self.attributes("goal holds interrupted"),
        }  # fmt: skip

    def content(self, *, records: bool) -> dict[str, Any]:
        """The finding's own part of `to_dict`; the values of individuals are who was removed."""
        content = super().content(records=False)
        if records:
            for told, course in zip(content["strategies"], self.courses.values(), strict=True):
                told["removed_records"] = course.removed.tolist()
        return content

    def story(self, release: Text | None = None) -> Story:
        said: list[Text] = []
        for course in self.courses.values():
            of = f" ({course.strategy})" if len(self.courses) > 1 else ""
            said.append(Message("Ended{of}: {ended}.", of=of, ended=course.ended))
            if untested := course.rounds[-1].not_tested:
                records = counted(untested, self.limits.noun)
                said.append(f"NOT TESTED in the last round{of}: {records}")
        return Story(
            title=Message(
                "Hardening {sanitizer} on {source} until δ ≤ {goal} ({distance})",
                sanitizer=File(self.asked, bare=True), source=File(self.original.source, bare=True),
                goal=f"{self.goal:g}", distance=self.finding.distance,
            ),
            verdict=_verdict(self),
            sentences=[
                *said,
                f"Attacker: {self.finding.adversary.label}.",
                _NO_LOSS if math.isnan(self.best.loss) else _LOSS,
                *([_PEOPLE] if self.limits.noun == "person" else ()),
            ],
            tables=[_table(course, self.goal) for course in self.courses.values()],
            charts=[_chart(self)],
        )  # fmt: skip


_REMARKS = {
    "remove": (
        "Whom to remove was chosen by what the data say. The test leaves out one person from the "
        "table that is left; that choice itself is not tested.",
        "Removed people are not in the release, which protects them. But a table without its "
        "outliers is another table: what it says about rare people is lost.",
    ),
    "merge": (
        "Who gets a larger class was chosen by what the data say. The test leaves out one person "
        "and keeps what the others were given; that choice itself is not tested.",
    ),
}

_LOSS = "Loss is what the cells leave open, from 0% to 100%; removed records count as 100%."
_PEOPLE = (
    "People are removed with all of their records, and counted once each, however many they have. "
    "Loss, and the sizes of classes, are of records."
)
_NO_LOSS = "What is lost is not told: no cells are published that cover their people's values."
_ENDS = (
    "A tight region ends where its members end: whoever alone is at the end of one is missed in "
    'it without their record, however large the class. Regions of the cuts (regions="cut") do '
    "not show that."
)

_SAMPLED = (
    f"δ is sampled. What it is said to be at most holds with {100 * CONFIDENCE:g} % confidence for "
    "all {whom} and all rounds together, and the goal holds only if that is not over it."
)
_ANY_DRAW = (
    "What is offered is one release of a sanitizer that may depend on chance; the test is about "
    "all that it may draw."
)
_ONE_DRAW = Message(
    "Each round tests one draw of a random sanitizer. If the goal holds, that may be luck, the "
    "more so the more rounds there were, and what is offered is another draw. Have it sampled "
    "with {samples} or more.",
    samples=Option("samples", 100),
)


def _verdict(finding: Hardening) -> str:
    best, goal = finding.best, f"The goal of {finding.goal:g}"
    sure = " in one draw" if _is_one_draw(finding) else ""
    path = f"δ went from {_delta(finding.rounds[0])} to {_delta(best)}"
    by = _what_it_took(finding.course, finding.limits.noun)
    if best.holds and best.number == 0:
        return f"{goal} holds{sure} as it is: δ is {_delta(best)}."
    if best.holds:
        return f"{goal} holds{sure} after {counted(best.number, 'round')}, by {by}: {path}."
    if best.number == 0:
        return f"{goal} does not hold, and no round made it better: δ is {_delta(best)}."
    return f"{goal} does not hold: {path} in round {best.number}, the best one, by {by}."


def _what_it_took(course: Course, noun: str) -> str:
    """What was done up to the best round."""
    best = course.best
    if best.number == 0:
        return "changing nothing"
    if course.strategy == "remove":
        return f"removing {counted(best.removed, noun)}"
    return f"larger classes for {counted(best.enlarged, 'kind')} of people"


def _table(course: Course, goal: float) -> Table:
    removes, bounded = course.strategy == "remove", course.best.sampled
    done = "removed" if removes else "enlarged"
    bound = ["at most"] if bounded else []
    return Table(
        title=course.strategy,
        columns=["round", done, "δ", *bound, "mean", f"over {goal:g}", "loss", "classes",
                 "smallest", ""],
        rows=[
            [
                one.number,
                one.removed if removes else one.enlarged,
                cell(one.delta, ".3g"),
                *([cell(one.delta_at_most, ".3g")] if bounded else ()),
                cell(one.mean, ".3g"),
                cell(one.share_over, ".1%"),
                cell(one.loss, ".1%"),
                cell(one.classes or None),
                cell(one.smallest_class if one.classes else None),
                "← best" if one == course.best else "",
            ]
            for one in course.rounds
        ],
    )  # fmt: skip


def round_line(strategy: str, one: Round) -> str:
    """A finished round in one line, to show progress."""
    what = "removed" if strategy == "remove" else "given larger classes"
    done = f", {one.changed:,} {what}" if one.number else ""
    lost = "" if math.isnan(one.loss) else f", loss {one.loss:.1%}"
    return f"{strategy}, round {one.number}: δ {_delta(one)}{done}{lost}"


def _remarks(finding: Hardening) -> tuple[Text, ...]:
    remarks: list[Text] = []
    if finding.best.sampled:
        remarks.append(_SAMPLED.format(whom=finding.limits.nouns))
    if not (finding.sanitizer.deterministic if finding.best.sampled else finding.finding.certain):
        remarks.append(_ANY_DRAW)
    elif not finding.best.sampled and _is_one_draw(finding):
        remarks.append(_ONE_DRAW)
    acted = [course for course in finding.courses.values() if len(course.rounds) > 1]
    remarks += (remark for course in acted for remark in _REMARKS[course.strategy])
    for course in acted:
        f = course.attempt.sanitizer
        tight = isinstance(f, Mondrian) and f.regions == "tight"
        if course.strategy == "merge" and tight and not course.best.holds:
            remarks.append(_ENDS)
    return tuple(remarks)


def _is_one_draw(finding: Hardening) -> bool:
    """Whether the sanitizer was seen to be random, and nothing was sampled."""
    courses = finding.courses.values()
    # Two draws may be the same, so one round that shows it tells about all.
    return any(one.one_draw for course in courses for one in course.rounds)


def _delta(one: Round) -> str:
    """δ, and of a sampled one what it is at most."""
    bound = f" (at most {one.delta_at_most:.3g})" if one.sampled else ""
    return f"{one.delta:.3g}{bound}"


def _chart(finding: Hardening) -> Chart:
    """δ and the mean of every strategy over its rounds, on a log axis; sampled, the bound of δ."""
    series, says = [], []
    for name, course in finding.courses.items():
        before, best = course.rounds[0], course.best
        offered = " (offered)" if name == finding.strategy else ""
        lost = "" if math.isnan(best.loss) else f", loss {before.loss:.1%} → {best.loss:.1%}"
        took = _what_it_took(course, finding.limits.noun)
        says.append(f"{name}{offered}: {took}, best in round {best.number}{lost}")
        for what, values in (
            ("δ", [one.delta_at_most for one in course.rounds]),
            ("mean", [one.mean for one in course.rounds]),
        ):
            # A log axis cannot show 0, nor anything infinite.
            drawn = [value if 0 < value < math.inf else None for value in values]
            series.append(Series(name=f"{name}: {what}", x=list(range(len(drawn))), y=drawn))
    longest = max(len(course.rounds) for course in finding.courses.values())
    goal = Series(name=f"goal {finding.goal:g}", x=[0, longest - 1], y=[finding.goal] * 2)
    worst = (
        f"at most ({CONFIDENCE:.0%} sure)"
        if finding.best.sampled
        else (f"the worst {finding.limits.noun}")
    )
    return Chart(
        kind="curves",
        title=f"δ, {worst}, and the mean d, round by round",
        says="; ".join(says),
        x=Axis(label="round"),
        y=Axis(label=f"d ({finding.finding.distance})", scale="log"),
        series=[*series, goal],
    )
