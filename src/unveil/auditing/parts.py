"""Any declared attack or measure as a part of an audit.

What a function is given follows from the names of its parameters. What it found is told from the
stories of its findings, those of several releases put together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from unveil._text import display_name
from unveil.auditing._discretion import Discretion, Masking, reference_to
from unveil.auditing._names import public_name
from unveil.auditing._subjects import Subject
from unveil.engine import UNITS, parse_budget
from unveil.errors import (
    HIDDEN,
    File,
    Foreign,
    InputError,
    InternalError,
    Listed,
    Message,
    Option,
    Text,
    UnveilError,
    View,
    shown,
)
from unveil.findings import Chart, Finding, Question, Value
from unveil.microdata import Kind
from unveil.options import Adversaries, refuse_several
from unveil.registry import Declaration, audited
from unveil.render import Coarseness, plain, table_content, told_together

__all__ = ["DEFAULT", "PARTS", "Asked", "Part", "Told"]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What one part says about all releases, as plain values."""

    sentences: Sequence[str] = ()
    charts: Sequence[Any] = ()
    tables: Sequence[Any] = ()


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is the same for all releases, so that their numbers can be compared.

    Attributes
    ----------
    adversary : str, or whatever `differential_inference` takes
        Who guesses, wherever somebody guesses.
    seed : int
    jobs : int, optional
    progress : bool, optional
    discretion : Discretion
        What may be said of individuals.
    options : mapping of the name of a part to mapping
        What its attack or measure is told besides.
    knows : tuple of str, optional
        The quasi-identifiers that the attacker knows, if not all that are published.
    tolerance : str or float, optional
        How far a guess of a numeric sensitive value may be off, wherever something is guessed.
    partitions : mapping of str to any
        Categories of sensitive columns, for the discrimination rate.
    roled : tuple of str
        The sensitive columns, which are tested in turn.
    external : table or path, optional
        The people whom the attacker knows, if not those of the original.
    identifier : tuple of str
        The columns that name people, where the original does not say.
    wanted : str
        The sensitive column that is tested, of several.
    masking : Masking, optional
        What is taken out of texts, where something is told about a table.
    least : int, optional
        The size that classes should have, if a threshold says so.
    """

    adversary: Any = None
    seed: int = 0
    jobs: int | None = None
    progress: bool | None = None
    discretion: Discretion
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    knows: tuple[str, ...] | None = None
    tolerance: str | float | None = None
    partitions: Mapping[str, Any] = field(default_factory=dict)
    roled: tuple[str, ...] = ()
    external: Any = None
    identifier: tuple[str, ...] = ()
    wanted: str = ""
    masking: Masking | None = None
    least: int | None = None

    def needs_all_known(self, attack: str) -> None:
        """Refuse an attack that has no form for an attacker who knows fewer columns."""
        if self.knows is not None:
            raise InputError(
                "{attack} is about an attacker who knows every quasi-identifier, and this one "
                "knows {knows} alone; a figure for the other would not be comparable. For a "
                "release that has only these columns, give the others another role",
                attack=attack,
                knows=" and ".join(self.knows),
            )

    @property
    def seconds(self) -> float | None:
        """The longest budget of time of any part, which also bounds the making of a release."""
        given = [parse_budget(one.get("budget"), [*UNITS]) for one in self.options.values()]
        times = [one.seconds for one in given if one is not None and one.seconds is not None]
        return max(times, default=None)

    def told(self, part: str, **common: Any) -> dict[str, Any]:
        """The options of a part: the common ones, and those of its own, which go before."""
        return {**common, **self.options.get(part, {})}


class Part:
    """A declared attack or measure as a part of an audit."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.name, self.title = declaration.name, declaration.title
        self.questions = declaration.questions
        self.means, self.assumes = declaration.means, declaration.assumes
        self.page = declaration.page or declaration.name
        self.figures = tuple(one.name for one in declaration.figures)
        self.budget = None if declaration.budget is None else ("budget", declaration.budget)

    def check_options(self, given: Mapping[str, Any]) -> None:
        """Refuse options that the attack does not have, and values that they cannot have."""
        self.declaration.check_options(given)

    def look(self, subject: Subject, asked: Asked) -> Finding:
        """Attack or measure; an `UnveilError` says why it is not applicable here."""
        wanted = self.declaration.sources()
        if "sanitizer" in wanted:  # which makes the release itself
            wanted.pop("release", None)
        for needed in ("microdata", "external"):
            if self.declaration.needs(needed) and _is_lacking(needed, subject, asked):
                raise _needs(needed, self.declaration, subject)
        sources = {
            name: _source(name, subject, asked, self.declaration)
            for name in wanted if not _is_lacking(name, subject, asked)
        }  # fmt: skip
        options = self.declaration.options()
        about_somebody = set(self.questions) != {Question.UTILITY} and not self.declaration.always
        if "knows" not in options and about_somebody:
            asked.needs_all_known(self.declaration.name)
        common: dict[str, Any] = {
            "knows": asked.knows, "adversary": asked.adversary, "seed": asked.seed,
            "jobs": asked.jobs, "progress": False, "budget": self.declaration.budget,
            "roled": asked.roled,
            # It is for numbers; words must be guessed exactly.
            "tolerance": asked.tolerance
            if subject.secret.kind is Kind.NUMERIC else None,
            "partition": asked.partitions.get(subject.ground.sensitive),
            "identifier": asked.identifier[0] if len(asked.identifier) == 1 else None,
            "named": asked.identifier,
        }  # fmt: skip
        if "adversary" in options and options["adversary"].annotation != Adversaries:
            del common["adversary"]  # an audit may have several, and this attack takes one
        common |= self.declaration.audit_options(subject.at_level, subject.sanitizer)
        if asked.least is not None and asked.least > 1:
            common["least"] = asked.least
        given = {name: value for name, value in common.items() if name in options}
        return self._found({**sources, **asked.told(self.name, **given)})

    def _found(self, given: Mapping[str, Any]) -> Finding:
        """Call the function; a plug-in that fails must not end the audit."""
        plugin = self.declaration.plugin
        refuse_several(self.name, given.values(), self.declaration.call())
        try:
            finding = self.declaration.call()(**given)
            # What will be told has to work, too: a story that fails costs this part, no more.
            self.values(finding)
            finding.story()
            return finding
        except UnveilError:
            raise
        except (Exception, SystemExit) as error:
            if plugin is None or isinstance(error, MemoryError | OSError):
                raise  # nobody's bug
            raise InternalError(
                "the plug-in {name} of {package} failed ({error}); report this to its author",
                name=repr(self.name), package=plugin,
                error=Foreign(f"{type(error).__name__}: {error}"),
            ) from error  # fmt: skip

    def values(self, finding: Finding) -> dict[str, Value]:
        """Its figures, with their intervals, and of whom they are."""
        return {one.figure.name: one for one in finding.figures}

    def diagnose(self, finding: Finding, coarse: Coarseness) -> list[str]:
        """How exact the figures of a release are."""
        view = coarse.view(View("report"), finding.follows_from)
        return [shown(text, view) for text in finding.story().diagnostics]

    def noted(
        self, finding: Finding | None, masking: Masking, coarse: Coarseness,
        of_table: Sequence[Text],
    ) -> list[str]:  # fmt: skip
        """What has to be known about the figures of a release, and how the table was read."""
        if finding is None:
            return []
        view = coarse.view(masking.view, finding.follows_from)
        return [shown(note, masking.view if note in of_table else view) for note in finding.notes]

    def tell(
        self, found: Mapping[str, Finding], asked: Asked, coarse: Mapping[str, Coarseness]
    ) -> Told:
        """What was found in the releases, which have names; as others may see it."""
        view = _view(asked, self.name)
        stories = {
            display_name(name): coarse[name].story(
                finding, Message("{name}", name=File(display_name(name), bare=True)),
                _view(asked, f"{self.name}, {name}"),
            )
            for name, finding in found.items()
        }  # fmt: skip
        whole = told_together(stories)
        together = [
            coarse[name].view(view, finding.follows_from) for name, finding in found.items()
        ]
        compared = self.declaration.compared(found)
        hidden = next((one for one in together if one.amount is not None), view)
        said = [shown(one, hidden) for one in compared]
        return Told(
            sentences=[
                *(shown(one, view) for one in whole.sentences),
                *(one for one in said if hidden is view or HIDDEN not in one),
            ],
            charts=[plain(_drawn(chart), view) for chart in whole.charts],
            tables=[table_content(table, view) for table in whole.tables],
        )

    def in_short(
        self, found: Mapping[str, Finding], asked: Asked, coarse: Mapping[str, Coarseness]
    ) -> list[str]:
        """The same in a sentence or two, for the head of a report."""
        return list(self.tell(found, asked, coarse).sentences[: len(found)])


def _view(asked: Asked, place: str) -> View:
    """How a report words things in a place: under the key of the audit, and with its masks."""
    discretion = asked.discretion
    place = f"{asked.wanted}, {place}"
    return View(
        "report", smallest=discretion.smallest, shows_all=discretion.private,
        named=public_name, person=lambda row: reference_to(row, discretion.key, place),
        region=None if asked.masking is None else asked.masking.cell,
    )  # fmt: skip


def _is_lacking(name: str, subject: Subject, asked: Asked) -> bool:
    """Whether nobody has given the original table, or people whom the attacker knows."""
    if name == "external" and asked.external is not None:
        return False
    return name in ("microdata", "external") and subject.microdata is None


def _needs(what: str, declaration: Declaration, subject: Subject) -> InputError:
    """Why an attack is not applicable to what was published alone, and what it takes."""
    program = "sanitizer" in declaration.sources()
    if what == "microdata":
        return InputError(
            "{attack} needs the original table{and_program}; with it, it tells {adds}",
            attack=declaration.name, adds=declaration.original_adds or "what it is for",
            and_program=" and the program that made the release" if program else "",
        )  # fmt: skip
    return InputError(
        "{attack} needs a list of people whom the attacker may know, with {quasi}; give one with "
        "{external}", attack=declaration.name, external=Option("external"),
        quasi=Listed(subject.ground.quasi, "and"),
    )  # fmt: skip


def _source(name: str, subject: Subject, asked: Asked, declaration: Declaration) -> Any:
    if name == "release" or (name == "published" and subject.anew is None):
        return subject.release
    if (
        name == "sanitizer"
        and not isinstance(declaration.in_audit, Mapping | None)
        and subject.sanitizer is not None
    ):
        return subject.sanitizer
    if name in ("sanitizer", "published"):
        if subject.anew is None:
            raise InputError(
                "{attack} needs the sanitizer itself, and {release} is a file; give the program "
                "that made it, as a sanitizer or an oracle",
                attack=declaration.name, release=File(subject.name, bare=True),
            )  # fmt: skip
        return subject.anew
    if name == "external" and asked.external is not None:
        return asked.external
    return subject.at_level  # which is also the list of people that the attacker has


def _drawn(chart: Chart) -> Mapping[str, Any]:
    """What a page draws of a chart."""
    own = ("rank", "most", "in_terminal", "follows_from")
    drawn = {name: value for name, value in vars(chart).items() if name not in own}
    series = [
        {name: value for name, value in vars(one).items() if name not in ("people", "figure")}
        for one in chart.series
    ]
    return {**drawn, "series": series}


PARTS: dict[str, Part] = {name: Part(one) for name, one in audited().items()}
"""All of them by name, in the order of a report."""

DEFAULT = tuple(name for name, part in PARTS.items() if part.declaration.default)
"""Those that an audit has unless the user names others: quick, and nothing to configure."""


def by_default(kinds: Set[str | None]) -> list[Part]:
    """Those of an audit of releases of these kinds (None: of records) unless others are named.

    >>> [part.name for part in by_default({"tables"})][-2:]
    ['inference', 'tables']
    """
    return [
        part for name, part in PARTS.items()
        if (name in DEFAULT and (None in kinds or not kinds.isdisjoint(part.declaration.fits)))
        or {*part.declaration.fits} <= kinds
    ]  # fmt: skip
