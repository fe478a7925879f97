"""The finding of a hardening: its numbers and its story."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.attacks.differential import DifferentialInference
from unveil.errors import File, Message, Option, Text
from unveil.findings import (
    Axis,
    Chart,
    Finding,
    Series,
    Story,
    Table,
    cell,
)
from unveil.hardening._strategies import CONFIDENCE, Course, Limits, Round
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Mondrian, Sanitizer


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
        """The round in which the goal holds; if it never does, the one with the smallest δ.

        For a sampled δ the bound counts, `Round.delta_at_most`.
        """
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
                {"strategy": course.strategy, **asdict(one), "best": one == course.best}
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
        return {
            "source": self.original.source,
            "sanitizer": self.asked,
            "adversary": self.finding.adversary.label,
            "distance": self.finding.distance,
            "quasi": [column.name for column in self.original.quasi],
            "sensitive": self.original.sensitive.name,
            "people": len(self.original),
            "most_rounds": self.limits.rounds,
            "most_removed": self.limits.at_most,
            "most_at_a_time": self.limits.at_a_time,
            "sampled": _sampled(self),
            "best_strategy": self.strategy,
            "strategies": [_course(course) for course in self.courses.values()],
            "seed": self.finding.seed,
            "remarks": _remarks(self),
            **self.attributes("goal holds interrupted"),
        }

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
                records = f"{untested:,} record{_s(untested)}"
                said.append(f"NOT TESTED in the last round{of}: {records}")
        return Story(
            title=Message(
                "Hardening {sanitizer} on {source} until δ ≤ {goal} ({distance})",
                sanitizer=File(self.asked, bare=True), source=File(self.original.source, bare=True),
                goal=f"{self.goal:g}", distance=self.finding.distance,
            ),
            about=[_verdict(self)],
            sentences=[
                *said,
                f"Attacker: {self.finding.adversary.label}. {_of_loss(self.best)}",
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

_ENDS = (
    "A tight region ends where its members end: whoever alone is at the end of one is missed in "
    'it without their record, however large the class. Regions of the cuts (regions="cut") do '
    "not show that."
)

_SAMPLED = (
    f"δ is sampled. What it is said to be at most holds with {100 * CONFIDENCE:g} % confidence for "
    "all records and all rounds together, and the goal holds only if that is not over it."
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


def _sampled(finding: Hardening) -> dict[str, Any] | None:
    """The number of samples of the best round, and the confidence of its bound."""
    found = finding.finding.sampling
    if found is None:
        return None
    return {
        "confidence": CONFIDENCE,
        "samples_least": found.least,
        "samples_most": found.most,
        "error_wanted": found.wanted,
    }


def _course(course: Course) -> dict[str, Any]:
    return {
        "strategy": course.strategy,
        "holds": course.best.holds,
        "best_round": course.best.number,
        "ended": str(course.ended),
        "rounds": [asdict(one) for one in course.rounds],
    }


def _of_loss(one: Round) -> str:
    """What the column of losses says."""
    if math.isnan(one.loss):
        return "What is lost is not told: no cells are published that cover their people's values."
    return "Loss is what the cells leave open, from 0% to 100%; removed records count as 100%."


def _verdict(finding: Hardening) -> str:
    course, best, before = finding.course, finding.best, finding.rounds[0]
    holds = "IT HOLDS IN ONE DRAW" if _is_one_draw(finding) else "IT HOLDS"
    if best.holds and best.number == 0:
        return f"{holds} as it is: δ is {_delta(best)}. Nothing was changed."
    path = f"δ went from {_delta(before)} to {_delta(best)}"
    if best.holds:
        return f"{holds} after {_rounds(best.number)}, by {_what_it_took(course)}: {path}."
    if best.number == 0:
        return (
            f"IT DOES NOT HOLD, and no round made it better: δ is {_delta(best)}. "
            "What is offered is the table as it was given."
        )
    return (
        f"IT DOES NOT HOLD: {path} in round {best.number}, the best one, by "
        f"{_what_it_took(course)}. What is offered is that round's."
    )


def _what_it_took(course: Course) -> str:
    """What was done up to the best round."""
    best = course.best
    if best.number == 0:
        return "changing nothing"
    if course.strategy == "remove":
        return f"removing {best.removed:,} record{_s(best.removed)}"
    return f"larger classes for {best.enlarged:,} kind{_s(best.enlarged)} of people"


def _table(course: Course, goal: float) -> Table:
    done = "removed" if course.strategy == "remove" else "enlarged"
    bound = ("at most",) if course.best.sampled else ()
    heads = ("round", done, "δ", *bound, "mean", f"over {goal:g}", "loss", "classes", "smallest")
    return Table(
        title=course.strategy,
        columns=[*heads, ""],
        rows=[
            [*_row(course, one), "← best" if one == course.best else ""] for one in course.rounds
        ],
    )


def _row(course: Course, one: Round) -> list[tuple[float | None, str]]:
    done = one.removed if course.strategy == "remove" else one.enlarged
    return [
        (one.number, f"{one.number}"),
        done,
        cell(one.delta, _number),
        *([cell(one.delta_at_most, _number)] if one.sampled else ()),
        cell(one.mean, _number),
        (one.share_over, "" if math.isnan(one.share_over) else f"{one.share_over:.1%}"),
        (one.loss, "–" if math.isnan(one.loss) else f"{one.loss:.1%}"),
        (one.classes, f"{one.classes:,}" if one.classes else "–"),
        (one.smallest_class, f"{one.smallest_class:,}" if one.classes else "–"),
    ]


def round_line(strategy: str, one: Round) -> str:
    """A finished round in one line, to show progress."""
    done = ""
    if one.number:
        what = "removed" if strategy == "remove" else "given larger classes"
        done = f", {one.changed:,} {what}"
    lost = "" if math.isnan(one.loss) else f", loss {one.loss:.1%}"
    return f"{strategy}, round {one.number}: δ {_delta(one)}{done}{lost}"


def _remarks(finding: Hardening) -> tuple[Text, ...]:
    acted = [course for course in finding.courses.values() if len(course.rounds) > 1]
    remarks = [remark for course in acted for remark in _REMARKS[course.strategy]]
    if any(_is_stuck_in_tight_regions(course) for course in acted):
        remarks.append(_ENDS)
    return (*_chances(finding), *remarks)


def _chances(finding: Hardening) -> list[Text]:
    """What there is to say where chance decides."""
    if finding.best.sampled:
        return [_SAMPLED] if finding.sanitizer.deterministic else [_SAMPLED, _ANY_DRAW]
    if not finding.finding.certain:
        return [_ANY_DRAW]
    return [_ONE_DRAW] if _is_one_draw(finding) else []


def _is_one_draw(finding: Hardening) -> bool:
    """Whether the sanitizer was seen to be random, and nothing was sampled."""
    courses = finding.courses.values()
    # Two draws may be the same, so one round that shows it tells about all.
    return any(one.one_draw for course in courses for one in course.rounds)


def _is_stuck_in_tight_regions(course: Course) -> bool:
    f = course.attempt.sanitizer
    tight = isinstance(f, Mondrian) and f.regions == "tight"
    return course.strategy == "merge" and tight and not course.best.holds


def _rounds(number: int) -> str:
    return f"{number} round{_s(number)}"


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _delta(one: Round) -> str:
    """δ, and of a sampled one what it is at most."""
    bound = f" (at most {_number(one.delta_at_most)})" if one.sampled else ""
    return f"{_number(one.delta)}{bound}"


def _number(value: float) -> str:
    """Three significant digits."""
    return f"{value:.3g}"


def _chart(finding: Hardening) -> Chart:
    """δ and the mean of every strategy over its rounds, on a log axis; sampled, the bound of δ."""
    series = []
    says = []
    for course in finding.courses.values():
        rounds = [one.number for one in course.rounds]
        before, best = course.rounds[0], course.best
        offered = " (offered)" if course.strategy == finding.strategy else ""
        said = f"{course.strategy}{offered}: {_what_it_took(course)}, best in round {best.number}"
        if not math.isnan(best.loss):
            said += f", loss {before.loss:.1%} → {best.loss:.1%}"
        says.append(said)
        for what, values in (
            ("δ", [one.delta_at_most for one in course.rounds]),
            ("mean", [one.mean for one in course.rounds]),
        ):
            name = f"{course.strategy}: {what}"
            series.append(Series(name=name, x=rounds, y=_drawn(values)))
    longest = max(len(course.rounds) for course in finding.courses.values())
    goal = Series(name=f"goal {finding.goal:g}", x=[0, longest - 1], y=[finding.goal] * 2)
    worst = f"at most ({CONFIDENCE:.0%} sure)" if finding.best.sampled else "the worst record"
    return Chart(
        kind="curves",
        title=f"δ, {worst}, and the mean d, round by round",
        says="; ".join(says),
        x=Axis(label="round"),
        y=Axis(label=f"d ({finding.finding.distance})", scale="log"),
        series=[*series, goal],
    )


def _drawn(values: list[float]) -> list[float | None]:
    """Without values that a log axis cannot show."""
    return [value if 0 < value < math.inf else None for value in values]
