"""Counts held in memory; their classes are disjoint, or overlap where a wildcard matches all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._contingency import (
    Contingency,
    Counts,
    Histograms,
    Secret,
    sparse,
    text_of,
)
from unveil.errors import Cell, Column, File, InputError, Option, Text, did_you_mean
from unveil.microdata import EVERYTHING, AnyRelease, Silence, silence


@dataclass(frozen=True, eq=False)
class KeyColumn:
    """One key: the code of each class's value, and the values.

    ``hidden`` says which values are suppressed cells. By default that is ``*`` alone, because the
    domain is not known.
    """

    codes: Counts
    values: tuple[object, ...]
    hidden: NDArray[np.bool_] | None = None
    _written: dict[str, NDArray[np.bool_]] = field(default_factory=dict, repr=False)

    def take(self, classes: Counts) -> KeyColumn:
        """The key of some classes."""
        return KeyColumn(self.codes[classes], self.values, self.hidden, self._written)

    def is_hidden(self, star: str = EVERYTHING) -> NDArray[np.bool_]:
        """For each class, whether its cell is suppressed; ``star`` is how that is written."""
        if self.hidden is not None and star == EVERYTHING:
            return self.hidden[self.codes]
        return self.is_written(star)

    def is_written(self, star: str) -> NDArray[np.bool_]:
        """For each class, whether its cell is this text."""
        if star not in self._written:  # the same for all classes taken from the same values
            texts = (text_of(value) == star for value in self.values)
            self._written[star] = np.fromiter(texts, dtype=bool, count=len(self.values))
        return self._written[star][self.codes]

    @property
    def is_same(self) -> bool:
        """Whether all classes have the same cell."""
        return bool((self.codes == self.codes[:1]).all())

    @cached_property
    def texts(self) -> dict[str, int]:
        """The code of each value, by its text."""
        return {text_of(value): code for code, value in enumerate(self.values)}


class Held(Contingency):
    """All classes, with their keys, in memory."""

    def __init__(
        self,
        *,
        keys: Mapping[str, KeyColumn],
        secret: Secret | None,
        codes: Counts,
        class_of: Counts | None = None,
        numbers: Counts | None = None,
        source: str,
        notes: tuple[Text, ...] = (),
        made_from: AnyRelease | None = None,
    ) -> None:
        """Cells are (class, value, number); a class is a position in the keys' codes.

        By default each cell is one record, at its own position. Classes with the same keys are
        merged.
        """
        self.secret, self.source, self.notes = secret, source, notes
        self.made_from = made_from
        self.keys = tuple(keys)
        distinct, of_class = combined([column.codes for column in keys.values()])
        self.columns = {name: column.take(distinct) for name, column in keys.items()}
        n_values = 1 if secret is None else len(secret.values)
        self.histograms = sparse(
            of_class if class_of is None else of_class[class_of],
            codes,
            np.ones(len(codes), dtype=np.int64) if numbers is None else numbers,
            np.ones(len(distinct), dtype=np.int64),
            self._key_of,
        )
        self._totals = np.zeros(n_values, dtype=np.int64)
        np.add.at(self._totals, self.histograms.codes, self.histograms.numbers)

    def _key_of(self, g: int) -> tuple[object, ...]:
        return tuple(column.values[column.codes[g]] for column in self.columns.values())

    @property
    def totals(self) -> Counts:
        return self._totals

    def blocks(self) -> Iterator[Histograms]:
        yield self.histograms

    def silence(self, star: str = EVERYTHING) -> Silence:
        """Which classes are suppressed, if that is written as ``star``."""
        columns = self.columns.values()
        hidden = [column.is_hidden(star) for column in columns]
        same = [column.is_same for column in columns]
        return silence(hidden, same, [column.is_written(star) for column in columns])

    @cached_property
    def _silence(self) -> Silence:
        return self.silence()

    @property
    def suppressed(self) -> int:
        return int(self.histograms.sizes[self._silence.suppressed].sum())

    @property
    def hidden(self) -> int:
        return int(self.histograms.sizes[self._silence.hidden].sum())

    @cached_property
    def shown(self) -> Held:
        return self.without(self._silence.suppressed)

    def without(self, classes: NDArray[np.bool_]) -> Held:
        """The counts without some classes."""
        if not classes.any():
            return self
        kept, whole = np.flatnonzero(~classes), self.histograms
        place = np.cumsum(~classes) - 1
        cells = np.flatnonzero(~classes[whole.class_of])
        return Held(
            keys={name: column.take(kept) for name, column in self.columns.items()},
            secret=self.secret, class_of=place[whole.class_of[cells]], codes=whole.codes[cells],
            numbers=whole.numbers[cells], source=self.source, notes=self.notes,
            made_from=self.made_from,
        )  # fmt: skip

    def over(self, keys: Sequence[str]) -> Held:
        asked = self.check_keys(keys)
        if asked == self.keys:
            return self
        whole = self.histograms
        return Held(
            keys={name: self.columns[name] for name in asked}, secret=self.secret,
            class_of=whole.class_of, codes=whole.codes, numbers=whole.numbers,
            source=self.source, notes=self.notes, made_from=self.made_from,
        )  # fmt: skip

    def where(self, values: Mapping[str, object]) -> Counts:
        self.check_keys(tuple(values))
        inside = np.ones(len(self.histograms), dtype=bool)
        for name, value in values.items():
            column = self.columns[name]
            text = text_of(value)
            if text not in column.texts:
                near = did_you_mean(text, column.texts)
                raise InputError(
                    "column {column} has no value {value} in {source}{near}",
                    column=Column(name), value=Cell(text), source=File(self.source, bare=True),
                    near=Cell(near, bare=True) if near else "",
                )  # fmt: skip
            inside &= column.codes == column.texts[text]
        chosen = inside[self.histograms.class_of]
        found = np.zeros(len(self._totals), dtype=np.int64)
        np.add.at(found, self.histograms.codes[chosen], self.histograms.numbers[chosen])
        return found


def combined(columns: Sequence[Counts]) -> tuple[Counts, Counts]:
    """Number the combinations of several columns of codes, in the order of their codes.

    Returns one row of each combination, and the combination of each row.
    """
    number = np.zeros(len(columns[0]), dtype=np.int64)
    size = 1
    for codes in columns:
        width = int(codes.max()) + 1 if len(codes) else 1
        if size * width >= 2**62:  # renumber the combinations so far, to use smaller numbers
            _, number = np.unique(number, return_inverse=True)
            size = int(number.max()) + 1
        number = number * width + codes
        size *= width
    _, first, of_row = np.unique(number, return_index=True, return_inverse=True)
    return first, of_row.ravel()


def matching_everything(counts: Contingency, wildcard: str) -> Contingency:
    """The same counts, where a cell that is the wildcard matches every value."""
    counts = counts.in_memory()
    if isinstance(counts, _Matching):
        raise InputError("these counts have a wildcard already; count the table again")
    if not isinstance(counts, Held):
        raise InputError(
            "{source} has too many classes to match {wildcard} with everything; leave {option} "
            "out, and it is a value like any other",
            source=File(counts.source, bare=True), wildcard=repr(wildcard),
            option=Option("wildcard"),
        )  # fmt: skip
    return _Matching(counts, wildcard)


class _Matching(Contingency):
    """A record counts in every class that it may belong to, so classes overlap.

    Some tools count the frequency of a record with hidden cells like this. Two classes may be the
    same people if they agree in every key that neither hides. Classes are matched by patterns of
    hidden keys, of which there are few, and never pair by pair.
    """

    def __init__(self, inner: Held, wildcard: str) -> None:
        self.keys, self.secret, self.source = inner.keys, inner.secret, inner.source
        self._inner, self._wildcard = inner, wildcard
        self.notes = (*inner.notes, f"{wildcard!r} matches every value, so classes overlap")
        self.overlapping = True
        self._histograms = _matched(inner, wildcard)
        self._silence = inner.silence(wildcard)

    @property
    def suppressed(self) -> int:
        return int(self._inner.histograms.sizes[self._silence.suppressed].sum())

    @property
    def hidden(self) -> int:
        return int(self._inner.histograms.sizes[self._silence.hidden].sum())

    @cached_property
    def shown(self) -> Contingency:
        """Suppressed records are in no class, and count in nobody else's."""
        if not self.suppressed:
            return self
        return _Matching(self._inner.without(self._silence.suppressed), self._wildcard)

    @property
    def totals(self) -> Counts:
        return self._inner.totals

    def blocks(self) -> Iterator[Histograms]:
        yield self._histograms

    def over(self, keys: Sequence[str]) -> Contingency:
        return _Matching(self._inner.over(keys), self._wildcard)

    def where(self, values: Mapping[str, object]) -> Counts:
        raise InputError(
            "a class cannot be looked up where {wildcard} matches everything; leave {option} out",
            wildcard=repr(self._wildcard), option=Option("wildcard"),
        )  # fmt: skip


def _matched(held: Held, wildcard: str) -> Histograms:
    columns = list(held.columns.values())
    hidden = np.stack(
        [np.array([text_of(v) == wildcard for v in c.values])[c.codes] for c in columns]
    )
    patterns, pattern_of = np.unique(hidden, axis=1, return_inverse=True)
    pattern_of = pattern_of.ravel()
    found: list[tuple[Counts, Counts, Counts]] = []
    for a in range(patterns.shape[1]):
        ours = np.flatnonzero(pattern_of == a)
        for b in range(patterns.shape[1]):
            theirs = np.flatnonzero(pattern_of == b)
            shown = np.flatnonzero(~(patterns[:, a] | patterns[:, b]))
            found.append(_pairs(held, ours, theirs, [columns[j].codes for j in shown]))
    class_of, codes, numbers = (np.concatenate(parts) for parts in zip(*found, strict=True))
    whole = held.histograms
    return sparse(class_of, codes, numbers, whole.weights, whole.key_of)


def _pairs(
    held: Held, ours: Counts, theirs: Counts, shown: Sequence[Counts]
) -> tuple[Counts, Counts, Counts]:
    """The cells of ``theirs`` that agree with each class of ``ours`` in the keys both show."""
    both = np.concatenate([ours, theirs])
    group = np.zeros(len(both), dtype=np.int64)
    if shown:
        group = combined([codes[both] for codes in shown])[1]
    group_of_ours = group[: len(ours)]
    group_of_theirs = np.full(len(held.histograms), -1, dtype=np.int64)
    group_of_theirs[theirs] = group[len(ours) :]

    cells = group_of_theirs[held.histograms.class_of]
    kept = cells >= 0
    width = int(held.histograms.codes.max()) + 1
    summed, place = np.unique(
        cells[kept] * width + held.histograms.codes[kept], return_inverse=True
    )
    numbers = np.zeros(len(summed), dtype=np.int64)
    np.add.at(numbers, place, held.histograms.numbers[kept])

    # For each class of ours, the range of sums that belongs to its group.
    first = np.searchsorted(summed, group_of_ours * width)
    length = np.searchsorted(summed, (group_of_ours + 1) * width) - first
    at = np.repeat(first - np.concatenate([[0], np.cumsum(length)[:-1]]), length)
    at = at + np.arange(len(at))
    return np.repeat(ours, length), summed[at] % width, numbers[at]
