"""What is asked of an engine: one grouped count, in several forms.

All are Ibis expressions, the same for every engine; what comes back are whole numbers. Engines do
not agree on where missing values and letters stand in an order. Here, missing values come last and
texts are in the order of their bytes, so that every engine names the same class as the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis

__all__ = [
    "EXAMPLE",
    "NUMBER",
    "OURS",
    "WEIGHT",
    "alike",
    "cells",
    "classes",
    "column_of",
    "first_of",
    "having",
    "in_order",
    "keys_of",
    "probe",
    "totals",
]

# Names that no column of a user's table may have.
OURS = "unveil: "
NUMBER = "unveil: number"
WEIGHT = "unveil: classes"
EXAMPLE = "unveil: example"
_ROWS = "unveil: rows"

_COUNTING = frozenset({"duckdb", "postgres"})
"""Engines for which the count of nothing is nought."""

_NAMING = frozenset({"duckdb", "pyspark"})
"""Engines that can name the first of several classes in the same breath."""


def column_of(code: int) -> str:
    """The name of the column that counts the records with one value of the secret."""
    return f"unveil: {code}"


def cells(table: ibis.Table, columns: Sequence[str]) -> ibis.Table:
    """How many records have each combination of values: the bare grouped count."""
    return table.group_by(list(columns)).aggregate(**{NUMBER: table.count()})


def totals(table: ibis.Table, secret: str | None, keys: Sequence[str] = ()) -> ibis.Table:
    """How many records have each value of the secret, and how many of them have each key."""
    asked = {NUMBER: table.count()}
    for place, key in enumerate(keys):
        asked[having(place)] = table[key].count()
    grouped = table if secret is None else table.group_by([secret])
    return grouped.aggregate(**asked)


def having(place: int) -> str:
    """The name of the column that counts the records which have one key."""
    return f"unveil: key {place}"


def probe(table: ibis.Table, columns: Sequence[str], rows: int) -> ibis.Table:
    """How many combinations there are among the first rows, and how many rows those are."""
    some = cells(table.limit(rows), columns)
    return some.aggregate(**{WEIGHT: some.count(), _ROWS: some[NUMBER].sum()})


def classes(
    table: ibis.Table, keys: Sequence[str], secret: str | None, values: Sequence[Any]
) -> ibis.Table:
    """All classes, with the numbers of the secret's values side by side.

    Parameters
    ----------
    values : sequence
        The secret's values as the engine has them; None for a missing one.
    """
    import ibis

    if secret is None:
        counted = {column_of(0): table.count()}
    else:
        column = table[secret]
        counted = {
            column_of(code): table.count(
                where=column.isnull() if value is None else column == value
            )
            for code, value in enumerate(values)
        }
        if table.get_backend().name not in _COUNTING:  # others call the count of nothing nothing
            counted = {name: ibis.coalesce(number, 0) for name, number in counted.items()}
    return table.group_by(list(keys)).aggregate(**counted)


def alike(found: ibis.Table, keys: Sequence[str]) -> ibis.Table:
    """How many of the classes found have the same numbers, and the first of them by its keys."""
    import ibis

    numbers = [name for name in found.columns if name not in keys]
    asked = {WEIGHT: found.count()}
    if found.get_backend().name in _NAMING:
        asked[EXAMPLE] = ibis.struct(_parts(found, keys)).min()
    return found.group_by(numbers).aggregate(**asked)


def keys_of(example: Mapping[str, object]) -> tuple[object, ...]:
    """The keys of the first of several classes, as `alike` names it."""
    return tuple(value for name, value in example.items() if name.startswith("key"))


def _parts(found: ibis.Table, keys: Sequence[str]) -> dict[str, Any]:
    """What the first class is the least by: its keys, and before each whether it is missing."""
    parts = {}
    for place, key in enumerate(keys):
        if found.get_backend().name != "duckdb":  # there, what is missing comes last by itself
            parts[f"missing {place}"] = found[key].isnull()
        parts[f"key {place}"] = found[key]
    return parts


def first_of(found: ibis.Table, keys: Sequence[str], numbers: Mapping[str, int]) -> ibis.Table:
    """The keys of the first of the classes found that have these numbers."""
    chosen = found.filter([found[name] == number for name, number in numbers.items()])
    return in_order(chosen, keys).limit(1).select(list(keys))


def in_order(table: ibis.Table, keys: Sequence[str]) -> ibis.Table:
    """The same rows, sorted by the keys."""
    return table.order_by(list(_order(table, keys)))


def _order(table: ibis.Table, keys: Sequence[str]) -> Iterator[Any]:
    in_postgres = table.get_backend().name == "postgres"
    for key in keys:
        column = table[key]
        yield column.isnull()
        # There, the order of texts hangs on the language that the database was set up in.
        yield _bytes(column) if in_postgres and column.type().is_string() else column


def _bytes(text: Any) -> Any:
    import ibis

    @ibis.udf.scalar.builtin(name="convert_to", signature=(("string", "string"), "binary"))
    def convert_to(text, encoding):  # type: ignore[no-untyped-def]
        """PostgreSQL's own."""

    return convert_to(text, "UTF8")
