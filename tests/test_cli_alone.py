"""What was published, audited alone: by the shell, and by a project without an original."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import unveil as uv
from unveil.auditing import read_audit
from unveil.testing import assert_release

ROLES = ["--quasi", "age,town", "--sensitive", "disease"]
QUICK = ["--attack", "measures"]
N = 48
PEOPLE = pd.DataFrame({
    "name": [f"p{i}" for i in range(N)],
    "age": [20 + i % 40 for i in range(N)],
    "town": [("Nice", "Lyon", "Rome")[i % 3] for i in range(N)],
    "disease": [("flu", "cold", "asthma", "flu", "angina")[i % 5] for i in range(N)],
    "income": [1000 * (1 + i % 4) for i in range(N)],
})  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    cells = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in PEOPLE.age]
    PEOPLE.drop(columns="name").assign(age=cells).to_csv("published.csv", index=False)
    PEOPLE[["name", "age", "town"]].to_csv("voters.csv", index=False)
    return tmp_path


def words(text: str) -> str:
    return " ".join(text.split())


def test_one_command(folder: Path):
    done = run("audit", "--published", "published.csv", *ROLES, "--fail-on", "k < 2", "--report",
               "r.html", "--json", "a.json", "--junit", "j.xml")  # fmt: skip
    said = words(done.stdout)
    assert said.index("The original table was not given") < said.index("published.csv passes")
    assert "What the original table would add:" in said
    assert "linkage needs a list of people" in said
    content = read_audit(folder / "a.json")
    assert {*content["reproduce"]["fingerprints"]} == {
        "published.csv", "published.csv, with disease"
    }  # fmt: skip
    release = uv.read_release("published.csv", quasi=["age", "town"], sensitive="disease")
    figures = content["secrets"][0]["releases"][0]["figures"]
    assert figures["k"] == uv.k_anonymity(release).k
    assert "Without the original." in Path("r.html").read_text("utf-8")
    run("report", "a.json", "-o", "again.html")
    assert Path("again.html").read_text("utf-8") == Path("r.html").read_text("utf-8")
    run("compare", "a.json", "a.json")


def test_exit_codes_say_what_the_verdict_says():
    run("audit", "--published", "published.csv", *ROLES, *QUICK, "--fail-on", "k < 40", code=1)
    unknown = ["--attack", "measures,membership,linkage", "--fail-on"]
    done = run("audit", "--published", "published.csv", *ROLES, *unknown, "membership > 0.9",
               code=3)  # fmt: skip
    assert "needs the original table and the program" in words(done.stdout)
    run("audit", "--published", "published.csv", *ROLES, *unknown, "linked > 1%", code=3)


def test_roles_are_proposed_from_the_file():
    done = run("audit", "--published", "published.csv", *QUICK)
    assert "To correct them, say which columns are what: --quasi" in words(done.stdout)
    PEOPLE.assign(email=[f"p{i}@example.org" for i in range(N)]).to_csv("mails.csv", index=False)
    done = run("audit", "--published", "mails.csv", *QUICK, code=1)
    assert "'email' looks like e-mail addresses" in words(done.stdout)


def test_several_files_secrets_and_the_older_name_of_the_option():
    uv.Anatomy(l=2, seed=1).sanitize(
        uv.read_table(PEOPLE, quasi=["age", "town"], sensitive="disease")
    ).write("anatomy")
    run("audit", "--published", "a=published.csv", "--release", "b=published.csv", "--anatomy",
        "anatomy", *ROLES, *QUICK, "--json", "a.json")  # fmt: skip
    [secret] = read_audit("a.json")["secrets"]
    assert [one["name"] for one in secret["releases"]] == ["a", "b", "anatomy"]
    run("audit", "--published", "published.csv", "--quasi", "age,town", "--sensitive",
        "disease,income", *QUICK, "--json", "two.json")  # fmt: skip
    content = read_audit("two.json")
    assert {one["sensitive"] for one in content["secrets"]} == {"disease", "income"}
    assert not content["secrets"][0]["releases"][0]["unroled"]


def test_files_of_one_name_are_told_apart_by_their_folders(folder: Path):
    for name, rows in (("old", 24), ("new", 48)):
        (folder / name).mkdir()
        PEOPLE[:rows].assign(age="20-59").to_csv(folder / name / "a.csv", index=False)
    both = ["--published", "old/a.csv", "--published", str(folder / "new" / "a.csv")]
    done = run("audit", *both, *ROLES, "--attack", "measures,remedies", "--fail-on", "k < 12",
               "--report", "r.html", "--junit", "j.xml", code=1)  # fmt: skip
    said = words(done.stdout)
    assert "audit of a.csv (old) and a.csv (new) alone" in said
    assert "a.csv (old) FAILS" in said
    assert "a.csv (new) passes" in said
    assert (
        "What to change: - Under a.csv (old), all 24 people are in a class of fewer than 12" in said
    )
    assert "Note: a.csv (old): disease" not in said  # it is the same in both
    for file in ("r.html", "j.xml"):
        text = Path(file).read_text("utf-8")
        assert "(old)" in text
        assert str(folder) not in text
    done = run("measures", "old/a.csv", "new/a.csv", *ROLES)
    assert "a.csv (old)" in done.stdout


def test_a_sheet_of_a_workbook_is_read(folder: Path):
    with pd.ExcelWriter("book.xlsx") as book:
        pd.DataFrame({"x": [1]}).to_excel(book, sheet_name="notes", index=False)
        PEOPLE.drop(columns="name").assign(age="20-59").to_excel(
            book, sheet_name="data", index=False
        )
    sheet = ["--sheet", "data", *ROLES]
    done = run("audit", "--published", "book.xlsx", *sheet, *QUICK, "--fail-on", "k < 16")
    assert "k is 16, which is not below 16" in words(done.stdout)
    assert "k                          16" in run("measures", "book.xlsx", *sheet).stdout
    done = run("audit", "--published", "book.xlsx", "--sheet", "data", *QUICK)
    assert "48 rows, 4 columns" in words(done.stdout)
    run("init", "book.xlsx", "--sheet", "data")
    assert 'sheet = "data"' in Path("unveil.toml").read_text()
    assert "for Excel workbooks" in run("init", "published.csv", "--sheet", "data", "-o", "x.toml",
                                        code=2).stderr  # fmt: skip


def test_a_list_of_people_is_looked_for():
    asked = ["--published", "published.csv", *ROLES, "--attack", "linkage,definetti"]
    run("audit", *asked, "--external", "voters.csv", "--identifier", "name", "--json", "a.json")
    figures = read_audit("a.json")["secrets"][0]["releases"][0]["figures"]
    release = uv.read_release("published.csv", quasi=["age", "town"], sensitive="disease")
    linked = uv.linkage(release, "voters.csv", identifier="name")
    assert figures["linked"] == {one.figure.name: one.value for one in linked.figures}["linked"]


def test_tables_of_counts_and_domains():
    counts = pd.read_csv("published.csv").groupby(["age", "town", "disease"]).size()
    counts.reset_index(name="people").to_csv("counts.csv", index=False)
    done = run("audit", "--published", "counts.csv", *ROLES, *QUICK, code=2)
    assert "--count people" in done.stderr
    run("audit", "--published", "counts.csv", *ROLES, *QUICK, "--count", "people", "--domains",
        "age=20-90", "--json", "a.json")  # fmt: skip
    content = read_audit("a.json")
    assert content["data"]["records"] == N
    assert "'age'" not in content["alone"]["assumed"][1]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "what was published with --published, or a project"),
        (["--published", "published.csv", *ROLES, "--sanitizer", "mondrian:k=5"],
         "--sanitizer needs the original table: give it as FILE"),
        (["--published", "published.csv", *ROLES, "--oracle", "./x {input} {output}"],
         "--oracle needs the original table: give it as FILE"),
        (["--published", "published.csv", *ROLES, "--cuts", "age=1,2"],
         "--cuts is about the original table"),
        (["--published", "published.csv", *ROLES, "--missing", "drop"],
         "--missing is about the original table"),
        (["--published", "published.csv", "--quasi", "age"], "--quasi is given and --sensitive"),
        (["--published", "published.csv", "--quasi", "agee", "--sensitive", "disease", *QUICK],
         "agee"),
    ],
)  # fmt: skip
def test_what_needs_the_original_is_refused(asked: list[str], said: str):
    done = run("audit", *asked, code=2)
    assert said in words(done.stderr)


PROJECT = """
[data]
[roles]
age = "quasi"
town = "quasi"
disease = "sensitive"
income = "sensitive"
[threat]
external = "voters.csv"
[attacks]
use = ["measures", "linkage"]
[thresholds]
fail_on = ["k < 2"]
[[releases]]
file = "published.csv"
domains = { age = "18-90", town = ["Nice", "Lyon", "Rome", "Oslo"] }
"""


def test_a_project_without_an_original(folder: Path):
    Path("unveil.toml").write_text(PROJECT, "utf-8")
    run("audit", "--project", "unveil.toml", "--json", "a.json")
    content = read_audit("a.json")
    assert {one["sensitive"] for one in content["secrets"]} == {"disease", "income"}
    assert "published.csv" in content["reproduce"]["fingerprints"]
    project = uv.Project.read(folder)
    found = project.audit(progress=False)
    assert found.passed
    assert found.secrets[0].published[0].quasi[0].size == 73
    assert found.releases[0].looked["linkage"].status == "done"
    again = uv.Project.read(project.write(folder / "again.toml"))
    assert again == project
    assert assert_release(project=folder / "unveil.toml").passed


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[[releases]]\nsanitizer = 'mondrian:k=5'", r"number 2: a sanitizer needs the original"),
        ("[[releases]]\noracle = './x'", r"number 2: a program needs the original"),
    ],
)
def test_a_project_that_needs_the_original_says_so(more: str, said: str):
    Path("unveil.toml").write_text(PROJECT + more, "utf-8")
    assert said in words(run("audit", "--project", "unveil.toml", code=2).stderr)


def test_the_json_is_the_same_by_shell_and_python():
    run("audit", "--published", "published.csv", *ROLES, *QUICK, "--json", "a.json")
    release = uv.read_release("published.csv", quasi=["age", "town"], sensitive="disease",
                              made_by="published.csv")  # fmt: skip
    found = uv.audit(None, release, attacks=["measures"], progress=False)
    by_shell = json.loads(Path("a.json").read_text("utf-8"))
    for name in ("data", "alone", "threat", "verdict"):
        assert by_shell[name] == found.to_dict()[name], name
