"""A finding of composition, written out for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unveil._text import of_all, percent, table_lines
from unveil.attacks.composition._intersection import Left

if TYPE_CHECKING:
    from unveil.attacks.composition._finding import Composition

__all__ = ["content_of", "summary_of", "verdict_of"]

_BOTH = 2


def verdict_of(finding: Composition) -> str:
    """What the attacker learns from all releases, in one sentence."""
    n, secret = len(finding), finding.sensitive
    determined, below = int(finding.determined.sum()), int(finding.below_k.sum())
    together = "both together" if len(finding.releases) == _BOTH else "all together"
    most = determined - int(finding.newly_determined.sum())
    few = below - int(finding.newly_below_k.sum())
    return (
        f"Of {n:,} {'person' if n == 1 else 'people'}, the {secret} of {of_all(determined, n)} "
        f"follows from {together} (of {of_all(most, n)} from one release alone), and "
        f"{of_all(below, n)} {'is' if below < _BOTH else 'are'} left with fewer than "
        f"{finding.k:,} candidates ({of_all(few, n)} in one release alone)."
    )


def _below(left: Left, k: int) -> int:
    return int(((left.candidates > 0) & (left.candidates < k)).sum())


def content_of(finding: Composition, *, records: bool) -> dict[str, Any]:
    """What goes into JSON."""
    content: dict[str, Any] = {
        "finding": "composition",
        "people": len(finding),
        "source": finding.people.source,
        "known": list(finding.known),
        "sensitive": finding.sensitive,
        "k": finding.k,
        "identified": finding.identified,
        "releases": [
            {"release": label, "made_by": release.made_by, **_numbers(left, finding.k)}
            for label, release, left in zip(
                finding.labels, finding.releases, finding.alone, strict=True
            )
        ],
        "together": _numbers(finding.left, finding.k),
        "newly_determined": int(finding.newly_determined.sum()),
        "newly_below_k": int(finding.newly_below_k.sum()),
        "contradicted": int(finding.contradicted.sum()),
        "own_known": int(finding.is_known.sum()),
        "own_lost": int(finding.lost.sum()),
        "determined_right": finding.determined_right,
        "seconds": finding.seconds,
        "notes": [str(note) for note in finding.notes],
    }
    if records:
        frame = finding.to_frame()
        content["each"] = {name: frame[name].tolist() for name in frame.columns}
    return content


def _numbers(left: Left, k: int) -> dict[str, Any]:
    some = left.candidates[left.candidates > 0]
    return {
        "fewest_candidates": int(some.min()) if len(some) else None,
        "below_k": _below(left, k),
        "determined": int((left.values == 1).sum()),
    }


def summary_of(finding: Composition) -> str:
    """What a finding prints."""
    n, secret = len(finding), finding.sensitive
    lines = [
        f"Composition: {n:,} {'person' if n == 1 else 'people'} of {finding.people.source} in "
        f"{len(finding.releases)} releases",
        f"  known of them: {', '.join(finding.known)}; {finding.seconds:.2g} s",
        "",
        *table_lines(_rows(finding)),
        "",
        f"  {verdict_of(finding)}",
        *(f"  {line}" for line in _told(finding)),
        f"  It is assumed that everybody is in all of the tables, with the same {secret} in each.",
        f"  Candidates are the published values of {secret} that may be the person's.",
    ]
    if not finding.identified:
        lines.append(
            "  Together: which records of two releases are the same person's is not known, so "
            "candidates are at most as many as the release with the fewest has of each value, "
            "added up over the values that are in all of them."
        )
    return "\n".join([*lines, *(f"  Note: {note}" for note in finding.notes)])


def _told(finding: Composition) -> list[str]:
    """What else has to be said."""
    lines, n = [], len(finding)
    new = int(finding.newly_determined.sum())
    if new:
        lines.append(f"In no release alone determined, but now: {of_all(new, n)}.")
    if finding.determined_right is not None and finding.determined.any():
        rightly = of_all(finding.determined_right, int(finding.determined.sum()))
        lines.append(f"Of those determined, rightly so: {rightly}.")
    if finding.contradicted.any():
        number = of_all(int(finding.contradicted.sum()), n)
        lines.append(f"Nothing is left of {number}: they are not in all of the tables.")
    lost = int((finding.lost & ~finding.contradicted).sum())
    if lost:
        lines.append(
            f"Something else than the own value is left of {of_all(lost, n)}: they are not in all "
            "of the tables, and an attacker would be wrong about them."
        )
    return lines


def _rows(finding: Composition) -> list[list[str]]:
    n = len(finding)
    rows = [["", "records", "fewest candidates", f"below {finding.k:,}", "one value left"]]
    sides = [
        (label, f"{len(release):,}", left)
        for label, release, left in zip(
            finding.labels, finding.releases, finding.alone, strict=True
        )
    ]
    for label, size, left in [*sides, ("together", "", finding.left)]:
        found = _numbers(left, finding.k)
        fewest = found["fewest_candidates"]
        at_most = "≤ " if left is finding.left and not finding.identified else ""
        rows.append(
            [
                label, size, "–" if fewest is None else f"{at_most}{fewest:,}",
                *(f"{number:,} ({percent(number / n)})"
                  for number in (found["below_k"], found["determined"])),
            ]
        )  # fmt: skip
    return rows
