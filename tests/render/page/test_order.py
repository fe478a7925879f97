"""The page is in an order in which people can read it, whatever the number of releases."""

from __future__ import annotations

import html
import json
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import unveil as uv
from unveil.projects import same_records
from unveil.render import middle
from unveil.render import svg_of as drawn
from unveil.render._frame import Box, log_ticks, placed, value_text
from unveil.render.page import page_of
from unveil.render.page._contents import contents_of, questions_of

SERIES = (2, 4, 8, 16, 32, 64)


def audited(releases: Any, **options: Any) -> dict[str, Any]:
    whole = uv.datasets.election_survey()
    survey = whole.take(np.arange(0, len(whole), 6))
    found = uv.audit(survey, releases, progress=False, **options)
    return json.loads(found.to_json())


@pytest.fixture(scope="module")
def sweep() -> dict[str, Any]:
    return audited(["identity", "mondrian:k=2..64"])


@pytest.fixture(scope="module")
def few() -> dict[str, Any]:
    return audited(
        ["identity", "mondrian:k=5", "anatomy:l=2"],
        attacks=["measures", "linkage", "utility"], fail_on="k < 5",
    )  # fmt: skip


def charts(secret: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for section in secret["sections"] for one in section["charts"]]


def test_a_series_is_told_over_its_parameter(sweep: dict[str, Any]) -> None:
    (secret,) = contents_of(sweep)
    (bars,) = (c for c in sweep["secrets"][0]["sections"][0]["charts"] if c["kind"] == "bars")
    line = next(one for one in charts(secret) if one["title"] == bars["title"])
    assert (line["kind"], line["x"]["label"], line["apart"]) == ("lines", "k", 1)
    assert line["ticks"] == ["no anonymization", *(str(k) for k in SERIES)]
    assert line["places"][1:] == [np.log2(k) for k in SERIES]
    assert line["places"][0] < line["places"][1]
    for drawn_now, told in zip(line["series"], bars["series"], strict=True):
        assert drawn_now["y"] == told["y"]
        assert drawn_now["low"] == told["low"]
    marks = [
        one for one in ElementTree.fromstring(drawn(line)).iter() if one.get("class") == "mark"
    ]
    assert len(marks) == 2 * len(line["series"])


def test_privacy_against_utility_is_a_curve_for_a_series(sweep: dict[str, Any]) -> None:
    (secret,) = contents_of(sweep)
    (chart,) = secret["trade"]["charts"]
    other, family = chart["series"]
    assert (other["marks"], other["joined"]) == (["no anonymization"], False)
    assert (family["name"], family["joined"]) == ("Mondrian(k=…)", True)
    assert family["marks"] == [f"k={k}" for k in SERIES]
    figures = [one["figures"] for one in sweep["secrets"][0]["releases"]]
    assert family["x"] == [one["loss"] for one in figures[1:]]
    assert family["y"] == [middle(one["delta"]) for one in figures[1:]]


def test_many_releases_have_a_row_each_and_few_a_column(
    sweep: dict[str, Any], few: dict[str, Any]
) -> None:
    assert not contents_of(sweep)[0]["across"]
    assert contents_of(few)[0]["across"]
    heads = re.findall(r"<thead>.*?</thead>", page_of(few), flags=re.DOTALL)
    assert "figure" in heads[0]
    assert "Mondrian(<wbr>k=5)" in heads[0]
    heads = re.findall(r"<thead>.*?</thead>", page_of(sweep), flags=re.DOTALL)
    assert "release" in heads[0]
    assert "Mondrian" not in heads[0]


def test_figures_stand_by_their_question_and_the_best_is_marked(few: dict[str, Any]) -> None:
    groups = {one["question"]: one["rows"] for one in contents_of(few)[0]["groups"]}
    assert list(groups) == ["singling out", "linkability", "inference", "utility"]
    k = next(row for row in groups["singling out"] if row["name"] == "k")
    assert [cell["best"] for cell in k["cells"]] == [False, True, False]
    loss = next(row for row in groups["utility"] if row["name"] == "loss")
    assert [cell["best"] for cell in loss["cells"]] == [False, True, False]
    assert loss["cells"][2]["text"] == "–"


def test_nothing_that_was_said_is_lost(sweep: dict[str, Any], few: dict[str, Any]) -> None:
    for audit in (sweep, few):
        for secret, content in zip(audit["secrets"], contents_of(audit), strict=True):
            for told, shown in zip(secret["sections"], content["sections"], strict=True):
                assert [*shown["each"], *shown["whole"]] == told["sentences"]
                pictures = [*shown["charts"], *shown["more_charts"]]
                assert {one["title"] for one in pictures} == {o["title"] for o in told["charts"]}
                assert {name for look in shown["looks"] for name in look["releases"]} == {
                    look["shown"] for look in told["looked"]
                }


def test_every_question_says_where_it_is_answered(few: dict[str, Any]) -> None:
    answers = {
        one["name"]: [id_ for a in one["answered_by"] for id_, _ in a["places"]]
        for one in questions_of(few)
    }
    assert answers == {
        "singling out": ["measures-1"],
        "linkability": ["linkage-1"],
        "inference": ["measures-1"],
    }


def test_the_untouched_table_is_never_the_best(few: dict[str, Any]) -> None:
    assert [one["untouched"] for one in few["secrets"][0]["releases"]] == [True, False, False]
    rows = [row for group in contents_of(few)[0]["groups"] for row in group["rows"]]
    loss = next(row for row in rows if row["name"] == "loss")
    assert loss["cells"][0]["value"] == 0
    assert [cell["best"] for cell in loss["cells"]] == [False, True, False]
    assert not any(row["cells"][0]["best"] for row in rows)
    assert "the table as it is is the baseline, and never the best" in page_of(few)


def test_why_a_part_is_missing_is_said(few: dict[str, Any]) -> None:
    utility = contents_of(few)[0]["sections"][2]
    assert utility["not_done"] == ["Anatomy(l=2)"]
    page = page_of(few)
    assert "Not available for <bdi>Anatomy(l=2)</bdi>: the reason is below" in page
    assert "2 of 3 releases fail, 1 passes" in page


def test_what_is_told_of_no_release_answers_nothing_and_says_why_at_once() -> None:
    whole = uv.datasets.election_survey()
    survey = whole.take(np.arange(0, len(whole), 6))
    release = uv.Mondrian(k=5).sanitize(survey)
    audit = json.loads(
        uv.audit(
            survey, {"ours": release}, attacks=["differential-inference", "measures"],
            progress=False,
        ).to_json()
    )  # fmt: skip
    answers = {
        one["name"]: [place for a in one["answered_by"] for place, _ in a["places"]]
        for one in questions_of(audit)
    }
    assert answers == {
        "singling out": ["measures-1"],
        "linkability": [],
        "inference": ["measures-1"],
    }
    page = page_of(audit)
    [why] = [look["why"] for look in audit["secrets"][0]["sections"][0]["looked"]]
    assert f"Not available for <bdi>ours</bdi>: {why.partition(';')[0]}" in html.unescape(page)
    assert "No part of this audit answers it." in page


def test_how_the_table_was_read_is_told_once() -> None:
    ages = [None if n % 9 == 0 else 20 + n % 30 for n in range(90)]
    people = {"age": ages, "a": ["x", "y", "z"] * 30, "b": ["p", None, *"qrs"] * 18}
    tables = [
        uv.read_table(people, quasi="age", sensitive=name, missing="drop") for name in ("a", "b")
    ]
    for given in (tables[:1], same_records(tables, "drop")):
        found = uv.audit(given, "mondrian:k=5", attacks=["measures", "linkage"], progress=False)
        page = page_of(json.loads(found.to_json()))
        assert page.count("records with missing values dropped") == len(given)
        assert page.count("How the table was read") == 1


def test_a_chart_without_anything_says_so(few: dict[str, Any]) -> None:
    empty = {
        "kind": "distribution", "title": "Nothing", "says": "", "series": [], "matrix": None,
        "coarse": False,
        "x": {"label": "", "scale": "linear", "share": False},
        "y": {"label": "", "scale": "linear", "share": True},
    }  # fmt: skip
    first, *others = few["secrets"][0]["sections"]
    secret = few["secrets"][0] | {"sections": [first | {"charts": [empty]}, *others]}
    assert "There is nothing to draw." in page_of(few | {"secrets": [secret]})


def test_names_of_points_cover_nothing() -> None:
    rng = np.random.default_rng(0)
    room = Box(0.0, 0.0, 5.0, 2.5)
    at = [tuple(one) for one in rng.uniform((0.2, 0.2), (4.5, 2.3), size=(6, 2))]
    widths = [0.4, 0.9, 0.6, 0.5, 0.8, 0.7]
    boxes = placed(at, widths, room)
    for n, box in enumerate(boxes):
        assert box.outside(room) == pytest.approx(0)
        assert box.right - box.left == pytest.approx(widths[n])
        assert all(box.covers(other) == 0 for other in boxes[:n])


@pytest.mark.parametrize(("low", "high"), [(0.3, 0.9), (1e-6, 1), (1, 1e9), (0.11, 14), (6.1, 6.9)])
def test_a_log_axis_has_some_ticks(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert len(ticks) <= 9
    assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)
    assert len(ticks) >= 3
    assert len({value_text(tick, share=False) for tick in ticks}) == len(ticks)
