"""What an audit found: of each release, of each part of the audit, and the verdict on it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from unveil._text import counted, display_name, one_in
from unveil.auditing._discretion import Masking
from unveil.auditing._figures import FIGURES
from unveil.auditing._grounds import Ground, assumed_alone, published_columns
from unveil.auditing._names import public_name
from unveil.auditing._subjects import Subject
from unveil.auditing._thresholds import Check, State, Threshold, in_short, worst
from unveil.auditing.parts import PARTS, Asked, Part
from unveil.errors import File, InputError, Known, Message, Text, View
from unveil.files import write_text
from unveil.findings import Figure, Finding, Value
from unveil.measures import Identifiers, published_besides
from unveil.microdata import AnyRelease, Column, Microdata, Release, one_value
from unveil.registry import audited as declared_parts
from unveil.render import Coarseness, json_text
from unveil.sanitize import Identity, Oracle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


_NOT_MADE = "there is no release to look at"
_WITHHELD = (
    "the program failed, or gave something that is not a release of the table; what it said may "
    "name people, so it is shown only to whoever runs the audit"
)

Status: TypeAlias = Literal["done", "not applicable", "failed", "interrupted"]


_PYTHON = View()


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What became of one part for one release.

    Attributes
    ----------
    status : str
        ``done``; ``not applicable`` to such a release; ``failed``, if something went wrong;
        ``interrupted``, by the user.
    finding : Finding, optional
        What was found, if it was done.
    why : str or Message, optional
        Why not, otherwise.
    internal : bool
        Whether unveil itself failed: a bug, or too little memory.
    seconds : float
    """

    status: Status
    finding: Finding | None = None
    why: Text | None = None
    internal: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Audited:
    """What was found about one release.

    Attributes
    ----------
    subject : Subject
    looked : mapping of str to Looked
        By the name of the part.
    values : mapping of str to Value
        All figures that there are, by their names, with their intervals.
    checks : sequence of Check
        What became of each threshold.
    error : str or Message, optional
        Why there is no such release at all.
    internal : bool
        Whether that is because unveil itself failed.
    coarse : Coarseness
        How coarsely those see it whom the audit is shown to.
    """

    subject: Subject
    looked: Mapping[str, Looked]
    values: Mapping[str, Value]
    checks: Sequence[Check] = ()
    error: Text | None = None
    internal: bool = False
    coarse: Coarseness = field(default_factory=Coarseness)

    @property
    def name(self) -> str:
        """What the release is called."""
        return self.subject.name

    @cached_property
    def figures(self) -> dict[str, float | None]:
        """All numbers that there are, by the names of their figures."""
        return {name: one.value for name, one in self.values.items()}

    def tells(self, figure: Figure) -> bool:
        """Whether a figure says something of its own here, or there is a threshold on it."""
        asked = any(check.threshold.figure is figure for check in self.checks)
        return asked or self.subject.several or not figure.of_several

    def told(self, figure: Figure) -> str:
        """A figure for others; a star says that it is of some people only."""
        value = self.values.get(figure.name)
        text = self.coarse.text(value)
        return f"{text}*" if value is not None and value.among else text

    @property
    def is_untouched(self) -> bool:
        """Whether the table is published as it is: a baseline, and never the best release."""
        made, table = self.subject.made, self.subject.microdata
        if table is None:
            return False  # nobody knows what it was
        if isinstance(made, Release) and len(made) == len(table):
            # Whatever was measured: all cells are values, so nothing was lost.
            exact = all((one_value(regions) >= 0).all() for regions in made.regions)
            same = made.level is None and bool((made.totals == table.sensitive_counts).all())
            return bool(exact and same and not made.perturbed)
        return isinstance(self.subject.sanitizer, Identity) or (
            self.figures.get("loss") == 0 and not self.figures.get("suppressed")
        )

    @property
    def state(self) -> State | None:
        """What is said of it; None if there are no thresholds, and it could be looked at."""
        if self.error is not None:
            return State.NOT_TESTED
        return worst(check.state for check in self.checks)

    @property
    def passed(self) -> bool | None:
        """Whether it surely meets all thresholds; None if there are none."""
        return self.state is State.PASSES if self.checks else None

    @property
    def crashes(self) -> bool:
        """Whether unveil itself failed, in making it or in a part."""
        return self.internal or any(look.internal for look in self.looked.values())

    @property
    def people(self) -> int:
        """How many people the attacker knows: on a list, or all of the original."""
        looked = self.looked.get("linkage")
        listed = None if looked is None else getattr(looked.finding, "people", None)
        return self.subject.records if listed is None else len(listed)

    @property
    def besides(self) -> Identifiers | None:
        """What is published besides the columns that attacks use."""
        looked = self.looked.get("identifiers")
        found = None if looked is None else looked.finding
        return found if isinstance(found, Identifiers) else None

    @cached_property
    def given_by(self) -> dict[str, str]:
        """Which of the parts that were asked for gives a figure, whether or not it could."""
        return {figure: name for name in self.looked for figure in PARTS[name].figures}

    def checked(self, thresholds: Sequence[Threshold]) -> list[Check]:
        """What becomes of thresholds."""
        return [
            threshold.check(
                self.values.get(threshold.figure.name),
                self._why_not(self.given_by.get(threshold.figure.name), threshold.figure.name),
            )
            for threshold in thresholds
        ]

    def told_error(self, masking: Masking) -> str | None:
        """Why there is no such release, as a report may say it."""
        return None if self.error is None else self._told(self.error, masking, self.internal)

    def told_why(self, part: str, masking: Masking) -> str | None:
        """Why a part was not done, as a report may say it."""
        looked = self.looked[part]
        if looked.why is None or looked.status != "failed":
            return None if looked.why is None else masking.text(looked.why)
        return self._told(looked.why, masking, looked.internal)

    def told_check(self, check: Check, masking: Masking) -> str:
        """What became of a threshold, as a report may say it."""
        if self.error is not None:  # which is told once
            return masking.text(replace(check, why_not=_NOT_MADE).says(self.coarse))
        failed = check.why_not is not None and any(
            one.status == "failed" and not one.internal and one.why == check.why_not
            for one in self.looked.values()
        )
        if failed and check.why_not is not None:
            check = replace(check, why_not=self._told(check.why_not, masking))
        return masking.text(check.says(self.coarse))

    def _told(self, failure: Text, masking: Masking, internal: bool = False) -> str:
        """A failure; programs of others say anything when they fail, records included."""
        others = isinstance(self.subject.sanitizer, Oracle) and not internal
        if others and not masking.shows_all:
            return _WITHHELD
        return masking.text(failure)

    def _why_not(self, part: str | None, figure: str) -> Text | None:
        if self.error is not None:
            return Message("{not_made}: {error}", not_made=_NOT_MADE, error=self.error)
        if part is None or part not in self.looked:
            return f"{part or 'what gives it'} was not asked for"
        looked = self.looked[part]
        if looked.finding is None:
            return looked.why
        given = {one.figure.name: one for one in looked.finding.figures}
        if figure not in given and self.subject.microdata is None:
            return f"{part} gives it only with the original table"
        return given[figure].why_not if figure in given else looked.why


@dataclass(frozen=True, eq=False, kw_only=True)
class OneSecret:
    """All releases, with one sensitive attribute that the attacker wants to know."""

    ground: Ground
    audited: Sequence[Audited]
    baseline: Audited | None = None
    """The table as it is, which no threshold applies to; None if it is among the releases, or if
    there is no original."""

    @property
    def microdata(self) -> Microdata | None:
        """The original, if there is one."""
        return self.ground.original

    @property
    def published(self) -> list[AnyRelease]:
        """What could be read or made."""
        return [one.subject.made for one in self.audited if one.subject.made is not None]

    @property
    def notes(self) -> Sequence[Text]:
        """How the table was read; without the original, how what was published was."""
        if self.microdata is not None:
            return self.microdata.notes
        found: dict[Text, None] = {}
        for one in self.published:
            for note in one.notes:
                own = not all(note in other.notes for other in self.published)
                if own and one.made_by not in str(note):
                    note = Message("{release}: {note}", note=note,
                                   release=File(one.made_by, bare=True))  # fmt: skip
                found.setdefault(note)
        return [*found]

    @cached_property
    def columns(self) -> Sequence[Column]:
        """What people have: in the original, or as published."""
        if self.microdata is not None:
            return self.microdata.columns
        return published_columns(self.published)

    @property
    def beside(self) -> list[Audited]:
        """What is shown side by side: the baseline first."""
        return [*([] if self.baseline is None else [self.baseline]), *self.audited]

    @property
    def coarse(self) -> dict[str, Coarseness]:
        """How coarsely others see each release."""
        return {audited.name: audited.coarse for audited in self.beside}

    @property
    def shown(self) -> list[Figure]:
        """The figures that are shown side by side.

        Those that nobody asked for, if not all 0; bounds where they say more than what they bound,
        or where a threshold is on them.
        """
        asked = {check.threshold.figure.name for one in self.audited for check in one.checks}

        def worth(name: str, figure: Figure) -> bool:
            values = [one.values[name] for one in self.beside if name in one.values]
            if figure.is_bound and name not in asked:
                return any(value.low is not None for value in values)
            if not any(one.tells(figure) for one in self.beside):
                return False
            return name not in _ALWAYS or any(value.value for value in values)

        return [
            figure
            for name, figure in FIGURES.items()
            if any(name in one.figures for one in self.beside) and worth(name, figure)
        ]

    @property
    def among(self) -> list[str]:
        """What the stars say: of whom figures are that are not of everybody."""
        return sorted({v.among for one in self.beside for v in one.values.values() if v.among})

    @property
    def sensitive(self) -> str:
        """What the attacker wants to know."""
        return self.ground.sensitive

    @property
    def levels(self) -> list[Text]:
        """At which level releases publish it, where that is not the table's own."""
        read = [one.subject for one in self.audited if one.subject.level is not None]
        if len(self.audited) == 1:
            return [one.level.said for one in read if one.level is not None]
        return [
            Message("{release}: {said}", release=File(display_name(one.name), bare=True),
                    said=one.level.said)
            for one in read if one.level is not None
        ]  # fmt: skip

    @property
    def at_levels(self) -> Sequence[Column]:
        """The same, with the sensitive column also at the levels at which it is published."""
        if self.microdata is None:
            return self.columns
        levels = (one.subject.level for one in self.audited)
        secret = self.microdata.sensitive
        return (*self.columns, *(level.of(secret) for level in levels if level is not None))

    def badness(self) -> tuple[float, ...]:
        """The order in which sensitive columns are shown, the worst first.

        By how many checks fail, and then by the worst that any release has of what is inferred: as
        others see it, because an order by exact numbers would compare what they may not see.
        """
        failed = sum(not check.passed for one in self.audited for check in one.checks)
        largest = [max((_least(one, name) for one in self.audited), default=0.0) for name in _WORSE]
        return (float(failed), *(0.0 if math.isnan(value) else value for value in largest))


def _least(audited: Audited, name: str) -> float:
    """A figure, or the lower end of the range that others see of it."""
    value = audited.values.get(name)
    ends = None if value is None else audited.coarse.value_ends(value)
    return ends[0] if ends else audited.figures.get(name) or 0.0


_ALWAYS = {figure.name for one in declared_parts().values() if one.always for figure in one.figures}
_WORSE = ("delta", "gr", "one_value", "alpha", "t", "discrimination")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Audit(Finding):
    """What all attacks and measures found in all releases.

    Attributes
    ----------
    secrets : tuple of OneSecret
        For each sensitive attribute, what was found; the worst first.
    parts : tuple of Part
        The attacks and measures.
    thresholds : tuple of Threshold
    asked : Asked
        The threat model, and what may be said of individuals.
    interrupted : bool
        Whether the user ended it before its end.
    seconds : float
        How long it took; `timings` has each part.
    command : str, optional
        What was typed, if it was.
    fingerprints : mapping of str to str
        Of the files that were read, such as their SHA-256; in a report they are hashed anew under
        the key.
    """

    secrets: tuple[OneSecret, ...]
    parts: tuple[Part, ...]
    thresholds: tuple[Threshold, ...]
    asked: Asked
    interrupted: bool
    seconds: float
    command: str | None = None
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @property
    def timings(self) -> dict[str, Any]:
        """How long everything took: not in JSON and page, which do not depend on the machine."""
        return {
            "seconds": self.seconds,
            "parts": [
                {"sensitive": one.sensitive, "release": audited.name, "part": part,
                 "seconds": looked.seconds}
                for one in self.secrets
                for audited in one.beside
                for part, looked in audited.looked.items()
            ],
        }  # fmt: skip

    @property
    def notes(self) -> list[Text]:  # type: ignore[override]  # of all its tables
        """How the table was read; for a secret by itself, where that was not the same for all."""
        notes = dict.fromkeys(note for one in self.secrets for note in one.notes)
        of = {note: [one.sensitive for one in self.secrets if note in one.notes] for note in notes}
        of_tables = [
            note if len(of[note]) == len(self.secrets) else f"for {' and '.join(of[note])}, {note}"
            for note in notes
        ]
        return [*(note for one in self.secrets for note in one.levels), *of_tables]

    @property
    def ground(self) -> Ground:
        """The table, or what was published alone, with the sensitive column that is worst off."""
        return self.secrets[0].ground

    @property
    def records(self) -> int | None:
        """How many there are; None where published files have different numbers.

        Of several sensitive columns of an original, of the one that most people have.
        """
        if self.ground.original is not None:
            return max(one.subject.records for one in self.releases)
        found = {one.subject.records for one in self.releases if one.error is None}
        return found.pop() if len(found) == 1 else None

    @property
    def assumed(self) -> list[Text]:
        """What is taken for granted where there is no original; nothing where there is one."""
        if self.ground.original is not None:
            return []
        published = [release for one in self.secrets for release in one.published]
        return assumed_alone(self.ground, published)

    @property
    def people(self) -> int | None:
        """How many people the records are of; None if that is not known."""
        several = [one.subject.microdata.several for one in self.releases
                   if one.subject.microdata is not None]  # fmt: skip
        if not several:
            return None
        # Of several sensitive columns of the one that most people have, as records are.
        return max((one.count for one in several if one is not None), default=self.records)

    @property
    def whose(self) -> Text:
        """How many records there are, and of how many people, or what is taken for granted."""
        original = self.ground.original
        if self.records is None:
            return ""
        if original is None:
            return Message("{n}.", n=Known(counted(self.records, "record")))
        if any(one.subject.several for one in self.releases):
            return Message("{n} of {people}.", n=Known(counted(self.records, "record")),
                           people=Known(counted(self.people or 0, "person")))  # fmt: skip
        each = "" if original.one_each else ", each taken to be another person's"
        return Message("{n}" + each + ".", n=Known(counted(self.records, "record")))

    @property
    def releases(self) -> list[Audited]:
        """What was audited, with the sensitive attribute that is worst off first."""
        return [audited for one in self.secrets for audited in one.audited]

    @property
    def state(self) -> State | None:
        """The worst of what is said of the releases; None if there are no thresholds.

        Without thresholds none passes, but a release may fail all the same.
        """
        found = worst(one.state for one in self.releases if one.state is not None)
        return found if self.thresholds or found is State.FAILS else None

    @property
    def passed(self) -> bool | None:
        """Whether all releases surely meet all thresholds; None if there are none."""
        return None if self.state is None else self.state is State.PASSES

    @property
    def crashes(self) -> bool:
        """Whether unveil itself failed somewhere, which costs the figures it was about."""
        return any(audited.crashes for one in self.secrets for audited in one.beside)

    @property
    def only_crashed(self) -> bool:
        """Whether that happened, and nothing is known to be wrong with any release."""
        return self.crashes and self.state is not State.FAILS

    @property
    def heading(self) -> str | None:
        """How many releases pass, and what becomes of the others; None if nothing is said."""
        if self.state is None:
            return None
        states = [one.state for one in self.releases if one.state is not None]
        if self.thresholds:
            return in_short(states)
        failed, every = states.count(State.FAILS), len(self.releases)
        if every == 1:
            return "the release fails"
        return f"{failed} of {every} releases {'fails' if failed == 1 else 'fail'}"

    @property
    def key(self) -> str:
        """Of the references to people; whoever has it and the table knows who they are."""
        return self.asked.discretion.key

    def under(self, key: str) -> Audit:
        """The same, with people called by another key."""
        return replace(
            self, asked=replace(self.asked, discretion=replace(self.asked.discretion, key=key))
        )

    def masking(self, one: OneSecret) -> Masking:
        """What is taken out of texts before they are shown, of the table of one secret."""
        return self._maskings[one.sensitive]

    def asked_of(self, one: OneSecret) -> Asked:
        """What was asked for, with what may be said of the table of one secret."""
        return replace(self.asked, masking=self.masking(one), wanted=one.sensitive)

    @cached_property
    def _maskings(self) -> dict[str, Masking]:
        shown = {
            raw: audited.name
            for audited in self.releases
            for raw in audited.subject.raw_names if public_name(raw) != raw
        }  # fmt: skip
        return {
            one.sensitive: self.asked.discretion.masking(one.at_levels, shown)
            for one in self.secrets
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a release: all its figures."""
        import pandas as pd

        names = [n for n in FIGURES if any(n in audited.figures for audited in self.releases)]
        rows = [
            {
                "sensitive": one.sensitive,
                "release": audited.name,
                "state": None if audited.state is None else str(audited.state),
                **{name: audited.figures.get(name) for name in names},
            }
            for one in self.secrets
            for audited in one.audited
        ]
        return pd.DataFrame(rows)

    def at_risk(self) -> pd.DataFrame:
        """Everybody who is at risk, one by one: for the owner of the table, not to be handed on.

        Returns
        -------
        pandas.DataFrame
            One row per person, sensitive attribute and release: ``record`` (from 0), ``row`` (of
            the source, from 0), ``reference`` (as the report has it), ``candidates`` (records whose
            cells cover the person), ``values`` (different sensitive values that they have),
            ``moved`` (by how much the own record moves belief, where differential inference tested
            it), and ``why``: fewer candidates than a threshold on k asks for (5 by default), a
            single value, or belief moved by more than 0.05. Where a person may have several
            records: the record that tells most, candidates are people, and ``moved`` is by all of
            their records.

        Examples
        --------
        >>> import unveil as uv
        >>> people = uv.read_table({"age": [20, 20, 30, 41, 41], "vote": list("abaab")},
        ...                        quasi="age", sensitive="vote")
        >>> found = uv.audit(people, "identity", attacks=["linkage", "measures"], fail_on="k < 2")
        >>> found.at_risk()[["row", "candidates", "why"]]
           row  candidates    why
        0    2           1  alone
        """
        from unveil.auditing._at_risk import at_risk

        return at_risk(self)

    @cached_property
    def _whole(self) -> dict[str, Any]:
        """All of it as plain values: made once, for JSON, JUnit and page alike."""
        return super().to_dict()

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.auditing._content import content_of

        return content_of(self)

    def to_dict(self, *, records: bool = False) -> dict[str, Any]:
        return deepcopy(self._whole)

    def to_json(self, *, records: bool = False) -> str:
        return json_text(self._whole)

    def to_junit(self) -> str:
        """The result of every threshold as JUnit XML, for CI."""
        from unveil.auditing._content import junit_of

        return junit_of(self._whole)

    def verdict(self, release: Text | None = None) -> str:
        """Pass or fail, or what was found, in plain words."""

        return "\n".join(verdict_of(self))

    def summary(self, view: View = _PYTHON) -> str:
        from unveil.auditing._views import summary_of

        return summary_of(self)

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, and the releases side by side; `page` is the whole."""
        from unveil.auditing._views import shown

        return shown(self)

    def plot(self, ax: Axes | None = None, *, chart: int | str = 0) -> Axes:
        """Draw privacy against utility, a point for each release; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.auditing._views import privacy_against_utility

        return privacy_against_utility(self, ax)

    def page(self) -> str:
        """The report: one HTML page; needs ``pip install 'unveil[report]'``."""
        from unveil.render.page import page_of

        return page_of(self._whole)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the report (``.html``), all numbers (``.json``), or the checks (``.xml``, JUnit).

        The key of the references is not in any of them: `unveil.auditing.write_key` keeps it.
        """
        file = Path(path)
        made: dict[str, Callable[[], str]] = {
            ".html": self.page, ".htm": self.page, ".json": self.to_json,
            ".xml": self.to_junit,
        }  # fmt: skip
        if file.suffix.lower() not in made:
            raise InputError(
                "cannot tell what to write into {file}; end it in .html for the report, .json for "
                "all numbers, or .xml for JUnit", file=File(str(path)),
            )  # fmt: skip
        return write_text(file, made[file.suffix.lower()]())


_SAY = (
    "Say what is too much, such as 'k < 5': --fail-on in a shell, fail_on in Python and under "
    "[thresholds] of a project."
)
NO_VERDICT = f"No verdict: no thresholds were given, so no release passes or fails. {_SAY}"
NO_PASS = f"No release passes, as no thresholds were given. {_SAY}"


def verdict_of(audit: Audit) -> list[str]:
    """The verdict in plain words. Where there is no threshold, none is invented."""
    return [*of_all(audit), *of_each(audit)]


def of_all(audit: Audit) -> list[str]:
    """What is said first, because it is about every release."""
    said = [audit.masking(audit.secrets[0]).text(one) for one in audit.assumed]
    if audit.interrupted:
        said.append("This audit was interrupted: the results are incomplete.")
    if audit.state is None:
        said.append(NO_VERDICT)
    return said


def of_each(audit: Audit) -> list[str]:
    """What is said of one release after the other."""
    said = []
    for one in audit.secrets:
        # Of several secrets each line says which it is about.
        about = f"{one.sensitive}: " if len(audit.secrets) > 1 else ""
        said += [f"{about}{line}" for line in _of_secret(audit, one)]
    said += _unroled(audit)
    fails = audit.state is State.FAILS and not audit.thresholds
    return [*said, NO_PASS] if fails else said


def besides(audit: Audit) -> list[str]:
    """Whose sensitive value is found, and what else is published, whatever the thresholds say."""
    return [*(line for one in audit.secrets for line in _besides(audit, one)), *_unroled(audit)]


def _unroled(audit: Audit) -> list[str]:
    """Columns without a role, once for each release; those that name people fail it."""
    said = {
        audited.name: audit.masking(one).text(
            published_besides(File(display_name(audited.name), bare=True), audited.besides.assumed)
        )
        for one in audit.secrets
        for audited in one.audited
        if audited.besides is not None and audited.besides.assumed
    }
    return list(said.values())


def _besides(audit: Audit, one: OneSecret) -> list[str]:
    known = [audited.name for audited in one.audited if audited.error is None]
    return [audit.masking(one).named(line) for line in _given_away(one, known)]


def _of_secret(audit: Audit, one: OneSecret) -> list[str]:
    masking = audit.masking(one)
    if audit.thresholds:
        return [*(_checked(audited, masking) for audited in one.audited), *_besides(audit, one)]
    failed_to_be = [
        f"{display_name(audited.name)} {_not_made(audited, masking)}"
        for audited in one.audited
        if audited.error is not None
    ]
    failed = [_checked(a, masking) for a in one.audited if a.state is State.FAILS]
    return [*failed_to_be, *failed, *(masking.named(line) for line in _found(audit, one))]


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
            if (look := audited.looked.get(part.name)) is not None
            and look.finding is not None
            and look.finding.figures
        }
        sentences = part.in_short(found, audit.asked_of(one), one.coarse) if found else ()
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
        audited: audited.values["one_value"]
        for audited in one.audited
        if audited.name in releases and _may_be_told(audited, audited.values.get("one_value"))
    }
    people = [
        f"{_so_many(audited.coarse, value, audited.people)} under {display_name(audited.name)}"
        for audited, value in shares.items()
    ]
    if not people:
        return []
    return [f"With a list of names, an attacker finds the {one.sensitive} of {'; '.join(people)}."]


def _may_be_told(audited: Audited, value: Value | None) -> bool:
    """Whether there surely are some, as far as a reader may know."""
    if value is None or not value.value:
        return False
    ends = audited.coarse.value_ends(value)
    return ends is None or ends[0] > 0 or not audited.coarse.says_little


def _so_many(coarse: Coarseness, value: Value, people: int) -> str:
    """How many people, as a reader may see it."""
    if coarse.value_ends(value) is None:
        return one_in(value.value or 0.0, people)
    return f"{coarse.text(value, ' to ')} of the people"


def _checked(audited: Audited, masking: Masking) -> str:
    shown = display_name(audited.name)
    if audited.error is not None:
        return f"{shown} was not tested: it {_not_made(audited, masking)}"
    said = "; ".join(
        audited.told_check(check, masking)
        for check in audited.checks
        if check.state is audited.state
    )
    word = {State.FAILS: "FAILS", State.PASSES: "passes"}.get(
        audited.state, "is not known to pass"  # type: ignore[arg-type]
    )  # fmt: skip
    return f"{shown} {word}: {said}."


def _not_made(audited: Audited, masking: Masking) -> str:
    done = "made" if audited.subject.kind == "sanitizer" else "read"
    return f"could not be {done}: {audited.told_error(masking)}."
