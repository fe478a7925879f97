"""What can be measured, counted: a release, microdata, a table in memory, a file, a database."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from unveil.engine.counting import Contingency, Held, KeyColumn, Secret
from unveil.errors import InputError
from unveil.microdata import AnyRelease, Column, Hierarchy, Microdata, Release

__all__ = ["Counting", "count"]


class Counting(TypedDict, total=False):
    """How a table is counted: the options that all measures share. See `count`."""

    quasi: str | Sequence[str] | None
    sensitive: str | None
    ordinal: Mapping[str, Sequence[Any]] | None
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None
    wildcard: str | None
    engine: Any
    memory: str | int | None


def count(
    table: Any,
    *,
    quasi: str | Sequence[str] | None = None,
    sensitive: str | None = None,
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = None,
    wildcard: str | None = None,
    engine: Any = "duckdb",
    memory: str | int | None = None,
) -> Contingency:
    if isinstance(table, Contingency):
        return table if quasi is None else table.over(_listed(quasi))
    if isinstance(table, Release):
        return _of_release(table, quasi)
    if isinstance(table, AnyRelease):
        raise InputError(
            f"{table.in_short} cannot be measured by its classes: it publishes counts, not records"
        )
    if isinstance(table, Microdata):
        return _of_microdata(table, quasi)
    raise NotImplementedError


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _of_release(release: Release, quasi: str | Sequence[str] | None) -> Contingency:
    keys = {}
    for column, texts in zip(release.quasi, release.cells(), strict=True):
        cells, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
        keys[column.name] = KeyColumn(codes.astype(np.int64), tuple(cells.tolist()))
    held = Held(
        keys=keys,
        secret=_secret(release.sensitive),
        class_of=release.class_of.astype(np.int64),
        codes=release.sensitive.codes.astype(np.int64),
        numbers=np.ones(len(release), dtype=np.int64),
        source=f"the release by {release.made_by}",
        notes=release.notes,
    )
    return held if quasi is None else held.over(_listed(quasi))


def _of_microdata(microdata: Microdata, quasi: str | Sequence[str] | None) -> Contingency:
    keys = {
        column.name: KeyColumn(column.codes.astype(np.int64), tuple(column.values.tolist()))
        for column in microdata.quasi
    }
    held = Held(
        keys=keys,
        secret=_secret(microdata.sensitive),
        class_of=np.arange(len(microdata)),
        codes=microdata.sensitive.codes.astype(np.int64),
        numbers=np.ones(len(microdata), dtype=np.int64),
        source=microdata.source,
        notes=microdata.notes,
    )
    return held if quasi is None else held.over(_listed(quasi))


def _secret(column: Column) -> Secret:
    return Secret(
        name=column.name,
        values=tuple(column.values.tolist()),
        ordered=column.is_ordered,
        hierarchy=column.hierarchy,
    )
