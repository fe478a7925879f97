"""Random microdata with everything that can go wrong in it: ties, duplicates, ragged trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from unveil.microdata import Column, Hierarchy, Kind, Microdata, Persons, Role

KINDS = ("numeric", "fine", "ordinal", "flat", "tree")


def random_hierarchy(rng: np.random.Generator, leaves: int) -> Hierarchy:
    """A ragged tree: leaves right beneath the top, deep ones, nodes with one child."""
    groups = rng.integers(1, max(2, leaves))
    paths = []
    for leaf in range(leaves):
        group = int(rng.integers(groups))
        path = [f"v{leaf}"]
        if group % 3 != 0:
            if leaf % 4 == 1:
                path.append(f"lone{leaf}")
            path.append(f"g{group}")
            if group % 2:
                path.append(f"G{group % 4}")
        paths.append((*path, "*"))
    return Hierarchy.from_paths(paths)


def random_column(rng: np.random.Generator, name: str, n: int, kind: str) -> Column:
    """A quasi-identifier; ``fine`` is numeric with hardly a value, or none, twice."""
    if kind in ("numeric", "fine"):
        if kind == "numeric":
            raw = rng.integers(0, int(rng.integers(1, 12)), n).astype(float)
        elif rng.random() < 0.5:
            raw = rng.integers(0, n * 10, n).astype(float)
        else:
            raw = rng.random(n)
        values, codes = np.unique(raw * (0.37 if rng.random() < 0.5 else 1), return_inverse=True)
        return _column(name, Kind.NUMERIC, codes, values, None)
    size = int(rng.integers(1, 9))
    codes = rng.choice(size, n, p=rng.dirichlet(np.full(size, 0.5)))
    if kind == "tree":
        tree = random_hierarchy(rng, size)
        return _column(name, Kind.CATEGORICAL, codes, np.array(tree.leaves, dtype=object), tree)
    values = np.array([f"v{v}" for v in range(size)], dtype=object)
    order = Kind.ORDINAL if kind == "ordinal" else Kind.CATEGORICAL
    return _column(name, order, codes, values, None)


def random_microdata(
    seed: int, n: int, kinds: tuple[str, ...], sensitive_values: int = 4
) -> Microdata:
    """A table of n records with one quasi-identifier a kind."""
    rng = np.random.default_rng(seed)
    columns = [random_column(rng, f"q{j}", n, kind) for j, kind in enumerate(kinds)]
    codes = rng.choice(sensitive_values, n, p=rng.dirichlet(np.full(sensitive_values, 2.0)))
    values = np.array([f"s{s}" for s in range(sensitive_values)], dtype=object)
    secret = Column(
        name="secret", role=Role.SENSITIVE, kind=Kind.CATEGORICAL,
        codes=codes.astype(np.int32), values=values,
    )  # fmt: skip
    return Microdata(columns=(*columns, secret), rows=np.arange(n), source="random table")


@st.composite
def tables(draw: st.DrawFn, max_size: int = 40) -> Microdata:
    """Tables of 1 to ``max_size`` records and 1 to 4 columns.

    Some have records many times over, so that values of the domain are not in the table; some
    have one record far from all others, without which the columns are narrower.
    """
    n = draw(st.one_of(st.integers(1, 4), st.integers(5, max_size)))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
    seed = draw(st.integers(0, 2**32 - 1))
    table = random_microdata(seed, n, tuple(kinds), draw(st.integers(1, 7)))
    if draw(st.booleans()):
        rng = np.random.default_rng(seed)
        table = table.take(rng.choice(max(1, n * 2 // 3), n))
    if draw(st.booleans()):
        table = with_loner(table, draw(st.integers(0, n - 1)), at_the_end=draw(st.booleans()))
    return table


def with_persons(table: Microdata, rng: np.random.Generator, people: int) -> Microdata:
    """The same table of so many people, or as many as have a record; rows are alike now and then.

    Half of the time somebody has a good part of the rows.
    """
    shares = rng.dirichlet(np.full(people, 0.7 if rng.random() < 0.5 else 20.0))
    whose = np.unique(rng.choice(people, len(table), p=shares), return_inverse=True)[1]
    return replace(table, persons=Persons(("who",), whose.astype(np.int64)))


@st.composite
def visits_and_goals(draw: st.DrawFn, max_size: int = 40) -> tuple[Microdata, dict[str, object]]:
    """Tables in which people may have several records, and options that they may meet or not."""
    table = draw(tables(max_size))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = with_persons(table, rng, draw(st.integers(1, len(table))))
    k = draw(st.one_of(st.integers(1, 3), st.integers(1, table.persons.count)))
    return table, {"k": k, "l": draw(st.integers(1, 3)),
                   "regions": draw(st.sampled_from(["tight", "cut"]))}  # fmt: skip


def with_loner(table: Microdata, record: int, *, at_the_end: bool) -> Microdata:
    """The same table with one record alone at the end of every column that is a line."""
    columns = []
    for column in table.columns:
        if column.role is Role.QUASI and column.kind is Kind.NUMERIC:
            raw = column.decode().astype(float)
            raw[record] = raw.max() * 1.7 + 1 if at_the_end else -raw.max() - 1
            values, codes = np.unique(raw, return_inverse=True)
            columns.append(_column(column.name, column.kind, codes, values, None))
        else:
            columns.append(column)
    return Microdata(columns=tuple(columns), rows=table.rows, source=table.source)


@st.composite
def tables_and_goals(draw: st.DrawFn, max_size: int = 40) -> tuple[Microdata, dict[str, object]]:
    """Tables, and options of Mondrian that they can meet: up to k = n, and ℓ up to 3."""
    table = draw(tables(max_size))
    n = len(table)
    k = draw(st.one_of(st.integers(1, min(5, n)), st.integers(1, n)))
    most = int(table.sensitive_counts.max())
    l = draw(st.integers(1, max(1, min(3, n // most))))  # noqa: E741
    return table, {"k": k, "l": l, "regions": draw(st.sampled_from(["tight", "cut"]))}


@st.composite
def tables_and_crowds(draw: st.DrawFn, max_size: int = 40) -> tuple[Microdata, dict[str, object]]:
    """The same with people who ask for larger classes, up to the whole table."""
    table, options = draw(tables_and_goals(max_size))
    n = len(table)
    sizes = st.one_of(st.integers(1, min(12, n)), st.integers(1, n))
    who = draw(st.lists(st.tuples(st.integers(0, n - 1), sizes), max_size=6))
    return table, {**options, "crowds": {texts_of(table, i): size for i, size in who}}


def texts_of(table: Microdata, record: int) -> tuple[str, ...]:
    """A record's quasi-identifiers, written out."""
    return tuple(column.texts[column.codes[record]] for column in table.quasi)


def _column(name, kind, codes, values, hierarchy):
    return Column(
        name=name, role=Role.QUASI, kind=kind, codes=codes.astype(np.int32).ravel(),
        values=values, hierarchy=hierarchy,
    )  # fmt: skip
