"""What a release covers, and which records of the original it no longer has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Call, File, InputError, Message, Option
from unveil.findings import Chart, Table, cell
from unveil.measures._texts import bar_chart
from unveil.microdata import (
    AnyRelease,
    Intervals,
    Microdata,
    Regions,
    Release,
    Sets,
    refuse_perturbed,
    same_domains,
    with_records,
)

_ALL = "all together"
_TRAINED = Call("classifier_utility")  # applicable to any release


def release_of(release: Any, microdata: Any, what: str) -> Release:
    """The release, if it is one of records and can be one of the original."""
    if not isinstance(microdata, Microdata):
        raise InputError(
            "{what} needs microdata, a table whose columns have roles, but got a {kind}; make it "
            "with {call}",
            what=what, kind=type(microdata).__name__, call=Call("read_table"),
        )  # fmt: skip
    records = records_of(release, what)
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


def records_of(release: Any, what: str) -> Release:
    """The release, if it is one of records."""
    if not isinstance(release, AnyRelease):
        raise InputError(
            "{what} needs a release, but got a {kind}; a sanitizer makes one, and {call} reads one",
            what=what, kind=type(release).__name__, call=Call("read_release"),
        )  # fmt: skip
    instead = Message("{call} does not, given the sanitizer", call=_TRAINED)
    return with_records(release, what, instead=instead)


def refuse_untrue(release: Release, what: str) -> None:
    """Refuse a release whose cells need not cover the values of its records."""
    refuse_perturbed(release, release.quasi, what, instead=Message("{call} does", call=_TRAINED))


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
    if isinstance(regions, Sets):
        return _of_sets(regions)
    if isinstance(regions, Intervals):
        return _of_intervals(regions, domain)
    covered = np.stack([regions.covers(code) for code in range(domain)], axis=1)
    last = domain - 1 - covered[:, ::-1].argmax(axis=1)
    return Reach(covered.argmax(axis=1), last, covered.sum(axis=1))


def _of_sets(sets: Sets) -> Reach:
    number = np.diff(sets.start)
    first, last = np.zeros(len(sets), dtype=np.int64), np.zeros(len(sets), dtype=np.int64)
    some = number > 0
    first[some] = sets.members[sets.start[:-1][some]]
    last[some] = sets.members[sets.start[1:][some] - 1]
    return Reach(first, last, number)


def _of_intervals(intervals: Intervals, domain: int) -> Reach:
    first = np.maximum(intervals.low, 0).astype(np.int64)
    last = np.minimum(intervals.high, domain - 1).astype(np.int64)
    there = np.ones(domain, dtype=bool) if intervals.there is None else intervals.there
    before = np.concatenate([[0], np.cumsum(there)])
    inside = first <= last
    first[~inside] = last[~inside] = 0
    number = np.zeros(len(intervals), dtype=np.int64)
    number[inside] = before[last[inside] + 1] - before[first[inside]]
    whole = (intervals.low <= 0) & (intervals.high >= domain - 1)
    number[whole] = domain  # includes values that nobody has
    present = np.flatnonzero(there)
    some = inside & ~whole & (number > 0)
    first[some] = present[before[first[some]]]
    last[some] = present[before[last[some] + 1] - 1]
    return Reach(first, last, number)


def mass_of(regions: Regions, people: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each class, the people whose value its region covers; ``people`` is by value.

    >>> regions = Intervals(np.array([0, 1], dtype=np.int32), np.array([1, 1], dtype=np.int32))
    >>> mass_of(regions, np.array([5, 2, 1])).tolist()
    [7, 2]
    """
    if isinstance(regions, Sets):
        return np.diff(_before(people[regions.members])[regions.start])
    if isinstance(regions, Intervals):
        return _mass_of_intervals(regions, people)
    mass = np.zeros(len(regions), dtype=np.int64)
    for code in np.flatnonzero(people):
        mass[regions.covers(int(code))] += people[code]
    return mass


def _mass_of_intervals(intervals: Intervals, people: NDArray[np.int64]) -> NDArray[np.int64]:
    domain = len(people)
    there = people if intervals.there is None else np.where(intervals.there, people, 0)
    before = _before(there)
    first = np.clip(intervals.low, 0, domain)
    after = np.clip(intervals.high + 1, 0, domain)
    mass = np.where(first < after, before[after] - before[first], 0)
    # An uncut interval also covers values that nobody in the sanitized table has.
    whole = (intervals.low <= 0) & (intervals.high >= domain - 1)
    return np.where(whole, people.sum(), mass)


def _before(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sums of the numbers before each place; the last is the sum of all."""
    return np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)


_Lost = Mapping[str, float | None]


def lost_chart(kinds: Mapping[str, tuple[float | None, _Lost]], made_by: str) -> Chart:
    """The share lost of everything, and of each column, by one or more measures."""
    columns = list(next(iter(kinds.values()))[1])
    return bar_chart(
        f"What {made_by} loses",
        [_ALL, *columns],
        {kind: [whole, *(lost[name] for name in columns)] for kind, (whole, lost) in kinds.items()},
        label=next(iter(kinds)) if len(kinds) == 1 else "share that is lost",
        share=True,
    )


def column_table(kinds: Mapping[str, _Lost]) -> Table:
    """The share that each column has lost, by one or more measures; only in a text."""
    return Table(
        columns=["column", *kinds],
        rows=[
            [name, *(cell(lost[name], share_text) for lost in kinds.values())]
            for name in next(iter(kinds.values()))
        ],
    )


def share_text(share: float | None) -> str:
    """A share as a text.

    >>> share_text(0.125), share_text(None)
    ('12.5%', 'undefined')
    """
    return "undefined" if share is None else f"{share:.1%}"
