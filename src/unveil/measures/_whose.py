"""The people of a release or of microdata in which a person may have several rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from unveil.engine.counting import Contingency, KeyColumn, PeopleHeld
from unveil.errors import Cell, InputError, Option, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.measures._counted import (
    Counting,
    count_people,
    people_of,
    published_key,
    secret_of,
)
from unveil.microdata import (
    AnyRelease,
    Column,
    Microdata,
    Persons,
    Release,
    check_person,
    refuse_unknown_persons,
)


def people_by_class(table: Any, **counting: Unpack[Counting]) -> Contingency:
    """The people of each class where a person may have several rows, else the records.

    For measures of who can be told apart. A file is counted by its engine.
    """
    several: Persons | None = getattr(table, "several", None)
    if several is not None:
        refuse_counting(counting)
        return people_held(table, several, counting.get("quasi"))
    check_person(counting.get("person"))
    if counting.get("person") and not isinstance(table, AnyRelease | Microdata | Contingency):
        if counting.get("wildcard") is not None:
            raise not_by_person("wildcard")
        there = people_of(table, counting)
        if there.people < there.records:
            return there.of_classes()
        counting["person"] = False  # one row of each
    return count_people(table, **counting)


def refuse_counting(counting: Counting) -> None:
    """Refuse how to read what is read already; its people are counted in memory."""
    for name, given in counting.items():
        if name == "wildcard" and given is not None:
            raise not_by_person(name)
        if name not in ("quasi", "sensitive", "engine", "memory") and given is not None:
            raise InputError(
                "microdata and releases are read already: give {option} when reading them",
                option=Option(name),
            )  # fmt: skip


def not_by_person(option: str) -> InputError:
    """Why an option is refused where a person has several rows."""
    return InputError("{option} is for tables with one row per person: counted by person there is "
                      "no such measure yet", option=Option(option))  # fmt: skip


def people_held(
    table: AnyRelease | Microdata,
    persons: Persons,
    knows: str | Sequence[str] | None = None,
    of: str | None = None,
) -> PeopleHeld:
    """The people of a table, by the keys that an attacker knows.

    Parameters
    ----------
    of : str, optional
        What is counted in the classes. Default: the sensitive column.
    """
    if persons.of is None:
        refuse_unknown_persons(persons)
    if not isinstance(table, Release | Microdata):
        raise InputError("{release} publishes {instead}: no measure of it counts people where a "
                         "person has several rows", release=table.maker, instead=table.instead,
                         )  # fmt: skip
    known = _keys(table, knows, of)
    name = table.sensitive.name if of is None else of
    source = table.source if isinstance(table, Microdata) else f"the release by {table.made_by}"
    return PeopleHeld(
        keys={one: _cells(table, one) for one in known},
        whose=np.unique(persons.of, return_inverse=True)[1],
        secret=secret_of(_column(table, name)), codes=_column(table, name).codes.astype(np.int64),
        source=source, notes=table.notes,
        made_from=None if isinstance(table, Microdata) else table,
    )  # fmt: skip


def _column(table: Release | Microdata, name: str) -> Column:
    """The column whose values are counted; of a release, the sensitive one."""
    if isinstance(table, Microdata):
        return table[name]
    if name != table.sensitive.name:
        raise InputError("{name} is generalized: where a person has several rows, what is told is "
                         "{secret}", name=ColumnName(name),
                         secret=ColumnName(table.sensitive.name))  # fmt: skip
    return table.sensitive


def _cells(table: Release | Microdata, name: str) -> KeyColumn:
    """What is published in a column, row by row; what is written alike is one cell."""
    if isinstance(table, Microdata):
        column = table[name]
        return KeyColumn(column.codes.astype(np.int64), tuple(column.values.tolist()))
    place = [column.name for column in table.quasi].index(name)
    key = published_key(table.quasi[place], table.regions[place])
    return key.take(table.class_of.astype(np.int64))


def _keys(
    table: Release | Microdata, knows: str | Sequence[str] | None, of: str | None
) -> list[str]:
    """The columns that the attacker knows; refused if one is no quasi-identifier."""
    there = [column.name for column in table.quasi if column.name != of]
    asked = there if knows is None else [knows] if isinstance(knows, str) else list(knows)
    for name in asked:
        if name not in there:
            raise InputError(
                "{option} names {name}, which is not a quasi-identifier{near} (those are {names})",
                option=Option("knows"), name=Cell(name), near=did_you_mean(str(name), there),
                names=", ".join(there),
            )  # fmt: skip
    return asked
