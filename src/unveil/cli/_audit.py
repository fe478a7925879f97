"""``unveil audit``: how much does each person's own record give them away?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

from unveil.cli._asked import Oracles, Test
from unveil.cli._audit_risk import Risks, risks_of, show_risks
from unveil.cli._console import console, say
from unveil.cli._guard import BAD_INPUT, INTERRUPTED, in_command_line_words
from unveil.cli._outputs import check_results, is_stdout
from unveil.cli._published import NEEDS_SANITIZER, Examined, Published, show_published
from unveil.cli._reading import Reading
from unveil.cli._testing import (
    Trial,
    draw,
    findings_of,
    warm_up,
    warm_up_risk,
    was_interrupted,
    write_json,
)
from unveil.errors import InputError
from unveil.microdata import Microdata
from unveil.report import (
    Outcome,
    adversaries,
    comparison,
    display_name,
    how_exact,
    in_words,
    picture,
    remarks,
)
from unveil.report import worst_records as listed
from unveil.sanitize import Identity, Mondrian, Sanitizer, sanitizer_named

__all__ = ["Audit", "first_look", "heading", "show"]

_LEGEND = "(d; rows counted from 1; belief without their record → with it)"
_FIRST_LOOK = (2, 5, 10, 20)  # k, where the user names no sanitizer


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What `unveil audit` was asked for."""

    reading: Reading
    sanitizers: Sequence[str]
    oracles: Oracles
    releases: Sequence[Path]
    notation: dict[str, str]
    test: Test
    json: Path | None
    plot: Path | None
    records: bool
    worst: int
    risk: bool

    def run(self) -> None:
        """Read, test, report."""
        self._check()
        wanted = [*(sanitizer_named(text) for text in self.sanitizers), *self.oracles.made()]
        microdata = self.reading.read()
        options = self.test.options(microdata)
        if not wanted and not self.releases:
            wanted = first_look(microdata)
        sanitizers = list(dict.fromkeys(wanted))
        out = console(stderr=is_stdout(self.json))
        out.print(heading(microdata))
        for note in microdata.notes:
            out.print(f"Note: {in_command_line_words(note)}\n")
        published = Published(
            files=self.releases, notation=self.notation, may_change=self.oracles.may_change,
            encoding=self.reading.encoding,
        ).examined(microdata, self.test.beliefs())  # fmt: skip
        trial = Trial(microdata=microdata, options=options, closer=self.worst > 0)
        with self.test.cluster():
            sampled = options.get("samples") is not None or options.get("error") is not None
            warm_up(sanitizers, adversary="naive-bayes", sampled=sampled)
            if self.risk:
                warm_up_risk()
            outcomes = trial.run(sanitizers)
        risks = self._risks(microdata, published, sanitizers, outcomes)
        # The files first: whoever reads the report may stop in the middle.
        if self.json is not None:
            write_json(
                self.json,
                outcomes,
                records=self.records,
                others=published.findings,
                after=risks.findings,
                failed=published.failed,
            )
        if self.plot is not None:
            draw(self.plot, findings_of(outcomes), out)
        show_published(published, out, tested=bool(sanitizers))
        if findings_of(outcomes):
            show(outcomes, out, known=microdata.notes)
        if self.worst:
            self._show_worst(trial, sanitizers, outcomes, out)
        show_risks(risks, out)
        _finish(outcomes, len(sanitizers), published.failed)
        if risks.interrupted:
            say("interrupted: the relative risk of some releases is lacking")
            raise typer.Exit(INTERRUPTED)

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        check_results(
            json=self.json, plot=self.plot, records=self.records, source=self.reading.file
        )
        self.oracles.check(releases=bool(self.releases))
        if self.releases and not (self.sanitizers or self.oracles.given):
            given = [*self.test.given(), *["--plot"] * (self.plot is not None)]
            if self.worst:
                given.append("--worst")
            if given:
                raise InputError(f"{given[0]} is for the differential test; {NEEDS_SANITIZER}")
        self.test.check()

    def _risks(
        self, microdata: Microdata, published: Examined, sanitizers: Sequence[Sanitizer],
        outcomes: Sequence[Outcome],
    ) -> Risks:  # fmt: skip
        """The relative risk of what was published and of what was tested."""
        if not self.risk or was_interrupted(outcomes):
            return Risks()
        releases = {finding.release.made_by: finding.release for finding in published.findings}
        tested = [
            sanitizer
            for sanitizer, outcome in zip(sanitizers, outcomes, strict=False)
            if outcome.finding is not None
        ]
        return risks_of(
            microdata, list(releases.values()), tested, seed=self.test.seed, n_jobs=self.test.jobs
        )

    def _show_worst(
        self,
        trial: Trial,
        sanitizers: Sequence[Sanitizer],
        outcomes: Sequence[Outcome],
        out: Console,
    ) -> None:
        for sanitizer, outcome in zip(sanitizers, outcomes, strict=False):
            if outcome.finding is None or not len(outcome.finding.tested):
                continue
            out.print(f"The worst-placed under {display_name(outcome.sanitizer)}", style="bold")
            out.print(_LEGEND)
            closer = trial.look_closer(outcome.finding, sanitizer, self.worst)
            out.print(listed(closer, self.worst))
            out.print()


def first_look(microdata: Microdata) -> list[Sanitizer]:
    """What is tested where the user names no sanitizer."""
    return [Identity(), *(Mondrian(k=k) for k in _FIRST_LOOK if k <= len(microdata))]


def heading(microdata: Microdata) -> str:
    """What is read, and who attacks."""
    known = ", ".join(column.name for column in microdata.quasi)
    return (
        f"{microdata.source}: {len(microdata):,} records. An attacker knows {known} and wants to "
        f"know {microdata.sensitive.name}.\n"
    )


def show(outcomes: Sequence[Outcome], out: Console, *, known: Sequence[str] = ()) -> None:
    """Table, picture, words, and what else has to be said besides the notes that are known."""
    findings = findings_of(outcomes)
    out.print(comparison(outcomes, width=out.width))
    out.print()
    for line in how_exact(findings):
        out.print(line)
        out.print()
    drawn = picture(findings, width=out.width)
    if drawn:
        out.print("People by d, how far their own record moves belief (● is the worst-placed):")
        out.print(drawn)
        out.print()
    against = adversaries(findings)
    for line in against:
        out.print(line)
    if against:
        out.print()
    for paragraph in in_words(findings):
        out.print(paragraph)
        out.print()
    for remark in remarks(outcomes, spelled=in_command_line_words, known=known):
        out.print(remark)
    out.print()


def _finish(
    outcomes: Sequence[Outcome], wanted: int, unread: Sequence[tuple[str, str]] = ()
) -> None:
    """Say by the exit code that something is missing from the report."""
    findings = findings_of(outcomes)
    if was_interrupted(outcomes):
        done = sum(not finding.interrupted for finding in findings)
        say(f"interrupted: {done} of {wanted} anonymizations were tested to the end")
        raise typer.Exit(INTERRUPTED)
    for _, error in unread:
        say(f"error: {error}")
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    untested = [finding for finding in findings if not len(finding.tested)]
    if untested:
        named = ", ".join(finding.sanitizer for finding in untested)
        say(f"error: not one record could be tested under {named}")
    if not failed:
        if untested or unread:
            raise typer.Exit(BAD_INPUT)
        return
    if findings:  # the report has said why
        named = ", ".join(outcome.sanitizer for outcome in failed)
        say(f"error: {len(failed)} of {wanted} anonymizations could not be done: {named}")
    else:
        for outcome in failed:
            say(f"error: {outcome.error}")
    raise typer.Exit(BAD_INPUT)
