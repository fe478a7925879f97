"""Audits of releases that others have made beforehand, without some of the people."""

from __future__ import annotations

from pathlib import Path

import pytest

import unveil as uv

ATTACKS = ["differential-inference", "inference", "membership"]


@pytest.fixture(scope="module")
def survey() -> uv.Microdata:
    return uv.datasets.election_survey().take(range(120))


@pytest.fixture
def folder(survey: uv.Microdata, tmp_path: Path) -> Path:
    _publish(survey, tmp_path / "full.csv")
    return tmp_path


def _publish(table: uv.Microdata, file: Path) -> None:
    frame = table.to_frame()
    decade = frame["age"] // 10 * 10
    frame.assign(age=[f"{low}-{low + 9}" for low in decade]).to_csv(file, index=False)


def test_the_people_whose_releases_are_there_are_tested(survey: uv.Microdata, folder: Path) -> None:
    for record in (3, 17, 44):
        _publish(survey.without(record), folder / f"without_{record:06d}.csv")
    oracle = uv.Oracle(str(folder))
    audit = uv.audit(survey, oracle, attacks=ATTACKS, fail_on="delta > 0.9", progress=False)
    [audited] = audit.releases
    alone = uv.differential_inference(survey, oracle, targets="available")
    assert audited.figures["delta"] == alone.delta
    [check] = audited.checks
    assert "among the 3 of 120 people tested, which is not above" in str(check)
    assert not check.passed  # of 117 people it is not known
    # The guesses of an attacker are those from the one release; others cannot be had.
    published = uv.inference(oracle.sanitize(survey), survey)
    assert audited.figures["accuracy"] == published.accuracy
    assert audited.figures["gain"] is None
    assert {name: one.status for name, one in audited.looked.items()} == {
        "differential-inference": "done", "inference": "done", "membership": "not applicable",
        "identifiers": "done",
    }  # fmt: skip


def test_without_anybody_left_out_nothing_is_said_of_that(
    survey: uv.Microdata, folder: Path
) -> None:
    audit = uv.audit(survey, uv.Oracle(str(folder)), attacks=ATTACKS, progress=False)
    looked = audit.releases[0].looked["differential-inference"]
    assert looked.status == "not applicable"
    assert "none without somebody; have some made" in str(looked.why)


def test_everybody_tested_needs_no_word(survey: uv.Microdata) -> None:
    audit = uv.audit(
        survey, uv.Mondrian(k=5), attacks=ATTACKS[:1], fail_on="delta > 0.9", progress=False
    )
    assert "among" not in str(audit.releases[0].checks[0])
