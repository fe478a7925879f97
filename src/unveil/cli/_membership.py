"""``unveil membership``: can an attacker tell whose records are in the data?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from unveil.adversary import adversary_named
from unveil.attacks import (
    INTERRUPTED as INTERRUPTED_TEST,
)
from unveil.attacks import (
    Membership,
    Separation,
    attackers_named,
    membership,
    roc_panels,
    split_people,
)
from unveil.cli._asked import Oracles
from unveil.cli._console import console, say
from unveil.cli._guard import BAD_INPUT, INTERRUPTED, in_command_line_words
from unveil.cli._outputs import check_results, is_stdout, save_picture
from unveil.cli._reading import Reading
from unveil.cli._recoding import recodings
from unveil.cli._testing import Outcome, warm_up, was_interrupted, write_json
from unveil.errors import InputError, UnveilError
from unveil.microdata import Microdata
from unveil.report import display_name
from unveil.sanitize import Sanitizer, first_look, sanitizer_named

__all__ = ["MembershipTest"]

_NOTHING = "–"
_MEANING = (
    "AUC: how often a member has a higher score than somebody who is none (guessing: 0.5). TPR: "
    "the share of the members found while at most so many of those held out are taken for "
    "members. Advantage: the largest difference of both shares. In brackets, 95% intervals."
)
_WHO = (
    "Attackers know everything about a person, the secret included, and ask whether that person's "
    "record is in the data. release: sees the published table alone. population: has a sample of "
    "other people as well, anonymized the same way. removal: sees it twice, before and after one "
    "person left."
)


@dataclass(frozen=True, kw_only=True)
class MembershipTest:
    """What `unveil membership` was asked for."""

    reading: Reading
    sanitizers: Sequence[str]
    oracles: Oracles
    attackers: Sequence[str]
    adversaries: Sequence[str]
    held_out: float | None
    held_out_file: Path | None
    recode: Sequence[str]
    own: float
    removals: int
    seed: int
    jobs: int | None
    json: Path | None
    plot: Path | None
    records: bool

    def run(self) -> None:
        """Read, play, report."""
        self._check()
        wanted = [*(sanitizer_named(text) for text in self.sanitizers), *self.oracles.made()]
        microdata = self.reading.read()
        held_out = self._held_out()
        own = self.own if "population" in attackers_named(self.attackers) else 0.0
        mapping = recodings(self.recode) or None
        people = split_people(microdata, held_out, own=own, mapping=mapping, seed=self.seed)
        sanitizers = list(dict.fromkeys(wanted or first_look(people.table)))
        out = console(stderr=is_stdout(self.json))
        out.print(
            f"{microdata.source}: {len(people.members):,} people are published, "
            f"{len(people.held_out):,} are held out"
            + (f", {len(people.own):,} are the attacker's own.\n" if len(people.own) else ".\n")
        )
        for note in people.everybody.notes:
            out.print(f"Note: {in_command_line_words(note)}\n")
        warm_up(sanitizers, adversary="naive-bayes")
        findings, failed = self._played(microdata, held_out, sanitizers)
        # The files first: whoever reads the report may stop in the middle.
        if self.json is not None:
            write_json(self.json, failed, records=self.records, others=findings)
        if self.plot is not None and findings:
            save_picture(self.plot, _picture(findings), out)
        if findings:
            _show(findings, out, known=people.everybody.notes)
        _finish(findings, failed, len(sanitizers))

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        check_results(
            json=self.json, plot=self.plot, records=self.records, source=self.reading.file
        )
        if self.held_out is not None and self.held_out_file is not None:
            raise InputError("give either --held-out or --held-out-file: both say who is held out")
        if recodings(self.recode) and self.held_out_file is None:
            raise InputError("--recode is about the values of --held-out-file: give it")
        for option, share in (("--held-out", self.held_out), ("--own", self.own)):
            if share is not None and not 0 < share < 1:
                raise InputError(f"{option} must be a share above 0 and below 1, got {share:g}")
        for option, given in (
            ("--notation", self.oracles.notation),
            ("--may-change-sensitive", self.oracles.may_change),
        ):
            if given and not self.oracles.given:
                raise InputError(f"{option} is for oracles; give one with --oracle")
        self.oracles.check(releases=False)
        attackers_named(self.attackers)
        if len(self.adversaries) > 1:
            raise InputError(f"give one --adversary; got {', '.join(self.adversaries)}")
        if self.adversaries:
            adversary_named(self.adversaries[0])
        others, source = self.held_out_file, self.reading.file
        if others is not None and others.exists() and source.exists() and others.samefile(source):
            raise InputError(
                f"--held-out-file {str(others)!r} is the members' own table; give one of other "
                "people, or hold out a share of it with --held-out"
            )

    def _held_out(self) -> float | Microdata:
        if self.held_out_file is not None:
            return replace(self.reading, file=self.held_out_file).read()
        return 0.5 if self.held_out is None else self.held_out

    def _played(
        self, microdata: Microdata, held_out: float | Microdata, sanitizers: Sequence[Sanitizer]
    ) -> tuple[list[Membership], list[Outcome]]:
        """The findings, and what could not be done; an interrupt ends the work and keeps them."""
        options: dict[str, Any] = {
            "held_out": held_out, "attackers": self.attackers, "own": self.own,
            "adversary": next(iter(self.adversaries), None), "removals": self.removals,
            "mapping": recodings(self.recode) or None, "seed": self.seed, "n_jobs": self.jobs,
        }  # fmt: skip
        findings: list[Membership] = []
        failed: list[Outcome] = []
        for sanitizer in sanitizers:
            label = sanitizer.label
            try:
                finding = membership(microdata, sanitizer, **options)
            except UnveilError as error:
                why = in_command_line_words(error)
                text = why if label in why else f"{label}: {why}"
                failed.append(Outcome(sanitizer=label, error=text))
                continue
            except KeyboardInterrupt:
                failed.append(Outcome(sanitizer=label, error=f"{label}: {INTERRUPTED_TEST}"))
                break
            findings.append(finding)
            if _was_interrupted(finding):
                break
        return findings, failed


def _was_interrupted(finding: Membership) -> bool:
    return any(INTERRUPTED_TEST in reasons for reasons in finding.not_scored.values())


def _picture(findings: Sequence[Membership]) -> Any:
    """One finding has a picture of its own; several stand side by side."""
    if len(findings) == 1:
        return findings[0].plot()
    return roc_panels(findings, [display_name(finding.sanitizer) for finding in findings])


def _show(findings: Sequence[Membership], out: Console, *, known: Sequence[str]) -> None:
    """Table, words, and what else has to be said besides the notes that are known."""
    out.print(_table(findings))
    out.print()
    for finding in findings:
        out.print(finding.verdict(_called(finding)))
    out.print()
    said: dict[str, None] = {}
    for finding in findings:
        for attacker, reasons in finding.not_scored.items():
            for reason, count in reasons.items():
                said[f"NOT SCORED under {_called(finding)} by {attacker}: {count:,} people: "
                     f"{reason}"] = None  # fmt: skip
        said.update(
            {f"Note: {in_command_line_words(n)}": None for n in finding.notes if n not in known}
        )
        said.update({f"Too few to tell: {text}": None for text in finding.too_few})
    for line in [*said, _WHO, _MEANING, *_beliefs(findings)]:
        out.print(line)


def _called(finding: Membership) -> str:
    return display_name(finding.sanitizer)


def _beliefs(findings: Sequence[Membership]) -> list[str]:
    """Whose beliefs they are; sanitizers may be attacked by different adversaries."""
    under: dict[str, list[str]] = {}
    for finding in findings:
        who = f"those of {finding.adversary.label}, who {finding.adversary.explained}."
        under.setdefault(who, []).append(_called(finding))
    if len(under) == 1:
        return [f"Beliefs: {who}" for who in under]
    return [f"Beliefs under {', '.join(names)}: {who}" for who, names in under.items()]


def _table(findings: Sequence[Membership]) -> Table:
    """One row an anonymization and attacker."""
    rates = next(
        list(found.tpr) for f in findings for found in f.against.values() if found is not None
    )
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("anonymization\nand attacker", no_wrap=True)
    table.add_column("AUC", no_wrap=True, style="bold")
    for rate in rates:
        table.add_column(f"TPR at {100 * rate:g}%", no_wrap=True)
    table.add_column("advantage", justify="right", no_wrap=True)
    for finding in findings:
        table.add_row(_called(finding))
        for attacker, found in finding.against.items():
            table.add_row(f"  {attacker}", *_cells(found, len(rates)))
    return table


def _cells(found: Separation | None, rates: int) -> list[str]:
    if found is None:
        return [_NOTHING] * (rates + 2)
    shares = [_NOTHING if share is None else share.in_percent() for share in found.tpr.values()]
    return [str(found.auc), *shares, f"{found.advantage:.3f}"]


def _finish(findings: Sequence[Membership], failed: Sequence[Outcome], wanted: int) -> None:
    """Say by the exit code that something is missing from the report."""
    if any(map(_was_interrupted, findings)) or was_interrupted(failed):
        done = sum(not _was_interrupted(finding) for finding in findings)
        say(f"interrupted: {done} of {wanted} anonymizations were tested to the end")
        raise typer.Exit(INTERRUPTED)
    for outcome in failed:
        say(f"error: {outcome.error}")
    if failed:
        raise typer.Exit(BAD_INPUT)
