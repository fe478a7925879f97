"""``unveil audit``: every attack and measure that fits, on every release; a verdict and a page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group
from rich.console import Console

from unveil._exits import Exit, ExitCode
from unveil._memory import limited
from unveil.auditing import Audit as Found
from unveil.auditing import State, Threshold, ToRead
from unveil.auditing import audit as audit_tables
from unveil.auditing.parts import DEFAULT, PARTS
from unveil.cli._alignment import refuse_open, show_alignment
from unveil.cli._audit_results import AuditOutputs, show_audit
from unveil.cli._audited_table import AuditedTable, AuditTable
from unveil.cli._console import console, say, tell
from unveil.cli._guard import (
    guarded,
    if_anybody_reads,
    in_command_line_words,
    typed_command,
)
from unveil.cli._init import show_proposal
from unveil.cli._people import opened_people
from unveil.cli._releases import Given
from unveil.cli._releases import ToRead as FileToRead
from unveil.cli._runs import resumable
from unveil.cli._sources import (
    OPTIONS,
    OUTPUT,
    External,
    File,
    Programs,
    Published,
    Released,
    Renamed,
    Texts,
    and_plugins,
    typed,
)
from unveil.engine import UNITS, Budget, parse_budget, parse_memory
from unveil.errors import InputError, Option
from unveil.microdata import AnyRelease, Microdata, Source
from unveil.options import StrictColumns, Tolerance, check, help_of, names, units_of
from unveil.sanitize import Sanitizer, sanitizers_named

VERDICT = Group("Verdict", sort_key=4)


@guarded
@resumable
def audit(
    file: File = None,
    released: Released = None,
    /,
    *,
    table: AuditTable = AuditTable(),
    published: Published = Published(),
    renamed: Renamed = Renamed(),
    programs: Programs = Programs(),
    people: External = External(),
    attack: Annotated[
        Texts, typed(OPTIONS, and_plugins(
            "Run only these attacks and measures; 'all' means every one. May be repeated, or have "
            "commas. Default: those that are quick.", "attacks", "measures",
        ), "NAME"),
    ] = None,
    adversary: Annotated[
        str | None, typed(OPTIONS, and_plugins(
            "The attacker's model wherever something is guessed: naive-bayes, "
            "conditional-frequency, smoothed-frequency, or with scikit-learn tree, forest, "
            "logistic, boosting, neighbours, gaussian-nb.", "adversaries",
        ), "NAME"),
    ] = None,
    tolerance: Annotated[
        str | None, typed(OPTIONS, f"{help_of(Tolerance)} For every attack that guesses.",
                          "NUMBER|SHARE"),
    ] = None,
    budget: Annotated[
        str | None, typed(OPTIONS, "How much to do per release in each attack that has to run the "
                           "anonymization again or to sample: '200 runs', '500 people', '5000 "
                           "sweeps', or a time such as '10 min', with which the result depends on "
                           "the machine. Default: a few seconds' work.", "RUNS|SWEEPS|TIME"),
    ] = None,
    seed: Annotated[int | None, typed(OPTIONS, "Random seed. Default: 0.", "N")] = None,
    jobs: Annotated[
        int | None, typed(OPTIONS, "Number of worker processes. Default: all cores.", "N"),
    ] = None,
    memory_limit: Annotated[
        str | None, typed(OPTIONS, "Most memory for unveil itself: '4 GB'. What does not fit fails "
                           "alone, with an estimate. No worker processes are started then. Of "
                           "programs of others: --memory.", "SIZE"),
    ] = None,
    fail_on: Annotated[
        Texts, typed(VERDICT, "What makes a release fail, with exit code 1: 'delta > 0.05', "
                      "'k < 5', 'linked > 1%'. May be repeated; those of the project hold as well.",
                      "THRESHOLD"),
    ] = None,
    strict_columns: Annotated[bool, typed(VERDICT, help_of(StrictColumns))] = False,
    smallest: Annotated[
        int | None, typed(OUTPUT, "Mask groups of fewer people, and values that fewer people "
                           "have. Default: 5.", "N"),
    ] = None,
    outputs: AuditOutputs = AuditOutputs(),
) -> None:  # fmt: skip
    """Attack releases in every way that fits, and give one verdict and one report."""
    given = replace(published.given(), rename=renamed.rename or {})
    audited = table.audited(file, given)
    if released is not None:
        audited = replace(audited, released=released, given=given)
        given = replace(given, rename={}, how={}, cells={})
    with limited(None if memory_limit is None else parse_memory(memory_limit)):
        AuditRun(
            table=audited, programs=programs.made(published), people=people.external,
            given=replace(
                given, may_change_sensitive=given.may_change_sensitive and bool(given.releases)
            ),
            attacks=attack or (), adversary=adversary, tolerance=tolerance, budget=budget,
            fail_on=fail_on or (), strict_columns=strict_columns, smallest=smallest, seed=seed,
            jobs=jobs, outputs=outputs,
        ).run()  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AuditRun:
    """One run of `unveil audit`."""

    table: AuditedTable
    given: Given
    programs: Sequence[Sanitizer]
    attacks: Sequence[str]
    people: Path | None = None
    adversary: str | None = None
    tolerance: str | None = None
    budget: str | None = None
    fail_on: Sequence[str] = ()
    strict_columns: bool = False
    smallest: int | None = None
    seed: int | None = None
    jobs: int | None = None
    outputs: AuditOutputs = field(default_factory=AuditOutputs)

    def run(self) -> None:
        """Read, attack, tell; by the exit code, too."""
        self.check()
        out = console(stderr=self.outputs.to_stdout)
        if (both := self.table.two_files) is not None:
            show_alignment(both, self.table.roles, out)
            refuse_open(both.open_questions(self.table.roles))
        elif self.table.roles_are_proposed:
            show_proposal(self.table.proposal, out)
        tables = self.table.read()
        found = replace(
            self.audited(tables), command=typed_command(), fingerprints=self.table.fingerprints()
        )
        # The files first: whoever reads the rest may stop in the middle.
        not_written = self.outputs.write(found, out)
        with if_anybody_reads():
            show_audit(found, out)
            if not not_written:
                self.outputs.tell(found, out)
            self._tell_how_to_go_on(out)
        for error in not_written:
            say(f"error: {in_command_line_words(error)}")
        finish(found, all_written=not not_written)

    def _tell_how_to_go_on(self, out: Console) -> None:
        """Roles that nobody has looked at are a beginning."""
        if not self.table.roles_are_proposed:
            return
        if self.table.file is None:
            quasi, secrets = (shlex.quote(",".join(names)) for names in
                              (self.table.quasi, self.table.secrets))  # fmt: skip
            tell(out, "The roles are a proposal. To correct them, say which columns are what: "
                 f"--quasi {quasi} --sensitive {secrets}")  # fmt: skip
        else:
            files = [self.table.file, *([self.table.released] if self.table.released else [])]
            shown = " ".join(shlex.quote(str(file)) for file in files)
            tell(out, f"The roles are a proposal. To correct them: unveil init {shown}")
        if self.outputs.report is None:
            tell(out, "As a page to read and to send: --report report.html")

    def check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        self.table.check()
        if self.table.released is not None and (self.given or self.programs):
            raise InputError(
                "a published file is given twice: behind FILE, and with {release} or others; for "
                "several releases write a project: unveil init FILE PUBLISHED",
                release=Option("release"),
            )  # fmt: skip
        self.outputs.check()
        self.outputs.known_key()
        for text in self.fail_on:
            Threshold.parse(text)
        check("tolerance", Tolerance, self.tolerance)
        if self.budget is not None:
            budget = parse_budget(self.budget, [*UNITS])
            for_it = [name for name in _BUDGETS if _takes(name, budget)]
            if not set(for_it) & set(self._attacks() or _BUDGETS):
                raise InputError(f"--budget is for {' and '.join(for_it)}; ask for one of them")
        if self.table.released is not None:
            return  # columns and roles are looked at together
        if self.table.is_alone:
            self._check_alone()
        elif self.table.project is not None and self.given.domains:
            raise InputError("{option} is for a release without its original",
                             option=Option("domains"))  # fmt: skip
        if self.table.project is None or self.given:
            reading = self.table.reading_of(next(iter(self.table.sensitive), ""))
            self.given.check(reading, names_people=True)

    def _check_alone(self) -> None:
        """What needs the original is refused where there is none."""
        for option, there in (("sanitizer", self.given.sanitizers), ("oracle", self.programs)):
            if there:
                raise InputError("{option} needs the original table: give it as {file}",
                                 option=Option(option), file=Option("microdata"))  # fmt: skip

    def _attacks(self) -> list[str] | None:
        asked = names(self.attacks)
        if not asked:
            return None
        return [*dict.fromkeys(one for name in asked for one in _MANY.get(name, [name]))]

    def _within_budget(self, attacks: list[str] | None) -> Any:
        """The attacks that were asked for; with a budget, all of them with their options."""
        if self.budget is None:
            return attacks
        project = self.table.project
        known = {} if project is None else project.options
        chosen = attacks or [*(project.attacks if project else ())] or [*DEFAULT]
        found: dict[str, dict[str, Any]] = {name: {**known.get(name, {})} for name in chosen}
        for name, option in _BUDGETS.items():
            if name in found and _takes(name, parse_budget(self.budget, [*UNITS])):
                found[name][option] = self.budget
        return found

    def audited(self, tables: list[Microdata] | None) -> Found:
        """Run the attacks; nothing is shown or written."""
        project = self.table.project
        releases = self._alone() if tables is None else self._releases(tables)
        given = {
            "releases": releases or None,
            "external": self._external(),
            "identifier": self._identifier(),
            "attacks": self._within_budget(self._attacks()),
            "fail_on": [*(project.fail_on if project else ()), *self.fail_on] or None,
            "strict_columns": self.strict_columns or None,
            "adversary": self.adversary,
            "tolerance": self.tolerance,
            "smallest": self.smallest,
            "private": self.outputs.private or None,
            "key": self.outputs.known_key(),
            "seed": self.seed,
            "jobs": self.jobs,
        }
        # What was not typed is left to the project, if there is one.
        options: dict[str, Any] = {name: one for name, one in given.items() if one is not None}
        if project is None:
            return audit_tables(tables, **options)
        if tables is None and releases:  # what is proposed has no more to say
            return audit_tables(None, **options)
        return project.audit(microdata=tables, **options)

    def _external(self) -> Source | None:
        """The people whom the attacker knows, if there is a list of them."""
        if self.people is None:
            return None
        return opened_people(self.people, self.table.reading.get("encoding"))

    def _identifier(self) -> Sequence[str] | None:
        """The columns that name people, where no original says it."""
        if self.people is None and not self.table.is_alone:
            return None
        project = self.table.project
        return self.table.reading.get("identifier") or (project.identifier if project else None)

    def _alone(self) -> dict[str, list[ToRead]]:
        """What was published without its original, by name: read for each sensitive column."""
        found: dict[str, list[ToRead]] = {}
        for place in range(len(self.given.files)):
            read = [self.given.files_to_read(self.table.reading_of(secret), None)[place]
                    for secret in self.table.secrets]  # fmt: skip
            _add(found, read[0].name, [
                ToRead(read=partial(_read, one), quasi=tuple(self.table.quasi), sensitive=secret)
                for one, secret in zip(read, self.table.secrets, strict=True)
            ])  # fmt: skip
        return found

    def _releases(self, tables: list[Microdata]) -> dict[str, Sanitizer | ToRead]:
        """What was named on the command line, by names; nothing if that was nothing."""
        found: dict[str, Sanitizer | ToRead] = {}
        reading = self.table.reading_of(tables[0].sensitive.name)
        for place, one in enumerate(self.given.files_to_read(reading, tables[0])):
            _add(found, one.name, ToRead(read=partial(self._published, place)))
        for text in self.given.sanitizers:
            for sanitizer in sanitizers_named(text):
                found[sanitizer.label] = sanitizer  # named twice, it is audited once
        for oracle in self.programs:
            _add(found, oracle.label, oracle)
        return found

    def _published(self, place: int, microdata: Microdata) -> AnyRelease:
        reading = self.table.reading_of(microdata.sensitive.name)
        return self.given.files_to_read(reading, microdata)[place].get()


def _read(published: FileToRead, microdata: None) -> AnyRelease:
    return published.get()


_BUDGETS = {name: part.budget[0] for name, part in PARTS.items() if part.budget is not None}
_MANY = {"all": list(PARTS), "default": list(DEFAULT)}


def _takes(name: str, budget: Budget | None) -> bool:
    """Whether a budget says anything to an attack: sweeps do to one that sweeps."""
    own = units_of(PARTS[name].declaration.options()["budget"].annotation)
    return budget is not None and (budget.unit not in UNITS or budget.unit in own)


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
        said = in_command_line_words(error)
        named = any(known in said for known in (name, *one.subject.raw_names))
        say(f"error: {said if named else f'{name}: {said}'}")
    everything = [one for secret in found.secrets for one in secret.beside]
    broken = [
        (one.name, part, look.why)
        for one in everything
        for part, look in one.looked.items()
        if look.status == "failed"
    ]
    for name, part, why in broken:
        say(f"error: {part} of {name}: {in_command_line_words(why or '')}")
    if found.interrupted:
        say("interrupted: the results so far are above")
        raise Exit(ExitCode.INTERRUPTED)
    if not all_written and found.state is not State.FAILS:
        raise Exit(ExitCode.WRONG_INPUT)
    if found.state is not None and found.state is not State.PASSES:
        say(found.heading or "")
        raise Exit(found.state.exit_code)
    if found.crashes:
        raise Exit(ExitCode.INTERNAL_ERROR)
    if errors or broken:
        raise Exit(ExitCode.WRONG_INPUT)
