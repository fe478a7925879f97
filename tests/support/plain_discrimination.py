"""Discrimination rates by plain loops over the rows, as the definition has them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

from unveil.microdata import Microdata

__all__ = ["plain_entropy", "plain_rate", "plain_value_rates", "rows_of"]


def plain_entropy(values: Sequence[Hashable]) -> float:
    """Shannon's entropy of what was drawn, in bits."""
    n = len(values)
    return -sum(m / n * math.log2(m / n) for m in Counter(values).values())


def _inside(x: Sequence[Hashable], y: Sequence[Hashable]) -> dict[Hashable, list[Hashable]]:
    return {one: [a for a, b in zip(x, y, strict=True) if b == one] for one in y}


def plain_rate(x: Sequence[Hashable], y: Sequence[Hashable]) -> float | None:
    """1 − H(X|Y) / H(X)."""
    if len(set(x)) == 1:
        return None
    left = sum(len(part) / len(x) * plain_entropy(part) for part in _inside(x, y).values())
    return 1 - left / plain_entropy(x)


def plain_value_rates(x: Sequence[Hashable], y: Sequence[Hashable]) -> dict[Hashable, float]:
    """1 − p(y) H(X|y) / H(X) for each y."""
    whole = plain_entropy(x)
    return {
        one: 1 - len(part) / len(x) * plain_entropy(part) / whole
        for one, part in _inside(x, y).items()
    }


def rows_of(microdata: Microdata, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The texts of some columns, record by record."""
    columns = [microdata[name] for name in names]
    return [
        tuple(column.texts[column.codes[record]] for column in columns)
        for record in range(len(microdata))
    ]
