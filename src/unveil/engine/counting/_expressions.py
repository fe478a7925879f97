"""What is asked of an engine: one grouped count, in four forms.

All are Ibis expressions, the same for every engine; what comes back are whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis

__all__ = ["EXAMPLE", "NUMBER", "WEIGHT", "cells", "column_of", "look_alikes", "probe", "totals"]

# Names that no column of a user's table has.
NUMBER = "unveil: number"
WEIGHT = "unveil: classes"
EXAMPLE = "unveil: example"
_ROWS = "unveil: rows"


def column_of(code: int) -> str:
    """The name of the column that counts the records with one value of the secret."""
    return f"unveil: {code}"


def cells(table: ibis.Table, columns: Sequence[str]) -> ibis.Table:
    """How many records have each combination of values: the bare grouped count."""
    return table.group_by(list(columns)).aggregate(**{NUMBER: table.count()})


def totals(table: ibis.Table, secret: str) -> ibis.Table:
    """How many records have each value of the secret."""
    return cells(table, [secret])


def probe(table: ibis.Table, columns: Sequence[str], rows: int) -> ibis.Table:
    """How many combinations there are among the first rows, and how many rows those are."""
    some = cells(table.limit(rows), columns)
    return some.aggregate(**{WEIGHT: some.count(), _ROWS: some[NUMBER].sum()})


def look_alikes(
    table: ibis.Table, keys: Sequence[str], secret: str | None, values: Sequence[Any], named: bool
) -> ibis.Table:
    """How many classes have each histogram of the secret's values.

    Parameters
    ----------
    values : sequence
        The secret's values as the engine has them; None for a missing one.
    named : bool
        Whether to name one of the classes, the first by its keys.
    """
    import ibis

    if secret is None:
        counted = {column_of(0): table.count()}
    else:
        column = table[secret]
        # Some engines call the count of nothing nothing.
        counted = {
            column_of(code): ibis.coalesce(
                table.count(where=column.isnull() if value is None else column == value), 0
            )
            for code, value in enumerate(values)
        }
    classes = table.group_by(list(keys)).aggregate(**counted)
    found = {WEIGHT: classes.count()}
    if named:
        found[EXAMPLE] = ibis.struct({key: classes[key] for key in keys}).min()
    return classes.group_by(list(counted)).aggregate(**found)
