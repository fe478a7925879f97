"""What is made of an audit: XML for CI, comparisons, and people behind references."""

from __future__ import annotations

import copy
import json
import stat
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import unveil as uv
from unveil.auditing import compare_audits, junit_of, key_from, resolve, write_key
from unveil.errors import InputError

QUICK = ("measures", "utility")


@pytest.fixture(scope="module")
def survey() -> uv.Microdata:
    return uv.datasets.election_survey()


@pytest.fixture(scope="module")
def told(survey: uv.Microdata) -> dict[str, Any]:
    audit = uv.audit(
        survey, ["mondrian:k=5,20", "mondrian:k=100000"], attacks=QUICK,
        fail_on=["k < 10", "loss > 90%"], progress=False,
    )  # fmt: skip
    return json.loads(audit.to_json())


def test_junit_has_a_case_for_every_threshold_of_every_release(told: dict[str, Any]) -> None:
    root = ElementTree.fromstring(junit_of(told).encode())
    assert [suite.get("name") for suite in root] == [
        "Mondrian(k=5), party", "Mondrian(k=20), party", "Mondrian(k=100000), party",
    ]  # fmt: skip
    outcomes = [[[mark.tag for mark in case] for case in suite] for suite in root]
    assert outcomes == [[["failure"], []], [[], []], [["error"], ["error"]]]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("6", "1", "2")
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "k is 5, which is below 10"


def test_junit_without_thresholds_skips_and_says_why(told: dict[str, Any]) -> None:
    bare = copy.deepcopy(told)
    for release in bare["secrets"][0]["releases"]:
        release["checks"] = []
    root = ElementTree.fromstring(junit_of(bare).encode())
    assert (root.get("tests"), root.get("skipped"), root.get("errors")) == ("3", "2", "1")


def test_junit_holds_what_xml_cannot(told: dict[str, Any]) -> None:
    odd = copy.deepcopy(told)
    odd["secrets"][0]["sensitive"] = "a\x00<b>&\"'\x1b]\ud800"
    root = ElementTree.fromstring(junit_of(odd).encode())
    assert root[0].get("name") == "Mondrian(k=5), a\ufffd<b>&\"'\ufffd]\ufffd"


def test_the_same_audit_has_not_changed(told: dict[str, Any]) -> None:
    compared = compare_audits(told, told)
    assert {change.became for change in compared.changes} == {"same"}
    assert not compared.got_worse
    assert compared.notes == ()


def test_better_and_worse_are_meant_as_the_number_is(told: dict[str, Any]) -> None:
    after = copy.deepcopy(told)
    figures = after["secrets"][0]["releases"][0]["figures"]
    figures |= {"k": 4.0, "loss": figures["loss"] / 2, "beta": "infinite", "t": None}
    after["secrets"][0]["releases"][1]["name"] = "another"
    compared = compare_audits(told, after)
    became = {change.figure.name: change.became for change in compared.changes}
    assert became["k"] == "worse"
    assert became["loss"] == "better"
    assert became["beta"] == "worse"
    assert became["t"] == "unknown"
    assert became["unique"] == "same"
    assert compared.gone == ("Mondrian(k=20)",)
    assert compared.got_worse
    text = compared.summary()
    assert "Worse:" in text
    assert "Mondrian(k=5): k 5 → 4" in text
    frame = compared.to_frame()
    assert len(frame) == len(compared.changes)
    json.loads(compared.to_json())


def test_what_makes_them_hard_to_compare_is_said(told: dict[str, Any]) -> None:
    other = copy.deepcopy(told)
    other["reproduce"]["fingerprints"] = {"x": "0" * 64}
    other["reproduce"]["seed"] = 7
    other["unveil"], other["interrupted"] = "0.0", True
    other["threat"]["knows"] = ["age"]
    notes = " ".join(compare_audits(told, other).notes)
    assert "tables are not the same" in notes
    assert "seeds" in notes
    assert "the attacker knows something else" in notes
    assert "they were made by unveil" in notes
    assert "one of them was interrupted" in notes
    for release in other["secrets"][0]["releases"]:
        release["name"] += "!"
    with pytest.raises(InputError, match="no release in common"):
        compare_audits(told, other)


def test_of_several_secrets_each_line_says_which() -> None:
    rng = np.random.default_rng(1)
    table = {"age": rng.integers(20, 60, 40), "vote": list("ab") * 20, "sport": list("cdef") * 10}
    tables = [uv.read_table(table, quasi="age", sensitive=one) for one in ("vote", "sport")]

    def told(*releases: str, tables: list[uv.Microdata] = tables) -> dict[str, Any]:
        named = {f"r{k}": f"mondrian:k={k}" for k in releases}
        return uv.audit(
            tables, named, attacks=["measures"], key="ab" * 32, progress=False
        ).to_dict()

    before, after = told("2", "4"), told("4", "8")
    after["secrets"].reverse()
    after["threat"]["wants"].reverse()  # the other is worse off now, which is no other attacker
    after["secrets"][0]["releases"][0]["figures"]["k"] = 3.0
    compared = compare_audits(before, after)
    [worse] = compared.that_became("worse")
    assert compared.notes == ()
    assert (compared.gone, compared.new) == (("r2",), ("r8",))
    assert f"  {worse.sensitive}: r4: k 4 → 3" in compared.summary()
    one = compare_audits(before, told("4", tables=tables[:1]))
    assert one.gone == ("r2", "r4 (sport)")
    assert "the attacker wants something else" in " ".join(one.notes)


def test_tables_are_told_apart_under_one_key_alone(survey: uv.Microdata) -> None:
    fewer = survey.take(range(len(survey) - 1))
    moved = survey.take([*range(1, len(survey)), 0])

    def told(table: uv.Microdata, key: str) -> dict[str, Any]:
        return uv.audit(
            table, "identity", attacks=["utility"], key=key * 32, progress=False
        ).to_dict()

    def notes(*audits: dict[str, Any]) -> str:
        return " ".join(compare_audits(*audits).notes)

    assert notes(told(survey, "ab"), told(survey, "ab")) == ""
    assert "tables are not the same" in notes(told(survey, "ab"), told(moved, "ab"))
    assert "cannot be told" in notes(told(survey, "ab"), told(survey, "cd"))
    assert "tables are not the same" in notes(told(survey, "ab"), told(fewer, "cd"))


def test_a_key_is_its_owners_alone(tmp_path: Path, survey: uv.Microdata) -> None:
    path = tmp_path / "audit.key"
    write_key("ab" * 32, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert key_from(path) == "ab" * 32
    path.write_text("short")
    with pytest.raises(InputError, match="is not a key"):
        key_from(path)
    with pytest.raises(InputError, match=r"there is no key .*none'; an audit writes it beside"):
        key_from(tmp_path / "none")
    with pytest.raises(InputError, match="cannot read the key"):
        key_from(tmp_path)


def test_references_are_resolved_with_the_key_only(survey: uv.Microdata) -> None:
    audit = uv.audit(survey, "mondrian:k=5", attacks=["differential-inference"], progress=False)
    rows = audit.to_dict()["secrets"][0]["sections"][0]["tables"][0]["rows"]
    references = [row[1] for row in rows]
    found = resolve(references, survey, audit.key)
    finding = audit.releases[0].looked["differential-inference"].finding
    assert isinstance(finding, uv.DifferentialInference)
    assert references == sorted(references)
    assert {found[one][0] for one in references} == set(finding.targets[finding.worst_places(5)])
    assert {len(row) for row in rows} == {2}
    with pytest.raises(InputError, match="under this key"):
        resolve(references[0], survey, "00" * 32)
    with pytest.raises(InputError, match="is not a reference"):
        resolve("row 7", survey, audit.key)


def test_an_audit_prints_and_shows_itself(survey: uv.Microdata) -> None:
    audit = uv.audit(survey, "mondrian:k=5,20", attacks=QUICK, progress=False)
    text = str(audit)
    assert "Mondrian(k=5)  Mondrian(k=20)" in text
    assert len({len(line) for line in text.splitlines() if line.strip().startswith("unique")}) == 1
    many = uv.audit(survey, "mondrian:k=2..128", attacks=["measures"], progress=False)
    assert str(many).count("\n  Mondrian(k=") == 7
    assert "<table" in audit._repr_html_()


def test_what_is_saved_hangs_on_the_ending(survey: uv.Microdata, tmp_path: Path) -> None:
    audit = uv.audit(survey, "mondrian:k=5", attacks=QUICK, fail_on="k < 3", progress=False)
    assert json.loads(audit.save(tmp_path / "a.json").read_text())["verdict"]["passed"] is True
    assert audit.save(tmp_path / "a.html").read_text().startswith("<!doctype html>")
    ElementTree.parse(audit.save(tmp_path / "a.xml"))
    with pytest.raises(InputError, match=r"end it in \.html"):
        audit.save(tmp_path / "a.pdf")


def test_secrets_on_the_same_point_are_all_seen_and_named_once() -> None:
    table = {"age": [i % 10 for i in range(40)], "a": list("xy") * 20, "b": list("uvuv") * 10}
    tables = [uv.read_table(table, quasi="age", sensitive=one) for one in ("a", "b")]
    audit = uv.audit(tables, "mondrian:k=5,20", attacks=["measures", "utility"], progress=False)
    ax = audit.plot()
    assert [text.get_text() for text in ax.texts] == [
        "the table as it is", "Mondrian(k=5)", "Mondrian(k=20)",
    ]  # fmt: skip
    first, second = ax.lines
    assert first.get_xydata().tolist() == second.get_xydata().tolist()
    assert first.get_markersize() > second.get_markersize()


def test_a_picture_needs_both_sides(survey: uv.Microdata) -> None:
    audit = uv.audit(survey, "mondrian:k=5,20", attacks=QUICK, progress=False)
    axes = audit.plot()
    assert [text.get_text() for text in axes.texts] == [
        "the table as it is", "Mondrian(k=5)", "Mondrian(k=20)",
    ]  # fmt: skip
    with pytest.raises(InputError, match="both sides"):
        uv.audit(survey, "mondrian:k=5", attacks=["measures"], progress=False).plot()
