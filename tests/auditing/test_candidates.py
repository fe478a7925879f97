"""What others see of releases that are not published: of candidates, and of the table as it is."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from report_attack import Attacker

import unveil as uv

REFERENCE = re.compile("#[0-9a-f]{16}")
SECRET_PARTS = ("differential-inference", "inference", "relative-risk", "discrimination-rate")


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """Of 150 people; two candidates form their classes by quasi-identifiers, and one does not."""
    audit = uv.audit(
        uv.datasets.census(150, seed=3), ["mondrian:k=5,10", "mondrian:k=5,l=2"],
        attacks=[*SECRET_PARTS, "linkage", "measures", "utility"], progress=False,
    )  # fmt: skip
    return audit.to_dict()


def releases(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    (secret,) = told["secrets"]
    return {one["shown"]: one for one in (secret["baseline"], *secret["releases"])}


def test_nobody_is_listed_and_no_curve_is_over_people(told: dict[str, Any]) -> None:
    for section in told["secrets"][0]["sections"]:
        assert not any(REFERENCE.search(str(table)) for table in section["tables"])
        if section["part"] in SECRET_PARTS:
            assert [chart["kind"] for chart in section["charts"]] in ([], ["bars"])
            assert all(chart["coarse"] for chart in section["charts"])


def test_bars_are_the_ranges_of_their_figures(told: dict[str, Any]) -> None:
    (section,) = (s for s in told["secrets"][0]["sections"]
                  if s["part"] == "differential-inference")  # fmt: skip
    (chart,) = section["charts"]
    found = releases(told)
    for series, figure in zip(chart["series"], ("delta", "mean_d"), strict=True):
        for name, low, high in zip(series["x"], series["low"], series["high"], strict=True):
            assert [low, high] == found[name]["figures"][figure]


def test_no_words_are_chosen_by_sensitive_values(told: dict[str, Any]) -> None:
    """Neither who attacks best nor which columns tell most."""
    assert all(one["by"] == {} for one in releases(told).values())
    assert not any("the attacker:" in answer["says"]
                   for one in releases(told).values() for answer in one["answers"])  # fmt: skip
    (section,) = (s for s in told["secrets"][0]["sections"] if s["part"] == "discrimination-rate")
    assert not any("tells most" in sentence for sentence in section["sentences"])


def test_ranges_are_wider_for_fewer_people(told: dict[str, Any]) -> None:
    for one in releases(told).values():
        low, high = one["figures"]["delta"]
        assert high - low == pytest.approx(0.2)  # 25 of 150 people, rounded up
        low, high = one["figures"]["mean_d"]
        assert high - low == pytest.approx(0.2)


def test_classes_formed_by_sensitive_values_are_not_counted(told: dict[str, Any]) -> None:
    by_quasi, by_secrets = releases(told)["Mondrian(k=5)"], releases(told)["Mondrian(k=5, l=2)"]
    for name in ("k", "mean_class", "loss", "prosecutor", "linked"):
        assert isinstance(by_quasi["figures"][name], float)
        assert isinstance(by_secrets["figures"][name], list)
    for section in told["secrets"][0]["sections"]:
        (said,) = (one for one in section["sentences"] if "l=2" in one)
        assert re.fullmatch(r"Under Mondrian\(k=5, l=2\), .* is [-−0-9.,% to]+\.", said), said
    assert "classes" in by_quasi["says"]
    assert by_secrets["says"] == "by Mondrian(k=5, l=2)"
    (section,) = (s for s in told["secrets"][0]["sections"] if s["part"] == "measures")
    (chart,) = section["charts"]
    assert "Mondrian(k=5, l=2)" not in [series["name"] for series in chart["series"]]


@pytest.mark.parametrize(
    ("sanitizer", "looks"),
    [
        (uv.Identity(), False), (uv.Mondrian(k=5), False), (uv.Mondrian(k=5, l=2), True),
        (uv.Mondrian(t=0.2), True), (uv.Mondrian(k=5, crowds={}), True),
        (uv.Recoding(k=5), False), (uv.Recoding(l=2), True), (uv.Microaggregation(k=5), False),
        (uv.Anatomy(l=2), True), (uv.RandomizedResponse(epsilon=1), True),
        (uv.Oracle("anonymize {input} {output}"), True),
    ],
)  # fmt: skip
def test_who_looks_at_sensitive_values(sanitizer: Any, looks: bool) -> None:
    """What is not known to look away is taken to look."""
    assert sanitizer.looks_at_secrets is looks


@pytest.mark.parametrize(
    "sanitizer",
    [
        uv.Identity(), uv.Mondrian(k=5), uv.Mondrian(k=3, regions="cut"), uv.Recoding(k=5),
        uv.Recoding(k=3, suppression=0.1), uv.Recoding(k=5, scheme="local"),
        uv.Microaggregation(k=5),
    ],
    ids=lambda one: one.label,
)  # fmt: skip
def test_who_looks_away_forms_the_same_classes_whoever_has_which_value(sanitizer: Any) -> None:
    assert not sanitizer.looks_at_secrets
    table = uv.datasets.census(80, seed=5)
    everybody = Attacker(table=table, class_of=np.zeros(len(table), dtype=np.int64))
    as_it_is = sanitizer.sanitize(table)
    for seed in range(3):
        other = everybody.with_values(everybody.shuffled(np.random.default_rng(seed)))
        made = sanitizer.sanitize(other)
        assert made.class_of.tolist() == as_it_is.class_of.tolist()
        assert made.cells() == as_it_is.cells()


def test_of_a_small_table_nothing_is_told_that_values_decide() -> None:
    """Neither half a scale, nor which sentence was chosen, nor whether a number is below 0."""
    table = uv.datasets.census(60, seed=1)
    attacker = Attacker(table=table, class_of=uv.Mondrian(k=5).sanitize(table).class_of)
    rng = np.random.default_rng(3)
    others = [attacker.with_values(attacker.shuffled(rng)) for _ in range(4)]
    parts = [*SECRET_PARTS, "linkage", "measures"]
    told = [
        uv.audit(one, ["mondrian:k=3", "mondrian:k=5"], attacks=parts, progress=False).to_dict()
        for one in (table, *others)
    ]
    for one in told:
        assert one["verdict"] == told[0]["verdict"]
        for section, first in zip(one["secrets"][0]["sections"], told[0]["secrets"][0]["sections"],
                                  strict=True):  # fmt: skip
            assert section["sentences"] == first["sentences"]
        for release in one["secrets"][0]["releases"]:
            assert release["figures"]["delta"] == release["figures"]["t"] == [0.0, 1.0]
            assert release["figures"]["gain"] == [-1.0, 1.0]


def test_a_share_beyond_a_limit_is_told_more_coarsely() -> None:
    """One person's value can carry many over the limit at once."""
    audit = uv.audit(uv.datasets.census(150, seed=3), uv.Mondrian(k=5), progress=False,
                     attacks=["differential-inference"]).to_dict()  # fmt: skip
    figures = audit["secrets"][0]["releases"][0]["figures"]
    assert np.diff(figures["mean_d"]) == pytest.approx(0.05)
    assert np.diff(figures["over"]) == pytest.approx(0.2)


def test_what_is_about_all_releases_is_not_folded_away():
    """With many releases, what is said of each is folded; that there is no verdict is not."""
    table = uv.datasets.census(40)
    candidates = [uv.Mondrian(k=k) for k in range(2, 11)]
    audit = uv.audit(table, candidates, attacks=["measures", "identifiers"])
    page = audit.page()
    assert page.index("No verdict") < page.index("Release by release, in words")
    for release in audit.to_dict()["secrets"][0]["releases"]:
        assert release["figures"]["identifiers"] == release["figures"]["extra_rows"] == 0
