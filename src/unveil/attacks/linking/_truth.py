"""Whose record is whose: what an attacker does not know, and whoever tests a release does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.linking._external import External, external_of
from unveil.errors import InputError
from unveil.microdata import Microdata, Permuted, Release

__all__ = ["Truth", "secrets_in", "truth_of"]


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
        return Truth(original=self.original, record_of=self.record_of[people], secrets=self.secrets)

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
            raise InputError("record_of numbers the records of the original: give microdata=, too")
        return None
    if not isinstance(microdata, Microdata):
        raise InputError(
            "microdata must be the original as read_csv or read_table returns it, but got a "
            f"{type(microdata).__name__}"
        )
    names = [column.name for column in release.quasi]
    # An identifier in one table and a number in the other would not be found: it is told below.
    there = {column.name for column in microdata.columns}
    original = external_of(microdata, names, identifier if identifier in there else None)
    if record_of is not None:
        found = _numbered(record_of, len(people), len(microdata))
    elif table is microdata:
        found = np.arange(len(microdata))
    else:
        found = _by_name(people, original)
    return Truth(original=original, record_of=found, secrets=secrets_in(release, microdata))


def secrets_in(release: Release | Permuted, microdata: Microdata) -> NDArray[np.int64]:
    """The sensitive values of an original's records, as codes of a release; -1: not there."""
    column = release.sensitive
    ours = microdata[column.name]
    place = np.array([column.places.get(text, -1) for text in ours.texts], dtype=np.int64)
    return place[ours.codes]


def _numbered(given: Any, people: int, records: int) -> NDArray[np.int64]:
    numbers = np.asarray(given)
    if numbers.shape != (people,) or numbers.dtype.kind not in "iu":
        raise InputError(
            f"record_of must have one record number for each of the {people:,} people, -1 for "
            f"those who are not in the original; got {_shape(numbers)}"
        )
    wrong = numbers[(numbers < -1) | (numbers >= records)]
    if len(wrong):
        raise InputError(
            f"record_of has {wrong[0]:,}, but records of the original are numbered from 0 to "
            f"{records - 1:,}"
        )
    return numbers.astype(np.int64)


def _shape(numbers: NDArray[Any]) -> str:
    if numbers.dtype.kind not in "iu":
        return f"values of type {numbers.dtype}"
    return f"{numbers.size:,} numbers"


def _by_name(people: External, original: External) -> NDArray[np.int64]:
    if people.name is None or original.name is None:
        lacking = people if people.name is None else original
        raise InputError(
            f"{lacking.source} has no identifier, so nobody can be found in the original; name the "
            "column with identifier='…' (both tables need it), or say everybody's record with "
            "record_of=[…]"
        )
    name, place = original.name, np.full(len(original.name.texts), -1)
    numbers = np.bincount(name.codes[name.codes >= 0], minlength=len(place))
    if (numbers > 1).any():
        twice = int(np.argmax(numbers > 1))
        raise InputError(
            f"{numbers[twice]:,} records of {original.source} have the same identifier (row "
            f"{int(original.rows[name.first(twice)]) + 1:,} is the first): whose is whose? give a "
            "column that names each of them, or say everybody's record with record_of=[…]"
        )
    there = np.flatnonzero(name.codes >= 0)
    place[name.codes[there]] = there
    known = dict(zip(name.texts, place.tolist(), strict=True))
    record = np.array([*(known.get(text, -1) for text in people.name.texts), -1])
    return record[people.name.codes]
