"""Suppressed records by plain loops over texts, and random tables that have some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

Table = Mapping[str, Sequence[str]]


def suppressed_rows(table: Table, keys: Sequence[str]) -> list[int]:
    """The records that say nothing that others do not say as well."""
    rows = list(zip(*(table[key] for key in keys), strict=True))
    telling = [j for j in range(len(keys)) if len({row[j] for row in rows}) > 1]
    gone = [i for i, row in enumerate(rows) if all(row[j] == "*" for j in telling)]
    return [] if len(gone) == len(rows) else gone


def classes(table: Table, keys: Sequence[str], secret: str) -> list[Counter[str]]:
    """The sensitive values of each class; suppressed records form none."""
    gone, found = set(suppressed_rows(table, keys)), {}
    for i, row in enumerate(zip(*(table[key] for key in keys), strict=True)):
        if i not in gone:
            found.setdefault(row, Counter())[table[secret][i]] += 1
    return list(found.values())


@st.composite
def starred_tables(draw: st.DrawFn, *, max_size: int = 25) -> dict[str, list[str]]:
    """Columns a, b, c of few values and ``*``, and a secret s; some records are all stars."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, columns = draw(st.integers(1, max_size)), draw(st.integers(1, 3))
    share = draw(st.sampled_from([0.0, 0.2, 0.7, 1.0]))
    table = {
        name: rng.choice(["x", "y", "*"][: int(rng.integers(1, 4))], n).tolist()
        for name in "abc"[:columns]
    }
    table["s"] = rng.choice(["u", "v", "w"], n).tolist()
    for i in np.flatnonzero(rng.random(n) < share * rng.random()):
        for name in "abc"[:columns]:
            table[name][i] = "*"
    return table
