"""Counts that an engine makes and keeps; what comes back is aggregated.

Where the combinations of keys and secret are few, they are fetched (`Held`). Where they are many,
most classes look alike, for they have one record or two; then the engine counts how many classes
have each histogram (`InEngine`), and only that is fetched. A secret of very many values has too
many histograms for that: its counts are fetched in the order of the classes, some at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._alike import LookAlikes
from unveil.engine.counting._contingency import Contingency, gaps_note, text_of
from unveil.engine.counting._expressions import NUMBER, cells, classes, probe, totals
from unveil.engine.counting._fetching import encoded, numbers
from unveil.engine.counting._held import Held, KeyColumn
from unveil.engine.counting._histograms import Histograms, sparse
from unveil.engine.counting._question import Question
from unveil.engine.counting._streamed import streamed_classes
from unveil.errors import InputError, UnveilError
from unveil.microdata import MISSING

__all__ = ["InEngine", "counted"]

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


def counted(question: Question) -> Contingency:
    """Count, in the form that suits the number of combinations."""
    combinations, rows = _probed(question)
    if rows == 0:
        raise InputError(f"{question.source} has no records: there is nothing to measure")
    if rows < PROBED or combinations <= FEW * rows:
        held = _held(question)
        if held is not None:
            return held
    return InEngine(question)


def _probed(question: Question) -> tuple[int, int]:
    """How many combinations there are among the first rows, and how many rows those are."""
    if question.beginning is None:
        seen = question.fetching.table(probe(question.table, question.columns, PROBED))
        combinations, rows = (int(number or 0) for number in seen.to_pylist()[0].values())
        return combinations, rows
    first = question.beginning(PROBED).select(question.columns)
    return first.group_by(question.columns).aggregate([]).num_rows, first.num_rows


def _held(question: Question) -> Held | None:
    found = question.fetching.table(cells(question.table, question.columns).limit(FETCHED + 1))
    if found.num_rows > FETCHED:
        return None
    secret, codes = None, np.zeros(found.num_rows, dtype=np.int64)
    if question.secret is not None:
        place, raw = encoded(found[question.secret])
        coded = question.encoder(raw)
        secret, codes = coded.secret, coded.codes_of(raw)[place]
    columns = {key: KeyColumn(*encoded(found[key])) for key in question.keys}
    sizes = numbers(found[NUMBER])
    gaps = {
        key: int(sizes[column.codes == len(column.values) - 1].sum())
        for key, column in columns.items()
        if column.values[-1] is None
    }
    held = Held(
        keys=columns,
        secret=secret,
        class_of=np.arange(found.num_rows),
        codes=codes,
        numbers=sizes,
        source=question.source,
    )
    held.notes = (*question.notes, *gaps_note(gaps, secret, held.totals))
    return held


class InEngine(Contingency):
    """Counts of a table with too many classes to fetch."""

    def __init__(self, question: Question) -> None:
        self.keys, self.source = question.keys, question.source
        self.question = question
        self._encoded, self._totals = question.totals
        self.secret = None if self._encoded is None else self._encoded.secret
        self.notes = (*question.notes, *gaps_note(question.gaps, self.secret, self._totals))
        self._kept: list[Histograms] | None = None

    @property
    def totals(self) -> NDArray[np.int64]:
        return self._totals

    @property
    def connection(self) -> Any:
        """The Ibis connection that counts; another table that it opens can be matched with."""
        return self.question.table.get_backend()

    @cached_property
    def _fetched(self) -> Held | None:
        return _held(self.question) if self.rows <= FETCHED else None

    def in_memory(self) -> Contingency:
        return self if self._fetched is None else self._fetched

    def over(self, keys: Sequence[str]) -> Contingency:
        return counted(self.question.over(self.check_keys(keys)))

    def where(self, values: Mapping[str, object]) -> NDArray[np.int64]:
        self.check_keys(tuple(values))
        asked, table = self.question, self.question.table
        for name, value in values.items():
            table = table.filter(self._has(name, value))
        if self._encoded is None or asked.secret is None:
            found = np.array([asked.fetching.number(table.count())], dtype=np.int64)
        else:
            counts = asked.fetching.table(totals(table, asked.secret))
            found = np.zeros(len(self._totals), dtype=np.int64)
            place = self._encoded.codes_of(counts[asked.secret].to_pylist())
            np.add.at(found, place, numbers(counts[NUMBER]))
        if not found.any():
            listed = ", ".join(f"{name}={text_of(value)}" for name, value in values.items())
            raise InputError(f"no record of {self.source} has {listed}")
        return found

    def _has(self, name: str, value: object) -> Any:
        """Whether a record has a value, which may be given as it is or written out."""
        import pyarrow as pa

        column = self.question.table[name]
        text = text_of(value)
        if text == MISSING:
            return column.isnull()
        kind = column.type().to_pyarrow()
        try:
            return column == pa.scalar(text, pa.string()).cast(kind).as_py()
        except pa.ArrowException:
            raise InputError(
                f"{name} has no value {text!r} in {self.source}: its values are of type {kind}"
            ) from None

    def blocks(self) -> Iterator[Histograms]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Histograms] | None = []
        size = arrived = 0
        for block in self._asked():
            size += len(block.codes)
            arrived += int(block.weights @ block.sizes)
            if size > KEPT:
                kept = None
            elif kept is not None:
                kept.append(block)
            yield block
        if arrived != self.rows:
            raise UnveilError(
                f"{self.source} changed while it was counted: it had {self.rows:,} records, and "
                f"now {arrived:,}; count it again"
            )
        self._kept = kept

    def _asked(self) -> Iterator[Histograms]:
        asked = self.question
        values: list[Any] = [0]
        if self._encoded is not None:  # in an order that does not hang on the engine
            places = self._encoded.codes
            values = sorted(places, key=lambda value: (places[value], repr(value)))
        if self._encoded is not None and len(values) > WIDE:
            yield from streamed_classes(asked, self._encoded.codes_of)
            return
        codes = np.zeros(1, dtype=np.int64)
        if self._encoded is not None:
            codes = self._encoded.codes_of(values)
        found = LookAlikes(
            classes(asked.table, self.keys, asked.secret, values), self.keys, asked.fetching
        )
        for counts, weights, key_of in found.blocks(max(1, _BLOCK // len(values))):
            which, value = np.nonzero(counts)
            yield sparse(which, codes[value], counts[which, value], weights, key_of)
