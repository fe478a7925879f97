"""``unveil audit``: every attack and measure that fits, on every release; a verdict and a page."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from unveil._text import harmless
from unveil.auditing import Audit as Found
from unveil.auditing import Threshold, ToRead, audit, junit_of, key_from, write_key
from unveil.auditing.parts import DEFAULT, PARTS
from unveil.cli._asked import Oracles
from unveil.cli._audit_words import show_audit
from unveil.cli._audited_table import AuditedTable
from unveil.cli._console import console, say
from unveil.cli._guard import (
    BAD_INPUT,
    INTERRUPTED,
    if_anybody_reads,
    in_command_line_words,
    typed_command,
)
from unveil.cli._init import show_proposal
from unveil.cli._outputs import (
    check_output,
    check_plot,
    check_report,
    is_stdout,
    save_picture,
    write_text,
)
from unveil.cli._reading import names
from unveil.cli._releases import Given
from unveil.engine import parse_duration
from unveil.errors import InputError
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import Sanitizer, sanitizers_named

__all__ = ["FAILED", "Audit", "Outputs"]

FAILED = 1
"""The exit code if a release fails."""


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where what was found goes."""

    report: Path | None = None
    json: Path | None = None
    junit: Path | None = None
    plot: Path | None = None
    key: Path | None = None
    include_records: bool = False

    def check(self) -> None:
        """Refuse, before the long work, what could not be written in the end."""
        check_report(self.report)
        check_output(self.json, "--json")
        check_output(self.junit, "--junit", suffixes=(".xml",))
        check_plot(self.plot)
        files = {"--report": self.report, "--json": self.json, "--junit": self.junit,
                 "--plot": self.plot, "--key": self.key}  # fmt: skip
        seen: dict[Path, str] = {}
        for option, file in files.items():
            if file is not None and file in seen:
                where = "standard output" if is_stdout(file) else f"the same file, {str(file)!r}"
                raise InputError(f"{seen[file]} and {option} name {where}")
            if file is not None:
                seen[file] = option
        if self.key is not None and is_stdout(self.key):
            raise InputError("--key needs a file, such as report.key")
        if self.key is not None and not self.key.exists():
            check_output(self.key, "--key")

    @property
    def to_stdout(self) -> bool:
        """Whether one of them goes to standard output, where nothing else may go then."""
        return any(is_stdout(file) for file in (self.report, self.json, self.junit))

    @property
    def key_file(self) -> Path | None:
        """Where the key of the references is kept; None where there are none to resolve."""
        if self.key is not None:
            return self.key
        shown = [file for file in (self.report, self.json) if file and not is_stdout(file)]
        return shown[0].with_suffix(".key") if shown and not self.include_records else None

    def known_key(self) -> str | None:
        """The key that is there already."""
        file = self.key_file
        return None if file is None or not file.exists() else key_from(file)

    def write(self, found: Found, out: Console) -> list[InputError]:
        """Write all that was asked for; the key first, for without it references are lost.

        A file that cannot be written keeps nobody from the others; it is returned why.
        """
        try:
            found = self._under_kept_key(found)
        except InputError as error:  # references that nobody can resolve are better than nothing
            failed = [error]
        else:
            failed = []
        writers: list[tuple[Path | None, Callable[[Path], None]]] = [
            (self.json, lambda file: write_text(file, found.to_json() + "\n")),
            (self.junit, lambda file: write_text(file, junit_of(found.to_dict()))),
            (self.report, lambda file: write_text(file, found.page())),
            (self.plot, lambda file: save_picture(file, found.plot(), out)),
        ]
        for file, written in writers:
            if file is not None:
                try:
                    with if_anybody_reads():
                        written(file)
                except InputError as error:
                    failed.append(error)
        return failed

    def _under_kept_key(self, found: Found) -> Found:
        file = self.key_file
        if file is None:
            return found
        if not file.exists():
            write_key(found.key, file)
            return found
        # It was there, or another audit has put it there meanwhile: people are called by it.
        return found.under(key_from(file))

    def tell(self, out: Console) -> None:
        """Say where everything is."""
        for what, file in (("report", self.report), ("JSON", self.json), ("JUnit", self.junit)):
            if file is not None and not is_stdout(file):
                out.print(f"{what}: {file}", soft_wrap=True)
        if self.key_file is not None:
            out.print(
                f"key of the references, not to be handed on: {self.key_file}", soft_wrap=True
            )


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What `unveil audit` was asked for."""

    table: AuditedTable
    given: Given
    oracles: Oracles
    attacks: Sequence[str]
    adversary: str | None
    budget: str | None
    fail_on: Sequence[str]
    smallest: int | None
    seed: int | None
    jobs: int | None
    outputs: Outputs

    def run(self) -> None:
        """Read, attack, tell; by the exit code, too."""
        self._check()
        out = console(stderr=self.outputs.to_stdout)
        if self.table.roles_are_proposed:
            show_proposal(self.table.proposal, out)
        tables = self.table.read()
        found = replace(
            self._audited(tables), command=typed_command(), fingerprints=self.table.fingerprints()
        )
        # The files first: whoever reads the rest may stop in the middle.
        not_written = self.outputs.write(found, out)
        with if_anybody_reads():
            show_audit(found, out)
            if not not_written:
                self.outputs.tell(out)
            self._tell_how_to_go_on(out)
        for error in not_written:
            say(f"error: {in_command_line_words(str(error))}")
        finish(found, all_written=not not_written)

    def _tell_how_to_go_on(self, out: Console) -> None:
        """Roles that nobody has looked at are a beginning."""
        if not self.table.roles_are_proposed:
            return
        file = shlex.quote(harmless(str(self.table.reading.file)))
        out.print(f"The roles are a proposal. To correct them: unveil init {file}", soft_wrap=True)
        if self.outputs.report is None:
            out.print("As a page to read and to send: --report report.html", soft_wrap=True)

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        self.table.check()
        self.outputs.check()
        self.outputs.known_key()
        self.oracles.check(releases=bool(self.given.releases))
        for text in self.fail_on:
            Threshold.parse(text)
        if self.budget is not None:
            parse_duration(self.budget)
            if not _BUDGETS.keys() & set(self._attacks() or _BUDGETS):
                raise InputError(f"--budget is for {' and '.join(_BUDGETS)}; ask for one of them")
        if self.table.project is not None and self.given.values:
            raise InputError("--values is for a release without its original")
        if self.table.project is None or self.given:
            self.given.check(self.table.reading_of(next(iter(self.table.sensitive), "")))

    def _attacks(self) -> list[str] | None:
        asked = names(self.attacks)
        if not asked:
            return None
        return [*dict.fromkeys(one for name in asked for one in _MANY.get(name, [name]))]

    def _within_budget(self, attacks: list[str] | None) -> dict[str, dict[str, Any]]:
        project = self.table.project
        known = {} if project is None else project.options
        names = attacks or [*(project.attacks if project else ())] or [*DEFAULT]
        found: dict[str, dict[str, Any]] = {name: {**known.get(name, {})} for name in names}
        for name, option in _BUDGETS.items():
            if name in found:
                found[name][option] = self.budget
        return found

    def _audited(self, tables: list[Microdata]) -> Found:
        options: dict[str, Any] = {
            "key": self.outputs.known_key(),
            # A project may have a seed of its own.
            **{
                name: given
                for name, given in (("seed", self.seed), ("n_jobs", self.jobs))
                if given is not None
            },
        }
        releases = self._releases(tables)
        if releases:
            options["releases"] = releases
        attacks = self._attacks()
        if self.budget is not None:
            options["attacks"] = self._within_budget(attacks)
        elif attacks is not None:
            options["attacks"] = attacks
        if self.adversary is not None:
            options["adversary"] = self.adversary
        if self.smallest is not None:
            options["smallest"] = self.smallest
        if self.outputs.include_records:
            options["include_records"] = True
        project = self.table.project
        if project is None:
            return audit(tables, fail_on=list(self.fail_on) or None, **options)
        fail_on = [*project.fail_on, *self.fail_on]
        return project.audit(
            microdata=tables, **options, **({"fail_on": fail_on} if fail_on else {})
        )

    def _releases(self, tables: list[Microdata]) -> dict[str, Sanitizer | ToRead]:
        """What was named on the command line, by names; nothing if that was nothing."""
        found: dict[str, Sanitizer | ToRead] = {}
        reading = self.table.reading_of(tables[0].sensitive.name)
        for place, one in enumerate(self.given.files_to_read(reading, tables[0])):
            _add(found, one.name, ToRead(read=partial(self._published, place)))
        for text in self.given.sanitizers:
            for sanitizer in sanitizers_named(text):
                found[sanitizer.label] = sanitizer  # named twice, it is audited once
        for oracle in self.oracles.made():
            _add(found, oracle.label, oracle)
        return found

    def _published(self, place: int, microdata: Microdata) -> AnyRelease:
        reading = self.table.reading_of(microdata.sensitive.name)
        return self.given.files_to_read(reading, microdata)[place].get()


_BUDGETS = {"differential-inference": "budget", "relative-risk": "limit"}
_MANY = {"all": list(PARTS), "default": list(DEFAULT)}


def _add(found: dict[str, Any], name: str, one: Any) -> None:
    if name in found:
        remedy = (
            "give them names in a project file"
            if isinstance(one, Sanitizer)
            else f"put a name before it: 'second={name}'"
        )
        raise InputError(f"{name} is to be audited twice; leave one out, or {remedy}")
    found[name] = one


def finish(found: Found, *, all_written: bool = True) -> None:
    """Say by the exit code what came of it."""
    # Of several secrets one may be readable and another not, or each for a reason of its own.
    errors = {(one.name, one.error): one for one in found.releases if one.error is not None}
    for (name, error), one in errors.items():
        said = in_command_line_words(str(error))
        named = any(known in said for known in (name, *one.subject.raw_names))
        say(f"error: {said if named else f'{name}: {said}'}")
    broken = [
        (one.name, part, look.why)
        for one in found.releases
        for part, look in one.looked.items()
        if look.status == "failed"
    ]
    for name, part, why in broken:
        say(f"error: {part} of {name}: {in_command_line_words(str(why))}")
    if found.interrupted:
        say("interrupted: what was found until then has been told")
        raise typer.Exit(INTERRUPTED)
    if errors or broken or not all_written:
        raise typer.Exit(BAD_INPUT)
    if found.passed is False:
        failed = sum(one.passed is False for one in found.releases)
        all_of_them = len(found.releases)
        say(f"{failed} of {all_of_them} release{'s fail' if all_of_them > 1 else ' fails'}")
        raise typer.Exit(FAILED)
