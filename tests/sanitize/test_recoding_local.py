"""Local recoding merges the classes that the plain brute force merges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from malaysian import LOCAL_RECODING, patients
from plain_recoding import goals, joined, merged, recodable_tables
from proofs import examples

import unveil as uv
from unveil.errors import GoalError


@examples(100)
@given(st.data(), recodable_tables())
def test_classes_and_cells_are_those_of_the_brute_force(data, microdata):
    options = {**data.draw(goals(microdata)), "loss": "values"}
    try:
        release = uv.Recoding(**options, scheme="local").sanitize(microdata)
    except GoalError:
        most = int(microdata.sensitive_counts.max())
        too_few = len(microdata) < options.get("k", 1)
        assert too_few or most * options.get("l", 1) > len(microdata)
        return
    classes, gone = merged(microdata, **options)
    if not classes:  # all cells of everybody are hidden: one class of everybody
        assert release.sizes.tolist() == [len(microdata)]
        return
    # A class whose cells had to become all values is one, and suppressed by its cells.
    kept = release.n_classes - bool(gone)
    found = [np.flatnonzero(release.class_of == g).tolist() for g in range(kept)]
    assert sorted(found) == classes
    assert np.flatnonzero(release.class_of >= kept).tolist() == gone
    for column, regions in zip(release.quasi, release.regions, strict=True):
        for g, records in enumerate(found):
            covered = [c for c in range(column.size) if regions.covers(c)[g]]
            assert covered == list(joined(column, column.codes[records].tolist()))


def test_the_worked_example_of_relative_risk():
    table = patients("nationality", "zip")
    release = uv.Recoding(k=2, scheme="local").sanitize(table)
    expected = uv.read_release(LOCAL_RECODING, table)
    for g in range(release.n_classes):
        records = np.flatnonzero(release.class_of == g)
        theirs = expected.class_of[records[0]]
        assert records.tolist() == np.flatnonzero(expected.class_of == theirs).tolist()
        for j, column in enumerate(table.quasi):
            for code in range(column.size):
                mine = release.regions[j].covers(code)[g]
                assert mine == expected.regions[j].covers(code)[theirs]
    frame = release.to_frame()
    assert frame["zip"].tolist() == LOCAL_RECODING["zip"]
    assert frame["nationality"][0] == "{Japan, Malaysia}"
    # Cells overlap: Japan is covered in three of the four classes.
    assert release.regions[0].covers(table.quasi[0].places["Japan"]).sum() == 3
    again = uv.read_release(frame, table)
    np.testing.assert_array_equal(again.counts[again.class_of], release.counts[release.class_of])


def test_codes_without_a_common_beginning_are_hidden():
    table = uv.read_table(
        {"zip": ["10115", "20095"], "vote": ["a", "b"]},
        quasi="zip", sensitive="vote", categorical=["zip"],
    )  # fmt: skip
    release = uv.Recoding(k=2, scheme="local").sanitize(table)
    assert release.cells() == [["*"]]


@pytest.mark.parametrize(
    "towns",
    [["Rome", "Lyon", "Nice"], ["a10", "a11", "a12"], ["10", "11", "12"], ["100", "101", "1000"]],
)
def test_other_texts_are_no_codes(towns):
    table = uv.read_table(
        {"town": towns, "vote": ["a", "b", "a"]}, quasi="town", sensitive="vote",
        categorical=["town"],
    )  # fmt: skip
    release = uv.Recoding(k=3, scheme="local").sanitize(table)
    assert release.cells() == [["{" + ", ".join(sorted(towns)) + "}"]]


def test_suppression_where_a_merger_would_lose_more():
    # One far away from two crowds: joining it to either costs the crowd its closeness.
    ages = [*[20] * 9, 50, *[80] * 9]
    table = uv.read_table({"age": ages, "vote": ["a"] * 19}, quasi="age", sensitive="vote")
    kept = uv.Recoding(k=2, scheme="local").sanitize(table)
    assert kept.cells() == [["[20, 50]", "80"]]
    fewer = uv.Recoding(k=2, scheme="local", suppression=0.1).sanitize(table)
    assert fewer.cells() == [["20", "80", "*"]]
    assert fewer.suppressed == 1


def test_many_values_in_a_set():
    names = [f"n{i}" for i in range(200)]
    table = uv.read_table(
        {"name": names * 2, "vote": ["a", "b"] * 200}, quasi="name", sensitive="vote"
    )
    release = uv.Recoding(k=4, scheme="local").sanitize(table)
    assert release.n_classes == 100
    assert all(text.startswith("{n") for text in release.cells()[0])
    assert (release.sizes == 4).all()
