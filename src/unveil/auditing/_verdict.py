"""What an audit says first: pass or fail, or, without thresholds, what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unveil._text import display_name, one_in
from unveil.auditing._audited import Audited, OneSecret
from unveil.auditing._masking import Masking

if TYPE_CHECKING:
    from unveil.auditing._finding import Audit

__all__ = ["verdict_of"]


def verdict_of(audit: Audit) -> list[str]:
    """The verdict in plain words. Where there is no threshold, none is invented."""
    said = []
    if audit.interrupted:
        said.append("This audit was ended before it was done: what follows is not all.")
    for one in audit.secrets:
        # Of several secrets each line says which it is about.
        about = f"{one.sensitive}: " if len(audit.secrets) > 1 else ""
        said += [f"{about}{line}" for line in _of_secret(audit, one)]
    return said


def _of_secret(audit: Audit, one: OneSecret) -> list[str]:
    masking = audit.masking(one)
    if audit.thresholds:
        return [_checked(audited, masking) for audited in one.audited]
    failed_to_be = [
        f"{display_name(audited.name)} {_not_made(audited, masking)}"
        for audited in one.audited
        if audited.error is not None
    ]
    return [*failed_to_be, *(masking.named(line) for line in _found(audit, one))]


def _found(audit: Audit, one: OneSecret) -> list[str]:
    """What of each release the first part says that found anything in it, and who is found."""
    said: list[str] = []
    masking = audit.masking(one)
    told_by: dict[str, str] = {}
    left = {audited.name: audited for audited in one.audited}
    for part in audit.parts:
        found = {
            name: look.finding
            for name, audited in left.items()
            if (look := audited.looked.get(part.name)) is not None and look.finding is not None
        }
        sentences = part.in_short(found, audit.asked_of(one)) if found else ()
        if sentences:
            said += sentences
            told_by.update(dict.fromkeys(found, part.name))
            left = {name: audited for name, audited in left.items() if name not in found}
    others = [name for name in told_by if told_by[name] != "linkage"]
    return [
        *said,
        *_given_away(one, others),
        *(line for audited in left.values() for line in _nothing(audited, masking)),
    ]


def _nothing(audited: Audited, masking: Masking) -> list[str]:
    """What is said of a release of which no part found anything; the first reason is enough."""
    shown = display_name(audited.name)
    return [
        f"Nothing was found out about {shown}: {audited.told_why(part, masking)}."
        for part, look in audited.looked.items()
        if look.why is not None and look.status != "interrupted"
    ][:1]


def _given_away(one: OneSecret, releases: Sequence[str]) -> list[str]:
    """Whose secret is plain to see. Own records need not have moved any belief for that."""
    shares = {
        audited.name: audited.figures.get("one_value") or 0.0
        for audited in one.audited
        if audited.name in releases
    }
    people = [
        f"{one_in(share, len(one.microdata))} under {display_name(name)}"
        for name, share in shares.items()
        if share > 0
    ]
    if not people:
        return []
    return [f"With a list of names, an attacker finds the {one.sensitive} of {'; '.join(people)}."]


def _checked(audited: Audited, masking: Masking) -> str:
    shown = display_name(audited.name)
    if audited.error is not None:
        return f"{shown} FAILS: it {_not_made(audited, masking)}"
    said = "; ".join(
        audited.told_check(check, masking)
        for check in audited.checks
        if check.passed is audited.passed
    )
    return f"{shown} {'passes' if audited.passed else 'FAILS'}: {said}."


def _not_made(audited: Audited, masking: Masking) -> str:
    done = "made" if audited.subject.kind == "sanitizer" else "read"
    return f"could not be {done}: {audited.told_error(masking)}."
