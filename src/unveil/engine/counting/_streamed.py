"""Classes one after another, for secrets of very many values.

The engine counts and sorts by the keys, with its own means for what does not fit into memory; what
arrives is put together to classes, some at a time, and nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._expressions import NUMBER, cells, in_order
from unveil.engine.counting._histograms import Histograms, sparse
from unveil.engine.counting._question import Question

__all__ = ["streamed_classes"]

_ROWS = 500_000


def streamed_classes(
    question: Question, codes_of: Callable[[Sequence[Any]], NDArray[np.int64]]
) -> Iterator[Histograms]:
    """All classes of a table, in the order of their keys."""
    import pyarrow as pa

    keys, secret = question.keys, question.secret
    assert secret is not None
    ordered = in_order(cells(question.table, [*keys, secret]), keys)
    pending: Any = None
    for batch in question.fetching.batches(ordered, _ROWS):
        arrived = pa.Table.from_batches([batch])
        if pending is not None:
            arrived = pa.concat_tables([pending, arrived])
        if arrived.num_rows == 0:
            continue
        begins = _beginnings(arrived, keys)
        # The last class may go on in what is still to come.
        pending = arrived.slice(begins[-1])
        if len(begins) > 1:
            yield _classes(arrived.slice(0, begins[-1]), begins[:-1], keys, secret, codes_of)
    if pending is not None and pending.num_rows:
        yield _classes(pending, np.zeros(1, dtype=np.int64), keys, secret, codes_of)


def _beginnings(table: Any, keys: Sequence[str]) -> NDArray[np.int64]:
    """The rows in which a class begins."""
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
    begins: NDArray[np.int64],
    keys: Sequence[str],
    secret: str,
    codes_of: Callable[[Sequence[Any]], NDArray[np.int64]],
) -> Histograms:
    numbers = table[NUMBER].to_numpy().astype(np.int64)
    class_of = np.zeros(table.num_rows, dtype=np.int64)
    class_of[begins[1:]] = 1
    coded = table[secret].combine_chunks().dictionary_encode(null_encoding="encode")
    codes = codes_of(coded.dictionary.to_pylist())[coded.indices.to_numpy()]
    columns = [table[key] for key in keys]

    def key_of(g: int) -> tuple[object, ...]:
        return tuple(column[int(begins[g])].as_py() for column in columns)

    weights = np.ones(len(begins), dtype=np.int64)
    return sparse(np.cumsum(class_of), codes, numbers, weights, key_of)
