"""Whether a release can be one of its original: as many records, the same secrets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

import numpy as np

from unveil.errors import InputError, did_you_mean
from unveil.microdata._column import Column
from unveil.microdata._microdata import Microdata
from unveil.microdata._release import AnyRelease, Release

__all__ = ["check_release", "has_true_cells", "refuse_perturbed", "same_domains", "with_records"]


def check_release(
    release: Release, original: Microdata, *, may_drop: bool, may_change: bool
) -> None:
    """Refuse a release that cannot be one of the original.

    Parameters
    ----------
    release : Release
    original : Microdata
        The table that was sanitized.
    may_drop : bool
        Whether records may have been left out.
    may_change : bool
        Whether sensitive values may have been changed.

    Raises
    ------
    InputError
        If the release is of other columns, has more records than the original, fewer although
        none may be left out, or more with some sensitive value.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": ["30-39", "30-39"], "vote": ["a", "b"]}, survey)
    >>> check_release(release, survey, may_drop=False, may_change=False)
    Traceback (most recent call last):
    unveil.errors.InputError: somebody returned 2 records for a table of 3; if records that are
    suppressed are left out, say may_drop=True
    """
    _check_columns(release, original)
    if len(release) > len(original):
        raise InputError(
            f"{release.made_by} returned {len(release):,} records for a table of "
            f"{len(original):,}: a release has at most one record for each of the original"
        )
    if len(release) < len(original) and not may_drop:
        raise InputError(
            f"{release.made_by} returned {len(release):,} records for a table of "
            f"{len(original):,}; if records that are suppressed are left out, say may_drop=True"
        )
    if may_change:
        return
    # With as many records as the original, some value has too many if any has too few.
    more = np.flatnonzero(release.totals > original.sensitive_counts)
    if len(more):
        value = release.sensitive.texts[more[0]]
        raise InputError(
            f"{release.made_by} returned {release.totals[more[0]]:,} records with "
            f"{release.sensitive.name} {value!r} where the table has "
            f"{original.sensitive_counts[more[0]]:,}: sensitive values were changed; if that is "
            "meant to be so, say may_change=True"
        )


def _check_columns(release: Release, original: Microdata) -> None:
    """The columns and their domains must be the original's, or codes mean something else."""
    theirs = {column.name: column for column in (*release.quasi, release.sensitive)}
    ours = {column.name: column for column in (*original.quasi, original.sensitive)}
    for name, column in ours.items():
        if name not in theirs:
            raise InputError(
                f"column {name!r} is not in the release by {release.made_by}"
                f"{did_you_mean(name, theirs)} (columns: {', '.join(theirs)})"
            )
        other = theirs[name]
        if other.values is not column.values and other.texts != column.texts:
            raise InputError(
                f"column {name!r} of the release by {release.made_by} has other values than the "
                "original's: read it as a release of this original"
            )
    more = [name for name in theirs if name not in ours]
    if more:
        raise InputError(
            f"the release by {release.made_by} has a column {more[0]!r} that is neither a "
            f"quasi-identifier nor sensitive in the original (those are {', '.join(ours)})"
        )


def same_domains(release: AnyRelease, microdata: Microdata) -> bool:
    """Whether the codes of a release mean what they mean in the microdata."""
    ours = (*microdata.quasi, microdata.sensitive)
    theirs = (*release.quasi, release.sensitive)
    return len(ours) == len(theirs) and all(
        a.name == b.name and a.kind is b.kind and (a.values is b.values or a.texts == b.texts)
        for a, b in zip(ours, theirs, strict=True)
    )


def has_true_cells(release: AnyRelease) -> TypeGuard[Release]:
    """Whether a release has records, and their cells cover what is true of them."""
    return isinstance(release, Release) and not any(
        column.name in release.perturbed for column in release.quasi
    )


def refuse_perturbed(
    release: Release,
    columns: Iterable[Column],
    what: str,
    *,
    instead: str = "differential_inference and membership do",
) -> None:
    """Refuse a release whose values in some of these columns need not be true.

    ``instead`` names who does not mind.
    """
    untrue = [column.name for column in columns if column.name in release.perturbed]
    if untrue:
        raise InputError(
            f"{what} takes what is published for true, and {release.made_by} publishes values of "
            f"{', '.join(untrue)} that need not be; {instead} not mind"
        )


def with_records(
    release: AnyRelease,
    what: str,
    *,
    instead: str = "differential_inference and membership test such releases",
) -> Release:
    """The release, if it is one of records, which ``what`` needs; ``instead`` says who does not."""
    if isinstance(release, Release):
        return release
    raise InputError(
        f"{what} needs released records, and {release.made_by} publishes none, {release.instead}; "
        f"{instead}"
    )
