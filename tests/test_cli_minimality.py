"""The command ``unveil minimality``."""

import json

import pytest
from command_line import run as run_command

import unveil as uv

ASKED = ["--quasi", "age", "--sensitive", "disease"]


@pytest.fixture
def clinic(tmp_path):
    path = tmp_path / "clinic.csv"
    rows = ["20,HIV", "30,HIV", "60,Flu", "60,Cold", "60,Gout", "60,Mumps"]
    path.write_text("\n".join(["age,disease", *rows]) + "\n")
    return path


def run(*words, code=0):
    return run_command("minimality", *words, code=code)


def test_says_what_is_told(clinic, tmp_path):
    result = run(
        clinic, *ASKED, "--sanitizer", "mondrian:l=2", "--json", tmp_path / "found.json",
        "--plot", tmp_path / "beliefs.png",
    )  # fmt: skip
    assert "did not cut it by age" in " ".join(result.output.split())
    assert "row 1" not in result.output
    found = json.loads((tmp_path / "found.json").read_text())["findings"][0]
    assert found["determined"] == 2
    assert "records" not in found
    assert (tmp_path / "beliefs.png").stat().st_size > 1000


def test_one_person(clinic):
    result = run(clinic, *ASKED, "--sanitizer", "mondrian:l=2", "--about", 1)
    said = " ".join(result.output.split())
    assert "row 1 of clinic.csv. The class age [20, 60] (6 people)" in said
    assert "HIV 0.333 1.000" in said
    missing = run(clinic, *ASKED, "--sanitizer", "mondrian:l=2", "--about", 7, code=2)
    assert "from 1 to 6" in " ".join(missing.output.split())


def test_what_was_published(clinic, tmp_path):
    out = tmp_path / "released.csv"
    run_command("anonymize", clinic, *ASKED, "--sanitizer", "mondrian:l=2", "-o", out)
    run(clinic, *ASKED, "--sanitizer", "mondrian:l=2", "--release", out)
    wrong = run(clinic, *ASKED, "--sanitizer", "mondrian:k=2", "--release", out, code=2)
    assert "is not what Mondrian(k=2) makes of" in " ".join(wrong.output.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--sanitizer", "mondrian:l=2,3", "--release", "a.csv"],
            "--published is what --sanitizer made: give one for each",
        ),
        (["--release", "a.csv"], "--published is what --sanitizer made: give one for each"),
        (["--sanitizer", "mondrian:l=2", "--records"], "--records adds to the JSON"),
        (["--sanitizer", "mondrian:l=2", "--notation", "age=range"], "--notation is for"),
        (
            ["--sanitizer", "anatomy:l=2"],
            "is random; unveil differential-inference and unveil membership",
        ),
    ],
)
def test_wrong_input(clinic, words, message):
    result = run(clinic, *ASKED, *words, code=2)
    assert message in " ".join(result.output.split())


def test_classes_are_looked_at_alone_if_asked(tmp_path):
    survey, out = tmp_path / "survey.csv", tmp_path / "found.json"
    uv.datasets.election_survey().take(range(0, 944, 4)).to_frame().to_csv(survey, index=False)
    result = run(
        survey, "--quasi", "age,education,income", "--sensitive", "party", "--sanitizer",
        "mondrian:k=3,l=2", "--scope", "class", "--json", out,
    )  # fmt: skip
    assert "were looked at alone" in " ".join(result.output.split())
    assert json.loads(out.read_text())["findings"][0]["looked_at_alone"] > 0
