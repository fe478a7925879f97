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


def run(*words):
    return run_command("minimality", *map(str, words), code=None)


def test_says_what_is_told(clinic, tmp_path):
    result = run(
        clinic, *ASKED, "--sanitizer", "mondrian:l=2", "--json", tmp_path / "found.json",
        "--plot", tmp_path / "beliefs.png",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "did not cut it by age" in " ".join(result.output.split())
    assert "Row" not in result.output
    found = json.loads((tmp_path / "found.json").read_text())["findings"][0]
    assert found["determined"] == 2
    assert "each" not in found
    assert (tmp_path / "beliefs.png").stat().st_size > 1000


def test_one_person(clinic):
    result = run(clinic, *ASKED, "--sanitizer", "mondrian:l=2", "--person", 1)
    assert result.exit_code == 0, result.output
    assert "Row 1:" in result.output
    assert "HIV     0.333     1.000" in result.output
    missing = run(clinic, *ASKED, "--sanitizer", "mondrian:l=2", "--person", 7)
    assert missing.exit_code == 2
    assert "numbered from 1 to 6" in " ".join(missing.output.split())


def test_what_was_published(clinic, tmp_path):
    out = tmp_path / "released.csv"
    made = run_command(
        "anonymize", str(clinic), *ASKED, "--sanitizer", "mondrian:l=2", "-o", str(out), code=None
    )
    assert made.exit_code == 0, made.output
    result = run(clinic, *ASKED, "--sanitizer", "mondrian:l=2", "--release", out)
    assert result.exit_code == 0, result.output
    wrong = run(clinic, *ASKED, "--sanitizer", "mondrian:k=2", "--release", out)
    assert wrong.exit_code == 2
    assert "is not what Mondrian(k=2) makes of" in " ".join(wrong.output.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sanitizer", "mondrian:l=2", "--sanitizer", "mondrian:l=3"], "one --sanitizer"),
        (["--sanitizer", "mondrian:l=2", "--records"], "--records adds to the JSON"),
        (["--sanitizer", "mondrian:l=2", "--notation", "age=range"], "--notation is for"),
        (
            ["--sanitizer", "anatomy:l=2"],
            "is random; unveil differential-inference and unveil membership",
        ),
    ],
)
def test_wrong_input(clinic, words, message):
    result = run(clinic, *ASKED, *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_classes_are_looked_at_alone_if_asked(tmp_path):
    survey, out = tmp_path / "survey.csv", tmp_path / "found.json"
    uv.datasets.election_survey().take(range(0, 944, 4)).to_frame().to_csv(survey, index=False)
    result = run(
        survey, "--quasi", "age,education,income", "--sensitive", "party", "--sanitizer",
        "mondrian:k=3,l=2", "--scope", "class", "--json", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "were looked at alone" in " ".join(result.output.split())
    assert json.loads(out.read_text())["findings"][0]["looked_at_alone"] > 0
