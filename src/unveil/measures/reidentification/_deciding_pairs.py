"""The classes that decide what an attacker with a population at hand can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import text_of
from unveil.measures._deciding import SHOWN, Deciding, DecidingClass
from unveil.measures.reidentification._texts import number_of

__all__ = ["ClassInPopulation", "Fewest"]


@dataclass(frozen=True, kw_only=True)
class ClassInPopulation(DecidingClass):
    """A class, and how many people of the population are like its records."""

    people: int

    def __str__(self) -> str:
        cells = ", ".join(f"{name}={text}" for name, text in self.keys.items())
        records = number_of(self.records, "record", "records")
        return f"{cells} ({records}, {self.people:,} in the population)"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "population": self.people}


class Fewest:
    """Looks for the smallest number, and the classes that have it."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        self._keys = keys
        self.fewest: int | None = None
        self._number = 0
        self._found: list[ClassInPopulation] = []

    def look(
        self,
        scores: NDArray[np.int64],
        sizes: NDArray[np.int64],
        people: NDArray[np.int64],
        weights: NDArray[np.int64],
        key_of: Callable[[int], tuple[object, ...]],
    ) -> None:
        """Take some classes into account."""
        if not len(scores):
            return
        least = int(scores.min())
        if self.fewest is None or least < self.fewest:
            self.fewest, self._number, self._found = least, 0, []
        same = np.flatnonzero(scores == self.fewest)
        self._number += int(weights[same].sum())
        for g in same[: SHOWN - len(self._found)].tolist():
            texts = [text_of(value) for value in key_of(g)]
            self._found.append(
                ClassInPopulation(
                    keys=dict(zip(self._keys, texts, strict=True)),
                    records=int(sizes[g]),
                    counts={},
                    people=int(people[g]),
                )
            )

    def deciding(self) -> Deciding:
        """The classes that have it."""
        return Deciding(number=self._number, classes=tuple(self._found))
