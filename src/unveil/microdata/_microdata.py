"""The original table: a row per person or several, columns as integer codes into their domains.

All other code works on these codes. Their order has a meaning: numbers ascend, ordinal levels keep
their declared order, and hierarchy leaves are in depth-first order, so *every hierarchy node is
one interval of codes*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._memory import room_for
from unveil.errors import Cell, File, InputError, Text, did_you_mean
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._persons import Persons


class Role(StrEnum):
    """What a column is to the attacker."""

    IDENTIFIER = "identifier"
    QUASI = "quasi-identifier"
    SENSITIVE = "sensitive"
    OTHER = "other"
    COUNT = "number of people"
    PERSON = "person"

    @property
    def is_used(self) -> bool:
        """Whether attacks use the column: it is a quasi-identifier or sensitive."""
        return self in (Role.QUASI, Role.SENSITIVE)


class Kind(StrEnum):
    """How a column's values relate to one another."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    CATEGORICAL = "categorical"


def value_text(value: Any) -> str:
    """Write one value the way a person would.

    >>> [value_text(v) for v in (np.int64(20), 20.0, 0.5, "France", True)]
    ['20', '20', '0.5', 'France', 'True']
    """
    if isinstance(value, (float, np.floating)):
        return str(np.format_float_positional(value, trim="-"))
    return str(value)


@dataclass(frozen=True, eq=False, kw_only=True)
class Column:
    """One column of the microdata.

    Attributes
    ----------
    name : str
    role : Role
    kind : Kind
    codes : int32 array, one per record
        Positions in ``values``.
    values : array
        The domain. Numeric columns: the distinct numbers, ascending. Ordinal: the declared
        levels. Categorical: the hierarchy's leaves, or the distinct values, sorted.
    hierarchy : Hierarchy, optional
        Its leaves are ``values``, in the same order (numeric columns: as texts).
    given : array, optional
        The domain with the types of the source table, if ``values`` has texts for truth values or
        numbers.
    declared : bool
        Whether the user listed the domain (levels, the leaves of a hierarchy, edges of parts), and
        no record can add to it. Otherwise it comes from the data.
    bounds : mapping of str to int, optional
        Of grouped numbers: the bounds of parts that tell of somebody's number, and how many people
        have it. A report does not show those of few people.
    form : str, optional
        How numbers or dates were written, if not plainly or as in ISO 8601: ``dd.mm.yyyy``,
        ``1.234,56``.
    numbers : array, optional
        Numbers or dates of which some people have none: the numbers, ascending. The column is
        ordinal then, and its last value is the gap.
    """

    name: str
    role: Role
    kind: Kind
    codes: NDArray[np.int32]
    values: NDArray[Any]
    hierarchy: Hierarchy | None = None
    given: NDArray[Any] | None = None
    declared: bool = False
    bounds: Mapping[str, int] | None = None
    form: str | None = None
    numbers: NDArray[Any] | None = None

    @property
    def size(self) -> int:
        """Number of values in the domain."""
        return len(self.values)

    @property
    def is_dates(self) -> bool:
        """Whether the values are points in time."""
        return self.values.dtype.kind == "M"

    @property
    def without_gap(self) -> Column:
        """The numbers of a column in which some people have none; a column of nobody."""
        assert self.numbers is not None
        return Column(name=self.name, role=self.role, kind=Kind.NUMERIC, values=self.numbers,
                      codes=np.zeros(0, dtype=np.int32), form=self.form)  # fmt: skip

    @property
    def is_ordered(self) -> bool:
        """Whether an interval of codes is a range of values (numeric and ordinal columns)."""
        return self.kind is not Kind.CATEGORICAL

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The domain as texts."""
        return tuple(value_text(v) for v in self.values)

    @cached_property
    def places(self) -> dict[str, int]:
        """The code of each value, by its text."""
        return {text: code for code, text in enumerate(self.texts)}

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """Position of each value on a line: the number itself, or its rank."""
        if self.kind is Kind.NUMERIC:
            moments = self.values.astype("datetime64[us]") if self.is_dates else self.values
            return moments.astype(np.float64)
        return np.arange(self.size, dtype=np.float64)

    @property
    def as_given(self) -> NDArray[Any]:
        """The domain as the source table has it: with its types, and in its forms."""
        if self.form is not None and self.kind is Kind.NUMERIC:
            from unveil.microdata._forms import in_form  # which knows distinct values

            return in_form(self.values, self.form)
        return self.values if self.given is None else self.given

    def decode(self) -> NDArray[Any]:
        """The values of all records."""
        return self.values[self.codes]

    def take(self, records: NDArray[np.intp] | Iterable[int]) -> Column:
        """The same column and domain for some of the records."""
        return replace(self, codes=self.codes[np.asarray(records, dtype=np.intp)])


_LARGEST = 2**62


def distinct_rows(
    columns: Iterable[NDArray[np.integer]],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The distinct rows of some columns of codes: the first of each, and the number of every row.

    Rows are numbered in the order of their codes.

    >>> distinct_rows(np.array([[0, 1, 0, 1], [2, 1, 2, 0]]))
    (array([0, 3, 1]), array([0, 2, 0, 1]))
    """
    numbers, size = np.zeros(1, dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if size * width > _LARGEST:  # rows are numbered anew, so the numbers stay small
            numbers = np.unique(numbers, return_inverse=True)[1]
            size = int(numbers.max()) + 1
        numbers, size = numbers * width + column, size * width
    _, first, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    return first, numbers


def histograms_at(
    parts: NDArray[np.integer], part_of: NDArray[np.integer], sensitive: Column
) -> NDArray[np.int64]:
    """The histogram of sensitive values of each of some parts, which may repeat.

    ``part_of`` is the part of each record. Other parts take no memory.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [1, 2, 3, 4], "vote": ["a", "b", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> histograms_at(np.array([3, 3]), np.array([1, 3, 3, 3]), survey.sensitive).tolist()
    [[1, 2], [1, 2]]
    """
    wanted, place = np.unique(parts, return_inverse=True)
    number = np.full(int(part_of.max(initial=0)) + 1, -1, dtype=np.int64)
    number[wanted] = np.arange(len(wanted))
    row = number[part_of]
    flat = row[row >= 0] * sensitive.size + sensitive.codes[row >= 0]
    found = np.bincount(flat, minlength=len(wanted) * sensitive.size)
    return found.reshape(-1, sensitive.size)[place.ravel()]


@dataclass(frozen=True, eq=False)
class CellCounts:
    """The histogram of a table over the combinations of quasi-identifiers that occur in it.

    Attributes
    ----------
    codes : array of shape (columns, cells)
        The combinations, each once.
    cell_of : array
        The cell of each record.
    sensitive : Column
        The sensitive values of the records.
    """

    codes: NDArray[np.int32]
    cell_of: NDArray[np.intp]
    sensitive: Column

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Number of records: cells × sensitive values."""
        cells, values = self.codes.shape[1], self.sensitive.size
        room_for(cells, values, times=2)
        flat = np.bincount(self.cell_of * values + self.sensitive.codes, minlength=cells * values)
        return flat.reshape(-1, values)

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {cell: place for place, cell in enumerate(_as_bytes(self.codes))}

    def at(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """The counts for people (columns × people); 0 if no record has their combination."""
        places = np.array([self._places.get(cell, -1) for cell in _as_bytes(codes)], dtype=np.intp)
        found = np.zeros((codes.shape[1], self.counts.shape[1]), dtype=np.int64)
        found[places >= 0] = self.counts[places[places >= 0]]
        return found


def _as_bytes(codes: NDArray[np.int32]) -> list[bytes]:
    rows = np.ascontiguousarray(codes.T, dtype=np.int32)
    whole, width = rows.tobytes(), rows.shape[1] * 4
    return [whole[at : at + width] for at in range(0, len(whole), width)]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Microdata:
    """The original table D, read once into codes.

    Made by `read_csv`, `read_parquet` and `read_table`. Records are numbered from 0 in the order
    of the source table. The index of that table is ignored.

    Attributes
    ----------
    columns : tuple of Column
    rows : array
        The source row of each record (different if rows with missing values were dropped).
    source : str
        Name of the source, for messages.
    source_rows : int, optional
        Number of rows of the source, including rows dropped for missing values.
    notes : tuple of str or Message
        What was decided while reading, such as the meaning of missing values. Printed with
        every result.
    counted_by : str, optional
        The column that had the number of people of each row, if the source is a table of counts.
    left_out : int
        Number of people who were left out because they have no sensitive value.
    persons : Persons, optional
        Whose the records are, if a person may have several.
    doubt : str or Message, optional
        What speaks against each record being another person's, if nobody has said whose they are.
    """

    columns: tuple[Column, ...]
    rows: NDArray[np.int64]
    source: str = "table"
    source_rows: int | None = None
    notes: tuple[Text, ...] = ()
    counted_by: str | None = None
    left_out: int = 0
    persons: Persons | None = None
    doubt: Text | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def several(self) -> Persons | None:
        """Whose the records are, if somebody has several; else None: each is another person's."""
        return self.persons if self.persons is not None and self.persons.repeat else None

    @property
    def one_each(self) -> bool:
        """Whether it is known, and not only assumed, that each record is another person's."""
        named = any(one.role is Role.IDENTIFIER for one in self.columns)
        known = named or self.persons is not None or self.counted_by is not None
        return known and self.several is None

    @property
    def file(self) -> File:
        """The table's name, for messages."""
        return File(self.source, bare=True)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        names = [column.name for column in self.columns]
        raise InputError(
            "column {name} is not in {source}{hint} (columns: {names})", name=Cell(name),
            source=self.file, hint=did_you_mean(name, names), names=", ".join(names),
        )  # fmt: skip

    @cached_property
    def quasi(self) -> tuple[Column, ...]:
        """The quasi-identifiers, in the order the user named them."""
        return tuple(column for column in self.columns if column.role is Role.QUASI)

    @cached_property
    def sensitive(self) -> Column:
        """The sensitive column."""
        return next(column for column in self.columns if column.role is Role.SENSITIVE)

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Codes of the quasi-identifiers: shape (columns, records)."""
        stacked = np.empty((len(self.quasi), len(self)), dtype=np.int32)
        for j, column in enumerate(self.quasi):
            stacked[j] = column.codes
        return stacked

    @cached_property
    def sensitive_counts(self) -> NDArray[np.int64]:
        """Number of records with each sensitive value."""
        return np.bincount(self.sensitive.codes, minlength=self.sensitive.size)

    @cached_property
    def cells(self) -> CellCounts:
        """Number of records with each combination of quasi-identifiers, by sensitive value."""
        first, cell_of = distinct_rows(self.codes)
        return CellCounts(self.codes[:, first], cell_of, self.sensitive)

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return distinct_rows([*self.codes, self.sensitive.codes])

    @property
    def distinct(self) -> NDArray[np.intp]:
        """One record for each distinct combination of quasi-identifiers and sensitive value."""
        return self._distinct[0]

    @property
    def distinct_of(self) -> NDArray[np.intp]:
        """For each record, which entry of `distinct` it equals."""
        return self._distinct[1]

    @property
    def nameless(self) -> Microdata:
        """The same without identifiers and the column of persons; itself if it has neither."""
        # A table that kept itself would be there until the next collection of garbage.
        named = any(column.role in (Role.IDENTIFIER, Role.PERSON) for column in self.columns)
        return self._nameless if named else self

    @cached_property
    def _nameless(self) -> Microdata:
        kept = tuple(c for c in self.columns if c.role not in (Role.IDENTIFIER, Role.PERSON))
        return replace(self, columns=kept)

    def take(self, records: NDArray[np.intp] | Iterable[int]) -> Microdata:
        """Some of the records, in the order given. Codes and domains stay."""
        kept = np.asarray(records, dtype=np.intp)
        return replace(
            self, columns=tuple(c.take(kept) for c in self.columns), rows=self.rows[kept],
            persons=None if self.persons is None else self.persons.take(kept),
        )  # fmt: skip

    @cached_property
    def people(self) -> NDArray[np.intp]:
        """One record of each person: the first."""
        return np.arange(len(self)) if self.several is None else self.several.first

    def without(self, record: int) -> Microdata:
        """D without i: all records but one, or but all of that record's person if they have more.

        >>> import unveil as uv
        >>> stays = uv.read_table({"who": list("ABA"), "age": [1, 2, 3], "ill": list("xyx")},
        ...                       quasi="age", sensitive="ill", person="who")
        >>> stays.without(2).rows.tolist()
        [1]
        """
        if self.several is None or self.several.of is None:
            return self.take(np.delete(np.arange(len(self)), record))
        return self.take(np.flatnonzero(self.several.of != self.several.of[record]))

    def to_frame(self) -> pd.DataFrame:
        """The records as a pandas table: quasi-identifiers, sensitive column, others.

        Values have the types they were read in. Identifiers are left out: they are never used.
        """
        kept = self.nameless.columns
        domains = [column.as_given for column in kept]
        frame = pd.DataFrame({c.name: d[c.codes] for c, d in zip(kept, domains, strict=True)})
        return frame.infer_objects()  # truth values as such, not as objects

    def __repr__(self) -> str:
        lines = [f"Microdata: {len(self):,} records from {self.source}"]
        for column in self.columns:
            tree = f", hierarchy of {column.hierarchy.depth} levels" if column.hierarchy else ""
            lines.append(f"  {column.name}: {column.role}, {column.kind}, "
                         f"{column.size:,} values{tree}")  # fmt: skip
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])
