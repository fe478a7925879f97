"""A release beside its original, record by record, or a table that has both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Held, KeyColumn, Secret, combined
from unveil.errors import InputError, did_you_mean
from unveil.measures._counted import Counting
from unveil.measures._secrets import secret_of
from unveil.measures.discrimination._asked import asked, cell_column, named
from unveil.measures.discrimination._finding import keys_text
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Release,
    refuse_perturbed,
    same_domains,
    with_records,
)

__all__ = ["Columns", "Pairs", "pairs_of", "released"]

Columns = str | Sequence[str] | Mapping[str, str] | None


def released(name: str) -> str:
    """What the published cells of a column are called beside the original."""
    return f"{name} (released)"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Originals and their generalized versions, by name, and a way to count both at once."""

    generalized: dict[str, str]
    source: Any
    counting: Counting
    release: Release | None = None

    @cached_property
    def _cells(self) -> dict[str, KeyColumn]:
        """The published cells of each column, record by record."""
        assert self.release is not None
        return {cells: cell_column(self.release, name) for name, cells in self.generalized.items()}

    def counts(self, of: str | None, by: Sequence[str]) -> Contingency:
        """Count X in classes of Y, each an original or a generalized column.

        X is by default the sensitive column.
        """
        if self.release is None:
            return asked(self.source, of, by, self.counting)
        microdata: Microdata = self.source
        secret = microdata.sensitive if of is None else microdata[of]
        keys = {key: self._column(key) for key in by}
        return self._held(keys, secret_of(secret), secret.codes.astype(np.int64))

    def joint(self) -> Contingency:
        """Count combinations of all originals in classes of all generalized columns."""
        assert self.release is not None
        microdata: Microdata = self.source
        columns = [microdata[name] for name in self.generalized]
        first, codes = combined([column.codes.astype(np.int64) for column in columns])
        texts = [[column.texts[v] for v in column.codes[first]] for column in columns]
        secret = Secret(
            name=keys_text(tuple(self.generalized)),
            values=tuple(", ".join(cells) for cells in zip(*texts, strict=True)),
        )
        keys = {key: self._column(key) for key in self.generalized.values()}
        return self._held(keys, secret, codes)

    def _column(self, key: str) -> KeyColumn:
        assert self.release is not None
        if key in self.generalized.values():
            return self._cells[key]
        column = self.source[key]
        return KeyColumn(column.codes.astype(np.int64), tuple(column.values.tolist()))

    def _held(self, keys: dict[str, KeyColumn], secret: Secret, codes: NDArray[np.int64]) -> Held:
        assert self.release is not None
        return Held(
            keys=keys,
            secret=secret,
            class_of=np.arange(len(codes)),
            codes=codes,
            numbers=np.ones(len(codes), dtype=np.int64),
            source=f"the release by {self.release.made_by} of {self.source.source}",
            notes=tuple(dict.fromkeys((*self.source.notes, *self.release.notes))),
        )


def pairs_of(release: Any, original: Any, columns: Columns, counting: Counting, what: str) -> Pairs:
    """Originals and their generalized versions, from a release and its original or one table."""
    if isinstance(columns, Mapping):
        table = release if original is None else original
        if isinstance(release, AnyRelease) or (release is not None and original is not None):
            raise InputError(
                f"columns maps originals to generalized columns of one table; for {what} of a "
                "release and its original, name the quasi-identifiers"
            )
        if not columns:
            raise InputError(f"{what} needs at least one column")
        return Pairs(dict(columns), table, counting)
    if isinstance(release, Microdata) and isinstance(original, AnyRelease):
        release, original = original, release  # which is which there is no doubt
    if not isinstance(release, AnyRelease) or not isinstance(original, Microdata):
        raise InputError(
            f"{what} needs a release and the microdata it was made from, but got "
            f"{type(release).__name__} and {type(original).__name__}; of one table that has both, "
            "name the columns, such as columns={'ZIP': 'ZIP*'}"
        )
    if counting:
        raise InputError(
            f"{what} of a release and its original takes no {next(iter(counting))}=: they know "
            "their columns"
        )
    records = with_records(release, what)
    refuse_perturbed(records, (*records.quasi, records.sensitive), what)
    _check_paired(records, original)
    everything = [column.name for column in original.quasi]
    chosen = everything if columns is None else list(named(columns) or ())
    for name in chosen:
        if name not in everything:
            raise InputError(
                f"{name!r} is no quasi-identifier of {original.source}"
                f"{did_you_mean(name, everything)} (those are {', '.join(everything)})"
            )
    if not chosen:
        raise InputError(f"{what} needs at least one column")
    return Pairs({name: released(name) for name in chosen}, original, {}, records)


def _check_paired(release: Release, original: Microdata) -> None:
    """The release's records must be the original's, in their order."""
    remedy = (
        "records have to be in the order of the original's, none left out; or put both into one "
        "table and name the columns, such as columns={'ZIP': 'ZIP*'}"
    )
    if not same_domains(release, original):
        raise InputError(
            f"the release by {release.made_by} is none of {original.source}: their columns, or "
            "the values in them, differ; read it with unveil.read_release(table, microdata)"
        )
    if len(release) != len(original):
        raise InputError(
            f"the release by {release.made_by} has {len(release):,} records and "
            f"{original.source} has {len(original):,}: {remedy}"
        )
    for column, regions in zip(original.quasi, release.regions, strict=True):
        inside = _covered(column.codes, release.class_of, regions)
        if not inside.all():
            record = int(np.flatnonzero(~inside)[0])
            cell = regions.texts(column)[release.class_of[record]]
            raise InputError(
                f"record {record} of {original.source} has {column.name} "
                f"{column.texts[column.codes[record]]}, and the release by {release.made_by} "
                f"publishes {cell} in its place: {remedy}"
            )


def _covered(
    codes: NDArray[np.int32], class_of: NDArray[np.int32], regions: Any
) -> NDArray[np.bool_]:
    """Whether each record's cell covers its value."""
    inside = np.zeros(len(codes), dtype=bool)
    by_code = np.argsort(codes, kind="stable")
    values, first = np.unique(codes[by_code], return_index=True)
    for value, records in zip(values.tolist(), np.split(by_code, first[1:]), strict=True):
        inside[records] = regions.covers(value)[class_of[records]]
    return inside
