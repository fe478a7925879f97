"""A finding: its numbers follow from its distances, and it says who only when asked."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import random_microdata

import unveil as uv
from unveil.errors import MASK, View, shown

TABLE = random_microdata(4, 60, ("numeric", "flat"))
FINDING = uv.differential_inference(
    TABLE, uv.Mondrian(k=3), predictions=True, adversary="naive-bayes"
)
NOTHING = replace(FINDING, distances=np.full(60, np.nan), not_tested={"why not": 60})


def with_distances(distances):
    """The finding with other distances, as far as they go."""
    n = len(distances)
    return replace(
        FINDING, distances=np.array(distances), targets=np.arange(n)[::-1].copy(),
        mode_changed=np.arange(n) % 2 == 0, present=None, absent=None,
    )  # fmt: skip


some_distances = st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), min_size=1, max_size=30)


@given(some_distances, st.floats(0, 1))
def test_numbers_are_those_of_numpy_over_the_tested(distances, threshold):
    finding = with_distances(distances)
    known = np.array(distances)[~np.isnan(distances)]
    if len(known) == 0:
        for value in (finding.delta, finding.mean, finding.std, finding.modes_changed,
                      finding.share_over(threshold), *finding.quantiles().values()):  # fmt: skip
            assert np.isnan(value)
        return
    assert finding.delta == known.max()
    assert finding.mean == pytest.approx(np.mean(known))
    assert finding.std == pytest.approx(np.std(known))
    assert finding.share_over(threshold) == np.mean(known > threshold)
    assert finding.quantiles([0, 0.3, 1]) == dict(
        zip([0, 0.3, 1], np.quantile(known, [0, 0.3, 1]), strict=True)
    )
    assert finding.modes_changed == np.mean(finding.mode_changed[~np.isnan(distances)])
    assert sorted(finding.tested) == sorted(known)


@given(some_distances, st.integers(0, 40))
def test_the_worst_come_first_and_the_untested_never(distances, n):
    finding = with_distances(distances)
    worst = finding.worst(n)
    known = np.array(distances)[~np.isnan(distances)]
    assert worst["distance"].tolist() == sorted(known, reverse=True)[:n]
    assert len(worst) == min(n, len(known))
    for row in worst.itertuples():
        place = finding.targets.tolist().index(row.record)
        assert finding.distances[place] == row.distance
        assert row.secret == TABLE["secret"].decode()[row.record]
        assert row.q1 == TABLE["q1"].decode()[row.record]


def test_equally_bad_ones_stay_in_their_order():
    finding = with_distances([0.1, 0.5, 0.5, np.nan, 0.5])
    assert finding.worst(3)["record"].tolist() == [3, 2, 0]


def test_a_column_called_distance_does_not_hide_the_distance():
    table = uv.read_table(
        {"distance": [7, 8, 9], "row": list("abc"), "s": list("xyx")},
        quasi=["distance", "row"], sensitive="s",
    )  # fmt: skip
    worst = uv.differential_inference(table, uv.Identity()).worst(1)
    assert worst["distance"][0] <= 1
    assert worst["distance in the table"][0] in (7, 8, 9)
    assert worst["row in the table"][0] in ("a", "b", "c")


def test_rows_are_those_of_the_table_that_was_read():
    table = uv.read_table(
        {"q": [None, 1, 2, 3], "s": list("xyxy")}, quasi="q", sensitive="s", missing="drop"
    )
    frame = uv.differential_inference(table, uv.Identity(), targets=[2, 0]).to_frame()
    assert frame["record"].tolist() == [2, 0]
    assert frame["row"].tolist() == [3, 1]


def test_as_a_table_of_targets():
    frame = FINDING.to_frame()
    assert list(frame.columns[:4]) == ["record", "row", "distance", "mode_changed"]
    assert len(frame) == 60
    for when in ("with", "without"):
        beliefs = frame[[f"P {when}: s{s}" for s in range(4)]]
        np.testing.assert_allclose(beliefs.sum(axis=1), 1)
    without = uv.differential_inference(TABLE, uv.Mondrian(k=3), adversary="naive-bayes")
    assert without.present is None
    assert without.absent is None
    assert list(without.to_frame().columns) == ["record", "row", "distance", "mode_changed"]


def test_as_json_without_individuals():
    content = json.loads(FINDING.to_json())
    assert content["schema"] == 4
    assert content["unveil"] == uv.__version__
    assert content["finding"] == "differential-inference"
    assert content["sanitizer"] == "Mondrian(k=3)"
    assert content["adversary"] == "Bernoulli naive Bayes"
    assert content["distance"] == "total variation"
    assert content["quasi"] == ["q0", "q1"]
    assert content["sensitive"] == "secret"
    assert content["delta"] == FINDING.delta
    assert content["share_over"]["0.01"] == FINDING.share_over(0.01)
    assert content["quantiles"]["0.99"] == FINDING.quantiles([0.99])[0.99]
    assert (content["people"], content["targets"], content["tested"]) == (60, 60, 60)
    assert content["path"] == "fast"

    def lengths(value):
        if isinstance(value, dict):
            return max([0, *map(lengths, value.values())])
        return len(value) if isinstance(value, list) else 0

    assert lengths(content) < 10  # nothing there that could be one value a record


def test_as_json_with_the_distance_of_each_record():
    content = json.loads(with_distances([0.25, np.nan]).to_json(records=True))
    assert content["records"]["record"] == [1, 0]
    assert content["records"]["distance"] == [0.25, None]


def test_json_knows_no_nan():
    content = json.loads(NOTHING.to_json(records=True), parse_constant=pytest.fail)
    assert content["delta"] is None
    assert content["not_tested"] == {"why not": 60}


def test_numbers_of_numpy_do_not_spoil_the_json():
    finding = uv.differential_inference(
        TABLE, uv.Mondrian(k=np.int32(3)), targets=np.int16(5), seed=np.int64(7)
    )
    assert json.loads(finding.to_json())["seed"] == 7


def test_the_summary_says_what_matters():
    text = FINDING.summary()
    assert repr(FINDING) == text
    for fact in ("Mondrian(k=3)", "random table", "60 of 60 people tested",
                 f"{FINDING.delta:.3g}", f"{FINDING.mean:.3g}", "naive Bayes", "secret",
                 f"{FINDING.n_classes} classes", "total variation"):  # fmt: skip
        assert fact in text


def test_the_summary_of_a_test_that_could_test_nobody():
    text = NOTHING.summary()
    assert "0 of 60 people tested" in text
    assert "NOT TESTED: 60 people: why not" in text
    assert "nan" not in text


def test_how_missing_values_were_treated_goes_with_the_finding():
    holes = {"q": [1, 2, None, 4], "s": list("xyxy")}
    table = uv.read_table(holes, quasi="q", sensitive="s", missing="drop")
    note = "1 of 4 records with missing values dropped (q 1)"
    for sanitizer in (uv.Identity(), uv.Oracle(lambda table: table)):
        finding = uv.differential_inference(table, sanitizer)
        assert f"Note: {note}" in finding.summary()
        notes = finding.to_dict()["notes"]
        assert [one for one in notes if "of the table, unchanged" not in one] == [note]


def test_it_knows_its_release():
    release = uv.Mondrian(k=3).sanitize(TABLE)
    assert FINDING.n_classes == release.n_classes
    assert FINDING.smallest_class == release.sizes.min()


def test_the_worst_are_listed_if_asked_for():
    found = uv.differential_inference(TABLE, uv.Mondrian(k=3), worst=2)
    assert found.present is None  # beliefs about the others are not kept
    text, worst = found.summary(), found.worst(2)
    for row, secret in zip(worst["row"], worst["secret"], strict=True):
        assert f"row {row + 1}" in text  # rows count from 1 in all that people read
        assert f"; secret {secret}; belief: {secret} " in text
    own = TABLE.sensitive.codes[found.closer.targets[0]]
    without, present = found.closer.absent[0, own], found.closer.present[0, own]
    assert f"{worst['secret'][0]} {without:.0%} → {present:.0%}" in text
    assert "row " not in FINDING.summary()  # nothing about individuals unless asked


def test_only_whose_values_were_asked_for_are_in_the_story_of_a_report():
    report = View("report", person=lambda row: f"#{row}")
    for worst, cells in ((0, 2), (3, 3)):
        found = uv.differential_inference(TABLE, uv.Mondrian(k=3), worst=worst)
        (table,) = (
            one
            for one in found.story("Mondrian(k=3)").tables
            if one.title == "The worst-placed people"
        )
        assert {len(row) for row in table.rows} == {cells}
        assert shown(table.rows[0][0], report) == f"#{found.worst(1)['row'][0]}"
        assert [shown(cell, report) for row in table.rows for cell in row[2:]] == [MASK] * worst


def test_targets_drawn_at_random_are_said_to_be_so():
    some = uv.differential_inference(TABLE, uv.Identity(), targets=10, seed=3)
    assert "Only 10 people were targets, drawn at random (seed 3)" in some.summary()
