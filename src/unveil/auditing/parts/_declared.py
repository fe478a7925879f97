"""Any declared attack or measure as a part of an audit.

What a function is given follows from the names of its parameters; what it found is told from the
stories of its findings, those of several releases put together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unveil._text import display_name
from unveil.auditing._discretion import reference_to
from unveil.auditing._names import public_name
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Telling
from unveil.auditing.parts._part import Asked, Part
from unveil.errors import File, Foreign, InputError, Message, UnveilError, View, shown
from unveil.findings import Chart, Finding, Question, Table
from unveil.options import Adversaries
from unveil.registry import Declaration
from unveil.render import plain, told_together

__all__ = ["DeclaredPart"]


class DeclaredPart(Part[Finding]):
    """A declaration as a part of an audit."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.name, self.title = declaration.name, declaration.title  # type: ignore[misc]
        self.questions = declaration.questions  # type: ignore[misc]
        self.means, self.assumes = declaration.means, declaration.assumes  # type: ignore[misc]
        self.page = declaration.page or declaration.name  # type: ignore[misc]
        self.figures = tuple(one.name for one in declaration.figures)  # type: ignore[misc]
        if declaration.budget is not None:
            self.budget = ("budget", declaration.budget)  # type: ignore[misc]

    def check_options(self, given: Mapping[str, Any]) -> None:  # type: ignore[override]
        self.declaration.check_options(given)

    def look(self, subject: Subject, asked: Asked) -> Finding:
        wanted = self.declaration.sources()
        if "sanitizer" in wanted:  # which makes the release itself
            wanted.pop("release", None)
        sources = {name: _source(name, subject, self.declaration) for name in wanted}
        options = self.declaration.options()
        if "knows" not in options and set(self.questions) != {Question.UTILITY}:
            asked.needs_all_known(self.declaration.name)
        common: dict[str, Any] = {
            "knows": asked.knows, "adversary": asked.adversary, "seed": asked.seed,
            "n_jobs": asked.n_jobs, "progress": False, "budget": self.declaration.budget,
            "partition": asked.partitions.get(subject.microdata.sensitive.name),
        }  # fmt: skip
        if "adversary" in options and options["adversary"].annotation != Adversaries:
            del common["adversary"]  # an audit may have several, and this attack takes one
        common |= self.declaration.audit_options(subject.microdata, subject.sanitizer)
        given = {name: value for name, value in common.items() if name in options}
        return self._found({**sources, **asked.told(self.name, **given)})

    def _found(self, given: Mapping[str, Any]) -> Finding:
        """Call the function; a plug-in that fails must not end the audit."""
        plugin = self.declaration.plugin
        try:
            finding = self.declaration.call()(**given)
            if plugin is not None:  # what will be told has to work, too
                self.numbers(finding)
                finding.story()
            return finding
        except UnveilError:
            raise
        except Exception as error:
            if plugin is None:
                raise
            raise UnveilError(
                "the plug-in {name} of {package} failed ({error}); report this to its author",
                name=repr(self.name), package=plugin,
                error=Foreign(f"{type(error).__name__}: {error}"),
            ) from error  # fmt: skip

    def numbers(self, finding: Finding) -> dict[str, float | None]:
        return {one.figure.name: one.value for one in finding.figures}

    def among(self, finding: Finding) -> str | None:
        return next((one.among for one in finding.figures if one.among), None)

    def diagnose(self, finding: Finding) -> list[str]:
        return [shown(text, View("report")) for text in finding.story().diagnostics]

    def tell(self, found: Mapping[str, Finding], asked: Asked) -> Telling:
        stories = {
            display_name(name): finding.story(
                Message("{name}", name=File(display_name(name), bare=True))
            )
            for name, finding in found.items()
        }
        view = _view(asked)
        whole = told_together(stories)
        return Telling(
            sentences=[
                shown(one, view) for one in (*whole.sentences, *self.declaration.compared(found))
            ],
            charts=[plain(_drawn(chart), view) for chart in whole.charts],
            tables=[_plain_table(table, view) for table in whole.tables],
        )


def _view(asked: Asked) -> View:
    """How a report words things: under the key of the audit, and with its masks."""
    discretion = asked.discretion
    return View(
        "report", smallest=discretion.smallest, shows_all=discretion.include_records,
        named=public_name, person=lambda row: reference_to(row, discretion.key),
        region=None if asked.masking is None else asked.masking.cell,
    )  # fmt: skip


def _source(name: str, subject: Subject, declaration: Declaration) -> Any:
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
    return subject.microdata  # which is also the list of people that the attacker has


def _drawn(chart: Chart) -> Mapping[str, Any]:
    """What a page draws of a chart."""
    own = ("rank", "most", "in_terminal")
    return {name: value for name, value in vars(chart).items() if name not in own}


def _plain_table(table: Table, view: View) -> Any:
    shown_of = {n: value for n, value in vars(table).items() if n not in ("across", "private")}
    content = plain(shown_of, view)
    # A number keeps its text beside it; everything else is a text.
    content["rows"] = [
        [plain(list(cell), view) if isinstance(cell, tuple) else shown(cell, view) for cell in row]
        for row in table.rows
    ]
    return content
