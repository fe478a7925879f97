"""What an audit says first: pass or fail, or, without thresholds, what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.auditing._audited import Audited, OneSecret
from unveil.report import display_name

if TYPE_CHECKING:
    from unveil.auditing._finding import Audit

__all__ = ["verdict_of"]


def verdict_of(audit: Audit) -> list[str]:
    """The verdict in plain words. Where there is no threshold, none is invented."""
    said = []
    if audit.interrupted:
        said.append("This audit was ended before it was done: what follows is not all.")
    for one in audit.secrets:
        about = f" (for {one.sensitive})" if len(audit.secrets) > 1 else ""
        said += [f"{line}" for line in _of_secret(audit, one, about)]
    return said


def _of_secret(audit: Audit, one: OneSecret, about: str) -> list[str]:
    failed_to_be = [
        f"{display_name(audited.name)} could not be made: {audited.error}"
        for audited in one.audited
        if audited.error is not None
    ]
    if audit.thresholds:
        return [*failed_to_be, *(_checked(audited, about) for audited in one.audited)]
    first = audit.parts[0]
    found = {
        audited.name: look.finding
        for audited in one.audited
        if (look := audited.looked.get(first.name)) is not None and look.finding is not None
    }
    sentences = list(first.tell(found, audit.asked).sentences) if found else []
    return [*failed_to_be, *(f"{sentence}{about}" for sentence in sentences[: len(found)])]


def _checked(audited: Audited, about: str) -> str:
    shown = display_name(audited.name)
    if audited.passed:
        checks = "; ".join(str(check) for check in audited.checks)
        return f"{shown} passes{about}: {checks}."
    failed = "; ".join(str(check) for check in audited.checks if not check.passed)
    return f"{shown} FAILS{about}: {failed}."
