"""``unveil composition``: put several releases about the same people together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.attacks import composition
from unveil.cli._console import console, slow_start
from unveil.cli._guard import in_command_line_words
from unveil.cli._linkage_words import LookedUp, looked_up, show_people
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
from unveil.cli._releases import Collected, Given, ToRead, read_all
from unveil.errors import InputError, did_you_mean
from unveil.microdata import column_cells, open_release

if TYPE_CHECKING:
    from unveil.microdata import Microdata

__all__ = ["CompositionTest"]

_FEWEST = 2  # releases


@dataclass(frozen=True, kw_only=True)
class CompositionTest:
    """What `unveil composition` was asked for."""

    reading: Reading
    given: Given
    whom: Whom
    k: int | None
    pseudonym: str | None
    persons: Sequence[str]
    json: Path | None
    records: bool
    csv: Path | None
    plot: Path | None

    def run(self) -> None:
        """Read, intersect, report."""
        self._check()
        out = console(stderr=is_stdout(self.json) or is_stdout(self.csv))
        reading = self.whom.reading(self.reading)
        microdata = reading.read() if reading.is_given else None
        people = self.whom.options(self.reading, microdata)
        check_persons(self.persons, people)
        done = Collected()
        wanted = self.given.to_read(self.reading, microdata)
        _check_names(wanted)
        read_all(wanted, done)
        if done.failed:  # what all of them tell together cannot be said without one
            raise InputError(done.failed[0][1])
        found = self._found(done, microdata, people)
        if self.json is not None:
            write_findings(self.json, [found], records=self.records)
        if self.csv is not None:
            write_rows(self.csv, found.to_frame())
            if not is_stdout(self.csv):
                out.print(f"rows: {self.csv}", soft_wrap=True)
        if self.plot is not None:
            save_picture(self.plot, found.finding.plot(), out)
        for one, _ in done.releases:
            for note in one.notes():
                out.print(f"Note: {in_command_line_words(note)}\n")
        print_text(found.summary(), out)
        show_people(found, out)

    def _check(self) -> None:
        """Everything that can be wrong is told before the long work."""
        source = self.reading.file if self.reading.is_given else None
        check_results(json=self.json, plot=self.plot, records=self.records, source=source)
        check_rows(self.csv, json=self.json, plot=self.plot)
        given = self.given
        number = len([*given.releases, *given.anatomies, *dict.fromkeys(given.sanitizers)])
        if number < _FEWEST:
            raise InputError(
                f"composition puts two or more releases together, got {number}: give them with "
                "--release, --anatomy or --sanitizer; unveil linkage looks at one"
            )
        given.check(self.reading, names_people=True)
        self.whom.check(self.reading)
        if self.pseudonym is not None and given.anatomies:
            raise InputError(
                "--pseudonym names records that have their own sensitive values, and those of "
                "--anatomy have none"
            )

    def _found(
        self, done: Collected, microdata: Microdata | None, people: dict[str, Any]
    ) -> LookedUp:
        external = people.pop("external")
        pseudonyms = None
        if self.pseudonym is not None:
            pseudonyms = [
                _pseudonyms(one, self.pseudonym, self.reading, microdata)
                for one, _ in done.releases
            ]
        with slow_start():
            finding = composition(
                {one.name: release for one, release in done.releases},
                microdata,
                external=None if external is microdata else external,
                k=self.k,
                pseudonyms=pseudonyms,
                **people,
            )
        return looked_up(finding, "composition", self.persons)


def _check_names(wanted: Sequence[ToRead]) -> None:
    names = [one.name for one in wanted]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"two releases are called {name!r}; give them names: --release 'first={name}'"
            )


def _pseudonyms(
    one: ToRead, column: str, reading: Reading, microdata: Microdata | None
) -> Sequence[str]:
    """What names the records of a release, in their order."""
    if one.file is None:  # what a sanitizer makes of FILE has its order
        assert microdata is not None
        there = {c.name: c for c in microdata.columns}
        if column not in there:
            raise InputError(
                f"--pseudonym {column!r} is not in {microdata.source}{did_you_mean(column, there)} "
                f"(columns: {', '.join(there)})"
            )
        texts = there[column].texts
        return [texts[code] for code in there[column].codes.tolist()]
    source = open_release(one.file, delimiter=None, encoding=reading.encoding or "utf-8")
    cells = column_cells(source, column).distinct
    if cells.missing.any():
        row = int(cells.missing.argmax()) + 1
        raise InputError(f"row {row}, column {column!r} of {source.name}: there is no pseudonym")
    listed = cells.texts()
    return [listed[code] for code in cells.codes.tolist()]
