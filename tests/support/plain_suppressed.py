"""Suppressed records by plain loops over texts, and random tables that have some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st
from plain_linkage import candidates
from random_tables import tables

from unveil.microdata import Intervals, Release, Sets

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


def is_suppressed(release, g):
    """Whether the cells of a class say nothing that those of all others do not say as well."""
    cells = [
        (column, regions, regions.texts(column))
        for column, regions in zip(release.quasi, release.regions, strict=True)
    ]

    def covers_all(column, regions, texts, class_):
        if column.size == 1:  # there is nothing to hide, unless it is hidden all the same
            return texts[class_] != column.texts[0]
        return all(regions.covers(code)[class_] for code in range(column.size))

    def silent(hides):
        return [
            all(len(set(one[2])) == 1 or hides(*one, class_) for one in cells)
            for class_ in range(release.n_classes)
        ]

    gone = silent(covers_all)
    if all(gone):  # a word for all values is a class, and a star is none
        gone = silent(lambda _, __, texts, class_: texts[class_] == "*")
    return gone[g] and not all(gone)


def plain_candidates(release, codes):
    """Who may be a person; the suppressed only if nobody else may."""
    records, _, _ = candidates(release, codes)
    others = [i for i in records if not is_suppressed(release, int(release.class_of[i]))]
    return others or records


@st.composite
def starred_releases(draw):
    """Tables and true releases of them: records alone, in wide cells, or suppressed."""
    table = draw(tables())
    return table, starred(table, draw)


def starred(table, draw):
    """A true release of a table, with suppressed records."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gone, n = rng.random(len(table)) < draw(st.sampled_from([0.1, 0.4, 0.9])), len(table)
    class_of = np.where(gone, n, np.arange(n)).astype(np.int32)
    regions = []
    for column in table.quasi:
        if rng.random() < 0.5:
            low = np.append(np.maximum(column.codes - rng.integers(0, 2, n), 0), 0)
            high = np.append(np.minimum(column.codes + rng.integers(0, 2, n), column.size - 1),
                             column.size - 1)  # fmt: skip
            regions.append(Intervals(low.astype(np.int32), high.astype(np.int32)))
        else:
            inside = rng.random((n + 1, column.size)) < 0.2
            inside[np.arange(n), column.codes] = inside[n] = True
            start = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
            regions.append(Sets(start, np.nonzero(inside)[1].astype(np.int32)))
    whole = Release(quasi=table.quasi, sensitive=table.sensitive, class_of=class_of,
                    regions=tuple(regions))  # fmt: skip
    return whole.take(np.arange(n))
