"""What a release covers, and which records of the original it no longer has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Call, File, InputError, Message, Option
from unveil.findings import Chart, Story, Table, cell
from unveil.measures._classes import Measure
from unveil.measures._texts import bar_chart
from unveil.microdata import (
    AnyRelease,
    Intervals,
    Microdata,
    Regions,
    Release,
    Sets,
    refuse_other_level,
    refuse_perturbed,
    same_domains,
    with_records,
)

_ALL = "all together"
_TRAINED = Call("classifier_utility")  # applicable to any release


def release_of(release: Any, microdata: Any, what: str, *, true: bool = False) -> Release:
    """The release, if it is one of records and can be one of the original. See `records_of`."""
    if not isinstance(microdata, Microdata):
        raise InputError(
            "{what} needs microdata, a table whose columns have roles, but got a {kind}; make it "
            "with {call}",
            what=what, kind=type(microdata).__name__, call=Call("read_table"),
        )  # fmt: skip
    records = records_of(release, what, true=true)
    refuse_other_level(records, microdata)
    if not same_domains(records, microdata):
        raise not_of(records, microdata)
    missing_from(records, microdata)
    return records


def not_of(release: Release, microdata: Microdata) -> InputError:
    """The error for a release that is not one of the original."""
    return InputError(
        "the release by {release} is not one of {original}: their columns, or the values in them, "
        "differ; read it with {call}",
        release=File(release.made_by, bare=True),
        original=File(microdata.source, bare=True),
        call=Call("read_release"),
    )


def records_of(release: Any, what: str, *, true: bool = False) -> Release:
    """The release, if it is one of records; ``true``: whose cells cover the records' values."""
    if not isinstance(release, AnyRelease):
        raise InputError(
            "{what} needs a release, but got a {kind}; a sanitizer makes one, and {call} reads one",
            what=what, kind=type(release).__name__, call=Call("read_release"),
        )  # fmt: skip
    instead = Message("{call} does not, given the sanitizer", call=_TRAINED)
    records = with_records(release, what, instead=instead)
    if true:
        instead = Message("{call} does", call=_TRAINED)
        refuse_perturbed(records, records.quasi, what, instead=instead)
    return records


def missing_from(release: Release, microdata: Microdata | None) -> int:
    """The number of the original's records that a release does not have.

    Without the original, the number that was found when the release was read.
    """
    return release.dropped if microdata is None else missing_of(len(release), microdata)


def missing_of(released: int, original: Microdata | int) -> int:
    """The number of the original's records that were not released."""
    name: Any = ""
    if isinstance(original, Microdata):
        everybody, name = len(original), Message(", {source},", source=File(original.source, True))
    elif isinstance(original, int | np.integer) and not isinstance(original, bool) and original > 0:
        everybody = int(original)
    else:
        raise InputError(
            "{option} must be microdata, or its number of records (at least 1), but got {given}",
            option=Option("original"), given=repr(original),
        )  # fmt: skip
    if released <= everybody:
        return everybody - released
    raise InputError(
        "the release has {released} records and the original table{name} only {everybody}; give "
        "the table that the release was made from",
        released=released, name=name, everybody=everybody,
    )  # fmt: skip


class Reach(NamedTuple):
    """For each class, the codes that its region covers; the ends are void if it covers none."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    number: NDArray[np.int64]


def reach_of(regions: Regions, domain: int) -> Reach:
    """How far each class's region reaches in a domain of ``domain`` values."""
    regions = plain(regions, domain)
    number = mass_of(regions, np.ones(domain, dtype=np.int64))
    some = number > 0
    first, last = np.zeros((2, len(regions)), dtype=np.int64)
    if isinstance(regions, Sets):
        first[some] = regions.members[regions.start[:-1][some]]
        last[some] = regions.members[regions.start[1:][some] - 1]
        return Reach(first, last, number)
    first[some] = np.maximum(regions.low[some], 0)
    last[some] = np.minimum(regions.high[some], domain - 1)
    if regions.there is not None:
        present, cut = np.flatnonzero(regions.there), some & ~whole(regions, domain)
        first[cut] = present[np.searchsorted(present, first[cut])]
        last[cut] = present[np.searchsorted(present, last[cut], side="right") - 1]
    return Reach(first, last, number)


def plain(regions: Regions, domain: int) -> Intervals | Sets:
    """Regions in one of two shapes: those of any other shape as sets."""
    if isinstance(regions, Intervals | Sets):
        return regions
    covered = np.stack([regions.covers(code) for code in range(domain)], axis=1)
    return Sets(_before(covered.sum(axis=1)), np.nonzero(covered)[1].astype(np.int32))


def whole(intervals: Intervals, domain: int) -> NDArray[np.bool_]:
    """Which intervals are uncut: they also cover values that nobody in the sanitized table has."""
    return (intervals.low <= 0) & (intervals.high >= domain - 1)


def mass_of(regions: Regions, people: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each class, the people whose value its region covers; ``people`` is by value.

    >>> regions = Intervals(np.array([0, 1], dtype=np.int32), np.array([1, 1], dtype=np.int32))
    >>> mass_of(regions, np.array([5, 2, 1])).tolist()
    [7, 2]
    """
    domain = len(people)
    regions = plain(regions, domain)
    if isinstance(regions, Sets):
        return np.diff(_before(people[regions.members])[regions.start])
    before = _before(people if regions.there is None else np.where(regions.there, people, 0))
    first, after = np.clip(regions.low, 0, domain), np.clip(regions.high + 1, 0, domain)
    mass = np.where(first < after, before[after] - before[first], 0)
    return np.where(whole(regions, domain), people.sum(), mass)


def _before(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sums of the numbers before each place; the last is the sum of all."""
    return np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)


Lost: TypeAlias = Mapping[str, tuple[float | None, Mapping[str, float | None]]]
"""By measure, the share lost of everything, and of each column."""


def lost_chart(lost: Lost, made_by: str) -> Chart:
    """The share lost of everything, and of each column."""
    columns = list(next(iter(lost.values()))[1])
    return bar_chart(
        f"What {made_by} loses",
        [_ALL, *columns],
        {kind: [whole, *(of[name] for name in columns)] for kind, (whole, of) in lost.items()},
        label=next(iter(lost)) if len(lost) == 1 else "share that is lost",
        share=True,
    )


def column_table(lost: Lost) -> Table:
    """The share that each column has lost; only in a text."""
    return Table(
        columns=["column", *lost],
        rows=[
            [name, *(cell(of[name], share_text) for _, of in lost.values())]
            for name in next(iter(lost.values()))[1]
        ],
    )


def share_text(share: float | None) -> str:
    """A share as a text.

    >>> share_text(0.125), share_text(None)
    ('12.5%', 'undefined')
    """
    return "undefined" if share is None else f"{share:.1%}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LossMeasure(Measure):
    """A measure of what a release has lost of each quasi-identifier."""

    made_by: str
    records: int
    missing: int

    @property
    def facts(self) -> Mapping[str, Any]:
        count = {"record_count": self.records, "release": self.made_by}
        return {**count, **self.attributes(f"missing by_column {self.said}")}

    def _told(self, title: str, about: str, lost: Lost) -> Story:
        return Story(
            title=title,
            about=[about],
            tables=[column_table(lost)],
            charts=[lost_chart(lost, self.made_by)],
        )
