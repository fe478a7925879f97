"""The level at which a sensitive column is published: its own values, parts of them, or others.

A salary may be published in bands, a diagnosis as its chapter. A published cell is then a part of
the original's domain, as the cells of quasi-identifiers are. What an attacker believes, and what is
true, are compared at the published level: the original's values are put into the published parts
(`at_published_level`), and every attack and measure runs on these as it does on exact values.
Values that were changed, as by noise, are of a larger domain: the original's values and theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unveil.errors import Call, InputError, Message, Option, Text
from unveil.errors import Column as ColumnName
from unveil.microdata._microdata import Column, Kind, Microdata
from unveil.microdata._notations import Spans, spans_of
from unveil.microdata._numbers import as_values
from unveil.microdata._regions import Intervals, Sets

_NOBODY = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False, kw_only=True)
class Level:
    """A sensitive column as it is published, where that is not at the level of the original.

    Attributes
    ----------
    column : Column
        The published domain, without records.
    part_of : int32 array
        The code in it of each value of the original.
    said : Message
        What a reader has to know first.
    in_short : str
        How it is published, such as ``in 4 bands``; empty for values that were changed.
    """

    column: Column
    part_of: NDArray[np.int32]
    said: Text
    in_short: str = ""

    def of(self, original: Column) -> Column:
        """The original's sensitive column at this level."""
        return replace(self.column, codes=self.part_of[original.codes])


def at_published_level(microdata: Microdata, release: object) -> Microdata:
    """The original with its sensitive column at the level at which a release publishes it.

    Attacks and measures compare what is published with what is true. If a release publishes its
    sensitive column in bands, chapters or other parts, give them this table instead of the
    original. `audit` and the command line do it themselves.

    Parameters
    ----------
    microdata : Microdata
        The original, with which the release was read.
    release : Release
        As `read_release` returned it.

    Returns
    -------
    Microdata
        The same table if the release publishes exact values. Otherwise its first note says at
        which level it is.

    Examples
    --------
    >>> import unveil as uv
    >>> staff = uv.read_table({"age": [30, 34, 41], "pay": [2100, 2900, 3500]},
    ...                       quasi="age", sensitive="pay")
    >>> published = {"age": ["30-39", "30-39", "40-49"], "pay": ["2000-2999", "2000-2999", "≥3000"]}
    >>> release = uv.read_release(published, staff)
    >>> banded = uv.at_published_level(staff, release)
    >>> banded.sensitive.texts
    ('2000-2999', '≥3000')
    >>> print(banded.notes[0])
    pay is published in 2 bands; all figures are about the band, not the exact pay
    >>> uv.linkage(release, banded).values.tolist()
    [1, 1, 1]
    """
    level: Level | None = getattr(release, "level", None)
    sensitive = microdata.sensitive
    if level is None or sensitive.values is level.column.values:
        return microdata
    if sensitive.name != level.column.name or sensitive.size != len(level.part_of):
        raise InputError(
            "the release was not read with {table}: their columns, or the values in them, differ; "
            "read it with this table as its original", table=microdata.file,
        )  # fmt: skip
    columns = tuple(level.of(c) if c is sensitive else c for c in microdata.columns)
    return replace(microdata, columns=columns, notes=(level.said, *microdata.notes))


def refuse_other_level(release: object, microdata: Microdata) -> None:
    """Refuse the original where the sensitive column is published at another level.

    >>> import unveil as uv
    >>> staff = uv.read_table({"age": [30, 34, 41], "pay": [2100, 2900, 3500]},
    ...                       quasi="age", sensitive="pay")
    >>> pay = ["2000-2999", "2000-2999", "≥3000"]
    >>> release = uv.read_release({"age": ["30-39"] * 2 + ["40-49"], "pay": pay}, staff)
    >>> uv.linkage(release, staff, microdata=staff)
    Traceback (most recent call last):
    unveil.errors.InputError: pay is published in 2 bands, and table has its exact values; give
    unveil.at_published_level(microdata, release) instead
    """
    if at_published_level(microdata, release) is microdata:
        return
    level: Level = getattr(release, "level")  # noqa: B009
    raise InputError(
        "{column} is published {how}, and {table} has its exact values; give {call}(microdata, "
        "release) instead", column=level.column.name, how=level.in_short or "with other numbers",
        table=microdata.file, call=Call("at_published_level"),
    )  # fmt: skip


def coarsened(
    column: Column, texts: Sequence[str], spans: Sequence[Spans]
) -> tuple[Level, list[int]]:
    """The level of cells that are parts of a column's domain, and the code of each cell there.

    Cells that overlap are taken together. A cell that covers the whole domain tells nothing: its
    code is -1. What no cell covers is a part by itself.
    """
    whole = ((0, column.size - 1),)
    told = [one if one != whole else () for one in spans]
    parts = _parts(column, [one for one in told if one])
    codes = [int(parts[one[0][0]]) if one else -1 for one in told]
    if len({*codes} - {-1}) < 2:
        raise InputError(
            "the published cells of {column} overlap, or cover all values, so that no two groups "
            "of values can be told apart; if the values were changed, give {changed}; otherwise "
            "leave {column} out, because it tells nothing", column=ColumnName(column.name),
            changed=Option("how", {column.name: "perturbed"}),
        )  # fmt: skip
    names = _names(column, parts, texts, told)
    is_ordered = column.is_ordered and bool((np.diff(parts) >= 0).all())
    order = np.arange(len(names)) if is_ordered else np.argsort(np.array(names), kind="stable")
    place = np.argsort(order).astype(np.int32)
    said, in_short = _said(column, told, codes)
    level = Level(
        column=Column(
            name=column.name, role=column.role, codes=_NOBODY,
            kind=Kind.ORDINAL if is_ordered else Kind.CATEGORICAL,
            values=np.array([names[part] for part in order], dtype=object),
        ),
        part_of=place[parts],
        said=said, in_short=in_short,
    )  # fmt: skip
    return level, [int(place[code]) if code >= 0 else -1 for code in codes]


def halves_apart(
    spans: Sequence[Spans], records: NDArray[np.int64], people: NDArray[np.int64]
) -> list[Spans]:
    """Cells of rounded numbers without the values that are halfway to the next cell.

    Programs round halves either way. Each goes where the number of records is right: ``records``
    is that of each cell, and ``people`` that of each value.
    """
    cells = [set(range(one[0][0], one[-1][1] + 1)) if one else set() for one in spans]
    order = sorted((cell for cell in range(len(spans)) if spans[cell]), key=lambda c: min(cells[c]))
    for low, high in pairwise(order):
        for half in sorted(cells[low] & cells[high]):
            others = sum(int(people[code]) for code in cells[low] - {half})
            stays = others + int(people[half]) <= records[low]
            cells[high if stays else low].discard(half)
    return [spans_of(cell) for cell in cells]


def _parts(column: Column, published: Sequence[Spans]) -> NDArray[np.int32]:
    """For each value its part: what overlapping cells cover together, or what none covers."""
    size = column.size
    joined = np.zeros(size, dtype=np.int64)  # whether a value and the next are in one run
    covered = np.zeros(size + 1, dtype=np.int64)
    for first, last in (run for spans in published for run in spans):
        covered[first] += 1
        covered[last + 1] -= 1
        joined[first] += 1
        joined[last] -= 1
    bare = np.cumsum(covered[:-1]) == 0
    together = np.cumsum(joined)[:-1] > 0
    together |= bare[:-1] & bare[1:]
    run_of = np.concatenate([[0], np.cumsum(~together)])
    root = list(range(int(run_of[-1]) + 1))

    def found(run: int) -> int:
        while root[run] != run:
            root[run] = root[root[run]]
            run = root[run]
        return run

    sets = [[int(run_of[first]) for first, _ in spans] for spans in published]
    if not column.is_ordered and bare.any():  # without an order, what is left is one part
        sets.append(np.unique(run_of[bare]).tolist())
    for runs in sets:
        for run in runs[1:]:
            root[max(found(run), found(runs[0]))] = min(found(run), found(runs[0]))
    roots = np.array([found(run) for run in range(len(root))])
    return np.unique(roots[run_of], return_inverse=True)[1].astype(np.int32)


def _names(
    column: Column, parts: NDArray[np.int32], texts: Sequence[str], told: Sequence[Spans]
) -> list[str]:
    """What each part is called: as its cell is written, if one cell is all of it."""
    sizes = np.bincount(parts)
    written: dict[int, str] = {}
    for text, spans in zip(texts, told, strict=True):
        if spans and sum(last - first + 1 for first, last in spans) == sizes[parts[spans[0][0]]]:
            written.setdefault(int(parts[spans[0][0]]), text)
    names: list[str] = []
    for part in range(len(sizes)):
        name = written.get(part) or _described(column, np.flatnonzero(parts == part))
        names.append(name if name not in names else f"{name} ({part + 1})")
    return names


def _described(column: Column, members: NDArray[np.intp]) -> str:
    low, high = members[:1].astype(np.int32), members[-1:].astype(np.int32)
    if high[0] - low[0] + 1 == len(members):
        return Intervals(low, high).texts(column)[0]
    start = np.array([0, len(members)], dtype=np.int64)
    return Sets(start, members.astype(np.int32)).texts(column)[0]


def _said(column: Column, told: Sequence[Spans], codes: Sequence[int]) -> tuple[Message, str]:
    """At which level the column is, and what is not tested there."""
    distinct = {(code, spans) for spans, code in zip(told, codes, strict=True) if spans}
    parts = len({code for code, _ in distinct})
    what = "band" if column.is_ordered else "group"
    finer = ""
    if len(distinct) > parts:
        finer = (
            f"; its cells overlap, and those that do are taken together as one {what}: what the "
            "finer ones tell is not tested"
        )
    in_short = f"in {parts:,} {what}s"
    said = Message(
        "{column} is published {in_short}; all figures are about the {what}, not the exact "
        "{column}{finer}", column=column.name, in_short=in_short, what=what, finer=finer,
    )  # fmt: skip
    return said, in_short


def widened(column: Column, numbers: Sequence[str]) -> Level:
    """The level of numbers that were changed: the values of the original, and what is published."""
    values, place = np.unique(
        np.concatenate([column.values, as_values(numbers, column)]), return_inverse=True
    )
    return Level(
        column=Column(name=column.name, role=column.role, kind=Kind.NUMERIC, codes=_NOBODY,
                      values=values),
        part_of=place[: column.size].astype(np.int32),
        said=Message(
            "{column} was changed before publication: guesses of it are right within the "
            "tolerance, and methods that assume true values are not applicable", column=column.name,
        ),
    )  # fmt: skip
