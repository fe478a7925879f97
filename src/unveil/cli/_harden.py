"""``unveil harden``: change what is worst and test again, until the goal holds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import typer

from unveil._text import harmless
from unveil.attacks.differential import distance_named
from unveil.attacks.shared import adversaries_named
from unveil.cli._anonymize import check_place, write_release
from unveil.cli._console import console, folded, say
from unveil.cli._guard import INTERRUPTED, in_command_line_words
from unveil.cli._outputs import check_results, is_stdout, save_picture, write
from unveil.cli._reading import Reading
from unveil.cli._testing import warm_up
from unveil.errors import InputError
from unveil.hardening import Hardening, Round, check_limits, harden, round_line
from unveil.sanitize import sanitizer_named

__all__ = ["NOT_REACHED", "Harden"]

NOT_REACHED = 1
"""The exit code where the goal does not hold in the end."""


@dataclass(frozen=True, kw_only=True)
class Harden:
    """What was asked for."""

    reading: Reading
    sanitizers: Sequence[str]
    delta: float
    strategy: str
    rounds: int
    at_most: float
    adversaries: Sequence[str]
    distance: str
    samples: int | None
    error: float | None
    seed: int
    jobs: int | None
    out: Path | None
    json: Path | None
    plot: Path | None
    records: bool

    def run(self) -> None:
        """Harden, tell and write what comes out; the exit code says whether the goal holds."""
        self._check()
        f = sanitizer_named(self.sanitizers[0])
        microdata = self.reading.read()
        names = list(self.adversaries)
        warm_up(
            [f],
            adversary=names[0] if names else f.attacked_by,
            sampled=self.samples is not None or self.error is not None,
        )
        finding = harden(
            microdata,
            f,
            delta=self.delta,
            strategy=self.strategy,
            rounds=self.rounds,
            at_most=self.at_most,
            adversary=names or None,
            distance=self.distance,
            samples=self.samples,
            error=self.error,
            seed=self.seed,
            n_jobs=self.jobs,
            watch=_say_round if sys.stderr.isatty() else _nothing,
        )
        self._tell(finding)
        if finding.interrupted:
            say("interrupted; the rounds that were finished are above")
            raise typer.Exit(INTERRUPTED)
        if not finding.holds:
            raise typer.Exit(NOT_REACHED)

    def _check(self) -> None:
        """Everything that can be wrong without the table is told before it is read."""
        if len(self.sanitizers) != 1:
            raise InputError(f"one table, one --sanitizer; got {', '.join(self.sanitizers)}")
        source = self.reading.file
        check_results(json=self.json, plot=self.plot, records=self.records, source=source)
        if is_stdout(self.out) and is_stdout(self.json):
            raise InputError("-o and --json cannot both go to standard output; name a file")
        check_limits(self.delta, self.rounds, self.at_most)
        f = sanitizer_named(self.sanitizers[0])
        if self.out is not None:
            check_place(self.out, f, self.reading)
        if self.adversaries:
            adversaries_named(list(self.adversaries))
        distance_named(self.distance)

    def _tell(self, finding: Hardening) -> None:
        out = console(stderr=is_stdout(self.json) or is_stdout(self.out))
        if self.json is not None:
            text = finding.to_json(records=self.records) + "\n"

            def into(file: IO[bytes]) -> None:
                file.write(text.encode())

            write(self.json, into)
        if self.plot is not None:
            save_picture(self.plot, finding.plot(), out)
        for line in finding.summary().splitlines():
            out.print(folded(harmless(in_command_line_words(line)), out.width), soft_wrap=True)
        if self.out is not None:
            write_release(finding.release, self.out)
            if not is_stdout(self.out):
                out.print(
                    f"release: {self.out}, that of round {finding.best.number} "
                    f"({finding.strategy})", soft_wrap=True,
                )  # fmt: skip


def _say_round(strategy: str, done: Round) -> None:
    say(round_line(strategy, done))


def _nothing(strategy: str, done: Round) -> None:
    pass
