"""Classes of a sample beside those of a population, where they are too many for memory.

Both tables are put one below the other and counted once: for each combination of keys, how many
records of either there are. Missing keys are then equal, as they are in every grouped count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._alike import KeyOf, LookAlikes
from unveil.engine.counting._contingency import Contingency, text_of
from unveil.engine.counting._held import Held
from unveil.engine.counting._in_engine import InEngine
from unveil.engine.counting._tables import shown
from unveil.errors import InputError
from unveil.microdata import MISSING

if TYPE_CHECKING:
    import ibis

__all__ = ["paired_in_engine"]

_OURS, _THEIRS = "unveil: ours", "unveil: theirs"
_BLOCK = 1_000_000

Pairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], KeyOf]


def paired_in_engine(sample: Contingency, population: Contingency) -> Iterator[Pairs]:
    """Find each class of a sample in a population, where an engine keeps one of them or both.

    Yields
    ------
    records, people : arrays
        What a class of the sample has, and how many the population has with the same keys.
    weights : array
        How many classes have these two numbers.
    key_of : function
        The keys of one of them, the first.
    """
    keys = sample.keys
    engine = next(one for one in (sample, population) if isinstance(one, InEngine))
    _check_connections(sample, population)
    kinds = _kinds(sample, population)
    connection = engine.connection
    ours = _part(sample, kinds, connection, _OURS, _THEIRS)
    theirs = _part(population, kinds, connection, _THEIRS, _OURS)
    both = ours.union(theirs.select(ours.columns))
    found = both.group_by(list(keys)).aggregate(
        **{name: both[name].sum().cast("int64") for name in (_OURS, _THEIRS)}
    )
    found = found.filter(found[_OURS] > 0)
    for numbers, weights, key_of in LookAlikes(found, keys, engine.question.fetching).blocks(
        _BLOCK
    ):
        yield numbers[:, 0], numbers[:, 1], weights, key_of


def _check_connections(sample: Contingency, population: Contingency) -> None:
    for one in (sample, population):
        if not isinstance(one, Held | InEngine):
            raise InputError(f"the classes of {one.source} overlap and cannot be matched with any")
    if (
        isinstance(sample, InEngine)
        and isinstance(population, InEngine)
        and sample.connection is not population.connection
    ):
        raise InputError(
            f"{sample.source} and {population.source} have too many classes to be matched in "
            "memory, and no engine has both: open them with the same connection, such as "
            "engine=ibis.duckdb.connect()"
        )


def _kinds(sample: Contingency, population: Contingency) -> dict[str, Any]:
    """The type in which each key is matched: one that holds the values of both tables."""
    from ibis.expr import datatypes

    kinds = {}
    for key in sample.keys:
        there = {
            f"the {what} ({one.source})": one.question.table[key].type()
            for what, one in (("sample", sample), ("population", population))
            if isinstance(one, InEngine)
        }
        if len({kind.is_string() for kind in there.values()}) > 1:
            raise _different(key, there)
        try:
            kinds[key] = datatypes.highest_precedence(there.values())(nullable=True)
        except Exception:  # such as dates and numbers
            raise _different(key, there) from None
    return kinds


def _different(key: str, kinds: Mapping[str, Any]) -> InputError:
    listed = " and ".join(f"{str(kind).lstrip('!')} in {source}" for source, kind in kinds.items())
    return InputError(
        f"the key {key!r} is of type {listed}: values of different types are never the same; "
        "write both tables alike"
    )


def _part(
    counts: Contingency, kinds: Mapping[str, Any], connection: Any, counting: str, other: str
) -> ibis.Table:
    """One of the tables: its keys, its numbers of records, and none of the other's."""
    import ibis

    if isinstance(counts, InEngine):
        table, number = counts.question.table, ibis.literal(1, "int64")
    else:
        assert isinstance(counts, Held)
        table = shown(connection, _arrow(counts, kinds, counting))
        number = table[counting]
    columns = {key: table[key].cast(kind) for key, kind in kinds.items()}
    return table.select(**columns, **{counting: number, other: ibis.literal(0, "int64")})


def _arrow(held: Held, kinds: Mapping[str, Any], counting: str) -> Any:
    """Classes in memory as an Arrow table, their keys in the types of the engine's table."""
    import pyarrow as pa

    arrays = {}
    for key, column in held.columns.items():
        kind = kinds[key].to_pyarrow()
        texts = [None if text_of(v) == MISSING else text_of(v) for v in column.values]
        try:
            values = pa.array(texts, pa.string()).cast(kind)
        except pa.ArrowException:
            raise InputError(
                f"the key {key!r} is of type {kind} in one table, but {held.source} has values "
                f"such as {_other(texts, kind)!r} there; write both tables alike"
            ) from None
        arrays[key] = values.take(pa.array(column.codes))
    arrays[counting] = pa.array(held.histograms.sizes)
    return pa.table(arrays)


def _other(texts: Sequence[str | None], kind: Any) -> str | None:
    """The first text that does not stand for a value of a type."""
    import pyarrow as pa

    for text in texts:
        try:
            pa.scalar(text, pa.string()).cast(kind)
        except pa.ArrowException:
            return text
    return None
