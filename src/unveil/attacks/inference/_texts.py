"""A finding of empirical inference, written out for people and for machines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from unveil._text import percent, table_lines
from unveil.attacks._estimates import CONFIDENCE, Estimate
from unveil.attacks.inference._guesses import Guesses, TwoSides
from unveil.microdata import Release

if TYPE_CHECKING:
    from unveil.attacks.inference._finding import Inference

__all__ = [
    "INSIDE",
    "OUTSIDE",
    "PRIOR",
    "REMEDY",
    "content_of",
    "points",
    "summary_of",
    "verdict_of",
]

PRIOR, OUTSIDE, INSIDE = "prior", "not in the release", "in the release"
"""What the sides are called, in tables and pictures."""

NO_OTHERS = (
    "without people who are not in it, a breach cannot be told from what is known about the "
    "population"
)
REMEDY = ": say who they are with held_out=, or give the sanitizer in place of its release"
"""For whoever runs the attack; readers of a report can do nothing about it."""


def points(estimate: Estimate) -> str:
    """A difference of shares.

    >>> points(Estimate(0.0312, -0.004, 0.0664))
    '3.1 points (-0.4 to 6.6)'
    """
    value, low, high = (f"{100 * x + 0.0:.1f}" for x in (estimate.value, estimate.low,
                                                        estimate.high))  # fmt: skip
    return f"{value} points ({low} to {high})".replace("-0.0", "0.0")


def verdict_of(finding: Inference, name: str | None = None) -> str:
    """What the strongest adversary can do, and how much of it is a breach."""
    secret, inside = finding.microdata.sensitive.name, finding.inside
    said = (
        f"Under {name or finding.made_by}, {finding.adversary.label} is right about the {secret} "
        f"of {percent(inside.accuracy.value)} of the people in the release"
    )
    prior = f"{percent(finding.baseline)}"
    if finding.outside is None or finding.gap is None:
        return f"{said}, where the prior alone gives {prior}; {NO_OTHERS}{REMEDY}."
    said += (
        f" and of {percent(finding.outside.accuracy.value)} of people who are not in it, where "
        f"the prior alone gives {prior}"
    )
    unlike = finding.prior_gap
    if unlike is not None and not unlike.low <= 0 <= unlike.high:
        assert finding.prior_outside is not None
        return (
            f"{said} and {percent(finding.prior_outside.accuracy.value)}: these are people of "
            f"another kind, so the difference of {points(finding.gap)} does not show what people's "
            "own records add; hold out people who are like those in the release."
        )
    if finding.gap.low > 0:
        return (
            f"{said}: {points(finding.gap)} come from people's own records, the rest is known of "
            "anybody."
        )
    return (
        f"{said}: no breach is shown, for what people's own records add is {points(finding.gap)}."
    )


def content_of(finding: Inference, *, records: bool) -> dict[str, Any]:
    """What goes into JSON."""
    smallest = [int(one.sizes.min()) for one in finding.releases if len(one.sizes)]
    content: dict[str, Any] = {
        "finding": "inference",
        "source": finding.microdata.source,
        "release": finding.made_by,
        "adversary": finding.adversary.label,
        "quasi": [c.name for c in finding.microdata.quasi],
        "sensitive": finding.microdata.sensitive.name,
        "records": len(finding.microdata),
        "releases": len(finding.releases),
        "folds": finding.folds,
        "smallest_class": min(smallest) if smallest else None,
        "accuracy": finding.accuracy,
        "baseline": finding.baseline,
        "sure_from": finding.confidence,
        "confidence": CONFIDENCE,
        "prior": _side(finding.prior),
        "prior_outside": _side(finding.prior_outside),
        "prior_gap": _interval(finding.prior_gap),
        "adversaries": [
            {
                "adversary": label,
                "inside": _side(sides.inside),
                "outside": _side(sides.outside),
                "gap": _interval(sides.gap),
                "belief_gap": _interval(sides.belief_gap),
            }
            for label, sides in finding.against.items()
        ],
        "seed": finding.seed,
        "seconds": finding.seconds,
        "notes": [str(note) for note in finding.notes],
    }
    if isinstance(finding.release, Release) and len(finding.releases) == 1:
        content |= {
            "released": len(finding.release),
            "suppressed": finding.release.suppressed,
            "classes": finding.release.n_classes,
        }
    if records:
        for one in content["adversaries"]:
            frame = finding.to_frame(one["adversary"])
            one["each"] = {name: _plain(frame[name].tolist()) for name in frame.columns}
    return content


def _side(guesses: Guesses | None) -> dict[str, Any] | None:
    if guesses is None:
        return None
    return {
        "people": len(guesses),
        "accuracy": _interval(guesses.accuracy),
        "belief": _interval(guesses.belief),
        "sure": _interval(guesses.sure),
        "accuracy_if_sure": guesses.accuracy_if_sure,
        "not_believed": guesses.not_believed,
    }


def _interval(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _plain(numbers: list[Any]) -> list[Any]:
    """JSON has no NaN."""
    return [None if isinstance(x, float) and math.isnan(x) else x for x in numbers]


def summary_of(finding: Inference) -> str:
    """What a finding prints."""
    lines = [
        f"Empirical inference: {finding.made_by} on {finding.microdata.source}",
        f"  {_how(finding)}; {finding.seconds:.2g} s",
        "",
        *table_lines(_rows(finding)),
        "",
        f"  {verdict_of(finding)}",
        *_explained(finding),
    ]
    return "\n".join([*lines, *(f"  Note: {note}" for note in finding.notes)])


def _how(finding: Inference) -> str:
    if finding.folds is not None:
        return (
            f"{len(finding.inside):,} people in {finding.folds} folds, each held out of one "
            "release and in all others"
        )
    one = f"{len(finding.inside):,} people of {finding.release.in_short}"
    return one if finding.outside is None else f"{one}; {len(finding.outside):,} who are not in it"


def _rows(finding: Inference) -> list[list[str]]:
    rows = [["", "people", "right", "belief in the true value",
             f"sure (from {100 * finding.confidence:g}%)", "right if sure"]]  # fmt: skip
    rows.append([f"{PRIOR}, {INSIDE}", *_cells(finding.prior)])
    others = finding.prior_outside
    if others is not None and finding.folds is None:  # with folds they are the same people
        rows.append([f"{PRIOR}, {OUTSIDE}", *_cells(others)])
    if finding.folds is not None:
        rows[1][0] = PRIOR
    for label, sides in finding.against.items():
        rows += _rows_of(label, sides)
    return rows


def _rows_of(label: str, sides: TwoSides) -> list[list[str]]:
    rows = [[label, *[""] * 5], [f"  {INSIDE}", *_cells(sides.inside)]]
    if sides.outside is not None and sides.gap is not None and sides.belief_gap is not None:
        gaps = [points(sides.gap), points(sides.belief_gap)]
        rows += [[f"  {OUTSIDE}", *_cells(sides.outside)], ["  difference", "", *gaps, "", ""]]
    return rows


def _cells(guesses: Guesses) -> list[str]:
    rightly = guesses.accuracy_if_sure
    return [
        f"{len(guesses):,}",
        guesses.accuracy.in_percent(),
        guesses.belief.in_percent(),
        percent(guesses.sure.value),
        "–" if rightly is None else percent(rightly),
    ]


def _explained(finding: Inference) -> list[str]:
    lines = [
        "  right: the share of the people whose value is the one believed most; ties count by "
        "their share. In brackets:",
        f"  {CONFIDENCE:.0%} intervals. Prior: goes by how frequent the values are, and has seen "
        "no release.",
    ]
    if finding.folds is not None:
        lines.append(
            "  People of a fold share the release that they are held out from, so folds count as "
            "well as people in intervals."
        )
    elif finding.outside is not None:
        lines.append("  Intervals take the release as given.")
    silent = {
        label: sides.inside.not_believed + (sides.outside.not_believed if sides.outside else 0)
        for label, sides in finding.against.items()
    }
    lines += [
        f"  NO BELIEF of {label} about {number:,} people, who count as not right"
        for label, number in silent.items()
        if number
    ]
    return [*lines, *(f"  {label}: {sides.adversary.explained}."
                      for label, sides in finding.against.items())]  # fmt: skip
