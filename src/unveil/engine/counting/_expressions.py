"""What is asked of an engine: one grouped count in several forms, and how answers become classes.

All queries are Ibis expressions, the same for every engine; the results are whole numbers. Engines
differ in where they sort missing values and letters. Here missing values are last and texts are
sorted by their bytes, so that every engine names the same class first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from unveil.engine.counting._contingency import Counts, Histograms, sparse
from unveil.engine.counting._engines import Fetching, numbers
from unveil.microdata import EVERYTHING

if TYPE_CHECKING:
    import ibis

# Names that no column of a user's table may have.
OURS = "unveil: "
NUMBER = "unveil: number"
PEOPLE = "unveil: people"
"""The number of people that a row stands for, in a table of counts."""
_WEIGHT = "unveil: classes"
_EXAMPLE = "unveil: example"
_ROWS = "unveil: rows"

_COUNTING = frozenset({"duckdb", "postgres"})
"""Engines for which a count of nothing is 0; for others it is NULL."""

_NAMING = frozenset({"duckdb", "pyspark"})
"""Engines that can name the first of several classes in the same query."""

_STREAMED = 500_000
"""Rows that are fetched at a time."""

KeyOf: TypeAlias = Callable[[int], tuple[object, ...]]
"""From the number of a class to the values of its keys."""


def cells(table: ibis.Table, columns: Sequence[str]) -> ibis.Table:
    """Number of records with each combination of values: the plain grouped count."""
    return table.group_by(list(columns)).aggregate(**{NUMBER: records(table)})


def records(table: ibis.Table, where: Any = None) -> Any:
    """The number of records, those that a row stands for included."""
    import ibis

    if PEOPLE not in table.columns:
        return table.count(where=where)
    return ibis.coalesce(table[PEOPLE].sum(where=where), 0).cast("int64")


def totals(table: ibis.Table, secret: str | None, keys: Sequence[str] = ()) -> ibis.Table:
    """Number of records with each value of the secret, and how many of them have each key."""
    asked = {NUMBER: records(table)}
    for place, key in enumerate(keys):
        asked[having(place)] = records(table, table[key].notnull())
    grouped = table if secret is None else table.group_by([secret])
    return grouped.aggregate(**asked)


def having(place: int) -> str:
    """The name of the column that counts the records with a value of one key."""
    return f"unveil: key {place}"


def stars_among(
    table: ibis.Table, keys: Sequence[str], gaps: Mapping[str, int], fetching: Fetching, rows: int
) -> tuple[dict[str, int], dict[str, bool]]:
    """How many records have ``*`` in each key, and whether all have the same value there.

    ``gaps`` says how many of the ``rows`` lack each key.
    """

    asked: dict[str, Any] = {}
    for place, key in enumerate(keys):
        column = table[key]
        if column.type().is_string():
            asked[f"{OURS}stars {place}"] = (column == EVERYTHING).sum()
        asked[f"{OURS}same {place}"] = column.min() == column.max()
    found = fetching.table(table.aggregate(**asked)).to_pylist()[0]
    stars = {key: int(found.get(f"{OURS}stars {place}") or 0) for place, key in enumerate(keys)}
    same = {
        key: gaps[key] == rows or (not gaps[key] and bool(found[f"{OURS}same {place}"]))
        for place, key in enumerate(keys)
    }
    return stars, same


def having_no_star(table: ibis.Table, keys: Sequence[str]) -> ibis.Table:
    """The records that have something other than ``*`` in one of the keys."""
    import ibis

    says = [table[key].isnull() | (table[key] != EVERYTHING) for key in keys]
    return table.filter(ibis.or_(*says))


def probe(table: ibis.Table, columns: Sequence[str], rows: int) -> ibis.Table:
    """Number of combinations among the first rows, and number of these rows."""
    some = cells(table.limit(rows), columns)
    return some.aggregate(**{_WEIGHT: some.count(), _ROWS: some[NUMBER].sum()})


def classes(
    table: ibis.Table, keys: Sequence[str], secret: str | None, values: Sequence[Any]
) -> ibis.Table:
    """All classes, with one column of counts per value of the secret.

    ``values`` are the secret's values as the engine has them, None for a missing one.
    """
    import ibis

    if secret is None:
        counted = {f"{OURS}0": records(table)}
    else:
        column = table[secret]
        counted = {
            f"{OURS}{code}": records(table, column.isnull() if value is None else column == value)
            for code, value in enumerate(values)
        }
        if table.get_backend().name not in _COUNTING:
            counted = {name: ibis.coalesce(number, 0) for name, number in counted.items()}
    return table.group_by(list(keys)).aggregate(**counted)


def _alike(found: ibis.Table, keys: Sequence[str]) -> ibis.Table:
    """How many of the classes found have the same numbers, and the keys of the first of them."""
    import ibis

    asked = {_WEIGHT: found.count()}
    engine = found.get_backend().name
    if engine in _NAMING:
        parts = {}  # the first class is the least by these
        for place, key in enumerate(keys):
            if engine != "duckdb":  # where missing values are last anyway
                parts[f"missing {place}"] = found[key].isnull()
            parts[f"key {place}"] = found[key]
        asked[_EXAMPLE] = ibis.struct(parts).min()
    return found.group_by([name for name in found.columns if name not in keys]).aggregate(**asked)


def _in_order(table: ibis.Table, keys: Sequence[str]) -> ibis.Table:
    """The same rows, sorted by the keys."""
    return table.order_by(list(_order(table, keys)))


def _order(table: ibis.Table, keys: Sequence[str]) -> Iterator[Any]:
    in_postgres = table.get_backend().name == "postgres"
    for key in keys:
        column = table[key]
        yield column.isnull()
        # PostgreSQL's order of texts depends on the language that the database was set up with.
        yield _bytes(column) if in_postgres and column.type().is_string() else column


def _bytes(text: Any) -> Any:
    import ibis

    @ibis.udf.scalar.builtin(name="convert_to", signature=(("string", "string"), "binary"))
    def convert_to(text, encoding):  # type: ignore[no-untyped-def]
        """A function of PostgreSQL."""

    return convert_to(text, "UTF8")


def look_alikes(
    found: ibis.Table, keys: Sequence[str], fetching: Fetching, rows: int
) -> Iterator[tuple[Counts, Counts, KeyOf]]:
    """The distinct numbers among the classes found, a block at a time.

    Parameters
    ----------
    found : ibis.Table
        One row per class: its keys, and numbers.

    Yields
    ------
    numbers : array
        One row for all classes with the same numbers.
    weights : array
        Number of these classes.
    key_of : function
        The keys of the first of them.
    """
    columns = [name for name in found.columns if name not in keys]
    for batch in fetching.batches(_alike(found, keys), rows):
        counts = np.stack([numbers(batch[name]) for name in columns], axis=1)
        order = np.lexsort(counts.T[::-1])  # engines return them in any order
        batch, counts = batch.take(order), counts[order]
        if _EXAMPLE in batch.schema.names:
            key_of = _named(batch[_EXAMPLE])
        else:
            key_of = _asking(found, keys, columns, fetching, counts)
        yield counts, numbers(batch[_WEIGHT]), key_of


def _named(examples: Any) -> KeyOf:
    def key_of(g: int) -> tuple[object, ...]:
        example = examples[g].as_py()
        return tuple(value for name, value in example.items() if name.startswith("key"))

    return key_of


def _asking(
    found: ibis.Table,
    keys: Sequence[str],
    columns: Sequence[str],
    fetching: Fetching,
    counts: Counts,
) -> KeyOf:
    """Name a class by another query, for the first class with its numbers."""

    @cache
    def key_of(g: int) -> tuple[object, ...]:
        same = [found[name] == n for name, n in zip(columns, counts[g].tolist(), strict=True)]
        first = _in_order(found.filter(same), keys).limit(1).select(list(keys))
        row = fetching.table(first).to_pylist()[0]
        return tuple(row[key] for key in keys)

    return key_of


def streamed_classes(
    table: ibis.Table,
    keys: Sequence[str],
    secret: str,
    fetching: Fetching,
    codes_of: Callable[[Sequence[Any]], Counts],
) -> Iterator[Histograms]:
    """All classes of a table in the order of their keys, for secrets of very many values.

    The engine counts and sorts by the keys, on disk if necessary. Rows are put together to classes
    as they arrive, and none are kept.
    """
    import pyarrow as pa

    ordered = _in_order(cells(table, [*keys, secret]), keys)
    pending: Any = None
    for batch in fetching.batches(ordered, _STREAMED):
        arrived = pa.Table.from_batches([batch])
        if pending is not None:
            arrived = pa.concat_tables([pending, arrived])
        if arrived.num_rows == 0:
            continue
        begins = _beginnings(arrived, keys)
        # The last class may continue in the next batch.
        pending = arrived.slice(begins[-1])
        if len(begins) > 1:
            yield _classes(arrived.slice(0, begins[-1]), begins[:-1], keys, secret, codes_of)
    if pending is not None and pending.num_rows:
        yield _classes(pending, np.zeros(1, dtype=np.int64), keys, secret, codes_of)


def _beginnings(table: Any, keys: Sequence[str]) -> Counts:
    """The rows at which a class begins."""
    import pyarrow.compute as pc

    new = np.zeros(table.num_rows, dtype=bool)
    new[0] = True
    for key in keys:
        column = table[key].combine_chunks()
        before, after = column.slice(0, len(column) - 1), column.slice(1)
        differ = pc.fill_null(pc.not_equal(before, after), False).to_numpy(zero_copy_only=False)
        gap = column.is_null().to_numpy(zero_copy_only=False)
        new[1:] |= differ | (gap[1:] != gap[:-1])
    return np.flatnonzero(new)


def _classes(
    table: Any,
    begins: Counts,
    keys: Sequence[str],
    secret: str,
    codes_of: Callable[[Sequence[Any]], Counts],
) -> Histograms:
    class_of = np.zeros(table.num_rows, dtype=np.int64)
    class_of[begins[1:]] = 1
    coded = table[secret].combine_chunks().dictionary_encode(null_encoding="encode")
    codes = codes_of(coded.dictionary.to_pylist())[coded.indices.to_numpy()]
    columns = [table[key] for key in keys]

    def key_of(g: int) -> tuple[object, ...]:
        return tuple(column[int(begins[g])].as_py() for column in columns)

    weights = np.ones(len(begins), dtype=np.int64)
    return sparse(np.cumsum(class_of), codes, numbers(table[NUMBER]), weights, key_of)
