"""A table of people with names: what an attacker has besides the release, and the truth about it.

The table needs no sensitive column, so it need not be microdata: any table will do that has the
release's quasi-identifiers. Its values are kept as texts until they are placed among those of a
release. The *truth*, whose record is whose, is what an attacker does not know and whoever tests a
release does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil._text import counted
from unveil.attacks.shared import several
from unveil.errors import (
    Call,
    Cell,
    Column,
    File,
    InputError,
    Listed,
    Message,
    Option,
    Row,
    Text,
    did_you_mean,
)
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Permuted,
    Release,
    Role,
    Source,
    column_cells,
    open_release,
    refuse_other_level,
    refuse_perturbed,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Texts:
    """One column as it is written: which of its texts each person has; -1 where there is none."""

    texts: tuple[str, ...]
    codes: NDArray[np.int32]

    @property
    def occurring(self) -> list[int]:
        """The places of the texts that somebody has."""
        return np.unique(self.codes[self.codes >= 0]).tolist()

    def first(self, text: int) -> int:
        """The first person with that text."""
        return int(np.argmax(self.codes == text))

    def take(self, people: NDArray[np.integer]) -> Texts:
        """The same for some of the people."""
        return Texts(texts=self.texts, codes=self.codes[people])


@dataclass(frozen=True, eq=False, kw_only=True)
class External:
    """People whom the attacker knows.

    Attributes
    ----------
    source : str
        For messages.
    columns : dict of str to Texts
        The quasi-identifiers that the attacker knows.
    name : Texts or None
        What people are called.
    rows : array
        The row of the source that each person was, counted from 0.
    notes : tuple of messages
    """

    source: str
    columns: dict[str, Texts]
    name: Texts | None
    rows: NDArray[np.int64]
    notes: tuple[Text, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, people: NDArray[np.integer]) -> External:
        """Some of the people."""
        columns = {name: column.take(people) for name, column in self.columns.items()}
        name = None if self.name is None else self.name.take(people)
        return replace(self, columns=columns, name=name, rows=self.rows[people])

    @property
    def names(self) -> list[str | None]:
        """What everybody is called; None if that is not known."""
        if self.name is None:
            return [None] * len(self)
        texts = [*self.name.texts, None]
        return [texts[code] for code in self.name.codes.tolist()]

    def described(self, number: int) -> Message:
        """Who one of them is: their name, if there is one, and their row, counted from 1."""
        name = "" if self.name is None else "{name}, "
        return Message(
            name + "row {row} of {source}", name=Cell(self.names[number], bare=True),
            row=int(self.rows[number]) + 1, source=File(self.source, bare=True),
        )  # fmt: skip

    def number_of(self, person: int | str) -> int:
        """The number of one of them, counted from 0, by number or name."""
        if isinstance(person, str):
            names = self.names
            times = names.count(person)
            if times != 1:
                raise InputError(
                    "{how} called {person} in {source}{near}; people also have numbers, from 0 up",
                    how=f"{times:,} people are" if times else "nobody is",
                    person=Cell(person), source=File(self.source, bare=True),
                    near=Cell(
                        "" if times else did_you_mean(person, filter(None, names)), bare=True
                    ),
                )  # fmt: skip
            return names.index(person)
        if not 0 <= person < len(self):
            raise InputError(
                "people are numbered from 0 to {last}, got {person}",
                last=len(self) - 1, person=Cell(person),
            )  # fmt: skip
        return int(person)


def external_of(
    table: Any,
    columns: Sequence[str],
    identifier: str | None,
    *,
    rename: Mapping[str, str] | None = None,
) -> External:
    """Open a table of people.

    Parameters
    ----------
    table : Microdata, pandas, polars or Arrow table, mapping, path, or opened source
        Microdata may have the columns in any role.
    columns : sequence of str
        The quasi-identifiers that it must have.
    identifier : str, optional
        The column with names. By default that of microdata, if it has one; other tables have
        none.
    rename : mapping of str to str, optional
        What the table calls these columns, where it has other names for them.
    """
    theirs = _checked_names(rename, [*columns, *([] if identifier is None else [identifier])])
    if table is None:
        raise InputError(
            "{external} must be a table of people: microdata, a table in memory, or a path",
            external=Option("external"),
        )
    there: Mapping[str, Any]
    if isinstance(table, Microdata):
        there, notes = {column.name: column for column in table.columns}, table.notes
        source, rows = table.source, table.rows
        identifier = _identifier_of(table) if identifier is None else identifier
    else:
        opened = table
        if not isinstance(table, Source):
            opened = open_release(table)
        there, notes = opened.arrays, opened.notes
        source, rows = opened.name, np.arange(opened.n_rows)
    if not len(rows):
        raise InputError("{source} has no records, so there is nobody to look for",
                         source=File(source, bare=True))  # fmt: skip

    def texts(name: str) -> Texts:
        called = theirs.get(name, name)
        if called not in there:
            advice = "" if name in theirs else "; if it has another name there, say {rename}"
            if advice and name in columns:
                advice += (
                    "; if the attacker does not know it, name the columns that they know: {knows}"
                )
            raise InputError(
                "column {called} is not in {source}{near} (columns: {there})" + advice,
                called=Column(called), source=File(source, bare=True), there=", ".join(there),
                near=did_you_mean(called, there), rename=Option("rename", {name: "…"}),
                knows=Option("knows"),
            )  # fmt: skip
        if isinstance(table, Microdata):
            return Texts(texts=there[called].texts, codes=there[called].codes)
        cells = column_cells(opened, called)
        return Texts(texts=tuple(cells.texts()), codes=cells.codes)

    return External(
        source=source, columns={name: texts(name) for name in columns},
        name=None if identifier is None else texts(identifier), rows=rows, notes=notes,
    )  # fmt: skip


def _identifier_of(table: Microdata) -> str | None:
    """The column with names; None if there is none, or several: people then have rows."""
    named = [column.name for column in table.columns if column.role is Role.IDENTIFIER]
    return named[0] if len(named) == 1 else None


def _refuse_several(table: Microdata) -> None:
    """Refuse a table in which people are to be found by name, and which has several."""
    named = [column.name for column in table.columns if column.role is Role.IDENTIFIER]
    if len(named) > 1:
        raise InputError(
            "{source} has several identifiers ({named}); say which one names people: {option}",
            source=File(table.source, bare=True), named=", ".join(named),
            option=Option("identifier", named[0]),
        )  # fmt: skip


def _checked_names(rename: Any, columns: Sequence[str]) -> dict[str, str]:
    if rename is None:
        return {}
    if not isinstance(rename, Mapping) or not all(isinstance(c, str) for c in rename.values()):
        raise InputError(
            "{option} must say what the table of people calls columns of the release, such as "
            "{example}",
            option=Option("rename", rename), example=Option("rename", {"zip": "postcode"}),
        )  # fmt: skip
    for name in rename:
        if name not in columns:
            raise InputError(
                "{option} names {name}, which is not a column that the attacker knows{near} (those "
                "are {columns}); write the release's name first, then the table's",
                option=Option("rename"), name=Cell(name), columns=", ".join(columns),
                near=did_you_mean(str(name), columns),
            )  # fmt: skip
    return dict(rename)


@dataclass(frozen=True, eq=False, kw_only=True)
class Truth:
    """The original table, and which of its records is each person's.

    Attributes
    ----------
    original : External
        The values of its quasi-identifiers.
    record_of : array, one a person
        Their record in it; -1 for people who are not in the table.
    secrets : array, one a record
        The code of its sensitive value in the release; -1 if the release does not have it.
    """

    original: External
    record_of: NDArray[np.int64]
    secrets: NDArray[np.int64]

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Who is in the table."""
        return self.record_of >= 0

    def take(self, people: NDArray[np.integer]) -> Truth:
        """The same of some of the people."""
        return replace(self, record_of=self.record_of[people])

    def of_people(self, per_record: NDArray[Any], default: Any) -> NDArray[Any]:
        """What records have, for each person; the default for those not in the table."""
        found = np.full((len(self.record_of), *per_record.shape[1:]), default, per_record.dtype)
        found[self.is_known] = per_record[self.record_of[self.is_known]]
        return found


def truth_of(
    release: Release | Permuted,
    people: External,
    table: Any,
    microdata: Microdata | None,
    *,
    identifier: str | None,
    record_of: Sequence[int] | NDArray[Any] | None,
) -> Truth | None:
    """Find everybody's own record in the original; None if it is not given.

    Parameters
    ----------
    release : Release or Permuted
    people : External
        Whom the attacker knows, as they were in ``table``.
    microdata : Microdata, optional
        The original.
    identifier : str, optional
        The column with names.
    record_of : sequence of int, optional
        Everybody's record instead, counted from 0; -1 for people who are not in the original.
    """
    if microdata is None:
        if record_of is not None:
            raise InputError(
                "{record_of} numbers the records of the original; give {microdata} too",
                record_of=Option("record_of"), microdata=Option("microdata"),
            )  # fmt: skip
        return None
    if not isinstance(microdata, Microdata):
        raise InputError(
            "{microdata} must be the original as {read} returns it, got a {kind}",
            microdata=Option("microdata"), read=Call("read_csv"), kind=type(microdata).__name__,
        )  # fmt: skip
    refuse_other_level(release, microdata)
    names = [column.name for column in release.quasi]
    # An identifier in one table and a number in the other would not be found: it is told below.
    there = {column.name for column in microdata.columns}
    original = external_of(microdata, names, identifier if identifier in there else None)
    if record_of is not None:
        found = _numbered(record_of, len(people), len(microdata))
    elif table is microdata:
        found = np.arange(len(microdata))
    else:
        for one in (table, microdata):
            if identifier is None and isinstance(one, Microdata):
                _refuse_several(one)
        found = _by_name(people, original)
    secret, ours = release.sensitive, microdata[release.sensitive.name]
    place = np.array([secret.places.get(text, -1) for text in ours.texts], dtype=np.int64)
    return Truth(original=original, record_of=found, secrets=place[ours.codes])


def _numbered(given: Any, people: int, records: int) -> NDArray[np.int64]:
    numbers = np.asarray(given)
    if numbers.shape != (people,) or numbers.dtype.kind not in "iu":
        raise InputError(
            "{record_of} must have one record number for each of the {people} people, -1 for those "
            "who are not in the original; got {given}",
            record_of=Option("record_of"), people=people,
            given=counted(numbers.size, "number") if numbers.dtype.kind in "iu"
            else f"values of type {numbers.dtype}",
        )  # fmt: skip
    wrong = numbers[(numbers < -1) | (numbers >= records)]
    if len(wrong):
        raise InputError(
            "{record_of} has {number}, but records of the original are numbered from 0 to {last}",
            record_of=Option("record_of"), number=Cell(int(wrong[0])), last=records - 1,
        )  # fmt: skip
    return numbers.astype(np.int64)


def _by_name(people: External, original: External) -> NDArray[np.int64]:
    if people.name is None or original.name is None:
        lacking = people if people.name is None else original
        raise InputError(
            "{source} has no identifier, so people cannot be found in the original; name the "
            "column with {identifier} (both tables need it), or give everybody's record with "
            "{record_of}",
            source=File(lacking.source, bare=True), identifier=Option("identifier"),
            record_of=Option("record_of"),
        )  # fmt: skip
    name = original.name
    numbers = np.bincount(name.codes[name.codes >= 0], minlength=len(name.texts))
    if (numbers > 1).any():
        twice = int(np.argmax(numbers > 1))
        raise InputError(
            "{number} records of {source} have the same identifier ({row} is the first); give a "
            "column that names each of them, or everybody's record with {record_of}",
            number=int(numbers[twice]), source=File(original.source, bare=True),
            row=Row(int(original.rows[name.first(twice)]) + 1), record_of=Option("record_of"),
        )  # fmt: skip
    known = {text: record for record, text in enumerate(original.names)} | {None: -1}
    return np.array([known.get(text, -1) for text in people.names], dtype=np.int64)


def with_candidates(release: Any, what: str) -> Release | Permuted:
    """The release, if it has records, and cells that are true of them."""
    if not isinstance(release, AnyRelease):
        raise InputError(
            "{what} needs a release, got a {kind}; a sanitizer makes one, and {read} reads one",
            what=what, kind=type(release).__name__, read=Call("read_release"),
        )  # fmt: skip
    if not isinstance(release, Release | Permuted):
        raise InputError(
            "{what} looks for people among published records, and {release} publishes none, "
            "{instead}; {others} test such releases",
            what=what, release=File(release.made_by, bare=True), instead=release.instead,
            others=Listed([Call("differential_inference"), Call("membership")], "and"),
        )  # fmt: skip
    if isinstance(release, Release):
        refuse_perturbed(release, release.quasi, what)
    return release


def known_columns(
    releases: Sequence[Release | Permuted], knows: Any, option: str = "knows"
) -> list[str]:
    """The quasi-identifiers that an option names; all of them if it names none."""
    there = list(dict.fromkeys(c.name for release in releases for c in release.quasi))
    if knows is None:
        return there
    asked = several(knows, option, "quasi-identifiers")
    for name in asked:
        if name not in there:
            raise InputError(
                "{option} names {name}, which is not a quasi-identifier of the release{near} "
                "(those are {there})",
                option=Option(option), name=Cell(name), near=did_you_mean(str(name), there),
                there=", ".join(there),
            )  # fmt: skip
    return list(dict.fromkeys(asked))
