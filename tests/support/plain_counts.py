"""The plainest way to count: a dictionary over rows. And tables with everything in them."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from unveil.engine.counting import Contingency, Histograms, text_of

__all__ = ["check_counts", "odd_tables", "plain", "plain_classes", "secret_text", "texts"]

CELLS: dict[str, list[Any]] = {
    "text": [
        "a", "A", "*", "", " ", " a", "a b", 'q"t', "it's", "c,d", "n\nl", "\\", "é", "e\u0301",
        "ß", "日本", "v", "fv", "\t", "00", "0", "NULL", "null",
    ],
    "int": [0, 1, -1, 2**31, 2**53 + 1, -(2**63), 2**63 - 1],
    "bool": [True, False],
    "float": [0.0, -0.0, 1.5, 0.1, -2.0, 1e300, math.nan],
    "date": [dt.date(2020, 2, 29), dt.date(1969, 12, 31), dt.date(1, 1, 1)],
    "moment": [dt.datetime(2020, 2, 29, 23, 59, 59, 123456), dt.datetime(1969, 12, 31, 1)],
    "decimal": [Decimal("1.50"), Decimal("-0.01"), Decimal("0.00"), Decimal("12345678.90")],
}  # fmt: skip


@st.composite
def odd_tables(draw: st.DrawFn, max_size: int = 25) -> dict[str, list[Any]]:
    """One to three keys and a secret of any kinds, with gaps."""
    n = draw(st.integers(1, max_size))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=2, max_size=4))
    names = ["secret", "key 0", "Schlüssel", "select"]
    table = {}
    for name, kind in zip(names, kinds, strict=False):
        few = draw(st.lists(st.sampled_from([*CELLS[kind], None]), min_size=1, max_size=4))
        cells = draw(st.lists(st.sampled_from(few), min_size=n, max_size=n))
        if all(plain(cell) is None for cell in cells):
            cells[0] = CELLS[kind][0]
        table[name] = cells
    return table


def plain(value: Any) -> Any:
    """A value the way it is counted: NaN and blanks are missing, and there is but one nought."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    return value


def texts(values: Sequence[Any]) -> tuple[str, ...]:
    """Values, written out."""
    return tuple(text_of(plain(value)) for value in values)


def secret_text(value: Any) -> str:
    """A value of the secret, written out; decimals are numbers like any others there."""
    return text_of(plain(float(value) if isinstance(value, Decimal) else value))


def plain_classes(
    table: Mapping[str, Sequence[Any]], keys: Sequence[str], secret: str | None
) -> dict[tuple[Any, ...], Counter[str]]:
    """The classes of a table, row by row."""
    found: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for i in range(len(table[keys[0]])):
        key = tuple(plain(table[name][i]) for name in keys)
        found[key]["" if secret is None else secret_text(table[secret][i])] += 1
    return found


def check_counts(
    counts: Contingency, table: Mapping[str, Sequence[Any]], keys: Sequence[str], secret: str | None
) -> None:
    """Counts are those of the table, and classes that look alike go by the first of them."""
    expected = plain_classes(table, keys, secret)
    overall: Counter[str] = sum(expected.values(), Counter())
    names = ("",) if counts.secret is None else counts.secret.texts
    assert dict(zip(names, counts.totals.tolist(), strict=True)) == {
        **dict.fromkeys(names, 0), **overall
    }  # fmt: skip
    assert counts.rows == sum(overall.values())
    assert counts.keys == tuple(keys)

    alike: dict[frozenset[tuple[str, int]], list[tuple[Any, ...]]] = defaultdict(list)
    for key, histogram in expected.items():
        alike[frozenset(histogram.items())].append(key)
    seen: Counter[frozenset[tuple[str, int]]] = Counter()
    named = defaultdict(set)
    for block in counts.blocks():
        for histogram, weight, key in histograms(block, names):
            seen[histogram] += weight
            named[histogram].add(texts(key))
            if weight > 1:
                assert texts(key) == texts(min(alike[histogram], key=_order))
    assert seen == {histogram: len(classes) for histogram, classes in alike.items()}
    for histogram, keys_seen in named.items():
        assert keys_seen <= {texts(key) for key in alike[histogram]}


def histograms(
    block: Histograms, names: Sequence[str]
) -> list[tuple[frozenset[tuple[str, int]], int, tuple[object, ...]]]:
    """The classes of a block: how many records of each value, how many look so, and the keys."""
    found = []
    for g in range(len(block)):
        part = slice(block.start[g], block.start[g + 1])
        codes, numbers = block.codes[part].tolist(), block.numbers[part].tolist()
        assert codes == sorted(set(codes))
        assert min(numbers) > 0
        histogram = frozenset((names[c], n) for c, n in zip(codes, numbers, strict=True))
        found.append((histogram, int(block.weights[g]), block.key_of(g)))
    return found


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Missing values come last."""
    return tuple((value is None, 0 if value is None else value) for value in key)
