"""What must hold of a release, as thresholds: a release fails where the opposite is true."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil._text import display_name
from unveil.auditing import FIGURES, Audit, Audited, Masking, State, Threshold, audit
from unveil.auditing.parts import PARTS
from unveil.errors import InputError, did_you_mean
from unveil.projects import Project

_EXAMPLES = "such as 'k >= 5' or 'delta <= 0.05'"


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """Something that must hold.

    Attributes
    ----------
    text : str
        As it was written.
    threshold : Threshold
        Its opposite: where that is true, the release fails.
    """

    text: str
    threshold: Threshold

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read what must hold.

        >>> print(Requirement.parse("delta <= 0.05").threshold)
        delta > 0.05
        >>> Requirement.parse("k < 5")
        Traceback (most recent call last):
        unveil.errors.InputError: 'k < 5' asks for what is bad: of k, more is better, and a
        requirement says what must hold; did you mean 'k >= 5'?
        """
        if not isinstance(text, str):
            raise InputError(f"cannot read {text!r} as a requirement; write a text, {_EXAMPLES}")
        try:
            meant = Threshold.condition(text)
        except InputError as error:
            # The parser's own examples are of what must not be.
            if "as a threshold" not in str(error):
                raise
            raise InputError(
                f"cannot read {text!r} as a requirement; write a figure, one of < <= > >=, and a "
                f"number, {_EXAMPLES}"
            ) from None
        opposite = meant.opposite
        figure = meant.figure
        if opposite.fails_the_better:
            raise InputError(
                f"{text!r} asks for what is bad: of {figure.name}, "
                f"{'less' if figure.lower_is_better else 'more'} is better, and a requirement says "
                f"what must hold; did you mean '{opposite}'?"
            )
        return cls(text=text.strip(), threshold=opposite)

    @classmethod
    def against(cls, text: str) -> Requirement:
        """The requirement that something is not so.

        >>> Requirement.against("delta > 0.05").text
        'not delta > 0.05'
        """
        return cls(text=f"not {text.strip()}", threshold=Threshold.parse(text))


def audited(
    microdata: Any,
    release: Any,
    requirements: Sequence[str],
    *,
    project: str | os.PathLike[str] | None,
    options: Mapping[str, Mapping[str, Any]] | None,
    adversary: Any,
    strict_columns: bool,
    **common: Any,
) -> tuple[Audit, list[Requirement]]:
    """Audit what is given, or a project, by what is required of it."""
    common |= {"progress": False}
    if adversary is not None:
        common["adversary"] = adversary
    if strict_columns:
        common["strict_columns"] = True
    if project is not None:
        if microdata is not None or release is not None:
            raise InputError(
                "assert_release takes a project, or a table and a release, but not both"
            )
        planned = Project.read(project)
        required = [Requirement.against(text) for text in planned.fail_on]
        if not required:
            raise InputError(
                f"{planned.source} has no thresholds, so nothing could fail; write some, such as "
                "fail_on = ['k < 5'] under [thresholds]"
            )
        needed = _needed(required, {**planned.options, **(options or {})}, options)
        found = planned.audit(attacks=needed, fail_on=_thresholds(required), baseline=False,
                              **common)  # fmt: skip
    else:
        required = _required(release, requirements)
        needed = _needed(required, options or {}, options)
        found = audit(microdata, release, attacks=needed, fail_on=_thresholds(required),
                      baseline=False, **common)  # fmt: skip
    return found, required


def _required(release: Any, requirements: Sequence[str]) -> list[Requirement]:
    if release is None:
        raise InputError(
            "assert_release got None for a release; give it a release, a sanitizer, or a name "
            "such as 'mondrian:k=5'"
        )
    if not requirements:
        forgotten = isinstance(release, str) and any(sign in release for sign in "<>≤≥")
        raise InputError(
            f"assert_release got {release!r} where the release belongs; give that first, and then "
            "what must hold"
            if forgotten
            else f"assert_release needs something that must hold, {_EXAMPLES}"
        )
    return [Requirement.parse(text) for text in requirements]


def _thresholds(required: Sequence[Requirement]) -> list[Threshold]:
    return [one.threshold for one in required]


def _needed(
    required: Sequence[Requirement],
    known: Mapping[str, Mapping[str, Any]],
    options: Mapping[str, Mapping[str, Any]] | None,
) -> dict[str, Mapping[str, Any]]:
    """The parts that give the figures, with what they are told."""
    figures = {one.threshold.figure.name for one in required}
    needed = [name for name, part in PARTS.items() if figures & set(part.figures)]
    for name in options or {}:
        if name not in PARTS:
            raise InputError(f"no attack {name!r}{did_you_mean(name, PARTS)}")
        if name not in needed:
            raise InputError(
                f"there are options for {name}, which nothing that must hold needs "
                f"(needed: {', '.join(needed)})"
            )
    return {name: known.get(name, {}) for name in needed}


def failures(found: Audit, required: Sequence[Requirement]) -> list[str]:
    """What does not hold, in lines for people; none if everything does."""
    several = len(found.secrets) > 1
    return [
        line
        for one in found.secrets
        for release in one.audited
        if not release.passed
        for line in _of_release(
            release, required, found.masking(one), f" ({one.sensitive})" if several else ""
        )
    ]


def _of_release(
    release: Audited, required: Sequence[Requirement], masking: Masking, about: str
) -> list[str]:
    """As a report for others says it: whoever sees the log of a test run is not the owner."""
    asked, besides = release.checks[: len(required)], release.checks[len(required) :]
    failed = sum(not check.passed for check in asked)
    these = f"{failed} of {len(required)} requirements" if len(required) > 1 else "the requirement"
    one = failed == 1
    not_hold = "does not hold" if one else "do not hold"
    if release.crashes and release.state is not State.FAILS:
        not_hold = f"{'is' if one else 'are'} not known to hold"
    heads = [f"{these} {not_hold}"] if failed else []
    heads += ["it fails whatever is required"] if besides else []
    lines = [f"{display_name(release.name)}{about}: {', and '.join(heads)}"]
    if release.error is not None:
        lines.append(f"  it could not be made or read: {release.told_error(masking)}")
    explained: set[str] = set()
    texts = [*(one.text for one in required), *(f"not {check.threshold}" for check in besides)]
    for text, check in zip(texts, release.checks, strict=True):
        said = release.told_check(check, masking)
        lines.append(f"  {check.state.sign} {text}: {said}")
        name = check.threshold.figure.name
        if not check.passed and name not in explained:
            explained.add(name)
            lines.append(f"    {name} is {FIGURES[name].says}")
    return lines
