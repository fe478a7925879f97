"""Whose the rows of a release are, and those of the attacker's list of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.people._external import External, Texts, external_of, truth_of
from unveil.engine.counting import combined
from unveil.errors import Call, Column, File, InputError, Listed, Option, View
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Permuted,
    Persons,
    Release,
    Source,
    open_release,
    refuse_unknown_persons,
)
from unveil.options import ExternalPerson


def opened_list(table: Any) -> Any:
    """A list of people, opened once: microdata, or a source; None stays what it is."""
    return table if table is None or isinstance(table, Microdata | Source) else open_release(table)


def person_columns(
    table: Microdata | Source, given: ExternalPerson, persons: Sequence[Persons | None]
) -> tuple[str, ...]:
    """The columns of a list that say whose a row is; none, if each is another person's.

    Those that are given; otherwise those of the releases and the original, if the list has them.
    """
    there = (
        [column.name for column in table.columns] if isinstance(table, Microdata)
        else list(table.columns)
    )  # fmt: skip
    if given is False:
        return ()
    if given is not None:
        asked = (given,) if isinstance(given, str) else tuple(given)
        for name in asked:
            if name not in there:
                raise InputError(
                    "{option} names {name}, which is not a column of {source} (columns: {columns})",
                    option=Option("external_person"), name=Column(name), columns=", ".join(there),
                    source=table.file,
                )  # fmt: skip
        return asked
    for one in persons:
        if one is not None and all(name in there for name in one.columns):
            return one.columns
    return ()


def people_of_list(
    table: Microdata | Source, columns: Sequence[str]
) -> tuple[NDArray[np.intp], Texts | None]:
    """The person of each row of a list, numbered as they come, and what each row's is called."""
    if not columns:
        whose = people_of(table) if isinstance(table, Microdata) else np.arange(table.n_rows)
        return in_order(whose), None
    texts = external_of(table, columns, None).columns
    for name, one in texts.items():
        if (one.codes < 0).any():
            raise InputError(
                "column {name} of {source} says whose a row is, and is empty in {n:row}; fill it "
                "in, or leave these rows out", name=Column(name), source=table.file,
                n=int((one.codes < 0).sum()),
            )  # fmt: skip
    number = in_order(combined([one.codes.astype(np.int64) for one in texts.values()])[1])
    return number, next(iter(texts.values())) if len(texts) == 1 else None


def has_repeated(table: Microdata | Source, columns: Sequence[str]) -> bool:
    """Whether somebody has several rows in a list."""
    whose = people_of_list(table, columns)[0]
    return len(whose) > 0 and int(whose.max()) + 1 < len(whose)


def refuse_same_names(people: External, whose: NDArray[np.intp]) -> None:
    """Ask whose the rows of a list are, if names repeat and nobody has said what that means."""
    names = [name for name in people.names if name is not None]
    twice = len(names) - len(set(names))
    if twice and int(whose.max(initial=-1)) + 1 == len(whose):
        raise InputError(
            "{source} has {rows:row} and {names} names, and a person may have several rows; name "
            "the column that says whose a row is, {some}, or say that each row is another "
            "person's, {none}",
            source=File(people.source, bare=True), rows=len(names), names=len(set(names)),
            some=Option("external_person", "…"), none=_Nobody("external_person", False),
        )  # fmt: skip


class _Nobody(Option):
    """That each row is another person's: in a shell a word."""

    def shown(self, view: View) -> str:
        if view.medium == "shell":
            return "--external-person none"
        return super().shown(view)


def in_order(numbers: NDArray[np.integer]) -> NDArray[np.intp]:
    """The same groups, numbered from 0 as they come.

    >>> in_order(np.array([7, 2, 7, 9])).tolist()
    [0, 1, 0, 2]
    """
    _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[place.ravel()]


def people_of(microdata: Microdata) -> NDArray[np.int64]:
    """The person of each record of the original."""
    several = microdata.several
    if several is None or several.of is None:
        return np.arange(len(microdata))
    return several.of


def known_records(
    release: Release | Permuted,
    table: Any,
    people: External,
    whose: NDArray[np.intp],
    names: Texts | None,
    microdata: Microdata | None,
    *,
    identifier: str | None,
    record_of: Any,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The record of each row of a list in the original, and the number of each person there.

    -1 where that is not known, and for people who are not in the original. People are found by
    what the column of persons calls them, or by name.
    """
    rows, number = np.full(len(whose), -1), int(whose.max(initial=-1)) + 1
    persons = np.full(number, -1)
    if microdata is None or record_of is not None or table is microdata:
        truth = truth_of(release, people, table, microdata, identifier=identifier,
                         record_of=record_of)  # fmt: skip
        if truth is None or microdata is None:
            return rows, persons
        rows = truth.record_of
        known = np.flatnonzero(rows >= 0)
        persons[whose[known]] = people_of(microdata)[rows[known]]
        return rows, persons
    theirs, called = _called(people, names), _names(microdata, identifier)
    if theirs is None or called is None:
        raise InputError(
            "people of {source} cannot be found in {original}: name the column that both have with "
            "{person} or {identifier}, or give everybody's record with {record_of}",
            source=File(people.source, bare=True), original=microdata.file,
            person=Option("external_person"), identifier=Option("identifier"),
            record_of=Option("record_of"),
        )  # fmt: skip
    own = people_of(microdata).tolist()
    where = dict(zip(called, own, strict=True))
    others = sum(where[name] != person for name, person in zip(called, own, strict=True))
    if others:
        raise InputError(
            "{n:row} of {original} {have} a name that another person has; give a column that names "
            "each person, or everybody's record with {record_of}", n=others,
            original=microdata.file, have="has" if others == 1 else "have",
            record_of=Option("record_of"),
        )  # fmt: skip
    for row, name in enumerate(theirs):
        persons[whose[row]] = -1 if name is None else where.get(name, -1)
    return rows, persons


def _called(people: External, names: Texts | None) -> list[str | None] | None:
    """What the person of each row of a list is called."""
    if names is not None:
        return [names.texts[code] for code in names.codes.tolist()]
    return None if people.name is None else people.names


def _names(microdata: Microdata, identifier: str | None) -> list[str] | None:
    """What the person of each record is called, by the column of persons or an identifier."""
    columns = () if microdata.persons is None else microdata.persons.columns
    there = {column.name: column for column in microdata.columns}
    name = identifier or (columns[0] if len(columns) == 1 else None)
    if name not in there:
        return None
    return [there[name].texts[code] for code in there[name].codes.tolist()]


def named_people(people: External, whose: NDArray[np.intp], names: Texts | None) -> External:
    """One row of a list for each person, the first of theirs, with what they are called."""
    first = np.unique(whose, return_index=True)[1]
    return replace(people, name=people.name or names).take(first)


def released_people(release: AnyRelease, what: str) -> tuple[Release, NDArray[np.int64]]:
    """A release whose rows' people are known, and the person of each row."""
    persons = release.persons
    if persons is not None and persons.of is None:
        refuse_unknown_persons(persons)
    if not isinstance(release, Release):
        raise InputError(
            "{what} counts people among published rows where a person has several, and {release} "
            "publishes none, {instead}; {others} test such releases",
            what=what, release=release.maker, instead=release.instead,
            others=Listed([Call("inference"), Call("membership")], "and"),
        )  # fmt: skip
    if persons is None or persons.of is None:
        return release, np.arange(len(release))
    return release, persons.of
