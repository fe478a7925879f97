"""The original that a release is measured against, and the records it no longer has."""

from __future__ import annotations

from typing import Any

import numpy as np

from unveil.errors import InputError
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Release,
    refuse_perturbed,
    same_domains,
    with_records,
)

__all__ = ["TRAINED", "missing_from", "missing_of", "records_of", "refuse_untrue", "release_of"]


TRAINED = "classifier_utility"
"""What can be said of the use of any release, by a model that learns from it."""


def release_of(release: Any, microdata: Any, what: str) -> Release:
    """The release, if it is one of records and can be one of the original."""
    if not isinstance(microdata, Microdata):
        raise InputError(
            f"{what} needs microdata, a table whose columns have roles, and got a "
            f"{type(microdata).__name__}; make it with unveil.read_table(table, quasi=[…], "
            "sensitive=…)"
        )
    records = records_of(release, what)
    if not same_domains(records, microdata):
        raise InputError(
            f"the release by {records.made_by} is none of {microdata.source}: their columns, or "
            "the values in them, differ; read it with unveil.read_release(table, microdata)"
        )
    missing_from(records, microdata)
    return records


def records_of(release: Any, what: str) -> Release:
    """The release, if it is one of records."""
    if not isinstance(release, AnyRelease):
        raise InputError(
            f"{what} needs a release, got a {type(release).__name__}; a sanitizer makes one, and "
            "unveil.read_release reads one"
        )
    return with_records(release, what, instead=f"{TRAINED} does not, given the sanitizer")


def refuse_untrue(release: Release, what: str) -> None:
    """Refuse a release whose cells need not cover the values of its records."""
    refuse_perturbed(release, release.quasi, what, instead=f"{TRAINED} does")


def missing_from(release: Release, microdata: Microdata | None) -> int:
    """How many of the original's records a release does not have.

    Without the original, those that were found missing when the release was read.
    """
    return release.dropped if microdata is None else missing_of(len(release), microdata)


def missing_of(released: int, original: Microdata | int) -> int:
    """How many of the original's records were not released."""
    if isinstance(original, Microdata):
        everybody, name = len(original), f", {original.source},"
    elif isinstance(original, int | np.integer) and not isinstance(original, bool) and original > 0:
        everybody, name = int(original), ""
    else:
        raise InputError(
            "the original is microdata, or the number of its records, which is at least 1; got "
            f"{original!r}"
        )
    if released <= everybody:
        return everybody - released
    raise InputError(
        f"the release has {released:,} records and the original table{name} only "
        f"{everybody:,}; give the table that it was made from"
    )
