"""``unveil inference``: how well does an attacker guess, and is that a breach?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from unveil.attacks import Inference, adversaries_named, inference, side_bars, split_people
from unveil.attacks.inference import points
from unveil.cli._asked import Oracles
from unveil.cli._console import console, say
from unveil.cli._guard import BAD_INPUT, INTERRUPTED, in_command_line_words
from unveil.cli._outputs import check_results, is_stdout, save_picture, write_findings
from unveil.cli._reading import Reading
from unveil.cli._recoding import recodings
from unveil.cli._releases import Given
from unveil.cli._testing import warm_up
from unveil.errors import InputError, UnveilError
from unveil.microdata import AnyRelease, Microdata
from unveil.report import display_name
from unveil.sanitize import Sanitizer, first_look, sanitizer_named

__all__ = ["InferenceTest"]

_NOTHING = "–"
_MEANING = (
    "Right: the share of the people whose value the attacker believes most; ties count by their "
    "share. Prior: whoever only knows how frequent the values are. What people who are not in the "
    "release are guessed by is knowledge about the population; the difference is what people's "
    "own records add, in points, with its 95% interval."
)


@dataclass(frozen=True, kw_only=True)
class InferenceTest:
    """What `unveil inference` was asked for."""

    reading: Reading
    given: Given
    """Published files alone; what publishes stands in ``sanitizers`` and ``oracles``."""
    sanitizers: Sequence[str]
    oracles: Oracles
    held_out: float | None
    held_out_file: Path | None
    recode: Sequence[str]
    folds: int | None
    options: dict[str, Any]
    """What `inference` is told besides."""
    json: Path | None
    plot: Path | None
    records: bool

    def run(self) -> None:
        """Read, guess, report."""
        self._check()
        wanted = [*(sanitizer_named(text) for text in self.sanitizers), *self.oracles.made()]
        microdata = self.reading.read()
        others = self._others()
        if not wanted and not self.given:
            # Goals that a part of the table cannot meet are no first look.
            wanted = first_look(microdata.take(range(int(self._published * len(microdata)))))
        sanitizers = list(dict.fromkeys(wanted))
        out = console(stderr=is_stdout(self.json))
        for note in microdata.notes:
            out.print(f"Note: {in_command_line_words(note)}\n")
        warm_up(sanitizers, adversary=None)
        findings, failed, interrupted = self._guessed(microdata, others, sanitizers)
        # The files first: whoever reads the report may stop in the middle.
        if self.json is not None:
            write_findings(self.json, findings, records=self.records, failed=failed)
        if findings and self.plot is not None:
            names = [display_name(finding.made_by) for finding in findings]
            save_picture(self.plot, side_bars(findings, names), out)
        if findings:
            _show(findings, out, known=microdata.notes)
        for one in failed[:-1] if interrupted else failed:
            say(f"error: {one['error']}")
        if interrupted:
            were = "anonymization was" if len(findings) == 1 else "anonymizations were"
            say(f"interrupted: {len(findings)} {were} tested to the end")
            raise typer.Exit(INTERRUPTED)
        if failed:
            raise typer.Exit(BAD_INPUT)

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        check_results(
            json=self.json, plot=self.plot, records=self.records, source=self.reading.file
        )
        said = {
            "--held-out": self.held_out, "--held-out-file": self.held_out_file,
            "--folds": self.folds,
        }  # fmt: skip
        given = [option for option, value in said.items() if value is not None]
        if len(given) > 1:
            raise InputError(f"give either {' or '.join(given)}: both say who is held out")
        if given and given != ["--held-out-file"] and self.given:
            raise InputError(
                f"{given[0]} is for --sanitizer and --oracle; who is in a published file is "
                "settled: give people who are not with --held-out-file"
            )
        if recodings(self.recode) and self.held_out_file is None:
            raise InputError("--recode is about the values of --held-out-file: give it")
        if self.held_out is not None and not 0 < self.held_out < 1:
            raise InputError(
                f"--held-out must be a share above 0 and below 1, got {self.held_out:g}"
            )
        confidence = self.options["confidence"]
        if not 0 < confidence <= 1:
            raise InputError(
                f"--confidence must be a share above 0 and at most 1, got {confidence:g}"
            )
        self.oracles.check(releases=bool(self.given))
        self.given.check(self.reading)
        if self.options["adversary"]:
            adversaries_named(self.options["adversary"])
        others, source = self.held_out_file, self.reading.file
        if others is not None and others.exists() and source.exists() and others.samefile(source):
            raise InputError(
                f"--held-out-file {str(others)!r} is the table itself; give one of other people"
            )

    @property
    def _published(self) -> float:
        """The share of the table that is anonymized at a time."""
        if self.held_out_file is not None:
            return 1.0
        return 1 - (1 / (self.folds or 5) if self.held_out is None else self.held_out)

    def _others(self) -> Microdata | None:
        if self.held_out_file is None:
            return None
        return replace(self.reading, file=self.held_out_file).read()

    def _guessed(
        self, microdata: Microdata, others: Microdata | None, sanitizers: Sequence[Sanitizer]
    ) -> tuple[list[Inference], list[dict[str, str]], bool]:
        """The findings, what could not be done, and whether the user had enough."""
        findings: list[Inference] = []
        failed: list[dict[str, str]] = []
        everybody, table, held_out = microdata, microdata, None
        if others is not None and self.given:
            # A file is read with the values of everybody, so that all of them have a code.
            people = split_people(microdata, others, own=0, mapping=recodings(self.recode) or None)
            everybody, held_out = people.everybody, people.held_out
            table = replace(everybody.take(people.members), source=microdata.source)
        jobs = [
            _Job("release", one.name, one.get, everybody, {"held_out": held_out})
            for one in self.given.to_read(self.reading, table)
        ]
        who = {
            "held_out": self.held_out if others is None else others, "folds": self.folds,
            "mapping": recodings(self.recode) or None,
        }  # fmt: skip
        jobs += [_Job("sanitizer", f.label, partial(_itself, f), microdata, who)
                 for f in sanitizers]  # fmt: skip
        for job in jobs:
            try:
                findings.append(inference(job.get(), job.table, **job.who, **self.options))
            except UnveilError as error:
                why = in_command_line_words(error)
                text = why if job.name in why else f"{job.name}: {why}"
                failed.append({job.kind: job.name, "error": text})
            except KeyboardInterrupt:
                failed.append({job.kind: job.name, "error": f"{job.name}: interrupted"})
                return findings, failed, True
        return findings, failed, False


class _Job(NamedTuple):
    """One thing to test: a release or what publishes, and of which table."""

    kind: str
    name: str
    get: Callable[[], AnyRelease | Sanitizer]
    table: Microdata
    who: dict[str, Any]
    """Who is held out."""


def _itself(sanitizer: Sanitizer) -> Sanitizer:
    return sanitizer


def _show(findings: Sequence[Inference], out: Console, *, known: Sequence[str]) -> None:
    """Table, words, and what else has to be said besides the notes that are known."""
    out.print(_table(findings))
    out.print()
    for finding in findings:
        out.print(in_command_line_words(finding.verdict(display_name(finding.made_by))))
    out.print()
    said = {
        f"Note: {in_command_line_words(note)}": None
        for finding in findings
        for note in finding.notes
        if note not in known
    }
    who = {
        f"{label}: {sides.adversary.explained}.": None
        for finding in findings
        for label, sides in finding.against.items()
    }
    for line in [*said, _MEANING, *who]:
        out.print(line)


def _table(findings: Sequence[Inference]) -> Table:
    """One row an anonymization and attacker."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("anonymization\nand attacker", no_wrap=True)
    for head in ("prior", "not in the\nrelease", "in the\nrelease"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("difference\n(points)", justify="right", no_wrap=True, style="bold")
    table.add_column("sure,\nand right", justify="right", no_wrap=True)
    for finding in findings:
        table.add_row(display_name(finding.made_by))
        for label, sides in finding.against.items():
            gap, outside, rightly = sides.gap, sides.outside, sides.inside.accuracy_if_sure
            table.add_row(
                f"  {label}",
                f"{finding.baseline:.1%}",
                _NOTHING if outside is None else f"{outside.accuracy.value:.1%}",
                f"{sides.inside.accuracy.value:.1%}",
                _NOTHING if gap is None else points(gap).replace(" points", ""),
                f"{sides.inside.sure.value:.1%}"
                + (f", {rightly:.1%}" if rightly is not None else ""),
            )
    return table
