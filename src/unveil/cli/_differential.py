"""``unveil differential``: how much does each person's own record give them away?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

from unveil.cli._asked import Oracles, Test
from unveil.cli._console import console, say
from unveil.cli._guard import BAD_INPUT, INTERRUPTED, in_command_line_words
from unveil.cli._outputs import check_results, is_stdout
from unveil.cli._reading import Reading, heading
from unveil.cli._testing import (
    Trial,
    draw,
    findings_of,
    warm_up,
    was_interrupted,
    write_json,
)
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
from unveil.sanitize import Sanitizer, first_look, sanitizers_named

__all__ = ["Differential", "show"]

_LEGEND = "(d; rows counted from 1; belief without their record → with it)"


@dataclass(frozen=True, kw_only=True)
class Differential:
    """What `unveil differential` was asked for."""

    reading: Reading
    sanitizers: Sequence[str]
    oracles: Oracles
    test: Test
    json: Path | None
    plot: Path | None
    records: bool
    worst: int

    def run(self) -> None:
        """Read, test, report."""
        self._check()
        wanted = [
            *(one for text in self.sanitizers for one in sanitizers_named(text)),
            *self.oracles.made(),
        ]
        microdata = self.reading.read()
        options = self.test.options(microdata)
        sanitizers = list(dict.fromkeys(wanted or first_look(microdata)))
        out = console(stderr=is_stdout(self.json))
        out.print(heading(microdata))
        for note in microdata.notes:
            out.print(f"Note: {in_command_line_words(note)}\n")
        trial = Trial(microdata=microdata, options=options, closer=self.worst > 0)
        with self.test.cluster():
            sampled = options.get("samples") is not None or options.get("error") is not None
            warm_up(sanitizers, adversary="naive-bayes", sampled=sampled)
            outcomes = trial.run(sanitizers)
        # The files first: whoever reads the report may stop in the middle.
        if self.json is not None:
            write_json(self.json, outcomes, records=self.records)
        if self.plot is not None:
            draw(self.plot, findings_of(outcomes), out)
        if findings_of(outcomes):
            show(outcomes, out, known=microdata.notes)
        if self.worst:
            self._show_worst(trial, sanitizers, outcomes, out)
        _finish(outcomes, len(sanitizers))

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        check_results(
            json=self.json, plot=self.plot, records=self.records, source=self.reading.file
        )
        self.oracles.check(releases=False)
        self.test.check()

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


def _finish(outcomes: Sequence[Outcome], wanted: int) -> None:
    """Say by the exit code that something is missing from the report."""
    findings = findings_of(outcomes)
    if was_interrupted(outcomes):
        done = sum(not finding.interrupted for finding in findings)
        say(f"interrupted: {done} of {wanted} anonymizations were tested to the end")
        raise typer.Exit(INTERRUPTED)
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    untested = [finding for finding in findings if not len(finding.tested)]
    if untested:
        named = ", ".join(finding.sanitizer for finding in untested)
        say(f"error: not one record could be tested under {named}")
    if not failed:
        if untested:
            raise typer.Exit(BAD_INPUT)
        return
    if findings:  # the report has said why
        named = ", ".join(outcome.sanitizer for outcome in failed)
        say(f"error: {len(failed)} of {wanted} anonymizations could not be done: {named}")
    else:
        for outcome in failed:
            say(f"error: {outcome.error}")
    raise typer.Exit(BAD_INPUT)
