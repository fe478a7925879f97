"""An audit as plain values: what goes into JSON, JUnit and its pages, and how it is read back."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from unveil._text import display_name
from unveil._unpacked import refuse_endless
from unveil._version import __version__
from unveil.auditing._answers import answers_of
from unveil.auditing._discretion import PRIVATE, Masking, fingerprint_of, under_key, which_key
from unveil.auditing._figures import FIGURES
from unveil.auditing._finding import NO_VERDICT, Audited, OneSecret, besides, of_all, of_each
from unveil.auditing._form import FORM, first_fault
from unveil.auditing._grounds import unanswered
from unveil.auditing._names import public_command, public_name
from unveil.auditing._subjects import in_words
from unveil.auditing._thresholds import State
from unveil.auditing.parts import Part, Told
from unveil.errors import File, Foreign, InputError
from unveil.findings import Follows
from unveil.render import plain
from unveil.sanitize import Oracle

if TYPE_CHECKING:
    from unveil.auditing._finding import Audit


def content_of(audit: Audit) -> dict[str, Any]:
    """All of it, except who is behind a reference."""
    masking = audit.masking(audit.secrets[0])
    return {
        "finding": "audit",
        "form": FORM,
        "data": {
            "source": public_name(audit.ground.source),
            "records": audit.records,
            "people": audit.people,
            "says": masking.text(audit.whose),
            "quasi": list(audit.ground.quasi),
            "sensitive": [one.sensitive for one in audit.secrets],
            "notes": [masking.text(note) for note in audit.notes],
        },
        "alone": _alone(audit),
        "threat": _threat(audit),
        "verdict": {
            "state": _word(audit.state), "passed": audit.passed, "heading": _heading(audit),
            "sentences": [*of_all(audit), *of_each(audit)], "of_all": len(of_all(audit)),
            "besides": besides(audit),
        },
        "thresholds": [str(threshold) for threshold in audit.thresholds],
        "figures": {
            figure.name: {
                "title": figure.title, "says": figure.says, "question": str(figure.question),
                "lower_is_better": figure.lower_is_better, "share": figure.share,
                "shown": any(one.tells(figure) for one in audit.releases),
            }
            for figure in FIGURES.values()
        },
        "secrets": [_secret(audit, one) for one in audit.secrets],
        "private": audit.asked.discretion.private,
        "masked_below": audit.asked.discretion.smallest,
        "interrupted": audit.interrupted,
        "reproduce": _reproduce(audit),
    }  # fmt: skip


def _alone(audit: Audit) -> dict[str, Any] | None:
    """What is taken for granted without the original, and what it would add."""
    if audit.ground.original is not None:
        return None
    masking = audit.masking(audit.secrets[0])
    return {
        "assumed": [masking.text(one) for one in audit.assumed],
        "unanswered": [{"title": title, "adds": adds} for title, adds in unanswered()],
    }


def _threat(audit: Audit) -> dict[str, Any]:
    quasi = list(audit.ground.quasi)
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
        "baseline": None if one.baseline is None else _release(one.baseline, audit.masking(one)),
        "releases": [_release(audited, audit.masking(one)) for audited in one.audited],
        "sections": [_section(audit, one, part) for part in audit.parts],
    }


def _release(audited: Audited, masking: Masking) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": audited.name,
        "shown": display_name(audited.name),
        "kind": audited.subject.kind,
        "error": audited.told_error(masking),
        "state": _word(audited.state),
        "passed": audited.passed,
        "untouched": audited.is_untouched,
        "identifiers": [] if audited.besides is None else [*audited.besides.found],
        "unroled": [] if audited.besides is None else [*audited.besides.unroled],
        "figures": {
            name: plain(audited.coarse.plain(audited.values[name]))
            for name in FIGURES
            if name in audited.values
        },
        "intervals": {
            name: plain(audited.coarse.interval(one))
            for name, one in audited.values.items()
            if one.low is not None or one.high is not None
        },
        "among": {name: one.among for name, one in audited.values.items() if one.among},
        "by": {
            name: by for name, one in audited.values.items() if (by := audited.coarse.by(one))
        },
        "checks": [
            {
                "threshold": str(check.threshold), "figure": check.threshold.figure.name,
                "value": plain(audited.coarse.plain(check.of)), "state": str(check.state),
                "passed": check.passed,
                "says": audited.told_check(check, masking),
            }
            for check in audited.checks
        ],
        "answers": [
            {
                "question": str(one.question), "answer": str(one.word),
                "figure": None if one.figure is None else one.figure.name, "says": one.says,
                "not_tried": [figure.name for figure in one.not_tried],
            }
            for one in answers_of(audited, masking)
        ],
    }  # fmt: skip
    release = audited.subject.made
    if release is not None:
        # How many classes there are, and how small, may depend on sensitive values.
        classes = audited.coarse.shows(Follows.QUASI)
        content["says"] = masking.named(release.in_short if classes else f"by {release.made_by}")
        content["notes"] = [
            masking.named(note)
            for note in audited.coarse.sentences(release.notes, Follows.QUASI, masking.view)
        ]
    return content


def _heading(audit: Audit) -> str:
    """How many releases pass, and what becomes of the others; each counts once for each secret."""
    said = audit.heading or "what was found"
    return said[:1].upper() + said[1:]


def _word(state: State | None) -> str | None:
    return None if state is None else str(state)


def _section(audit: Audit, one: OneSecret, part: Part) -> dict[str, Any]:
    found = {
        audited.name: finding
        for audited in one.audited
        if part.name in audited.looked
        and (finding := audited.looked[part.name].finding) is not None
    }
    masking = audit.masking(one)
    telling = part.tell(found, audit.asked_of(one), one.coarse) if found else Told()
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
            _looked(audited, part, masking, one) for audited in one.audited if audited.error is None
        ],
    }


def _looked(audited: Audited, part: Part, masking: Masking, one: OneSecret) -> dict[str, Any]:
    look = audited.looked[part.name]
    return {
        "release": audited.name,
        "shown": display_name(audited.name),
        "status": look.status,
        "why": audited.told_why(part.name, masking),
        "diagnostics": [
            masking.named(said)
            for said in (
                [] if look.finding is None else part.diagnose(look.finding, audited.coarse)
            )
        ],
        "notes": [
            masking.named(said)
            for said in part.noted(look.finding, masking, audited.coarse, audited.subject.notes)
        ],
    }


def _reproduce(audit: Audit) -> dict[str, Any]:
    command = audit.command
    called = {
        audited.name: audited.subject.sanitizer.label
        for audited in audit.releases
        if isinstance(audited.subject.sanitizer, Oracle)
    }
    return {
        "version": __version__,
        "python": platform.python_version(),
        "seed": audit.asked.seed,
        "command": None if command is None else public_command(command, audit.key),
        "key": which_key(audit.key),
        "fingerprints": {
            **{
                public_name(name): under_key(fingerprint, audit.key)
                for name, fingerprint in audit.fingerprints.items()
            },
            **{
                f"{public_name(one.ground.source)}, with {one.sensitive}": fingerprint_of(
                    one.columns, audit.key
                )
                for one in audit.secrets
            },
            **{
                f"{name}, as it is called": under_key(label, audit.key)
                for name, label in called.items()
            },
        },
    }


def read_audit(source: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """An audit as plain values, which are of the published form.

    Parameters
    ----------
    source : path, or mapping
        A file that `Audit.save` wrote, or what `Audit.to_dict` gave.

    Returns
    -------
    dict
        What `page_of`, `compare_audits` and `junit_of` take.

    Raises
    ------
    InputError
        If there is no such file, or it is no JSON, or no audit, or one of a form that this version
        does not know.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.auditing import read_audit
    >>> survey = uv.datasets.election_survey()
    >>> audit = uv.audit(survey, "mondrian:k=5", attacks=["measures"], progress=False)
    >>> read_audit(audit.to_dict())["secrets"][0]["releases"][0]["figures"]["k"]
    5.0
    >>> read_audit({"finding": "linkage"})
    Traceback (most recent call last):
    unveil.errors.InputError: what was given is not an audit: it is what 'linkage' found; ...
    """
    if isinstance(source, Mapping):
        # Through JSON, so that what was in memory is as it would be in a file.
        return _checked(json.loads(json.dumps(source)), "what was given")
    name = os.fspath(source)
    refuse_endless(Path(name))
    try:
        text = Path(name).read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError("there is no audit {file}; 'unveil audit --json FILE' writes one",
                         file=File(name)) from None  # fmt: skip
    except OSError as error:
        raise InputError("cannot read {file}: {why}", file=File(name),
                         why=Foreign(error.strerror or str(error))) from None  # fmt: skip
    except UnicodeDecodeError:
        raise InputError("{file} is not an audit: it is not in UTF-8",
                         file=File(name, bare=True)) from None  # fmt: skip
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InputError(
            "{file} is not an audit: it is not JSON, or was cut off ({why}); give what 'unveil "
            "audit --json FILE' wrote",
            file=File(name, bare=True), why=Foreign(_in_short(error)),
        ) from None  # fmt: skip
    return _checked(value, name)


def _checked(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("finding") != "audit":
        other = value.get("finding") if isinstance(value, dict) else None
        what = f"it is what {other!r} found" if isinstance(other, str) else "it has no such content"
        raise InputError(
            "{file} is not an audit: {what}; give what 'unveil audit --json FILE' wrote",
            file=File(name, bare=True), what=what,
        )  # fmt: skip
    form = value.get("form")
    if isinstance(form, int) and not isinstance(form, bool) and form != FORM:
        by = value.get("unveil", "another version")
        raise InputError(
            "{file} has form {form}, made by unveil {by}, and this version reads form {ours}; "
            "{remedy}",
            file=File(name, bare=True), form=form, by=by, ours=FORM,
            remedy="install a newer unveil" if form > FORM
            else "audit again, or use the version that made it",
        )  # fmt: skip
    fault = first_fault(json.dumps(value))
    if fault is not None:
        raise InputError("{file} does not have the form of an audit: {fault}",
                         file=File(name, bare=True), fault=fault)  # fmt: skip
    return value


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")


def _in_short(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else "nested too deeply"


# What XML 1.0 cannot hold, however it is written.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_of(audit: Mapping[str, Any]) -> str:
    """The XML, from what `Audit.to_dict` gives, or a file of it."""
    private = f" ({PRIVATE})" if audit["private"] else ""
    root = ElementTree.Element(
        "testsuites", name=_plain(f"unveil: {audit['data']['source']}{private}")
    )
    for secret in audit["secrets"]:
        for release in secret["releases"]:
            _suite(root, audit, secret["sensitive"], release)
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(
    root: ElementTree.Element, audit: Mapping[str, Any], sensitive: str, release: Mapping[str, Any]
) -> None:
    name = _plain(f"{release['shown']}, {sensitive}")
    suite = ElementTree.SubElement(root, "testsuite", name=name)
    for check in release["checks"]:
        case = _case(suite, name, f"not {check['threshold']}")
        if release["error"] is not None:
            _outcome(case, "error", release["error"], State.NOT_TESTED)
        elif not check["passed"]:
            _outcome(case, "failure", check["says"], check["state"])
    if not release["checks"]:
        case = _case(suite, name, "no threshold")
        if release["error"] is not None:
            _outcome(case, "error", release["error"], State.NOT_TESTED)
        else:
            _outcome(case, "skipped", NO_VERDICT)
    for count, tag in (("tests", "testcase"), ("failures", "testcase/failure"),
                       ("errors", "testcase/error"), ("skipped", "testcase/skipped")):  # fmt: skip
        suite.set(count, str(len(suite.findall(tag))))


def _case(suite: ElementTree.Element, release: str, name: str) -> ElementTree.Element:
    # CI systems take what is before the last dot for a package: 'published.csv' must have none.
    class_ = release.replace(".", "\N{MIDDLE DOT}")
    return ElementTree.SubElement(
        suite, "testcase", classname=f"unveil.{class_}", name=_plain(name)
    )


def _outcome(case: ElementTree.Element, kind: str, says: str, state: str | None = None) -> None:
    outcome = ElementTree.SubElement(case, kind, message=_plain(says))
    outcome.text = _plain(says)
    if state is not None:
        outcome.set("type", str(state))


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
