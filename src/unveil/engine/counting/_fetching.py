"""Fetching what an engine has counted, as Arrow tables, and as codes and numbers."""

from __future__ import annotations

import itertools
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._words import Fault, in_our_words

if TYPE_CHECKING:
    import ibis

__all__ = ["Fetching", "encoded", "numbers"]


@dataclass(frozen=True, kw_only=True)
class Fetching:
    """Asks the engine of a table.

    Attributes
    ----------
    source : str
        The table's name, for messages.
    fault : function, optional
        Says what is wrong with the file that the table is.
    """

    source: str
    fault: Fault | None = None

    def table(self, expression: ibis.Table) -> Any:
        """The result of an expression as an Arrow table."""
        connection = expression.get_backend()
        _set_aside(connection)
        with in_our_words(connection.name, self.source, self.fault):
            if connection.name == "pyspark":  # Ibis would go through pandas: no whole NULLs there
                return connection.raw_sql(connection.compile(expression)).toArrow()
            return expression.to_pyarrow()

    def number(self, expression: Any) -> int:
        """The one number that an expression comes to."""
        return int(self.table(expression.as_table()).column(0)[0].as_py())

    def batches(self, expression: ibis.Table, rows: int) -> Iterator[Any]:
        """The result as Arrow batches of at most so many rows, of which only one is in memory."""
        connection = expression.get_backend()
        _set_aside(connection)
        with in_our_words(connection.name, self.source, self.fault):
            arriving = _arriving(connection, expression, rows)
        while True:
            # Not one block around the loop: what others do meanwhile is none of ours.
            with in_our_words(connection.name, self.source, self.fault):
                batch = next(arriving, None)
            if batch is None:
                return
            for first in range(0, batch.num_rows, rows):
                yield batch.slice(first, rows)


def _arriving(connection: Any, expression: ibis.Table, rows: int) -> Iterator[Any]:
    if connection.name == "pyspark":
        return _spark_batches(connection, expression, rows)
    batches = expression.to_pyarrow_batches(chunk_size=rows)
    return _Stream(connection, batches) if connection.name == "duckdb" else iter(batches)


def _spark_batches(connection: Any, expression: ibis.Table, rows: int) -> Iterator[Any]:
    import pyarrow as pa

    frame = connection.raw_sql(connection.compile(expression))
    schema = expression.schema().to_pyarrow()
    arriving = frame.toLocalIterator(prefetchPartitions=True)
    while some := [row.asDict(recursive=True) for row in itertools.islice(arriving, rows)]:
        yield pa.RecordBatch.from_pylist(some, schema=schema)


class _Stream:
    """What DuckDB sends bit by bit.

    Another question to the same connection ends it, and DuckDB does not say so: the rest would
    simply be missing. So the rest is put aside on disk before anything else is asked.
    """

    def __init__(self, connection: Any, batches: Any) -> None:
        self.connection = connection
        self._batches = batches
        _STREAMS.add(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return self._batches.read_next_batch()
        except StopIteration:
            _STREAMS.discard(self)
            raise

    def set_aside(self) -> None:
        """Fetch what is still to come."""
        import pyarrow as pa

        file = tempfile.TemporaryFile(prefix="unveil-")  # noqa: SIM115 - it is read later
        weakref.finalize(self, file.close)
        with pa.ipc.new_stream(file, self._batches.schema) as rest:
            for batch in self._batches:
                rest.write_batch(batch)
        file.seek(0)
        self._batches = pa.ipc.open_stream(file)
        _STREAMS.discard(self)


_STREAMS: weakref.WeakSet[_Stream] = weakref.WeakSet()


def _set_aside(connection: Any) -> None:
    for stream in [one for one in _STREAMS if one.connection is connection]:
        stream.set_aside()


def numbers(column: Any) -> NDArray[np.int64]:
    """Whole numbers out of an Arrow column."""
    return column.to_numpy(zero_copy_only=False).astype(np.int64)


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
