"""What to change, in audits: what is told to whom, and the list for the owner."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import unveil as uv
from unveil.auditing import resolve
from unveil.auditing.parts import DEFAULT, PARTS


@pytest.fixture(scope="module")
def table() -> uv.Microdata:
    rng = np.random.default_rng(5)
    n = 300
    ages = np.where(rng.random(n) < 0.85, rng.integers(20, 30, n), rng.integers(60, 90, n))
    return uv.read_table(
        {"age": ages, "town": rng.choice(["Ulm", "Rom", "Bonn"], n),
         "ill": rng.choice(["flu", "cold", "pox"], n, p=[0.6, 0.3, 0.1])},
        quasi=["age", "town"], sensitive="ill",
    )  # fmt: skip


def section(audit: uv.Audit) -> dict[str, Any]:
    found: dict[str, Any] = audit.to_dict()["secrets"][0]["sections"][-1]
    assert found["part"] == "remedies"
    return found


def audited(table: uv.Microdata, releases: Any, **options: Any) -> uv.Audit:
    return uv.audit(
        table, releases, attacks=["measures", "linkage", "utility", "remedies"], progress=False,
        **options,
    )  # fmt: skip


def test_it_ends_a_report_by_default_and_gives_no_figure_to_pass_by() -> None:
    assert DEFAULT[-1] == "remedies"
    assert PARTS["remedies"].figures == ()


def test_a_threshold_on_k_says_how_large_classes_should_be(table: uv.Microdata) -> None:
    said = section(audited(table, "identity", fail_on=["k < 12", "k <= 9"]))["sentences"][0]
    assert "in a class of fewer than 12" in said
    said = section(audited(table, "identity", fail_on="k <= 9"))["sentences"][0]
    assert "in a class of fewer than 10" in said
    assert "in a class of fewer than 5" in section(audited(table, "identity"))["sentences"][0]


def test_of_several_candidates_nothing_is_told_of_their_sensitive_values(
    table: uv.Microdata,
) -> None:
    one = section(audited(table, "identity"))
    several = section(audited(table, ["identity", "mondrian:k=2"]))
    titles = {told["title"] for told in one["tables"]}
    assert "The same for classes with a single ill" in titles
    assert {told["title"] for told in several["tables"]} == titles - {
        "The same for classes with a single ill"
    }
    assert "…" not in str(several["sentences"])


def test_groups_are_masked_as_elsewhere(table: uv.Microdata) -> None:
    def groups(audit: uv.Audit) -> list[list[Any]]:
        found = section(audit)["tables"]
        return next(one["rows"] for one in found if one["title"] == "Who is at risk")[1:]

    plain, masked = groups(audited(table, "identity")), groups(audited(table, "identity",
                                                                       smallest=300))  # fmt: skip
    assert plain
    assert all("(a class of fewer than" not in row[1] for row in plain)
    assert all(row[1] == "(a class of fewer than 300)" for row in masked)
    for row in plain:
        people, few, alone = row[2][0], row[3][0], row[5]
        assert people >= few >= 5
        assert alone[0] is None or alone[0] == 0 or alone[0] >= 5


def test_the_owner_can_list_everybody_at_risk(table: uv.Microdata) -> None:
    """By brute force: whoever has few alike, or only such with the same value."""
    audit = audited(table, "identity", fail_on="k < 4")
    found = audit.at_risk()
    frame = table.to_frame()
    alike = frame.groupby(["age", "town"])["ill"]
    few, values = alike.transform("size"), alike.transform("nunique")
    expected = np.flatnonzero((few < 4) | (values == 1))
    assert found["record"].tolist() == expected.tolist()
    assert found["candidates"].tolist() == few[expected].tolist()
    for reference, record in zip(found["reference"], found["record"], strict=True):
        assert resolve(reference, table, audit.key)[reference] == [record]
    assert (found["why"].str.contains("alone") == (few[expected] == 1).to_numpy()).all()


def test_belief_that_moved_puts_somebody_on_the_list_if_it_was_tested(
    table: uv.Microdata,
) -> None:
    audit = uv.audit(table, uv.Mondrian(k=6), attacks=["differential-inference"], progress=False)
    looked = audit.releases[0].looked["differential-inference"].finding
    assert isinstance(looked, uv.DifferentialInference)
    moved = set(looked.targets[looked.distances > 0.05].tolist())
    assert moved
    found = audit.at_risk()
    assert moved <= set(found["record"])
    assert found["why"].str.contains("moves belief").sum() == len(moved)
    without = uv.audit(table, uv.Mondrian(k=6), attacks=["measures"], progress=False).at_risk()
    assert all(math.isnan(one) for one in without["moved"])


def test_who_is_at_risk_may_not_be_known(table: uv.Microdata) -> None:
    audit = uv.audit(table, uv.LaplaceCounts(epsilon=1), attacks=["inference"], progress=False)
    with pytest.raises(uv.errors.InputError, match="who is at risk in LaplaceCounts"):
        audit.at_risk()


@pytest.mark.parametrize("asked", [["measures"], ["measures", "differential-inference"]])
def test_people_with_several_records_are_listed_once(asked: list[str]) -> None:
    """By brute force: whoever has few people beside them, or only one value, by any record."""
    table = uv.datasets.visits(120).take(np.arange(260))
    cut = uv.quantize(table, {"age": [0, 40, 60, 130]})
    frame = cut.to_frame().assign(who=cut.persons.of)
    frame["ill"] = (cut.sensitive.codes % 3 == 0) | (cut["age"].codes == 0)
    people = uv.read_table(frame, quasi=["year", "age", "sex"], sensitive="ill", person="who")
    audit = uv.audit(people, "identity", attacks=asked, progress=False, fail_on="k < 6")
    found = audit.at_risk()
    of, alike = frame["who"], frame.groupby(["year", "age", "sex"])
    beside, values = alike["who"].transform("nunique"), alike["ill"].transform("nunique")
    looked = audit.releases[0].looked.get("differential-inference")
    moved = set()
    if looked is not None:
        moved = set(of[looked.finding.targets[looked.finding.distances > 0.05]])
    few, one_value = set(of[beside < 6]), set(of[values == 1])
    assert few
    assert one_value - few
    whose = of[found["record"]]
    assert set(whose) == few | one_value | moved
    assert not whose.duplicated().any()
    assert found["candidates"].tolist() == [beside[of == one].min() for one in whose]
    for reason, expected in (
        ("own records move", moved), ("look alike|alone", few), ("have the same ill", one_value),
    ):  # fmt: skip
        said = set(whose[found["why"].str.contains(reason).to_numpy()])
        assert said == expected, reason
