"""Counts that are held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._contingency import Contingency, Secret, text_of
from unveil.engine.counting._histograms import Histograms, sparse
from unveil.errors import InputError, did_you_mean
from unveil.microdata import AnyRelease

__all__ = ["Held", "KeyColumn", "combined"]


@dataclass(frozen=True, eq=False)
class KeyColumn:
    """One key: for each class the place of its value among all values."""

    codes: NDArray[np.int64]
    values: tuple[object, ...]

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
        class_of: NDArray[np.int64],
        codes: NDArray[np.int64],
        numbers: NDArray[np.int64],
        source: str,
        notes: tuple[str, ...] = (),
        made_from: AnyRelease | None = None,
    ) -> None:
        """From cells (class, value, number); each class is a position in the keys' codes.

        Classes whose keys are the same become one.
        """
        self.secret, self.source, self.notes = secret, source, notes
        self.made_from = made_from
        self.keys = tuple(keys)
        distinct, of_class = combined([column.codes for column in keys.values()])
        self.columns = {
            name: KeyColumn(column.codes[distinct], column.values) for name, column in keys.items()
        }
        n_values = 1 if secret is None else len(secret.values)
        self.histograms = sparse(
            of_class[class_of], codes, numbers, np.ones(len(distinct), dtype=np.int64), self._key_of
        )
        self._totals = np.zeros(n_values, dtype=np.int64)
        np.add.at(self._totals, self.histograms.codes, self.histograms.numbers)

    def _key_of(self, g: int) -> tuple[object, ...]:
        return tuple(column.values[column.codes[g]] for column in self.columns.values())

    @property
    def totals(self) -> NDArray[np.int64]:
        return self._totals

    def blocks(self) -> Iterator[Histograms]:
        yield self.histograms

    def over(self, keys: Sequence[str]) -> Held:
        asked = self.check_keys(keys)
        return Held(
            keys={name: self.columns[name] for name in asked},
            secret=self.secret,
            class_of=self.histograms.class_of,
            codes=self.histograms.codes,
            numbers=self.histograms.numbers,
            source=self.source,
            notes=self.notes,
            made_from=self.made_from,
        )

    def where(self, values: Mapping[str, object]) -> NDArray[np.int64]:
        self.check_keys(tuple(values))
        inside = np.ones(len(self.histograms), dtype=bool)
        for name, value in values.items():
            column = self.columns[name]
            text = text_of(value)
            if text not in column.texts:
                raise InputError(
                    f"{name} has no value {text!r} in {self.source}"
                    f"{did_you_mean(text, column.texts)}"
                )
            inside &= column.codes == column.texts[text]
        chosen = inside[self.histograms.class_of]
        found = np.zeros(len(self._totals), dtype=np.int64)
        np.add.at(found, self.histograms.codes[chosen], self.histograms.numbers[chosen])
        return found


def combined(
    columns: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the combinations of several columns of codes, in the order of their codes.

    Returns one row for each combination, and the combination of each row.
    """
    number = np.zeros(len(columns[0]), dtype=np.int64)
    size = 1
    for codes in columns:
        width = int(codes.max()) + 1 if len(codes) else 1
        if size * width >= 2**62:  # number the combinations so far, of which there are fewer
            _, number = np.unique(number, return_inverse=True)
            size = int(number.max()) + 1
        number = number * width + codes
        size *= width
    _, first, of_row = np.unique(number, return_index=True, return_inverse=True)
    return first, of_row.ravel()
