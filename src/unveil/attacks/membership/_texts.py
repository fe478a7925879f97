"""A finding of the membership test, written out for people and for machines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from unveil._text import percent
from unveil.attacks._estimates import CONFIDENCE, Estimate
from unveil.attacks.membership._roc import RATES, Separation, enough_for_a_low_end

if TYPE_CHECKING:
    from unveil.attacks.membership._finding import Membership

__all__ = ["ATTACKERS", "content_of", "summary_of", "too_few_of", "verdict_of"]

ATTACKERS = {
    "release": "sees the release alone",
    "population": "has a sample of other people besides, sanitized the same way",
    "removal": "has two releases between which one person left",
}
"""Who they are, from the weakest to the strongest, going on from "who …"."""

_EVEN = 0.5  # the AUC of guessing
_GAP = "   "


def _rate(rate: float) -> str:
    """A rate of false alarms as it is called.

    >>> _rate(0.01), _rate(0.001)
    ('1%', '0.1%')
    """
    return f"{100 * rate:g}%"


def verdict_of(finding: Membership, name: str | None = None) -> str:
    """What the attackers can do, in one sentence.

    ``name`` is what the sanitizer is called, if not by its label.
    """
    under = f"Under {name or finding.sanitizer}"
    played = {who: found for who, found in finding.against.items() if found is not None}
    if all(found.auc.low <= _EVEN for found in played.values()):
        least = min(found.held_out for found in played.values())
        one = f"an attacker who {ATTACKERS[finding.strongest]} is not"
        return (
            f"{under}, {one if len(played) == 1 else 'no attacker is'} known to do better than "
            f"guessing who is a member, as far as {least:,} people held out can show."
        )
    told = [f"{ATTACKERS[who]}, in {_how_often(found)}" for who, found in played.items()]
    said = (
        f"{under}, of a member and somebody who is none, the member is picked out by an attacker "
        f"who {'; by one who '.join(told)}"
    )
    rate = RATES[0]
    share = played[finding.strongest].tpr[rate]
    if share is None or share.low <= rate:
        return f"{said}."
    he = "the strongest of them" if len(played) > 1 else "he"
    return (
        f"{said}; at {_rate(rate)} false alarms {he} finds {percent(share.value)} of the members."
    )


def _how_often(found: Separation) -> str:
    often = f"{percent(found.auc.value)} of the cases"
    return often if found.auc.low > _EVEN else f"{often}, which may be chance"


def content_of(finding: Membership, *, records: bool) -> dict[str, Any]:
    """What goes into JSON."""
    people = finding.people
    content: dict[str, Any] = {
        "finding": "membership",
        "source": finding.microdata.source,
        "sanitizer": finding.sanitizer,
        "adversary": finding.adversary.label,
        "quasi": [c.name for c in finding.microdata.quasi],
        "sensitive": finding.microdata.sensitive.name,
        "records": len(finding.microdata),
        "members": len(people.members),
        "held_out": len(people.held_out),
        "own": len(people.own),
        "removals": finding.removals,
        "classes": finding.n_classes,
        "smallest_class": finding.smallest_class,
        "confidence": CONFIDENCE,
        "strongest": finding.strongest,
        "attackers": [
            {
                "attacker": name,
                "who": ATTACKERS[name],
                "not_scored": finding.played[name].reasons,
                **_numbers(one),
            }
            for name, one in finding.against.items()
        ],
        "seed": finding.seed,
        "seconds": finding.seconds,
        "notes": [str(note) for note in finding.notes],
    }
    if records:
        content["record"] = people.asked.tolist()
        content["member"] = people.is_member.tolist()
        for attacker in content["attackers"]:
            scored = finding.played[attacker["attacker"]]
            attacker["scores"] = [_plain(score) for score in scored.scores.tolist()]
            attacker["failures"] = [list(failure) for failure in scored.failures]
    return content


def _numbers(found: Separation | None) -> dict[str, Any]:
    if found is None:
        nothing = dict.fromkeys(("auc", "tpr", "advantage"))
        return {"members": 0, "held_out": 0, "groups": 0, **nothing}
    return {
        "members": found.members,
        "held_out": found.held_out,
        "groups": found.groups,
        "auc": _interval(found.auc),
        "tpr": {f"{rate:g}": _interval(share) for rate, share in found.tpr.items()},
        "advantage": found.advantage,
    }


def _interval(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _plain(score: float) -> float | str | None:
    """JSON has neither NaN nor infinity."""
    if math.isnan(score):
        return None
    if math.isinf(score):
        return "infinity" if score > 0 else "-infinity"
    return score


def summary_of(finding: Membership) -> str:
    """What a finding prints."""
    people, secret = finding.people, finding.microdata.sensitive.name
    own = f", {len(people.own):,} the attacker's own" if len(people.own) else ""
    lines = [
        f"Membership: {finding.sanitizer} on {finding.microdata.source}",
        f"  {len(people.members):,} members, {len(people.held_out):,} people held out{own}"
        f"{_classes(finding)}; {finding.seconds:.2g} s",
    ]
    for attacker, reasons in finding.not_scored.items():
        for reason, count in reasons.items():
            lines.append(f"  NOT SCORED by {attacker}: {count:,} people: {reason}")
    if any(scored.failures for scored in finding.played.values()):
        lines.append("    What was said about each of them is in finding.played[…].failures.")
    lines += ["", *_table(finding), "", f"  {verdict_of(finding)}"]
    lines += [f"  Too few to tell: {text}" for text in finding.too_few]
    lines += [
        "  AUC: how often a member has a higher score than somebody held out (guessing: 0.5). "
        "TPR: the share of the",
        "  members found while at most so many of those held out are taken for members. "
        f"In brackets: {CONFIDENCE:.0%} intervals,",
        "  which take the release as given and people as drawn independently.",
        *(f"  Attacker {name}: {ATTACKERS[name]}." for name in finding.played),
        f"  All know a person's quasi-identifiers and {secret} and ask whether that record is "
        "in the table;",
        f"  beliefs are those of {finding.adversary.label}, who {finding.adversary.explained}.",
    ]
    return "\n".join([*lines, *(f"  Note: {note}" for note in finding.notes)])


def _classes(finding: Membership) -> str:
    if finding.n_classes is None:
        return ""
    return f"; release of {finding.n_classes:,} classes, the smallest of {finding.smallest_class:,}"


def _table(finding: Membership) -> list[str]:
    heads = ["attacker", "AUC", *(f"TPR at {_rate(rate)}" for rate in RATES), "advantage"]
    rows = [heads]
    for name, found in finding.against.items():
        if found is None:
            rows.append([name, *["–"] * (len(heads) - 1)])
            continue
        shares = ["–" if e is None else e.in_percent() for e in found.tpr.values()]
        rows.append([name, str(found.auc), *shares, f"{found.advantage:.3f}"])
    widths = [max(len(row[j]) for row in rows) for j in range(len(heads))]
    return [
        "  " + _GAP.join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def too_few_of(finding: Membership) -> tuple[str, ...]:
    """What so few people held out cannot show."""
    played = {who: found for who, found in finding.against.items() if found is not None}
    texts = []
    for rate in RATES:
        lacking = [found.held_out for found in played.values() if found.tpr[rate] is None]
        if lacking:
            texts.append(
                f"{min(lacking):,} people held out cannot show a rate of false alarms of "
                f"{_rate(rate)}; {round(1 / rate):,} can."
            )
        enough = enough_for_a_low_end(rate)
        few = [
            f"{found.groups:,} for {who}"
            for who, found in played.items()
            if found.tpr[rate] is not None and found.groups < enough
        ]
        if few:
            texts.append(
                f"at {_rate(rate)} false alarms an interval can begin above 0 only if "
                f"{enough:,} people are held out (those who share a removal count as one); there "
                f"are {', '.join(few)}."
            )
    return tuple(texts)
