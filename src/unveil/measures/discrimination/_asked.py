"""The counts of an attribute X in classes of keys Y, whatever columns these are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unveil.engine.counting import Contingency, Held, KeyColumn, Secret
from unveil.errors import InputError, did_you_mean
from unveil.measures._counted import Counting, count
from unveil.measures.discrimination._entropies import check_apart
from unveil.microdata import Microdata, Release

__all__ = ["Keys", "asked", "cell_column", "named", "over"]

Keys = str | Sequence[str] | None


def named(keys: Keys) -> tuple[str, ...] | None:
    """Keys as they were named: one or several, or none at all."""
    if keys is None:
        return None
    return (keys,) if isinstance(keys, str) else tuple(keys)


def over(counts: Contingency, keys: tuple[str, ...]) -> Contingency:
    """The counts over some of the keys, or as they are if that is all of them."""
    return counts if keys == counts.keys else counts.over(keys)


def asked(table: Any, of: str | None, by: Keys, counting: Counting) -> Contingency:
    """Count X in classes of Y.

    Any column of microdata, a file or a table can be X or Y; of a release, also its cells can.
    """
    if of is not None and not isinstance(of, str):
        raise InputError(f"of names one column, but got {of!r}")
    keys = named(by)
    if of is not None and of in (keys or ()):
        raise InputError(f"{of!r} is what is to be told, and cannot be among what tells it (by)")
    if isinstance(table, Contingency):
        return _of_counts(table, of, keys, counting)
    if isinstance(table, Release):
        return _of_release(table, of, keys, counting)
    options: Counting = {**counting}
    if of is not None:
        options["sensitive"] = of
    wanted = keys if keys is not None else named(counting.get("quasi"))
    if wanted is None and isinstance(table, Microdata):
        wanted = tuple(column.name for column in table.quasi)
    if wanted is not None:
        # Who is to be told does not tell himself.
        options["quasi"] = [key for key in wanted if key != options.get("sensitive")]
    return count(table, **options)


def _of_counts(
    counts: Contingency, of: str | None, keys: Sequence[str] | None, counting: Counting
) -> Contingency:
    counts = count(counts, **counting)
    secret = counts.need_secret("the discrimination rate")
    if of not in (None, secret.name):
        raise InputError(
            f"{secret.name!r} was counted, not {of!r}: count the table again with sensitive={of!r}"
        )
    return counts if keys is None else counts.over(keys)


def _of_release(
    release: Release, of: str | None, keys: Sequence[str] | None, counting: Counting
) -> Contingency:
    if of in (None, release.sensitive.name):
        counts = count(release, **counting)
        return counts if keys is None else counts.over(keys)
    assert of is not None
    options: Counting = {**counting, "quasi": None}
    counts = count(release, **options)
    check_apart(counts)
    if of not in counts.keys:
        raise InputError(
            f"{of!r} is not in {counts.source}{did_you_mean(of, counts.keys)} "
            f"(columns: {', '.join((*counts.keys, release.sensitive.name))})"
        )
    if keys is None:
        keys = named(counting.get("quasi")) or counts.keys
        keys = [key for key in keys if key != of]
    chosen = counts.check_keys(keys)
    cells = cell_column(release, of)
    return Held(
        keys={key: cell_column(release, key) for key in chosen},
        secret=Secret(name=of, values=cells.values),
        class_of=np.arange(len(release)),
        codes=cells.codes,
        numbers=np.ones(len(release), dtype=np.int64),
        source=counts.source,
        notes=release.notes,
    )


def cell_column(release: Release, name: str) -> KeyColumn:
    """What a release publishes in a column, record by record."""
    place = [column.name for column in release.quasi].index(name)
    texts = release.regions[place].texts(release.quasi[place])
    cells, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return KeyColumn(codes.astype(np.int64)[release.class_of], tuple(cells.tolist()))
