"""A release as an assertion: what must hold of it, in a test."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unveil.auditing import FIGURES, Audit, Audited, Threshold, audit
from unveil.auditing.parts import PARTS
from unveil.errors import InputError, did_you_mean
from unveil.projects import Project
from unveil.report import display_name
from unveil.testing import _reports

if TYPE_CHECKING:
    from unveil.auditing import Audit

__all__ = ["Requirement", "assert_release", "audited", "failures"]


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
    **common: Any,
) -> tuple[Audit, list[Requirement]]:
    """Audit what is given, or a project, by what is required of it."""
    common |= {"progress": False}
    if adversary is not None:
        common["adversary"] = adversary
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
        found = planned.audit(attacks=needed, fail_on=_thresholds(required), **common)
    else:
        required = _required(release, requirements)
        needed = _needed(required, options or {}, options)
        found = audit(microdata, release, attacks=needed, fail_on=_thresholds(required), **common)
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
        for line in _of_release(release, required, f" ({one.sensitive})" if several else "")
    ]


def _of_release(release: Audited, required: Sequence[Requirement], about: str) -> list[str]:
    failed = sum(not check.passed for check in release.checks)
    do = "does" if failed == 1 else "do"
    these = f"{failed} of {len(required)} requirements {do}" if len(required) > 1 else (
        "the requirement does")  # fmt: skip
    lines = [f"{display_name(release.name)}{about}: {these} not hold"]
    explained: set[str] = set()
    for one, check in zip(required, release.checks, strict=True):
        lines.append(f"  {'✓' if check.passed else '✗'} {one.text}: {check}")
        name = check.threshold.figure.name
        if not check.passed and name not in explained:
            explained.add(name)
            lines.append(f"    {name} is {FIGURES[name].says}")
    return lines


def assert_release(
    microdata: Any = None,
    release: Any = None,
    *requirements: str,
    project: str | os.PathLike[str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    adversary: Any = None,
    key: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Audit:
    """Assert what must hold of a release.

    Only the attacks and measures that give the required figures are run. What cannot be known
    does not hold: nothing would be proved.

    Parameters
    ----------
    microdata : Microdata, or sequence of Microdata
        The original table, as for `audit`.
    release
        What is tested: a release, a sanitizer, a name such as ``"mondrian:k=5"``, or several, as
        for `audit`. All requirements must hold of each.
    *requirements : str
        What must hold: ``"k >= 5"``, ``"delta <= 0.05"``, ``"unique < 1%"``. Mind that
        ``fail_on`` of `audit` says the opposite, what must not be.
    project : path, optional
        In place of all these: a file ``unveil.toml``, whose thresholds are what must not be.
    options : mapping of names to mapping, optional
        What attacks and measures are told besides, such as ``{"relative-risk": {"beta": 0.1}}``.
    adversary, key, seed, n_jobs
        As for `audit`.

    Returns
    -------
    Audit
        What was found.

    Raises
    ------
    AssertionError
        That says of each requirement whether it holds, what was found, and what it means.
    InputError
        Where the test itself is wrong, such as a requirement that cannot be read.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.testing import assert_release
    >>> survey = uv.datasets.election_survey()
    >>> assert_release(survey, uv.Mondrian(k=5), "k >= 5").passed
    True
    >>> assert_release(survey, uv.Mondrian(k=5), "k >= 10", "unique <= 1%")
    Traceback (most recent call last):
    AssertionError: Mondrian(k=5): 1 of 2 requirements does not hold
      ✗ k >= 10: k is 5, which is below 10
        k is how many records the smallest class has: nobody can be told from fewer
      ✓ unique <= 1%: unique is 0%, which is not above 1.0%
    """
    __tracebackhide__ = True  # pytest shows the line of the test, not of this function
    # Here, and not above: pytest loads this module whether or not a release is tested.

    audit, required = audited(
        microdata, release, requirements, project=project, options=options, adversary=adversary,
        key=key, seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    if audit.interrupted:
        raise KeyboardInterrupt
    saved = _reports.save(audit)
    said = failures(audit, required)
    if said:
        raise AssertionError("\n".join([*said, *(f"  report: {file}" for file in saved[:1])]))
    return audit
