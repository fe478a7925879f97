"""Whose the rows are: visits, claims, transactions and waves of a panel are several of a person.

Counted as rows, five visits of one person make a class of five, and nobody seems to be alone. So
the column that says whose a row is has a role of its own, and what is about people counts people.
If identifiers repeat and nobody has said what that means, the table is not read until somebody has:
no figure would be of anybody.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Column as ColumnName
from unveil.errors import File, InputError, Listed, Message, Option, PersonsError, Row, Text, View
from unveil.microdata._repeats import combined, many_equal, names_repeat, says_whose
from unveil.microdata.vocabulary import names_family, names_person

if TYPE_CHECKING:
    from unveil.microdata._distinct import Distinct


@dataclass(frozen=True, eq=False)
class Persons:
    """The person of each record.

    Attributes
    ----------
    columns : tuple of str
        Which say whose a record is, together.
    of : array of int, or None
        A number for the person of each record. None: nobody knows whose these records are, only
        that a person may have several.

    Examples
    --------
    >>> import numpy as np
    >>> stays = Persons(("patient",), np.array([0, 0, 1, 2, 2, 2]))
    >>> stays.count, stays.rows.tolist(), stays.repeat
    (3, [2, 1, 3], True)
    >>> stays.take(np.array([1, 2])).repeat
    False
    >>> stays.first.tolist()
    [0, 2, 3]
    """

    columns: tuple[str, ...]
    of: NDArray[np.int64] | None

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """How many records each person has, by their number."""
        assert self.of is not None
        return np.bincount(self.of)

    @cached_property
    def first(self) -> NDArray[np.intp]:
        """The first record of each person, by their number."""
        assert self.of is not None
        return np.unique(self.of, return_index=True)[1]

    @property
    def count(self) -> int:
        """How many people there are."""
        return len(self.rows)

    @property
    def repeat(self) -> bool:
        """Whether somebody has, or may have, several records."""
        return self.of is None or self.count < len(self.of)

    @cached_property
    def _by_person(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The records person by person, and where those of each begin, and all end."""
        assert self.of is not None
        starts = np.concatenate([[0], np.cumsum(self.rows)])
        return np.argsort(self.of, kind="stable"), starts

    @property
    def order(self) -> NDArray[np.intp]:
        """The records person by person."""
        return self._by_person[0]

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the records of each person begin in `order`; the last entry is their number."""
        return self._by_person[1]

    def beside(self, records: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Each of some records with each record of its person: places among them, and records.

        >>> import numpy as np
        >>> Persons(("patient",), np.array([0, 1, 0])).beside(np.array([2, 1]))
        (array([0, 0, 1]), array([0, 2, 1]))
        """
        assert self.of is not None
        whose = self.of[records]
        rows = self.rows[whose]
        place = np.repeat(np.arange(len(records)), rows)
        within = np.arange(len(place)) - np.repeat(np.cumsum(rows) - rows, rows)
        return place, self.order[self.starts[whose][place] + within]

    def take(self, records: NDArray[np.intp]) -> Persons:
        """Those of some of the records."""
        if self.of is None:
            return self
        return Persons(self.columns, np.unique(self.of[records], return_inverse=True)[1])


class HasPersons(Protocol):
    """A table of which a person may have several records."""

    @property
    def several(self) -> Persons | None:
        """Whose the records are, if somebody has several."""

    def __len__(self) -> int:
        """How many records there are."""


@dataclass(frozen=True, eq=False)
class _Answer(Option):
    """Whose a row is: how that is said in Python, in a shell and in a project file."""

    def shown(self, view: View) -> str:
        if view.medium == "project":
            if not self.value:
                return 'person = "none" under [data]'
            names = [self.value] if isinstance(self.value, str) else self.value
            return " and ".join(
                f'{name} = "person"' if name.isidentifier() else f'"{name}" = "person"'
                for name in names
            )
        if view.medium == "shell" and not self.value:
            return "--person none"
        return super().shown(view)


def check_person(person: Any) -> None:
    """Refuse what cannot say whose a row is."""
    if person is True:
        raise InputError(
            "{option} must name the column that says whose a row is, or be False if each row is "
            "another person's, but True was given", option=Option("person"),
        )  # fmt: skip


def persons_of(columns: Mapping[str, Distinct]) -> Persons:
    """Whose the rows are, by the columns that say it together."""
    for column in columns.values():
        gone = np.flatnonzero(column.missing)
        if len(gone):
            raise InputError(
                "{where}, {row}: it says whose a row is, and is empty in {n:row}; fill it in, or "
                "leave these rows out", where=column.where, row=Row(int(gone[0]) + 1), n=len(gone),
            )  # fmt: skip
    return Persons(tuple(columns), combined(columns))


def unknown_persons(table: HasPersons) -> Persons | None:
    """Those of records of a table that nobody can tell apart any more."""
    return None if table.several is None else replace(table.several, of=None)


def numbered_people(table: HasPersons) -> NDArray[np.intp]:
    """The number of each record's person, in the order of their first records.

    >>> import unveil as uv
    >>> stays = uv.read_table({"who": list("babc"), "age": range(4), "ill": list("xyxy")},
    ...                       quasi="age", sensitive="ill", person="who")
    >>> numbered_people(stays).tolist()
    [0, 1, 0, 2]
    """
    several = table.several
    if several is None:
        return np.arange(len(table))
    assert several.of is not None
    _, first, number = np.unique(several.of, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number.ravel()]


def refuse_unknown_persons(persons: Persons) -> NoReturn:
    """Refuse a release of which nobody knows whose its rows are: what is not known is not counted.

    >>> refuse_unknown_persons(Persons(("patient",), None))
    Traceback (most recent call last):
    unveil.errors.InputError: a person may have several rows ('patient' says whose a row is), ...
    """
    raise InputError(
        "a person may have several rows ({columns} says whose a row is), and nobody knows whose "
        "the published rows are; audit the program that makes the release, or a file that still "
        "has that column", columns=ColumnName(", ".join(persons.columns)),
    )  # fmt: skip


def refuse_repeated(
    identifiers: Mapping[str, Distinct],
    others: Mapping[str, Distinct],
    unroled: Collection[str],
    source: File,
) -> None:
    """Ask whose rows are, if identifiers repeat, or unused columns named as those of people are.

    Names, addresses and telephone numbers are shared by families and namesakes. They are a sign
    only if many rows share all of them, and these rows are alike in other columns, too.
    """
    family = {name: one for name, one in identifiers.items() if names_family(name)}
    for name, one in identifiers.items():
        if name in family:
            continue
        there = one.codes[~one.missing]
        if len(np.unique(there)) < len(there):
            raise _question({name: one}, source)
    if family and len(family) == len(identifiers) and names_repeat(family, others):
        raise _question(family, source)
    for name in unroled:
        sign = says_whose(name, others)
        if sign is not None:
            raise _question({name: others[name]}, source, None if names_person(name) else sign)


def _question(
    columns: Mapping[str, Distinct], source: File, sign: Text | None = None
) -> PersonsError:
    rows = len(next(iter(columns.values())).codes)
    return whose_rows(list(columns), rows, len(np.unique(combined(columns))), source, sign)


def whose_rows(
    columns: Sequence[str], rows: int, people: int, source: File, sign: Text | None = None
) -> PersonsError:
    """The question whose the rows are; ``sign`` says why it is asked, if not because of names."""
    named: Any = columns[0] if len(columns) == 1 else list(columns)
    return PersonsError(
        "{source} has {rows:row} and {people} values of {columns}{why}, and figures "
        "of rows say nothing about people who have several. If rows of one value are one "
        "person's, give {yes}; if each row is another person's, give {no}",
        source=source, rows=rows, people=people,
        columns=Listed([ColumnName(name) for name in columns], "and"),
        why=Message(": {sign}", sign=sign) if sign else ", which names people",
        yes=_Answer("person", named), no=_Answer("person", False),
    )  # fmt: skip


def persons_note(persons: Persons | None) -> list[Text]:
    """What a note says of a table with a column of persons."""
    if persons is None or not persons.columns or persons.of is None:
        return []
    columns = Listed([ColumnName(name) for name in persons.columns], "and")
    return [
        Message("{columns} says whose a row is: {records:record} of {people:person}",
                columns=columns, records=len(persons.of), people=persons.count)
    ]  # fmt: skip


def doubt_of(columns: Collection[Distinct], rows: int) -> Message | None:
    """What speaks against each row being another person's, where nobody has said whose it is."""
    found = many_equal(columns)
    if found is None:
        return None
    equal, names = found
    return Message(
        "{equal} of {rows:row} are equal to another in {columns}, where chance makes few, and "
        "figures of rows say nothing about people who have several. If a person may have several, "
        "give {person}; if each row is another person's, give {no}",
        equal=equal, rows=rows, columns=Listed([ColumnName(name) for name in names], "and"),
        person=Option("person", "COLUMN"), no=_Answer("person", False),
    )  # fmt: skip
