"""``unveil minimality``: what does the way of working tell beyond the release?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from unveil._text import harmless
from unveil.attacks import Minimality, minimality
from unveil.cli._console import console, folded
from unveil.cli._guard import in_command_line_words
from unveil.cli._outputs import check_results, is_stdout, save_picture, write_findings
from unveil.cli._reading import Reading, heading
from unveil.cli._testing import warm_up
from unveil.errors import InputError
from unveil.microdata import Microdata, read_release
from unveil.sanitize import sanitizer_named

__all__ = ["MinimalityTest"]


@dataclass(frozen=True, kw_only=True)
class MinimalityTest:
    """What `unveil minimality` was asked for."""

    reading: Reading
    sanitizers: Sequence[str]
    release: Path | None
    notation: dict[str, str]
    scope: str | None
    steps: int
    draws: int | None
    seed: int
    person: Sequence[int]
    json: Path | None
    records: bool
    plot: Path | None

    def run(self) -> None:
        """Read, count, report."""
        self._check()
        sanitizer = sanitizer_named(self.sanitizers[0])
        out = console(stderr=is_stdout(self.json))
        microdata = self.reading.read()
        out.print(heading(microdata))
        self._check_people(microdata)
        published = None
        if self.release is not None:
            published = read_release(
                self.release, microdata, notation=self.notation,
                encoding=self.reading.encoding or "utf-8",
            )  # fmt: skip
        warm_up([sanitizer], adversary=None)
        finding = minimality(
            sanitizer, microdata, release=published, scope=self.scope,  # type: ignore[arg-type]
            steps=self.steps, draws=self.draws, seed=self.seed,
        )  # fmt: skip
        # The files first: whoever reads the report may stop in the middle.
        if self.json is not None:
            write_findings(self.json, [finding], records=self.records)
        if self.plot is not None:
            save_picture(self.plot, finding.plot(), out)
        for line in [*finding.summary().splitlines(), *self._looked_up(finding)]:
            out.print(folded(harmless(in_command_line_words(line)), out.width), soft_wrap=True)

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        if len(self.sanitizers) != 1:
            raise InputError(f"one release, one --sanitizer; got {', '.join(self.sanitizers)}")
        check_results(
            json=self.json, plot=self.plot, records=self.records, source=self.reading.file
        )
        if self.notation and self.release is None:
            raise InputError("--notation is for generalized cells; give them with --release")

    def _check_people(self, microdata: Microdata) -> None:
        for person in self.person:
            if person not in microdata.rows + 1:
                raise InputError(
                    f"--person {person}: rows of {microdata.source} are numbered from 1 to "
                    f"{int(microdata.rows.max()) + 1:,}, and those that were left out cannot be "
                    "asked about"
                )

    def _looked_up(self, finding: Minimality) -> list[str]:
        """What is believed of the people who were asked about."""
        lines = []
        for person in self.person:
            record = int((finding.microdata.rows + 1 == person).argmax())
            table = finding.beliefs_of(record).to_string(
                index=False, float_format=lambda number: f"{number:.3f}"
            )
            lines += ["", f"Row {person}:", *(f"  {line}" for line in table.splitlines())]
        return lines
