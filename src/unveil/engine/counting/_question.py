"""What is to be counted, of which table, and what its secret's values mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._contingency import Secret
from unveil.engine.counting._expressions import NUMBER, having, totals
from unveil.engine.counting._fetching import Fetching, numbers
from unveil.engine.counting._words import Fault

if TYPE_CHECKING:
    import ibis

__all__ = ["EncodedSecret", "Encoder", "Question"]


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
    fault: Fault | None = None
    beginning: Callable[[int], Any] | None = None

    @property
    def columns(self) -> list[str]:
        """All columns that matter."""
        return [*self.keys, *([] if self.secret is None else [self.secret])]

    @property
    def fetching(self) -> Fetching:
        """What asks the engine."""
        return Fetching(source=self.source, fault=self.fault)

    @cached_property
    def totals(self) -> tuple[EncodedSecret | None, NDArray[np.int64]]:
        """The secret, and how many records have each of its values."""
        found = self._counted
        if self.secret is None:
            return None, numbers(found[NUMBER])
        raw = found[self.secret].to_pylist()
        coded = self.encoder(raw)
        counts = np.zeros(len(coded.secret.values), dtype=np.int64)
        np.add.at(counts, coded.codes_of(raw), numbers(found[NUMBER]))
        return coded, counts

    @cached_property
    def _counted(self) -> Any:
        return self.fetching.table(totals(self.table, self.secret, self.keys))

    @property
    def gaps(self) -> dict[str, int]:
        """How many records lack each key."""
        everybody = int(numbers(self._counted[NUMBER]).sum())
        return {
            key: everybody - int(numbers(self._counted[having(place)]).sum())
            for place, key in enumerate(self.keys)
        }

    def over(self, keys: tuple[str, ...]) -> Question:
        """The same about some of the keys."""
        return replace(self, keys=keys)
