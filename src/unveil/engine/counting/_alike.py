"""Classes that look alike: an engine tells how many there are, and names the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._expressions import EXAMPLE, WEIGHT, alike, first_of, keys_of
from unveil.engine.counting._fetching import Fetching, numbers

if TYPE_CHECKING:
    import ibis

__all__ = ["KeyOf", "LookAlikes"]

KeyOf: TypeAlias = Callable[[int], tuple[object, ...]]


class LookAlikes:
    """Asks for the numbers that classes have, and how many classes have the same.

    Parameters
    ----------
    classes : ibis.Table
        One row a class: its keys, and numbers.
    keys : sequence of str
        The rest of the columns are the numbers.
    fetching : Fetching
    """

    def __init__(self, classes: ibis.Table, keys: Sequence[str], fetching: Fetching) -> None:
        self._classes, self._keys, self._fetching = classes, tuple(keys), fetching
        self._columns = [name for name in classes.columns if name not in self._keys]

    def blocks(self, rows: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], KeyOf]]:
        """The numbers (one row for classes that look alike), the weights, and the names."""
        for batch in self._fetching.batches(alike(self._classes, self._keys), rows):
            counts = np.stack([numbers(batch[name]) for name in self._columns], axis=1)
            order = np.lexsort(counts.T[::-1])  # engines give them in any order
            batch, counts = batch.take(order), counts[order]
            named = EXAMPLE in batch.schema.names
            key_of = _named(batch) if named else self._asking(counts)
            yield counts, numbers(batch[WEIGHT]), key_of

    def _asking(self, counts: NDArray[np.int64]) -> KeyOf:
        """Names a class by asking once more, for the first one with its numbers."""
        known: dict[int, tuple[object, ...]] = {}

        def key_of(g: int) -> tuple[object, ...]:
            if g not in known:
                its = dict(zip(self._columns, counts[g].tolist(), strict=True))
                row = self._fetching.table(first_of(self._classes, self._keys, its)).to_pylist()[0]
                known[g] = tuple(row[key] for key in self._keys)
            return known[g]

        return key_of


def _named(batch: Any) -> KeyOf:
    examples = batch[EXAMPLE]
    return lambda g: keys_of(examples[g].as_py())
