"""Tables of counts in an engine: rows that stand for several people, and tables that look like it.

The rules are those of `unveil.microdata` for tables that are read; here an engine is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.engine.counting._contingency import Contingency
from unveil.engine.counting._engines import Fetching
from unveil.engine.counting._expressions import OURS, PEOPLE
from unveil.engine.counting._held import Held
from unveil.engine.counting._tables import Opened
from unveil.errors import Column, File, InputError
from unveil.microdata import (
    Pairs,
    is_called_count,
    is_combinations,
    is_repeated,
    looks_counted,
    sign_of,
    whose_rows,
)
from unveil.microdata.vocabulary import SEVERAL, names_person, names_time, names_what_stays

if TYPE_CHECKING:
    import ibis

_WHOLE = r"^[0-9]{1,18}$"


def standing_for(there: Opened, count: str) -> Opened:
    """The same table, whose rows stand for as many people as a column says; nobody is left out."""
    table = there.table.mutate(**{PEOPLE: _whole(there.table[count])}).drop(count)
    number = table[PEOPLE]
    found = _asked(there, table, {
        "rows": table.count(), "wrong": (number.isnull() | (number < 0)).sum(),
        "people": number.sum(),
    })  # fmt: skip
    where = {"column": Column(count), "source": File(there.name, bare=True)}
    if found["wrong"]:
        raise InputError(
            "column {column} of {source} has the numbers of people, but in {wrong} of {rows} rows "
            "there is no whole number from 0 up",
            **where, wrong=found["wrong"], rows=found["rows"],
        )  # fmt: skip
    if found["rows"] and not found["people"]:
        raise InputError("column {column} of {source}: all numbers are 0, so the table has nobody",
                         **where)  # fmt: skip
    return replace(there, table=table.filter(number > 0))


def check_rows(
    opening: Callable[[Sequence[str]], Opened], there: Opened, used: Sequence[str],
    counts: Contingency,
) -> None:  # fmt: skip
    """Refuse a table that looks like one of counts, if nobody has said what a row is."""
    named = [name for name in there.others if is_called_count(name)]
    if not named and not _is_crossed(counts):
        return
    candidates = named or list(there.others)
    try:
        whole = opening([*used, *there.others])
    except InputError:  # a column that nobody uses cannot be read
        whole = opening([*used, *candidates]) if named else there
    name = _suspected(whole, used, [one for one in candidates if one in whole.table.columns])
    if name is not None:
        raise looks_counted(name, File(there.name, bare=True))


def check_whose(
    opening: Callable[[Sequence[str]], Opened], there: Opened, used: Sequence[str]
) -> None:
    """Refuse a table with a column that says whose a row is, if nobody has said what that means."""
    telling = [name for name in (*used, *there.others)
               if names_time(name) or names_what_stays(name)]  # fmt: skip
    for name in there.others:
        named = names_person(name)
        if not named and not telling:
            continue
        try:
            # Others that cannot be read tell nothing.
            column = opening([*used, name, *(one for one in telling if one in there.others)])
        except InputError:
            try:
                column = opening([*used, name])
            except InputError:  # a column that nobody uses cannot be read
                continue
        table = column.table
        found = _asked(there, table, {"rows": table[name].count(),
                                      "people": table[name].nunique()})  # fmt: skip
        people, rows = found["people"], found["rows"]
        source = File(there.name, bare=True)
        if named and is_repeated(name, people, rows):
            raise whose_rows([name], rows, people, source)
        if not named and SEVERAL <= people < rows:
            others = [one for one in telling if one != name and one in table.columns]
            sign = sign_of(others, partial(_pairs, there, table, name))
            if sign is not None:
                raise whose_rows([name], rows, people, source, sign)


def _pairs(there: Opened, table: ibis.Table, name: str, other: str) -> Pairs:
    """Pairs of rows of one value of a column: all, and those that agree in another."""
    told = table.filter(table[name].notnull() & table[other].notnull())

    def pairs(keys: Sequence[str]) -> float:
        sizes = told.group_by(list(keys)).aggregate(n=lambda one: one.count())
        n = sizes.n.cast("float64")
        return _sum(there, sizes, (n * (n - 1) / 2).sum())

    every, rows = pairs([name]), _asked(there, told, {"rows": told.count()})["rows"]
    same = (2 * pairs([other]) + rows) / max(rows, 1) ** 2  # of two rows at random
    return Pairs(every, pairs([name, other]), every * same)


def _sum(there: Opened, table: ibis.Table, value: Any) -> float:
    fetching = Fetching(source=there.name, fault=there.fault)
    return float(fetching.table(table.aggregate(value=value)).to_pylist()[0]["value"] or 0)


def _suspected(there: Opened, used: Sequence[str], candidates: Sequence[str]) -> str | None:
    table = there.table
    asked = {f"{OURS}{place}": table[name].nunique() for place, name in enumerate(table.columns)}
    found = _asked(there, table, {"rows": table.count(), **asked})
    sizes = {name: found[f"{OURS}{place}"] for place, name in enumerate(table.columns)}
    rows = found["rows"]
    for name in candidates:
        others = [one for one in table.columns if one != name
                  and (one in used or sizes[one] < rows)]  # fmt: skip
        named = is_called_count(name)
        if not is_combinations([sizes[one] for one in others], rows, named=named):
            continue
        number = _whole(table[name])
        told = _asked(there, table, {
            "wrong": (number.isnull() | (number < 0)).sum(),
            "least": number.min(), "most": number.max(),
        })  # fmt: skip
        if told["wrong"] or told["most"] <= 1:
            continue
        runs = told["least"] <= 1 and told["most"] - told["least"] == rows - 1
        if sizes[name] == rows and runs:  # numbers of rows
            continue
        distinct = table.select(others).distinct()
        if _asked(there, distinct, {"rows": distinct.count()})["rows"] == rows:
            return name
    return None


def _is_crossed(counts: Contingency) -> bool:
    """Whether the rows are all combinations of the values that were counted, each once."""
    if not isinstance(counts, Held) or (counts.histograms.numbers != 1).any():
        return False
    sizes = [len(np.unique(column.codes)) for column in counts.columns.values()]
    secret = [] if counts.secret is None else [len(counts.secret.values)]
    return is_combinations([*sizes, *secret], counts.rows, named=False)


def _asked(there: Opened, table: ibis.Table, what: Mapping[str, Any]) -> dict[str, int]:
    fetching = Fetching(source=there.name, fault=there.fault)
    row = fetching.table(table.aggregate(**what)).to_pylist()[0]
    return {name: int(number or 0) for name, number in row.items()}


def _whole(column: Any) -> Any:
    """A column as whole numbers, missing where it has something else."""
    import ibis

    kind, nothing = column.type(), ibis.null("int64")
    if kind.is_integer():
        return column.cast("int64")
    if kind.is_string():
        return column.re_search(_WHOLE).ifelse(column.cast("int64"), nothing)
    if kind.is_floating() or kind.is_decimal():
        return (column == column.floor()).ifelse(column.cast("int64"), nothing)
    return nothing
