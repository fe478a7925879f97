"""Fetching what an engine has counted, as Arrow tables, and as codes and numbers."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, UnveilError

if TYPE_CHECKING:
    import ibis

__all__ = ["batches", "encoded", "fetched", "numbers", "one_number"]


def fetched(expression: ibis.Table) -> Any:
    """The result of an expression as an Arrow table."""
    connection = expression.get_backend()
    with _in_our_words(connection.name):
        if connection.name == "pyspark":  # Ibis would go through pandas, which has no whole NULLs
            return connection.raw_sql(connection.compile(expression)).toArrow()
        return expression.to_pyarrow()


def batches(expression: ibis.Table, rows: int) -> Iterator[Any]:
    """The result as Arrow batches of at most so many rows, of which only one is in memory."""
    connection = expression.get_backend()
    with _in_our_words(connection.name):
        if connection.name == "pyspark":
            yield from _spark_batches(connection, expression, rows)
        else:
            yield from expression.to_pyarrow_batches(chunk_size=rows)


def _spark_batches(connection: Any, expression: ibis.Table, rows: int) -> Iterator[Any]:
    import pyarrow as pa

    frame = connection.raw_sql(connection.compile(expression))
    schema = expression.schema().to_pyarrow()
    arriving = frame.toLocalIterator(prefetchPartitions=True)
    while some := [row.asDict(recursive=True) for row in itertools.islice(arriving, rows)]:
        yield pa.RecordBatch.from_pylist(some, schema=schema)


@contextmanager
def _in_our_words(engine: str) -> Iterator[None]:
    """Say in one line what an engine complains of."""
    try:
        with warnings.catch_warnings():
            # Ibis and the engines' own clients lag behind one another.
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", FutureWarning)
            yield
    except (UnveilError, GeneratorExit):
        raise
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = " ".join(lines[:3]) or type(error).__name__
        raise InputError(f"{engine} cannot count the table: {said}") from error


def numbers(column: Any) -> NDArray[np.int64]:
    """Whole numbers out of an Arrow column."""
    return column.to_numpy(zero_copy_only=False).astype(np.int64)


def one_number(expression: Any) -> int:
    """The one number that an expression comes to."""
    return int(fetched(expression.as_table()).column(0)[0].as_py())


def encoded(column: Any) -> tuple[NDArray[np.int64], tuple[object, ...]]:
    """Number the values of an Arrow column: numbers ascend, texts are sorted, missing is last."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    coded = whole.dictionary_encode()
    order = pc.sort_indices(coded.dictionary).to_numpy()
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = len(order)
    values = coded.dictionary.take(pa.array(order)).to_pylist()
    places = coded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    if coded.indices.null_count:
        values.append(None)
    return rank[places], tuple(values)
