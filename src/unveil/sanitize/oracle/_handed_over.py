"""What an oracle gets to know of whose the rows are, and whose those are that it returns.

By default nothing: a program that is audited does not get the column of persons, as little as
identifiers, because it is not published. A program that is made to count people gets it if the
user says so, with numbers in place of the names.
"""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from unveil.errors import InputError, Option
from unveil.microdata import (
    Column,
    Kind,
    Microdata,
    Persons,
    Release,
    Role,
    unknown_persons,
)

# A table is handed over many times, and what is made for it is kept by the table handed over.
_HANDED: WeakKeyDictionary[Microdata, dict[bool, Microdata]] = WeakKeyDictionary()


def handed_over(microdata: Microdata, *, gives_person: bool) -> Microdata:
    """The table as an oracle gets it: without names, and without whose the rows are if not told.

    A person's number is that of their first row in the source. It stays the same where other
    people are left out.

    >>> import unveil as uv
    >>> stays = uv.read_table({"who": list("BAB"), "age": [1, 2, 3], "ill": list("xyx")},
    ...                       quasi="age", sensitive="ill", person="who")
    >>> handed_over(stays, gives_person=False).to_frame().columns.tolist()
    ['age', 'ill']
    >>> handed_over(stays.without(0), gives_person=True).to_frame()["who"].tolist()
    [1]
    """
    known = _HANDED.get(microdata, {})
    if gives_person not in known:
        made = _made(microdata, gives_person)
        if made is microdata:  # to keep it by itself would be to keep it for good
            return made
        known[gives_person] = made
        _HANDED[microdata] = known
    return known[gives_person]


def _made(microdata: Microdata, gives_person: bool) -> Microdata:
    if gives_person:
        return _numbered(microdata)
    bare = microdata.nameless
    return bare if bare.persons is None else replace(bare, persons=None)


def _numbered(microdata: Microdata) -> Microdata:
    """The table with a number for the person of each row."""
    persons = microdata.persons
    if persons is None or persons.of is None:
        raise InputError(
            "{option} was said, but nobody has said whose a row of {table} is; name the column "
            "with {person}", option=Option("gives_person", True), table=microdata.file,
            person=Option("person"),
        )  # fmt: skip
    first = microdata.rows[persons.first]
    order = np.argsort(first)
    values, place = first[order], np.argsort(order)
    return replace(
        microdata.nameless,
        columns=(
            *microdata.nameless.columns,
            *(
                Column(name=name, role=Role.OTHER, kind=Kind.NUMERIC, values=values,
                       codes=place[persons.of].astype(np.int32))
                for name in persons.columns
            ),
        ),
    )  # fmt: skip


def whose(release: Release, table: Microdata) -> Persons | None:
    """Whose the released rows are: as published, or as their places tell; else nobody knows.

    Places tell if there are as many rows, and the cells and the sensitive value of each can be
    those of the record in its place. ``table`` is what the oracle was asked about.
    """
    if table.several is None:
        return release.persons
    if release.persons is not None and release.persons.of is not None:
        return release.persons
    return table.persons if _in_order(release, table) else unknown_persons(table)


def _in_order(release: Release, table: Microdata) -> bool:
    """Whether every row can be that of the record in its place."""
    if release.perturbed or len(release) != len(table):
        return False
    return bool((release.sensitive.codes == table.sensitive.codes).all()) and all(
        regions.covers_each(release.class_of, codes).all()
        for regions, codes in zip(release.regions, table.codes, strict=True)
    )
