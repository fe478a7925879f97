"""A release that publishes identifiers fails, by every way in; columns without a role are told."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run

import unveil as uv
from unveil.auditing import State, ToRead, compare_audits, read_audit
from unveil.render.page import page_of
from unveil.testing import assert_release

N = 60
ROLES = ["--quasi", "age,town", "--sensitive", "vote", "--identifier", "name"]
WHY = 'is equal to the original\'s column "name"'
SAID = f"identifiers is 1, which is above 0: the column 'who' {WHY}"


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame({
        "name": [f"Person {chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(N)],
        "age": rng.integers(20, 80, N), "town": rng.choice(["Rome", "Lyon"], N),
        "vote": rng.choice(["a", "b", "c"], N), "debts": rng.choice(["yes", "no"], N),
        "hobby": rng.choice(["x", "y"], N),
    })  # fmt: skip


@pytest.fixture(scope="module")
def original(people: pd.DataFrame) -> uv.Microdata:
    return uv.read_table(people, quasi=["age", "town"], sensitive="vote", identifier="name")


@pytest.fixture(scope="module")
def published(people: pd.DataFrame) -> pd.DataFrame:
    decade = people["age"] // 10 * 10
    cells = [f"{a}-{a + 9}" for a in decade]
    return pd.DataFrame({"age": cells, "town": people["town"], "vote": people["vote"]})


@pytest.fixture
def files(people: pd.DataFrame, published: pd.DataFrame, tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    people.to_csv("survey.csv", index=False)
    published.to_csv("good.csv", index=False)
    published.assign(who=people["name"]).to_csv("names.csv", index=False)
    published.assign(hobby=people["hobby"]).to_csv("hobby.csv", index=False)
    return tmp_path


def audited(original: uv.Microdata, frame: pd.DataFrame, **options) -> uv.Audit:
    release = uv.read_release(frame, original, made_by="published")
    return uv.audit(original, release, attacks=["measures"], progress=False, **options)


def test_in_python_whatever_the_thresholds(people, original, published):
    named = published.assign(who=people["name"])
    for fail_on in (None, "k < 1", ["k < 1", "identifiers > 5"], "identifiers > 0"):
        audit = audited(original, named, fail_on=fail_on)
        assert audit.state is State.FAILS
        assert audit.passed is False
        assert audit.verdict().startswith(f"published FAILS: {SAID}.")
        assert audit.releases[0].figures["identifiers"] == 1
        assert "assumed" not in audit.verdict()  # it names people: nothing is assumed of it
    bad = audited(original, named, fail_on="k < 1000")
    assert {check.threshold.figure.name for check in bad.releases[0].checks} == {"k", "identifiers"}


def test_nothing_is_said_of_a_release_without_any(original, published):
    assert audited(original, published).state is None
    assert audited(original, published).passed is None
    good = audited(original, published, fail_on="k < 1", strict_columns=True)
    assert good.passed is True
    assert [str(check.threshold) for check in good.releases[0].checks] == ["k < 1"]
    assert "identifiers" not in good.summary()
    # Strict columns alone let nothing pass.
    assert audited(original, published, strict_columns=True).state is None


def test_columns_without_a_role(people, original, published):
    told = "published also publishes 'hobby', which has no role: it is assumed to be unknown"
    more = published.assign(hobby=people["hobby"])
    for options in ({}, {"fail_on": "k < 1"}):
        audit = audited(original, more, **options)
        assert audit.state is (State.PASSES if options else None)
        assert told in audit.verdict()
        assert told in audit.summary()
        [release] = audit.to_dict()["secrets"][0]["releases"]
        assert release["unroled"] == ["hobby"]
        assert release["identifiers"] == []
        assert told in " ".join(audit.to_dict()["verdict"]["besides"])
        assert "assumed to be unknown to the attacker" in audit.page()
        strict = audited(original, more, strict_columns=True, **options)
        assert strict.state is State.FAILS
        assert "unroled is 1, which is above 0: 'hobby'" in strict.verdict()


def test_of_several_secrets_the_others_have_a_role(people, published):
    tables = [
        uv.read_table(people, quasi=["age", "town"], sensitive=one, identifier="name")
        for one in ("vote", "debts")
    ]
    frame = published.assign(debts=people["debts"], hobby=people["hobby"])

    read = ToRead(read=lambda table: uv.read_release(frame, table, made_by="published"))
    audit = uv.audit(tables, {"published": read}, attacks=["measures"], progress=False)
    assert [one.figures["unroled"] for one in audit.releases] == [1, 1]
    assert audit.verdict().count("also publishes 'hobby'") == 1


def test_an_oracle_that_hands_names_through(people, original):
    def theirs(table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(who=people["name"][: len(table)].to_numpy())

    def theirs_read(table: pd.DataFrame) -> uv.Release:
        frame = theirs(table)
        return uv.read_release(
            frame, uv.read_table(frame, quasi=["age", "town"], sensitive="vote"), made_by="they"
        )

    for oracle in (theirs, theirs_read):
        audit = uv.audit(original, uv.Oracle(oracle), attacks=["measures"], progress=False)
        assert audit.state is State.FAILS
        assert SAID in audit.verdict()


def test_our_own_sanitizers_publish_nothing_besides(original):
    names = ["identity", "mondrian:k=3", "microaggregation:k=3", "anatomy:l=2",
             "randomized-response:epsilon=1", "laplace-counts:epsilon=1"]  # fmt: skip
    audit = uv.audit(original, names, attacks=["measures"], progress=False)
    for one in audit.releases:
        assert (one.figures["identifiers"], one.figures["unroled"]) == (0, 0)
    assert audit.state is None


def test_an_attacker_who_knows_fewer_columns_reads_names_as_well(people, original, published):
    audit = audited(original, published.assign(who=people["name"]), knows="age")
    assert audit.state is State.FAILS


def test_it_can_be_a_part_with_its_section(people, original, published):
    release = uv.read_release(published.assign(who=people["name"]), original, made_by="it")
    audit = uv.audit(original, release, attacks=["identifiers"], progress=False)
    [section] = audit.to_dict()["secrets"][0]["sections"]
    assert section["sentences"] == [f"Under it, identifiers are published: the column 'who' {WHY}."]
    assert "no published column is known" not in audit.page()


def test_no_value_gets_out(people, original, published):
    audit = audited(original, published.assign(who=people["name"]), fail_on="k < 1")
    texts = [audit.to_json(), audit.page(), audit.to_junit(), audit.summary(), audit._repr_html_()]
    for text in texts:
        assert "who" in text
        assert not any(name in text for name in people["name"])


def test_in_json_junit_page_and_comparison(people, original, published):
    before = audited(original, published)
    after = audited(original, published.assign(who=people["name"]))
    content = read_audit(after.to_dict())
    assert content["verdict"]["state"] == "fails"
    assert content["verdict"]["heading"] == "The release fails"
    assert content["thresholds"] == []
    [release] = content["secrets"][0]["releases"]
    assert release["identifiers"] == ["who"]
    assert release["checks"][0]["says"] == SAID
    page = page_of(content)
    assert "No release passes, as no thresholds were given." in after.verdict()
    assert "No release passes, as no thresholds were given." in page
    assert "<code>identifiers &gt; 0</code>" in page
    failure = ET.fromstring(after.to_junit()).find(".//failure")
    assert failure is not None
    assert failure.get("message") == SAID
    compared = compare_audits(before.to_dict(), after.to_dict())
    assert compared.verdicts == (None, "fails")
    assert compared.got_worse


def test_some_of_several_releases(people, original, published):
    named = uv.read_release(published.assign(who=people["name"]), original, made_by="named")
    audit = uv.audit(original, [named, "mondrian:k=3", "mondrian:k=5"], attacks=["measures"],
                     progress=False)  # fmt: skip
    assert [one.state for one in audit.releases] == [State.FAILS, None, None]
    assert audit.to_dict()["verdict"]["heading"] == "1 of 3 releases fails"


def test_in_the_shell(files):
    measures = ["--attack", "measures"]
    done = run("audit", "survey.csv", *ROLES, *measures, "--release", "names.csv", code=1)
    assert f"names.csv FAILS: {SAID}." in " ".join(done.stdout.split())
    assert "the release fails" in done.stderr
    lax = ["--fail-on", "k < 1"]
    run("audit", "survey.csv", *ROLES, *measures, *lax, "--release", "names.csv", code=1)
    run("audit", "survey.csv", *ROLES, *measures, *lax, "--release", "good.csv")
    done = run("audit", "survey.csv", *ROLES, *measures, *lax, "--release", "hobby.csv")
    assert "hobby.csv also publishes 'hobby', which has no role" in " ".join(done.stdout.split())
    for some in ((), lax):
        strict = ["--strict-columns", *some]
        run("audit", "survey.csv", *ROLES, *measures, *strict, "--release", "hobby.csv", code=1)
        run("audit", "survey.csv", *ROLES, *measures, *strict, "--release", "good.csv")
    assert "strict-columns" in run("audit", "--help").stdout


def test_a_file_and_nothing_else(files, people, published):
    """An auditor may have no original: forms are looked for by every command that takes a file."""
    mails = [f"p{n}@example.org" for n in range(N)]
    published.assign(contact=mails).to_csv("mails.csv", index=False)
    alone = ["--release", "mails.csv", "--quasi", "age,town", "--sensitive", "vote"]
    for command in ("identifiers", "discrimination-rate", "relative-risk", "linkage"):
        more = ["--external", "survey.csv"] if command == "linkage" else []
        done = run(command, *alone, *more, code=None)
        said = " ".join(done.stdout.split())
        assert "the column 'contact' looks like e-mail addresses" in said, done.output
    run("identifiers", *alone, "--json", "found.json")
    found = json.loads((files / "found.json").read_text())
    assert "contact" in json.dumps(found)


def test_in_a_project(files):
    project = """
[data]
file = "survey.csv"
[roles]
name = "identifier"
age = "quasi"
town = "quasi"
vote = "sensitive"
hobby = "other"
[attacks]
use = ["measures"]
[thresholds]
fail_on = ["k < 1"]
{strict}
[[releases]]
file = "{file}"
"""
    toml = files / "unveil.toml"
    for file, strict, fails in (
        ("names.csv", "", True), ("good.csv", "strict_columns = true", False),
        ("hobby.csv", "", False), ("hobby.csv", "strict_columns = true", True),
    ):  # fmt: skip
        toml.write_text(project.format(file=file, strict=strict))
        assert uv.Project.read(toml).audit(progress=False).passed is not fails
        run("audit", "--project", "unveil.toml", code=int(fails))
        if fails:
            with pytest.raises(AssertionError, match="it fails whatever is required"):
                assert_release(project=toml)
        else:
            assert assert_release(project=toml).passed
    read = uv.Project.read(toml)
    assert read.strict_columns
    again = uv.Project.read(read.write(files / "again.toml"))
    assert again.strict_columns
    assert "strict_columns" in json.dumps(uv.Project.schema())
    toml.write_text(project.format(file="good.csv", strict="strict_columns = 3"))
    with pytest.raises(uv.errors.InputError, match="strict_columns must be"):
        uv.Project.read(toml)


def test_in_assert_release(people, original, published):
    named = uv.read_release(published.assign(who=people["name"]), original, made_by="published")
    with pytest.raises(AssertionError) as failed:
        assert_release(original, named, "k >= 1")
    assert str(failed.value).splitlines() == [
        "published: it fails whatever is required",
        "  ✓ k >= 1: k is 2, which is not below 1",
        f"  ✗ not identifiers > 0: {SAID}",
        f"    identifiers is {uv.auditing.FIGURES['identifiers'].says}",
    ]
    with pytest.raises(AssertionError, match="not hold, and it fails whatever is required"):
        assert_release(original, named, "k >= 100")
    hobby = uv.read_release(published.assign(hobby=people["hobby"]), original, made_by="published")
    assert assert_release(original, hobby, "k >= 1").passed
    with pytest.raises(AssertionError, match="unroled is 1, which is above 0: 'hobby'"):
        assert_release(original, hobby, "k >= 1", strict_columns=True)


def test_strict_columns_is_yes_or_no(original):
    with pytest.raises(uv.errors.InputError, match="strict_columns"):
        uv.audit(original, "mondrian:k=3", strict_columns="maybe")
