"""A finding of the deFinetti attack, written out for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unveil._text import of_all, percent, table_lines
from unveil.microdata import Permuted

if TYPE_CHECKING:
    from unveil.attacks.definetti._finding import DeFinetti

__all__ = ["TITLES", "content_of", "summary_of", "verdict_of"]

TITLES = {"definetti": "The deFinetti attack", "foreground": "Foreground knowledge"}
VIEWS = {
    "random_worlds": "random worlds (the group's shares)",
    "reweighted": "re-weighted by what groups tell",
    "population": "the model alone, without the group",
}


def verdict_of(finding: DeFinetti, name: str | None = None) -> str:
    """What the attacker achieves, in a sentence or two."""
    n, secret = int(finding.placed.sum()), finding.release.sensitive.name
    made_by = name or f"the release by {finding.release.made_by}"
    if not n:
        return f"Nobody's group {'in' if name is None else 'under'} {made_by} is known."
    more, few = int(finding.exceeding.sum()), ""
    if 2 * n < len(finding):
        few = f"Only {n:,} of {len(finding):,} people could be put into its groups. "
    of = f" of {finding.release.made_by}" if name is None else ""
    begin = f"{few}Of" if name is None else f"{few}Under {name}, of"
    said = (
        f"{begin} {n:,} {'person' if n == 1 else 'people'} in groups{of}, "
        f"{of_all(more, n)} {'is' if more < 2 else 'are'} believed to have some {secret} more "
        "strongly than the shares of their group allow"
    )
    shares, ours, model = (view.accuracy for view in _three(finding).values())
    if shares is None or ours is None or model is None:
        return f"{said}; whether that is right is not known."
    # A strong belief impresses; whether it is also true is what counts.
    gained = "" if ours > shares else " So here his beliefs are stronger, but not more often true."
    return (
        f"{said}. An attacker who learns across groups guesses {percent(ours)} right, by the "
        f"shares of the group {percent(shares)}, and by what he has learnt without the group "
        f"{percent(model)}.{gained if more else ''}"
    )


def _three(finding: DeFinetti) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in VIEWS}


def content_of(finding: DeFinetti, *, records: bool) -> dict[str, Any]:
    """What goes into JSON."""
    learned, truth = finding.learned, finding.knows_truth
    content: dict[str, Any] = {
        "finding": "definetti",
        "method": finding.method,
        "source": finding.people.source,
        "made_by": finding.release.made_by,
        "sensitive": finding.release.sensitive.name,
        "learnt_from": list(finding.columns),
        "people": len(finding),
        "placed": int(finding.placed.sum()),
        "nowhere": finding.nowhere,
        "undecided": finding.undecided,
        "doubted": finding.doubted,
        "groups": len(finding.groups),
        "approximate_groups": int(learned.approximate.sum()),
        "smoothing": learned.model.knowledge.smoothing,
        "rounds": learned.rounds,
        "settled": learned.settled,
        "moved": learned.moved,
        "log_likelihood": float(learned.likelihood[-1]),
        "exceeding": int(finding.exceeding.sum()),
        "exceeding_right": finding.exceeding_right,
        "known": int((finding.in_table & finding.placed).sum()),
        "right": {name: view.accuracy for name, view in _three(finding).items()} if truth else None,
        "seconds": finding.seconds,
        "notes": [str(note) for note in finding.notes],
    }
    if records:
        frame = finding.to_frame()
        content["each"] = {
            name: [_plain(x) for x in frame[name].tolist()] for name in frame.columns
        }
    return content


def _plain(value: Any) -> Any:
    """JSON has no NaN."""
    return None if isinstance(value, float) and np.isnan(value) else value


def summary_of(finding: DeFinetti) -> str:
    """What a finding prints."""
    release, learned = finding.release, finding.learned
    people = "person" if len(finding) == 1 else "people"
    lines = [
        f"{TITLES[finding.method]}: {len(finding):,} {people} of {finding.people.source} against "
        f"{release.in_short}",
        f"  learnt from {', '.join(finding.columns)}, smoothing "
        f"{learned.model.knowledge.smoothing:.4g}; {_rounds(finding)}; {finding.seconds:.1f} s",
        f"  {_worked_out(finding)}",
        "",
        *table_lines(_rows(finding)),
        "",
        f"  {verdict_of(finding)}",
        *(f"  {line}" for line in _left_out(finding)),
        "  Beliefs within a group use up its values; the model is naive Bayes, learnt from the "
        "release.",
    ]
    if not finding.knows_truth:
        lines.append("  Give the original, microdata, to count who is guessed right.")
    return "\n".join([*lines, *(f"  Note: {note}" for note in finding.notes)])


def _rounds(finding: DeFinetti) -> str:
    learned = finding.learned
    if finding.method == "foreground":
        return "once"
    if learned.settled:
        return f"{learned.rounds:,} round{'s' if learned.rounds > 1 else ''} until beliefs rested"
    return (
        f"beliefs still moved by {learned.moved:.2g} when the {learned.rounds:,} rounds were over"
        " (more: rounds=)"
    )


def _worked_out(finding: DeFinetti) -> str:
    learned, n = finding.learned, len(finding.groups)
    rough = int(learned.approximate.sum())
    if not rough:
        return f"{n:,} groups, all worked out exactly" if n > 1 else "1 group, worked out exactly"
    said = f"{n:,} group{'s' if n > 1 else ''}, {of_all(rough, n)} by Bethe's approximation"
    said += " (exactly: steps=)"
    if learned.astray:
        said += f", which had not come to rest in {learned.astray:,}"
    return said


def _rows(finding: DeFinetti) -> list[list[str]]:
    placed = finding.placed
    heads = ["", "median belief", "in over half"]
    rows = [heads + (["guessed right"] if finding.knows_truth else [])]
    for name, words in VIEWS.items():
        view = getattr(finding, name)
        belief = view.belief[placed]
        row = [words, percent(float(np.median(belief))) if len(belief) else "–"]
        row.append(f"{int((belief > 0.5).sum()):,}")
        if finding.knows_truth:
            row.append(percent(view.accuracy))
        rows.append(row)
    return rows


def _left_out(finding: DeFinetti) -> list[str]:
    """About whom nothing is believed, and what could be done."""
    lines = []
    several = "cells overlap, and several classes may have them; relative_risk samples which"
    if isinstance(finding.release, Permuted):
        several = "a value of theirs is not known, so that several records may be theirs"
    for number, why in (
        (finding.nowhere, "no record can be theirs"),
        (finding.undecided, several),
        (
            finding.doubted,
            "their class has more people than records; give the people who are in the table, and "
            "nobody else",
        ),
    ):
        if number:
            people = "person" if number == 1 else "people"
            lines.append(f"Nothing is believed about {number:,} {people}: {why}.")
    known = finding.groups.tuple_of >= 0
    strangers = int(finding.groups.people[~known].sum())
    if strangers:
        are = "record is a stranger's" if strangers == 1 else "records are strangers'"
        lines.append(f"{strangers:,} {are}: nobody was found for them, and nothing is known.")
    return lines
