"""An audit as plain values: what goes into JSON, and all that its pages are made from."""

from __future__ import annotations

import dataclasses
import json
import platform
from importlib import resources
from typing import TYPE_CHECKING, Any

from unveil._text import display_name
from unveil._version import __version__
from unveil.auditing._audited import Audited, OneSecret
from unveil.auditing._discretion import fingerprint_of, under_key, which_key
from unveil.auditing._figures import FIGURES
from unveil.auditing._masking import Masking
from unveil.auditing._naming import public_command, public_name
from unveil.auditing._telling import Telling, numbers
from unveil.auditing._threat import in_words
from unveil.auditing._verdict import verdict_of
from unveil.auditing.parts import Part

if TYPE_CHECKING:
    from unveil.auditing._finding import Audit

__all__ = ["FORM", "content_of", "schema"]

FORM = 1
"""The version of the form; grows when something changes its meaning or goes."""


def content_of(audit: Audit) -> dict[str, Any]:
    """All of it, except who is behind a reference."""
    table = audit.secrets[0].microdata
    masking = audit.masking(audit.secrets[0])
    return {
        "finding": "audit",
        "form": FORM,
        "data": {
            "source": public_name(table.source),
            "records": len(table),
            "quasi": [column.name for column in table.quasi],
            "sensitive": [one.sensitive for one in audit.secrets],
            "notes": [masking.text(note) for note in audit.notes],
        },
        "threat": _threat(audit),
        "verdict": {"passed": audit.passed, "sentences": verdict_of(audit)},
        "thresholds": [str(threshold) for threshold in audit.thresholds],
        "figures": {
            figure.name: {
                "title": figure.title, "says": figure.says, "question": str(figure.question),
                "lower_is_better": figure.lower_is_better, "share": figure.share,
            }
            for figure in FIGURES.values()
        },
        "secrets": [_secret(audit, one) for one in audit.secrets],
        "records_included": audit.asked.discretion.include_records,
        "masked_below": audit.asked.discretion.smallest,
        "interrupted": audit.interrupted,
        "seconds": audit.seconds,
        "reproduce": _reproduce(audit),
    }  # fmt: skip


def schema() -> dict[str, Any]:
    """The JSON Schema of an audit's JSON (draft 2020-12).

    >>> schema()["properties"]["form"]["const"] == FORM
    True
    """
    text = resources.files("unveil.auditing").joinpath("audit.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _threat(audit: Audit) -> dict[str, Any]:
    quasi = [column.name for column in audit.secrets[0].microdata.quasi]
    wants = [one.sensitive for one in audit.secrets]
    knows = audit.asked.knows
    return {
        "knows": list(knows or quasi),
        "wants": wants,
        "says": in_words(quasi, knows, wants),
    }


def _secret(audit: Audit, one: OneSecret) -> dict[str, Any]:
    return {
        "sensitive": one.sensitive,
        "releases": [_release(audited, audit.masking(one)) for audited in one.audited],
        "sections": [_section(audit, one, part) for part in audit.parts],
    }


def _release(audited: Audited, masking: Masking) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": audited.name,
        "shown": display_name(audited.name),
        "kind": audited.subject.kind,
        "error": audited.told_error(masking),
        "passed": audited.passed,
        "figures": {
            name: _plain(audited.figures.get(name))
            for name in FIGURES
            if name in audited.figures
        },
        "checks": [
            {
                "threshold": str(check.threshold), "figure": check.threshold.figure.name,
                "value": _plain(check.value), "passed": check.passed,
                "says": audited.told_check(check, masking),
            }
            for check in audited.checks
        ],
    }  # fmt: skip
    release = audited.subject.made
    if release is not None:
        content["says"] = masking.named(release.in_short)
        content["notes"] = [masking.text(note) for note in release.notes]
    return content


def _section(audit: Audit, one: OneSecret, part: Part[Any]) -> dict[str, Any]:
    found = {
        audited.name: audited.looked[part.name].finding
        for audited in one.audited
        if part.name in audited.looked and audited.looked[part.name].finding is not None
    }
    masking = audit.masking(one)
    telling = part.tell(found, audit.asked_of(one)) if found else Telling()
    return {
        "part": part.name,
        "title": part.title,
        "questions": [str(question) for question in part.questions],
        "means": part.means,
        "assumes": part.assumes,
        "page": part.page,
        **dataclasses.asdict(telling),
        "sentences": [masking.named(sentence) for sentence in telling.sentences],
        "looked": [
            _looked(audited, part, masking) for audited in one.audited if audited.error is None
        ],
    }


def _looked(audited: Audited, part: Part[Any], masking: Masking) -> dict[str, Any]:
    look = audited.looked[part.name]
    return {
        "release": audited.name,
        "shown": display_name(audited.name),
        "status": look.status,
        "why": audited.told_why(part.name, masking),
        "seconds": look.seconds,
        "diagnostics": [
            masking.named(said)
            for said in ([] if look.finding is None else part.diagnose(look.finding))
        ],
        "notes": [masking.text(note) for note in getattr(look.finding, "notes", ())],
    }


def _reproduce(audit: Audit) -> dict[str, Any]:
    masking = audit.masking(audit.secrets[0])
    command = audit.command
    return {
        "version": __version__,
        "python": platform.python_version(),
        "seed": audit.asked.seed,
        "command": None if command is None else masking.values(public_command(command)),
        "key": which_key(audit.key),
        "fingerprints": {
            **{
                public_name(name): under_key(fingerprint, audit.key)
                for name, fingerprint in audit.fingerprints.items()
            },
            **{
                f"{public_name(one.microdata.source)}, with {one.sensitive}": fingerprint_of(
                    one.microdata, audit.key
                )
                for one in audit.secrets
            },
        },
    }


def _plain(value: float | None) -> float | str | None:
    """A number for JSON; infinity as a word."""
    if value is not None and value in (float("inf"), float("-inf")):
        return "infinite"
    return None if value is None else numbers([value])[0]
