"""Second tables: other names for the same values, and cells read among other people's values.

Second tables come in many places: people with names, a population, people held out, a prior, a
hierarchy. If one writes a column in another way (``M`` for ``Male``, ``1`` for ``yes``), nobody in
it is found, and that looks like good privacy. So values that the first table does not have are
refused, with some values of both tables and the mapping to give; it is spelled out if a rule makes
one from the other.

Regions are codes of the column that they were read in. For people of another table, the texts of
the cells are read again among the values there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from unveil.errors import Cell, File, InputError, Message, Option, Text, View, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import column_cells, read_column
from unveil.microdata._distinct import listed_values
from unveil.microdata._encode import Wish, encode
from unveil.microdata._messages import ValueOption, value_meant, values_listed
from unveil.microdata._microdata import Column, Kind, value_text
from unveil.microdata._regions import Intervals, Regions, Sets
from unveil.microdata._sources import from_table

Mapped: TypeAlias = Mapping[str, Mapping[Any, Any]] | None
"""For each column, what values of another table are called here; None: not a value here."""

_CODES = 3  # so few numbers are probably codes, and are listed
_PAIRS = 8  # shown of a mapping
_DAY = len("1984-05-23")
_DATES = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y%m%d")
_TRUTHS = {
    **dict.fromkeys(("1", "yes", "y", "true", "t"), "yes"),
    **dict.fromkeys(("0", "no", "n", "false", "f"), "no"),
}


def checked_mapping(mapping: Any, columns: Iterable[str]) -> dict[str, dict[str, str | None]]:
    """A mapping, the option ``recode``, as texts; refused if it is not applicable.

    >>> checked_mapping({"sex": {1: "Male"}}, ["age", "sex"])
    {'sex': {'1': 'Male'}}
    """
    if mapping is None:
        return {}
    right = isinstance(mapping, Mapping) and all(isinstance(m, Mapping) for m in mapping.values())
    if not right:
        raise InputError(
            "{option} must map columns to values and their names here, such as {example}, but "
            "{given} was given", option=Option("recode"),
            example=repr({"sex": {"M": "Male"}}), given=Cell(mapping),
        )  # fmt: skip
    there = list(columns)
    for name in mapping:
        if name not in there:
            raise InputError(
                "{option} names the column {name}, which is not compared{hint} (those are "
                "{columns})", option=Option("recode"), name=Cell(name),
                hint=did_you_mean(str(name), there), columns=", ".join(there),
            )  # fmt: skip
    return {
        name: {value_text(a): None if b is None else value_text(b) for a, b in pairs.items()}
        for name, pairs in mapping.items()
    }


def likely_mapping(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """The probable names of texts in another table; empty if no rule fits all of them.

    >>> likely_mapping(["F", "M"], ["Female", "Male"])
    {'F': 'Female', 'M': 'Male'}
    >>> likely_mapping(["0", "1"], ["no", "yes"]), likely_mapping(["1234"], ["01234", "02000"])
    ({'0': 'no', '1': 'yes'}, {'1234': '01234'})
    >>> likely_mapping(["23.05.1984"], ["1984-05-23"]), likely_mapping(["X", "Y"], ["a", "b"])
    ({'23.05.1984': '1984-05-23'}, {})
    """
    for key in (_plain, _number, _truth):
        found = _by_key(theirs, ours, key, key)
        if len(found) == len(theirs):
            return found
    return _by_dates(theirs, ours) or _by_beginning(theirs, ours)


def same_in_other_words(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """The texts that another table has in other case, with leading zeros, and so on.

    >>> same_in_other_words(["rome", "Bern", "007"], ["Rome", "Nice", "7"])
    {'rome': 'Rome', '007': '7'}
    """
    found = _by_key(theirs, ours, _number, _number) | _by_key(theirs, ours, _plain, _plain)
    return {text: found[text] for text in theirs if text in found}


def _by_key(
    theirs: Sequence[str],
    ours: Sequence[str],
    their_key: Callable[[str], str | None],
    our_key: Callable[[str], str | None],
) -> dict[str, str]:
    """The texts with a key that exactly one of ours has."""
    held: dict[str, list[str]] = {}
    for text in ours:
        key = our_key(text)
        if key is not None:
            held.setdefault(key, []).append(text)
    found = {text: held.get(their_key(text) or "", []) for text in theirs}
    return {text: some[0] for text, some in found.items() if len(some) == 1}


def _plain(text: str) -> str | None:
    """A text in lower case, with blanks between words."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split()) or None


def _number(text: str) -> str | None:
    """A number without redundant zeros."""
    try:
        return value_text(float(text)) if text.strip().isascii() else None
    except ValueError:
        return None


def _truth(text: str) -> str | None:
    return _TRUTHS.get(text.strip().casefold())


def _by_dates(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Days in another format, if the format is clear."""
    found = []
    for form in _DATES:
        days = _by_key(theirs, ours, partial(_day, form=form), lambda text: text[:_DAY])
        if len(days) == len(theirs) and days not in found:
            found.append(days)
    return found[0] if len(found) == 1 else {}


def _day(text: str, form: str) -> str | None:
    try:
        return datetime.strptime(text.strip(), form).date().isoformat()
    except ValueError:
        return None


def _by_beginning(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Abbreviations and their values, in either direction; each of another value."""
    found = {}
    for text in theirs:
        short = text.strip().casefold()
        near = [
            one for one in ours
            if short and one and (one.casefold().startswith(short)
                                  or short.startswith(one.strip().casefold()))
        ]  # fmt: skip
        if len(near) != 1:
            return {}
        found[text] = near[0]
    return found if len(set(found.values())) == len(found) else {}


def mapping_said(name: str, theirs: Sequence[str], ours: Sequence[str]) -> Option:
    """The option that maps values of another table to ours, spelled out if a rule fits.

    >>> print(mapping_said("sex", ["F", "M"], ["Female", "Male"]))
    recode={'sex': {'F': 'Female', 'M': 'Male'}}
    >>> print(mapping_said("sex", ["X", "Y"], ["a", "b"]))
    recode={'sex': {'X': …}}
    >>> mapping_said("sex", ["F", "M"], ["Female", "Male"]).shown(View("shell"))
    "--recode 'sex=F->Female|M->Male'"
    """
    return _said(name, likely_mapping(theirs, ours) or theirs)


class _Pairs(dict[str, Any]):
    """Pairs of a mapping, the first few written out."""

    def __repr__(self) -> str:
        listed = [f"{a!r}: {'…' if b is None else repr(b)}" for a, b in self.items()]
        return f"{{{', '.join(listed[:_PAIRS])}{', …' if len(listed) > _PAIRS else ''}}}"


def _said(name: str, given: Mapping[str, str] | Sequence[str]) -> Option:
    """The option with some pairs; with values alone, the first of them is an example."""
    pairs = dict(given) if isinstance(given, Mapping) else {given[0]: None}
    shown = dict(list(pairs.items())[:_PAIRS]) | ({"…": "…"} if len(pairs) > _PAIRS else {})
    typed = {a: "…" if b is None else b for a, b in shown.items()}
    words = Option("recode", {name: typed}).shown(View("shell"))
    return ValueOption("recode", {name: _Pairs(pairs)}, typed=words.replace("|…->…", "|…"))


def values_of(column: Column) -> Message:
    """The values of a column, in a few words."""
    texts = column.texts
    if column.kind is not Kind.NUMERIC or column.size <= _CODES:
        return Message("its values: {values}", values=values_listed(texts))
    return Message(
        "its values are {what} from {first} to {last}",
        what="dates" if column.is_dates else "numbers",
        first=Cell(texts[0], bare=True), last=Cell(texts[-1], bare=True),
    )  # fmt: skip


def other_codes(
    column: Column, theirs: Sequence[str], *, source: str, where: Text, who: Text
) -> Message:
    """That a table has values of a column that another does not have, and how to map them.

    ``theirs`` are the values of the table ``source`` that ``column`` does not have, ``where`` says
    how often and where they occur, and ``who`` who does not have them, with a verb.
    """
    guess = likely_mapping(theirs, column.texts)
    return _differ(
        column, theirs, guess, source=source, where=Message(" ({where})", where=where), who=who,
        same="they are" if guess else "it has", option=_said(column.name, guess or theirs),
    )  # fmt: skip


def lacking_codes(column: Column, ours: Sequence[str], *, source: str, there: str) -> Message:
    """That another table, which must have them, lacks values of ours, and how to map its own.

    ``column`` is that of the other table (``there``), ``ours`` the values that it lacks.
    """
    guess = {b: a for a, b in likely_mapping(ours, column.texts).items()}
    who = Message("nobody in {there} has", there=File(there, bare=True))
    return _differ(column, ours, guess, source=source, where="", who=who, same="it has",
                   option=_said(column.name, guess or column.texts))  # fmt: skip


def _differ(
    column: Column, lacking: Sequence[str], guess: Mapping[str, str], *, source: str, **parts: Any
) -> Message:
    """That ``column`` does not have some values of the table ``source``."""
    return Message(
        "column {column} of {source} has {value}{more}{where}, which {who}{hint} ({values}); if "
        "{same} other names for the same values, give {option}", column=ColumnName(column.name),
        source=File(source, bare=True), value=Cell(lacking[0]), values=values_of(column),
        more=f" and {len(lacking) - 1:,} more" if len(lacking) > 1 else "",
        hint="" if guess else value_meant(lacking[0], column.texts), **parts,
    )  # fmt: skip


def recoded(column: Column, mapping: Mapping[str, str | None], kind: Kind | None = None) -> Column:
    """A column with its values renamed by a mapping; what is mapped to None keeps its name.

    Unless given, the kind is detected as in a table.

    >>> from unveil.microdata import Role
    >>> sex = Column(name="sex", role=Role.QUASI, kind=Kind.CATEGORICAL,
    ...              codes=np.array([1, 0, 1], dtype=np.int32),
    ...              values=np.array(["F", "M"], dtype=object))
    >>> recoded(sex, {"M": "Male", "F": "Female"}).decode().tolist()
    ['Male', 'Female', 'Male']
    """
    if not mapping:
        return column
    texts = [mapping.get(text) or text for text in column.texts]
    listed = listed_values(column.name, texts, "mapping")
    again = encode(listed, Wish(role=column.role, kind=kind))
    return replace(again, codes=again.codes[column.codes])


def read_cells(texts: Sequence[str], column: Column) -> Regions:
    """What cells cover in a column (whose records are ignored), one region each.

    >>> from unveil.microdata import Role
    >>> ages = Column(name="age", role=Role.QUASI, kind=Kind.NUMERIC,
    ...               codes=np.zeros(1, dtype=np.int32), values=np.array([30, 41, 52]))
    >>> read_cells(["30-45", "*", "30-45"], ages).covers(1).tolist()
    [True, True, True]
    """
    cells = column_cells(from_table({column.name: list(texts)}), column.name)
    read = read_column(column, cells)
    return read.regions.take(read.cell_of)


def read_again(regions: Regions, column: Column, wide: Column) -> tuple[Regions, list[str]]:
    """What cells of a column cover in a wider one, and notes about it.

    ``wide`` is ``column`` with more numbers, and without a hierarchy, which does not have them.
    """
    if isinstance(regions, Intervals) and regions.written is None:  # our own need no reading
        return _moved(regions, column, wide), []
    try:
        return read_cells(regions.texts(column), wide), []
    except InputError:
        note = (
            f"{column.name}: the cells do not give their ends, so they are assumed to reach up to "
            f"the next {column.name} in the release"
        )
        return _stretched(regions, column, wide), [note]


def _moved(regions: Intervals, column: Column, wide: Column) -> Intervals:
    """The same regions: ``[28, 36]`` covers what lies between, and so does ``(36, 53]``."""
    place = np.searchsorted(wide.values, column.values).astype(np.int32)
    some = regions.low <= regions.high
    low, high = np.zeros(len(regions), np.int32), np.full(len(regions), -1, np.int32)
    low[some], high[some] = place[regions.low[some]], place[regions.high[some]]
    if regions.cuts:
        first, last = some & (regions.low <= 0), some & (regions.high >= column.size - 1)
        after = some & ~first
        low[first], low[after] = 0, place[regions.low[after] - 1] + 1
        high[last] = wide.size - 1
    return Intervals(low, high, regions.cuts)


def _stretched(regions: Regions, column: Column, wide: Column) -> Regions:
    """Regions extended at both ends up to the next of the old numbers.

    Cells such as ``young`` have no bounds. Nobody who may be meant must be missed.
    """
    place = np.searchsorted(wide.values, column.values)
    before = np.concatenate([[0], place[:-1] + 1])
    after = np.concatenate([place[1:] - 1, [wide.size - 1]])
    if isinstance(regions, Intervals):
        some = regions.low <= regions.high
        low, high = np.zeros(len(regions), np.int32), np.full(len(regions), -1, np.int32)
        low[some] = before[regions.low[some].clip(0)]
        high[some] = after[regions.high[some].clip(max=column.size - 1)]
        return Intervals(low, high)
    assert isinstance(regions, Sets)
    rows = np.repeat(np.arange(len(regions)), np.diff(regions.start))
    return Sets.of_runs(rows, before[regions.members], after[regions.members], len(regions))
