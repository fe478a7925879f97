"""A table of people with names: what an attacker has besides the release.

It needs no sensitive column, so it need not be microdata: any table will do that has the release's
quasi-identifiers. Its values are kept as texts until they are placed among those of a release.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column, Microdata, Role
from unveil.microdata._release_source import column_cells, open_release

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
    table: Any, columns: Sequence[str], identifier: str | None, *, what: str = "external"
) -> External:
    """Open a table of people.

    Parameters
    ----------
    table : Microdata, pandas, polars or Arrow table, mapping, or path
        Microdata may have the columns in any role.
    columns : sequence of str
        The quasi-identifiers that it must have.
    identifier : str, optional
        The column with names. By default that of microdata; other tables have none.
    what : str
        Which argument it is, for messages.
    """
    if identifier is not None and not isinstance(identifier, str):
        raise InputError(f"identifier must be the name of one column, but got {identifier!r}")
    if isinstance(table, Microdata):
        return _of_microdata(table, columns, identifier)
    if table is None:
        raise InputError(
            f"{what} must be a table of people: microdata, a table in memory, or a path"
        )
    source = open_release(table, delimiter=None, encoding="utf-8")
    if source.n_rows == 0:
        raise InputError(f"{source.name} has no rows, so there is nobody to look for")
    for name in [*columns, *([] if identifier is None else [identifier])]:
        if name not in source.arrays:
            raise _lacking(name, source.name, source.columns)

    def texts(name: str) -> Texts:
        cells = column_cells(source, name).distinct
        return Texts(texts=tuple(cells.texts()), codes=cells.codes)

    return External(
        source=source.name,
        columns={name: texts(name) for name in columns},
        name=None if identifier is None else texts(identifier),
        rows=np.arange(source.n_rows),
    )


def _of_microdata(table: Microdata, columns: Sequence[str], identifier: str | None) -> External:
    there = {column.name: column for column in table.columns}
    for name in columns:
        if name not in there:
            raise _lacking(name, table.source, there)
    if not len(table):
        raise InputError(f"{table.source} has no records, so there is nobody to look for")
    if identifier is not None and identifier not in there:
        raise _lacking(identifier, table.source, there)
    named = [c.name for c in table.columns if c.role is Role.IDENTIFIER]
    if identifier is None and len(named) > 1:
        raise InputError(
            f"{table.source} has several identifiers ({', '.join(named)}); say which one names "
            f"people: identifier={named[0]!r}"
        )
    called = identifier if identifier is not None or not named else named[0]
    return External(
        source=table.source,
        columns={name: _texts(there[name]) for name in columns},
        name=None if called is None else _texts(there[called]),
        rows=table.rows,
        notes=table.notes,
    )


def _texts(column: Column) -> Texts:
    return Texts(texts=column.texts, codes=column.codes)


def _lacking(name: str, source: str, there: Iterable[str]) -> InputError:
    listed = list(there)
    return InputError(
        f"column {name!r} is not in {source}{did_you_mean(name, listed)} (columns: "
        f"{', '.join(listed)}); if an attacker does not know it, name those that he does: quasi=[…]"
    )
