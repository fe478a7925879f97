"""The classes that decide a measure: a smallest one, a least diverse one, one furthest off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms, text_of

__all__ = ["Deciding", "DecidingClass", "Extreme"]

SHOWN = 5
"""How many of the deciding classes are named."""

ALIKE = 1e-12
"""Scores that differ by less than this, of their size, are the same."""


@dataclass(frozen=True, kw_only=True)
class DecidingClass:
    """One class that decides a measure.

    Attributes
    ----------
    keys : dict of str to str
        The cells it publishes.
    records : int
    counts : dict of str to int
        How many of its records have each sensitive value that occurs in it.
    """

    keys: dict[str, str]
    records: int
    counts: dict[str, int]

    def __str__(self) -> str:
        cells = ", ".join(f"{name}={text}" for name, text in self.keys.items())
        return f"{cells} ({self.records:,} record{'s' if self.records != 1 else ''})"

    def to_dict(self) -> dict[str, Any]:
        """The class as plain values, for JSON."""
        return {"keys": self.keys, "records": self.records, "counts": self.counts}


@dataclass(frozen=True, kw_only=True)
class Deciding:
    """The classes that decide a measure.

    Attributes
    ----------
    number : int
        How many there are.
    classes : tuple of DecidingClass
        Some of them, at most five.
    """

    number: int
    classes: tuple[DecidingClass, ...]

    def __str__(self) -> str:
        if self.number == 0:
            return "no class"
        named = "; ".join(str(one) for one in self.classes[:3])
        more = self.number - min(3, len(self.classes))
        return named + (f"; and {more:,} more" if more else "")

    def content(self, *, records: bool) -> dict[str, Any]:
        """As plain values for JSON; the classes, which may be single people, only if asked for."""
        named = {"classes": [one.to_dict() for one in self.classes]} if records else {}
        return {"number": self.number, **named}


class Extreme:
    """Looks for the largest (or least) score, and the classes that have it."""

    def __init__(self, counts: Contingency, *, least: bool = False) -> None:
        self._counts = counts
        self._sign = -1.0 if least else 1.0
        self._best = -np.inf
        self._number = 0
        self._found: list[tuple[Histograms, int]] = []

    def look(self, block: Histograms, scores: NDArray[Any]) -> None:
        """Take the scores of a block's classes into account."""
        if len(block) == 0:
            return
        scores = self._sign * np.asarray(scores, dtype=np.float64)
        best = float(scores.max())
        if not self._alike(best, self._best):
            if best < self._best:
                return
            self._best, self._number, self._found = best, 0, []
        same = np.flatnonzero(self._alike(scores, self._best))
        self._number += int(block.weights[same].sum())
        room = SHOWN - len(self._found)
        self._found += [(block, int(g)) for g in same[:room]]

    @staticmethod
    def _alike(a: Any, b: float) -> Any:
        if not np.isfinite(b):
            return a == b
        return np.abs(a - b) <= ALIKE * max(1.0, abs(b))

    @property
    def score(self) -> float:
        """The largest (or least) score."""
        return float(self._sign * self._best)

    def deciding(self) -> Deciding:
        """The classes that have it."""
        return Deciding(
            number=self._number,
            classes=tuple(described(self._counts, block, g) for block, g in self._found),
        )


def described(counts: Contingency, block: Histograms, g: int) -> DecidingClass:
    """One class of a block, for people."""
    values: Sequence[str] = () if counts.secret is None else counts.secret.texts
    part = slice(block.start[g], block.start[g + 1])
    held = zip(block.codes[part].tolist(), block.numbers[part].tolist(), strict=True)
    return DecidingClass(
        keys={
            name: text_of(value) for name, value in zip(counts.keys, block.key_of(g), strict=True)
        },
        records=int(block.sizes[g]),
        counts={values[code]: number for code, number in held} if values else {},
    )
