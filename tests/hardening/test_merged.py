"""Merging the classes of any sanitizer, against doing it slowly with sets of values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables, tables_and_crowds, texts_of

import unveil as uv
from unveil.errors import GoalError
from unveil.hardening import Merged
from unveil.microdata import Intervals
from unveil.sanitize import Crowds


def plain_cells(release):
    """For each class, the codes that it covers in each column, as sets."""
    return [
        [
            {code for code in range(column.size) if regions.covers(code)[g]}
            for column, regions in zip(release.quasi, release.regions, strict=True)
        ]
        for g in range(release.n_classes)
    ]


def union(columns, regions, one, other):
    """The union in each column: the range of both where the column is a line of ranges."""
    found = []
    for column, kind, a, b in zip(columns, regions, one, other, strict=True):
        both = a | b
        if column.is_ordered and isinstance(kind, Intervals) and both:
            both = set(range(min(both), max(both) + 1))
        found.append(both)
    return found


def left_open(columns, cells):
    total = 0.0
    for column, codes in zip(columns, cells, strict=True):
        if not codes:
            total += 1
        elif column.is_ordered:
            line = column.positions
            whole = line[-1] - line[0]
            total += (line[max(codes)] - line[min(codes)]) / whole if whole else 0
        elif column.size > 1:
            total += (len(codes) - 1) / (column.size - 1)
    return total


def plain_merged(release, microdata, crowds):
    """Lists of (records, cells), merged as long as somebody is covered by too small a class."""
    columns = release.quasi
    classes = [
        (np.flatnonzero(release.class_of == g).tolist(), cells)
        for g, cells in enumerate(plain_cells(release))
    ]

    def wanted(cells):
        return max(
            (crowds.get(texts_of(microdata, i), 0) for i in range(len(microdata))
             if all(int(c.codes[i]) in cell for c, cell in zip(columns, cells, strict=True))),
            default=0,
        )  # fmt: skip

    def cost(a, b):
        both = union(columns, release.regions, a[1], b[1])
        together = left_open(columns, both) * (len(a[0]) + len(b[0]))
        apart = left_open(columns, a[1]) * len(a[0]) + left_open(columns, b[1]) * len(b[0])
        return round(together - apart, 12)

    while True:
        small = [g for g, (members, cells) in enumerate(classes) if len(members) < wanted(cells)]
        if not small:
            return classes
        g = small[0]
        others = [h for h in range(len(classes)) if h != g]
        if not others:
            return None
        h = min(others, key=lambda h: (cost(classes[g], classes[h]), h))
        first, second = min(g, h), max(g, h)
        cells = union(columns, release.regions, classes[first][1], classes[second][1])
        classes[first] = (classes[first][0] + classes[second][0], cells)
        del classes[second]


@examples(150)
@given(tables_and_crowds(max_size=20), st.booleans())
def test_classes_are_those_of_the_brute_force(case, raw):
    microdata, options = case
    crowds = options.pop("crowds")
    inner = uv.Identity() if raw else uv.Mondrian(**options)
    plain = plain_merged(inner.sanitize(microdata), microdata, crowds)
    f = Merged(inner, Crowds.of(crowds))
    release = f.sanitize(microdata)
    assert plain is not None
    expected = {frozenset(members): cells for members, cells in plain}
    found = plain_cells(release)
    assert release.n_classes == len(expected)
    for g in range(release.n_classes):
        members = frozenset(np.flatnonzero(release.class_of == g).tolist())
        assert found[g] == expected[members]
    assert len(release.to_frame()) == len(microdata)


@examples(40)
@given(tables(max_size=15))
def test_without_crowds_nothing_changes(microdata):
    merged = Merged(uv.Identity(), Crowds()).sanitize(microdata)
    assert merged.cells() == uv.Identity().sanitize(microdata).cells()
    assert merged.made_by == "Merged(Identity(), 0 kinds of people)"


def ages():
    return uv.read_table(
        {"age": [20, 21, 30, 50], "town": ["Nice", "Rome", "Nice", "Bonn"], "s": list("abab")},
        quasi=["age", "town"], sensitive="s",
    )  # fmt: skip


def test_unions_are_ranges_and_sets():
    f = Merged(uv.Identity(), Crowds.of({(30, "Nice"): 2}))
    assert f.sanitize(ages()).cells() == [["[20, 30]", "21", "50"], ["Nice", "Rome", "Bonn"]]
    three = Merged(uv.Identity(), Crowds.of({(30, "Nice"): 3}))
    assert three.sanitize(ages()).cells() == [["[20, 30]", "50"], ["{Nice, Rome}", "Bonn"]]


def test_who_is_left_out_asks_for_nothing():
    f = Merged(uv.Oracle(uv.Identity()), Crowds.of({(30, "Nice"): 2}))
    assert f.sanitize_without(ages(), 2).n_classes == 3
    assert f.sanitize_without(ages(), 3).n_classes == 2


def test_a_crowd_larger_than_the_table():
    f = Merged(uv.Identity(), Crowds.of({(30, "Nice"): 5}))
    with pytest.raises(GoalError, match="4 records are fewer than the largest crowd asked for, 5"):
        f.sanitize(ages())


@pytest.mark.parametrize("inner", [uv.Identity(), uv.Oracle(uv.Mondrian(k=2))])
def test_hardening_merges_what_any_sanitizer_publishes(inner):
    rng = np.random.default_rng(3)
    table = uv.read_table(
        {"age": rng.integers(20, 60, 40), "town": rng.choice(list("abcd"), 40),
         "s": rng.choice(list("xyz"), 40)},
        quasi=["age", "town"], sensitive="s",
    )  # fmt: skip
    hardening = uv.harden(table, inner, delta=0.02, strategy="merge", rounds=3, at_most=0.6)
    assert len(hardening.rounds) > 1
    assert hardening.rounds[1].classes < hardening.rounds[0].classes
    assert hardening.rounds[1].enlarged > 0
    assert len(hardening.release) == 40
    if hardening.best.number:
        assert isinstance(hardening.sanitizer, Merged)
        again = uv.differential_inference(table, hardening.sanitizer)
        assert again.delta == hardening.best.delta
    last = hardening.course.rounds[-1]
    assert last.smallest_class >= hardening.rounds[0].smallest_class
