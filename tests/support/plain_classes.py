"""Classes and their distributions by plain loops, and random tables to measure them on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from hypothesis import strategies as st
from random_tables import random_hierarchy, tables
from split_counts import SplitCounts

from unveil.engine.counting import Contingency
from unveil.measures import count
from unveil.microdata import Kind, Microdata

__all__ = ["Measured", "classes_by_loop", "measured_tables", "with_secret"]


def classes_by_loop(microdata: Microdata, keys: list[str]) -> dict[tuple[str, ...], Counter[str]]:
    """How often each sensitive text occurs in each class, row by row."""
    columns = [column for name in keys for column in microdata.quasi if column.name == name]
    secret = microdata.sensitive
    classes: dict[tuple[str, ...], Counter[str]] = {}
    for record in range(len(microdata)):
        key = tuple(column.texts[column.codes[record]] for column in columns)
        classes.setdefault(key, Counter())[secret.texts[secret.codes[record]]] += 1
    return classes


@dataclass(frozen=True)
class Measured:
    """A table, some of its keys, its counts, and the same by plain loops."""

    microdata: Microdata
    keys: list[str]
    counts: Contingency

    @property
    def domain(self) -> tuple[str, ...]:
        """All sensitive values, also those that nobody has, in order."""
        return self.microdata.sensitive.texts

    @cached_property
    def classes(self) -> list[Counter[str]]:
        """The histograms of the classes."""
        return list(classes_by_loop(self.microdata, self.keys).values())

    @cached_property
    def table(self) -> Counter[str]:
        """The histogram of the whole table."""
        return sum(self.classes, Counter())

    def share(self, value: str, histogram: Counter[str]) -> Fraction:
        """The share of a histogram that a value has."""
        return Fraction(histogram[value], histogram.total())

    def pairs(self) -> list[tuple[Counter[str], str, Fraction, Fraction]]:
        """Every class and value of the table, with the shares p of the class and q of the table."""
        table = self.table
        return [
            (one, value, self.share(value, one), self.share(value, table))
            for one in self.classes
            for value in table
        ]


def with_secret(microdata: Microdata, kind: str, seed: int) -> Microdata:
    """The same table with a sensitive column that is flat, ordered or has a tree.

    Some values of the domain may be nobody's.
    """
    rng = np.random.default_rng(seed)
    old = microdata.sensitive
    size = old.size + int(rng.integers(0, 3))
    codes = rng.permutation(size)[old.codes].astype(np.int32)
    tree = random_hierarchy(rng, size) if kind == "tree" else None
    texts = [f"v{v}" for v in range(size)] if tree is None else tree.leaves
    new = replace(
        old,
        codes=codes,
        values=np.array(texts, dtype=object),
        kind=Kind.ORDINAL if kind == "ordered" else Kind.CATEGORICAL,
        hierarchy=tree,
    )
    columns = tuple(new if column is old else column for column in microdata.columns)
    return replace(microdata, columns=columns)


@st.composite
def measured_tables(
    draw: st.DrawFn, kinds: tuple[str, ...] = ("flat", "ordered", "tree"), max_size: int = 40
) -> Measured:
    """Random tables, counted over some of their keys, in one block or in several."""
    microdata = draw(tables(max_size))
    seed = draw(st.integers(0, 2**32 - 1))
    microdata = with_secret(microdata, draw(st.sampled_from(kinds)), seed)
    names = [column.name for column in microdata.quasi]
    keys = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    counts = count(microdata, quasi=keys)
    if draw(st.booleans()):
        counts = SplitCounts(counts, seed)
    return Measured(microdata, keys, counts)
