"""Recoding counts people where a person may have several rows, globally and locally."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_recoding import best_node, goals, meets, merged, recodable_tables
from proofs import examples
from random_tables import with_persons

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.microdata import Persons, Statistic
from unveil.sanitize._weights import WHOLE, Weighed


@st.composite
def visits(draw, max_size=16):
    table = draw(recodable_tables(max_size))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return with_persons(table, rng, draw(st.integers(1, len(table))))


def classes_of(release, gone):
    kept = range(release.n_classes - bool(gone))
    return sorted(np.flatnonzero(release.class_of == g).tolist() for g in kept)


@examples(200)
@given(st.data(), visits())
def test_the_best_levels_are_those_of_the_brute_force(data, table):
    options = {**data.draw(goals(table)), "loss": "values"}
    sanitizer = uv.Recoding(**options)
    best = best_node(table, **options)
    if best is None:
        with pytest.raises(GoalError, match="the largest possible"):
            sanitizer.sanitize(table)
        return
    _, node, classes = best
    release = sanitizer.sanitize(table)
    assert tuple(sanitizer.levels(table).values()) == node
    gone = len(table) - sum(map(len, classes.values()))
    assert classes_of(release, gone) == sorted(classes.values())
    assert release.notes[: len(table.notes)] == table.notes
    assert release.persons is table.persons


@examples(200)
@given(st.data(), visits())
def test_locally_merged_classes_are_those_of_the_brute_force(data, table):
    options = {**data.draw(goals(table)), "loss": "values"}
    try:
        release = uv.Recoding(**options, scheme="local").sanitize(table)
    except GoalError:
        assert not meets(table, range(len(table)), **{**options, "t": None})
        return
    classes, gone = merged(table, **options)
    assert len(set(zip(*release.cells(), strict=True))) == release.n_classes
    assume(classes)  # else all cells of everybody are hidden: one class of everybody
    assert classes_of(release, gone) == classes


@examples(100)
@given(visits(max_size=30), st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.0, 0.2]))
def test_measures_by_person_find_what_was_promised(table, k, l, suppression):  # noqa: E741
    assume(table.several is not None)
    for scheme in ("global", "local"):
        sanitizer = uv.Recoding(k=k, l=l, suppression=suppression, scheme=scheme)
        try:
            release = sanitizer.sanitize(table)
        except GoalError:
            continue
        if release.suppressed == len(release):
            continue
        figures = {one.figure.name: one.value for one in uv.measures(release).figures}
        assert figures["k"] >= k
        assert figures["l"] >= l
        assert figures["alpha"] <= 1 / l + 1e-9


def one_row_each(microdata):
    """What is weighed where each person has one row, which is ordinarily not looked at."""
    n = len(microdata)
    return Weighed(
        Persons(("who",), np.random.default_rng(n).permutation(n)), np.full(n, WHOLE),
        microdata.sensitive_counts * WHOLE,
    )  # fmt: skip


@examples(100)
@given(st.data(), recodable_tables(max_size=30))
def test_with_one_row_each_people_are_counted_like_rows(data, table):
    options = data.draw(goals(table))
    for scheme in ("global", "local"):
        sanitizer = uv.Recoding(**options, scheme=scheme)
        with patch("unveil.sanitize.recoding.Weighed.of", one_row_each):
            found = released(sanitizer, table)
        expected = released(sanitizer, table)
        assert (found is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(found.class_of, expected.class_of)
            assert found.cells() == expected.cells()
            assert found.notes == expected.notes


def released(sanitizer, table):
    try:
        return sanitizer.sanitize(table)
    except GoalError:
        return None


def test_nothing_is_left_out_by_rows():
    table = uv.datasets.visits(30)
    sanitizer = uv.Recoding(k=2)
    assert sanitizer.leaves_one_out
    assert not sanitizer.leaves_out(table)
    with pytest.raises(InputError, match="run sanitize_without for each"):
        sanitizer.leave_one_out(table, np.arange(2), Statistic.JOINT)
    with pytest.raises(GoalError, match=r"the [0-9]+ records of .* are of 30 people"):
        uv.Recoding(k=31).sanitize(table)
