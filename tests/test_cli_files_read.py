"""No command writes over a file that it was given to read."""

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import unveil as uv

ROLES = ("--quasi", "age,sex", "--sensitive", "disease")
PEOPLE = {
    "age": [25, 22, 35, 31, 35, 44], "sex": ["F", "F", "F", "M", "M", "M"],
    "disease": ["Flu", "HIV", "Cold", "Flu", "HIV", "Cold"],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = pd.DataFrame(PEOPLE)
    people.to_csv("people.csv", index=False)
    people.assign(name=list("abcdef")).to_csv("others.csv", index=False)
    table = uv.read_csv("people.csv", quasi=["age", "sex"], sensitive="disease")
    uv.Mondrian(k=2).sanitize(table).to_frame().to_csv("released.csv", index=False)
    uv.Anatomy(l=2, seed=1).sanitize(table).write("anatomy")


@pytest.mark.parametrize(
    ("command", "over"),
    [
        (("linkage", "people.csv", "--release", "released.csv", "--json"), "released.csv"),
        (("linkage", "people.csv", "--release", "released.csv", "--csv"), "released.csv"),
        (("linkage", "--release", "released.csv", "--external", "others.csv", "--csv"),
         "others.csv"),
        (("composition", "people.csv", "--release", "a=released.csv", "--anatomy", "anatomy",
          "--json"), "released.csv"),
        (("relative-risk", "people.csv", "--release", "released.csv", "--json"), "released.csv"),
        (("definetti", "people.csv", "--external", "others.csv", "--release", "released.csv",
          "--json"), "others.csv"),
        (("inference", "people.csv", "--sanitizer", "identity", "--held-out", "others.csv",
          "--json"), "others.csv"),
        (("minimality", "people.csv", "--sanitizer", "mondrian:k=2", "--release", "released.csv",
          "--json"), "released.csv"),
        (("audit", "people.csv", "--release", "released.csv", "--json"), "released.csv"),
        (("membership", "people.csv", "--held-out", "others.csv", "--json"), "others.csv"),
    ],
)  # fmt: skip
def test_what_is_read_is_not_written_over(command, over):
    before = Path(over).read_bytes()
    done = run(*command, over, *ROLES, code=2)
    assert f"'{over}' is a file that is read; it would be overwritten" in done.stderr
    assert Path(over).read_bytes() == before


def test_neither_are_files_in_a_folder():
    inside = next(Path("anatomy").iterdir())
    before = inside.read_bytes()
    done = run(
        "relative-risk", "people.csv", *ROLES, "--anatomy", "anatomy", "--json", str(inside), code=2
    )
    assert "is a file that is read" in done.stderr
    assert inside.read_bytes() == before


def test_results_of_before_are_replaced():
    Path("out.json").write_text("old")
    run("linkage", "people.csv", *ROLES, "--release", "released.csv", "--json", "out.json")
    assert json.loads(Path("out.json").read_text())["findings"]
