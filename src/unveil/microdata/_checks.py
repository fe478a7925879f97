"""Whether a release can be one of its original, and whether a method can use it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np

from unveil.errors import Cell, InputError, Listed, Message, Option, Text, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata._messages import ValueOption, Worded
from unveil.microdata._microdata import Column, Microdata, distinct_rows
from unveil.microdata._permuted import Permuted
from unveil.microdata._release import AnyRelease, Release

_MAY_CHANGE = "--may-change-sensitive, which unveil audit, inference and linkage have"
_TESTED = Worded("differential_inference and membership",
                 typed="unveil differential-inference and unveil membership")  # fmt: skip


def check_release(
    release: Release, original: Microdata, *, may_drop: bool, may_change: bool
) -> None:
    """Refuse a release that cannot be one of the original.

    It must not have other columns, more records than the original, fewer unless records may be
    dropped, or more with some sensitive value unless those may be changed.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": ["30-39", "30-39"], "vote": ["a", "b"]}, survey)
    >>> check_release(release, survey, may_drop=False, may_change=False)
    Traceback (most recent call last):
    unveil.errors.InputError: somebody returned 2 records for a table of 3; if suppressed records
    are left out, give may_drop=True
    """
    _check_columns(release, original)
    parts = {"maker": release.maker, "n": len(release), "table": len(original)}
    if len(release) > len(original):
        raise InputError("{maker} returned {n} records for a table of {table}; a release has at "
                         "most one record for each of the original", **parts)  # fmt: skip
    if len(release) < len(original) and not may_drop:
        raise InputError(
            "{maker} returned {n} records for a table of {table}; if suppressed records are left "
            "out, give {option}", option=Option("may_drop", True), **parts,
        )  # fmt: skip
    if may_change:
        return
    # With as many records as the original, some value has too many if any has too few.
    more = np.flatnonzero(release.totals > original.sensitive_counts)
    if len(more):
        held = int(original.sensitive_counts[more[0]])
        raise InputError(
            "{maker} returned {n} records with {column} {value} where the table has {held}: "
            "sensitive values were changed; if that is intended, give {option}",
            maker=release.maker, n=int(release.totals[more[0]]), column=release.sensitive.name,
            value=Cell(release.sensitive.texts[more[0]], people=held), held=held,
            option=ValueOption("may_change", True, typed=_MAY_CHANGE),
        )  # fmt: skip


def _check_columns(release: Release, original: Microdata) -> None:
    """The columns and their domains must be the original's, or codes differ in meaning."""
    theirs = {column.name: column for column in (*release.quasi, release.sensitive)}
    ours = {column.name: column for column in (*original.quasi, original.sensitive)}
    for name, column in ours.items():
        if name not in theirs:
            raise InputError(
                "column {column} is not in the release by {maker}{hint} (columns: {columns})",
                column=ColumnName(name), maker=release.maker, hint=did_you_mean(name, theirs),
                columns=", ".join(theirs),
            )  # fmt: skip
        other = theirs[name]
        if other.values is not column.values and other.texts != column.texts:
            raise InputError(
                "column {column} of the release by {maker} has other values than the original's; "
                "read it as a release of this original",
                column=ColumnName(name), maker=release.maker,
            )  # fmt: skip
    more = [name for name in theirs if name not in ours]
    if more:
        raise InputError(
            "the release by {maker} has a column {column} that is neither a quasi-identifier nor "
            "sensitive in the original (those are {columns})", maker=release.maker,
            column=ColumnName(more[0]), columns=", ".join(ours),
        )  # fmt: skip


def same_domains(release: AnyRelease, microdata: Microdata) -> bool:
    """Whether the codes of a release have the same meaning as in the microdata."""
    ours = (*microdata.quasi, microdata.sensitive)
    theirs = (*release.quasi, release.sensitive)
    return len(ours) == len(theirs) and all(
        a.name == b.name and a.kind is b.kind and (a.values is b.values or a.texts == b.texts)
        for a, b in zip(ours, theirs, strict=True)
    )


def has_true_cells(release: AnyRelease) -> TypeGuard[Release]:
    """Whether a release has records whose cells cover their true values."""
    return isinstance(release, Release) and not any(
        column.name in release.perturbed for column in release.quasi
    )


def refuse_perturbed(
    release: Release, columns: Iterable[Column], what: str, *, instead: Text | None = None
) -> None:
    """Refuse a release whose values in some of these columns need not be true.

    ``what`` is the method, ``instead`` the methods that do not need that, with "do" or "does".
    """
    untrue = [column.name for column in columns if column.name in release.perturbed]
    if untrue:
        raise InputError(
            "{what} assumes that published values are true, and {maker} publishes values of "
            "{columns} that need not be; {instead} not need that", what=what, maker=release.maker,
            columns=", ".join(untrue), instead=instead or Message("{these} do", these=_TESTED),
        )  # fmt: skip


def with_records(release: AnyRelease, what: str, *, instead: Text | None = None) -> Release:
    """The release, refused if it has no records. ``instead`` says what does not need any."""
    if isinstance(release, Release):
        return release
    raise InputError(
        "{what} needs released records, and {maker} publishes none, {published}; {instead}",
        what=what, maker=release.maker, published=release.instead,
        instead=instead or Message("{these} test such releases", these=_TESTED),
    )  # fmt: skip


def check_permuted(release: Permuted, original: Microdata) -> None:
    """Refuse a permuted release that cannot be one of the original, even if records were dropped.

    It must not have other columns, more records than the original, more with some combination of
    quasi-identifiers, or more with some sensitive value.

    >>> import unveil as uv
    >>> from unveil.microdata import Permuted, check_permuted
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> check_permuted(Permuted.from_groups(survey.take([0, 0, 1]), [1, 1, 1]), survey)
    Traceback (most recent call last):
    unveil.errors.InputError: the release by somebody has 2 records with age '30', where table has
    1: it is not a release of this table
    """
    if not same_domains(release, original):
        raise InputError(
            "the release by {maker} is not one of {source}: their columns or values differ; "
            "{remedy}", maker=release.maker, source=original.file,
            remedy=Worded("read it with read_anatomy(…, microdata=…)",
                          typed="give the table that it was made from"),
        )  # fmt: skip
    n = len(release)
    if n > len(original):
        raise _too_many(release, n, "", original, len(original))
    _, numbers = distinct_rows(np.hstack([release.codes, original.codes]))
    ours, theirs = (np.bincount(x, minlength=numbers.max() + 1) for x in (numbers[:n], numbers[n:]))
    more = ours > theirs
    if more.any():
        record = int(np.argmax(more[numbers[:n]]))
        number = numbers[record]
        held = int(theirs[number])
        values = Listed([
            Message("{name} {value}", name=c.name,
                    value=Cell(c.texts[c.codes[record]], people=held))
            for c in release.quasi
        ])  # fmt: skip
        raise _too_many(release, int(ours[number]), values, original, held)
    more = release.totals > original.sensitive_counts
    if more.any():
        s = int(np.argmax(more))
        held = int(original.sensitive_counts[s])
        value = Message("{name} {value}", name=release.sensitive.name,
                        value=Cell(release.sensitive.texts[s], people=held))  # fmt: skip
        raise _too_many(release, int(release.totals[s]), value, original, held)


def _too_many(release: Permuted, n: int, what: Any, original: Microdata, held: int) -> InputError:
    return InputError(
        "the release by {maker} has {n:record}{with_}{what}, where {source} has {held}: it is not "
        "a release of this table", maker=release.maker, n=n, with_=" with " if what else "",
        what=what, source=original.file, held=held or "none",
    )  # fmt: skip
