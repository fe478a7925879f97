"""Who is in the published table, who is held out, and whose records the attacker has.

People held out may come from a table of their own. It is joined with the members' table, so that a
code means the same value for everybody.

People are split, never rows: all records of one person are in the same part. Rows of one person on
both sides would make everything look like a breach, or hide one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil import errors
from unveil._text import counted
from unveil.errors import Cell, File, InputError, Listed, Message, Option, Row, Text, did_you_mean
from unveil.microdata import (
    Column,
    Kind,
    Mapped,
    Microdata,
    Persons,
    Role,
    checked_mapping,
    likely_mapping,
    mapping_said,
    numbered_people,
    other_codes,
    recoded,
    same_in_other_words,
    values_listed,
    values_of,
)

_FEWEST = 2  # people in a group: one person shows no variation, and a table without them is empty


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """Everybody, and the three parts they fall into, as record numbers in ascending order.

    Attributes
    ----------
    everybody : Microdata
    members : array
        People whose records are sanitized and published.
    held_out : array
        People whose records are not.
    own : array
        People whose records the attacker has; empty if there are none.
    source : str
        What an error about a goal that the members' records cannot meet calls them.

    Examples
    --------
    >>> import unveil as uv
    >>> stays = uv.read_table({"who": list("aabbcd"), "age": range(6), "ill": list("xyxyxy")},
    ...                       quasi="age", sensitive="ill", person="who")
    >>> people = split_people(stays, [2, 3, 4], own=0)
    >>> people.whose.tolist(), people.first.tolist(), people.is_member.tolist()
    ([0, 0, 1, 1, 2, 3], [0, 2, 4, 5], [True, False, False, True])
    """

    everybody: Microdata
    members: NDArray[np.intp]
    held_out: NDArray[np.intp]
    own: NDArray[np.intp]
    source: str

    @cached_property
    def asked(self) -> NDArray[np.intp]:
        """Records whose people the attacker asks about, in ascending order."""
        return np.sort(np.concatenate([self.members, self.held_out]))

    @cached_property
    def _people(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        numbers = numbered_people(self.everybody)[self.asked]
        _, first, whose = np.unique(numbers, return_index=True, return_inverse=True)
        return first, whose.ravel()

    @property
    def of_members(self) -> NDArray[np.bool_]:
        """Which of these records are members'."""
        return np.isin(self.asked, self.members)

    @property
    def whose(self) -> NDArray[np.intp]:
        """The person of each of these records, by their place in `first`."""
        return self._people[1]

    @property
    def first(self) -> NDArray[np.intp]:
        """The first record of each person whom the attacker asks about, in ascending order."""
        return self.asked[self._people[0]]

    @cached_property
    def is_member(self) -> NDArray[np.bool_]:
        """Which of these people are members."""
        return np.isin(self.first, self.members)

    def count(self, records: NDArray[np.intp]) -> int:
        """How many people have these records.

        >>> import unveil as uv
        >>> stays = uv.datasets.visits(30)
        >>> people = split_people(stays, own=0)
        >>> people.count(people.members), people.count(people.held_out), len(stays)
        (15, 15, 69)
        """
        return len(np.unique(numbered_people(self.everybody)[records]))

    @cached_property
    def table(self) -> Microdata:
        """D, the table of the members."""
        return replace(self.everybody.take(self.members), source=self.source)

    @cached_property
    def own_table(self) -> Microdata:
        """The attacker's own table."""
        source = f"the attacker's own part of {self.everybody.source}"
        return replace(self.everybody.take(self.own), source=source)


def split_people(
    microdata: Microdata,
    held_out: Any = 0.5,
    *,
    own: float = 0.2,
    recode: Mapped = None,
    seed: int = 0,
) -> People:
    """Split people into members, people held out, and the attacker's own sample.

    Parameters
    ----------
    microdata : Microdata
    held_out : float, sequence of int, mask or Microdata
        As for `membership`; None: nobody.
    own : float
        Share of the people in the attacker's own sample, as for `membership`; 0: nobody.
    recode : mapping of str to mapping, optional
        Values that have another name in the table of people held out, as for `membership`.
    seed : int
        Random seed.

    Examples
    --------
    >>> import unveil as uv
    >>> people = split_people(uv.datasets.census(100))
    >>> len(people.members), len(people.held_out), len(people.own)
    (40, 40, 20)
    """
    rng, everybody = np.random.default_rng([seed, 1]), microdata
    check_recode(recode, held_out)
    if held_out is microdata:
        raise InputError(
            "the people held out are the members themselves; give a table of other people, or a "
            "share of this one to hold out, such as 0.5"
        )
    if isinstance(held_out, Microdata):  # the members' table is published whole
        everybody = joined_tables(microdata, held_out, recode)
    number = numbered_people(everybody)
    n = int(number[: len(microdata)].max(initial=-1)) + 1
    if held_out is None:
        members, held, for_attacker = np.arange(n), np.arange(0), np.arange(0)
    elif isinstance(held_out, Microdata):
        for_attacker, held = _drawn(own, np.arange(n, int(number.max(initial=-1)) + 1), rng)
        members = np.arange(n)
    elif isinstance(held_out, int | float | np.number | np.bool_):
        for_attacker, left = _drawn(own, np.arange(n), rng)
        held, members = np.split(left, [round(_share(held_out) * len(left))])
    else:
        held = _whole(_listed(held_out, len(microdata)), number, microdata)
        for_attacker, members = _drawn(own, np.setdiff1d(np.arange(n), held), rng)
    people = People(
        everybody=everybody, members=_records(members, number), held_out=_records(held, number),
        own=_records(for_attacker, number), source=f"the members' part of {everybody.source}",
    )  # fmt: skip
    if held_out is not None:
        _check(people, needs_own=own > 0)
    return people


def _records(people: NDArray[np.intp], number: NDArray[np.intp]) -> NDArray[np.intp]:
    """All records of some people, in ascending order."""
    return np.flatnonzero(np.isin(number, people))


def _whole(
    held_out: NDArray[np.intp], number: NDArray[np.intp], table: Microdata
) -> NDArray[np.intp]:
    """The people of records held out; refused if one of them has other records, too."""
    held = np.unique(number[held_out])
    others = np.setdiff1d(_records(held, number), held_out)
    if len(others):
        raise InputError(
            "{held_out} holds out some records of a person and not all: {record} is of a person "
            "who has others that are held out; hold out all records of a person, or none",
            held_out=Option("held_out"), record=Row(int(table.rows[others[0]]) + 1),
        )  # fmt: skip
    return held


def split_in_folds(microdata: Microdata, folds: int, seed: int) -> tuple[People, ...]:
    """Hold everybody out once, and make them a member otherwise.

    Sensitive values are dealt out evenly. If a fold had more of a value than its share, the other
    folds would have less, and an adversary who goes by frequencies would be wrong about it. Where a
    person has several, the one that they have most often counts.

    >>> import unveil as uv
    >>> votes = ["a", "b", "a", "b", "a", "b"]
    >>> table = uv.read_table({"age": range(6), "vote": votes}, quasi="age", sensitive="vote")
    >>> [sorted(table.sensitive.decode()[people.held_out])
    ...  for people in split_in_folds(table, 3, seed=0)]
    [['a', 'b'], ['a', 'b'], ['a', 'b']]
    """
    number = numbered_people(microdata)
    n = int(number.max(initial=-1)) + 1
    if folds > n:
        raise InputError(
            "{folds} is too many: {source} has {people}, and a fold needs at least one; {remedy}",
            folds=Option("folds", folds), source=File(microdata.source, bare=True),
            people=counted(n, "record" if microdata.several is None else "person"),
            remedy=f"take at most {n:,}" if n > 1 else "there is nobody to compare with",
        )  # fmt: skip
    shuffled = np.random.default_rng([seed, 5]).permutation(n)
    value = _most_frequent(number, microdata.sensitive.codes)
    by_value = shuffled[np.argsort(value[shuffled], kind="stable")]
    fold_of = np.empty(n, dtype=np.intp)
    fold_of[by_value] = np.arange(n) % folds
    fold_of = fold_of[number]
    return tuple(
        People(
            everybody=microdata, members=np.flatnonzero(fold_of != fold),
            held_out=np.flatnonzero(fold_of == fold), own=np.arange(0),
            source=f"{microdata.source} without fold {fold + 1} of {folds}",
        )
        for fold in range(folds)
    )  # fmt: skip


def _most_frequent(number: NDArray[np.intp], codes: NDArray[np.integer]) -> NDArray[np.int64]:
    """The value that each person has most often, the first of several.

    >>> _most_frequent(np.array([0, 0, 0, 1, 1]), np.array([3, 2, 3, 5, 4])).tolist()
    [3, 4]
    """
    width = int(codes.max(initial=0)) + 1
    pairs, times = np.unique(number.astype(np.int64) * width + codes, return_counts=True)
    person, value = np.divmod(pairs, width)
    order = np.lexsort((value, -times, person))
    return value[order[np.unique(person[order], return_index=True)[1]]]


def check_recode(recode: Mapped, held_out: Any) -> None:
    """Refuse names of values without the table that has them."""
    if recode is not None and not isinstance(held_out, Microdata):
        raise InputError(
            "{recode} is about the values of a table of people held out; give one as {held_out}",
            recode=Option("recode"), held_out=Option("held_out"),
        )  # fmt: skip


def _drawn(
    share: float, people: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """A share of some people, and the others, both in random order."""
    first, others = np.split(rng.permutation(people), [round(share * len(people))])
    return first, others


def _share(held_out: Any) -> float:
    if isinstance(held_out, bool | np.bool_) or not 0 < held_out < 1:
        raise InputError(
            "{held_out} must be a share of the people above 0 and below 1, such as 0.5, got "
            "{given}",
            held_out=Option("held_out"), given=repr(held_out),
        )  # fmt: skip
    return float(held_out)


def _listed(held_out: Any, n: int) -> NDArray[np.intp]:
    """Record numbers, from record numbers or a mask."""
    try:
        chosen = np.asarray(held_out)
    except ValueError:  # lists of different lengths
        chosen = np.zeros((0, 0))
    if chosen.dtype == bool and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    elif chosen.ndim != 1 or (len(chosen) and not np.issubdtype(chosen.dtype, np.integer)):
        raise InputError(
            "{held_out} must be a share such as 0.5, a list of record numbers counted from 0, a "
            "mask of {n} truth values, or microdata of other people; got a {kind}",
            held_out=Option("held_out"), n=n, kind=type(held_out).__name__,
        )  # fmt: skip
    wrong = chosen[(chosen < 0) | (chosen >= n)]
    if len(wrong):
        raise InputError(
            "{held_out} has {record}, but records are numbered from 0 to {last}",
            held_out=Option("held_out"), record=Row(int(wrong[0]), "record"), last=n - 1,
        )  # fmt: skip
    return np.unique(chosen).astype(np.intp)


def _check(people: People, *, needs_own: bool) -> None:
    """Refuse a split with too few people in a part."""
    parts = {"members": people.members, "people held out": people.held_out}
    if needs_own:
        parts["people in the attacker's own sample"] = people.own
    for what, part in parts.items():
        if people.count(part) < _FEWEST:
            everybody = people.everybody
            raise InputError(
                "{source} has {records:record}{of_people}, and this split leaves {count} {what}, "
                "but at least {fewest} are needed; choose other shares",
                source=File(everybody.source, bare=True), records=len(everybody),
                count=people.count(part), what=what, fewest=_FEWEST,
                of_people="" if everybody.several is None
                else f" of {counted(everybody.several.count, 'person')}",
            )  # fmt: skip


def joined_tables(microdata: Microdata, others: Microdata, recode: Mapped = None) -> Microdata:
    """The records of one table, followed by those of another with the same columns.

    Numbers and plain categories of either are values of both. Levels and hierarchies were declared;
    those must agree. Other names for the same values would tell everybody in one table from
    everybody in the other: they are refused, unless ``recode`` says what they mean.

    >>> import unveil as uv
    >>> here = uv.read_table({"age": [30, 41], "vote": ["a", "b"]}, quasi="age", sensitive="vote")
    >>> there = uv.read_table({"age": [35], "vote": ["b"]}, quasi="age", sensitive="vote")
    >>> joined_tables(here, there)["age"].decode().tolist()
    [30, 41, 35]
    """
    ours, theirs = (
        {column.name: column for column in (*table.quasi, table.sensitive)}
        for table in (microdata, others)
    )
    said = checked_mapping(recode, ours)
    if {n: column.role for n, column in ours.items()} != {n: c.role for n, c in theirs.items()}:
        lacking = next((name for name in ours if name not in theirs), None)
        raise InputError(
            "{source} and the table of people held out, {there}, have different quasi-identifiers "
            "and sensitive columns: {ours} here and {theirs} there{near}; read both with the same "
            "ones",
            source=File(microdata.source, bare=True), there=File(others.source, bare=True),
            ours=Listed([errors.Column(name) for name in ours]),
            theirs=Listed([errors.Column(name) for name in theirs]),
            near="" if lacking is None else did_you_mean(lacking, theirs),
        )  # fmt: skip
    columns: list[Column] = []
    notes: list[Any] = []
    for column in ours.values():
        other = theirs[column.name]
        if column.name in said:
            words = column.kind is not Kind.NUMERIC
            other = recoded(other, said[column.name], kind=Kind.CATEGORICAL if words else None)
            other = replace(other, kind=column.kind if words else other.kind)
        columns.append(_joined_column(column, other, others))
        notes += _strangers(column, other, others)
    # The attack does not use other columns, but a sanitizer may read those that both tables have.
    further = {column.name: column for column in others.columns if column.role is Role.OTHER}
    columns += [
        _joined_column(column, further[column.name], others)
        for column in microdata.columns
        if column.role is Role.OTHER and column.name in further
    ]
    return replace(
        microdata,
        columns=tuple(columns),
        rows=np.concatenate([microdata.rows, others.rows]),
        notes=tuple(dict.fromkeys((*microdata.notes, *others.notes, *notes))),
        persons=_joined_persons(microdata, others),
    )


def _joined_persons(microdata: Microdata, others: Microdata) -> Persons | None:
    """Whose the records of two tables are, which must have nobody in common."""
    said = microdata.persons or others.persons
    if said is None:
        return None
    mine, theirs, columns = numbered_people(microdata), numbered_people(others), said.columns
    here, there = (_names_of(table, columns) for table in (microdata, others))
    if here is not None and there is not None:
        known = set(here)
        both = [record for record, name in enumerate(there) if name in known]
        if both:
            raise InputError(
                "{n:row} of the table of people held out, {source}, {is_are} of people who are in "
                "{members}, too ({row} is the first); people held out must not be in the release: "
                "leave these rows out",
                n=len(both), source=File(others.source, bare=True),
                is_are="is" if len(both) == 1 else "are",
                members=File(microdata.source, bare=True),
                row=Row(int(others.rows[both[0]]) + 1),
            )  # fmt: skip
    return Persons(
        columns, np.concatenate([mine, theirs + int(mine.max(initial=-1)) + 1]).astype(np.int64)
    )


def _names_of(table: Microdata, columns: tuple[str, ...]) -> list[tuple[str, ...]] | None:
    """What each record's person is called; None if the table does not have all these columns."""
    there = {column.name: column for column in table.columns}
    if not columns or any(name not in there for name in columns):
        return None
    texts = [[there[name].texts[code] for code in there[name].codes] for name in columns]
    return list(zip(*texts, strict=True))


def _joined_column(column: Column, other: Column, others: Microdata) -> Column:
    if _sort(column) != _sort(other):
        raise InputError(
            "column {column} has {sort} values here ({values}) and {other} values in the table of "
            "people held out, {source} ({others}); read both alike, or say what its values are "
            "called here: {mapping}",
            column=errors.Column(column.name), sort=_sort(column), values=values_of(column),
            other=_sort(other), source=File(others.source, bare=True), others=values_of(other),
            mapping=mapping_said(column.name, other.texts, column.texts),
        )  # fmt: skip
    declared = column.hierarchy is not None or column.kind is Kind.ORDINAL
    unknown = [text for text in other.texts if text not in column.places]
    if declared and unknown:
        raise InputError(
            "{unknown}; or read both with the same levels and hierarchies",
            unknown=unknown_values(column, other, unknown, others.source),
        )
    kept = declared or not unknown
    values = column.values if kept else _either(column, other)
    place = {text: code for code, text in enumerate(replace(column, values=values).texts)}
    codes = [
        np.array([place[text] for text in one.texts], dtype=np.int32)[one.codes]
        for one in (column, other)
    ]
    given = column.given if kept else _given(column, other, place)
    return replace(column, values=values, codes=np.concatenate(codes), given=given)


def unknown_values(column: Column, other: Column, unknown: list[str], source: str) -> Text:
    """Say that people held out have values that the members' table does not."""
    codes = [other.places[text] for text in unknown]
    records = int(np.isin(other.codes, codes).sum())
    return other_codes(
        column, unknown, source=f"the table of people held out, {source},",
        where=counted(records, "record"),
        who=f"{'is' if len(unknown) == 1 else 'are'} not among its values here",
    )  # fmt: skip


def _strangers(column: Column, other: Column, others: Microdata) -> list[Message]:
    """Refuse our values in other words; a note if the column has none of our values."""
    if column.kind is not Kind.CATEGORICAL or column.hierarchy is not None:
        return []
    theirs = [other.texts[code] for code in np.unique(other.codes)]
    unknown = [text for text in theirs if text not in column.places]
    same = same_in_other_words(unknown, column.texts)
    nothing_alike = bool(unknown) and len(unknown) == len(theirs)
    if nothing_alike and likely_mapping(unknown, column.texts):
        same = {text: text for text in unknown}
    if same:
        raise InputError(unknown_values(column, other, list(same), others.source))
    if not nothing_alike:
        return []
    return [
        Message(
            "column {column}: nobody in the table of people held out, {source}, has a value that a "
            "member has ({theirs} there, {ours} here); if these are other names for the same "
            "values, they alone tell members apart: say which are the same, {mapping}",
            column=errors.Column(column.name), source=File(others.source, bare=True),
            theirs=Cell(values_listed(theirs), bare=True),
            ours=Cell(values_listed(column.texts), bare=True),
            mapping=mapping_said(column.name, unknown, column.texts),
        )
    ]  # fmt: skip


def _sort(column: Column) -> str:
    """What sort of values they are."""
    return "point-in-time" if column.values.dtype.kind == "M" else str(column.kind)


def _either(column: Column, other: Column) -> NDArray[Any]:
    """The values of both, in order."""
    if column.kind is Kind.NUMERIC:
        return np.union1d(column.values, other.values)
    return np.array(sorted({*column.texts, *other.texts}), dtype=object)


def _given(column: Column, other: Column, place: dict[str, int]) -> NDArray[Any] | None:
    """The values as they are in the tables, where they were not texts."""
    if column.given is None and other.given is None:
        return None
    known: dict[str, Any] = {}
    for one in (other, column):
        known.update(zip(one.texts, one.values if one.given is None else one.given, strict=True))
    return pd.Series([known[text] for text in place], dtype=object).to_numpy()
