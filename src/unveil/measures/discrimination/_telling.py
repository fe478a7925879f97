"""The values of the keys that tell most, of however many there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Histograms, text_of

__all__ = ["KEPT", "Telling", "ValueRate"]

KEPT = 300
"""How many combinations of values are kept."""

_DIGITS = 12  # rates that agree to so many digits are the same


@dataclass(frozen=True, kw_only=True)
class ValueRate:
    """What one combination of values of the keys says.

    Attributes
    ----------
    values : dict of str to str
        The value of each key.
    records : int
        How many records have them.
    entropy : float
        H(X|y): what stays open, in bits.
    rate : float or None
        1 − p(y) H(X|y) / H(X). None where H(X) = 0.
    alike : int
        How many combinations have exactly this histogram, this one included, where an engine
        has counted those that look alike and named only one.
    """

    values: dict[str, str]
    records: int
    entropy: float
    rate: float | None
    alike: int = 1

    def __str__(self) -> str:
        values = ", ".join(f"{name}={text}" for name, text in self.values.items())
        return f"{values} ({self.records:,} record{'s' if self.records != 1 else ''})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "values": self.values,
            "records": self.records,
            "entropy": self.entropy,
            "rate": self.rate,
            "alike": self.alike,
        }


class Telling:
    """Keeps the combinations of the highest rates; of equal rates, those of more records."""

    def __init__(self, counts: Contingency, most: int = KEPT) -> None:
        self._keys, self._most = counts.keys, most
        self._kept: list[ValueRate] = []

    def look(
        self, block: Histograms, entropies: NDArray[np.float64], rates: NDArray[np.float64]
    ) -> None:
        """Take some classes into account."""
        order = -np.round(rates, _DIGITS)
        best = np.lexsort([-block.sizes, order])[: self._most]
        if len(self._kept) == self._most:
            # Naming a class may be work for an engine: only those that will be kept are named.
            rate, records = _order(self._kept[-1])[:2]
            ahead = (order[best] < rate) | ((order[best] == rate) & (-block.sizes[best] < records))
            best = best[ahead]
        self._kept += [
            ValueRate(
                values={
                    name: text_of(value)
                    for name, value in zip(self._keys, block.key_of(g), strict=True)
                },
                records=int(block.sizes[g]),
                entropy=float(entropies[g]),
                rate=float(rates[g]),
                alike=int(block.weights[g]),
            )
            for g in best.tolist()
        ]
        self._kept = sorted(self._kept, key=_order)[: self._most]

    def found(self) -> tuple[ValueRate, ...]:
        """Those kept, the most telling first."""
        return tuple(self._kept)


def _order(one: ValueRate) -> tuple[float, int, tuple[str, ...]]:
    assert one.rate is not None
    return -float(np.round(one.rate, _DIGITS)), -one.records, tuple(one.values.values())
