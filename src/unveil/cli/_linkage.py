"""``unveil linkage``: look for people with names in what was published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from unveil.attacks import Linkage, linkage
from unveil.attacks.linking import release_curves
from unveil.cli._console import console, slow_start
from unveil.cli._guard import in_command_line_words
from unveil.cli._linkage_words import MEANING, LookedUp, compared, looked_up, show_people
from unveil.cli._outputs import (
    check_results,
    check_rows,
    is_stdout,
    print_text,
    save_picture,
    write_findings,
    write_rows,
)
from unveil.cli._people import Whom, check_persons
from unveil.cli._reading import Reading
from unveil.cli._releases import Collected, Given, read_all
from unveil.errors import InputError, UnveilError
from unveil.microdata import Release
from unveil.report import display_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from unveil.microdata import Microdata

__all__ = ["LinkageTest"]


@dataclass(frozen=True, kw_only=True)
class LinkageTest:
    """What `unveil linkage` was asked for."""

    reading: Reading
    given: Given
    whom: Whom
    persons: Sequence[str]
    json: Path | None
    records: bool
    csv: Path | None
    plot: Path | None

    def run(self) -> None:
        """Read, look for everybody, report."""
        self._check()
        out = console(stderr=is_stdout(self.json) or is_stdout(self.csv))
        reading = self.whom.reading(self.reading)
        microdata = reading.read() if reading.is_given else None
        people = self.whom.options(self.reading, microdata)
        check_persons(self.persons, people)
        done = _Done()
        read_all(self.given.to_read(self.reading, microdata), done)
        self._look(done, microdata, people)
        self._write(done, out)
        self._show(done, out)
        done.finish(len(done.found))

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        source = self.reading.file if self.reading.is_given else None
        check_results(json=self.json, plot=self.plot, records=self.records, source=source)
        check_rows(self.csv, json=self.json, plot=self.plot)
        if not self.given:
            raise InputError(
                "there is nothing to look into: give what was published with --release or "
                "--anatomy, or what --sanitizer would publish of FILE"
            )
        self.given.check(self.reading, names_people=True)
        self.whom.check(self.reading)

    def _look(self, done: _Done, microdata: Microdata | None, people: dict[str, Any]) -> None:
        """Look into each release; an interrupt ends the work and keeps what has been found."""
        external = people.pop("external")
        for one, release in done.releases:
            try:
                if self.given.may_change and isinstance(release, Release):
                    release = replace(release, perturbed=(release.sensitive.name,))
                with slow_start():
                    finding = linkage(release, external, microdata=microdata, **people)
                done.found.append(looked_up(finding, one.name, self.persons))
            except UnveilError as error:
                done.fail(one, error)
            except KeyboardInterrupt:
                done.ended_at = one
                return
            for note in one.notes():
                done.notes.append(note)

    def _write(self, done: _Done, out: Console) -> None:
        """The files first: whoever reads the report may stop in the middle."""
        if self.json is not None:
            write_findings(self.json, done.found, records=self.records, failed=done.failures())
        if self.csv is not None and done.found:
            write_rows(self.csv, _rows(done.found))
            if not is_stdout(self.csv):
                out.print(f"rows: {self.csv}", soft_wrap=True)
        if self.plot is not None and done.found:
            save_picture(self.plot, _drawn(done), out)

    def _show(self, done: _Done, out: Console) -> None:
        for note in done.notes:
            out.print(f"Note: {in_command_line_words(note)}\n")
        if len(done.found) > 1:
            out.print(compared(done.linked, [one.name for one in done.found]))
            out.print()
            out.print(MEANING)
            out.print()
        for place, one in enumerate(done.found):
            if place:
                out.print()
            print_text(one.summary(), out)
            show_people(one, out)


@dataclass(kw_only=True)
class _Done(Collected):
    """What has become of the releases so far."""

    found: list[LookedUp] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def linked(self) -> list[Linkage]:
        return [one.finding for one in self.found if isinstance(one.finding, Linkage)]


def _rows(found: Sequence[LookedUp]) -> pd.DataFrame:
    """Everybody's row, for one release after the other."""
    import pandas as pd

    if len(found) == 1:
        return found[0].to_frame()
    return pd.concat([one.to_frame().assign(release=one.name) for one in found]).pipe(
        lambda frame: frame[["release", *frame.columns[:-1]]]
    )


def _drawn(done: _Done) -> Axes:
    if len(done.linked) == 1:
        return done.linked[0].plot()
    return release_curves(done.linked, [display_name(one.name) for one in done.found])
