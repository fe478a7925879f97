"""Whether something can be a release of a table, with cells that are true.

A program may publish last run's file, the release of another table, or regions that cover nobody,
and values in a published file may have been shifted or swapped. Attacks then find nobody, which
looks like good privacy. So before any figure it is counted whether the release can be true: each
record's cells cover its values, so everybody who was not left out has a record that covers them,
with their own sensitive value; and a class has no more records than there are people whom it
covers. What fails this is certain not to be such a release.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil._text import counted
from unveil.errors import File, InputError, Message, Option
from unveil.microdata._covering import Lookup
from unveil.microdata._microdata import Column, Microdata
from unveil.microdata._regions import Histograms, Regions, joint_counts
from unveil.microdata._release import Release

_AT_A_TIME = 256  # classes whose people are counted together
_PAIRS = 100_000_000  # of people and classes: more take more than a moment
_FOUND = 2**24  # pairs of a person and a class that covers them, held at a time
_HISTOGRAMS = 2**22  # counts of sensitive values held at a time


def check_truth(
    release: Release, table: Microdata, maker: File, *, record: tuple[Any, int] | None = None
) -> None:
    """Refuse an oracle's answer that cannot be a release of this table.

    Parameters
    ----------
    release : Release
        Columns that it declares as perturbed need not be true.
    table : Microdata
        What the oracle was given.
    maker : File
        The oracle, for messages.
    record : (codes of the quasi-identifiers, code of the sensitive value), optional
        The record that the table is without.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> old = uv.read_release({"age": ["10-29"] * 3, "vote": ["a", "b", "a"]}, survey)
    >>> check_truth(old, survey, File("./anonymize", bare=True))
    Traceback (most recent call last):
    unveil.errors.InputError: ./anonymize returned records that are not those of the table: 3 of 3
    people have no record that covers them with their own vote; it may be a release of another ...
    """
    wrong = _wrong(release, table, record, by_value=release.sensitive.name not in release.perturbed)
    if wrong is None:
        return
    # Where the cells alone could be true, it is the sensitive values that were moved.
    moved = wrong.by_value and _wrong(release, table, record, by_value=False) is None
    raise InputError(
        "{maker} returned {wrong}; it may be a release of another table or of a former run; if the "
        "program changes {what} on purpose, give {option}", maker=maker, wrong=wrong.said,
        what="sensitive values" if moved else "quasi-identifiers, as means and noise do,",
        option=Option("may_change_sensitive" if moved else "may_change_quasi", True),
    )  # fmt: skip


def untruth(release: Release, table: Microdata) -> Message | None:
    """What shows that a release cannot be one of this table; None if it can.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> swapped = uv.read_release({"age": [34, 30, 41], "vote": ["a", "b", "a"]}, survey)
    >>> print(untruth(swapped, survey))
    records that are not those of the table: 2 of 3 people have no record that covers them with
    their own vote
    """
    by_value = release.sensitive.name not in release.perturbed
    wrong = _wrong(release, table, None, by_value=by_value)
    return None if wrong is None else wrong.said


class _Wrong(NamedTuple):
    """What is wrong, and whether the sensitive values were looked at."""

    said: Message
    by_value: bool


def _wrong(
    release: Release, table: Microdata, record: tuple[Any, int] | None, *, by_value: bool
) -> _Wrong | None:
    """What shows that the answer is no release of the table."""
    kept = [i for i, column in enumerate(release.quasi) if column.name not in release.perturbed]
    if not kept:
        return None
    regions = [release.regions[i] for i in kept]
    columns = [release.quasi[i] for i in kept]
    secrets = table.sensitive.codes if by_value else np.zeros(len(table), dtype=np.int32)
    counts = release.histograms if by_value else release.sizes[:, None]
    codes = table.codes[kept]
    # The release of the whole table has shown whether cells cover people at all.
    lacking = _without_record(regions, counts, codes, secrets) if record is None else 0
    if lacking > max(0, len(table) - len(release)):
        return _Wrong(Message(
            "records that are not those of the table: {lacking} of {all} have no record that "
            "covers them{own}", lacking=lacking,
            all=counted(len(table), "person" if table.several is None else "record"),
            own=f" with their own {release.sensitive.name}" if by_value else "",
        ), by_value)  # fmt: skip
    some = np.arange(counts.shape[0])
    if record is not None:  # only the classes that could have it still
        covering = [r.covers(int(record[0][i])) for i, r in zip(kept, regions, strict=True)]
        some = np.flatnonzero(np.logical_and.reduce(covering))
    more = _too_many_looked_up(regions, counts, columns, codes, secrets, some)
    if more is None and len(some) * len(table) <= _PAIRS:
        more = _too_many(regions, counts, columns, codes, secrets, some)
    if not more:
        return None
    if record is not None:
        said = Message("a release that still has the record that was left out")
        return _Wrong(said, by_value)
    return _Wrong(Message(
        "records that are not those of the table: its classes have {more} more than "
        "there are people whom they cover", more=counted(more, "record"),
    ), by_value)  # fmt: skip


def _without_record(
    regions: list[Regions],
    counts: Histograms,
    codes: NDArray[np.int32],
    secrets: NDArray[np.int32],
) -> int:
    """Number of people whom no record covers with their own sensitive value."""
    # People who are alike are looked for once.
    alike, people = np.unique(np.vstack([codes, secrets]), axis=1, return_counts=True)
    if not isinstance(counts, np.ndarray):
        by_value = counts.tocsc()
        if int(np.diff(by_value.indptr)[alike[-1]].sum()) <= _PAIRS:  # of the same value
            return int(people[~_has_record(regions, by_value, alike)].sum())
    lacking = 0
    step = max(1, _HISTOGRAMS // counts.shape[1])
    for first in range(0, len(people), step):
        some = alike[:, first : first + step]
        found = joint_counts(regions, counts, some[:-1])
        own = found[np.arange(len(found)), some[-1]]
        lacking += int(people[first : first + step][own == 0].sum())
    return lacking


def _has_record(
    regions: list[Regions], by_value: Any, alike: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Whether a class with somebody's sensitive value covers them: only those are compared."""
    number = np.diff(by_value.indptr)[alike[-1]]
    found = np.zeros(len(number), dtype=bool)
    ends = np.cumsum(number)
    for some in np.split(np.arange(len(number)), _cuts(ends)):
        if not len(some):
            continue
        person = np.repeat(some, number[some])
        within = np.arange(len(person)) - np.repeat(ends[some] - number[some], number[some])
        within += ends[some[0]] - number[some[0]]
        classes = by_value.indices[by_value.indptr[alike[-1][person]] + within]
        inside = np.ones(len(person), dtype=bool)
        for region, row in zip(regions, alike[:-1], strict=True):
            inside &= region.covers_each(classes, row[person])
        found[person[inside]] = True
    return found


def _cuts(ends: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where to cut people so that their pairs with classes fit into memory."""
    pieces = np.arange(_HISTOGRAMS, int(ends[-1]), _HISTOGRAMS)
    return np.unique(np.searchsorted(ends, pieces, side="left"))


def _too_many_looked_up(
    regions: list[Regions],
    counts: Histograms,
    columns: list[Column],
    codes: NDArray[np.int32],
    secrets: NDArray[np.int32],
    classes: NDArray[np.intp],
) -> int | None:
    """The same as `_too_many`; None where people have to be compared with classes one by one."""
    if len(classes) <= _AT_A_TIME:
        return None
    ours = [region.take(classes) for region in regions]
    lookup = Lookup.of(ours, [column.size for column in columns])
    if lookup is None or int(lookup.number(codes).sum()) > _FOUND:
        return None
    start, found = lookup.covering(codes)
    width = counts.shape[1]
    own = found * width + np.repeat(secrets, np.diff(start)).astype(np.int64)
    covered, people = np.unique(own, return_counts=True)
    from scipy.sparse import coo_array

    records = coo_array(counts[classes])
    # Records with each value in each class, beside the people who may be theirs.
    of_class = records.row.astype(np.int64) * width + records.col
    place = np.searchsorted(covered, of_class)
    there = np.append(covered, -1)[place] == of_class
    return int(np.maximum(records.data - np.where(there, np.append(people, 0)[place], 0), 0).sum())


def _too_many(
    regions: list[Regions],
    counts: Histograms,
    columns: list[Column],
    codes: NDArray[np.int32],
    secrets: NDArray[np.int32],
    classes: NDArray[np.intp],
) -> int:
    """Number of records of some classes for which there are no people."""
    more, alike, people = 0, np.vstack([codes, secrets]), np.ones(len(secrets), dtype=np.int64)
    if len(classes) > _AT_A_TIME:
        alike, people = np.unique(alike, axis=1, return_counts=True)
    for first in range(0, len(classes), _AT_A_TIME):
        some = classes[first : first + _AT_A_TIME]
        each = np.eye(len(some), dtype=np.int64)
        covered = np.ones((alike.shape[1], len(some)), dtype=bool)
        for region, column, row in zip(regions, columns, alike[:-1], strict=True):
            covered &= region.take(some).cover_counts(each, column.size)[row] > 0
        there = np.zeros((counts.shape[1], len(some)), dtype=np.int64)
        person, place = np.nonzero(covered)
        np.add.at(there, (alike[-1][person], place), people[person])
        more += int(np.maximum(_plain(counts[some]).T - there, 0).sum())
    return more


def _plain(counts: Histograms) -> NDArray[np.int64]:
    """A few histograms as a plain array."""
    return counts if isinstance(counts, np.ndarray) else counts.toarray()
