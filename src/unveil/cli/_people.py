"""People whom the attacker knows, and columns that tell whose a record is, from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people import (
    External,
    external_of,
    has_repeated,
    named_people,
    people_of_list,
    person_columns,
)
from unveil.cli._reading import on_disk
from unveil.errors import Cell, Column, File, InputError, Option, Row, did_you_mean
from unveil.microdata import Role, column_cells, open_release

if TYPE_CHECKING:
    from unveil.cli._releases import ToRead
    from unveil.microdata import Microdata, Source


def opened_people(path: Path, encoding: str | None) -> Source:
    """A table of people, opened; a dash means standard input."""
    with on_disk(path) as file:
        return open_release(file, delimiter=None, encoding=encoding)


def records_of(source: Source, name: str, microdata: Microdata) -> NDArray[np.int64]:
    """Everybody's record in FILE, from the rows that a column has; -1 where it is empty."""
    cells = column_cells(source, name)
    place = {int(row) + 1: record for record, row in enumerate(microdata.rows)}
    last = int(microdata.rows.max()) + 1
    found = []
    for position, text in enumerate(cells.texts()):
        number = text.strip().removesuffix(".0")
        if not text.strip():
            found.append(-1)
        elif not (number.isascii() and number.isdigit()) or not 1 <= int(number) <= last:
            raise InputError(
                "{row}, column {column} of {source}: {text} is not a row of {original}; rows are "
                "counted from 1 to {last}",
                row=Row(cells.first_row(position)), column=Column(name),
                source=File(source.name, bare=True), text=Cell(text),
                original=File(microdata.source, bare=True), last=last,
            )  # fmt: skip
        else:  # rows that were left out, for missing values, are nobody's
            found.append(place.get(int(number), -1))
    return np.array([*found, -1], dtype=np.int64)[cells.codes]


def cells_of(
    one: ToRead, option: Option, encoding: str | None, microdata: Microdata | None
) -> Sequence[str]:
    """The cells of a column of a release, in the order of its records.

    What a sanitizer makes of the original has the order of the original, and its columns.
    """
    column = option.value
    if one.file is None:
        assert microdata is not None
        there = {c.name: c for c in microdata.columns}
        if column not in there:
            raise InputError(
                "{option} is not a column of {source}{near} (columns: {columns})",
                option=option, source=File(microdata.source, bare=True),
                near=did_you_mean(column, there), columns=", ".join(there),
            )  # fmt: skip
        return [there[column].texts[code] for code in there[column].codes.tolist()]
    source = open_release(one.file, delimiter=None, encoding=encoding)
    cells = column_cells(source, column)
    if cells.missing.any():
        raise InputError(
            "{row}, column {column} of {source}: the cell is empty, and {option} needs one in "
            "every row",
            row=Row(int(cells.missing.argmax()) + 1), column=Column(column),
            source=File(source.name, bare=True), option=Option(option.name),
        )  # fmt: skip
    listed = cells.texts()
    return [listed[code] for code in cells.codes.tolist()]


def check_persons(persons: Sequence[str], people: Mapping[str, Any]) -> None:
    """Refuse, before the long work, somebody who is not among the people.

    ``people`` has the table of people, and the options of the attack that say how to read it.
    """
    table = people.get("external", people.get("microdata"))
    if table is None:  # the people are those of the release, which is yet to be read
        return
    name = people.get("identifier")
    renamed = people.get("rename") or {}
    called = {ours: theirs for ours, theirs in renamed.items() if ours == name}
    original = people.get("microdata")
    if "external" in people and original is None and name is None:
        return  # the release, which is yet to be read, may say which column has the people
    if "external" in people:
        everybody = external_of(table, [], name, rename=called)
        columns = person_columns(
            table, people.get("external_person"), [getattr(original, "persons", None)]
        )
        if has_repeated(table, columns) or getattr(original, "several", None) is not None:
            everybody = named_people(everybody, *people_of_list(table, columns))
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
    if microdata.several is not None:
        everybody = external_of(microdata, [], None)
        columns = person_columns(microdata, None, [microdata.several])
        return named_people(everybody, *people_of_list(microdata, columns))
    return External(source=microdata.source, columns={}, name=None, rows=microdata.rows)


def person_number(people: External, person: str) -> int:
    """The number of somebody who is given by name, or by row where people have no names."""
    if people.name is not None:
        return people.number_of(person)
    rows = people.rows.tolist()
    if person.isascii() and person.isdigit() and int(person) - 1 in rows:
        return rows.index(int(person) - 1)
    raise InputError(
        "{person}: people of {source} have no names without {identifier}; give the row of one of "
        "them, from {first} to {last}",
        person=Option("about", person), source=File(people.source, bare=True),
        identifier=Option("identifier"), first=min(rows) + 1, last=max(rows) + 1,
    )  # fmt: skip
