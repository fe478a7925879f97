"""A table of people with names: what an attacker has besides the release.

It needs no sensitive column, so it need not be microdata: any table will do that has the release's
quasi-identifiers. Its values are kept as texts until they are placed among those of a release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column, Microdata, Role, Source, column_cells, open_release

__all__ = ["External", "Texts", "external_of"]


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
    """People whom an attacker knows.

    Attributes
    ----------
    source : str
        For messages.
    columns : dict of str to Texts
        The quasi-identifiers that he knows.
    name : Texts or None
        What people are called.
    rows : array
        The row of the source that each person was, counted from 0.
    notes : tuple of str
    """

    source: str
    columns: dict[str, Texts]
    name: Texts | None
    rows: NDArray[np.int64]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, people: NDArray[np.integer]) -> External:
        """Some of the people."""
        return External(
            source=self.source,
            columns={name: column.take(people) for name, column in self.columns.items()},
            name=None if self.name is None else self.name.take(people),
            rows=self.rows[people],
            notes=self.notes,
        )

    @property
    def names(self) -> list[str | None]:
        """What everybody is called; None if that is not known."""
        if self.name is None:
            return [None] * len(self)
        texts = [*self.name.texts, None]
        return [texts[code] for code in self.name.codes.tolist()]

    def number_of(self, person: int | str) -> int:
        """The number of one of them, counted from 0, by number or name."""
        if isinstance(person, str):
            names = self.names
            if names.count(person) != 1:
                told = [name for name in names if name is not None]
                how = f"{names.count(person):,} people are" if person in names else "nobody is"
                raise InputError(
                    f"{how} called {person!r} in {self.source}"
                    f"{'' if person in names else did_you_mean(person, told)}; people also have "
                    "numbers, from 0 up"
                )
            return names.index(person)
        if not 0 <= person < len(self):
            raise InputError(f"people are numbered from 0 to {len(self) - 1:,}, got {person!r}")
        return int(person)


def external_of(
    table: Any,
    columns: Sequence[str],
    identifier: str | None,
    *,
    called: Mapping[str, str] | None = None,
    what: str = "external",
) -> External:
    """Open a table of people.

    Parameters
    ----------
    table : Microdata, pandas, polars or Arrow table, mapping, path, or opened source
        Microdata may have the columns in any role.
    columns : sequence of str
        The quasi-identifiers that it must have.
    identifier : str, optional
        The column with names. By default that of microdata; other tables have none.
    called : mapping of str to str, optional
        What the table calls these columns, where it has other names for them.
    what : str
        The option that it was given as, for messages.
    """
    if identifier is not None and not isinstance(identifier, str):
        raise InputError(f"identifier must be the name of one column, but got {identifier!r}")
    theirs = _checked_names(called, [*columns, *([] if identifier is None else [identifier])])
    if isinstance(table, Microdata):
        return _of_microdata(table, columns, identifier, theirs)
    if table is None:
        raise InputError(
            f"{what} must be a table of people: microdata, a table in memory, or a path"
        )
    opened = isinstance(table, Source)
    source = table if opened else open_release(table, delimiter=None, encoding="utf-8")
    if source.n_rows == 0:
        raise InputError(f"{source.name} has no rows, so there is nobody to look for")
    _check_there(source.name, source.arrays, columns, identifier, theirs)

    def texts(name: str) -> Texts:
        cells = column_cells(source, theirs.get(name, name)).distinct
        return Texts(texts=tuple(cells.texts()), codes=cells.codes)

    return External(
        source=source.name,
        columns={name: texts(name) for name in columns},
        name=None if identifier is None else texts(identifier),
        rows=np.arange(source.n_rows),
    )


def _checked_names(called: Any, columns: Sequence[str]) -> dict[str, str]:
    if called is None:
        return {}
    if not isinstance(called, Mapping) or not all(isinstance(c, str) for c in called.values()):
        raise InputError(
            "columns says what the external table calls columns of the release, such as "
            f"{{'zip': 'postcode'}}, but got {called!r}"
        )
    for name in called:
        if name not in columns:
            raise InputError(
                f"columns names {name!r}, which is no column that is looked at"
                f"{did_you_mean(str(name), columns)} (those are {', '.join(columns)}); write the "
                "release's name first, and then the external table's"
            )
    return dict(called)


def _of_microdata(
    table: Microdata, columns: Sequence[str], identifier: str | None, theirs: Mapping[str, str]
) -> External:
    there = {column.name: column for column in table.columns}
    if not len(table):
        raise InputError(f"{table.source} has no records, so there is nobody to look for")
    _check_there(table.source, there, columns, identifier, theirs)
    named = [c.name for c in table.columns if c.role is Role.IDENTIFIER]
    if identifier is None and len(named) > 1:
        raise InputError(
            f"{table.source} has several identifiers ({', '.join(named)}); say which one names "
            f"people: identifier={named[0]!r}"
        )
    called = identifier if identifier is not None or not named else named[0]
    return External(
        source=table.source,
        columns={name: _texts(there[theirs.get(name, name)]) for name in columns},
        name=None if called is None else _texts(there[theirs.get(called, called)]),
        rows=table.rows,
        notes=table.notes,
    )


def _texts(column: Column) -> Texts:
    return Texts(texts=column.texts, codes=column.codes)


def _check_there(
    source: str,
    there: Iterable[str],
    columns: Sequence[str],
    identifier: str | None,
    theirs: Mapping[str, str],
) -> None:
    """Refuse a table that lacks a column, with what it may be called there."""
    listed = list(there)
    for name in [*columns, *([] if identifier is None else [identifier])]:
        asked = theirs.get(name, name)
        if asked in listed:
            continue
        told = (
            f"column {asked!r} is not in {source}{did_you_mean(asked, listed)} (columns: "
            f"{', '.join(listed)})"
        )
        if name in theirs:
            raise InputError(told)
        other = f"{told}; if it has another name there, say columns={{{name!r}: '…'}}"
        if name == identifier:
            raise InputError(other)
        raise InputError(
            f"{other}; if an attacker does not know it, name those that he does: quasi=[…]"
        )
