"""Mondrian as one would explain it, slowly: the brute force that the kernels must equal.

Shares no code with the package's own: records are lists of codes, classes lists of records.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from unveil.microdata import Kind, Microdata


def plain_classes(microdata: Microdata, k: int, l: int = 1, crowds=None, close=None):  # noqa: E741
    """The classes, each a pair (records, cut regions as one (low, high) of codes a column).

    ``crowds`` maps the texts of quasi-identifiers to the class size that such records ask for;
    ``close`` tells whether records are close enough to the whole table. If people have several
    records, people are counted, and each of c records that somebody has in a class weighs 1/c.
    """
    columns = microdata.quasi
    whole = [_extent(microdata, column) for column in columns]
    everyone = list(range(len(microdata)))
    start = tuple((0, column.size - 1) for column in columns)
    asked = [(crowds or {}).get(tuple(c.texts[c.codes[i]] for c in columns), 0) for i in everyone]
    return _cut(microdata, everyone, start, whole, (k, l, asked, close))


def _cut(microdata, records, region, whole, goal):
    columns = microdata.quasi
    widths = [_extent_of(microdata, c, records) / w if w else 0.0
              for c, w in zip(columns, whole, strict=True)]  # fmt: skip
    for j in sorted(range(len(columns)), key=lambda j: (-widths[j], j)):
        if widths[j] <= 0:
            continue
        parts = _parts(columns[j], records, region[j])
        if parts and all(_keeps(microdata, part, *goal) for part, _ in parts):
            return [
                found
                for part, bounds in parts
                for found in _cut(
                    microdata, part, (*region[:j], bounds, *region[j + 1 :]), whole, goal
                )
            ]
    return [(records, region)]


def _parts(column, records, bounds):
    codes = [int(column.codes[i]) for i in records]
    if column.kind is Kind.CATEGORICAL and column.hierarchy is not None:
        tree = column.hierarchy
        node = tree.lowest_common_ancestor(min(codes), max(codes))
        children = [n for n in range(len(tree.names)) if tree.parent[n] == node]
        children.sort(key=lambda n: tree.first[n])
        found = []
        for child in children:
            low, high = int(tree.first[child]), int(tree.last[child])
            part = [i for i, code in zip(records, codes, strict=True) if low <= code <= high]
            if part:
                found.append((part, (low, high)))
        return found
    best = None
    for cut in sorted(set(codes))[:-1]:
        left = sum(code <= cut for code in codes)
        uneven = abs(2 * left - len(codes))
        if best is None or uneven < best[0]:
            best = (uneven, cut)
    if best is None:
        return []
    cut = best[1]
    return [
        ([i for i, c in zip(records, codes, strict=True) if c <= cut], (bounds[0], cut)),
        ([i for i, c in zip(records, codes, strict=True) if c > cut], (cut + 1, bounds[1])),
    ]


def _keeps(microdata, records, k, l, asked, close):  # noqa: E741
    counts = Counter(int(microdata.sensitive.codes[i]) for i in records)
    n = len(records)
    if microdata.several is not None:
        whose = [int(microdata.several.of[i]) for i in records]
        n = len(set(whose))
        counts = dict.fromkeys(counts, 0)
        for i, person in zip(records, whose, strict=True):
            counts[int(microdata.sensitive.codes[i])] += Fraction(1, whose.count(person))
        if n < l:
            return False
    if any(n < asked[i] for i in records):
        return False
    if close is not None and not close(records):
        return False
    return n >= k and len(counts) >= l and max(counts.values()) * l <= n


def _extent(microdata, column):
    if column.kind is Kind.ORDINAL:
        return column.size - 1
    if column.kind is Kind.CATEGORICAL and column.hierarchy is not None:
        return column.size
    return _extent_of(microdata, column, range(len(microdata)))


def _extent_of(microdata, column, records):
    codes = [int(column.codes[i]) for i in records]
    if column.kind is not Kind.CATEGORICAL:
        return float(column.positions[max(codes)] - column.positions[min(codes)])
    if column.hierarchy is None:
        return len(set(codes)) - 1
    node = column.hierarchy.lowest_common_ancestor(min(codes), max(codes))
    leaves = int(column.hierarchy.last[node] - column.hierarchy.first[node]) + 1
    return 0 if leaves == 1 and min(codes) == max(codes) else leaves
