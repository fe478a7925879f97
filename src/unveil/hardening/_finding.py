"""The finding of a hardening: its numbers, text, JSON and picture."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._axes import new_axes, written
from unveil.attacks.differential import DifferentialInference
from unveil.findings import Finding
from unveil.hardening._strategies import CONFIDENCE, Course, Limits, Round
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Mondrian, Sanitizer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Hardening", "round_line"]


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
        import pandas as pd

        return pd.DataFrame(
            [
                {"strategy": course.strategy, **asdict(one), "best": one == course.best}
                for course in self.courses.values()
                for one in course.rounds
            ]
        )

    def content(self, *, records: bool) -> dict[str, Any]:
        return _content(self, records=records)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw δ and the mean distance over the rounds, a line for each strategy.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        return _draw(self, ax)

    def summary(self) -> str:
        return _summary(self)


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
_ONE_DRAW = (
    "Each round tests one draw of a random sanitizer. If the goal holds, that may be luck, the "
    "more so the more rounds there were, and what is offered is another draw. Have it sampled "
    "with samples=100 or more."
)


def _content(finding: Hardening, *, records: bool) -> dict[str, Any]:
    """The content of the JSON."""
    content: dict[str, Any] = {
        "finding": "hardening",
        "source": finding.original.source,
        "sanitizer": finding.asked,
        "adversary": finding.finding.adversary.label,
        "distance": finding.finding.distance,
        "quasi": [c.name for c in finding.original.quasi],
        "sensitive": finding.original.sensitive.name,
        "records": len(finding.original),
        "goal": finding.goal,
        "most_rounds": finding.limits.rounds,
        "most_removed": finding.limits.at_most,
        "most_at_a_time": finding.limits.at_a_time,
        "holds": finding.holds,
        "sampled": _sampled(finding),
        "interrupted": finding.interrupted,
        "best_strategy": finding.strategy,
        "strategies": [_course(course, records) for course in finding.courses.values()],
        "seed": finding.finding.seed,
        "notes": [str(note) for note in finding.finding.notes],
        "remarks": list(_remarks(finding)),
    }
    return content


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


def _course(course: Course, records: bool) -> dict[str, Any]:
    content: dict[str, Any] = {
        "strategy": course.strategy,
        "holds": course.best.holds,
        "best_round": course.best.number,
        "ended": str(course.ended),
        "rounds": [
            {key: _plain(value) for key, value in asdict(one).items()} for one in course.rounds
        ],
    }
    if records:
        content["removed_records"] = course.removed.tolist()
    return content


def _summary(finding: Hardening) -> str:
    """The text of a hardening: first of all, whether the goal holds."""
    lines = [
        f"Hardening {finding.asked} on {finding.original.source} until δ ≤ {finding.goal:g} "
        f"({finding.finding.distance})",
        f"  {_verdict(finding)}",
    ]
    for course in finding.courses.values():
        lines += ["", *_table(course, finding.goal)]
    lines += [
        "",
        f"  Adversary: {finding.finding.adversary.label}. {_of_loss(finding.best)}",
        *(f"  Note: {note}" for note in (*finding.finding.notes, *_remarks(finding))),
    ]
    return "\n".join(lines)


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


def _table(course: Course, goal: float) -> list[str]:
    over = f"over {goal:g}"
    done = "removed" if course.strategy == "remove" else "enlarged"
    bound = ("at most",) if course.best.sampled else ()
    heads = ("round", done, "δ", *bound, "mean", over, "loss", "classes", "smallest")
    rows = [heads, *(_row(course, one) for one in course.rounds)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    marked = [
        f"    {line}{'  ← best' if place == course.best.number + 1 else ''}"
        for place, line in enumerate(lines)
    ]
    untested = course.rounds[-1].not_tested
    said = (
        [f"  NOT TESTED in the last round: {untested:,} record{_s(untested)}"] if untested else []
    )
    return [f"  {course.strategy}", *marked, *said, f"    Ended: {course.ended}."]


def _row(course: Course, one: Round) -> tuple[str, ...]:
    return (
        f"{one.number}",
        f"{one.removed if course.strategy == 'remove' else one.enlarged:,}",
        _number(one.delta),
        *((_number(one.delta_at_most),) if one.sampled else ()),
        _number(one.mean),
        "" if math.isnan(one.share_over) else f"{one.share_over:.1%}",
        "–" if math.isnan(one.loss) else f"{one.loss:.1%}",
        f"{one.classes:,}" if one.classes else "–",
        f"{one.smallest_class:,}" if one.classes else "–",
    )


def round_line(strategy: str, one: Round) -> str:
    """A finished round in one line, to show progress."""
    done = ""
    if one.number:
        what = "removed" if strategy == "remove" else "given larger classes"
        done = f", {one.changed:,} {what}"
    lost = "" if math.isnan(one.loss) else f", loss {one.loss:.1%}"
    return f"{strategy}, round {one.number}: δ {_delta(one)}{done}{lost}"


def _remarks(finding: Hardening) -> tuple[str, ...]:
    acted = [course for course in finding.courses.values() if len(course.rounds) > 1]
    remarks = [remark for course in acted for remark in _REMARKS[course.strategy]]
    if any(_is_stuck_in_tight_regions(course) for course in acted):
        remarks.append(_ENDS)
    return (*_chances(finding), *remarks)


def _chances(finding: Hardening) -> list[str]:
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


def _plain(value: Any) -> Any:
    """JSON has neither NaN nor infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "infinity"
    return value


def _draw(finding: Hardening, ax: Axes | None = None) -> Axes:
    """Draw δ (thick) and the mean (thin) of every strategy over its rounds, on a log axis.

    Of a sampled δ it is the upper end, which the goal is about.
    """
    if ax is None:
        ax = new_axes()
    from matplotlib.ticker import MultipleLocator

    several = len(finding.courses) > 1
    for course in finding.courses.values():
        rounds = [one.number for one in course.rounds]
        before, best = course.rounds[0], course.best
        offered = " (offered)" if course.strategy == finding.strategy and several else ""
        label = f"{course.strategy}{offered}: {_what_it_took(course)}"
        if not math.isnan(best.loss):
            label += f",\nloss {before.loss:.1%} → {best.loss:.1%}"
        (line,) = ax.plot(
            rounds, _drawn([one.delta_at_most for one in course.rounds]), marker=".", label=label
        )
        colour = line.get_color()
        ax.plot(
            rounds, _drawn([one.mean for one in course.rounds]),
            color=colour, linewidth=1, linestyle=":", marker=".", markersize=3,
        )  # fmt: skip
        ax.plot(best.number, best.delta_at_most, "o", color=colour, markersize=8)
    goal = f"goal {finding.goal:g}"
    ax.axhline(finding.goal, color="black", linewidth=1, linestyle="--", label=goal)
    longest = max(len(course.rounds) for course in finding.courses.values())
    ax.set_xlim(-0.4, longest - 0.6)
    ax.set(yscale="log", xlabel="round", ylabel=f"d ({finding.finding.distance})")
    ax.xaxis.set_major_locator(MultipleLocator(max(1, longest // 8)))
    ax.set_title(written(f"{finding.asked} on {finding.original.source}"), fontsize=10)
    ax.grid(True, alpha=0.25)
    worst = f"at most ({CONFIDENCE:.0%} sure)" if finding.best.sampled else "the worst record"
    ax.legend(
        frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0),
        title=f"— δ, {worst}  ● best round\n··· mean", alignment="left",
    )  # fmt: skip
    return ax


def _drawn(values: list[float]) -> list[float]:
    """Without values that a log axis cannot show."""
    return [value if 0 < value < np.inf else np.nan for value in values]
