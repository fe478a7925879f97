"""The three questions of European guidance are answered, and never better than is known."""

from __future__ import annotations

from typing import Any

import pytest

import unveil as uv


@pytest.fixture(scope="module")
def survey() -> uv.Microdata:
    return uv.datasets.election_survey().take(range(0, 944, 4))


def answers(survey: uv.Microdata, release: Any, **options: Any) -> dict[str, dict[str, Any]]:
    audit = uv.audit(survey, release, progress=False, **options)
    [one] = audit.to_dict()["secrets"][0]["releases"]
    return {answer["question"]: answer for answer in one["answers"]}


def test_of_the_table_as_it_is_all_three_are_yes(survey):
    found = answers(survey, "identity")
    assert [one["answer"] for one in found.values()] == ["yes"] * 3
    assert {name: one["figure"] for name, one in found.items()} == {
        "singling out": "unique", "linkability": "linked", "inference": "one_value",
    }  # fmt: skip
    assert "a list of names" in found["inference"]["says"]


def test_the_attacker_who_decides_is_named(survey):
    found = answers(survey, "mondrian:k=5", attacks=["differential-inference", "measures"])
    assert found["inference"]["answer"] == "yes"
    assert found["inference"]["figure"] == "delta"
    assert "conditional frequency" in found["inference"]["says"]
    assert {"gain", "gr", "one_value"} <= set(found["inference"]["not_tried"])


def test_what_was_not_asked_for_is_not_known(survey):
    found = answers(survey, "mondrian:k=20", attacks=["measures"])
    assert found["linkability"]["answer"] == "not known"
    assert found["linkability"]["figure"] is None
    assert "linked" in found["linkability"]["not_tried"]
    assert found["inference"]["answer"] == "not known"  # α below 1 is no answer
    assert found["singling out"]["answer"] == "to a degree"
    assert "probability of up to" in found["singling out"]["says"]


def test_what_could_not_be_tested_is_not_known(survey):
    # A file: nobody can leave a record out of it.
    release = uv.Mondrian(k=len(survey)).sanitize(survey)
    found = answers(survey, {"ours": release}, attacks=["differential-inference", "linkage"])
    assert found["inference"]["answer"] == "not known"
    assert "needs the sanitizer itself" in found["inference"]["says"]
    assert found["linkability"]["answer"] == "not by the attackers tried here"


def test_a_threshold_that_fails_decides(survey):
    found = answers(survey, "mondrian:k=5", attacks=["measures"], fail_on=["k < 10"])
    assert found["singling out"]["answer"] == "yes"
    assert found["singling out"]["says"].startswith("k is 5")


def test_the_page_answers_them(survey):
    audit = uv.audit(survey, "mondrian:k=5", attacks=["measures", "linkage"], progress=False)
    page = audit.page()
    assert "links 0% of the people to a single record" in page
    assert "not by the attackers tried here" in page


def test_a_class_with_a_single_secret_is_a_yes_also_where_there_is_no_original() -> None:
    """Whoever knows that somebody is in it reads the secret off; what is not known is no excuse."""
    for diseases, word in ((["flu"] * 6, "yes"), (["flu"] * 5 + ["cold"], "not known")):
        rows = {"age": ["20-29"] * 6 + ["30-39"] * 6, "disease": diseases + ["flu", "cold"] * 3}
        release = uv.read_release(rows, quasi="age", sensitive="disease", made_by="a.csv")
        audit = uv.audit(None, release, progress=False)
        [one] = audit.to_dict()["secrets"][0]["releases"]
        [found] = [answer for answer in one["answers"] if answer["question"] == "inference"]
        assert found["answer"] == word, found
        assert ("reads off what is published" in found["says"]) == (word == "yes")
