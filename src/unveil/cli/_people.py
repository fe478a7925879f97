"""Whom an attacker knows, from the words of the command line to those of the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people import External, external_of
from unveil.cli._reading import Reading, names, on_disk
from unveil.cli._recoding import recodings
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Role, column_cells, open_release

if TYPE_CHECKING:
    from unveil.microdata import Microdata, Source

__all__ = ["Whom", "check_persons", "opened_people", "people_of", "person_number", "records_of"]


@dataclass(frozen=True, kw_only=True)
class Whom:
    """The people to look for, as typed."""

    file: Path | None
    known: Sequence[str]
    columns: Sequence[str]
    recode: Sequence[str]
    unknown: str
    missing: str
    record_of: str | None

    def check(self, reading: Reading) -> None:
        """What can be wrong without opening a file."""
        called = names(reading.identifier)
        if len(called) > 1:
            raise InputError(f"give one --identifier, which names people; got {', '.join(called)}")
        quasi = names(reading.quasi)
        if not quasi:
            raise InputError("name at least one quasi-identifier: --quasi is empty")
        known = names(self.known) or quasi
        for name in known:
            if name not in quasi:
                raise InputError(
                    f"--known names {name!r}, which is no quasi-identifier"
                    f"{did_you_mean(name, quasi)} (those are {', '.join(quasi)})"
                )
        for option, given in (
            ("--map", renamed(self.columns)), ("--recode", recodings(self.recode)),
        ):  # fmt: skip
            there = [*known, *(called if option == "--map" else ())]
            for name in given:
                if name not in there:
                    raise InputError(
                        f"{option} names {name!r}, which is no column that is looked at"
                        f"{did_you_mean(name, there)} (those are {', '.join(there)}); write the "
                        "release's name first"
                    )
        if self.is_file(reading):
            for option, typed in (("--map", self.columns), ("--record-of", self.record_of)):
                if typed:
                    raise InputError(f"{option} is about another table of people: give --external")
        if self.file is None and not reading.is_given:
            raise InputError(
                "there is nobody to look for: give a table of people with --external, or the "
                "original table as FILE"
            )
        if self.record_of is not None and not reading.is_given:
            raise InputError("--record-of is about the rows of the original table: give FILE")
        if str(self.file) == "-" and str(reading.file) == "-":
            raise InputError("FILE and --external cannot both come from standard input")

    def is_file(self, reading: Reading) -> bool:
        """Whether the people are those of FILE."""
        if self.file is None:
            return True
        both = reading.is_given and self.file.exists() and reading.file.exists()
        return both and self.file.samefile(reading.file)

    def reading(self, reading: Reading) -> Reading:
        """How FILE is read: people are found in it by names, or by their rows."""
        return reading if self.record_of is None else replace(reading, identifier=None)

    def options(self, reading: Reading, microdata: Microdata | None) -> dict[str, Any]:
        """What `linkage` and `composition` are told of the people; opens their table."""
        said: dict[str, Any] = {
            "identifier": next(iter(names(reading.identifier)), None),
            "quasi": names(self.known) or None,
            "mapping": recodings(self.recode) or None,
            "unknown": str(self.unknown),
            "missing": str(self.missing),
        }
        if self.is_file(reading):
            return {**said, "external": microdata}
        assert self.file is not None
        source = opened_people(self.file, reading.encoding)
        if self.record_of is not None:
            assert microdata is not None  # checked
            said["record_of"] = records_of(source, self.record_of, microdata)
        return {**said, "external": source, "columns": renamed(self.columns) or None}


def opened_people(path: Path, encoding: str | None) -> Source:
    """A table of people, opened; a dash means standard input."""
    with on_disk(path) as file:
        return open_release(file, delimiter=None, encoding=encoding or "utf-8")


def renamed(given: Sequence[str]) -> dict[str, str]:
    """Columns with other names, from a repeatable option.

    >>> renamed(["zip=postcode"])
    {'zip': 'postcode'}
    """
    found: dict[str, str] = {}
    for text in given:
        ours, equals, theirs = (part.strip() for part in text.partition("="))
        if not equals or not ours or not theirs:
            raise InputError(
                f"cannot read --map {text!r}; write the column and what it is called in the table "
                "of people, such as 'zip=postcode'"
            )
        if ours in found:
            raise InputError(f"--map names the column {ours!r} twice")
        found[ours] = theirs
    return found


def records_of(source: Source, name: str, microdata: Microdata) -> NDArray[np.int64]:
    """Everybody's record in FILE, from the rows that a column has; -1 where it is empty."""
    cells = column_cells(source, name).distinct
    place = {int(row) + 1: record for record, row in enumerate(microdata.rows)}
    last = int(microdata.rows.max()) + 1
    found = []
    for position, text in enumerate(cells.texts()):
        number = text.strip().removesuffix(".0")
        if not text.strip():
            found.append(-1)
        elif not (number.isascii() and number.isdigit()) or not 1 <= int(number) <= last:
            raise InputError(
                f"row {cells.first_row(position)}, column {name!r} of {source.name}: {text!r} is "
                f"no row of {microdata.source}, which are counted from 1 to {last:,}"
            )
        else:  # rows that were left out, for missing values, are nobody's
            found.append(place.get(int(number), -1))
    return np.array([*found, -1], dtype=np.int64)[cells.codes]


def check_persons(persons: Sequence[str], people: Mapping[str, Any]) -> None:
    """Refuse, before the long work, somebody who is not among the people (`Whom.options`)."""
    if not persons:
        return
    table = people.get("external", people.get("microdata"))
    if table is None:  # the people are those of the release, which is yet to be read
        return
    name = people.get("identifier")
    said = people.get("rename") or people.get("columns") or {}
    called = {ours: theirs for ours, theirs in said.items() if ours == name}
    if "external" in people:
        everybody = external_of(table, [], name, rename=called)
    else:
        everybody = _of_table(table)
    for person in persons:
        person_number(everybody, person)


def people_of(finding: Any) -> External:
    """The people whom a finding is about: those whom the attacker knows, or those of the table."""
    people = getattr(finding, "people", None)
    return people if isinstance(people, External) else _of_table(finding.microdata)


def _of_table(microdata: Microdata) -> External:
    """The people of the original: by name, or by row if it has no identifier or several."""
    named = [column.name for column in microdata.columns if column.role is Role.IDENTIFIER]
    if len(named) == 1:
        return external_of(microdata, [], named[0])
    return External(source=microdata.source, columns={}, name=None, rows=microdata.rows)


def person_number(people: External, person: str) -> int:
    """The number of somebody who is given by name, or by row where people have no names."""
    if people.name is not None:
        return people.number_of(person)
    rows = people.rows.tolist()
    if person.isascii() and person.isdigit() and int(person) - 1 in rows:
        return rows.index(int(person) - 1)
    raise InputError(
        f"--person {person!r}: people of {people.source} have no names without --identifier; give "
        f"the row of one who is looked for, from {min(rows) + 1:,} to {max(rows) + 1:,}"
    )
