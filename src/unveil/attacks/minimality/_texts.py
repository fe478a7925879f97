"""A finding of minimality, written out for people and for machines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil._text import of_all, percent, table_lines
from unveil.attacks.minimality._solving import SETTLED
from unveil.sanitize import Identity

if TYPE_CHECKING:
    from unveil.attacks.minimality._attempts import Attempt
    from unveil.attacks.minimality._finding import Minimality

__all__ = ["content_of", "summary_of", "verdict_of", "why"]

_ROUNDING = 1e-9
_FEW = 3  # classes that are explained


def nothing_because(finding: Minimality) -> str | None:
    """Why nothing is told, if that is so."""
    if finding.release.made_by == Identity().label:
        return "every record is published as it is, whoever has which secret"
    if not finding.asks_inside:
        return (
            "its goal is about the sizes of classes alone, and these follow from the "
            "quasi-identifiers, whoever has which secret"
        )
    if finding.path == "fast" and not finding.refused and not finding.alone.any():
        return (
            "whatever finer was refused would have been refused whoever has which secret: its "
            "parts are too small, or made of whole classes"
        )
    if finding.kept > 1 - _ROUNDING and finding.people_by("exact") == len(finding):
        return "it makes the same release of every world"
    return None


def verdict_of(finding: Minimality, name: str | None = None) -> str:
    """What the attacker gains."""
    n, secret = len(finding), finding.release.sensitive.name
    made_by = name or finding.release.made_by
    because = nothing_because(finding)
    if because is not None:
        how = f"How {made_by} works" if name is None else f"Under {name}, the way of working"
        return f"{how} tells nothing beyond its release: {because}."
    who = f"Who knows how {made_by} works" if name is None else (
        f"Under {name}, who knows the way of working"
    )  # fmt: skip
    above, before = int(finding.above.sum()), int(finding.above_before.sum())
    sure, ruled_out = int(finding.determined.sum()), int((finding.excluded > 0).sum())
    return (
        f"{who} believes more in one value of {secret} than was "
        f"promised ({finding.bound_in_words}) of {of_all(above, n)} of {n:,} people "
        f"(from the release alone: {of_all(before, n)}); the {secret} of {of_all(sure, n)} is "
        f"certain, and {of_all(ruled_out, n)} can be told some {secret} of their class that they "
        f"do not have.{_alone(finding)}{_unknown(finding)}"
    )


def _alone(finding: Minimality) -> str:
    """What was left out is not to be taken for nothing."""
    number = int(finding.looked_at_alone.sum())
    if not number:
        return ""
    return (
        f" The classes of {of_all(number, len(finding))} were looked at alone, for too many hang "
        "together: who takes everything into account that was refused may know more."
    )


def _unknown(finding: Minimality) -> str:
    """What could not be found out is not to be taken for safe."""
    number = int(finding.unknown.sum())
    if not number:
        return ""
    return (
        f" Of {of_all(number, len(finding))} nothing could be found out, for no worlds were come "
        "by: give more draws, or take fewer people."
    )


def content_of(finding: Minimality, *, records: bool) -> dict[str, Any]:
    """What goes into JSON."""
    content: dict[str, Any] = {
        "finding": "minimality",
        "source": finding.microdata.source,
        "made_by": finding.release.made_by,
        "sensitive": finding.release.sensitive.name,
        "path": finding.path,
        "people": len(finding),
        "classes": finding.release.n_classes,
        "classes_told": len(finding.refused),
        "people_told": finding.told,
        "components": finding.components,
        "worlds_kept": None if math.isnan(finding.kept) else finding.kept,
        "promised": finding.bound_in_words,
        "above": int(finding.above.sum()),
        "above_from_release": int(finding.above_before.sum()),
        "determined": int(finding.determined.sum()),
        "unknown": int(finding.unknown.sum()),
        "excluded": int((finding.excluded > 0).sum()),
        "largest_belief": float(finding.believed_most.max()),
        "largest_from_release": float(finding.released_most.max()),
        "mean_own": float(finding.believed_own.mean()),
        "mean_own_from_release": float(finding.released_own.mean()),
        "exact": finding.people_by("exact"),
        "drawn": finding.people_by("drawn"),
        "walked": finding.people_by("walked"),
        "looked_at_alone": int(finding.looked_at_alone.sum()),
        "largest_error": float(finding.error_of.max()),
        "rhat": finding.rhat if math.isfinite(finding.rhat) else None,
        "seconds": finding.seconds,
        "notes": [str(note) for note in finding.notes],
    }
    if records:
        frame = finding.to_frame()
        content["each"] = {name: frame[name].tolist() for name in frame.columns}
    return content


def summary_of(finding: Minimality) -> str:
    """What a finding prints."""
    lines = [
        f"Minimality: {len(finding):,} people of {finding.microdata.source}, "
        f"{finding.release.in_short}",
        f"  {_found(finding)}; {finding.seconds:.2g} s",
    ]
    if finding.rhat > SETTLED:
        lines.append(
            f"  The chains do not agree yet (R-hat {finding.rhat:.2f}): take the numbers of the "
            f"{finding.people_by('walked'):,} people whom they are about with care, or give more "
            "draws."
        )
    lines += ["", *table_lines(_rows(finding)), "", f"  {verdict_of(finding)}"]
    lines += [f"  {text}" for text in _worst(finding)]
    return "\n".join([*lines, *(f"  Note: {note}" for note in finding.notes)])


def _found(finding: Minimality) -> str:
    exact, drawn, walked = (finding.people_by(how) for how in ("exact", "drawn", "walked"))
    said = [f"all worlds counted for {of_all(exact, len(finding))}"]
    if drawn:
        said.append(f"worlds drawn for {drawn:,}")
    if walked:
        said.append(f"chains walked for {walked:,}")
    if drawn or walked:
        said.append(f"standard error up to {finding.error_of.max():.2g}")
    return ", ".join(said)


def _rows(finding: Minimality) -> list[list[str]]:
    def both(what: str, before: float, after: float) -> list[str]:
        return [what, percent(float(before)), percent(float(after))]

    # Where only the sizes of classes were promised, nothing of what is believed was.
    above = (finding.above_before, finding.above)
    promised = [f"{int(who.sum()):,}" if finding.asks_inside else "–" for who in above]
    return [
        ["belief in", "release alone", "and how it was made"],
        both("the true value, mean", finding.released_own.mean(), finding.believed_own.mean()),
        both("the likeliest, mean", finding.released_most.mean(), finding.believed_most.mean()),
        both("the likeliest, most", finding.released_most.max(), finding.believed_most.max()),
        ["people above what was promised", *promised],
        ["people whose value is certain", f"{int((finding.released_most == 1).sum()):,}",
         f"{int(finding.determined.sum()):,}"],
    ]  # fmt: skip


def _worst(finding: Minimality) -> list[str]:
    """The classes of which most is told, explained by the person in each of whom most is."""
    if not finding.refused:
        return []
    order = finding.worst(len(finding)).index.to_numpy()
    classes = finding.release.class_of[order]
    _, first = np.unique(classes, return_index=True)
    people = order[np.sort(first)[:_FEW]]
    told = [int(person) for person in people if finding.change[person] > _ROUNDING]
    return [_because(finding, person, "somebody in it") for person in told]


def why(finding: Minimality, person: int) -> str:
    """What was refused about a person's class, and what follows."""
    return _because(finding, person, f"record {person}")


def _because(finding: Minimality, person: int, who: str) -> str:
    g, release = int(finding.release.class_of[person]), finding.release
    value = int(finding.likeliest[person])
    cells = ", ".join(
        f"{c.name} {r.take(np.array([g])).texts(c)[0]}"
        for c, r in zip(release.quasi, release.regions, strict=True)
    )
    head = f"The class {cells} ({release.sizes[g]:,} people)"
    if g not in finding.refused:
        return f"{head}: nothing is told of it."
    tried = sorted(finding.refused[g], key=lambda one: len(one.people))
    also = f" ({len(tried):,} such things were refused)" if len(tried) > 1 else ""
    text = release.sensitive.texts[value]
    before, after = finding.shares[g, value], finding.believed_most[person]
    return (
        f"{head}: {_refused(tried[0], int(release.sizes[g]))}{also}. So {text} "
        f"is believed of {who} with {percent(float(after))} instead of "
        f"{percent(float(before))}."
    )


def _refused(attempt: Attempt, size: int) -> str:
    """What was tried, and why it tells something."""
    whose = "it" if len(attempt.people) == size else f"{len(attempt.people):,} people around it"
    if not attempt.parts:
        return f"the sanitizer did not {attempt.what}, which would have lost less"
    listed = zip(attempt.parts[:4], attempt.sizes, strict=False)
    parts = ", ".join(f"{text}: {number:,}" for text, number in listed)
    return (
        f"the sanitizer did not {attempt.what.replace('cut', f'cut {whose}', 1)} ({parts}), though "
        "all parts are large enough: the secrets of one must miss the goal"
    )
