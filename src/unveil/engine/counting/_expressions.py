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
    "WEIGHT",
    "alike",
    "cells",
    "classes",
    "column_of",
    "first_of",
    "in_order",
    "keys_of",
    "probe",
    "totals",
]

# Names that no column of a user's table has.
NUMBER = "unveil: number"
WEIGHT = "unveil: classes"
EXAMPLE = "unveil: example"
_ROWS = "unveil: rows"

_NAMING = frozenset({"duckdb", "pyspark"})
"""Engines that can name the first of several classes in the same breath."""


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
        # Some engines call the count of nothing nothing.
        counted = {
            column_of(code): ibis.coalesce(
                table.count(where=column.isnull() if value is None else column == value), 0
            )
            for code, value in enumerate(values)
        }
    return table.group_by(list(keys)).aggregate(**counted)


def alike(found: ibis.Table, keys: Sequence[str]) -> ibis.Table:
    """How many of the classes found have the same numbers, and the first of them by its keys."""
    import ibis

    numbers = [name for name in found.columns if name not in keys]
    asked = {WEIGHT: found.count()}
    if found.get_backend().name in _NAMING:
        parts = {str(place): part for place, part in enumerate(_order(found, keys))}
        asked[EXAMPLE] = ibis.struct(parts).min()
    return found.group_by(numbers).aggregate(**asked)


def keys_of(example: Mapping[str, object]) -> tuple[object, ...]:
    """The keys of the first of several classes, as `alike` names it."""
    return tuple(example.values())[1::2]


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
