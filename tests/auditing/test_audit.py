"""The audit as a whole: the same numbers as the attacks alone, and nothing lost."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import unveil as uv
from unveil.attacks.differential import compared
from unveil.auditing import FIGURES, schema
from unveil.auditing.parts import DEFAULT, PARTS
from unveil.errors import InputError, UnveilError
from unveil.render import Coarseness


@pytest.fixture(scope="module")
def survey() -> uv.Microdata:
    whole = uv.datasets.election_survey()
    return whole.take(np.arange(0, len(whole), 6))


@pytest.fixture(scope="module")
def found(survey: uv.Microdata) -> uv.Audit:
    return uv.audit(
        survey,
        ["mondrian:k=3,10", uv.LaplaceCounts(epsilon=1)],
        fail_on=["delta > 0.2", "k < 5"],
        progress=False,
    )


def test_numbers_are_those_of_the_attacks(survey: uv.Microdata, found: uv.Audit) -> None:
    sanitizer = uv.Mondrian(k=3)
    release = sanitizer.sanitize(survey)
    figures = found.releases[0].figures
    assert figures["delta"] == uv.differential_inference(survey, sanitizer).delta
    assert figures["gr"] == uv.relative_risk(release, survey).gr
    assert figures["k"] == uv.k_anonymity(release).k
    assert figures["l"] == uv.l_diversity(release).distinct
    assert figures["t"] == uv.t_closeness(release).t
    assert figures["loss"] == uv.information_loss(release).loss
    linked = uv.linkage(release, survey)
    assert figures["linked"] == linked.unique.mean()
    assert figures["one_value"] == linked.one_value.mean()
    quasi = [column.name for column in survey.quasi]
    rate = uv.discrimination_rate(release, of="party", by=quasi).rate
    assert figures["discrimination"] == pytest.approx(rate, rel=1e-12)


def test_every_part_gives_the_figures_that_it_names(found: uv.Audit) -> None:
    for audited in found.releases:
        for name, looked in audited.looked.items():
            if looked.finding is not None:
                values = PARTS[name].values(looked.finding)
                assert set(values) == set(PARTS[name].figures)
    assert {figure for part in PARTS.values() for figure in part.figures} <= set(FIGURES)


def test_what_makes_no_sense_is_said_and_fails_what_hangs_on_it(found: uv.Audit) -> None:
    counts = found.releases[2]
    assert counts.looked["relative-risk"].status == "not applicable"
    assert "counts" in (counts.looked["relative-risk"].why or "")
    k = next(check for check in counts.checks if check.threshold.figure.name == "k")
    assert k.value is None
    assert not k.passed


def test_the_verdict_follows_the_thresholds(found: uv.Audit) -> None:
    for audited in found.releases[:2]:
        expected = audited.figures["delta"] <= 0.2 and audited.figures["k"] >= 5
        assert audited.passed is expected
    assert found.passed is False
    assert "FAILS" in found.verdict()


def test_an_undefined_figure_does_not_pass_and_says_why() -> None:
    """Both values are tied for everybody, and ties do not count: nobody is at risk."""
    people = uv.read_table({"q": [*"aabb"], "s": [*"xyxy"]}, quasi="q", sensitive="s")
    found = uv.audit(
        people, "identity", attacks={"relative-risk": {"ties": "none"}},
        fail_on="relative_risk > 100", progress=False,
    )  # fmt: skip
    (check,) = found.releases[0].checks
    assert not check.passed
    assert check.value is None
    assert str(check) == (
        "relative_risk is not known: nobody is at risk under the attacker, so the relative risk is "
        "undefined"
    )
    assert str(check) in found.to_json()


def test_no_threshold_no_verdict(survey: uv.Microdata) -> None:
    none = uv.audit(survey, "mondrian:k=10", progress=False)
    assert none.passed is None
    how, *found = none.verdict().splitlines()
    assert how.startswith("No verdict: no thresholds were given, so no release passes or fails.")
    assert "--fail-on" in how
    assert how in none.summary()
    assert how.partition(".")[0] in none.page()
    assert how.partition(":")[0] in none.to_junit()
    assert not any(word in line.lower() for line in found for word in ("passes", "fail"))
    assert any("Under Mondrian(k=10)" in line for line in found)
    (line, *_) = uv.audit(survey, "mondrian:k=10", fail_on="k < 2", attacks=["measures"],
                          progress=False).verdict().splitlines()  # fmt: skip
    assert line.startswith("Mondrian(k=10) passes")


def test_a_file_is_audited_without_what_needs_its_program(survey: uv.Microdata) -> None:
    release = uv.Mondrian(k=10).sanitize(survey)
    published = uv.read_release(release.to_frame(), survey, made_by="published.csv")
    audited = uv.audit(survey, published, progress=False).releases[0]
    assert audited.looked["differential-inference"].status == "not applicable"
    assert audited.figures["k"] == release.sizes.min()
    assert "delta" not in audited.figures


def test_a_goal_that_cannot_be_met_stops_nothing_else(survey: uv.Microdata) -> None:
    audit = uv.audit(
        survey, ["mondrian:k=100000", "mondrian:k=10"], fail_on="k < 5", progress=False
    )
    failed, done = audit.releases
    assert failed.error is not None
    assert failed.passed is False
    assert done.passed is True
    assert "could not be made" in audit.verdict()
    json.loads(audit.to_json())


def test_several_secrets_the_worst_first() -> None:
    rows = 60
    table = {
        "age": [20 + i % 10 for i in range(rows)],
        "same": [f"v{i % 10}" for i in range(rows)],  # what age tells entirely
        "other": ["yes" if (i // 10) % 2 else "no" for i in range(rows)],  # what it does not
    }
    tables = [uv.read_table(table, quasi="age", sensitive=secret) for secret in ("other", "same")]
    audit = uv.audit(tables, "identity", attacks=["discrimination-rate"], progress=False)
    assert [one.sensitive for one in audit.secrets] == ["same", "other"]
    assert audit.secrets[0].audited[0].figures["discrimination"] == 1.0
    assert audit.to_dict()["data"]["sensitive"] == ["same", "other"]


def test_options_reach_the_attack(survey: uv.Microdata) -> None:
    audit = uv.audit(
        survey, "mondrian:k=10", attacks={"relative-risk": {"beta": 0.5}}, progress=False
    )
    finding = audit.releases[0].looked["relative-risk"].finding
    assert isinstance(finding, uv.RelativeRisk)
    assert finding.problem.beta == 0.5


def test_an_interrupt_keeps_what_was_done(
    survey: uv.Microdata, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(100))
    measured = PARTS["utility"].look

    def ended(subject: Any, asked: Any) -> Any:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return measured(subject, asked)

    monkeypatch.setattr(PARTS["utility"], "look", ended)
    audit = uv.audit(survey, "mondrian:k=3..24", attacks=["measures", "utility"], progress=False)
    assert audit.interrupted
    assert [one.looked["utility"].status for one in audit.releases] == [
        "done", "interrupted", "interrupted", "interrupted",
    ]  # fmt: skip
    assert audit.releases[1].looked["measures"].status == "done"
    assert "interrupted" in audit.verdict()
    json.loads(audit.to_json())


def test_json_of_a_private_audit_holds_every_number(found: uv.Audit) -> None:
    asked = replace(found.asked, discretion=replace(found.asked.discretion, private=True))
    owners = [replace(one, coarse=Coarseness()) for one in found.releases]
    secrets = (replace(found.secrets[0], audited=owners),)
    told = json.loads(replace(found, asked=asked, secrets=secrets).to_json())
    for audited, content in zip(found.releases, told["secrets"][0]["releases"], strict=True):
        assert set(content["figures"]) == set(audited.figures)
        for name, value in audited.figures.items():
            if value is not None and math.isfinite(value):
                assert content["figures"][name] == value
    assert [section["part"] for section in told["secrets"][0]["sections"]] == list(DEFAULT)


def test_json_is_of_the_published_form(survey: uv.Microdata, found: uv.Audit) -> None:
    whole = schema()
    Draft202012Validator.check_schema(whole)
    validator = Draft202012Validator(whole)
    plain = uv.audit(survey, "identity", private=True, progress=False)
    unmet = uv.audit(survey, "mondrian:k=100000", progress=False)
    for audit in (found, plain, unmet):
        assert [error.message for error in validator.iter_errors(json.loads(audit.to_json()))] == []
    wrong = json.loads(found.to_json()) | {"interrupted": "long"}
    assert [error.message for error in validator.iter_errors(wrong)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"attacks": ["measure"]}, "no attack 'measure'; did you mean 'measures'?"),
        ({"attacks": []}, "there is no attack to run; name one"),
        ({"attacks": 5}, "attacks=5 is not possible: give names"),
        ({"attacks": {"all": {"seed": 1}}}, "no attack 'all'"),
        ({"attacks": ["utility"], "fail_on": "k < 5"}, "'k < 5' needs measures"),
        ({"fail_on": 5}, "cannot read 5 as a threshold"),
        ({"adversary": "naive-bays"}, "no adversary 'naive-bays'; did you mean 'naive-bayes'?"),
        ({"seed": -1}, "seed= must be a whole number from 0 up, got -1"),
        ({"releases": pd.DataFrame({"age": [1]})}, "read what was published with unveil.read_rel"),
        (
            {"releases": {"it": pd.DataFrame({"age": [1]})}},
            "does not say what its cells mean",
        ),
        ({"releases": []}, "nothing to audit"),
        ({"releases": ["mondrian:k=5", "mondrian:k=5"]}, "audited twice"),
        ({"releases": "mondrain:k=5"}, "did you mean 'mondrian'?"),
    ],
)
def test_bad_input_is_said_before_any_work(
    survey: uv.Microdata, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as told:
        uv.audit(survey, **options)
    assert said in str(told.value)


def test_all_attacks_and_those_by_default_have_names(survey: uv.Microdata) -> None:
    few = survey.take(range(20))
    default = uv.audit(few, "identity", attacks=["default", "minimality"], progress=False)
    assert {part.name for part in default.parts} == {*DEFAULT, "minimality"}
    every = uv.audit(few, uv.LaplaceCounts(epsilon=1), attacks="all", progress=False)
    assert [part.name for part in every.parts] == list(PARTS)


def test_releases_are_called_as_the_user_calls_them(survey: uv.Microdata) -> None:
    named = {"ours": uv.Identity(), "theirs": uv.Mondrian(k=3), "third": uv.Mondrian(k=2)}
    audit = uv.audit(survey.take(range(60)), named, attacks="all", jobs=1, progress=False)
    for section in audit.to_dict()["secrets"][0]["sections"]:
        said = " ".join(section["sentences"])
        if section["part"] != "tables":  # none of these publishes any
            assert all(f"Under {name}, " in said for name in named)
        assert "Mondrian(" not in said
        assert "Identity" not in said
        assert "no anonymization" not in said.replace("with no anonymization at all", "")


def test_where_nothing_is_found_that_is_said(survey: uv.Microdata) -> None:
    some = {"counts": uv.LaplaceCounts(epsilon=1), "classes": uv.Mondrian(k=2)}
    audit = uv.audit(survey, some, attacks=["measures"], progress=False)
    _, classes, nothing = audit.verdict().splitlines()
    assert classes.startswith("Under classes, nobody can be told from fewer than 1 other, ")
    assert nothing.startswith("Nothing was found out about counts: ")
    assert "publishes no records, only counts" in nothing


def test_the_worst_of_a_few_is_not_put_beside_the_worst_of_all(survey: uv.Microdata) -> None:
    named = {"all": uv.Mondrian(k=3), "also all": uv.Mondrian(k=5)}
    few = uv.differential_inference(survey, uv.Mondrian(k=9), targets=5, progress=False)
    every = [uv.differential_inference(survey, one, progress=False) for one in named.values()]
    said = " ".join(map(str, compared({**dict(zip(named, every, strict=True)), "few": few})))
    assert f"Of the 2 anonymizations that {len(survey)} people were tested under, " in said
    assert "few" not in said
    assert compared({"all": every[0], "few": few}) == []


def test_a_plain_table_is_told_what_to_do() -> None:
    with pytest.raises(UnveilError, match="read_table"):
        uv.audit({"age": [1, 2]})  # type: ignore[arg-type]


def test_a_secret_that_everybody_has_is_told_although_no_record_moves_a_belief() -> None:
    table = uv.read_table(
        {"age": [20 + n for n in range(30)], "ill": ["HIV"] * 30}, quasi="age", sensitive="ill"
    )
    both = ["differential-inference", "linkage"]
    said = uv.audit(table, "mondrian:k=5", attacks=both, progress=False).verdict()
    assert "believes about 0 to 100% of the people by more than 5 points" in said
    assert (
        "With a list of names, an attacker finds the ill of everybody under Mondrian(k=5)." in said
    )
    alone = uv.audit(table, "mondrian:k=5", attacks=["linkage"], progress=False).verdict()
    assert "With a list" not in alone  # linkage has told it
    few = uv.read_table(
        {"age": [20 + n for n in range(30)], "ill": ["HIV", "flu"] * 15}, quasi="age",
        sensitive="ill",
    )  # fmt: skip
    assert (
        "With a list" not in uv.audit(few, "mondrian:k=5", attacks=both, progress=False).verdict()
    )
