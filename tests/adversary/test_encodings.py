"""Encodings: the published examples, and agreement with a plain one on random tables."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_encodings import plain_records
from proofs import examples
from random_tables import tables_and_goals

import unveil as uv
from unveil.adversary import ENCODINGS, Encoding
from unveil.adversary._encoding import cell_bounds
from unveil.adversary._training import Lessons
from unveil.errors import InputError
from unveil.microdata import Release, Sets, quantize

PEOPLE = uv.read_table(
    {
        "age": [15, 16, 17, 20, 25, 30, 35, 41, 55, 90],
        "country": ["France", "Germany", "Italy", "Spain", "France"] * 2,
        "secret": ["a", "b"] * 5,
    },
    quasi=["age", "country"],
    sensitive="secret",
)


def released(**cells):
    """A release of cells; a column that is not given says nothing."""
    n = len(next(iter(cells.values())))
    table = {"age": ["*"] * n, "country": ["*"] * n, "secret": ["a"] * n, **cells}
    return uv.read_release(table, PEOPLE)


def features(release, name, column):
    """What the classes of a release become, in the order of the records."""
    j = [c.name for c in release.quasi].index(column)
    made = Encoding.named(name).features(release.quasi[j], release.regions[j])
    return made.rows[made.row_of[release.class_of]], made.of_values


def code(column, text):
    return np.array([PEOPLE[column].places[text]])


AGES = released(age=["30", "[35,55]"])


@pytest.mark.parametrize(
    ("how", "thirty", "from_35_to_55"),
    [
        ("scaling", [0.2], [0.4]),
        ("bounds", [0.2, 0.2], [0.267, 0.533]),
        ("binary", [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 0]),  # 30 - 15 and 45 - 15
        ("quantiles-after", [0, 1, 0, 0, 0], [0, 1, 1, 0, 0]),
    ],
)
def test_the_published_ages(how, thirty, from_35_to_55):
    found, own = features(AGES, f"{how}-hot", "age")
    np.testing.assert_allclose(found.round(3), [thirty, from_35_to_55])
    np.testing.assert_allclose(own(code("age", "30")).round(3), [thirty])


def test_the_published_relative_bits():
    people = uv.read_table(
        {
            "age": [15, 16, 17, 20, 25],
            "gender": ["Male", "Male", "Female", "Male", "Male"],
            "country": ["France", "France", "Germany", "Italy", "Italy"],
            "secret": ["a", "b", "a", "b", "a"],
        },
        quasi=["age", "gender", "country"],
        sensitive="secret",
    )
    release = uv.read_release(
        {
            "age": ["[15,25]", "[17,20]"],
            "gender": ["Female", "Male"],
            "country": ["{France, Germany}", "{Italy, Germany}"],
            "secret": ["a", "b"],
        },
        people,
    )
    target = people.codes[:, [1]]  # 16, Male, France
    lessons = Lessons.of(release, Encoding(), target)
    (lesson,) = lessons
    found = lessons.class_features(lesson, release.class_of)
    assert found.tolist() == [[1, 0, 1], [0, 1, 0]]
    assert lessons.points(np.array([0])).tolist() == [[1, 1, 1]]


COUNTRIES = released(country=["France", "{France, Italy}", "*", "{Germany, Italy}", "France"])


@pytest.mark.parametrize(
    ("how", "cells", "france", "spain"),
    [  # France; France, Italy; all; Germany, Italy: in this order, for all cover France first
        ("hot", ["1000", "1010", "1111", "0110", "1000"], "1000", "0001"),
        ("hot-after", ["0010", "0100", "1000", "0001", "0010"], "0010", "1000"),
        ("binary", ["011", "010", "001", "100", "011"], "011", "001"),
    ],
)
def test_generalizations(how, cells, france, spain):
    found, own = features(COUNTRIES, f"scaling-{how}", "country")
    assert found.tolist() == [[float(bit) for bit in cell] for cell in cells]
    for country, expected in (("France", france), ("Spain", spain)):
        assert own(code("country", country)).tolist() == [[float(bit) for bit in expected]]


@pytest.mark.parametrize("how", ["hot-after", "binary"])
def test_a_value_that_no_generalization_covers_is_zeros(how):
    _, own = features(released(country=["France", "Italy"]), f"scaling-{how}", "country")
    assert own(code("country", "Spain")).tolist() == [[0.0, 0.0]]


def test_of_equally_narrow_generalizations_the_first_is_taken():
    release = released(country=["{Italy, Spain}", "{France, Italy}", "*"])
    _, own = features(release, "scaling-hot-after", "country")
    assert own(code("country", "Italy")).tolist() == [[0, 1, 0]]  # all; France, Italy; Italy, Spain


def test_cells_of_other_words_are_the_same_generalization():
    release = released(country=["*", "{France, Germany, Italy, Spain}", "France"])
    assert Encoding.named("scaling-hot-after").n_features(release) == 1 + 2


@pytest.mark.parametrize(
    ("cell", "bounds"),
    [
        ("[18, 39]", (20, 35)),  # what it covers of the domain
        ("[42, 54]", (41, 55)),  # between two neighbours
        ("[1, 3]", (15, 15)),
        ("≥ 91", (90, 90)),
        ("> 16", (17, 90)),
        ("*", (15, 90)),
    ],
)
def test_bounds_are_those_of_what_is_covered(cell, bounds):
    release = released(age=[cell])
    low, high = cell_bounds(release.quasi[0], release.regions[0])
    assert (low[0], high[0]) == bounds


def with_sets(members):
    start = np.cumsum([0, *map(len, members)])
    codes = np.array([c for set_ in members for c in set_], dtype=np.int32)
    whole = released(country=["*"] * len(members), age=["*"] * len(members))
    return Release(
        quasi=whole.quasi,
        sensitive=whole.sensitive,
        class_of=np.arange(len(members), dtype=np.int32),
        regions=(Sets(start, codes), whole.regions[1].take(np.zeros(len(members), dtype=int))),
    )


def test_sets_of_numbers_have_the_middle_of_their_ends():
    release = with_sets([[0, 1, 9], [5], []])  # 15, 16 and 90; 30; none
    scaled, _ = features(release, "scaling-hot", "age")
    np.testing.assert_allclose(scaled[:, 0], [0.5, 0.2, 0.5])
    parts, _ = features(release, "quantiles-after-hot", "age")
    assert parts.tolist() == [[1, 0, 0, 0, 1], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]


def test_a_column_with_one_value():
    table = uv.read_table({"q": [5, 5], "s": ["a", "b"]}, quasi="q", sensitive="s")
    release = uv.Identity().sanitize(table)
    for name, width in (("scaling", 1), ("bounds", 2), ("binary", 1), ("quantiles-after", 1)):
        encoding = Encoding.named(f"{name}-hot")
        assert encoding.n_features(release) == width
        made = encoding.features(release.quasi[0], release.regions[0])
        np.testing.assert_array_equal(made.rows, made.of_values(np.array([0])))


def test_dates_are_counted_in_their_own_unit():
    days = [datetime.date(2001, 1, day) for day in (1, 3, 9)]
    table = uv.read_table({"q": days, "s": list("aba")}, quasi="q", sensitive="s")
    release = uv.Identity().sanitize(table)
    made = Encoding.named("binary-hot").features(release.quasi[0], release.regions[0])
    assert made.of_values(np.arange(3)).tolist() == [[0, 0, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]


def test_numbers_too_far_apart_to_be_counted():
    table = uv.read_table({"q": [0.0, 1e300], "s": ["a", "b"]}, quasi="q", sensitive="s")
    release = uv.Identity().sanitize(table)
    with pytest.raises(InputError) as error:
        Encoding.named("binary-hot").n_features(release)
    assert str(error.value).startswith("column 'q' ranges from 0 to 1")
    assert str(error.value).endswith("use another encoding than binary")


@examples(150)
@given(tables_and_goals(max_size=20), st.sampled_from(ENCODINGS), st.integers(1, 6), st.data())
def test_every_encoding_equals_the_plain_one(case, name, quantiles, data):
    microdata, options = case
    encoding = Encoding.named(name, quantiles=quantiles)
    microdata = encoding.prepared(microdata)
    release = uv.Mondrian(**options).sanitize(microdata)
    some = data.draw(st.lists(st.integers(0, len(microdata) - 1), min_size=1, max_size=4))
    lessons = Lessons.of(release, encoding, microdata.codes[:, some])
    seen = []
    for lesson in lessons:
        seen += lesson.targets.tolist()
        for place in lesson.targets:
            records, point = plain_records(release, encoding, microdata.codes[:, some[place]])
            number, value = np.nonzero(lesson.counts)
            times = lesson.counts[number, value]
            np.testing.assert_allclose(
                lesson.rows[np.repeat(number, times)], [r for r, _ in records], atol=1e-12
            )
            assert np.repeat(value, times).tolist() == [secret for _, secret in records]
            np.testing.assert_allclose(lessons.points(np.array([place])), [point], atol=1e-12)
            assert len(point) == encoding.n_features(release)
    assert sorted(seen) == list(range(len(some)))


def test_the_order_of_records_plays_no_part():
    for name in ENCODINGS:
        encoding = Encoding.named(name)
        table = encoding.prepared(PEOPLE)
        turned = table.take(np.arange(len(table))[::-1])
        target = table.codes[:, [0]]
        lessons = [
            next(iter(Lessons.of(uv.Mondrian(k=2).sanitize(t), encoding, target)))
            for t in (table, turned)
        ]
        assert lessons[0].signature == lessons[1].signature


def test_targets_whose_values_the_same_cells_cover_share_a_lesson():
    release = released(age=["[15, 20]", "[20, 90]"], secret=["a", "b"])
    lessons = list(Lessons.of(release, Encoding(), PEOPLE.codes))
    assert sorted(len(lesson.targets) for lesson in lessons) == [1, 3, 6]  # 20; below; above


def test_there_are_24_and_they_are_read_back():
    assert len(set(ENCODINGS)) == 24
    for name in ENCODINGS:
        encoding = Encoding.named(name)
        assert encoding.name == str(encoding) == name
        assert repr(encoding) == f"Encoding({name!r})"
        assert Encoding.named(encoding) is encoding
    seven = Encoding.named("quantiles-after-hot", quantiles=7)
    assert str(seven) == "quantiles-after-hot of 7 parts"
    assert repr(seven) == "Encoding('quantiles-after-hot', quantiles=7)"
    assert seven == Encoding("quantiles-after", "hot", 7)


def test_only_quantiles_before_prepares_the_table():
    for name in ENCODINGS:
        prepared = Encoding.named(name, quantiles=3).prepared(PEOPLE)
        if name.startswith("quantiles-before"):
            assert prepared["age"].texts == quantize(PEOPLE, 3)["age"].texts
        else:
            assert prepared is PEOPLE


HOW_TO_WRITE = (
    "(write the encoding of numeric columns and that of all others, such as bounds-hot-after; "
    "numeric: scaling, bounds, binary, quantiles-before, quantiles-after, relative; others: hot, "
    "binary, hot-after, relative)"
)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Encoding.named("bound-hot"),
            f"no encoding 'bound-hot'; did you mean 'bounds-hot'? {HOW_TO_WRITE}",
        ),
        (lambda: Encoding.named(3), f"no encoding 3 {HOW_TO_WRITE}"),
        (
            lambda: Encoding("quantile-after"),
            "continuous='quantile-after' is not possible: it must be 'scaling', 'bounds', "
            "'binary', 'quantiles-before', 'quantiles-after' or 'relative'; did you mean "
            "'quantiles-after'?",
        ),
        (
            lambda: Encoding("bounds", "scaling"),
            "categorical='scaling' is not possible: it must be 'hot', 'binary', 'hot-after' or "
            "'relative'",
        ),
        (
            lambda: Encoding(quantiles=0),
            "quantiles=0 is not possible: it must be a whole number from 1 up",
        ),
        (
            lambda: Encoding.named("quantiles-before-hot").n_features(AGES),
            "column 'age' is numeric in the release, but the encoding quantiles-before-hot needs "
            "its numbers divided into parts before it is sanitized: sanitize unveil.quantize"
            "(table), or encode it as quantiles-after",
        ),
    ],
)
def test_what_is_no_encoding(make, message):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == message
