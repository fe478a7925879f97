"""Suppressed records are candidates only of people whom no other record covers."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run
from hypothesis import given
from plain_suppressed import is_suppressed, plain_candidates, starred_releases
from proofs import examples

import unveil as uv

ROLES = {"quasi": ["age", "zip", "sex"], "sensitive": "disease"}


@examples(150)
@given(starred_releases())
def test_like_comparing_everybody_with_every_record(case):
    table, release = case
    finding = uv.linkage(release, table, microdata=table)
    gone = [i for i in range(len(release)) if is_suppressed(release, int(release.class_of[i]))]
    differs = any(
        len(set(regions.texts(column))) > 1
        for column, regions in zip(release.quasi, release.regions, strict=True)
    )
    assert finding.suppressed == (len(gone) if differs else 0)
    right = 0.0
    for i in range(len(table)):
        found = plain_candidates(release, table.codes[:, i])
        values = Counter(release.sensitive.codes[found].tolist())
        assert finding.candidates[i] == len(found)
        assert finding.values[i] == len(values)
        assert finding.links.share[i] == pytest.approx(max(values.values()) / len(found))
        assert finding.links.suppressed[i] == (found[0] in gone)
        assert finding.right.among[i] == (i in found)
        assert finding.unique[i] == (len(found) == 1)  # everybody is in the table
        right += (i in found) / len(found)
        each = finding.candidates_of(i)
        assert each["records"].sum() == len(found)
    assert finding.record_right == pytest.approx(right / len(table))
    # Whom no other record covers is suppressed.
    assert finding.only_suppressed <= finding.suppressed
    uncovered = finding.links.suppressed
    assert finding.right.among[uncovered].all()


@pytest.fixture
def two_of_a_thousand(tmp_path, monkeypatch):
    """A thousand people, most of them unlike all others, and two of them suppressed."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({
        "age": rng.integers(18, 90, 1000), "zip": rng.integers(10_000, 10_210, 1000),
        "sex": rng.choice(["F", "M"], 1000), "disease": rng.choice(list("abcd"), 1000),
    })  # fmt: skip
    frame.to_csv("people.csv", index=False)
    published = frame.astype(str)
    published.loc[[17, 400], ["age", "zip", "sex"]] = "*"
    published.to_csv("published.csv", index=False)
    return frame


def test_two_suppressed_records_do_not_switch_linkage_off(two_of_a_thousand):
    """In Python, in a shell, in a project file and in an audit."""
    frame = two_of_a_thousand
    people = uv.read_table(frame, **ROLES)
    alike = frame.groupby(ROLES["quasi"])["age"].transform("size")
    assert uv.linkage(uv.Identity().sanitize(people), people).unique.sum() == (alike == 1).sum()
    release = uv.read_release("published.csv", people)
    finding = uv.linkage(release, people, microdata=people)
    # Both were alone; so they have two candidates, and everybody else those that they had.
    assert alike[[17, 400]].tolist() == [1, 1]
    assert finding.unique.sum() == (alike == 1).sum() - 2 == finding.unique_right == 956
    assert finding.candidates[[17, 400]].tolist() == [2, 2]
    assert (finding.suppressed, finding.only_suppressed) == (2, 2)
    assert finding.suppressed_share == 0.002
    text = str(finding)
    assert "2 of 1,000 records are suppressed and cover everybody." in text
    assert "with a chance of at most 0.20%" in text

    roles = ("--quasi", "age,zip,sex", "--sensitive", "disease")
    run("linkage", "people.csv", *roles, "--release", "published.csv", "--json", "found.json")
    said = json.loads(Path("found.json").read_text())["findings"][0]
    assert (said["unique"], said["suppressed"], said["only_suppressed"]) == (956, 2, 2)
    # Only what was published: the same links, and nobody knows which are right.
    run("linkage", *roles, "--release", "published.csv", "--external", "people.csv",
        "--json", "alone.json")  # fmt: skip
    assert json.loads(Path("alone.json").read_text())["findings"][0]["unique"] == 956

    Path("unveil.toml").write_text("""
[data]
file = "people.csv"
[roles]
age = "quasi"
zip = "quasi"
sex = "quasi"
disease = "sensitive"
[attacks]
use = ["linkage"]
[[releases]]
file = "published.csv"
[thresholds]
fail_on = ["linked > 0.05"]
""")
    done = run("audit", "--project", "unveil.toml", "--json", "audit.json", code=None)
    assert done.exit_code == 1, done.output
    assert "95.6%" in done.output
    assert "2 of 1,000 records are suppressed" in Path("audit.json").read_text()


def test_one_suppressed_record_is_found():
    """Who is covered by nothing else is the one who is suppressed."""
    people = uv.read_table({"age": [20, 20, 30, 30, 99], "disease": list("ababc")}, quasi="age",
                           sensitive="disease")  # fmt: skip
    cells = {"age": ["20", "20", "30", "30", "*"], "disease": list("ababc")}
    finding = uv.linkage(uv.read_release(cells, people), people, microdata=people)
    assert finding.candidates.tolist() == [2, 2, 2, 2, 1]
    assert finding.unique.tolist() == finding.one_value.tolist() == [False] * 4 + [True]
    assert finding.unique_right == finding.one_value_right == 1


def test_more_people_than_suppressed_records():
    """A list of strangers: none of them is linked to the suppressed record, but one may be."""
    release = uv.read_release(
        {"age": ["20", "20", "30", "30", "*"], "disease": list("ababc")}, quasi="age",
        sensitive="disease", domains={"age": list(range(100))},
    )  # fmt: skip
    finding = uv.linkage(release, {"age": [20, 99, 98, 97]})
    assert finding.candidates.tolist() == [2, 1, 1, 1]
    assert not finding.unique.any()
    assert not finding.one_value.any()
    assert "At least 2 of the 3 people are not in the release" in str(finding)
    # An attacker who looks for one person, who is in the release, has found their record.
    assert uv.linkage(release, {"age": [99]}).unique.all()


def test_an_attacker_who_knows_less_has_the_same_suppressed_records():
    release = uv.read_release(
        {"age": ["20", "*", "*", "*"], "sex": ["F", "F", "M", "*"], "disease": list("abab")},
        quasi=["age", "sex"], sensitive="disease", domains={"age": [20, 30], "sex": ["F", "M"]},
    )  # fmt: skip
    assert release.suppressed == 1
    assert uv.linkage(release, {"age": [20, 30]}, knows="age").candidates.tolist() == [3, 2]
