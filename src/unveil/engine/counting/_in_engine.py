"""Counts that an engine makes and keeps; what comes back is aggregated.

Where the combinations of keys and secret are few, they are fetched (`Held`). Where they are many,
most classes look alike, for they have one record or two; then the engine counts how many classes
have each histogram (`InEngine`), and only that is fetched. A secret of very many values has too
many histograms for that: its counts are fetched in the order of the classes, some at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._contingency import Contingency, Secret, text_of
from unveil.engine.counting._expressions import (
    EXAMPLE,
    NUMBER,
    WEIGHT,
    cells,
    column_of,
    look_alikes,
    probe,
    totals,
)
from unveil.engine.counting._fetching import batches, encoded, fetched, numbers, one_number
from unveil.engine.counting._held import Held, KeyColumn
from unveil.engine.counting._histograms import Histograms, sparse
from unveil.engine.counting._streamed import streamed_classes
from unveil.errors import InputError

if TYPE_CHECKING:
    import ibis

__all__ = ["EncodedSecret", "InEngine", "Question", "counted"]

PROBED = 20_000
"""Rows looked at to tell few combinations from many."""
FEW = 0.25
"""Combinations a row among those, above which the classes are taken to be too many to fetch."""
FETCHED = 4_000_000
"""Combinations that are fetched at most."""
WIDE = 32
"""Values of a secret that are counted side by side at most."""
KEPT = 2_000_000
"""Numbers that are kept in case they are asked for again."""
_BLOCK = 2_000_000

_NAMING = frozenset({"duckdb", "pyspark"})
"""Engines that can name the first of several classes in the same breath."""


@dataclass(frozen=True, eq=False)
class EncodedSecret:
    """A secret, and the code of each of its values as an engine has them."""

    secret: Secret
    codes: dict[Any, int]

    def codes_of(self, raw: Sequence[Any]) -> NDArray[np.int64]:
        """The codes of values as the engine has them."""
        return np.array([self.codes[value] for value in raw], dtype=np.int64)


Encoder = Callable[[Sequence[Any]], EncodedSecret]
"""What makes a secret of the distinct values an engine found."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """A table within an engine, and what is to be counted in it."""

    table: ibis.Table
    keys: tuple[str, ...]
    secret: str | None
    encoder: Encoder
    source: str
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """All columns that matter."""
        return [*self.keys, *([] if self.secret is None else [self.secret])]

    @cached_property
    def totals(self) -> tuple[EncodedSecret | None, NDArray[np.int64]]:
        """The secret, and how many records have each of its values."""
        if self.secret is None:
            return None, np.array([one_number(self.table.count())], dtype=np.int64)
        found = fetched(totals(self.table, self.secret))
        raw = found[self.secret].to_pylist()
        coded = self.encoder(raw)
        counts = np.zeros(len(coded.secret.values), dtype=np.int64)
        np.add.at(counts, coded.codes_of(raw), numbers(found[NUMBER]))
        return coded, counts

    def over(self, keys: tuple[str, ...]) -> Question:
        """The same about some of the keys."""
        asked = Question(
            table=self.table, keys=keys, secret=self.secret, encoder=self.encoder,
            source=self.source, notes=self.notes,
        )  # fmt: skip
        if "totals" in self.__dict__:
            asked.__dict__["totals"] = self.totals
        return asked


def counted(question: Question) -> Contingency:
    """Count, in the form that suits the number of combinations."""
    seen = fetched(probe(question.table, question.columns, PROBED)).to_pylist()[0]
    combinations, rows = (int(number or 0) for number in seen.values())
    if rows == 0:
        raise InputError(f"{question.source} has no records: there is nothing to measure")
    if rows < PROBED or combinations <= FEW * rows:
        held = _held(question)
        if held is not None:
            return held
    return InEngine(question)


def _held(question: Question) -> Held | None:
    found = fetched(cells(question.table, question.columns).limit(FETCHED + 1))
    if found.num_rows > FETCHED:
        return None
    secret, codes = None, np.zeros(found.num_rows, dtype=np.int64)
    if question.secret is not None:
        place, raw = encoded(found[question.secret])
        coded = question.encoder(raw)
        secret, codes = coded.secret, coded.codes_of(raw)[place]
    return Held(
        keys={key: KeyColumn(*encoded(found[key])) for key in question.keys},
        secret=secret,
        class_of=np.arange(found.num_rows),
        codes=codes,
        numbers=numbers(found[NUMBER]),
        source=question.source,
        notes=question.notes,
    )


class InEngine(Contingency):
    """Counts of a table with too many classes to fetch."""

    def __init__(self, question: Question) -> None:
        self.keys, self.source, self.notes = question.keys, question.source, question.notes
        self._question = question
        self._encoded, self._totals = question.totals
        self.secret = None if self._encoded is None else self._encoded.secret
        self._kept: list[Histograms] | None = None

    @property
    def totals(self) -> NDArray[np.int64]:
        return self._totals

    def over(self, keys: Sequence[str]) -> Contingency:
        return counted(self._question.over(self.check_keys(keys)))

    def where(self, values: Mapping[str, object]) -> NDArray[np.int64]:
        self.check_keys(tuple(values))
        table = self._question.table
        for name, value in values.items():
            table = table.filter(table[name].isnull() if value is None else table[name] == value)
        if self._encoded is None or self._question.secret is None:
            found = np.array([one_number(table.count())], dtype=np.int64)
        else:
            counts = fetched(totals(table, self._question.secret))
            found = np.zeros(len(self._totals), dtype=np.int64)
            place = self._encoded.codes_of(counts[self._question.secret].to_pylist())
            np.add.at(found, place, numbers(counts[NUMBER]))
        if not found.any():
            listed = ", ".join(f"{name}={text_of(value)}" for name, value in values.items())
            raise InputError(f"no record of {self.source} has {listed}")
        return found

    def blocks(self) -> Iterator[Histograms]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Histograms] | None = []
        size = 0
        for block in self._asked():
            size += len(block.codes)
            if kept is not None and size <= KEPT:
                kept.append(block)
            else:
                kept = None
            yield block
        self._kept = kept

    def _asked(self) -> Iterator[Histograms]:
        values: list[Any] = [0] if self._encoded is None else list(self._encoded.codes)
        if len(values) > WIDE:
            assert self._encoded is not None
            yield from streamed_classes(
                self._question.table, self.keys, self._question.secret or "",
                self._encoded.codes_of,
            )  # fmt: skip
            return
        yield from self._look_alikes(values)

    def _look_alikes(self, values: Sequence[Any]) -> Iterator[Histograms]:
        question = self._question
        named = question.table.get_backend().name in _NAMING
        asked = look_alikes(question.table, self.keys, question.secret, values, named)
        codes = np.zeros(1, dtype=np.int64)
        if self._encoded is not None:
            codes = self._encoded.codes_of(values)
        for batch in batches(asked, max(1, _BLOCK // len(values))):
            counts = np.stack([numbers(batch[column_of(c)]) for c in range(len(values))], axis=1)
            order = np.lexsort(counts.T[::-1])  # engines give them in any order
            batch, counts = batch.take(order), counts[order]
            which, value = np.nonzero(counts)
            naming = _named(batch) if named else self._naming(asked, counts, values)
            yield sparse(which, codes[value], counts[which, value], numbers(batch[WEIGHT]), naming)

    def _naming(
        self, asked: ibis.Table, counts: NDArray[np.int64], values: Sequence[Any]
    ) -> Callable[[int], tuple[object, ...]]:
        """Names a class by asking once more for the first one with its histogram."""
        classes = asked.op().parent.to_expr()
        known: dict[int, tuple[object, ...]] = {}

        def key_of(g: int) -> tuple[object, ...]:
            if g not in known:
                alike = [
                    classes[column_of(code)] == int(counts[g, code]) for code in range(len(values))
                ]
                first = classes.filter(alike).order_by(list(self.keys)).limit(1)
                row = fetched(first.select(list(self.keys))).to_pylist()[0]
                known[g] = tuple(row[key] for key in self.keys)
            return known[g]

        return key_of


def _named(batch: Any) -> Callable[[int], tuple[object, ...]]:
    examples = batch[EXAMPLE]

    def key_of(g: int) -> tuple[object, ...]:
        return tuple(examples[g].as_py().values())

    return key_of
