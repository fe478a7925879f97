"""`unveil audit`: what it prints, writes, refuses, and how it exits."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import ROLES, run
from jsonschema import Draft202012Validator
from rich.console import Console

import unveil as uv
from unveil.auditing import read_audit, schema, write_key
from unveil.auditing._names import public_command
from unveil.auditing.parts import PARTS
from unveil.cli._audit_results import show_audit
from unveil.errors import InputError

QUICK = ["--attack", "measures,utility"]


def words(done) -> str:
    return " ".join(done.stdout.split())


def figures(file: Path) -> dict[str, dict[str, float | None]]:
    [secret] = read_audit(file)["secrets"]
    return {one["name"]: one["figures"] for one in secret["releases"]}


@pytest.fixture
def published(table):
    """A release by decades, beside the table."""
    people = pd.read_csv(table)
    decades = people["age"] // 10 * 10
    cells = [f"{low}-{low + 9}" for low in decades]
    people.assign(age=cells).drop(columns="name").to_csv(
        table.parent / "published.csv", index=False
    )
    return table.parent / "published.csv"


@pytest.fixture(autouse=True)
def beside_the_table(table, monkeypatch):
    monkeypatch.chdir(table.parent)


def test_nothing_to_configure(table):
    """Roles are proposed, releases are a first look, all attacks that fit are run."""
    done = run("audit", "survey.csv", "--json", "audit.json")
    assert "politics, by its name: 3 values" in done.stdout
    assert "An attacker knows age, town and wants to know vote." in words(done)
    for part in ("no anonymization", "Mondrian(k=20)", "Singling out", "Utility", "δ"):
        assert part in done.stdout
    found = read_audit("audit.json")
    Draft202012Validator(schema()).validate(found)
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote", identifier="name")
    again = uv.audit(people)
    assert figures(Path("audit.json")) == {
        one["name"]: one["figures"] for one in again.to_dict()["secrets"][0]["releases"]
    }
    assert "To correct them: unveil init survey.csv" in words(done)


def test_releases_side_by_side_have_whole_words(table):
    """However narrow the terminal: then there are several tables."""
    options = ["--sanitizer", "identity", "--sanitizer", "mondrian:k=2,5,10,20", *QUICK]
    wide = run("audit", table, *ROLES, *options).stdout
    [head] = [line for line in wide.splitlines() if "(k=2)" in line and "(k=20)" in line]
    assert head.split() == ["no", "anonymization", "(k=2)", "(k=5)", "(k=10)", "(k=20)"]
    audit = uv.audit(
        uv.read_csv(table, quasi=["age", "town"], sensitive="vote"),
        ["identity", "mondrian:k=2,5,10,20"], attacks=["measures", "utility"], progress=False,
    )  # fmt: skip
    for width in (60, 80, 100, 140):
        out = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
        show_audit(audit, out)
        assert isinstance(out.file, io.StringIO)
        shown = out.file.getvalue()
        assert max(map(len, shown.splitlines())) <= width
        for word in ("anonymization", "Mondrian", "(k=20)", "information loss"):
            assert word in shown
        rows = [line.split() for line in shown.splitlines() if line.startswith("  k ")]
        assert [k for row in rows for k in row[1:]] == [
            f"{one.figures['k']:.0f}" for one in audit.releases
        ]


def test_notes_that_are_not_the_same_for_all_secrets_say_which(table):
    people = pd.read_csv(table)
    people["income"] = ["low", "high", None] * 20
    people.to_csv("gaps.csv", index=False)
    done = run("audit", "gaps.csv", "--quasi", "age,town", "--sensitive", "vote,income",
               "--missing", "drop", "--identifier", "name", *QUICK)  # fmt: skip
    assert "Note: for vote, 20 more records dropped" in words(done)
    assert "Note: for income, 20 of 60 records with missing values dropped" in words(done)


def test_numbers_are_the_same_as_in_python(table):
    run("audit", table, *ROLES, "--sanitizer", "mondrian:k=3,6", "--seed", 7, "--jobs", 1,
        "--adversary", "conditional-frequency", "--private", "--json", "audit.json")  # fmt: skip
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    again = uv.audit(people, "mondrian:k=3,6", adversary="conditional-frequency", seed=7)
    assert figures(Path("audit.json")) == {
        one.name: pytest.approx(dict(one.figures)) for one in again.releases
    }


def test_thresholds_decide_by_the_exit_code(table):
    tested = ["audit", table, *ROLES, "--sanitizer", "mondrian:k=3", "--sanitizer", "mondrian:k=6"]
    done = run(*tested, *QUICK, "--fail-on", "k < 5", "--junit", "unveil.xml", code=1)
    assert "Mondrian(k=3) FAILS: k is 3, which is below 5." in done.stdout
    assert "Mondrian(k=6) passes: k is " in done.stdout
    assert done.stderr == "1 of 2 releases fails, 1 passes\n"
    suites = ET.parse("unveil.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    assert run(*tested, *QUICK, "--fail-on", "k < 3").stderr == ""


def test_without_thresholds_no_verdict_is_invented(table):
    done = run("audit", table, *ROLES, *QUICK)
    assert "FAILS" not in done.stdout
    assert "- No verdict: no thresholds were given, so no release passes or fails." in done.stdout
    assert "passes:" not in done.stdout


def test_what_is_not_known_does_not_pass(table, published):
    done = run("audit", table, *ROLES, "--release", published, "--fail-on", "delta > 0.5", code=3)
    assert "published.csv is not known to pass: delta is not known" in words(done)
    assert done.stderr.endswith("the release is not known to pass\n")


def test_what_cannot_be_read_was_not_tested(table, published, tmp_path):
    broken = tmp_path / "broken.csv"
    broken.write_text("age,town,vote\n1000,nowhere,x\n")
    files = ["--release", published, "--release", str(broken)]
    into = ["--json", "audit.json", "--junit", "unveil.xml", "--report", "r.html"]
    done = run("audit", table, *ROLES, *files, *QUICK, "--fail-on", "k < 1", *into, code=3)
    assert (
        "broken.csv was not tested: it could not be read: a row: (masked) is not a value of vote"
        in words(done)
    )
    assert "FAILS" not in done.stdout
    assert done.stderr.endswith("1 of 2 releases was not tested, 1 passes\n")
    audit = json.loads(Path("audit.json").read_text())
    assert audit["verdict"]["state"] == "not tested"
    assert audit["verdict"]["passed"] is False
    assert [one["state"] for one in audit["secrets"][0]["releases"]] == ["passes", "not tested"]
    (error,) = ET.parse("unveil.xml").getroot().iter("error")
    assert error.get("type") == "not tested"
    assert '<section id="verdict" class="not-tested">' in Path("r.html").read_text()
    # A release that fails is worse than one that nobody could look at.
    run("audit", table, *ROLES, *files, *QUICK, "--fail-on", "k < 100", code=1)


def test_a_published_file_beside_a_sanitizer(table, published):
    done = run("audit", table, *ROLES, "--release", published, "--release",
               f"decades={published}", "--sanitizer", "mondrian:k=3", "--json",
               "audit.json")  # fmt: skip
    found = figures(Path("audit.json"))
    assert list(found) == ["published.csv", "decades", "Mondrian(k=3)"]
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    release = uv.read_release(published, people)
    assert found["published.csv"] == found["decades"]
    assert found["decades"]["k"] == uv.k_anonymity(release).k
    low, high = found["decades"]["gr"]
    assert low <= uv.relative_risk(release, people).gr <= high
    assert "delta" not in found["decades"]
    assert "decades: differential-inference needs the sanitizer" in (
        words(done))  # fmt: skip


def test_a_file_that_cannot_be_read_loses_nothing(table, published):
    odd = pd.read_csv(published).assign(town="Atlantis")
    odd.to_csv("odd.csv", index=False)
    done = run("audit", table, *ROLES, *QUICK, "--release", "odd.csv", "--release", published,
               "--sanitizer", "mondrian:k=500", "--json", "audit.json", code=2)  # fmt: skip
    first, second = done.stderr.splitlines()
    assert first.startswith("error: odd.csv: row 1, column 'town': cannot read the cell 'Atlantis'")
    assert second.startswith("error: Mondrian(k=500) cannot be met")
    found = read_audit("audit.json")["secrets"][0]["releases"]
    assert [one["error"] is None for one in found] == [False, True, False]
    assert found[1]["figures"]["k"] >= 1


def test_how_a_published_file_is_written_can_be_said(table):
    people = pd.DataFrame({
        "zip": [47601, 47602, 47603, 47701] * 3, "vote": ["a", "b", "c"] * 4,
    })  # fmt: skip
    people.to_csv(table, index=False)
    people.assign(zip=["476*", "476*", "476*", "477*"] * 3).to_csv("published.csv", index=False)
    asked = ["audit", table, "--quasi", "zip", "--sensitive", "vote", *QUICK, "--release",
             "published.csv", "--json", "audit.json"]  # fmt: skip
    assert "--notation zip=prefix" in run(*asked, code=2).stderr
    run(*asked, "--notation", "zip=prefix")
    assert figures(Path("audit.json"))["published.csv"]["k"] == 3


def test_changed_sensitive_values_have_to_be_allowed(table, published):
    changed = pd.read_csv(published).assign(vote="a")
    changed.to_csv("changed.csv", index=False)
    asked = ["audit", table, *ROLES, "--release", "changed.csv", "--attack", "inference,linkage"]
    assert "--may-change-sensitive" in run(*asked, code=2).stderr
    assert "guessed" in run(*asked, "--may-change-sensitive").stdout


def test_an_oracle(table, tmp_path):
    program = tmp_path / "anonymize.py"
    program.write_text(
        "import csv, sys\n"
        "with open(sys.argv[1]) as file, open(sys.argv[2], 'w') as out:\n"
        "    rows = list(csv.DictReader(file))\n"
        "    written = csv.DictWriter(out, rows[0])\n"
        "    written.writeheader()\n"
        "    written.writerows({**row, 'age': '*'} for row in rows)\n"
    )
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(program))} {{input}} {{output}}"
    few = tmp_path / "few.csv"
    pd.read_csv(table).head(6).to_csv(few, index=False)
    run("audit", few, *ROLES, "--oracle", command, "--attack", "measures", "--attack",
        "differential-inference", "--private", "--json", "audit.json")  # fmt: skip
    [found] = figures(Path("audit.json")).values()
    people = uv.read_csv(few, quasi=["age", "town"], sensitive="vote")
    assert found["k"] == min(pd.read_csv(few)["town"].value_counts())
    expected = uv.differential_inference(people, uv.Oracle(command)).delta
    assert found["delta"] == pytest.approx(expected)


def test_a_budget_is_for_each_release_and_keeps_what_the_project_says(table, monkeypatch):
    told = {}

    def look(name, subject, asked):
        told[name] = asked.told(name)
        raise InputError("it is not looked at here")

    for name in ("differential-inference", "relative-risk"):
        monkeypatch.setattr(PARTS[name], "look", partial(look, name))
    asked = ["--sanitizer", "mondrian:k=3", "--budget", "90 s"]
    run("audit", table, *ROLES, *asked)
    assert {name: options for name, options in told.items() if options} == {
        "differential-inference": {"budget": "90 s"},
        "relative-risk": {"budget": "90 s"},
    }
    told.clear()
    run("audit", table, *ROLES, *asked[:-1], "40 sweeps")  # nothing is swept in the one of them
    assert told == {"differential-inference": {}, "relative-risk": {"budget": "40 sweeps"}}
    run("init", table)
    with Path("unveil.toml").open("a", encoding="utf-8") as file:
        file.write("\n[attacks.relative-risk]\nbeta = 0.5\n")
    run("audit", "--project", "unveil.toml", *asked)
    assert told["relative-risk"] == {"beta": 0.5, "budget": "90 s"}


def test_two_secrets_are_tested_in_turn(table):
    people = pd.read_csv(table)
    people["income"] = ["low", "high"] * 30
    people.to_csv(table, index=False)
    done = run("audit", table, "-q", "age,town", "-s", "income,vote", *QUICK, "--sanitizer",
               "mondrian:k=4", "--json", "audit.json")  # fmt: skip
    assert "wants to know" in words(done)
    assert sorted(one["sensitive"] for one in read_audit("audit.json")["secrets"]) == [
        "income",
        "vote",
    ]


def test_a_published_file_with_two_secrets(table):
    people = pd.read_csv(table)
    people["income"] = ["low", "high"] * 30
    people.to_csv(table, index=False)
    people.assign(age="*").drop(columns="name").to_csv("published.csv", index=False)
    run("audit", table, "-q", "age,town", "-s", "income,vote", *QUICK, "--release",
        "published.csv", "--json", "audit.json")  # fmt: skip
    found = read_audit("audit.json")["secrets"]
    assert {one["sensitive"]: one["releases"][0]["figures"]["k"] for one in found} == {
        name: people["town"].value_counts().min() for name in ("income", "vote")
    }


def test_every_secret_that_cannot_be_read_is_told(table):
    people = pd.read_csv(table).drop(columns="name").assign(pay=["low", "high", "mid"] * 20)
    people.to_csv("both.csv", index=False)
    people.drop(columns="pay").assign(vote="q").to_csv("wrong.csv", index=False)
    done = run("audit", "both.csv", "--quasi", "age,town", "--sensitive", "vote,pay", *QUICK,
               "--release", "wrong.csv", code=2)  # fmt: skip
    assert "'q' is not a value of vote in the original" in done.stderr
    assert "column 'pay' is not in wrong.csv" in done.stderr


def test_a_project(table):
    run("init", table)
    text = Path("unveil.toml").read_text(encoding="utf-8")
    assert "fail_on" in text
    project = uv.Project.read("unveil.toml")
    done = run("audit", "--project", "unveil.toml", "--sanitizer", "mondrian:k=4", *QUICK,
               "--fail-on", "k < 60", code=1)  # fmt: skip
    assert "Mondrian(k=4) FAILS" in done.stdout
    assert project.sensitive == ("vote",)


def test_thresholds_of_the_project_hold_as_well(table):
    run("init", table)
    project = uv.Project.read("unveil.toml")
    strict = uv.Project(data=project.data, roles=project.roles, fail_on=("k < 60",))
    strict.write("unveil.toml", force=True)
    done = run("audit", "-p", "unveil.toml", "--sanitizer", "mondrian:k=4", *QUICK, "--fail-on",
               "k < 1", code=1)  # fmt: skip
    assert "Mondrian(k=4) FAILS: k is " in done.stdout


def test_the_report_gives_nobody_away(table):
    run("audit", table, *ROLES, "--sanitizer", "identity", "--report", "report.html", "--json",
        "audit.json")  # fmt: skip
    page = Path("report.html").read_text(encoding="utf-8")
    assert "#" in page
    assert stat.S_IMODE(os.stat("report.key").st_mode) == 0o600
    assert Path("report.key").read_text().strip() not in page + Path("audit.json").read_text()
    assert not read_audit("audit.json")["private"]


def test_records_are_included_only_if_asked(table):
    run("audit", table, *ROLES, "--sanitizer", "identity", "--report", "report.html",
        "--private", "--json", "audit.json")  # fmt: skip
    assert not Path("report.key").exists()
    assert read_audit("audit.json")["private"]
    assert "row " in Path("audit.json").read_text()


def test_a_key_that_is_there_is_used_again(table):
    asked = ["audit", table, *ROLES, "--sanitizer", "mondrian:k=3", "--attack",
             "differential-inference"]  # fmt: skip
    run(*asked, "--json", "one.json", "--key", "kept.key")
    run(*asked, "--json", "two.json", "--key", "kept.key")
    run(*asked, "--json", "three.json")
    one, two, three = (
        read_audit(f"{name}.json")["secrets"][0]["sections"][0]["tables"][0]["rows"][0][1]
        for name in ("one", "two", "three")
    )
    assert one == two != three


def test_json_to_standard_output(table):
    done = run("audit", table, *ROLES, *QUICK, "--json", "-")
    assert json.loads(done.stdout)["finding"] == "audit"
    assert "An attacker knows" in done.stderr


def test_the_command_and_the_file_are_told(table):
    source = str(Path(uv.__file__).parents[1])
    asked = ["audit", "survey.csv", *ROLES, *QUICK, "--sanitizer", "identity", "--json", "a.json"]
    subprocess.run(
        [sys.executable, "-m", "unveil", *asked], check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    told = read_audit("a.json")["reproduce"]
    typed = shlex.join(["unveil", *asked])
    assert told["command"] == public_command(typed, Path("a.key").read_text().strip())
    assert told["seed"] == 0


def test_an_interrupt_keeps_what_was_found(table, monkeypatch):
    def impatient(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(PARTS["linkage"], "look", impatient)
    Path("audit.json").write_text("of a complete run")
    done = run("audit", table, *ROLES, "--sanitizer", "mondrian:k=3", "--attack",
               "differential-inference,linkage,measures", "--json", "audit.json",
               code=130)  # fmt: skip
    assert done.stderr.endswith("interrupted: the results so far are above\n")
    assert Path("audit.json").read_text() == "of a complete run"
    [found] = figures(Path("audit.interrupted.json")).values()
    assert "delta" in found
    assert "k" not in found
    assert "JSON: audit.interrupted.json" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--quasi", "age"], "--quasi is given and --sensitive is not"),
        (["--sensitive", "vote"], "--sensitive is given and --quasi is not"),
        (["--missing", "drop"], "--missing goes with --quasi and --sensitive"),
        (["--project", "unveil.toml"], "both a table, 'survey.csv', and a project"),
        ([*ROLES, "--fail-on", "dleta > 1"], "no figure 'dleta'; did you mean 'delta'?"),
        ([*ROLES, "--attack", "linkge"], "no attack 'linkge'; did you mean 'linkage'?"),
        ([*ROLES, *QUICK, "--fail-on", "delta > 0.1"], "needs differential-inference"),
        ([*ROLES, *QUICK, "--budget", "1 min"], "--budget is for differential-inference and"),
        ([*ROLES, "--budget", "soon"], "soon"),
        ([*ROLES, "--attack", "relative-risk", "--budget", "5 runs"], "is for differential-inf"),
        ([*ROLES, "--report", "r.pdf"], "must end in .html or .htm"),
        ([*ROLES, "--junit", "j.txt"], "--junit 'j.txt' must end in .xml"),
        ([*ROLES, "--json", "x.html", "--report", "x.html"], "name the same file, 'x.html'"),
        ([*ROLES, "--key", "survey.csv"], "'survey.csv' is not a key"),
        ([*ROLES, "--report", "no/where.html"], "the folder 'no' does not exist"),
        ([*ROLES, "--retries", "2"], "--retries is for programs of others"),
        ([*ROLES, "--sanitizer", "mondrain:k=5"], "did you mean 'mondrian'?"),
        ([*ROLES, "--release", "none.csv"], "the file 'none.csv' does not exist"),
        ([*ROLES, "--oracle", "./no {input} {output}", "--oracle", "./no {input} {output}"],
         "is to be audited twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(table, options, message):
    done = run("audit", "survey.csv", *options, code=2)
    assert message in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: ")


def test_nothing_at_all():
    assert "give the original table as FILE" in run("audit", code=2).stderr


# report, compare, resolve -------------------------------------------------------------------


def test_a_report_is_made_again(table):
    run("audit", table, *ROLES, *QUICK, "--json", "audit.json", "--report", "first.html")
    assert run("report", "audit.json").stdout == "report: audit.html\n"
    assert Path("audit.html").read_bytes() == Path("first.html").read_bytes()
    done = run("report", "survey.csv", code=2)
    assert "survey.csv is not an audit" in done.stderr


def test_two_audits_are_compared(table):
    asked = ["audit", table, *ROLES, *QUICK, "--release"]
    people = pd.read_csv(table).drop(columns="name")
    people.assign(age="*").to_csv("one.csv", index=False)
    people.to_csv("two.csv", index=False)
    run(*asked, "ours=one.csv", "--json", "before.json")
    run(*asked, "ours=two.csv", "--json", "after.json")
    done = run("compare", "before.json", "after.json", "--json", "changes.json")
    worse = done.stdout[done.stdout.index("Worse:") :]
    assert "ours: k " in worse
    changes = json.loads(Path("changes.json").read_text())["findings"][0]["changes"]
    became = {one["figure"]: one["became"] for one in changes}
    assert (became["k"], became["loss"]) == ("worse", "better")
    run("compare", "before.json", "after.json", "--strict", code=1)
    run("compare", "before.json", "before.json", "--strict")


def test_references_are_resolved(table):
    run("audit", table, *ROLES, "--sanitizer", "mondrian:k=3", "--attack",
        "differential-inference", "--json", "audit.json")  # fmt: skip
    rows = read_audit("audit.json")["secrets"][0]["sections"][0]["tables"][0]["rows"]
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    finding = uv.differential_inference(people, uv.Mondrian(k=3))
    raw = pd.read_csv(table)
    found = set()
    for _, reference in rows:
        said = run("resolve", table, reference, "--key", "audit.key").stdout
        record = int(re.search(rf"{reference}: row (\d+) of survey.csv", said)[1]) - 1
        assert f"of survey.csv\n  name {raw['name'][record]}," in said
        found.add(record)
    assert found == set(finding.worst_places(5).tolist())
    run("init", table)
    plain = rows[0][1].removeprefix("#")
    assert " of survey.csv" in run("resolve", "-p", "unveil.toml", plain, "--key",
                                   "audit.key").stdout  # fmt: skip


NOBODY = "#0000000000000000"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["survey.csv", NOBODY], f"nobody in survey.csv has the reference {NOBODY}"),
        ([NOBODY], "no table is given"),
        (["survey.csv"], "no reference is given"),
        (["survey.csv", "#zz", NOBODY], "'#zz' is not a reference"),
        (["-p", "unveil.toml", "#zz", NOBODY], "'#zz' is not a reference"),
        (["-p", "unveil.toml", "survey.csv", NOBODY], "both a table, 'survey.csv', and a"),
    ],
)
def test_references_that_cannot_be_resolved(table, given, message):
    write_key("0" * 64, "a.key")
    assert message in run("resolve", *given, "--key", "a.key", code=2).stderr


def test_everybody_at_risk_is_listed_for_the_owner(table, published):
    """One by one, as linkage against the release finds them."""
    asked = [table, *ROLES, "--release", published]
    run("audit", *asked, *QUICK, "--json", "audit.json")
    said = run("resolve", *asked, "--at-risk", "--key", "audit.key").stdout
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote", identifier="name")
    release = uv.read_release(published, people)
    found = uv.linkage(release, people, microdata=people)
    at_risk = np.flatnonzero((found.candidates < 5) | (found.values == 1))
    assert 0 < len(at_risk) < len(people)
    assert "Do not hand on." in said.splitlines()[0]
    assert f"{len(at_risk)} of {len(people)} people at risk" in " ".join(said.split())
    listed = [int(row) - 1 for row in re.findall(r"#[0-9a-f]{16}: row (\d+) of survey.csv", said)]
    assert listed == at_risk.tolist()
    names = pd.read_csv(table)["name"]
    assert all(f"name {names[row]}," in said for row in listed)
    [reference] = re.findall(rf"(#[0-9a-f]{{16}}): row {listed[0] + 1} of", said)
    assert f"row {listed[0] + 1} of" in run("resolve", table, reference, "--key",
                                            "audit.key").stdout  # fmt: skip


def test_everybody_at_risk_in_a_project(table, published):
    """The releases, the roles and the thresholds are those of the project."""
    run("init", table)
    text = Path("unveil.toml").read_text()
    assert "delta > " in text
    write_key("0" * 64, "a.key")
    for release in ([], ["--release", published]):
        said = run("resolve", "-p", "unveil.toml", *release, "--at-risk", "--key", "a.key").stdout
        assert re.search(r"\d+ of \d+ people at risk", said)
        assert "Do not hand on." in said.splitlines()[0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["survey.csv", "--at-risk"], "--at-risk needs the roles that were audited"),
        (["survey.csv", *ROLES, "--at-risk"], "--at-risk needs what was published"),
        (
            ["survey.csv", "#0000000000000000", "--at-risk"],
            "leave out the reference #0000000000000000",
        ),
        (["survey.csv", "#0000000000000000", *ROLES], "is for --at-risk"),
    ],
)
def test_what_the_list_needs(table, given, message):
    write_key("0" * 64, "a.key")
    assert message in run("resolve", *given, "--key", "a.key", code=2).stderr


def test_the_demo_as_a_report():
    done = run("demo", "--report", "demo.html")
    assert "in a browser: demo.html" in done.stdout
    page = Path("demo.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert re.search(r"unveil demo \[[0-9a-f]{12}\]", page)
